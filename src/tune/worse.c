// Is a candidate worse than the best one, or only unlucky?
//
// Both predicted the same rows. McNemar's test (1947) uses the rows that only one of them got
// right: if the two were equally good, each would have half of these. A candidate below the 1%
// level is dropped before halving.
//
// Metrics that are not means over rows have one value per fold: Student's paired test compares them
// from the third fold on.
#include "tune/tune.h"

#include <math.h>

#define CRITICAL 5.4119 // chi squared with one degree of freedom, 1% one-sided

static bool is_worse_by_rows(const struct candidate *best, const struct candidate *other)
{
    double only_best = 0, only_other = 0;
    for (size_t i = 0; i < best->examples && i < other->examples; i++) {
        only_best += best->right[i] && !other->right[i];
        only_other += other->right[i] && !best->right[i];
    }
    double lead = only_best - only_other;
    return lead > 0 && lead * lead > CRITICAL * (only_best + only_other);
}

// Critical values of Student's t, 1% one-sided.
static double critical_t(size_t freedom)
{
    static const double table[] = {0,     31.821, 6.965, 4.541, 3.747, 3.365,
                                   3.143, 2.998,  2.896, 2.821, 2.764};
    size_t rows = sizeof table / sizeof table[0];
    return freedom < rows ? table[freedom] : table[rows - 1];
}

static bool is_worse_by_folds(const struct candidate *best, const struct candidate *other,
                              bool lower)
{
    size_t folds = best->shown.folds;
    double sign = lower ? -1 : 1, count = (double)folds, mean = 0, squares = 0;
    if (folds < 3 || other->shown.folds != folds)
        return false;
    for (size_t i = 0; i < folds; i++)
        mean += sign * (best->scores[i] - other->scores[i]) / count;
    for (size_t i = 0; i < folds; i++) {
        double distance = sign * (best->scores[i] - other->scores[i]) - mean;
        squares += distance * distance;
    }
    return mean > critical_t(folds - 1) * sqrt(squares / (count - 1) / count);
}

bool is_worse(const struct tune *tune, const struct candidate *best, const struct candidate *other)
{
    return tune->by_rows ? is_worse_by_rows(best, other)
                         : is_worse_by_folds(best, other, tune->lower);
}
