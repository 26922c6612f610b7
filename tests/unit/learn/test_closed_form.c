// Learners that look at all rows: the closed forms, against the formulas of the notes written out
// once more, and what all of them have in common. test_max_margin.c is about the best hyperplane.
#include "base/fault.h"
#include "batch_reference.h"

// ---- Rocchio ----

// The averages of the rows of the two sides of a column.
static void averages(const struct tlu_learner *learner, const struct data *data, uint32_t column,
                     double *u, double *v)
{
    size_t count[2] = {0, 0};
    for (size_t f = 0; f < data->features; f++)
        u[f] = v[f] = 0;
    for (size_t i = 0; i < data->rows; i++) {
        double y = side_of(learner, data->classes, column, data->label[i]);
        for (size_t f = 0; y != 0 && f < data->features; f++)
            (y > 0 ? u : v)[f] += value_at(data, i, f);
        if (y != 0)
            count[y > 0]++;
    }
    for (size_t f = 0; f < data->features; f++) {
        u[f] /= (double)count[1];
        v[f] /= (double)count[0];
    }
}

static double distance(const struct data *data, size_t row, const double *centre)
{
    double sum = 0;
    for (size_t f = 0; f < data->features; f++)
        sum += (value_at(data, row, f) - centre[f]) * (value_at(data, row, f) - centre[f]);
    return sum;
}

// "w = u - v": exactly so without a bias; with one, the nearest average wins.
static void elkan_000_rocchio_quiz(void **state)
{
    (void)state;
    static const char *const schemes[] = {"wta", "ovr", "ovo"};
    double u[8], v[8];
    for (uint32_t classes = 2; classes <= 5; classes += 3) {
        struct data data = make_clouds(150, 8, classes, 1, true, classes);
        for (size_t s = 0; s < 6; s++) {
            struct tlu_learner learner;
            char settings[80];
            bool bias = s % 2, wta = s < 2 && classes > 2;
            snprintf(settings, sizeof settings, "learner=rocchio multiclass=%s no-bias=%s",
                     schemes[s / 2], bias ? "no" : "yes");
            solve_well(&learner, &data, settings);
            for (uint32_t k = 0; k < learner.state.weights.columns; k++) {
                averages(&learner, &data, k, u, v);
                for (size_t f = 0; f < 8; f++)
                    assert_close(weight_at(&learner, f, k), wta ? u[f] : u[f] - v[f], 1e-13, "w");
                if (!bias)
                    assert_true(learner.state.weights.bias[k] == 0);
                for (size_t i = 0; bias && !wta && i < data.rows; i++)
                    assert_close(2 * score_of(&learner, &data, i, k),
                                 distance(&data, i, v) - distance(&data, i, u), 1e-12, "score");
            }
            for (size_t i = 0; wta && bias && i < data.rows; i++) {
                uint32_t nearest = 0;
                double least = INFINITY;
                for (uint32_t c = 0; c < classes; c++) {
                    averages(&learner, &data, c, u, v);
                    if (distance(&data, i, u) < least) {
                        least = distance(&data, i, u);
                        nearest = c;
                    }
                }
                assert_int_equal(elect(&learner, &data, i), nearest);
            }
            learner_free_parts(&learner);
        }
        data_free(&data);
    }
}

// The hint of the quiz: on the unit circle, positive examples above and negative ones below.
static void elkan_000_rocchio_quiz_sketch(void **state)
{
    (void)state;
    static const float rows[] = {1, 0, 1,  1, 0.6f, 0.8f,  1, -0.6f, 0.8f,
                                 0, 0, -1, 0, 0.8f, -0.6f, 0, -0.8f, -0.6f};
    struct data data = data_of(6, 2, 2, rows);
    struct tlu_learner learner;
    solve_well(&learner, &data, "learner=rocchio no-bias=yes");
    // u = (0, 2.6 / 3), v = (0, -2.2 / 3)
    assert_close(weight_at(&learner, 0, 0), 0, 1e-15, "w1");
    assert_close(weight_at(&learner, 1, 0), 1.6, 1e-7, "w2");
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(elect(&learner, &data, i), data.label[i]);
    learner_free_parts(&learner);
    data_free(&data);
}

