// The nearest points of two convex hulls in high precision (Wolfe 1976):
//
//     S := some rows, with alpha > 0 and sum 1 in each class (without a bias: in total)
//     loop: beta := the solution on S without alpha >= 0, from the linear system
//               (G beta)_i = mu of the class of i,  the sums of beta are those of alpha,
//               G_ij = y_i y_j x_i . x_j
//           if beta > 0: alpha := beta, p := sum of alpha y x; the row with the least y x . p
//               joins S; if it is in S already, stop
//           else: move alpha towards beta until some alpha is 0; that row leaves S
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/margin/margin.h"

#include <math.h>

#define ROWS_MAX 160 // of S
#define TURNS_MAX 1000

struct nearest {
    const struct separation_task *task;
    struct scale common;
    size_t k, most; // rows of S, and their capacity
    size_t wide;    // most + 3
    size_t *rows;   // [most]
    mpf_t *weight;  // [most] alpha
    mpf_t *gram;    // [most][most] G
    mpf_t *system;  // [most + 2][wide]
    mpf_t *all;     // [all_count] the memory of the three arrays above
    size_t all_count;
    mpf_t a, b;
};

// y_i y_j x_i . x_j times the common scale twice, without the bias.
static void dot(const struct nearest *n, size_t i, size_t j, mpf_t out)
{
    const struct examples *examples = n->task->examples;
    size_t at = examples->offsets[i], bt = examples->offsets[j];
    mpz_t sum, x, y;
    mpz_inits(sum, x, y, NULL);
    while (at < examples->offsets[i + 1] && bt < examples->offsets[j + 1]) {
        uint32_t a = examples->columns[at], b = examples->columns[bt];
        if (a == b && a < examples->features) {
            examples_value(examples, i, at, x);
            examples_value(examples, j, bt, y);
            mpz_addmul(sum, x, y);
        }
        at += a <= b;
        bt += b <= a;
    }
    scale_factor(scale_quotient(n->common, examples->scale[i]), x);
    scale_factor(scale_quotient(n->common, examples->scale[j]), y);
    mpz_mul(sum, sum, x);
    mpz_mul(sum, sum, y);
    if (examples->group[i] != examples->group[j])
        mpz_neg(sum, sum);
    mpf_set_z(out, sum);
    mpz_clears(sum, x, y, NULL);
}

static void join(struct nearest *n, size_t row)
{
    size_t k = n->k++;
    n->rows[k] = row;
    mpf_set_ui(n->weight[k], 0);
    for (size_t i = 0; i <= k; i++) {
        dot(n, row, n->rows[i], n->gram[k * n->most + i]);
        mpf_set(n->gram[i * n->most + k], n->gram[k * n->most + i]);
    }
}

static void leave(struct nearest *n, size_t k)
{
    size_t last = --n->k;
    n->rows[k] = n->rows[last];
    mpf_set(n->weight[k], n->weight[last]);
    for (size_t i = 0; i <= last; i++)
        mpf_set(n->gram[k * n->most + i], n->gram[last * n->most + i]);
    for (size_t i = 0; i <= last; i++)
        mpf_set(n->gram[i * n->most + k], n->gram[i * n->most + last]);
}

// ---- the linear system ----

static double magnitude(mpf_t value)
{
    long exponent;
    double part = fabs(mpf_get_d_2exp(&exponent, value));
    return part > 0 ? (double)exponent + log2(part) : -INFINITY;
}

static size_t sums_of(const struct nearest *n)
{
    return n->task->examples->bias ? 2 : 1;
}

static size_t sum_of_row(const struct nearest *n, size_t k)
{
    return n->task->examples->bias ? n->task->examples->group[n->rows[k]] : 0;
}

static void set_system(struct nearest *n)
{
    size_t size = n->k + sums_of(n);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= size; j++)
            mpf_set_ui(n->system[i * n->wide + j], 0);
    for (size_t i = 0; i < n->k; i++) {
        for (size_t j = 0; j < n->k; j++)
            mpf_set(n->system[i * n->wide + j], n->gram[i * n->most + j]);
        size_t sum = n->k + sum_of_row(n, i);
        // As large as the entries of G, for the sake of the pivots.
        mpf_set(n->system[i * n->wide + sum], n->gram[0]);
        mpf_set(n->system[sum * n->wide + i], n->gram[0]);
        mpf_set(n->system[sum * n->wide + size], n->gram[0]);
    }
}

