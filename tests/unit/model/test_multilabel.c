// Models of rows with several labels by the library: rows in memory are those of a file, thresholds
// are kept and shared, a batch is predicted as its rows are, learners take and give lists, a
// machine that fails leaves nothing behind.
#include "base/fault.h"
#include "learning.h"
#include "model_bytes.h"

#define DATA "sets.svm"
#define M "multilabel=yes"
#define ROWS 60

static uint32_t set_labels[3 * ROWS];
static uint64_t offsets[ROWS + 1];
static float values[4 * ROWS];

// Labels a, b and c, each of which has to do with a feature; some rows have none.
static int make_data(void **state)
{
    (void)state;
    struct random random;
    FILE *file = fopen(DATA, "w");
    assert_non_null(file);
    random_seed(&random, 27);
    for (size_t i = 0; i < ROWS; i++) {
        const char *between = "";
        offsets[i + 1] = offsets[i];
        for (size_t f = 0; f < 4; f++)
            values[4 * i + f] = (float)(1 + random_below(&random, 8)) / 4;
        for (uint32_t c = 0; c < 3; c++) {
            if (values[4 * i + c] + (float)random_below(&random, 3) / 2 < 1.75f)
                continue;
            fprintf(file, "%s%c", between, 'a' + (int)c);
            set_labels[offsets[i + 1]++] = c;
            between = ",";
        }
        for (size_t f = 0; f < 4; f++)
            fprintf(file, " %zu:%g", f, (double)values[4 * i + f]);
        fputc('\n', file);
    }
    return fclose(file);
}

static tlu_rows rows_in_memory(void)
{
    static const char *const names[] = {"a", "b", "c"};
    tlu_rows rows = {.size = sizeof rows, .rows = ROWS, .columns = 4, .values = values};
    rows.labels = set_labels;
    rows.label_offsets = offsets;
    rows.label_names = names;
    rows.label_count = 3;
    return rows;
}

