// --learner auto: the learner and options of each kind of data; the model is that of these options,
// byte for byte, also if the training is interrupted and resumed.
#include "base/fault.h"
#include "checkpointing.h"

static void write_texts(const char *path)
{
    struct random random;
    random_seed(&random, 6);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 600; i++) {
        fprintf(file, "%s\t%s", i % 2 ? "ham" : "spam", i % 2 && i % 5 ? "Lunch" : "offer");
        for (int k = 0; k < 8; k++)
            fprintf(file, " Word%u", (unsigned)random_below(&random, 200));
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

// Rows with `entries` of `features`; values from 1 to `most`.
static void write_entries(const char *path, uint32_t entries, uint32_t features, uint32_t most)
{
    struct random random;
    random_seed(&random, entries);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < 600; i++) {
        fprintf(file, "%u", i % 3);
        for (uint32_t k = 0, gap = features / entries; k < entries; k++)
            fprintf(file, " %u:%u", 1 + k * gap + (uint32_t)random_below(&random, gap),
                    1 + (uint32_t)random_below(&random, most));
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static int make_all(void **state)
{
    write_texts("text.tsv");
    write_entries("counts.svm", 10, 400, 9);
    write_entries("flags.svm", 10, 400, 1);
    write_entries("nineteen.svm", 10, 190, 9); // one in 19: not sparse
    write_entries("twenty-one.svm", 10, 210, 9);
    return make_data(state);
}

static const struct {
    const char *path, *learner, *reason, *options;
} kinds[] = {
    {"text.tsv", "hinge", "for texts, with --lowercase --tfidf --normalize",
     "lowercase=yes tfidf=yes normalize=yes"},
    {"counts.svm", "logistic", "for sparse rows, with --epochs 5", "epochs=5"},
    {"flags.svm", "logistic", "for sparse rows, with --epochs 5", "epochs=5"},
    {"twenty-one.svm", "logistic", "for sparse rows, with --epochs 5", "epochs=5"},
    {"nineteen.svm", "alma", "for categories, flags or pixels", ""},
    {"days.csv", "alma", "for a table of numbers", ""},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static tlu_options *options_with(const char *learner, const char *settings)
{
    tlu_options *options;
    tlu_error error;
    assert_int_equal(tlu_options_new(&options, &error), TLU_OK);
    if (learner)
        set_option(options, "learner", learner);
    set_options(options, settings);
    return options;
}

static tlu_model *train_with(const char *path, const char *learner, const char *settings)
{
    tlu_options *options = options_with(learner, settings);
    tlu_model *model;
    tlu_error error;
    if (tlu_train(path, options, &model, &error) != TLU_OK)
        fail_msg("%s: %s", path, error.text);
    tlu_options_free(options);
    return model;
}

static void assert_same(const tlu_model *a, const tlu_model *b, const char *what)
{
    size_t size, other;
    char *bytes = bytes_of(a, &size), *others = bytes_of(b, &other);
    if (size != other || memcmp(bytes, others, size) != 0)
        fail_msg("%s: another model", what);
    free(bytes);
    free(others);
}

static void the_data_decides(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        tlu_model *found = train_with(kinds[i].path, NULL, "threads=2");
        tlu_model *named = train_with(kinds[i].path, kinds[i].learner, kinds[i].options);
        assert_string_equal(tlu_model_learner(found), kinds[i].learner);
        assert_string_equal(tlu_model_report(found)->learner_reason, kinds[i].reason);
        assert_null(tlu_model_report(named)->learner_reason);
        assert_same(found, named, kinds[i].path);
        tlu_model_free(found);
        tlu_model_free(named);
    }
}

static void interruptions_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        tlu_model *whole = train_with(kinds[i].path, kinds[i].learner, kinds[i].options);
        tlu_model *model = part(kinds[i].path, "learner=auto", NULL, 1, 0);
        model = part(kinds[i].path, "", model, 700, 1);
        model = part(kinds[i].path, "", model, 0, 2);
        assert_string_equal(tlu_model_learner(model), kinds[i].learner);
        assert_same(model, whole, kinds[i].path);
        tlu_model_free(model);
        tlu_model_free(whole);
    }
}

