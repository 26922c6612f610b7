#include "learn/weights.h"

#include "base/memory.h"

#include <string.h>

bool weights_init(struct weights *weights, uint32_t columns, bool average)
{
    *weights = (struct weights){.columns = columns, .kernels = vector_best()};
    weights->bias = memory_new(columns, sizeof(double));
    weights->w = memory_new(0, sizeof(double));
    if (average) {
        weights->u_bias = memory_new(columns, sizeof(double));
        weights->u = memory_new(0, sizeof(double));
    }
    if (!weights->bias || !weights->w || (average && (!weights->u_bias || !weights->u))) {
        weights_free(weights);
        return false;
    }
    return true;
}

void weights_free(struct weights *weights)
{
    memory_free(weights->w);
    memory_free(weights->bias);
    memory_free(weights->u);
    memory_free(weights->u_bias);
    *weights = (struct weights){0};
}

// A zeroed [features][columns] with old [old_features][columns] copied in.
static double *enlarged(const double *old, size_t old_features, size_t features, size_t columns)
{
    double *new =
        features <= SIZE_MAX / columns ? memory_new(features * columns, sizeof *new) : NULL;
    if (new &&old_features)
        memcpy(new, old, old_features * columns * sizeof *new);
    return new;
}

bool weights_reserve(struct weights *weights, size_t features)
{
    if (features > weights->capacity) {
        size_t capacity = weights->capacity * 2 > features ? weights->capacity * 2 : features;
        double *w = enlarged(weights->w, weights->features, capacity, weights->columns);
        double *u = NULL;
        if (w && weights->u)
            u = enlarged(weights->u, weights->features, capacity, weights->columns);
        if (!w || (weights->u && !u)) {
            memory_free(w);
            return false;
        }
        memory_free(weights->w);
        memory_free(weights->u);
        weights->w = w;
        weights->u = u;
        weights->capacity = capacity;
    }
    if (features > weights->features)
        weights->features = features;
    return true;
}

bool weights_copy(struct weights *to, const struct weights *from)
{
    if (!weights_init(to, from->columns, from->u != NULL) || !weights_reserve(to, from->features)) {
        weights_free(to);
        return false;
    }
    size_t columns = from->columns * sizeof(double);
    if (from->features)
        memcpy(to->w, from->w, from->features * columns);
    memcpy(to->bias, from->bias, columns);
    if (from->u) {
        if (from->features)
            memcpy(to->u, from->u, from->features * columns);
        memcpy(to->u_bias, from->u_bias, columns);
    }
    to->steps = from->steps;
    return true;
}

// [features][old] to a new [features][columns].
static double *widened(const double *from, size_t features, uint32_t old, uint32_t columns,
                       uint32_t plus)
{
    double *to = features <= SIZE_MAX / columns ? memory_new(features * columns, sizeof *to) : NULL;
    for (size_t f = 0; to && f < features; f++) {
        if (old == 1) {
            to[f * columns + plus] = from[f];
            to[f * columns + 1 - plus] = 0 - from[f];
        } else {
            memcpy(to + f * columns, from + f * old, old * sizeof *to);
        }
    }
    return to;
}

bool weights_widen(struct weights *weights, uint32_t columns, uint32_t plus)
{
    uint32_t old = weights->columns;
    struct weights new = *weights;
    new.columns = columns;
    new.capacity = weights->features;
    new.w = widened(weights->w, weights->features, old, columns, plus);
    new.bias = widened(weights->bias, 1, old, columns, plus);
    if (weights->u) {
        new.u = widened(weights->u, weights->features, old, columns, plus);
        new.u_bias = widened(weights->u_bias, 1, old, columns, plus);
    }
    bool fine = new.w &&new.bias && (!weights->u || (new.u &&new.u_bias));
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

static void negate(double *x, size_t count)
{
    for (size_t i = 0; x && i < count; i++)
        x[i] = 0 - x[i];
}

void weights_negate(struct weights *weights)
{
    negate(weights->w, weights->features * weights->columns);
    negate(weights->u, weights->features * weights->columns);
    negate(weights->bias, weights->columns);
    negate(weights->u_bias, weights->columns);
}

static void scores_of(const struct weights *weights, const double *w, const double *bias,
                      const tlu_row *x, double *scores)
{
    if (weights->columns == 1) {
        scores[0] = bias[0] + weights->kernels->dot(w, x->features, x->values, x->count);
        return;
    }
    memcpy(scores, bias, weights->columns * sizeof *scores);
    weights->kernels->scores(w, weights->columns, x->features, x->values, x->count, scores);
}

void weights_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    scores_of(weights, weights->w, weights->bias, x, scores);
}

void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *scratch)
{
    scores_of(weights, weights->w, weights->bias, x, scores);
    if (!weights->u || weights->steps == 0)
        return;
    scores_of(weights, weights->u, weights->u_bias, x, scratch);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] -= scratch[c] / weights->steps;
}

static void add(const struct weights *weights, double *w, double *bias, const tlu_row *x,
                uint32_t column, double amount, bool with_bias)
{
    if (weights->columns == 1)
        weights->kernels->add(w, x->features, x->values, x->count, amount);
    else
        weights->kernels->add_column(w, weights->columns, column, x->features, x->values, x->count,
                                     amount);
    if (with_bias)
        bias[column] += amount;
}

void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias)
{
    add(weights, weights->w, weights->bias, x, column, amount, with_bias);
    if (weights->u && weights->steps > 0) // steps is t - 1 here
        add(weights, weights->u, weights->u_bias, x, column, amount * weights->steps, with_bias);
}

static double decided(double w, const double *u, double steps)
{
    return u && steps > 0 ? w - *u / steps : w;
}

double weights_decided(const struct weights *weights, size_t feature, uint32_t column)
{
    size_t i = feature * weights->columns + column;
    return decided(weights->w[i], weights->u ? &weights->u[i] : NULL, weights->steps);
}

double weights_decided_bias(const struct weights *weights, uint32_t column)
{
    return decided(weights->bias[column], weights->u_bias ? &weights->u_bias[column] : NULL,
                   weights->steps);
}