// Elimination; false: the matrix is singular, or nearly so.
static bool solve(struct nearest *n)
{
    size_t size = n->k + sums_of(n);
    double first = magnitude(n->gram[0]);
    for (size_t c = 0; c < size; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < size; r++)
            if (magnitude(n->system[r * n->wide + c]) > magnitude(n->system[best * n->wide + c]))
                best = r;
        if (!(magnitude(n->system[best * n->wide + c]) > first - 300))
            return false;
        for (size_t j = c; j <= size; j++)
            mpf_swap(n->system[c * n->wide + j], n->system[best * n->wide + j]);
        for (size_t r = 0; r < size; r++) {
            if (r == c || mpf_sgn(n->system[r * n->wide + c]) == 0)
                continue;
            mpf_div(n->a, n->system[r * n->wide + c], n->system[c * n->wide + c]);
            for (size_t j = c; j <= size; j++) {
                mpf_mul(n->b, n->a, n->system[c * n->wide + j]);
                mpf_sub(n->system[r * n->wide + j], n->system[r * n->wide + j], n->b);
            }
        }
    }
    for (size_t c = 0; c < size; c++)
        mpf_div(n->system[c * n->wide + size], n->system[c * n->wide + size],
                n->system[c * n->wide + c]);
    return true;
}

// Moves alpha to beta, or as far as alpha >= 0 allows; then the row whose alpha becomes 0 leaves.
// True: alpha is beta.
static bool move(struct nearest *n)
{
    size_t size = n->k + sums_of(n), stop = n->k;
    for (size_t k = 0; k < n->k; k++) {
        mpf_t *beta = &n->system[k * n->wide + size];
        if (mpf_sgn(*beta) > 0)
            continue;
        mpf_sub(n->b, n->weight[k], *beta);
        if (mpf_sgn(n->b) == 0) // stays at 0
            mpf_set_ui(n->b, 0);
        else
            mpf_div(n->b, n->weight[k], n->b);
        if (stop == n->k || mpf_cmp(n->b, n->a) < 0) {
            mpf_set(n->a, n->b);
            stop = k;
        }
    }
    for (size_t k = 0; k < n->k; k++) {
        mpf_t *beta = &n->system[k * n->wide + size];
        mpf_sub(n->b, *beta, n->weight[k]);
        if (stop < n->k)
            mpf_mul(n->b, n->b, n->a);
        mpf_add(n->weight[k], n->weight[k], n->b);
    }
    if (stop == n->k)
        return true;
    leave(n, stop);
    return false;
}

// ---- S ----

static void spread(const struct nearest *n, mpf_t *alpha)
{
    for (size_t i = 0; i < n->task->examples->count; i++)
        mpf_set_ui(alpha[i], 0);
    for (size_t k = 0; k < n->k; k++)
        mpf_set(alpha[n->rows[k]], n->weight[k]);
}

static bool is_in(const struct nearest *n, size_t row)
{
    for (size_t k = 0; k < n->k; k++)
        if (n->rows[k] == row)
            return true;
    return false;
}

// The row that joins S, or n->rows[0] if none does: the one with the least y x . p, if it is less
// than that of the rows of its class in S.
static size_t joining(struct nearest *n, struct score_range ranges[2], const struct witness *p)
{
    const struct examples *examples = n->task->examples;
    size_t best = n->rows[0];
    mpz_t score, factor, worst;
    mpz_inits(score, factor, worst, NULL);
    for (uint32_t g = 0; g < 2; g++) {
        size_t row = g ? ranges[g].least_row : ranges[g].most_row;
        if (!ranges[g].any || is_in(n, row))
            continue;
        for (size_t k = 0; k < n->k; k++) {
            if (examples->bias && examples->group[n->rows[k]] != g)
                continue;
            witness_score(examples, p, n->rows[k], 0, score);
            scale_factor(scale_quotient(n->common, examples->scale[n->rows[k]]), factor);
            mpz_mul(score, score, factor);
            if (examples->group[n->rows[k]] != g)
                mpz_neg(score, score);
            mpz_sub(score, score, g ? ranges[g].least : ranges[g].most);
            if (!g)
                mpz_neg(score, score);
            if (mpz_cmp(score, worst) > 0) {
                mpz_set(worst, score);
                best = row;
            }
            break;
        }
    }
    mpz_clears(score, factor, worst, NULL);
    return best;
}

