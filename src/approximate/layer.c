// A hidden layer: its value and its errors.
#include "approximate/fit.h"
#include "base/memory.h"
#include "numeric/exp_log.h"
#include "numeric/trig.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double activation_value(enum unit_activation activation, double z)
{
    switch (activation) {
    case ACTIVATION_TANH:
        return same_tanh(z);
    case ACTIVATION_SIGMOID:
        return sigmoid(z);
    case ACTIVATION_RELU:
        return z > 0 ? z : 0;
    default:
        return z >= 0 ? 1 : 0;
    }
}

bool layer_new(struct hidden_layer *layer, size_t capacity)
{
    *layer = (struct hidden_layer){.capacity = capacity};
    layer->w = memory_new(capacity, 3 * sizeof *layer->w);
    layer->t = layer->w ? layer->w + capacity : NULL;
    layer->c = layer->w ? layer->w + 2 * capacity : NULL;
    return layer->w != NULL;
}

void layer_copy(struct hidden_layer *to, const struct hidden_layer *from)
{
    assert(to->capacity >= from->units);
    struct hidden_layer copy = *from;
    copy.w = to->w;
    copy.t = to->t;
    copy.c = to->c;
    copy.capacity = to->capacity;
    memcpy(to->w, from->w, from->units * sizeof *to->w);
    memcpy(to->t, from->t, from->units * sizeof *to->t);
    memcpy(to->c, from->c, from->units * sizeof *to->c);
    *to = copy;
}

void layer_pad(struct hidden_layer *layer, size_t from, size_t units)
{
    for (size_t j = from; j < units; j++)
        layer->w[j] = layer->t[j] = layer->c[j] = 0;
    layer->units = units;
}

void layer_free(struct hidden_layer *layer)
{
    memory_free(layer->w);
}

double layer_value(const struct hidden_layer *layer, enum unit_activation activation, double x)
{
    double sum = layer->bias;
    for (size_t j = 0; j < layer->units; j++)
        sum += layer->c[j] * activation_value(activation, layer->w[j] * x + layer->t[j]);
    return sum;
}

void layer_measure(struct hidden_layer *layer, enum unit_activation activation,
                   const struct fit_points *points)
{
    double largest = -1, scale = 0, sum = 0;
    for (size_t i = 0; i < points->count; i++) {
        double error = fabs(layer_value(layer, activation, points->x[i]) - points->y[i]);
        if (!isfinite(error))
            error = INFINITY;
        if (error > largest) {
            largest = error;
            layer->max_error_at = points->x[i];
        }
        if (error > scale) { // the squares of large numbers could overflow
            sum *= isinf(error) ? 0 : (scale / error) * (scale / error);
            scale = error;
        }
        sum += scale > 0 && isfinite(scale) ? (error / scale) * (error / scale) : 0;
    }
    layer->max_error = largest;
    layer->rms_error = isinf(scale) ? INFINITY : scale * sqrt(sum / (double)points->count);
}

void layer_consider(struct hidden_layer *best, struct hidden_layer *candidate,
                    const struct hidden_layer *least, enum unit_activation activation,
                    const struct fit_points *points)
{
    const double slack = 1 + 1e-12; // rounding
    layer_measure(candidate, activation, points);
    bool better =
        candidate->max_error * slack < best->max_error ||
        (candidate->max_error <= best->max_error * slack && candidate->rms_error < best->rms_error);
    bool allowed = least->units == 0 || (candidate->max_error <= least->max_error * slack &&
                                         candidate->rms_error <= least->rms_error * slack);
    if (better && allowed)
        layer_copy(best, candidate);
}
