// Scaling that adapts while it learns: each feature is divided by its unit.
//
// --scale online: the unit is the largest absolute value so far. The weights are those of the
// scaled values. When a larger value comes, m2 instead of m, what has been learned must not
// change: w x / m = w' x / m2 for every x, so with r = m2 / m
//
//     w' = r w    u' = r u             so that the scores of the last and the average weights stay,
//                                      and those of the recent average in the same way
//     S' = r^2 S                       variances (arow, scw): so does the variance of the score
//     G' = G / r^2                     sums of squared gradients (adagrad): those of x / m2
//
// A state that was never written stays what it starts with. Ross, Mineiro and Langford (Normalized
// online learning, 2013) rescale the weights of a gradient by other powers of r, for their regret
// bound; here predictions stay as they are.
//
// --scale recent: the unit is a power of two, the nearest to the root of the mean square q of the
// feature's values, which forgets: the n-th value that is not 0 moves it by
//
//     q := q + (x^2 - q) / min(n, 1024)
//
// If q is not between 2^-1.5 and 2^1.5 times the square of the unit, the unit is chosen again. A
// unit that was too small has made the weights too large, for good if steps are of a fixed size;
// so here the weights become what they would be if the unit had been known from the start. With s =
// (old unit) / (new unit), a step of the perceptron that was y x is now y s x, so
//
//     w' = s w    u' = s u             and the recent average likewise
//     1/S' = 1/S0 + (1/S - 1/S0) s^2   variances from S0 on, whose inverses add up squares of
//     values G' = s^2 G, and w' = w           adagrad: its steps are divided by the root of G
//
// s is a power of two: multiplying by it loses no bit. But for columns of CSV, a feature whose
// values are whole numbers, 1 among them, and of which q is at most 16^2 is taken for a count (of a
// word): its unit is 1.
#ifndef TLU_LEARN_ONLINE_SCALE_H
#define TLU_LEARN_ONLINE_SCALE_H

#include "learn/learner.h"

void online_scale_free(struct online_scale *scale);
// Makes room for the maxima of all features that there are weights for, and for the values of a row
// of `count` entries in scale->room; false if there is not enough memory.
bool online_scale_reserve(struct tlu_learner *learner, size_t count);
// Takes note of a row that is to be learned, values as they came; tells whether a unit changed, and
// the weights with it. With the units of `online` that changes no prediction, and meeting a row
// twice is meeting it once: it may come before the row is predicted. With `recent` it comes when
// nothing else can fail, and if a unit changed the row is to be scaled again. Both need the room
// for the row's features.
bool online_scale_meet(struct tlu_learner *learner, const tlu_row *row);
// Puts the scaled values into room[row->count], and has the row point there. What a learner has
// never met has no weight, and is 0.
void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *room);

// What a value of a feature would be to the weights if it was met now, at most; and what these
// would be multiplied with, if that is more than 1. Changes nothing.
double online_scale_look(const struct tlu_learner *learner, uint32_t feature, double value,
                         double *factor);

#define ONLINE_SCALE_VALUES 1024 // that q is about

enum { UNIT_ONE = 1, UNIT_FRACTION = 2 }; // kinds of values that were met: 1; not a whole number

struct scale_unit {
    float size;    // the unit; 0: never met
    uint16_t met;  // recent: values met, up to ONLINE_SCALE_VALUES
    uint16_t kind; // recent: UNIT_...
    double square; // recent: q
};

// The unit of a feature, or 0.
static inline float online_scale_size(const struct online_scale *scale, size_t feature)
{
    return feature < scale->capacity ? scale->units[feature].size : 0;
}

// What a model has as the factor of a feature: 1 / m, or 0 if it was never met; and back,
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
