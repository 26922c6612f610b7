// The model file: the bytes that docs/model-format.md promises, models of every shape there and
// back, files of newer versions, and machines that fail while saving and loading.
#include "model_bytes.h"
#include "model_shapes.h"

#include "base/fault.h"
#include "predicting.h"

#include <unistd.h>

// ---- The bytes of the description --------------------------------------------------------------

static void reads_the_small_model(void **state)
{
    (void)state;
    struct bytes file = whole(small);
    tlu_model *model = load(&file);
    assert_string_equal(model->recorded.version, "0.1.0");
    assert_int_equal(options_choice(model->state.options, OPTION_DECIDE), DECIDE_LAST);
    assert_int_equal(model->state.schema.format, DATA_LIBSVM);
    assert_int_equal(model->state.schema.numbered, 2);
    assert_int_equal(model->state.schema.ids[0], 1);
    assert_int_equal(model->state.schema.ids[1], 3);
    assert_int_equal(schema_find(&model->state.schema, "3", 1), 1);
    assert_int_equal(schema_find(&model->state.schema, "5000000", 7), 2);
    assert_int_equal(schema_find(&model->state.schema, "2", 1), SCHEMA_NONE);
    assert_int_equal(schema_classes(&model->state.schema), 2);
    assert_int_equal(schema_class_find(&model->state.schema, "1.0", 3), 1);
    assert_string_equal(model->state.schema.spelled[1], "+1");
    assert_int_equal(model->state.scheme.positive, 1);
    assert_int_equal(model->state.scheme.class_examples[1], 300);
    assert_int_equal(model->scaling.kind, SCALE_NONE);
    assert_int_equal(model->state.weights.columns, 1);
    assert_true(model->state.weights.bias[0] == -2 && model->state.weights.steps == 303);
    assert_true(model->state.weights.w[0] == 0 && model->state.weights.w[1] == 1.5 &&
                model->state.weights.w[2] == 0.1);
    assert_null(model->state.weights.u);
    assert_int_equal(model->state.random.state[2], 3);
    const tlu_report *report = &model->report;
    assert_int_equal(report->examples, 303);
    assert_int_equal(report->nonzeros, 500);
    assert_int_equal(report->classes, 2);
    assert_int_equal(report->updates, 7);
    assert_int_equal(report->mistakes[0], 7);
    assert_int_equal(report->best_epoch, 2);
    assert_true(report->converged);
    assert_string_equal(report->stopped, "converged");
    assert_string_equal(report->data, "a.svm");
    assert_string_equal(report->format, "libsvm");
    assert_null(report->held_out_accuracy);
    tlu_model_free(model);
    free(file.data);
}

static void reads_the_tall_model(void **state)
{
    (void)state;
    struct bytes file = whole(tall);
    tlu_model *model = load(&file);
    assert_true(schema_is_csv(&model->state.schema) && model->state.schema.header);
    assert_int_equal(model->state.schema.delimiter, ';');
    assert_int_equal(model->state.schema.column_count, 3);
    assert_string_equal(model->state.schema.columns[1].name, "colour");
    assert_int_equal(model->state.schema.columns[1].kind, COLUMN_CATEGORICAL);
    assert_int_equal(model->state.schema.columns[0].feature, 0);
    assert_int_equal(model->state.schema.columns[2].feature, SCHEMA_NONE);
    assert_false(options_is_set(model->state.options, OPTION_DECIDE));
    assert_true(options_is_set(model->state.options, OPTION_SCALE));
    assert_int_equal(model->state.scheme.positive, SCHEMA_NONE);
    assert_int_equal(model->scaling.kind, SCALE_STANDARD);
    assert_true(model->scaling.factor[0] == 0.5 && model->scaling.factor[1] == 1);
    assert_true(model->scaling.shift[0] == 3 && model->scaling.shift[1] == 0);
    assert_int_equal(model->scaling.shifted_count, 1);
    assert_int_equal(model->state.weights.columns, 3);
    assert_true(model->state.weights.w[1] == 2 && model->state.weights.u[5] == 6);
    assert_true(model->state.weights.bias[0] == 1 && model->state.weights.bias[1] == -1);
    assert_true(model->report.held_out_accuracy[0] == 0.75);
    assert_int_equal(model->report.cycle, 2);
    assert_true(model->report.progressive_error == 2.0 / 3); // the file's own 0.5 is of old
    assert_true(model->report.training_error == -1 && model->report.bound == -1);
    // The average: w - u / steps; the weight for unscaled values: times the factor; the bias:
    // without factor times shift times weight.
    assert_true(tlu_model_weight(model, 1, 0) == 2 * 0.5);
    assert_true(tlu_model_weight(model, 2, 1) == -2);
    assert_true(tlu_model_bias(model, 1) == -1 - 2 * 0.5 * 3);
    tlu_model_free(model);
    free(file.data);
}

