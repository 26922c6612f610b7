// Update steps of learners that keep a state for each weight: a variance, or a sum of squared
// gradients. They are inline, so that the learner's rule for one weight becomes part of the loop.
#ifndef TLU_LEARNERS_STATE_H
#define TLU_LEARNERS_STATE_H

#include "data/batch.h"
#include "learn/decision.h"
#include "learn/learner.h"

#include <math.h>

// The rule of a learner for one weight: updates the state and returns what is added to the weight
// if y is +1. The learner defines the meaning of a and b.
typedef double state_rule(double *state, double x, double a, double b);

// --decide vote, random: records what the rule will add.
void state_record(struct tlu_learner *learner, const struct binary_example *example,
                  state_rule *rule, double a, double b);

static inline void state_step_column(struct weights *weights, const tlu_row *x, uint32_t column,
                                     double sign, bool with_bias, state_rule *rule, double a,
                                     double b)
{
    double scale = weights->scale ? weights->scale[column] : 1;
    double before = weights_sum_of_scales(weights, column);
    double *r = weights->recent.r;
    double r_before = weights->recent.growth * weights_recent_sum(weights, column);
    for (size_t i = 0; i < x->count; i++) {
        size_t at = (size_t)row_feature(x, i) * weights->columns + column;
        double value = row_value(x, i);
        double state = weights_state(weights, at);
        double change = sign * rule(&state, value, a, b) / scale;
        weights_set_state(weights, at, state);
        weights->w[at] += change;
        if (weights->u)
            weights->u[at] += before * change;
        if (r)
            r[at] += r_before * change;
    }
    if (with_bias)
        weights_add_bias(weights, column, sign * rule(&weights->state_bias[column], 1, a, b));
}

// What a step does before it changes weights.
static inline void state_begin(struct tlu_learner *learner, const struct binary_example *example,
                               state_rule *rule, double a, double b)
{
    // Updates the guard's bounds. With variances, which start above 0, a step is a s x. With sums
    // of squared gradients, a step is at most b, and adds (a x)^2 to s.
    bool variances = learner->state.weights.state_start > 0;
    learner->guard.reach += variances ? fabs(a) * learner->guard.states : fabs(b);
    learner->guard.states += variances ? 0 : a * a * example->norm;
    decision_before(learner, example);
    if (learner->state.decision.history)
        state_record(learner, example, rule, a, b);
}

// w_i := w_i + y rule(state_i, x_i), for all weights of the example's parts
static inline void state_step(struct tlu_learner *learner, const struct binary_example *example,
                              state_rule *rule, double a, double b)
{
    state_begin(learner, example, rule, a, b);
    for (size_t p = 0; p < example->parts; p++)
        state_step_column(&learner->state.weights, example->x, example->part[p].column,
                          example->part[p].sign, learner->rule.bias, rule, a, b);
}

// Learners with a normal distribution of weight vectors. A step changes its covariance S to
//
//     S' = S - beta S x x^T S,  or equivalently  S'^-1 = S^-1 + share x x^T
//
// with share = beta / (1 - beta v) and v = x . S x. These learners keep a diagonal matrix: the
// diagonal of S', or with --diagonal precision the inverse of the diagonal of S'^-1. In one
// dimension both are the same.
static inline double state_keep_covariance(double *s, double x, double alpha, double beta)
{
    double gain = *s * x;
    *s -= beta * gain * gain;
    return alpha * gain;
}

static inline double state_keep_precision(double *s, double x, double alpha, double share)
{
    double gain = *s * x;
    *s /= 1 + share * gain * x;
    return alpha * gain;
}

// w := w + alpha S y x; S changes as above.
static inline void state_step_covariance(struct tlu_learner *learner,
                                         const struct binary_example *example, double alpha,
                                         double beta, double share)
{
    if (learner->rule.precision)
        state_step(learner, example, state_keep_precision, alpha, share);
    else
        state_step(learner, example, state_keep_covariance, alpha, beta);
}

// x . S x, with S the diagonal matrix of the states
static inline double state_variance(const struct tlu_learner *learner,
                                    const struct binary_example *example)
{
    const struct weights *weights = &learner->state.weights;
    const tlu_row *x = example->x;
    double sum = 0;
    for (size_t p = 0; p < example->parts; p++) {
        uint32_t column = example->part[p].column;
        for (size_t i = 0; i < x->count; i++) {
            double value = row_value(x, i);
            size_t at = (size_t)row_feature(x, i) * weights->columns + column;
            sum += weights_state(weights, at) * value * value;
        }
        sum += learner->rule.bias ? weights->state_bias[column] : 0;
    }
    return sum;
}

#endif
