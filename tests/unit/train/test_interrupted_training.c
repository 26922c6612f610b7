// A training that is interrupted after any number of examples, saved, loaded and gone on with, as
// often as one likes, ends with the same bytes as one that never was. Whatever the threads and the
// memory for rows of each part.
#include "base/crc.h"
#include "checkpointing.h"
#include "trials.h"

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
        if (!tlu_model_can_resume(model, &pass, &examples))
            break;
        bool blocks = tlu_options_get(tlu_model_options(model), "kernel")[0] != '\0' ||
                      tlu_model_layers(model, NULL, 0) > 0;
        uint64_t counted = (stops[i] - 1) / rows + 1; // with passes that were not made
        assert_true(pass == counted || (pass < counted && pass <= tlu_model_report(whole)->epochs &&
                                        tlu_model_report(whole)->counted_epochs >= counted));
        if (blocks) // goes on to the end of the block, or of the minibatch
            assert_true(examples > (stops[i] - 1) % rows);
        else
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
    tlu_model_free(whole);
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
        {"two.svm", "epochs=3 learner=arow diagonal=precision"},
        {"two.svm", "epochs=3 learner=scw1 decide=last"},
        {"two.svm", "epochs=3 learner=logistic"},
        {"two.svm", "epochs=3 learner=hinge schedule=sqrt l2=0.01"},
        {"two.svm", "epochs=3 learner=squared schedule=constant l2=0.001 rate=0.1:0.3"},
        {"two.svm", "epochs=3 learner=mlp hidden=5"},
        {"five.svm",
         "epochs=5 learner=mlp hidden=3,4 holdout=0.2 patience=1 batch=7 rate=0.001:0.1"},
        {"five.svm", "epochs=3 learner=mlp hidden=4 optimizer=momentum class-weight=balanced"},
        {"days.csv", "epochs=3 learner=mlp hidden=3 activation=tanh hash=10 shuffle=none"},
        {"two.svm", "epochs=3 decide=best"},
        {"two.svm", "epochs=3 decide=best learner=alma"},
        {"five.svm", "epochs=3"},
        {"five.svm", "epochs=1 learner=alma"},
        {"five.svm", "epochs=3 multiclass=ovr learner=alma"},
        {"five.svm", "epochs=3 multiclass=ovo decide=last rate=1:2"},
        {"five.svm", "epochs=3 multiclass=ovo learner=romma decide=best"},
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
        {"few.svm", "epochs=3 kernel=rbf:0.01"},
        {"few.svm", "epochs=4 kernel=poly:2,1 decide=last learner=pa1 shuffle=none"},
        {"few.svm", "epochs=3 kernel=linear learner=romma holdout=0.2"},
        {"few.svm", "epochs=3 kernel=linear learner=hinge l2=0.01 shuffle=all"},
        {"few.svm", "epochs=3 kernel=rbf:0.05 decide=best multiclass=ovr"},
        {"few.svm", "epochs=3 kernel=poly:3,1 decide=vote multiclass=ovo"},
        {"few.svm", "epochs=4 decide=vote"},
        {"few.svm", "epochs=3 decide=vote holdout=0.3 learner=alma patience=1"},
        {"few.svm", "epochs=3 decide=random multiclass=ovr holdout=0.2 shuffle=all"},
        {"few.svm", "epochs=3 decide=random rate=0.5:2"},
        {"two.svm", "epochs=3 decide=vote learner=arow"},
        {"few.svm", "epochs=3 decide=vote learner=scw1 holdout=0.3 patience=1 scale=standard"},
        {"few.svm", "epochs=3 decide=vote learner=arow multiclass=ovo no-bias=yes shuffle=all"},
        {"few.svm", "epochs=3 decide=random learner=scw2 multiclass=ovr holdout=0.2"},
        {"few.svm", "epochs=5 decide=best holdout=0.2 ratchet=yes"},
        {"names.svm", "epochs=2 decide=best holdout=0.2 multiclass=ovo"},
    };
    struct random random;
    random_seed(&random, 26);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(cases[i].path, cases[i].settings, &random, often(10));
}

