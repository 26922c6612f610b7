#include "space/weights.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- scores ----

static void scores_of(const struct weights *weights, const double *w, const tlu_row *x,
                      double *scores)
{
    if (weights->columns == 1) {
        scores[0] = weights->routines->dot(w, x->features, x->values, x->count);
        return;
    }
    memset(scores, 0, weights->columns * sizeof *scores);
    weights->routines->scores(w, weights->columns, x->features, x->values, x->count, scores);
}

#define FIND_AT_ONCE 256

// The same for a row before weights_map. With slots, FIND_AT_ONCE entries are looked up and added
// per call. The sums are those of a single call, because several columns are summed entry by entry.
static void find_scores(const struct weights *weights, const double *w, const tlu_row *x,
                        double *scores)
{
    uint32_t rows[FIND_AT_ONCE];
    if (!weights->slots) {
        scores_of(weights, w, x, scores);
        return;
    }
    memset(scores, 0, weights->columns * sizeof *scores);
    for (size_t at = 0; at < x->count; at += FIND_AT_ONCE) {
        size_t count = x->count - at < FIND_AT_ONCE ? x->count - at : FIND_AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            uint32_t slot =
                feature_slots_find(weights->slots, x->features ? x->features[at + i] : at + i);
            rows[i] = slot < weights->rows ? slot : 0;
        }
        weights->routines->scores(w, weights->columns, rows, x->values ? x->values + at : NULL,
                                  count, scores);
    }
}

void weights_products(const struct weights *weights, const tlu_row *x, double *current)
{
    find_scores(weights, weights->w, x, current);
}

void weights_finish_scores(const struct weights *weights, double *scores)
{
    const double *scale = weights->scale, *bias = weights->bias;
    uint32_t columns = weights->columns;
    if (!scale) {
        for (uint32_t c = 0; c < columns; c++)
            scores[c] += bias[c];
        return;
    }
#pragma GCC unroll 4
    for (uint32_t c = 0; c < columns; c++)
        scores[c] = scores[c] * scale[c] + bias[c];
}

void weights_scores_scaled(const struct weights *weights, const tlu_row *x, double *scores)
{
    scores_of(weights, weights->w, x, scores);
    weights_finish_scores(weights, scores);
}

void weights_find_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    find_scores(weights, weights->w, x, scores);
    weights_finish_scores(weights, scores);
}

double weights_sum_of_scales(const struct weights *weights, uint32_t column)
{
    if (!weights->scale)
        return weights->steps;
    return weights->sum[column] +
           (weights->steps - weights->sum_at[column]) * weights->scale[column];
}

double weights_recent_sum(const struct weights *weights, uint32_t column)
{
    return weights->recent.sum ? weights->recent.sum[column] : weights->recent.share;
}

void weights_average_scores(const struct weights *weights, const tlu_row *x, enum weights_by by,
                            const double *current, double *scores)
{
    const struct weights_recent *recent = &weights->recent;
    if (by == WEIGHTS_BY_AVERAGE) {
        double steps = weights->steps;
        find_scores(weights, weights->u, x, scores);
        for (uint32_t c = 0; c < weights->columns; c++)
            scores[c] = current[c] * (weights_sum_of_scales(weights, c) / steps) -
                        scores[c] / steps + weights->bias[c] - weights->u_bias[c] / steps;
        return;
    }
    double past = recent->share * recent->growth;
    find_scores(weights, recent->r, x, scores);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] = current[c] * (weights_recent_sum(weights, c) / recent->share) -
                    scores[c] / past + weights->bias[c] - recent->r_bias[c] / past;
}

enum weights_by weights_decide_by(const struct weights *weights)
{
    return weights->steps > 0 ? weights->by : WEIGHTS_BY_LAST;
}

void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current)
{
    enum weights_by by = weights_decide_by(weights);
    weights_products(weights, x, current);
    if (by != WEIGHTS_BY_LAST)
        weights_average_scores(weights, x, by, current, scores);
    weights_finish_scores(weights, current);
    if (by == WEIGHTS_BY_LAST)
        memcpy(scores, current, weights->columns * sizeof *scores);
}

// ---- updates ----

void weights_negate(struct weights *weights)
{
    for (size_t i = 0; i < WEIGHTS_ARRAY_COUNT; i++) {
        double *cells = weights_arrays[i].is_signed ? weights_cells(weights, i) : NULL;
        size_t count = (i < WEIGHTS_ROW_ARRAYS ? weights->rows : 1) * weights->columns;
        for (size_t k = 0; cells && k < count; k++)
            if (cells[k] != 0)
                cells[k] = 0 - cells[k];
    }
}

