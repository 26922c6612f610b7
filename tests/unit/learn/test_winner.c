// The winner takes all, with the largest margin (max-margin --multiclass wta): by hand, by the
// proof that its multipliers are, and against slow second implementations.
#include "base/fault.h"
#include "batch_reference.h"
#include "solvers/plane.h"
#include "solvers/winner.h"

enum { MAX_CLASSES = 5 };

// By how much row i is nearer to its own class than to another.
static double margin_between(const struct tlu_learner *learner, const struct data *data, size_t i,
                             uint32_t other)
{
    return score_of(learner, data, i, data->label[i]) - score_of(learner, data, i, other);
}

static double distance_between(const struct tlu_learner *learner, const struct data *data,
                               uint32_t j, uint32_t k)
{
    double square = 0;
    for (size_t f = 0; f < data->features; f++)
        square += pow(weight_at(learner, f, j) - weight_at(learner, f, k), 2);
    return sqrt(square);
}

// alpha [rows][classes] from the supports, with all that must hold of them alone.
static double *multipliers(const struct tlu_learner *learner, const struct data *data,
                           const double *limit)
{
    const struct solution *solution = learner->solving.solution;
    double *alpha = calloc(data->rows * data->classes, sizeof *alpha), all = 0;
    double sums[MAX_CLASSES] = {0};
    for (size_t s = 0; s < solution->count; s++) {
        const struct support *support = &solution->supports[s];
        assert_true(support->id < data->rows && support->column < data->classes);
        assert_true(support->column != data->label[support->id] && support->alpha > 0);
        double *at = &alpha[support->id * data->classes + support->column];
        assert_true(*at == 0); // none twice
        *at = support->alpha;
        all += support->alpha;
        sums[data->label[support->id]] += support->alpha;
        sums[support->column] -= support->alpha;
    }
    for (size_t i = 0; limit && i < data->rows; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < data->classes; k++)
            sum += alpha[i * data->classes + k];
        assert_true(sum <= limit[i] * (1 + 1e-9));
    }
    for (uint32_t k = 0; learner->rule.bias && k < data->classes; k++)
        assert_true(fabs(sums[k]) <= 1e-9 * all);
    return alpha;
}

// W(d), the weights that belong to the multipliers; returns |W(d)|^2, and |W - W(d)|^2.
static double weights_of(const struct tlu_learner *learner, const struct data *data,
                         const double *alpha, double *off)
{
    double square = 0;
    *off = 0;
    for (size_t f = 0; f < data->features; f++) {
        double w[MAX_CLASSES] = {0};
        for (size_t i = 0; i < data->rows; i++)
            for (uint32_t k = 0; k < data->classes; k++) {
                w[k] -= alpha[i * data->classes + k] * value_at(data, i, f);
                w[data->label[i]] += alpha[i * data->classes + k] * value_at(data, i, f);
            }
        for (uint32_t k = 0; k < data->classes; k++) {
            square += w[k] * w[k];
            *off += pow(w[k] - weight_at(learner, f, k), 2);
        }
    }
    return square;
}

// The reported margin, by what whole.h says.
static double reported(const struct tlu_learner *learner, const struct data *data, bool hard)
{
    double margin = INFINITY;
    for (size_t i = 0; hard && i < data->rows; i++)
        for (uint32_t k = 0; k < data->classes; k++)
            if (k != data->label[i])
                margin = fmin(margin, margin_between(learner, data, i, k) /
                                          distance_between(learner, data, data->label[i], k));
    for (uint32_t j = 0; !hard && j < data->classes; j++)
        for (uint32_t k = 0; k < j; k++)
            margin = fmin(margin, 1 / distance_between(learner, data, j, k));
    return margin;
}

