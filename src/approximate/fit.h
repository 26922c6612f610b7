// Networks with one hidden layer that approximate a function of one variable, given as points.
#ifndef TLU_APPROXIMATE_FIT_H
#define TLU_APPROXIMATE_FIT_H

#include "base/error.h"
#include "base/random.h"

#include <stddef.h>

enum unit_activation { ACTIVATION_TANH, ACTIVATION_SIGMOID, ACTIVATION_RELU, ACTIVATION_STEP };

double activation_value(enum unit_activation activation, double z);

struct fit_points {
    double *x, *y; // [count] x ascending
    size_t count;
};

// bias + sum of c_j s(w_j x + t_j)
struct hidden_layer {
    size_t units;
    double bias;
    double *w, *t, *c; // [capacity] each, in one block that begins at w
    size_t capacity;
    double max_error, max_error_at, rms_error; // at the points
};

bool layer_new(struct hidden_layer *layer, size_t capacity);               // false: out of memory
void layer_copy(struct hidden_layer *to, const struct hidden_layer *from); // to has the capacity
void layer_pad(struct hidden_layer *layer, size_t from, size_t units);     // with units of weight 0
void layer_free(struct hidden_layer *layer);
double layer_value(const struct hidden_layer *layer, enum unit_activation activation, double x);
void layer_measure(struct hidden_layer *layer, enum unit_activation activation,
                   const struct fit_points *points);

// Replaces *best by the candidate if the candidate's maximum error is smaller, and neither of its
// errors is larger than that of `least`, a layer with fewer units (ignored if it has none).
void layer_consider(struct hidden_layer *best, struct hidden_layer *candidate,
                    const struct hidden_layer *least, enum unit_activation activation,
                    const struct fit_points *points);

// Grows a layer to `units` units; the result is never worse. On entry *layer holds the smaller
// layer and has the capacity for the larger one.
tlu_status fit_smooth(struct hidden_layer *layer, size_t units, enum unit_activation activation,
                      const struct fit_points *points, struct random *random, tlu_error *error);
// The same for ACTIVATION_STEP.
tlu_status fit_steps(struct hidden_layer *layer, size_t units, const struct fit_points *points,
                     tlu_error *error);

#endif
