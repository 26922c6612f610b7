// Soft confidence-weighted learning (Wang, Zhao and Hoi 2012), with a diagonal covariance: w is the
// mean and s are the variances of a normal distribution of weight vectors. Each example should be
// classified correctly with the probability --confidence; phi is the normal quantile of that
// probability.
//
//     initialize w = 0, s = 1
//     for t = 1, 2, 3, ...
//         m = y_t (w . x_t),  v = sum_i s_i x_i^2
//         if phi sqrt(v) - m > 0 then
//             set w_i := w_i + alpha y_t s_i x_i
//             set s_i := s_i - beta s_i^2 x_i^2
//
//     root = (sqrt(alpha^2 v^2 phi^2 + 4 v) - alpha v phi) / 2
//     beta = alpha phi / (root + v alpha phi)
//     scw1:  psi = 1 + phi^2 / 2,  zeta = 1 + phi^2
//            alpha = (sqrt(m^2 phi^4 / 4 + v phi^2 zeta) - m psi) / (v zeta),  at most C
//     scw2:  n = v + 1 / 2C,  gamma = phi sqrt(phi^2 m^2 v^2 + 4 n v (n + v phi^2))
//            alpha = (gamma - 2 m n - phi^2 m v) / (2 (n^2 + n v phi^2))
//
// With --diagonal precision (arow.c) the last line is
//
//             set s_i := 1 / (1 / s_i + alpha phi x_i^2 / root)
//
// An example of weight c uses c C instead of C.

#include "learners/state.h"

#include <math.h>

// The p-quantile of the standard normal distribution, for p >= 1/2, by Newton's method. The
// distribution function is concave there, so the iterates increase monotonically from 0.
static double normal_quantile(double p)
{
    double z = 0, before = -1;
    while (z > before) {
        before = z;
        double density = exp(-z * z / 2) / sqrt(2 * acos(-1));
        z += (p - erfc(-z / sqrt(2)) / 2) / density;
    }
    return z;
}

static tlu_status scw_prepare(struct tlu_learner *learner, tlu_error *error)
{
    (void)error;
    learner->rule.phi = normal_quantile(options_number(learner->state.options, OPTION_CONFIDENCE));
    return TLU_OK;
}

static bool scw_step(struct tlu_learner *learner, const struct binary_example *example, double v,
                     double alpha)
{
    double phi = learner->rule.phi;
    double root = (sqrt(alpha * alpha * v * v * phi * phi + 4 * v) - alpha * v * phi) / 2;
    state_step_covariance(learner, example, alpha, alpha * phi / (root + v * alpha * phi),
                          alpha * phi / root);
    return true;
}

static bool scw1_update(struct tlu_learner *learner, const struct binary_example *example)
{
    double phi = learner->rule.phi, m = example->margin, v = state_variance(learner, example);
    if (!(phi * sqrt(v) > m) || v == 0)
        return false;
    double phi2 = phi * phi, psi = 1 + phi2 / 2, zeta = 1 + phi2;
    double alpha = (sqrt(m * m * phi2 * phi2 / 4 + v * phi2 * zeta) - m * psi) / (v * zeta);
    return scw_step(learner, example, v, fmin(alpha, learner->rule.C * example->weight));
}

static bool scw2_update(struct tlu_learner *learner, const struct binary_example *example)
{
    double phi = learner->rule.phi, m = example->margin, v = state_variance(learner, example);
    if (!(phi * sqrt(v) > m) || v == 0)
        return false;
    double phi2 = phi * phi, n = v + 1 / (2 * learner->rule.C * example->weight);
    double gamma = phi * sqrt(phi2 * m * m * v * v + 4 * n * v * (n + v * phi2));
    double alpha = (gamma - 2 * m * n - phi2 * m * v) / (2 * (n * n + n * v * phi2));
    if (!isfinite(gamma) || !isfinite(n * n)) { // the same, divided by n
        double q = v / n, root = sqrt(phi2 * m * q * m * q + 4 * v * (1 + q * phi2));
        alpha = (phi * root - m * (2 + phi2 * q)) / (2 * (n + v * phi2));
    }
    return scw_step(learner, example, v, alpha);
}

#define SCW_LEARNER(id, text)                                                                      \
    LEARNER(id) = {                                                                                \
        .info = {.name = learner_names.id,                                                         \
                 .complexity = 4,                                                                  \
                 .summary = text,                                                                  \
                 .reference = "Wang et al. 2012",                                                  \
                 .options = "C confidence diagonal",                                               \
                 .defaults = "C=0.1",                                                              \
                 .decisions = "average last vote random best adaptive",                            \
                 .spaces = "primal",                                                               \
                 .schemes = "wta ovr ovo"},                                                        \
        .traits = LEARNER_STATE,                                                                   \
        .state_start = 1,                                                                          \
    };                                                                                             \
    LEARNER_FUNCTIONS(id) = {.prepare = scw_prepare, .update = id##_update}

SCW_LEARNER(scw1, "wants to be right with a probability; surer weights move less; fast on text");
SCW_LEARNER(scw2, "scw1 with a squared penalty in the place of a limit");
