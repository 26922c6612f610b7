// The margin of separable rows of two classes: exact lower and upper bounds.
#ifndef TLU_PROOF_MARGIN_MARGIN_H
#define TLU_PROOF_MARGIN_MARGIN_H

#include "proof/task.h"

struct margin {
    bool known;      // there is an upper bound
    mpq_t low, high; // squares of the bounds; low is that of the weights
    mpz_t *hull;     // [rows] coefficients of the convex combination of the upper bound
    double radius;   // max |x|
    double bound_with_bias;
};

bool margin_init(struct margin *margin, const struct separation_task *task);
void margin_free(struct margin *margin, const struct separation_task *task);
// Bounds the margin by solving the quadratic program in floating point, and replaces the weights if
// that gives a larger margin. False: out of memory.
bool margin_find(struct margin *margin, const struct separation_task *task,
                 struct witness *weights);
// The upper bound only, for rows that may not be separable.
bool margin_above(struct margin *margin, const struct separation_task *task);

// ---- convex combinations ----
//
// Every pair of points in the convex hulls of the two classes gives an upper bound of the margin:
// half their distance (without a bias: the distance of a point in the hull of all y x from the
// origin).

// hull[] := integers of about `bits` bits near alpha[], scaled so that both classes have the same
// sum. False: a sum is 0.
bool hull_set(struct margin *margin, const struct separation_task *task, mpf_t *alpha, int bits);
// p := the difference of the points, or the point, times a common factor. Sets margin->high.
void hull_point(struct margin *margin, const struct separation_task *task, struct witness *p);

// The least and the largest w . x of a class, times a common scale, and their rows.
struct score_range {
    bool any;
    size_t least_row, most_row;
    mpz_t least, most;
};
void ranges_init(struct score_range ranges[2]);
void ranges_set(struct score_range ranges[2], const struct separation_task *task,
                const struct witness *witness);
void ranges_clear(struct score_range ranges[2]);

// The scale that makes all rows integers, and its quotient by a row's own scale.
struct scale scale_common(const struct examples *examples);
struct scale scale_quotient(struct scale common, struct scale own);

// Improves alpha[rows] to the nearest points of the hulls, in high precision. (nearest.c) False:
// out of memory.
bool hull_improve(struct margin *margin, const struct separation_task *task, mpf_t *alpha,
                  int bits);

#endif
