// svm, logistic --solver dual and the start of max-margin: by the proof that the multipliers are,
// and against slow second implementations.
#include "base/fault.h"
#include "base/memory.h"
#include "batch_reference.h"
#include "solvers/crammer_singer.h"
#include "solvers/linear.h"
#include "trials.h"

#define GOAL 1e-6

// ---- two classes ----

struct problem {
    struct data data;
    enum linear_loss loss;
    bool bias;
    double C[2]; // of each class
    struct linear_solver linear;
    uint32_t *indices; // 0, 1, 2, ...: rows have all features
};

static double plain_loss(enum linear_loss loss, double m)
{
    switch (loss) {
    case LINEAR_HINGE:
        return m < 1 ? 1 - m : 0;
    case LINEAR_SQUARED_HINGE:
        return m < 1 ? (1 - m) * (1 - m) : 0;
    default:
        return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
    }
}

static void problem_prepare(struct problem *p)
{
    size_t n = p->data.features;
    p->indices = calloc(n, sizeof *p->indices);
    for (size_t f = 0; f < n; f++)
        p->indices[f] = (uint32_t)f;
    p->linear = (struct linear_solver){.loss = p->loss,
                                       .rows = calloc(p->data.rows, sizeof *p->linear.rows),
                                       .count = p->data.rows,
                                       .features = n,
                                       .bias = p->bias,
                                       .goal = GOAL,
                                       .seed = 1,
                                       .routines = vector_best()};
    for (size_t i = 0; i < p->data.rows; i++)
        p->linear.rows[i] = (struct linear_row){
            .x = {.count = n, .features = p->indices, .values = p->data.x + i * n},
            .y = p->data.label[i] ? 1 : -1,
            .C = p->C[p->data.label[i]]};
}

static void problem_solve(struct problem *p)
{
    problem_prepare(p);
    assert_true(linear_solve(&p->linear));
}

static void problem_free(struct problem *p)
{
    linear_free(&p->linear);
    free(p->linear.rows);
    free(p->indices);
    data_free(&p->data);
}

static double row_score(const struct problem *p, const double *w, size_t i)
{
    double score = p->bias ? w[p->data.features] : 0;
    for (size_t f = 0; f < p->data.features; f++)
        score += w[f] * value_at(&p->data, i, f);
    return score;
}

static double primal_of(const struct problem *p, const double *w)
{
    double value = 0;
    for (size_t f = 0; f <= p->data.features; f++)
        value += w[f] * w[f] / 2;
    for (size_t i = 0; i < p->data.rows; i++)
        value +=
            p->linear.rows[i].C * plain_loss(p->loss, p->linear.rows[i].y * row_score(p, w, i));
    return value;
}

// D(alpha); the alphas are feasible.
static double dual_value(const struct problem *p)
{
    size_t n = p->data.features;
    double value = 0, *w = calloc(n + 1, sizeof *w);
    for (size_t i = 0; i < p->data.rows; i++) {
        const struct linear_row *row = &p->linear.rows[i];
        double a = row->alpha, C = row->C;
        assert_true(a >= 0 && (a <= C || p->loss == LINEAR_SQUARED_HINGE));
        if (p->loss == LINEAR_LOGISTIC)
            value += C * log(C) - (a > 0 ? a * log(a) : 0) - (a < C ? (C - a) * log(C - a) : 0);
        else
            value += p->loss == LINEAR_HINGE ? a : a - a * a / (4 * C);
        for (size_t f = 0; f < n; f++)
            w[f] += a * row->y * value_at(&p->data, i, f);
        w[n] += p->bias ? a * row->y : 0;
    }
    for (size_t f = 0; f <= n; f++)
        value -= w[f] * w[f] / 2;
    free(w);
    return value;
}

static struct problem random_problem(uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    // One in ten has more features than Newton's method stores a Hessian for.
    size_t features = seed % 10 == 9 ? LINEAR_FEW + 5 : 1 + (size_t)random_below(&random, 8);
    size_t rows = 2 + (size_t)random_below(&random, seed % 10 == 9 ? 30 : 120);
    struct problem p = {
        .data = make_clouds(rows, features, 2, random_unit(&random), seed % 3 == 0, seed),
        .loss = (enum linear_loss)(seed % 3),
        .bias = seed % 4 != 0};
    p.C[0] = exp(4 * random_unit(&random) - 2);
    p.C[1] = seed % 2 ? p.C[0] : exp(4 * random_unit(&random) - 2);
    return p;
}

