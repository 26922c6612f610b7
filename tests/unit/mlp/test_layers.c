// The multilayer perceptron: slopes against finite differences, training against a second
// implementation to the last bit, SIMD routines against each other, exp against libm's.
#include "learning.h"
#include "mlp/exponential.h"
#include "mlp/layers.h"
#include "model/model.h"
#include "trials.h"

#include <float.h>

#define REAL double
#define NET(name) wide_##name
#define EXP exp
#define TANH tanh
#include "net_reference.h"
#undef REAL
#undef NET
#undef EXP
#undef TANH

static float float_tanh(float z)
{
    return 1 - 2 / (exponential(2 * z) + 1);
}
#define REAL float
#define NET(name) small_##name
#define EXP exponential
#define TANH float_tanh
#include "net_reference.h"

// ---- rows ----

struct shape {
    const char *hidden;
    size_t depth, sizes[NET_MAX + 1]; // inputs, hidden, classes
    const char *activation;
    enum net_activation by;
};

static const struct shape shapes[] = {
    {"5", 2, {6, 5, 2}, "relu", NET_RELU},
    {"4,7", 3, {9, 4, 7, 3}, "relu", NET_RELU},
    {"16", 2, {11, 16, 4}, "tanh", NET_TANH},
    {"3,5,4", 4, {7, 3, 5, 4, 2}, "tanh", NET_TANH},
    {"8,8", 3, {5, 8, 8, 2}, "sigmoid", NET_SIGMOID},
    {"1", 2, {3, 1, 3}, "sigmoid", NET_SIGMOID},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

// The first rows have all inputs and one class after the other, so that all are known in order.
static struct net_rows new_rows(const struct shape *shape, size_t count, double density,
                                bool weighted, struct random *random)
{
    struct net_rows rows = {.rows = count, .inputs = shape->sizes[0]};
    size_t classes = shape->sizes[shape->depth];
    rows.x = calloc(count, sizeof *rows.x);
    rows.class = calloc(count, sizeof *rows.class);
    rows.weight = calloc(count, sizeof *rows.weight);
    for (size_t r = 0; r < count; r++) {
        rows.class[r] = r < classes ? r : random_below(random, classes);
        rows.weight[r] = weighted ? (float)(1 + random_below(random, 8)) / 4 : 1;
        for (size_t i = 0; i < rows.inputs; i++)
            if (r < classes || random_unit(random) < density)
                rows.x[r][i] = (float)random_normal(random);
    }
    return rows;
}

static void rows_free(struct net_rows *rows)
{
    free(rows->x);
    free(rows->class);
    free(rows->weight);
}

// In Vowpal Wabbit's format, which has weights, or in LIBSVM's, with gaps between the features.
static void write_rows(const struct net_rows *rows, bool weighted)
{
    FILE *file = fopen("rows", "w");
    assert_non_null(file);
    for (size_t r = 0; r < rows->rows; r++) {
        fprintf(file, weighted ? "%zu %.9g |" : "%zu", rows->class[r] + 1, (double)rows->weight[r]);
        for (size_t i = 0; i < rows->inputs; i++)
            if (rows->x[r][i] != 0)
                fprintf(file, weighted ? " f%zu:%.9g" : " %zu:%.9g", weighted ? i : i * i + 3,
                        (double)rows->x[r][i]);
        fputc('\n', file);
    }
    fclose(file);
}

static tlu_model *train_net(const char *settings)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_model *model;
    tlu_error error;
    set_options(options, "learner=mlp scale=none shuffle=none");
    set_options(options, settings);
    if (tlu_train("rows", options, &model, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    tlu_options_free(options);
    return model;
}

// The settings of a reference, and the same in words.
static struct net_settings settings_of(const struct shape *shape, bool adam, double rate, double l2,
                                       bool heavy, char *words)
{
    struct net_settings set = {.depth = shape->depth,
                               .activation = shape->by,
                               .adam = adam,
                               .rate = rate,
                               .momentum = 0.75,
                               .l2 = l2};
    memcpy(set.sizes, shape->sizes, sizeof set.sizes);
    if (set.sizes[set.depth] == 2)
        set.sizes[set.depth] = 1;
    if (heavy)
        set.class_weight[1] = 2.5;
    sprintf(words, "hidden=%s activation=%s optimizer=%s rate=%.17g l2=%g%s%s", shape->hidden,
            shape->activation, adam ? "adam" : "momentum", rate, l2, adam ? "" : " momentum=0.75",
            heavy ? " class-weight=2=2.5" : "");
    return set;
}

static float cell_of(const struct net *net, const float *cells, size_t l, size_t i, size_t j)
{
    return cells[i * net->layers[l].wide + j];
}

#define EACH_CELL(set, l, i, j)                                                                    \
    for (size_t l = 0; l < (set).depth; l++)                                                       \
        for (size_t i = 0; i <= (set).sizes[l]; i++)                                               \
            for (size_t j = 0; j < (set).sizes[l + 1]; j++)

// ---- slopes ----

static double loss_of(const struct wide_net *net, const struct net_rows *rows)
{
    const struct net_settings *set = &net->set;
    double loss = 0, squares = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        double a[NET_MAX + 1][NET_WIDEST], sum = 0, *z = a[set->depth];
        wide_forward(net, rows->x[r], a);
        for (size_t k = 0; k < set->sizes[set->depth]; k++)
            sum += exp(z[k] - z[rows->class[r]]);
        if (set->sizes[set->depth] == 1)
            sum = 1 + exp(rows->class[r] == 1 ? -z[0] : z[0]);
        loss += wide_weight(net, rows, r) * log(sum) / (double)rows->rows;
    }
    for (size_t l = 0; l < set->depth; l++)
        for (size_t i = 0; i < set->sizes[l]; i++)
            for (size_t j = 0; j < set->sizes[l + 1]; j++)
                squares += net->w[l][i][j] * net->w[l][i][j];
    return loss + set->l2 / 2 * squares;
}

// A step of a tiny rate leaves the weights as they were: m is -rate times their slopes.
static void check_slopes(const struct shape *shape, double density, double l2, bool weighted,
                         struct random *random)
{
    struct net_rows rows = new_rows(shape, 12, density, weighted, random);
    char words[200];
    static struct wide_net net;
    net = (struct wide_net){.set = settings_of(shape, false, 1e-20, l2, weighted, words)};
    write_rows(&rows, weighted);
    strcat(words, " batch=12 epochs=1");
    tlu_model *model = train_net(words);
    assert_int_equal(model->state.net->shape.sizes[0], shape->sizes[0]);
    EACH_CELL(net.set, l, i, j)
    net.w[l][i][j] = (double)cell_of(model->state.net, model->state.net->layers[l].w, l, i, j);
    EACH_CELL(net.set, l, i, j)
    {
        double found =
            -(double)cell_of(model->state.net, model->state.net->layers[l].m, l, i, j) / 1e-20;
        double *w = &net.w[l][i][j], at = *w, h = 1e-5;
        *w = at + h;
        double above = loss_of(&net, &rows);
        *w = at - h;
        double slope = (above - loss_of(&net, &rows)) / (2 * h);
        *w = at;
        if (!(fabs(found - slope) <= 1e-5 * (1 + fabs(slope))))
            fail_msg("%s: layer %zu, input %zu, unit %zu: %g, not %g", words, l, i, j, found,
                     slope);
    }
    tlu_model_free(model);
    rows_free(&rows);
}

static void slopes_are_finite_differences(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 14);
    for (size_t s = 0; s < SHAPES; s++)
        for (int dense = 0; dense < 2; dense++)
            for (int weighted = 0; weighted < 2; weighted++) {
                check_slopes(&shapes[s], dense ? 1 : 0.3, 0, weighted, &random);
                check_slopes(&shapes[s], dense ? 1 : 0.3, 0.1, weighted, &random);
            }
}

