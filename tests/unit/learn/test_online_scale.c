// Scaling that adapts, against learners in plain loops whose weights are for the values as they
// are: there nothing has to be rescaled.
#include "learn/learner.h"
#include "learn/online_scale.h"
#include "model/model.h"
#include "prefetching.h"

enum { FEATURES = 8, ROWS = 400 };

// Values whose ranges differ by millions, and grow.
static void random_values(struct random *random, size_t row, double *x)
{
    for (size_t j = 0; j < FEATURES; j++) {
        double range = pow(10, (double)j - 4) * (1 + (double)row / 40);
        bool there = random_below(random, 4) > 0;
        x[j] = there ? (double)(float)((random_unit(random) - 0.4) * range) : 0;
    }
}

static const char *label_of(struct random *random, const double *x)
{
    double sum = random_unit(random) - 0.5;
    for (size_t j = 0; j < FEATURES; j++)
        sum += (j % 2 ? 1 : -1) * x[j] * pow(10, 4 - (double)j);
    return sum > 0 ? "yes" : "no";
}

enum unit_rule { PERCEPTRON, AROW, ADAGRAD };

// A second learner: v are weights of x itself, so that v = w / m.
struct plain {
    enum unit_rule rule;
    double v[FEATURES], sum[FEATURES], bias, sum_bias; // sums over all examples
    double m[FEATURES], S[FEATURES], S_bias; // of x: variances; or sums of squared gradients
    bool touched[FEATURES];
    double examples;
};

static double plain_score(const double *v, double bias, const double *x)
{
    double score = bias;
    for (size_t j = 0; j < FEATURES; j++)
        score += v[j] * x[j];
    return score;
}

static double plain_decide(const struct plain *p, const double *x)
{
    if (p->examples == 0)
        return 0;
    return plain_score(p->sum, p->sum_bias, x) / p->examples;
}

static void plain_arow(struct plain *p, const double *x, double y, double r)
{
    double margin = y * plain_score(p->v, p->bias, x), variance = p->S_bias;
    if (margin >= 1)
        return;
    for (size_t j = 0; j < FEATURES; j++) {
        if (x[j] != 0 && !p->touched[j]) // the start is that of a scaled value
            p->S[j] = 1 / (p->m[j] * p->m[j]);
        variance += p->S[j] * x[j] * x[j];
    }
    double beta = 1 / (variance + r), alpha = (1 - margin) * beta;
    for (size_t j = 0; j < FEATURES; j++) {
        if (x[j] == 0)
            continue;
        p->touched[j] = true;
        p->v[j] += alpha * y * p->S[j] * x[j];
        p->S[j] -= beta * p->S[j] * p->S[j] * x[j] * x[j];
    }
    p->bias += alpha * y * p->S_bias;
    p->S_bias -= beta * p->S_bias * p->S_bias;
}

static void plain_adagrad(struct plain *p, const double *x, double y, double rate)
{
    if (y * plain_score(p->v, p->bias, x) >= 1) // the hinge loss
        return;
    double norm = 1; // of the scaled row, by which the rate is measured
    for (size_t j = 0; j < FEATURES; j++)
        norm += x[j] != 0 ? x[j] / p->m[j] * x[j] / p->m[j] : 0;
    rate /= sqrt(norm);
    for (size_t j = 0; j < FEATURES; j++) {
        if (x[j] == 0)
            continue;
        p->S[j] += x[j] * x[j]; // in any unit the step of w is x / |all x|
        p->v[j] += rate * y * x[j] / sqrt(p->S[j]) / p->m[j];
    }
    p->S_bias += 1;
    p->bias += rate * y / sqrt(p->S_bias);
}

static void plain_learn(struct plain *p, const double *x, double y)
{
    for (size_t j = 0; j < FEATURES; j++)
        if (fabs(x[j]) > p->m[j])
            p->m[j] = fabs(x[j]);
    if (p->rule == AROW)
        plain_arow(p, x, y, 10);
    else if (p->rule == ADAGRAD)
        plain_adagrad(p, x, y, 0.1);
    else if (y * plain_score(p->v, p->bias, x) <= 0) {
        for (size_t j = 0; j < FEATURES; j++)
            if (x[j] != 0)
                p->v[j] += y * x[j] / (p->m[j] * p->m[j]);
        p->bias += y;
    }
    for (size_t j = 0; j < FEATURES; j++)
        p->sum[j] += p->v[j];
    p->sum_bias += p->bias;
    p->examples++;
}

static const char *const names[FEATURES] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static size_t features_of(const double *x, tlu_feature *features)
{
    size_t count = 0;
    for (size_t j = 0; j < FEATURES; j++)
        if (x[j] != 0)
            features[count++] = (tlu_feature){names[j], x[j]};
    return count;
}

static const struct {
    enum unit_rule rule;
    const char *settings;
} rules[] = {{PERCEPTRON, "scale=maxabs"},
             {PERCEPTRON, "scale=online hash=12"},
             {ADAGRAD, "scale=online learner=hinge schedule=adagrad rate=0.1 decide=average"}};

