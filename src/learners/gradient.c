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
// Several classes and winner takes all: logistic takes a step down the gradient of
// multinomial logistic regression's loss, -log p_k, in which all classes take part:
//
//     p = softmax(w_1 . x_t, w_2 . x_t, ...)
//     set w_c := (1 - eta lambda) w_c + eta g_c x_t     with  g_c = (c is the class) - p_c
//
// The others see the class and its best rival. Both take the |x|^2 below to be that of a class and
// a rival, twice as large, so that two classes learn the same in both ways.
//
// As in the rule of Widrow and Hoff (1960), the rate is normalised by the example, eta = rate /
// |x|^2, so that a rate means the same on data of any scale. A squared-loss step then removes the
// fraction `rate` of the error, so it cannot diverge if the rate is below 2.
//
// --schedule: eta is constant, or decreases as 1/sqrt(t), or each weight has its own rate, as in
// AdaGrad (Duchi, Hazan and Singer 2011): w_i := w_i + rate / |x| * g y x_i / sqrt(s_i), where s_i
// is the sum of (g x_i)^2 up to and including this step; with softmax, of half the sum of (g_c
// x_i)^2. lambda is --l2, which does not shrink the bias; with AdaGrad, its eta decreases as
// 1/sqrt(t).
//
// An example of weight c uses c g instead of g.
//
// The default rates are those that did best on texts and (table_rate) on tables of numbers:
// docs/accuracy.md.

#include "calibration/softmax.h"
#include "learners/state.h"

#include <math.h>

static double adagrad_rule(double *s, double x, double g, double rate)
{
    double slope = g * x;
    *s += slope * slope;
    return *s > 0 ? rate * slope / sqrt(*s) : 0;
}

// As state_step with adagrad_rule, whose square roots and quotients it computes several at a time.
static void adagrad_step(struct tlu_learner *learner, const struct binary_example *example,
                         double g, double rate)
{
    struct weights *weights = &learner->state.weights;
    if (weights->scale || weights->recent.r) {
        state_step(learner, example, adagrad_rule, g, rate);
        return;
    }
    state_begin(learner, example, adagrad_rule, g, rate);
    for (size_t p = 0; p < example->parts; p++) {
        const uint32_t column = example->part[p].column;
        const double signed_g = example->part[p].sign * g;
        const struct vector_adagrad step = {.w = weights->w,
                                            .u = weights->u,
                                            .state = weights->state,
                                            .columns = weights->columns,
                                            .gradients = &signed_g,
                                            .rate = rate,
                                            .steps = weights->steps};
        weights->routines->adagrad_column(&step, column, example->x->features, example->x->values,
                                          example->x->count);
        if (learner->rule.bias)
            weights_add_bias(weights, column,
                             adagrad_rule(&weights->state_bias[column], 1, signed_g, rate));
    }
}

// The rate of this step over |x|^2; what l2 shrinks is shrunk.
static double begin_step(struct tlu_learner *learner, const struct binary_example *example,
                         double rate)
{
    double eta = rate / example->norm;
    if (learner->rule.schedule != SCHEDULE_CONSTANT)
        eta /= sqrt((double)learner->state.examples + 1);
    if (learner->rule.l2 > 0)
        learner_shrink(learner, example, fmax(0, 1 - eta * learner->rule.l2), false);
    return eta;
}

