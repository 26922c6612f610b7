// Metrics of labels and guesses: all are made of sums per class.
//
// Of several classes those count that were met, as a label or as a guess; what divides by 0 is 0,
// as scikit-learn has it. Labels that the model does not know are one more class, never guessed.
#include "metrics/metrics.h"

bool accuracy_value(const struct measure *measure, const struct chosen_metric *chosen,
                    double *value)
{
    (void)chosen;
    struct sum hits = {0};
    for (size_t c = 0; c < measure->classes; c++)
        sum_add(&hits, sum_value(&measure->of[c].hits));
    *value = sum_mean(&hits, &measure->rows);
    return true;
}

// The mean of the recalls of the classes that there are rows of.
bool balanced_value(const struct measure *measure, const struct chosen_metric *chosen,
                    double *value)
{
    (void)chosen;
    struct sum recalls = {0};
    double classes = 0;
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_sums *of = &measure->of[c];
        if (sum_value(&of->labels) > 0) {
            sum_add(&recalls, sum_mean(&of->hits, &of->labels));
            classes++;
        }
    }
    *value = classes > 0 ? sum_value(&recalls) / classes : NAN;
    return true;
}

// ---- precision, recall, f1 ----

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double quality(int part, double labels, double guesses, double hits)
{
    if (part == PART_F1)
        return share(2 * hits, labels + guesses);
    return share(hits, part == PART_PRECISION ? guesses : labels);
}

static double class_quality(int part, const struct class_sums *of)
{
    return quality(part, sum_value(&of->labels), sum_value(&of->guesses), sum_value(&of->hits));
}

static double micro_quality(const struct measure *measure, int part)
{
    struct sum labels = {0}, guesses = {0}, hits = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        sum_add(&labels, sum_value(&measure->of[c].labels));
        sum_add(&guesses, sum_value(&measure->of[c].guesses));
        sum_add(&hits, sum_value(&measure->of[c].hits));
    }
    return quality(part, sum_value(&labels), sum_value(&guesses), sum_value(&hits));
}

static double mean_quality(const struct measure *measure, int part, bool weighted)
{
    struct sum total = {0}, weights = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_sums *of = &measure->of[c];
        double weight = weighted ? sum_value(&of->labels) : of->met;
        sum_add(&total, weight * class_quality(part, of));
        sum_add(&weights, weight);
    }
    return share(sum_value(&total), sum_value(&weights));
}

bool quality_value(const struct measure *measure, const struct chosen_metric *chosen, double *value)
{
    int part = chosen->metric->part, average = chosen->metric->average;
    if (average == AVERAGE_USUAL && measure->classes == 2)
        *value = class_quality(part, &measure->of[measure->positive]);
    else if (average == AVERAGE_MICRO)
        *value = micro_quality(measure, part);
    else
        *value = mean_quality(measure, part, average == AVERAGE_WEIGHTED);
    return true;
}

// ---- others ----

// The correlation of label and guess, of several classes by Gorodkin 2004: of each class the rows
// that are found, missed, taken for it, and neither.
bool matthews_value(const struct measure *measure, const struct chosen_metric *chosen,
                    double *value)
{
    (void)chosen;
    struct sum both = {0}, labels = {0}, guesses = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_sums *of = &measure->of[c];
        struct sum missed = sum_less(&of->labels, &of->hits);
        struct sum taken = sum_less(&of->guesses, &of->hits);
        struct sum others = sum_less(&measure->rows, &of->labels);
        struct sum not_guessed = sum_less(&measure->rows, &of->guesses);
        struct sum neither = sum_less(&others, &taken);
        sum_add(&both, sum_value(&of->hits) * sum_value(&neither));
        sum_add(&both, -sum_value(&missed) * sum_value(&taken));
        sum_add(&labels, sum_value(&of->labels) * sum_value(&others));
        sum_add(&guesses, sum_value(&of->guesses) * sum_value(&not_guessed));
    }
    double a = sum_value(&labels), b = sum_value(&guesses);
    double spread = a == b ? a : sqrt(a) * sqrt(b); // all right is 1, without a rounded root
    *value = sum_value(&measure->rows) > 0 ? share(sum_value(&both), spread) : NAN;
    return true;
}

bool cost_value(const struct measure *measure, const struct chosen_metric *chosen, double *value)
{
    (void)chosen;
    *value = sum_mean(&measure->cost, &measure->known);
    return true;
}

bool top_value(const struct measure *measure, const struct chosen_metric *chosen, double *value)
{
    struct sum near = {0};
    for (size_t place = 0; place < measure->classes && place < chosen->k; place++)
        sum_add(&near, sum_value(&measure->places[place]));
    *value = sum_mean(&near, &measure->rows);
    return true;
}
