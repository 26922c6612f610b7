// The online learners: each against a slow second implementation (online_reference.h) on random
// data, and what its paper promises of a step.
#include "base/random.h"
#include "learn/decision.h"
#include "learn/learner.h"
#include "online_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FEATURES = 12, CLASSES = 5, ROWS = 90, PASSES = 4, MAX_PROBLEMS = 10 };

// ---- data ----

struct data {
    size_t count;
    struct {
        uint32_t features[FEATURES];
        float values[FEATURES];
        tlu_row x;
        uint32_t class_index;
        uint32_t set[CLASSES + 1]; // --multilabel: how many labels, and which
        double weight;
    } rows[ROWS];
};

// Sparse rows of which random planes tell the classes apart, but for some noise. With `mixed` every
// third has no values, that is, ones. The labels of a row are the classes on whose side it is.
static void make_data(struct data *data, uint32_t classes, bool mixed, bool weighted, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    double planes[CLASSES][FEATURES + 1];
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t f = 0; f <= FEATURES; f++)
            planes[c][f] = random_normal(&random);
    data->count = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        size_t count = 0;
        bool ones = mixed && i % 3 == 2;
        double scores[CLASSES];
        for (size_t c = 0; c < CLASSES; c++)
            scores[c] = planes[c][FEATURES];
        for (uint32_t f = 0; f < FEATURES; f++) {
            if (random_below(&random, 2))
                continue;
            float value = ones ? 1 : (float)random_normal(&random);
            data->rows[i].features[count] = f;
            data->rows[i].values[count++] = value;
            for (size_t c = 0; c < CLASSES; c++)
                scores[c] += planes[c][f] * (double)value;
        }
        data->rows[i].x = (tlu_row){.features = data->rows[i].features,
                                    .values = ones ? NULL : data->rows[i].values,
                                    .count = count};
        uint32_t best = 0;
        for (uint32_t c = 1; c < classes; c++)
            if (scores[c] > scores[best])
                best = c;
        if (random_below(&random, 20) == 0)
            best = (uint32_t)random_below(&random, classes);
        data->rows[i].class_index = best;
        uint32_t *set = data->rows[i].set;
        set[0] = 0;
        for (uint32_t c = 0; c < classes; c++)
            if ((scores[c] > 0) == (i % 20 != 7)) // and some noise
                set[++set[0]] = c;
        data->rows[i].weight = weighted ? 0.25 * (double)(1 + random_below(&random, 8)) : 1;
    }
}

// ---- the learner ----

