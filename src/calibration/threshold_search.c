#include "calibration/threshold_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int highest_first(const void *left, const void *right)
{
    const struct threshold_row *a = left, *b = right;
    return (a->value < b->value) - (a->value > b->value);
}

double threshold_precision(const struct threshold_found *at)
{
    return at->called ? (double)at->right / (double)at->called : 1;
}

double threshold_recall(const struct threshold_found *at, uint64_t positives)
{
    return (double)at->right / (double)positives;
}

double threshold_f1(const struct threshold_found *at, uint64_t positives)
{
    return 2 * (double)at->right / (double)(at->called + positives);
}

double threshold_cost(const struct threshold_found *at, uint64_t positives,
                      const struct threshold_objective *objective)
{
    return objective->false_positive * (double)(at->called - at->right) +
           objective->false_negative * (double)(positives - at->right);
}

// Objective value of a threshold that meets the constraint; negative otherwise, larger when closer
// to meeting it.
static double merit(const struct threshold_found *at, uint64_t positives,
                    const struct threshold_objective *objective)
{
    double precision = threshold_precision(at), recall = threshold_recall(at, positives);
    switch (objective->aim) {
    case AIM_F1:
        return threshold_f1(at, positives);
    case AIM_PRECISION:
        return precision >= objective->value ? recall : precision - 2;
    case AIM_RECALL:
        return recall >= objective->value ? precision : recall - 2;
    default:
        return -threshold_cost(at, positives, objective);
    }
}

static double between(double low, double high)
{
    double middle = low / 2 + high / 2;
    return middle > low && middle <= high ? middle : high;
}

bool threshold_search(struct threshold_row *rows, size_t count,
                      const struct threshold_objective *objective, struct threshold_found *found)
{
    uint64_t positives = 0;
    for (size_t i = 0; i < count; i++)
        positives += rows[i].positive;
    assert(positives > 0 && positives < count);
    qsort(rows, count, sizeof *rows, highest_first);
    // The threshold above all rows counts for the cost only, because it has no precision.
    *found = (struct threshold_found){.threshold = nextafter(rows[0].value, INFINITY)};
    double best = objective->aim == AIM_COST ? merit(found, positives, objective) : -INFINITY;
    struct threshold_found at = {0};
    for (size_t i = 0; i < count;) {
        double value = rows[i].value;
        for (; i < count && rows[i].value == value; i++) {
            at.called++;
            at.right += rows[i].positive;
        }
        double now = merit(&at, positives, objective);
        if (now <= best)
            continue;
        best = now;
        *found = at;
        found->threshold = i < count ? between(rows[i].value, value) : value;
    }
    return objective->aim == AIM_COST || best >= 0;
}
