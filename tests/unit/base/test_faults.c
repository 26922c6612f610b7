// Machines that fail: the n-th allocation, read, write, fsync or rename, for every n until none is
// left. Always a clean error or the right result; the sanitizers look for leaks.
#include "base/crc.h"
#include "base/fault.h"
#include "learning.h"
#include "predicting.h"
#include "trials.h"

#include <dirent.h>

static const char *const two[] = {"-1", "+1"};
static const char *const five[] = {"a", "b", "c", "d", "e"};

// ---- Every n
// -------------------------------------------------------------------------------------

static const char *path, *settings; // what a scenario works on
static tlu_options *options;
static tlu_model *made; // a sound model

// Does its work, frees everything, and returns the first status that was not TLU_OK.
typedef tlu_status scenario(tlu_error *error);

static void every_failure(enum fault_kind kind, scenario *run)
{
    long n = 1;
    // The release build has every call fail. A sanitizer looks at one in eleven past the first.
    for (bool hit = true; hit; n += n < 50 ? 1 : (long)unless_sanitized(1, 11)) {
        tlu_error error = {0};
        fault_at(kind, n);
        tlu_status status = run(n % 4 ? &error : NULL); // now and then nobody wants to know
        hit = fault_calls(kind) >= n;
        fault_at(kind, 0);
        if (!hit && status != TLU_OK)
            fail_msg("without a failure: %s", error.text);
        if (status == TLU_OK || n % 4 == 0)
            continue; // some failures can be done without
        assert_int_equal(status, TLU_ERROR_SYSTEM);
        assert_int_equal(error.status, status);
        if (!strstr(error.text, kind == FAULT_MEMORY ? "memory" : strerror(5)))
            fail_msg("call %ld: '%s'", n, error.text);
    }
    assert_true(n > 2); // there was something to fail
}

static void every_failure_of(scenario *run)
{
    options = options_of(settings);
    every_failure(FAULT_MEMORY, run);
    every_failure(FAULT_READ, run);
    tlu_options_free(options);
    options = NULL;
}

// ---- Data
// ----------------------------------------------------------------------------------------

static void write_days(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("outlook,temp,\"wind, if any\",play\n", file);
    for (int i = 0; i < 40; i++)
        fprintf(file, "%s,%d,\"day \"\"%d\"\"\",%s\n",
                i % 3 == 0   ? "rainy"
                : i % 3 == 1 ? "sunny"
                             : "cloudy",
                60 + i * 7 % 31, i % 5, i * i % 4 ? "yes" : "no");
    assert_int_equal(fclose(file), 0);
}

// More than one chunk of the reader, so that its threads have something to do.
static void write_large(const char *libsvm, const char *csv)
{
    FILE *a = fopen(libsvm, "w"), *b = fopen(csv, "w");
    assert_true(a && b);
    fputs("word,much,label\n", b);
    for (int i = 0; i < 5200; i++) {
        const char *label = i % 3 ? "one" : "other";
        fprintf(a, "%s %d:0.5 %d:1 %0200d:1\n", label, i % 7, 10 + i % 9, 500 + i % 4);
        fprintf(b, "%0200d-%s,%d,%s\n", i % 5, label, i % 11, label);
    }
    assert_true(fclose(a) == 0 && fclose(b) == 0);
}

// Formats of named features; the first row has no weight, so that the others' come late.
static void write_named(void)
{
    FILE *vw = fopen("data.vw", "w"), *jsonl = fopen("data.jsonl", "w"),
         *text = fopen("data.ft", "w");
    assert_true(vw && jsonl && text);
    for (int i = 0; i < 1200; i++) {
        fprintf(vw, "%d%s 't|n:2 a%d b%d:0.5 |m c%d:x\n", i % 2, i ? " 2" : "", i % 7, i % 5, i);
        fprintf(jsonl,
                "{\"label\": \"%d\", \"text\": \"To be %d or not\", \"features\": {\"u\": {\"v\": "
                "[%d, \"x\"]}}%s}\n",
                i % 3, i, i % 4, i ? ", \"weight\": 0.5" : "");
        fprintf(text, "__label__%s one %d two %d\n", i % 2 ? "a" : "b", i, i % 11);
    }
    assert_true(fclose(vw) == 0 && fclose(jsonl) == 0 && fclose(text) == 0);
}

static void put_number(FILE *file, uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(number >> 8 * i & 255), file);
}

