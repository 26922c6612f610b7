#include "learn/mix.h"

#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/guard.h"

#include <stdlib.h>
#include <string.h>

// ---- sums with twice the digits of a double ----

// The number high + low; |low| is at most half of the last digit of high.
struct wide {
    double high, low;
};

// a + b without an error (Knuth 1969).
static struct wide add_exactly(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct wide){sum, (a - (sum - part)) + (b - part)};
}

static struct wide halves(double a)
{
    double shifted = 134217729 * a; // 2^27 + 1
    double high = shifted - (shifted - a);
    return (struct wide){high, a - high};
}

// a times b without an error (Dekker 1971).
static struct wide multiply_exactly(double a, double b)
{
    struct wide x = halves(a), y = halves(b);
    double product = a * b;
    double error = x.high * y.high - product + x.high * y.low + x.low * y.high + x.low * y.low;
    return (struct wide){product, error};
}

static void wide_add(struct wide *sum, struct wide term)
{
    struct wide high = add_exactly(sum->high, term.high);
    struct wide low = add_exactly(sum->low, term.low);
    high = add_exactly(high.high, high.low + low.high);
    *sum = add_exactly(high.high, high.low + low.low);
}

static double wide_divide(struct wide a, struct wide b)
{
    double quotient = a.high / b.high;
    struct wide product = multiply_exactly(quotient, b.high);
    double rest = (a.high - product.high) - product.low + a.low - quotient * b.low;
    return quotient + rest / b.high;
}

// ---- means ----

static int by_value(const void *a, const void *b)
{
    const struct mix_term *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static void sort_terms(struct mix_term *terms, size_t count)
{
    if (count > 16) {
        qsort(terms, count, sizeof *terms, by_value);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct mix_term term = terms[i];
        size_t at = i;
        for (; at > 0 && by_value(&terms[at - 1], &term) > 0; at--)
            terms[at] = terms[at - 1];
        terms[at] = term;
    }
}

double mix_mean(const struct mix *mix, const double *values, const double *weights)
{
    struct wide sum = {0, 0}, all = {(double)mix->count, 0};
    bool equal = true, own = weights && weights != mix->weights;
    for (size_t i = 0; i < mix->count; i++) {
        mix->terms[i] = (struct mix_term){values[i], weights ? weights[i] : 1};
        equal &= values[i] == values[0];
    }
    if (equal)
        return values[0] + 0.0; // models do not store -0
    if (weights)
        all = own ? (struct wide){0, 0} : (struct wide){mix->total[0], mix->total[1]};
    sort_terms(mix->terms, mix->count);
    for (size_t i = 0; i < mix->count; i++) {
        const struct mix_term *term = &mix->terms[i];
        wide_add(&sum, weights ? multiply_exactly(term->value, term->weight)
                               : (struct wide){term->value, 0});
        if (own)
            wide_add(&all, (struct wide){term->weight, 0});
    }
    return wide_divide(sum, all) + 0.0;
}

// ---- means of several cells side by side ----

#define LANES MIX_LANES
#define SORTED_MAX 16 // inputs that a sorting network sorts; more are sorted cell by cell

struct wide_lanes {
    double high[LANES], low[LANES];
};

static inline void lanes_add(struct wide_lanes *sum, const double *high, const double *low)
{
    for (size_t k = 0; k < LANES; k++) {
        struct wide lane = {sum->high[k], sum->low[k]};
        wide_add(&lane, (struct wide){high[k], low[k]});
        sum->high[k] = lane.high;
        sum->low[k] = lane.low;
    }
}

static inline void lanes_sort(double (*values)[LANES], size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--)
            for (size_t k = 0; k < LANES; k++) {
                double a = values[j - 1][k], b = values[j][k];
                values[j - 1][k] = a > b ? b : a;
                values[j][k] = a > b ? a : b;
            }
}

static inline void lanes_sort_terms(double (*values)[LANES], double (*weights)[LANES], size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--)
            for (size_t k = 0; k < LANES; k++) {
                double a = values[j - 1][k], b = values[j][k];
                double p = weights[j - 1][k], q = weights[j][k];
                bool swap = (a > b) | ((a == b) & (p > q));
                values[j - 1][k] = swap ? b : a;
                values[j][k] = swap ? a : b;
                weights[j - 1][k] = swap ? q : p;
                weights[j][k] = swap ? p : q;
            }
}

// Whether the values of a lane are the same in all inputs.
static inline void lanes_equal(const double (*values)[LANES], size_t count, bool *equal)
{
    for (size_t k = 0; k < LANES; k++)
        equal[k] = true;
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < LANES; k++)
            equal[k] &= values[i][k] == values[0][k];
}