static void learns_as_if_nothing_were_scaled(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        tlu_learner *learner = learner_of(rules[k].settings);
        struct plain plain = {.rule = rules[k].rule};
        struct random random;
        random_seed(&random, 5);
        for (size_t i = 0; i < ROWS; i++) {
            double x[FEATURES], score;
            random_values(&random, i, x);
            const char *label = label_of(&random, x), *guess;
            tlu_feature features[FEATURES];
            size_t count = features_of(x, features);
            assert_int_equal(tlu_learner_predict(learner, features, count, &guess, &score, NULL),
                             TLU_OK);
            double expected = plain_decide(&plain, x);
            if (i > 10 && fabs(expected) > 1e-3)
                assert_same_number(strcmp(guess, "yes") == 0 ? score : -score, expected, 1e-4,
                                   "the score");
            assert_int_equal(tlu_learner_learn(learner, features, count, label, 1, NULL, NULL),
                             TLU_OK);
            plain_learn(&plain, x, strcmp(label, "yes") == 0 ? 1 : -1);
        }
        tlu_model *model = through_a_file(model_of(learner));
        for (size_t j = 0; j < FEATURES; j++)
            assert_same_number(weight_of(model, "yes", names[j]), plain.sum[j] / plain.examples,
                               1e-4, names[j]);
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
}

static void a_second_order_learner_too(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("scale=maxabs learner=arow r=10");
    struct plain plain = {.rule = AROW, .S_bias = 1};
    struct random random;
    random_seed(&random, 6);
    for (size_t i = 0; i < ROWS; i++) {
        double x[FEATURES];
        random_values(&random, i, x);
        const char *label = label_of(&random, x);
        tlu_feature features[FEATURES];
        size_t count = features_of(x, features);
        assert_int_equal(tlu_learner_learn(learner, features, count, label, 1, NULL, NULL), TLU_OK);
        plain_learn(&plain, x, strcmp(label, "yes") == 0 ? 1 : -1);
    }
    tlu_model *model = through_a_file(model_of(learner));
    bool average = strcmp(tlu_model_decision(model), "average") == 0;
    for (size_t j = 0; j < FEATURES; j++)
        assert_same_number(weight_of(model, "yes", names[j]),
                           average ? plain.sum[j] / plain.examples : plain.v[j], 1e-4, names[j]);
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// A larger value changes no score of any row, of neither the last weights nor the average.
static void a_larger_value_changes_no_prediction(void **state)
{
    (void)state;
    static const char *const settings[] = {"scale=maxabs",
                                           "scale=maxabs learner=logistic l2=0.01",
                                           "scale=maxabs learner=scw1",
                                           "scale=maxabs learner=alma",
                                           "scale=maxabs multiclass=ovo",
                                           "scale=maxabs learner=arow diagonal=precision"};
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        tlu_learner *learner = learner_of(settings[k]);
        struct random random;
        random_seed(&random, 7);
        double x[FEATURES];
        tlu_feature features[FEATURES];
        for (size_t i = 0; i < 100; i++) {
            random_values(&random, i, x);
            size_t count = features_of(x, features);
            const char *label = k == 4 && i % 3 == 0 ? "perhaps" : label_of(&random, x);
            assert_int_equal(tlu_learner_learn(learner, features, count, label, 1, NULL, NULL),
                             TLU_OK);
        }
        double before[20], norm = learner->state.group_norm[0];
        const char *label;
        for (int round = 0; round < 2; round++) {
            struct random rows;
            random_seed(&rows, 8);
            for (size_t i = 0; i < 20; i++) {
                double score;
                random_values(&rows, i, x);
                size_t count = features_of(x, features);
                assert_int_equal(
                    tlu_learner_predict(learner, features, count, &label, &score, NULL), TLU_OK);
                if (round)
                    assert_same_number(score, before[i], 1e-5, settings[k]);
                before[i] = score;
            }
            uint32_t all[FEATURES];
            float large[FEATURES];
            for (uint32_t j = 0; j < FEATURES; j++) {
                all[j] = j;
                large[j] = 3e6f * (float)(j + 1);
            }
            online_scale_update(learner, &(tlu_row){FEATURES, all, large});
            for (uint32_t j = 0; j < FEATURES; j++)
                assert_true(learner->state.online.units[j].size == large[j]);
        }
        assert_true(norm == 0 || learner->state.group_norm[0] != norm);
        tlu_learner_free(learner);
    }
}

// ---- Files and models ----

