// --calibrate: the scores are those of rows that were not learned from, however the rows come;
// interruption and resumption; a stream that goes on.
#include "base/fault.h"
#include "calibration/fit.h"
#include "learning.h"
#include "predicting.h"

static const char *const labels[] = {"a", "b", "c"};
static const char *const kinds[] = {"sigmoid", "isotonic", "temperature"};

static int make_data(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++) {
        char path[16];
        struct dense data = random_dense(classes, 200, 5, classes, 0.8, true);
        snprintf(path, sizeof path, "%zu.svm", classes);
        write_libsvm(path, &data, labels);
        dense_free(&data);
    }
    // The same with weights, as Vowpal Wabbit has them.
    struct dense data = random_dense(5, 150, 5, 2, 0.8, true);
    FILE *file = fopen("weights.vw", "w");
    assert_non_null(file);
    for (size_t i = 0; i < data.rows; i++) {
        fprintf(file, "%s %g |", data.class[i] ? "1" : "-1", (double)(i % 4) / 2);
        for (size_t j = 0; j < 5; j++)
            fprintf(file, " f%zu:%g", j, data.x[5 * i + j]);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    dense_free(&data);
    return 0;
}

// ---- out-of-fold scores, by what tlu.h has for cross-validation ----

struct gathered {
    double scores[600], weights[200];
    uint32_t class_of[200];
};

static void score_part(const tlu_split *split, size_t part, const tlu_model *model,
                       const char *path, struct gathered *to)
{
    size_t wide = tlu_model_score_count(model);
    const tlu_batch *batch;
    tlu_reader *reader;
    assert_int_equal(tlu_reader_open(model, path, NULL, &reader, NULL), TLU_OK);
    while (tlu_reader_next(reader, &batch, NULL) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows; i++) {
            uint64_t row = batch->first_row + i;
            tlu_row x = tlu_batch_row(batch, i);
            if (tlu_split_row_part(split, row) == part) {
                class_of_row(model, &x, to->scores + row * wide);
                to->class_of[row] = batch->labels[i];
            }
        }
    tlu_reader_close(reader);
}

static void check_calibration(const char *path, const char *kind, const char *settings,
                              bool weighted)
{
    char with[200];
    struct gathered gathered;
    snprintf(with, sizeof with, "%s calibrate=%s", settings, kind);
    tlu_model *model = train(path, with);
    tlu_options *options = options_of(settings);
    tlu_split *split;
    assert_int_equal(tlu_split_new(path, options, 5, &split, NULL), TLU_OK);
    uint64_t rows = tlu_split_row_count(split);
    for (uint64_t i = 0; i < rows; i++)
        gathered.weights[i] = weighted ? (double)(i % 4) / 2 : 1;
    for (size_t part = 0; part < 5; part++) {
        tlu_model *fold;
        assert_int_equal(tlu_split_train(split, part, options, NULL, NULL, &fold, NULL), TLU_OK);
        score_part(split, part, fold, path, &gathered);
        tlu_model_free(fold);
    }
    struct scored_rows scored = {.count = rows,
                                 .classes = (uint32_t)tlu_model_class_count(model),
                                 .scores = gathered.scores,
                                 .class_of = gathered.class_of,
                                 .weights = gathered.weights};
    scored.positive = scored.classes == 2 ? (uint32_t)tlu_model_positive_class(model) : 0;
    struct calibration expected;
    int number = kind[0] == 's' ? 1 : kind[0] == 'i' ? 2 : 3;
    assert_int_equal(calibration_fit(&expected, number, &scored, NULL), TLU_OK);
    assert_string_equal(tlu_model_calibration(model), kind);
    for (uint32_t k = 0; k < expected.curves; k++) {
        tlu_calibration_curve found;
        assert_int_equal(tlu_model_calibration_curve(model, k, &found, NULL), TLU_OK);
        size_t start = k ? expected.ends[k - 1] : 0;
        assert_true(found.slope == expected.slope[k] && found.offset == expected.offset[k]);
        assert_int_equal(found.knots, expected.ends[k] - start);
        for (size_t i = 0; i < found.knots; i++)
            assert_true(found.scores[i] == expected.x[start + i] &&
                        found.probabilities[i] == expected.y[start + i]);
    }
    calibration_free(&expected);
    tlu_split_free(split);
    tlu_options_free(options);
    tlu_model_free(model);
}