static inline void lanes_divide(const struct wide_lanes *sum, const struct wide_lanes *all,
                                double *mean)
{
    for (size_t k = 0; k < LANES; k++)
        mean[k] = wide_divide((struct wide){sum->high[k], sum->low[k]},
                              (struct wide){all->high[k], all->low[k]});
}

// Unweighted means of values[count][LANES].
static inline void lanes_mean(const struct mix *mix, const double (*values)[LANES], double *mean)
{
    double sorted[SORTED_MAX][LANES];
    struct wide_lanes sum = {{0}, {0}}, all = {{0}, {0}};
    const double none[LANES] = {0};
    memcpy(sorted, values, mix->count * sizeof *values);
    lanes_sort(sorted, mix->count);
    for (size_t i = 0; i < mix->count; i++)
        lanes_add(&sum, sorted[i], none);
    for (size_t k = 0; k < LANES; k++)
        all.high[k] = (double)mix->count;
    lanes_divide(&sum, &all, mean);
}

// Weighted ones; weights[count][LANES]. `own`: each lane has weights of its own.
static inline void lanes_weighted(const struct mix *mix, const double (*values)[LANES],
                                  const double (*weights)[LANES], bool own, double *mean)
{
    double sorted[SORTED_MAX][LANES], weight[SORTED_MAX][LANES];
    struct wide_lanes sum = {{0}, {0}}, all = {{0}, {0}};
    const double none[LANES] = {0};
    memcpy(sorted, values, mix->count * sizeof *values);
    memcpy(weight, weights, mix->count * sizeof *weights);
    lanes_sort_terms(sorted, weight, mix->count);
    for (size_t i = 0; i < mix->count; i++) {
        double high[LANES], low[LANES];
        for (size_t k = 0; k < LANES; k++) {
            struct wide product = multiply_exactly(sorted[i][k], weight[i][k]);
            high[k] = product.high;
            low[k] = product.low;
        }
        lanes_add(&sum, high, low);
        if (own)
            lanes_add(&all, weight[i], none);
    }
    for (size_t k = 0; !own && k < LANES; k++) {
        all.high[k] = mix->total[0];
        all.low[k] = mix->total[1];
    }
    lanes_divide(&sum, &all, mean);
}

// One lane after the other, for many inputs.
static void scalar_means(const struct mix *mix, const double (*values)[LANES],
                         const double (*weights)[LANES], bool own, double *mean)
{
    double *column = mix->column, *factors = column + mix->count;
    for (size_t k = 0; k < LANES; k++) {
        for (size_t i = 0; i < mix->count; i++) {
            column[i] = values[i][k];
            factors[i] = weights ? weights[i][k] : 1;
        }
        mean[k] = mix_mean(mix, column, !weights ? NULL : own ? factors : mix->weights);
    }
}

// The mean of each lane; weights[count][LANES], or NULL if all are equal.
static void means(const struct mix *mix, const double *numbers, const double *factors, bool own,
                  double *mean)
{
    const double(*values)[LANES] = (const double(*)[LANES])numbers;
    const double(*weights)[LANES] = (const double(*)[LANES])factors;
    bool equal[LANES];
    if (mix->count > SORTED_MAX) {
        scalar_means(mix, values, weights, own, mean);
        return;
    }
    if (weights)
        lanes_weighted(mix, values, weights, own, mean);
    else
        lanes_mean(mix, values, mean);
    lanes_equal(values, mix->count, equal);
    for (size_t k = 0; k < LANES; k++) // models do not store -0
        mean[k] = (equal[k] ? values[0][k] : mean[k]) + 0.0;
}

// Sets the means of variances, and the weights of the precise mean.
static void mean_variances(const struct mix *mix, struct mix_cells *cells)
{
    size_t numbers = mix->count * LANES;
    const double *weights = cells->weights ? cells->weights : mix->spread;
    bool equal[LANES];
    for (size_t i = 0; i < numbers; i++)
        mix->precise[i] = 1 / (cells->state[i] > DBL_MIN ? cells->state[i] : DBL_MIN);
    means(mix, mix->precise, weights, cells->weights != NULL, cells->mean_state);
    for (size_t i = 0; i < numbers; i++)
        mix->precise[i] *= weights[i];
    lanes_equal((const double(*)[LANES])cells->state, mix->count, equal);
    for (size_t k = 0; k < LANES; k++)
        cells->mean_state[k] = equal[k] ? cells->state[k] : 1 / cells->mean_state[k];
}

// S = mean of the S_i, so u = T w - S = mean of u_i + mean of T_i (w - w_i).
static void mean_sums(const struct mix *mix, struct mix_cells *cells)
{
    double *distances = mix->precise; // not needed any more
    double moved[LANES];
    bool equal[LANES];
    lanes_equal((const double(*)[LANES])cells->w, mix->count, equal);
    for (size_t i = 0; i < mix->count; i++)
        for (size_t k = 0; k < LANES; k++)
            distances[i * LANES + k] = mix->steps[i] * (cells->mean_w[k] - cells->w[i * LANES + k]);
    means(mix, cells->u, NULL, false, cells->mean_u);
    means(mix, distances, NULL, false, moved);
    for (size_t k = 0; k < LANES; k++)
        cells->mean_u[k] = equal[k] ? cells->mean_u[k] : cells->mean_u[k] + moved[k];
}

