// A Boolean function as its truth table.
//
// The first input is the highest bit of a row's number: 0...0 is the first row and 1...1 the last.
#ifndef TLU_LOGIC_FUNCTION_TRUTH_H
#define TLU_LOGIC_FUNCTION_TRUTH_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdbool.h>

#define TRUTH_INPUTS_MAX 20 // a million rows

struct truth_table {
    unsigned inputs;
    uint64_t *ones; // [truth_words] one bit per row: its value; 0 for don't-care rows
    uint64_t *open; // [truth_words] don't-care rows; NULL: there are none
};

// A function with its names, and one table per output.
struct tlu_function {
    unsigned inputs;
    char **input_names; // [inputs]
    size_t outputs;
    char **output_names;        // [outputs]
    struct truth_table *tables; // [outputs]
};

// The rows of a word in which input bit 0 to 5 of the row number is 0.
extern const uint64_t truth_low_rows[6];

bool truth_init(struct truth_table *truth, unsigned inputs,
                bool with_open); // all 0; false: no memory
void truth_free(struct truth_table *truth);

static inline size_t truth_rows(const struct truth_table *truth)
{
    return (size_t)1 << truth->inputs;
}

static inline size_t truth_words(const struct truth_table *truth)
{
    return (truth_rows(truth) + 63) / 64;
}

// The bits of a word that are rows: all 64 but for tables of fewer rows.
static inline uint64_t truth_mask(const struct truth_table *truth)
{
    return truth->inputs < 6 ? ((uint64_t)1 << truth_rows(truth)) - 1 : UINT64_MAX;
}

static inline bool truth_value(const struct truth_table *truth, size_t row)
{
    return truth->ones[row / 64] >> row % 64 & 1;
}

static inline bool truth_is_open(const struct truth_table *truth, size_t row)
{
    return truth->open && (truth->open[row / 64] >> row % 64 & 1);
}

// Input i, from 0, in a row.
static inline bool truth_input(const struct truth_table *truth, size_t row, unsigned i)
{
    return row >> (truth->inputs - 1 - i) & 1;
}

static inline void truth_set(struct truth_table *truth, size_t row)
{
    truth->ones[row / 64] |= (uint64_t)1 << row % 64;
}

static inline void truth_set_open(struct truth_table *truth, size_t row)
{
    truth->open[row / 64] |= (uint64_t)1 << row % 64;
}

// needed[i] := whether the values depend on input i. Don't-care rows take the value of the row
// across an input that is not needed, so that the table becomes a function of the needed inputs.
void truth_needs(struct truth_table *truth, unsigned char *needed);
// reduced := the table as a function of the needed inputs only; false: out of memory.
bool truth_reduce(const struct truth_table *truth, const unsigned char *needed,
                  struct truth_table *reduced);
// The row of the full table for a row of the reduced one; inputs that are not needed are 0.
uint32_t truth_expand_row(const unsigned char *needed, unsigned inputs, uint32_t row);

#endif
