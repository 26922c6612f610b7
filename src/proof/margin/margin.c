// The margin. Any convex combination of each class gives an upper end: no plane is further from
// both classes than half the distance of the two points. The one found in floating point by
// src/solvers is rounded to whole numbers, and all that follows is exact: its distance, and the
// plane in the middle with the difference of the points as weights, which gives a lower end.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/margin/hull.h"

#include "base/memory.h"
#include "solvers/plane.h"

#include <math.h>
#include <string.h>

#define BITS 44          // of coefficients and weights, and as many more as the margin is small
#define IMPROVED_MAX 120 // rows that support the margin, for it to be improved

bool margin_init(struct margin *margin, const struct task *task)
{
    size_t count = task->examples->count;
    memset(margin, 0, sizeof *margin);
    mpq_inits(margin->low, margin->high, NULL);
    margin->hull = memory_new(count + 1, sizeof *margin->hull);
    for (size_t i = 0; margin->hull && i < count; i++)
        mpz_init(margin->hull[i]);
    return margin->hull != NULL;
}

void margin_free(struct margin *margin, const struct task *task)
{
    for (size_t i = 0; margin->hull && i < task->examples->count; i++)
        mpz_clear(margin->hull[i]);
    memory_free(margin->hull);
    mpq_clears(margin->low, margin->high, NULL);
}

// ---- the lower end ----

// low := (min over rows of y (w . x + b))^2 / w . w, and 0 if a row is not on its side.
static void set_low(const struct task *task, const struct witness *witness, mpq_t low)
{
    struct range ranges[2];
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

// The b that is halfway between the classes, for w as it is. All weights are multiplied so that it
// is a whole number.
static void set_bias(const struct task *task, struct witness *witness)
{
    const struct examples *examples = task->examples;
    struct range ranges[2];
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

// The weights p in few bits.
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

// The rows as the solver wants them, without the bias, which is its own; [rows] alphas come out.
static bool solve(const struct task *task, double *alpha)
{
    const struct examples *examples = task->examples;
    size_t entries = examples->offsets[examples->count];
    struct plane plane = {.count = examples->count,
                          .features = examples->features,
                          .bias = examples->bias,
                          .hard = true,
                          .routines = vector_best(),
                          .stop = stop,
                          .context = task->patience};
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

static bool is_solvable(const struct task *task)
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

// The bits that it takes to keep a margin which is that small next to the rows.
static int bits_for(const struct margin *margin)
{
    long up, down;
    double high = mpz_get_d_2exp(&up, mpq_numref(margin->high));
    high = log2(high / mpz_get_d_2exp(&down, mpq_denref(margin->high))) + (double)(up - down);
    double more = 2 * log2(margin->radius) - high;
    return BITS + (int)fmin(fmax(more, 0), 400);
}

// The upper end by these alphas, with as many bits as it takes.
static void take(struct margin *margin, const struct task *task, mpf_t *alpha, int *bits,
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

static size_t count_supports(const struct margin *margin, const struct task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->examples->count; i++)
        count += mpz_sgn(margin->hull[i]) != 0;
    return count;
}

// From the solver's alphas, in which only their proportions count, to better ones.
static bool improve(struct margin *margin, const struct task *task, const double *start,
                    mpf_t *alpha, int *bits, struct witness *p)
{
    mpq_t before;
    double most = 0;
    size_t count = task->examples->count;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, start[i]);
    if (!(most > 0) ||
        !isfinite(most)) { // the solver had no time: the means of the classes will do
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
    if (enough && (!margin->known || mpq_cmp(margin->high, before) > 0)) { // it was no better
        for (size_t i = 0; i < count; i++)
            mpf_set_d(alpha[i], start[i] / most);
        take(margin, task, alpha, bits, p);
    }
    mpq_clear(before);
    return enough;
}

static bool find_high(struct margin *margin, const struct task *task, struct witness *p, int *bits)
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

bool margin_above(struct margin *margin, const struct task *task)
{
    struct witness p = {0, NULL};
    int bits = BITS;
    margin->radius = radius_of(task->examples);
    bool enough = !is_solvable(task) || find_high(margin, task, &p, &bits);
    witness_free(&p);
    return enough;
}

// ---- both ----

static void set_bounds(struct margin *margin, const struct task *task,
                       const struct witness *weights)
{
    const struct examples *examples = task->examples;
    double w_w = 0, b = 0, square = margin->radius * margin->radius;
    long most = 0, exponent;
    for (size_t j = 0; j < weights->count; j++) {
        mpz_get_d_2exp(&exponent, weights->w[j]);
        most = exponent > most ? exponent : most;
    }
    for (size_t j = 0; j < weights->count; j++) {
        double w = mpz_get_d_2exp(&exponent, weights->w[j]);
        w = ldexp(w, (int)fmax((double)(exponent - most), -1000));
        if (j < examples->features)
            w_w += w * w;
        else
            b = w;
    }
    margin->bound_with_bias =
        (square + examples->bias) * (1 + b * b / w_w) / mpq_get_d(margin->low);
}

bool margin_find(struct margin *margin, const struct task *task, struct witness *weights)
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
