#include "draw/truth/lesson.h"
#include "base/memory.h"
#include "number/number.h"

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

static void read_rows(const struct truth *truth, const struct text *text, struct lesson *lesson)
{
    const char *limit = text->bytes + text->size;
    const char *at = (const char *)memchr(text->bytes, '\n', text->size) + 1; // after the header
    for (size_t i = 0; i < lesson->count; i++) {
        lesson->at[i].x = next_number(&at, limit);
        lesson->at[i].y = next_number(&at, limit);
        lesson->classes[i] = truth_class(truth, (int64_t)next_number(&at, limit));
    }
}

static bool name_classes(const struct truth *truth, struct lesson *lesson)
{
    size_t count = lesson->class_count;
    lesson->names = memory_new(count, sizeof *lesson->names + NAME_SIZE);
    char *text = lesson->names ? (char *)(lesson->names + count) : NULL;
    for (size_t i = 0; text && i < count; i++, text += NAME_SIZE) {
        lesson->names[i] = text;
        if (truth->kind->counted)
            snprintf(text, NAME_SIZE, "%zu", i + 1);
        else
            snprintf(text, NAME_SIZE, "%s", i ? "+1" : "-1");
    }
    return lesson->names != NULL;
}

tlu_status lesson_draw(const struct truth *truth, uint64_t fresh, struct lesson *lesson,
                       tlu_error *error)
{
    struct text text = {0};
    tlu_recipe recipe = truth->recipe;
    recipe.format = "csv";
    *lesson = (struct lesson){.learned = (size_t)recipe.rows,
                              .count = (size_t)(recipe.rows + fresh),
                              .class_count = (size_t)recipe.classes};
    lesson->at = memory_new(lesson->count, sizeof *lesson->at);
    lesson->classes = memory_new(lesson->count, sizeof *lesson->classes);
    TRY(enough_memory(lesson->at && lesson->classes && name_classes(truth, lesson), error));
    tlu_status status = generate_and_more(&recipe, fresh, keep, &text, error);
    if (status == TLU_OK)
        read_rows(truth, &text, lesson);
    memory_free(text.bytes);
    return text.failed ? error_memory(error) : status;
}

void lesson_free(struct lesson *lesson)
{
    memory_free(lesson->at);
    memory_free(lesson->classes);
    memory_free(lesson->names);
    *lesson = (struct lesson){0};
}

tlu_status lesson_train(const struct lesson *lesson, const tlu_recipe *recipe,
                        const tlu_options *options, tlu_progress_function progress, void *context,
                        tlu_model **model, tlu_error *error)
{
    char name[64];
    float *values = memory_new(lesson->learned, 2 * sizeof *values);
    TRY(enough_memory(values, error));
    for (size_t i = 0; i < lesson->learned; i++) {
        values[2 * i] = (float)lesson->at[i].x;
        values[2 * i + 1] = (float)lesson->at[i].y;
    }
    snprintf(name, sizeof name, "%.20s, seed %llu", recipe->kind, (unsigned long long)recipe->seed);
    const tlu_rows rows = {.size = sizeof rows,
                           .rows = lesson->learned,
                           .columns = 2,
                           .values = values,
                           .labels = lesson->classes,
                           .label_names = lesson->names,
                           .label_count = lesson->class_count};
    const tlu_train_settings settings = {.size = sizeof settings,
                                         .rows = &rows,
                                         .name = name,
                                         .progress = progress,
                                         .progress_context = context};
    tlu_status status = tlu_train_with(&settings, options, model, error);
    memory_free(values);
    return status;
}