void mix_cells(const struct mix *mix, struct mix_cells *cells)
{
    bool precise = cells->state && mix->variances, own = cells->weights;
    const double *weights = own ? cells->weights : mix->spread;
    if (precise)
        mean_variances(mix, cells);
    else if (cells->state)
        means(mix, cells->state, weights, own, cells->mean_state);
    means(mix, cells->w, precise ? mix->precise : weights, precise || own, cells->mean_w);
    if (cells->u)
        mean_sums(mix, cells);
}

// ---- learners ----

bool mix_option_may_differ(enum option i)
{
    static const enum option steering[] = {
        OPTION_SKIP_BAD,     OPTION_EPOCHS,   OPTION_STOP,       OPTION_RATE,
        OPTION_MARGIN,       OPTION_C,        OPTION_R,          OPTION_ALPHA,
        OPTION_L2,           OPTION_SHUFFLE,  OPTION_SEED,       OPTION_TIE_UPDATE,
        OPTION_HOLDOUT,      OPTION_METRIC,   OPTION_PATIENCE,   OPTION_COSTS,
        OPTION_CLASS_WEIGHT, OPTION_WEIGHTED, OPTION_CONFIDENCE, OPTION_FORMAT,
        OPTION_DELIMITER,    OPTION_HEADER,   OPTION_DECIMAL,    OPTION_PART,
        OPTION_ID,           OPTION_MIN_COUNT};
    for (size_t k = 0; k < sizeof steering / sizeof steering[0]; k++)
        if (steering[k] == i)
            return true;
    return option_is_technical(i);
}

bool mix_init(struct mix *mix, size_t count, const double *weights, const double *steps,
              const struct tlu_learner *learner)
{
    *mix = (struct mix){.count = count, .weights = weights, .steps = steps};
    mix->variances = learner->state.weights.state_start > 0;
    mix->terms = memory_new(count, sizeof *mix->terms);
    mix->column = memory_new(2 * count, sizeof *mix->column);
    mix->spread = memory_new(count * LANES, sizeof *mix->spread);
    mix->precise = memory_new(count * LANES, sizeof *mix->precise);
    if (!mix->terms || !mix->column || !mix->spread || !mix->precise)
        return false;
    for (size_t i = 0; i < count * LANES; i++)
        mix->spread[i] = weights[i / LANES];
    struct wide total = {0, 0};
    for (size_t i = 0; i < count; i++)
        mix->terms[i] = (struct mix_term){weights[i], 0};
    sort_terms(mix->terms, count);
    for (size_t i = 0; i < count; i++)
        wide_add(&total, (struct wide){mix->terms[i].value, 0});
    mix->total[0] = total.high;
    mix->total[1] = total.low;
    mix->mean_steps = mix_mean(mix, steps, NULL);
    return true;
}

void mix_free(struct mix *mix)
{
    memory_free(mix->terms);
    memory_free(mix->column);
    memory_free(mix->spread);
    memory_free(mix->precise);
}

const char *mix_obstacle(const struct tlu_learner *learner)
{
    return conflicts_why(learner, SITUATION_MIX);
}

// Adds |w|^2 to a sum. Its digits beyond those of a double keep the result independent of the order
// of the features.
static void add_norm(struct wide *sum, const struct weights *weights, uint32_t column)
{
    wide_add(sum, multiply_exactly(weights->bias[column], weights->bias[column]));
    size_t row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row)) {
        double w = weights->w[row * weights->columns + column];
        if (w != 0)
            wide_add(sum, multiply_exactly(w, w));
    }
}

void mix_finish(struct tlu_learner *learner, const struct mix *mix)
{
    struct learner_state *state = &learner->state;
    struct weights *weights = &state->weights;
    uint32_t columns = learner_columns(learner);
    uint32_t groups = scheme_groups(state->scheme.kind, state->scheme.classes);
    weights->steps = mix->mean_steps;
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        weights->sum[c] = weights->sum_at[c] = weights->steps;
    state->examples = (uint64_t)weights->steps;
    bool normed = learner->rule.kind->traits & (LEARNER_SCALE | LEARNER_GROUPS);
    for (uint32_t g = 0; normed && g < groups; g++) {
        struct wide sum = {0, 0};
        for (uint32_t c = groups == 1 ? 0 : g; c < (groups == 1 ? columns : g + 1); c++)
            add_norm(&sum, weights, c);
        state->group_norm[g] = sum.high;
    }
    guard_measure(learner, weights);
}
