// What a table says about the weights of a unit before any is looked for: their signs, and the few
// rows on which all depends.
//
// If a false row becomes true by switching one input on, and on alone, that input's weight is
// positive in every unit for the table; if by switching it off, negative. If both happens, there is
// no unit. Inputs with negative weights are turned around here (x becomes 1 - x), so that all signs
// that are known are positive. Then a true row that has all that another true row has, and more, is
// settled by the other, and so is a false row with less than another.
#ifndef TLU_LOGIC_THRESHOLD_ROWS_H
#define TLU_LOGIC_THRESHOLD_ROWS_H

#include "logic/truth.h"

struct key_rows {
    unsigned inputs;
    // Inputs by their bit in the number of a row.
    uint32_t flipped; // turned around: all rows below are xored with it
    uint32_t idle;    // the function does not depend on them
    uint32_t unsure;  // no row tells the sign, because of rows whose value does not matter
    // [inputs] by bit, unless idle or unsure: a false row that is true with this bit too.
    uint32_t witness[TRUTH_INPUTS_MAX];
    bool clash; // an input needs both signs: clash_rows are two true rows and two false ones
    uint32_t clash_rows[4];
    // The minimal true rows, then the maximal false ones; none if there is a clash.
    uint32_t *rows; // [count]
    size_t trues, count;
};

// False: no memory.
bool key_rows_find(const struct truth *truth, struct key_rows *keys);
void key_rows_free(struct key_rows *keys);

// Sums of weights over the bits of a row, by two tables of half the bits each.
#define HALF_BITS (TRUTH_INPUTS_MAX / 2)
struct row_sums {
    int64_t low[1 << HALF_BITS], high[1 << HALF_BITS];
};

// `by_bit` is [inputs]: the weight of bit 0 of a row first.
void row_sums_fill(struct row_sums *sums, unsigned inputs, const int64_t *by_bit);

static inline int64_t row_sum(const struct row_sums *sums, uint32_t row)
{
    return sums->low[row & ((1u << HALF_BITS) - 1)] + sums->high[row >> HALF_BITS];
}

#endif
