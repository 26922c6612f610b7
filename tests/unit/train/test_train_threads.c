// The model does not depend on the number of threads that parse nor on the SIMD routines, and any
// number of threads can use one model.
#include "learn/learner.h"
#include "learning.h"
#include "model/model.h"
#include "predicting.h"
#include "trials.h"

#include <pthread.h>

#define CHUNK 1048576 // bytes that a thread parses at a time

static size_t size_of(const char *name)
{
    size_t size;
    free(read_bytes(name, &size));
    return size;
}

// Words and numbers, quotes, and newlines inside of quotes: chunks must not end there.
static void write_words(const char *name)
{
    struct random random;
    random_seed(&random, 1);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("word,note,much,more,class\n", file);
    for (int i = 0; i < 60000; i++) {
        uint64_t word = random_below(&random, 300), note = random_below(&random, 20);
        double much = random_normal(&random), more = 100 * random_unit(&random);
        fprintf(file, "w%d,\"a \"\"note\"\", of\nlines and words %d%0*d\",%.7g,%.5g,%s\n",
                (int)word, (int)note, (int)(note * 5), 0, much, more,
                much + (double)(word % 7) > 3 ? "high"
                : note % 3 == 0 && more > 50  ? "odd"
                                              : "low");
    }
    assert_int_equal(fclose(file), 0);
}

static int make_data(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("sparse", &recipe, NULL), TLU_OK);
    recipe.rows = 9000;
    generate_file("sparse.svm", &recipe);
    assert_int_equal(tlu_recipe_init("blobs", &recipe, NULL), TLU_OK);
    recipe.rows = 20000;
    recipe.features = 25;
    recipe.classes = 5;
    recipe.noise = 0.1;
    generate_file("blobs.svm", &recipe);
    write_words("words.csv");
    assert_true(size_of("sparse.svm") > 5 * CHUNK && size_of("blobs.svm") > 5 * CHUNK &&
                size_of("words.csv") > 5 * CHUNK);
    return 0;
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"sparse.svm", "epochs=2"},
        {"sparse.svm", "epochs=1 decide=last holdout=0.1"},
        {"blobs.svm", "epochs=2 class-weight=balanced shuffle=all"},
        {"blobs.svm", "epochs=1 learner=mlp hidden=100,20 batch=400"},
        {"words.csv", "epochs=2 scale=standard"},
        {"words.csv", "epochs=1 categorical=more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const int counts[] = {1, 2, 3, 8};
        tlu_model *one = NULL;
        for (size_t k = 0; k < 4; k += unless_sanitized(1, 3)) {
            char settings[100];
            snprintf(settings, sizeof settings, "%s threads=%d", cases[i][1], counts[k]);
            tlu_model *model = train(cases[i][0], settings);
            if (one) {
                assert_same_model(model, one);
                tlu_model_free(model);
            } else {
                one = model;
            }
        }
        tlu_model_free(one);
    }
}

// Errors too are those of the first bad row, wherever the threads are.
static void the_first_bad_row_is_told(void **state)
{
    (void)state;
    size_t size;
    char *bytes = read_bytes("sparse.svm", &size), *at = bytes;
    size_t line = 1;
    for (; line < 5000; line++) // far after the first chunk
        at = strchr(at, '\n') + 1;
    *strchr(at, ':') = ';';
    for (size_t later = line; later < 8000; later++)
        at = strchr(at, '\n') + 1;
    *strchr(at, ':') = ';';
    write_bytes("bad.svm", bytes, size);
    free(bytes);
    for (int threads = 1; threads <= 8; threads *= 2) {
        char settings[40];
        snprintf(settings, sizeof settings, "threads=%d", threads);
        tlu_options *options = options_of(settings);
        tlu_model *model;
        tlu_error error;
        assert_int_equal(tlu_train("bad.svm", options, &model, &error), TLU_ERROR_INPUT);
        assert_int_equal(error.line, line);
        tlu_options_free(options);
        strcat(settings, " skip-bad=yes");
        model = train("bad.svm", settings);
        assert_int_equal(tlu_model_report(model)->skipped, 2);
        assert_int_equal(tlu_model_report(model)->examples, 8998);
        tlu_model_free(model);
    }
}

