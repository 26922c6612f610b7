// The best separating hyperplane: by hand, against slow second implementations (batch_reference.h),
// and by the proof that its alphas are.
#include "batch_reference.h"
#include "trials.h"

// All that can be asked of a solution, for each column, from the alphas alone.
static void prove_optimal(const struct tlu_learner *learner, const struct data *data, double C)
{
    const struct solution *solution = learner->solving.solution;
    double *d = calloc(data->rows, sizeof *d), *y = calloc(data->rows, sizeof *y);
    double least_margin = INFINITY;
    bool separable = true;
    for (uint32_t k = 0; k < learner->state.weights.columns; k++) {
        double square = 0, sum = 0, alphas = 0, loss = 0, breach = 0;
        memset(d, 0, data->rows * sizeof *d);
        for (size_t i = 0; i < data->rows; i++)
            y[i] = side_of(learner, data->classes, k, data->label[i]);
        for (size_t s = 0; s < solution->count; s++) {
            const struct support *support = &solution->supports[s];
            if (support->column != k)
                continue;
            assert_true(support->id < data->rows && y[support->id] != 0);
            assert_true(support->alpha > 0 && (C == 0 || support->alpha <= C));
            assert_true(d[support->id] == 0); // no row twice
            d[support->id] = y[support->id] * support->alpha;
            sum += d[support->id];
            alphas += support->alpha;
        }
        for (size_t f = 0; f < data->features; f++) {
            double w = 0;
            for (size_t i = 0; i < data->rows; i++)
                w += d[i] * value_at(data, i, f);
            assert_close(weight_at(learner, f, k), w, 1e-9, "w = sum alpha y x");
            square += weight_at(learner, f, k) * weight_at(learner, f, k);
        }
        if (learner->rule.bias)
            assert_true(fabs(sum) <= 1e-9 * alphas);
        for (size_t i = 0; i < data->rows; i++) {
            double margin = y[i] * score_of(learner, data, i, k);
            if (y[i] == 0)
                continue;
            separable &= margin > 0;
            if (C == 0)
                assert_true(margin >= 1 - 1e-9);
            else
                loss += C * fmax(0, 1 - margin);
            // Karush, Kuhn and Tucker: alpha > 0 only at the margin or inside, C only inside.
            breach += fabs(d[i]) * fmax(0, margin - 1) +
                      (C == 0 ? 0 : (C - fabs(d[i])) * fmax(0, 1 - margin));
        }
        double primal = square / 2 + loss, dual = alphas - square / 2;
        assert_true(primal - dual <= 1.0001e-6 * primal && primal - dual >= -1e-9 * primal);
        assert_true(breach <= 1.01e-6 * primal);
        least_margin = fmin(least_margin, 1 / sqrt(square));
    }
    if (isinf(least_margin)) // w = 0: the classes have the same mean, or there is only one
        assert_true(isinf(solution->margin));
    else
        assert_close(solution->margin, least_margin, 1e-9, "margin");
    assert_true(solution->gap <= 1e-6);
    assert_int_equal(solution->separable, separable);
    free(d);
    free(y);
}

struct by_hand {
    size_t rows;
    float numbers[18];
    double w[2], b;
    size_t supports;
    double alpha[3]; // in the order of the rows
};

