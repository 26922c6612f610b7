// The best hyperplane in the feature space of a kernel: by hand, against a slow second
// implementation, and by the proof that its multipliers are. Kernel matrices in the cache.
#include "batch_reference.h"

#include "solvers/kernel_margin.h"
#include "space/kernel_rows.h"

// "linear", "poly:2", "poly:3,0.5", "rbf:0.3", written out once more.
static double slow_kernel(const char *kernel, const struct data *data, size_t i, size_t j)
{
    double dot = 0, distance = 0, coef = 1;
    for (size_t f = 0; f < data->features; f++) {
        double a = value_at(data, i, f), b = value_at(data, j, f);
        dot += a * b;
        distance += (a - b) * (a - b);
    }
    if (strncmp(kernel, "rbf:", 4) == 0)
        return exp(-atof(kernel + 4) * distance);
    if (strncmp(kernel, "poly:", 5) != 0)
        return dot;
    if (strchr(kernel, ','))
        coef = atof(strchr(kernel, ',') + 1);
    return pow(dot + coef, atof(kernel + 5));
}

static double *slow_matrix(const char *kernel, const struct data *data)
{
    double *K = calloc(data->rows * data->rows, sizeof *K);
    assert_non_null(K);
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < data->rows; j++)
            K[i * data->rows + j] = slow_kernel(kernel, data, i, j);
    return K;
}

struct problem {
    const struct data *data;
    const char *kernel;
    double C; // 0: hard margin
    double *K;
    double *limit; // [rows]
};

// The dual, and the proof that it is the optimum, from the multipliers of a column alone.
static double prove_column(const struct tlu_learner *learner, const struct problem *problem,
                           uint32_t k)
{
    const struct data *data = problem->data;
    const struct solution *solution = learner->solving.solution;
    size_t n = data->rows;
    double *d = calloc(n, sizeof *d), *y = calloc(n, sizeof *y);
    double sum = 0, alphas = 0, square = 0, loss = 0, breach = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = side_of(learner, data->classes, k, data->label[i]);
    for (size_t s = 0; s < solution->count; s++) {
        const struct support *support = &solution->supports[s];
        if (support->column != k)
            continue;
        assert_true(support->id < n && y[support->id] != 0 && d[support->id] == 0);
        assert_true(support->alpha > 0);
        assert_true(problem->C == 0 || support->alpha <= problem->limit[support->id]);
        d[support->id] = y[support->id] * support->alpha;
        sum += d[support->id];
        alphas += support->alpha;
    }
    for (size_t i = 0; i < n; i++)
        assert_true(weight_at(learner, i, k) == d[i]);
    if (learner->rule.bias)
        assert_true(fabs(sum) <= 1e-9 * alphas);
    for (size_t i = 0; i < n; i++) {
        double score = 0, limit = problem->limit[i];
        for (size_t j = 0; j < n; j++)
            score += d[j] * problem->K[i * n + j];
        square += d[i] * score;
        double margin = y[i] * (score + learner->state.weights.bias[k]);
        if (y[i] == 0)
            continue;
        if (problem->C == 0)
            assert_true(margin >= 1 - 1e-7);
        else
            loss += limit * fmax(0, 1 - margin);
        // Karush, Kuhn and Tucker: alpha > 0 only at the margin or inside, C only inside.
        breach += fabs(d[i]) * fmax(0, margin - 1) +
                  (problem->C == 0 ? 0 : (limit - fabs(d[i])) * fmax(0, 1 - margin));
    }
    double primal = square / 2 + loss, dual = alphas - square / 2;
    if (!(primal - dual <= 1.01e-6 * primal && primal - dual >= -1e-8 * primal))
        fail_msg("%s C=%g: primal %.17g, dual %.17g", problem->kernel, problem->C, primal, dual);
    assert_true(breach <= 1.1e-6 * primal);
    double longest = 1 / (solution->margin * solution->margin); // |w|^2, of all columns
    assert_true(longest >= square - 1e-9 * (1 + square));
    free(d);
    free(y);
    return dual;
}

