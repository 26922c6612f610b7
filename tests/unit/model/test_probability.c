// Probabilities that scores have in themselves, worked out from the formulas.
#include "learning.h"
#include "predicting.h"

static const char *const labels[] = {"a", "b", "c", "d"};

static int make_data(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 4; classes++) {
        char path[16];
        struct dense data = random_dense(classes, 300, 6, classes, 0.5, true);
        for (size_t i = 0; i < data.rows * data.features; i++)
            data.x[i] = data.x[i] != 0; // naive Bayes counts
        snprintf(path, sizeof path, "%zu.svm", classes);
        write_libsvm(path, &data, labels);
        dense_free(&data);
    }
    return 0;
}

// What the scheme says, in long double.
static void expected(const tlu_model *model, const double *scores, long double *shares)
{
    size_t classes = tlu_model_class_count(model), positive = tlu_model_positive_class(model);
    long double sum = 0;
    for (size_t k = 0; k < classes; k++) {
        if (classes == 2)
            shares[k] = 1 / (1 + expl(k == positive ? -(long double)scores[0] : scores[0]));
        else if (strcmp(tlu_model_scheme(model), "ovr") == 0)
            shares[k] = 1 / (1 + expl(-(long double)scores[k]));
        else
            shares[k] = expl((long double)scores[k]);
        sum += shares[k];
    }
    for (size_t k = 0; k < classes; k++)
        shares[k] /= sum;
}

static void assert_probabilities(const tlu_model *model, const double *scores)
{
    double found[4], sum = 0;
    long double shares[4];
    tlu_error error;
    assert_int_equal(tlu_model_probabilities(model, scores, found, &error), TLU_OK);
    expected(model, scores, shares);
    for (size_t k = 0; k < tlu_model_class_count(model); k++) {
        assert_same_number(found[k], (double)shares[k], 1e-14, "a probability");
        sum += found[k];
    }
    assert_same_number(sum, 1, 1e-15, "the sum");
}

static void check_all_rows(const char *path, const char *settings)
{
    double scores[4];
    const tlu_batch *batch;
    tlu_reader *reader;
    tlu_model *model = train(path, settings);
    assert_true(tlu_model_has_probabilities(model));
    assert_int_equal(tlu_reader_open(model, path, NULL, &reader, NULL), TLU_OK);
    while (tlu_reader_next(reader, &batch, NULL) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            class_of_row(model, &row, scores);
            assert_probabilities(model, scores);
        }
    tlu_reader_close(reader);
    tlu_model_free(model);
}

static void they_follow_from_the_scores(void **state)
{
    static const char *const learners[] = {"logistic", "bernoulli-bayes", "multinomial-bayes"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "learner=%s positive=a", learners[i]);
        check_all_rows("2.svm", settings);
        snprintf(settings, sizeof settings, "learner=%s multiclass=wta", learners[i]);
        check_all_rows("3.svm", settings);
        snprintf(settings, sizeof settings, "learner=%s multiclass=ovr", learners[i]);
        check_all_rows("4.svm", settings);
    }
}

// Bayes' rule by hand: of 2 rows of a 1 has the feature, of 4 rows of b 3 have it.
static void bayes_is_the_posterior(void **state)
{
    (void)state;
    write_text("bayes.svm", "a 1:1\na 2:1\nb 1:1\nb 1:1\nb 1:1\nb 2:1\n");
    tlu_model *model = train("bayes.svm", "learner=bernoulli-bayes smoothing=1");
    tlu_feature there = {"1", 1};
    double scores[1], found[2];
    class_of_named(model, &there, 1, scores);
    assert_int_equal(tlu_model_probabilities(model, scores, found, NULL), TLU_OK);
    double a = 2.0 * (1 + 1) / (2 + 2) * (1 - (1 + 1.0) / (2 + 2));
    double b = 4.0 * (3 + 1) / (4 + 2) * (1 - (1 + 1.0) / (4 + 2));
    assert_same_number(found[0], a / (a + b), 1e-14, "P(a|x)");
    assert_same_number(found[1], b / (a + b), 1e-14, "P(b|x)");
    tlu_model_free(model);
}

static void ends_stay_probabilities(void **state)
{
    static const double rows[][4] = {
        {1e300, -1e300, 0, 0}, {-800, -801, -1e4, -2e300}, {800, 800, -800, 3}, {0, 0, 0, 0}};
    static const char *const settings[] = {"learner=logistic multiclass=wta",
                                           "learner=logistic multiclass=ovr"};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        tlu_model *model = train("4.svm", settings[s]);
        for (size_t i = 0; i < 4; i++) {
            double found[4], sum = 0;
            assert_int_equal(tlu_model_probabilities(model, rows[i], found, NULL), TLU_OK);
            for (size_t k = 0; k < 4; k++) {
                assert_true(found[k] >= 0 && found[k] <= 1);
                sum += found[k];
            }
            assert_same_number(sum, 1, 1e-15, "the sum");
        }
        // Far below 0 the odds of the first two still are e to 1.
        double found[4];
        tlu_model_probabilities(model, rows[1], found, NULL);
        assert_same_number(found[0] / found[1], exp(1), 1e-12, "the odds");
        tlu_model_free(model);
    }
}

static void assert_none(const char *path, const char *settings, const char *reason)
{
    double scores[6] = {0}, found[4];
    tlu_error error;
    tlu_model *model = train(path, settings);
    assert_false(tlu_model_has_probabilities(model));
    assert_int_equal(tlu_model_probabilities(model, scores, found, &error), TLU_ERROR_INPUT);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not speak of '%s'", error.text, reason);
    assert_int_equal(tlu_model_probabilities(model, NULL, NULL, &error), TLU_ERROR_INPUT);
    tlu_model_free(model);
}

static void others_have_none(void **state)
{
    (void)state;
    assert_none("2.svm", "learner=perceptron", "--learner logistic");
    assert_none("3.svm", "learner=logistic multiclass=ovo", "--multiclass wta");
    assert_none("2.svm", "learner=bernoulli-bayes no-bias=yes", "--no-bias");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_follow_from_the_scores),
        cmocka_unit_test(bayes_is_the_posterior),
        cmocka_unit_test(ends_stay_probabilities),
        cmocka_unit_test(others_have_none),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
