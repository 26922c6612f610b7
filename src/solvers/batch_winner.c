// Converts between the rows and weights of a learner and those of winner.c.
#include "base/memory.h"
#include "solvers/batch_solver.h"
#include "solvers/winner.h"

#include <assert.h>

struct winner_task {
    struct tlu_learner *learner;
    struct batch *const *batches;
    size_t batch_count;
    const uint32_t *slots;
    struct winner winner;
    uint32_t *places;  // [classes] number of the learner's class in `winner`, from 1; 0: left out
    uint32_t *classes; // [winner.classes] the inverse
};

// winner.stop: records the gap for the progress report, and asks the caller whether to stop.
static bool is_over(void *context)
{
    struct winner_task *task = context;
    struct tlu_learner *learner = task->learner;
    learner->solving.gap = task->winner.gap;
    return learner->solving.stop && learner->solving.stop(learner->solving.stop_context);
}

static void collect_batch(struct winner_task *task, const struct batch *batch)
{
    const struct scheme *scheme = &task->learner->state.scheme;
    struct winner *winner = &task->winner;
    for (size_t i = 0; i < batch->rows; i++) {
        uint32_t c = batch->labels[i];
        double weight = (double)batch_weight(batch, i);
        tlu_row x = batch_row(batch, i);
        if (task->slots) {
            x.features = task->slots;
            task->slots += x.count;
        }
        if (batch_is_held_out(batch, i) || weight == 0)
            continue;
        assert(c < scheme->classes);
        double limit = task->learner->rule.C * scheme->class_weight[c] * weight;
        winner->rows[winner->count++] =
            (struct winner_row){.x = x,
                                .id = batch->first_row + i,
                                .label = c,
                                .limit = winner->hard ? INFINITY : limit};
        task->places[c] = 1;
    }
}

// Collects the rows. With a bias, classes without rows are left out: a low bias suffices for them.
static tlu_status collect(struct winner_task *task, tlu_error *error)
{
    struct winner *winner = &task->winner;
    uint32_t classes = task->learner->state.scheme.classes;
    size_t rows = 0;
    for (size_t b = 0; b < task->batch_count; b++)
        rows += task->batches[b]->rows;
    winner->rows = memory_new(rows, sizeof *winner->rows);
    task->places = memory_new(classes, sizeof *task->places);
    task->classes = memory_new(classes, sizeof *task->classes);
    TRY(enough_memory(winner->rows && task->places && task->classes, error));
    for (size_t b = 0; b < task->batch_count; b++)
        collect_batch(task, task->batches[b]);
    for (uint32_t c = 0; c < classes; c++)
        if (task->places[c] || !winner->bias) {
            task->classes[winner->classes] = c;
            task->places[c] = ++winner->classes;
        }
    for (size_t i = 0; i < winner->count; i++)
        winner->rows[i].label = task->places[winner->rows[i].label] - 1;
    return TLU_OK;
}

// ---- the result ----

// |W_j - W_k|
static double width_of(const struct winner *winner, uint32_t j, uint32_t k)
{
    double square = 0;
    for (size_t f = 0; f < winner->features; f++) {
        const double *w = winner->w + f * winner->classes;
        square += (w[j] - w[k]) * (w[j] - w[k]);
    }
    return sqrt(square);
}

static double score_of(const struct winner *winner, const struct winner_row *row, double *scores)
{
    for (uint32_t k = 0; k < winner->classes; k++)
        scores[k] = winner->b[k];
    winner->routines->scores(winner->w, winner->classes, row->x.features, row->x.values,
                             row->x.count, scores);
    return scores[row->label];
}

// least[j][k] := the smallest margin of a row of class j against class k; 1 if the margin is soft
static void find_least(const struct winner *winner, double *least, double *scores)
{
    size_t classes = winner->classes;
    for (size_t pair = 0; pair < classes * classes; pair++)
        least[pair] = winner->hard ? INFINITY : 1;
    for (size_t i = 0; winner->hard && i < winner->count; i++) {
        const struct winner_row *row = &winner->rows[i];
        double own = score_of(winner, row, scores), *to = least + row->label * classes;
        for (uint32_t k = 0; k < classes; k++)
            to[k] = fmin(to[k], own - scores[k]);
    }
}

static tlu_status set_margin(const struct winner *winner, double *margin, tlu_error *error)
{
    size_t classes = winner->classes;
    double *least = memory_new((classes + 1) * classes, sizeof *least);
    TRY(enough_memory(least != NULL, error));
    find_least(winner, least, least + classes * classes);
    for (uint32_t j = 0; j < classes; j++)
        for (uint32_t k = 0; k < j; k++)
            *margin = fmin(*margin, fmin(least[j * classes + k], least[k * classes + j]) /
                                        width_of(winner, j, k));
    memory_free(least);
    return TLU_OK;
}