// A run that is interrupted before, in or after the passes that are counted without being made ends
// like one that is not. Periods of 1 to 3 passes, with passes left over after the last period.
static void a_cycle_is_found_all_the_same(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "epochs=300 shuffle=none decide=last",   "epochs=301 shuffle=none",
        "epochs=299 shuffle=none rate=0.3",      "epochs=300 shuffle=none decide=vote",
        "epochs=301 shuffle=none decide=random", "epochs=301 shuffle=none kernel=linear"};
    // No plane has these on its right sides: the weights come back.
    write_text("xor.svm", "a 1:-1 2:-1\nb 1:-1 2:1\nb 1:1 2:-1\na 1:1 2:1\n");
    write_text("three.svm", "a 1:-1\nb 1:0\na 1:1\n");
    write_text("classes.svm", "a 1:0\nb 1:1\na 1:2\nc 1:3\n");
    static const struct {
        const char *path;
        uint64_t rows;
    } files[] = {{"xor.svm", 4}, {"three.svm", 3}, {"classes.svm", 4}};
    for (size_t f = 0; f < 3; f++)
        for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
            tlu_model *whole = part(files[f].path, settings[s], NULL, 0, 1);
            const tlu_report *report = tlu_model_report(whole);
            uint64_t all = report->counted_epochs * files[f].rows;
            assert_string_equal(report->stopped, s == 5 ? "epochs" : "cycle");
            assert_true(s == 0 || report->counted_epochs >= 299);
            for (uint64_t stop = 1; stop < 4 * report->epochs && stop < 60; stop++)
                expect_same(files[f].path, settings[s], (uint64_t[]){stop, stop + 3, 0}, whole);
            for (uint64_t stop = all - 9; s > 0 && stop < all; stop++)
                expect_same(files[f].path, settings[s], (uint64_t[]){5, stop, 0}, whole);
            tlu_model_free(whole);
        }
}

// ---- interrupted by whoever watches it

struct calls {
    uint64_t count, stop;
};

static int stop_at_call(void *context, const tlu_progress *progress)
{
    struct calls *calls = context;
    (void)progress;
    return ++calls->count == calls->stop;
}

