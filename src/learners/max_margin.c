// The maximum-margin hyperplane: the separating hyperplane with the largest distance from the
// training points (Kun notes):
//
//     minimise |w|^2 / 2  with  y_i (w . x_i + b) >= 1 for every row i
//
// The nearest rows are at distance 1 / |w|. b is not part of |w| (--no-bias sets it to 0). With
// --C, rows may be nearer or on the wrong side, at a cost of C times the missing margin:
//
//     minimise |w|^2 / 2 + C sum_i weight_i max(0, 1 - y_i (w . x_i + b))
//
// solvers/plane.c finds w as a sum of rows, w = sum_i alpha_i y_i x_i. Rows with alpha_i > 0 are
// the support vectors; without the other rows the plane would be the same.
//
// With --kernel, x stands for the row in the feature space of the kernel. solvers/kernel_margin.c
// finds the alphas, and the model keeps the support vectors instead of w.
//
// Several classes: one plane per class (one versus the rest) or per pair of classes (one versus
// one); or winner-takes-all, with the weights of all classes found together (solvers/winner.c).
#include "base/memory.h"
#include "data/cache.h"
#include "solvers/batch_solver.h"
#include "solvers/kernel_margin.h"
#include "solvers/plane.h"

#include <math.h>
#include <stdio.h>

struct margin_task {
    struct tlu_learner *learner;
    struct batch *const *batches;
    size_t batch_count, row_count;
    struct plane_row *rows; // [all rows]
    uint32_t *slots;        // [all entries] rows of the weights; NULL: the features themselves
    uint32_t column;
    struct kernel_rows *kernel; // --kernel: of the column's rows
};

enum { MINUS = 1, PLUS = 2 };

#define KERNEL_MEMORY ((uint64_t)100 << 20) // bytes of kernel values without --memory
#define KERNEL_MAX 1e150 // of a row with itself: products of two kernel values must not overflow

// Collects the rows of the column's binary problem. Returns which sides have rows: MINUS | PLUS.
static int collect(const struct margin_task *task, struct plane *plane)
{
    const struct tlu_learner *learner = task->learner;
    const uint32_t *slots = task->slots;
    int sides = 0;
    for (size_t b = 0; b < task->batch_count; b++) {
        const struct batch *batch = task->batches[b];
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row x = batch_row(batch, i);
            if (slots) {
                x.features = slots;
                slots += x.count;
            }
            double y =
                batch_is_held_out(batch, i) ? 0 : batch_sign(learner, task->column, batch, i);
            if (y == 0 || batch_weight(batch, i) == 0)
                continue;
            plane->rows[plane->count] = (struct plane_row){
                .x = x,
                .id = batch->first_row + i,
                .y = y,
                .d = y * batch_start(learner, task->column * task->row_count + plane->count),
                .limit = plane->hard ? INFINITY
                                     : learner->rule.C *
                                           batch_class_weight(learner, task->column, batch, i) *
                                           (double)batch_weight(batch, i)};
            plane->count++;
            sides |= y > 0 ? PLUS : MINUS;
        }
    }
    return sides;
}

// Copies the plane and its support vectors into the learner.
static tlu_status keep(const struct margin_task *task, const struct plane *plane, tlu_error *error)
{
    struct weights *weights = &task->learner->state.weights;
    struct solution *solution = task->learner->solving.solution;
    for (size_t f = 0; plane->w && f < plane->features; f++)
        if (plane->w[f] != 0)
            weights->w[f * weights->columns + task->column] = plane->w[f];
    for (size_t i = 0; !plane->w && i < plane->count; i++) // with a kernel
        weights->w[plane->rows[i].id * weights->columns + task->column] = plane->rows[i].d;
    weights->bias[task->column] = plane->b;
    solution->margin = fmin(solution->margin, 1 / plane->norm);
    solution->gap = fmax(solution->gap, plane->gap);
    solution->objective += plane->objective;
    solution->separable &= plane->separates;
    for (size_t i = 0; i < plane->count; i++) {
        const struct plane_row *row = &plane->rows[i];
        batch_keep(task->learner, task->column * task->row_count + i, fabs(row->d));
        if (row->d == 0)
            continue;
        if (!memory_reserve(&solution->supports, &solution->capacity, solution->count + 1,
                            sizeof *solution->supports))
            return error_memory(error);
        solution->supports[solution->count++] =
            (struct support){.id = row->id, .column = task->column, .alpha = fabs(row->d)};
    }
    return TLU_OK;
}