// Solves, and proves every column. Returns the sum of the duals.
static double solve_and_prove(const struct data *data, const char *kernel, double C,
                              const char *more)
{
    char settings[200];
    struct tlu_learner learner;
    struct problem problem = {.data = data, .kernel = kernel, .C = C};
    double dual = 0;
    int used = snprintf(settings, sizeof settings, "learner=max-margin kernel=%s %s", kernel, more);
    if (C > 0)
        snprintf(settings + used, sizeof settings - (size_t)used, " C=%g", C);
    solve_well(&learner, data, settings);
    problem.K = slow_matrix(kernel, data);
    problem.limit = calloc(data->rows, sizeof *problem.limit);
    for (size_t i = 0; i < data->rows; i++)
        problem.limit[i] = C;
    for (uint32_t k = 0; k < learner.state.weights.columns; k++)
        dual += prove_column(&learner, &problem, k);
    assert_true(learner.solving.solution->gap <= 1e-6);
    learner_free_parts(&learner);
    free(problem.K);
    free(problem.limit);
    return dual;
}

// ---- by hand ----

// XOR with (x . z + 1)^2: every row is a support vector with alpha 1/8, w is x1 x2 / sqrt(2), and
// the margin sqrt(2).
static void xor_by_hand(void **state)
{
    (void)state;
    static const float numbers[] = {1, -1, -1, 0, -1, 1, 0, 1, -1, 1, 1, 1};
    struct data data = data_of(4, 2, 2, numbers);
    struct tlu_learner learner;
    solve_well(&learner, &data, "learner=max-margin kernel=poly:2");
    assert_int_equal(learner.solving.solution->count, 4);
    for (size_t s = 0; s < 4; s++)
        assert_close(learner.solving.solution->supports[s].alpha, 0.125, 1e-6, "alpha");
    assert_close(learner.solving.solution->margin, sqrt(2), 1e-6, "margin");
    assert_close(learner.state.weights.bias[0], 0, 1e-9, "b");
    assert_true(learner.solving.solution->separable);
    learner_free_parts(&learner);
    solve_badly(&data, "learner=max-margin kernel=linear",
                "no hyperplane separates the classes in the feature space of the kernel");
    solve_badly(&data, "learner=max-margin kernel=linear", "--C 1 to allow errors");
    data_free(&data);
}

// Two rows at distance r with exp(-g r^2) = k: alpha = 1 / (1 - k), |w|^2 = 2 / (1 - k).
static void two_rows_by_hand(void **state)
{
    (void)state;
    static const float numbers[] = {0, 0, 0, 1, 1, 1};
    struct data data = data_of(2, 2, 2, numbers);
    struct tlu_learner learner;
    double k = exp(-0.5 * 2);
    solve_well(&learner, &data, "learner=max-margin kernel=rbf:0.5");
    assert_int_equal(learner.solving.solution->count, 2);
    assert_close(learner.solving.solution->supports[0].alpha, 1 / (1 - k), 1e-9, "alpha");
    assert_close(learner.solving.solution->margin, sqrt((1 - k) / 2), 1e-9, "margin");
    learner_free_parts(&learner);
    data_free(&data);
}

// ---- the proof ----

