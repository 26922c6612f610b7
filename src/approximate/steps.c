// Layers of threshold units: n units make a function with n + 1 constant pieces. The best pieces
// are found without training:
//
//     bisection finds the least possible maximum error E: a greedy cut, which extends each piece
//         as long as its values differ by at most 2 E, needs the fewest pieces;
//     dynamic programming finds, among all cuts with at most that error, the one with the least
//         sum of squares.
#include "approximate/fit.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PLACES_MAX 2500 // above this, dynamic programming is too slow and the greedy cut is kept

struct pieces {
    const struct fit_points *points;
    size_t *start;      // [groups + 1] first point of each group of equal x
    double *low, *high; // [groups] range of y
    size_t groups;
    double *sum, *square; // [points + 1] sums of scaled y and its square before a point
    double middle, scale; // y = middle + scale times the scaled y
    double *cost;         // [groups + 1] cost of the groups before, with the pieces so far
    double *next;         // the same with one piece more
    size_t *from;         // [pieces][groups + 1] where the last piece begins
    size_t *cut;          // [pieces + 1] groups where pieces begin
};

// ---- the least maximum error

// Cuts greedily with this error as the limit. Returns the number of pieces and their actual error.
static size_t cut_greedily(const struct pieces *pieces, double error, size_t *cut, size_t most,
                           double *made)
{
    size_t count = 0;
    double low = 0, high = 0;
    *made = 0;
    for (size_t g = 0; g < pieces->groups; g++) {
        double lower = fmin(low, pieces->low[g]), upper = fmax(high, pieces->high[g]);
        if (count == 0 || upper / 2 - lower / 2 > error) {
            if (cut && count < most)
                cut[count] = g;
            count++;
            lower = pieces->low[g];
            upper = pieces->high[g];
        }
        low = lower;
        high = upper;
        *made = fmax(*made, high / 2 - low / 2);
    }
    return count;
}

static double least_error(const struct pieces *pieces, size_t most)
{
    double from = 0, to, made;
    cut_greedily(pieces, INFINITY, NULL, 0, &to);
    if (cut_greedily(pieces, 0, NULL, 0, &made) <= most)
        return made;
    for (int i = 0; i < 200; i++) { // *to is always possible
        double middle = from + (to - from) / 2;
        if (!(middle > from && middle < to))
            break;
        if (cut_greedily(pieces, middle, NULL, 0, &made) <= most)
            to = made;
        else
            from = middle;
    }
    return to;
}

// ---- the least sum of squares

// The level of the groups from ... to - 1 and its sum of squares. The level is the mean, moved as
// little as needed to keep all errors within the limit.
static double level(const struct pieces *pieces, size_t from, size_t to, double low, double high,
                    double limit, double *squares)
{
    size_t first = pieces->start[from], end = pieces->start[to];
    double count = (double)(end - first), sum = pieces->sum[end] - pieces->sum[first];
    double value = sum / count;
    double least = (high - pieces->middle - limit) / pieces->scale;
    double most = (low - pieces->middle + limit) / pieces->scale;
    value = least > most ? (least + most) / 2 : fmax(least, fmin(most, value));
    *squares =
        pieces->square[end] - pieces->square[first] - 2 * value * sum + count * value * value;
    return value;
}

static void cut_best(struct pieces *pieces, size_t count, double limit)
{
    size_t groups = pieces->groups;
    for (size_t g = 0; g <= groups; g++)
        pieces->cost[g] = g ? INFINITY : 0;
    for (size_t piece = 0; piece < count; piece++) {
        size_t *from = pieces->from + piece * (groups + 1);
        for (size_t end = 0; end <= groups; end++) {
            double low = INFINITY, high = -INFINITY, squares;
            pieces->next[end] = INFINITY;
            for (size_t begin = end; begin-- > 0;) {
                low = fmin(low, pieces->low[begin]);
                high = fmax(high, pieces->high[begin]);
                if (high / 2 - low / 2 > limit)
                    break;
                if (isinf(pieces->cost[begin]))
                    continue;
                level(pieces, begin, end, low, high, limit, &squares);
                if (pieces->cost[begin] + squares < pieces->next[end]) {
                    pieces->next[end] = pieces->cost[begin] + squares;
                    from[end] = begin;
                }
            }
        }
        double *swap = pieces->cost;
        pieces->cost = pieces->next;
        pieces->next = swap;
    }
    for (size_t end = groups, piece = count; piece-- > 0;)
        pieces->cut[piece] = end = pieces->from[piece * (groups + 1) + end];
}

// ---- the layer