// At every call of the progress function, those between two passes included.
static void every_call_may_be_the_last(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "epochs=3 kernel=rbf:0.02",
        "epochs=3 kernel=poly:2,1 decide=vote multiclass=ovo",
        "epochs=2 kernel=linear learner=hinge l2=0.01 holdout=0.2",
        "epochs=3 decide=vote holdout=0.2",
        "epochs=3 learner=arow decide=random",
        "epochs=3 decide=best shuffle=none",
        "epochs=2",
    };
    tlu_error error;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_model *whole = part("few.svm", settings[i], NULL, 0, 1), *model;
        size_t size, expected_size;
        char *expected = bytes_of(whole, &expected_size);
        tlu_options *options = options_of(settings[i]);
        uint64_t resumed = 0;
        for (struct calls calls = {.stop = 1};; calls = (struct calls){.stop = calls.stop + 1}) {
            tlu_status status =
                train_watched("few.svm", options, stop_at_call, &calls, &model, &error);
            if (status == TLU_INTERRUPTED) // nothing was learned yet
                continue;
            assert_int_equal(status, TLU_OK);
            bool paused = tlu_model_can_resume(model, NULL, NULL);
            if (paused)
                model = part("few.svm", settings[i], model, 0, 1);
            char *bytes = bytes_of(model, &size);
            if (size != expected_size || memcmp(bytes, expected, size) != 0)
                fail_msg("%s: stopped at call %llu: another model", settings[i],
                         (unsigned long long)calls.stop);
            free(bytes);
            tlu_model_free(model);
            resumed += paused;
            if (calls.count < calls.stop)
                break;
        }
        assert_true(resumed >= 2);
        free(expected);
        tlu_options_free(options);
        tlu_model_free(whole);
    }
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
    if (train_watched(path, options, stop_in_pass_two, &examples, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    assert_true(!tlu_model_can_resume(model, &pass, &examples) || (pass == 2 && examples > 5000));
    return model;
}

// The errors of an interrupted pass are over the rows that it has met: in the first one after 30
// rows the same as for a file of these 30.
static void errors_are_those_of_the_rows_met(void **state)
{
    (void)state;
    write_rows("all.svm", 200, 2);
    write_rows("some.svm", 30, 2); // the first of the same
    tlu_model *some = part("some.svm", "epochs=1 shuffle=none", NULL, 0, 1);
    tlu_model *model = part("all.svm", "epochs=3 shuffle=none", NULL, 30, 1);
    double expected = (double)tlu_model_report(some)->mistakes[0] / 30;
    assert_true(expected > 0 && tlu_model_report(model)->progressive_error == expected);
    assert_true(tlu_model_report(model)->training_error == -1);
    tlu_model_free(model);
    model = part("all.svm", "epochs=3 shuffle=none", NULL, 250, 1);
    const tlu_report *report = tlu_model_report(model);
    tlu_model *once = part("all.svm", "epochs=1 shuffle=none", NULL, 0, 1);
    assert_true(report->progressive_error == (double)tlu_model_report(once)->mistakes[0] / 200);
    assert_true(report->training_error == (double)report->mistakes[1] / 50);
    tlu_model_free(some);
    tlu_model_free(once);
    tlu_model_free(model);
}

static void more_passes_may_be_asked_for(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = interrupted("two.svm", "epochs=3 rate=1:2"), *next;
    tlu_model *whole = part("two.svm", "epochs=5 rate=1:2", NULL, 0, 0);
    tlu_options *options = options_of("epochs=5 rate=1.0:2 seed=1");
    if (train_resumed("two.svm", model, options, &next, &error) != TLU_OK)
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

// Paused in the first pass, where rows are kept, and not wanted for another any more.
static void fewer_passes_may_be_asked_for(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = part("two.svm", "epochs=3", NULL, 9000, 0), *next;
    tlu_model *whole = part("two.svm", "epochs=1", NULL, 0, 0);
    tlu_options *options = options_of("epochs=1");
    if (train_resumed("two.svm", model, options, &next, &error) != TLU_OK)
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
    tlu_model *model = part("two.svm", "epochs=1 max-features=10", NULL, 100, 0);
    assert_false(tlu_model_can_resume(model, NULL, NULL));
    expect_refused(model, "two.svm", "", "--max-features");
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
    expect_refused(model, "more.svm", "", "12001 rows, the run had 12000");
    free(more);
    free(bytes);
    change("two.svm", "value.svm", " 9:0.1", " 9:0.2");
    expect_refused(model, "value.svm", "", "are not the same");
    change("two.svm", "label.svm", "\nc1 ", "\nc0 ");
    expect_refused(model, "label.svm", "", "are not the same");
    change("two.svm", "name.svm", " 3000001:1", " 3000401:1");
    expect_refused(model, "name.svm", "", "are not the same");
    tlu_model_free(model);

    model = interrupted("days.csv", "epochs=3");
    write_table("night.csv", "dark", ROWS); // other names alone
    expect_refused(model, "night.csv", "", "are not the same");
    tlu_model_free(model);

    // In the first pass the rows after the last one learned from may still be any.
    model = part("two.svm", "epochs=1", NULL, 9000, 0);
    expect_refused(model, "five.svm", "", "are not the same");
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
    tlu_train_settings settings = {.size = sizeof settings,
                                   .path = "two.svm",
                                   .resume = model,
                                   .progress = stop_in_pass_two,
                                   .progress_context = &none};
    assert_int_equal(tlu_train_with(&settings, NULL, &next, &error), TLU_OK);
    tlu_model_free(next);
    struct training training = {.rows.path = "two.svm"};
    training.reporter.interrupted = true; // before the first row
    struct checkpoint *checkpoint = checkpoint_of(model);
    assert_int_equal(model_train(&training, model->state.options, checkpoint, &next, &error),
                     TLU_INTERRUPTED);
    assert_null(next);
    checkpoint_free(checkpoint);
    tlu_model_free(model);
    model = interrupted("two.svm", "epochs=3 shuffle=all"); // all rows are read first
    settings.resume = model;
    settings.progress = stop_at_once;
    assert_int_equal(tlu_train_with(&settings, NULL, &next, &error), TLU_INTERRUPTED);
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
    int refused = 0, times = often(1200);
    for (int i = 0; i < times; i++) {
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
            status = train_resumed("one.svm", next, NULL, &last, &error);
            tlu_model_free(last);
            tlu_model_free(next);
        }
        assert_true(status == TLU_OK || status == TLU_ERROR_INPUT);
        refused += status != TLU_OK;
        free(bytes);
    }
    assert_true(refused > times / 4);
    tlu_model_free(model);
    tlu_model_free(pocket);
}

// ---- a model file may say anything

// The checkpoint of a model, which a test changes.
static struct checkpoint *changing(tlu_model **model, const char *settings, uint64_t stop)
{
    *model = part("few.svm", settings, NULL, stop, 0);
    return checkpoint_of(*model);
}

static tlu_status resume_from(const tlu_model *model, struct checkpoint *checkpoint,
                              tlu_error *error)
{
    tlu_model *next;
    struct training training = {.rows.path = "few.svm"};
    tlu_status status = model_train(&training, model->state.options, checkpoint, &next, error);
    tlu_model_free(next);
    return status;
}

// The run is not continued, and the checkpoint stays as it is.
static void expect_damaged(const tlu_model *model, struct checkpoint *checkpoint)
{
    tlu_error error;
    assert_int_equal(resume_from(model, checkpoint, &error), TLU_ERROR_INPUT);
    if (!strstr(error.text, "damaged"))
        fail_msg("%s", error.text);
}

static void steps_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=3 decide=vote holdout=0.2",
                                           "epochs=3 decide=vote multiclass=ovr",
                                           "epochs=3 decide=random multiclass=ovo kernel=poly:2,1"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_model *model;
        struct checkpoint *checkpoint = changing(&model, settings[i], 700);
        struct history *history = checkpoint->state.decision.history;
        struct history_step *step = &history->steps[1], good = *step;
        step->time = history->steps[2].time + 1;
        expect_damaged(model, checkpoint);
        *step = good;
        step->id = 700;
        expect_damaged(model, checkpoint);
        *step = good;
        step->column[0] = 3;
        expect_damaged(model, checkpoint);
        *step = good;
        step->group = i ? 3 : 1;
        expect_damaged(model, checkpoint);
        *step = good;
        step->sign[1] = 1;
        step->column[1] = 3;
        expect_damaged(model, checkpoint);
        *step = good;
        history->steps[0].time = 0;
        expect_damaged(model, checkpoint);
        checkpoint_free(checkpoint);
        tlu_model_free(model);
    }
}

