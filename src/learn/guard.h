// Rows that would push a number past what it can hold are refused before they change anything.
//
// A row may be learned from if it is certain that every number that this changes stays finite,
// and that one can go on from there:
//
//     max(1, c) (1 + sum_i |w_i x_i| + |bias|) <= M     for every weight vector
//     |w_i| <= M, |u_i| <= GUARD_SUM, s_i <= GUARD_STATE  for its features, and the bias
//
// where c is the example's weight, u the sum for the average and s a sum of squared gradients. M is
// 1e200; 1e100 for learners that keep |w|^2 and for those with a state for each weight. With
// --scale online these are the numbers after the row's values have rescaled them. All of it depends
// on the row and on what a model keeps, so it is the same wherever a stream is cut. Values are
// floats, 1.4e-45 to 3.4e38, so that |x|^2 is 2e-90 at least: no step comes near 1e308 then.
//
// Looking at every weight of a row would double the work. So the learner keeps a bound that costs
// one addition per update: |w_i| <= reach * (the largest value there is). As long as it is small
// enough, as it is on any data that means something, nothing has to be looked at.
#ifndef TLU_LEARN_GUARD_H
#define TLU_LEARN_GUARD_H

#include "learn/learner.h"

#include <float.h>

#define GUARD_SUM 1e230
#define GUARD_STATE 1e250
#define GUARD_DUAL 1e250 // of scores, kernel values of a row with itself, and their quotients

static inline double guard_most(const struct tlu_learner *learner)
{
    return learner->space.weights.state || learner->rule.kind->traits & LEARNER_SCALE ? 1e100
                                                                                      : 1e200;
}

// Whether a row of `count` entries certainly passes. `weight` is that of the row, without that
// of its class. The bound on the scores is reach times the largest value of a weight (FLT_MAX, with
// --scale online divided by the least) times that of the row (FLT_MAX, or 1), for each entry.
static inline bool guard_is_sure(const struct tlu_learner *learner, size_t count, double weight)
{
    const struct guard *guard = &learner->guard;
    double score = guard->reach * guard->scope * (double)(int64_t)(count + 1);
    return (1 + weight * learner->scheme.heaviest) * (1 + score) < guard->most &&
           guard->states < GUARD_STATE / 10;
}

// The numbers above, whenever one of them may have changed.
void guard_set(struct tlu_learner *learner);

// Why a row is refused, and its feature; a sentence of it is made by guard_say.
struct refusal {
    uint32_t feature; // whose weight is to blame; SCHEMA_NONE: the bias's
    bool weight;      // it is too large; else the score is
};

// The exact look, for rows that are not sure. The row has the numbers of the learner and values as
// they are in the data; features without weights may be left out of it. False: it is refused.
bool guard_look(struct tlu_learner *learner, const tlu_row *row, double weight,
                struct refusal *refusal);
// The same for a row of the dual form, whose scores are in learner->space.scores.
bool guard_look_dual(const struct tlu_learner *learner, uint64_t id, double weight);
void guard_say(const struct tlu_learner *learner, const struct refusal *refusal, char *text,
               size_t size);
// The bound, from weights that were brought in.
void guard_measure(struct tlu_learner *learner, const struct weights *weights);

// Whether all of these are numbers.
bool guard_finite(const double *scores, size_t count);

// The message about a row whose scores are not numbers.
#define GUARD_NO_SCORE                                                                             \
    "the score of this row overflows: its values are too large for these "                         \
    "weights"

#endif
