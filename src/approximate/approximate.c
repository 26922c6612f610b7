// The public functions: read the points, then fit layers with more and more units.
#include "approximate/fit.h"
#include "approximate/formula.h"
#include "approximate/points.h"
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 401
#define FROM (-4)
#define TO 4
#define UNITS_MAX 128

static const size_t default_units[] = {1, 2, 4, 8, 16};
#define DEFAULT_UNITS (sizeof default_units / sizeof default_units[0])

static const char *const activations[] = {[ACTIVATION_TANH] = "tanh",
                                          [ACTIVATION_SIGMOID] = "sigmoid",
                                          [ACTIVATION_RELU] = "relu",
                                          [ACTIVATION_STEP] = "step"};

// The public struct is the first member, so a pointer to it also points to the whole.
struct approximation {
    tlu_approximation shown;
    enum unit_activation activation;
    struct fit_points points;
    char *name;
    tlu_approximation_net *nets; // [count]
    struct hidden_layer *layers; // [count]
    size_t count;
};

tlu_status tlu_formula_value(const char *formula, double x, double *value, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct formula read = {.count = 0};
    TRY(check_given(formula != NULL, "formula", error));
    tlu_status status = formula_read(&read, formula, error);
    *value = status == TLU_OK ? formula_value(&read, x) : NAN;
    formula_free(&read);
    return status;
}

// ---- settings

static tlu_status check_settings(tlu_approximate_settings *own, tlu_error *error)
{
    if (!own->formula == !own->path)
        return error_input(error, "an approximation needs either a formula or a file");
    if (own->path && own->points)
        return error_input(error, "a file has one point per row; leave the number of points 0");
    own->points = own->points ? own->points : POINTS;
    if (own->points < 2 || own->points > POINTS_MAX)
        return error_input(error, "%llu points are out of range: expected 2 to %d",
                           (unsigned long long)own->points, POINTS_MAX);
    if (!own->interval_given) {
        own->from = own->path ? -INFINITY : FROM;
        own->to = own->path ? INFINITY : TO;
    }
    if (!(own->from < own->to))
        return error_input(error, "the interval is empty: expected --from below --to");
    if (own->formula && !(fabs(own->from) <= 1e150 && fabs(own->to) <= 1e150))
        return error_input(error, "the interval is too wide: expected --from and --to within "
                                  "-1e150 and 1e150");
    double step = (own->to - own->from) / (double)own->points;
    if (own->formula &&
        !(own->from + step > own->from && own->to - step < own->to && step > 1e-150))
        return error_input(error, "the interval is too short for %llu points; widen it",
                           (unsigned long long)own->points);
    return TLU_OK;
}

static tlu_status find_activation(const char *name, enum unit_activation *activation,
                                  tlu_error *error)
{
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++)
        if (!name || strcmp(activations[i], name) == 0) {
            *activation = (enum unit_activation)i;
            return TLU_OK;
        }
    return error_input(error,
                       "there is no activation '%.100s': expected tanh, sigmoid, relu or "
                       "step",
                       name);
}

static tlu_status check_units(const tlu_approximate_settings *own, size_t distinct,
                              tlu_error *error)
{
    size_t before = 0;
    for (size_t i = 0; i < own->unit_count; i++) {
        size_t units = own->units[i];
        if (units < 1 || units > UNITS_MAX)
            return error_input(error, "%zu units are out of range: expected 1 to %d", units,
                               UNITS_MAX);
        if (units <= before)
            return error_input(error, "the numbers of units must ascend: %zu follows %zu", units,
                               before);
        if (units >= distinct)
            return error_input(error,
                               "%zu units are too many for %zu points; give fewer units or more "
                               "points",
                               units, distinct);
        before = units;
    }
    return TLU_OK;
}

// ---- growing

// The number of units after `units` on the way to `wanted`: 1, 2, 3, 4, 6, 8, 12, 16, 24, ...
static size_t next_units(size_t units, size_t wanted)
{
    size_t power = 1, next;
    while (2 * power <= units)
        power *= 2;
    if (units < 4)
        next = units + 1;
    else
        next = units < power + power / 2 ? power + power / 2 : 2 * power;
    return next < wanted ? next : wanted;
}

static tlu_status grow(struct approximation *all, struct hidden_layer *layer, size_t wanted,
                       struct random *random, tlu_error *error)
{
    while (layer->units < wanted) {
        size_t units = next_units(layer->units, wanted);
        TRY(all->activation == ACTIVATION_STEP
                ? fit_steps(layer, units, &all->points, error)
                : fit_smooth(layer, units, all->activation, &all->points, random, error));
    }
    return TLU_OK;
}