void weights_add_bias(struct weights *weights, uint32_t column, double amount)
{
    weights->bias[column] += amount;
    if (weights->u)
        weights->u_bias[column] += weights->steps * amount; // steps is t - 1 here
    if (weights->recent.r)
        weights->recent.r_bias[column] += weights->recent.growth * weights->recent.share * amount;
}

void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias)
{
    assert(column < weights->columns);
    double inner = weights->scale ? amount / weights->scale[column] : amount;
    const struct vector_routines *routines = weights->routines;
    if (weights->recent.r && weights->steps > 0)
        routines->add_column(weights->recent.r, weights->columns, column, x->features, x->values,
                             x->count,
                             weights->recent.growth * weights_recent_sum(weights, column) * inner);
    if (weights->u && weights->steps > 0)
        routines->add_pair(weights->w, weights->u, weights->columns, column, x->features, x->values,
                           x->count, inner, weights_sum_of_scales(weights, column) * inner);
    else if (weights->columns == 1)
        routines->add(weights->w, x->features, x->values, x->count, inner);
    else
        routines->add_column(weights->w, weights->columns, column, x->features, x->values, x->count,
                             inner);
    if (with_bias)
        weights_add_bias(weights, column, amount);
}

// ---- scale ----

// After settling, v = w and the sum of scales becomes T instead of A / scale, so u grows by
// (T - A / scale) w.
static double u_moved(const struct weights *weights, uint32_t column)
{
    return weights->steps - weights_sum_of_scales(weights, column) / weights->scale[column];
}

// The same with the decayed sum and the share.
static double r_moved(const struct weights *weights, uint32_t column)
{
    return (weights->recent.share - weights_recent_sum(weights, column) / weights->scale[column]) *
           weights->recent.growth;
}

static void settle_column(struct weights *weights, uint32_t column)
{
    double scale = weights->scale[column], *r = weights->recent.r;
    double by_u = u_moved(weights, column), by_r = r_moved(weights, column);
    for (size_t row = 0; row < weights->rows; row++) {
        size_t at = row * weights->columns + column;
        if (weights->w[at] == 0) // does not touch memory that was never written to
            continue;
        weights->w[at] =
            weights->w[at] * scale + 0.0; // + 0.0 turns -0 into 0: models do not store -0
        if (weights->u)
            weights->u[at] += by_u * weights->w[at];
        if (r)
            r[at] += by_r * weights->w[at];
    }
    if (r)
        weights->recent.sum[column] = weights->recent.share;
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column] = weights->steps;
}

// A scale of 0: clears the weights of the column.
static void clear_column(struct weights *weights, uint32_t column)
{
    double *r = weights->recent.r;
    double r_moved = weights->recent.growth * weights_recent_sum(weights, column);
    for (size_t row = 0; row < weights->rows; row++) {
        size_t at = row * weights->columns + column;
        if (weights->w[at] == 0)
            continue;
        if (weights->u)
            weights->u[at] -= weights->sum[column] * weights->w[at];
        if (r)
            r[at] -= r_moved * weights->w[at];
        weights->w[at] = 0;
    }
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column];
    if (r)
        weights->recent.sum[column] = weights->recent.share;
}

static void keep_in_range(struct weights *weights, uint32_t column)
{
    double size = fabs(weights->scale[column]);
    if (size == 0)
        clear_column(weights, column);
    else if (!(size > WEIGHTS_SCALE_MIN && size < 1 / WEIGHTS_SCALE_MIN))
        settle_column(weights, column);
}

void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias)
{
    assert(weights->scale && column < weights->columns);
    weights->sum[column] = weights_sum_of_scales(weights, column);
    weights->sum_at[column] = weights->steps;
    if (with_bias)
        weights_add_bias(weights, column, (factor - 1) * weights->bias[column]);
    weights->scale[column] *= factor;
    keep_in_range(weights, column);
}

void weights_scale_first(struct weights *weights, uint32_t columns, double factor, bool with_bias)
{
    double *scale = weights->scale, *sum = weights->sum, *sum_at = weights->sum_at;
    double steps = weights->steps;
    assert(scale && columns <= weights->columns);
    for (uint32_t c = 0; c < columns; c++) {
        sum[c] += (steps - sum_at[c]) * scale[c]; // weights_sum_of_scales
        sum_at[c] = steps;
        scale[c] *= factor;
    }
    for (uint32_t c = 0; with_bias && c < columns; c++)
        weights_add_bias(weights, c, (factor - 1) * weights->bias[c]);
    for (uint32_t c = 0; c < columns; c++)
        keep_in_range(weights, c);
}

static bool needs_settling(const struct weights *weights, uint32_t column)
{
    return weights->scale[column] != 1 ||
           weights_sum_of_scales(weights, column) != weights->steps ||
           weights_recent_sum(weights, column) != weights->recent.share;
}