// "the Rocchio w sometimes yields a hyperplane that does not separate the positive and negative
// training examples, even when these are separable."
static void elkan_000_rocchio_fails_on_separable_data(void **state)
{
    (void)state;
    // Through the origin x1 + x2 = 0 separates; u = (0, 2), v = (5, -6), w = (-5, 8), and (1, 0) is
    // on its wrong side. With a bias x = 0 separates; u = 5.25, v = -1, and 1/2 is nearer to v.
    static const float through_origin[] = {1, 1, 0, 1, -1, 4, 0, 5, -6};
    static const float with_bias[] = {1, 0.5f, 0, 1, 10, 0, 0, -1, 0};
    for (int bias = 0; bias < 2; bias++) {
        struct data data = data_of(3, 2, 2, bias ? with_bias : through_origin);
        struct tlu_learner learner;
        double w[3];
        assert_true(perceptron(&data, bias, w, 1000));
        solve_well(&learner, &data, bias ? "learner=rocchio" : "learner=rocchio no-bias=yes");
        assert_true(weight_at(&learner, 0, 0) == (bias ? 6.25 : -5));
        assert_true(weight_at(&learner, 1, 0) == (bias ? 0 : 8));
        assert_int_equal(elect(&learner, &data, 0), 0); // wrong
        assert_int_equal(elect(&learner, &data, 1), 1);
        assert_int_equal(elect(&learner, &data, 2), 0);
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// ---- naive Bayes ----

// P(x|y) P(y) times the number of rows, as a plain product; y are the classes on one side.
static double probability(const struct tlu_learner *learner, const struct data *data, size_t row,
                          uint32_t column, double side, double a, bool bernoulli)
{
    double n = 0, words = 0, vocabulary = 0, product;
    bool wta = learner->state.scheme.kind == SCHEME_WTA;
    double count[64] = {0};
    for (size_t i = 0; i < data->rows; i++) {
        uint32_t c = data->label[i];
        if (wta ? c != column : side_of(learner, data->classes, column, c) != side)
            continue;
        n++;
        for (size_t f = 0; f < data->features; f++) {
            count[f] += value_at(data, i, f);
            words += value_at(data, i, f);
        }
    }
    for (size_t f = 0; f < data->features; f++)
        for (size_t i = 0; i < data->rows; i++)
            if (value_at(data, i, f) != 0) {
                vocabulary++;
                break;
            }
    product = n;
    for (size_t f = 1; f < data->features; f++) {
        double one = (count[f] + a) / (n + 2 * a), x = value_at(data, row, f);
        if (bernoulli)
            product *= x == 1 ? one : 1 - one;
        else
            product *= pow((count[f] + a) / (words + a * vocabulary), x);
    }
    return product;
}

static void compare_bayes(const struct data *data, const char *scheme, const char *smoothing,
                          bool bernoulli)
{
    struct tlu_learner learner;
    char settings[120];
    double a = atof(smoothing);
    snprintf(settings, sizeof settings, "learner=%s-bayes multiclass=%s smoothing=%s",
             bernoulli ? "bernoulli" : "multinomial", scheme, smoothing);
    solve_well(&learner, data, settings);
    bool wta = learner.state.scheme.kind == SCHEME_WTA;
    for (size_t i = 0; i < data->rows; i++) {
        uint32_t best = 0;
        double most = 0;
        for (uint32_t k = 0; k < learner.state.weights.columns; k++) {
            double plus = probability(&learner, data, i, k, 1, a, bernoulli);
            double minus = wta ? 1 : probability(&learner, data, i, k, -1, a, bernoulli);
            assert_close(score_of(&learner, data, i, k), log(plus) - log(minus), 1e-11, "score");
            if (plus > most) {
                most = plus;
                best = k;
            }
        }
        if (wta) // the argmax of the notes
            assert_int_equal(elect(&learner, data, i), best);
    }
    for (uint32_t k = 0; k < learner.state.weights.columns; k++)
        assert_true(weight_at(&learner, 0, k) == 0); // the feature that no row has
    learner_free_parts(&learner);
}

static void cohen_004_section_2_naive_bayes(void **state)
{
    (void)state;
    static const char *const schemes[] = {"wta", "ovr", "ovo"};
    for (uint32_t classes = 2; classes <= 5; classes += 3) {
        for (size_t s = 0; s < 3; s++) {
            struct data data = make_counts(60, 12, classes, true, 7 + s);
            compare_bayes(&data, schemes[s], "1", true);
            compare_bayes(&data, schemes[s], "0.01", true);
            data_free(&data);
        }
    }
}

// The formulas of the notes, number by number: two features, two positive and three negative rows.
static void cohen_004_section_2_by_hand(void **state)
{
    (void)state;
    static const float rows[] = {1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0};
    struct data data = data_of(5, 2, 2, rows);
    struct tlu_learner learner;
    solve_well(&learner, &data, "learner=bernoulli-bayes");
    // P(X1=1|+) = 3/4, P(X1=1|-) = 2/5; P(X2=1|+) = 2/4, P(X2=1|-) = 3/5; P(+) / P(-) = 2/3
    double p1 = log(0.75 / 0.4), q1 = log(0.25 / 0.6), p2 = log(0.5 / 0.6), q2 = log(0.5 / 0.4);
    assert_close(weight_at(&learner, 0, 0), p1 - q1, 1e-14, "w1");
    assert_close(weight_at(&learner, 1, 0), p2 - q2, 1e-14, "w2");
    assert_close(learner.state.weights.bias[0], q1 + q2 + log(2.0 / 3), 1e-14, "w0");
    learner_free_parts(&learner);
    solve_well(&learner, &data, "learner=bernoulli-bayes no-bias=yes");
    assert_close(weight_at(&learner, 0, 0), p1 - q1, 1e-14, "w1");
    assert_true(learner.state.weights.bias[0] == 0);
    learner_free_parts(&learner);
    data_free(&data);
}

static void multinomial_bayes_is_bayes(void **state)
{
    (void)state;
    static const char *const schemes[] = {"wta", "ovr", "ovo"};
    for (uint32_t classes = 2; classes <= 5; classes += 3) {
        for (size_t s = 0; s < 3; s++) {
            struct data data = make_counts(40, 10, classes, false, 70 + s);
            compare_bayes(&data, schemes[s], "1", false);
            compare_bayes(&data, schemes[s], "0.3", false);
            data_free(&data);
        }
    }
}

// A class weight counts its rows so many times.
static void weights_of_classes_are_copies_of_rows(void **state)
{
    (void)state;
    static const char *const learners[] = {"learner=bernoulli-bayes", "learner=multinomial-bayes",
                                           "learner=rocchio multiclass=ovr",
                                           "learner=max-margin C=1"};
    struct data data = make_counts(30, 6, 3, true, 5), twice = data_new(60, 6, 3);
    twice.rows = 0;
    for (size_t i = 0; i < data.rows; i++)
        for (uint32_t copy = 0; copy < (data.label[i] == 1 ? 2 : 1); copy++) {
            twice.label[twice.rows] = data.label[i];
            memcpy(twice.x + 6 * twice.rows++, data.x + 6 * i, 6 * sizeof *data.x);
        }
    for (size_t l = 0; l < 4; l++) {
        struct tlu_learner learner, other;
        char settings[80];
        snprintf(settings, sizeof settings, "%s class-weight=bee=2", learners[l]);
        solve_well(&learner, &data, settings);
        solve_well(&other, &twice, learners[l]);
        for (uint32_t k = 0; k < 3; k++) {
            assert_close(learner.state.weights.bias[k], other.state.weights.bias[k], 2e-3, "bias");
            for (size_t f = 0; f < 6; f++)
                assert_close(weight_at(&learner, f, k), weight_at(&other, f, k),
                             l == 3 ? 2e-3 : 1e-13, "w");
        }
        learner_free_parts(&learner);
        learner_free_parts(&other);
    }
    data_free(&data);
    data_free(&twice);
}

static void values_that_bayes_cannot_take(void **state)
{
    (void)state;
    static const float rows[] = {0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 2.5f};
    struct data data = data_of(4, 2, 2, rows), ones = data_of(4, 2, 2, rows);
    ones.x[7] = 1;
    solve_badly(&data, "learner=bernoulli-bayes",
                "bernoulli-bayes needs features that are 0 or 1, and '1' is 2.5 in line 4: "
                "--binarize");
    struct tlu_learner learner, other;
    solve_well(&learner, &data, "learner=bernoulli-bayes binarize=yes");
    solve_well(&other, &ones, "learner=bernoulli-bayes");
    assert_memory_equal(learner.state.weights.w, other.state.weights.w, 2 * sizeof(double));
    assert_memory_equal(learner.state.weights.bias, other.state.weights.bias, sizeof(double));
    learner_free_parts(&learner);
    learner_free_parts(&other);
    solve_well(&learner, &data, "learner=multinomial-bayes"); // 2.5 is as good as a count
    learner_free_parts(&learner);
    data.x[7] = -1;
    solve_badly(&data, "learner=multinomial-bayes",
                "multinomial-bayes needs counts, and '1' is -1 in line 4: none can be below 0");
    solve_badly(&data, "learner=bernoulli-bayes", "'1' is -1 in line 4");
    data_free(&data);
    data_free(&ones);
}

// Held-out rows take no part, even if they would change everything.
static void held_out_rows_are_left_alone(void **state)
{
    (void)state;
    static const char *const learners[] = {"learner=rocchio", "learner=multinomial-bayes",
                                           "learner=bernoulli-bayes", "learner=max-margin C=1"};
    struct data all = make_counts(40, 6, 2, true, 3), some = make_counts(40, 6, 2, true, 3);
    some.rows = 0;
    for (size_t i = 0; i < all.rows; i++) {
        if (i % 4 != 2) {
            some.label[some.rows] = all.label[i];
            memcpy(some.x + 6 * some.rows++, all.x + 6 * i, 6 * sizeof *all.x);
        } else {
            all.held_out[i] = 1;
            all.x[6 * i + 3] = -100; // which Bayes would not take
        }
    }
    for (size_t l = 0; l < 4; l++) {
        struct tlu_learner a, b;
        solve_well(&a, &all, learners[l]);
        solve_well(&b, &some, learners[l]);
        assert_memory_equal(a.state.weights.w, b.state.weights.w, 6 * sizeof(double));
        assert_memory_equal(a.state.weights.bias, b.state.weights.bias, sizeof(double));
        learner_free_parts(&a);
        learner_free_parts(&b);
    }
    data_free(&all);
    data_free(&some);
}

// Where only one class has rows, everything is of that class.
static void only_one_class_has_rows(void **state)
{
    (void)state;
    static const char *const learners[] = {"learner=rocchio", "learner=multinomial-bayes",
                                           "learner=bernoulli-bayes", "learner=max-margin",
                                           "learner=max-margin C=1"};
    for (size_t l = 0; l < 5; l++) {
        for (uint32_t label = 0; label < 2; label++) {
            struct data data = make_counts(20, 6, 2, true, 3);
            for (size_t i = 0; i < 20; i++)
                data.label[i] = label;
            struct tlu_learner learner;
            solve_well(&learner, &data, learners[l]);
            for (size_t i = 0; i < 20; i++)
                assert_int_equal(elect(&learner, &data, i), label);
            learner_free_parts(&learner);
            data_free(&data);
        }
    }
}

// ---- no memory ----

static void runs_out_of_memory_cleanly(void **state)
{
    (void)state;
    static const char *const learners[] = {"learner=rocchio", "learner=multinomial-bayes",
                                           "learner=max-margin multiclass=ovo C=1"};
    struct data data = make_counts(30, 6, 3, true, 3);
    struct batch *batches[] = {batch_of(&data, 0, 30)};
    for (size_t l = 0; l < 3; l++) {
        tlu_status status = TLU_ERROR_SYSTEM;
        long n = 0;
        while (status != TLU_OK) {
            struct tlu_learner learner;
            tlu_error error = {0};
            learner_start(&learner, &data, learners[l]);
            fault_at(FAULT_MEMORY, ++n);
            status = learner.rule.functions->solve(&learner, batches, 1, &error);
            fault_at(FAULT_MEMORY, 0);
            assert_true(status == TLU_OK || status == TLU_ERROR_SYSTEM);
            learner_free_parts(&learner);
        }
        assert_true(n > 3);
    }
    batch_free(batches[0]);
    data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elkan_000_rocchio_quiz),
        cmocka_unit_test(elkan_000_rocchio_quiz_sketch),
        cmocka_unit_test(elkan_000_rocchio_fails_on_separable_data),
        cmocka_unit_test(cohen_004_section_2_naive_bayes),
        cmocka_unit_test(cohen_004_section_2_by_hand),
        cmocka_unit_test(multinomial_bayes_is_bayes),
        cmocka_unit_test(weights_of_classes_are_copies_of_rows),
        cmocka_unit_test(values_that_bayes_cannot_take),
        cmocka_unit_test(held_out_rows_are_left_alone),
        cmocka_unit_test(only_one_class_has_rows),
        cmocka_unit_test(runs_out_of_memory_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
