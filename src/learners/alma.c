// The approximate large margin algorithm ALMA_2 (Gentile 2001). On separable data it converges to a
// margin of at least 1 - alpha times the maximum.
//
//     initialize w = 0, k = 1
//     for t = 1, 2, 3, ...
//         x^ = x_t / |x_t|
//         if y_t (w . x^) <= (1 - alpha) B / sqrt(k) then
//             set w := w + C / sqrt(k) y_t x^
//             set w := w / max(1, |w|),  k := k + 1
//
// with B = sqrt(8) / alpha and C = sqrt(2). The step of an example of weight c is c times as long.

#include "learn/learner.h"

#include <math.h>

static bool alma_update(struct tlu_learner *learner, const struct binary_example *example)
{
    double *square = &learner->state.group_norm[example->group]; // |w|^2
    double root = sqrt((double)learner->state.group_updates[example->group] + 1);
    double gamma = sqrt(8) / learner->rule.alpha / root, eta = sqrt(2) / root;
    double length = sqrt(example->norm);
    if (length == 0 || example->margin / length > (1 - learner->rule.alpha) * gamma)
        return false;
    double amount = eta * example->weight / length;
    learner_add(learner, example, amount);
    *square += 2 * amount * example->margin + amount * amount * example->norm;
    if (*square > 1) {
        learner_shrink(learner, example, 1 / sqrt(*square), true);
        *square = 1;
    }
    return true;
}

LEARNER(alma) = {
    .info = {.name = learner_names.alma,
             .complexity = 3,
             .summary = "comes as close to the largest margin as alpha says; averaged it is the "
                        "default for tables",
             .reference = "Gentile 2001",
             .options = "alpha",
             .defaults = "scale=auto multiclass=auto",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_SCALE,
    .table_passes = 50,
};
LEARNER_FUNCTIONS(alma) = {.update = alma_update};