static void start(struct tlu_learner *learner, const char *settings, uint32_t classes)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_error error = {0};
    char text[200];
    snprintf(text, sizeof text, "%s", settings);
    for (char *item = strtok(text, " "); item; item = strtok(NULL, " ")) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        assert_int_equal(tlu_options_set(options, item, value, &error), TLU_OK);
    }
    if (learner_init(learner, options, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    tlu_options_free(options);
    assert_true(weights_reserve(&learner->state.weights, FEATURES));
    assert_int_equal(learner_add_classes(learner, classes, &error), TLU_OK);
}

static void learn(struct tlu_learner *learner, const struct data *data, size_t i)
{
    bool wrong;
    if (learner->state.schema.multilabel) {
        struct example example = {.x = data->rows[i].x, .id = i, .weight = data->rows[i].weight};
        example_take_set(&example, data->rows[i].set);
        assert_int_equal(learner_learn_row(learner, &example, false, &wrong, NULL), TLU_OK);
        return;
    }
    assert_int_equal(learner_learn(learner, &data->rows[i].x, i, data->rows[i].class_index,
                                   data->rows[i].weight, &wrong, NULL),
                     TLU_OK);
}

// ---- the second implementation, with the schemes ----

struct run {
    struct parameters with;
    uint32_t classes;
    bool bias;
    char scheme;  // '2', 'w'ta, 'r'est, 'o'ne, 'm'ultilabel
    size_t width; // of a weight vector: the features and the bias
    struct problem problems[MAX_PROBLEMS];
    size_t problem_count;
};

static void run_start(struct run *run)
{
    run->width = run->bias ? FEATURES + 1 : FEATURES;
    bool each = run->scheme == 'r' || run->scheme == 'm';
    run->problem_count = each                 ? run->classes
                         : run->scheme == 'o' ? run->classes * (run->classes - 1) / 2
                                              : 1;
    size_t size = run->scheme == 'w' ? run->width * run->classes : run->width;
    bool second_order =
        strcmp(run->with.learner, "arow") == 0 || strncmp(run->with.learner, "scw", 3) == 0;
    for (size_t p = 0; p < run->problem_count; p++) {
        problem_start(&run->problems[p], size, second_order ? 1 : 0);
        for (size_t i = 0; run->bias && i < size; i++)
            run->problems[p].is_bias[i] = i % run->width == FEATURES;
    }
}

// y x in the block of a class, or in the only one.
static void put(double *z, const struct run *run, const double *x, uint32_t block, double y)
{
    for (size_t i = 0; i < run->width; i++)
        z[block * run->width + i] = y * x[i];
}

static void ask_winner_takes_all(struct run *run, const double *x, uint32_t k, double weight)
{
    struct problem *p = &run->problems[0];
    double scores[CLASSES] = {0}, z[MAX_SIZE] = {0};
    uint32_t rival = k == 0 ? 1 : 0;
    for (uint32_t c = 0; c < run->classes; c++) {
        scores[c] = dot(p->w + c * run->width, x, run->width);
        if (c != k && scores[c] > scores[rival])
            rival = c;
    }
    if (strcmp(run->with.learner, "logistic") == 0) {
        learn_softmax(p, &run->with, x, run->width, k, weight);
        return;
    }
    put(z, run, x, k, 1);
    put(z, run, x, rival, -1);
    problem_learn(p, &run->with, z, scores[k] - scores[rival], weight);
}

static void ask_one(struct run *run, size_t p, const double *x, double y, double weight)
{
    double z[MAX_SIZE] = {0};
    put(z, run, x, 0, y);
    problem_learn(&run->problems[p], &run->with, z, dot(run->problems[p].w, z, run->width), weight);
}

static void run_learn(struct run *run, const struct data *data, size_t i)
{
    double x[FEATURES + 1] = {0};
    x[FEATURES] = 1;
    for (size_t j = 0; j < data->rows[i].x.count; j++)
        x[data->rows[i].features[j]] = data->rows[i].x.values ? (double)data->rows[i].values[j] : 1;
    uint32_t k = data->rows[i].class_index;
    double weight = data->rows[i].weight;
    if (run->scheme == '2')
        ask_one(run, 0, x, k == 1 ? 1 : -1, weight);
    if (run->scheme == 'w')
        ask_winner_takes_all(run, x, k, weight);
    for (uint32_t c = 0; run->scheme == 'r' && c < run->classes; c++)
        ask_one(run, c, x, c == k ? 1 : -1, weight);
    // Problems that have nothing to do with each other: y is whether the row has the label.
    for (uint32_t c = 0; run->scheme == 'm' && c < run->classes; c++) {
        bool has = false;
        for (uint32_t n = 1; n <= data->rows[i].set[0]; n++)
            has = has || data->rows[i].set[n] == c;
        ask_one(run, c, x, has ? 1 : -1, weight);
    }
    // Pairs in the order (0,1) (0,2) (1,2) (0,3) ...; the later class is the positive one.
    size_t p = 0;
    for (uint32_t b = 1; run->scheme == 'o' && b < run->classes; b++)
        for (uint32_t a = 0; a < b; a++, p++)
            if (k == a || k == b)
                ask_one(run, p, x, k == b ? 1 : -1, weight);
    for (p = 0; p < run->problem_count; p++)
        problem_count(&run->problems[p]);
}

// ---- comparison ----

static void compare(const char *settings, const struct run *run, struct tlu_learner *learner,
                    bool average)
{
    weights_settle(&learner->state.weights);
    const struct weights *weights = &learner->state.weights;
    bool stateful = weights->state != NULL;
    for (uint32_t column = 0; column < weights->columns; column++) {
        const struct problem *p = &run->problems[run->scheme == 'w' ? 0 : column];
        size_t block = run->scheme == 'w' ? column * run->width : 0;
        double largest = 1e-300;
        for (size_t i = 0; i < run->width; i++) {
            double w = p->w[block + i], mean = p->total[block + i] / p->examples;
            largest = fmax(largest, fmax(fabs(w), fabs(mean)));
        }
        for (size_t i = 0; i < run->width; i++) {
            bool is_bias = i == FEATURES;
            double expected = average ? p->total[block + i] / p->examples : p->w[block + i];
            double totals[16] = {0};
            assert_true(weights->columns <= 16);
            if (!is_bias)
                weights_totals(weights, i, totals);
            double got = (is_bias ? weights_total_bias(weights, column) : totals[column]) /
                         weights_divisor(weights);
            if (!(fabs(got - expected) <= 1e-9 * largest))
                fail_msg("%s: column %u, weight %zu is %.17g, not %.17g", settings, column, i, got,
                         expected);
            if (!stateful)
                continue;
            double state = is_bias ? weights->state_bias[column]
                                   : weights_state(weights, i * weights->columns + column);
            if (!(fabs(state - p->s[block + i]) <= 1e-9 * p->s[block + i]))
                fail_msg("%s: column %u, state %zu is %.17g, not %.17g", settings, column, i, state,
                         p->s[block + i]);
        }
    }
}

static void run_both(struct run *run, const char *settings, const struct data *data, bool average)
{
    struct tlu_learner learner;
    char all[300];
    snprintf(all, sizeof all, "learner=%s %s no-bias=%s decide=%s %s", run->with.learner, settings,
             run->bias ? "no" : "yes", average ? "average" : "last",
             run->scheme == 'r'   ? "multiclass=ovr"
             : run->scheme == 'o' ? "multiclass=ovo"
             : run->scheme == 'm' ? "multilabel=yes"
                                  : "multiclass=wta");
    start(&learner, all, run->classes);
    run_start(run);
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < data->count; i++) {
            learn(&learner, data, i);
            run_learn(run, data, i);
        }
    assert_true(learner.state.updates > 10);
    compare(all, run, &learner, average);
    learner_free_parts(&learner);
}

