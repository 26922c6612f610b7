// The program of linear_program.c in exact arithmetic: the first phase of the simplex method.
//
//     minimise sum_j |r_j|  with  sum_c lambda_c z_c + r = 0,  sum_c lambda_c = 1,  lambda >= 0
//
// B is the matrix of a basis: one column (z_c, 1) or +-e_j, for r_j, per row. We store Q = D B^-1
// with D = |det B|. All its entries are integers, and a pivot keeps them so (Edmonds 1967): for
// alpha = Q a with a the entering column, and r the row of the leaving one,
//
//     Q_ij := (alpha_r Q_ij - alpha_i Q_rj) / D  for i != r,   D := alpha_r
//
// without remainder. The values of the basis are Q's last column over D. With Y the sum of the rows
// of Q whose columns are +-e_j:
//
//     the values of all r_j are 0:   the lambda_c of the basis are a contradiction
//     Y . z_c < 0 for all cases:     w = -Y separates
//     else a case with Y . z_c >= 0 enters, which lowers sum_j |r_j| or leaves it
//
// So some r_j leaves or the sum falls, and an r_j that has left never returns. The entering case
// has the largest Y . z_c / |z_c| in floating point, if its sign is certain. If the sum has not
// changed for many pivots, the first possible case enters (Bland 1977), which guarantees
// termination. The method starts from Clp's basis.
//
// src/logic/synthesis/unit_lp.c pivots in the same way, but its numbers fit 64 bits by Hadamard's
// bound; here they do not, so they are GMP's.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/exact.h"
#include "proof/task.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NO_CASE SIZE_MAX
#define ROWS_MAX 8000  // Q has the square of this
#define LIFTED 12      // rows from which lifting is tried first: it is faster than pivots
#define STALLED_MAX 40 // pivots without progress before Bland's rule

struct simplex {
    const struct separation_task *task;
    size_t m;     // dims + 1
    mpz_t *Q;     // [m][m]
    mpz_t *alpha; // [m]
    mpz_t *Y;     // [m]
    mpz_t D;
    size_t *basic;  // [m] a case, or NO_CASE: +-e of the row
    double *near;   // [dims] Y in floating point, scaled
    double *length; // [rows] of the examples
    mpz_t value, product;
    size_t stalled;
};

static mpz_t *row_of(struct simplex *s, size_t r)
{
    return s->Q + r * s->m;
}

static mpz_t *last_of(struct simplex *s, size_t r)
{
    return row_of(s, r) + s->m - 1;
}

// out := y . z_c
static void case_times(struct simplex *s, size_t c, mpz_t *y, mpz_t out)
{
    const struct separation_task *task = s->task;
    const struct witness weights = {s->m, y};
    struct case_block parts[2];
    int count = case_parts(task, c, parts);
    witness_score(task->examples, &weights, case_row(task, c), parts[0].base, out);
    if (parts[0].sign < 0)
        mpz_neg(out, out);
    if (count == 2) {
        witness_score(task->examples, &weights, case_row(task, c), parts[1].base, s->value);
        mpz_sub(out, out, s->value);
    }
}

static void set_alpha(struct simplex *s, size_t c)
{
    for (size_t r = 0; r < s->m; r++) {
        case_times(s, c, row_of(s, r), s->alpha[r]);
        mpz_add(s->alpha[r], s->alpha[r], *last_of(s, r));
    }
}

static void negate_row(struct simplex *s, size_t r)
{
    for (size_t j = 0; j < s->m; j++)
        mpz_neg(row_of(s, r)[j], row_of(s, r)[j]);
}

// Case c, whose alpha has been set, enters the basis in row r.
static void pivot(struct simplex *s, size_t r, size_t c)
{
    for (size_t i = 0; i < s->m; i++) {
        if (i == r)
            continue;
        for (size_t j = 0; j < s->m; j++) {
            mpz_t *q = &row_of(s, i)[j];
            mpz_mul(s->product, *q, s->alpha[r]);
            mpz_submul(s->product, s->alpha[i], row_of(s, r)[j]);
            mpz_divexact(*q, s->product, s->D);
        }
    }
    mpz_set(s->D, s->alpha[r]);
    if (mpz_sgn(s->D) < 0) {
        mpz_neg(s->D, s->D);
        for (size_t i = 0; i < s->m; i++)
            negate_row(s, i);
    }
    s->basic[r] = c;
}

// ---- the start ----