static void goes_on_from_a_model(void **state)
{
    (void)state;
    static const char *const settings[] = {"scale=maxabs", "scale=online hash=10",
                                           "scale=maxabs decide=last"};
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        tlu_learner *one = learner_of(settings[k]), *other = learner_of(settings[k]);
        struct random random;
        random_seed(&random, 11);
        for (size_t i = 0; i < ROWS; i++) {
            double x[FEATURES];
            random_values(&random, i, x);
            const char *label = label_of(&random, x);
            tlu_feature features[FEATURES];
            size_t count = features_of(x, features);
            assert_int_equal(tlu_learner_learn(one, features, count, label, 1, NULL, NULL), TLU_OK);
            assert_int_equal(tlu_learner_learn(other, features, count, label, 1, NULL, NULL),
                             TLU_OK);
            if (i % 50 != 20)
                continue;
            tlu_model *model = through_a_file(model_of(other));
            tlu_learner_free(other);
            assert_int_equal(tlu_learner_resume(model, &other, NULL), TLU_OK);
            tlu_model_free(model);
        }
        tlu_model *a = through_a_file(model_of(one)), *b = through_a_file(model_of(other));
        assert_same_model(a, b);
        tlu_model_free(a);
        tlu_model_free(b);
        tlu_learner_free(one);
        tlu_learner_free(other);
    }
}

// The factors of a model are exact enough to find the largest values again.
static void factors_lead_back(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 12);
    assert_true(online_scale_largest(online_scale_factor(0)) == 0);
    for (int i = 0; i < 1000000; i++) {
        uint32_t bits = (uint32_t)random_below(&random, 0x7F800000u - 1) + 1;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (online_scale_largest(online_scale_factor(value)) != value)
            fail_msg("%a becomes %a", (double)value,
                     (double)online_scale_largest(online_scale_factor(value)));
    }
}

static void write_rows(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    struct random random;
    random_seed(&random, 13);
    for (size_t i = 0; i < ROWS; i++) {
        double x[FEATURES];
        random_values(&random, i, x);
        fprintf(file, "%s", label_of(&random, x));
        for (size_t j = 0; j < FEATURES; j++)
            if (x[j] != 0)
                fprintf(file, " %zu:%.9g", j + 1, x[j]);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

// A pass over a file is a stream; a model of all rows' largest values can become one.
static void files_and_streams(void **state)
{
    (void)state;
    write_rows("online.svm");
    tlu_model *file = train("online.svm", "scale=online epochs=1 shuffle=none");
    tlu_learner *learner = learner_of("scale=online");
    struct random random;
    random_seed(&random, 13);
    for (size_t i = 0; i < ROWS; i++) {
        double x[FEATURES];
        random_values(&random, i, x);
        const char *label = label_of(&random, x);
        tlu_feature features[FEATURES];
        static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
        size_t count = 0;
        for (size_t j = 0; j < FEATURES; j++)
            if (x[j] != 0)
                features[count++] = (tlu_feature){numbers[j], x[j]};
        assert_int_equal(tlu_learner_learn(learner, features, count, label, 1, NULL, NULL), TLU_OK);
    }
    tlu_model *stream = through_a_file(model_of(learner));
    for (size_t j = 0; j < FEATURES; j++) {
        char name[8];
        sprintf(name, "%zu", j + 1);
        assert_same_number(weight_of(stream, "yes", name), weight_of(file, "yes", name), 1e-12,
                           name);
    }
    tlu_model_free(stream);
    tlu_model_free(file);
    tlu_learner_free(learner);

    file = train("online.svm", "scale=maxabs epochs=3");
    assert_int_equal(tlu_learner_resume(file, &learner, NULL), TLU_OK);
    tlu_model *again = through_a_file(model_of(learner));
    for (size_t j = 0; j < FEATURES; j++) {
        char name[8];
        sprintf(name, "%zu", j + 1);
        assert_exactly(weight_of(again, "yes", name), weight_of(file, "yes", name));
    }
    tlu_model_free(again);
    tlu_model_free(file);
    tlu_learner_free(learner);
}

static void what_does_not_go_is_refused(void **state)
{
    (void)state;
    write_rows("online.svm");
    assert_refused("online.svm", "scale=online kernel=linear", "--kernel");
    assert_refused("online.svm", "scale=online decide=vote", "--decide vote");
    assert_refused("online.svm", "scale=online learner=rocchio", "row by row");
    assert_refused("online.svm", "scale=online holdout=0.1", "--holdout");
    tlu_options *options = options_of("scale=standard");
    tlu_learner *learner;
    tlu_error error;
    assert_int_equal(tlu_learner_new(options, &learner, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "--scale recent"));
    tlu_options_free(options);
    tlu_model *model = train("online.svm", "scale=standard");
    assert_int_equal(tlu_learner_resume(model, &learner, &error),
                     TLU_OK); // test_resumed_stream.c: how
    tlu_learner_free(learner);
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_as_if_nothing_were_scaled),
        cmocka_unit_test(a_second_order_learner_too),
        cmocka_unit_test(a_larger_value_changes_no_prediction),
        cmocka_unit_test(goes_on_from_a_model),
        cmocka_unit_test(factors_lead_back),
        cmocka_unit_test(files_and_streams),
        cmocka_unit_test(what_does_not_go_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