static void equal_to_reference(const struct parameters *with, const char *settings)
{
    for (int variant = 0; variant < 40; variant++) {
        bool bias = variant & 1, average = variant & 2, weighted = variant & 4;
        char scheme = "2wrom"[variant >> 3];
        uint32_t classes = scheme == '2' ? 2 : CLASSES;
        struct data *data = malloc(sizeof *data);
        struct run *run = malloc(sizeof *run);
        assert_non_null(data);
        assert_non_null(run);
        make_data(data, classes, true, weighted, (uint64_t)variant + 1);
        *run = (struct run){.with = *with, .classes = classes, .bias = bias, .scheme = scheme};
        run_both(run, settings, data, average);
        free(run);
        free(data);
    }
}

#define EQUAL(name, settings, ...)                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        equal_to_reference(&(struct parameters){__VA_ARGS__}, settings);                           \
    }

EQUAL(perceptron, "", .learner = "perceptron", .rate = 1)
EQUAL(perceptron_margin, "rate=0.7 margin=2", .learner = "perceptron", .rate = 0.7, .margin = 2)
EQUAL(pa, "", .learner = "pa")
EQUAL(pa1, "", .learner = "pa1", .C = 0.1)
EQUAL(pa2, "C=0.5", .learner = "pa2", .C = 0.5)
EQUAL(romma, "", .learner = "romma")
EQUAL(aromma, "", .learner = "aromma")
EQUAL(alma, "", .learner = "alma", .alpha = 0.9)
EQUAL(alma_closer, "alpha=0.3", .learner = "alma", .alpha = 0.3)
EQUAL(arow, "", .learner = "arow", .r = 10)
EQUAL(arow_hasty, "r=0.5", .learner = "arow", .r = 0.5)
EQUAL(arow_precision, "diagonal=precision", .learner = "arow", .r = 10, .precision = true)
EQUAL(arow_hasty_precision, "r=0.5 diagonal=precision", .learner = "arow", .r = 0.5,
      .precision = true)
EQUAL(scw1_precision, "C=2 confidence=0.95 diagonal=precision", .learner = "scw1", .C = 2,
      .confidence = 0.95, .precision = true)
EQUAL(scw2_precision, "diagonal=precision", .learner = "scw2", .C = 0.1, .confidence = 0.75,
      .precision = true)
EQUAL(scw1, "", .learner = "scw1", .C = 0.1, .confidence = 0.75)
EQUAL(scw1_sure, "C=2 confidence=0.95", .learner = "scw1", .C = 2, .confidence = 0.95)
EQUAL(scw2, "", .learner = "scw2", .C = 0.1, .confidence = 0.75)
EQUAL(scw2_sure, "C=2 confidence=0.95", .learner = "scw2", .C = 2, .confidence = 0.95)
EQUAL(hinge, "", .learner = "hinge", .schedule = "adagrad", .rate = 0.3)
EQUAL(hinge_constant, "schedule=constant", .learner = "hinge", .schedule = "constant", .rate = 0.3)
EQUAL(hinge_l2, "schedule=sqrt rate=2 l2=0.3", .learner = "hinge", .schedule = "sqrt", .rate = 2,
      .l2 = 0.3)
// Weights that all but vanish at each step: scales are multiplied out, or are 0.
EQUAL(hinge_vanishing, "schedule=constant rate=0.9 l2=5", .learner = "hinge",
      .schedule = "constant", .rate = 0.9, .l2 = 5)
