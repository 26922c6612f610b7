// Indices, classes and texts that callers of the library give: whatever they are, the answer is an
// error or "there is none".
#include "learning.h"
#include "tlu_proof.h"

#define FAR (SIZE_MAX / 2)

static const size_t past[] = {3, 4, 1000, UINT32_MAX, FAR, SIZE_MAX};
enum { PASTS = sizeof past / sizeof past[0] };

// Three classes, three features.
static tlu_model *three_classes(const char *settings)
{
    write_text("three.svm", "a 1:1 2:1\nb 2:2 3:1\nc 3:3\na 1:2\nb 2:1\nc 1:1 3:2\n");
    return train("three.svm", settings);
}

static tlu_model *two_classes(const char *settings)
{
    write_text("two.svm", "a 1:1 2:1\nb 2:2 3:1\na 1:2 3:1\nb 2:1\na 1:3 2:1\nb 2:3\n");
    return train("two.svm", settings);
}

static void assert_input_error(tlu_status status, const tlu_error *error, const char *about)
{
    assert_int_equal(status, TLU_ERROR_INPUT);
    if (!strstr(error->text, about))
        fail_msg("'%s' does not speak of '%s'", error->text, about);
}

// ---- models ----

static void look_past(const tlu_model *model)
{
    tlu_row row = {1, NULL, NULL};
    tlu_contribution pushes[4];
    double weights[3];
    char name[8] = "x";
    size_t count = 1;
    tlu_support support;
    tlu_calibration_curve curve;
    tlu_error error;
    for (size_t i = 0; i < PASTS; i++) {
        assert_null(tlu_model_class_label(model, past[i]));
        assert_int_equal(tlu_model_class_examples(model, past[i]), 0);
        assert_exactly(tlu_model_weight(model, past[i], 0), 0);
        assert_exactly(tlu_model_weight(model, 0, past[i]), 0);
        assert_exactly(tlu_model_scaled_weight(model, past[i], past[i]), 0);
        assert_exactly(tlu_model_bias(model, past[i]), 0);
        assert_int_equal(tlu_model_weights(model, past[i], weights, 3), 0);
        assert_int_equal(tlu_model_explain(model, &row, past[i], pushes, 4, &count, &error),
                         TLU_ERROR_INPUT);
        assert_int_equal(count, 0);
        assert_int_equal(tlu_model_feature_name(model, past[i], name, sizeof name), 0);
        assert_string_equal(name, "");
        assert_int_equal(tlu_model_calibration_curve(model, past[i], &curve, &error),
                         TLU_ERROR_INPUT);
        assert_input_error(tlu_model_support(model, FAR + past[i] % 7, &support, &error), &error,
                           "there is no support");
    }
    assert_input_error(tlu_model_explain(model, &row, 0, NULL, 4, &count, &error), &error,
                       "array of contributions");
    assert_int_equal(tlu_model_feature_name(model, 0, NULL, 8), 1);
    assert_true(tlu_model_weights(model, 0, NULL, 3) <= 3);
    assert_true(tlu_model_layers(model, NULL, 3) <= 3);
    assert_true(tlu_model_class_find(model, NULL) == TLU_NONE);
    assert_true(tlu_model_feature_find(model, NULL) == TLU_NONE);
}

static void classes_and_features_are_checked(void **state)
{
    (void)state;
    static const char *const ways[] = {"decide=last",
                                       "multiclass=ovr",
                                       "multiclass=ovo",
                                       "decide=vote",
                                       "kernel=poly:2",
                                       "learner=mlp hidden=2",
                                       "calibrate=isotonic learner=hinge"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!strstr(ways[i], "calibrate")) {
            tlu_model *model = three_classes(ways[i]);
            look_past(model);
            tlu_model_free(model);
        }
        if (strstr(ways[i], "multiclass="))
            continue;
        tlu_model *model = two_classes(ways[i]);
        look_past(model);
        tlu_model_free(model);
    }
}

static void planes_are_checked(void **state)
{
    (void)state;
    tlu_model *model = three_classes("decide=last");
    tlu_row row = {1, NULL, NULL};
    tlu_planes *planes;
    tlu_distance distance;
    tlu_error error;
    assert_int_equal(tlu_planes_new(model, &planes, &error), TLU_OK);
    assert_true(isfinite(tlu_planes_distance_between(planes, 0, 1)) ||
                isinf(tlu_planes_distance_between(planes, 0, 1))); // before any row
    assert_input_error(tlu_planes_distance(planes, &row, 3, &distance, &error), &error, "class 3");
    assert_input_error(tlu_planes_distance(planes, NULL, 0, &distance, &error), &error, "row");
    assert_int_equal(tlu_planes_distance(planes, &row, TLU_NO_LABEL, &distance, &error), TLU_OK);
    assert_int_equal(tlu_planes_distance(planes, &row, TLU_UNKNOWN_LABEL, &distance, &error),
                     TLU_OK);
    for (size_t i = 0; i < PASTS; i++) {
        assert_true(isnan(tlu_planes_distance_between(planes, 0, past[i])));
        assert_true(isnan(tlu_planes_distance_between(planes, past[i], 0)));
    }
    tlu_planes_free(planes);
    tlu_model_free(model);
}