static void begin_layer(struct hidden_layer *layer, const struct approximation *all)
{
    double low = all->points.y[0], high = low;
    for (size_t i = 1; i < all->points.count; i++) {
        low = fmin(low, all->points.y[i]);
        high = fmax(high, all->points.y[i]);
    }
    layer->bias = low / 2 + high / 2;
    layer_measure(layer, all->activation, &all->points);
}

static void show_net(tlu_approximation_net *net, const struct hidden_layer *layer)
{
    *net = (tlu_approximation_net){.units = layer->units,
                                   .bias = layer->bias,
                                   .w = layer->w,
                                   .t = layer->t,
                                   .c = layer->c,
                                   .max_error = layer->max_error,
                                   .max_error_at = layer->max_error_at,
                                   .rms_error = layer->rms_error};
}

static tlu_status fit_all(struct approximation *all, const tlu_approximate_settings *own,
                          tlu_error *error)
{
    struct random random;
    random_seed(&random, own->seed);
    for (size_t i = 0; i < own->unit_count; i++) {
        struct hidden_layer *layer = &all->layers[i];
        TRY(enough_memory(layer_new(layer, own->units[i]), error));
        if (i == 0)
            begin_layer(layer, all);
        else
            layer_copy(layer, &all->layers[i - 1]);
        TRY(grow(all, layer, own->units[i], &random, error));
        show_net(&all->nets[i], layer);
        all->shown.net_count++;
    }
    return TLU_OK;
}

// ---- the approximation

static tlu_status make(struct approximation *all, const tlu_approximate_settings *own,
                       tlu_error *error)
{
    const char *name = own->formula ? own->formula : own->path;
    all->name = memory_copy_text(name, strlen(name));
    all->count = own->unit_count;
    all->nets = memory_new(own->unit_count, sizeof *all->nets);
    all->layers = memory_new(own->unit_count, sizeof *all->layers);
    TRY(enough_memory(all->name && all->nets && all->layers, error));
    TRY(own->formula ? points_of_formula(&all->points, own->formula, own->from, own->to,
                                         (size_t)own->points, error)
                     : points_of_file(&all->points, own->path, own->from, own->to, error));
    TRY(check_units(own, points_distinct(&all->points), error));
    all->shown.name = all->name;
    all->shown.is_file = own->path != NULL;
    all->shown.activation = activations[all->activation];
    all->shown.from = all->points.x[0];
    all->shown.to = all->points.x[all->points.count - 1];
    all->shown.points = all->points.count;
    all->shown.x = all->points.x;
    all->shown.y = all->points.y;
    all->shown.nets = all->nets;
    return fit_all(all, own, error);
}

tlu_status tlu_approximate(const tlu_approximate_settings *settings,
                           tlu_approximation **approximation, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_approximate_settings own;
    enum unit_activation activation = ACTIVATION_TANH;
    *approximation = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_approximate_settings", error));
    TRY(find_activation(own.activation, &activation, error));
    TRY(check_settings(&own, error));
    if (!own.unit_count) {
        own.units = default_units;
        own.unit_count = DEFAULT_UNITS;
    }
    TRY(check_units(&own, SIZE_MAX, error)); // before anything is read
    struct approximation *all = memory_new(1, sizeof *all);
    TRY(enough_memory(all, error));
    all->activation = activation;
    tlu_status status = make(all, &own, error);
    if (status == TLU_OK)
        *approximation = &all->shown;
    else
        tlu_approximation_free(&all->shown);
    return status;
}

double tlu_approximation_value(const tlu_approximation *approximation, size_t net, double x)
{
    FP_ENV_DEFAULT(caller);
    const struct approximation *all = (const struct approximation *)(const void *)approximation;
    if (net >= approximation->net_count)
        return NAN;
    return layer_value(&all->layers[net], all->activation, x);
}

void tlu_approximation_free(tlu_approximation *approximation)
{
    struct approximation *all = (struct approximation *)(void *)approximation;
    if (!all)
        return;
    for (size_t i = 0; all->layers && i < all->count; i++)
        layer_free(&all->layers[i]);
    points_free(&all->points);
    memory_free(all->name);
    memory_free(all->nets);
    memory_free(all->layers);
    memory_free(all);
}
