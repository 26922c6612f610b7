// Cells: threshold functions of N inputs as self-dual threshold functions of k = N + 1 inputs.
//
// With inputs +1 and -1, the sign of w . x is self-dual: f(-x) = -f(x). Fixing one of k inputs to
// +1 gives a threshold function of N inputs with any threshold, and each such function arises in
// this way (Goto and Takahasi 1962). The planes w . x = 0 divide the space of weights into cells,
// one per self-dual threshold function.
//
// Permuting and negating inputs permutes the cells; each class of cells has one with
//
//     w_1 >= w_2 >= ... >= w_k >= 0.
//
// There, w . x grows if a +1 in x moves to an earlier input, and if the last -1 becomes +1. So a
// cell is determined by its true rows that are minimal in this order.
#ifndef TLU_LOGIC_COUNT_CELLS_H
#define TLU_LOGIC_COUNT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_INPUTS_MAX 10 // k
#define CELL_WORDS ((1 << CELL_INPUTS_MAX) / 64)

// A set of rows, one bit each. Bits of a row number that are 1 stand for +1; the first input is the
// highest bit.
struct row_set {
    uint64_t word[CELL_WORDS];
};

struct cell_space {
    unsigned k;
    size_t words;
    struct row_set plus[CELL_INPUTS_MAX];     // [k] the rows in which input i is +1
    struct row_set may_rise[CELL_INPUTS_MAX]; // [k] the rows that step j leads up from
};

void cells_init(struct cell_space *cells, unsigned k);
// The true rows for weights; w . x must not be 0 for any row.
void cells_table(const struct cell_space *cells, const uint32_t *weights, struct row_set *table);
// The minimal rows of a table: every step down leaves it.
void cells_minimal(const struct cell_space *cells, const struct row_set *table,
                   struct row_set *minimal);
// Chow parameters: chow[k] := the sum of the true rows.
void cells_chow(const struct cell_space *cells, const struct row_set *table, int *chow);
// Finds integer weights, w_1 >= ... >= w_k >= 0, for which all these rows are true; false: there
// are none.
bool cells_weights(const struct cell_space *cells, const struct row_set *rows, uint32_t *weights);

// The row with all signs changed.
static inline uint32_t cells_opposite(const struct cell_space *cells, uint32_t row)
{
    return row ^ (((uint32_t)1 << cells->k) - 1);
}

static inline bool row_set_has(const struct row_set *set, uint32_t row)
{
    return set->word[row / 64] >> row % 64 & 1;
}

static inline void row_set_flip(struct row_set *set, uint32_t row)
{
    set->word[row / 64] ^= (uint64_t)1 << row % 64;
}

#endif