static bool gradient_step(struct tlu_learner *learner, const struct binary_example *example,
                          double g)
{
    double norm = example->norm;
    g *= example->weight;
    if (norm == 0 || (g == 0 && learner->rule.l2 == 0))
        return false;
    double rate = learner_rate(learner), eta = begin_step(learner, example, rate);
    if (g == 0)
        return true;
    if (learner->rule.schedule == SCHEDULE_ADAGRAD)
        adagrad_step(learner, example, g, rate / sqrt(norm));
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

// g[classes]: what the loss falls by per score, times the weight of the example. That of the class
// is the sum of the others, as 1 - p would lose digits near 0.
static void softmax_gradient(const struct tlu_learner *learner, uint32_t class_index, double weight,
                             double *g)
{
    uint32_t classes = learner->state.scheme.classes;
    double others = 0;
    softmax(learner->space.scores, classes, 1, g);
    for (uint32_t c = 0; c < classes; c++) {
        others += c == class_index ? 0 : g[c];
        g[c] *= -weight;
    }
    g[class_index] = weight * others;
}

// One class of AdaGrad, with scales and the recent average (weights.h).
static void softmax_column(struct weights *weights, const tlu_row *x, uint32_t column,
                           const struct vector_adagrad *step)
{
    double scale = weights->scale ? weights->scale[column] : 1;
    double before = weights_sum_of_scales(weights, column);
    double r_before = weights->recent.growth * weights_recent_sum(weights, column);
    for (size_t i = 0; i < x->count; i++) {
        size_t at = (size_t)row_feature(x, i) * weights->columns + column;
        double value = row_value(x, i), *s = &weights->state[at];
        *s += step->square * (value * value);
        double change = *s > 0 ? step->rate * (step->gradients[column] * value) / sqrt(*s) : 0;
        change /= scale;
        weights->w[at] += change;
        if (weights->u)
            weights->u[at] += before * change;
        if (weights->recent.r)
            weights->recent.r[at] += r_before * change;
    }
}

// AdaGrad for all classes. They share the sums of squares: s_i grows by |g|^2 x_i^2 / 2, which for
// two classes is what each would add. With a sum of its own, a class whose share is next to nothing
// would still begin with a full step: 2 points on news20.
static void softmax_adagrad(struct tlu_learner *learner, const struct binary_example *example,
                            const double *g, double rate)
{
    struct weights *weights = &learner->state.weights;
    const tlu_row *x = example->x;
    uint32_t classes = learner->state.scheme.classes;
    struct vector_adagrad step = {.w = weights->w,
                                  .u = weights->u,
                                  .state = weights->state,
                                  .columns = weights->columns,
                                  .classes = classes,
                                  .gradients = g,
                                  .rate = rate,
                                  .steps = weights->steps};
    for (uint32_t c = 0; c < classes; c++)
        step.square += g[c] * g[c] / 2;
    learner->guard.reach += rate * sqrt(2);
    learner->guard.states += example->weight * example->weight * example->norm;
    if (!weights->scale && !weights->recent.r)
        weights->routines->adagrad(&step, x->features, x->values, x->count);
    for (uint32_t c = 0; c < classes && (weights->scale || weights->recent.r); c++)
        softmax_column(weights, x, c, &step);
    for (uint32_t c = 0; c < classes && learner->rule.bias; c++) {
        weights->state_bias[c] += step.square;
        if (weights->state_bias[c] > 0)
            weights_add_bias(weights, c, rate * g[c] / sqrt(weights->state_bias[c]));
    }
}

static bool softmax_update(struct tlu_learner *learner, const struct binary_example *example,
                           uint32_t class_index)
{
    double *g = learner->space.scratch;
    if (example->norm == 0)
        return false;
    double rate = learner_rate(learner), eta = begin_step(learner, example, rate);
    softmax_gradient(learner, class_index, example->weight, g);
    if (learner->rule.schedule == SCHEDULE_ADAGRAD) {
        softmax_adagrad(learner, example, g, rate / sqrt(example->norm));
        return true;
    }
    struct binary_example one = *example; // each class by itself
    one.parts = 1;
    for (uint32_t c = 0; c < learner->state.scheme.classes; c++) {
        one.part[0].column = c;
        one.part[0].sign = 1;
        learner_add(learner, &one, eta * g[c]);
    }
    return true;
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
             .summary = "logistic regression (wta: multinomial), by online gradient",
             .reference = "Zinkevich 2003; Duchi et al. 2011",
             .options = "rate schedule l2 solver",
             .defaults = "rate=0.5 schedule=adagrad scale=auto multiclass=auto",
             .decisions = "average last adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_LOGITS,
    .table_rate = 4,
};
LEARNER_FUNCTIONS(logistic) = {.update = logistic_update, .update_classes = softmax_update};

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