static void probabilities_of_any_scores(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308};
    static const char *const ways[] = {"learner=logistic", "calibrate=isotonic learner=hinge",
                                       "calibrate=sigmoid learner=hinge",
                                       "calibrate=temperature learner=hinge"};
    for (size_t w = 0; w < 4; w++) {
        tlu_model *model = two_classes(ways[w]);
        double probabilities[2];
        tlu_error error;
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(tlu_model_probabilities(model, &odd[i], probabilities, NULL), TLU_OK);
        assert_input_error(tlu_model_probabilities(model, odd, NULL, &error), &error,
                           "probabilities is missing");
        assert_int_equal(tlu_model_probabilities(model, NULL, NULL, NULL), TLU_OK);
        tlu_model *copy = model;
        assert_input_error(tlu_model_with_threshold(model, INFINITY, &copy, &error), &error,
                           "finite");
        assert_null(copy);
        tlu_model_free(model);
    }
}

// ---- a training step by step ----

static int look_past_step(void *context, const tlu_step *step)
{
    char name[8] = "x";
    (void)context;
    for (size_t i = 0; i < PASTS; i++) {
        const char *against = "x";
        size_t column = past[i];
        assert_string_equal(tlu_step_column_label(step, column, &against), "");
        assert_null(against);
        assert_exactly(tlu_step_weight(step, column, 0), 0);
        assert_exactly(tlu_step_weight(step, 0, FAR + i), 0);
        assert_exactly(tlu_step_bias(step, column), 0);
        assert_exactly(tlu_step_alpha(step, column, 1), 0);
        assert_exactly(tlu_step_alpha(step, 0, FAR + i), 0);
        assert_exactly(tlu_step_alpha(step, 0, 0), 0);
        assert_int_equal(tlu_step_feature_name(step, FAR + i, name, sizeof name), 0);
        assert_string_equal(name, "");
    }
    assert_int_equal(tlu_step_feature_name(step, 0, NULL, 8), 1);
    assert_int_equal(tlu_step_feature_name(step, FAR, NULL, 8), 0);
    return 0;
}

static void steps_are_checked(void **state)
{
    (void)state;
    static const char *const ways[] = {"multiclass=wta", "multiclass=ovo", "kernel=poly:2"};
    tlu_error error;
    for (size_t i = 0; i < 3; i++) {
        tlu_options *options = options_of(ways[i]);
        tlu_model_free(three_classes(ways[i]));
        assert_int_equal(tlu_trace("three.svm", options, look_past_step, NULL, NULL, &error),
                         TLU_OK);
        tlu_options_free(options);
    }
    assert_input_error(tlu_trace("three.svm", NULL, NULL, NULL, NULL, &error), &error, "function");
    assert_input_error(tlu_trace(NULL, NULL, look_past_step, NULL, NULL, &error), &error, "path");
}

// ---- evaluation, splits, metrics ----

static void evaluations_are_checked(void **state)
{
    (void)state;
    tlu_model *model = three_classes("decide=last");
    tlu_evaluate_settings settings = {
        .size = sizeof settings, .path = "three.svm", .wrong = 9, .curves = 1};
    tlu_evaluation *evaluation;
    tlu_curve *curve;
    tlu_error error;
    assert_int_equal(tlu_evaluate_with(model, &settings, NULL, &evaluation, &error), TLU_OK);
    assert_input_error(tlu_evaluation_curve(evaluation, NULL, 0, &curve, &error), &error,
                       "kind of curve");
    for (size_t i = 0; i < PASTS; i++)
        assert_input_error(tlu_evaluation_curve(evaluation, "roc", past[i], &curve, &error), &error,
                           "no curve of class");
    tlu_evaluation_free(evaluation);
    assert_input_error(tlu_evaluate(model, NULL, NULL, &evaluation, &error), &error, "path");

    tlu_split *split;
    tlu_model *made;
    assert_int_equal(tlu_split_new("three.svm", NULL, 2, &split, &error), TLU_OK);
    assert_true(tlu_split_row_part(split, 6) == TLU_NONE);
    assert_true(tlu_split_row_part(split, UINT64_MAX) == TLU_NONE);
    assert_input_error(tlu_split_train(split, 2, NULL, NULL, NULL, &made, &error), &error,
                       "no part 2");
    assert_input_error(tlu_split_evaluate(split, FAR, model, NULL, &evaluation, &error), &error,
                       "no part");
    tlu_split_free(split);
    assert_input_error(tlu_split_new(NULL, NULL, 2, &split, &error), &error, "path");
    assert_input_error(tlu_split_new("three.svm", NULL, 0, &split, &error), &error, "part");
    tlu_model_free(model);
}