// The scores of three classes for a row whose values are 1.
static void assert_scores(const tlu_model *model, size_t count, const uint32_t *features, double a,
                          double b, double c)
{
    double scores[3];
    tlu_row row = {count, features, NULL};
    class_of_row(model, &row, scores);
    assert_true(scores[0] == a && scores[1] == b && scores[2] == c);
}

static void reads_the_models_with_rows(void **state)
{
    (void)state;
    static const uint32_t features[] = {0, 1};
    struct bytes file = whole(dual);
    tlu_model *model = load(&file);
    assert_int_equal(model->state.kernel.kind, KERNEL_POLY);
    assert_int_equal(model->state.scheme.kind, SCHEME_OVR);
    assert_int_equal(tlu_model_support_count(model), 2);
    tlu_support support;
    assert_int_equal(tlu_model_support(model, 0, &support, NULL), TLU_OK);
    assert_int_equal(support.line, 4);
    assert_int_equal(tlu_model_support(model, 1, &support, NULL), TLU_OK);
    assert_int_equal(support.line, 9);
    assert_int_equal(support.class_index, 2);
    assert_true(support.alpha == 1.5);
    assert_true(model->supports.norm[0] == 5 && model->supports.norm[1] == 0.25);
    assert_int_equal(model->report.supports, 2);
    // For x = (1, 1): (3 - 3/3) (-1 + 2 + 1)^2 and 1.5 (0.5 + 1)^2
    assert_scores(model, 2, features, 8, 0, 3.375);
    tlu_model_free(model);
    free(file.data);

    file = whole(voted);
    model = load(&file);
    assert_int_equal(model->state.decision.kind, DECIDE_VOTE);
    assert_int_equal(model->state.scheme.kind, SCHEME_WTA);
    assert_int_equal(model->state.decision.history->count, 2);
    // x = (1, 0): b wins after both updates (2 : 0 : 0, then 1 : 1, the first of equals).
    assert_scores(model, 1, features, 0, 1, 0);
    // x = (0, 1): b wins for one example, c for the last three.
    assert_scores(model, 1, features + 1, 0, 0.25, 0.75);
    tlu_model_free(model);
    free(file.data);
}

static void reads_gains(void **state)
{
    (void)state;
    struct bytes file = whole(gained);
    tlu_model *model = load(&file);
    uint32_t first = 0;
    float four = 4;
    double score;
    assert_int_equal(model->state.decision.history->gain_count, 4);
    // x = (1, 0): 1/2 + 1/4 for one example, then 2 less for three.
    assert_int_equal(class_of_row(model, &(tlu_row){1, &first, NULL}, &score), 0);
    assert_true(score == (1.0 - 3) / 4);
    // x = (4, 0): 2 + 1/4 for one example, then 1/4 for three.
    assert_int_equal(class_of_row(model, &(tlu_row){1, &first, &four}, &score), 1);
    assert_true(score == 1);
    struct bytes again = saved(model);
    tlu_model_free(model);
    model = load(&again);
    assert_int_equal(class_of_row(model, &(tlu_row){1, &first, &four}, &score), 1);
    assert_true(score == 1 && model->state.decision.history->gains[3] == 2);
    tlu_model_free(model);
    free(again.data);
    free(file.data);
}

static void reads_states_and_margins(void **state)
{
    (void)state;
    struct bytes file = whole(stated);
    tlu_model *model = load(&file);
    assert_true(model->state.weights.state_start == 1 && model->state.weights.state_bias[0] == 0.5);
    assert_true(model->state.weights.state[0] == 0.25 &&
                weights_state(&model->state.weights, 1) == 1);
    assert_null(model->state.weights.u);
    tlu_model_free(model);
    free(file.data);

    file = whole(widest);
    model = load(&file);
    assert_int_equal(model->supports.count, 2);
    assert_int_equal(model->supports.nonzeros, 0);
    assert_int_equal(model->supports.line[0], 255);
    assert_int_equal(model->supports.line[1], 254);
    assert_true(model->report.margin == 0.5);
    assert_string_equal(model->report.stopped, "solved");
    tlu_model_free(model);
    free(file.data);
}

