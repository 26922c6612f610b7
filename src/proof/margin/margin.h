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

bool margin_init(struct margin *margin, const struct separation_task *task);
void margin_free(struct margin *margin, const struct separation_task *task);
// The upper end from the solution of the quadratic program in floating point, and weights in place
// of those given if their margin is larger. False: out of memory.
bool margin_find(struct margin *margin, const struct separation_task *task,
                 struct witness *weights);
// The upper end alone, for rows that may not be separable.
bool margin_above(struct margin *margin, const struct separation_task *task);

// ---- convex combinations ----
//
// Convex combinations of the rows of two classes: the upper end of the margin.
//
// Any of them gives one: no plane is further from both classes than half the distance of the two
// points (without a bias: from all y x than the point is from the origin).

// hull[] := whole numbers of about so many bits near alpha[], times what makes the sums of both
// classes equal. False: the alphas say nothing.
bool hull_set(struct margin *margin, const struct separation_task *task, mpf_t *alpha, int bits);
// p := the difference of the points, or the point, times a common factor; margin->high with it.
void hull_point(struct margin *margin, const struct separation_task *task, struct witness *p);

// The rows of a class with the least w . x and the largest, times a common scale.
struct score_range {
    bool any;
    size_t least_row, most_row;
    mpz_t least, most;
};
void ranges_init(struct score_range ranges[2]);
void ranges_set(struct score_range ranges[2], const struct separation_task *task,
                const struct witness *witness);
void ranges_clear(struct score_range ranges[2]);

// The scale that makes every row one of whole numbers, and what is left to it of a row's own.
struct scale scale_common(const struct examples *examples);
struct scale scale_left(struct scale common, struct scale own);

// Improves the alphas, [rows], with the nearest points of the hulls of few rows in many bits.
// (nearest.c) False: out of memory.
bool hull_improve(struct margin *margin, const struct separation_task *task, mpf_t *alpha,
                  int bits);

#endif
