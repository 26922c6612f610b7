// A training that is interrupted after any number of examples, saved, loaded and gone on with, as
// often as one likes, ends with the very bytes of one that never was. Whatever the threads and the
// memory for rows of each part.
#include "base/crc.h"
#include "base/fault.h"
#include "learn/train.h"
#include "learning.h"
#include "model/model.h"

#include <unistd.h>

#define ROWS 12000 // more than the feeder's least, and more than a chunk of the reader

// A row of noisy classes; the last class comes late, long after learning has started. Some features
// are beyond the indices that are their own numbers.
static void write_row(FILE *file, struct random *random, uint32_t row, uint32_t classes)
{
    uint32_t class =
        (uint32_t)random_below(random, row < ROWS * 3 / 4 && classes > 2 ? classes - 1 : classes);
    fprintf(file, "c%u", class);
    for (uint32_t f = 0; f < 40; f++) {
        double value = random_normal(random) + (f % classes == class ? 0.6 : 0);
        if (random_below(random, 4) == 0)
            fprintf(file, " %u:%.12f", f * 9, value);
    }
    if (classes == 2 && random_below(random, 2))
        fprintf(file, " %u:1", 3000000 + (uint32_t)random_below(random, 30));
    fputc('\n', file);
}

static void write_rows(const char *path, uint32_t rows, uint32_t classes)
{
    struct random random;
    random_seed(&random, classes);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++)
        write_row(file, &random, i, classes);
    assert_int_equal(fclose(file), 0);
}

// Indices that are names, all of them.
static void write_names(const char *path, uint32_t rows)
{
    struct random random;
    random_seed(&random, 8);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++)
        fprintf(file, "%d %u:1 %u:%.9f\n", random_below(&random, 2) ? 1 : -1,
                2000000 + (uint32_t)random_below(&random, 20),
                3000000 + (uint32_t)random_below(&random, 20), random_normal(&random));
    assert_int_equal(fclose(file), 0);
}

static void write_table(const char *path, const char *column, uint32_t rows)
{
    struct random random;
    random_seed(&random, 4);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "size,%s,kind,label\n", column);
    for (uint32_t i = 0; i < rows; i++) {
        double size = random_normal(&random), much = 10 * random_normal(&random);
        uint32_t kind = (uint32_t)random_below(&random, 7);
        bool yes = size + much / 10 + (kind == 3) + random_normal(&random) > 0;
        fprintf(file, "%.15f,%.15f,k%u-%060u,%s\n", size, much, kind, kind, yes ? "yes" : "no");
    }
    assert_int_equal(fclose(file), 0);
}

// ---- a training in parts

static char *bytes_of(const tlu_model *model, size_t *size)
{
    tlu_error error;
    if (tlu_model_save(model, "bytes.tlu", &error) != TLU_OK)
        fail_msg("%s", error.text);
    return read_bytes("bytes.tlu", size);
}

