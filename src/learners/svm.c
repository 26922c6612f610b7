// Support vector machines and logistic regression, solved exactly: the problems of LIBLINEAR, with
// its C.
//
//     minimise |w|^2 / 2 + C sum_i weight_i loss(y_i w . x_i)
//
// solvers/linear.c has the losses and the algorithm. The bias is a part of w. With several classes
// there is one such problem per class (one versus the rest) or per pair of classes (one versus
// one). With winner takes all, the weights of all classes are found together, by the loss of
// Crammer and Singer (solvers/crammer_singer.c):
//
//     minimise sum_k |W_k|^2 / 2 + C sum_i weight_i max over j <> y_i of
//              max(0, 1 - (W_y - W_j) . x_i)
//
// Problems of different columns do not depend on each other, so threads solve them side by side.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/thread.h"
#include "solvers/batch_solver.h"
#include "solvers/crammer_singer.h"
#include "solvers/linear.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct svm_task {
    struct tlu_learner *learner;
    struct batch *const *batches;
    size_t batch_count, rows;
    uint32_t *slots; // [all entries] rows of the weights; NULL: the features themselves
    enum linear_loss loss;
    pthread_t caller;    // the thread that may report progress
    atomic_uint next;    // column to solve
    atomic_bool stopped; // by the user
    atomic_bool no_memory;
    double *objectives, *gaps; // [columns]
};

static enum linear_loss loss_of(const tlu_options *options)
{
    return options_choice(options, OPTION_SOLVER) == SOLVER_DUAL        ? LINEAR_LOGISTIC
           : options_choice(options, OPTION_LOSS) == LOSS_SQUARED_HINGE ? LINEAR_SQUARED_HINGE
                                                                        : LINEAR_HINGE;
}

// linear.stop: the calling thread asks whether to stop, for all.
static bool is_over(void *context)
{
    struct svm_task *task = context;
    struct solving *solving = &task->learner->solving;
    if (solving->stop && pthread_equal(pthread_self(), task->caller) &&
        solving->stop(solving->stop_context))
        task->stopped = true;
    return task->stopped;
}

// Row i of a batch, with the features as rows of the weights; *slots moves on by its entries.
static tlu_row next_row(const struct batch *batch, size_t i, const uint32_t **slots)
{
    tlu_row x = batch_row(batch, i);
    if (*slots) {
        x.features = *slots;
        *slots += x.count;
    }
    return x;
}

// C of a row in the binary problem of a column.
static double cost_of(const struct svm_task *task, uint32_t column, const struct batch *batch,
                      size_t i)
{
    return task->learner->rule.C * batch_class_weight(task->learner, column, batch, i) *
           (double)batch_weight(batch, i);
}

// Collects the rows of the column's binary problem.
static void collect(const struct svm_task *task, uint32_t column, struct linear_solver *linear)
{
    const struct tlu_learner *learner = task->learner;
    const uint32_t *slots = task->slots;
    for (size_t b = 0; b < task->batch_count; b++) {
        const struct batch *batch = task->batches[b];
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row x = next_row(batch, i, &slots);
            double y = batch_is_held_out(batch, i) ? 0 : batch_sign(learner, column, batch, i);
            double C = y == 0 ? 0 : cost_of(task, column, batch, i);
            if (C > 0) {
                double alpha = batch_start(learner, column * task->rows + linear->count);
                linear->rows[linear->count++] =
                    (struct linear_row){.x = x, .y = y, .C = C, .alpha = alpha};
            }
        }
    }
}

static void keep(struct svm_task *task, uint32_t column, const struct linear_solver *linear)
{
    struct weights *weights = &task->learner->state.weights;
    for (size_t f = 0; f < linear->features; f++)
        if (linear->w[f] != 0)
            weights->w[f * weights->columns + column] = linear->w[f];
    weights->bias[column] = linear->w[linear->features];
    task->objectives[column] = linear->objective;
    task->gaps[column] = linear->gap;
    for (size_t i = 0; i < linear->count; i++)
        batch_keep(task->learner, column * task->rows + i, linear->rows[i].alpha);
}

// A column that is not solved, because the user stopped: its weights are 0.
static void leave_out(struct svm_task *task, uint32_t column, const struct linear_solver *linear)
{
    double loss = task->loss == LINEAR_LOGISTIC ? log(2) : 1;
    for (size_t i = 0; i < linear->count; i++)
        task->objectives[column] += linear->rows[i].C * loss;
    task->gaps[column] = linear->count > 0 ? 1 : 0;
}

static void solve_column(struct svm_task *task, uint32_t column)
{
    const struct tlu_learner *learner = task->learner;
    struct linear_solver linear = {.loss = task->loss,
                                   .rows = memory_new(task->rows, sizeof(struct linear_row)),
                                   .features = learner->state.weights.rows,
                                   .bias = learner->rule.bias,
                                   .goal = options_number(learner->state.options, OPTION_GAP),
                                   .seed = column + 1, // the solution does not depend on it
                                   .growth = batch_growth(learner),
                                   .routines = learner->state.weights.routines,
                                   .stop = is_over,
                                   .context = task};
    if (linear.rows)
        collect(task, column, &linear);
    if (linear.rows && is_over(task))
        leave_out(task, column, &linear);
    else if (!linear.rows || (linear.count > 0 && !linear_solve(&linear)))
        task->no_memory = true;
    else if (linear.count > 0)
        keep(task, column, &linear);
    linear_free(&linear);
    memory_free(linear.rows);
}

