// Isotonic regression: the non-decreasing curve with the least squared error, by pooling adjacent
// violators (Ayer et al. 1955). Rows with the same score form a block; as long as a block has a
// lower share of hits than the one before it, the two are pooled. Between blocks the curve is a
// straight line; before the first and after the last it is constant.
#include "calibration/fit.h"

#include <assert.h>
#include <stdlib.h>

// Sorts by score, then by the other fields, so that the order of the sums does not depend on the
// sort.
static int by_score(const void *left, const void *right)
{
    const struct curve_row *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    if (a->hit != b->hit)
        return a->hit < b->hit ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

// Replaces the rows by blocks: score is the lowest of a block, weight the sum of its rows; y holds
// its hits and x its highest score.
static size_t pool(struct curve_row *rows, size_t count, double *x, double *y)
{
    size_t blocks = 0;
    for (size_t i = 0; i < count;) {
        struct curve_row block = {.score = rows[i].score};
        double hits = 0;
        for (; i < count && rows[i].score == block.score; i++) {
            block.weight += rows[i].weight;
            hits += rows[i].hit ? rows[i].weight : 0;
        }
        if (!(block.weight > 0))
            continue;
        double last = block.score;
        while (blocks && y[blocks - 1] * block.weight >= hits * rows[blocks - 1].weight) {
            blocks--;
            block.score = rows[blocks].score;
            block.weight += rows[blocks].weight;
            hits += y[blocks];
        }
        rows[blocks] = block;
        x[blocks] = last;
        y[blocks++] = hits;
    }
    return blocks;
}

size_t isotonic_fit(struct curve_row *rows, size_t count, double *x, double *y)
{
    qsort(rows, count, sizeof *rows, by_score);
    size_t blocks = pool(rows, count, x, y), knots = 0;
    // A block of several scores has a knot at its lowest and at its highest score. Filled in from
    // the last to the first, because they replace the blocks.
    for (size_t b = 0; b < blocks; b++)
        knots += rows[b].score < x[b] ? 2 : 1;
    size_t at = knots;
    for (size_t b = blocks; b-- > 0;) {
        double share = y[b] / rows[b].weight, highest = x[b];
        x[--at] = highest;
        double limit = at + 1 < knots ? y[at + 1] : 1; // rounding must not make the curve decrease
        y[at] = share < limit ? share : limit;
        if (rows[b].score < highest) {
            x[--at] = rows[b].score;
            y[at] = y[at + 1];
        }
    }
    if (knots)
        return knots;
    x[0] = 0;
    y[0] = 0.5;
    return 1;
}

double isotonic_at(const double *x, const double *y, size_t count, double score)
{
    assert(count > 0);
    size_t low = 0, high = count - 1;
    if (score <= x[low])
        return y[low];
    if (score >= x[high])
        return y[high];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(x[middle] <= score ? &low : &high) = middle;
    }
    if (y[low] == y[high])
        return y[low];
    double share = (score / 2 - x[low] / 2) / (x[high] / 2 - x[low] / 2); // halves do not overflow
    return y[low] + (y[high] - y[low]) * share;
}