static void test_rows_in_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {M, M " learner=arow", M " decide=vote",
                                           M " learner=rocchio", M " learner=max-margin C=1"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_rows rows = rows_in_memory();
        tlu_options *options = options_of(settings[i]);
        tlu_train_settings given = {.size = sizeof given, .rows = &rows, .name = DATA};
        tlu_model *model, *of_file = train(DATA, settings[i]);
        tlu_error error;
        if (tlu_train_with(&given, options, &model, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(tlu_model_class_count(model), 3);
        tlu_row row = {.count = 0};
        for (size_t k = 0; k < ROWS; k++) {
            static const uint32_t features[] = {0, 1, 2, 3};
            double a[3], b[3];
            size_t winner;
            row = (tlu_row){.count = 4, .features = features, .values = values + 4 * k};
            assert_int_equal(tlu_model_predict(model, &row, &winner, a, NULL), TLU_OK);
            assert_int_equal(tlu_model_predict(of_file, &row, &winner, b, NULL), TLU_OK);
            assert_memory_equal(a, b, sizeof a);
        }
        tlu_model_free(model);
        tlu_model_free(of_file);
        tlu_options_free(options);
    }
}

// Those whose score, or probability, is at least the threshold.
static void assert_labels(const tlu_model *model, const double *scores)
{
    uint32_t labels[3];
    double probabilities[3];
    int on_probability = 0;
    bool has = tlu_model_has_threshold(model, NULL, &on_probability);
    size_t count = tlu_model_labels(model, scores, labels, 3), next = 0;
    if (on_probability)
        assert_int_equal(tlu_model_probabilities(model, scores, probabilities, NULL), TLU_OK);
    for (uint32_t c = 0; c < 3; c++) {
        double value = on_probability ? probabilities[c] : scores[c];
        if (value >= (has ? tlu_model_label_threshold(model, c) : 0)) {
            assert_true(next < count);
            assert_int_equal(labels[next++], c);
        }
    }
    assert_int_equal(next, count);
    // As many as there is room for.
    uint32_t first = 99;
    assert_int_equal(tlu_model_labels(model, scores, &first, count > 1), count);
    assert_true(first == 99 || first == labels[0]);
}

static void test_thresholds(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double at[3];
        bool on_probability;
    } cases[] = {
        {M, {-0.5, 0, 2}, false},
        {M " learner=logistic multiclass=ovr", {0.1, 0.5, 0.9}, true},
        {M " calibrate=sigmoid", {0.3, 0.4, 0.99}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = train(DATA, cases[i].settings), *copy, *again, *without;
        int on_probability = 7;
        double at = 7;
        assert_true(tlu_model_is_multilabel(model));
        assert_string_equal(tlu_model_scheme(model), "multilabel");
        assert_string_equal(tlu_model_label_separator(model), ",");
        assert_false(tlu_model_has_threshold(model, &at, NULL));
        assert_true(isnan(tlu_model_label_threshold(model, 0)));
        assert_int_equal(tlu_model_with_label_thresholds(model, cases[i].at, &copy, NULL), TLU_OK);
        assert_true(tlu_model_has_threshold(copy, &at, &on_probability) && isnan(at));
        assert_int_equal(on_probability, cases[i].on_probability);
        for (size_t c = 0; c < 3; c++)
            assert_exactly(tlu_model_label_threshold(copy, c), cases[i].at[c]);
        assert_true(isnan(tlu_model_label_threshold(copy, 3)));
        for (double score = -3; score < 3; score += 0.25) {
            double scores[] = {score, -score, score * score - 2};
            assert_labels(model, scores);
            assert_labels(copy, scores);
        }
        // A file has them; without them it is the model again.
        void *bytes;
        size_t size;
        assert_int_equal(tlu_model_save_bytes(copy, &bytes, &size, NULL), TLU_OK);
        assert_int_equal(tlu_model_load_bytes(bytes, size, &again, NULL), TLU_OK);
        tlu_bytes_free(bytes);
        assert_same_model(copy, again);
        for (size_t c = 0; c < 3; c++)
            assert_exactly(tlu_model_label_threshold(again, c), cases[i].at[c]);
        assert_int_equal(tlu_model_with_threshold(copy, NAN, &without, NULL), TLU_OK);
        assert_same_model(without, model);
        tlu_model_free(without);
        assert_int_equal(tlu_model_with_threshold(copy, 0.25, &without, NULL), TLU_OK);
        for (size_t c = 0; c < 3; c++)
            assert_exactly(tlu_model_label_threshold(without, c), 0.25);
        // They share memory, and go in any order.
        tlu_model_free(model);
        tlu_model_free(copy);
        assert_exactly(tlu_model_label_threshold(without, 2), 0.25);
        tlu_model_free(without);
        tlu_model_free(again);
    }
}

static void test_refused_thresholds(void **state)
{
    (void)state;
    tlu_model *model = train(DATA, M " learner=logistic multiclass=ovr"), *copy;
    tlu_error error;
    static const double nan[] = {0.5, NAN, 0.5}, endless[] = {0.5, 0.5, INFINITY};
    assert_int_equal(tlu_model_with_label_thresholds(model, nan, &copy, &error), TLU_ERROR_INPUT);
    assert_null(copy);
    assert_int_equal(tlu_model_with_label_thresholds(model, endless, &copy, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_model_with_label_thresholds(model, NULL, &copy, &error), TLU_ERROR_INPUT);
    tlu_model_free(model);
    write_text("two.svm", "1 1:1\n2 2:1\n");
    model = train("two.svm", "");
    assert_int_equal(tlu_model_with_label_thresholds(model, endless, &copy, &error),
                     TLU_ERROR_INPUT);
    assert_false(tlu_model_is_multilabel(model));
    assert_int_equal(tlu_model_labels(model, (const double[]){1}, NULL, 0), 0);
    tlu_model_free(model);
}

// Labels of the data and predictions, batch by batch; a label that the model does not know.
static void test_reader(void **state)
{
    (void)state;
    tlu_model *model = train(DATA, M);
    tlu_reader *reader;
    const tlu_batch *batch;
    uint32_t labels[4];
    write_text("read.svm", "a,c 0:1\nz,b 1:1\n 2:1\n3:1\n");
    assert_int_equal(tlu_reader_open(model, "read.svm", NULL, &reader, NULL), TLU_OK);
    assert_int_equal(tlu_reader_predict(reader, 0, NULL, NULL, NULL), TLU_OK);
    assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_OK);
    assert_int_equal(batch->rows, 4);
    assert_int_equal(tlu_reader_labels(reader, 0, labels, 4), 2);
    assert_true(labels[0] == 0 && labels[1] == 2);
    assert_int_equal(tlu_reader_labels(reader, 1, labels, 4), 2);
    assert_true(labels[0] == 1 && labels[1] == TLU_UNKNOWN_LABEL);
    assert_int_equal(tlu_reader_labels(reader, 2, labels, 4), 0);
    assert_int_equal(tlu_reader_labels(reader, 3, labels, 4), 1);
    assert_int_equal(labels[0], TLU_NO_LABEL);
    const tlu_predictions *predictions = tlu_reader_predictions(reader);
    assert_non_null(predictions->scores);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        size_t winner;
        double scores[3];
        assert_int_equal(tlu_model_predict(model, &row, &winner, scores, NULL), TLU_OK);
        assert_memory_equal(scores, predictions->scores + 3 * i, sizeof scores);
        assert_labels(model, scores);
    }
    tlu_reader_close(reader);
    tlu_model_free(model);
}

