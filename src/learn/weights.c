#include "learn/weights.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// A zeroed array, or one full of `value`.
static double *filled(size_t count, double value)
{
    double *array = memory_new(count, sizeof *array);
    for (size_t i = 0; array && value != 0 && i < count; i++)
        array[i] = value;
    return array;
}

bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start)
{
    *weights =
        (struct weights){.columns = columns, .kernels = vector_best(), .state_start = state_start};
    bool fine = (weights->bias = filled(columns, 0)) && (weights->w = filled(0, 0));
    if (parts & WEIGHTS_AVERAGE)
        fine = fine && (weights->u_bias = filled(columns, 0)) && (weights->u = filled(0, 0));
    if (parts & WEIGHTS_STATE)
        fine = fine && (weights->state_bias = filled(columns, state_start)) &&
               (weights->state = filled(0, 0));
    if (parts & WEIGHTS_SCALE)
        fine = fine && (weights->scale = filled(columns, 1)) &&
               (weights->sum = filled(columns, 0)) && (weights->sum_at = filled(columns, 0));
    if (!fine)
        weights_free(weights);
    return fine;
}

void weights_free(struct weights *weights)
{
    double *parts[] = {weights->w,      weights->bias,  weights->u,
                       weights->u_bias, weights->state, weights->state_bias,
                       weights->scale,  weights->sum,   weights->sum_at};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    *weights = (struct weights){0};
}

unsigned weights_parts(const struct weights *weights)
{
    return (weights->u ? WEIGHTS_AVERAGE : 0u) | (weights->scale ? WEIGHTS_SCALE : 0u) |
           (weights->state ? WEIGHTS_STATE : 0u);
}

// ---- size ----

void weights_copy_cells(double *to, const double *from, size_t count)
{
    static const double zeros[512]; // a page
    const size_t block = sizeof zeros / sizeof zeros[0];
    for (size_t i = 0; i < count; i += block) {
        size_t bytes = (count - i < block ? count - i : block) * sizeof *to;
        if (memcmp(from + i, zeros, bytes) != 0)
            memcpy(to + i, from + i, bytes);
    }
}

// An array of [capacity][columns] with old [features][columns] copied in and the rest 0.
static bool enlarge(double **array, size_t features, size_t capacity, size_t columns)
{
    double *new = capacity <= SIZE_MAX / columns ? filled(capacity * columns, 0) : NULL;
    if (!new)
        return false;
    weights_copy_cells(new, *array, features * columns);
    memory_free(*array);
    *array = new;
    return true;
}

bool weights_reserve(struct weights *weights, size_t features)
{
    size_t columns = weights->columns;
    if (features > weights->capacity) {
        // Each array is whole at any time, whichever of the steps fails.
        size_t capacity = weights->capacity * 2 > features ? weights->capacity * 2 : features;
        if (!enlarge(&weights->w, weights->features, capacity, columns) ||
            (weights->u && !enlarge(&weights->u, weights->features, capacity, columns)) ||
            (weights->state && !enlarge(&weights->state, weights->features, capacity, columns)))
            return false;
        weights->capacity = capacity;
    }
    if (features > weights->features)
        weights->features = features;
    return true;
}

static void copy(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
}

bool weights_copy(struct weights *to, const struct weights *from)
{
    if (!weights_init(to, from->columns, weights_parts(from), from->state_start) ||
        !weights_reserve(to, from->features)) {
        weights_free(to);
        return false;
    }
    size_t all = from->features * from->columns, columns = from->columns;
    weights_copy_cells(to->w, from->w, all);
    if (from->u)
        weights_copy_cells(to->u, from->u, all);
    if (from->state)
        weights_copy_cells(to->state, from->state, all);
    copy(to->bias, from->bias, columns);
    copy(to->u_bias, from->u_bias, columns);
    copy(to->state_bias, from->state_bias, columns);
    copy(to->scale, from->scale, columns);
    copy(to->sum, from->sum, columns);
    copy(to->sum_at, from->sum_at, columns);
    to->steps = from->steps;
    to->kernels = from->kernels;
    return true;
}

struct widening {
    uint32_t old, columns, plus;
    bool opposite;
};