EQUAL(logistic, "", .learner = "logistic", .schedule = "adagrad", .rate = 0.5)
EQUAL(logistic_l2, "l2=0.4", .learner = "logistic", .schedule = "adagrad", .rate = 0.5, .l2 = 0.4)
EQUAL(logistic_sqrt, "schedule=sqrt rate=3", .learner = "logistic", .schedule = "sqrt", .rate = 3)
EQUAL(logistic_constant, "schedule=constant rate=2 l2=0.2", .learner = "logistic",
      .schedule = "constant", .rate = 2, .l2 = 0.2)
EQUAL(squared, "", .learner = "squared", .schedule = "adagrad", .rate = 0.1)
EQUAL(squared_constant, "schedule=constant rate=0.2 l2=0.1", .learner = "squared",
      .schedule = "constant", .rate = 0.2, .l2 = 0.1)

// ---- what the papers promise ----

// The weights of one column, the bias last.
static void weights_of(struct tlu_learner *learner, double w[FEATURES + 1])
{
    weights_settle(&learner->state.weights);
    for (size_t f = 0; f < FEATURES; f++)
        w[f] = learner->state.weights.w[f * learner->state.weights.columns];
    w[FEATURES] = learner->state.weights.bias[0];
}

static void dense(const struct data *data, size_t i, double x[FEATURES + 1])
{
    memset(x, 0, (FEATURES + 1) * sizeof *x);
    for (size_t j = 0; j < data->rows[i].x.count; j++)
        x[data->rows[i].features[j]] = (double)data->rows[i].values[j];
    x[FEATURES] = 1;
}

static void close_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-11 * fmax(1, fabs(expected))))
        fail_msg("%.17g, not %.17g", got, expected);
}

// Learns example after example; `check` gets the weights before and after each.
static void watch(const char *settings,
                  void (*check)(const double *before, const double *after, const double *x,
                                double y, bool updated, uint64_t updates))
{
    struct data data;
    struct tlu_learner learner;
    make_data(&data, 2, false, false, 7);
    start(&learner, settings, 2);
    for (size_t i = 0; i < 2 * data.count; i++) {
        double before[FEATURES + 1], after[FEATURES + 1], x[FEATURES + 1];
        uint64_t updates = learner.state.updates;
        weights_of(&learner, before);
        learn(&learner, &data, i % data.count);
        weights_of(&learner, after);
        dense(&data, i % data.count, x);
        check(before, after, x, data.rows[i % data.count].class_index ? 1 : -1,
              learner.state.updates > updates, learner.state.updates);
    }
    assert_true(learner.state.updates > 20);
    learner_free_parts(&learner);
}

enum { SIZE = FEATURES + 1 };

static void check_pa(const double *before, const double *after, const double *x, double y,
                     bool updated, uint64_t updates)
{
    (void)updates;
    double m = y * dot(before, x, SIZE);
    assert_true(updated == (m < 1));
    if (updated)
        close_to(y * dot(after, x, SIZE), 1);
    else
        assert_memory_equal(before, after, SIZE * sizeof *before);
}

static void check_romma(const double *before, const double *after, const double *x, double y,
                        bool updated, uint64_t updates)
{
    double m = y * dot(before, x, SIZE);
    assert_true(updated == (m <= 0));
    if (!updated)
        return;
    assert_true(fabs(y * dot(after, x, SIZE) - 1) < 1e-6);
    double square = dot(before, before, SIZE);
    assert_true(fabs(dot(after, before, SIZE) - square) <= 1e-9 * square);
    if (updates == 1)
        close_to(dot(after, after, SIZE), 1 / dot(x, x, SIZE));
}

static void check_alma(const double *before, const double *after, const double *x, double y,
                       bool updated, uint64_t updates)
{
    double length = sqrt(dot(x, x, SIZE)), k = (double)(updates - updated + 1);
    double m = y * dot(before, x, SIZE) / length;
    assert_true(dot(after, after, SIZE) <= 1 + 1e-12);
    assert_true(updated == (m <= 0.5 * sqrt(8) / 0.5 / sqrt(k)));
}

static void check_squared(const double *before, const double *after, const double *x, double y,
                          bool updated, uint64_t updates)
{
    (void)updates;
    assert_true(updated);
    double error = 1 - y * dot(before, x, SIZE);
    close_to(1 - y * dot(after, x, SIZE), 0.75 * error);
}

static void steps(void **state)
{
    (void)state;
    watch("learner=pa", check_pa);
    watch("learner=romma", check_romma);
    watch("learner=alma alpha=0.5", check_alma);
    watch("learner=squared schedule=constant rate=0.25", check_squared);
}

