// Training from rows in memory, all at once and in blocks: the same model as from a LIBSVM file.
#include "base/fault.h"
#include "learning.h"

#include <unistd.h>

#define ROWS 6000
#define ENTRIES_MAX 8

static struct data {
    size_t rows;
    uint64_t offsets[ROWS + 1];
    uint32_t features[ROWS * ENTRIES_MAX];
    float values[ROWS * ENTRIES_MAX];
    uint32_t labels[ROWS];
    float weights[ROWS];
} data;
static const char *const two_labels[] = {"-1", "+1"};
static const char *const four_labels[] = {"red", "green", "blue", "7"};

// Sparse rows in random order of their features, some of them past those that are numbers of their
// own, some values 0; a table of numbers where dense.
static void make(uint32_t classes, bool dense)
{
    struct random random;
    random_seed(&random, 17 + classes);
    data.rows = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t at = data.offsets[i], count = dense ? 5 : random_below(&random, ENTRIES_MAX);
        double sum = 0;
        for (uint64_t k = 0; k < count; k++) {
            uint32_t feature = (uint32_t)(k * 20 + random_below(&random, 20));
            double value = (double)random_below(&random, 2001) / 1000 - 1;
            if (dense)
                feature = (uint32_t)k + 1;
            else if (feature % 10 == 3)
                feature += 2000000;
            data.features[at + (dense ? k : count - 1 - k)] = feature;
            data.values[at + (dense ? k : count - 1 - k)] = dense || feature % 3 ? (float)value
                                                            : feature % 2        ? 1
                                                                                 : 0;
            sum += feature % 7 * value;
        }
        if (i % 3 && !dense && count > 1) { // neither ascending nor descending
            uint32_t swap = data.features[at];
            data.features[at] = data.features[at + 1];
            data.features[at + 1] = swap;
        }
        data.offsets[i + 1] = at + count;
        data.labels[i] = (uint32_t)(sum > 0) * (classes / 2);
        if (random_below(&random, 20) == 0)
            data.labels[i] = (uint32_t)random_below(&random, classes);
        data.weights[i] = 1;
    }
}

