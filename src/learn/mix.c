#include "learn/mix.h"

#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/guard.h"

#include <math.h>
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

static bool all_equal(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

// Sets the mean of variances, and the weights of the precise mean.
static double mean_variance(const struct mix *mix, const double *variances)
{
    double *precisions = mix->precise;
    for (size_t i = 0; i < mix->count; i++)
        precisions[i] = 1 / fmax(variances[i], DBL_MIN);
    double mean = mix_mean(mix, precisions, mix->weights);
    for (size_t i = 0; i < mix->count; i++)
        precisions[i] *= mix->weights[i];
    return all_equal(variances, mix->count) ? variances[0] : 1 / mean;
}

// S = mean of the S_i, so u = T w - S = mean of u_i + mean of T_i (w - w_i).
static double mean_sum(const struct mix *mix, const struct mix_cells *cells)
{
    double own = mix_mean(mix, cells->u, NULL);
    if (all_equal(cells->w, mix->count))
        return own;
    double *moved = cells->w; // not needed any more
    for (size_t i = 0; i < mix->count; i++)
        moved[i] = mix->steps[i] * (cells->mean_w - cells->w[i]);
    return own + mix_mean(mix, moved, NULL);
}

void mix_cell(const struct mix *mix, struct mix_cells *cells)
{
    const double *weights = mix->weights;
    if (cells->state && mix->variances) {
        cells->mean_state = mean_variance(mix, cells->state);
        weights = mix->precise;
    } else if (cells->state) {
        cells->mean_state = mix_mean(mix, cells->state, weights);
    }
    cells->mean_w = mix_mean(mix, cells->w, weights);
    cells->mean_u = cells->u ? mean_sum(mix, cells) : 0;
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
    mix->precise = memory_new(count, sizeof *mix->precise);
    if (!mix->terms || !mix->precise)
        return false;
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
