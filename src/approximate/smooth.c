// Layers of tanh, sigmoid and ReLU units, found by growing and training:
//
//     n units from m < n:
//         for each attempt:
//             begin with the layer of m units, or in every other attempt with no units
//             add one unit after the other: from a dictionary of places and slopes, the unit that
//                 reduces the squared error most; in later attempts, random units
//             for p = 2, 4, 8, 16, unless the result of p = 2 is worse than the best so far:
//                 minimise the sum of |error|^p by the Levenberg-Marquardt method
//                 keep the layer if its maximum error is the smallest so far
//
// p = 2 is least squares; larger powers reduce the maximum error. A layer with more units is
// accepted only if neither error has grown. If no attempt succeeds, the new units have weight 0.
//
// Training uses x and y scaled to [-1, 1], with tanh for sigmoid: sigmoid(z) = (1 + tanh(z/2)) / 2.
#include "approximate/fit.h"
#include "approximate/squares.h"
#include "base/memory.h"
#include "numeric/trig.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ATTEMPTS 12
#define WORK 4e8         // approximate number of multiplications for all attempts with n units
#define ITERATIONS 80    // maximum for one training
#define PLACES 48        // places of a unit in the dictionary
#define SLOPES 9         // 1/2, 1, 2, ...
#define STEEPEST 8       // w times the distance of two points
#define NEGLIGIBLE 1e-14 // an error, relative to the range of y, that is only rounding

struct trainer {
    enum unit_activation activation; // ACTIVATION_TANH or ACTIVATION_RELU
    size_t rows, capacity;
    size_t columns_max;     // of the Jacobian
    double *u, *v;          // [rows] scaled x and y
    double steepest;        // largest |w|
    double *residual;       // [rows] v minus the value
    double *columns;        // [columns_max][rows + columns_max]
    double *right, *change; // [rows + columns_max], [columns_max]
    double *basis;          // [capacity + 1][rows] orthonormal: greedy choice
    double *column;         // [rows]
    struct hidden_layer layer, trial;
    struct random *random;
    // x = middle_x + scale_x u, y = middle_y + scale_y v
    double middle_x, scale_x, middle_y, scale_y;
};

// ---- scaling

static void scale(const double *from, size_t count, double *to, double *middle, double *size)
{
    double low = from[0], high = from[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, from[i]);
        high = fmax(high, from[i]);
    }
    *middle = low / 2 + high / 2;
    *size = high > low ? high / 2 - low / 2 : 1;
    for (size_t i = 0; i < count; i++)
        to[i] = (from[i] - *middle) / *size;
}

// From scaled tanh or ReLU units to units of the activation in the units of the data.
static void unscale(const struct trainer *trainer, enum unit_activation activation,
                    const struct hidden_layer *from, struct hidden_layer *to)
{
    layer_copy(to, from);
    to->bias = trainer->middle_y + trainer->scale_y * from->bias;
    for (size_t j = 0; j < from->units; j++) {
        double twice = activation == ACTIVATION_SIGMOID ? 2 : 1;
        to->w[j] = twice * from->w[j] / trainer->scale_x;
        to->t[j] = twice * (from->t[j] - from->w[j] * trainer->middle_x / trainer->scale_x);
        to->c[j] = twice * trainer->scale_y * from->c[j];
        if (activation == ACTIVATION_SIGMOID)
            to->bias -= trainer->scale_y * from->c[j];
    }
}

static void rescale(const struct trainer *trainer, enum unit_activation activation,
                    const struct hidden_layer *from, struct hidden_layer *to)
{
    layer_copy(to, from);
    to->bias = (from->bias - trainer->middle_y) / trainer->scale_y;
    for (size_t j = 0; j < from->units; j++) {
        double half = activation == ACTIVATION_SIGMOID ? 0.5 : 1;
        to->w[j] = half * from->w[j] * trainer->scale_x;
        to->t[j] = half * (from->t[j] + from->w[j] * trainer->middle_x);
        to->c[j] = half * from->c[j] / trainer->scale_y;
        if (activation == ACTIVATION_SIGMOID)
            to->bias += to->c[j];
    }
}

// Removes units of weight 0, which were added without success, to make space for others.
static void drop_idle_units(struct hidden_layer *layer)
{
    size_t kept = 0;
    for (size_t j = 0; j < layer->units; j++)
        if (layer->c[j] != 0) {
            layer->w[kept] = layer->w[j];
            layer->t[kept] = layer->t[j];
            layer->c[kept++] = layer->c[j];
        }
    layer->units = kept;
}

// ---- the layer on the points

static double slope_at(enum unit_activation activation, double z, double value)
{
    return activation == ACTIVATION_TANH ? 1 - value * value : z > 0;
}

