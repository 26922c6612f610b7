// Scaling that adapts during training: each feature is divided by its unit.
//
// --scale online: the unit is the largest absolute value so far, and the weights apply to scaled
// values. When the unit grows from m to m2, predictions must not change: w x / m = w' x / m2 for
// every x. So with r = m2 / m
//
//     w' = r w    u' = r u             keeps the scores of the last, average and recent weights
//     S' = r^2 S                       variances (arow, scw): keeps the variance of the score
//     G' = G / r^2                     sums of squared gradients (adagrad): those of x / m2
//
// A state that was never written keeps its initial value. Ross, Mineiro and Langford (Normalized
// online learning, 2013) rescale the weights by other powers of r, for their regret bound; here
// predictions do not change.
//
// --scale recent: the unit is the power of two nearest to sqrt(q), where q is a moving average of
// the squares of the feature's values. The n-th nonzero value x updates it:
//
//     q := q + (x^2 - q) / min(n, 1024)
//
// If q is not between 2^-1.5 and 2^1.5 times the square of the unit, a new unit is chosen. A unit
// that was too small has made the weights too large, and steps of a fixed size would never correct
// that. So the weights become what they would be if the new unit had been used from the start. With
// s = (old unit) / (new unit), a step of the perceptron that was y x would have been y s x, so
//
//     w' = s w    u' = s u             and the recent average likewise
//     1/S' = 1/S0 + (1/S - 1/S0) s^2   variances, which start at S0; 1/S sums squared values
//     G' = s^2 G  and  w' = w          adagrad: its steps are divided by the root of G
//
// s is a power of two, so multiplying by it is exact. Except in CSV, a feature is taken for a count
// (of a word) and has the unit 1 if all its values so far are whole numbers, one of them is 1, and
// q is at most 16^2. Words of a text always have the unit 1.
//
// In streams --tfidf and --min-count use the rows so far: the factor of a word changes with each
// row, and its weights do not. --normalize divides the scaled row by its length.
#ifndef TLU_LEARN_ONLINE_SCALE_H
#define TLU_LEARN_ONLINE_SCALE_H

#include "learn/learner.h"

void online_scale_free(struct online_scale *scale);
// Reserves units for all features that have weights, and scale->scratch for a row of `count`
// entries. False: out of memory.
bool online_scale_reserve(struct tlu_learner *learner, size_t count);
// Updates the units, and the weights with them, for a row of unscaled values that is about to be
// learned from; counts its words. Returns whether the row has to be scaled again. The caller has
// called online_scale_reserve. With --scale online this changes no prediction, and a second call
// for the same row has no effect, so it may come before the row is predicted, unless
// online_scale_is_late: then the caller calls it once, when nothing else can fail.
bool online_scale_update(struct tlu_learner *learner, const tlu_row *row);
// Writes the scaled values into scratch[row->count] and makes row->values point there. The value of
// a feature that never occurred is 0.
void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *scratch);

// An upper bound of the scaled absolute value if this value were learned from now. *factor: by how
// much the weights of the feature would be multiplied, but at least 1. Changes nothing.
double online_scale_preview(const struct tlu_learner *learner, uint32_t feature, double value,
                            double *factor);

#define ONLINE_SCALE_VALUES 1024 // number of values that q averages

// A value was 1; a value was not a whole number; the feature is a word.
enum { UNIT_ONE = 1, UNIT_FRACTION = 2, UNIT_WORD = 4 };

struct scale_unit {
    float size;     // the unit; 0: the feature never occurred
    uint16_t count; // recent: number of values so far, up to ONLINE_SCALE_VALUES
    uint16_t kind;  // recent: UNIT_...
    double square;  // recent: q
};

static const struct scale_unit word_unit = {1, 1, UNIT_WORD, 1};

// Whether words or whole rows are scaled.
static inline bool online_scale_of_words(const struct online_scale *scale)
{
    return scale_rule_counts(&scale->words) || scale->words.normalize;
}

static inline bool online_scale_is_late(const struct online_scale *scale)
{
    return scale->recent || scale_rule_counts(&scale->words);
}

// The unit of a feature; 0: the feature never occurred.
static inline float online_scale_size(const struct online_scale *scale, size_t feature)
{
    return feature < scale->capacity ? scale->units[feature].size : 0;
}

// Converts the unit m of a feature to its factor in a model, 1 / m, or 0 if it never occurred; and
// back, exactly.
static inline double online_scale_factor(float largest)
{
    return largest > 0 ? 1 / (double)largest : 0;
}

static inline float online_scale_largest(double factor)
{
    return factor > 0 ? (float)(1 / factor) : 0;
}

#endif
