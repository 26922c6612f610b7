// Online gradient descent (Zinkevich 2003): each example takes a step down the gradient of its
// loss.
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         m = y_t (w . x_t)
//         set w := (1 - eta lambda) w + eta g y_t x_t     with  g = -dloss / dm
//
//     hinge     loss = max(0, 1 - m)         g = 1 if m < 1, else 0
//     logistic  loss = log(1 + exp(-m))      g = 1 / (1 + exp(m))
//     squared   loss = (1 - m)^2 / 2         g = 1 - m      (ADALINE)
//
// As in the rule of Widrow and Hoff (1960), the rate is normalised by the example, eta = rate /
// |x|^2, so that a rate means the same on data of any scale. A squared-loss step then removes the
// fraction `rate` of the error, so it cannot diverge if the rate is below 2.
//
// --schedule: eta is constant, or decreases as 1/sqrt(t), or each weight has its own rate, as in
// AdaGrad (Duchi, Hazan and Singer 2011): w_i := w_i + rate / |x| * g y x_i / sqrt(s_i), where s_i
// is the sum of (g x_i)^2 up to and including this step. lambda is --l2, which does not shrink the
// bias; with AdaGrad, its eta decreases as 1/sqrt(t).
//
// An example of weight c uses c g instead of g.
//
// The default rates are those that did best on texts and (table_rate) on tables of numbers:
// docs/accuracy.md.

#include "learners/state.h"

#include <math.h>

static double adagrad_rule(double *s, double x, double g, double rate)
{
    double slope = g * x;
    *s += slope * slope;
    return *s > 0 ? rate * slope / sqrt(*s) : 0;
}

static bool gradient_step(struct tlu_learner *learner, const struct binary_example *example,
                          double g)
{
    double norm = example->norm;
    g *= example->weight;
    if (norm == 0 || (g == 0 && learner->rule.l2 == 0))
        return false;
    double rate = learner_rate(learner), eta = rate / norm;
    if (learner->rule.schedule != SCHEDULE_CONSTANT)
        eta /= sqrt((double)learner->state.examples + 1);
    if (learner->rule.l2 > 0)
        learner_shrink(learner, example, fmax(0, 1 - eta * learner->rule.l2), false);
    if (g == 0)
        return true;
    if (learner->rule.schedule == SCHEDULE_ADAGRAD)
        state_step(learner, example, adagrad_rule, g, rate / sqrt(norm));
    else
        learner_add(learner, example, eta * g);
    return true;
}

static bool hinge_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return gradient_step(learner, example, example->margin < 1);
}

static bool logistic_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return gradient_step(learner, example, 1 / (1 + exp(example->margin)));
}

static bool squared_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return gradient_step(learner, example, 1 - example->margin);
}

LEARNER(hinge) = {
    .info = {.name = learner_names.hinge,
             .complexity = 4,
             .summary = "the loss of support vector machines, by online gradient",
             .reference = "Zinkevich 2003; Duchi et al. 2011",
             .options = "rate schedule l2",
             .defaults = "rate=0.3 schedule=adagrad scale=auto multiclass=auto",
             .decisions = "average last adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_PASSIVE,
    .passive_margin = 1,
    .table_rate = 3,
};
LEARNER_FUNCTIONS(hinge) = {.update = hinge_update};

LEARNER(logistic) = {
    .info = {.name = learner_names.logistic,
             .complexity = 4,
             .summary = "logistic regression, by online gradient",
             .reference = "Zinkevich 2003; Duchi et al. 2011",
             .options = "rate schedule l2 solver",
             .defaults = "rate=0.5 schedule=adagrad scale=auto multiclass=auto",
             .decisions = "average last adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_LOGITS,
    .table_rate = 4,
};
LEARNER_FUNCTIONS(logistic) = {.update = logistic_update};

LEARNER(squared) = {
    .info = {.name = learner_names.squared,
             .complexity = 4,
             .summary = "least squares, by online gradient: Widrow and Hoff's ADALINE",
             .reference = "Widrow and Hoff 1960; Duchi et al. 2011",
             .options = "rate schedule l2",
             .defaults = "rate=0.1 schedule=adagrad scale=auto multiclass=auto",
             .decisions = "average last adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM,
};
LEARNER_FUNCTIONS(squared) = {.update = squared_update};
