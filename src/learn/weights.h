// The weight vectors of a run: the current one, w, and what is needed for the average of all.
//
// Let w_t be the weights after example t (of T so far). The average (1/T) sum_t w_t is not summed
// up step by step but by update: an update d at example t is part of w_t, w_t+1, ..., w_T, that is
// of T - (t - 1) of them. With u the sum of (t - 1) d over all updates,
//
//     average = w - u / T
//
// so that averaging costs something only at mistakes.
#ifndef TLU_LEARN_WEIGHTS_H
#define TLU_LEARN_WEIGHTS_H

#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

struct weights {
    uint32_t columns; // 1 for two classes, else one a class
    size_t features;
    double *w;       // [features][columns]: feature by feature, classes side by side
    double *bias;    // [columns]
    double *u;       // [features][columns]; NULL unless the average is wanted
    double *u_bias;  // [columns]; NULL likewise
    double steps;    // T
    size_t capacity; // features that there is room for
    const struct vector_kernels *kernels;
};

bool weights_init(struct weights *weights, uint32_t columns, bool average);
void weights_free(struct weights *weights);
bool weights_copy(struct weights *to, const struct weights *from);
bool weights_reserve(struct weights *weights, size_t features); // new ones are 0
// More classes, with weights 0. One column becomes two opposite ones first: the score of the class
// `plus` is w . x, that of the other is -w . x.
bool weights_widen(struct weights *weights, uint32_t columns, uint32_t plus);
void weights_negate(struct weights *weights);

// scores[columns] = w . x + bias
void weights_scores(const struct weights *weights, const tlu_row *x, double *scores);
// w[column] += amount x, and u with it
void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias);
// The same with the average, where there is one.
void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *scratch);
// One weight of the average (or of w where there is no u).
double weights_decided(const struct weights *weights, size_t feature, uint32_t column);
double weights_decided_bias(const struct weights *weights, uint32_t column);

#endif