static void random_problems_are_optimal(void **state)
{
    (void)state;
    static const char *const kernels[] = {"linear", "poly:2",   "poly:3,0.5",
                                          "rbf:1",  "rbf:0.05", "rbf:0.3"};
    static const double prices[] = {0.01, 1, 30};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint32_t classes = seed % 5 == 0 ? 4 : 2;
        size_t rows = 8 + seed % 40, features = 1 + seed % 6;
        const char *more = seed % 7 == 0   ? "no-bias=yes"
                           : seed % 2 == 0 ? "multiclass=ovo"
                                           : "multiclass=ovr";
        struct data data = seed % 3 ? make_clouds(rows, features, classes, 0.8, seed % 2, seed)
                                    : make_counts(rows, features, classes, seed % 2, seed);
        for (size_t i = 3; i < rows && seed % 4 == 0; i += 5) { // rows that occur twice
            memcpy(data.x + i * features, data.x + (i - 2) * features, features * sizeof *data.x);
            data.label[i] = seed % 8 ? data.label[i - 2] : data.label[i];
        }
        solve_and_prove(&data, kernels[seed % 6], prices[seed % 3], more);
        data_free(&data);
    }
}

// With a narrow kernel every row is far from every other, so that all classes can be separated.
static void hard_margins_are_optimal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct data data = make_clouds(10 + seed, 3, seed % 4 ? 2 : 4, 0.3, false, seed);
        solve_and_prove(&data, seed % 2 ? "rbf:5" : "rbf:1", 0,
                        seed % 3 ? "multiclass=ovo" : "no-bias=yes");
        data_free(&data);
    }
}

static void many_rows(void **state)
{
    (void)state;
    struct data data = make_clouds(900, 4, 2, 0.5, false, 5);
    solve_and_prove(&data, "rbf:0.2", 1, "");
    solve_and_prove(&data, "rbf:0.2", 100, "");
    solve_and_prove(&data, "poly:2", 0.1, "no-bias=yes");
    data_free(&data);
}

// The same row in both classes.
static void rows_that_contradict(void **state)
{
    (void)state;
    static const float numbers[] = {0, 1, 2, 1, 1, 2, 0, 3, 1, 1, -1, 0};
    struct data data = data_of(4, 2, 2, numbers);
    static const char *const kernels[] = {"linear", "poly:3", "rbf:0.5"};
    for (size_t k = 0; k < 3; k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "learner=max-margin kernel=%s", kernels[k]);
        solve_badly(&data, settings, "no hyperplane separates the classes");
        solve_and_prove(&data, kernels[k], 1, "");
    }
    data_free(&data);
}

// The limit of a row is C times the weight of its class.
static void classes_with_weights(void **state)
{
    (void)state;
    struct data data = make_clouds(60, 3, 2, 0.5, false, 11);
    struct tlu_learner learner;
    struct problem problem = {.data = &data, .kernel = "rbf:0.3", .C = 2};
    solve_well(&learner, &data, "learner=max-margin kernel=rbf:0.3 C=2 class-weight=bee=5");
    problem.K = slow_matrix(problem.kernel, &data);
    problem.limit = calloc(data.rows, sizeof *problem.limit);
    for (size_t i = 0; i < data.rows; i++)
        problem.limit[i] = data.label[i] == 1 ? 10 : 2;
    prove_column(&learner, &problem, 0);
    learner_free_parts(&learner);
    free(problem.K);
    free(problem.limit);
    data_free(&data);
}

// ---- second implementations ----

// The dual by projected gradient steps with momentum, as slow_soft_margin, with a kernel matrix.
static double slow_dual(const struct data *data, const char *kernel, double C, bool bias)
{
    size_t n = data->rows;
    double *K = slow_matrix(kernel, data), momentum = 1, length = 1e-9, dual = 0;
    double *d = calloc(n, sizeof *d), *at = calloc(n, sizeof *at), *last = calloc(n, sizeof *last);
    double *y = calloc(n, sizeof *y), *limit = calloc(n, sizeof *limit);
    for (size_t i = 0; i < n; i++) {
        y[i] = data->label[i] == 1 ? 1 : -1;
        limit[i] = C;
        length += K[i * n + i]; // at least the largest curvature
    }
    for (int step = 0; step < 20000; step++) {
        for (size_t i = 0; i < n; i++) {
            double slope = y[i];
            for (size_t j = 0; j < n; j++)
                slope -= K[i * n + j] * at[j];
            last[i] = d[i];
            d[i] = at[i] + slope / length;
        }
        project(n, d, y, limit, bias);
        double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        for (size_t i = 0; i < n; i++)
            at[i] = d[i] + (momentum - 1) / next * (d[i] - last[i]);
        momentum = step % 500 == 499 ? 1 : next;
    }
    for (size_t i = 0; i < n; i++) {
        dual += y[i] * d[i];
        for (size_t j = 0; j < n; j++)
            dual -= d[i] * d[j] * K[i * n + j] / 2;
    }
    void *parts[] = {K, d, at, last, y, limit};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        free(parts[i]);
    return dual;
}