// Small sets, solved with pencil and paper.
static void kun_002_best_hyperplane_by_hand(void **state)
{
    (void)state;
    static const struct by_hand cases[] = {
        {2, {0, 0, 0, 1, 2, 2}, {0.5, 0.5}, -1, 2, {0.25, 0.25}},
        // one row against two, at the same distance from their line
        {3, {1, 0, 1, 0, -1, -1, 0, 1, -1}, {0, 1}, 0, 3, {0.5, 0.25, 0.25}},
        // rows far away change nothing
        {5, {1, 3, 0, 0, 1, 0, 1, 9, 5, 0, -7, 2, 1, 8, -4}, {1, 0}, -2, 2, {0.5, 0.5}},
        // AND of the notes: x + y = 3/2, between (1, 1) and the line through (1, 0) and (0, 1)
        {4, {0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1}, {2, 2}, -3, 3, {2, 2, 4}},
        // OR: x + y = 1/2
        {4, {0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1}, {2, 2}, -1, 3, {4, 2, 2}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct by_hand *by_hand = &cases[c];
        struct data data = data_of(by_hand->rows, 2, 2, by_hand->numbers);
        struct tlu_learner learner;
        solve_well(&learner, &data, "learner=max-margin");
        prove_optimal(&learner, &data, 0);
        assert_close(weight_at(&learner, 0, 0), by_hand->w[0], 1e-6, "w1");
        assert_close(weight_at(&learner, 1, 0), by_hand->w[1], 1e-6, "w2");
        assert_close(learner.state.weights.bias[0], by_hand->b, 1e-6, "b");
        assert_close(learner.solving.solution->margin, 1 / hypot(by_hand->w[0], by_hand->w[1]),
                     1e-6, "margin");
        assert_true(learner.solving.solution->separable);
        assert_int_equal(learner.solving.solution->count, by_hand->supports);
        for (size_t s = 0; s < by_hand->supports; s++)
            assert_close(learner.solving.solution->supports[s].alpha, by_hand->alpha[s], 1e-5,
                         "alpha");
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// All lines that could be the best are tried.
static void kun_002_best_hyperplane_in_the_plane(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct data data = make_separable(4 + seed % 20, 2, seed % 3 ? 0.05 : 0.4, seed);
        struct tlu_learner learner;
        solve_well(&learner, &data, "learner=max-margin");
        prove_optimal(&learner, &data, 0);
        double best = best_margin_in_2d(&data);
        double found = margin_in_2d(&data, weight_at(&learner, 0, 0), weight_at(&learner, 1, 0),
                                    learner.state.weights.bias[0]);
        assert_close(found, best, 1e-6, "the margin");
        assert_close(learner.solving.solution->margin, best, 1e-6, "the reported margin");
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// The same rows with one more feature, 1, that can do what the bias does.
static struct data with_ones(const struct data *data)
{
    struct data wider = data_new(data->rows, data->features + 1, data->classes);
    for (size_t i = 0; i < data->rows; i++) {
        wider.label[i] = data->label[i];
        memcpy(wider.x + i * wider.features, data->x + i * data->features,
               data->features * sizeof *data->x);
        wider.x[i * wider.features + data->features] = 1;
    }
    return wider;
}

static void compare_with_perceptron(const struct data *data, bool bias)
{
    double w[8], length = 0, margin = INFINITY;
    size_t features = data->features;
    struct tlu_learner learner;
    assert_true(perceptron(data, bias, w, 100000));
    solve_well(&learner, data, bias ? "learner=max-margin" : "learner=max-margin no-bias=yes");
    prove_optimal(&learner, data, 0);
    for (size_t f = 0; f < features; f++)
        length += w[f] * w[f];
    for (size_t i = 0; i < data->rows; i++) {
        double score = w[features];
        for (size_t f = 0; f < features; f++)
            score += w[f] * value_at(data, i, f);
        margin = fmin(margin, (data->label[i] ? score : -score) / sqrt(length));
    }
    assert_true(margin > 0 && learner.solving.solution->margin >= margin * (1 - 1e-6));
    learner_free_parts(&learner);
}

// "this algorithm does not find the best separating line by any means".
static void kun_002_best_hyperplane_beats_the_perceptron(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct data data = make_separable(60, 5, 0.2, 100 + seed), wider = with_ones(&data);
        compare_with_perceptron(&data, true);
        compare_with_perceptron(&wider, false);
        data_free(&data);
        data_free(&wider);
    }
}

// More rows than a block has; few features and many.
static void best_hyperplane_of_many_rows(void **state)
{
    (void)state;
    static const size_t features[] = {3, 40, 300};
    for (size_t s = 0; s < 3; s++) {
        struct data data =
            make_separable(getenv("TLU_LONG") ? 1500 : 600, features[s], 0.02, 9 + s);
        struct tlu_learner learner;
        solve_well(&learner, &data, "learner=max-margin");
        prove_optimal(&learner, &data, 0);
        assert_true(learner.solving.solution->margin >= 0.02 - 1e-6);
        learner_free_parts(&learner);
        for (size_t i = 0; i < data.rows; i += 10)
            data.label[i] = !data.label[i];
        solve_well(&learner, &data, "learner=max-margin C=0.5");
        prove_optimal(&learner, &data, 0.5);
        learner_free_parts(&learner);
        data_free(&data);
    }
}

static void random_problems_are_optimal(void **state)
{
    (void)state;
    static const double prices[] = {0.01, 1, 30};
    for (uint64_t seed = 1; seed <= unless_sanitized(300, 60); seed++) {
        uint32_t classes = seed % 5 == 0 ? 4 : 2;
        size_t rows = 8 + seed % 40, features = 1 + seed % 6;
        struct data data = seed % 3 ? make_clouds(rows, features, classes, 0.8, seed % 2, seed)
                                    : make_counts(rows, features, classes, seed % 2, seed);
        for (size_t i = 3; i < rows && seed % 4 == 0; i += 5) { // rows that occur twice
            memcpy(data.x + i * features, data.x + (i - 2) * features, features * sizeof *data.x);
            data.label[i] = seed % 8 ? data.label[i - 2] : data.label[i];
        }
        struct tlu_learner learner;
        char settings[80];
        snprintf(settings, sizeof settings, "learner=max-margin C=%g %s", prices[seed / 3 % 3],
                 seed % 7 == 0   ? "no-bias=yes"
                 : seed % 2 == 0 ? "multiclass=ovo"
                                 : "multiclass=ovr");
        solve_well(&learner, &data, settings);
        prove_optimal(&learner, &data, prices[seed / 3 % 3]);
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// The soft margin: the gap is a proof, and a solver that knows nothing else gets to the same value.
static void soft_margin_against_a_slow_solver(void **state)
{
    (void)state;
    static const double prices[] = {0.01, 1, 20};
    for (size_t c = 0; c < 12; c++) {
        struct data data = make_clouds(30, 3, 2, 0.7, true, 40 + c);
        double C = prices[c % 3], y[30], limit[30], alphas = 0, square = 0;
        bool bias = c < 6;
        struct tlu_learner learner;
        char settings[80];
        snprintf(settings, sizeof settings, "learner=max-margin C=%g no-bias=%s", C,
                 bias ? "no" : "yes");
        solve_well(&learner, &data, settings);
        prove_optimal(&learner, &data, C);
        for (size_t i = 0; i < 30; i++) {
            y[i] = data.label[i] == learner.state.scheme.positive ? 1 : -1;
            limit[i] = C;
        }
        for (size_t s = 0; s < learner.solving.solution->count; s++)
            alphas += learner.solving.solution->supports[s].alpha;
        for (size_t f = 0; f < 3; f++)
            square += weight_at(&learner, f, 0) * weight_at(&learner, f, 0);
        assert_close(alphas - square / 2, slow_soft_margin(&data, y, limit, bias), 1e-5, "dual");
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// A C that no row needs gives the hard margin.
static void soft_margin_becomes_hard(void **state)
{
    (void)state;
    struct data data = make_separable(80, 4, 0.3, 3);
    struct tlu_learner hard, soft;
    solve_well(&hard, &data, "learner=max-margin");
    solve_well(&soft, &data, "learner=max-margin C=1e6");
    prove_optimal(&soft, &data, 1e6);
    assert_close(soft.solving.solution->margin, hard.solving.solution->margin, 1e-6, "the margin");
    for (size_t f = 0; f < 4; f++)
        assert_close(weight_at(&soft, f, 0), weight_at(&hard, f, 0), 1e-3, "w");
    learner_free_parts(&hard);
    learner_free_parts(&soft);
    data_free(&data);
}

// ---- no hyperplane ----

// "three points on a line, where one point in class +1 separates two points in class -1", and XOR.
static void kun_002_best_hyperplane_where_there_is_none(void **state)
{
    (void)state;
    static const struct {
        size_t rows;
        float numbers[12];
        bool bias;
    } cases[] = {
        {3, {0, -1, 0, 1, 0, 0, 0, 1, 0}, true},
        {4, {1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1}, true},
        {2, {1, 3, 4, 0, 3, 4}, true},          // the same row twice
        {3, {0, 0, 0, 1, 3, 1, 0, 6, 2}, true}, // on a line, far from even
        {2, {1, 1, 2, 0, 2, 4}, false},         // one ray from the origin
        {3, {1, 1, 0, 1, -1, 1, 1, 0, -1}, false},
        {2, {1, 0, 0, 0, 1, 0}, false}, // nothing separates the origin from what passes through it
        {2, {1, 0, 0, 0, 0, 0}, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct data data = data_of(cases[c].rows, 2, 2, cases[c].numbers);
        char settings[60];
        snprintf(settings, sizeof settings, "learner=max-margin no-bias=%s",
                 cases[c].bias ? "no" : "yes");
        solve_badly(&data, settings, "no hyperplane separates the classes");
        solve_badly(&data, settings, "--C 1 to allow errors");
        struct tlu_learner learner;
        strcat(settings, " C=1");
        solve_well(&learner, &data, settings);
        assert_false(learner.solving.solution->separable);
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// One row in the wrong place among many: in the midst of the others, or just past the best plane's
// margin into the others' hull.
static void one_wrong_row_is_enough(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct data data = make_separable(700, 6, 0.3, seed);
        struct tlu_learner learner;
        solve_well(&learner, &data, "learner=max-margin");
        learner_free_parts(&learner);
        // The average of the negative rows, with the label of the positive ones.
        double sum[6] = {0}, count = 0;
        for (size_t i = 0; i < 699; i++)
            if (!data.label[i] && (seed % 2 || count < 2)) {
                count++;
                for (size_t f = 0; f < 6; f++)
                    sum[f] += value_at(&data, i, f);
            }
        data.label[699] = 1;
        for (size_t f = 0; f < 6; f++)
            data.x[699 * 6 + f] = (float)(sum[f] / count);
        solve_badly(&data, "learner=max-margin", "no hyperplane separates the classes");
        data_free(&data);
    }
}

// ---- several classes ----

static void best_hyperplanes_of_several_classes(void **state)
{
    (void)state;
    struct data data = make_clouds(120, 6, 5, 6, false, 2); // far enough from each other
    struct tlu_learner learner;
    solve_well(&learner, &data, "learner=max-margin");
    assert_int_equal(learner.state.scheme.kind, SCHEME_OVR); // its own default
    assert_int_equal(learner.state.weights.columns, 5);
    prove_optimal(&learner, &data, 0);
    learner_free_parts(&learner);
    solve_well(&learner, &data, "learner=max-margin multiclass=ovo");
    assert_int_equal(learner.state.weights.columns, 10);
    prove_optimal(&learner, &data, 0);
    for (size_t i = 0; i < data.rows; i++)
        assert_int_equal(elect(&learner, &data, i), data.label[i]);
    learner_free_parts(&learner);
    data_free(&data);

    struct data mixed = make_clouds(90, 4, 5, 0.5, true, 2);
    solve_badly(&mixed, "learner=max-margin", "separates class 'ant' from the others");
    solve_badly(&mixed, "learner=max-margin multiclass=ovo",
                "separates class 'ant' from class 'bee'");
    solve_well(&learner, &mixed, "learner=max-margin C=2");
    prove_optimal(&learner, &mixed, 2);
    learner_free_parts(&learner);
    solve_well(&learner, &mixed, "learner=max-margin C=2 multiclass=ovo");
    prove_optimal(&learner, &mixed, 2);
    learner_free_parts(&learner);
    data_free(&mixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kun_002_best_hyperplane_by_hand),
        cmocka_unit_test(kun_002_best_hyperplane_in_the_plane),
        cmocka_unit_test(kun_002_best_hyperplane_beats_the_perceptron),
        cmocka_unit_test(best_hyperplane_of_many_rows),
        cmocka_unit_test(random_problems_are_optimal),
        cmocka_unit_test(soft_margin_against_a_slow_solver),
        cmocka_unit_test(soft_margin_becomes_hard),
        cmocka_unit_test(kun_002_best_hyperplane_where_there_is_none),
        cmocka_unit_test(one_wrong_row_is_enough),
        cmocka_unit_test(best_hyperplanes_of_several_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
