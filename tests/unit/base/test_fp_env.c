// In every floating-point environment of the caller, results have the same bits as in the default
// one, and each call restores the environment. Callbacks see the caller's environment, and a
// callback that changes it affects nothing else.
#include "base/thread.h"
#include "learning.h"
#include "predicting.h"
#include "tlu_logic.h"
#include "tlu_plot.h"
#include "tlu_proof.h"
#include "trials.h"

#include <fenv.h>
#include <stdatomic.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

// ---- Environments -------------------------------------------------------------------------------

struct setting {
    const char *name;
    int rounding;
    unsigned mxcsr; // bits to change
    bool traps;
};

enum { FTZ = 0x8000, DAZ = 0x0040, MASKS = 0x1f80 };

static const struct setting settings[] = {
    {"default", FE_TONEAREST, 0, false},
    {"upward", FE_UPWARD, 0, false},
    {"downward", FE_DOWNWARD, 0, false},
    {"toward zero", FE_TOWARDZERO, 0, false},
#ifdef __SSE__
    {"flush to zero", FE_TONEAREST, FTZ, false},
    {"denormals are zero", FE_TONEAREST, DAZ, false},
    {"all exceptions trap", FE_TONEAREST, MASKS, true},
    {"everything", FE_UPWARD, FTZ | DAZ | MASKS, true},
#else
    {"all exceptions trap", FE_TONEAREST, 0, true},
#endif
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void set_environment(const struct setting *setting)
{
    fesetenv(FE_DFL_ENV);
    fesetround(setting->rounding);
    if (setting->traps)
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
#ifdef __SSE__
    _mm_setcsr((0x1f80u | ((unsigned)setting->rounding << 3)) ^ setting->mxcsr);
#endif
}

// Rounding mode, what is flushed and what traps; not the flags.
static bool environment_is(const struct setting *setting)
{
    bool same = fegetround() == setting->rounding;
#ifdef __SSE__
    same &= (_mm_getcsr() & 0xffc0) ==
            ((0x1f80u | ((unsigned)setting->rounding << 3)) ^ setting->mxcsr);
#endif
    return same && (fegetexcept() != 0) == setting->traps;
}

// The caller's environment, and what callbacks find and change.
static const struct setting *current = &settings[0];
static bool meddling;
static atomic_uint calls, calls_elsewhere; // of callbacks; in another environment

static int called(void)
{
    calls++;
    calls_elsewhere += !environment_is(current);
    if (meddling)
        set_environment(&settings[1 + calls % (SETTINGS - 1)]);
    return 0;
}

// ---- Results of a call --------------------------------------------------------------------------

// Bytes, without any arithmetic: it might trap.
struct record {
    char *bytes;
    size_t size, capacity;
};

static void put(struct record *record, const void *bytes, size_t size)
{
    if (record->size + size > record->capacity) {
        record->capacity = 2 * (record->size + size);
        record->bytes = realloc(record->bytes, record->capacity);
        assert_non_null(record->bytes);
    }
    if (size)
        memcpy(record->bytes + record->size, bytes, size);
    record->size += size;
}

// After each call: the environment is as it was, and the call went as it should.
static void check(tlu_status status, tlu_status expected, const tlu_error *error, const char *what)
{
    bool kept = environment_is(current);
    if (!kept || status != expected)
        set_environment(&settings[0]); // to report it
    if (!kept)
        fail_msg("%s: left another environment than '%s'", what, current->name);
    if (status != expected)
        fail_msg("%s ('%s'): %d, %s", what, current->name, status, status ? error->text : "done");
}

#define DONE(call) check(call, TLU_OK, &error, #call)

static void put_model(struct record *record, const tlu_model *model)
{
    tlu_error error;
    void *bytes;
    size_t size;
    DONE(tlu_model_save_bytes(model, &bytes, &size, &error));
    put(record, bytes, size);
    tlu_bytes_free(bytes);
}

static int on_progress(void *context, const tlu_progress *progress)
{
    (void)context;
    (void)progress;
    return called();
}

static int on_write(void *context, const char *bytes, size_t size)
{
    put(context, bytes, size);
    return called();
}

// ---- The data, made once in the default environment ---------------------------------------------

// Numbers that no float represents exactly, and subnormal ones; two classes that overlap. `wide`
// files have enough rows for several threads to parse them.
static void write_files(void)
{
    FILE *csv = fopen("small.csv", "w"), *svm = fopen("small.svm", "w");
    FILE *wide_csv = fopen("wide.csv", "w"), *wide_svm = fopen("wide.svm", "w");
    FILE *text = fopen("wide.txt", "w"), *tiny = fopen("tiny.svm", "w");
    struct random random;
    assert_true(csv && svm && wide_csv && wide_svm && text && tiny);
    random_seed(&random, 7);
    fputs("a,b,c,label\n", csv);
    fputs("a,b,c,label\n", wide_csv);
    for (int i = 0; i < 16000; i++) {
        int y = (int)random_below(&random, 2), z = i % 3 == 0;
        double a = random_unit(&random) + 0.4 * y, b = random_unit(&random) - 0.3 * y;
        fprintf(wide_csv, "%.19f,%.17g,%.4f,%s\n", a, b, a * b, y ? "yes" : "no");
        fprintf(wide_svm, "%d 1:%.19f 3:%.17g 7:%.4f\n", y, a, b, a - b);
        fprintf(text, "__label__%s w%d w%d of w%d\n", y ? "yes" : "no", (int)(20 * a) + 5 * y,
                (int)(30 * b), i % 11);
        if (i >= 120)
            continue;
        fprintf(csv, "%.19f,%.17g,%.4f,%s\n", a, b, a * b, y ? "yes" : "no");
        fprintf(svm, "%d 1:%.19f 3:%.17g 7:%.4f\n", y ? 1 : z ? 2 : 3, a, b, a - b + 2 * z);
        fprintf(tiny, "%d 1:%.9ge-39 2:%.9ge-42\n", y, a, b);
    }
    fclose(csv);
    fclose(svm);
    fclose(wide_csv);
    fclose(wide_svm);
    fclose(text);
    fclose(tiny);
}

// ---- Training -----------------------------------------------------------------------------------

static void put_trained(struct record *record, const char *path, const char *text)
{
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_of(text);
    DONE(train_watched(path, options, on_progress, NULL, &model, &error));
    put_model(record, model);
    tlu_model_free(model);
    tlu_options_free(options);
}

static void every_learner(struct record *record)
{
    const tlu_learner_info *info;
    for (size_t i = 0; (info = tlu_learner_at(i)) != NULL; i++) {
        char text[64];
        bool counts = strstr(info->name, "bayes") != NULL; // words, not negative numbers
        snprintf(text, sizeof text, "learner=%s threads=2%s", info->name,
                 counts                                  ? " binarize=yes"
                 : strcmp(info->name, "max-margin") == 0 ? " C=1"
                                                         : "");
        put_trained(record, counts ? "wide.txt" : "small.csv", text);
        if (!counts)
            put_trained(record, "small.svm", text); // three classes
    }
}

static void options_of_training(struct record *record)
{
    static const char *const texts[] = {
        "learner=perceptron kernel=rbf:0.7",
        "learner=perceptron decide=vote",
        "learner=max-margin C=0.3",
        "learner=mlp hidden=5 epochs=3",
#ifdef TLU_HAVE_OPENBLAS
        "learner=mlp hidden=40 epochs=2 blas=yes",
#endif
        "learner=logistic calibrate=sigmoid",
        "learner=pa calibrate=isotonic",
        "learner=arow scale=standard holdout=0.25",
        "scale=maxabs class-weight=balanced",
        "scale=online",
        "learner=hinge decide=last l2=0.01",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        put_trained(record, "small.csv", texts[i]);
    put_trained(record, "small.svm", "learner=pa calibrate=temperature");
    put_trained(record, "tiny.svm", "learner=perceptron scale=none");
    put_trained(record, "tiny.svm", "learner=pa scale=standard");
    put_trained(record, "tiny.svm", "learner=mlp hidden=3 epochs=2 scale=none");
}

static void files_parsed_by_threads(struct record *record)
{
    static const char *const paths[] = {"wide.csv", "wide.svm", "wide.txt"};
    for (size_t i = 0; i < 3; i++) {
        put_trained(record, paths[i], "threads=3 epochs=1");
        put_trained(record, paths[i], "threads=1 epochs=1");
    }
}

static int next_rows(void *context, const tlu_rows **rows, tlu_error *error)
{
    static const float values[] = {0.1f, 0.7f, 1e-40f, -0.3f, 0.2f, 3e-41f};
    static const uint32_t labels[] = {0, 1};
    static const tlu_rows block = {
        .size = sizeof block, .rows = 2, .columns = 3, .values = values, .labels = labels};
    (void)error;
    int *left = context;
    *rows = (*left)-- > 0 ? &block : NULL;
    return called();
}

static int on_step(void *context, const tlu_step *step)
{
    put(context, step->scores, step->columns * sizeof(double));
    double weight = tlu_step_weight(step, 0, 0);
    put(context, &weight, sizeof weight);
    return called();
}

static void rows_and_steps(struct record *record)
{
    tlu_error error;
    tlu_model *model;
    int left = 5;
    tlu_options *options = options_of("learner=perceptron rate=0.1");
    tlu_train_settings given = {
        .size = sizeof given, .next_rows = next_rows, .next_context = &left};
    DONE(tlu_train_with(&given, options, &model, &error));
    put_model(record, model);
    tlu_model_free(model);
    left = 5;
    DONE(tlu_trace_with(&given, options, on_step, record, NULL, &error));
    DONE(tlu_trace("small.csv", options, on_step, record, NULL, &error));
    tlu_options_free(options);
}

// ---- Models -------------------------------------------------------------------------------------

static int on_guesses(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    (void)context;
    size_t size = guesses->rows * sizeof(double);
    char *bytes;
    if (tlu_output_reserve(text, size, &bytes, NULL) != TLU_OK)
        return 1;
    memcpy(bytes, guesses->scores, size);
    if (tlu_output_commit(text, size, NULL) != TLU_OK)
        return 1;
    return called();
}

static void read_and_predict(struct record *record, const tlu_model *model, const char *path)
{
    tlu_error error;
    tlu_reader *reader;
    const tlu_batch *batch;
    double scores[4];
    uint32_t classes[1 << 16];
    DONE(tlu_reader_open(model, path, NULL, &reader, &error));
    DONE(tlu_reader_predict(reader, 1, on_guesses, NULL, &error));
    for (bool first = true;; first = false) {
        DONE(tlu_reader_next(reader, &batch, &error));
        if (!batch)
            break;
        const tlu_predictions *guesses = tlu_reader_predictions(reader);
        put(record, guesses->text, guesses->text_size);
        if (!first || batch->rows > sizeof classes / sizeof *classes)
            continue;
        DONE(tlu_model_predict_batch(model, batch, classes, NULL, NULL, &error));
        put(record, classes, batch->rows * sizeof *classes);
        tlu_row row = tlu_batch_row(batch, 0);
        size_t winner = class_of_row(model, &row, scores);
        put(record, &winner, sizeof winner);
        put(record, scores, sizeof *scores);
        tlu_contribution pushes[4] = {0};
        size_t count;
        DONE(tlu_model_explain(model, &row, 1, pushes, 4, &count, &error));
        put(record, pushes, count * sizeof *pushes);
    }
    tlu_reader_close(reader);
    DONE(TLU_OK);
}

static void put_distances(struct record *record, const tlu_model *model)
{
    tlu_error error;
    tlu_planes *planes;
    tlu_distance distance;
    static const float values[] = {0.3f, 0.11f, 1e-40f};
    tlu_row row = {3, NULL, values};
    DONE(tlu_planes_new(model, &planes, &error));
    DONE(tlu_planes_distance(planes, &row, 1, &distance, &error));
    double between = tlu_planes_distance_between(planes, 1, 0);
    put(record, &distance.distance, sizeof(double));
    put(record, &distance.margin, sizeof(double));
    put(record, &between, sizeof between);
    tlu_planes_free(planes);
}

static void put_weights(struct record *record, const tlu_model *model)
{
    for (size_t i = 0; i < 3; i++) {
        double weights[3] = {tlu_model_weight(model, 0, i), tlu_model_scaled_weight(model, 1, i),
                             tlu_model_bias(model, 0)};
        put(record, weights, sizeof weights);
    }
    double all[3];
    tlu_model_weights(model, 0, all, 3);
    put(record, all, sizeof all);
}

// Trained in the default environment, used in another.
static void models(struct record *record)
{
    tlu_error error;
    tlu_model *model;
    tlu_feature features[] = {{"a", 0.123456789}, {"b", -0.7}, {"c", 1e-320}};
    double scores[4], probabilities[2];
    const char *label;
    DONE(tlu_model_load("model.tlu", &model, &error));
    put_model(record, model);
    read_and_predict(record, model, "wide.csv");
    DONE(tlu_model_predict_line(model, "0.12345678901234567890123,-7.1e-1,3e-40", &label, scores,
                                &error));
    put(record, scores, sizeof *scores);
    class_of_named(model, features, 3, scores);
    put(record, scores, sizeof *scores);
    DONE(tlu_model_probabilities(model, scores, probabilities, &error));
    put(record, probabilities, sizeof probabilities);
    put_weights(record, model);
    put_distances(record, model);
    tlu_threshold_settings objective = {
        .size = sizeof objective, .path = "wide.csv", .objective = "precision", .value = 0.5};
    tlu_threshold *threshold;
    DONE(tlu_threshold_find(model, &objective, NULL, &threshold, &error));
    put(record, threshold, sizeof *threshold);
    tlu_threshold_free(threshold);
    DONE(tlu_model_save(model, "saved.tlu", &error));
    tlu_model_free(model);
    size_t size;
    char *saved = read_bytes("saved.tlu", &size);
    put(record, saved, size);
    free(saved);
    static const double numbers[] = {0.1, 1e300 / 3, 5e-324, -1.2345678912345678e-200};
    for (size_t i = 0; i < 4; i++) {
        char text[32];
        put(record, text, tlu_number_format(text, sizeof text, numbers[i]));
    }
}

static int on_fold(void *context, const tlu_fold *fold)
{
    put(context, &fold->value, sizeof fold->value);
    return called();
}

static void evaluations(struct record *record)
{
    tlu_error error;
    tlu_model *model;
    tlu_evaluation *evaluation;
    tlu_curve *curve;
    tlu_validation *validation;
    tlu_options *options = options_of("metric=all");
    DONE(tlu_model_load("model.tlu", &model, &error));
    tlu_evaluate_settings given = {
        .size = sizeof given, .path = "small.csv", .wrong = 9, .curves = 1};
    DONE(tlu_evaluate_with(model, &given, options, &evaluation, &error));
    for (size_t i = 0; i < evaluation->metric_count; i++)
        put(record, &evaluation->metrics[i].value, sizeof(double));
    for (size_t i = 0; i < evaluation->wrong_count; i++)
        put(record, &evaluation->wrong[i].margin, sizeof(double));
    DONE(tlu_evaluation_curve(evaluation, "roc", 1, &curve, &error));
    put(record, curve->points, curve->count * sizeof *curve->points);
    tlu_curve_free(curve);
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    tlu_options_free(options);
    options = options_of("metric=log-loss learner=logistic");
    DONE(tlu_cross_validate("small.csv", options, 3, 1, on_fold, record, &validation, &error));
    put(record, &validation->mean, sizeof(double));
    put(record, &validation->deviation, sizeof(double));
    tlu_validation_free(validation);
    tlu_options_free(options);
}

static int on_tuning(void *context, const tlu_tune_progress *progress)
{
    (void)context;
    (void)progress;
    return called();
}

static void tuning(struct record *record)
{
    tlu_error error;
    tlu_tuning *tuned;
    tlu_model *model;
    tlu_tune_settings given = {.size = sizeof given,
                               .path = "small.csv",
                               .learners = "pa,arow,logistic:rate=0.3",
                               .folds = 3,
                               .budget = 200,
                               .progress = on_tuning};
    DONE(tlu_tune(&given, NULL, &tuned, &error));
    for (size_t i = 0; i < tuned->count; i++) {
        put(record, tuned->candidates[i]->name, strlen(tuned->candidates[i]->name));
        put(record, &tuned->candidates[i]->score, sizeof(double));
        put(record, &tuned->candidates[i]->deviation, sizeof(double));
    }
    DONE(tlu_tuning_train(tuned, 0, on_progress, NULL, &model, &error));
    put_model(record, model);
    tlu_model_free(model);
    tlu_tuning_free(tuned);
}

// ---- Streams ------------------------------------------------------------------------------------

struct input {
    const char *bytes;
    size_t left;
};

static int on_read(void *context, char *bytes, size_t size, size_t *got, int *end, tlu_error *error)
{
    struct input *input = context;
    (void)error;
    *got = input->left < size ? input->left : size;
    memcpy(bytes, input->bytes, *got);
    input->bytes += *got;
    input->left -= *got;
    *end = input->left == 0;
    return called();
}

static int on_report(void *context, const tlu_stream_stats *counts)
{
    put(context, &counts->correct, sizeof counts->correct);
    return called();
}

static void streams(struct record *record)
{
    tlu_error error;
    tlu_stream *stream;
    const char *text;
    size_t size, length;
    char *all = read_bytes("wide.csv", &size), *model;
    tlu_stream_state state = TLU_STREAM_MORE;
    struct input input = {all, size};
    tlu_stream_settings given = {.size = sizeof given,
                                 .scores = 1,
                                 .journal = "live.tlu" TLU_JOURNAL_SUFFIX,
                                 .report = on_report,
                                 .report_context = record};
    unlink("live.tlu");
    tlu_options *options = options_of("threads=3");
    DONE(tlu_stream_open("live.tlu", options, &given, &stream, &error));
    while (state != TLU_STREAM_END) {
        DONE(tlu_stream_poll(stream, on_read, &input, &state, &text, &length, &error));
        put(record, text, length);
    }
    DONE(tlu_stream_save(stream, &error));
    tlu_stream_close(stream);
    tlu_options_free(options);
    free(all);
    model = read_bytes("live.tlu", &size);
    put(record, model, size);
    free(model);
}

static void learners(struct record *record)
{
    tlu_error error;
    tlu_learner *learner;
    tlu_model *model;
    const char *label;
    double score = 0;
    tlu_feature features[] = {{"a", 0.1}, {"b", 0.3}, {"c", 1e-310}};
    DONE(tlu_learner_new(NULL, &learner, &error));
    for (int i = 0; i < 40; i++) {
        features[i % 3].value = features[(i + 1) % 3].value;
        DONE(tlu_learner_learn(learner, features, 3, i % 2 ? "x" : "y", 0.7, NULL, &error));
        DONE(tlu_learner_predict(learner, features, 3, &label, &score, &error));
        put(record, &score, sizeof score);
    }
    DONE(tlu_learner_make_model(learner, &model, &error));
    put_model(record, model);
    tlu_learner_free(learner);
    DONE(tlu_learner_resume(model, &learner, &error));
    tlu_learner_free(learner);
    tlu_model_free(model);
}

// ---- Proofs, logic, data, pictures --------------------------------------------------------------

static int on_proof(void *context, const char *stage, double seconds)
{
    (void)context;
    (void)stage;
    (void)seconds;
    return called();
}

static void proofs(struct record *record)
{
#if defined(TLU_HAVE_CLP) && defined(TLU_HAVE_GMP)
    tlu_error error;
    tlu_separability *answer;
    tlu_mistake_bound *bounds;
    static const char *const paths[] = {"small.csv", "small.svm", "apart.svm"};
    for (size_t i = 0; i < 3; i++) {
        tlu_separability_settings given = {
            .size = sizeof given, .path = paths[i], .progress = on_proof};
        DONE(tlu_separability_decide(&given, NULL, &answer, &error));
        put(record, answer->proof, answer->proof_size);
        put(record, &answer->margin_low, 2 * sizeof(double));
        tlu_separability_free(answer);
    }
    tlu_mistake_bound_settings given = {
        .size = sizeof given, .path = "apart.svm", .runs = 2, .progress = on_proof};
    DONE(tlu_mistake_bound_compute(&given, NULL, &bounds, &error));
    put(record, &bounds->bound, sizeof(double));
    put(record, &bounds->margin_low, 2 * sizeof(double));
    tlu_mistake_bound_free(bounds);
#endif
    tlu_game *game;
    tlu_error why;
    tlu_game_rules rules = {.size = sizeof rules, .gamma = 0.1, .radius = 1, .dimension = 3};
    double x[3];
    int guess, label = 1, mistake;
    check(tlu_game_new(&rules, &game, &why), TLU_OK, &why, "tlu_game_new");
    for (int i = 0; i < 20 && label; i++) {
        check(tlu_game_attack(game, x, &label, &why), TLU_OK, &why, "tlu_game_attack");
        put(record, x, sizeof x);
        if (label) {
            check(tlu_game_offer(game, x, &guess, &why), TLU_OK, &why, "tlu_game_offer");
            check(tlu_game_label(game, label, &mistake, &why), TLU_OK, &why, "tlu_game_label");
        }
        const tlu_game_state *state = tlu_game_get_state(game);
        put(record, &state->v_dot_u, 2 * sizeof(double));
    }
    tlu_game_free(game);
}

static int on_count(void *context, uint64_t classes, double done, double seconds)
{
    (void)context;
    (void)classes;
    (void)done;
    (void)seconds;
    return called();
}

static void logic(struct record *record)
{
    tlu_error error;
    tlu_function *function;
    tlu_realisation *realisation;
    tlu_enumeration_settings six = {.size = sizeof six, .inputs = 6, .progress = on_count};
    tlu_enumeration *counted;
    DONE(tlu_enumeration_run(&six, &counted, &error));
    put(record, counted, sizeof *counted);
    tlu_enumeration_free(counted);
    tlu_realise_settings given = {.size = sizeof given, .smallest = 1, .network = 1};
    DONE(tlu_function_from_expression("a & (b | c) ^ d | maj(a, c, e)", NULL, &function, &error));
    DONE(tlu_function_realise(function, &given, &realisation, &error));
    DONE(tlu_network_write(realisation->network, "text", on_write, record, &error));
    tlu_realisation_free(realisation);
    tlu_function_free(function);
}

static void data(struct record *record)
{
    tlu_error error;
    static const char *const kinds[] = {"line", "sparse", "margin", "blobs",
                                        "xor",  "circle", "moons",  "semicircles"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        tlu_recipe recipe = {.size = sizeof recipe};
        DONE(tlu_recipe_init(kinds[i], &recipe, &error));
        recipe.rows = 20;
        DONE(tlu_generate(&recipe, on_write, record, &error));
    }
    static const char *const formats[] = {"libsvm", "csv", "binary"};
    for (size_t i = 0; i < 3; i++) {
        tlu_convert_settings conversion = {.size = sizeof conversion,
                                           .path = "small.svm",
                                           .format = formats[i],
                                           .write = on_write,
                                           .write_context = record};
        DONE(tlu_convert(&conversion, NULL, NULL, &error));
    }
}

static void pictures(struct record *record)
{
    tlu_error error;
    tlu_picture *picture;
    tlu_model *model;
    DONE(tlu_model_load("model.tlu", &model, &error));
    for (size_t i = 0; i < 4; i++) {
        void *bytes;
        size_t size;
        const tlu_plot_data_settings data = {
            .size = sizeof data, .path = "small.csv", .progress = on_progress};
        const tlu_plot_run_settings run = {.size = sizeof run, .path = "small.csv", .frames = 3};
        const tlu_plot_learning_curve_settings curve = {
            .size = sizeof curve, .path = "small.csv", .learners = "pa", .progress = on_progress};
        const tlu_picture_style terminal = {.size = sizeof terminal, .columns = 60, .lines = 20};
        tlu_options *options = options_of(i == 1 ? "learner=perceptron epochs=1" : "epochs=3");
        DONE(i == 0   ? tlu_plot_data(&data, options, NULL, &picture, &error)
             : i == 1 ? tlu_plot_run(&run, options, &terminal, &picture, &error)
             : i == 2 ? tlu_plot_learning_curve(&curve, options, NULL, &picture, &error)
                      : tlu_plot_roc(model, "small.csv", options, NULL, &picture, &error));
        put(record, tlu_picture_caption(picture), strlen(tlu_picture_caption(picture)));
        DONE(tlu_picture_save_bytes(picture, i == 1 ? "txt" : "svg", &bytes, &size, &error));
        put(record, bytes, size);
        tlu_bytes_free(bytes);
        tlu_picture_free(picture);
        tlu_options_free(options);
    }
    tlu_model_free(model);
}

// ---- All of it, everywhere ----------------------------------------------------------------------

static const struct scene {
    const char *name;
    void (*run)(struct record *record);
} scenes[] = {
    {"every learner", every_learner},
    {"options of training", options_of_training},
    {"files parsed by threads", files_parsed_by_threads},
    {"rows and steps", rows_and_steps},
    {"models", models},
    {"evaluations", evaluations},
    {"tuning", tuning},
    {"streams", streams},
    {"learners", learners},
    {"proofs", proofs},
    {"logic", logic},
    {"data", data},
#if defined(TLU_HAVE_CAIRO)
    {"pictures", pictures},
#endif
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

static struct record expected[SCENES];

static struct record run_in(const struct scene *scene, const struct setting *setting)
{
    struct record record = {0};
    current = setting;
    set_environment(setting);
    scene->run(&record);
    bool kept = environment_is(setting);
    current = &settings[0];
    set_environment(current);
    if (!kept)
        fail_msg("%s: left another environment than '%s'", scene->name, setting->name);
    return record;
}

static void compare_in(const struct setting *setting)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < SCENES; i++) {
        struct record record = run_in(&scenes[i], setting);
        if (record.size != expected[i].size ||
            memcmp(record.bytes, expected[i].bytes, record.size) != 0) {
            print_error("%s: another result in '%s'%s\n", scenes[i].name, setting->name,
                        meddling ? ", with functions that change it" : "");
            wrong++;
        }
        free(record.bytes);
    }
    assert_int_equal(wrong, 0);
}

static void results_do_not_depend_on_the_environment(void **state)
{
    (void)state;
    for (size_t s = 1; s < SETTINGS; s++)
        if (s == SETTINGS - 1 || unless_sanitized(1, 0))
            compare_in(&settings[s]);
}

static void functions_see_the_environment_of_the_caller(void **state)
{
    (void)state;
    calls = calls_elsewhere = 0;
    compare_in(&settings[2]);
    assert_true(calls > 1000);
    assert_int_equal(calls_elsewhere, 0);
}

static void functions_may_change_it(void **state)
{
    (void)state;
    meddling = true;
    compare_in(&settings[0]);
    compare_in(&settings[3]);
    meddling = false;
}

// ---- Other ways out -----------------------------------------------------------------------------

static int stop(void *context, const tlu_progress *progress)
{
    (void)context;
    (void)progress;
    called();
    return 1;
}

static int stop_writing(void *context, const char *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    called();
    return 1;
}

static void errors_restore_it_too(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = NULL;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    for (size_t s = 0; s < SETTINGS; s++) {
        current = &settings[s];
        set_environment(current);
        check(tlu_train("not-there.csv", NULL, &model, &error), TLU_ERROR_INPUT, &error, "no file");
        check(tlu_options_set(options, "rate", "1e", &error), TLU_ERROR_INPUT, &error, "no number");
        check(tlu_model_load("small.csv", &model, &error), TLU_ERROR_INPUT, &error, "no model");
        tlu_recipe recipe = {.size = sizeof recipe};
        tlu_recipe_init("moons", &recipe, &error);
        check(tlu_generate(&recipe, stop_writing, NULL, &error), TLU_INTERRUPTED, &error, "write");
        tlu_status status = train_watched("wide.csv", NULL, stop, NULL, &model, &error);
        check(status, status == TLU_OK ? TLU_OK : TLU_INTERRUPTED, &error, "interrupted");
        tlu_model_free(model);
        model = NULL;
    }
    current = &settings[0];
    set_environment(current);
    tlu_options_free(options);
}

static void *look(void *seen)
{
    *(bool *)seen = environment_is(&settings[0]);
    return NULL;
}

static void threads_start_with_the_default(void **state)
{
    (void)state;
    for (size_t s = 0; s < SETTINGS; s++) {
        bool seen = false;
        pthread_t thread;
        set_environment(&settings[s]);
        bool started = thread_start(&thread, look, &seen);
        bool kept = environment_is(&settings[s]);
        set_environment(&settings[0]);
        assert_true(started && kept);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(seen);
    }
}

static int set_up(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_of("learner=logistic calibrate=sigmoid epochs=3");
    write_files();
    write_text("apart.svm", "1 1:0.1 2:0.7\n1 1:0.3 2:0.9\n0 1:0.2 2:-0.1\n0 1:0.8 2:0.3\n");
    DONE(tlu_train("wide.csv", options, &model, &error));
    DONE(tlu_model_save(model, "model.tlu", &error));
    tlu_model_free(model);
    tlu_options_free(options);
    for (size_t i = 0; i < SCENES; i++)
        expected[i] = run_in(&scenes[i], &settings[0]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENES; i++)
        free(expected[i].bytes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_the_environment),
        cmocka_unit_test(functions_see_the_environment_of_the_caller),
        cmocka_unit_test(functions_may_change_it),
        cmocka_unit_test(errors_restore_it_too),
        cmocka_unit_test(threads_start_with_the_default),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
