// Is a candidate worse than the best one, or only unlucky?
//
// Both predicted the same rows. McNemar's test (1947) uses the rows that only one of them got
// right: if the two were equally good, each would have half of these. A candidate below the 1%
// level is dropped before halving.
//
// Rows that were predicted several times, in several divisions into folds, count once: the counts
// are divided by the number of divisions.
//
// Metrics that are not means over rows have one value per fold: Student's paired test compares them
// from the third fold on. Folds of several divisions share their rows, so the variance of the mean
// is that of Nadeau and Bengio (2003): (1 / folds + test rows / training rows) times that of a
// fold.
#include "numeric/exp_log.h"
#include "tune/tune.h"

#include <math.h>
#include <string.h>

#define NEGLIGIBLE 0.05 // standard error of the divisions, as a share of that of the score
#define CRITICAL 5.4119 // chi squared with one degree of freedom, 1% one-sided

// The folds that both were measured on.
static size_t common_folds(const struct candidate *a, const struct candidate *b)
{
    return a->shown.folds < b->shown.folds ? a->shown.folds : b->shown.folds;
}

static double divisions(const struct tune *tune, size_t folds)
{
    double count = (double)folds / (double)tune->settings->folds;
    return count > 1 ? count : 1;
}

// Sets the rows that only the best, or exactly one of the two, predicts correctly.
static void count_rows(const struct tune *tune, const struct candidate *best,
                       const struct candidate *other, double *lead, double *differing)
{
    double only_best = 0, only_other = 0;
    size_t folds = common_folds(best, other);
    for (size_t fold = 0; fold < folds; fold++) {
        const struct fold_result *a = &best->results[fold], *b = &other->results[fold];
        for (size_t i = 0; i < a->examples && i < b->examples; i++) {
            only_best += a->right[i] && !b->right[i];
            only_other += b->right[i] && !a->right[i];
        }
    }
    *lead = (only_best - only_other) / divisions(tune, folds);
    *differing = (only_best + only_other) / divisions(tune, folds);
}

static bool is_worse_by_rows(const struct tune *tune, const struct candidate *best,
                             const struct candidate *other)
{
    double lead, differing;
    count_rows(tune, best, other, &lead, &differing);
    return lead > 0 && lead * lead > CRITICAL * differing;
}

// Critical values of Student's t, 1% one-sided.
static double critical_t(size_t freedom)
{
    static const double table[] = {0,     31.821, 6.965, 4.541, 3.747, 3.365,
                                   3.143, 2.998,  2.896, 2.821, 2.764};
    size_t rows = sizeof table / sizeof table[0];
    return freedom < rows ? table[freedom] : table[rows - 1];
}

// Student's t of the paired folds; 0 with fewer than three.
static double student_t(const struct tune *tune, const struct candidate *best,
                        const struct candidate *other)
{
    size_t folds = common_folds(best, other);
    double sign = tune->lower ? -1 : 1, count = (double)folds, mean = 0, squares = 0;
    if (folds < 3)
        return 0;
    for (size_t i = 0; i < folds; i++)
        mean += sign * (best->results[i].score - other->results[i].score) / count;
    for (size_t i = 0; i < folds; i++) {
        double distance = sign * (best->results[i].score - other->results[i].score) - mean;
        squares += distance * distance;
    }
    double share = 1 / count; // one division: the usual test
    if (folds > tune->settings->folds)
        share += 1 / ((double)tune->settings->folds - 1);
    double error = sqrt(squares / (count - 1) * share);
    return error > 0 ? mean / error : mean > 0 ? INFINITY : 0;
}

bool is_worse(const struct tune *tune, const struct candidate *best, const struct candidate *other)
{
    if (tune->by_rows)
        return is_worse_by_rows(tune, best, other);
    size_t folds = common_folds(best, other);
    return folds >= 3 && student_t(tune, best, other) > critical_t(folds - 1);
}

bool equals_parent(const struct tune *tune, const struct candidate *candidate)
{
    const struct candidate *parent = candidate->parent;
    bool equal = parent && parent->shown.folds >= tune->settings->folds;
    for (size_t fold = 0; equal && fold < tune->settings->folds; fold++) {
        const struct fold_result *a = &candidate->results[fold], *b = &parent->results[fold];
        equal = a->score == b->score && a->examples == b->examples &&
                memcmp(a->right, b->right, a->examples) == 0;
    }
    return equal;
}

// The mean of the difference between the two in a division, and its standard error over divisions.
static double lead_of_divisions(const struct tune *tune, const struct candidate *best,
                                const struct candidate *other, double *error)
{
    size_t folds = tune->settings->folds, count = common_folds(best, other) / folds;
    double sign = tune->lower ? -1 : 1, mean = 0, squares = 0;
    for (size_t i = 0; i < count * folds; i++)
        mean += sign * (best->results[i].score - other->results[i].score) / (double)(count * folds);
    for (size_t d = 0; d < count; d++) {
        double sum = 0;
        for (size_t i = d * folds; i < (d + 1) * folds; i++)
            sum += sign * (best->results[i].score - other->results[i].score) / (double)folds;
        squares += (sum - mean) * (sum - mean);
    }
    *error = count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : INFINITY;
    return mean;
}

bool is_settled(const struct tune *tune, const struct candidate *best,
                const struct candidate *other)
{
    double error, lead = lead_of_divisions(tune, best, other, &error);
    size_t divided = common_folds(best, other) / tune->settings->folds;
    return divided > 1 && (lead > critical_t(divided - 1) * error ||
                           error <= NEGLIGIBLE * best->shown.standard_error);
}

// 1 - Phi(z), Abramowitz and Stegun 26.2.17: the error is below 7.5e-8.
static double normal_tail(double z)
{
    static const double c[] = {0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
    double t = 1 / (1 + 0.2316419 * fabs(z)), sum = 0;
    for (size_t i = sizeof c / sizeof c[0]; i > 0; i--)
        sum = (sum + c[i - 1]) * t;
    double tail = 0.3989422804014327 * same_exp(-z * z / 2) * sum;
    return z < 0 ? 1 - tail : tail;
}

void compare_pair(const struct tune *tune, const struct candidate *best,
                  const struct candidate *other, double *p_value, double *differing)
{
    double lead;
    count_rows(tune, best, other, &lead, differing);
    double z = tune->by_rows ? (*differing > 0 ? lead / sqrt(*differing) : 0)
                             : student_t(tune, best, other);
    *p_value = isinf(z) ? 0 : normal_tail(z);
}