// All that can be asked of a solution: primal and dual feasibility, the gap between the two, and
// the complementary slackness of Karush, Kuhn and Tucker. limit NULL: hard margin. The primal.
static double prove_optimal(const struct tlu_learner *learner, const struct data *data,
                            const double *limit)
{
    double *alpha = multipliers(learner, data, limit), off;
    double dual_square = weights_of(learner, data, alpha, &off);
    double square = 0, loss = 0, breach = 0, alphas = 0;
    bool separable = true;
    for (size_t f = 0; f < data->features; f++)
        for (uint32_t k = 0; k < data->classes; k++)
            square += pow(weight_at(learner, f, k), 2);
    for (size_t i = 0; i < data->rows; i++) {
        double least = INFINITY, sum = 0;
        for (uint32_t k = 0; k < data->classes; k++)
            if (k != data->label[i])
                least = fmin(least, margin_between(learner, data, i, k));
        double slack = limit ? fmax(0, 1 - least) : 0;
        separable &= least > 0;
        assert_true(limit || least >= 1 - 1e-9);
        for (uint32_t k = 0; k < data->classes; k++) {
            double a = alpha[i * data->classes + k];
            sum += a;
            if (a > 0)
                breach += a * (margin_between(learner, data, i, k) - 1 + slack);
        }
        alphas += sum;
        loss += limit ? limit[i] * slack : 0;
        breach += limit ? (limit[i] - sum) * slack : 0;
    }
    double primal = square / 2 + loss, gap = primal - (alphas - dual_square / 2);
    assert_true(gap <= 1.0001e-6 * primal && gap >= -1e-9 * primal);
    assert_true(breach <= 1.01e-6 * primal);
    assert_true(off <= 4.01e-6 * primal); // what such a gap allows, as |W|^2 is strongly convex
    assert_true(learner->solving.solution->gap <= 1e-6);
    assert_int_equal(learner->solving.solution->separable, separable);
    assert_close(learner->solving.solution->margin, reported(learner, data, !limit), 1e-9,
                 "margin");
    free(alpha);
    return primal;
}

// ---- by hand ----

static void winner_by_hand(void **state)
{
    (void)state;
    // A regular triangle: W_k = a x_k with (W_0 - W_1) . x_0 = a (1 + 1/2) = 1, and each multiplier
    // is 2/9, since W_0 = 2 alpha x_0 - alpha (x_1 + x_2) = 3 alpha x_0.
    float h = (float)sqrt(0.75);
    const float triangle[] = {0, 1, 0, 1, -0.5f, h, 2, -0.5f, -h};
    struct data data = data_of(3, 2, 3, triangle);
    for (int bias = 0; bias < 2; bias++) {
        struct tlu_learner learner;
        solve_well(&learner, &data,
                   bias ? "learner=max-margin multiclass=wta"
                        : "learner=max-margin multiclass=wta no-bias=yes");
        assert_int_equal(learner.state.scheme.kind, SCHEME_WTA);
        prove_optimal(&learner, &data, NULL);
        for (uint32_t k = 0; k < 3; k++)
            for (size_t f = 0; f < 2; f++)
                assert_close(weight_at(&learner, f, k), value_at(&data, k, f) * 2 / 3, 1e-3, "w");
        assert_close(learner.solving.solution->margin, sqrt(3) / 2, 1e-5, "half the side");
        assert_int_equal(learner.solving.solution->count, 6);
        for (size_t s = 0; s < 6; s++)
            assert_close(learner.solving.solution->supports[s].alpha, 2.0 / 9, 1e-3, "alpha");
        learner_free_parts(&learner);
    }
    data_free(&data);
    // Three on a line, of which ovr cannot tell the one in the middle from the others: the planes
    // are at -1/2 and 1/2, so W_1 - W_0 = W_2 - W_1 = 2.
    const float line[] = {0, -1, 1, 0, 2, 1};
    struct data three = data_of(3, 1, 3, line);
    struct tlu_learner learner;
    solve_badly(&three, "learner=max-margin", "separates class 'bee' from the others");
    solve_well(&learner, &three, "learner=max-margin multiclass=wta");
    assert_close(prove_optimal(&learner, &three, NULL), 4, 1e-5, "|W|^2 / 2");
    for (uint32_t k = 0; k < 3; k++)
        assert_close(weight_at(&learner, 0, k), 2 * (double)k - 2, 1e-3, "w");
    assert_close(learner.state.weights.bias[1] - learner.state.weights.bias[0], 1, 1e-3, "b");
    assert_close(learner.state.weights.bias[1] - learner.state.weights.bias[2], 1, 1e-3, "b");
    assert_close(learner.solving.solution->margin, 0.5, 1e-5, "margin");
    learner_free_parts(&learner);
    data_free(&three);
}

// ---- random problems ----

// The perceptron by Kesler's construction; whether it stops. *square := |W|^2 with a margin of 1.
static bool kesler(const struct data *data, bool bias, double *square)
{
    double w[MAX_CLASSES][8] = {{0}};
    size_t n = data->features;
    for (int pass = 0; pass < 3000; pass++) {
        double least = INFINITY;
        for (size_t i = 0; i < data->rows; i++)
            for (uint32_t k = 0; k < data->classes; k++) {
                uint32_t y = data->label[i];
                double score = w[y][n] - w[k][n];
                for (size_t f = 0; f < n; f++)
                    score += (w[y][f] - w[k][f]) * value_at(data, i, f);
                if (k == y)
                    continue;
                least = fmin(least, score);
                for (size_t f = 0; score <= 0 && f <= n; f++) {
                    double x = f < n ? value_at(data, i, f) : bias;
                    w[y][f] += x;
                    w[k][f] -= x;
                }
            }
        *square = 0;
        for (uint32_t k = 0; k < data->classes; k++)
            for (size_t f = 0; f < n; f++)
                *square += w[k][f] * w[k][f] / (least * least);
        if (least > 0)
            return true;
    }
    return false;
}

