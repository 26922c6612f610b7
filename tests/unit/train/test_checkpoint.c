// A training that saves its state on the way ends as if it had not, and goes on from each state to
// the same bytes as an undisturbed one; and one that is complete takes more passes.
#include "base/fault.h"
#include "checkpointing.h"

#include <unistd.h>

// ---- checkpoints

#define CHECKPOINTS_MAX 4

struct kept { // what was saved on the way
    size_t count;
    uint64_t at[CHECKPOINTS_MAX]; // examples over all passes
};

static const char *kept_name(size_t i)
{
    static char name[32];
    snprintf(name, sizeof name, "kept-%zu.tlu", i);
    return name;
}

static tlu_status keep_one(struct training *training, tlu_error *error)
{
    struct kept *kept = training->reporter.step_context;
    if (kept->count == CHECKPOINTS_MAX)
        return TLU_OK;
    kept->at[kept->count] = training->learner.state.examples;
    training->reporter.checkpoint_path = kept_name(kept->count++);
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
    struct training training = {.rows.path = path,
                                .reporter = {.checkpoint = keep_one, .step_context = &kept}};
    tlu_model *model;
    if (model_train(&training, options, NULL, &model, &error) != TLU_OK)
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
        assert_true(tlu_model_can_resume(model, &pass, &examples));
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

static void a_training_goes_on_from_each_checkpoint(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings;
    } cases[] = {
        {"two.svm", "epochs=3"},
        {"two.svm", "epochs=1"},
        {"two.svm", "epochs=4 decide=last shuffle=none"},
        {"two.svm", "epochs=3 shuffle=all rate=0.5:2"},
        {"two.svm", "epochs=1 shuffle=all"},
        {"two.svm", "epochs=5 holdout=0.2 patience=2"},
        {"two.svm", "epochs=3 learner=pa2 class-weight=balanced"},
        {"two.svm", "epochs=3 learner=aromma scale=standard"},
        {"two.svm", "epochs=3 learner=hinge schedule=sqrt l2=0.01"},
        {"two.svm", "epochs=3 decide=best learner=alma"},
        {"five.svm", "epochs=1 learner=alma"},
        {"five.svm", "epochs=3 learner=mlp hidden=4 holdout=0.2 batch=10"},
        {"five.svm", "epochs=3 multiclass=ovo learner=romma decide=best"},
        {"five.svm", "epochs=3 learner=scw2 holdout=0.3"},
        {"five.svm", "epochs=1 scale=online learner=arow"},
        {"five.svm", "epochs=3 scale=online learner=alma shuffle=all"},
        {"five.svm", "epochs=3 hash=10"},
        {"days.csv", "epochs=2 hash=10 learner=logistic scale=online"},
        {"few.svm", "epochs=3 kernel=rbf:0.02 holdout=0.2"},
        {"few.svm", "epochs=2 kernel=poly:2,1 multiclass=ovo decide=vote"},
        {"two.svm", "epochs=2 decide=vote"},
        {"five.svm", "epochs=1 decide=random multiclass=ovr holdout=0.01"},
        {"five.svm", "epochs=1 decide=vote learner=arow holdout=0.01"},
        {"few.svm", "epochs=2 decide=random learner=scw1 multiclass=ovo"},
        {"sets.svm", "multilabel=yes multiclass=ovr epochs=1 learner=alma"},
        {"sets.svm", "multilabel=yes multiclass=ovr epochs=3 holdout=0.2 class-weight=balanced"},
        {"sets.svm", "multilabel=yes multiclass=ovr epochs=2 decide=best learner=pa2"},
        {"sets.svm", "multilabel=yes multiclass=ovr epochs=2 decide=vote holdout=0.01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *whole = part(cases[i].path, cases[i].settings, NULL, 0, 1);
        check_checkpoints(cases[i].path, cases[i].settings, whole);
        tlu_model_free(whole);
    }
}

// In later passes a checkpoint is the model that an interruption at this example leaves.
static void a_checkpoint_is_what_an_interruption_leaves(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=3", "epochs=3 holdout=0.2 learner=scw1",
                                           "epochs=3 scale=online learner=alma",
                                           "epochs=3 multiclass=ovo hash=10"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct kept kept = {0};
        tlu_error error;
        tlu_model *model;
        tlu_options *options = options_of(settings[i]);
        struct training training = {.rows.path = "five.svm",
                                    .reporter = {.checkpoint = keep_one, .step_context = &kept}};
        assert_int_equal(model_train(&training, options, NULL, &model, &error), TLU_OK);
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
    tlu_train_settings settings = {.size = sizeof settings,
                                   .path = "two.svm",
                                   .checkpoint = "fault.tlu",
                                   .checkpoint_seconds = 1e-9};
    tlu_model *model;
    tlu_error error;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t failures = 0;
        for (long n = 1;; n += kinds[k] == FAULT_MEMORY ? 1 + n / 20 : 1) {
            fault_at(kinds[k], n);
            tlu_status status = tlu_train_with(&settings, options, &model, &error);
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
    static const char *const settings[][2] = {{"epochs=1 max-features=10", "--max-features"},
                                              {"learner=rocchio", "all rows at once"}};
    tlu_train_settings how = {.size = sizeof how,
                              .path = "no-such-file",
                              .checkpoint = "none.tlu",
                              .checkpoint_seconds = 1};
    tlu_model *model;
    tlu_error error;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_options *options = options_of(settings[i][0]);
        // At the start: the data is not looked at.
        assert_int_equal(tlu_train_with(&how, options, &model, &error), TLU_ERROR_INPUT);
        if (!strstr(error.text, "no checkpoints") || !strstr(error.text, settings[i][1]))
            fail_msg("%s: %s", settings[i][0], error.text);
        tlu_options_free(options);
    }
}

// ---- more passes

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
    tlu_options *options = options_as_said(more);
    if (train_resumed(path, model, options, &next, &error) != TLU_OK)
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
        {"two.svm", "learner=arow positive=c0 diagonal=precision"},
        {"two.svm", "learner=logistic"},
        {"two.svm", "learner=hinge schedule=sqrt l2=0.01"},
        {"two.svm", "learner=logistic shuffle=none"},
        {"five.svm", ""},
        {"five.svm", "multiclass=ovr learner=alma"},
        {"five.svm", "multiclass=ovo decide=last"},
        {"five.svm", "learner=scw2"},
        {"five.svm", "learner=logistic l2=0.01 scale=maxabs shuffle=all"},
        {"five.svm", "scale=online learner=alma"},
        {"five.svm", "hash=10 learner=arow"},
        {"two.svm", "tie=negative no-bias=yes"},
        {"days.csv", "scale=standard"},
        {"days.csv", "learner=arow categorical=kind scale=online"},
        {"names.svm", "learner=pa1"},
        {"names.svm", "learner=mlp hidden=4"},
        {"five.svm", "learner=mlp hidden=3,2 optimizer=momentum activation=sigmoid batch=9"},
        {"days.csv", "learner=mlp hidden=3 hash=10"},
        {"sets.svm", "multilabel=yes multiclass=ovr"},
        {"sets.svm", "multilabel=yes multiclass=ovr learner=arow"},
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
    tlu_options *options = options_as_said("epochs=3 threads=1");
    long n = 0;
    for (tlu_status status = TLU_ERROR_SYSTEM; status != TLU_OK;) {
        fault_at(FAULT_MEMORY, ++n);
        status = train_resumed("one.svm", model, options, &next, &error);
        fault_at(FAULT_MEMORY, 0);
        assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && !next));
    }
    assert_true(n > 50);
    tlu_model_free(next);
    tlu_options_free(options);
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_goes_on_from_each_checkpoint),
        cmocka_unit_test(a_checkpoint_is_what_an_interruption_leaves),
        cmocka_unit_test(a_checkpoint_that_fails_ends_the_training),
        cmocka_unit_test(no_checkpoints_where_they_are_of_no_use),
        cmocka_unit_test(a_complete_training_takes_more_passes),
        cmocka_unit_test(what_more_passes_lack_is_said),
        cmocka_unit_test(more_passes_without_memory),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