static void write_data(const char *path, uint32_t classes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < data.rows; i++) {
        fputs(classes == 2 ? two_labels[data.labels[i]] : four_labels[data.labels[i]], file);
        for (uint64_t k = data.offsets[i]; k < data.offsets[i + 1]; k++)
            fprintf(file, " %u:%.9g", data.features[k], (double)data.values[k]);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static tlu_rows rows_from(size_t first, size_t count, uint32_t classes)
{
    return (tlu_rows){.size = sizeof(tlu_rows),
                      .rows = count,
                      .offsets = data.offsets + first,
                      .features = data.features,
                      .values = data.values,
                      .labels = data.labels + first,
                      .label_names = classes == 2 ? two_labels : four_labels,
                      .label_count = classes};
}

struct blocks {
    size_t size, given, calls;
    bool ended;
    bool swaps; // two labels, which change places in every other block
    uint32_t swapped[ROWS];
    uint32_t classes;
    size_t fails_at; // rows after which it stops; 0: never
    const char *why;
    tlu_rows rows;
};

static int next_block(void *context, const tlu_rows **rows, tlu_error *error)
{
    struct blocks *blocks = context;
    size_t left = data.rows - blocks->given, count = left < blocks->size ? left : blocks->size;
    assert_null(*rows);
    assert_false(blocks->ended);
    if (blocks->calls++ % 5 == 3)
        count = 0; // a block without rows is not the end
    if (blocks->fails_at && blocks->given >= blocks->fails_at) {
        if (blocks->why) {
            error->status = TLU_ERROR_SYSTEM;
            strcpy(error->text, blocks->why);
        }
        return 1;
    }
    blocks->rows = rows_from(blocks->given, count, blocks->classes);
    if (blocks->swaps && blocks->calls % 2) {
        static const char *const names[] = {"+1", "-1"};
        for (size_t i = 0; i < count; i++)
            blocks->swapped[i] = 1 - blocks->rows.labels[i];
        blocks->rows.labels = blocks->swapped;
        blocks->rows.label_names = names;
    }
    blocks->given += count;
    blocks->ended = left == 0;
    if (left)
        *rows = &blocks->rows;
    return 0;
}

static char *model_bytes(const tlu_model *model, size_t *size)
{
    void *bytes;
    assert_int_equal(tlu_model_save_bytes(model, &bytes, size, NULL), TLU_OK);
    return bytes;
}

static void expect_same(const tlu_model *a, const tlu_model *b, const char *settings)
{
    size_t a_size, b_size;
    char *a_bytes = model_bytes(a, &a_size), *b_bytes = model_bytes(b, &b_size);
    if (a_size != b_size || memcmp(a_bytes, b_bytes, a_size) != 0)
        fail_msg("%s: another model", settings);
    tlu_bytes_free(a_bytes);
    tlu_bytes_free(b_bytes);
}

static tlu_model *trained(const tlu_train_settings *settings, const char *text)
{
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_as_said(text);
    if (tlu_train_with(settings, options, &model, &error) != TLU_OK)
        fail_msg("%s: %s", text, error.text);
    tlu_options_free(options);
    return model;
}

static void check(const char *settings, uint32_t classes)
{
    tlu_train_settings file = {.size = sizeof file, .path = "file.svm"};
    tlu_rows all = rows_from(0, data.rows, classes);
    tlu_train_settings memory = {.size = sizeof memory, .rows = &all, .name = "folder/file.svm"};
    tlu_model *wanted = trained(&file, settings), *model = trained(&memory, settings);
    expect_same(model, wanted, settings);
    assert_string_equal(tlu_model_report(model)->data, "file.svm");
    tlu_model_free(model);
    static const size_t sizes[] = {1, 700, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct blocks blocks = {
            .size = sizes[i], .classes = classes, .swaps = classes == 2 && sizes[i] == 700};
        memory = (tlu_train_settings){.size = sizeof memory,
                                      .next_rows = next_block,
                                      .next_context = &blocks,
                                      .name = "file.svm"};
        model = trained(&memory, settings);
        expect_same(model, wanted, settings);
        assert_int_equal(blocks.given, data.rows);
        tlu_model_free(model);
    }
    tlu_model_free(wanted);
}

static void rows_give_the_model_of_a_file(void **state)
{
    (void)state;
    static const char *const settings[] = {"",
                                           "learner=perceptron epochs=1",
                                           "learner=perceptron epochs=3 shuffle=all seed=3",
                                           "learner=pa1 holdout=0.2 epochs=4",
                                           "learner=arow scale=maxabs epochs=2",
                                           "learner=logistic epochs=2",
                                           "learner=pa2 scale=online epochs=1",
                                           "learner=rocchio",
                                           "learner=perceptron decide=vote epochs=2",
                                           "learner=perceptron decide=best epochs=2",
                                           "learner=perceptron hash=10 epochs=2",
                                           "learner=perceptron memory=100K epochs=2",
                                           "learner=perceptron class-weight=balanced epochs=2",
                                           "learner=bernoulli-bayes binarize=yes"};
    for (uint32_t classes = 2; classes <= 4; classes += 2)
        for (int dense = 0; dense < 2; dense++) {
            make(classes, dense);
            write_data("file.svm", classes);
            for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
                check(settings[i], classes);
            if (classes == 4) {
                check("learner=perceptron multiclass=ovr epochs=2", classes);
                check("learner=perceptron multiclass=ovo epochs=2", classes);
            }
        }
    make(2, false);
    data.rows = 400;
    write_data("file.svm", 2);
    check("learner=perceptron kernel=poly:2 epochs=2", 2);
    check("learner=max-margin C=1", 2);
}

// Without offsets, features, values, names: as much as is there.
static void arrays_may_be_left_out(void **state)
{
    (void)state;
    float values[] = {1, 2, -1, 0.5F, 3, 1, -2, 0, 1, 4, 5, 6};
    uint32_t labels[] = {3, 0, 0, 3}, features[] = {2, 0, 4, 1, 3, 0, 1, 2};
    tlu_rows dense = {
        .size = sizeof dense, .rows = 4, .columns = 3, .values = values, .labels = labels};
    tlu_rows ones = {
        .size = sizeof ones, .rows = 4, .columns = 2, .features = features, .labels = labels};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &dense, .name = "file.svm"};
    tlu_train_settings file = {.size = sizeof file, .path = "file.svm"};
    write_text("file.svm", "3 0:1 1:2 2:-1\n0 0:0.5 1:3 2:1\n0 0:-2 1:0 2:1\n3 0:4 1:5 2:6\n");
    tlu_model *model = trained(&settings, "learner=perceptron"),
              *wanted = trained(&file, "learner=perceptron");
    expect_same(model, wanted, "dense");
    tlu_model_free(model);
    tlu_model_free(wanted);
    write_text("file.svm", "3 2:1 0:1\n0 4:1 1:1\n0 3:1 0:1\n3 1:1 2:1\n");
    settings.rows = &ones;
    model = trained(&settings, "learner=perceptron");
    wanted = trained(&file, "learner=perceptron");
    expect_same(model, wanted, "ones");
    settings.name = NULL;
    tlu_model_free(wanted);
    wanted = trained(&settings, "learner=perceptron");
    assert_string_equal(tlu_model_report(wanted)->data, "rows");
    tlu_model_free(model);
    tlu_model_free(wanted);
}