// P(w) >= D(alpha) for any w and feasible alpha, so a small difference proves that w is optimal.
static void optimal_by_its_multipliers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct problem p = random_problem(seed);
        problem_solve(&p);
        double primal = primal_of(&p, p.linear.w), dual = dual_value(&p);
        if (!(primal - dual <= GOAL * primal + 1e-9) || !(dual <= primal * (1 + 1e-9)))
            fail_msg("problem %u: %.17g and %.17g", (unsigned)seed, primal, dual);
        assert_close(p.linear.objective, primal, 1e-9, "the objective");
        assert_true(p.linear.gap <= GOAL);
        problem_free(&p);
    }
}

// Gradient descent with momentum (Nesterov), many small steps; the hinge by its dual.
static double slow_objective(const struct problem *p)
{
    size_t n = p->data.features, rows = p->data.rows;
    double *w = calloc(n + 1, sizeof *w), *last = calloc(n + 1, sizeof *w),
           *at = calloc(n + 1, sizeof *w), *g = calloc(n + 1, sizeof *w), steep = 1, momentum = 1;
    for (size_t i = 0; i < rows; i++) {
        double square = p->bias ? 1 : 0;
        for (size_t f = 0; f < n; f++)
            square += value_at(&p->data, i, f) * value_at(&p->data, i, f);
        steep += p->linear.rows[i].C * square * (p->loss == LINEAR_LOGISTIC ? 0.25 : 2);
    }
    for (int step = 0; step < 20000; step++) {
        memcpy(g, at, (n + 1) * sizeof *g);
        for (size_t i = 0; i < rows; i++) {
            double y = p->linear.rows[i].y, m = y * row_score(p, at, i), C = p->linear.rows[i].C;
            double slope = p->loss == LINEAR_LOGISTIC ? 1 / (1 + exp(m)) : m < 1 ? 2 * (1 - m) : 0;
            for (size_t f = 0; f < n; f++)
                g[f] -= C * slope * y * value_at(&p->data, i, f);
            g[n] -= p->bias ? C * slope * y : 0;
        }
        double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        for (size_t f = 0; f <= n; f++) {
            last[f] = w[f];
            w[f] = at[f] - g[f] / steep;
            at[f] = w[f] + (momentum - 1) / next * (w[f] - last[f]);
        }
        momentum = step % 500 == 499 ? 1 : next;
    }
    double value = primal_of(p, w);
    free(w);
    free(last);
    free(at);
    free(g);
    return value;
}

// The hinge by the slow solver of the soft margin, with the bias as a feature.
static double slow_hinge(const struct problem *p)
{
    size_t n = p->data.features, rows = p->data.rows;
    struct data with = data_new(rows, n + 1, 2);
    double *y = calloc(rows, sizeof *y), *limit = calloc(rows, sizeof *limit);
    for (size_t i = 0; i < rows; i++) {
        memcpy(with.x + i * (n + 1), p->data.x + i * n, n * sizeof *with.x);
        with.x[i * (n + 1) + n] = p->bias;
        y[i] = p->linear.rows[i].y;
        limit[i] = p->linear.rows[i].C;
    }
    double value = slow_soft_margin(&with, y, limit, false);
    data_free(&with);
    free(y);
    free(limit);
    return value;
}

static void against_slow_solvers(void **state)
{
    (void)state;
    for (uint64_t seed = 1000; seed < 1000 + unless_sanitized(18, 3); seed++) {
        struct problem p = random_problem(seed);
        if (p.data.features < 10) {
            problem_solve(&p);
            assert_close(p.linear.objective,
                         p.loss == LINEAR_HINGE ? slow_hinge(&p) : slow_objective(&p), 1e-5,
                         "the objective");
        } else {
            problem_solve(&p);
        }
        problem_free(&p);
    }
}

// One row, x = 2 with label +1, C = 1, no bias, by hand. Hinge: w = 1/2 has margin 1 and |w|^2/2 =
// 1/8. Squared hinge: w = 2 alpha and alpha = 2 (1 - 2 w): w = 4/9, P = 8/81 + 1/81 = 1/9.
static void by_hand(void **state)
{
    (void)state;
    const double weights[] = {0.5, 4.0 / 9}, objectives[] = {0.125, 1.0 / 9};
    for (int loss = 0; loss < 2; loss++) {
        struct problem p = {.data = data_new(1, 1, 2), .loss = (enum linear_loss)loss, .C = {1, 1}};
        p.data.x[0] = 2;
        p.data.label[0] = 1;
        problem_solve(&p);
        assert_close(p.linear.w[0], weights[loss], 1e-3, "the weight");
        assert_close(p.linear.objective, objectives[loss], 1e-6, "the objective");
        problem_free(&p);
    }
}