static void fill_column(const struct trainer *trainer, double w, double t, double *column)
{
    for (size_t i = 0; i < trainer->rows; i++)
        column[i] = activation_value(trainer->activation, w * trainer->u[i] + t);
}

static void find_residual(struct trainer *trainer, const struct hidden_layer *layer)
{
    for (size_t i = 0; i < trainer->rows; i++)
        trainer->residual[i] =
            trainer->v[i] - layer_value(layer, trainer->activation, trainer->u[i]);
}

static double largest_residual(const struct trainer *trainer)
{
    double largest = 0;
    for (size_t i = 0; i < trainer->rows; i++)
        largest = fmax(largest, fabs(trainer->residual[i]));
    return largest;
}

// (|residual| / size)^(power / 2): power is 2, 4, 8 or 16.
static double magnified(double residual, double size, int power)
{
    double value = fabs(residual) / size;
    for (; power > 2; power /= 2)
        value *= value;
    return value;
}

static double objective(const struct trainer *trainer, double size, int power)
{
    double sum = 0;
    for (size_t i = 0; i < trainer->rows; i++) {
        double value = magnified(trainer->residual[i], size, power);
        sum += value * value;
    }
    return sum;
}

// ---- Levenberg and Marquardt

// w of a ReLU is fixed, because only the product c w matters.
static size_t parameters(const struct trainer *trainer, size_t units)
{
    return 1 + (trainer->activation == ACTIVATION_RELU ? 2 : 3) * units;
}

// Fills the Jacobian, row i multiplied by factor[i]: the bias, then c, t and w of each unit.
static void fill_jacobian(struct trainer *trainer, const double *factor, size_t stride)
{
    const struct hidden_layer *layer = &trainer->layer;
    bool sloped = trainer->activation != ACTIVATION_RELU;
    double *column = trainer->columns + stride;
    for (size_t i = 0; i < trainer->rows; i++)
        trainer->columns[i] = factor[i];
    for (size_t j = 0; j < layer->units; j++, column += (sloped ? 3 : 2) * stride)
        for (size_t i = 0; i < trainer->rows; i++) {
            double z = layer->w[j] * trainer->u[i] + layer->t[j];
            double value = activation_value(trainer->activation, z);
            double slope = layer->c[j] * slope_at(trainer->activation, z, value);
            column[i] = factor[i] * value;
            column[stride + i] = factor[i] * slope;
            if (sloped)
                column[2 * stride + i] = factor[i] * slope * trainer->u[i];
        }
}

// Fills the rows below the Jacobian: a diagonal of its column lengths times the damping.
static void damp(struct trainer *trainer, size_t count, size_t stride, double damping)
{
    for (size_t k = 0; k < count; k++) {
        double *column = trainer->columns + k * stride;
        double length = sqrt(dot(column, column, trainer->rows));
        memset(column + trainer->rows, 0, (stride - trainer->rows) * sizeof *column);
        column[trainer->rows + k] = sqrt(damping) * fmax(length, 1e-8);
    }
    memset(trainer->right + trainer->rows, 0, (stride - trainer->rows) * sizeof *trainer->right);
}

static void step_to_trial(struct trainer *trainer)
{
    struct hidden_layer *trial = &trainer->trial;
    const double *change = trainer->change;
    bool sloped = trainer->activation != ACTIVATION_RELU;
    layer_copy(trial, &trainer->layer);
    trial->bias += *change++;
    for (size_t j = 0; j < trial->units; j++) {
        trial->c[j] += *change++;
        trial->t[j] += *change++;
        if (sloped)
            trial->w[j] =
                fmax(-trainer->steepest, fmin(trainer->steepest, trial->w[j] + *change++));
    }
}

// Minimises the sum of |residual|^power by Gauss-Newton steps for |residual|^(power / 2).
static void train_layer(struct trainer *trainer, int power, size_t iterations)
{
    size_t rows = trainer->rows, count = parameters(trainer, trainer->layer.units);
    size_t stride = rows + count;
    double damping = 1e-3;
    find_residual(trainer, &trainer->layer);
    double size = largest_residual(trainer);
    if (!(size > NEGLIGIBLE))
        return;
    double now = objective(trainer, size, power);
    for (size_t made = 0; made < iterations && damping < 1e10; made++) {
        find_residual(trainer, &trainer->layer);
        for (size_t i = 0; i < rows; i++) {
            double share = fabs(trainer->residual[i]) / size;
            double value = magnified(trainer->residual[i], size, power);
            trainer->column[i] =
                power == 2 ? 1 : fmax(1e-6, share > 0 ? power / 2.0 * value / share : 0);
            trainer->right[i] = trainer->residual[i] < 0 ? -value * size : value * size;
        }
        fill_jacobian(trainer, trainer->column, stride);
        damp(trainer, count, stride, damping);
        least_squares(trainer->columns, stride, count, trainer->right, trainer->change);
        step_to_trial(trainer);
        find_residual(trainer, &trainer->trial);
        double then = objective(trainer, size, power);
        if (then < now) {
            bool small = now - then < 1e-7 * now;
            layer_copy(&trainer->layer, &trainer->trial);
            now = then;
            damping = fmax(1e-13, damping / 5);
            if (small)
                break;
        } else {
            damping *= 4;
        }
    }
}

