// Parts of a data set, cross-validation and steps, from a program: nothing of a part is known to
// what is learned without it, whatever the format, the number of threads and the way the data
// comes.
#include "base/fault.h"
#include "learning.h"

#include <unistd.h>

// Every row has a label, a category and an index of its own, so that each can be looked for.
#define ROWS 60

static const char *label_of(uint32_t row) // of the large file: no learner can tell
{
    return row * 2654435761u >> 30 ? "one" : "other";
}

static void write_data(void)
{
    FILE *csv = fopen("own.csv", "w"), *svm = fopen("own.svm", "w");
    assert_true(csv && svm);
    fputs("# rows with names of their own\nword,size,class\n", csv);
    for (int i = 0; i < ROWS; i++) {
        const char *label = i % 3 ? "many" : "few";
        fprintf(csv, "word%d,%d,%s\n%s", i, i == 7 ? 1000 : i % 5 + 1, label, i % 4 ? "" : "\n");
        fprintf(svm, "%s 1:%d %d:1 %d:1\n", label, i % 5 + 1, 10 + i, 5000000 + i);
    }
    assert_true(fclose(csv) == 0 && fclose(svm) == 0);
    // More than one chunk of the reader, so that threads take part.
    FILE *large = fopen("large.svm", "w");
    assert_non_null(large);
    for (int i = 0; i < 6000; i++)
        fprintf(large, "%s %d:0.5 %d:1 %0200d:1\n%s", label_of((uint32_t)i), 1 + i % 7,
                10 + i * i % 9, 5000000 + i, i % 1000 ? "" : "# a line without a row\n");
    assert_int_equal(fclose(large), 0);
}

static int make_data(void **state)
{
    (void)state;
    write_data();
    return 0;
}

