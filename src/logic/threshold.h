// Threshold functions: those that a single unit computes (Honavar notes, "Connection with Logic").
#ifndef TLU_LOGIC_THRESHOLD_H
#define TLU_LOGIC_THRESHOLD_H

#include "logic/truth.h"

// The answer for one table. Either weights: w . x >= threshold holds in the rows whose value is 1
// and in no row whose value is 0. Or a contradiction: rows with positive whole numbers, such that
// the true rows and the false ones, each times its number, have the same sum and the numbers of
// either kind the same total; a unit would need w . sum to be both larger and smaller.
struct threshold {
    bool is_threshold;
    unsigned inputs;
    int64_t *weights; // [inputs]; NULL if it is no threshold function
    int64_t threshold;
    size_t count;      // rows of the contradiction; 0 if it is a threshold function
    uint32_t *rows;    // [count] ascending
    int64_t *multiple; // [count]
};

// Decides, with small whole numbers; checked on every row before it is handed out.
tlu_status threshold_find(const struct truth *truth, struct threshold *answer, tlu_error *error);
// Makes the weights of a threshold function the smallest: the least sum of |weights|, and among
// these the first in the order that smallest.c states.
tlu_status threshold_smallest(const struct truth *truth, struct threshold *answer,
                              tlu_error *error);
// Sets the weights to these, [inputs], with the least threshold that goes with them, after a check
// on every row.
tlu_status threshold_set(const struct truth *truth, const int64_t *weights,
                         struct threshold *answer, tlu_error *error);
void threshold_free(struct threshold *answer);

#endif
