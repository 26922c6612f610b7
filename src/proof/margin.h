// The margin of separable rows of two classes: exact lower and upper bounds.
#ifndef TLU_PROOF_MARGIN_H
#define TLU_PROOF_MARGIN_H

#include "proof/task.h"

struct margin {
    bool known;      // there is an upper bound
    mpq_t low, high; // squares of the bounds; low is that of the weights
    mpz_t *hull;     // [rows] coefficients of the convex combination of the upper bound
    double radius;   // max |x|
    double bound_with_bias;
};

void margin_init(struct margin *margin, const struct separation_task *task);
// Bounds the margin by solving the quadratic program in floating point, and replaces the weights if
// that gives a larger margin. NULL: the upper bound only, for rows that may not be separable.
void margin_find(struct margin *margin, const struct separation_task *task,
                 struct witness *weights);

#endif