// Writes "the classes", "class 'a' from the others" or "class 'a' from class 'b'"; long labels are
// truncated.
static void name_sides(const struct margin_task *task, char *out, size_t size)
{
    const struct tlu_learner *learner = task->learner;
    const char *plus = "", *minus = "";
    for (uint32_t c = 0; c < learner->state.scheme.classes; c++) {
        double y = class_sign(learner, task->column, c);
        if (y > 0)
            plus = learner->state.schema.spelled[c];
        else if (y < 0)
            minus = learner->state.schema.spelled[c];
    }
    if (learner->state.scheme.kind == SCHEME_TWO)
        snprintf(out, size, "the classes");
    else if (learner->state.scheme.kind == SCHEME_OVO)
        snprintf(out, size, "class '%.40s' from class '%.40s'", minus, plus);
    else
        snprintf(out, size, "class '%.40s' from the others", plus);
}

static tlu_status refuse(const struct margin_task *task, const struct plane *plane, bool sure,
                         tlu_error *error)
{
    char sides[128];
    const char *where = task->kernel ? " in the feature space of the kernel" : "";
    name_sides(task, sides, sizeof sides);
    if (sure)
        return error_input(error,
                           "no hyperplane separates %s%s (its margin would be below %.2g, and "
                           "the longest row has length %.3g); give --C 1 to allow errors",
                           sides, where, plane->bound, plane->length);
    if (plane->stop(plane->context))
        return error_interrupted(error, "interrupted before a hyperplane separated %s", sides);
    return error_input(
        error,
        "whether a hyperplane separates %s%s could not be decided (its margin would be "
        "below %.2g, and the longest row has length %.3g); try --scale standard, or give --C 1 to "
        "allow errors",
        sides, where, plane->bound, plane->length);
}

struct margin_search {
    struct tlu_learner *learner;
    const struct plane *plane;
};

// plane.stop: records the gap for the progress report, and asks the caller whether to stop.
static bool is_over(void *context)
{
    struct margin_search *search = context;
    struct tlu_learner *learner = search->learner;
    learner->solving.gap = search->plane->gap;
    return learner->solving.stop && learner->solving.stop(learner->solving.stop_context);
}

// The memory for rows of the kernel matrix: --memory, or a limit that leaves room for others.
static uint64_t memory_for_kernel(const struct tlu_learner *learner)
{
    struct cache cache;
    cache_init(&cache, learner->state.options);
    bool given = options_count(learner->state.options, OPTION_MEMORY) != 0;
    return given || cache.limit < KERNEL_MEMORY ? cache.limit : KERNEL_MEMORY;
}

// Sets task->kernel. All columns have the same rows, except those of pairs of classes.
static tlu_status use_kernel(struct margin_task *task, const struct plane *plane, tlu_error *error)
{
    const struct tlu_learner *learner = task->learner;
    if (learner->state.scheme.kind == SCHEME_OVO) {
        kernel_rows_free(task->kernel);
        task->kernel = NULL;
    }
    tlu_row *rows = task->kernel ? NULL : memory_new(plane->count, sizeof *rows);
    for (size_t i = 0; rows && i < plane->count; i++)
        rows[i] = plane->rows[i].x;
    if (rows)
        task->kernel =
            kernel_rows_new(&learner->state.kernel, rows, plane->count, memory_for_kernel(learner));
    memory_free(rows);
    TRY(enough_memory(task->kernel != NULL, error));
    for (size_t i = 0; i < plane->count; i++)
        if (!(kernel_rows_own(task->kernel, i) < KERNEL_MAX))
            return error_input(
                error,
                "the kernel of row %llu with itself is too large; scale the data (--scale maxabs)",
                (unsigned long long)plane->rows[i].id + 1);
    return TLU_OK;
}