// The solver asks at least once a step whether to stop, here about twice.
static bool count_calls(void *context)
{
    ++*(int *)context;
    return false;
}

// Rows of large and unequal features that a hyperplane separates: the squared hinge and the
// logistic loss need few steps of Newton's method. Without the path of C the squared hinge needs
// 260.
static void separable_rows_take_few_steps(void **state)
{
    (void)state;
    enum { ROWS = 1000, FEATURES = 250 };
    for (int loss = LINEAR_SQUARED_HINGE; loss <= LINEAR_LOGISTIC; loss++) {
        struct random random;
        struct problem p = {.data = data_new(ROWS, FEATURES, 2),
                            .loss = (enum linear_loss)loss,
                            .bias = true,
                            .C = {1, 1}};
        int calls = 0;
        random_seed(&random, 1);
        for (size_t i = 0; i < ROWS; i++) {
            double score = 0;
            for (size_t f = 0; f < FEATURES; f++) {
                double z = (double)normal(&random);
                score += f % 2 ? z : -z;
                p.data.x[i * FEATURES + f] = (float)(1000 * exp(-(double)f / 40) * z);
            }
            p.data.label[i] = score > 0;
        }
        problem_prepare(&p);
        p.linear.stop = count_calls;
        p.linear.context = &calls;
        assert_true(linear_solve(&p.linear));
        assert_true(primal_of(&p, p.linear.w) - dual_value(&p) <= GOAL * p.linear.objective);
        assert_in_range(calls, 1, 240);
        problem_free(&p);
    }
}

// Rows of 40 nearly equal features that all share, and of three rare ones. Coordinate descent alone
// ends before it has reached the gap.
static void rows_much_alike_take_few_visits(void **state)
{
    (void)state;
    enum { ROWS = 400, SHARED = 40, FEATURES = LINEAR_FEW + 200 };
    for (int loss = LINEAR_HINGE; loss <= LINEAR_SQUARED_HINGE; loss++) {
        struct random random;
        struct problem p = {.data = data_new(ROWS, FEATURES, 2),
                            .loss = (enum linear_loss)loss,
                            .bias = true,
                            .C = {1, 1}};
        random_seed(&random, 1);
        for (size_t i = 0; i < ROWS; i++) {
            float *x = p.data.x + i * FEATURES;
            for (size_t f = 0; f < SHARED; f++)
                x[f] = (float)(10 + normal(&random));
            for (int rare = 0; rare < 3; rare++)
                x[SHARED + random_below(&random, FEATURES - SHARED)] = 1;
            p.data.label[i] = x[0] + x[1] > x[2] + x[3];
        }
        problem_solve(&p);
        assert_true(primal_of(&p, p.linear.w) - dual_value(&p) <= GOAL * p.linear.objective);
        assert_non_null(p.linear.work.face);
        assert_in_range(p.linear.work.visits, 1, 1000 * ROWS);
        problem_free(&p);
    }
}

// Rows of 100 counted words, few of which are frequent, and labels that they hardly tell.
// Shrinking leaves out rows that matter later: unless they return, the gap of all rows stays above
// 1e-4.
static void rows_left_out_return(void **state)
{
    (void)state;
    enum { ROWS = 1500, ENTRIES = 100, FEATURES = LINEAR_FEW + 500 };
    for (int loss = LINEAR_HINGE; loss <= LINEAR_SQUARED_HINGE; loss++) {
        struct random random;
        struct problem p = {.data = data_new(ROWS, FEATURES, 2),
                            .loss = (enum linear_loss)loss,
                            .bias = true,
                            .C = {1, 1}};
        random_seed(&random, 1);
        for (size_t i = 0; i < ROWS; i++) {
            double score = 0;
            for (int entry = 0; entry < ENTRIES; entry++) {
                size_t f = (size_t)(FEATURES * pow(random_unit(&random), 6));
                p.data.x[i * FEATURES + f] += 1;
                score += f % 3 == 0 ? 1 : f % 3 == 1 ? -1 : 0;
            }
            p.data.label[i] = score + 4 * (double)normal(&random) > 0;
        }
        problem_solve(&p);
        assert_true(primal_of(&p, p.linear.w) - dual_value(&p) <= GOAL * p.linear.objective);
        problem_free(&p);
    }
}

