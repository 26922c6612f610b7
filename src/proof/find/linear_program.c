// The linear program, by Clp, in floating point:
//
//     minimise sum_j |r_j|  with  sum_c lambda_c z_c = r,  sum_c lambda_c = 1,  lambda >= 0
//
// Its columns are the cases. If the least sum is 0 the cases with lambda_c > 0, at most dims + 1 of
// them, contradict each other (Gordan 1873). Else the prices -w of the rows have w . z_c > 0 for
// all cases: its dual is to maximise the least w . z_c with |w_j| <= 1.
//
// Cases are scaled to length 1 at most, and features to values of at most 1. The result is
// approximate: the caller makes it exact.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/load/library.h"
#include "base/memory.h"
#include "proof/exact.h"
#include "proof/task.h"
#include "train/clock.h"

#include <Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define CLP_FILE "libClp.so.1"
#define STOPPED 3  // Clp's status
#define SLICE 0.05 // seconds
#define SLICE_MAX 0.08
#define SLICE_OF_ENTRY 4e-8 // Clp begins again within about a quarter of this
#define CLP_SPACE ((uint64_t)8 << 20)
#define SPACE_OF_ENTRY 160 // bytes
#define SPACE_OF_COLUMN 512
#define SPACE_OF_ROW 4096
#define DENSE 24 // from this many rows on, Clp may use LAPACK, with two buffers of OpenBLAS

// ---- Clp, which is loaded on first use ----

#define CLP_FUNCTIONS(F)                                                                           \
    F(newModel)                                                                                    \
    F(deleteModel)                                                                                 \
    F(setLogLevel)                                                                                 \
    F(loadProblem)                                                                                 \
    F(setMaximumSeconds)                                                                           \
    F(primal)                                                                                      \
    F(dual)                                                                                        \
    F(status)                                                                                      \
    F(objectiveValue)                                                                              \
    F(primalColumnSolution)                                                                        \
    F(dualRowSolution)                                                                             \
    F(columnUpper)                                                                                 \
    F(getColumnStatus)                                                                             \
    F(getRowStatus)

struct clp {
#define CLP_FIELD(name) __typeof__(&Clp_##name) name;
    CLP_FUNCTIONS(CLP_FIELD)
#undef CLP_FIELD
};

static enum library_state clp_load(struct clp *clp, char *why)
{
#define CLP_NAME(name) "Clp_" #name,
    static const char *const names[] = {CLP_FUNCTIONS(CLP_NAME)};
#undef CLP_NAME
    _Static_assert(sizeof names == sizeof *clp, "a name for each pointer");
    return library_load(CLP_FILE, names, clp, LIBRARY_COUNT(*clp), true, why);
}

tlu_status program_check(tlu_error *error)
{
    struct clp clp;
    char why[LIBRARY_WHY];
    if (clp_load(&clp, why) != LIBRARY_MISSING) // without memory for it, some proofs can be found
        return TLU_OK;
    return error_system(error,
                        "Clp, which proofs need, cannot be loaded (on Debian it is in the package "
                        "coinor-libclp1): %s",
                        why);
}

// ---- the program ----

struct program {
    const struct separation_task *task;
    struct clp clp;
    Clp_Simplex *model;
    double *feature; // [width] divisor of each feature
    // The matrix by columns: the cases, then +e_j and -e_j for each j.
    int columns, rows;
    CoinBigIndex *starts;          // [columns + 1]
    int *row_of;                   // [entries] its row
    double *values, *cost, *right; // right: [rows]
    double *w;                     // [dims]
    size_t *basis;                 // [dims + 1]
    size_t basis_count;
    struct exact_held held; // the model
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
    const struct separation_task *task = program->task;
    const struct examples *examples = task->examples;
    size_t i = case_row(task, c), start = examples->offsets[i], end = examples->offsets[i + 1];
    struct case_block parts[2];
    int count = case_parts(task, c, parts);
    double most = 0;
    for (size_t k = start; k < end; k++)
        most = fmax(most, fabs(examples->near[k] / program->feature[examples->columns[k]]));
    most = most > 0 && isfinite(most) ? most : 1;
    for (int p = 0; p < count; p++)
        for (size_t k = start; k < end; k++) {
            uint32_t column = examples->columns[k];
            program->row_of[at] = (int)(parts[p].base + column);
            program->values[at++] =
                parts[p].sign * examples->near[k] / program->feature[column] / most;
        }
    program->row_of[at] = program->rows - 1;
    program->values[at++] = 1;
    return at;
}