// Names instead of numbers: the same weights under other names.
static void features_may_have_names(void **state)
{
    (void)state;
    static char texts[100][16];
    const char *names[100];
    for (size_t i = 0; i < 100; i++) {
        snprintf(texts[i], sizeof texts[i], "name %zu", i);
        names[i] = texts[i];
    }
    make(4, true);
    tlu_rows rows = rows_from(0, data.rows, 4);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model *numbered = trained(&settings, "learner=perceptron epochs=3");
    rows.feature_names = names;
    rows.feature_count = 100;
    tlu_model *named = trained(&settings, "learner=perceptron epochs=3");
    assert_int_equal(tlu_model_feature_count(named), 5);
    for (size_t f = 1; f <= 5; f++) {
        char number[8];
        snprintf(number, sizeof number, "%zu", f);
        size_t a = tlu_model_feature_find(numbered, number);
        size_t b = tlu_model_feature_find(named, names[f]);
        assert_true(a != TLU_NONE && b != TLU_NONE);
        for (size_t c = 0; c < 4; c++)
            assert_true(tlu_model_weight(numbered, c, a) == tlu_model_weight(named, c, b));
    }
    tlu_model_free(numbered);
    tlu_model_free(named);
}

// A row that counts twice is, to the perceptron, one of a class that counts twice.
static void rows_may_have_weights(void **state)
{
    (void)state;
    make(2, true);
    tlu_rows rows = rows_from(0, data.rows, 2);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model *by_class = trained(&settings, "learner=perceptron epochs=2 class-weight=+1=2");
    for (size_t i = 0; i < data.rows; i++)
        data.weights[i] = data.labels[i] ? 2 : 1;
    rows.weights = data.weights;
    tlu_model *by_row = trained(&settings, "learner=perceptron epochs=2");
    for (size_t f = 0; f < tlu_model_feature_count(by_class); f++)
        assert_true(tlu_model_weight(by_class, 1, f) == tlu_model_weight(by_row, 1, f));
    tlu_model_free(by_class);
    tlu_model_free(by_row);
}

static int stop_in_pass_two(void *context, const tlu_progress *progress)
{
    (void)context;
    return progress->pass == 2;
}

static void it_can_be_interrupted_and_go_on(void **state)
{
    (void)state;
    make(2, false);
    tlu_rows rows = rows_from(0, data.rows, 2);
    tlu_train_settings settings = {.size = sizeof settings,
                                   .rows = &rows,
                                   .checkpoint = "checkpoint.tlu",
                                   .checkpoint_seconds = 1e-9};
    tlu_model *whole = trained(&settings, "learner=perceptron epochs=4");
    assert_int_equal(access("checkpoint.tlu", R_OK), 0);
    settings.checkpoint = NULL;
    settings.progress = stop_in_pass_two;
    tlu_model *begun = trained(&settings, "learner=perceptron epochs=4");
    assert_true(tlu_model_can_resume(begun, NULL, NULL));
    settings.progress = NULL;
    settings.resume = begun;
    tlu_model *model = trained(&settings, "");
    expect_same(model, whole, "gone on with");
    tlu_model_free(model);
    tlu_model_free(begun);
    tlu_model_free(whole);
}

