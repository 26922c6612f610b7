#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/margin.h"

#include "base/memory.h"
#include "proof/exact.h"
#include "solvers/plane.h"

#include <assert.h>
#include <math.h>

// The scale that makes all rows integers.
static struct scale scale_common(const struct examples *examples)
{
    struct scale most = {0, 0};
    for (size_t i = 0; i < examples->count; i++) {
        most.ten = examples->scale[i].ten > most.ten ? examples->scale[i].ten : most.ten;
        most.two = examples->scale[i].two > most.two ? examples->scale[i].two : most.two;
    }
    return most;
}

static struct scale scale_quotient(struct scale common, struct scale own)
{
    return (struct scale){common.ten - own.ten, common.two - own.two};
}

// ---- scores ----

// The least and the largest w . x of a class, times a common scale, and their rows.
struct score_range {
    bool any;
    size_t least_row, most_row;
    mpz_t least, most;
};

static void ranges_init(struct score_range ranges[2])
{
    for (int g = 0; g < 2; g++) {
        ranges[g].any = false;
        mpz_inits(ranges[g].least, ranges[g].most, NULL);
    }
}

static void ranges_set(struct score_range ranges[2], const struct separation_task *task,
                       const struct witness *witness)
{
    const struct examples *examples = task->examples;
    struct scale common = scale_common(examples);
    mpz_t score, factor;
    mpz_inits(score, factor, NULL);
    ranges[0].any = ranges[1].any = false;
    for (size_t i = 0; i < examples->count; i++) {
        struct score_range *range = &ranges[examples->group[i]];
        witness_score(examples, witness, i, 0, score);
        scale_factor(scale_quotient(common, examples->scale[i]), factor);
        mpz_mul(score, score, factor);
        if (!range->any || mpz_cmp(score, range->least) < 0) {
            mpz_set(range->least, score);
            range->least_row = i;
        }
        if (!range->any || mpz_cmp(score, range->most) > 0) {
            mpz_set(range->most, score);
            range->most_row = i;
        }
        range->any = true;
    }
    mpz_clears(score, factor, NULL);
}

// ---- combinations ----
//
// Every pair of points in the convex hulls of the two classes gives an upper bound of the margin:
// half their distance (without a bias: the distance of a point in the hull of all y x from the
// origin).

static void round_alpha(mpf_t alpha, int bits, mpz_t out, mpf_t scratch)
{
    mpf_mul_2exp(scratch, alpha, (mp_bitcnt_t)bits + 1);
    mpz_set_f(out, scratch);
    if (mpz_sgn(out) < 0)
        mpz_set_ui(out, 0);
    mpz_add_ui(out, out, 1);
    mpz_fdiv_q_2exp(out, out, 1);
}

// hull[] := integers of about `bits` bits near alpha[], scaled so that both classes have the same
// sum. False: a sum is 0.
static bool hull_set(struct margin *margin, const struct separation_task *task, mpf_t *alpha,
                     int bits)
{
    assert(bits > 0);
    const struct examples *examples = task->examples;
    mpz_t sums[2], common;
    mpf_t scratch;
    mpz_inits(sums[0], sums[1], common, NULL);
    mpf_init2(scratch, (mp_bitcnt_t)bits + 64);
    for (size_t i = 0; i < examples->count; i++) {
        uint32_t group = examples->bias ? examples->group[i] : 0;
        round_alpha(alpha[i], bits, margin->hull[i], scratch);
        mpz_add(sums[group], sums[group], margin->hull[i]);
    }
    bool fine = mpz_sgn(sums[0]) > 0 && (!examples->bias || mpz_sgn(sums[1]) > 0);
    for (size_t i = 0; fine && i < examples->count; i++) {
        if (examples->bias)
            mpz_mul(margin->hull[i], margin->hull[i], sums[1 - examples->group[i]]);
        mpz_gcd(common, common, margin->hull[i]);
    }
    for (size_t i = 0; fine && i < examples->count; i++)
        mpz_divexact(margin->hull[i], margin->hull[i], common);
    mpz_clears(sums[0], sums[1], common, NULL);
    mpf_clear(scratch);
    return fine;
}

