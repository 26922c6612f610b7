// A curve that never falls and is nearest to the rows in squares, by pooling adjacent violators
// (Ayer et al. 1955): rows of one score are a block, and as long as a block has a lower share of
// hits than the one before it, both are pooled. A pooled block has the share of hits among its
// rows. Between blocks the curve is a straight line; before the first and after the last it is
// level.
#include "calibration/fit.h"

#include <stdlib.h>

// In the order of the scores. Rows that are equal in this order are equal altogether: the order of
// the sums does not depend on the sort.
static int by_score(const void *left, const void *right)
{
    const struct seen_row *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    if (a->hit != b->hit)
        return a->hit < b->hit ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

// The blocks take the place of the rows: score is the lowest of a block, weight that of its rows;
// its hits are in y and its highest score is in x.
static size_t pool(struct seen_row *rows, size_t count, double *x, double *y)
{
    size_t blocks = 0;
    for (size_t i = 0; i < count;) {
        struct seen_row block = {.score = rows[i].score};
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

size_t isotonic_fit(struct seen_row *rows, size_t count, double *x, double *y)
{
    qsort(rows, count, sizeof *rows, by_score);
    size_t blocks = pool(rows, count, x, y), knots = 0;
    // A block of several scores has a knot at its lowest and at its highest. From the last to the
    // first, so that they can take the place of the blocks.
    for (size_t b = 0; b < blocks; b++)
        knots += rows[b].score < x[b] ? 2 : 1;
    size_t at = knots;
    for (size_t b = blocks; b-- > 0;) {
        double share = y[b] / rows[b].weight, highest = x[b];
        x[--at] = highest;
        double most = at + 1 < knots ? y[at + 1] : 1; // rounding must not make it fall
        y[at] = share < most ? share : most;
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