// A gzip file whose blocks are stored as they are (RFC 1952, RFC 1951).
static void write_gzip(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fwrite("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 1, 10, file);
    for (size_t at = 0; at < size; at += 1000) {
        uint32_t part = size - at < 1000 ? (uint32_t)(size - at) : 1000;
        fputc(at + part == size, file);
        put_number(file, part, 2);
        put_number(file, ~part & 0xFFFF, 2);
        fwrite(bytes + at, 1, part, file);
    }
    put_number(file, crc32_add(0, bytes, size), 4);
    put_number(file, (uint32_t)size, 4);
    assert_int_equal(fclose(file), 0);
}

// A zstd frame with a window of 128 kB and blocks that are stored as they are (RFC 8878).
static void write_zstd(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fwrite("\x28\xB5\x2F\xFD\x00\x38", 1, 6, file);
    for (size_t at = 0; at < size; at += 1000) {
        uint32_t part = size - at < 1000 ? (uint32_t)(size - at) : 1000;
        put_number(file, part << 3 | (at + part == size), 3);
        fwrite(bytes + at, 1, part, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_binary(const char *from, const char *to)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    tlu_convert_settings conversion = {.size = sizeof conversion,
                                       .path = from,
                                       .format = "binary",
                                       .write = write_to_file,
                                       .write_context = file};
    assert_int_equal(tlu_convert(&conversion, NULL, NULL, NULL), TLU_OK);
    assert_int_equal(fclose(file), 0);
}

static int make_data(void **state)
{
    (void)state;
    struct dense data = random_dense(1, 300, 12, 2, 0.5, false);
    write_libsvm("two.svm", &data, two);
    dense_free(&data);
    data = random_dense(2, 200, 12, 5, 0.5, false);
    write_libsvm("five.svm", &data, five);
    dense_free(&data);
    write_text("wide.svm", "1 1:1 9000000:2\n-1 1:-1 5000000:1\n1 4000000000:2 2:-1\n");
    write_days("days.csv");
    write_large("large.svm", "large.csv");
    write_named();
    size_t size;
    char *bytes = read_bytes("two.svm", &size);
    write_gzip("two.svm.gz", bytes, size);
    write_zstd("two.svm.zst", bytes, size);
    free(bytes);
    write_binary("wide.svm", "wide.tlud");
    write_binary("days.csv", "days.tlud");
    write_binary("large.svm", "large.tlud");
    bytes = read_bytes("wide.tlud", &size);
    write_gzip("wide.tlud.gz", bytes, size);
    free(bytes);
    return 0;
}

// ---- Training
// ------------------------------------------------------------------------------------

static tlu_status trains(tlu_error *error)
{
    tlu_model *model = made; // must become NULL or a model
    tlu_status status = tlu_train(path, options, &model, error);
    assert_int_equal(status == TLU_OK, model != NULL);
    if (model)
        assert_true(tlu_model_report(model)->epochs > 0);
    tlu_model_free(model);
    return status;
}

static void training_fails_cleanly(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings, *needs;
    } cases[] = {
        {"two.svm", "epochs=2", ""},
        {"two.svm", "epochs=2 decide=last tie=negative", ""},
        {"two.svm", "epochs=3 holdout=0.2 class-weight=balanced shuffle=all", ""},
        {"two.svm.gz", "epochs=1", "gzip"},
        {"two.svm.zst", "epochs=1", "zstd"},
        {"five.svm", "epochs=2", ""},
        {"five.svm", "epochs=4 holdout=0.3 scale=standard class-weight=a=2,b=0.5", ""},
        {"five.svm", "epochs=1 decide=vote holdout=0.2", ""},
        {"five.svm", "epochs=1 decide=random learner=arow holdout=0.2", ""},
        {"wide.svm", "epochs=1", ""},
        {"days.csv", "epochs=2", ""},
        {"days.csv", "epochs=2 scale=maxabs categorical=temp missing=indicator", ""},
        {"days.csv", "label=outlook ignore=play scale=standard", ""},
        {"large.svm", "epochs=1 threads=1", ""},
        {"large.svm", "epochs=2 threads=2", ""},
        {"large.csv", "epochs=1 threads=2", ""},
        {"wide.tlud", "epochs=2", ""},
        {"wide.tlud.gz", "epochs=2", "gzip"},
        {"days.tlud", "epochs=2 scale=standard", ""},
        {"wide.tlud", "epochs=2 hash=10", ""},
        {"days.tlud", "epochs=2 hash=10", ""},
        {"large.tlud", "epochs=2 threads=2", ""},
        {"large.svm", "epochs=2 threads=1 memory=1", ""},
        {"two.svm", "epochs=2 memory=1 scale=maxabs", ""},
        {"data.vw", "epochs=2", ""},
        {"data.vw", "learner=rocchio", ""},
        {"data.jsonl", "epochs=1 ngrams=2 lowercase=yes", ""},
        {"data.ft", "epochs=1 ngrams=3", ""},
        {"data.vw", "epochs=1 hash=10", ""},
        {"data.vw", "epochs=1 max-features=100", ""},
        {"wide.svm", "epochs=2 scale=online", ""},
        {"days.csv", "epochs=2 hash=12", ""},
        {"large.svm", "epochs=2 hash=10 threads=2", ""},
        {"days.csv", "epochs=2 kernel=poly:2,1 holdout=0.2 threads=1", ""},
        {"days.csv", "epochs=2 decide=vote holdout=0.2", ""},
        {"days.csv", "epochs=2 decide=vote learner=arow holdout=0.2", ""},
        {"days.csv", "epochs=2 decide=best holdout=0.2 ratchet=yes", ""},
        {"days.csv", "learner=max-margin scale=standard C=1", ""},
        {"days.csv", "learner=max-margin scale=standard C=1 kernel=rbf:0.5 holdout=0.2 threads=1",
         ""},
        {"days.csv", "learner=mlp hidden=3,2 epochs=2 holdout=0.2", ""},
        {"five.svm", "learner=mlp hidden=2 epochs=1 batch=3 optimizer=momentum", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!strstr(tlu_built_with(), cases[i].needs)) {
            print_message("skipped: %s is not built in\n", cases[i].needs);
            continue;
        }
        path = cases[i].path;
        settings = cases[i].settings;
        every_failure_of(trains);
    }
}

static int stop_at_once(void *context, const tlu_progress *progress)
{
    (void)context;
    return progress->pass == 2;
}

// A training that is interrupted, saved, loaded and gone on with.
static tlu_status pauses_and_goes_on(tlu_error *error)
{
    tlu_model *model = made, *loaded = NULL;
    tlu_status status = train_watched(path, options, stop_at_once, NULL, &model, error);
    if (status == TLU_OK && tlu_model_can_resume(model, NULL, NULL)) {
        status = tlu_model_save(model, "paused.tlu", error);
        if (status == TLU_OK)
            status = tlu_model_load("paused.tlu", &loaded, error);
        tlu_model_free(model);
        model = NULL;
        if (status == TLU_OK)
            status = train_resumed(path, loaded, NULL, &model, error);
        assert_int_equal(status == TLU_OK, model != NULL);
        tlu_model_free(loaded);
    }
    tlu_model_free(model);
    return status;
}

static void going_on_fails_cleanly(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"two.svm", "epochs=3 rate=1:2 holdout=0.2"},
        {"five.svm", "epochs=3 learner=alma decide=best"},
        {"five.svm", "epochs=2 learner=scw1 decide=vote"},
        {"five.svm", "epochs=4 shuffle=none decide=last"},
        {"days.csv", "epochs=3 learner=arow scale=standard shuffle=all"},
        {"days.csv", "epochs=3 kernel=poly:2,1 threads=1"},
        {"days.csv", "epochs=3 kernel=linear decide=vote holdout=0.2 threads=1"},
        {"days.csv", "epochs=3 decide=random rate=1:2"},
        {"days.csv", "epochs=3 decide=vote learner=scw1 holdout=0.2"},
        {"days.csv", "epochs=3 learner=mlp hidden=2 holdout=0.2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        path = cases[i][0];
        settings = cases[i][1];
        every_failure_of(pauses_and_goes_on);
    }
}

// ---- Using a model
// -------------------------------------------------------------------------------

static tlu_status predicts(tlu_error *error)
{
    const char *label = NULL;
    double scores[8];
    tlu_status status = tlu_model_predict_line(made, path, &label, scores, error);
    assert_int_equal(status == TLU_OK, label != NULL);
    if (status == TLU_OK)
        status = tlu_model_predict_line(made, path, &label, NULL, error);
    return status;
}

static tlu_status reads_and_explains(tlu_error *error)
{
    tlu_reader *reader;
    const tlu_batch *batch = NULL;
    size_t rows = 0;
    tlu_status status = tlu_reader_open(made, path, options, &reader, error);
    assert_int_equal(status == TLU_OK, reader != NULL);
    if (status != TLU_OK)
        return status;
    while ((status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch) {
        for (size_t i = 0; i < batch->rows; i++, rows++) {
            tlu_contribution pushes[3];
            tlu_row row = tlu_batch_row(batch, i);
            size_t count;
            tlu_status explained = tlu_model_explain(made, &row, 0, pushes, 3, &count, NULL);
            assert_true(count <= 3 && (explained == TLU_OK || count == 0));
        }
    }
    if (status == TLU_OK)
        assert_int_equal(rows, tlu_reader_get_stats(reader)->rows);
    tlu_reader_close(reader);
    return status;
}

static int writes_classes(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    (void)context;
    for (size_t i = 0; i < guesses->rows; i++) {
        char *to;
        if (tlu_output_reserve(text, 10, &to, NULL) != TLU_OK)
            return 1;
        size_t size = (size_t)sprintf(to, "%u\n", guesses->classes[i]);
        if (tlu_output_commit(text, size, NULL) != TLU_OK)
            return 1;
    }
    return 0;
}

static tlu_status reads_and_predicts(tlu_error *error)
{
    tlu_reader *reader;
    const tlu_batch *batch = NULL;
    tlu_status status = tlu_reader_open(made, path, options, &reader, error);
    if (status != TLU_OK)
        return status;
    status = tlu_reader_predict(reader, 1, writes_classes, NULL, error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch)
        assert_true(tlu_reader_predictions(reader)->text_size >= 2 * batch->rows);
    tlu_reader_close(reader);
    return status;
}

static tlu_status evaluates(tlu_error *error)
{
    tlu_evaluation *evaluation;
    tlu_status status = tlu_evaluate(made, path, options, &evaluation, error);
    assert_int_equal(status == TLU_OK, evaluation != NULL);
    if (evaluation)
        assert_int_equal(evaluation->examples, tlu_model_report(made)->examples);
    tlu_evaluation_free(evaluation);
    return status;
}

static tlu_status loads(tlu_error *error)
{
    tlu_model *model;
    tlu_status status = tlu_model_load("made.tlu", &model, error);
    assert_int_equal(status == TLU_OK, model != NULL);
    tlu_model_free(model);
    return status;
}

static tlu_status saves(tlu_error *error)
{
    return tlu_model_save(made, "saved.tlu", error);
}

static void using_a_model_fails_cleanly(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings, *line;
    } cases[] = {
        {"two.svm", "threads=1", "1:2 3:1"},
        {"five.svm", "threads=1 scale=standard", "a 1:2 3:1"},
        {"days.csv", "scale=maxabs missing=zero", "sunny,70,\"day \"\"1\"\"\",no"},
        {"five.svm", "threads=1 scale=standard kernel=poly:2", "a 1:2 3:1"},
        {"two.svm", "threads=1 decide=vote", "1:2 3:1"},
        {"five.svm", "threads=1 decide=vote learner=arow scale=standard", "1:2 3:1"},
        {"five.svm", "threads=1 learner=mlp hidden=3 scale=standard", "1:2 3:1"},
        {"large.svm", "epochs=1 threads=2", "1:1"},
        {"large.csv", "epochs=1 threads=2", "x,1"},
        {"days.csv", "epochs=1 hash=10 threads=2", "sunny,70,\"day \"\"1\"\"\",no"},
        {"data.vw", "epochs=1 hash=10 threads=2", "| a1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made = train(cases[i].path, cases[i].settings);
        assert_int_equal(tlu_model_save(made, "made.tlu", NULL), TLU_OK);
        path = cases[i].line;
        every_failure(FAULT_MEMORY, predicts);
        path = cases[i].path;
        settings = i < 6 ? "threads=1" : "threads=2";
        every_failure_of(reads_and_explains);
        every_failure_of(reads_and_predicts);
        every_failure_of(evaluates);
        every_failure(FAULT_MEMORY, loads);
        every_failure(FAULT_READ, loads);
        every_failure(FAULT_MEMORY, saves);
        tlu_model_free(made);
        made = NULL;
    }
}

// ---- Streams
// -------------------------------------------------------------------------------------

static const struct {
    const char *label, *names[3];
    double values[3];
} rows[] = {{"ham", {"11", "2", "3"}, {1, 2, 3}}, {"ham", {"5", "2", "4"}, {-1, 2, 1}},
            {"eggs", {"1", "6", "3"}, {1, 1, 3}}, {"spam", {"7", "2", "8"}, {4, 2, 3}},
            {"ham", {"90", "2", "3"}, {2, 2, 3}}, {"toast", {"1", "30", "9"}, {1, 5, -3}}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static tlu_status learn_row(tlu_learner *learner, size_t i, tlu_error *error)
{
    tlu_feature features[3];
    for (size_t j = 0; j < 3; j++)
        features[j] = (tlu_feature){rows[i].names[j], rows[i].values[j]};
    return tlu_learner_learn(learner, features, 3, rows[i].label, 1, NULL, error);
}

static tlu_model *stream_model(void)
{
    tlu_learner *learner;
    tlu_model *model;
    assert_int_equal(tlu_learner_new(NULL, &learner, NULL), TLU_OK);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(learn_row(learner, i, NULL), TLU_OK);
    assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
    tlu_learner_free(learner);
    return model;
}

// A learner and a model that come out of a failure are as usable as before it.
static void look_at(tlu_learner *learner)
{
    const char *label;
    tlu_feature feature = {"2", 1};
    double scores[4];
    tlu_model *model;
    assert_int_equal(tlu_learner_predict(learner, &feature, 1, &label, NULL, NULL), TLU_OK);
    if (tlu_learner_make_model(learner, &model, NULL) != TLU_OK)
        return; // one class only
    size_t class = class_of_named(model, &feature, 1, scores);
    assert_non_null(tlu_model_class_label(model, class));
    assert_int_equal(tlu_model_save(model, "look.tlu", NULL), TLU_OK);
    tlu_model_free(model);
    assert_int_equal(tlu_model_load("look.tlu", &model, NULL), TLU_OK);
    tlu_model_free(model);
}

// After the failure the same row again: nothing is lost, nothing counts twice.
static void streams_go_on_after_a_failure(void **state)
{
    (void)state;
    tlu_model *expected = stream_model();
    bool hit = true;
    for (long n = 1; hit; n++) {
        tlu_learner *learner = NULL;
        tlu_model *model = NULL;
        tlu_error error = {0};
        fault_at(FAULT_MEMORY, n);
        if (tlu_learner_new(NULL, &learner, &error) != TLU_OK)
            assert_int_equal(tlu_learner_new(NULL, &learner, &error), TLU_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (learn_row(learner, i, &error) != TLU_OK) {
                assert_non_null(strstr(error.text, "memory"));
                look_at(learner);
                assert_int_equal(learn_row(learner, i, &error), TLU_OK);
            }
        if (tlu_learner_make_model(learner, &model, &error) != TLU_OK) {
            assert_null(model);
            assert_int_equal(tlu_learner_make_model(learner, &model, &error), TLU_OK);
        }
        hit = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_same_model(model, expected);
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
    tlu_model_free(expected);
}

static tlu_status resumes_and_predicts(tlu_error *error)
{
    tlu_learner *learner;
    tlu_model *model = NULL;
    const char *label;
    tlu_feature feature = {"2", 1};
    tlu_status status = tlu_learner_resume(made, &learner, error);
    assert_int_equal(status == TLU_OK, learner != NULL);
    for (size_t i = 0; status == TLU_OK && i < ROWS; i++)
        status = learn_row(learner, i, error);
    if (status == TLU_OK)
        status = tlu_learner_predict(learner, &feature, 1, &label, NULL, error);
    if (status == TLU_OK)
        status = tlu_learner_make_model(learner, &model, error);
    tlu_model_free(model);
    tlu_learner_free(learner);
    return status;
}

static void resuming_fails_cleanly(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        made = i == 0   ? stream_model()
               : i == 3 ? train("five.svm", "learner=romma multiclass=ovr") // with all of LIVE
                        : train(i == 1 ? "five.svm" : "days.csv", "");
        every_failure(FAULT_MEMORY, resumes_and_predicts);
        tlu_model_free(made);
        made = NULL;
    }
}

static int take_bytes(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return 0;
}

static tlu_status converts(tlu_error *error)
{
    size_t size = 0;
    tlu_convert_settings conversion = {.size = sizeof conversion,
                                       .path = path,
                                       .format = settings,
                                       .write = take_bytes,
                                       .write_context = &size};
    if (strcmp(settings, "libsvm") == 0) {
        conversion.write_names = take_bytes;
        conversion.names_context = &size;
    }
    tlu_status status = tlu_convert(&conversion, NULL, NULL, error);
    assert_true(status != TLU_OK || size > 0);
    return status;
}

static void converting_fails_cleanly(void **state)
{
    (void)state;
    static const char *const paths[] = {"wide.svm", "days.csv", "wide.tlud", "days.tlud"};
    static const char *const formats[] = {"libsvm", "csv", "tsv", "binary"};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            path = paths[i];
            settings = formats[k];
            every_failure(FAULT_MEMORY, converts);
            every_failure(FAULT_READ, converts);
        }
}

static tlu_status generates(tlu_error *error)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    size_t size = 0;
    tlu_status status = tlu_recipe_init(path, &recipe, error);
    return status == TLU_OK ? tlu_generate(&recipe, take_bytes, &size, error) : status;
}

static void generating_fails_cleanly(void **state)
{
    (void)state;
    static const char *const kinds[] = {"line", "margin", "blobs", "moons", "semicircles"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        path = kinds[i];
        every_failure(FAULT_MEMORY, generates);
    }
}

// ---- Saving over an old model
// --------------------------------------------------------------------

static size_t files_here(void)
{
    DIR *folder = opendir(".");
    assert_non_null(folder);
    size_t count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void the_old_model_survives(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("sparse", &recipe, NULL), TLU_OK);
    recipe.rows = 2000;
    generate_file("sparse.svm", &recipe);
    tlu_model *old = train("two.svm", ""), *new = train("sparse.svm", "epochs=2");
    size_t old_size, new_size, size;
    assert_int_equal(tlu_model_save(new, "kept.tlu", NULL), TLU_OK);
    free(read_bytes("kept.tlu", &new_size));
    assert_int_equal(tlu_model_save(old, "kept.tlu", NULL), TLU_OK);
    char *old_bytes = read_bytes("kept.tlu", &old_size);
    size_t files = files_here();
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_MEMORY};
    for (size_t k = 0; k < 4; k++)
        for (long n = 1;; n++) {
            tlu_error error = {0};
            fault_at(kinds[k], n);
            tlu_status status = tlu_model_save(new, "kept.tlu", &error);
            long calls = fault_calls(kinds[k]);
            fault_at(kinds[k], 0);
            assert_int_equal(files_here(), files); // nothing temporary is left
            char *bytes = read_bytes("kept.tlu", &size);
            if (status == TLU_OK) {
                assert_int_equal(size, new_size);
                free(bytes);
                assert_true(calls < n && n > 1);
                assert_int_equal(tlu_model_save(old, "kept.tlu", NULL), TLU_OK);
                break;
            }
            assert_int_equal(status, TLU_ERROR_SYSTEM);
            assert_true(error.text[0] != '\0');
            if (kinds[k] == FAULT_FSYNC && n == 2) { // of the folder: the new model is in place
                assert_int_equal(size, new_size);
                free(bytes);
                assert_int_equal(tlu_model_save(old, "kept.tlu", NULL), TLU_OK);
                continue;
            }
            assert_int_equal(size, old_size);
            assert_memory_equal(bytes, old_bytes, size);
            free(bytes);
            tlu_model *loaded;
            const char *label, *expected;
            assert_int_equal(tlu_model_load("kept.tlu", &loaded, NULL), TLU_OK);
            assert_int_equal(tlu_model_predict_line(loaded, "1:2 5:1", &label, NULL, NULL), TLU_OK);
            assert_int_equal(tlu_model_predict_line(old, "1:2 5:1", &expected, NULL, NULL), TLU_OK);
            assert_string_equal(label, expected);
            tlu_model_free(loaded);
        }
    free(old_bytes);
    tlu_model_free(old);
    tlu_model_free(new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_fails_cleanly),
        cmocka_unit_test(going_on_fails_cleanly),
        cmocka_unit_test(using_a_model_fails_cleanly),
        cmocka_unit_test(streams_go_on_after_a_failure),
        cmocka_unit_test(resuming_fails_cleanly),
        cmocka_unit_test(generating_fails_cleanly),
        cmocka_unit_test(converting_fails_cleanly),
        cmocka_unit_test(the_old_model_survives),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