// Leaving in the middle ends the threads that are still reading.
static void a_reader_can_be_closed_early(void **state)
{
    (void)state;
    tlu_model *model = train("blobs.svm", "epochs=1");
    for (size_t batches = 0; batches < 4; batches++) {
        tlu_options *options = options_of("threads=8");
        tlu_reader *reader;
        const tlu_batch *batch;
        assert_int_equal(tlu_reader_open(model, "blobs.svm", options, &reader, NULL), TLU_OK);
        uint64_t rows = 0;
        for (size_t i = 0; i < batches; i++) {
            assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_OK);
            assert_int_equal(batch->first_row, rows);
            rows += batch->rows;
        }
        tlu_reader_close(reader);
        tlu_options_free(options);
    }
    tlu_model_free(model);
}

// ---- Kernels
// -------------------------------------------------------------------------------------

// Learns the rows with a set of routines; the weights are those of the caller.
static tlu_learner *learn_with(const struct vector_routines *routines, const struct dense *data)
{
    tlu_learner *learner;
    assert_int_equal(tlu_learner_new(NULL, &learner, NULL), TLU_OK);
    for (size_t i = 0; i < data->rows; i++) {
        learner->state.weights.routines = routines;
        tlu_feature features[40];
        char names[40][8];
        size_t count = 0;
        for (size_t j = 0; j < data->features; j++) {
            snprintf(names[j], sizeof names[j], "%d", (int)j);
            double value = data->x[i * data->features + j];
            if (value != 0)
                features[count++] = (tlu_feature){names[j], value};
        }
        char label[8];
        snprintf(label, sizeof label, "%d", (int)data->class[i]);
        assert_int_equal(tlu_learner_learn(learner, features, count, label, 1, NULL, NULL), TLU_OK);
        assert_ptr_equal(learner->state.weights.routines, routines); // a new class keeps them
    }
    return learner;
}

static void the_instructions_do_not_matter(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 9; classes += classes == 2 ? 1 : 3) {
        struct dense data = random_dense(classes, 1500, 37, classes, 0.7, false);
        tlu_model *first = NULL;
        const struct vector_routines *routines;
        for (size_t k = 0; (routines = vector_routines_at(k)); k++) {
            tlu_learner *learner = learn_with(routines, &data);
            tlu_model *model;
            assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
            model->state.weights.routines = routines;
            if (first)
                assert_same_model(model, first);
            for (size_t i = 0; first && i < 200; i++) { // prediction too
                float values[37];
                uint32_t indices[37];
                double a[9], b[9];
                for (size_t j = 0; j < 37; j++) {
                    values[j] = (float)data.x[i * 37 + j];
                    indices[j] = (uint32_t)j;
                }
                tlu_row row = {i % 37, indices, values};
                assert_int_equal(class_of_row(model, &row, a), class_of_row(first, &row, b));
                assert_memory_equal(a, b, tlu_model_score_count(model) * sizeof *a);
            }
            tlu_learner_free(learner);
            if (first)
                tlu_model_free(model);
            else
                first = model;
        }
        tlu_model_free(first);
        dense_free(&data);
    }
}

// ---- One model, many threads
// ---------------------------------------------------------------------

struct job {
    const tlu_model *model;
    const char *path;
    char *const *lines; // [count]
    const char *const *labels;
    uint64_t correct;
    size_t count, wrong;
};

static void *use_model(void *argument)
{
    struct job *job = argument;
    for (size_t i = 0; i < job->count; i++) {
        const char *label = NULL;
        tlu_error error;
        tlu_model_predict_line(job->model, job->lines[i], &label, NULL, &error);
        job->wrong += label != job->labels[i]; // it is the model's own text
    }
    tlu_evaluation *evaluation = NULL;
    tlu_evaluate(job->model, job->path, NULL, &evaluation, NULL);
    job->wrong += !evaluation || evaluation->correct != job->correct;
    tlu_evaluation_free(evaluation);
    return NULL;
}