// Options that the learner of the rule lacks choose another of the three, or none.
static void given_options_win(void **state)
{
    (void)state;
    static const struct {
        const char *path, *settings, *learner;
    } cases[] = {
        {"days.csv", "rate=0.5", "hinge"},           {"days.csv", "l2=0.01 solver=dual", NULL},
        {"counts.svm", "alpha=0.5", "alma"},         {"counts.svm", "solver=dual", "logistic"},
        {"counts.svm", "kernel=poly:2", "alma"},     {"text.tsv", "kernel=linear", "alma"},
        {"text.tsv", "alpha=0.5", "alma"},           {"text.tsv", "smoothing=2", NULL},
        {"text.tsv", "decide=vote", "alma"},         {"days.csv", "tie-update=label", NULL},
        {"flags.svm", "multiclass=ovo", "logistic"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_options *options = options_with(NULL, cases[i].settings);
        tlu_model *model;
        tlu_error error;
        tlu_status status = tlu_train(cases[i].path, options, &model, &error);
        tlu_options_free(options);
        assert_int_equal(status, cases[i].learner ? TLU_OK : TLU_ERROR_INPUT);
        if (cases[i].learner)
            assert_string_equal(tlu_model_learner(model), cases[i].learner);
        else
            assert_non_null(strstr(error.text, "; name a learner with --learner"));
        tlu_model_free(model);
    }
}

static void without_memory_there_is_no_model(void **state)
{
    (void)state;
    static const char *const paths[] = {"text.tsv", "counts.svm", "one.svm"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        tlu_options *options = options_with(NULL, "threads=1 epochs=1");
        for (long n = 1, calls = n; calls >= n; n++) {
            tlu_error error;
            tlu_model *model;
            fault_at(FAULT_MEMORY, n);
            tlu_status status = tlu_train(paths[i], options, &model, &error);
            calls = fault_calls(FAULT_MEMORY);
            fault_at(FAULT_MEMORY, 0);
            assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && calls >= n && !model));
            tlu_model_free(model);
        }
        tlu_options_free(options);
    }
}

static void streams_have_their_own(void **state)
{
    (void)state;
    tlu_learner *learner;
    tlu_model *model;
    tlu_error error;
    tlu_options *options = options_with("auto", "");
    assert_int_equal(tlu_learner_new(options, &learner, &error), TLU_OK);
    tlu_feature feature = {.name = "a", .value = 1};
    assert_int_equal(tlu_learner_learn(learner, &feature, 1, "x", 1, NULL, &error), TLU_OK);
    assert_int_equal(tlu_learner_learn(learner, &feature, 1, "y", 1, NULL, &error), TLU_OK);
    assert_int_equal(tlu_learner_make_model(learner, &model, &error), TLU_OK);
    assert_string_equal(tlu_model_learner(model), "pa2");
    tlu_model_free(model);
    tlu_learner_free(learner);
    tlu_options_free(options);
    for (size_t i = 0; i < KINDS; i++) { // and they go on from what was chosen
        model = train_with(kinds[i].path, NULL, "");
        assert_int_equal(tlu_learner_resume(model, &learner, &error), TLU_OK);
        tlu_model_free(model);
        assert_int_equal(tlu_learner_make_model(learner, &model, &error), TLU_OK);
        assert_string_equal(tlu_model_learner(model), kinds[i].learner);
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_decides),
        cmocka_unit_test(interruptions_change_nothing),
        cmocka_unit_test(given_options_win),
        cmocka_unit_test(without_memory_there_is_no_model),
        cmocka_unit_test(streams_have_their_own),
    };
    return cmocka_run_group_tests(tests, make_all, NULL);
}