static void scores_are_those_of_other_folds(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        check_calibration("2.svm", kinds[i], "learner=logistic positive=a", false);
        check_calibration("2.svm", kinds[i], "learner=perceptron class-weight=a=3 seed=2", false);
        check_calibration("3.svm", kinds[i], "multiclass=wta", false);
        check_calibration("3.svm", kinds[i], "multiclass=ovr learner=pa1 scale=standard", false);
        check_calibration("3.svm", kinds[i], "multiclass=ovo holdout=0.2", false);
        check_calibration("2.svm", kinds[i], "kernel=poly:2 decide=vote epochs=2", false);
        check_calibration("weights.vw", kinds[i], "learner=perceptron", true);
    }
}

// The weights are those of a training without calibration, and so are the labels.
static void nothing_else_changes(void **state)
{
    (void)state;
    tlu_model *plain = train("2.svm", ""), *with = train("2.svm", "calibrate=sigmoid");
    for (size_t f = 0; f < tlu_model_feature_count(plain); f++)
        assert_exactly(tlu_model_weight(with, 1, f), tlu_model_weight(plain, 1, f));
    tlu_evaluation *a, *b;
    assert_int_equal(tlu_evaluate(plain, "2.svm", NULL, &a, NULL), TLU_OK);
    assert_int_equal(tlu_evaluate(with, "2.svm", NULL, &b, NULL), TLU_OK);
    assert_memory_equal(a->confusion, b->confusion, 4 * sizeof *a->confusion);
    tlu_evaluation_free(a);
    tlu_evaluation_free(b);
    tlu_model_free(plain);
    tlu_model_free(with);
}

static void folds_of_a_part(void **state)
{
    (void)state;
    tlu_options *options = options_of("calibrate=isotonic learner=logistic");
    tlu_split *split;
    assert_int_equal(tlu_split_new("2.svm", options, 3, &split, NULL), TLU_OK);
    for (size_t part = 0; part < 3; part++) {
        // What is learned without a part is what is learned from a file without it.
        tlu_model *model, *alone;
        FILE *from = fopen("2.svm", "r"), *to = fopen("without.svm", "w");
        char line[200];
        assert_true(from && to);
        for (uint64_t row = 0; fgets(line, sizeof line, from); row++)
            if (tlu_split_row_part(split, row) != part)
                fputs(line, to);
        fclose(from);
        fclose(to);
        assert_int_equal(tlu_split_train(split, part, options, NULL, NULL, &model, NULL), TLU_OK);
        assert_int_equal(tlu_train("without.svm", options, &alone, NULL), TLU_OK);
        tlu_calibration_curve a, b;
        assert_int_equal(tlu_model_calibration_curve(model, 1, &a, NULL), TLU_OK);
        assert_int_equal(tlu_model_calibration_curve(alone, 1, &b, NULL), TLU_OK);
        assert_int_equal(a.knots, b.knots);
        assert_memory_equal(a.scores, b.scores, a.knots * sizeof *a.scores);
        assert_memory_equal(a.probabilities, b.probabilities, a.knots * sizeof *a.scores);
        tlu_model_free(model);
        tlu_model_free(alone);
    }
    tlu_split_free(split);
    tlu_options_free(options);
}

// ---- rows in memory ----