// The learner's own numbers: c, a, b are its classes 0, 1, 2, and so are their columns.
static void reads_what_a_stream_needs(void **state)
{
    (void)state;
    struct bytes file = whole(alive);
    tlu_model *model = load(&file);
    free(file.data);
    // The average of a: (A v - u) / T = (2 * 4 - 0) / 3 and (0 - 6) / 3.
    assert_true(fabs(tlu_model_weight(model, 0, 0) - 8.0 / 3) < 1e-15);
    assert_true(fabs(tlu_model_weight(model, 0, 1) + 2) < 1e-15);
    tlu_learner *learner;
    tlu_error error;
    if (tlu_learner_resume(model, &learner, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_model_free(model);
    static const char *const labels[] = {"c", "a", "b"};
    static const double norms[] = {0, 1, 0.5}, scales[] = {1, 0.5, 1}, sums[] = {0, 1.5, 0};
    static const uint64_t updates[] = {0, 1, 2};
    const struct weights *weights = &learner->state.weights;
    assert_int_equal(weights->columns, 3);
    assert_int_equal(weights->features, 10); // 0 to 9
    for (uint32_t c = 0; c < 3; c++) {
        assert_string_equal(learner->state.schema.spelled[c], labels[c]);
        assert_true(learner->state.group_norm[c] == norms[c] && weights->scale[c] == scales[c] &&
                    weights->sum[c] == sums[c] && weights->sum_at[c] == (c == 1 ? 2 : 0));
        assert_int_equal(learner->state.group_updates[c], updates[c]);
        for (uint32_t f = 0; f < 10; f++)
            assert_true(weights->w[f * 3 + c] == (f == 1 && c == 1 ? 4 : 0) &&
                        weights->u[f * 3 + c] == (f == 2 && c == 1 ? 6 : 0));
    }
    assert_int_equal(learner->state.examples, 3);
    tlu_learner_free(learner);
}

// A saved file has every option, not only those of the small file.
static struct bytes with_all_options(const struct payload *payloads, const tlu_options *options)
{
    struct bytes list = {0};
    unsigned char count = 0;
    put(&list, &count, 1);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = tlu_options_get(options, info->name);
        const char *learner = tlu_options_get(options, "learner");
        if (strcmp(info->name, "diagonal") == 0 && strcmp(learner, "arow") != 0 &&
            strncmp(learner, "scw", 3) != 0)
            continue;
        if (strcmp(info->name, "calibrate") == 0 && strcmp(value, "none") == 0)
            continue;
        if (i == OPTION_MULTILABEL || i == OPTION_LABEL_SEPARATOR) // rows have one label
            continue;
        if (i >= OPTION_HIDDEN && i <= OPTION_GAP && strcmp(learner, "mlp") != 0)
            continue;
        if ((i == OPTION_STOP || i == OPTION_TIE_UPDATE) && strcmp(learner, "perceptron") != 0)
            continue;
        if (strcmp(info->group, "measuring") == 0 && !options_is_set(options, i))
            continue;
        if ((i == OPTION_DECIMAL || (i >= OPTION_STOP_WORDS && i <= OPTION_NORMALIZE)) &&
            !options_is_set(options, i))
            continue;
        if (strcmp(info->name, "threads") == 0 || strcmp(info->name, "max-row") == 0 ||
            (!*value && !options_is_set(options, i)))
            continue;
        // Files keep the name that the option had in 0.1.0.
        const char *stored = strcmp(info->name, "multiclass") == 0 ? "classes" : info->name;
        unsigned char length = (unsigned char)strlen(stored), set = options_is_set(options, i);
        put(&list, &length, 1);
        put(&list, stored, length);
        length = (unsigned char)strlen(value);
        put(&list, &length, 1);
        put(&list, value, length);
        put(&list, &set, 1);
        list.data[0]++;
    }
    struct bytes file =
        assemble(payloads, OPTS, (struct payload){(const char *)list.data, list.size});
    free(list.data);
    return file;
}

static void writes_the_bytes_of_the_description(void **state)
{
    (void)state;
    for (int i = 0; i < ALL_MODELS; i++) {
        struct bytes file = whole(all_models[i]);
        tlu_model *model = load(&file);
        assert_int_equal(tlu_options_set(model->state.options, "threads", "7", NULL), TLU_OK);
        struct bytes expected = with_all_options(all_models[i], model->state.options),
                     found = saved(model);
        assert_bytes(&expected, &found);
        tlu_model_free(model);
        free(file.data);
        free(expected.data);
        free(found.data);
    }
}

// ---- Models of every shape ---------------------------------------------------------------------

static void models_of_every_shape_come_back(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < 400; i++) {
        struct shape shape;
        some_shape(&random, &shape);
        tlu_model *model = some_model(&random, &shape);
        struct bytes first = saved(model);
        tlu_model *back = load(&first);
        assert_same_model(model, back);
        struct bytes second = saved(back);
        assert_bytes(&first, &second);
        tlu_model_free(model);
        tlu_model_free(back);
        free(first.data);
        free(second.data);
    }
}

