// Convex combinations of the rows of two classes: the upper end of the margin.
//
// Any of them gives one: no plane is further from both classes than half the distance of the two
// points (without a bias: from all y x than the point is from the origin).
#ifndef TLU_PROOF_MARGIN_HULL_H
#define TLU_PROOF_MARGIN_HULL_H

#include "proof/margin/margin.h"

// hull[] := whole numbers of about so many bits near alpha[], times what makes the sums of both
// classes equal. False: the alphas say nothing.
bool hull_set(struct margin *margin, const struct task *task, mpf_t *alpha, int bits);
// p := the difference of the points, or the point, times a common factor; margin->high with it.
void hull_point(struct margin *margin, const struct task *task, struct witness *p);

// The rows of a class with the least w . x and the largest, times a common scale.
struct range {
    bool any;
    size_t least_row, most_row;
    mpz_t least, most;
};
void ranges_init(struct range ranges[2]);
void ranges_set(struct range ranges[2], const struct task *task, const struct witness *witness);
void ranges_clear(struct range ranges[2]);

// The scale that makes every row one of whole numbers, and what is left to it of a row's own.
struct scale scale_common(const struct examples *examples);
struct scale scale_left(struct scale common, struct scale own);

// Improves the alphas, [rows], with the nearest points of the hulls of few rows in many bits.
// (nearest.c) False: out of memory.
bool hull_improve(struct margin *margin, const struct task *task, mpf_t *alpha, int bits);

#endif