// On data with a margin, alma ends with 1 - alpha of the largest; aromma comes as close as one
// likes.
static void margins(void **state)
{
    (void)state;
    struct data data;
    double plane[FEATURES], x[SIZE], w[SIZE];
    const double margin = 0.3; // of the rows that are kept, at least
    make_data(&data, 2, false, false, 3);
    struct random random;
    random_seed(&random, 5);
    for (size_t f = 0; f < FEATURES; f++)
        plane[f] = random_normal(&random);
    double length = sqrt(dot(plane, plane, FEATURES));
    size_t kept = 0, kept_rows[ROWS];
    for (size_t i = 0; i < data.count; i++) {
        dense(&data, i, x);
        double score = dot(plane, x, FEATURES) / length / sqrt(dot(x, x, FEATURES));
        data.rows[i].class_index = score > 0;
        if (fabs(score) >= margin)
            kept_rows[kept++] = i;
    }
    assert_true(kept > 20);
    static const char *const settings[] = {"learner=alma alpha=0.2 no-bias=yes",
                                           "learner=alma alpha=0.8 no-bias=yes"};
    static const double share[] = {0.8, 0.2};
    for (size_t s = 0; s < 2; s++) {
        struct tlu_learner learner;
        start(&learner, settings[s], 2);
        uint64_t before;
        do {
            before = learner.state.updates;
            for (size_t i = 0; i < kept; i++)
                learn(&learner, &data, kept_rows[i]);
        } while (learner.state.updates > before);
        double alpha = 1 - share[s]; // the bound on corrections of the paper, theorem 3
        assert_true((double)learner.state.updates <=
                    2 / margin / margin * pow(2 / alpha - 1, 2) + 8 / alpha - 4);
        weights_of(&learner, w);
        for (size_t i = 0; i < kept; i++) {
            dense(&data, kept_rows[i], x);
            double y = data.rows[kept_rows[i]].class_index ? 1 : -1;
            assert_true(y * dot(w, x, FEATURES) / sqrt(dot(x, x, FEATURES)) /
                            sqrt(dot(w, w, FEATURES)) >=
                        share[s] * margin);
        }
        learner_free_parts(&learner);
    }
}

static void variances_fall(void **state)
{
    (void)state;
    static const char *const settings[] = {"learner=arow r=0.1",
                                           "learner=scw1 C=10",
                                           "learner=scw2 C=10",
                                           "learner=arow r=0.1 diagonal=precision",
                                           "learner=scw1 C=10 diagonal=precision",
                                           "learner=scw2 C=10 diagonal=precision"};
    struct data data;
    make_data(&data, CLASSES, false, true, 4);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        struct tlu_learner learner;
        start(&learner, settings[s], CLASSES);
        size_t count = FEATURES * CLASSES;
        double before[FEATURES * CLASSES], before_bias[CLASSES];
        for (size_t i = 0; i < 20 * data.count; i++) {
            uint64_t updates = learner.state.updates;
            for (size_t j = 0; j < count; j++)
                before[j] = weights_state(&learner.state.weights, j);
            memcpy(before_bias, learner.state.weights.state_bias, sizeof before_bias);
            learn(&learner, &data, i % data.count);
            bool fell = false;
            for (size_t j = 0; j < count; j++) {
                double now = weights_state(&learner.state.weights, j);
                assert_true(now > 0 && now <= before[j]);
                fell |= now < before[j];
            }
            for (size_t c = 0; c < CLASSES; c++) {
                double now = learner.state.weights.state_bias[c];
                assert_true(now > 0 && now <= before_bias[c]);
                fell |= now < before_bias[c];
            }
            assert_true(fell == (learner.state.updates > updates));
        }
        learner_free_parts(&learner);
    }
}

enum { SIDE = FEATURES };

