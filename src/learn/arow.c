// Adaptive regularization of weights (Crammer, Kulesza and Dredze 2009), with a diagonal
// covariance: each weight has a variance s_i, and those that are not sure yet move most.
//
//     initialize w = 0, s = 1
//     for t = 1, 2, 3, ...
//         m = y_t (w . x_t),  v = sum_i s_i x_i^2
//         if m < 1 then
//             beta = 1 / (v + r),  alpha = (1 - m) beta
//             set w_i := w_i + alpha y_t s_i x_i
//             set s_i := s_i - beta s_i^2 x_i^2
//
// An example of weight c has r / c in the place of r.

#include "learn/state.h"

static double arow_rule(double *s, double x, double alpha, double beta)
{
    double gain = *s * x;
    *s -= beta * gain * gain;
    return alpha * gain;
}

static bool arow_update(struct tlu_learner *learner, const struct example *example)
{
    if (!(example->margin < 1))
        return false;
    double beta = 1 / (state_variance(learner, example) + learner->r / example->weight);
    state_step(learner, example, arow_rule, (1 - example->margin) * beta, beta);
    return true;
}

const struct learner_kind learner_arow = {
    .info = {.name = "arow",
             .summary = "surer weights move less; strong on text and noisy data in few passes",
             .reference = "Crammer et al. 2009",
             .options = "r",
             .defaults = "",
             .decisions = "average last best",
             .spaces = "primal",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_STATE,
    .state_start = 1,
    .update = arow_update,
};
