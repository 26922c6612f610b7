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

static bool name_classes(const struct recipe_truth *truth, struct truth_sample *sample)
{
    size_t count = sample->class_count;
    sample->names = memory_new(count, sizeof *sample->names + CLASS_NAME_SIZE);
    char *text = sample->names ? (char *)(sample->names + count) : NULL;
    for (size_t i = 0; text && i < count; i++, text += CLASS_NAME_SIZE) {
        sample->names[i] = text;
        if (truth->kind->counted)
            snprintf(text, CLASS_NAME_SIZE, "%zu", i + 1);
        else
            snprintf(text, CLASS_NAME_SIZE, "%s", i ? "+1" : "-1");
    }
    return sample->names != NULL;
}

// The numbers are those that tlu generate writes. In the end, also after an error,
// truth_sample_free.
static tlu_status truth_sample_draw(const struct recipe_truth *truth, uint64_t fresh,
                                    struct truth_sample *sample, tlu_error *error)
{
    struct byte_buffer text = {0};
    tlu_recipe recipe = truth->recipe;
    recipe.format = "csv";
    *sample = (struct truth_sample){.learned = (size_t)recipe.rows,
                                    .count = (size_t)(recipe.rows + fresh),
                                    .class_count = (size_t)recipe.classes};
    sample->at = memory_new(sample->count, sizeof *sample->at);
    sample->classes = memory_new(sample->count, sizeof *sample->classes);
    TRY(enough_memory(sample->at && sample->classes && name_classes(truth, sample), error));
    tlu_status status = generate_and_more(&recipe, fresh, keep, &text, error);
    if (status == TLU_OK)
        read_rows(truth, &text, sample);
    memory_free(text.data);
    return text.failed ? error_memory(error) : status;
}

static void truth_sample_free(struct truth_sample *sample)
{
    memory_free(sample->at);
    memory_free(sample->classes);
    memory_free(sample->names);
    *sample = (struct truth_sample){0};
}

// Trains on the first rows; messages name the recipe.
static tlu_status truth_sample_train(const struct truth_sample *sample, const tlu_recipe *recipe,
                                     const tlu_options *options, tlu_progress_function progress,
                                     void *context, tlu_model **model, tlu_error *error)
{
    char name[64];
    float *values = memory_new(sample->learned, 2 * sizeof *values);
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
    tlu_status status = tlu_train_with(&settings, options, model, error);
    memory_free(values);
    return status;
}

// ---- trials

static tlu_status know_model(struct trial *trial, tlu_error *error)
{
    static const char *const names[2] = {"0", "1"};
    size_t count = tlu_model_class_count(trial->model);
    trial->classes = memory_new(count, sizeof *trial->classes);
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
    uint32_t *guesses = memory_new(sample->count, sizeof *guesses);
    TRY(enough_memory(guesses, error));
    tlu_status status = trial_predict(trial, sample->at, sample->count, guesses, error);
    size_t right = 0, best = 0;
    for (size_t i = 0; status == TLU_OK && i < sample->count; i++) {
        bool fresh = i >= sample->learned, same = guesses[i] == sample->classes[i];
        trial->mistakes += !fresh && !same;
        right += fresh && same;
        best += fresh && trial_true_class(trial, &sample->at[i]) == sample->classes[i];
    }
    trial->accuracy = (double)right / FRESH;
    trial->best = (double)best / FRESH;
    memory_free(guesses);
    return status;
}

tlu_status trial_run(const tlu_recipe *recipe, const tlu_options *options,
                     tlu_progress_function progress, void *context, struct trial *trial,
                     tlu_error *error)
{
    *trial = (struct trial){0};
    TRY(truth_find(recipe, &trial->truth, error));
    TRY(truth_sample_draw(&trial->truth, FRESH, &trial->sample, error));
    TRY(truth_sample_train(&trial->sample, recipe, options, progress, context, &trial->model,
                           error));
    TRY(know_model(trial, error));
    return measure(trial, error);
}

void trial_free(struct trial *trial)
{
    truth_end(&trial->truth);
    truth_sample_free(&trial->sample);
    tlu_model_free(trial->model);
    memory_free(trial->classes);
    *trial = (struct trial){0};
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
