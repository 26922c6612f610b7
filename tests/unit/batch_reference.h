// For the tests of learners that look at all rows: data in plain arrays, the learner run on it, and
// slow second implementations of the best hyperplane.
#ifndef TLU_TESTS_BATCH_REFERENCE_H
#define TLU_TESTS_BATCH_REFERENCE_H

#include "base/memory.h"
#include "base/random.h"
#include "solvers/batch_solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct data {
    size_t rows, features;
    uint32_t classes;
    float *x;          // [rows][features]
    uint32_t *label;   // [rows]
    uint8_t *held_out; // [rows]
};

static inline struct data data_new(size_t rows, size_t features, uint32_t classes)
{
    struct data data = {.rows = rows, .features = features, .classes = classes};
    data.x = calloc(rows * features + 1, sizeof *data.x);
    data.label = calloc(rows + 1, sizeof *data.label);
    data.held_out = calloc(rows + 1, sizeof *data.held_out);
    assert_non_null(data.x);
    assert_non_null(data.label);
    assert_non_null(data.held_out);
    return data;
}

static inline void data_free(struct data *data)
{
    free(data->x);
    free(data->label);
    free(data->held_out);
}

static inline double value_at(const struct data *data, size_t row, size_t feature)
{
    return (double)data->x[row * data->features + feature];
}

// Rows of "label x1 x2 ..." in an array.
static inline struct data data_of(size_t rows, size_t features, uint32_t classes,
                                  const float *numbers)
{
    struct data data = data_new(rows, features, classes);
    for (size_t i = 0; i < rows; i++) {
        const float *row = numbers + i * (features + 1);
        data.label[i] = (uint32_t)row[0];
        memcpy(data.x + i * features, row + 1, features * sizeof *row);
    }
    return data;
}

static inline float normal(struct random *random)
{
    volatile float value = (float)random_normal(random); // see to_float in perceptron_reference.h
    return value;
}

// Around a point of its own for each class, `spread` apart; with `zeros` a quarter are 0.
static inline struct data make_clouds(size_t rows, size_t features, uint32_t classes, double spread,
                                      bool zeros, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct data data = data_new(rows, features, classes);
    float *centre = calloc(classes * features, sizeof *centre);
    for (size_t i = 0; i < classes * features; i++)
        centre[i] = (float)spread * normal(&random);
    for (size_t i = 0; i < rows; i++) {
        data.label[i] = i < classes ? (uint32_t)i : (uint32_t)random_below(&random, classes);
        for (size_t f = 0; f < features; f++)
            if (!zeros || random_below(&random, 4))
                data.x[i * features + f] = centre[data.label[i] * features + f] + normal(&random);
    }
    free(centre);
    return data;
}

// On the two sides of a plane and not too near to it; separable, but not through the origin.
static inline struct data make_separable(size_t rows, size_t features, double distance,
                                         uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct data data = data_new(rows, features, 2);
    double *w = calloc(features, sizeof *w), length = 0;
    for (size_t f = 0; f < features; f++) {
        w[f] = random_normal(&random);
        length += w[f] * w[f];
    }
    for (size_t i = 0; i < rows;) {
        double score = -0.7;
        for (size_t f = 0; f < features; f++) {
            data.x[i * features + f] = normal(&random);
            score += w[f] / sqrt(length) * value_at(&data, i, f);
        }
        if (fabs(score) < distance || (i < 2 && (score > 0) != (i == 1)))
            continue; // again; the first two rows are of either class
        data.label[i++] = score > 0;
    }
    free(w);
    return data;
}

static inline struct data make_counts(size_t rows, size_t features, uint32_t classes, bool binary,
                                      uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct data data = data_new(rows, features, classes);
    double chance[16][64];
    for (uint32_t c = 0; c < classes; c++)
        for (size_t f = 0; f < features; f++)
            chance[c][f] = random_unit(&random);
    for (size_t i = 0; i < rows; i++) {
        uint32_t c = data.label[i] =
            i < classes ? (uint32_t)i : (uint32_t)random_below(&random, classes);
        for (size_t f = 1; f < features; f++) // feature 0 is never met
            if (random_unit(&random) < chance[c][f])
                data.x[i * features + f] = binary ? 1 : (float)(1 + random_below(&random, 4));
    }
    return data;
}

// ---- the learner ----