// ---- training ----

static void compare_nets(const struct net *net, const struct small_net *reference,
                         const char *words)
{
    assert_int_equal(net->steps, reference->steps);
    EACH_CELL(reference->set, l, i, j)
    {
        float found = cell_of(net, net->layers[l].w, l, i, j), wanted = reference->w[l][i][j];
        if (found != wanted)
            fail_msg("%s: layer %zu, input %zu, unit %zu: %.9g, not %.9g", words, l, i, j,
                     (double)found, (double)wanted);
        assert_true(cell_of(net, net->layers[l].m, l, i, j) == reference->m[l][i][j]);
        if (reference->set.adam)
            assert_true(cell_of(net, net->layers[l].v, l, i, j) == reference->v[l][i][j]);
    }
}

static void check_training(const struct shape *shape, double density, bool adam, bool weighted,
                           struct random *random)
{
    struct net_rows rows = new_rows(shape, 40, density, weighted, random);
    char words[240], all[300];
    size_t batch = 1 + random_below(random, 45), passes = 6;
    static struct small_net net;
    net = (struct small_net){
        .set = settings_of(shape, adam, adam ? 0.01 : 0.1, weighted ? 0.01 : 0, weighted, words)};
    write_rows(&rows, weighted);
    snprintf(all, sizeof all, "hidden=%s activation=%s optimizer=momentum rate=1e-20 epochs=1",
             shape->hidden, shape->activation);
    tlu_model *start = train_net(all);
    EACH_CELL(net.set, l, i, j)
    net.w[l][i][j] = cell_of(start->state.net, start->state.net->layers[l].w, l, i, j);
    tlu_model_free(start);
    for (size_t pass = 0; pass < passes; pass++)
        for (size_t r = 0; r < rows.rows; r += batch)
            small_learn(&net, &rows, r, r + batch < rows.rows ? r + batch : rows.rows);
    snprintf(all, sizeof all, "%s batch=%zu epochs=%zu", words, batch, passes);
    tlu_model *model = train_net(all);
    compare_nets(model->state.net, &net, all);
    tlu_model_free(model);
    rows_free(&rows);
}