// One part: from the beginning or on from `model`, which is freed, up to example `stop` (0: to the
// end). The model has been a file in between.
static tlu_model *part(const char *path, const char *settings, tlu_model *model, uint64_t stop,
                       unsigned how)
{
    tlu_error error;
    tlu_options *options = model ? options_copy(model->options) : options_of(settings);
    assert_int_equal(tlu_options_set(options, "threads", how & 1 ? "2" : "1", &error), TLU_OK);
    if (how & 2)
        assert_int_equal(tlu_options_set(options, "memory", "30K", &error), TLU_OK);
    struct training training = {
        .path = path, .resume = model ? model->pause : NULL, .stop_after = stop};
    tlu_model *next;
    if (model_train(&training, options, &next, &error) != TLU_OK)
        fail_msg("%s, %s, stop at %llu: %s", path, settings, (unsigned long long)stop, error.text);
    tlu_options_free(options);
    tlu_model_free(model);
    size_t size;
    free(bytes_of(next, &size));
    tlu_model_free(next);
    if (tlu_model_load("bytes.tlu", &next, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return next;
}

// Interrupted at stops[0], stops[1]..., which ends with 0.
static void expect_same(const char *path, const char *settings, const uint64_t *stops,
                        const tlu_model *whole)
{
    size_t size, expected_size;
    char *expected = bytes_of(whole, &expected_size);
    uint64_t rows = tlu_model_report(whole)->examples, pass, examples;
    tlu_model *model = NULL;
    for (size_t i = 0;; i++) {
        model = part(path, settings, model, stops[i], (unsigned)(stops[i] + i));
        if (!tlu_model_paused(model, &pass, &examples))
            break;
        assert_int_equal(pass, (stops[i] - 1) / rows + 1);
        assert_int_equal(examples, (stops[i] - 1) % rows + 1);
        assert_string_equal(tlu_model_report(model)->stopped, "interrupted");
    }
    char *bytes = bytes_of(model, &size);
    if (size != expected_size || memcmp(bytes, expected, size) != 0)
        fail_msg("%s, %s: stopped at %llu, %llu...: another model", path, settings,
                 (unsigned long long)stops[0], (unsigned long long)(stops[0] ? stops[1] : 0));
    free(bytes);
    free(expected);
    tlu_model_free(model);
}

// ---- checkpoints

#define CHECKPOINTS_MOST 4

struct kept { // what was saved on the way
    size_t count;
    uint64_t at[CHECKPOINTS_MOST]; // examples over all passes
};

static const char *kept_name(size_t i)
{
    static char name[32];
    snprintf(name, sizeof name, "kept-%zu.tlu", i);
    return name;
}

static tlu_status keep_one(struct training *training, tlu_error *error)
{
    struct kept *kept = training->step_context;
    if (kept->count == CHECKPOINTS_MOST)
        return TLU_OK;
    kept->at[kept->count] = training->learner.examples;
    training->checkpoint_path = kept_name(kept->count++);
    return model_checkpoint(training, error);
}

// A run that is looked at whenever it can be ends as if nobody had looked, and can go on from each
// look with the same bytes.
static void check_checkpoints(const char *path, const char *settings, const tlu_model *whole)
{
    tlu_error error;
    size_t size, expected_size;
    struct kept kept = {0};
    char *expected = bytes_of(whole, &expected_size);
    tlu_options *options = options_of(settings);
    struct training training = {.path = path, .checkpoint = keep_one, .step_context = &kept};
    tlu_model *model;
    if (model_train(&training, options, &model, &error) != TLU_OK)
        fail_msg("%s, %s: %s", path, settings, error.text);
    tlu_options_free(options);
    char *bytes = bytes_of(model, &size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
    tlu_model_free(model);
    uint64_t rows = tlu_model_report(whole)->examples;
    assert_true(kept.count > 0 || rows < 8192);
    for (size_t i = 0; i < kept.count; i++) {
        uint64_t pass, examples;
        if (tlu_model_load(kept_name(i), &model, &error) != TLU_OK)
            fail_msg("%s, %s: %s", path, settings, error.text);
        assert_true(tlu_model_paused(model, &pass, &examples));
        assert_int_equal((pass - 1) * rows + examples, kept.at[i]);
        assert_int_equal(tlu_model_report(model)->epochs, pass);
        model = part(path, settings, model, 0, (unsigned)i);
        bytes = bytes_of(model, &size);
        if (size != expected_size || memcmp(bytes, expected, size) != 0)
            fail_msg("%s, %s: on from example %llu: another model", path, settings,
                     (unsigned long long)kept.at[i]);
        free(bytes);
        tlu_model_free(model);
    }
    free(expected);
}

static void check(const char *path, const char *settings, struct random *random, int trials)
{
    tlu_model *whole = part(path, settings, NULL, 0, 1);
    const tlu_report *report = tlu_model_report(whole);
    uint64_t rows = report->examples, all = rows * report->epochs;
    assert_true(rows > 0);
    expect_same(path, settings, (uint64_t[]){1, 2, rows, rows + 1, 2 * rows, 0}, whole);
    for (int trial = 0; trial < trials; trial++) {
        uint64_t stops[4] = {0};
        for (uint64_t i = 0, at = 0; i < 3 && at < all; i++)
            stops[i] = at += 1 + random_below(random, all - at);
        expect_same(path, settings, stops, whole);
    }
    check_checkpoints(path, settings, whole);
    tlu_model_free(whole);
}

// In later passes a checkpoint is the model that an interruption at this example leaves.
static void a_checkpoint_is_what_an_interruption_leaves(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=3", "epochs=3 holdout=0.2 learner=scw1",
                                           "epochs=3 scale=online learner=alma",
                                           "epochs=3 classes=ovo hash=10"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct kept kept = {0};
        tlu_error error;
        tlu_model *model;
        tlu_options *options = options_of(settings[i]);
        struct training training = {
            .path = "five.svm", .checkpoint = keep_one, .step_context = &kept};
        assert_int_equal(model_train(&training, options, &model, &error), TLU_OK);
        tlu_options_free(options);
        tlu_model_free(model);
        assert_true(kept.count >= 3);
        size_t a_size, b_size, last = kept.count - 1;
        model = part("five.svm", settings[i], NULL, kept.at[last], 0);
        char *a = bytes_of(model, &a_size), *b = read_bytes(kept_name(last), &b_size);
        assert_int_equal(a_size, b_size);
        assert_memory_equal(a, b, a_size);
        free(a);
        free(b);
        tlu_model_free(model);
    }
}

// Wherever memory or the disk fails there is an error, and the checkpoint before is whole.
static void a_checkpoint_that_fails_ends_the_training(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_MEMORY, FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME};
    tlu_options *options = options_of("epochs=2 threads=1 holdout=0.1 decide=last");
    tlu_train_settings settings = {.checkpoint = "fault.tlu", .checkpoint_seconds = 1e-9};
    tlu_model *model;
    tlu_error error;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t failures = 0;
        for (long n = 1;; n += kinds[k] == FAULT_MEMORY ? 1 + n / 20 : 1) {
            fault_at(kinds[k], n);
            tlu_status status = tlu_train_with("two.svm", options, &settings, &model, &error);
            bool hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            tlu_model_free(model);
            if (access("fault.tlu", F_OK) == 0) {
                assert_int_equal(tlu_model_load("fault.tlu", &model, &error), TLU_OK);
                tlu_model_free(model);
            }
            if (!hit)
                break;
            failures += status != TLU_OK;
            assert_true(status == TLU_OK || status == TLU_ERROR_SYSTEM);
            assert_true(status != TLU_OK || kinds[k] == FAULT_MEMORY);
        }
        assert_true(failures > 0);
    }
    tlu_options_free(options);
}