// Gauss and Jordan; the matrix has no zero on its diagonal on the way.
static void invert(double out[SIDE][SIDE], double a[SIDE][SIDE])
{
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            out[i][j] = i == j;
    for (size_t k = 0; k < SIDE; k++) {
        double pivot = a[k][k];
        for (size_t j = 0; j < SIDE; j++) {
            a[k][j] /= pivot;
            out[k][j] /= pivot;
        }
        for (size_t i = 0; i < SIDE; i++) {
            double factor = a[i][k];
            for (size_t j = 0; i != k && j < SIDE; j++) {
                a[i][j] -= factor * a[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
}

// Each step of arow against the whole covariance that the paper makes of the diagonal before it:
// S - S x x^T S / (v + r), or the inverse of S^-1 + x x^T / r, which is the same matrix.
static void diagonals_of_whole_matrices(void **state)
{
    (void)state;
    const double r = 0.5;
    struct data data;
    make_data(&data, 2, true, false, 9);
    for (int precision = 0; precision < 2; precision++) {
        struct tlu_learner learner;
        start(&learner,
              precision ? "learner=arow r=0.5 no-bias=yes diagonal=precision"
                        : "learner=arow r=0.5 no-bias=yes",
              2);
        for (size_t n = 0; n < data.count; n++) {
            double s[SIDE], x[SIDE] = {0}, v = 0, whole[SIDE][SIDE], inverse[SIDE][SIDE];
            const tlu_row *row = &data.rows[n].x;
            for (size_t i = 0; i < row->count; i++)
                x[row->features[i]] = row->values ? row->values[i] : 1;
            for (size_t i = 0; i < SIDE; i++) {
                s[i] = weights_state(&learner.state.weights, i);
                v += s[i] * x[i] * x[i];
            }
            for (size_t i = 0; i < SIDE; i++)
                for (size_t j = 0; j < SIDE; j++)
                    whole[i][j] = (i == j ? s[i] : 0) - s[i] * x[i] * x[j] * s[j] / (v + r);
            double kept[SIDE];
            for (size_t i = 0; i < SIDE; i++)
                kept[i] = whole[i][i];
            invert(inverse, whole);
            for (size_t i = 0; precision && i < SIDE; i++)
                kept[i] = 1 / inverse[i][i];
            uint64_t updates = learner.state.updates;
            learn(&learner, &data, n);
            for (size_t i = 0; i < SIDE; i++)
                close_to(weights_state(&learner.state.weights, i),
                         learner.state.updates > updates ? kept[i] : s[i]);
        }
        assert_true(learner.state.updates > 10);
        learner_free_parts(&learner);
    }
}

// In one dimension the diagonal is the whole covariance, and a step is the solution of the problem
// that the paper states.
static void one_dimension(void **state)
{
    (void)state;
    uint32_t feature = 0;
    float value = 1.5f;
    tlu_row row = {.features = &feature, .values = &value, .count = 1};
    const double x = 1.5, r = 0.7, phi = 1.6448536269514722; // of 0.95
    struct tlu_learner learner;
    bool wrong;
    for (int run = 0; run < 6; run++) {
        static const char *const settings[] = {"learner=arow r=0.7 no-bias=yes",
                                               "learner=scw1 C=1e9 confidence=0.95 no-bias=yes",
                                               "learner=scw2 C=0.3 confidence=0.95 no-bias=yes"};
        int which = run % 3;
        char all[100];
        snprintf(all, sizeof all, "%s%s", settings[which], run < 3 ? "" : " diagonal=precision");
        start(&learner, all, 2);
        double w = 0, s = 1;
        for (uint32_t i = 0; i < 6; i++) {
            uint32_t class_index = i % 3 != 1; // both classes, so that margins are negative too
            double y = class_index ? 1 : -1;
            uint64_t updates = learner.state.updates;
            assert_int_equal(learner_learn(&learner, &row, i, class_index, 1, &wrong, NULL),
                             TLU_OK);
            double new_w = learner.state.weights.w[0],
                   new_s = weights_state(&learner.state.weights, 0);
            if (learner.state.updates == updates) {
                assert_true(new_w == w && new_s == s);
                continue;
            }
            double step = y * (new_w - w) / s / x; // alpha
            if (which == 0) { // least (w'-w)^2/2s + loss^2/2r; and 1/s' = 1/s + x^2/r
                close_to((new_w - w) / s, (1 - y * new_w * x) * y * x / r);
                close_to(1 / new_s, 1 / s + x * x / r);
            } else { // the loss is gone, or what C leaves of it: its derivative 2C loss is alpha
                double loss = phi * sqrt(new_s) * x - y * new_w * x;
                assert_true(fabs(loss - (which == 1 ? 0 : step / (2 * 0.3))) < 1e-10);
            }
            w = new_w;
            s = new_s;
        }
        assert_true(learner.state.updates > 3);
        learner_free_parts(&learner);
    }
}

// hinge with l2: an example that is right by a margin only shrinks the weights, and not the bias.
static void shrinking(void **state)
{
    (void)state;
    uint32_t feature = 3;
    float value = 2;
    tlu_row row = {.features = &feature, .values = &value, .count = 1};
    struct tlu_learner learner;
    bool wrong;
    start(&learner, "learner=hinge schedule=constant rate=2 l2=0.5", 2);
    learner_learn(&learner, &row, 0, 1, 1, &wrong, NULL); // eta = 2/5
    close_to(learner.state.weights.w[3] * learner.state.weights.scale[0], 0.8);
    close_to(learner.state.weights.bias[0], 0.4);
    learner_learn(&learner, &row, 1, 1, 1, &wrong, NULL); // margin 2 already
    close_to(learner.state.weights.w[3] * learner.state.weights.scale[0], 0.8 * 0.8);
    close_to(learner.state.weights.bias[0], 0.4);
    learner_free_parts(&learner);
}

// adagrad: the n-th step along a feature that is always there has the rate / sqrt(n).
static void rates_fall(void **state)
{
    (void)state;
    uint32_t features[2] = {1, 2};
    float values[2] = {3, 4};
    tlu_row row = {.features = features, .values = values, .count = 2};
    struct tlu_learner learner;
    bool wrong;
    start(&learner, "learner=hinge rate=0.01 no-bias=yes", 2);
    double w = 0;
    for (int n = 1; n < 20; n++) {
        learner_learn(&learner, &row, 0, 1, 1, &wrong, NULL);
        w += 0.01 / 5 / sqrt(n);
        close_to(learner.state.weights.w[1], w);
        close_to(learner.state.weights.w[2], w);
    }
    learner_free_parts(&learner);
}

static const char *const all_learners[] = {"perceptron", "pa",
                                           "pa1",        "pa2",
                                           "romma",      "aromma",
                                           "alma",       "arow",
                                           "scw1",       "scw2",
                                           "hinge",      "logistic",
                                           "squared",    "squared schedule=constant l2=0.1"};
enum { LEARNERS = sizeof all_learners / sizeof all_learners[0] };

static void assert_finite(struct tlu_learner *learner)
{
    weights_settle(&learner->state.weights);
    for (size_t i = 0; i < FEATURES * learner->state.weights.columns; i++) {
        assert_true(isfinite(learner->state.weights.w[i]));
        assert_true(!learner->state.weights.u || isfinite(learner->state.weights.u[i]));
    }
}

// A row without features or bias teaches nothing; a zero written out is as one left out; and the
// same row with both labels, again and again, breaks nothing.
static void odd_rows(void **state)
{
    (void)state;
    uint32_t features[2] = {2, 4};
    float values[2] = {0.7f, 0};
    tlu_row rows[] = {{0},
                      {.features = features + 1, .values = values + 1, .count = 1},
                      {.features = features, .values = values, .count = 2}};
    for (size_t l = 0; l < LEARNERS; l++) {
        for (uint32_t classes = 2; classes < 4; classes++) {
            struct tlu_learner learner;
            bool wrong;
            char settings[100];
            snprintf(settings, sizeof settings, "learner=%s no-bias=yes", all_learners[l]);
            start(&learner, settings, classes);
            for (uint32_t i = 0; i < 12; i++)
                learner_learn(&learner, &rows[i % 2], i, i % classes, 1, &wrong, NULL);
            for (size_t i = 0; i < FEATURES * learner.state.weights.columns; i++)
                assert_true(learner.state.weights.w[i] == 0);
            for (uint32_t i = 0; i < 3000; i++)
                learner_learn(&learner, &rows[i % 7 ? 2 : 0], i, i % classes, 1, &wrong, NULL);
            assert_finite(&learner);
            learner_free_parts(&learner);
        }
    }
}

// Labels that have nothing to do with the rows: romma's weights would grow past all bounds.
static void noise(void **state)
{
    (void)state;
    struct data data;
    struct random random;
    random_seed(&random, 9);
    make_data(&data, 2, false, false, 6);
    for (size_t i = 0; i < data.count; i++)
        data.rows[i].class_index = (uint32_t)random_below(&random, 2);
    for (size_t l = 0; l < LEARNERS; l++) {
        struct tlu_learner learner;
        char settings[100];
        snprintf(settings, sizeof settings, "learner=%s", all_learners[l]);
        start(&learner, settings, 2);
        for (size_t i = 0; i < 400 * data.count; i++)
            learn(&learner, &data, i % data.count);
        assert_finite(&learner);
        double square = weights_norm(&learner.state.weights, 0), kept = learner.state.group_norm[0];
        assert_true(square < 1e21);
        assert_true(kept == 0 || fabs(kept - square) <= 1e-8 * square); // alma, romma
        learner_free_parts(&learner);
    }
}

// Classes that come late: what a learner knows of |w|^2 goes on with the weights.
static void late_classes(void **state)
{
    (void)state;
    struct data data;
    make_data(&data, CLASSES, false, false, 8);
    for (int variant = 0; variant < 6; variant++) {
        static const char *const learners[] = {"alma", "aromma"}, *const schemes[] = {"wta", "ovr",
                                                                                      "ovo"};
        struct tlu_learner learner;
        char settings[100];
        snprintf(settings, sizeof settings, "learner=%s multiclass=%s decide=last",
                 learners[variant % 2], schemes[variant / 2]);
        start(&learner, settings, 2);
        for (uint32_t known = 2; known <= CLASSES; known++)
            for (size_t i = 0; i < data.count; i++)
                if (data.rows[i].class_index < known)
                    learn(&learner, &data, i);
        double kept[MAX_PROBLEMS] = {0}, measured[MAX_PROBLEMS] = {0};
        for (uint32_t c = 0; c < learner_columns(&learner); c++) {
            kept[c] = learner.state.group_norm[c];
            measured[variant < 2 ? 0 : c] += weights_norm(&learner.state.weights, c);
        }
        for (size_t c = 0; c < MAX_PROBLEMS; c++)
            if (!(fabs(kept[c] - measured[c]) <= 1e-8 * measured[c]))
                fail_msg("%s: |w|^2 is %.17g, not %.17g", settings, measured[c], kept[c]);
        learner_free_parts(&learner);
    }
}

// An example that counts 0 times teaches nothing.
static void weight_zero(void **state)
{
    (void)state;
    struct data data;
    make_data(&data, 2, false, false, 8);
    for (size_t l = 0; l < LEARNERS; l++) {
        struct tlu_learner learner;
        char settings[100];
        snprintf(settings, sizeof settings, "learner=%s", all_learners[l]);
        start(&learner, settings, 2);
        learn(&learner, &data, 0);
        double before[SIZE], after[SIZE];
        weights_of(&learner, before);
        data.rows[1].weight = 0;
        learn(&learner, &data, 1);
        weights_of(&learner, after);
        assert_memory_equal(before, after, sizeof before);
        learner_free_parts(&learner);
    }
}

// A kernel hides the features, so that there is no rate for each.
static void adagrad_and_kernels(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    struct tlu_learner learner;
    tlu_error error;
    assert_int_equal(tlu_options_set(options, "learner", "logistic", &error), TLU_OK);
    assert_int_equal(tlu_options_set(options, "kernel", "rbf:1", &error), TLU_OK);
    assert_int_equal(learner_init(&learner, options, &error), TLU_OK);
    assert_int_equal(learner.rule.schedule, SCHEDULE_CONSTANT);
    learner_free_parts(&learner);
    assert_int_equal(tlu_options_set(options, "schedule", "adagrad", &error), TLU_OK);
    assert_int_equal(learner_init(&learner, options, &error), TLU_ERROR_INPUT);
    learner_free_parts(&learner);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perceptron),
        cmocka_unit_test(perceptron_margin),
        cmocka_unit_test(pa),
        cmocka_unit_test(pa1),
        cmocka_unit_test(pa2),
        cmocka_unit_test(romma),
        cmocka_unit_test(aromma),
        cmocka_unit_test(alma),
        cmocka_unit_test(alma_closer),
        cmocka_unit_test(arow),
        cmocka_unit_test(arow_hasty),
        cmocka_unit_test(arow_precision),
        cmocka_unit_test(arow_hasty_precision),
        cmocka_unit_test(scw1_precision),
        cmocka_unit_test(scw2_precision),
        cmocka_unit_test(diagonals_of_whole_matrices),
        cmocka_unit_test(scw1),
        cmocka_unit_test(scw1_sure),
        cmocka_unit_test(scw2),
        cmocka_unit_test(scw2_sure),
        cmocka_unit_test(hinge),
        cmocka_unit_test(hinge_constant),
        cmocka_unit_test(hinge_l2),
        cmocka_unit_test(hinge_vanishing),
        cmocka_unit_test(logistic),
        cmocka_unit_test(logistic_l2),
        cmocka_unit_test(logistic_sqrt),
        cmocka_unit_test(logistic_constant),
        cmocka_unit_test(squared),
        cmocka_unit_test(squared_constant),
        cmocka_unit_test(steps),
        cmocka_unit_test(margins),
        cmocka_unit_test(variances_fall),
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(shrinking),
        cmocka_unit_test(rates_fall),
        cmocka_unit_test(odd_rows),
        cmocka_unit_test(noise),
        cmocka_unit_test(late_classes),
        cmocka_unit_test(weight_zero),
        cmocka_unit_test(adagrad_and_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