static tlu_split *split_of(const char *path, size_t parts, const char *settings)
{
    tlu_split *split;
    tlu_error error;
    tlu_options *options = options_of(settings);
    if (tlu_split_new(path, options, parts, &split, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return split;
}

static tlu_model *train_without(const tlu_split *split, size_t part, const char *settings)
{
    tlu_model *model;
    tlu_error error;
    tlu_options *options = options_of(settings);
    if (tlu_split_train(split, part, options, NULL, NULL, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return model;
}

// ---- parts ----

static void parts_are_alike(void **state)
{
    (void)state;
    for (size_t parts = 2; parts <= 7; parts++) {
        tlu_split *split = split_of("own.svm", parts, "");
        uint64_t few[8] = {0}, all[8] = {0};
        assert_int_equal(tlu_split_row_count(split), ROWS);
        for (uint64_t row = 0; row < ROWS; row++) {
            size_t part = tlu_split_row_part(split, row);
            assert_true(part < parts);
            all[part]++;
            few[part] += row % 3 == 0;
        }
        for (size_t i = 0; i < parts; i++) { // ROWS / 3 of the one, the rest of the other
            assert_in_range(all[i], ROWS / parts, (ROWS + parts - 1) / parts);
            assert_in_range(few[i], ROWS / 3 / parts, (ROWS / 3 + parts - 1) / parts);
        }
        assert_int_equal(tlu_split_row_part(split, ROWS), TLU_NONE);
        tlu_split_free(split);
    }
}

static void deals_go_by_the_seed(void **state)
{
    (void)state;
    tlu_split *a = split_of("own.svm", 4, "seed=5"), *b = split_of("own.csv", 4, "seed=5");
    tlu_split *other = split_of("own.svm", 4, "seed=6");
    size_t differ = 0, again = 0;
    for (uint64_t row = 0; row < ROWS; row++) {
        assert_int_equal(tlu_split_row_part(a, row), tlu_split_row_part(b, row));
        differ += tlu_split_row_part(a, row) != tlu_split_row_part(other, row);
    }
    assert_int_equal(tlu_split_shuffle(a, NULL), TLU_OK);
    for (uint64_t row = 0; row < ROWS; row++)
        again += tlu_split_row_part(a, row) != tlu_split_row_part(b, row);
    assert_true(differ > ROWS / 4 && again > ROWS / 4);
    tlu_split_free(a);
    tlu_split_free(b);
    tlu_split_free(other);
}

static void nothing_leaks(void **state)
{
    (void)state;
    static const char *const paths[] = {"own.csv", "own.svm"};
    for (size_t k = 0; k < 2; k++) {
        tlu_split *split = split_of(paths[k], 3, "");
        for (size_t part = 0; part < 3; part++) {
            tlu_model *model = train_without(split, part, "learner=pa epochs=3");
            size_t known = 0;
            for (uint64_t row = 0; row < ROWS; row++) {
                char word[32], index[32];
                snprintf(word, sizeof word, k ? "%d" : "word=word%d", (int)row + (k ? 5000000 : 0));
                snprintf(index, sizeof index, "%d", (int)row + 10);
                bool inside = tlu_split_row_part(split, row) == part;
                assert_int_equal(tlu_model_feature_find(model, word) == TLU_NONE, inside);
                if (k && inside)
                    assert_true(tlu_model_feature_find(model, index) == TLU_NONE);
                known += !inside;
            }
            assert_int_equal(tlu_model_report(model)->examples, known);
            tlu_model_free(model);
        }
        tlu_split_free(split);
    }
}

// The row of size 1000 decides about the scale where it is learned from, and only there.
static void scaling_comes_from_the_others(void **state)
{
    (void)state;
    tlu_split *split = split_of("own.csv", 2, "");
    for (size_t part = 0; part < 2; part++) {
        tlu_model *model = train_without(split, part, "scale=maxabs decide=last");
        size_t size = tlu_model_feature_find(model, "size"), yes = tlu_model_positive_class(model);
        double largest = tlu_split_row_part(split, 7) == part ? 5 : 1000;
        double weight = tlu_model_weight(model, yes, size);
        assert_true(weight != 0);
        assert_true(fabs(tlu_model_scaled_weight(model, yes, size) - weight * largest) <=
                    1e-12 * fabs(weight * largest));
        tlu_model_free(model);
    }
    tlu_split_free(split);
}

// A model of a part is the one that a file of the same rows gives, bit for bit.
static void parts_are_as_files(void **state)
{
    (void)state;
    static const char *const settings[] = {"threads=1", "threads=4 learner=arow",
                                           "threads=3 decide=vote epochs=2",
                                           "threads=1 scale=standard"};
    tlu_split *split = split_of("large.svm", 3, "threads=2");
    FILE *from = fopen("large.svm", "r"), *to = fopen("rest.svm", "w");
    assert_true(from && to);
    char line[512];
    for (uint64_t row = 0; fgets(line, sizeof line, from);)
        if (line[0] != '#' && tlu_split_row_part(split, row++) != 1)
            fputs(line, to);
    assert_true(fclose(from) == 0 && fclose(to) == 0);
    for (size_t i = 0; i < 4; i++) {
        tlu_model *part = train_without(split, 1, settings[i]),
                  *whole = train("rest.svm", settings[i]);
        assert_int_equal(tlu_model_feature_count(part), tlu_model_feature_count(whole));
        for (size_t f = 0; f < tlu_model_feature_count(whole); f++) {
            char a[32], b[32];
            tlu_model_feature_name(part, f, a, sizeof a);
            tlu_model_feature_name(whole, f, b, sizeof b);
            assert_string_equal(a, b);
            double v = tlu_model_weight(part, 0, f), w = tlu_model_weight(whole, 0, f);
            assert_memory_equal(&v, &w, sizeof v);
        }
        tlu_model_free(part);
        tlu_model_free(whole);
    }
    tlu_split_free(split);
}

static void parts_that_are_not_there(void **state)
{
    (void)state;
    tlu_split *split = split_of("own.svm", 3, ""), *none;
    tlu_model *model;
    tlu_evaluation *evaluation;
    tlu_error error;
    assert_int_equal(tlu_split_train(split, 3, NULL, NULL, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_null(model);
    assert_non_null(strstr(error.text, "no part 3"));
    assert_int_equal(tlu_split_train(split, TLU_NONE, NULL, NULL, NULL, &model, &error), TLU_OK);
    assert_int_equal(tlu_model_report(model)->examples, ROWS);
    assert_int_equal(tlu_split_evaluate(split, 7, model, NULL, &evaluation, &error),
                     TLU_ERROR_INPUT);
    assert_null(evaluation);
    assert_int_equal(tlu_split_evaluate(split, TLU_NONE, model, NULL, &evaluation, &error), TLU_OK);
    assert_int_equal(evaluation->examples, ROWS);
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    tlu_split_free(split);
    assert_int_equal(tlu_split_new("own.svm", NULL, ROWS + 1, &none, &error), TLU_ERROR_INPUT);
    assert_null(none);
    assert_int_equal(tlu_split_new("own.svm", NULL, 0, &none, &error), TLU_ERROR_INPUT);
    tlu_validation *validation;
    assert_int_equal(tlu_cross_validate("own.svm", NULL, 1, 1, NULL, NULL, &validation, &error),
                     TLU_ERROR_INPUT);
    assert_null(validation);
    tlu_split_free(NULL);
    tlu_validation_free(NULL);
}

// ---- cross-validation ----

static int stop_at(void *context, const tlu_fold *fold)
{
    assert_true(fold->fold <= *(uint64_t *)context);
    return fold->fold == *(uint64_t *)context;
}

static void folds_can_be_stopped(void **state)
{
    (void)state;
    uint64_t last = 2;
    tlu_validation *validation;
    tlu_error error;
    assert_int_equal(tlu_cross_validate("own.svm", NULL, 5, 2, stop_at, &last, &validation, &error),
                     TLU_OK);
    assert_int_equal(validation->count, 2);
    double a = validation->folds[0]->accuracy, b = validation->folds[1]->accuracy;
    assert_true(fabs(validation->mean - (a + b) / 2) < 1e-15);
    assert_true(fabs(validation->deviation - fabs(a - b) / sqrt(2)) < 1e-15);
    tlu_validation_free(validation);
}

// Stops the first training that is asked about when so many folds are done.
struct training_stopper {
    uint64_t folds_done, folds_wanted;
    bool stopped;
};

static int count_fold(void *context, const tlu_fold *fold)
{
    struct training_stopper *stopper = context;
    (void)fold;
    stopper->folds_done++;
    return 0;
}

static int stop_training(void *context, const tlu_progress *progress)
{
    struct training_stopper *stopper = context;
    (void)progress;
    assert_false(stopper->stopped); // nothing is trained after that
    stopper->stopped = stopper->folds_done >= stopper->folds_wanted;
    return stopper->stopped;
}

static void trainings_can_be_stopped(void **state)
{
    (void)state;
    tlu_options *options = options_of("epochs=100 stop=epochs learner=perceptron");
    tlu_validation *whole, *validation;
    tlu_error error;
    assert_int_equal(tlu_cross_validate("large.svm", options, 3, 2, NULL, NULL, &whole, &error),
                     TLU_OK);
    for (uint64_t folds = 0; folds <= 6; folds++) {
        struct training_stopper stopper = {.folds_wanted = folds};
        const tlu_validation_settings settings = {.size = sizeof settings,
                                                  .path = "large.svm",
                                                  .folds = 3,
                                                  .repeats = 2,
                                                  .function = count_fold,
                                                  .context = &stopper,
                                                  .progress = stop_training,
                                                  .progress_context = &stopper};
        const tlu_status status = tlu_cross_validate_with(&settings, options, &validation, &error);
        assert_int_equal(stopper.stopped, folds < 6);
        assert_int_equal(status, folds ? TLU_OK : TLU_INTERRUPTED);
        if (folds == 0) {
            assert_null(validation);
            continue;
        }
        assert_int_equal(validation->count, folds);
        for (size_t i = 0; i < folds; i++)
            assert_int_equal(validation->folds[i]->correct, whole->folds[i]->correct);
        tlu_validation_free(validation);
    }
    const tlu_validation_settings usual = {.size = sizeof usual, .path = "own.svm"};
    assert_int_equal(tlu_cross_validate_with(&usual, NULL, &validation, &error), TLU_OK);
    assert_int_equal(validation->count, 5);
    tlu_validation_free(validation);
    const tlu_validation_settings none = {.size = sizeof none};
    assert_int_equal(tlu_cross_validate_with(&none, NULL, &validation, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "path"));
    tlu_validation_free(whole);
    tlu_options_free(options);
}

// ---- steps ----

struct watched {
    uint64_t steps, mistakes, updates;
    double bias, weight; // of the last step
    uint64_t lines[3];   // of the first steps
};

static int watch(void *context, const tlu_step *step)
{
    struct watched *watched = context;
    char name[32];
    assert_int_equal(step->step, ++watched->steps);
    assert_int_equal(step->mistake,
                     step->scores[0] == 0 || strcmp(step->label, step->predicted) != 0);
    for (size_t i = 0; i < step->example.count; i++)
        assert_true(step->example.features[i] < step->features);
    watched->mistakes += step->mistake != 0;
    watched->updates += step->updated != 0;
    if (step->step <= 3)
        watched->lines[step->step - 1] = step->line;
    for (size_t f = 0; f < step->features; f++) {
        tlu_step_feature_name(step, f, name, sizeof name);
        if (strcmp(name, "size") == 0 || strcmp(name, "1") == 0)
            watched->weight = tlu_step_weight(step, 0, f);
    }
    assert_int_equal(tlu_step_feature_name(step, step->features, name, sizeof name), 0);
    assert_true(tlu_step_weight(step, 1, 0) == 0 && tlu_step_alpha(step, 0, 1) == 0);
    watched->bias = tlu_step_bias(step, 0);
    return 0;
}

static void steps_lead_to_the_model(void **state)
{
    (void)state;
    static const char *const paths[] = {"own.csv", "own.svm"};
    for (size_t k = 0; k < 2; k++) {
        struct watched watched = {0};
        tlu_options *options = options_of("decide=last epochs=4");
        tlu_model *traced, *plain = train(paths[k], "decide=last epochs=4");
        tlu_error error;
        if (tlu_trace(paths[k], options, watch, &watched, &traced, &error) != TLU_OK)
            fail_msg("%s", error.text);
        const tlu_report *report = tlu_model_report(plain);
        uint64_t mistakes = 0;
        for (uint64_t i = 0; i < report->epochs; i++)
            mistakes += report->mistakes[i];
        assert_int_equal(watched.steps, ROWS * report->epochs);
        assert_int_equal(watched.mistakes, mistakes);
        assert_int_equal(watched.updates, report->updates);
        assert_int_equal(tlu_model_report(traced)->updates, report->updates);
        const char *label = tlu_model_class_label(plain, tlu_model_positive_class(plain));
        assert_true(watched.bias == bias_of(plain, label));
        assert_true(watched.weight == weight_of(plain, label, k ? "1" : "size"));
        assert_int_equal(watched.lines[0], k ? 1 : 3);
        assert_int_equal(watched.lines[1], k ? 2 : 5); // after an empty line
        assert_int_equal(watched.lines[2], k ? 3 : 6);
        tlu_options_free(options);
        tlu_model_free(traced);
        tlu_model_free(plain);
    }
}

// The lines of rows far into a file, past several chunks: row 4500 is after 5 lines without one.
static void lines_of_large_files(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        char settings[64];
        snprintf(settings, sizeof settings, "threads=%d decide=vote epochs=1", threads);
        tlu_model *model = train("large.svm", settings);
        size_t count = tlu_model_support_count(model);
        assert_true(count > 10);
        for (size_t i = 0; i < count; i++) {
            tlu_support support;
            assert_int_equal(tlu_model_support(model, i, &support, NULL), TLU_OK);
            // Row r (from 0) is after a line for each 1000 rows begun, its own included unless it
            // is their first.
            uint64_t row = support.line - 1;
            for (uint64_t r = row > 7 ? row - 7 : 0; r < ROWS * 100; r++)
                if (r + (r + 999) / 1000 == support.line - 1) {
                    row = r;
                    break;
                }
            assert_int_equal(row + (row + 999) / 1000, support.line - 1);
            assert_string_equal(tlu_model_class_label(model, support.class_index),
                                label_of((uint32_t)row));
        }
        tlu_model_free(model);
    }
}

// ---- machines that fail ----

typedef tlu_status scenario(tlu_error *error);

static void every_failure(enum fault_kind kind, scenario *run)
{
    long n = 1;
    for (bool hit = true; hit; n++) {
        tlu_error error = {0};
        fault_at(kind, n);
        tlu_status status = run(&error);
        hit = fault_calls(kind) >= n;
        fault_at(kind, 0);
        if (!hit && status != TLU_OK)
            fail_msg("without a failure: %s", error.text);
        if (status != TLU_OK)
            assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
    assert_true(n > 2);
}

static const char *data;

static tlu_status validates(tlu_error *error)
{
    tlu_validation *validation;
    tlu_status status = tlu_cross_validate(data, NULL, 2, 2, NULL, NULL, &validation, error);
    tlu_validation_free(validation);
    return status;
}

static int look(void *context, const tlu_step *step)
{
    (void)context;
    (void)step;
    return 0;
}

static tlu_status traces(tlu_error *error)
{
    tlu_model *model;
    tlu_status status = tlu_trace(data, NULL, look, NULL, &model, error);
    tlu_model_free(model);
    return status;
}

static void failures_are_clean(void **state)
{
    (void)state;
    // Indices far apart cost time with each of some hundred failures.
    const char *const paths[] = {"own.csv", getenv("TLU_LONG") ? "own.svm" : "near.svm"};
    write_text("near.svm", "few 1:1 2:1\nmany 1:2 3:1\nfew 2:1\nmany 3:2\nsome 4:1 5:2\n"
                           "some 5:1\nfew 1:1\nmany 1:3 3:1\n");
    for (size_t k = 0; k < 2; k++) {
        data = paths[k];
        every_failure(FAULT_MEMORY, validates);
        every_failure(FAULT_READ, validates);
        every_failure(FAULT_MEMORY, traces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_alike),         cmocka_unit_test(deals_go_by_the_seed),
        cmocka_unit_test(nothing_leaks),           cmocka_unit_test(scaling_comes_from_the_others),
        cmocka_unit_test(parts_are_as_files),      cmocka_unit_test(parts_that_are_not_there),
        cmocka_unit_test(folds_can_be_stopped),    cmocka_unit_test(trainings_can_be_stopped),
        cmocka_unit_test(steps_lead_to_the_model), cmocka_unit_test(lines_of_large_files),
        cmocka_unit_test(failures_are_clean),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