static void write_rows(const char *path, const tlu_rows *rows)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < rows->rows; i++) {
        fprintf(file, "%s", rows->label_names[rows->labels[i]]);
        for (size_t j = 0; j < rows->columns; j++)
            if (rows->values[i * rows->columns + j] != 0)
                fprintf(file, " %zu:%.9g", j, (double)rows->values[i * rows->columns + j]);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static int bring(void *context, const tlu_rows **rows, tlu_error *error)
{
    (void)context, (void)rows, (void)error;
    return 0;
}

static void rows_in_memory(void **state)
{
    static const char *const settings[] = {"calibrate=sigmoid learner=logistic",
                                           "calibrate=isotonic hash=12"};
    struct dense data = random_dense(8, 120, 4, 3, 0.7, true);
    float values[480];
    uint32_t classes[120];
    (void)state;
    for (size_t i = 0; i < 480; i++)
        values[i] = (float)data.x[i];
    for (size_t i = 0; i < 120; i++)
        classes[i] = (uint32_t)data.class[i];
    tlu_rows rows = {.size = sizeof rows,
                     .rows = 120,
                     .columns = 4,
                     .values = values,
                     .labels = classes,
                     .label_names = labels,
                     .label_count = 3};
    write_rows("rows", &rows); // the model has the name of its data
    for (size_t i = 0; i < 2; i++) {
        tlu_options *options = options_of(settings[i]);
        tlu_train_settings given = {.size = sizeof given, .rows = &rows};
        tlu_model *model, *from_file;
        assert_int_equal(tlu_train_with(&given, options, &model, NULL), TLU_OK);
        assert_int_equal(tlu_train("rows", options, &from_file, NULL), TLU_OK);
        assert_non_null(tlu_model_calibration(model));
        assert_same_model(model, from_file);
        tlu_error error;
        given = (tlu_train_settings){.size = sizeof given, .next_rows = bring};
        tlu_model_free(model);
        assert_int_equal(tlu_train_with(&given, options, &model, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "next_rows returns them once"));
        tlu_model_free(from_file);
        tlu_options_free(options);
    }
    dense_free(&data);
}

// ---- interruption ----

struct moment {
    uint64_t fold, calls, stop_at; // stops at this call of the function in this fold
};

static int stop_there(void *context, const tlu_progress *progress)
{
    struct moment *moment = context;
    if (progress->fold != moment->fold)
        return 0;
    assert_int_equal(progress->folds, moment->fold ? 5 : 0);
    return ++moment->calls >= moment->stop_at;
}

static void resumed_is_the_same(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("blobs", &recipe, NULL), TLU_OK);
    recipe.format = "libsvm";
    recipe.rows = 20000;
    generate_file("many.svm", &recipe);
    tlu_options *options = options_of("calibrate=isotonic epochs=3");
    tlu_model *whole = train("many.svm", "calibrate=isotonic epochs=3");
    for (uint64_t fold = 0; fold <= 5; fold++) {
        struct moment moment = {fold, 0, 3};
        tlu_model *begun, *model;
        uint64_t pass, examples;
        tlu_error error;
        assert_int_equal(train_watched("many.svm", options, stop_there, &moment, &begun, &error),
                         TLU_OK);
        assert_null(tlu_model_calibration(begun));
        assert_true(tlu_model_can_resume(begun, &pass, &examples));
        assert_int_equal(tlu_model_probabilities(begun, NULL, NULL, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "--resume"));
        assert_int_equal(tlu_model_save(begun, "begun.tlu", NULL), TLU_OK);
        tlu_model_free(begun);
        assert_int_equal(tlu_model_load("begun.tlu", &begun, NULL), TLU_OK);
        if (train_resumed("many.svm", begun, NULL, &model, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_same_model(whole, model);
        tlu_model_free(model);
        if (fold) {               // a model that lacks its calibration alone
            tlu_learner *learner; // which a stream does not wait for
            assert_int_equal(tlu_learner_resume(begun, &learner, NULL), TLU_OK);
            assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
            assert_false(tlu_model_can_resume(model, NULL, NULL));
            tlu_model_free(model);
            tlu_learner_free(learner);
            assert_int_equal(train_resumed("2.svm", begun, NULL, &model, &error), TLU_ERROR_INPUT);
            assert_non_null(strstr(error.text, "give the data of the training"));
            tlu_options *other = options_as_said("calibrate=sigmoid");
            assert_int_equal(train_resumed("many.svm", begun, other, &model, &error),
                             TLU_ERROR_INPUT);
            tlu_options_free(other);
        }
        tlu_model_free(begun);
    }
    tlu_options_free(options);
    tlu_model_free(whole);
}

// ---- what is refused ----

static void too_few_rows(void **state)
{
    (void)state;
    write_text("few.svm", "a 1:1\nb 2:1\na 1:2\nb 2:2\n");
    assert_refused("few.svm", "calibrate=sigmoid",
                   "has 4 rows, too few for 5 parts of --calibrate");
    write_text("single.svm", "a 1:1\na 1:1\na 1:2\na 1:2\nb 1:3\na 2:1\n");
    assert_refused("single.svm", "calibrate=sigmoid", "row 5 is the only one of its class");
    write_text("one.svm", "a 1:1\na 1:1\na 1:2\na 1:2\na 1:3\na 2:1\n");
    assert_refused("one.svm", "calibrate=sigmoid", "class");
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    write_text("small.svm", "a 1:1\nb 2:1\na 1:2\nb 2:2\nb 1:1 2:3\na 1:3 2:1\n");
    tlu_options *options = options_of("calibrate=isotonic epochs=2 threads=1");
    long n = 1;
    for (bool done = false; !done; n += 1 + n / 16) {
        tlu_model *model;
        tlu_error error;
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_train("small.svm", options, &model, &error);
        done = fault_calls(FAULT_MEMORY) < n;
        fault_at(FAULT_MEMORY, 0);
        assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && !model));
        tlu_model_free(model);
    }
    assert_true(n > 300);
    tlu_options_free(options);
}

