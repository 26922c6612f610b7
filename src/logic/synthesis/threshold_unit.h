// Threshold functions: those that one unit computes (Honavar notes, "Connection with Logic").
#ifndef TLU_LOGIC_SYNTHESIS_THRESHOLD_UNIT_H
#define TLU_LOGIC_SYNTHESIS_THRESHOLD_UNIT_H

#include "logic/function/truth.h"

// The result for one table. Either weights: w . x >= threshold in exactly the rows whose value
// is 1. Or a contradiction: positive multiples of rows, such that the true and the false rows have
// the same sum and the same total of multiples; a unit would need w . sum to be both larger and
// smaller.
struct threshold_unit {
    bool is_threshold;
    unsigned inputs;
    int64_t *weights; // [inputs]; NULL if it is not a threshold function
    int64_t threshold;
    size_t count;      // rows of the contradiction; 0 if it is a threshold function
    uint32_t *rows;    // [count] ascending
    int64_t *multiple; // [count]
    // After threshold_unit_smallest: a lower bound of the sum of |weights|, attained if
    // `is_smallest`.
    bool is_smallest;
    int64_t least_sum;
};

// Decides the table, and checks the result on every row.
tlu_status threshold_unit_find(const struct truth_table *truth, struct threshold_unit *answer,
                               tlu_error *error);
// As threshold_unit_find, with the least sum of |weights|; ties go to the largest first weight,
// then the largest second one, and so on. If that takes too long, or past `until` (clock_seconds;
// 0: no limit), `is_smallest` is not set, and the weights are the best found.
tlu_status threshold_unit_smallest(const struct truth_table *truth, double until,
                                   struct threshold_unit *answer, tlu_error *error);
void threshold_unit_free(struct threshold_unit *answer);

#endif
