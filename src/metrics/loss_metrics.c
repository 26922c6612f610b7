// Metrics of probabilities: what each costs, and whether they mean what they say.
#include "metrics/metrics.h"

#include <float.h>

// Of two classes it is the probability of the positive one that has to agree with the share of
// that class, as in a reliability diagram; of several that of the class that has the highest,
// with how often the label is that class (Guo et al. 2017).
static void add_to_bin(struct measure *measure, uint32_t label, const double *probabilities,
                       double weight)
{
    size_t looked_at = measure->positive;
    if (measure->classes != 2) {
        looked_at = 0;
        for (size_t c = 1; c < measure->classes; c++)
            if (probabilities[c] > probabilities[looked_at])
                looked_at = c;
    }
    double probability = probabilities[looked_at];
    size_t bin = CALIBRATION_BINS - 1;
    if (!(probability >= 1))
        bin = probability > 0 ? (size_t)(probability * CALIBRATION_BINS) : 0;
    struct calibration_bin *into = &measure->losses.bins[bin];
    sum_add(&into->expected, weight * probability);
    sum_add(&into->hits, label == looked_at ? weight : 0);
}

// Two classes: of the positive class; several: summed over all of them (Brier 1950).
static double squared_distance(const struct measure *measure, uint32_t label,
                               const double *probabilities)
{
    struct sum squares = {0};
    for (size_t c = 0; c < measure->classes; c++) {
        double distance = probabilities[c] - (c == label);
        if (measure->classes != 2 || c == measure->positive)
            sum_add(&squares, distance * distance);
    }
    return sum_value(&squares);
}

void losses_add(struct measure *measure, uint32_t label, const double *probabilities, double weight)
{
    struct losses *losses = &measure->losses;
    double own = probabilities[label]; // the logarithm of 0 is kept finite as scikit-learn does
    own = own < DBL_EPSILON ? DBL_EPSILON : own > 1 - DBL_EPSILON ? 1 - DBL_EPSILON : own;
    sum_add(&losses->log, -weight * log(own));
    sum_add(&losses->brier, weight * squared_distance(measure, label, probabilities));
    add_to_bin(measure, label, probabilities, weight);
}

bool log_loss_value(const struct measure *measure, const struct chosen_metric *chosen,
                    double *value)
{
    (void)chosen;
    *value = sum_mean(&measure->losses.log, &measure->known);
    return true;
}

bool brier_value(const struct measure *measure, const struct chosen_metric *chosen, double *value)
{
    (void)chosen;
    *value = sum_mean(&measure->losses.brier, &measure->known);
    return true;
}

// The bins' differences, each with the weight of its rows, which its sums have in them.
bool calibration_value(const struct measure *measure, const struct chosen_metric *chosen,
                       double *value)
{
    (void)chosen;
    struct sum differences = {0};
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct calibration_bin *bin = &measure->losses.bins[b];
        sum_add(&differences, fabs(sum_value(&bin->expected) - sum_value(&bin->hits)));
    }
    *value = sum_mean(&differences, &measure->known);
    return true;
}