static void winner_of_random_rows(void **state)
{
    (void)state;
    size_t found = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint32_t classes = 3 + (uint32_t)(seed % 3);
        bool bias = seed % 2;
        struct data data = make_clouds(classes + seed % 23, 1 + seed % 6, classes, seed % 5 ? 2 : 5,
                                       seed % 7 == 0, seed);
        char settings[100];
        snprintf(settings, sizeof settings, "learner=max-margin multiclass=wta no-bias=%s",
                 bias ? "no" : "yes");
        struct tlu_learner learner;
        tlu_error error = {0};
        double square, primal;
        bool separable = kesler(&data, bias, &square);
        if (solve(&learner, &data, settings, &error) == TLU_OK) {
            primal = prove_optimal(&learner, &data, NULL);
            assert_true(!separable || primal <= square / 2 * (1 + 1e-6));
            found++;
        } else {
            assert_false(separable);
            assert_non_null(strstr(error.text, "no hyperplanes separate the classes"));
            assert_non_null(strstr(error.text, "--C 1 to allow errors"));
            refused++;
        }
        learner_free_parts(&learner);
        double C = pow(10, (double)(seed % 6) - 3), limit[64];
        for (size_t i = 0; i < data.rows; i++)
            limit[i] = data.label[i] == 1 ? 3 * C : C;
        snprintf(settings, sizeof settings,
                 "learner=max-margin multiclass=wta no-bias=%s C=%g class-weight=bee=3",
                 bias ? "no" : "yes", C);
        solve_well(&learner, &data, settings);
        prove_optimal(&learner, &data, limit);
        learner_free_parts(&learner);
        data_free(&data);
    }
    assert_true(found > 60 && refused > 60);
}

// The nearest multipliers of a row that are allowed: all at least 0, their sum at most C.
static void project_row(double *alpha, uint32_t classes, uint32_t label, double C)
{
    double from = 0, to = 1e6, sum = 0;
    for (uint32_t k = 0; k < classes; k++)
        sum += k == label ? 0 : fmax(0, alpha[k]);
    for (int step = 0; sum > C && step < 100; step++) {
        double middle = (from + to) / 2, now = 0;
        for (uint32_t k = 0; k < classes; k++)
            now += k == label ? 0 : fmax(0, alpha[k] - middle);
        *(now > C ? &from : &to) = middle;
    }
    for (uint32_t k = 0; k < classes; k++)
        alpha[k] = k == label ? 0 : fmax(0, alpha[k] - (sum > C ? to : 0));
}

// The dual without a bias, by small steps up its slope.
static double slow_dual(const struct data *data, double C)
{
    double alpha[24][3] = {{0}}, w[3][4], length = 1e-9, dual = 0;
    for (size_t i = 0; i < data->rows * data->features; i++)
        length += 4 * (double)data->x[i] * (double)data->x[i];
    for (int step = 0; step < 20000; step++) {
        dual = 0;
        memset(w, 0, sizeof w);
        for (size_t i = 0; i < data->rows; i++)
            for (uint32_t k = 0; k < 3; k++)
                for (size_t f = 0; f < data->features; f++) {
                    w[data->label[i]][f] += alpha[i][k] * value_at(data, i, f);
                    w[k][f] -= alpha[i][k] * value_at(data, i, f);
                }
        for (uint32_t k = 0; k < 3; k++)
            for (size_t f = 0; f < data->features; f++)
                dual -= w[k][f] * w[k][f] / 2;
        for (size_t i = 0; i < data->rows; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                double slope = 1;
                dual += alpha[i][k];
                for (size_t f = 0; f < data->features; f++)
                    slope -= (w[data->label[i]][f] - w[k][f]) * value_at(data, i, f);
                alpha[i][k] += slope / length;
            }
            project_row(alpha[i], 3, data->label[i], C);
        }
    }
    return dual;
}