// Solves for this C from the multipliers of `before`, or from nothing. Returns how often the solver
// calls stop, which is more often the more it does.
static int effort_of(struct problem *p, double C, const struct problem *before)
{
    int calls = 0;
    p->C[0] = p->C[1] = C;
    problem_prepare(p);
    p->linear.stop = count_calls;
    p->linear.context = &calls;
    if (before) {
        p->linear.growth = C / before->C[0];
        for (size_t i = 0; i < p->data.rows; i++)
            p->linear.rows[i].alpha = before->linear.rows[i].alpha;
    }
    assert_true(linear_solve(&p->linear));
    assert_true(primal_of(p, p->linear.w) - dual_value(p) <= GOAL * p->linear.objective);
    return calls;
}

// Along a path of C the start from the multipliers before gives the same objectives with less
// effort, with few features and with many.
static void path_of_C_takes_less_effort(void **state)
{
    (void)state;
    for (int loss = LINEAR_HINGE; loss <= LINEAR_LOGISTIC; loss++)
        for (int many = 0; many < 2; many++) {
            size_t features = many ? LINEAR_FEW + 200 : 20, rows = 600;
            double spread = many ? 0.05 : 0.3;
            int cold_calls = 0, warm_calls = 0;
            uint64_t cold_visits = 0, warm_visits = 0;
            struct problem last = {.C = {0}};
            for (double C = 0.01; C < 1; C *= 2) {
                struct problem cold = {.loss = (enum linear_loss)loss, .bias = true}, warm;
                cold.data = make_clouds(rows, features, 2, spread, false, 3);
                warm = cold;
                warm.data = make_clouds(rows, features, 2, spread, false, 3);
                cold_calls += effort_of(&cold, C, NULL);
                warm_calls += effort_of(&warm, C, last.data.rows ? &last : NULL);
                cold_visits += cold.linear.work.visits;
                warm_visits += warm.linear.work.visits;
                assert_close(cold.linear.objective, warm.linear.objective, 2 * GOAL,
                             "the objective");
                problem_free(&cold);
                if (last.data.rows)
                    problem_free(&last);
                last = warm;
            }
            problem_free(&last);
            // With few features, steps of Newton's method for the hinge vary more than they gain.
            assert_true(warm_calls < cold_calls || (loss == LINEAR_HINGE && !many));
            assert_true(warm_visits <= cold_visits);
        }
}

// ---- winner takes all ----

static void crammer_singer_by_its_multipliers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint32_t classes = 2 + (uint32_t)(seed % 4);
        size_t n = 1 + seed % 5, rows = classes + seed % 60;
        struct data data = make_clouds(rows, n, classes, 1, false, seed + 7);
        struct crammer p = {.rows = calloc(rows, sizeof *p.rows),
                            .count = rows,
                            .features = n,
                            .classes = classes,
                            .bias = seed % 3 != 0,
                            .goal = GOAL,
                            .routines = vector_best()};
        for (size_t i = 0; i < rows; i++)
            p.rows[i] = (struct crammer_row){.x = {.count = n, .values = data.x + i * n},
                                             .label = data.label[i],
                                             .C = 0.1 + (double)(seed % 7)};
        assert_true(crammer_solve(&p));
        double primal = 0, dual = 0, w[5] = {0};
        for (size_t f = 0; f <= n; f++) {
            memset(w, 0, sizeof w);
            for (size_t i = 0; i < rows; i++)
                for (uint32_t k = 0; k < classes; k++)
                    w[k] += p.d[i * classes + k] * (f < n ? value_at(&data, i, f) : p.bias);
            for (uint32_t k = 0; k < classes; k++) {
                dual -= w[k] * w[k] / 2;
                primal += p.w[f * classes + k] * p.w[f * classes + k] / 2;
            }
        }
        for (size_t i = 0; i < rows; i++) {
            const double *d = p.d + i * classes;
            double sum = 0, own = 0, rival = -INFINITY;
            for (uint32_t k = 0; k < classes; k++) {
                double score = p.bias ? p.w[n * classes + k] : 0;
                for (size_t f = 0; f < n; f++)
                    score += p.w[f * classes + k] * value_at(&data, i, f);
                if (k == data.label[i])
                    own = score;
                else
                    rival = fmax(rival, score);
                sum += d[k];
                assert_true(d[k] <= (k == data.label[i] ? p.rows[i].C * (1 + 1e-12) : 0));
            }
            assert_true(fabs(sum) <= 1e-12 * p.rows[i].C);
            dual += d[data.label[i]];
            primal += p.rows[i].C * fmax(0, 1 - (own - rival));
        }
        if (!(primal - dual <= GOAL * primal + 1e-9) || !(dual <= primal * (1 + 1e-9)))
            fail_msg("problem %u: %.17g and %.17g", (unsigned)seed, primal, dual);
        crammer_free(&p);
        free(p.rows);
        data_free(&data);
    }
}