static void clear(struct simplex *s)
{
    for (size_t i = 0; i < s->m * s->m; i++)
        mpz_set_ui(s->Q[i], i % (s->m + 1) == 0);
    for (size_t r = 0; r < s->m; r++)
        s->basic[r] = NO_CASE;
    mpz_set_ui(s->D, 1);
}

// Chooses the signs of e_j so that every r_j is at least 0.
static void set_signs(struct simplex *s)
{
    for (size_t r = 0; r < s->m; r++)
        if (s->basic[r] == NO_CASE && mpz_sgn(*last_of(s, r)) < 0)
            negate_row(s, r);
}

static void start_cold(struct simplex *s, size_t c)
{
    clear(s);
    set_alpha(s, c);
    pivot(s, s->m - 1, c);
    set_signs(s);
}

// The row that a case of the given basis enters: preferably one whose e is not in that basis.
static size_t free_row(const struct simplex *s, const bool *kept)
{
    size_t any = s->m;
    if (s->basic[s->m - 1] == NO_CASE) // the row of the sum of lambda has no e
        return s->m - 1;
    for (size_t r = 0; r + 1 < s->m; r++) {
        if (s->basic[r] != NO_CASE || mpz_sgn(s->alpha[r]) == 0)
            continue;
        if (!kept[r])
            return r;
        any = r;
    }
    return any;
}

// Starts from Clp's basis; false: it does not have lambda >= 0.
static bool start_warm(struct simplex *s, const size_t *basis, size_t count)
{
    const struct separation_task *task = s->task;
    bool *kept = exact_new(s->m, sizeof *kept);
    clear(s);
    for (size_t b = 0; b < count; b++)
        if (basis[b] >= task->cases && basis[b] - task->cases < s->m)
            kept[basis[b] - task->cases] = true;
    for (size_t b = 0; b < count && !is_late(task->deadline); b++) {
        if (basis[b] >= task->cases)
            continue;
        set_alpha(s, basis[b]);
        size_t r = free_row(s, kept);
        if (r < s->m)
            pivot(s, r, basis[b]);
    }
    memory_free(kept);
    bool fine = s->basic[s->m - 1] != NO_CASE;
    for (size_t r = 0; fine && r < s->m; r++)
        fine = s->basic[r] == NO_CASE || mpz_sgn(*last_of(s, r)) >= 0;
    set_signs(s);
    return fine;
}

// ---- the entering case and the leaving row ----

// Y, and in floating point Y times a power of two; false: all r_j are 0.
static bool set_prices(struct simplex *s)
{
    bool any = false;
    long most = 0, exponent;
    for (size_t j = 0; j < s->m; j++)
        mpz_set_ui(s->Y[j], 0);
    for (size_t r = 0; r < s->m; r++) {
        if (s->basic[r] != NO_CASE)
            continue;
        any |= mpz_sgn(*last_of(s, r)) != 0;
        for (size_t j = 0; j < s->m; j++)
            mpz_add(s->Y[j], s->Y[j], row_of(s, r)[j]);
    }
    for (size_t j = 0; j + 1 < s->m; j++) {
        mpz_get_d_2exp(&exponent, s->Y[j]);
        most = exponent > most ? exponent : most;
    }
    for (size_t j = 0; j + 1 < s->m; j++) {
        double part = mpz_get_d_2exp(&exponent, s->Y[j]);
        s->near[j] = ldexp(part, (int)fmax((double)(exponent - most), -2000));
    }
    return any;
}

// The case with the largest Y . z_c / |z_c|, if it is certainly positive.
static size_t steepest(struct simplex *s)
{
    const struct separation_task *task = s->task;
    double best = 0;
    size_t found = NO_CASE;
    for (size_t c = 0; c < task->cases; c++) {
        size_t i = case_row(task, c);
        if (is_gone(task, i))
            continue;
        double size, sum = case_score(task, c, s->near, &size);
        if (sum > 1e-10 * size && sum / s->length[i] > best) {
            best = sum / s->length[i];
            found = c;
        }
    }
    return found;
}

// If Y . z_c >= 0 for some case, the first that may enter; NO_CASE: -Y separates.
static size_t first(struct simplex *s)
{
    mpz_t sum;
    mpz_init(sum);
    size_t found = NO_CASE;
    bool any = false;
    for (size_t c = 0; !any && c < s->task->cases; c++) {
        if (is_gone(s->task, case_row(s->task, c)))
            continue;
        case_times(s, c, s->Y, sum);
        any = mpz_sgn(sum) >= 0;
        mpz_add(sum, sum, s->Y[s->m - 1]);
        if (found == NO_CASE && mpz_sgn(sum) > 0)
            found = c;
        if (c % 1024 == 0 && is_late(s->task->deadline))
            break;
    }
    mpz_clear(sum);
    return any ? found : NO_CASE;
}