static void against_a_slow_solver(void **state)
{
    (void)state;
    static const char *const kernels[] = {"linear", "poly:2", "rbf:0.3"};
    for (size_t c = 0; c < 12; c++) {
        struct data data = make_clouds(24, 3, 2, 0.7, false, 70 + c);
        bool bias = c % 2;
        double C = c < 6 ? 0.1 : 1;
        double dual = solve_and_prove(&data, kernels[c % 3], C, bias ? "" : "no-bias=yes");
        assert_close(dual, slow_dual(&data, kernels[c % 3], C, bias), 1e-5, "the dual");
        data_free(&data);
    }
}

// With the linear kernel the plane is that of the weights.
static void linear_kernel_is_the_primal(void **state)
{
    (void)state;
    static const char *const prices[] = {"", " C=1"};
    for (size_t c = 0; c < 10; c++) {
        struct data data = make_separable(50, 4, 0.2, 30 + c);
        struct tlu_learner primal, dual;
        char settings[80];
        snprintf(settings, sizeof settings, "learner=max-margin%s", prices[c % 2]);
        solve_well(&primal, &data, settings);
        snprintf(settings, sizeof settings, "learner=max-margin kernel=linear%s", prices[c % 2]);
        solve_well(&dual, &data, settings);
        assert_close(dual.solving.solution->margin, primal.solving.solution->margin, 2e-6,
                     "the margin");
        for (size_t i = 0; i < data.rows; i++) {
            double score = dual.state.weights.bias[0];
            for (size_t j = 0; j < data.rows; j++)
                score += weight_at(&dual, j, 0) * slow_kernel("linear", &data, i, j);
            assert_close(score, score_of(&primal, &data, i, 0), 1e-2, "score");
        }
        learner_free_parts(&primal);
        learner_free_parts(&dual);
        data_free(&data);
    }
}

// ---- the kernel matrix ----