// Each batch has a third of the rows, so that none of them starts where the data does.
static inline struct batch *batch_of(const struct data *data, size_t from, size_t to)
{
    struct batch *batch = batch_new();
    assert_non_null(batch);
    assert_true(batch_reserve(batch, to - from, (to - from) * data->features));
    batch->first_row = batch->place.first_line = from;
    size_t used = 0;
    for (size_t i = from; i < to; i++) {
        for (size_t f = 0; f < data->features; f++) {
            float value = data->x[i * data->features + f];
            if (value == 0)
                continue;
            batch->indices[used] = (uint32_t)f;
            batch->values[used++] = value;
            batch->ones &= value == 1;
        }
        batch->labels[i - from] = data->label[i];
        batch->line[i - from] = (uint32_t)(i - from) + 1;
        batch->offsets[i - from + 1] = (uint32_t)used;
    }
    batch->rows = to - from;
    batch->held_out = data->held_out + from;
    return batch;
}

enum { BATCHES = 3 };

static inline void learner_start(struct tlu_learner *learner, const struct data *data,
                                 const char *settings)
{
    static const char *const labels[] = {"ant", "bee", "cat", "dog", "eel"};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_error error = {0};
    char text[200];
    snprintf(text, sizeof text, "%s", settings);
    for (char *item = strtok(text, " "); item; item = strtok(NULL, " ")) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        assert_int_equal(tlu_options_set(options, item, value, &error), TLU_OK);
    }
    if (learner_init(learner, options, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    tlu_options_free(options);
    learner->state.schema.base = SCHEMA_DIRECT; // features are numbers
    for (uint32_t c = 0; c < data->classes; c++)
        assert_int_equal(schema_class_add(&learner->state.schema, labels[c], 3), c);
    assert_int_equal(learner_add_classes(learner, data->classes, &error), TLU_OK);
    assert_true(weights_reserve(&learner->state.weights,
                                learner->state.kernel.kind ? data->rows : data->features));
}

// "learner=rocchio no-bias=yes"; the learner is to be freed whatever comes of it.
static inline tlu_status solve(struct tlu_learner *learner, const struct data *data,
                               const char *settings, tlu_error *error)
{
    learner_start(learner, data, settings);
    struct batch *batches[BATCHES];
    for (size_t b = 0; b < BATCHES; b++)
        batches[b] = batch_of(data, data->rows * b / BATCHES, data->rows * (b + 1) / BATCHES);
    tlu_status status = learner->rule.functions->solve(learner, batches, BATCHES, error);
    for (size_t b = 0; b < BATCHES; b++)
        batch_free(batches[b]);
    return status;
}

static inline void solve_well(struct tlu_learner *learner, const struct data *data,
                              const char *settings)
{
    tlu_error error = {0};
    if (solve(learner, data, settings, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
}

static inline void solve_badly(const struct data *data, const char *settings, const char *reason)
{
    struct tlu_learner learner;
    tlu_error error = {0};
    assert_int_equal(solve(&learner, data, settings, &error), TLU_ERROR_INPUT);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not speak of '%s'", error.text, reason);
    learner_free_parts(&learner);
}

static inline double weight_at(const struct tlu_learner *learner, size_t feature, uint32_t column)
{
    return learner->state.weights.w[feature * learner->state.weights.columns + column];
}

static inline double score_of(const struct tlu_learner *learner, const struct data *data,
                              size_t row, uint32_t column)
{
    double score = learner->state.weights.bias[column];
    for (size_t f = 0; f < data->features; f++)
        score += weight_at(learner, f, column) * value_at(data, row, f);
    return score;
}

static inline uint32_t elect(const struct tlu_learner *learner, const struct data *data, size_t row)
{
    double scores[16];
    for (uint32_t k = 0; k < learner->state.weights.columns; k++)
        scores[k] = score_of(learner, data, row, k);
    assert_int_equal(learner->state.scheme.classes, data->classes);
    return learner_elect(learner, scores);
}

static inline void assert_close(double found, double expected, double tolerance, const char *what)
{
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%s is %.17g, expected %.17g", what, found, expected);
}

// y of a class in the problem of a column, written out once more.
static inline double side_of(const struct tlu_learner *learner, uint32_t classes, uint32_t column,
                             uint32_t class_index)
{
    if (classes == 2)
        return class_index == learner->state.scheme.positive ? 1 : -1;
    if (learner->state.scheme.kind != SCHEME_OVO)
        return class_index == column ? 1 : -1;
    uint32_t pair = 0;
    for (uint32_t later = 1; later < classes; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++, pair++)
            if (pair == column)
                return class_index == later ? 1 : class_index == earlier ? -1 : 0;
    return 0;
}

// ---- slow solvers ----

// The perceptron of the notes; whether it stops says whether the rows can be separated.
static inline bool perceptron(const struct data *data, bool bias, double *w, size_t passes)
{
    size_t features = data->features;
    memset(w, 0, (features + 1) * sizeof *w);
    while (passes-- > 0) {
        bool mistakes = false;
        for (size_t i = 0; i < data->rows; i++) {
            double y = data->label[i] ? 1 : -1, score = w[features];
            for (size_t f = 0; f < features; f++)
                score += w[f] * value_at(data, i, f);
            if (y * score > 0)
                continue;
            mistakes = true;
            for (size_t f = 0; f < features; f++)
                w[f] += y * value_at(data, i, f);
            w[features] += bias ? y : 0;
        }
        if (!mistakes)
            return true;
    }
    return false;
}

// d := the nearest point with 0 <= y d <= limit and, with a bias, sum d = 0: by bisection.
static inline void project(size_t n, double *d, const double *y, const double *limit, bool bias)
{
    double from = -1e6, to = 1e6;
    for (int step = 0; step < 100; step++) {
        double shift = bias ? (from + to) / 2 : 0, sum = 0;
        for (size_t i = 0; i < n; i++) {
            double a = y[i] * (d[i] - shift);
            sum += y[i] * (a < 0 ? 0 : a > limit[i] ? limit[i] : a);
        }
        if (sum > 0)
            from = shift;
        else
            to = shift;
    }
    for (size_t i = 0; i < n; i++) {
        double a = y[i] * (d[i] - (bias ? (from + to) / 2 : 0));
        d[i] = y[i] * (a < 0 ? 0 : a > limit[i] ? limit[i] : a);
    }
}

// sum alpha - |sum d x|^2 / 2
static inline double dual_of(const struct data *data, const double *d, const double *y)
{
    double alphas = 0, square = 0;
    for (size_t i = 0; i < data->rows; i++)
        alphas += y[i] * d[i];
    for (size_t f = 0; f < data->features; f++) {
        double w = 0;
        for (size_t i = 0; i < data->rows; i++)
            w += d[i] * value_at(data, i, f);
        square += w * w;
    }
    return alphas - square / 2;
}

// The dual of the soft margin by projected gradient steps with momentum (Nesterov): many small
// steps of all rows at once, nothing clever.
static inline double slow_soft_margin(const struct data *data, const double *y, const double *limit,
                                      bool bias)
{
    size_t n = data->rows;
    double *d = calloc(n, sizeof *d), *at = calloc(n, sizeof *at), *last = calloc(n, sizeof *last);
    double *w = calloc(data->features, sizeof *w), length = 1e-9, momentum = 1;
    for (size_t i = 0; i < n * data->features; i++)
        length += (double)data->x[i] * (double)data->x[i]; // at least the largest curvature
    for (int step = 0; step < 20000; step++) {
        memset(w, 0, data->features * sizeof *w);
        for (size_t i = 0; i < n; i++)
            for (size_t f = 0; f < data->features; f++)
                w[f] += at[i] * value_at(data, i, f);
        for (size_t i = 0; i < n; i++) {
            double slope = y[i];
            for (size_t f = 0; f < data->features; f++)
                slope -= w[f] * value_at(data, i, f);
            last[i] = d[i];
            d[i] = at[i] + slope / length;
        }
        project(n, d, y, limit, bias);
        double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        for (size_t i = 0; i < n; i++)
            at[i] = d[i] + (momentum - 1) / next * (d[i] - last[i]);
        momentum = step % 500 == 499 ? 1 : next;
    }
    double dual = dual_of(data, d, y);
    free(d);
    free(at);
    free(last);
    free(w);
    return dual;
}

// The margin of the plane w . x + b: the least y (w . x + b) / |w|, of a set in the plane.
static inline double margin_in_2d(const struct data *data, double w0, double w1, double b)
{
    double least = INFINITY, length = hypot(w0, w1);
    for (size_t i = 0; i < data->rows; i++) {
        double y = data->label[i] ? 1 : -1;
        least =
            fmin(least, y * (w0 * value_at(data, i, 0) + w1 * value_at(data, i, 1) + b) / length);
    }
    return least;
}

// In the plane the best line has two points nearest to it, one of each class, and is halfway and
// upright between them; or three, and is parallel to the line through two of one class. Tries all.
static inline double best_margin_in_2d(const struct data *data)
{
    double best = -INFINITY;
    for (size_t i = 0; i < data->rows; i++) {
        for (size_t j = 0; j < data->rows; j++) {
            double dx = value_at(data, i, 0) - value_at(data, j, 0);
            double dy = value_at(data, i, 1) - value_at(data, j, 1);
            if (i == j || (dx == 0 && dy == 0))
                continue;
            bool same = data->label[i] == data->label[j];
            double w0 = same ? -dy : dx, w1 = same ? dx : dy; // both directions come by i and j
            for (size_t k = 0; k < data->rows; k++) {
                size_t other = same ? k : j;
                if (data->label[other] == data->label[i])
                    continue;
                double b = -(w0 * (value_at(data, i, 0) + value_at(data, other, 0)) +
                             w1 * (value_at(data, i, 1) + value_at(data, other, 1))) /
                           2;
                best = fmax(best, margin_in_2d(data, w0, w1, b));
            }
        }
    }
    return best;
}

#endif
