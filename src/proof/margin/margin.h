// The margin of separable rows of two classes, as an interval with exact ends.
#ifndef TLU_PROOF_MARGIN_MARGIN_H
#define TLU_PROOF_MARGIN_MARGIN_H

#include "proof/task.h"

struct margin {
    bool known;      // an upper end was found
    mpq_t low, high; // squares of the ends; low: of the weights
    mpz_t *hull;     // [rows] coefficients of the convex combination that gives the upper end
    double radius;   // max |x|
    double bound_with_bias;
};

bool margin_init(struct margin *margin, const struct task *task);
void margin_free(struct margin *margin, const struct task *task);
// The upper end from the solution of the quadratic program in floating point, and weights in place
// of those given if their margin is larger. False: out of memory.
bool margin_find(struct margin *margin, const struct task *task, struct witness *weights);
// The upper end alone, for rows that may not be separable.
bool margin_above(struct margin *margin, const struct task *task);

#endif