// p := the difference of the points, or the point, times a common factor. Sets margin->high.
static void hull_point(struct margin *margin, const struct separation_task *task, struct witness *p)
{
    const struct examples *examples = task->examples;
    struct scale common = scale_common(examples);
    mpz_t factor, value, sum;
    mpz_inits(factor, value, sum, NULL);
    for (size_t j = 0; j < p->count; j++)
        mpz_set_ui(p->w[j], 0);
    for (size_t i = 0; i < examples->count; i++) {
        if (mpz_sgn(margin->hull[i]) == 0)
            continue;
        if (!examples->bias || examples->group[i])
            mpz_add(sum, sum, margin->hull[i]);
        scale_factor(scale_quotient(common, examples->scale[i]), factor);
        mpz_mul(factor, factor, margin->hull[i]);
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
            examples_value(examples, i, k, value);
            if (examples->group[i])
                mpz_addmul(p->w[examples->columns[k]], factor, value);
            else
                mpz_submul(p->w[examples->columns[k]], factor, value);
        }
    }
    witness_square(examples, p, mpq_numref(margin->high));
    scale_factor(common, factor);
    mpz_mul(factor, factor, sum);
    mpz_mul_2exp(factor, factor, examples->bias); // half the distance
    mpz_mul(mpq_denref(margin->high), factor, factor);
    mpq_canonicalize(margin->high);
    margin->known = true;
    mpz_clears(factor, value, sum, NULL);
}

// ---- the nearest points ----
//
// The nearest points of the two convex hulls in high precision (Wolfe 1976):
//
//     S := some rows, with alpha > 0 and sum 1 in each class (without a bias: in total)
//     loop: beta := the solution on S without alpha >= 0, from the linear system
//               (G beta)_i = mu of the class of i,  the sums of beta are those of alpha,
//               G_ij = y_i y_j x_i . x_j
//           if beta > 0: alpha := beta, p := sum of alpha y x; the row with the least y x . p
//               joins S; if it is in S already, stop
//           else: move alpha towards beta until some alpha is 0; that row leaves S

#define ROWS_MAX 160 // of S
#define TURNS_MAX 1000
#define PRECISION 512 // bits

static mpf_t *floats_new(size_t count)
{
    mpf_t *floats = exact_new(count, sizeof *floats);
    for (size_t i = 0; i < count; i++)
        mpf_init2(floats[i], PRECISION);
    return floats;
}