// ---- the learners ----

static const char *const settings[] = {
    "learner=svm",
    "learner=svm loss=squared-hinge C=0.3",
    "learner=logistic solver=dual C=2",
    "learner=svm multiclass=ovo",
    "learner=svm multiclass=wta",
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static double objective_of(const struct data *data, const char *text)
{
    struct tlu_learner learner;
    solve_well(&learner, data, text);
    double objective = learner.solving.solution->objective;
    assert_true(objective > 0 && learner.solving.solution->gap <= GOAL);
    learner_free_parts(&learner);
    return objective;
}

// The weights do not depend on threads or held-out rows.
static void same_bits(void **state)
{
    (void)state;
    struct data data = make_clouds(90, 4, 4, 1, true, 5), fewer = data_new(60, 4, 4);
    for (size_t i = 0, kept = 0; i < 90; i++) {
        data.held_out[i] = i % 3 == 2;
        if (data.held_out[i])
            continue;
        fewer.label[kept] = data.label[i];
        memcpy(fewer.x + 4 * kept++, data.x + 4 * i, 4 * sizeof *data.x);
    }
    for (int s = 0; s < SETTINGS; s++) {
        struct tlu_learner one, more;
        char text[100];
        snprintf(text, sizeof text, "%s threads=1", settings[s]);
        solve_well(&one, &data, text);
        snprintf(text, sizeof text, "%s threads=4", settings[s]);
        solve_well(&more, &fewer, text);
        uint32_t columns = one.state.weights.columns;
        assert_int_equal(columns, more.state.weights.columns);
        assert_memory_equal(one.state.weights.w, more.state.weights.w,
                            4 * columns * sizeof(double));
        assert_memory_equal(one.state.weights.bias, more.state.weights.bias,
                            columns * sizeof(double));
        learner_free_parts(&one);
        learner_free_parts(&more);
    }
    data_free(&data);
    data_free(&fewer);
}

// A class weight of 2 is as if its rows were there twice.
static void class_weights_are_copies(void **state)
{
    (void)state;
    struct data data = make_clouds(40, 3, 2, 1, false, 9), twice = data_new(80, 3, 2);
    size_t kept = 0;
    for (size_t i = 0; i < 40; i++)
        for (uint32_t copy = 0; copy <= data.label[i]; copy++) {
            twice.label[kept] = data.label[i];
            memcpy(twice.x + 3 * kept++, data.x + 3 * i, 3 * sizeof *data.x);
        }
    twice.rows = kept;
    for (int s = 0; s < 3; s++) {
        char text[100];
        snprintf(text, sizeof text, "%s class-weight=bee=2", settings[s]);
        assert_close(objective_of(&data, text), objective_of(&twice, settings[s]), 2e-6,
                     "the objective");
    }
    data_free(&data);
    data_free(&twice);
}

static void solve_from(struct tlu_learner *learner, const struct data *data, const char *text,
                       struct multipliers *multipliers, int *asked)
{
    tlu_error error;
    learner_start(learner, data, text);
    learner->solving.multipliers = multipliers;
    learner->solving.stop = count_calls;
    learner->solving.stop_context = asked;
    struct batch *batch = batch_of(data, 0, data->rows);
    assert_int_equal(learner->rule.functions->solve(learner, &batch, 1, &error), TLU_OK);
    batch_free(batch);
}

// From the multipliers of another C, a larger or a smaller one, each learner finds the same
// objective. Those of a problem of another size are not used.
static void starts_from_multipliers(void **state)
{
    (void)state;
    static const char *const more[] = {"learner=max-margin", "learner=max-margin"};
    struct data data = make_clouds(1500, 4, 3, 1, false, 5),
                few = make_clouds(90, 4, 3, 1, false, 5);
    int asked = 0;
    for (int s = 0; s < SETTINGS + 2; s++) {
        struct multipliers multipliers = {NULL, 0, 0};
        const struct data *rows = s == SETTINGS + 1 ? &few : &data;
        for (int step = 0; step < 3; step++) {
            static const char *const costs[] = {"0.5", "1", "0.7"};
            struct tlu_learner learner, other;
            char text[100];
            snprintf(text, sizeof text, "%s C=%s threads=1",
                     s < SETTINGS ? settings[s] : more[s - SETTINGS], costs[step]);
            if (step == 2) { // of fewer rows
                solve_from(&learner, &few, text, &multipliers, &asked);
                learner_free_parts(&learner);
            }
            solve_from(&learner, rows, text, &multipliers, &asked);
            solve_from(&other, rows, text, NULL, &asked);
            assert_close(learner.solving.solution->objective, other.solving.solution->objective,
                         2 * GOAL, "the objective");
            assert_true(learner.solving.solution->gap <= GOAL);
            learner_free_parts(&learner);
            learner_free_parts(&other);
        }
        memory_free(multipliers.alpha);
    }
    data_free(&data);
    data_free(&few);
}

static bool stop_at_once(void *context)
{
    (*(int *)context)++;
    return true;
}

static void can_be_told_to_end(void **state)
{
    (void)state;
    struct data data = make_clouds(60, 4, 4, 1, false, 5);
    for (int s = 0; s < SETTINGS; s++) {
        struct tlu_learner learner;
        tlu_error error;
        int asked = 0;
        char text[100];
        snprintf(text, sizeof text, "%s threads=1", settings[s]); // the calling thread asks
        learner_start(&learner, &data, text);
        learner.solving.stop = stop_at_once;
        learner.solving.stop_context = &asked;
        struct batch *batch = batch_of(&data, 0, 60);
        assert_int_equal(learner.rule.functions->solve(&learner, &batch, 1, &error), TLU_OK);
        assert_true(asked > 0 && learner.solving.solution->gap > GOAL);
        batch_free(batch);
        learner_free_parts(&learner);
    }
    data_free(&data);
}

static void without_memory(void **state)
{
    (void)state;
    struct data data = make_clouds(20, 3, 3, 4, false, 5);
    for (int s = 0; s < SETTINGS; s++) {
        tlu_status status = TLU_ERROR_SYSTEM;
        for (unsigned at = 1; status != TLU_OK; at++) {
            struct tlu_learner learner;
            tlu_error error = {0};
            char text[100];
            snprintf(text, sizeof text, "%s threads=1", settings[s]);
            learner_start(&learner, &data, text);
            struct batch *batch = batch_of(&data, 0, 20);
            fault_at(FAULT_MEMORY, at);
            status = learner.rule.functions->solve(&learner, &batch, 1, &error);
            fault_at(FAULT_MEMORY, 0);
            if (status != TLU_OK)
                assert_string_equal(error.text, "out of memory");
            assert_true(status == TLU_OK ? at > 8 : at < 80);
            batch_free(batch);
            learner_free_parts(&learner);
        }
    }
    data_free(&data);
}

// Above 512 rows max-margin starts from linear.c. It must end where the slow solver does.
static void max_margin_of_many_rows(void **state)
{
    (void)state;
    struct data data = make_clouds(700, 3, 2, 0.5, false, 11);
    double *y = calloc(700, sizeof *y), *limit = calloc(700, sizeof *limit);
    for (size_t i = 0; i < 700; i++) {
        y[i] = data.label[i] ? 1 : -1;
        limit[i] = 0.5;
    }
    for (int bias = 0; bias < 2; bias++) {
        double expected = slow_soft_margin(&data, y, limit, bias);
        assert_close(objective_of(&data, bias ? "learner=max-margin C=0.5"
                                              : "learner=max-margin C=0.5 no-bias=yes"),
                     expected, 1e-5, "the objective");
    }
    free(y);
    free(limit);
    data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(separable_rows_take_few_steps),
        cmocka_unit_test(rows_much_alike_take_few_visits),
        cmocka_unit_test(optimal_by_its_multipliers),
        cmocka_unit_test(against_slow_solvers),
        cmocka_unit_test(rows_left_out_return),
        cmocka_unit_test(path_of_C_takes_less_effort),
        cmocka_unit_test(crammer_singer_by_its_multipliers),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(class_weights_are_copies),
        cmocka_unit_test(starts_from_multipliers),
        cmocka_unit_test(can_be_told_to_end),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(max_margin_of_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