static void the_function_may_stop(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    make(2, false);
    struct blocks blocks = {.size = 1000, .classes = 2, .fails_at = 2000};
    tlu_train_settings settings = {
        .size = sizeof settings, .next_rows = next_block, .next_context = &blocks};
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_INTERRUPTED);
    assert_null(model);
    blocks = (struct blocks){.size = 1000, .classes = 2, .fails_at = 2000, .why = "no network"};
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_ERROR_SYSTEM);
    assert_string_equal(error.text, "no network");
    assert_null(model);
}

// ---- what is wrong

static void expect_refused(const tlu_rows *rows, const char *sentence)
{
    tlu_error error;
    tlu_model *model;
    tlu_train_settings settings = {.size = sizeof settings, .rows = rows, .name = "mine"};
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_null(model);
    if (strcmp(error.text, sentence) != 0)
        fail_msg("%s, not %s", error.text, sentence);
}

// Two names, but rows of one column: the value of the next row is not that of the second name.
static void more_names_than_columns(void **state)
{
    (void)state;
    const char *names[] = {"a", "b"}, *labels[] = {"no", "yes"};
    float values[] = {1, 0, 0, 1, 2, 0, 0, 2};
    double scores[2], alone[2];
    const tlu_rows both = {.size = sizeof both,
                           .rows = 4,
                           .columns = 2,
                           .values = values,
                           .labels = (uint32_t[]){0, 1, 0, 1},
                           .label_names = labels,
                           .label_count = 2,
                           .feature_names = names,
                           .feature_count = 2};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &both};
    tlu_model *model = trained(&settings, "learner=perceptron");
    float columns[] = {1, 5};
    tlu_rows narrow = {.size = sizeof narrow,
                       .rows = 2,
                       .columns = 1,
                       .values = columns,
                       .feature_names = names,
                       .feature_count = 2};
    tlu_error error;
    assert_int_equal(
        tlu_model_predict_rows(model,
                               &(tlu_predict_settings){.size = sizeof(tlu_predict_settings),
                                                       .rows = &narrow,
                                                       .scores = scores},
                               &error),
        TLU_OK);
    narrow.feature_count = 1;
    assert_int_equal(
        tlu_model_predict_rows(model,
                               &(tlu_predict_settings){.size = sizeof(tlu_predict_settings),
                                                       .rows = &narrow,
                                                       .scores = alone},
                               &error),
        TLU_OK);
    assert_memory_equal(scores, alone, sizeof scores);
    tlu_model_free(model);
}

static void bad_rows_are_refused_with_their_number(void **state)
{
    (void)state;
    uint64_t offsets[] = {0, 2, 4, 6};
    uint32_t features[] = {1, 2, 2, 1, 1, 3}, labels[] = {0, 1, 0};
    float values[] = {1, 2, 3, 4, 5, 6}, weights[] = {1, 1, 1};
    const char *names[] = {"a", "b", "c", "d"}, *twice[] = {"a", "b", "c", "b"};
    const tlu_rows good = {.size = sizeof good,
                           .rows = 3,
                           .offsets = offsets,
                           .features = features,
                           .values = values,
                           .labels = labels,
                           .label_names = names,
                           .label_count = 2,
                           .weights = weights,
                           .feature_names = names,
                           .feature_count = 4};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &good};
    tlu_model_free(trained(&settings, "learner=perceptron"));
    values[3] = NAN;
    expect_refused(&good, "mine:2: the value of feature 'b' is NaN, not a finite number");
    values[3] = -INFINITY;
    expect_refused(&good, "mine:2: the value of feature 'b' is infinite, not a finite number");
    values[3] = 4;
    features[5] = 1;
    expect_refused(&good, "mine:3: feature 1 occurs twice in this row");
    features[5] = 4;
    expect_refused(&good, "mine:3: feature 4 is past the 4 that have names");
    features[5] = 3;
    labels[1] = 2;
    expect_refused(&good, "mine:2: label 2 is past the 2 that have names");
    labels[1] = 1;
    weights[0] = -1;
    expect_refused(&good, "mine:1: the weight of the row is not a number of 0 or more");
    weights[0] = NAN;
    expect_refused(&good, "mine:1: the weight of the row is not a number of 0 or more");
    weights[0] = 1;
    offsets[2] = 1;
    expect_refused(&good, "mine:2: the row goes from entry 2 to 1");
    offsets[2] = 4;
    tlu_rows bad = good;
    bad.feature_names = twice;
    expect_refused(&bad, "mine: features 1 and 3 have the same name");
    bad = good;
    bad.labels = NULL;
    expect_refused(&bad, "mine: rows to learn from need labels");
    bad = good;
    bad.rows = 0;
    expect_refused(&bad, "mine: has no examples");
    bad = good;
    bad.size = 0;
    tlu_error error;
    tlu_model *model;
    settings.rows = &bad;
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "sizeof(tlu_rows)"));
    // One place to take the data from, not two.
    settings = (tlu_train_settings){.size = sizeof settings, .rows = &good, .path = "file.svm"};
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_ERROR_INPUT);
}