static void solve_columns(void *context, size_t first, size_t last)
{
    struct svm_task *task = context;
    uint32_t column;
    (void)first;
    (void)last;
    while ((column = atomic_fetch_add(&task->next, 1)) < task->learner->state.weights.columns &&
           !task->no_memory) {
        if (pthread_equal(pthread_self(), task->caller))
            task->learner->solving.planes = column;
        solve_column(task, column);
    }
}

// Winner takes all: the weights of all classes together. False: out of memory.
static bool solve_together(struct svm_task *task)
{
    const struct tlu_learner *learner = task->learner;
    struct weights *weights = &task->learner->state.weights;
    const uint32_t *slots = task->slots;
    struct crammer crammer = {.rows = memory_new(task->rows, sizeof(struct crammer_row)),
                              .features = weights->rows,
                              .classes = weights->columns,
                              .bias = learner->rule.bias,
                              .goal = options_number(learner->state.options, OPTION_GAP),
                              .growth = batch_growth(learner),
                              .routines = weights->routines,
                              .stop = is_over,
                              .context = task};
    for (size_t b = 0; crammer.rows && b < task->batch_count; b++)
        for (size_t i = 0; i < task->batches[b]->rows; i++) {
            const struct batch *batch = task->batches[b];
            tlu_row x = next_row(batch, i, &slots);
            uint32_t label = batch->labels[i];
            double C = batch_is_held_out(batch, i) ? 0 : cost_of(task, label, batch, i);
            if (C > 0)
                crammer.rows[crammer.count++] =
                    (struct crammer_row){.x = x, .C = C, .label = label};
        }
    if (crammer.growth > 0)
        crammer.start = learner->solving.multipliers->alpha;
    bool fine = crammer.rows && (crammer.count == 0 || crammer_solve(&crammer));
    if (fine && crammer.count > 0) {
        size_t cells = weights->rows * weights->columns;
        for (size_t f = 0; f < cells; f++)
            if (crammer.w[f] != 0)
                weights->w[f] = crammer.w[f];
        memcpy(weights->bias, crammer.w + cells, weights->columns * sizeof *weights->bias);
        for (size_t k = 0; k < crammer.count * crammer.classes; k++)
            batch_keep(task->learner, k, crammer.d[k]);
        task->objectives[0] = crammer.objective;
        task->gaps[0] = crammer.gap;
    }
    crammer_free(&crammer);
    memory_free(crammer.rows);
    return fine;
}

// Adds up the objectives, and takes the largest gap.
static void sum_up(const struct svm_task *task, struct solution *solution)
{
    *solution = (struct solution){0};
    for (uint32_t c = 0; c < task->learner->state.weights.columns; c++) {
        solution->objective += task->objectives[c];
        solution->gap = fmax(solution->gap, task->gaps[c]);
    }
}

static tlu_status svm_solve(struct tlu_learner *learner, struct batch *const *batches,
                            size_t batch_count, tlu_error *error)
{
    uint32_t columns = learner->state.weights.columns;
    struct svm_task task = {.learner = learner,
                            .batches = batches,
                            .batch_count = batch_count,
                            .loss = loss_of(learner->state.options),
                            .caller = pthread_self()};
    for (size_t b = 0; b < batch_count; b++)
        task.rows += batches[b]->rows;
    bool fine = (task.objectives = memory_new(columns, sizeof *task.objectives)) &&
                (task.gaps = memory_new(columns, sizeof *task.gaps)) && batch_solution(learner) &&
                batch_slots(learner, batches, batch_count, &task.slots);
    batch_multipliers(learner, batches, batch_count);
    if (fine && learner->state.scheme.kind == SCHEME_WTA)
        fine = solve_together(&task);
    else if (fine)
        parallel_run(parallel_threads(options_count(learner->state.options, OPTION_THREADS)),
                     columns, solve_columns, &task);
    if (fine) {
        sum_up(&task, learner->solving.solution);
        batch_keep_C(learner);
    }
    memory_free(task.objectives);
    memory_free(task.gaps);
    memory_free(task.slots);
    return fine && !task.no_memory ? TLU_OK : error_memory(error);
}

LEARNER(svm) = {
    .info = {.name = learner_names.svm,
             .complexity = 5,
             .summary = "linear support vector machine, solved to a proven 1e-6 (--loss)",
             .reference = "Cortes and Vapnik 1995; Hsieh et al. 2008; Crammer and Singer 2001",
             .options = "C loss gap",
             .defaults = "scale=auto multiclass=auto",
             .decisions = "last",
             .spaces = "primal",
             .schemes = "ovr ovo wta"},
    .traits = LEARNER_BATCH,
};
LEARNER_FUNCTIONS(svm) = {.solve = svm_solve};

const struct learner_kind learner_logistic_dual = {
    .info = {.name = learner_names.logistic,
             .complexity = 5,
             .summary = "logistic regression, solved to a proven 1e-6",
             .reference = "Yu, Huang and Lin 2011",
             .options = "C solver gap",
             .defaults = "scale=auto multiclass=ovr",
             .decisions = "last",
             .spaces = "primal",
             .schemes = "ovr ovo"},
    .traits = LEARNER_BATCH | LEARNER_LOGITS,
};
LEARNER_FUNCTIONS(logistic_dual) = {.solve = svm_solve};