static void no_checkpoints_where_they_are_of_no_use(void **state)
{
    (void)state;
    static const char *const settings[][2] = {{"kernel=poly:2", "--kernel"},
                                              {"decide=vote", "--decide vote"},
                                              {"epochs=1 max-features=10", "--max-features"},
                                              {"learner=rocchio", "all rows at once"}};
    tlu_train_settings how = {.checkpoint = "none.tlu", .checkpoint_seconds = 1};
    tlu_model *model;
    tlu_error error;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_options *options = options_of(settings[i][0]);
        // At the start: the data is not looked at.
        assert_int_equal(tlu_train_with("no-such-file", options, &how, &model, &error),
                         TLU_ERROR_INPUT);
        if (!strstr(error.text, "no checkpoints") || !strstr(error.text, settings[i][1]))
            fail_msg("%s: %s", settings[i][0], error.text);
        tlu_options_free(options);
    }
}

static void the_bytes_are_those_of_one_run(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings;
    } cases[] = {
        {"two.svm", "epochs=3"},
        {"two.svm", "epochs=1"},
        {"two.svm", "epochs=4 decide=last shuffle=none"},
        {"two.svm", "epochs=3 shuffle=all rate=0.5:2"},
        {"two.svm", "epochs=4 rate=0.1:3 decide=last positive=c0"},
        {"two.svm", "epochs=9 holdout=0.2 patience=2"},
        {"two.svm", "epochs=3 holdout=0.1 learner=romma decide=last"},
        {"two.svm", "epochs=3 learner=pa1"},
        {"two.svm", "epochs=3 learner=pa2 class-weight=balanced"},
        {"two.svm", "epochs=3 learner=romma"},
        {"two.svm", "epochs=3 learner=aromma scale=standard"},
        {"two.svm", "epochs=3 learner=alma"},
        {"two.svm", "epochs=3 learner=arow"},
        {"two.svm", "epochs=3 learner=scw1 decide=last"},
        {"two.svm", "epochs=3 learner=logistic"},
        {"two.svm", "epochs=3 learner=hinge schedule=sqrt l2=0.01"},
        {"two.svm", "epochs=3 learner=squared schedule=constant l2=0.001 rate=0.1:0.3"},
        {"two.svm", "epochs=3 decide=best"},
        {"two.svm", "epochs=3 decide=best learner=alma"},
        {"five.svm", "epochs=3"},
        {"five.svm", "epochs=1 learner=alma"},
        {"five.svm", "epochs=3 classes=ovr learner=alma"},
        {"five.svm", "epochs=3 classes=ovo decide=last rate=1:2"},
        {"five.svm", "epochs=3 classes=ovo learner=romma decide=best"},
        {"five.svm", "epochs=3 learner=scw2 holdout=0.3"},
        {"five.svm", "epochs=3 learner=logistic l2=0.01 scale=maxabs shuffle=all"},
        {"five.svm", "epochs=3 tie=positive no-bias=yes"},
        {"days.csv", "epochs=3 scale=standard"},
        {"days.csv", "epochs=3 learner=arow categorical=kind"},
        {"two.svm", "epochs=3 scale=online"},
        {"five.svm", "epochs=1 scale=online learner=arow"},
        {"five.svm", "epochs=3 scale=online learner=alma shuffle=all"},
        {"five.svm", "epochs=3 hash=10"},
        {"days.csv", "epochs=2 hash=10 learner=logistic scale=online"},
        {"one.svm", "epochs=300 shuffle=none decide=last"}, // until the weights come back
    };
    struct random random;
    random_seed(&random, 26);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(cases[i].path, cases[i].settings, &random, 2);
}

