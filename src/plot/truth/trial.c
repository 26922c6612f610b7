// One trial: draws rows of a recipe, trains on them and measures the model on fresh ones.
#include "base/memory.h"
#include "numeric/number.h"
#include "plot/paint/paint.h"
#include "plot/truth/truth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- rows

#define CLASS_NAME_SIZE 24

static int keep(void *context, const char *bytes, size_t size)
{
    struct byte_buffer *text = context;
    buffer_add(text, bytes, size);
    return text->failed;
}

// Reads a number and skips the comma or line feed after it.
static double next_number(const char **at, const char *limit)
{
    double value = 0;
    number_parse(*at, limit, &value, at);
    if (*at < limit)
        ++*at;
    return value;
}

static void read_rows(const struct recipe_truth *truth, const struct byte_buffer *text,
                      struct truth_sample *sample)
{
    const char *limit = (const char *)text->data + text->size;
    const char *at =
        (const char *)memchr((const char *)text->data, '\n', text->size) + 1; // after the header
    for (size_t i = 0; i < sample->count; i++) {
        sample->at[i].x = next_number(&at, limit);
        sample->at[i].y = next_number(&at, limit);
        sample->classes[i] = truth_class(truth, (int64_t)next_number(&at, limit));
    }
}

static bool name_classes(struct trial *trial)
{
    struct truth_sample *sample = &trial->sample;
    size_t count = sample->class_count;
    sample->names = arena_new(&trial->memory, count, sizeof *sample->names + CLASS_NAME_SIZE);
    char *text = sample->names ? (char *)(sample->names + count) : NULL;
    for (size_t i = 0; text && i < count; i++, text += CLASS_NAME_SIZE) {
        sample->names[i] = text;
        if (trial->truth.kind->counted)
            snprintf(text, CLASS_NAME_SIZE, "%zu", i + 1);
        else
            snprintf(text, CLASS_NAME_SIZE, "%s", i ? "+1" : "-1");
    }
    return sample->names != NULL;
}

// The numbers are those that tlu generate writes.
static tlu_status draw_sample(struct trial *trial, tlu_error *error)
{
    struct byte_buffer text = {0};
    struct truth_sample *sample = &trial->sample;
    tlu_recipe recipe = trial->truth.recipe;
    recipe.format = "csv";
    *sample = (struct truth_sample){.learned = (size_t)recipe.rows,
                                    .count = (size_t)recipe.rows + FRESH,
                                    .class_count = (size_t)recipe.classes};
    sample->at = arena_new(&trial->memory, sample->count, sizeof *sample->at);
    sample->classes = arena_new(&trial->memory, sample->count, sizeof *sample->classes);
    TRY(enough_memory(sample->at && sample->classes && name_classes(trial), error));
    tlu_status status = generate_and_more(&recipe, FRESH, keep, &text, error);
    if (status == TLU_OK)
        read_rows(&trial->truth, &text, sample);
    memory_free(text.data);
    return text.failed ? error_memory(error) : status;
}

// Trains on the first rows; messages name the recipe.
static tlu_status train(struct trial *trial, const tlu_options *options,
                        tlu_progress_function progress, void *context, tlu_error *error)
{
    const struct truth_sample *sample = &trial->sample;
    const tlu_recipe *recipe = &trial->truth.recipe;
    char name[64];
    float *values = arena_new(&trial->memory, sample->learned, 2 * sizeof *values);
    TRY(enough_memory(values, error));
    for (size_t i = 0; i < sample->learned; i++) {
        values[2 * i] = (float)sample->at[i].x;
        values[2 * i + 1] = (float)sample->at[i].y;
    }
    snprintf(name, sizeof name, "%.20s, seed %llu", recipe->kind, (unsigned long long)recipe->seed);
    const tlu_rows rows = {.size = sizeof rows,
                           .rows = sample->learned,
                           .columns = 2,
                           .values = values,
                           .labels = sample->classes,
                           .label_names = sample->names,
                           .label_count = sample->class_count};
    const tlu_train_settings settings = {.size = sizeof settings,
                                         .rows = &rows,
                                         .name = name,
                                         .progress = progress,
                                         .progress_context = context};
    return tlu_train_with(&settings, options, &trial->model, error);
}

// ---- trials