static tlu_status keep_supports(const struct winner_task *task, tlu_error *error)
{
    const struct winner *winner = &task->winner;
    struct solution *solution = task->learner->solving.solution;
    for (size_t i = 0; i < winner->count; i++) {
        const double *d = winner_d(winner, i);
        for (uint32_t k = 0; k < winner->classes; k++) {
            if (k == winner->rows[i].label || d[k] == 0)
                continue;
            TRY(enough_memory(memory_reserve(&solution->supports, &solution->capacity,
                                             solution->count + 1, sizeof *solution->supports),
                              error));
            solution->supports[solution->count++] = (struct support){
                .id = winner->rows[i].id, .column = task->classes[k], .alpha = -d[k]};
        }
    }
    return TLU_OK;
}

// The bias of a class that was left out: 1 below the lowest score of a row's own class.
static double low_bias(const struct winner *winner, double *scores)
{
    double least = 0;
    for (size_t i = 0; i < winner->count; i++)
        least = fmin(least, score_of(winner, &winner->rows[i], scores));
    return least - 1;
}

static tlu_status keep(const struct winner_task *task, tlu_error *error)
{
    const struct winner *winner = &task->winner;
    struct weights *weights = &task->learner->state.weights;
    struct solution *solution = task->learner->solving.solution;
    for (size_t f = 0; f < winner->features; f++)
        for (uint32_t k = 0; k < winner->classes; k++)
            if (winner->w[f * winner->classes + k] != 0)
                weights->w[f * weights->columns + task->classes[k]] =
                    winner->w[f * winner->classes + k];
    double low = winner->bias ? low_bias(winner, winner->work.scores) : 0;
    for (uint32_t c = 0; c < weights->columns; c++)
        weights->bias[c] = task->places[c] ? winner->b[task->places[c] - 1] : low;
    solution->gap = winner->gap;
    solution->objective = winner->objective;
    solution->separable = winner->separates;
    TRY(set_margin(winner, &solution->margin, error));
    return keep_supports(task, error);
}

// ---- solving ----

// The bound in the message uses that the largest |W_j - W_k|^2 is at least 2 |W|^2 / (classes - 1).
static tlu_status refuse(const struct winner *winner, bool sure, tlu_error *error)
{
    double bound = winner->bound * sqrt((winner->classes - 1) / 2.0);
    if (sure)
        return error_input(error,
                           "no hyperplanes separate the classes with the winner taking all (their "
                           "margin would be below %.2g, and the longest row has length %.3g); give "
                           "--C 1 to allow errors",
                           bound, winner->length);
    if (winner->stop(winner->context))
        return error_interrupted(error, "interrupted before hyperplanes separated the classes");
    return error_input(error,
                       "whether hyperplanes separate the classes with the winner taking all could "
                       "not be decided (their margin would be below %.2g, and the longest row has "
                       "length %.3g); try --scale standard, or give --C 1 to allow errors",
                       bound, winner->length);
}

static tlu_status solve(struct winner_task *task, tlu_error *error)
{
    struct winner *winner = &task->winner;
    TRY(collect(task, error));
    if (winner->count == 0 || winner->classes < 2) { // no plane is needed
        for (uint32_t c = 0; winner->bias && c < task->learner->state.scheme.classes; c++)
            task->learner->state.weights.bias[c] = task->places[c] ? 0 : -1;
        return TLU_OK;
    }
    enum winner_end end = winner_solve(winner);
    if (end == WINNER_NO_MEMORY)
        return error_memory(error);
    if (winner->hard && !winner->separates)
        return refuse(winner, end == WINNER_NONE, error);
    return keep(task, error);
}

tlu_status batch_winner(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, const uint32_t *slots, tlu_error *error)
{
    struct winner_task task = {.learner = learner,
                               .batches = batches,
                               .batch_count = batch_count,
                               .slots = slots,
                               .winner = {.features = learner->state.weights.rows,
                                          .bias = learner->rule.bias,
                                          .hard = max_margin_is_hard(learner->state.options),
                                          .routines = learner->state.weights.routines,
                                          .stop = is_over,
                                          .context = &task}};
    learner->solving.planes = 0;
    tlu_status status = solve(&task, error);
    winner_free(&task.winner);
    memory_free(task.winner.rows);
    memory_free(task.places);
    memory_free(task.classes);
    return status;
}
