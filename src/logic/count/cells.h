// Cells: the threshold functions of N inputs by way of the self-dual ones of k = N + 1.
//
// With inputs of +1 and -1, a function that is the sign of w . x is self-dual: f(-x) = -f(x). An
// input of k that is fixed to +1 makes it a threshold function of N inputs with any threshold, and
// each of these comes from one (Goto and Takahasi 1962). So we may look at weights in k dimensions
// alone. The planes w . x = 0 cut them into cells, one per self-dual threshold function.
//
// Permuting and negating inputs permutes the cells; each class of them has one with
//
//     w_1 >= w_2 >= ... >= w_k >= 0.
//
// In this part of space w . x grows when a +1 in x moves to an earlier place, and when the last -1
// becomes +1. So a cell is given by its true rows that are minimal in this order.
#ifndef TLU_LOGIC_COUNT_CELLS_H
#define TLU_LOGIC_COUNT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_INPUTS_MAX 10 // k
#define CELL_WORDS ((1 << CELL_INPUTS_MAX) / 64)

// A set of rows, one bit each. Row r has +1 where r has a bit, the first input at the highest.
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
// The true rows for weights, none of which is on a plane.
void cells_table(const struct cell_space *cells, const uint32_t *weights, struct row_set *table);
// The rows of a table from which each step down leads out of it.
void cells_minimal(const struct cell_space *cells, const struct row_set *table,
                   struct row_set *minimal);
// Chow's parameters: sum_i over the true rows, [k].
void cells_chow(const struct cell_space *cells, const struct row_set *table, int *chow);
// Whole weights, w_1 >= ... >= w_k >= 0, for which all these rows are true; false: there are none.
bool cells_weights(const struct cell_space *cells, const struct row_set *rows, uint32_t *weights);

// The other side of a row: all signs changed.
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
