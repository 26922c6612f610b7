#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/margin/margin.h"

#include "base/memory.h"
#include "solvers/plane.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct scale scale_common(const struct examples *examples)
{
    struct scale most = {0, 0};
    for (size_t i = 0; i < examples->count; i++) {
        most.ten = examples->scale[i].ten > most.ten ? examples->scale[i].ten : most.ten;
        most.two = examples->scale[i].two > most.two ? examples->scale[i].two : most.two;
    }
    return most;
}

struct scale scale_quotient(struct scale common, struct scale own)
{
    return (struct scale){common.ten - own.ten, common.two - own.two};
}

// ---- scores ----

void ranges_init(struct score_range ranges[2])
{
    for (int g = 0; g < 2; g++) {
        ranges[g].any = false;
        mpz_inits(ranges[g].least, ranges[g].most, NULL);
    }
}

void ranges_clear(struct score_range ranges[2])
{
    for (int g = 0; g < 2; g++)
        mpz_clears(ranges[g].least, ranges[g].most, NULL);
}

void ranges_set(struct score_range ranges[2], const struct separation_task *task,
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

static void round_alpha(mpf_t alpha, int bits, mpz_t out, mpf_t scratch)
{
    mpf_mul_2exp(scratch, alpha, (mp_bitcnt_t)bits + 1);
    mpz_set_f(out, scratch);
    if (mpz_sgn(out) < 0)
        mpz_set_ui(out, 0);
    mpz_add_ui(out, out, 1);
    mpz_fdiv_q_2exp(out, out, 1);
}

bool hull_set(struct margin *margin, const struct separation_task *task, mpf_t *alpha, int bits)
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

void hull_point(struct margin *margin, const struct separation_task *task, struct witness *p)
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

// ---- the margin ----
//
// The solution of src/solvers, in floating point, is rounded to integers; everything after that is
// exact. The distance of the two points gives the upper bound, the plane in the middle between
// them, with their difference as weights, the lower bound.

#define BITS 44          // of coefficients and weights; small margins get more
#define IMPROVED_MAX 120 // support rows, above which the margin is not improved

bool margin_init(struct margin *margin, const struct separation_task *task)
{
    size_t count = task->examples->count;
    memset(margin, 0, sizeof *margin);
    mpq_inits(margin->low, margin->high, NULL);
    margin->hull = memory_new(count + 1, sizeof *margin->hull);
    for (size_t i = 0; margin->hull && i < count; i++)
        mpz_init(margin->hull[i]);
    return margin->hull != NULL;
}

void margin_free(struct margin *margin, const struct separation_task *task)
{
    for (size_t i = 0; margin->hull && i < task->examples->count; i++)
        mpz_clear(margin->hull[i]);
    memory_free(margin->hull);
    mpq_clears(margin->low, margin->high, NULL);
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
    ranges_clear(ranges);
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
    ranges_clear(ranges);
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

// alpha[rows] := the solution. The solver has a bias of its own, so rows are passed without it.
static bool solve(const struct separation_task *task, double *alpha)
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
    float *values = memory_resize(NULL, entries + 1, sizeof *values);
    plane.rows = memory_new(examples->count + 1, sizeof *plane.rows);
    bool enough = values && plane.rows;
    for (size_t k = 0; enough && k < entries; k++)
        values[k] = (float)examples->near[k];
    for (size_t i = 0; enough && i < examples->count; i++) {
        size_t start = examples->offsets[i], count = examples->offsets[i + 1] - start;
        plane.rows[i] = (struct plane_row){
            .x = {count - examples->bias, examples->columns + start, values + start},
            .id = i,
            .y = examples->group[i] ? 1 : -1,
            .limit = INFINITY};
    }
    enough = enough && plane_solve(&plane) != PLANE_NO_MEMORY;
    for (size_t i = 0; enough && i < examples->count; i++)
        alpha[i] = fabs(plane.rows[i].d);
    plane_free(&plane);
    memory_free(plane.rows);
    memory_free(values);
    return enough;
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
    return task->blocks == 1 && seen[0] && seen[1] && examples->features > 0;
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

// Improves the solver's alphas, of which only the proportions matter.
static bool improve(struct margin *margin, const struct separation_task *task, const double *start,
                    mpf_t *alpha, int *bits, struct witness *p)
{
    mpq_t before;
    double most = 0;
    size_t count = task->examples->count;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, start[i]);
    if (!(most > 0) || !isfinite(most)) { // the solver had no time: use the class means
        for (size_t i = 0; i < count; i++)
            mpf_set_d(alpha[i], 1);
        take(margin, task, alpha, bits, p);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        mpf_set_d(alpha[i], start[i] / most);
    take(margin, task, alpha, bits, p);
    if (!margin->known || count_supports(margin, task) > IMPROVED_MAX)
        return true;
    mpq_init(before);
    mpq_set(before, margin->high);
    bool enough = hull_improve(margin, task, alpha, *bits);
    take(margin, task, alpha, bits, p);
    if (enough && (!margin->known || mpq_cmp(margin->high, before) > 0)) { // not better: undo
        for (size_t i = 0; i < count; i++)
            mpf_set_d(alpha[i], start[i] / most);
        take(margin, task, alpha, bits, p);
    }
    mpq_clear(before);
    return enough;
}

static bool find_high(struct margin *margin, const struct separation_task *task, struct witness *p,
                      int *bits)
{
    size_t count = task->examples->count;
    double *start = memory_new(count + 1, sizeof *start);
    mpf_t *alpha = memory_new(count + 1, sizeof *alpha);
    bool enough = start && alpha && witness_init(p, task->dims) && solve(task, start);
    for (size_t i = 0; enough && i < count; i++)
        mpf_init2(alpha[i], 512);
    if (enough) {
        enough = improve(margin, task, start, alpha, bits, p);
        for (size_t i = 0; i < count; i++)
            mpf_clear(alpha[i]);
    }
    memory_free(start);
    memory_free(alpha);
    return enough;
}

bool margin_above(struct margin *margin, const struct separation_task *task)
{
    struct witness p = {0, NULL};
    int bits = BITS;
    margin->radius = radius_of(task->examples);
    bool enough = !is_solvable(task) || find_high(margin, task, &p, &bits);
    witness_free(&p);
    return enough;
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

bool margin_find(struct margin *margin, const struct separation_task *task, struct witness *weights)
{
    struct witness p = {0, NULL};
    mpq_t low;
    int bits = BITS;
    margin->radius = radius_of(task->examples);
    set_low(task, weights, margin->low);
    bool enough = !is_solvable(task) || find_high(margin, task, &p, &bits);
    mpq_init(low);
    if (enough && margin->known) {
        shorten(&p, bits);
        if (task->examples->bias)
            set_bias(task, &p);
        set_low(task, &p, low);
        if (mpq_cmp(low, margin->low) > 0) {
            mpq_swap(low, margin->low);
            struct witness better = p;
            p = *weights;
            *weights = better;
        }
    }
    mpq_clear(low);
    witness_free(&p);
    set_bounds(margin, task, weights);
    return enough;
}
#endif