static void winner_against_a_slow_solver(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct data data = make_clouds(24, 4, 3, 0.7, false, seed);
        double C = seed % 2 ? 0.1 : 1, limit[24];
        char settings[100];
        struct tlu_learner learner;
        snprintf(settings, sizeof settings, "learner=max-margin multiclass=wta no-bias=yes C=%g",
                 C);
        for (size_t i = 0; i < 24; i++)
            limit[i] = C;
        solve_well(&learner, &data, settings);
        assert_close(prove_optimal(&learner, &data, limit), slow_dual(&data, C), 1e-5, "dual");
        learner_free_parts(&learner);
        data_free(&data);
    }
}

// ---- two classes ----

// They are the plane's: W_1 - W_0 = w. |W|^2 / 2 is |w|^2 / 4, so that C counts twice as much.
static void winner_of_two_classes_is_the_plane(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bool hard = seed % 2, bias = seed % 4 < 2 || hard;
        struct data data = make_separable(40, 3, 0.2, seed);
        struct plane_row plane_rows[40];
        struct winner_row winner_rows[40];
        for (size_t i = 0; i < 40; i++) {
            tlu_row x = {.values = data.x + 3 * i, .count = 3};
            plane_rows[i] = (struct plane_row){
                .x = x, .y = data.label[i] ? 1 : -1, .limit = hard ? INFINITY : 0.6};
            winner_rows[i] =
                (struct winner_row){.x = x, .label = data.label[i], .limit = hard ? INFINITY : 0.3};
        }
        struct plane plane = {.rows = plane_rows,
                              .count = 40,
                              .features = 3,
                              .bias = bias,
                              .hard = hard,
                              .routines = &vector_reference};
        struct winner winner = {.rows = winner_rows,
                                .count = 40,
                                .features = 3,
                                .classes = 2,
                                .bias = bias,
                                .hard = hard,
                                .routines = &vector_reference};
        assert_int_equal(plane_solve(&plane), PLANE_FOUND);
        assert_int_equal(winner_solve(&winner), WINNER_FOUND);
        for (size_t f = 0; f < 3; f++) {
            assert_close(winner.w[2 * f + 1] - winner.w[2 * f], plane.w[f], 3e-3, "w");
            assert_close(winner.w[2 * f + 1] + winner.w[2 * f], 0, 1e-6, "W_0 + W_1");
        }
        assert_close(winner.b[1] - winner.b[0], plane.b, 5e-3, "b");
        plane_free(&plane);
        winner_free(&winner);
        data_free(&data);
    }
}

// ---- weights of rows, rows that take no part, and interruption ----

static void winner_of_weighted_rows(void **state)
{
    (void)state;
    struct data data = make_clouds(40, 4, 4, 1, false, 8);
    struct tlu_learner learner;
    tlu_error error;
    double limit[40];
    learner_start(&learner, &data, "learner=max-margin multiclass=wta C=0.5");
    struct batch *batch = batch_of(&data, 0, 40);
    assert_true(memory_reserve(&batch->weights, &batch->memory.weights_capacity, 40,
                               sizeof *batch->weights));
    batch->weighted = true;
    for (size_t i = 0; i < 40; i++) {
        batch->weights[i] = (float)(i % 4); // 0: as if the row were not there
        limit[i] = 0.5 * (double)(i % 4);
    }
    assert_int_equal(learner.rule.functions->solve(&learner, &batch, 1, &error), TLU_OK);
    for (size_t s = 0; s < learner.solving.solution->count; s++)
        assert_true(learner.solving.solution->supports[s].id % 4 != 0);
    learner.solving.solution->separable = false; // which is about the rows that count
    prove_optimal(&learner, &data, limit);
    batch_free(batch);
    learner_free_parts(&learner);
    data_free(&data);
}