static void answers_are_checked(void **state)
{
    (void)state;
    uint32_t labels[] = {0, 1, 1, TLU_NO_LABEL}, guesses[] = {1, 1, 0, 0};
    double value, probabilities[] = {1e300, INFINITY, 0, 2, NAN, 0.5, 0, 0};
    double scores[] = {NAN, INFINITY, -INFINITY, 0}, values[40];
    tlu_metric_data answers = {.size = sizeof answers,
                               .rows = 4,
                               .classes = 2,
                               .positive = 1,
                               .labels = labels,
                               .predictions = guesses,
                               .scores = scores,
                               .probabilities = probabilities};
    tlu_error error;
    assert_int_equal(tlu_metric_compute_all(&answers, values, 40, &error), TLU_OK);
    assert_int_equal(tlu_metric_compute_all(&answers, NULL, 0, &error), TLU_OK);
    assert_input_error(tlu_metric_compute_all(&answers, NULL, 3, &error), &error,
                       "array of values");
    assert_int_equal(tlu_metric_compute(&answers, "ece", &value, &error), TLU_OK);
    assert_input_error(tlu_metric_compute(&answers, NULL, &value, &error), &error, "metric");
    guesses[2] = 2;
    assert_input_error(tlu_metric_compute(&answers, "f1", &value, &error), &error, "row 3");
    guesses[2] = TLU_NO_LABEL;
    assert_input_error(tlu_metric_compute(&answers, "f1", &value, &error), &error, "row 3");
    answers.predictions = NULL;
    assert_input_error(tlu_metric_compute(&answers, "f1", &value, &error), &error,
                       "labels or predictions");
    answers.predictions = labels;
    answers.classes = SIZE_MAX;
    assert_input_error(tlu_metric_compute(&answers, "accuracy", &value, &error), &error, "classes");
    const tlu_metric_info *info;
    assert_input_error(tlu_metric_find(NULL, &info, &error), &error, "metric");
}

// ---- texts that are missing ----

static void options_are_checked(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_error error;
    assert_null(tlu_option_at(FAR));
    assert_null(tlu_learner_at(FAR));
    assert_null(tlu_metric_at(FAR));
    assert_null(tlu_option_find(NULL));
    assert_null(tlu_options_get(options, NULL));
    assert_input_error(tlu_options_set(options, NULL, "1", &error), &error, "name");
    assert_input_error(tlu_options_set(options, "epochs", NULL, &error), &error, "value");
    assert_input_error(tlu_options_clear(options, NULL, &error), &error, "name");
    assert_input_error(tlu_options_set_learner(options, NULL, &error), &error, "learner");
    assert_int_equal(tlu_options_default(options, NULL, NULL, 8), 0);
    assert_true(tlu_options_default(options, "epochs", NULL, 8) > 0);
    set_options(options, "learner=rocchio");
    assert_true(tlu_options_no_effect(options, "epochs", NULL, 8) > 0);
    assert_true(tlu_conflict_at(0, NULL, 8) > 0);
    assert_int_equal(tlu_conflict_at(FAR, NULL, 8), 0);
    assert_true(tlu_text_distance(NULL, "a") == SIZE_MAX);
    tlu_options_free(options);
}

