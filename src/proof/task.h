// The question as a list of cases: w . z > 0 is wanted for every z.
//
// Two classes: one case per row, z = y (x, 1). Several (Kesler's construction, Honavar notes): one
// case per row and rival class, with one block of (x, 1) per class: + in the row's own block, - in
// the rival's. Nothing is written out: a case is a row and one or two signed blocks.
#ifndef TLU_PROOF_TASK_H
#define TLU_PROOF_TASK_H

#include "proof/examples.h"

// What a proof may take, and who may stop it.
struct deadline {
    double end; // of the clock; INFINITY: any time
    double begun;
    int (*progress)(void *context, const char *stage, double seconds); // NULL: not asked
    void *context;
    const char *stage; // what is being done, for the user
    bool over;         // once it was found to be
    bool stopped;      // by the user
};

struct separation_task {
    const struct examples *examples;
    size_t blocks; // of weights: 1 for two classes, else one per class
    size_t dims;   // blocks * width
    size_t rivals; // cases per row
    size_t cases;
    const bool *gone; // [rows] that do not count; NULL: all do
    struct deadline *deadline;
};

struct case_block {
    int sign;
    size_t base; // where its block begins
};

static inline bool is_gone(const struct separation_task *task, size_t row)
{
    return task->gone && task->gone[row];
}

static inline size_t case_row(const struct separation_task *task, size_t c)
{
    return c / task->rivals;
}

// The rival class of a case of several classes.
static inline uint32_t case_rival(const struct separation_task *task, size_t c)
{
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

struct separation_task task_of(const struct examples *examples, struct deadline *deadline);
// Whether time is up or the user has had enough; stays true.
bool is_late(struct deadline *deadline);

// ---- weights, as whole numbers (witness.c) ----

struct witness {
    size_t count;
    mpz_t *w; // [count]; NULL: none
};
bool witness_init(struct witness *weights, size_t count);
void witness_free(struct witness *weights);
// Whether w . z > 0 for every case, exactly. *wrong, if not NULL, is how many rows have a case for
// which it is not; else the first such ends the search.
bool witness_separate(const struct separation_task *task, const struct witness *weights,
                      size_t *wrong);
// w . z of row i with the block at `base`.
void witness_score(const struct examples *examples, const struct witness *weights, size_t i,
                   size_t base, mpz_t out);
// w . w of two classes, without the bias.
void witness_square(const struct examples *examples, const struct witness *weights, mpz_t out);
// Whole numbers of `bits` bits next to w times a power of two; with 0 bits exactly w times one.
void witness_round(struct witness *weights, const double *w, int bits);
// Divides all by what they have in common.
void witness_reduce(struct witness *weights);
// Finds whole numbers as short as will do among those near w; false: none that separate.
bool witness_try(const struct separation_task *task, const double *w, struct witness *weights);

// ---- contradictions: cases with positive whole numbers, whose sum of true z is 0 ----

struct contradiction {
    size_t count;
    size_t *cases; // [count] ascending
    mpz_t *lambda; // [count]
};
bool contradiction_init(struct contradiction *contradiction, size_t count);
void contradiction_free(struct contradiction *contradiction);
// From coefficients of the whole-numbered rows to those of the true ones, in lowest terms and by
// ascending cases; those that are 0 go.
void contradiction_settle(const struct separation_task *task, struct contradiction *contradiction);

// ---- the ways to an answer ----

enum finding {
    FOUND_NOTHING,
    FOUND_WEIGHTS,
    FOUND_CONTRADICTION,
    FOUND_NO_MEMORY,
};
struct certificate {
    struct witness weights;
    struct contradiction contradiction;
};

// Two rows that are alike and of different classes. (repeats.c)
enum finding find_repeats(const struct separation_task *task, struct certificate *found);
// The perceptron, in floating point, checked exactly. (steps.c)
enum finding find_by_steps(const struct separation_task *task, size_t passes,
                           struct certificate *found);
// The weights of the perceptron with the fewest mistakes, into best[dims]; false: out of memory.
bool pocket(const struct separation_task *task, size_t passes, double *best);
// The linear program in floating point: weights, checked exactly, or a guess at the contradicting
// cases, to be made exact by the next. It can be run again when more rows are gone. (program.c)
struct program;
bool program_fits(const struct separation_task *task);            // whether Clp can take it
bool program_has_space(const struct separation_task *task);       // whether there is memory for Clp
struct program *program_open(const struct separation_task *task); // NULL: out of memory
enum finding program_run(struct program *program, const struct separation_task *task,
                         struct certificate *found);
// Another program of the same cases: w with the least sum of max(0, 1 - w . z), into w[dims].
// False: it was not solved.
bool program_hinge(struct program *program, const struct separation_task *task, double *w);
// The last basis, for find_exactly.
const size_t *program_basis(const struct program *program, size_t *count);
void program_close(struct program *program);
// A contradiction among the cases of that basis, if they are one. (lift.c)
enum finding find_by_lifting(const struct separation_task *task, const size_t *basis, size_t count,
                             struct certificate *found);
// The same program in exact arithmetic, from that basis on. (simplex.c)
enum finding find_exactly(const struct separation_task *task, const size_t *basis,
                          size_t basis_count, struct certificate *found);

#endif