static void winner_leaves_held_out_rows_alone(void **state)
{
    (void)state;
    struct data data = make_clouds(40, 4, 4, 3, false, 5), fewer = data_new(30, 4, 4);
    struct tlu_learner learner, other;
    for (size_t i = 0, kept = 0; i < 40; i++) {
        if (i % 4 == 3) {
            data.held_out[i] = 1;
            continue;
        }
        fewer.label[kept] = data.label[i];
        memcpy(fewer.x + 4 * kept++, data.x + 4 * i, 4 * sizeof *data.x);
    }
    solve_well(&learner, &data, "learner=max-margin multiclass=wta C=1");
    solve_well(&other, &fewer, "learner=max-margin multiclass=wta C=1");
    assert_memory_equal(learner.state.weights.w, other.state.weights.w, 16 * sizeof(double));
    assert_memory_equal(learner.state.weights.bias, other.state.weights.bias, 4 * sizeof(double));
    learner_free_parts(&learner);
    learner_free_parts(&other);
    // A class without rows never wins.
    for (size_t i = 0; i < 30; i++)
        fewer.label[i] = fewer.label[i] == 2 ? 1 : fewer.label[i];
    solve_well(&learner, &fewer, "learner=max-margin multiclass=wta C=1");
    for (size_t i = 0; i < 30; i++)
        assert_true(elect(&learner, &fewer, i) != 2);
    learner_free_parts(&learner);
    // Nor if there is only one.
    memset(fewer.label, 0, 30 * sizeof *fewer.label);
    solve_well(&learner, &fewer, "learner=max-margin multiclass=wta");
    for (size_t i = 0; i < 30; i++)
        assert_int_equal(elect(&learner, &fewer, i), 0);
    learner_free_parts(&learner);
    data_free(&data);
    data_free(&fewer);
}

static bool stop_at_once(void *context)
{
    return ++*(int *)context > 3;
}

static void winner_can_be_told_to_end(void **state)
{
    (void)state;
    struct data data = make_clouds(60, 4, 4, 1, false, 5);
    struct tlu_learner learner;
    tlu_error error;
    int asked = 0;
    learner_start(&learner, &data, "learner=max-margin multiclass=wta C=1");
    learner.solving.stop = stop_at_once;
    learner.solving.stop_context = &asked;
    struct batch *batch = batch_of(&data, 0, 60);
    assert_int_equal(learner.rule.functions->solve(&learner, &batch, 1, &error), TLU_OK);
    assert_true(asked > 3 && asked < 10 && learner.solving.solution->gap > 1e-6);
    batch_free(batch);
    learner_free_parts(&learner);
    data_free(&data);
}

// Whatever allocation fails, the learner says so and nothing is lost.
static void winner_without_memory(void **state)
{
    (void)state;
    struct data data = make_clouds(20, 3, 3, 4, false, 5);
    tlu_status status = TLU_ERROR_SYSTEM;
    for (unsigned at = 1; status != TLU_OK; at++) {
        struct tlu_learner learner;
        tlu_error error = {0};
        learner_start(&learner, &data, "learner=max-margin multiclass=wta C=1");
        struct batch *batch = batch_of(&data, 0, 20);
        fault_at(FAULT_MEMORY, at);
        status = learner.rule.functions->solve(&learner, &batch, 1, &error);
        fault_at(FAULT_MEMORY, 0);
        if (status != TLU_OK)
            assert_string_equal(error.text, "out of memory");
        assert_true(status == TLU_OK ? at > 20 : at < 60);
        batch_free(batch);
        learner_free_parts(&learner);
    }
    data_free(&data);
}

// ---- none ----

static void winner_where_there_is_none(void **state)
{
    (void)state;
    static const struct {
        size_t rows;
        float numbers[15];
        bool bias;
    } cases[] = {
        {4, {0, 0, 0, 1, 3, 4, 2, 3, 4, 0, 9, 9}, true},          // the same row in two classes
        {4, {0, -1, 0, 1, 0, 0, 0, 1, 0, 2, 5, 5}, true},         // on both sides of a class
        {3, {0, 1, 0, 1, 0, 0, 2, 0, 1}, false},                  // the origin is in no class
        {3, {0, 1, 1, 1, 2, 2, 2, 0, 1}, false},                  // one ray
        {5, {0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 2, 7, 7}, true}, // XOR
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct data data = data_of(cases[c].rows, 2, 3, cases[c].numbers);
        char settings[80];
        struct tlu_learner learner;
        double limit[] = {1, 1, 1, 1, 1};
        snprintf(settings, sizeof settings, "learner=max-margin multiclass=wta no-bias=%s",
                 cases[c].bias ? "no" : "yes");
        solve_badly(&data, settings, "no hyperplanes separate the classes with the winner taking");
        strcat(settings, " C=1");
        solve_well(&learner, &data, settings);
        prove_optimal(&learner, &data, limit);
        learner_free_parts(&learner);
        data_free(&data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winner_by_hand),
        cmocka_unit_test(winner_of_random_rows),
        cmocka_unit_test(winner_against_a_slow_solver),
        cmocka_unit_test(winner_of_two_classes_is_the_plane),
        cmocka_unit_test(winner_of_weighted_rows),
        cmocka_unit_test(winner_leaves_held_out_rows_alone),
        cmocka_unit_test(winner_can_be_told_to_end),
        cmocka_unit_test(winner_without_memory),
        cmocka_unit_test(winner_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