static void a_cycle_is_found_all_the_same(void **state)
{
    (void)state;
    // No plane has these on its right sides: the weights come back.
    write_text("xor.svm", "a 1:-1 2:-1\nb 1:-1 2:1\nb 1:1 2:-1\na 1:1 2:1\n");
    tlu_model *whole = part("xor.svm", "epochs=300 shuffle=none decide=last", NULL, 0, 1);
    const tlu_report *report = tlu_model_report(whole);
    assert_string_equal(report->stopped, "cycle");
    for (uint64_t stop = 1; stop < 4 * report->epochs; stop++)
        expect_same("xor.svm", "epochs=300 shuffle=none decide=last",
                    (uint64_t[]){stop, stop + 3, 0}, whole);
    tlu_model_free(whole);
}

// ---- the public side

static int stop_in_pass_two(void *context, const tlu_progress *progress)
{
    return progress->pass == 2 && progress->examples > *(uint64_t *)context;
}

static tlu_model *interrupted(const char *path, const char *settings)
{
    tlu_error error;
    tlu_model *model;
    uint64_t examples = 5000, pass;
    tlu_options *options = options_of(settings);
    if (tlu_train_watched(path, options, stop_in_pass_two, &examples, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    assert_true(!tlu_model_paused(model, &pass, &examples) || (pass == 2 && examples > 5000));
    return model;
}

static void expect_refused(const tlu_model *model, const char *path, const char *settings,
                           const char *sentence)
{
    tlu_error error;
    tlu_model *next;
    tlu_options *options = options_of(settings);
    assert_int_equal(tlu_train_resume(path, model, options, NULL, NULL, &next, &error),
                     TLU_ERROR_INPUT);
    assert_null(next);
    if (!strstr(error.text, sentence))
        fail_msg("%s, %s: %s", path, settings, error.text);
    tlu_options_free(options);
}

static void more_passes_may_be_asked_for(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = interrupted("two.svm", "epochs=3 rate=1:2"), *next;
    tlu_model *whole = part("two.svm", "epochs=5 rate=1:2", NULL, 0, 0);
    tlu_options *options = options_of("epochs=5 rate=1.0:2 seed=1");
    if (tlu_train_resume("two.svm", model, options, NULL, NULL, &next, &error) != TLU_OK)
        fail_msg("%s", error.text);
    size_t a_size, b_size;
    char *a = bytes_of(next, &a_size), *b = bytes_of(whole, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    tlu_options_free(options);
    tlu_model_free(next);
    tlu_model_free(whole);
    tlu_model_free(model);
}

// Replaces the first `from` after row `row` by `to`, which is as long.
static void change(const char *path, const char *out, const char *from, const char *to)
{
    size_t size;
    char *bytes = read_bytes(path, &size), *at = strstr(bytes + size / 4, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    write_bytes(out, bytes, size);
    free(bytes);
}

// A complete training and more passes: P, then N in all, against N at once.
static void expect_more(const char *path, const char *settings, uint64_t first, uint64_t all)
{
    char some[200], more[32];
    tlu_error error;
    snprintf(some, sizeof some, "epochs=%llu %s", (unsigned long long)first, settings);
    tlu_model *model = part(path, some, NULL, 0, 0), *next;
    if (strcmp(tlu_model_report(model)->stopped, "epochs") != 0)
        fail_msg("%s, %s: %s", path, some, tlu_model_report(model)->stopped);
    snprintf(some, sizeof some, "epochs=%llu %s", (unsigned long long)all, settings);
    tlu_model *whole = part(path, some, NULL, 0, 1);
    assert_true(tlu_model_report(whole)->epochs > first);
    snprintf(more, sizeof more, "epochs=%llu", (unsigned long long)all);
    tlu_options *options = options_of(more);
    if (tlu_train_resume(path, model, options, NULL, NULL, &next, &error) != TLU_OK)
        fail_msg("%s, %s: %s", path, some, error.text);
    size_t a_size, b_size;
    char *a = bytes_of(next, &a_size), *b = bytes_of(whole, &b_size);
    if (a_size != b_size || memcmp(a, b, a_size) != 0)
        fail_msg("%s, %s: another model after %llu passes and more", path, some,
                 (unsigned long long)first);
    free(a);
    free(b);
    tlu_options_free(options);
    tlu_model_free(next);
    tlu_model_free(whole);
    tlu_model_free(model);
}

static void a_complete_training_takes_more_passes(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings;
    } cases[] = {
        {"two.svm", ""},
        {"two.svm", "shuffle=all decide=last"},
        {"two.svm", "learner=pa2 class-weight=balanced"},
        {"two.svm", "learner=romma"},
        {"two.svm", "learner=aromma scale=standard"},
        {"two.svm", "learner=arow positive=c0"},
        {"two.svm", "learner=logistic"},
        {"two.svm", "learner=hinge schedule=sqrt l2=0.01"},
        {"two.svm", "learner=logistic shuffle=none"},
        {"five.svm", ""},
        {"five.svm", "classes=ovr learner=alma"},
        {"five.svm", "classes=ovo decide=last"},
        {"five.svm", "learner=scw2"},
        {"five.svm", "learner=logistic l2=0.01 scale=maxabs shuffle=all"},
        {"five.svm", "scale=online learner=alma"},
        {"five.svm", "hash=10 learner=arow"},
        {"two.svm", "tie=negative no-bias=yes"},
        {"days.csv", "scale=standard"},
        {"days.csv", "learner=arow categorical=kind scale=online"},
        {"names.svm", "learner=pa1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_more(cases[i].path, cases[i].settings, 1, 3);
        expect_more(cases[i].path, cases[i].settings, 3, 4);
    }
    expect_more("two.svm", "rate=1:2", 1, 3);
    expect_more("two.svm", "rate=1:2 shuffle=none", 3, 5);
    expect_more("two.svm", "shuffle=none", 4, 7);
    expect_more("one.svm", "shuffle=none decide=last", 2, 300); // until the weights come back
    expect_more("two.svm", "holdout=0.2", 1, 6);
}

static void what_more_passes_lack_is_said(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"two.svm", "epochs=3 decide=best", "--decide best"},
        {"two.svm", "epochs=2 decide=vote", "--decide vote"},
        {"one.svm", "epochs=3 kernel=poly:2", "--kernel"},
        {"two.svm", "epochs=3 rate=1:2", "--rate A:B"},
        {"two.svm", "epochs=3 shuffle=none", "1, 2, 4, 8..."},
        {"two.svm", "epochs=1 max-features=90", "--max-features"},
        {"two.svm", "epochs=2 learner=rocchio", "complete"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = part(cases[i][0], cases[i][1], NULL, 0, 0);
        expect_refused(model, cases[i][0], "epochs=5", cases[i][2]);
        tlu_model_free(model);
    }
    tlu_model *model = part("two.svm", "epochs=2", NULL, 0, 0);
    expect_refused(model, "two.svm", "", "complete");
    expect_refused(model, "two.svm", "epochs=2", "complete");
    expect_refused(model, "two.svm", "epochs=5 rate=3", "--rate");
    expect_refused(model, "five.svm", "epochs=5", "is not the data of the run");
    change("two.svm", "label.svm", "\nc1 ", "\nc0 ");
    expect_refused(model, "label.svm", "epochs=5", "is not the data of the run");
    change("two.svm", "name.svm", " 3000001:1", " 3000401:1");
    expect_refused(model, "name.svm", "epochs=5", "is not the data of the run");
    tlu_model_free(model);
}

static void more_passes_without_memory(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = part("one.svm", "epochs=2 learner=alma scale=online", NULL, 0, 0), *next;
    tlu_options *options = options_of("epochs=3 threads=1");
    long n = 0;
    for (tlu_status status = TLU_ERROR_SYSTEM; status != TLU_OK;) {
        fault_at(FAULT_MEMORY, ++n);
        status = tlu_train_resume("one.svm", model, options, NULL, NULL, &next, &error);
        fault_at(FAULT_MEMORY, 0);
        assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && !next));
    }
    assert_true(n > 50);
    tlu_model_free(next);
    tlu_options_free(options);
    tlu_model_free(model);
}

// Paused in the first pass, where rows are kept, and not wanted for another any more.
static void fewer_passes_may_be_asked_for(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = part("two.svm", "epochs=3", NULL, 9000, 0), *next;
    tlu_model *whole = part("two.svm", "epochs=1", NULL, 0, 0);
    tlu_options *options = options_of("epochs=1");
    if (tlu_train_resume("two.svm", model, options, NULL, NULL, &next, &error) != TLU_OK)
        fail_msg("%s", error.text);
    size_t a_size, b_size;
    char *a = bytes_of(next, &a_size), *b = bytes_of(whole, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    tlu_options_free(options);
    tlu_model_free(next);
    tlu_model_free(whole);
    tlu_model_free(model);
}

static void other_options_are_refused(void **state)
{
    (void)state;
    tlu_model *model = interrupted("two.svm", "epochs=3");
    expect_refused(model, "two.svm", "rate=2", "--rate");
    expect_refused(model, "two.svm", "learner=pa1", "--learner");
    expect_refused(model, "two.svm", "seed=2", "--seed");
    expect_refused(model, "two.svm", "positive=c0", "--positive");
    expect_refused(model, "two.svm", "epochs=1", "--epochs");
    tlu_model_free(model);
}

static void what_cannot_go_on_says_why(void **state)
{
    (void)state;
    tlu_model *model = interrupted("two.svm", "epochs=2 decide=vote");
    assert_false(tlu_model_paused(model, NULL, NULL));
    expect_refused(model, "two.svm", "", "--decide vote");
    tlu_model_free(model);
    model = part("two.svm", "epochs=1", NULL, 0, 0);
    expect_refused(model, "two.svm", "", "complete");
    tlu_model_free(model);
}

static void other_data_is_refused(void **state)
{
    (void)state;
    size_t size;
    tlu_model *model = interrupted("two.svm", "epochs=3");
    char *bytes = read_bytes("two.svm", &size);
    write_bytes("less.svm", bytes, (size_t)(strchr(bytes + size / 2, '\n') + 1 - bytes));
    expect_refused(model, "less.svm", "", "rows");
    char *more = malloc(size + 10);
    assert_non_null(more);
    memcpy(more, bytes, size);
    memcpy(more + size, "c1 9:1\n", 7);
    write_bytes("more.svm", more, size + 7);
    expect_refused(model, "more.svm", "", "12001 rows, and that had 12000");
    free(more);
    free(bytes);
    change("two.svm", "value.svm", " 9:0.1", " 9:0.2");
    expect_refused(model, "value.svm", "", "one is another");
    change("two.svm", "label.svm", "\nc1 ", "\nc0 ");
    expect_refused(model, "label.svm", "", "one is another");
    change("two.svm", "name.svm", " 3000001:1", " 3000401:1");
    expect_refused(model, "name.svm", "", "one is another");
    tlu_model_free(model);

    model = interrupted("days.csv", "epochs=3");
    write_table("night.csv", "dark", ROWS); // other names alone
    expect_refused(model, "night.csv", "", "one is another");
    tlu_model_free(model);

    // In the first pass the rows behind the last one learned from may still be any.
    model = part("two.svm", "epochs=1", NULL, 9000, 0);
    expect_refused(model, "five.svm", "", "one is another");
    expect_refused(model, "less.svm", "", "rows to learn from");
    tlu_model_free(part("more.svm", "", model, 0, 1));
}

static int stop_at_once(void *context, const tlu_progress *progress)
{
    (void)context;
    (void)progress;
    return 1;
}

static void an_interruption_on_the_way_changes_nothing(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = interrupted("two.svm", "epochs=3"), *next;
    uint64_t none = 0;
    assert_int_equal(
        tlu_train_resume("two.svm", model, NULL, stop_in_pass_two, &none, &next, &error), TLU_OK);
    tlu_model_free(next);
    struct training training = {.path = "two.svm", .resume = model->pause};
    training.interrupted = true; // before the first row
    assert_int_equal(model_train(&training, model->options, &next, &error), TLU_ERROR_SYSTEM);
    assert_null(next);
    tlu_model_free(model);
    model = interrupted("two.svm", "epochs=3 shuffle=all"); // all rows are read first
    assert_int_equal(tlu_train_resume("two.svm", model, NULL, stop_at_once, NULL, &next, &error),
                     TLU_ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "interrupted"));
    tlu_model_free(model);
}

// A damaged run is refused, or goes on to whatever it is; it never leads astray.
static void damage_is_survived(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    tlu_model *model = part("one.svm", "epochs=5 shuffle=none holdout=0.2", NULL, 99, 0), *next;
    tlu_model *pocket = part("one.svm", "epochs=5 decide=best learner=alma", NULL, 120, 0);
    int refused = 0;
    for (int i = 0; i < 2000; i++) {
        size_t size;
        tlu_error error;
        char *bytes = bytes_of(i % 2 ? model : pocket, &size);
        char *run = memmem(bytes, size, "RUN ", 4);
        assert_non_null(run);
        size_t head = (size_t)(run - bytes) + 12, length = size - 4 - head;
        if (i % 3) // the counts are in front
            length = length < 90 ? length : 90;
        bytes[head + random_below(&random, length)] ^= (char)(1 << random_below(&random, 8));
        uint32_t crc = crc32_add(0, bytes, size - 4);
        for (int k = 0; k < 4; k++)
            bytes[size - 4 + (size_t)k] = (char)(crc >> 8 * k);
        tlu_status status = tlu_model_load_bytes(bytes, size, &next, &error);
        if (status == TLU_OK) {
            tlu_model *last;
            status = tlu_train_resume("one.svm", next, NULL, NULL, NULL, &last, &error);
            tlu_model_free(last);
            tlu_model_free(next);
        }
        assert_true(status == TLU_OK || status == TLU_ERROR_INPUT);
        refused += status != TLU_OK;
        free(bytes);
    }
    assert_true(refused > 500);
    tlu_model_free(model);
    tlu_model_free(pocket);
}

static int make_data(void **state)
{
    (void)state;
    write_rows("two.svm", ROWS, 2);
    write_rows("five.svm", ROWS, 5);
    write_rows("one.svm", 50, 3);
    write_table("days.csv", "much", ROWS);
    write_names("names.svm", 300);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_one_run),
        cmocka_unit_test(a_cycle_is_found_all_the_same),
        cmocka_unit_test(a_checkpoint_is_what_an_interruption_leaves),
        cmocka_unit_test(a_checkpoint_that_fails_ends_the_training),
        cmocka_unit_test(no_checkpoints_where_they_are_of_no_use),
        cmocka_unit_test(more_passes_may_be_asked_for),
        cmocka_unit_test(fewer_passes_may_be_asked_for),
        cmocka_unit_test(a_complete_training_takes_more_passes),
        cmocka_unit_test(what_more_passes_lack_is_said),
        cmocka_unit_test(more_passes_without_memory),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(what_cannot_go_on_says_why),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(an_interruption_on_the_way_changes_nothing),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
