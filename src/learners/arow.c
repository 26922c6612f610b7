// Adaptive regularization of weights (Crammer, Kulesza and Dredze 2009), with a diagonal
// covariance: each weight has a variance s_i, and weights of high variance move most.
//
//     initialize w = 0, s = 1
//     for t = 1, 2, 3, ...
//         m = y_t (w . x_t),  v = sum_i s_i x_i^2
//         if m < 1 then
//             beta = 1 / (v + r),  alpha = (1 - m) beta
//             set w_i := w_i + alpha y_t s_i x_i
//             set s_i := s_i - beta s_i^2 x_i^2
//
// With a full covariance matrix S, the last line is S := S - beta S x x^T S, or equivalently
// S^-1 := S^-1 + x x^T / r. The algorithm above keeps only the diagonal of S. With --diagonal
// precision it keeps only the diagonal of S^-1:
//
//             set s_i := 1 / (1 / s_i + x_i^2 / r)
//
// which decreases faster if a row has many entries. An example of weight c uses r / c instead of r.

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
