// The learning curve by number of training rows: its figures are those of a cross-validation, and
// of trainings on as many rows as it says; settings that make no sense; memory that runs out.
#include "base/fault.h"
#include "tlu_plot.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 60
#define FOLDS 4
#define MOST (ROWS - ROWS / FOLDS) // training rows

static int write_rows(void **state)
{
    (void)state;
    FILE *file = fopen("rows.csv", "w");
    assert_non_null(file);
    fprintf(file, "x,y,class\n");
    for (int i = 0; i < ROWS; i++) // two classes that overlap
        fprintf(file, "%d,%d,%s\n", i * 7 % 20, i * 11 % 13, i * 7 % 20 + i % 9 < 14 ? "a" : "b");
    return fclose(file);
}

static tlu_options *options_of(const char *learner)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    assert_int_equal(tlu_options_set(options, "learner", learner, NULL), TLU_OK);
    return options;
}

// The figure of this name; NAN: there is none.
static double figure(const tlu_picture *picture, const char *wanted)
{
    const char *name;
    double value;
    for (size_t i = 0; (name = tlu_picture_figure(picture, i, &value)) != NULL; i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return NAN;
}

static size_t figure_count(const tlu_picture *picture)
{
    size_t count = 0;
    double value;
    while (tlu_picture_figure(picture, count, &value))
        count++;
    return count;
}

// With all training rows the figures are those of tlu_cross_validate with the same folds. With two
// rows, one of each class, training separates them.
static void figures_are_those_of_cross_validation(void **state)
{
    (void)state;
    tlu_options *options = options_of("perceptron");
    assert_int_equal(tlu_options_set(options, "decide", "last", NULL), TLU_OK);
    assert_int_equal(tlu_options_set(options, "epochs", "2000", NULL), TLU_OK);
    const double sizes[] = {1, 2};
    const tlu_plot_training_size_settings settings = {.size = sizeof settings,
                                                      .path = "rows.csv",
                                                      .folds = FOLDS,
                                                      .sizes = sizes,
                                                      .size_count = 2};
    tlu_picture *picture;
    tlu_validation *validation;
    assert_int_equal(tlu_plot_training_size(&settings, options, NULL, &picture, NULL), TLU_OK);
    assert_int_equal(
        tlu_cross_validate("rows.csv", options, FOLDS, 1, NULL, NULL, &validation, NULL), TLU_OK);
    char name[80];
    snprintf(name, sizeof name, "perceptron validation %d", MOST);
    assert_true(fabs(figure(picture, name) - validation->mean) < 1e-12);
    snprintf(name, sizeof name, "perceptron validation deviation %d", MOST);
    assert_true(fabs(figure(picture, name) - validation->deviation) < 1e-12);
    assert_true(validation->deviation > 0);
    assert_true(figure(picture, "perceptron training 2") == 1);
    assert_int_equal(figure_count(picture), 8); // two sizes, two kinds of rows, two figures
    assert_non_null(strstr(tlu_picture_caption(picture), "45 training rows: perceptron"));
    tlu_validation_free(validation);
    tlu_picture_free(picture);
    tlu_options_free(options);
}

// Without settings: ten sizes, five folds, and the learner that the data decides.
static void defaults(void **state)
{
    (void)state;
    const tlu_plot_training_size_settings settings = {.size = sizeof settings, .path = "rows.csv"};
    tlu_picture *picture;
    assert_int_equal(tlu_plot_training_size(&settings, NULL, NULL, &picture, NULL), TLU_OK);
    assert_int_equal(figure_count(picture), 40);
    assert_true(figure(picture, "auto validation 48") > 0.5);
    assert_non_null(strstr(tlu_picture_caption(picture), "auto (alma)"));
    tlu_picture_free(picture);
}

static int stop(void *context, const tlu_progress *progress)
{
    (void)progress;
    ++*(int *)context;
    return 1;
}

static void refuses(tlu_plot_training_size_settings settings, tlu_status expected, const char *why)
{
    tlu_picture *picture = (tlu_picture *)&settings;
    tlu_error error;
    settings.size = settings.size ? settings.size : sizeof settings;
    assert_int_equal(tlu_plot_training_size(&settings, NULL, NULL, &picture, &error), expected);
    assert_null(picture);
    if (!strstr(error.text, why))
        fail_msg("'%s', not '%s'", error.text, why);
}
#define WITH(...) ((tlu_plot_training_size_settings){.path = "rows.csv", __VA_ARGS__})

static void settings_are_checked(void **state)
{
    (void)state;
    static const double zero[] = {0}, many[] = {ROWS}, nan[] = {NAN};
    refuses(WITH(.folds = 1), TLU_ERROR_INPUT, "at least 2 folds");
    refuses(WITH(.folds = ROWS + 1), TLU_ERROR_INPUT, "too few for 61 parts");
    refuses(WITH(.sizes = zero, .size_count = 1), TLU_ERROR_INPUT, "is not above 0");
    refuses(WITH(.sizes = nan, .size_count = 1), TLU_ERROR_INPUT, "is not above 0");
    refuses(WITH(.sizes = many, .size_count = 1), TLU_ERROR_INPUT, "only 48 training rows");
    refuses(WITH(.sizes = zero, .size_count = 1001), TLU_ERROR_INPUT, "at most 1000 sizes");
    refuses(WITH(.learners = "percetron"), TLU_ERROR_INPUT, "did you mean perceptron?");
    refuses(WITH(.learners = ","), TLU_ERROR_INPUT, "");
    refuses((tlu_plot_training_size_settings){.path = NULL}, TLU_ERROR_INPUT, "");
    refuses((tlu_plot_training_size_settings){.path = "nowhere.csv"}, TLU_ERROR_INPUT,
            "nowhere.csv: cannot open");
    refuses(WITH(.size = 3), TLU_ERROR_INPUT, "must be set to sizeof");
    int calls = 0;
    refuses(WITH(.progress = stop, .progress_context = &calls), TLU_INTERRUPTED, "");
    assert_true(calls > 0);
}

// Each call of the allocator fails once, or one in so many past the first.
static void memory_may_run_out(void **state)
{
    (void)state;
    const double sizes[] = {0.5, 1};
    const tlu_plot_training_size_settings settings = {
        .size = sizeof settings, .path = "rows.csv", .folds = 2, .sizes = sizes, .size_count = 2};
    tlu_picture *picture;
    fault_at(FAULT_MEMORY, 0);
    assert_int_equal(tlu_plot_training_size(&settings, NULL, NULL, &picture, NULL), TLU_OK);
    long calls = fault_calls(FAULT_MEMORY);
    tlu_picture_free(picture);
    assert_true(calls > 100);
    for (long n = 1; n <= calls; n += (long)unless_sanitized(7, 61)) {
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_plot_training_size(&settings, NULL, NULL, &picture, NULL);
        fault_at(FAULT_MEMORY, 0);
        if (status == TLU_OK) // what only measures text goes on without
            tlu_picture_free(picture);
        else
            assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_cross_validation),
        cmocka_unit_test(defaults),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, write_rows, NULL);
}
