#include "learn/guard.h"

#include "data/batch.h"
#include "learn/online_scale.h"
#include "space/dual.h"

#include <math.h>
#include <stdio.h>

void guard_set(struct tlu_learner *learner)
{
    struct guard *guard = &learner->guard;
    double large = (double)FLT_MAX, unit = guard->least;
    if (!learner->state.online.numbers)
        guard->scope = large * large;
    else if (learner->state.online.recent) // a change of unit keeps w * unit, not the score
        guard->scope = large / unit * (large / unit);
    else
        guard->scope = large / unit;
    if (learner->state.online.words.tfidf)
        guard->scope *= WORD_FACTOR_MAX;
    guard->most = guard_most(learner) / 10;
}

bool guard_finite(const double *scores, size_t count)
{
    double sum = 0; // NaN as soon as one score is infinite or NaN
    for (size_t i = 0; i < count; i++)
        sum += scores[i] * 0;
    return sum == 0;
}

// Adds |w x| of a feature, whose weights are at `row`, to sums[columns]; *share is the largest so
// far. Returns whether the feature's weights, sums and states are small enough.
static bool add_feature(const struct tlu_learner *learner, size_t row, double x, double ratio,
                        double *sums, double *share)
{
    const struct weights *weights = &learner->state.weights;
    uint32_t columns = learner_columns(learner);
    double most = guard_most(learner);
    size_t start = row * weights->columns;
    bool fine = true;
    for (uint32_t c = 0; c < columns; c++) {
        double w = fabs(weights->w[start + c]) * ratio;
        w *= weights->scale ? fabs(weights->scale[c]) : 1;
        sums[c] += w * x;
        *share = fmax(*share, w * x);
        fine = fine && w <= most &&
               (!weights->u || fabs(weights->u[start + c]) * ratio <= GUARD_SUM) &&
               (!weights->recent.r || fabs(weights->recent.r[start + c]) * ratio <= GUARD_SUM) &&
               (!weights->state || weights->state[start + c] <= GUARD_STATE);
    }
    return fine;
}

// Computes the bound again now and then: updates only increase it, and the weights may have shrunk.
static void measure_when_due(struct tlu_learner *learner, size_t count)
{
    const struct weights *weights = &learner->state.weights;
    learner->guard.work += (double)(count + 1) * weights->columns;
    if (learner->guard.work > (double)weights->rows * weights->columns)
        guard_measure(learner, weights);
}

bool guard_accepts(struct tlu_learner *learner, const tlu_row *row, double weight,
                   struct refusal *refusal)
{
    const struct weights *weights = &learner->state.weights;
    uint32_t columns = learner_columns(learner);
    double *sums = learner->space.scratch, share = 0, most = 0;
    measure_when_due(learner, row->count);
    *refusal = (struct refusal){.feature = SCHEMA_NONE};
    for (uint32_t c = 0; c < columns; c++) {
        sums[c] = fabs(weights->bias[c]);
        share = fmax(share, sums[c]);
        if (weights->u && !(fabs(weights->u_bias[c]) <= GUARD_SUM))
            return !(refusal->weight = true);
    }
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        double ratio, before = share,
                      x = online_scale_preview(learner, feature, row_value(row, i), &ratio);
        size_t at = weights_row(weights, feature);
        if (at == SIZE_MAX)
            continue;
        refusal->weight = !add_feature(learner, at, x, ratio, sums, &share);
        if (share > before || refusal->weight)
            refusal->feature = feature;
        if (refusal->weight)
            return false;
    }
    for (uint32_t c = 0; c < columns; c++)
        most = fmax(most, sums[c]);
    return fmax(1, weight * learner->state.scheme.heaviest) * (1 + most) <= guard_most(learner);
}

bool guard_accepts_dual(const struct tlu_learner *learner, uint64_t id, double weight)
{
    double norm = fabs(dual_norm(learner->space.dual, id)), most = 0;
    for (uint32_t c = 0; c < learner->state.weights.columns; c++)
        most = fmax(most, fabs(learner->space.scores[c]));
    most = fmax(1, weight * learner->state.scheme.heaviest) * (1 + most);
    return guard_finite(learner->space.scores, learner->state.weights.columns) &&
           most <= GUARD_DUAL && norm <= GUARD_DUAL && (norm == 0 || most / norm <= GUARD_DUAL);
}

void guard_message(const struct tlu_learner *learner, const struct refusal *refusal, char *text,
                   size_t size)
{
    char name[80], quoted[80] = "", whose[100] = "the bias";
    const char *advice = learner->state.online.numbers
                             ? "the values of a feature are too far apart for "
                               "--scale online"
                             : "scale the data (--scale maxabs or online)";
    if (refusal->feature != SCHEMA_NONE) {
        size_t length = schema_name(&learner->state.schema, refusal->feature, name, sizeof name);
        error_quote(quoted, sizeof quoted, name, length < sizeof name ? length : sizeof name - 1);
        snprintf(whose, sizeof whose, "feature '%s'", quoted);
    }
    snprintf(text, size, "this row would make %s of %s overflow; %s",
             refusal->weight ? "the weight" : "the score, by the weight", whose, advice);
}

// The largest absolute value, not counting NaN; 0: there are no cells.
static double largest_of(const double *cells, size_t count)
{
    double largest[4] = {0};
    for (size_t i = 0; i < count; i++) { // four maxima, which do not wait for each other
        double cell = fabs(cells[i]);
        largest[i % 4] = cell > largest[i % 4] ? cell : largest[i % 4];
    }
    return fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
}

void guard_measure(struct tlu_learner *learner, const struct weights *weights)
{
    struct guard *guard = &learner->guard;
    const struct online_scale *online = &learner->state.online;
    double largest = 0, states = 1, bias = 0;
    size_t cells = weights->rows * weights->columns;
    if (weights->scale)
        for (size_t f = 0, at = 0; f < weights->rows; f++)
            for (uint32_t c = 0; c < weights->columns; c++, at++)
                largest = fmax(largest, fabs(weights->w[at]) * fabs(weights->scale[c]));
    else
        largest = largest_of(weights->w, cells);
    if (weights->u) // the sums may be larger than the weights
        largest = fmax(largest, largest_of(weights->u, cells) * 1e-100);
    if (weights->recent.r)
        largest = fmax(largest, largest_of(weights->recent.r, cells) * 1e-100);
    if (weights->state)
        states = fmax(states, largest_of(weights->state, cells));
    for (uint32_t c = 0; c < weights->columns; c++) {
        bias = fmax(bias, fabs(weights->bias[c]));
        if (weights->u)
            bias = fmax(bias, fabs(weights->u_bias[c]) * 1e-100);
    }
    guard->reach = fmax(online->numbers ? largest : largest / (double)FLT_MAX, bias);
    guard->states = states;
    guard->work = 0;
    guard->least = (double)FLT_MAX;
    for (size_t f = 0; f < online->capacity; f++)
        if (online->units[f].size > 0)
            guard->least = fmin(guard->least, (double)online->units[f].size);
    guard_set(learner);
}