// S starts with the rows of the largest alpha.
static void begin(struct nearest *n, mpf_t *alpha)
{
    const struct examples *examples = n->task->examples;
    while (n->k + 1 < n->most) {
        size_t best = examples->count;
        for (size_t i = 0; i < examples->count; i++)
            if (mpf_sgn(alpha[i]) > 0 && !is_in(n, i) &&
                (best == examples->count || mpf_cmp(alpha[i], alpha[best]) > 0))
                best = i;
        if (best == examples->count)
            return;
        join(n, best);
        mpf_set(n->weight[n->k - 1], alpha[best]);
    }
}

// Makes the sums of alpha 1; false: a sum is 0.
static bool normalise(struct nearest *n)
{
    for (size_t sum = 0; sum < sums_of(n); sum++) {
        mpf_set_ui(n->a, 0);
        for (size_t k = 0; k < n->k; k++)
            if (sum_of_row(n, k) == sum)
                mpf_add(n->a, n->a, n->weight[k]);
        if (mpf_sgn(n->a) <= 0)
            return false;
        for (size_t k = 0; k < n->k; k++)
            if (sum_of_row(n, k) == sum)
                mpf_div(n->weight[k], n->weight[k], n->a);
    }
    return true;
}

// Moves to the solution for S or a subset of it; false: S has become empty.
static bool settle(struct nearest *n)
{
    for (;;) {
        set_system(n);
        if (!solve(n)) { // the rows are dependent: drop the one with the least alpha
            size_t least = 0;
            for (size_t k = 1; k < n->k; k++)
                if (mpf_cmp(n->weight[k], n->weight[least]) < 0)
                    least = k;
            leave(n, least);
            if (n->k == 0 || !normalise(n))
                return false;
            continue;
        }
        if (move(n))
            return true;
        if (n->k == 0)
            return false;
    }
}

static void turn(struct nearest *n, struct margin *margin, mpf_t *alpha, int bits,
                 struct witness *p)
{
    struct score_range ranges[2];
    ranges_init(ranges);
    begin(n, alpha);
    bool fine = n->k > 0 && normalise(n);
    for (size_t t = 0; fine && t < TURNS_MAX && !is_late(n->task->deadline); t++) {
        fine = settle(n);
        if (!fine)
            break;
        spread(n, alpha);
        fine = hull_set(margin, n->task, alpha, bits);
        if (!fine)
            break;
        hull_point(margin, n->task, p);
        ranges_set(ranges, n->task, p);
        size_t row = joining(n, ranges, p);
        if (is_in(n, row) || n->k == n->most)
            break;
        join(n, row);
    }
    ranges_clear(ranges);
}

// ---- memory ----

static bool allocate(struct nearest *n, int bits)
{
    size_t independent = n->task->examples->width + 3;
    n->most = independent < ROWS_MAX ? independent : ROWS_MAX;
    n->wide = n->most + 3;
    size_t system = (n->most + 2) * n->wide, gram = n->most * n->most;
    n->rows = memory_new(n->most, sizeof *n->rows);
    n->all_count = system + gram + n->most;
    n->all = memory_new(n->all_count, sizeof *n->all);
    for (size_t i = 0; n->all && i < n->all_count; i++)
        mpf_init2(n->all[i], (mp_bitcnt_t)bits);
    n->gram = n->all;
    n->system = n->all + gram;
    n->weight = n->system + system;
    mpf_inits(n->a, n->b, NULL);
    mpf_set_prec(n->a, (mp_bitcnt_t)bits);
    mpf_set_prec(n->b, (mp_bitcnt_t)bits);
    return n->rows && n->all;
}

bool hull_improve(struct margin *margin, const struct separation_task *task, mpf_t *alpha, int bits)
{
    struct nearest n = {.task = task, .common = scale_common(task->examples)};
    struct witness p = {0, NULL};
    bool enough = allocate(&n, 512) && witness_init(&p, task->dims);
    if (enough)
        turn(&n, margin, alpha, bits, &p);
    witness_free(&p);
    for (size_t i = 0; n.all && i < n.all_count; i++)
        mpf_clear(n.all[i]);
    mpf_clears(n.a, n.b, NULL);
    memory_free(n.all);
    memory_free(n.rows);
    return enough;
}
#endif