// The row with alpha > 0 and the least value / alpha; ties go to a row with an e, then to the
// lowest case.
static size_t leaving(struct simplex *s)
{
    size_t best = s->m;
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    for (size_t r = 0; r < s->m; r++) {
        if (mpz_sgn(s->alpha[r]) <= 0)
            continue;
        int order = -1;
        if (best < s->m) {
            mpz_mul(left, *last_of(s, r), s->alpha[best]);
            mpz_mul(right, *last_of(s, best), s->alpha[r]);
            order = mpz_cmp(left, right);
        }
        bool first = s->basic[best < s->m ? best : r] != NO_CASE &&
                     (s->basic[r] == NO_CASE || s->basic[r] < s->basic[best < s->m ? best : r]);
        if (order < 0 || (order == 0 && first))
            best = r;
    }
    s->stalled = best < s->m && mpz_sgn(*last_of(s, best)) == 0 ? s->stalled + 1 : 0;
    mpz_clears(left, right, NULL);
    return best;
}

// ---- the end ----

static void contradict(struct simplex *s, struct contradiction *c)
{
    contradiction_init(c, s->m);
    for (size_t r = 0; r < s->m; r++) {
        c->cases[r] = s->basic[r];
        if (s->basic[r] != NO_CASE)
            mpz_set(c->lambda[r], *last_of(s, r));
    }
    contradiction_settle(s->task, c);
}

static void separate(struct simplex *s, struct witness *weights)
{
    witness_init(weights, s->task->dims);
    for (size_t j = 0; j < weights->count; j++)
        mpz_neg(weights->w[j], s->Y[j]);
    witness_reduce(weights);
}

static enum finding run(struct simplex *s, struct certificate *found)
{
    while (!is_late(s->task->deadline)) {
        if (!set_prices(s)) {
            contradict(s, &found->contradiction);
            return FOUND_CONTRADICTION;
        }
        size_t c = s->stalled < STALLED_MAX ? steepest(s) : NO_CASE;
        if (c == NO_CASE)
            c = first(s);
        if (is_late(s->task->deadline))
            break;
        if (c == NO_CASE) {
            separate(s, &found->weights);
            return FOUND_WEIGHTS;
        }
        set_alpha(s, c);
        size_t r = leaving(s);
        assert(r < s->m); // some row with an e has alpha > 0
        if (r == s->m)
            break;
        pivot(s, r, c);
    }
    return FOUND_NOTHING;
}

static void allocate(struct simplex *s)
{
    const struct examples *examples = s->task->examples;
    mpz_inits(s->D, s->value, s->product, NULL);
    s->Q = integers_new(s->m * s->m);
    s->alpha = integers_new(s->m);
    s->Y = integers_new(s->m);
    s->basic = exact_new(s->m, sizeof *s->basic);
    s->near = exact_new(s->m, sizeof *s->near);
    s->length = exact_new(examples->count, sizeof *s->length);
    for (size_t i = 0; i < examples->count; i++) {
        double length = examples_length(examples, i);
        s->length[i] = length > 0 ? length : 1;
    }
}

static void release(struct simplex *s)
{
    mpz_clears(s->D, s->value, s->product, NULL);
    integers_free(s->Q, s->m * s->m);
    integers_free(s->alpha, s->m);
    integers_free(s->Y, s->m);
    memory_free(s->basic);
    memory_free(s->near);
    memory_free(s->length);
}

enum finding find_exactly(const struct separation_task *task, const size_t *basis,
                          size_t basis_count, struct certificate *found)
{
    struct simplex s = {.task = task, .m = task->dims + 1};
    size_t alive = 0; // the first row that is not gone
    while (alive < task->examples->count && is_gone(task, alive))
        alive++;
    if (alive == task->examples->count)
        return FOUND_NOTHING;
    if (s.m >= LIFTED) {
        enum finding lifted = find_by_lifting(task, basis, basis_count, found);
        if (lifted != FOUND_NOTHING)
            return lifted;
    }
    if (s.m > ROWS_MAX)
        return FOUND_NOTHING;
    allocate(&s);
    if (!start_warm(&s, basis, basis_count))
        start_cold(&s, alive * task->rivals);
    enum finding finding = run(&s, found);
    release(&s);
    return finding;
}
#endif