// ---- streams ----

static double probability_of(const tlu_model *model, const char *label, const tlu_feature *features)
{
    double scores[3], probabilities[3];
    class_of_named(model, features, 1, scores);
    assert_int_equal(tlu_model_probabilities(model, scores, probabilities, NULL), TLU_OK);
    return probabilities[tlu_model_class_find(model, label)];
}

// A stream keeps the calibration as long as the classes stay the same.
static void a_stream_goes_on_with_it(void **state)
{
    tlu_feature there = {"1", 1};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "multiclass=ovr calibrate=%s", kinds[i]);
        tlu_model *model = train("3.svm", settings), *later;
        tlu_learner *learner;
        assert_int_equal(tlu_learner_resume(model, &learner, NULL), TLU_OK);
        assert_int_equal(tlu_learner_make_model(learner, &later, NULL), TLU_OK);
        for (size_t k = 0; k < 3; k++)
            assert_exactly(probability_of(later, labels[k], &there),
                           probability_of(model, labels[k], &there));
        tlu_model_free(later);
        assert_int_equal(tlu_learner_learn(learner, &there, 1, "d", 1, NULL, NULL), TLU_OK);
        assert_int_equal(tlu_learner_make_model(learner, &later, NULL), TLU_OK);
        assert_null(tlu_model_calibration(later));
        assert_false(tlu_model_can_resume(later, NULL, NULL)); // there is nothing to resume
        tlu_model_free(later);
        tlu_learner_free(learner);
        tlu_model_free(model);
    }
    tlu_options *options = options_as_said("calibrate=sigmoid");
    tlu_learner *learner;
    tlu_error error;
    assert_int_equal(tlu_learner_new(options, &learner, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "--calibrate is for files"));
    tlu_options_free(options);
}

// The answers of a stream are those of the model: labels by its threshold, and probabilities.
static void answers_have_probabilities(void **state)
{
    tlu_model *model = train("2.svm", "calibrate=sigmoid decide=last");
    tlu_feature there = {"1", 1};
    double scores[1], expected = probability_of(model, "b", &there);
    class_of_named(model, &there, 1, scores);
    (void)state;
    for (int above = 0; above < 2; above++) {
        tlu_model *copy;
        assert_int_equal(
            tlu_model_with_threshold(model, expected + (above ? 1e-9 : 0), &copy, NULL), TLU_OK);
        tlu_model_free(model);
        model = copy;
        assert_int_equal(tlu_model_save(model, "live.tlu", NULL), TLU_OK);
        tlu_stream_settings settings = {.size = sizeof settings, .scores = 1, .probabilities = 1};
        tlu_stream *stream;
        tlu_error error;
        if (tlu_stream_open("live.tlu", NULL, &settings, &stream, &error) != TLU_OK)
            fail_msg("%s", error.text);
        size_t used, length;
        const char *text;
        char wanted[128];
        assert_int_equal(tlu_stream_feed(stream, "1:1\n", 4, 1, &used, &text, &length, &error),
                         TLU_OK);
        char score[32], share[32];
        tlu_number_format(score, sizeof score, above ? -scores[0] : scores[0]);
        double probabilities[2];
        tlu_model_probabilities(model, scores, probabilities, NULL);
        tlu_number_format(share, sizeof share, probabilities[!above]);
        snprintf(wanted, sizeof wanted, "%s\t%s\t%s\n", above ? "a" : "b", score, share);
        assert_int_equal(length, strlen(wanted));
        assert_memory_equal(text, wanted, length);
        tlu_stream_close(stream);
        // tlu_learner_predict says the same.
        tlu_learner *learner;
        const char *label;
        assert_int_equal(tlu_learner_resume(model, &learner, NULL), TLU_OK);
        assert_int_equal(tlu_learner_predict(learner, &there, 1, &label, NULL, NULL), TLU_OK);
        assert_string_equal(label, above ? "a" : "b");
        tlu_learner_free(learner);
    }
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_other_folds),
        cmocka_unit_test(nothing_else_changes),
        cmocka_unit_test(folds_of_a_part),
        cmocka_unit_test(rows_in_memory),
        cmocka_unit_test(resumed_is_the_same),
        cmocka_unit_test(too_few_rows),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(a_stream_goes_on_with_it),
        cmocka_unit_test(answers_have_probabilities),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
