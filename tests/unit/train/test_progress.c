// Progress: what is foretold comes true within a factor of two from a quarter of the work on, and
// nothing is foretold if nobody can know. In units of work, not in seconds, so that it is the
// same on every machine.
#include "learning.h"

struct told {
    double work[4096], expected[4096];
    size_t count;
    double least_gap, planes;
    bool left_wrong; // seconds that are left without work to do, or the other way round
};

static int listen(void *context, const tlu_progress *progress)
{
    struct told *told = context;
    if (told->count == sizeof told->work / sizeof told->work[0])
        return 1;
    told->work[told->count] = progress->work;
    told->expected[told->count++] = progress->work_expected;
    bool can_tell = progress->work_expected > 0 && progress->work > 0;
    told->left_wrong |= can_tell != (progress->seconds_left >= 0);
    if (progress->planes_expected) {
        told->planes = (double)progress->planes_expected;
        if (progress->gap > 0 && progress->gap < told->least_gap)
            told->least_gap = progress->gap;
    }
    return 0;
}

static void watch(const char *path, const char *settings, struct told *told)
{
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_of(settings);
    *told = (struct told){.least_gap = 1e300};
    if (train_watched(path, options, listen, told, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_model_free(model);
    tlu_options_free(options);
}

// Of the calls past a quarter of the work: how many could tell, and the worst of what they told.
static double worst(const struct told *told, double *telling)
{
    double total = told->work[told->count - 1], worst = 1, calls = 0, tell = 0;
    for (size_t i = 0; i < told->count; i++) {
        if (told->work[i] < 0.25 * total)
            continue;
        calls++;
        if (told->expected[i] == 0)
            continue;
        tell++;
        double ratio = told->expected[i] / total;
        worst = fmax(worst, fmax(ratio, 1 / ratio));
    }
    *telling = tell / calls;
    return worst;
}

static void passes_with_a_kernel_are_foretold(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "kernel=poly:3 epochs=1",          "kernel=poly:2 epochs=10",
        "kernel=rbf:0.05 epochs=20",       "kernel=linear epochs=8 learner=pa1",
        "kernel=rbf:0.01 epochs=6 seed=7", "kernel=poly:2 epochs=12 shuffle=none",
    };
    struct told *told = malloc(sizeof *told);
    struct dense data = random_dense(11, 1000, 8, 3, 2, false);
    static const char *const labels[] = {"a", "b", "c"};
    write_libsvm("three.svm", &data, labels);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        double telling;
        watch("three.svm", settings[i], told);
        double ratio = worst(told, &telling);
        print_message("%s: off by %.2f, told in %.0f%% of %zu calls\n", settings[i], ratio,
                      100 * telling, told->count);
        assert_true(ratio <= 2);
        assert_true(telling > 0.5);
        assert_false(told->left_wrong);
        for (size_t k = 1; k < told->count; k++)
            assert_true(told->work[k] >= told->work[k - 1]);
    }
    dense_free(&data);
    free(told);
}

// Ten passes, of which the first takes less than a quarter.
static void passes_over_rows_are_foretold(void **state)
{
    (void)state;
    struct told *told = malloc(sizeof *told);
    struct dense data = random_dense(12, 12000, 5, 2, 1, false);
    double telling;
    static const char *const labels[] = {"-1", "+1"};
    write_libsvm("rows.svm", &data, labels);
    watch("rows.svm", "epochs=10", told);
    assert_true(worst(told, &telling) <= 1.0001);
    assert_true(telling == 1);
    dense_free(&data);
    free(told);
}

static void planes_are_not_foretold(void **state)
{
    (void)state;
    struct told *told = malloc(sizeof *told);
    struct dense data = random_dense(13, 400, 6, 3, 1, false);
    static const char *const labels[] = {"a", "b", "c"};
    write_libsvm("planes.svm", &data, labels);
    watch("planes.svm", "learner=max-margin C=1 multiclass=ovr", told);
    for (size_t i = 0; i < told->count; i++)
        assert_true(told->expected[i] == 0);
    assert_false(told->left_wrong);
    assert_true(told->planes == 3);
    assert_true(told->least_gap < 0.1); // the measure gets on
    watch("planes.svm", "learner=max-margin C=1 multiclass=wta", told);
    assert_true(told->planes == 1); // all at once
    assert_true(told->least_gap < 0.1);
    dense_free(&data);
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_with_a_kernel_are_foretold),
        cmocka_unit_test(passes_over_rows_are_foretold),
        cmocka_unit_test(planes_are_not_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