// ---- adding units

// The weights c and the bias by least squares.
static void fit_outer(struct trainer *trainer)
{
    struct hidden_layer *layer = &trainer->layer;
    size_t rows = trainer->rows, count = layer->units + 1;
    for (size_t i = 0; i < rows; i++)
        trainer->columns[i] = 1;
    for (size_t j = 0; j < layer->units; j++)
        fill_column(trainer, layer->w[j], layer->t[j], trainer->columns + (j + 1) * rows);
    memcpy(trainer->right, trainer->v, rows * sizeof *trainer->right);
    least_squares(trainer->columns, rows, count, trainer->right, trainer->change);
    layer->bias = trainer->change[0];
    memcpy(layer->c, trainer->change + 1, layer->units * sizeof *layer->c);
}

// Makes the column orthogonal to the basis. Returns the square of its length, 0 if only rounding is
// left.
static double orthogonalise(const struct trainer *trainer, size_t known, double *column)
{
    double whole = dot(column, column, trainer->rows), square = 0;
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < known; k++) {
            const double *other = trainer->basis + k * trainer->rows;
            add_times(column, -dot(other, column, trainer->rows), other, trainer->rows);
        }
    square = dot(column, column, trainer->rows);
    return square > 1e-12 * whole ? square : 0;
}

static void add_to_basis(struct trainer *trainer, size_t *known, double w, double t)
{
    double *column = trainer->basis + *known * trainer->rows;
    if (w == 0)
        for (size_t i = 0; i < trainer->rows; i++)
            column[i] = 1;
    else
        fill_column(trainer, w, t, column);
    double square = orthogonalise(trainer, *known, column);
    if (square == 0)
        return;
    for (size_t i = 0; i < trainer->rows; i++)
        column[i] /= sqrt(square);
    add_times(trainer->residual, -dot(column, trainer->residual, trainer->rows), column,
              trainer->rows);
    ++*known;
}

// Entry `index` of the dictionary.
#define ENTRIES (PLACES * SLOPES)
static void dictionary_unit(const struct trainer *trainer, size_t index, double *w, double *t)
{
    double place = -1 + 2 * (double)(index % PLACES) / PLACES;
    size_t slope = index / PLACES;
    if (trainer->activation == ACTIVATION_RELU)
        *w = slope % 2 ? -1 : 1;
    else
        *w = fmin(trainer->steepest, ldexp(0.5, (int)slope));
    *t = -*w * (slope % 2 && trainer->activation == ACTIVATION_RELU ? -place : place);
}

static void add_best_unit(struct trainer *trainer, size_t *known)
{
    struct hidden_layer *layer = &trainer->layer;
    size_t entries = trainer->activation == ACTIVATION_RELU ? 2 * PLACES : ENTRIES;
    double best = -1, best_w = 1, best_t = 0;
    for (size_t index = 0; index < entries; index++) {
        double w, t;
        dictionary_unit(trainer, index, &w, &t);
        fill_column(trainer, w, t, trainer->column);
        double square = orthogonalise(trainer, *known, trainer->column);
        double along = dot(trainer->column, trainer->residual, trainer->rows);
        if (square > 0 && along * along / square > best) {
            best = along * along / square;
            best_w = w;
            best_t = t;
        }
    }
    layer->w[layer->units] = best_w;
    layer->t[layer->units++] = best_t;
    add_to_basis(trainer, known, best_w, best_t);
}

static void add_best_units(struct trainer *trainer, size_t units)
{
    struct hidden_layer *layer = &trainer->layer;
    size_t known = 0;
    memcpy(trainer->residual, trainer->v, trainer->rows * sizeof *trainer->residual);
    add_to_basis(trainer, &known, 0, 0);
    for (size_t j = 0; j < layer->units; j++)
        add_to_basis(trainer, &known, layer->w[j], layer->t[j]);
    while (layer->units < units)
        add_best_unit(trainer, &known);
}

static void add_random_units(struct trainer *trainer, size_t units)
{
    struct hidden_layer *layer = &trainer->layer;
    for (; layer->units < units; layer->units++) {
        double place = 2 * random_unit(trainer->random) - 1;
        double slope = ldexp(1, (int)random_below(trainer->random, 6));
        double sign = random_below(trainer->random, 2) ? 1 : -1;
        double w = trainer->activation == ACTIVATION_RELU ? sign : fmin(trainer->steepest, slope);
        layer->w[layer->units] = w;
        layer->t[layer->units] = -w * place;
    }
}