struct nearest {
    const struct separation_task *task;
    struct scale common;
    size_t k, most; // rows of S, and their capacity
    size_t wide;    // most + 3
    size_t *rows;   // [most]
    mpf_t *weight;  // [most] alpha
    mpf_t *gram;    // [most][most] G
    mpf_t *system;  // [most + 2][wide]
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
static bool eliminate(struct nearest *n)
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
        if (!eliminate(n)) { // the rows are dependent: drop the one with the least alpha
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
}

// Improves alpha[rows] to the nearest points of the hulls.
static void hull_improve(struct margin *margin, const struct separation_task *task, mpf_t *alpha,
                         int bits)
{
    struct nearest n = {.task = task, .common = scale_common(task->examples)};
    struct witness p;
    size_t independent = task->examples->width + 3;
    n.most = independent < ROWS_MAX ? independent : ROWS_MAX;
    n.wide = n.most + 3;
    n.rows = exact_new(n.most, sizeof *n.rows);
    n.weight = floats_new(n.most);
    n.gram = floats_new(n.most * n.most);
    n.system = floats_new((n.most + 2) * n.wide);
    mpf_init2(n.a, PRECISION);
    mpf_init2(n.b, PRECISION);
    witness_init(&p, task->dims);
    turn(&n, margin, alpha, bits, &p);
}

// ---- the margin ----
//
// The solution of src/solvers, in floating point, is rounded to integers; everything after that is
// exact. The distance of the two points gives the upper bound, the plane in the middle between
// them, with their difference as weights, the lower bound.

#define BITS 44          // of coefficients and weights; small margins get more
#define IMPROVED_MAX 120 // support rows, above which the margin is not improved

void margin_init(struct margin *margin, const struct separation_task *task)
{
    *margin = (struct margin){.hull = integers_new(task->examples->count)};
    mpq_inits(margin->low, margin->high, NULL);
}

// ---- the lower bound ----

// low := (min over rows of y (w . x + b))^2 / w . w; 0 if a row is on the wrong side.
static void set_low(const struct separation_task *task, const struct witness *witness, mpq_t low)
{
    struct score_range ranges[2];
    mpz_t factor, square;
    mpz_inits(factor, square, NULL);
    ranges_init(ranges);
    ranges_set(ranges, task, witness);
    mpz_neg(ranges[0].most, ranges[0].most);
    bool negative =
        !ranges[1].any || (ranges[0].any && mpz_cmp(ranges[0].most, ranges[1].least) < 0);
    mpz_srcptr least = negative ? ranges[0].most : ranges[1].least;
    witness_square(task->examples, witness, square);
    mpq_set_ui(low, 0, 1);
    if (mpz_sgn(least) > 0 && mpz_sgn(square) > 0) {
        scale_factor(scale_common(task->examples), factor);
        mpz_mul(mpq_numref(low), least, least);
        mpz_mul(factor, factor, factor);
        mpz_mul(mpq_denref(low), square, factor);
        mpq_canonicalize(low);
    }
    mpz_clears(factor, square, NULL);
}

// Sets the bias halfway between the classes. All weights are multiplied so that it is an integer.
static void set_bias(const struct separation_task *task, struct witness *witness)
{
    const struct examples *examples = task->examples;
    struct score_range ranges[2];
    mpz_t factor;
    mpz_init(factor);
    ranges_init(ranges);
    mpz_set_ui(witness->w[examples->features], 0);
    ranges_set(ranges, task, witness);
    if (ranges[0].any && ranges[1].any) {
        scale_factor(scale_common(examples), factor);
        mpz_mul_2exp(factor, factor, 1);
        for (size_t j = 0; j < examples->features; j++)
            mpz_mul(witness->w[j], witness->w[j], factor);
        mpz_add(factor, ranges[0].most, ranges[1].least);
        mpz_neg(witness->w[examples->features], factor);
    }
    mpz_clear(factor);
    witness_reduce(witness);
}

// Cuts the weights to `bits` bits.
static void shorten(struct witness *p, int bits)
{
    size_t most = 0;
    for (size_t j = 0; j < p->count; j++)
        if (mpz_sgn(p->w[j]) != 0 && mpz_sizeinbase(p->w[j], 2) > most)
            most = mpz_sizeinbase(p->w[j], 2);
    for (size_t j = 0; most > (size_t)bits && j < p->count; j++)
        mpz_tdiv_q_2exp(p->w[j], p->w[j], most - (size_t)bits);
}

// ---- the quadratic program ----

static bool stop(void *context)
{
    return is_late(context);
}

// The solution alpha[rows]. The solver has a bias of its own, so rows are passed without it.
static double *solve(const struct separation_task *task)
{
    const struct examples *examples = task->examples;
    size_t entries = examples->offsets[examples->count];
    struct plane plane = {.count = examples->count,
                          .features = examples->features,
                          .bias = examples->bias,
                          .hard = true,
                          .routines = vector_best(),
                          .stop = stop,
                          .context = task->deadline};
    float *values = exact_new(entries, sizeof *values);
    double *alpha = exact_new(examples->count, sizeof *alpha);
    plane.rows = exact_new(examples->count, sizeof *plane.rows);
    for (size_t k = 0; k < entries; k++)
        values[k] = (float)examples->near[k];
    for (size_t i = 0; i < examples->count; i++) {
        size_t start = examples->offsets[i], count = examples->offsets[i + 1] - start;
        plane.rows[i] = (struct plane_row){
            .x = {count - examples->bias, examples->columns + start, values + start},
            .id = i,
            .y = examples->group[i] ? 1 : -1,
            .limit = INFINITY};
    }
    if (plane_solve(&plane) == PLANE_NO_MEMORY)
        exact_out_of_memory();
    for (size_t i = 0; i < examples->count; i++)
        alpha[i] = fabs(plane.rows[i].d);
    plane_free(&plane);
    memory_free(plane.rows);
    memory_free(values);
    return alpha;
}

static bool is_solvable(const struct separation_task *task)
{
    const struct examples *examples = task->examples;
    bool seen[2] = {!examples->bias, !examples->bias};
    for (size_t i = 0; i < examples->count; i++)
        seen[examples->group[i]] = true;
    for (size_t k = 0; k < examples->offsets[examples->count]; k++)
        if (!(fabs(examples->near[k]) < 3e38))
            return false;
    return seen[0] && seen[1] && examples->features > 0;
}

static double radius_of(const struct examples *examples)
{
    double most = 0;
    for (size_t i = 0; i < examples->count; i++) {
        double sum = 0;
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            if (examples->columns[k] < examples->features)
                sum += examples->near[k] * examples->near[k];
        most = fmax(most, sum);
    }
    return sqrt(most);
}

// The bits needed to represent a margin this small relative to the rows.
static int bits_for(const struct margin *margin)
{
    long up, down;
    double high = mpz_get_d_2exp(&up, mpq_numref(margin->high));
    high = log2(high / mpz_get_d_2exp(&down, mpq_denref(margin->high))) + (double)(up - down);
    double more = 2 * log2(margin->radius) - high;
    return BITS + (int)fmin(fmax(more, 0), 400);
}

// Sets the upper bound from alpha, with as many bits as needed.
static void take(struct margin *margin, const struct separation_task *task, mpf_t *alpha, int *bits,
                 struct witness *p)
{
    margin->known = false;
    if (!hull_set(margin, task, alpha, *bits))
        return;
    hull_point(margin, task, p);
    int wanted = mpq_sgn(margin->high) > 0 ? bits_for(margin) : BITS;
    if (wanted > *bits && hull_set(margin, task, alpha, wanted)) {
        hull_point(margin, task, p);
        *bits = wanted;
    }
}

static size_t count_supports(const struct margin *margin, const struct separation_task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->examples->count; i++)
        count += mpz_sgn(margin->hull[i]) != 0;
    return count;
}

