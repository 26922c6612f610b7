#include "plot/truth/trial.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

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

// Rows for the model in the room given: features[2 * count], values likewise, offsets[count + 1].
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
