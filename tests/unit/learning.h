// What the tests of learning share: files, options and models in few words.
#ifndef TLU_TESTS_LEARNING_H
#define TLU_TESTS_LEARNING_H

#include "base/random.h"
#include "perceptron_reference.h"
#include "tlu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static inline char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline int write_to_file(void *file, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) != size;
}

static inline void generate_file(const char *path, const tlu_recipe *recipe)
{
    tlu_error error;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (tlu_generate(recipe, write_to_file, file, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(fclose(file), 0);
}

static inline void set_option(tlu_options *options, const char *name, const char *value)
{
    tlu_error error;
    if (tlu_options_set(options, name, value, &error) != TLU_OK)
        fail_msg("%s", error.text);
}

// From "epochs=1 decide=last".
static inline void set_options(tlu_options *options, const char *settings)
{
    char copy[256], *rest = copy;
    assert_true(strlen(settings) < sizeof copy);
    strcpy(copy, settings);
    for (char *item; (item = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(item, '=');
        assert_non_null(equals);
        *equals = '\0';
        set_option(options, item, equals + 1);
    }
}

static inline tlu_status train_watched(const char *path, const tlu_options *options,
                                       tlu_progress_function progress, void *context,
                                       tlu_model **model, tlu_error *error)
{
    tlu_train_settings settings = {
        .size = sizeof settings, .path = path, .progress = progress, .progress_context = context};
    return tlu_train_with(&settings, options, model, error);
}

static inline tlu_status train_resumed(const char *path, const tlu_model *begun,
                                       const tlu_options *options, tlu_model **model,
                                       tlu_error *error)
{
    tlu_train_settings settings = {.size = sizeof settings, .path = path, .resume = begun};
    return tlu_train_with(&settings, options, model, error);
}

// What the settings say, and nothing else.
static inline tlu_options *options_as_said(const char *settings)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    set_options(options, settings);
    return options;
}

// What the tests work out by hand is the plain thing: if the settings do not say otherwise, the
// learner is the perceptron, and none looks at the data to choose its scaling, scheme or rate;
// tests/cli/automatic-options.sh is about that.
static inline tlu_options *options_of(const char *settings)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    if (!strstr(settings, "learner="))
        set_option(options, "learner", "perceptron");
    if (strstr(settings, "learner=alma") || strstr(settings, "learner=hinge") ||
        strstr(settings, "learner=logistic") || strstr(settings, "learner=squared")) {
        set_option(options, "scale", "none");
        set_option(options, "multiclass", "wta");
    }
    if (strstr(settings, "learner=max-margin"))
        set_option(options, "multiclass", "ovr");
    if (strstr(settings, "learner=logistic"))
        set_option(options, "rate", "0.5");
    if (strstr(settings, "learner=hinge"))
        set_option(options, "rate", "0.3");
    set_options(options, settings);
    return options;
}

// For a stream, whose defaults are others: what a file's are, if the settings do not say more.
static inline tlu_options *file_options_of(const char *settings)
{
    char all[256];
    assert_true(snprintf(all, sizeof all, "learner=perceptron decide=average scale=none %s",
                         settings) < (int)sizeof all);
    return options_of(all);
}

static inline tlu_model *train(const char *path, const char *settings)
{
    tlu_options *options = options_of(settings);
    tlu_model *model;
    tlu_error error;
    if (tlu_train(path, options, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return model;
}

static inline void assert_refused(const char *path, const char *settings, const char *reason)
{
    tlu_options *options = options_of(settings);
    tlu_model *model;
    tlu_error error;
    assert_int_equal(tlu_train(path, options, &model, &error), TLU_ERROR_INPUT);
    assert_null(model);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not speak of '%s'", error.text, reason);
    tlu_options_free(options);
}

// The weight of a feature for a class, both by name; 0 where the model has no such feature.
static inline double weight_of(const tlu_model *model, const char *label, const char *feature)
{
    size_t class = tlu_model_class_find(model, label);
    size_t found = tlu_model_feature_find(model, feature);
    assert_true(class != TLU_NONE);
    return found == TLU_NONE ? 0 : tlu_model_weight(model, class, found);
}

static inline double bias_of(const tlu_model *model, const char *label)
{
    size_t class = tlu_model_class_find(model, label);
    assert_true(class != TLU_NONE);
    return tlu_model_bias(model, class);
}

static inline void assert_same_number(double found, double expected, double relative,
                                      const char *what)
{
    double absolute = relative > 0 ? 1e-13 : 0; // sums of numbers near 1 that cancel
    if (!(fabs(found - expected) <= relative * fabs(expected) + absolute))
        fail_msg("%s is %.17g, expected %.17g", what, found, expected);
}

static inline void assert_exactly(double found, double expected)
{
    assert_same_number(found, expected, 0, "the number");
}

// Two models that were saved are the same, byte for byte.
static inline void assert_same_model(const tlu_model *a, const tlu_model *b)
{
    tlu_error error;
    size_t size_a, size_b;
    if (tlu_model_save(a, "same-a.tlu", &error) != TLU_OK ||
        tlu_model_save(b, "same-b.tlu", &error) != TLU_OK)
        fail_msg("%s", error.text);
    char *bytes_a = read_bytes("same-a.tlu", &size_a), *bytes_b = read_bytes("same-b.tlu", &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

// Random rows of a hidden plane (or k of them), one label in five wrong. `density` is the share of
// entries that are not zero; integers are small, so that sums of them are exact.
static inline struct dense random_dense(uint64_t seed, size_t rows, size_t features, size_t classes,
                                        double density, bool integers)
{
    struct random random;
    random_seed(&random, seed);
    struct dense data = {.rows = rows, .features = features, .classes = classes};
    data.x = reference_memory(rows * features, sizeof *data.x);
    data.class = reference_memory(rows, sizeof *data.class);
    double *hidden = reference_memory(classes * features, sizeof *hidden);
    for (size_t i = 0; i < classes * features; i++)
        hidden[i] = random_normal(&random);
    for (size_t i = 0; i < rows; i++) {
        double *x = data.x + i * features, best = -INFINITY;
        for (size_t j = 0; j < features; j++)
            if (random_unit(&random) < density)
                x[j] = integers ? (double)random_below(&random, 7) - 3
                                : to_float(random_normal(&random));
        for (size_t c = 0; c < classes; c++) {
            double score = 0;
            for (size_t j = 0; j < features; j++)
                score += hidden[c * features + j] * x[j];
            if (score > best) {
                best = score;
                data.class[i] = c;
            }
        }
        if (i < classes) // every class is met early
            data.class[i] = i;
        else if (random_below(&random, 5) == 0)
            data.class[i] = (size_t)random_below(&random, classes);
    }
    free(hidden);
    return data;
}

// Feature j has index j + 1; nine digits tell every float from every other.
static inline void write_libsvm(const char *path, const struct dense *data,
                                const char *const *labels)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < data->rows; i++) {
        fputs(labels[data->class[i]], file);
        for (size_t j = 0; j < data->features; j++)
            if (data->x[i * data->features + j] != 0)
                fprintf(file, " %zu:%.9g", j + 1, data->x[i * data->features + j]);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

// The same without a header, which calls the columns 1, 2, 3... and the last one the label.
static inline void write_csv(const char *path, const struct dense *data, const char *const *labels)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < data->rows; i++) {
        for (size_t j = 0; j < data->features; j++)
            fprintf(file, "%.9g,", data->x[i * data->features + j]);
        fprintf(file, "%s\n", labels[data->class[i]]);
    }
    assert_int_equal(fclose(file), 0);
}

// All weights and biases of all classes are those of the reference.
static inline void assert_weights(const tlu_model *model, const struct reference *r, bool average,
                                  const char *const *labels, double relative)
{
    assert_int_equal(tlu_model_class_count(model), r->classes);
    for (size_t c = 0; c < r->classes; c++) {
        for (size_t j = 0; j < r->features; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j + 1);
            assert_same_number(weight_of(model, labels[c], name),
                               reference_weight(r, average, c, j), relative, "a weight");
        }
        assert_same_number(bias_of(model, labels[c]), reference_weight(r, average, c, r->features),
                           relative, "a bias");
    }
}

static inline void assert_mistakes(const tlu_model *model, const struct reference *r)
{
    const tlu_report *report = tlu_model_report(model);
    assert_int_equal(report->epochs, r->passes);
    assert_int_equal(report->updates, r->updates);
    for (size_t i = 0; i < r->passes; i++)
        assert_int_equal(report->mistakes[i], r->mistakes[i]);
}

static inline bool has_notice(const tlu_model *model, const char *words)
{
    const tlu_report *report = tlu_model_report(model);
    for (size_t i = 0; i < report->notices; i++)
        if (strstr(report->notice[i], words))
            return true;
    return false;
}

#endif