static void set_alpha(mpf_t *alpha, const double *from, size_t count, double most)
{
    for (size_t i = 0; i < count; i++)
        mpf_set_d(alpha[i], from[i] / most);
}

// Finds the upper bound from the solver's alphas, of which only the proportions matter.
static void find_high(struct margin *margin, const struct separation_task *task, struct witness *p,
                      int *bits)
{
    mpq_t before;
    double most = 0;
    size_t count = task->examples->count;
    double *start = solve(task);
    mpf_t *alpha = floats_new(count);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, start[i]);
    bool solved = most > 0 && isfinite(most);
    if (!solved) // the solver had no time: use the class means
        for (size_t i = 0; i < count; i++)
            start[i] = most = 1;
    set_alpha(alpha, start, count, most);
    take(margin, task, alpha, bits, p);
    if (!solved || !margin->known || count_supports(margin, task) > IMPROVED_MAX)
        return;
    mpq_init(before);
    mpq_set(before, margin->high);
    hull_improve(margin, task, alpha, *bits);
    take(margin, task, alpha, bits, p);
    if (!margin->known || mpq_cmp(margin->high, before) > 0) { // not better: undo
        set_alpha(alpha, start, count, most);
        take(margin, task, alpha, bits, p);
    }
}

// ---- both bounds ----

static void set_bounds(struct margin *margin, const struct separation_task *task,
                       const struct witness *weights)
{
    const struct examples *examples = task->examples;
    double w_w = 0, b = 0, square = margin->radius * margin->radius;
    long exponent = witness_exponent(weights);
    for (size_t j = 0; j < weights->count; j++) {
        double w = witness_scaled(weights, j, exponent);
        if (j < examples->features)
            w_w += w * w;
        else
            b = w;
    }
    margin->bound_with_bias =
        (square + examples->bias) * (1 + b * b / w_w) / mpq_get_d(margin->low);
}

void margin_find(struct margin *margin, const struct separation_task *task, struct witness *weights)
{
    assert(task->blocks == 1);
    struct witness p;
    mpq_t low;
    int bits = BITS;
    mpq_init(low);
    witness_init(&p, task->dims);
    margin->radius = radius_of(task->examples);
    if (weights)
        set_low(task, weights, margin->low);
    if (is_solvable(task))
        find_high(margin, task, &p, &bits);
    if (!weights)
        return;
    if (margin->known) {
        shorten(&p, bits);
        if (task->examples->bias)
            set_bias(task, &p);
        set_low(task, &p, low);
        if (mpq_cmp(low, margin->low) > 0) {
            mpq_swap(low, margin->low);
            *weights = p;
        }
    }
    set_bounds(margin, task, weights);
}
#endif