// Zeros take two bits each, and no less: memory is bounded by the size of the file.
static void zeros_take_little_room(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    struct shape shape = {.classes = 100,
                          .learner = "perceptron",
                          .decide = "last",
                          .scheme = "wta",
                          .kernel = "",
                          .numbered = 1000,
                          .zeros = 1};
    tlu_model *model = some_model(&random, &shape);
    struct bytes file = saved(model);
    assert_in_range(file.size, 100 * 1000 / 4, 100 * 1000 / 4 + 5000);
    tlu_model_free(model);
    free(file.data);
}

// What a voted perceptron repeats over and over: a few bytes a step.
static void steps_take_little_room(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 9);
    struct shape shape = {.classes = 10,
                          .learner = "perceptron",
                          .decide = "vote",
                          .scheme = "ovr",
                          .kernel = "poly:4",
                          .numbered = 10,
                          .supports = 5000,
                          .steps = 20000,
                          .zeros = 1};
    tlu_model *model = some_model(&random, &shape);
    for (size_t n = 0; n < model->state.decision.history->count; n++) {
        struct history_step *step = &model->state.decision.history->steps[n];
        *step = (struct history_step){.id = step->id,
                                      .group = step->group,
                                      .time = n + 1,
                                      .amount = 0.1,
                                      .factor = 1,
                                      .column = {step->group},
                                      .sign = {n % 2 ? 1 : -1}};
    }
    model->state.weights.steps = (double)model->state.decision.history->count;
    struct bytes with = saved(model);
    model->state.decision.history->count = 0;
    struct bytes without = saved(model);
    assert_in_range(with.size - without.size, 4 * 20000, 5 * 20000);
    model->state.decision.history->count = 20000; // freed as a whole
    tlu_model_free(model);
    free(with.data);
    free(without.data);
}

static void infinite_weights_are_not_saved(void **state)
{
    (void)state;
    struct bytes file = whole(small);
    tlu_model *model = load(&file);
    tlu_error error;
    model->state.weights.w[1] = 1 / (model->state.weights.w[0]);
    assert_int_equal(tlu_model_save(model, "infinite.tlu", &error), TLU_ERROR_INPUT);
    assert_int_equal(access("infinite.tlu", F_OK), -1);
    tlu_model_free(model);
    free(file.data);
}

// ---- Newer files -------------------------------------------------------------------------------

static void unknown_sections_are_skipped(void **state)
{
    (void)state;
    struct bytes plain = whole(tall), file = {0};
    put(&file, plain.data, 20);
    put_section(&file, "NEW!", "whatever", 8);
    for (int i = 0; i < SECTIONS; i++) {
        if (tall[i].bytes)
            put_section(&file, tags[i], tall[i].bytes, tall[i].size);
        put_section(&file, "MORE", "", 0);
    }
    put(&file, "crc?", 4);
    seal(&file);
    tlu_model *a = load(&plain), *b = load(&file);
    assert_same_model(a, b);
    tlu_model_free(a);
    tlu_model_free(b);
    free(plain.data);
    free(file.data);
}

static void unknown_options_are_passed_over(void **state)
{
    (void)state;
    const struct payload options = PAYLOAD("\4"
                                           "\006decide\004last\1"
                                           "\007novelty\003yes\1"
                                           "\006epochs\005lots!\1" // no number
                                           "\007shuffle\003all\0");
    struct bytes file = assemble(small, OPTS, options);
    tlu_model *model = load(&file);
    assert_false(options_is_set(model->state.options, OPTION_EPOCHS));
    // Not set by the user, but no longer the default either: kept.
    assert_int_equal(options_choice(model->state.options, OPTION_SHUFFLE), SHUFFLE_ALL);
    tlu_model_free(model);
    free(file.data);
}