// Rows of every kind: whole numbers, fractions, many and few entries, descending order.
static void kernel_rows_against_single_values(void **state)
{
    (void)state;
    static const char *const kernels[] = {"linear", "poly:3,0.5", "rbf:0.05", "rbf:40"};
    for (size_t c = 0; c < 16; c++) {
        size_t n = 37 + 2 * c, features = c % 4 == 3 ? 60 : 9;
        struct data data =
            c % 2 ? make_counts(n, features, 2, false, c) : make_clouds(n, features, 2, 1, true, c);
        tlu_row *rows = calloc(n, sizeof *rows);
        uint32_t *indices = calloc(n * features, sizeof *indices);
        float *values = calloc(n * features, sizeof *values);
        for (size_t i = 0; i < n; i++) {
            size_t count = 0, from = i * features;
            for (size_t f = 0; f < features; f++) {
                size_t at = c >= 8 ? features - 1 - f : f;
                if (data.x[from + at] == 0)
                    continue;
                indices[from + count] = (uint32_t)at;
                values[from + count++] = data.x[from + at];
            }
            rows[i] = (tlu_row){count, indices + from, values + from};
        }
        struct kernel kernel;
        assert_int_equal(kernel_parse(&kernel, kernels[c % 4], NULL), TLU_OK);
        struct kernel_rows *all = kernel_rows_new(&kernel, rows, n, UINT64_MAX);
        struct kernel_rows *few = kernel_rows_new(&kernel, rows, n, 0); // a cache of two rows
        assert_non_null(all);
        assert_non_null(few);
        for (size_t step = 0; step < 3 * n; step++) {
            size_t i = step * 5 % n, j = step * 7 % n;
            const double *a = kernel_rows_get(few, i), *b = kernel_rows_get(few, j);
            const double *c_all = kernel_rows_get(all, i);
            assert_non_null(a);
            assert_non_null(b);
            assert_close(kernel_rows_own(all, i), c_all[i], 1e-12, "K_ii");
            for (size_t k = 0; k < n; k++) {
                assert_true(a[k] == c_all[k]);
                assert_close(a[k], slow_kernel(kernels[c % 4], &data, i, k), 1e-12, "K_ik");
                assert_close(b[k], slow_kernel(kernels[c % 4], &data, j, k), 1e-12, "K_jk");
            }
            // A pass leaves the rows in the cache as they are.
            size_t other = step * 11 % n;
            const double *passing = kernel_rows_pass(few, other);
            const double *expected = kernel_rows_get(all, other);
            assert_non_null(passing);
            assert_memory_equal(passing, expected, n * sizeof *passing);
            assert_true(a == b || (kernel_rows_pass(few, i) == a && kernel_rows_pass(few, j) == b));
            c_all = kernel_rows_get(all, i);
            assert_memory_equal(a, c_all, n * sizeof *a);
        }
        kernel_rows_free(all);
        kernel_rows_free(few);
        free(rows);
        free(indices);
        free(values);
        data_free(&data);
    }
}

// Blocks of values have the bits of single values, also where exp underflows.
static void kernel_values_have_the_same_bits(void **state)
{
    (void)state;
    struct random random;
    struct kernel kernel;
    double dots[103], norms[103], values[103];
    random_seed(&random, 4);
    for (int round = 0; round < 200; round++) {
        assert_int_equal(kernel_parse(&kernel, round % 2 ? "rbf:0.7" : "rbf:300", NULL), TLU_OK);
        for (size_t i = 0; i < 103; i++) {
            norms[i] = 2 * random_unit(&random);
            dots[i] = 2 * random_unit(&random) - 1;
        }
        kernel_values(&kernel, dots, 103, 1.5, norms, values);
        for (size_t i = 0; i < 103; i++) {
            assert_true(values[i] == kernel_value(&kernel, dots[i], 1.5, norms[i]));
            double distance = fmax(1.5 + norms[i] - 2 * dots[i], 0);
            assert_close(values[i], exp(-kernel.gamma * distance), 1e-14, "exp");
        }
    }
}

// ---- bits ----

static void same_bits_for_any_memory_and_threads(void **state)
{
    (void)state;
    static const char *const more[] = {"threads=1", "threads=2", "threads=5 memory=1K",
                                       "memory=3K"};
    static const char *const schemes[] = {"ovo", "ovr"};
    struct data data = make_clouds(150, 3, 4, 0.6, false, 21);
    for (size_t s = 0; s < 2; s++) {
        struct tlu_learner first, other;
        for (size_t m = 0; m < 4; m++) {
            char settings[120];
            snprintf(settings, sizeof settings,
                     "learner=max-margin kernel=rbf:0.3 C=1 multiclass=%s %s", schemes[s], more[m]);
            solve_well(m ? &other : &first, &data, settings);
            if (m == 0)
                continue;
            const struct weights *a = &first.state.weights, *b = &other.state.weights;
            assert_memory_equal(a->w, b->w, a->columns * data.rows * sizeof *a->w);
            assert_memory_equal(a->bias, b->bias, a->columns * sizeof *a->bias);
            learner_free_parts(&other);
        }
        learner_free_parts(&first);
    }
    data_free(&data);
}