void weights_settled_cells(const struct weights *weights, const double *cells, size_t first,
                           size_t count, double *to)
{
    uint32_t columns = weights->columns;
    double scale = 1, moved = 0;
    assert(weights->scale && first + count <= weights->rows * columns);
    bool known = false; // scale and moved, if there is one column
    for (size_t i = 0; i < count; i++) {
        double w = weights->w[first + i];
        to[i] = cells[first + i];
        if (w == 0)
            continue;
        if (!known) {
            uint32_t column = (uint32_t)((first + i) % columns);
            known = columns == 1;
            if (!needs_settling(weights, column))
                continue;
            scale = weights->scale[column];
            moved = cells == weights->w   ? 0
                    : cells == weights->u ? u_moved(weights, column)
                                          : r_moved(weights, column);
        }
        w = w * scale + 0.0;
        to[i] = cells == weights->w ? w : to[i] + moved * w;
    }
}

void weights_settle(struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (needs_settling(weights, c))
            settle_column(weights, c);
}

static void free_scales(struct weights *weights)
{
    memory_free(weights->scale);
    memory_free(weights->sum);
    memory_free(weights->sum_at);
    memory_free(weights->recent.sum);
    weights->scale = weights->sum = weights->sum_at = weights->recent.sum = NULL;
}

void weights_unscale(struct weights *weights)
{
    weights_settle(weights);
    free_scales(weights);
}

void weights_forget_scales(struct weights *weights)
{
    bool settled = true;
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++) {
        if (weights_column_is_settled(weights, c))
            weights->sum[c] = weights->sum_at[c] = 0;
        else
            settled = false;
    }
    if (settled)
        free_scales(weights);
}

double weights_norm(const struct weights *weights, uint32_t column)
{
    double scale = weights->scale ? weights->scale[column] : 1;
    double sum = weights->bias[column] * weights->bias[column];
    size_t row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row)) {
        double w = scale * weights->w[row * weights->columns + column];
        sum += w * w;
    }
    return sum;
}

// ---- time ----

// Divides r and growth by a power of two, which is exact.
static void shrink_recent(struct weights *weights)
{
    struct weights_recent *recent = &weights->recent;
    for (size_t i = 0; i < weights->rows * weights->columns; i++)
        if (recent->r[i] != 0) // does not touch memory that was never written to
            recent->r[i] /= WEIGHTS_GROWTH_MAX;
    for (uint32_t c = 0; c < weights->columns; c++)
        recent->r_bias[c] /= WEIGHTS_GROWTH_MAX;
    recent->growth /= WEIGHTS_GROWTH_MAX;
}

void weights_step_recent(struct weights *weights)
{
    struct weights_recent *recent = &weights->recent;
    for (uint32_t c = 0; recent->sum && c < weights->columns; c++)
        recent->sum[c] = recent->decay * recent->sum[c] + (1 - recent->decay) * weights->scale[c];
    recent->share = recent->decay * recent->share + (1 - recent->decay);
    recent->growth /= recent->decay;
    if (recent->growth >= WEIGHTS_GROWTH_MAX)
        shrink_recent(weights);
}

// ---- the decision ----

double weights_divisor(const struct weights *weights)
{
    switch (weights_decide_by(weights)) {
    case WEIGHTS_BY_AVERAGE:
        return weights->steps;
    case WEIGHTS_BY_RECENT:
        return weights->recent.share;
    default:
        return 1;
    }
}

void weights_totals(const struct weights *weights, size_t feature, double *totals)
{
    const uint32_t columns = weights->columns;
    const double *w = weights->w + feature * columns;
    const enum weights_by by = weights_decide_by(weights);
    assert(!weights->slots && feature < weights->rows);
    if (by == WEIGHTS_BY_AVERAGE) {
        const double *u = weights->u + feature * columns, steps = weights->steps;
#pragma GCC unroll 4
        for (uint32_t c = 0; c < columns; c++)
            totals[c] = steps * w[c] - u[c];
    } else if (by == WEIGHTS_BY_RECENT) {
        const struct weights_recent *recent = &weights->recent;
        const double *r = recent->r + feature * columns;
        for (uint32_t c = 0; c < columns; c++)
            totals[c] = recent->share * w[c] - r[c] / recent->growth;
    } else {
        memcpy(totals, w, columns * sizeof *totals);
    }
}

double weights_total_bias(const struct weights *weights, uint32_t column)
{
    double bias = weights->bias[column];
    switch (weights_decide_by(weights)) {
    case WEIGHTS_BY_AVERAGE:
        return weights->steps * bias - weights->u_bias[column];
    case WEIGHTS_BY_RECENT:
        return weights->recent.share * bias -
               weights->recent.r_bias[column] / weights->recent.growth;
    default:
        return bias;
    }
}