// ---- a learner that takes one row after the other ----

static void learn(tlu_learner *learner, const char *feature, const char *labels, int mistake)
{
    tlu_feature features[] = {{feature, 1}};
    tlu_error error;
    int found;
    if (tlu_learner_learn(learner, features, 1, labels, 1, &found, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(found, mistake);
}

static void assert_answer(tlu_learner *learner, const char *feature, const char *labels)
{
    tlu_feature features[] = {{feature, 1}};
    const char *found;
    assert_int_equal(tlu_learner_predict(learner, features, 1, &found, NULL, NULL), TLU_OK);
    if (!labels)
        assert_null(found);
    else
        assert_string_equal(found, labels);
}

static void test_learner(void **state)
{
    (void)state;
    tlu_options *options = file_options_of(M " decide=last label-separator=;");
    tlu_learner *learner, *resumed;
    tlu_model *model;
    tlu_error error;
    tlu_feature features[] = {{"x", 1}};
    assert_int_equal(tlu_learner_new(options, &learner, &error), TLU_OK);
    assert_answer(learner, "x", NULL); // no label is known
    learn(learner, "x", "b;a", 1);
    assert_answer(learner, "x", "a;b"); // in the order of labels
    learn(learner, "y", "", 1);         // of no label: both had a bias of 1
    assert_answer(learner, "x", "a;b"); // 1 + 1 - 1
    assert_answer(learner, "y", "");
    learn(learner, "y", "c", 1); // a label that is new
    assert_answer(learner, "y", "c");
    learn(learner, "y", "c", 0);
    assert_int_equal(tlu_learner_learn(learner, features, 1, "a;a", 1, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "the label 'a' occurs twice"));
    assert_int_equal(tlu_learner_learn(learner, features, 1, "a;;b", 1, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_learner_get_stats(learner)->examples, 4);
    assert_int_equal(tlu_learner_make_model(learner, &model, &error), TLU_OK);
    assert_int_equal(tlu_model_class_count(model), 3);
    assert_string_equal(tlu_model_label_separator(model), ";");
    assert_int_equal(tlu_model_class_examples(model, 0), 1);
    assert_int_equal(tlu_model_class_examples(model, 2), 2);
    assert_int_equal(tlu_learner_resume(model, &resumed, &error), TLU_OK);
    assert_answer(resumed, "y", "c");
    learn(learner, "x", "c;b", 1);
    learn(resumed, "x", "c;b", 1);
    tlu_model *a, *b;
    assert_int_equal(tlu_learner_make_model(learner, &a, &error), TLU_OK);
    assert_int_equal(tlu_learner_make_model(resumed, &b, &error), TLU_OK);
    assert_same_model(a, b);
    tlu_model_free(a);
    tlu_model_free(b);
    tlu_model_free(model);
    tlu_learner_free(learner);
    tlu_learner_free(resumed);
    tlu_options_free(options);
}

// ---- hold-out ----

// The values kept are those of the metric on the rows that were held out; the model of the best
// pass is taken.
static void test_holdout(void **state)
{
    (void)state;
    static const char *const metrics[] = {"",         "hamming-loss",   "exact-match",
                                          "f1-macro", "precision-at-1", "roc-auc"};
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, M " holdout=0.3 epochs=8%s%s", i ? " metric=" : "",
                 metrics[i]);
        tlu_model *model = train(DATA, settings);
        const tlu_report *report = tlu_model_report(model);
        bool low = strcmp(metrics[i], "hamming-loss") == 0;
        assert_true(report->held_out > 0 && report->best_epoch > 0);
        for (size_t p = 0; p < report->epochs; p++) {
            double best = report->held_out_accuracy[report->best_epoch - 1],
                   value = report->held_out_accuracy[p];
            assert_true(value >= 0 && value <= 1);
            assert_true(low ? value >= best : value <= best);
        }
        tlu_model_free(model);
    }
    assert_refused(DATA, M " holdout=0.3 metric=matthews", "is for rows of one label");
    assert_refused(DATA, M " holdout=0.3 metric=top-3", "is for rows of one label");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *reason;
    } cases[] = {
        {M " learner=mlp", "use another learner"},
        {M " multiclass=wta", "leave --multiclass out"},
        {M " multiclass=ovo", "leave --multiclass out"},
        {M " positive=a", "leave --positive out"},
        {M " calibrate=temperature", "use sigmoid or isotonic"},
        {M " class-weight=z=2", "'z'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(DATA, cases[i].settings, cases[i].reason);
    write_text("one.svm", "a 1:1\n 2:1\n");
    assert_refused("one.svm", M, "needs two labels or more");
}

// ---- machines that fail ----

typedef tlu_status scenario(tlu_error *error);

static void every_failure(scenario *run)
{
    long n = 1;
    for (bool hit = true; hit; n++) {
        tlu_error error = {0};
        fault_at(FAULT_MEMORY, n);
        tlu_status status = run(&error);
        hit = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        if (!hit && status != TLU_OK)
            fail_msg("without a failure: %s", error.text);
        if (status != TLU_OK)
            assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
    assert_true(n > 2);
}

static tlu_options *tried;
static const tlu_model *trained;

static tlu_status trains(tlu_error *error)
{
    tlu_rows rows = rows_in_memory();
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model *model;
    rows.rows = 20;
    tlu_status status = tlu_train_with(&settings, tried, &model, error);
    tlu_model_free(model);
    return status;
}

static tlu_status evaluates(tlu_error *error)
{
    tlu_evaluation *evaluation = NULL;
    tlu_status status = tlu_evaluate(trained, "few.svm", NULL, &evaluation, error);
    tlu_evaluation_free(evaluation);
    return status;
}

static tlu_status finds_thresholds(tlu_error *error)
{
    tlu_threshold_settings settings = {
        .size = sizeof settings, .path = "few.svm", .objective = "f1"};
    tlu_threshold *threshold = NULL;
    tlu_model *copy = NULL;
    tlu_status status = tlu_threshold_find(trained, &settings, NULL, &threshold, error);
    if (status == TLU_OK) {
        double at[3];
        assert_int_equal(threshold->label_count, 3);
        for (size_t c = 0; c < 3; c++)
            at[c] = threshold->labels[c].threshold;
        status = tlu_model_with_label_thresholds(trained, at, &copy, error);
    }
    tlu_threshold_free(threshold);
    tlu_model_free(copy);
    return status;
}

static tlu_status validates(tlu_error *error)
{
    tlu_validation *validation = NULL;
    tlu_status status = tlu_cross_validate("few.svm", tried, 2, 1, NULL, NULL, &validation, error);
    assert_true(status != TLU_OK || validation->label_count == 3);
    tlu_validation_free(validation);
    return status;
}

static tlu_status learns(tlu_error *error)
{
    tlu_learner *learner = NULL;
    tlu_model *model = NULL;
    tlu_feature features[] = {{"x", 1}};
    const char *label;
    tlu_status status = tlu_learner_new(tried, &learner, error);
    if (status == TLU_OK)
        status = tlu_learner_learn(learner, features, 1, "a,b", 1, NULL, error);
    if (status == TLU_OK)
        status = tlu_learner_learn(learner, features, 1, "c", 1, NULL, error);
    if (status == TLU_OK)
        status = tlu_learner_predict(learner, features, 1, &label, NULL, error);
    if (status == TLU_OK)
        status = tlu_learner_make_model(learner, &model, error);
    tlu_model_free(model);
    tlu_learner_free(learner);
    return status;
}

// With these options.
static void every_failure_of(scenario *run, const char *settings)
{
    tried = options_of(settings);
    set_option(tried, "threads", "1");
    every_failure(run);
    tlu_options_free(tried);
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {M " epochs=2 holdout=0.3 metric=precision-at-1",
                                           M " epochs=1 class-weight=balanced calibrate=isotonic",
                                           M " learner=rocchio", M " learner=alma multiclass=ovr"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        every_failure_of(trains, settings[i]);
    write_text("few.svm", "a,b 1:1\nb 2:1\n 3:1\na,c 1:1 4:1\nc,b 2:1\na 3:1\nc 1:1\nb,a 4:1\n");
    tlu_model *model = train("few.svm", M);
    trained = model;
    every_failure(evaluates);
    every_failure(finds_thresholds);
    every_failure_of(validates, M " epochs=1");
    every_failure_of(learns, M " decide=average scale=none");
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_in_memory),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_refused_thresholds),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_learner),
        cmocka_unit_test(test_holdout),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