static tlu_status know_model(struct trial *trial, tlu_error *error)
{
    static const char *const names[2] = {"0", "1"};
    size_t count = tlu_model_class_count(trial->model);
    trial->classes = arena_new(&trial->memory, count, sizeof *trial->classes);
    TRY(enough_memory(trial->classes, error));
    for (size_t i = 0; i < count; i++) {
        long label = strtol(tlu_model_class_label(trial->model, i), NULL, 10);
        trial->classes[i] = truth_class(&trial->truth, label);
    }
    for (size_t i = 0; i < 2; i++) {
        size_t feature = tlu_model_feature_find(trial->model, names[i]);
        trial->feature[i] = feature == TLU_NONE ? UINT32_MAX : (uint32_t)feature;
    }
    return TLU_OK;
}

// Rows for the model: features[2 * count], values[2 * count], offsets[count + 1].
static void fill_rows(const struct trial *trial, const struct point *at, size_t count,
                      uint32_t *features, float *values, uint32_t *offsets)
{
    uint32_t entries = 0;
    for (size_t i = 0; i < count; i++) {
        const float place[2] = {(float)at[i].x, (float)at[i].y};
        for (size_t k = 0; k < 2; k++) {
            if (place[k] == 0 || trial->feature[k] == UINT32_MAX)
                continue;
            features[entries] = trial->feature[k];
            values[entries++] = place[k];
        }
        offsets[i + 1] = entries;
    }
}

tlu_status trial_predict(const struct trial *trial, const struct point *at, size_t count,
                         uint32_t *classes, tlu_error *error)
{
    uint32_t *features = memory_new(count, 2 * sizeof *features);
    float *values = memory_new(count, 2 * sizeof *values);
    uint32_t *offsets = memory_new(count + 1, sizeof *offsets);
    tlu_status status = enough_memory(features && values && offsets, error);
    if (status == TLU_OK) {
        fill_rows(trial, at, count, features, values, offsets);
        const tlu_batch batch = {
            .rows = count, .offsets = offsets, .features = features, .values = values};
        status = tlu_model_predict_batch(trial->model, &batch, classes, NULL, NULL, error);
    }
    for (size_t i = 0; status == TLU_OK && i < count; i++)
        classes[i] = trial->classes[classes[i]];
    memory_free(features);
    memory_free(values);
    memory_free(offsets);
    return status;
}

static tlu_status measure(struct trial *trial, tlu_error *error)
{
    const struct truth_sample *sample = &trial->sample;
    uint32_t *predictions = arena_new(&trial->memory, sample->count, sizeof *predictions);
    TRY(enough_memory(predictions, error));
    TRY(trial_predict(trial, sample->at, sample->count, predictions, error));
    size_t right = 0, best = 0;
    for (size_t i = 0; i < sample->count; i++) {
        bool fresh = i >= sample->learned, same = predictions[i] == sample->classes[i];
        trial->mistakes += !fresh && !same;
        right += fresh && same;
        best += fresh && trial_true_class(trial, &sample->at[i]) == sample->classes[i];
    }
    trial->accuracy = (double)right / FRESH;
    trial->best = (double)best / FRESH;
    return TLU_OK;
}

tlu_status trial_run(const tlu_recipe *recipe, const tlu_options *options,
                     tlu_progress_function progress, void *context, struct trial *trial,
                     tlu_error *error)
{
    *trial = (struct trial){0};
    TRY(truth_find(recipe, &trial->truth, error));
    TRY(draw_sample(trial, error));
    TRY(train(trial, options, progress, context, error));
    TRY(know_model(trial, error));
    return measure(trial, error);
}

void trial_free(struct trial *trial)
{
    truth_end(&trial->truth);
    tlu_model_free(trial->model);
    arena_free(&trial->memory);
}

void accuracies_sum_up(struct accuracies *a)
{
    double squares = 0;
    assert(a->count > 0);
    a->mean = 0;
    a->least = a->most = a->all[0];
    for (size_t i = 0; i < a->count; i++) {
        a->mean += a->all[i] / (double)a->count;
        a->least = fmin(a->least, a->all[i]);
        a->most = fmax(a->most, a->all[i]);
    }
    for (size_t i = 0; i < a->count; i++)
        squares += (a->all[i] - a->mean) * (a->all[i] - a->mean);
    a->deviation = a->count > 1 ? sqrt(squares / (double)(a->count - 1)) : 0;
}