// As malformed rows of a file are: left out, with the lines of the others as they were.
static void bad_rows_may_be_left_out(void **state)
{
    (void)state;
    make(2, false);
    data.rows = 300;
    for (size_t i = 0; i < data.rows; i += 7)
        if (data.offsets[i + 1] > data.offsets[i])
            data.values[data.offsets[i]] = NAN;
    write_data("file.svm", 2);
    check("learner=perceptron skip-bad=yes epochs=2", 2);
    check("learner=perceptron skip-bad=yes kernel=poly:2 epochs=2", 2); // which keeps lines
    // The last batch has bad rows alone.
    make(2, true);
    data.rows = 4100;
    for (size_t i = 4096; i < data.rows; i++)
        data.values[data.offsets[i]] = INFINITY;
    write_data("file.svm", 2);
    check("learner=perceptron skip-bad=yes epochs=2", 2);
    tlu_rows rows = rows_from(0, data.rows, 2);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model *model = trained(&settings, "skip-bad=yes");
    assert_int_equal(tlu_model_report(model)->examples, 4096);
    assert_int_equal(tlu_model_report(model)->skipped, 4);
    tlu_model_free(model);
}

struct endless {
    uint64_t blocks, most;
    const char *names[2];
};

// Rows that are left out, two per block; from the second block on a name is gone.
static int next_bad(void *context, const tlu_rows **rows, tlu_error *error)
{
    static const uint32_t features[] = {0, 1, 0, 1}, labels[] = {0, 1};
    static const float values[] = {1, NAN, 1, NAN};
    static tlu_rows given = {.size = sizeof given,
                             .rows = 2,
                             .columns = 2,
                             .features = features,
                             .values = values,
                             .labels = labels,
                             .feature_count = 2};
    struct endless *endless = context;
    (void)error;
    given.feature_names = endless->names;
    if (endless->blocks++ > 0)
        endless->names[1] = NULL;
    *rows = &given;
    return endless->blocks > endless->most;
}

static int stop(void *context, const tlu_progress *progress)
{
    (void)context;
    (void)progress;
    return 1;
}

static void bad_rows_without_end_can_be_interrupted(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    struct endless endless = {.most = 100000, .names = {"a", "b"}};
    tlu_options *options = options_as_said("skip-bad=yes");
    tlu_train_settings settings = {
        .size = sizeof settings, .next_rows = next_bad, .next_context = &endless, .progress = stop};
    tlu_train_with(&settings, options, &model, &error);
    assert_null(model);
    assert_true(endless.blocks < endless.most);
    tlu_options_free(options);
}

static void memory_runs_out(void **state)
{
    (void)state;
    make(4, false);
    data.rows = 50;
    tlu_rows rows = rows_from(0, data.rows, 4);
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_as_said("learner=perceptron epochs=2 threads=1");
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_status status = TLU_ERROR_SYSTEM;
    long n = 0;
    while (status != TLU_OK) {
        fault_at(FAULT_MEMORY, ++n);
        status = tlu_train_with(&settings, options, &model, &error);
        fault_at(FAULT_MEMORY, 0);
        assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && !model));
    }
    assert_true(n > 30);
    tlu_model_free(model);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_give_the_model_of_a_file),
        cmocka_unit_test(arrays_may_be_left_out),
        cmocka_unit_test(features_may_have_names),
        cmocka_unit_test(rows_may_have_weights),
        cmocka_unit_test(it_can_be_interrupted_and_go_on),
        cmocka_unit_test(the_function_may_stop),
        cmocka_unit_test(more_names_than_columns),
        cmocka_unit_test(bad_rows_are_refused_with_their_number),
        cmocka_unit_test(bad_rows_may_be_left_out),
        cmocka_unit_test(bad_rows_without_end_can_be_interrupted),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
