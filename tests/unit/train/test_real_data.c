// A real data set: the census rows of a9a (32561 to learn from, 16281 to test on, 123 features).
// It is no part of the project; if it is not there, the tests are skipped.
#include "learning.h"

#define DATA TLU_SHARED_DATA "/a9a/a9a"
#define TEST_DATA TLU_SHARED_DATA "/a9a/a9a.t"
#define FEATURES 123

static const char *const two[] = {"-1", "+1"};

static double mean_accuracy(const char *settings)
{
    double sum = 0;
    for (int seed = 1; seed <= 5; seed++) {
        char all[80];
        snprintf(all, sizeof all, "%s seed=%d", settings, seed);
        tlu_model *model = train(DATA, all);
        assert_int_equal(tlu_model_report(model)->examples, 32561);
        tlu_evaluation *evaluation;
        tlu_error error;
        if (tlu_evaluate(model, TEST_DATA, NULL, &evaluation, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(evaluation->examples, 16281);
        sum += evaluation->accuracy;
        tlu_evaluation_free(evaluation);
        tlu_model_free(model);
    }
    return sum / 5;
}

static void the_average_is_good_and_beats_the_last(void **state)
{
    (void)state;
    double average = mean_accuracy(""), last = mean_accuracy("decide=last");
    print_message("average %.2f%%, last %.2f%%\n", 100 * average, 100 * last);
    assert_true(average >= 0.847);
    assert_true(average > last);
}

static void the_plain_loops_have_the_same_weights(void **state)
{
    (void)state;
    struct dense data;
    assert_true(dense_read(&data, DATA, FEATURES));
    assert_int_equal(data.rows, 32561);
    struct reference r = {.positive = 1};
    reference_learn(&r, &data, 3);
    for (int last = 0; last < 2; last++) {
        tlu_model *model =
            train(DATA, last ? "epochs=3 shuffle=none decide=last" : "epochs=3 shuffle=none");
        assert_mistakes(model, &r);
        // Every feature is 0 or 1: the last weights are whole numbers.
        assert_weights(model, &r, !last, two, last ? 0 : 1e-9);
        tlu_model_free(model);
    }
    reference_free(&r);
    dense_free(&data);
}

int main(void)
{
    FILE *file = fopen(TEST_DATA, "r");
    if (!file) {
        fprintf(stderr, "skipped: %s is not there\n", TEST_DATA);
        return 77;
    }
    fclose(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_average_is_good_and_beats_the_last),
        cmocka_unit_test(the_plain_loops_have_the_same_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