static void make_layer(const struct pieces *pieces, size_t count, double limit,
                       struct hidden_layer *layer)
{
    double before = 0;
    for (size_t piece = 0; piece < count; piece++) {
        size_t begin = pieces->cut[piece];
        size_t end = piece + 1 < count ? pieces->cut[piece + 1] : pieces->groups;
        double low = INFINITY, high = -INFINITY, squares;
        for (size_t g = begin; g < end; g++) {
            low = fmin(low, pieces->low[g]);
            high = fmax(high, pieces->high[g]);
        }
        double value =
            pieces->middle + pieces->scale * level(pieces, begin, end, low, high, limit, &squares);
        if (piece == 0) {
            layer->bias = value;
        } else {
            const double *x = pieces->points->x + pieces->start[begin];
            layer->w[piece - 1] = 1;
            layer->t[piece - 1] = -(x[-1] / 2 + x[0] / 2);
            layer->c[piece - 1] = value - before;
        }
        before = value;
    }
}

// Returns the number of pieces, at most `count`.
static size_t find_pieces(struct pieces *pieces, size_t count, double limit)
{
    double made;
    if (pieces->groups > PLACES_MAX)
        return cut_greedily(pieces, limit, pieces->cut, count, &made);
    cut_best(pieces, count, limit);
    return count;
}

static void group_points(struct pieces *pieces)
{
    const struct fit_points *points = pieces->points;
    double low = points->y[0], high = low;
    for (size_t i = 0; i < points->count; i++) {
        double y = points->y[i];
        low = fmin(low, y);
        high = fmax(high, y);
        size_t g = pieces->groups;
        if (i == 0 || points->x[i] > points->x[i - 1]) {
            pieces->start[g] = i;
            pieces->low[g] = pieces->high[g] = y;
            pieces->groups++;
        } else {
            pieces->low[g - 1] = fmin(pieces->low[g - 1], y);
            pieces->high[g - 1] = fmax(pieces->high[g - 1], y);
        }
    }
    pieces->start[pieces->groups] = points->count;
    pieces->middle = low / 2 + high / 2;
    pieces->scale = high > low ? high / 2 - low / 2 : 1;
    for (size_t i = 0; i < points->count; i++) {
        double v = (points->y[i] - pieces->middle) / pieces->scale;
        pieces->sum[i + 1] = pieces->sum[i] + v;
        pieces->square[i + 1] = pieces->square[i] + v * v;
    }
}

static bool open_pieces(struct pieces *pieces, const struct fit_points *points, size_t count)
{
    uint64_t size = (uint64_t)points->count + 1;
    pieces->points = points;
    pieces->start = memory_new(size, sizeof *pieces->start);
    pieces->low = memory_new(size, sizeof(double));
    pieces->high = memory_new(size, sizeof(double));
    pieces->sum = memory_new(size, sizeof(double));
    pieces->square = memory_new(size, sizeof(double));
    pieces->cost = memory_new(size, sizeof(double));
    pieces->next = memory_new(size, sizeof(double));
    pieces->cut = memory_new(count + 1, sizeof *pieces->cut);
    if (!pieces->start || !pieces->low || !pieces->high || !pieces->sum || !pieces->square ||
        !pieces->cost || !pieces->next || !pieces->cut)
        return false;
    group_points(pieces);
    if (pieces->groups <= PLACES_MAX)
        pieces->from = memory_new((uint64_t)count * (pieces->groups + 1), sizeof *pieces->from);
    return pieces->groups > PLACES_MAX || pieces->from;
}

static void close_pieces(struct pieces *pieces)
{
    memory_free(pieces->start);
    memory_free(pieces->low);
    memory_free(pieces->high);
    memory_free(pieces->sum);
    memory_free(pieces->square);
    memory_free(pieces->cost);
    memory_free(pieces->next);
    memory_free(pieces->from);
    memory_free(pieces->cut);
}

static void fit_with(struct pieces *pieces, struct hidden_layer *layer,
                     struct hidden_layer *candidate, struct hidden_layer *fewer, size_t units)
{
    double least = least_error(pieces, units + 1);
    layer_copy(fewer, layer);
    layer_pad(layer, layer->units, units);
    // If the least maximum error increases the sum of squares, the error of the smaller layer is
    // allowed.
    const double limits[] = {least, fmax(least, fewer->max_error)};
    for (size_t i = 0; i < 2; i++) {
        size_t count = find_pieces(pieces, units + 1, limits[i]);
        make_layer(pieces, count, limits[i], candidate);
        layer_pad(candidate, count - 1, units);
        layer_consider(layer, candidate, fewer, ACTIVATION_STEP, pieces->points);
    }
}

tlu_status fit_steps(struct hidden_layer *layer, size_t units, const struct fit_points *points,
                     tlu_error *error)
{
    struct pieces pieces = {.groups = 0};
    struct hidden_layer candidate, fewer;
    assert(units > layer->units && units <= layer->capacity && units < points->count);
    bool enough = open_pieces(&pieces, points, units + 1);
    enough = layer_new(&candidate, units) && enough;
    enough = layer_new(&fewer, units) && enough;
    if (enough && units < pieces.groups)
        fit_with(&pieces, layer, &candidate, &fewer, units);
    close_pieces(&pieces);
    layer_free(&candidate);
    layer_free(&fewer);
    return enough_memory(enough, error);
}
