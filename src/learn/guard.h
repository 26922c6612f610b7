// Rejects rows that would make a number overflow, before they change anything.
//
// A row is accepted if it is certain that every number that it changes stays finite, in this and in
// later steps:
//
//     max(1, c) (1 + sum_i |w_i x_i| + |bias|) <= M     for every weight vector
//     |w_i| <= M, |u_i| <= GUARD_SUM, s_i <= GUARD_STATE  for its features, and the bias
//
// where c is the example's weight, u the sum for the average and s a sum of squared gradients. M is
// 1e200, or 1e100 for learners that keep |w|^2 or a state for each weight. With --scale online, w,
// u and s are the numbers after the row's values have rescaled them. The test depends only on the
// row and on what a model stores, so saving and continuing a stream does not change the result.
// Values are floats between 1.4e-45 and 3.4e38, so |x|^2 is at least 2e-90 and no step comes near
// 1e308.
//
// Testing every weight of a row would double the work. So the learner keeps a bound that costs one
// addition per update: |w_i| <= reach * (the largest possible value). While this bound is small
// enough, as it is on all reasonable data, no row needs the exact test.
#ifndef TLU_LEARN_GUARD_H
#define TLU_LEARN_GUARD_H

#include "learn/learner.h"

#include <float.h>

#define GUARD_SUM 1e230
#define GUARD_STATE 1e250
#define GUARD_DUAL 1e250 // limit of scores, of K(x, x), and of their quotients

// M
static inline double guard_most(const struct tlu_learner *learner)
{
    return learner->state.weights.state || learner->rule.kind->traits & LEARNER_SCALE ? 1e100
                                                                                      : 1e200;
}

// Whether the bound alone shows that a row of `count` entries is accepted. `weight` is the weight
// of the row without that of its class. Each entry adds at most reach * scope to a score: see
// guard_set.
static inline bool guard_is_sure(const struct tlu_learner *learner, size_t count, double weight)
{
    const struct guard *guard = &learner->guard;
    double score = guard->reach * guard->scope * (double)(int64_t)(count + 1);
    return (1 + weight * learner->state.scheme.heaviest) * (1 + score) < guard->most &&
           guard->states < GUARD_STATE / 10;
}

// Sets guard.most, and guard.scope: the largest |w| that reach allows for, divided by reach, times
// the largest possible value of a row. Called whenever the scaling or guard.least changes.
void guard_set(struct tlu_learner *learner);

// Why a row is rejected; guard_message writes it as a sentence.
struct refusal {
    uint32_t feature; // whose weight is the cause; SCHEMA_NONE: the bias
    bool weight;      // the weight would overflow; else the score
};

// The exact test, for rows that the bound does not cover. The row has the learner's feature numbers
// and unscaled values; features without weights may be missing from it. False: the row is rejected.
bool guard_accepts(struct tlu_learner *learner, const tlu_row *row, double weight,
                   struct refusal *refusal);
// The exact test in the dual form. The scores of the row are in learner->space.scores.
bool guard_accepts_dual(const struct tlu_learner *learner, uint64_t id, double weight);
void guard_message(const struct tlu_learner *learner, const struct refusal *refusal, char *text,
                   size_t size);
// Computes the bound from weights, such as those of a loaded model.
void guard_measure(struct tlu_learner *learner, const struct weights *weights);

// Whether all scores are finite.
bool guard_finite(const double *scores, size_t count);

// The message about a row whose scores are not finite.
#define GUARD_NO_SCORE                                                                             \
    "the score of this row overflows: its values are too large for these "                         \
    "weights"

#endif
