// The linear program of a threshold unit, over the rows that decide.
#ifndef TLU_LOGIC_SYNTHESIS_UNIT_LP_H
#define TLU_LOGIC_SYNTHESIS_UNIT_LP_H

#include "logic/function/truth.h"

// ---- key rows ----
//
// If switching an input on turns a false row true, its weight is positive in every unit for the
// table; if switching it off does, negative. If both happen, there is no unit. Inputs with negative
// weights are negated here (x becomes 1 - x), so that all known signs are positive. Then a true row
// that contains another true row follows from it, and so does a false row contained in another. The
// remaining rows are the key rows.

struct key_rows {
    unsigned inputs;
    // Sets of inputs, by their bit in the number of a row.
    uint32_t flipped; // negated: all rows below are xored with this
    uint32_t idle;    // the function does not depend on them
    uint32_t unsure;  // the sign is unknown, because of don't-care rows
    // [inputs] by bit, unless idle or unsure: a false row that is true with this bit set.
    uint32_t witness[TRUTH_INPUTS_MAX];
    bool clash; // an input needs both signs: clash_rows are two true rows and two false ones
    uint32_t clash_rows[4];
    // The minimal true rows, then the maximal false ones; none if there is a clash.
    uint32_t *rows; // [count]
    size_t trues, count;
};

// False: no memory.
bool key_rows_find(const struct truth_table *truth, struct key_rows *keys);
void key_rows_free(struct key_rows *keys);

// Sums of weights over the bits of a row, from two tables of half the bits each.
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

// ---- the linear program ----
//
// The linear program of a threshold function: the least sum of |weights| for which
//
//     w . x - t >= 0  for the true rows x,    t - w . x >= 1  for the false ones,
//
// in exact fractions; or positive multiples of rows that prove that there are none.

#define VARIABLES_MAX (2 * (TRUTH_INPUTS_MAX + 1))

enum lp_end {
    LP_BEST,    // solved
    LP_NONE,    // there are no such weights
    LP_PAST,    // their sum exceeds the limit
    LP_OVERFLOW // a number does not fit 64 bits
};

// All numbers are multiplied by `scale`; inputs are negated as in the key rows.
struct lp_solution {
    int64_t scale, threshold, sum;     // sum: that of |weights|
    int64_t weights[TRUTH_INPUTS_MAX]; // by bit
};

// Multiples of key rows. The sum of the true rows plus `lacking` is that of the false ones, and the
// total of the true multiples is that of the false ones plus `excess`. Neither is negative, and
// both are 0 if a sign is unknown.
struct ray {
    size_t count;
    size_t key[VARIABLES_MAX + 1]; // into the key rows
    int64_t multiple[VARIABLES_MAX + 1];
    int64_t lacking[TRUTH_INPUTS_MAX];
    int64_t excess;
};

struct lp;
struct basis; // the state of a program, which can be restored

struct lp *lp_new(const struct key_rows *keys); // NULL: no memory
void lp_free(struct lp *program);

// Runs until the program is solved or the sum exceeds `most`.
enum lp_end lp_run(struct lp *program, int64_t most);
void lp_solution(const struct lp *program, struct lp_solution *solution); // after LP_BEST
// After LP_NONE, for a program without bounds.
void lp_ray(const struct lp *program, struct ray *ray);

// Adds the bound sign * weight of the bit >= least. False: out of memory.
bool lp_bound(struct lp *program, unsigned bit, int sign, int64_t least);
struct basis *lp_save(const struct lp *program); // to free by memory_free; NULL: no memory
void lp_restore(struct lp *program, const struct basis *basis); // bounds, too
uint64_t lp_work(const struct lp *program);                     // rows visited so far

#endif
