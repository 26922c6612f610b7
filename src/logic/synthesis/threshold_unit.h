// Threshold functions: those that a single unit computes (Honavar notes, "Connection with Logic").
#ifndef TLU_LOGIC_SYNTHESIS_THRESHOLD_UNIT_H
#define TLU_LOGIC_SYNTHESIS_THRESHOLD_UNIT_H

#include "logic/function/truth.h"

// The answer for one table. Either weights: w . x >= threshold holds in the rows whose value is 1
// and in no row whose value is 0. Or a contradiction: rows with positive whole numbers, such that
// the true rows and the false ones, each times its number, have the same sum and the numbers of
// either kind the same total; a unit would need w . sum to be both larger and smaller.
struct threshold_unit {
    bool is_threshold;
    unsigned inputs;
    int64_t *weights; // [inputs]; NULL if it is no threshold function
    int64_t threshold;
    size_t count;      // rows of the contradiction; 0 if it is a threshold function
    uint32_t *rows;    // [count] ascending
    int64_t *multiple; // [count]
    // After threshold_unit_smallest: no weights have a smaller sum of absolute values than
    // least_sum, which is theirs if `is_smallest`.
    bool is_smallest;
    int64_t least_sum;
};

// Decides, with small whole numbers; checked on every row before it is handed out.
tlu_status threshold_unit_find(const struct truth_table *truth, struct threshold_unit *answer,
                               tlu_error *error);
// As threshold_unit_find, with the smallest weights of a threshold function: the least sum of
// |weights|, in which the threshold does not count, and among these the largest first weight, then
// the largest second one, and so on, by their signs. If that takes too long, or past `until`
// (clock_seconds; 0: never), `is_smallest` is not set, and the weights are the best that were
// found.
tlu_status threshold_unit_smallest(const struct truth_table *truth, double until,
                                   struct threshold_unit *answer, tlu_error *error);
// Sets the weights to these, [inputs], with the least threshold that goes with them, after a check
// on every row.
tlu_status threshold_unit_set(const struct truth_table *truth, const int64_t *weights,
                              struct threshold_unit *answer, tlu_error *error);
void threshold_unit_free(struct threshold_unit *answer);

#endif
