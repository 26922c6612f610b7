// A Boolean function of a few inputs, as the table of its values.
//
// Row r of the table is the assignment whose first input is the highest bit of r: 0...0 comes
// first and 1...1 last, as truth tables are written.
#ifndef TLU_LOGIC_FUNCTION_TRUTH_H
#define TLU_LOGIC_FUNCTION_TRUTH_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdbool.h>

#define TRUTH_INPUTS_MAX 20 // of a table: a million rows

struct truth_table {
    unsigned inputs;
    uint64_t *ones; // [truth_words] one bit per row: the value; 0 if it does not matter
    uint64_t *open; // [truth_words] the rows whose value does not matter; NULL: there are none
};

// A function as a user gives it: names, and one table per output.
struct tlu_function {
    unsigned inputs;
    char **input_names; // [inputs]
    size_t outputs;
    char **output_names;        // [outputs]
    struct truth_table *tables; // [outputs]
};

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

// Which inputs the values of a table depend on: needed[i]. Rows that do not matter take the value
// of those beside them, so that the table becomes that of a function of the needed inputs.
void truth_needs(struct truth_table *truth, unsigned char *needed);
// The table as a function of the needed inputs alone; false: out of memory.
bool truth_reduce(const struct truth_table *truth, const unsigned char *needed,
                  struct truth_table *reduced);
// The row of the whole table with 0 for the inputs that are not needed.
uint32_t truth_expand_row(const unsigned char *needed, unsigned inputs, uint32_t row);

#endif
