// Passive-aggressive learners (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006):
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         l = max(0, 1 - y_t (w . x_t))
//         w := w + tau y_t x_t      with   pa   tau = l / |x_t|^2
//                                          pa1  tau = min(C, l / |x_t|^2)
//                                          pa2  tau = l / (|x_t|^2 + 1 / 2C)
//
// pa moves w just far enough to give the example a margin of 1. With noisy data that is too far, so
// pa1 and pa2 limit the step by C. The step of an example of weight c is c times as long.

#include "learn/learner.h"

#include <math.h>

static bool pa_step(struct tlu_learner *learner, const struct binary_example *example, double limit,
                    double slack)
{
    double loss = 1 - example->margin;
    if (!(loss > 0) || example->norm == 0)
        return false;
    double tau = fmin(limit, loss / (example->norm + slack));
    learner_add(learner, example, tau * example->weight);
    return true;
}

static bool pa_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return pa_step(learner, example, INFINITY, 0);
}

static bool pa1_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return pa_step(learner, example, learner->rule.C, 0);
}

static bool pa2_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return pa_step(learner, example, INFINITY, 1 / (2 * learner->rule.C));
}

#define PA_LEARNER(id, text, own_options, own_defaults)                                            \
    LEARNER(id) = {                                                                                \
        .info = {.name = learner_names.id,                                                         \
                 .complexity = 3,                                                                  \
                 .summary = text,                                                                  \
                 .reference = "Crammer et al. 2006",                                               \
                 .options = own_options,                                                           \
                 .defaults = own_defaults,                                                         \
                 .decisions = "average last vote random best adaptive",                            \
                 .spaces = "primal dual",                                                          \
                 .schemes = "wta ovr ovo"},                                                        \
        .traits = LEARNER_NORM | LEARNER_PASSIVE,                                                  \
        .passive_margin = 1,                                                                       \
    };                                                                                             \
    LEARNER_FUNCTIONS(id) = {.update = id##_update}

PA_LEARNER(pa, "the least change that gets an example right by a margin; for clean data", "", "");
PA_LEARNER(pa1, "pa with steps of at most C, so that noise does less harm", "C", "C=0.1");
PA_LEARNER(pa2, "pa with shorter steps the smaller C is, so that noise does less harm", "C",
           "C=0.1");