// ---- attempts

static void close_trainer(struct trainer *trainer)
{
    memory_free(trainer->u);
    memory_free(trainer->v);
    memory_free(trainer->residual);
    memory_free(trainer->columns);
    memory_free(trainer->right);
    memory_free(trainer->change);
    memory_free(trainer->basis);
    memory_free(trainer->column);
    layer_free(&trainer->layer);
    layer_free(&trainer->trial);
}

static bool open_trainer(struct trainer *trainer, const struct fit_points *points, size_t units)
{
    size_t rows = points->count, count = 1 + 3 * units;
    trainer->rows = rows;
    trainer->u = memory_new(rows, sizeof(double));
    trainer->v = memory_new(rows, sizeof(double));
    trainer->residual = memory_new(rows, sizeof(double));
    trainer->column = memory_new(rows, sizeof(double));
    trainer->right = memory_new(rows + count, sizeof(double));
    trainer->change = memory_new(count, sizeof(double));
    trainer->columns = memory_new((uint64_t)count * (rows + count), sizeof(double));
    trainer->basis = memory_new((uint64_t)(units + 1) * rows, sizeof(double));
    bool layers = layer_new(&trainer->layer, units);
    layers = layer_new(&trainer->trial, units) && layers;
    if (!layers || !trainer->u || !trainer->v || !trainer->residual || !trainer->column ||
        !trainer->right || !trainer->change || !trainer->columns || !trainer->basis)
        return false;
    scale(points->x, rows, trainer->u, &trainer->middle_x, &trainer->scale_x);
    scale(points->y, rows, trainer->v, &trainer->middle_y, &trainer->scale_y);
    trainer->steepest = STEEPEST * (double)(rows - 1) / 2;
    return true;
}

// The number of attempts and iterations that WORK allows; it is the same on every machine.
static void plan(const struct trainer *trainer, size_t units, size_t *attempts, size_t *iterations)
{
    double count = (double)parameters(trainer, units);
    double step = 2 * ((double)trainer->rows + count) * count * count; // of the decomposition
    step += 3 * (double)(trainer->rows * units) * 100;                 // of the activations
    double steps = WORK / step;
    *attempts = (size_t)fmax(2, fmin(ATTEMPTS, steps / ITERATIONS));
    *iterations = (size_t)fmax(8, fmin(ITERATIONS, steps / (double)*attempts));
}

// Tries to find a layer that is better than *best, which has the right number of units.
static void attempt(struct trainer *trainer, struct hidden_layer *best,
                    struct hidden_layer *candidate, const struct hidden_layer *least,
                    enum unit_activation activation, const struct fit_points *points,
                    size_t iterations)
{
    fit_outer(trainer);
    for (int power = 2; power <= 16; power *= 2) {
        train_layer(trainer, power, iterations);
        unscale(trainer, activation, &trainer->layer, candidate);
        layer_consider(best, candidate, least, activation, points);
        if (power == 2 && candidate->rms_error > best->rms_error)
            break;
    }
}

static void fit_with(struct trainer *trainer, struct hidden_layer *layer,
                     struct hidden_layer *candidate, struct hidden_layer *least, size_t units,
                     enum unit_activation activation, const struct fit_points *points)
{
    size_t attempts, iterations;
    plan(trainer, units, &attempts, &iterations);
    layer_copy(least, layer);
    layer_pad(layer, layer->units, units);
    for (size_t i = 0; i < attempts && layer->max_error > NEGLIGIBLE * trainer->scale_y; i++) {
        rescale(trainer, activation, least, &trainer->layer);
        drop_idle_units(&trainer->layer);
        if (i % 2)
            trainer->layer.units = 0;
        (i < 2 ? add_best_units : add_random_units)(trainer, units);
        attempt(trainer, layer, candidate, least, activation, points, iterations);
    }
}

tlu_status fit_smooth(struct hidden_layer *layer, size_t units, enum unit_activation activation,
                      const struct fit_points *points, struct random *random, tlu_error *error)
{
    struct trainer trainer = {.activation =
                                  activation == ACTIVATION_SIGMOID ? ACTIVATION_TANH : activation,
                              .random = random};
    struct hidden_layer candidate, least;
    assert(units > layer->units && units <= layer->capacity && units < points->count);
    bool enough = open_trainer(&trainer, points, units);
    enough = layer_new(&candidate, units) && enough;
    enough = layer_new(&least, units) && enough;
    if (enough)
        fit_with(&trainer, layer, &candidate, &least, units, activation, points);
    close_trainer(&trainer);
    layer_free(&candidate);
    layer_free(&least);
    return enough_memory(enough, error);
}