static void many_threads_use_one_model(void **state)
{
    (void)state;
    enum { MOST = 8, LINES = 100 };
    size_t count = unless_sanitized(MOST, 3);
    static const char *const paths[] = {"blobs.svm", "sparse.svm"};
    for (size_t p = 0; p < 2; p++) {
        tlu_model *model = train(paths[p], "epochs=1");
        size_t size;
        char *bytes = read_bytes(paths[p], &size), *rest = bytes, *lines[LINES];
        const char *labels[LINES];
        for (size_t i = 0; i < LINES; i++) {
            lines[i] = strtok_r(rest, "\n", &rest);
            assert_int_equal(tlu_model_predict_line(model, lines[i], &labels[i], NULL, NULL),
                             TLU_OK);
        }
        tlu_evaluation *evaluation;
        assert_int_equal(tlu_evaluate(model, paths[p], NULL, &evaluation, NULL), TLU_OK);
        struct job jobs[MOST];
        pthread_t threads[MOST];
        for (size_t t = 0; t < count; t++) {
            jobs[t] = (struct job){model, paths[p], lines, labels, evaluation->correct, LINES, 0};
            assert_int_equal(pthread_create(&threads[t], NULL, use_model, &jobs[t]), 0);
        }
        for (size_t t = 0; t < count; t++) {
            pthread_join(threads[t], NULL);
            assert_int_equal(jobs[t].wrong, 0);
        }
        tlu_evaluation_free(evaluation);
        free(bytes);
        tlu_model_free(model);
    }
}

struct reader_of_lines {
    const tlu_model *model;
    const char *line, *label; // what the model says of it
    _Atomic bool over;
    _Atomic size_t lines;
    size_t wrong;
};

static void *predict_until_over(void *argument)
{
    struct reader_of_lines *reader = argument;
    do {
        const char *label = NULL;
        tlu_model_predict_line(reader->model, reader->line, &label, NULL, NULL);
        reader->wrong += label != reader->label;
        reader->lines++;
    } while (!reader->over);
    return NULL;
}

// A model shares its names with the learner that it was taken from, and with later models.
static void a_model_is_used_while_its_learner_goes_on(void **state)
{
    (void)state;
    write_text("words.txt", "in\tone two three\nout\tfour five six\nin\tseven two eight\n");
    tlu_model *trained = train("words.txt", "format=text"), *model, *later;
    tlu_learner *learner;
    assert_int_equal(tlu_learner_resume(trained, &learner, NULL), TLU_OK);
    assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
    struct reader_of_lines reader = {.model = model, .line = "two eight nine"};
    assert_int_equal(tlu_model_predict_line(model, reader.line, &reader.label, NULL, NULL), TLU_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, predict_until_over, &reader), 0);
    while (reader.lines < 5000) {
        assert_int_equal(tlu_learner_make_model(learner, &later, NULL), TLU_OK);
        tlu_model_free(later);
    }
    tlu_feature feature = {.name = "nine", .value = 1}; // for it the learner copies the names
    assert_int_equal(tlu_learner_learn(learner, &feature, 1, "in", 1, NULL, NULL), TLU_OK);
    reader.over = true;
    pthread_join(thread, NULL);
    assert_int_equal(reader.wrong, 0);
    tlu_learner_free(learner);
    tlu_model_free(model);
    tlu_model_free(trained);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(the_first_bad_row_is_told),
        cmocka_unit_test(a_reader_can_be_closed_early),
        cmocka_unit_test(the_instructions_do_not_matter),
        cmocka_unit_test(many_threads_use_one_model),
        cmocka_unit_test(a_model_is_used_while_its_learner_goes_on),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
