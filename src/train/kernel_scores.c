#include "train/kernel_scores.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "space/gram.h"
#include "train/train.h"

#include <string.h>

#define CHUNK 4096 // places whose scores are in memory at the same time

// The rows with coefficients, and these.
struct kernel_sum {
    tlu_row *rows; // [count]
    double *norms; // [count]
    double *w;     // [count][columns]
    double *bias;  // [columns]
    size_t count;
};

static void free_sum(struct kernel_sum *sum)
{
    memory_free(sum->rows);
    memory_free(sum->norms);
    memory_free(sum->w);
    memory_free(sum->bias);
}

static size_t count_coefficients(const struct weights *weights)
{
    size_t count = 0;
    for (size_t id = 0; id < weights->features; id++)
        count += weights_are_used(weights, id);
    return count;
}

static bool collect_coefficients(const struct training *t, const struct weights *weights,
                                 struct kernel_sum *sum)
{
    uint32_t columns = weights->columns;
    size_t most = count_coefficients(weights);
    sum->rows = memory_new(most, sizeof *sum->rows);
    sum->norms = memory_new(most, sizeof *sum->norms);
    sum->w = memory_new((uint64_t)most * columns, sizeof *sum->w);
    sum->bias = memory_new(columns, sizeof *sum->bias);
    if (!sum->rows || !sum->norms || !sum->w || !sum->bias)
        return false;
    for (uint32_t c = 0; c < columns; c++)
        sum->bias[c] = weights_total_bias(weights, c);
    for (size_t id = 0; id < weights->features; id++) {
        if (!weights_are_used(weights, id))
            continue;
        double *w = sum->w + sum->count * columns;
        bool used = false;
        weights_totals(weights, id, w);
        for (uint32_t c = 0; c < columns; c++)
            used |= w[c] != 0;
        if (used) {
            sum->rows[sum->count] = rows_row(&t->rows, rows_find(&t->rows, id));
            sum->norms[sum->count] = panel_norm(&sum->rows[sum->count]);
            sum->count++;
        }
    }
    return true;
}

struct scoring {
    const struct training *t;
    const struct gram *gram;
    struct gram_weights weights;
    const struct place *places; // [count] of this chunk
    size_t count;
    double *scores; // [CHUNK][columns]
    bool *failed;   // [CHUNK / GRAM_LANES] by group of rows
};

static void score_groups(void *context, size_t first, size_t last)
{
    struct scoring *scoring = context;
    struct gram_scratch scratch = {0};
    tlu_row rows[GRAM_LANES];
    for (size_t g = first; g < last; g++) {
        size_t from = g * GRAM_LANES, left = scoring->count - from;
        size_t count = left < GRAM_LANES ? left : GRAM_LANES;
        for (size_t i = 0; i < count; i++)
            rows[i] = rows_row(&scoring->t->rows, scoring->places[from + i]);
        scoring->failed[g] =
            !gram_scores(scoring->gram, &scoring->weights, rows, count,
                         scoring->scores + from * scoring->weights.columns, &scratch);
    }
    gram_scratch_free(&scratch);
}

static bool score_chunk(struct scoring *scoring)
{
    size_t groups = (scoring->count + GRAM_LANES - 1) / GRAM_LANES, failures = 0;
    uint64_t threads = options_count(scoring->t->learner.state.options, OPTION_THREADS);
    parallel_run(groups < 8 ? 1 : parallel_threads(threads), groups, score_groups, scoring);
    for (size_t g = 0; g < groups; g++)
        failures += scoring->failed[g];
    return failures == 0;
}

static bool score_places(struct scoring *scoring, const struct places *places,
                         void (*take)(void *context, const double *scores, size_t k), void *context)
{
    size_t columns = scoring->weights.columns;
    for (size_t k = 0; k < places->count; k += CHUNK) {
        scoring->places = places->items + k;
        scoring->count = places->count - k < CHUNK ? places->count - k : CHUNK;
        if (!score_chunk(scoring))
            return false;
        for (size_t i = 0; i < scoring->count; i++)
            take(context, scoring->scores + i * columns, k + i);
    }
    return true;
}

bool kernel_scores(struct training *t, const struct places *places,
                   void (*take)(void *context, const double *scores, size_t k), void *context)
{
    struct weights settled = {0}; // a copy: the run continues with unsettled weights
    struct kernel_sum sum = {0};
    bool fine = weights_copy(&settled, learner_deciding(&t->learner));
    if (fine)
        weights_settle(&settled);
    fine = fine && collect_coefficients(t, &settled, &sum);
    struct gram *slow = fine ? gram_new(&t->learner.state.kernel, sum.rows, sum.norms, sum.count,
                                        schema_features(&t->learner.state.schema))
                             : NULL;
    struct gram *gram = slow ? gram_faster(slow) : NULL;
    struct scoring scoring = {
        .t = t,
        .gram = gram,
        .weights = {sum.w, sum.bias, settled.columns, 1},
        .scores = memory_new((uint64_t)CHUNK * settled.columns, sizeof *scoring.scores),
        .failed = memory_new(CHUNK / GRAM_LANES, sizeof *scoring.failed)};
    fine =
        gram && scoring.scores && scoring.failed && score_places(&scoring, places, take, context);
    memory_free(scoring.scores);
    memory_free(scoring.failed);
    gram_free(gram);
    gram_free(slow);
    weights_free(&settled);
    free_sum(&sum);
    return fine;
}