// [rows][old] to a new [rows][columns]. What is signed is turned round with its column; `value` is
// that of new columns. NULL stays NULL.
static bool widen(double **out, const double *from, size_t rows, const struct widening *how,
                  bool is_signed, double value)
{
    if (!from)
        return true;
    double *to = rows <= SIZE_MAX / how->columns ? filled(rows * how->columns, value) : NULL;
    for (size_t f = 0; to && f < rows; f++) {
        double *row = to + f * how->columns;
        if (how->old > 1 && value == 0)
            weights_copy_cells(row, from + f * how->old, how->old);
        else if (how->old > 1)
            memcpy(row, from + f * how->old, how->old * sizeof *row);
        if (how->old > 1 || (value == 0 && from[f] == 0)) // memory that is 0 stays untouched
            continue;
        double other = is_signed ? 0 - from[f] : from[f];
        if (how->opposite) {
            row[how->plus] = from[f];
            row[1 - how->plus] = other;
        } else {
            row[0] = how->plus == 1 ? from[f] : other;
        }
    }
    *out = to;
    return to != NULL;
}

bool weights_widen(struct weights *weights, uint32_t columns, uint32_t plus, bool opposite)
{
    const struct weights *old = weights; // a failure leaves everything as it was
    struct weights new = {.columns = columns,
                          .features = old->features,
                          .capacity = old->features,
                          .steps = old->steps,
                          .state_start = old->state_start,
                          .kernels = old->kernels};
    struct widening how = {old->columns, columns, plus, opposite};
    size_t rows = old->features;
    bool fine = widen(&new.w, old->w, rows, &how, true, 0) &&
                widen(&new.bias, old->bias, 1, &how, true, 0) &&
                widen(&new.u, old->u, rows, &how, true, 0) &&
                widen(&new.u_bias, old->u_bias, 1, &how, true, 0) &&
                widen(&new.state, old->state, rows, &how, false, 0) &&
                widen(&new.state_bias, old->state_bias, 1, &how, false, old->state_start) &&
                widen(&new.scale, old->scale, 1, &how, false, 1) &&
                widen(&new.sum, old->sum, 1, &how, false, old->steps) &&
                widen(&new.sum_at, old->sum_at, 1, &how, false, old->steps);
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

static void negate(double *x, size_t count)
{
    for (size_t i = 0; x && i < count; i++)
        if (x[i] != 0)
            x[i] = 0 - x[i];
}

void weights_negate(struct weights *weights)
{
    negate(weights->w, weights->features * weights->columns);
    negate(weights->u, weights->features * weights->columns);
    negate(weights->bias, weights->columns);
    negate(weights->u_bias, weights->columns);
}

// ---- scores ----

static void scores_of(const struct weights *weights, const double *w, const tlu_row *x,
                      double *scores)
{
    if (weights->columns == 1) {
        scores[0] = weights->kernels->dot(w, x->features, x->values, x->count);
        return;
    }
    memset(scores, 0, weights->columns * sizeof *scores);
    weights->kernels->scores(w, weights->columns, x->features, x->values, x->count, scores);
}

// From v . x to w . x + bias.
static void finish_scores(const struct weights *weights, double *scores)
{
    for (uint32_t c = 0; c < weights->columns; c++) {
        if (weights->scale)
            scores[c] *= weights->scale[c];
        scores[c] += weights->bias[c];
    }
}

void weights_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    scores_of(weights, weights->w, x, scores);
    finish_scores(weights, scores);
}

double weights_sum_of_scales(const struct weights *weights, uint32_t column)
{
    if (!weights->scale)
        return weights->steps;
    return weights->sum[column] +
           (weights->steps - weights->sum_at[column]) * weights->scale[column];
}

void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current, double *scratch)
{
    double steps = weights->steps;
    scores_of(weights, weights->w, x, current);
    bool average = weights->u && steps > 0;
    if (average) {
        scores_of(weights, weights->u, x, scratch);
        for (uint32_t c = 0; c < weights->columns; c++)
            scores[c] = current[c] * (weights_sum_of_scales(weights, c) / steps) -
                        scratch[c] / steps + weights->bias[c] - weights->u_bias[c] / steps;
    }
    finish_scores(weights, current);
    if (!average)
        memcpy(scores, current, weights->columns * sizeof *scores);
}

