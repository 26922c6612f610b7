// Scaling that adapts while it learns: each feature is divided by its largest absolute value so
// far.
//
// The weights are those of the scaled values. Where a larger value comes, m2 instead of m, what has
// been learned must not change: w x / m = w' x / m2 for every x, so with r = m2 / m
//
//     w' = r w    u' = r u             so that the scores of the last and the average weights stay
//     S' = r^2 S                       variances (arow, scw): so does the variance of the score
//     G' = G / r^2                     sums of squared gradients (adagrad): those of x / m2
//
// A state that was never written stays what it starts with. Ross, Mineiro and Langford (Normalized
// online learning, 2013) rescale the weights of a gradient by other powers of r, for their regret
// bound; here predictions stay as they are.
#ifndef TLU_LEARN_ONLINE_SCALE_H
#define TLU_LEARN_ONLINE_SCALE_H

#include "learn/learner.h"

void online_scale_free(struct online_scale *scale);
// Makes room for the maxima of all features that there are weights for, and for the values of a row
// of `count` entries in scale->room; false where memory is out.
bool online_scale_reserve(struct tlu_learner *learner, size_t count);
// Takes note of a row that is to be learned: larger values than those so far rescale the weights.
// Both need the room for the row's features.
void online_scale_meet(struct tlu_learner *learner, const tlu_row *row);
// Puts the scaled values into room[row->count], and has the row point there. What a learner has
// never met has no weight, and is 0.
void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *room);

// What a model has as the factor of a feature: 1 / m, or 0 where it was never met; and back,
// exactly.
static inline double online_scale_factor(float largest)
{
    return largest > 0 ? 1 / (double)largest : 0;
}

static inline float online_scale_largest(double factor)
{
    return factor > 0 ? (float)(1 / factor) : 0;
}

#endif