static void training_is_that_of_the_reference(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 15);
    for (size_t s = 0; s < SHAPES; s++)
        for (int kind = 0; kind < 8; kind++)
            check_training(&shapes[s], kind & 1 ? 1 : 0.3, kind & 2, kind & 4, &random);
}

// ---- SIMD routines ----

static void exp_is_exp(void **state)
{
    (void)state;
    for (float x = -86; x < 88; x += 0.0037f) {
        double wanted = exp((double)x);
        assert_true(fabs((double)exponential(x) - wanted) <= 4 * (double)FLT_EPSILON * wanted);
    }
    assert_true(exponential(0) == 1);
}

static void fill(float *cells, size_t count, struct random *random)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = (float)random_normal(random);
}

// All results of a set of routines for the same random numbers, in out[].
static size_t run_routines(const struct layer_routines *routines, size_t rows, size_t terms,
                           size_t wide, float *out)
{
    static float a[40 * 40], b[40 * 256], start[256], more[3 * 40 * 256];
    struct random random;
    random_seed(&random, rows * 1000 + terms * 50 + wide);
    fill(a, 40 * 40, &random);
    fill(b, 40 * 256, &random);
    fill(start, 256, &random);
    fill(more, 3 * 40 * 256, &random);
    size_t n = rows * wide, offsets[41];
    uint32_t index[40 * 40];
    for (size_t i = 0; i <= rows; i++)
        offsets[i] = i * terms;
    for (size_t k = 0; k < rows * terms; k++)
        index[k] = (uint32_t)random_below(&random, terms);
    struct product product = {a, terms, 1, terms, b, wide, start, out, 0, rows};
    struct product turned = {a, 1, rows, terms, b, wide, NULL, out + n, 0, rows};
    routines->product(&product);
    routines->product(&turned);
    routines->gather(&(struct sparse){offsets, index, a}, 0, rows, b, wide, start, out + 2 * n);
    for (size_t f = 0; f < 3; f++) {
        memcpy(out + (3 + f) * n, out + f * n, n * sizeof *out);
        routines->activate((enum activation)f, out + (3 + f) * n, n);
        memcpy(out + (6 + f) * n, out + f * n, n * sizeof *out);
        routines->derive((enum activation)f, out + (3 + f) * n, out + (6 + f) * n, n);
    }
    struct optimiser_step step = {0.01f, 0.1f, 0.9f, 0.9f, 0.999f, 1e-8f};
    for (size_t i = 0; i < n; i++)
        more[2 * n + i] *= more[2 * n + i];
    routines->adam(&step, more, more + n, more + 2 * n, b, n);
    routines->descend(&step, more, more + n, start, wide);
    memcpy(out + 9 * n, more, 3 * n * sizeof *out);
    return 12 * n;
}

static void every_set_has_the_same_bits(void **state)
{
    const struct layer_routines *const sets[] = {layer_avx2, layer_avx512};
    static float wanted[12 * 40 * 256], found[12 * 40 * 256];
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t rows = 1; rows < 40; rows += 3)
            for (size_t wide = 16; wide <= 240; wide += 16) {
                size_t terms = 1 + (rows * 7 + wide) % 39;
                if (!sets[s] || (sets[s] == layer_avx512 && layer_best() != layer_avx512) ||
                    layer_best() == layer_plain)
                    continue;
                size_t count = run_routines(layer_plain, rows, terms, wide, wanted);
                run_routines(sets[s], rows, terms, wide, found);
                assert_memory_equal(wanted, found, count * sizeof *wanted);
            }
}

// ---- OpenBLAS ----

// Sums of small whole numbers are exact in any order.
static void blas_equals_routines(size_t rows, size_t terms, bool turned)
{
    enum { WIDE = 16, MOST = 8 };
    static float a[MOST * MOST], b[MOST * WIDE], start[WIDE], wanted[MOST * WIDE],
        found[MOST * WIDE];
    for (size_t i = 0; i < MOST * MOST; i++)
        a[i] = (float)(i % 7) - 3;
    for (size_t i = 0; i < MOST * WIDE; i++)
        b[i] = (float)(i % 11) - 4;
    for (size_t i = 0; i < WIDE; i++)
        start[i] = (float)i;
    struct product product = {a, terms, 1, terms, b, WIDE, start, wanted, 0, rows};
    if (turned)
        product = (struct product){a, 1, rows, terms, b, WIDE, NULL, wanted, 0, rows};
    layer_plain->product(&product);
    product.out = found;
    blas_product(&product);
    assert_memory_equal(wanted, found, rows * WIDE * sizeof *wanted);
}

// Of one input or one row too, where rows that lie beside each other look like others.
static void blas_has_the_same_products(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 8; rows++)
        for (size_t terms = 1; terms <= 8; terms++) {
            blas_equals_routines(rows, terms, false);
            blas_equals_routines(rows, terms, true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_exp),
        cmocka_unit_test(every_set_has_the_same_bits),
        cmocka_unit_test(blas_has_the_same_products),
        cmocka_unit_test(slopes_are_finite_differences),
        cmocka_unit_test(training_is_that_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