// ---- updates ----

void weights_add_bias(struct weights *weights, uint32_t column, double amount)
{
    weights->bias[column] += amount;
    if (weights->u)
        weights->u_bias[column] += weights->steps * amount; // steps is t - 1 here
}

void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias)
{
    double inner = weights->scale ? amount / weights->scale[column] : amount;
    const struct vector_kernels *kernels = weights->kernels;
    if (weights->u && weights->steps > 0)
        kernels->add_pair(weights->w, weights->u, weights->columns, column, x->features, x->values,
                          x->count, inner, weights_sum_of_scales(weights, column) * inner);
    else if (weights->columns == 1)
        kernels->add(weights->w, x->features, x->values, x->count, inner);
    else
        kernels->add_column(weights->w, weights->columns, column, x->features, x->values, x->count,
                            inner);
    if (with_bias)
        weights_add_bias(weights, column, amount);
}

// ---- scale ----

static void settle_column(struct weights *weights, uint32_t column)
{
    double scale = weights->scale[column], steps = weights->steps;
    // In units of v = w the sum of scales is A / scale; taking it as T instead moves
    // (T - A / scale) w into u.
    double moved = steps - weights_sum_of_scales(weights, column) / scale;
    for (size_t f = 0; f < weights->features; f++) {
        size_t at = f * weights->columns + column;
        if (weights->w[at] == 0) // memory that was never written to stays so
            continue;
        weights->w[at] = weights->w[at] * scale + 0.0; // not -0, which a model does not keep
        if (weights->u)
            weights->u[at] += moved * weights->w[at];
    }
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column] = steps;
}

void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias)
{
    weights->sum[column] = weights_sum_of_scales(weights, column);
    weights->sum_at[column] = weights->steps;
    if (with_bias)
        weights_add_bias(weights, column, (factor - 1) * weights->bias[column]);
    weights->scale[column] *= factor;
    double size = fabs(weights->scale[column]);
    if (!(size > WEIGHTS_SCALE_LEAST && size < 1 / WEIGHTS_SCALE_LEAST)) {
        if (weights->scale[column] == 0) // nothing of w is left
            for (size_t f = 0; f < weights->features; f++) {
                size_t at = f * weights->columns + column;
                if (weights->w[at] == 0)
                    continue;
                if (weights->u)
                    weights->u[at] -= weights->sum[column] * weights->w[at];
                weights->w[at] = 0;
            }
        if (weights->scale[column] == 0) {
            weights->scale[column] = 1;
            weights->sum[column] = weights->sum_at[column];
        } else {
            settle_column(weights, column);
        }
    }
}

void weights_settle(struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights_sum_of_scales(weights, c) != weights->steps)
            settle_column(weights, c);
}

void weights_unscale(struct weights *weights)
{
    weights_settle(weights);
    memory_free(weights->scale);
    memory_free(weights->sum);
    memory_free(weights->sum_at);
    weights->scale = weights->sum = weights->sum_at = NULL;
}

double weights_norm(const struct weights *weights, uint32_t column)
{
    double scale = weights->scale ? weights->scale[column] : 1;
    double sum = weights->bias[column] * weights->bias[column];
    for (size_t f = 0; f < weights->features; f++) {
        double w = scale * weights->w[f * weights->columns + column];
        sum += w * w;
    }
    return sum;
}

// ---- the decision ----

double weights_divisor(const struct weights *weights)
{
    return weights->u && weights->steps > 0 ? weights->steps : 1;
}

static double total(const struct weights *weights, double w, const double *u)
{
    return u && weights->steps > 0 ? weights->steps * w - *u : w;
}

double weights_total(const struct weights *weights, size_t feature, uint32_t column)
{
    size_t i = feature * weights->columns + column;
    return total(weights, weights->w[i], weights->u ? &weights->u[i] : NULL);
}

double weights_total_bias(const struct weights *weights, uint32_t column)
{
    return total(weights, weights->bias[column], weights->u_bias ? &weights->u_bias[column] : NULL);
}
