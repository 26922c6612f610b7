// Data in memory in place of a file (tlu_options_set_data): every function gives the same answer
// for a file, for its bytes and for its rows, and models do not refer to the memory.
#include "base/fault.h"
#include "learning.h"
#include "tlu_plot.h"
#include "tlu_proof.h"

#include <unistd.h>

#define FILE_NAME "data.svm"
enum { ROWS = 40, COLUMNS = 3, ENTRIES = ROWS * COLUMNS };

// Two classes that a line separates, one value of each row twice as large as the last.
struct values {
    double x[ENTRIES];
    uint32_t y[ROWS];
    char text[ROWS * 64];
    size_t size;
    tlu_rows rows;
};

static const char *const names[] = {"down", "up"};

static void make_values(struct values *values)
{
    *values = (struct values){.size = 0};
    for (int i = 0; i < ROWS; i++) {
        double *x = values->x + (size_t)i * COLUMNS;
        values->y[i] = (uint32_t)(i * 7 % 3 == 0);
        x[0] = values->y[i] ? 1 + i % 5 : -1 - i % 4;
        x[1] = (double)(i % 8) / 4 + 0.25;
        x[2] = i % 2 ? 3 : -2;
        values->size += (size_t)snprintf(values->text + values->size, 64, "%s 1:%g 2:%g 3:%g\n",
                                         names[values->y[i]], x[0], x[1], x[2]);
    }
    values->rows = (tlu_rows){.size = sizeof values->rows,
                              .rows = ROWS,
                              .columns = COLUMNS,
                              .doubles = values->x,
                              .labels = values->y,
                              .label_names = names,
                              .label_count = 2,
                              .first_feature = 1};
}

