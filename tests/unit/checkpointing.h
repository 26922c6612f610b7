// What the tests of trainings in parts share: data, and a training from one point to another.
#ifndef TLU_TESTS_PAUSING_H
#define TLU_TESTS_PAUSING_H

#include "learning.h"
#include "model/make.h"
#include "train/train.h"

#define ROWS 12000 // more than the feeder's least, and more than a chunk of the reader

// A row of noisy classes; the last class comes late, long after learning has started. Some features
// are beyond the indices that are their own numbers.
static inline void write_row(FILE *file, struct random *random, uint32_t row, uint32_t classes)
{
    uint32_t class =
        (uint32_t)random_below(random, row < ROWS * 3 / 4 && classes > 2 ? classes - 1 : classes);
    fprintf(file, "c%u", class);
    for (uint32_t f = 0; f < 40; f++) {
        double value = random_normal(random) + (f % classes == class ? 0.6 : 0);
        if (random_below(random, 4) == 0)
            fprintf(file, " %u:%.12f", f * 9, value);
    }
    if (classes == 2 && random_below(random, 2))
        fprintf(file, " %u:1", 3000000 + (uint32_t)random_below(random, 30));
    fputc('\n', file);
}

static inline void write_rows(const char *path, uint32_t rows, uint32_t classes)
{
    struct random random;
    random_seed(&random, classes);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++)
        write_row(file, &random, i, classes);
    assert_int_equal(fclose(file), 0);
}

// Rows with any number of labels; the last label comes late.
static inline void write_sets(const char *path, uint32_t rows, uint32_t labels)
{
    struct random random;
    random_seed(&random, 9);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t there = i < rows * 3 / 4 ? labels - 1 : labels;
        bool has[32] = {false}, first = true;
        for (uint32_t k = 0; k < there; k++) {
            has[k] = random_below(&random, 3) == 0;
            if (has[k])
                fprintf(file, "%sc%u", first ? "" : ",", k);
            first = first && !has[k];
        }
        for (uint32_t f = 0; f < 20; f++)
            if (f == 0 || random_below(&random, 3) == 0)
                fprintf(file, " %u:%.9f", 1 + f * 9,
                        random_normal(&random) + (has[f % labels] ? 0.6 : 0));
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

// All classes among the first rows.
static inline void write_mixed(const char *path, uint32_t rows, uint32_t classes)
{
    struct random random;
    random_seed(&random, classes);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++)
        write_row(file, &random, ROWS, classes);
    assert_int_equal(fclose(file), 0);
}

// Indices that are names, all of them.
static inline void write_names(const char *path, uint32_t rows)
{
    struct random random;
    random_seed(&random, 8);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++)
        fprintf(file, "%d %u:1 %u:%.9f\n", random_below(&random, 2) ? 1 : -1,
                2000000 + (uint32_t)random_below(&random, 20),
                3000000 + (uint32_t)random_below(&random, 20), random_normal(&random));
    assert_int_equal(fclose(file), 0);
}

static inline void write_table(const char *path, const char *column, uint32_t rows)
{
    struct random random;
    random_seed(&random, 4);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "size,%s,kind,label\n", column);
    for (uint32_t i = 0; i < rows; i++) {
        double size = random_normal(&random), much = 10 * random_normal(&random);
        uint32_t kind = (uint32_t)random_below(&random, 7);
        bool yes = size + much / 10 + (kind == 3) + random_normal(&random) > 0;
        fprintf(file, "%.15f,%.15f,k%u-%060u,%s\n", size, much, kind, kind, yes ? "yes" : "no");
    }
    assert_int_equal(fclose(file), 0);
}

// ---- a training in parts

static inline char *bytes_of(const tlu_model *model, size_t *size)
{
    tlu_error error;
    if (tlu_model_save(model, "bytes.tlu", &error) != TLU_OK)
        fail_msg("%s", error.text);
    return read_bytes("bytes.tlu", size);
}

static inline struct checkpoint *checkpoint_of(const tlu_model *model)
{
    tlu_error error;
    struct checkpoint *checkpoint;
    if (checkpoint_unpack(&model->checkpoint, model, &checkpoint, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return checkpoint;
}

// One part: from the beginning or on from `model`, which is freed, up to example `stop` (0: to the
// end). The model has been a file in between.
static inline tlu_model *part(const char *path, const char *settings, tlu_model *model,
                              uint64_t stop, unsigned how)
{
    tlu_error error;
    tlu_options *options = model ? options_copy(model->state.options) : options_of(settings);
    assert_int_equal(tlu_options_set(options, "threads", how & 1 ? "2" : "1", &error), TLU_OK);
    if (how & 2)
        assert_int_equal(tlu_options_set(options, "memory", "30K", &error), TLU_OK);
    struct training training = {.rows.path = path, .reporter.stop_after = stop};
    struct checkpoint *resume = model && model->checkpoint.size ? checkpoint_of(model) : NULL;
    tlu_model *next;
    if (model_train(&training, options, resume, &next, &error) != TLU_OK)
        fail_msg("%s, %s, stop at %llu: %s", path, settings, (unsigned long long)stop, error.text);
    tlu_options_free(options);
    checkpoint_free(resume);
    tlu_model_free(model);
    size_t size;
    free(bytes_of(next, &size));
    tlu_model_free(next);
    if (tlu_model_load("bytes.tlu", &next, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return next;
}

static inline void expect_refused(const tlu_model *model, const char *path, const char *settings,
                                  const char *sentence)
{
    tlu_error error;
    tlu_model *next;
    tlu_options *options = options_of(settings);
    assert_int_equal(train_resumed(path, model, options, &next, &error), TLU_ERROR_INPUT);
    assert_null(next);
    if (!strstr(error.text, sentence))
        fail_msg("%s, %s: %s", path, settings, error.text);
    tlu_options_free(options);
}

// Replaces the first `from` after row `row` by `to`, which is as long.
static inline void change(const char *path, const char *out, const char *from, const char *to)
{
    size_t size;
    char *bytes = read_bytes(path, &size), *at = strstr(bytes + size / 4, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    write_bytes(out, bytes, size);
    free(bytes);
}

static inline int make_data(void **state)
{
    (void)state;
    write_rows("two.svm", ROWS, 2);
    write_rows("five.svm", ROWS, 5);
    write_rows("one.svm", 50, 3);
    write_mixed("few.svm", 700, 3); // blocks of the dual form, and a part of one
    write_table("days.csv", "much", ROWS);
    write_names("names.svm", 300);
    write_sets("sets.svm", ROWS, 6);
    return 0;
}

#endif
