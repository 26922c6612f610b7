// A Boolean function as a truth table.
//
// The first input is the highest bit of a row's number, so the first row is 0...0 and the last row
// is 1...1.
#ifndef TLU_LOGIC_FUNCTION_TRUTH_H
#define TLU_LOGIC_FUNCTION_TRUTH_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdbool.h>

#define TRUTH_INPUTS_MAX 20 // a million rows

struct truth_table {
    unsigned inputs;
    uint64_t *ones; // [truth_words] one bit per row: the value; 0 in don't-care rows
    uint64_t *open; // [truth_words] one bit per row: 1 in don't-care rows; NULL: there are none
};

// A function with named inputs and outputs, and one table per output.
struct tlu_function {
    unsigned inputs;
    char **input_names; // [inputs]
    size_t outputs;
    char **output_names;        // [outputs]
    struct truth_table *tables; // [outputs]
};

// truth_low_rows[b]: the bits of a word that stand for rows whose number has bit b clear.
extern const uint64_t truth_low_rows[6];

// Makes a table with all values 0, with don't-care bits if `with_open`. False: out of memory.
bool truth_init(struct truth_table *truth, unsigned inputs, bool with_open);
void truth_free(struct truth_table *truth);

static inline size_t truth_rows(const struct truth_table *truth)
{
    return (size_t)1 << truth->inputs;
}

static inline size_t truth_words(const struct truth_table *truth)
{
    return (truth_rows(truth) + 63) / 64;
}

// The bits of a word that stand for rows: all 64, unless the table has fewer rows.
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

// The value of input i, counted from 0, in a row.
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

// Word w of the rows of a set that lack the bit, with the bit set; and vice versa.
static inline uint64_t truth_switched_on(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return (set[w] & truth_low_rows[bit]) << (1u << bit);
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? set[w ^ step] : 0;
}

static inline uint64_t truth_switched_off(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return set[w] >> (1u << bit) & truth_low_rows[bit];
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? 0 : set[w ^ step];
}

// Word w of the rows of a set with the bit flipped.
static inline uint64_t truth_flipped(const uint64_t *set, unsigned bit, size_t w)
{
    return truth_switched_on(set, bit, w) | truth_switched_off(set, bit, w);
}

// Sets needed[i] to whether the values depend on input i. Flipping an input that is not needed must
// not change the value, so a don't-care row gets the value of the row with that input flipped. The
// table then is a function of the needed inputs.
void truth_needs(struct truth_table *truth, unsigned char *needed);
// Makes `reduced` the same function of the needed inputs only. False: out of memory.
bool truth_reduce(const struct truth_table *truth, const unsigned char *needed,
                  struct truth_table *reduced);
// Converts a row number of the reduced table to one of the full table, in which the inputs that are
// not needed are 0.
uint32_t truth_expand_row(const unsigned char *needed, unsigned inputs, uint32_t row);

#endif
