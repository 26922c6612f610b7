#include "calibration/threshold_search.h"

#include <math.h>
#include <stdlib.h>

static int highest_first(const void *left, const void *right)
{
    const struct cut_row *a = left, *b = right;
    return (a->value < b->value) - (a->value > b->value);
}

double threshold_search_precision(const struct cut *cut)
{
    return cut->called ? (double)cut->right / (double)cut->called : 1;
}

double threshold_search_recall(const struct cut *cut, uint64_t positives)
{
    return (double)cut->right / (double)positives;
}

double threshold_search_f1(const struct cut *cut, uint64_t positives)
{
    return 2 * (double)cut->right / (double)(cut->called + positives);
}

double threshold_search_cost(const struct cut *cut, uint64_t positives,
                             const struct threshold_objective *wish)
{
    return wish->false_positive * (double)(cut->called - cut->right) +
           wish->false_negative * (double)(positives - cut->right);
}

// What is to be as high as can be, of a cut that does; of others it is below 0, and says how near
// they come.
static double merit(const struct cut *cut, uint64_t positives,
                    const struct threshold_objective *wish)
{
    double precision = threshold_search_precision(cut),
           recall = threshold_search_recall(cut, positives);
    switch (wish->aim) {
    case CUT_F1:
        return threshold_search_f1(cut, positives);
    case CUT_PRECISION:
        return precision >= wish->value ? recall : precision - 2;
    case CUT_RECALL:
        return recall >= wish->value ? precision : recall - 2;
    default:
        return -threshold_search_cost(cut, positives, wish);
    }
}

static double between(double low, double high)
{
    double middle = low / 2 + high / 2;
    return middle > low && middle <= high ? middle : high;
}

bool threshold_search_find(struct cut_row *rows, size_t count,
                           const struct threshold_objective *wish, struct cut *found)
{
    uint64_t positives = 0;
    for (size_t i = 0; i < count; i++)
        positives += rows[i].positive;
    qsort(rows, count, sizeof *rows, highest_first);
    // No row is called positive: for the cost alone, as that has no precision and no recall.
    *found = (struct cut){.threshold = nextafter(rows[0].value, INFINITY)};
    double best = wish->aim == CUT_COST ? merit(found, positives, wish) : -INFINITY;
    struct cut cut = {0};
    for (size_t i = 0; i < count;) {
        double value = rows[i].value;
        for (; i < count && rows[i].value == value; i++) {
            cut.called++;
            cut.right += rows[i].positive;
        }
        double now = merit(&cut, positives, wish);
        if (now <= best)
            continue;
        best = now;
        *found = cut;
        found->threshold = i < count ? between(rows[i].value, value) : value;
    }
    return wish->aim == CUT_COST || best >= 0;
}