static void scores_that_cannot_be_are_refused(void **state)
{
    (void)state;
    tlu_model *model;
    struct checkpoint *checkpoint = changing(&model, "epochs=3 kernel=poly:2,1 shuffle=none", 700);
    struct dual_state *dual = checkpoint->dual, good = *dual;
    dual->rows--;
    expect_damaged(model, checkpoint);
    *dual = good;
    dual->block_count--;
    expect_damaged(model, checkpoint);
    *dual = good;
    dual->support_count--;
    expect_damaged(model, checkpoint);
    *dual = good;
    dual->change_count--;
    expect_damaged(model, checkpoint);
    *dual = good;
    dual->changes[0].row = 700;
    expect_damaged(model, checkpoint);
    checkpoint_free(checkpoint);
    tlu_model_free(model);
}

static void gains_that_cannot_be_are_refused(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model;
    struct checkpoint *checkpoint = changing(&model, "epochs=3 decide=vote learner=arow", 150);
    struct history *history = checkpoint->state.decision.history;
    assert_true(history->count > 10 && history->gain_count > history->count);
    history->gain_count--;
    expect_damaged(model, checkpoint);
    history->gain_count += 2;
    expect_damaged(model, checkpoint);
    history->gain_count--;
    assert_int_equal(resume_from(model, checkpoint, &error), TLU_OK);
    checkpoint_free(checkpoint);
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_one_run),
        cmocka_unit_test(a_cycle_is_found_all_the_same),
        cmocka_unit_test(every_call_may_be_the_last),
        cmocka_unit_test(steps_that_cannot_be_are_refused),
        cmocka_unit_test(scores_that_cannot_be_are_refused),
        cmocka_unit_test(gains_that_cannot_be_are_refused),
        cmocka_unit_test(errors_are_those_of_the_rows_met),
        cmocka_unit_test(more_passes_may_be_asked_for),
        cmocka_unit_test(fewer_passes_may_be_asked_for),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(what_cannot_go_on_says_why),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(an_interruption_on_the_way_changes_nothing),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
