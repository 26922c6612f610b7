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
// With the whole covariance S the last line is S := S - beta S x x^T S, that is
// S^-1 := S^-1 + x x^T / r. Above, the first of the two matrices loses what is off its diagonal.
// With --diagonal precision the second does:
//
//             set s_i := 1 / (1 / s_i + x_i^2 / r)
//
// which falls faster if a row has many entries. An example of weight c has r / c in the place of
// r.

#include "learners/state.h"

static bool arow_update(struct tlu_learner *learner, const struct binary_example *example)
{
    if (!(example->margin < 1))
        return false;
    double r = learner->rule.r / example->weight;
    double beta = 1 / (state_variance(learner, example) + r);
    state_step_covariance(learner, example, (1 - example->margin) * beta, beta, 1 / r);
    return true;
}

LEARNER(arow) = {
    .info = {.name = learner_names.arow,
             .complexity = 4,
             .summary = "surer weights move less; strong on text and noisy data in few passes",
             .reference = "Crammer et al. 2009",
             .options = "r diagonal",
             .defaults = "",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_STATE | LEARNER_PASSIVE,
    .passive_margin = 1,
    .state_start = 1,
};
LEARNER_FUNCTIONS(arow) = {.update = arow_update};
