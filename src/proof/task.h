// A separability question as a list of cases: find w with w . z > 0 for every case z.
//
// Two classes: one case per row, z = y (x, 1). Several classes (Kesler's construction, Honavar
// notes): one case per row and rival class, with one block of (x, 1) per class, + in the block of
// the row's class and - in that of the rival. Cases are never stored: a case is a row and one or
// two signed blocks.
#ifndef TLU_PROOF_TASK_H
#define TLU_PROOF_TASK_H

#include "proof/examples.h"

#include <assert.h>

// The time limit of a computation, and the callback that may stop it.
struct deadline {
    double end; // by clock_seconds; INFINITY: no limit
    double begun;
    int (*progress)(void *context, const char *stage, double seconds); // NULL: not asked
    void *context;
    const char *stage; // the current stage, for the user
    bool over;         // the limit has passed or the callback has stopped us
    bool stopped;      // by the callback
};

struct separation_task {
    const struct examples *examples;
    size_t blocks; // of weights: 1 for two classes, else one per class
    size_t dims;   // blocks * width
    size_t rivals; // cases per row
    size_t cases;
    const bool *gone; // [rows] rows that are left out; NULL: none
    struct deadline *deadline;
};

struct case_block {
    int sign;
    size_t base; // first weight of the block
};

static inline bool is_gone(const struct separation_task *task, size_t row)
{
    return task->gone && task->gone[row];
}

static inline size_t case_row(const struct separation_task *task, size_t c)
{
    return c / task->rivals;
}

// The rival class of a case.
static inline uint32_t case_rival(const struct separation_task *task, size_t c)
{
    assert(task->blocks > 1);
    uint32_t own = task->examples->group[case_row(task, c)];
    uint32_t rival = (uint32_t)(c % task->rivals);
    return rival < own ? rival : rival + 1;
}

static inline int case_parts(const struct separation_task *task, size_t c,
                             struct case_block parts[2])
{
    const struct examples *examples = task->examples;
    uint32_t own = examples->group[case_row(task, c)];
    if (task->blocks == 1) {
        parts[0] = (struct case_block){own ? 1 : -1, 0};
        return 1;
    }
    parts[0] = (struct case_block){1, own * examples->width};
    parts[1] = (struct case_block){-1, case_rival(task, c) * examples->width};
    return 2;
}

// w . z of a case in floating point; *size is the sum of the terms' magnitudes.
double case_score(const struct separation_task *task, size_t c, const double *w, double *size);
struct separation_task task_of(const struct examples *examples, struct deadline *deadline);
// Whether the time limit has passed or the callback has asked to stop; stays true.
bool is_late(struct deadline *deadline);

// ---- integer weights (certificate.c) ----

struct witness {
    size_t count;
    mpz_t *w; // [count]; NULL: none
};
void witness_init(struct witness *weights, size_t count); // all 0
void witness_free(struct witness *weights);
// Whether w . z > 0 for every case, exactly. *wrong, if not NULL, is the number of rows with a case
// that fails; if NULL, the first failure ends the check.
bool witness_separate(const struct separation_task *task, const struct witness *weights,
                      size_t *wrong);
// out := w . x of row i, with the block of weights at `base`.
void witness_score(const struct examples *examples, const struct witness *weights, size_t i,
                   size_t base, mpz_t out);
// out := w . w without the bias; two classes.
void witness_square(const struct examples *examples, const struct witness *weights, mpz_t out);
// The largest binary exponent of the weights, and weight j times 2^-exponent as a double.
long witness_exponent(const struct witness *weights);
double witness_scaled(const struct witness *weights, size_t j, long exponent);
// Rounds w times a power of two to integers of `bits` bits; 0 bits: no rounding.
void witness_round(struct witness *weights, const double *w, int bits);
// Divides the weights by their greatest common divisor.
void witness_reduce(struct witness *weights);
// Finds integers near w, as short as possible, that separate; false: there are none.
bool witness_try(const struct separation_task *task, const double *w, struct witness *weights);

// ---- contradictions: positive integer multiples of cases whose sum is 0 (certificate.c) ----

struct contradiction {
    size_t count;
    size_t *cases; // [count] ascending
    mpz_t *lambda; // [count]
};
void contradiction_init(struct contradiction *contradiction, size_t count);
// Converts coefficients of the integer rows to those of the true rows: in lowest terms, by
// ascending case, without zeros.
void contradiction_settle(const struct separation_task *task, struct contradiction *contradiction);

// ---- methods ----

enum finding { FOUND_NOTHING, FOUND_WEIGHTS, FOUND_CONTRADICTION };
struct certificate {
    struct witness weights;
    struct contradiction contradiction;
};

// Two equal rows of different classes. (repeats.c)
enum finding find_repeats(const struct separation_task *task, struct certificate *found);
// The perceptron, in floating point, checked exactly. (perceptron.c)
enum finding find_by_steps(const struct separation_task *task, size_t passes,
                           struct certificate *found);
// best[dims] := the perceptron's weights with the fewest mistakes.
void pocket(const struct separation_task *task, size_t passes, double *best);
// The linear program in floating point: weights, checked exactly, or a basis for find_exactly. It
// can run again after more rows have become gone. (linear_program.c)
struct program;
tlu_status program_check(tlu_error *error);                 // whether Clp can be loaded
bool program_fits(const struct separation_task *task);      // Clp's index types suffice
bool program_has_space(const struct separation_task *task); // whether there is memory for Clp
struct program *program_open(const struct separation_task *task);
enum finding program_run(struct program *program, const struct separation_task *task,
                         struct certificate *found);
// w[dims] := the weights with the least hinge loss, the sum of max(0, 1 - w . z) over the cases.
// False: it was not solved.
bool program_hinge(struct program *program, const struct separation_task *task, double *w);
// The last basis, for find_exactly.
const size_t *program_basis(const struct program *program, size_t *count);
void program_close(struct program *program);
// The contradiction among the cases of that basis, if they have one. (lifting.c)
enum finding find_by_lifting(const struct separation_task *task, const size_t *basis, size_t count,
                             struct certificate *found);
// The same program in exact arithmetic, starting from that basis. (simplex.c)
enum finding find_exactly(const struct separation_task *task, const size_t *basis,
                          size_t basis_count, struct certificate *found);

#endif