static void put_columns(struct program *program)
{
    const struct separation_task *task = program->task;
    size_t at = 0, column = 0;
    for (size_t c = 0; c < task->cases; c++) {
        program->starts[column++] = (CoinBigIndex)at;
        at = put_case(program, c, at);
    }
    for (size_t j = 0; j < 2 * task->dims; j++) {
        program->cost[column] = 1;
        program->starts[column++] = (CoinBigIndex)at;
        program->row_of[at] = (int)(j / 2);
        program->values[at++] = j % 2 ? -1 : 1;
    }
    program->starts[column] = (CoinBigIndex)at;
    program->right[program->rows - 1] = 1;
}

static uint64_t entries_of(const struct separation_task *task)
{
    const struct examples *examples = task->examples;
    size_t parts = task->blocks == 1 ? 1 : 2;
    return examples->offsets[examples->count] * parts * task->rivals + task->cases + 2 * task->dims;
}

static void allocate(struct program *program)
{
    const struct separation_task *task = program->task;
    size_t columns = task->cases + 2 * task->dims, rows = task->dims + 1;
    size_t entries = (size_t)entries_of(task); // program_fits
    program->columns = (int)columns;
    program->rows = (int)rows;
    program->feature = exact_new(task->examples->width, sizeof(double));
    program->starts = exact_new(columns + 1, sizeof *program->starts);
    program->row_of = exact_new(entries, sizeof *program->row_of);
    program->values = exact_new(entries, sizeof(double));
    program->cost = exact_new(columns, sizeof(double));
    program->right = exact_new(rows, sizeof(double));
    program->w = exact_new(rows, sizeof(double));
    program->basis = exact_new(rows, sizeof *program->basis);
}

static void release_model(void *context)
{
    struct program *program = context;
    if (program->model)
        program->clp.deleteModel(program->model);
}

void program_close(struct program *program)
{
    exact_drop(&program->held);
    release_model(program);
    memory_free(program->feature);
    memory_free(program->starts);
    memory_free(program->row_of);
    memory_free(program->values);
    memory_free(program->cost);
    memory_free(program->right);
    memory_free(program->w);
    memory_free(program->basis);
    memory_free(program);
}

// Clp's last basis: cases, those with lambda > 0 first, then cases + j for r_j. A case whose row is
// gone may still be basic at 0; it is left out, so that it cannot get another coefficient.
static size_t read_basis(const struct clp *clp, Clp_Simplex *model,
                         const struct separation_task *task, size_t *basis)
{
    const double *lambda = clp->primalColumnSolution(model);
    size_t count = 0, most = task->dims + 1;
    for (int positive = 1; positive >= 0; positive--)
        for (size_t c = 0; c < task->cases && count < most; c++)
            if (clp->getColumnStatus(model, (int)c) == 1 && (lambda[c] > 0) == positive &&
                !is_gone(task, case_row(task, c)))
                basis[count++] = c;
    for (size_t j = 0; j < task->dims && count < most; j++)
        if (clp->getColumnStatus(model, (int)(task->cases + 2 * j)) == 1 ||
            clp->getColumnStatus(model, (int)(task->cases + 2 * j + 1)) == 1 ||
            clp->getRowStatus(model, (int)j) == 1)
            basis[count++] = task->cases + j;
    return count;
}

const size_t *program_basis(const struct program *program, size_t *count)
{
    *count = program->basis_count;
    return program->basis;
}

// Runs Clp in slices, to check the deadline and report progress: short ones, so that the user does
// not wait for an interruption, but several times as long as Clp takes to begin again. After rows
// have become gone, the last basis is dual feasible, so the dual method repairs it.
static void run_in_slices(const struct clp *clp, Clp_Simplex *model,
                          const struct separation_task *task, bool again)
{
    struct deadline *deadline = task->deadline;
    double most = fmax(SLICE_MAX, SLICE_OF_ENTRY * (double)entries_of(task));
    double slice = SLICE;
    do {
        clp->setMaximumSeconds(model, fmax(fmin(slice, deadline->end - clock_seconds()), 0.01));
        if (again)
            clp->dual(model, 0);
        else
            clp->primal(model, 0);
        slice = fmin(1.1 * slice, most);
        most *= 1.02; // each slice starts Clp again, and may need to be longer
    } while (clp->status(model) == STOPPED && !is_late(deadline));
}