static bool stop_at_once(void *context)
{
    ++*(int *)context;
    return true;
}

// Interrupted, the best d so far is kept, with its true gap.
static void ends_early(void **state)
{
    (void)state;
    struct data data = make_clouds(300, 4, 2, 0.4, false, 8);
    struct tlu_learner learner;
    tlu_error error = {0};
    int calls = 0;
    learner_start(&learner, &data, "learner=max-margin kernel=rbf:0.2 C=10");
    learner.solving.stop = stop_at_once;
    learner.solving.stop_context = &calls;
    struct batch *batch = batch_of(&data, 0, data.rows);
    assert_int_equal(learner.rule.functions->solve(&learner, &batch, 1, &error), TLU_OK);
    assert_true(calls > 0 && learner.solving.solution->gap > 1e-6);
    assert_true(learner.solving.solution->gap < 1); // that of the steps made, not of no weights
    assert_true(learner.solving.solution->count > 0);
    batch_free(batch);
    learner_free_parts(&learner);
    data_free(&data);
}

struct count_after {
    const struct kernel_rows *kernel;
    uint64_t rows; // computed when it wanted to stop
    int calls, before;
};

static bool stop_and_count(void *context)
{
    struct count_after *count = context;
    if (++count->calls <= count->before)
        return false;
    count->rows = kernel_rows_computed(count->kernel);
    return true;
}

// With many supports (the labels have nothing to do with the rows) no kernel row is computed after
// the wish to stop, wherever it comes: during the first steps, or while scores are computed.
static void ends_at_once(void **state)
{
    (void)state;
    size_t n = 2000, features = 2;
    struct data data = make_clouds(n, features, 2, 3, false, 5);
    struct plane_row *rows = calloc(n, sizeof *rows);
    tlu_row *xs = calloc(n, sizeof *xs);
    static const uint32_t indices[] = {0, 1};
    struct kernel kernel;
    assert_int_equal(kernel_parse(&kernel, "rbf:0.5", NULL), TLU_OK);
    for (int before = 6; before < 50; before += 6) {
        for (size_t i = 0; i < n; i++) {
            xs[i] = (tlu_row){features, indices, data.x + i * features};
            rows[i] = (struct plane_row){.x = xs[i], .id = i, .y = i % 2 ? 1 : -1, .limit = 1};
        }
        struct kernel_rows *values = kernel_rows_new(&kernel, xs, n, 0);
        struct count_after count = {.kernel = values, .before = before};
        struct plane plane = {.rows = rows,
                              .count = n,
                              .features = features,
                              .bias = true,
                              .stop = stop_and_count,
                              .context = &count};
        assert_non_null(values);
        assert_int_equal(kernel_margin_solve(&plane, values), PLANE_STOPPED);
        assert_int_equal(count.calls, before + 1);
        assert_int_equal(kernel_rows_computed(values), count.rows);
        assert_true(plane.gap <= 1 && plane.gap > 1e-6 && isfinite(plane.b) && plane.norm > 0);
        size_t supports = 0;
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            supports += rows[i].d != 0;
            sum += rows[i].d;
        }
        assert_true(supports > 400 && fabs(sum) < 1e-9);
        kernel_rows_free(values);
    }
    free(xs);
    free(rows);
    data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xor_by_hand),
        cmocka_unit_test(two_rows_by_hand),
        cmocka_unit_test(random_problems_are_optimal),
        cmocka_unit_test(hard_margins_are_optimal),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(rows_that_contradict),
        cmocka_unit_test(classes_with_weights),
        cmocka_unit_test(against_a_slow_solver),
        cmocka_unit_test(linear_kernel_is_the_primal),
        cmocka_unit_test(kernel_rows_against_single_values),
        cmocka_unit_test(kernel_values_have_the_same_bits),
        cmocka_unit_test(same_bits_for_any_memory_and_threads),
        cmocka_unit_test(ends_early),
        cmocka_unit_test(ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