// ---- A machine that fails ----------------------------------------------------------------------

static tlu_model *large_model(void)
{
    struct random random;
    random_seed(&random, 6);
    struct shape shape = {.classes = 40,
                          .learner = "hinge",
                          .decide = "average",
                          .scheme = "wta",
                          .kernel = "",
                          .holdout = true,
                          .scale = SCALE_STANDARD,
                          .numbered = 300,
                          .names = 100,
                          .epochs = 5,
                          .zeros = 0.1};
    return some_model(&random, &shape);
}

static tlu_model *kept_rows_model(void)
{
    struct random random;
    random_seed(&random, 8);
    struct shape shape = {.classes = 5,
                          .learner = "perceptron",
                          .decide = "vote",
                          .scheme = "ovo",
                          .kernel = "rbf:0.5",
                          .numbered = 30,
                          .supports = 40,
                          .steps = 100,
                          .epochs = 2};
    return some_model(&random, &shape);
}

static void a_failed_save_keeps_the_old_model(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_MEMORY};
    tlu_model *model = large_model();
    struct bytes new = saved(model), old = whole(small);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        long failures = 0;
        for (long n = 1;; n++) {
            FILE *stream = fopen("kept.tlu", "wb");
            assert_non_null(stream);
            assert_int_equal(fwrite(old.data, 1, old.size, stream), old.size);
            assert_int_equal(fclose(stream), 0);
            tlu_error error;
            fault_at(kinds[k], n);
            tlu_status status = tlu_model_save(model, "kept.tlu", &error);
            bool hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            struct bytes found = {0};
            assert_int_equal(file_read("kept.tlu", SIZE_MAX, NULL, &found.data, &found.size, NULL),
                             TLU_OK);
            // Where only the folder could not be synchronised, the new one is there all the same.
            bool in_place = status == TLU_OK || strstr(error.text, "a power cut may undo it");
            assert_bytes(&found, in_place ? &new : &old);
            memory_free(found.data);
            failures += status == TLU_ERROR_SYSTEM;
            if (!hit) {
                assert_int_equal(status, TLU_OK);
                break;
            }
        }
        assert_true(failures >= (kinds[k] == FAULT_WRITE ? 3 : 1));
    }
    tlu_model_free(model);
    free(new.data);
    free(old.data);
}

static void a_failed_load_leaves_nothing(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_MEMORY, FAULT_READ};
    for (int i = 0; i < ALL_MODELS + 2; i++) {
        struct bytes bytes = whole(all_models[i % ALL_MODELS]);
        tlu_model *model = i < ALL_MODELS   ? load(&bytes)
                           : i > ALL_MODELS ? large_model()
                                            : kept_rows_model();
        struct bytes file = saved(model);
        if (i < ALL_MODELS) { // with every option that the description leaves out
            tlu_model_free(model);
            model = load(&file);
        }
        for (size_t k = 0; k < 2; k++) {
            long failures = 0;
            for (long n = 1;; n++) {
                tlu_error error;
                tlu_model *back = NULL;
                fault_at(kinds[k], n);
                tlu_status status = tlu_model_load("saved.tlu", &back, &error);
                bool hit = fault_calls(kinds[k]) >= n;
                fault_at(kinds[k], 0);
                if (!hit) {
                    assert_int_equal(status, TLU_OK);
                    assert_same_model(model, back);
                    tlu_model_free(back);
                    break;
                }
                assert_int_equal(status, TLU_ERROR_SYSTEM);
                assert_null(back);
                failures++;
            }
            assert_true(failures >= 2);
        }
        tlu_model_free(model);
        free(file.data);
        free(bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_small_model),
        cmocka_unit_test(reads_the_tall_model),
        cmocka_unit_test(reads_the_models_with_rows),
        cmocka_unit_test(reads_gains),
        cmocka_unit_test(reads_states_and_margins),
        cmocka_unit_test(reads_what_a_stream_needs),
        cmocka_unit_test(writes_the_bytes_of_the_description),
        cmocka_unit_test(models_of_every_shape_come_back),
        cmocka_unit_test(zeros_take_little_room),
        cmocka_unit_test(steps_take_little_room),
        cmocka_unit_test(infinite_weights_are_not_saved),
        cmocka_unit_test(unknown_sections_are_skipped),
        cmocka_unit_test(unknown_options_are_passed_over),
        cmocka_unit_test(a_failed_save_keeps_the_old_model),
        cmocka_unit_test(a_failed_load_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