static Clp_Simplex *new_model(const struct clp *clp)
{
    Clp_Simplex *model = clp->newModel();
    if (!model)
        exact_out_of_memory();
    clp->setLogLevel(model, 0);
    return model;
}

static void leave_out(const struct clp *clp, Clp_Simplex *model, const struct separation_task *task)
{
    double *most = clp->columnUpper(model);
    for (size_t c = 0; task->gone && c < task->cases; c++)
        most[c] = is_gone(task, case_row(task, c)) ? 0 : DBL_MAX; // no limit, to Clp
}

// w := minus the prices of the rows.
static void read_prices(const struct program *program, const struct separation_task *task,
                        Clp_Simplex *model, double *w)
{
    const double *price = program->clp.dualRowSolution(model);
    for (size_t j = 0; j < task->dims; j++)
        w[j] = -price[j] / program->feature[j % task->examples->width];
}

enum finding program_run(struct program *program, const struct separation_task *task,
                         struct certificate *found)
{
    const struct clp *clp = &program->clp;
    bool again = program->model != NULL;
    if (!again) {
        program->model = new_model(clp);
        clp->loadProblem(program->model, program->columns, program->rows, program->starts,
                         program->row_of, program->values, NULL, NULL, program->cost,
                         program->right, program->right);
    }
    leave_out(clp, program->model, task);
    run_in_slices(clp, program->model, task, again);
    read_prices(program, task, program->model, program->w);
    program->basis_count = read_basis(clp, program->model, task, program->basis);
    if (clp->objectiveValue(program->model) > 0) {
        witness_init(&found->weights, task->dims);
        if (witness_try(task, program->w, &found->weights))
            return FOUND_WEIGHTS;
        witness_free(&found->weights);
    }
    return FOUND_NOTHING;
}

// The dual: maximise sum_c lambda_c with sum_c lambda_c z_c = 0 and 0 <= lambda_c <= 1.
bool program_hinge(struct program *program, const struct separation_task *task, double *w)
{
    const struct clp *clp = &program->clp;
    double *most = exact_new(task->cases, sizeof *most);
    double *cost = exact_new(task->cases, sizeof *cost);
    double *right = exact_new(task->dims + 1, sizeof *right);
    double *free_row = exact_new(task->dims + 1, sizeof *free_row);
    for (size_t c = 0; c < task->cases; c++) {
        most[c] = !is_gone(task, case_row(task, c));
        cost[c] = -1;
    }
    right[task->dims] = (double)task->cases + 1; // the sum of lambda is free
    Clp_Simplex *model = new_model(clp);
    clp->loadProblem(model, (int)task->cases, program->rows, program->starts, program->row_of,
                     program->values, NULL, most, cost, free_row, right);
    run_in_slices(clp, model, task, false);
    bool solved = clp->status(model) == 0;
    read_prices(program, task, model, w);
    clp->deleteModel(model);
    memory_free(most);
    memory_free(cost);
    memory_free(right);
    memory_free(free_row);
    return solved;
}

bool program_fits(const struct separation_task *task)
{
    return entries_of(task) <= INT32_MAX && task->cases + 2 * task->dims <= INT32_MAX;
}

// Clp, which is written in C++, aborts when out of memory, so the caller asks first.
bool program_has_space(const struct separation_task *task)
{
    struct clp clp;
    uint64_t space = CLP_SPACE + entries_of(task) * SPACE_OF_ENTRY +
                     (uint64_t)task->dims * SPACE_OF_ROW +
                     ((uint64_t)task->cases + 2 * task->dims) * SPACE_OF_COLUMN;
    if (task->dims >= DENSE)
        space += library_blas_buffers(2);
    return clp_load(&clp, NULL) == LIBRARY_LOADED && memory_is_free(space);
}

struct program *program_open(const struct separation_task *task)
{
    struct program *program = exact_new(1, sizeof *program);
    program->task = task;
    program->held = (struct exact_held){.release = release_model, .what = program};
    if (!program_has_space(task) || clp_load(&program->clp, NULL) != LIBRARY_LOADED)
        exact_out_of_memory();
    exact_hold(&program->held);
    allocate(program);
    set_scales(program);
    put_columns(program);
    return program;
}
#endif