static tlu_status solve_column(struct margin_task *task, tlu_error *error)
{
    struct tlu_learner *learner = task->learner;
    struct plane plane = {.rows = task->rows,
                          .features = learner->state.weights.rows,
                          .bias = learner->rule.bias,
                          .hard = max_margin_is_hard(learner->state.options),
                          .growth = batch_growth(learner),
                          .routines = learner->state.weights.routines,
                          .stop = is_over};
    struct margin_search search = {learner, &plane};
    plane.context = &search;
    int sides = collect(task, &plane);
    if (plane.count == 0 || (plane.bias && sides != (PLUS | MINUS))) { // no plane is needed
        learner->state.weights.bias[task->column] = !plane.bias ? 0 : sides == PLUS ? 1 : -1;
        return TLU_OK;
    }
    tlu_status status;
    if (learner->state.kernel.kind)
        TRY(use_kernel(task, &plane, error));
    enum plane_end end =
        task->kernel ? kernel_margin_solve(&plane, task->kernel) : plane_solve(&plane);
    if (end == PLANE_NO_MEMORY)
        status = error_memory(error);
    else if (plane.hard && !plane.separates)
        status = refuse(task, &plane, end == PLANE_NONE, error);
    else
        status = keep(task, &plane, error);
    plane_free(&plane);
    return status;
}

static tlu_status max_margin_solve(struct tlu_learner *learner, struct batch *const *batches,
                                   size_t batch_count, tlu_error *error)
{
    struct margin_task task = {.learner = learner, .batches = batches, .batch_count = batch_count};
    for (size_t b = 0; b < batch_count; b++)
        task.row_count += batches[b]->rows;
    if (max_margin_is_hard(learner->state.options) || learner->state.kernel.kind ||
        learner->state.scheme.kind == SCHEME_WTA)
        learner->solving.multipliers = NULL; // always starts from 0
    batch_multipliers(learner, batches, batch_count);
    task.rows = memory_new(task.row_count, sizeof *task.rows);
    tlu_status status = task.rows && batch_solution(learner) &&
                                batch_slots(learner, batches, batch_count, &task.slots)
                            ? TLU_OK
                            : error_memory(error);
    if (status == TLU_OK)
        *learner->solving.solution = (struct solution){.margin = INFINITY, .separable = true};
    if (status == TLU_OK && learner->state.scheme.kind == SCHEME_WTA) {
        status = batch_winner(learner, batches, batch_count, task.slots, error);
        task.column = learner->state.weights.columns;
    }
    for (; status == TLU_OK && task.column < learner->state.weights.columns; task.column++) {
        learner->solving.planes = task.column;
        status = solve_column(&task, error);
    }
    if (status == TLU_OK)
        batch_keep_C(learner);
    kernel_rows_free(task.kernel);
    memory_free(task.rows);
    memory_free(task.slots);
    return status;
}

LEARNER(max_margin) = {
    .info = {.name = learner_names.max_margin,
             .complexity = 5,
             .summary = "the best separating hyperplane, to a proven 1e-6; --C for data that "
                        "cannot be separated",
             .reference = "Vapnik 1982; Cortes and Vapnik 1995; Fan, Chen and Lin 2005; "
                          "Crammer and Singer 2001",
             .options = "C",
             .defaults = "C=- multiclass=auto",
             .decisions = "last",
             .spaces = "primal dual",
             .schemes = "ovr ovo wta"},
    .traits = LEARNER_BATCH,
};
LEARNER_FUNCTIONS(max_margin) = {.solve = max_margin_solve};
