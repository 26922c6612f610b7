// What holds for all of tlu.h: structs that grow, functions of the caller that stop, and what has
// no other place.
#include "base/fault.h"
#include "learning.h"

#include <unistd.h>

static const char rows[] = "+1 1:1 3:2\n-1 2:1\n+1 1:2 2:-1\n-1 2:3 3:-1\n";
static const char three[] = "a 1:1 2:0.5\nb 2:1\nc 3:1 1:-1\na 1:2\nb 2:2 3:0.25\nc 3:3\n";

static int begin(void **state)
{
    (void)state;
    write_text("two.svm", rows);
    write_text("three.svm", three);
    return 0;
}

static tlu_model *trained(const char *path, const char *settings)
{
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_of(settings);
    if (tlu_train(path, options, &model, &error) != TLU_OK)
        fail_msg("%s, %s: %s", path, settings, error.text);
    tlu_options_free(options);
    return model;
}

static void the_version_is_a_number_too(void **state)
{
    (void)state;
    int major, minor, patch;
    assert_int_equal(sscanf(TLU_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(TLU_VERSION_NUMBER, 10000 * major + 100 * minor + patch);
    assert_int_equal(tlu_version_number(), TLU_VERSION_NUMBER);
    assert_string_equal(tlu_version(), TLU_VERSION);
}

// ---- structs that grow

static int never(void *context, const tlu_progress *progress)
{
    (void)progress;
    fail_msg("the caller's header has no such field: %p", context);
    return 1;
}

// A program that was compiled when the struct ended after the path.
static void fields_of_a_later_header_count_as_0(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    tlu_train_settings settings = {.path = "two.svm", .progress = never, .checkpoint = "/no/where"};
    settings.size = offsetof(tlu_train_settings, path) + sizeof settings.path;
    settings.resume = (const tlu_model *)&settings; // what is in the memory after it
    assert_int_equal(tlu_train_with(&settings, NULL, &model, &error), TLU_OK);
    tlu_model_free(model);
    // What the library fills in stays within the size, too.
    tlu_recipe recipe = {.size = offsetof(tlu_recipe, noise), .noise = 17, .seed = 18};
    assert_int_equal(tlu_recipe_init("sparse", &recipe, &error), TLU_OK);
    assert_int_equal(recipe.size, offsetof(tlu_recipe, noise));
    assert_int_equal(recipe.nonzeros, 50);
    assert_true(recipe.noise == 17);
    assert_int_equal(recipe.seed, 18);
}

static void expect_size_refused(tlu_status status, const tlu_error *error, const char *name)
{
    assert_int_equal(status, TLU_ERROR_INPUT);
    assert_int_equal(error->status, TLU_ERROR_INPUT);
    assert_non_null(strstr(error->text, name));
    assert_non_null(strstr(error->text, "sizeof"));
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    tlu_stream *stream;
    static const size_t wrong[] = {0, 1, 4096, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tlu_train_settings train = {.size = wrong[i], .path = "two.svm"};
        tlu_stream_settings settings = {.size = wrong[i]};
        tlu_recipe recipe = {.size = wrong[i], .kind = "line", .format = "csv"};
        tlu_convert_settings conversion = {.size = wrong[i], .path = "two.svm", .format = "csv"};
        expect_size_refused(tlu_train_with(&train, NULL, &model, &error), &error,
                            "tlu_train_settings");
        assert_null(model);
        expect_size_refused(tlu_stream_open("none.tlu", NULL, &settings, &stream, &error), &error,
                            "tlu_stream_settings");
        assert_null(stream);
        expect_size_refused(tlu_recipe_init("line", &recipe, &error), &error, "tlu_recipe");
        expect_size_refused(tlu_generate(&recipe, write_to_file, NULL, &error), &error,
                            "tlu_recipe");
        expect_size_refused(tlu_convert(&conversion, NULL, NULL, &error), &error,
                            "tlu_convert_settings");
    }
}

static void what_is_needed_is_missed(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    tlu_train_settings train = {.size = sizeof train};
    tlu_recipe recipe = {.size = sizeof recipe};
    tlu_convert_settings conversion = {.size = sizeof conversion, .path = "two.svm"};
    assert_int_equal(tlu_train_with(&train, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_train_with(NULL, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_generate(&recipe, write_to_file, NULL, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_convert(&conversion, NULL, NULL, &error), TLU_ERROR_INPUT);
}

// ---- functions of the caller that stop

static int stop_writing(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return ++*(int *)context; // any value but 0
}

static int stop_predicting(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    (void)context;
    (void)guesses;
    char *bytes;
    return tlu_output_reserve(text, 1, &bytes, NULL) == TLU_OK ? -1 : 1;
}

static void writing_and_predicting_stop(void **state)
{
    (void)state;
    tlu_error error;
    static const char *const formats[] = {"libsvm", "csv", "binary"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        int calls = 0;
        tlu_convert_settings conversion = {.size = sizeof conversion,
                                           .path = "two.svm",
                                           .format = formats[i],
                                           .write = stop_writing,
                                           .write_context = &calls};
        assert_int_equal(tlu_convert(&conversion, NULL, NULL, &error), TLU_INTERRUPTED);
        assert_int_equal(calls, 1);
    }
    static const char *const settings[] = {"", "kernel=poly:2"}; // ahead, and when asked
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_model *model = trained("two.svm", settings[i]);
        tlu_reader *reader;
        const tlu_batch *batch;
        assert_int_equal(tlu_reader_open(model, "two.svm", NULL, &reader, &error), TLU_OK);
        assert_int_equal(tlu_reader_predict(reader, 1, stop_predicting, NULL, &error), TLU_OK);
        assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_INTERRUPTED);
        assert_int_equal(error.status, TLU_INTERRUPTED);
        assert_null(batch);
        tlu_reader_close(reader);
        tlu_model_free(model);
    }
}

static int stop_at_two(void *context, const tlu_stream_stats *counts)
{
    *(uint64_t *)context = counts->examples;
    return counts->examples == 2;
}

static void a_report_stops_a_stream_after_its_row(void **state)
{
    (void)state;
    tlu_error error;
    tlu_stream *stream;
    uint64_t told = 0;
    size_t used, length, size = strlen(rows);
    const char *text;
    tlu_stream_settings settings = {
        .size = sizeof settings, .report = stop_at_two, .report_context = &told};
    assert_int_equal(tlu_stream_open("none.tlu", NULL, &settings, &stream, &error), TLU_OK);
    assert_int_equal(tlu_stream_feed(stream, rows, size, 1, &used, &text, &length, &error),
                     TLU_INTERRUPTED);
    assert_int_equal(told, 2);
    assert_ptr_equal(rows + used, strstr(rows, "+1 1:2"));
    assert_int_equal(tlu_stream_get_stats(stream)->rows, 2);
    // The rest can be given again.
    assert_int_equal(
        tlu_stream_feed(stream, rows + used, size - used, 1, &used, &text, &length, NULL), TLU_OK);
    assert_int_equal(tlu_stream_get_stats(stream)->rows, 4);
    assert_int_equal(tlu_stream_get_stats(stream)->learned, 4);
    tlu_stream_close(stream);
}

static int stop_reading(void *context, char *bytes, size_t size, size_t *got, int *end,
                        tlu_error *error)
{
    (void)bytes;
    (void)size;
    (void)got;
    (void)end;
    if (context) {
        error->status = TLU_ERROR_SYSTEM;
        strcpy(error->text, context);
    }
    return 7;
}

static void reading_stops_and_may_say_why(void **state)
{
    (void)state;
    tlu_error error;
    tlu_stream *stream;
    tlu_stream_state at;
    const char *text;
    size_t length;
    char reason[] = "the cable is cut";
    assert_int_equal(tlu_stream_open("none.tlu", NULL, NULL, &stream, &error), TLU_OK);
    assert_int_equal(tlu_stream_poll(stream, stop_reading, NULL, &at, &text, &length, &error),
                     TLU_INTERRUPTED);
    assert_int_equal(error.status, TLU_INTERRUPTED);
    assert_int_equal(tlu_stream_poll(stream, stop_reading, reason, &at, &text, &length, &error),
                     TLU_ERROR_SYSTEM);
    assert_string_equal(error.text, reason);
    assert_int_equal(tlu_stream_poll(stream, stop_reading, reason, &at, &text, &length, NULL),
                     TLU_ERROR_SYSTEM);
    tlu_stream_close(stream);
}

// ---- a model in memory, and its weights

static const char *const all_settings[] = {"",
                                           "multiclass=ovr",
                                           "multiclass=ovo",
                                           "decide=vote",
                                           "decide=best",
                                           "kernel=poly:2",
                                           "scale=standard",
                                           "learner=max-margin",
                                           "learner=max-margin kernel=rbf:0.5 C=1",
                                           "hash=12",
                                           "learner=alma epochs=2 multiclass=ovo scale=standard"};

static void bytes_are_those_of_the_file(void **state)
{
    (void)state;
    tlu_error error;
    for (size_t i = 0; i < sizeof all_settings / sizeof all_settings[0]; i++) {
        tlu_model *model = trained("three.svm", all_settings[i]), *again;
        void *bytes;
        size_t size, file_size;
        assert_int_equal(tlu_model_save_bytes(model, &bytes, &size, &error), TLU_OK);
        assert_int_equal(tlu_model_save(model, "three.tlu", &error), TLU_OK);
        char *file = read_bytes("three.tlu", &file_size);
        assert_int_equal(size, file_size);
        assert_memory_equal(bytes, file, size);
        free(file);
        assert_int_equal(tlu_model_load_bytes(bytes, size, &again, &error), TLU_OK);
        assert_int_equal(tlu_model_class_count(again), 3);
        tlu_model_free(again);
        tlu_bytes_free(bytes);
        fault_at(FAULT_MEMORY, 1);
        assert_int_equal(tlu_model_save_bytes(model, &bytes, &size, &error), TLU_ERROR_SYSTEM);
        fault_at(FAULT_MEMORY, 0);
        assert_string_equal(error.text, "out of memory");
        assert_null(bytes);
        assert_int_equal(size, 0);
        tlu_model_free(model);
    }
    tlu_bytes_free(NULL);
}

static void weights_come_all_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_settings / sizeof all_settings[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            tlu_model *model = trained(k ? "three.svm" : "two.svm", all_settings[i]);
            size_t features = tlu_model_feature_count(model);
            double weights[10];
            assert_true(features > 0 && features < 10);
            for (size_t c = 0; c < tlu_model_class_count(model); c++) {
                size_t count = tlu_model_weights(model, c, NULL, 0);
                assert_int_equal(count, tlu_model_has_weights(model) ? features : 0);
                for (size_t f = 0; f < 10; f++)
                    weights[f] = 99;
                assert_int_equal(tlu_model_weights(model, c, weights, 10), count);
                for (size_t f = 0; f < 10; f++)
                    assert_true(weights[f] == (f < count ? tlu_model_weight(model, c, f) : 99));
                weights[1] = 99; // no more than there is room for
                assert_int_equal(tlu_model_weights(model, c, weights, 1), count);
                assert_true(weights[1] == 99);
            }
            assert_int_equal(tlu_model_weights(model, 3, weights, 10), 0);
            tlu_model_free(model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_a_number_too),
        cmocka_unit_test(fields_of_a_later_header_count_as_0),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(what_is_needed_is_missed),
        cmocka_unit_test(writing_and_predicting_stop),
        cmocka_unit_test(a_report_stops_a_stream_after_its_row),
        cmocka_unit_test(reading_stops_and_may_say_why),
        cmocka_unit_test(bytes_are_those_of_the_file),
        cmocka_unit_test(weights_come_all_at_once),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
