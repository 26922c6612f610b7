// The linear program, by Clp, in floating point:
//
//     minimise sum_j |r_j|  with  sum_c lambda_c z_c = r,  sum_c lambda_c = 1,  lambda >= 0
//
// Its columns are the cases. If the least sum is 0 the cases with lambda_c > 0, at most dims + 1 of
// them, contradict each other (Gordan 1873). Else the prices -w of the rows have w . z_c > 0 for
// all cases: its dual is to maximise the least w . z_c with |w_j| <= 1.
//
// Cases are brought to length 1 at most, and features to values of at most 1. What comes out is a
// guess: the caller makes it exact.
#if defined(TLU_HAVE_GMP) && defined(TLU_HAVE_CLP)
#include "base/memory.h"
#include "prove/task.h"
#include "train/clock.h"

#include <Clp_C_Interface.h>
#include <math.h>
#include <string.h>

#define STOPPED 3 // Clp's status

struct program {
    const struct task *task;
    double *feature; // [width] what a feature is divided by
    // The matrix by columns: the cases, then +e_j and -e_j for each j.
    int columns, rows;
    CoinBigIndex *starts; // [columns + 1]
    int *places;
    double *values, *cost, *right; // right: [rows]
    double *w;                     // [dims]
};

static void set_scales(struct program *program)
{
    const struct examples *examples = program->task->examples;
    for (size_t k = 0; k < examples->offsets[examples->count]; k++) {
        double *most = &program->feature[examples->columns[k]];
        *most = fmax(*most, fabs(examples->near[k]));
    }
    for (size_t j = 0; j < examples->width; j++)
        if (!(program->feature[j] > 0) || !isfinite(program->feature[j]))
            program->feature[j] = 1;
}

static size_t put_case(struct program *program, size_t c, size_t at)
{
    const struct task *task = program->task;
    const struct examples *examples = task->examples;
    size_t i = case_row(task, c), start = examples->offsets[i], end = examples->offsets[i + 1];
    struct part parts[2];
    int count = case_parts(task, c, parts);
    double most = 0;
    for (size_t k = start; k < end; k++)
        most = fmax(most, fabs(examples->near[k] / program->feature[examples->columns[k]]));
    most = most > 0 && isfinite(most) ? most : 1;
    for (int p = 0; p < count; p++)
        for (size_t k = start; k < end; k++) {
            uint32_t column = examples->columns[k];
            program->places[at] = (int)(parts[p].base + column);
            program->values[at++] =
                parts[p].sign * examples->near[k] / program->feature[column] / most;
        }
    program->places[at] = program->rows - 1;
    program->values[at++] = 1;
    return at;
}

static void put_columns(struct program *program)
{
    const struct task *task = program->task;
    size_t at = 0, column = 0;
    for (size_t c = 0; c < task->cases; c++) {
        program->starts[column++] = (CoinBigIndex)at;
        at = put_case(program, c, at);
    }
    for (size_t j = 0; j < 2 * task->dims; j++) {
        program->cost[column] = 1;
        program->starts[column++] = (CoinBigIndex)at;
        program->places[at] = (int)(j / 2);
        program->values[at++] = j % 2 ? -1 : 1;
    }
    program->starts[column] = (CoinBigIndex)at;
    program->right[program->rows - 1] = 1;
}

static size_t entries_of(const struct task *task)
{
    const struct examples *examples = task->examples;
    size_t parts = task->blocks == 1 ? 1 : 2;
    return examples->offsets[examples->count] * parts * task->rivals + task->cases + 2 * task->dims;
}

static bool allocate(struct program *program)
{
    const struct task *task = program->task;
    size_t columns = task->cases + 2 * task->dims, rows = task->dims + 1;
    size_t entries = entries_of(task);
    program->columns = (int)columns;
    program->rows = (int)rows;
    program->feature = memory_new(task->examples->width + 1, sizeof(double));
    program->starts = memory_new(columns + 1, sizeof *program->starts);
    program->places = memory_new(entries, sizeof *program->places);
    program->values = memory_new(entries, sizeof(double));
    program->cost = memory_new(columns, sizeof(double));
    program->right = memory_new(rows, sizeof(double));
    program->w = memory_new(rows, sizeof(double));
    return program->feature && program->starts && program->places && program->values &&
           program->cost && program->right && program->w;
}

static void release(struct program *program)
{
    memory_free(program->feature);
    memory_free(program->starts);
    memory_free(program->places);
    memory_free(program->values);
    memory_free(program->cost);
    memory_free(program->right);
    memory_free(program->w);
}

// Clp's last basis: cases, those that count first, and after them cases + j for r_j.
static size_t read_basis(Clp_Simplex *model, const struct task *task, size_t *basis)
{
    const double *lambda = Clp_primalColumnSolution(model);
    size_t count = 0, most = task->dims + 1;
    for (int positive = 1; positive >= 0; positive--)
        for (size_t c = 0; c < task->cases && count < most; c++)
            if (Clp_getColumnStatus(model, (int)c) == 1 && (lambda[c] > 0) == positive)
                basis[count++] = c;
    for (size_t j = 0; j < task->dims && count < most; j++)
        if (Clp_getColumnStatus(model, (int)(task->cases + 2 * j)) == 1 ||
            Clp_getColumnStatus(model, (int)(task->cases + 2 * j + 1)) == 1 ||
            Clp_getRowStatus(model, (int)j) == 1)
            basis[count++] = task->cases + j;
    return count;
}

// A second or so at a time, to look at the clock and show that it goes on.
static void run_in_slices(Clp_Simplex *model, struct patience *patience)
{
    double slice = 1;
    do {
        Clp_setMaximumSeconds(model, fmax(fmin(slice, patience->end - clock_seconds()), 0.01));
        Clp_primal(model, 0);
        slice *= 1.5;
    } while (Clp_status(model) == STOPPED && !is_late(patience));
}

static enum finding solve(struct program *program, Clp_Simplex *model, struct found *found,
                          size_t *basis, size_t *basis_count)
{
    const struct task *task = program->task;
    size_t width = task->examples->width;
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, program->columns, program->rows, program->starts, program->places,
                    program->values, NULL, NULL, program->cost, program->right, program->right);
    run_in_slices(model, task->patience);
    const double *price = Clp_dualRowSolution(model);
    for (size_t j = 0; j < task->dims; j++)
        program->w[j] = -price[j] / program->feature[j % width];
    *basis_count = read_basis(model, task, basis);
    if (!witness_init(&found->weights, task->dims))
        return FOUND_NO_MEMORY;
    if (Clp_objectiveValue(model) > 0 && witness_try(task, program->w, &found->weights))
        return FOUND_WEIGHTS;
    witness_free(&found->weights);
    return FOUND_NOTHING;
}

enum finding find_by_program(const struct task *task, struct found *found, size_t *basis,
                             size_t *basis_count)
{
    struct program program = {.task = task};
    *basis_count = 0;
    if (entries_of(task) > INT32_MAX || task->cases + 2 * task->dims > INT32_MAX)
        return FOUND_NOTHING;
    enum finding finding = FOUND_NO_MEMORY;
    Clp_Simplex *model = NULL;
    if (allocate(&program) && (model = Clp_newModel()) != NULL) {
        set_scales(&program);
        put_columns(&program);
        finding = solve(&program, model, found, basis, basis_count);
    }
    if (model)
        Clp_deleteModel(model);
    release(&program);
    return finding;
}
#endif
