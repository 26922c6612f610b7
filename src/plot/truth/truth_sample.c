#include "plot/truth/truth_sample.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 24

struct text {
    char *bytes;
    size_t size, capacity;
    bool failed;
};

static int keep(void *context, const char *bytes, size_t size)
{
    struct text *text = context;
    text->failed = !memory_reserve(&text->bytes, &text->capacity, text->size + size, 1);
    if (text->failed)
        return 1;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return 0;
}

// The number at *at, which is then after it and the comma or the end of the line.
static double next_number(const char **at, const char *limit)
{
    double value = 0;
    number_parse(*at, limit, &value, at);
    if (*at < limit)
        ++*at;
    return value;
}

static void read_rows(const struct recipe_truth *truth, const struct text *text,
                      struct truth_sample *sample)
{
    const char *limit = text->bytes + text->size;
    const char *at = (const char *)memchr(text->bytes, '\n', text->size) + 1; // after the header
    for (size_t i = 0; i < sample->count; i++) {
        sample->at[i].x = next_number(&at, limit);
        sample->at[i].y = next_number(&at, limit);
        sample->classes[i] = truth_class(truth, (int64_t)next_number(&at, limit));
    }
}

static bool name_classes(const struct recipe_truth *truth, struct truth_sample *sample)
{
    size_t count = sample->class_count;
    sample->names = memory_new(count, sizeof *sample->names + NAME_SIZE);
    char *text = sample->names ? (char *)(sample->names + count) : NULL;
    for (size_t i = 0; text && i < count; i++, text += NAME_SIZE) {
        sample->names[i] = text;
        if (truth->kind->counted)
            snprintf(text, NAME_SIZE, "%zu", i + 1);
        else
            snprintf(text, NAME_SIZE, "%s", i ? "+1" : "-1");
    }
    return sample->names != NULL;
}

tlu_status truth_sample_draw(const struct recipe_truth *truth, uint64_t fresh,
                             struct truth_sample *sample, tlu_error *error)
{
    struct text text = {0};
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
    memory_free(text.bytes);
    return text.failed ? error_memory(error) : status;
}

void truth_sample_free(struct truth_sample *sample)
{
    memory_free(sample->at);
    memory_free(sample->classes);
    memory_free(sample->names);
    *sample = (struct truth_sample){0};
}

tlu_status truth_sample_train(const struct truth_sample *sample, const tlu_recipe *recipe,
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