static tlu_options *options_with(const char *settings, const tlu_data *data)
{
    tlu_options *options = options_of(settings);
    tlu_error error;
    if (tlu_options_set_data(options, data, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return options;
}

#define CHECK(call)                                                                                \
    if ((call) != TLU_OK)                                                                          \
    fail_msg("%s", error.text)

static int count_steps(void *context, const tlu_step *step)
{
    (void)step;
    ++*(int *)context;
    return 0;
}

// What functions answer about FILE_NAME.
struct answers {
    void *model, *calibrated, *picture;
    size_t model_size, calibrated_size, picture_size;
    double mean, accuracy, f1, best, bound;
    uint64_t predicted;
    tlu_verdict verdict;
    int steps;
};

static void save(const tlu_model *model, void **bytes, size_t *size)
{
    tlu_error error;
    CHECK(tlu_model_save_bytes(model, bytes, size, &error));
}

static void ask_search(struct answers *answers, const tlu_options *options)
{
    tlu_validation *validation;
    tlu_tuning *tuning;
    tlu_error error;
    tlu_tune_settings tune = {.size = sizeof tune, .path = FILE_NAME, .folds = 2};
    tune.learners = "perceptron,pa2";
    tune.budget = 8;
    CHECK(tlu_cross_validate(FILE_NAME, options, 4, 1, NULL, NULL, &validation, &error));
    answers->mean = validation->mean;
    tlu_validation_free(validation);
    CHECK(tlu_tune(&tune, options, &tuning, &error));
    answers->best = tuning->candidates[0]->score;
    tlu_tuning_free(tuning);
}

static void ask_proofs(struct answers *answers, const tlu_options *options)
{
    tlu_separability *separability;
    tlu_mistake_bound *bound;
    tlu_error error;
    tlu_separability_settings settings = {.size = sizeof settings, .path = FILE_NAME};
    tlu_mistake_bound_settings bounds = {.size = sizeof bounds, .path = FILE_NAME, .runs = 2};
    CHECK(tlu_separability_decide(&settings, options, &separability, &error));
    answers->verdict = separability->verdict;
    tlu_separability_free(separability);
    CHECK(tlu_mistake_bound_compute(&bounds, options, &bound, &error));
    answers->bound = bound->bound;
    tlu_mistake_bound_free(bound);
}

static void ask(struct answers *answers, const tlu_data *data)
{
    tlu_error error;
    tlu_model *model, *calibrated;
    tlu_evaluation *evaluation;
    tlu_threshold *threshold;
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_picture *picture;
    tlu_options *options = options_with("epochs=4", data);
    tlu_options *fits = options_with("epochs=4 calibrate=sigmoid", data);
    *answers = (struct answers){0};
    CHECK(tlu_train(FILE_NAME, options, &model, &error));
    CHECK(tlu_train(FILE_NAME, fits, &calibrated, &error));
    CHECK(tlu_trace(FILE_NAME, options, count_steps, &answers->steps, NULL, &error));
    ask_search(answers, options);
    ask_proofs(answers, options);
    CHECK(tlu_evaluate(model, FILE_NAME, options, &evaluation, &error));
    answers->accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    tlu_threshold_settings f1 = {.size = sizeof f1, .path = FILE_NAME, .objective = "f1"};
    CHECK(tlu_threshold_find(model, &f1, options, &threshold, &error));
    answers->f1 = threshold->f1;
    tlu_threshold_free(threshold);
    CHECK(tlu_reader_open(model, FILE_NAME, options, &reader, &error));
    CHECK(tlu_reader_predict(reader, 0, NULL, NULL, &error));
    while (tlu_reader_next(reader, &batch, &error) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows; i++)
            answers->predicted =
                answers->predicted * 3 + tlu_reader_predictions(reader)->classes[i];
    tlu_reader_close(reader);
    tlu_plot_data_settings plot = {.size = sizeof plot, .path = FILE_NAME};
    CHECK(tlu_plot_data(&plot, options, NULL, &picture, &error));
    CHECK(
        tlu_picture_save_bytes(picture, "svg", &answers->picture, &answers->picture_size, &error));
    tlu_picture_free(picture);
    tlu_options_free(options);
    tlu_options_free(fits);
    save(model, &answers->model, &answers->model_size);
    save(calibrated, &answers->calibrated, &answers->calibrated_size);
    tlu_model_free(model);
    tlu_model_free(calibrated);
}

static void free_answers(struct answers *answers)
{
    tlu_bytes_free(answers->model);
    tlu_bytes_free(answers->calibrated);
    tlu_bytes_free(answers->picture);
}

static void assert_same_answers(const struct answers *a, const struct answers *b)
{
    assert_int_equal(a->model_size, b->model_size);
    assert_memory_equal(a->model, b->model, a->model_size);
    assert_int_equal(a->calibrated_size, b->calibrated_size);
    assert_memory_equal(a->calibrated, b->calibrated, a->calibrated_size);
    assert_int_equal(a->picture_size, b->picture_size);
    assert_memory_equal(a->picture, b->picture, a->picture_size);
    assert_exactly(a->mean, b->mean);
    assert_exactly(a->best, b->best);
    assert_exactly(a->bound, b->bound);
    assert_exactly(a->accuracy, b->accuracy);
    assert_exactly(a->f1, b->f1);
    assert_int_equal(a->predicted, b->predicted);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->steps, b->steps);
}

static void memory_is_as_a_file(void **state)
{
    (void)state;
    struct values values;
    struct answers of_file, of_memory;
    make_values(&values);
    const tlu_data kinds[] = {
        {.size = sizeof *kinds, .name = FILE_NAME, .bytes = values.text, .byte_count = values.size},
        {.size = sizeof *kinds, .name = FILE_NAME, .rows = &values.rows}};
    write_bytes(FILE_NAME, values.text, values.size);
    ask(&of_file, NULL);
    assert_true(of_file.steps >= ROWS && of_file.verdict == TLU_SEPARABLE && of_file.bound > 0);
    assert_int_equal(unlink(FILE_NAME), 0);
    for (size_t i = 0; i < 2; i++) {
        ask(&of_memory, &kinds[i]);
        assert_same_answers(&of_memory, &of_file);
        free_answers(&of_memory);
    }
    free_answers(&of_file);
}

static void models_do_not_keep_it(void **state)
{
    (void)state;
    tlu_model *model;
    tlu_reader *reader;
    tlu_error error;
    struct values *values = malloc(sizeof *values);
    assert_non_null(values);
    make_values(values);
    const tlu_data data = {.size = sizeof data, .name = FILE_NAME, .rows = &values->rows};
    tlu_options *options = options_with("epochs=2", &data);
    CHECK(tlu_train(FILE_NAME, options, &model, &error));
    tlu_options_free(options);
    free(values);
    assert_int_equal(tlu_reader_open(model, FILE_NAME, tlu_model_options(model), &reader, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, FILE_NAME ": cannot open"));
    tlu_model_free(model);
}

static void messages_name_the_row(void **state)
{
    (void)state;
    tlu_validation *validation;
    tlu_error error;
    struct values values;
    make_values(&values);
    values.x[7 * COLUMNS + 1] = 1 / 0.0;
    const tlu_data data = {.size = sizeof data, .name = "my rows", .rows = &values.rows};
    tlu_options *options = options_with("", &data);
    assert_int_equal(tlu_cross_validate("my rows", options, 3, 1, NULL, NULL, &validation, &error),
                     TLU_ERROR_INPUT);
    assert_string_equal(error.text,
                        "my rows:8: the value of feature 2 is infinite, not a finite number");
    assert_int_equal(error.line, 8);
    // Another path is that of a file, and so is this one after the data is taken away.
    assert_int_equal(tlu_cross_validate("others", options, 3, 1, NULL, NULL, &validation, &error),
                     TLU_ERROR_INPUT);
    CHECK(tlu_options_set_data(options, NULL, &error));
    assert_int_equal(tlu_cross_validate("my rows", options, 3, 1, NULL, NULL, &validation, &error),
                     TLU_ERROR_INPUT);
    tlu_options_free(options);
}

static void settings_are_checked(void **state)
{
    (void)state;
    tlu_error error;
    const tlu_rows rows = {.size = sizeof rows};
    const tlu_data wrong[] = {
        {.size = sizeof *wrong, .name = "x"},
        {.size = sizeof *wrong, .name = "x", .bytes = "", .rows = &rows},
        {.size = sizeof *wrong, .bytes = ""},
        {.size = sizeof *wrong, .name = "", .bytes = ""},
        {.size = 1, .name = "x", .bytes = ""},
    };
    tlu_options *options = options_of("");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(tlu_options_set_data(options, &wrong[i], &error), TLU_ERROR_INPUT);
    tlu_options_free(options);
}

// With any allocation that fails.
static void memory_may_run_out(void **state)
{
    (void)state;
    struct values values;
    make_values(&values);
    const tlu_data kinds[] = {
        {.size = sizeof *kinds, .name = FILE_NAME, .bytes = values.text, .byte_count = values.size},
        {.size = sizeof *kinds, .name = FILE_NAME, .rows = &values.rows}};
    for (size_t i = 0; i < 2; i++) {
        tlu_options *options = options_of("epochs=1");
        tlu_status status = TLU_ERROR_SYSTEM;
        for (long n = 1; status != TLU_OK; n++) {
            tlu_model *model = NULL;
            tlu_error error;
            fault_at(FAULT_MEMORY, n);
            status = tlu_options_set_data(options, &kinds[i], &error);
            if (status == TLU_OK)
                status = tlu_train(FILE_NAME, options, &model, &error);
            fault_at(FAULT_MEMORY, 0);
            if (status != TLU_OK)
                assert_int_equal(status, TLU_ERROR_SYSTEM);
            tlu_model_free(model);
        }
        tlu_options_free(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_as_a_file),   cmocka_unit_test(models_do_not_keep_it),
        cmocka_unit_test(messages_name_the_row), cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
