// Metrics of the order in which the scores put the rows. Of several classes each is ranked against
// the rest, and the mean is taken.
#include "metrics/ranking.h"

// The share of pairs of a row of the class and one of the rest in which the former has the higher
// score; a tie is half a pair. NaN if a side has no rows.
static double area_under_roc(const struct ranking *ranking)
{
    struct ranking_step step = {0};
    struct sum pairs = {0};
    double above = 0;
    while (ranking_next(ranking, &step)) {
        sum_add(&pairs, step.new_rest * (above + step.new_target / 2));
        above = sum_value(&step.target);
    }
    double all = ranking->target_weight * ranking->rest_weight;
    return all > 0 ? sum_value(&pairs) / all : NAN;
}

// The precision at each threshold, by what the recall rises there; 0 if no row is of the class.
static double average_precision(const struct ranking *ranking)
{
    struct ranking_step step = {0};
    struct sum area = {0};
    while (ranking_next(ranking, &step)) {
        double target = sum_value(&step.target), rest = sum_value(&step.rest);
        sum_add(&area, step.new_target * (target / (target + rest)));
    }
    return ranking->target_weight > 0 ? sum_value(&area) / ranking->target_weight
           : ranking->rest_weight > 0 ? 0
                                      : NAN;
}

static bool mean_over_classes(const struct measure *measure,
                              double (*of_ranking)(const struct ranking *ranking), double *value)
{
    bool two = measure->classes == 2;
    size_t first = two ? measure->positive : 0, last = two ? first + 1 : measure->classes;
    struct sum total = {0};
    for (size_t c = first; c < last; c++) {
        struct ranking ranking;
        bool fine = ranking_make(&ranking, measure, c);
        if (fine)
            sum_add(&total, of_ranking(&ranking));
        ranking_free(&ranking);
        if (!fine)
            return false;
    }
    *value = sum_value(&total) / (double)(last - first);
    return true;
}

bool roc_auc_value(const struct measure *measure, const struct chosen_metric *chosen, double *value)
{
    (void)chosen;
    return mean_over_classes(measure, area_under_roc, value);
}

bool average_precision_value(const struct measure *measure, const struct chosen_metric *chosen,
                             double *value)
{
    (void)chosen;
    return mean_over_classes(measure, average_precision, value);
}