static void paths_are_checked(void **state)
{
    (void)state;
    tlu_model *model = two_classes("decide=last"), *other;
    const char *label;
    tlu_error error;
    tlu_reader *reader;
    tlu_validation *validation;
    tlu_stream *stream;
    tlu_threshold_settings objective = {.size = sizeof objective, .objective = "f1"};
    tlu_threshold *threshold;
    tlu_convert_settings conversion = {
        .size = sizeof conversion, .format = "csv", .write = write_to_file};
    tlu_separability *answer;
    tlu_mistake_bound *bounds;
    assert_input_error(tlu_train(NULL, NULL, &other, &error), &error, "data");
    assert_input_error(tlu_model_predict_line(model, NULL, &label, NULL, &error), &error, "line");
    assert_input_error(tlu_model_save(model, NULL, &error), &error, "path");
    assert_input_error(tlu_model_load(NULL, &other, &error), &error, "path");
    assert_input_error(tlu_model_load_bytes(NULL, 9, &other, &error), &error, "bytes");
    assert_input_error(tlu_reader_open(model, NULL, NULL, &reader, &error), &error, "path");
    assert_input_error(tlu_threshold_find(model, &objective, NULL, &threshold, &error), &error,
                       "path");
    assert_input_error(tlu_cross_validate(NULL, NULL, 2, 1, NULL, NULL, &validation, &error),
                       &error, "path");
    assert_input_error(tlu_convert(&conversion, NULL, NULL, &error), &error, "path");
    assert_input_error(tlu_stream_open(NULL, NULL, NULL, &stream, &error), &error, "path");
    assert_true(tlu_separability_decide(
                    &(tlu_separability_settings){.size = sizeof(tlu_separability_settings)}, NULL,
                    &answer, &error) != TLU_OK);
    assert_true(tlu_mistake_bound_compute(
                    &(tlu_mistake_bound_settings){.size = sizeof(tlu_mistake_bound_settings)}, NULL,
                    &bounds, &error) != TLU_OK);
    tlu_model_free(model);
}

static void streams_are_checked(void **state)
{
    (void)state;
    tlu_learner *learner;
    tlu_stream *stream;
    tlu_feature unnamed = {NULL, 1};
    const char *label, *text;
    size_t used, length;
    tlu_error error;
    assert_int_equal(tlu_learner_new(NULL, &learner, &error), TLU_OK);
    assert_input_error(tlu_learner_learn(learner, NULL, 1, "a", 1, NULL, &error), &error,
                       "features");
    assert_input_error(tlu_learner_learn(learner, &unnamed, 1, "a", 1, NULL, &error), &error,
                       "name of a feature");
    assert_input_error(tlu_learner_learn(learner, NULL, 0, NULL, 1, NULL, &error), &error, "label");
    assert_input_error(tlu_learner_predict(learner, &unnamed, 1, &label, NULL, &error), &error,
                       "name of a feature");
    tlu_learner_free(learner);
    assert_int_equal(tlu_stream_open("none.tlu", NULL, NULL, &stream, &error), TLU_OK);
    assert_input_error(tlu_stream_feed(stream, NULL, 5, 0, &used, &text, &length, &error), &error,
                       "text");
    assert_int_equal(used, 0);
    assert_int_equal(tlu_stream_feed(stream, NULL, 0, 1, &used, &text, &length, &error), TLU_OK);
    tlu_stream_close(stream);
}

static void proofs_and_recipes_are_checked(void **state)
{
    (void)state;
    tlu_error error;
    tlu_proof_report *report;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_input_error(tlu_proof_check(NULL, 5, "", 0, &report, &error), &error, "proof");
    assert_input_error(tlu_proof_check("", 0, NULL, 5, &report, &error), &error, "data");
    assert_input_error(tlu_recipe_init(NULL, &recipe, &error), &error, "kind");
    assert_int_equal(tlu_recipe_init("moons", &recipe, &error), TLU_OK);
    assert_input_error(tlu_generate(&recipe, NULL, NULL, &error), &error, "function");
}

// ---- what a function of the caller writes ----

static int writes_too_much(void *context, const tlu_predictions *predictions, tlu_output *output)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, 5, 1 << 20};
    char *bytes;
    (void)predictions;
    assert_int_equal(tlu_output_reserve(output, 4, &bytes, NULL), TLU_OK);
    assert_int_equal(tlu_output_commit(output, sizes[*(int *)context], NULL), TLU_ERROR_INPUT);
    return 0;
}

static void texts_are_checked(void **state)
{
    (void)state;
    tlu_model *model = two_classes("decide=last");
    for (int i = 0; i < 4; i++) {
        tlu_reader *reader;
        const tlu_batch *batch;
        tlu_error error;
        assert_int_equal(tlu_reader_open(model, "two.svm", NULL, &reader, &error), TLU_OK);
        assert_int_equal(tlu_reader_predict(reader, 1, writes_too_much, &i, &error), TLU_OK);
        assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_ERROR_SYSTEM);
        tlu_reader_close(reader);
    }
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_and_features_are_checked),
        cmocka_unit_test(planes_are_checked),
        cmocka_unit_test(probabilities_of_any_scores),
        cmocka_unit_test(steps_are_checked),
        cmocka_unit_test(evaluations_are_checked),
        cmocka_unit_test(answers_are_checked),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(paths_are_checked),
        cmocka_unit_test(streams_are_checked),
        cmocka_unit_test(proofs_and_recipes_are_checked),
        cmocka_unit_test(texts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
