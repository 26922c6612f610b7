// The margin. Any convex combination of each class gives an upper end: no plane is further from
// both classes than half the distance of the two points. The one found in floating point by
// src/solve is rounded to whole numbers, and all that follows is exact: its distance, and the plane
// in the middle with the difference of the points as weights, which gives a lower end.
#ifdef TLU_HAVE_GMP
#include "prove/margin.h"

#include "base/memory.h"
#include "solve/plane.h"

#include <math.h>
#include <string.h>

#define HULL_BITS 44
#define WEIGHT_BITS 44

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

// The scale that makes every row a row of whole numbers.
static struct scale common_scale(const struct examples *examples)
{
    struct scale most = {0, 0};
    for (size_t i = 0; i < examples->count; i++) {
        most.ten = examples->scale[i].ten > most.ten ? examples->scale[i].ten : most.ten;
        most.two = examples->scale[i].two > most.two ? examples->scale[i].two : most.two;
    }
    return most;
}

static struct scale scale_left(struct scale common, struct scale own)
{
    return (struct scale){common.ten - own.ten, common.two - own.two};
}

// ---- the lower end ----

// The least w . x over the rows of a class and the largest, times the common scale; without b.
struct range {
    bool any;
    mpz_t least, most;
};

static void set_ranges(const struct task *task, const struct witness *weights,
                       struct range ranges[2])
{
    const struct examples *examples = task->examples;
    struct scale common = common_scale(examples);
    mpz_t score, factor;
    mpz_inits(score, factor, NULL);
    for (size_t i = 0; i < examples->count; i++) {
        struct range *range = &ranges[examples->group[i]];
        witness_score(examples, weights, i, 0, score);
        scale_factor(scale_left(common, examples->scale[i]), factor);
        mpz_mul(score, score, factor);
        if (!range->any || mpz_cmp(score, range->least) < 0)
            mpz_set(range->least, score);
        if (!range->any || mpz_cmp(score, range->most) > 0)
            mpz_set(range->most, score);
        range->any = true;
    }
    mpz_clears(score, factor, NULL);
}

static void square_of(const struct examples *examples, const struct witness *weights, mpz_t out)
{
    mpz_set_ui(out, 0);
    for (size_t j = 0; j < examples->features; j++)
        mpz_addmul(out, weights->w[j], weights->w[j]);
}

// low := (min over rows of y (w . x + b))^2 / w . w, and 0 if a row is not on its side.
static void set_low(const struct task *task, const struct witness *weights, mpq_t low)
{
    struct range ranges[2] = {{.any = false}, {.any = false}};
    mpz_t factor, square;
    mpz_inits(factor, square, ranges[0].least, ranges[0].most, ranges[1].least, ranges[1].most,
              NULL);
    set_ranges(task, weights, ranges);
    mpz_neg(ranges[0].most, ranges[0].most);
    mpz_srcptr least =
        !ranges[1].any || (ranges[0].any && mpz_cmp(ranges[0].most, ranges[1].least) < 0)
            ? ranges[0].most
            : ranges[1].least;
    square_of(task->examples, weights, square);
    mpq_set_ui(low, 0, 1);
    if (mpz_sgn(least) > 0 && mpz_sgn(square) > 0) {
        scale_factor(common_scale(task->examples), factor);
        mpz_mul(mpq_numref(low), least, least);
        mpz_mul(factor, factor, factor);
        mpz_mul(mpq_denref(low), square, factor);
        mpq_canonicalize(low);
    }
    mpz_clears(factor, square, ranges[0].least, ranges[0].most, ranges[1].least, ranges[1].most,
               NULL);
}

// The b that is halfway between the classes, for w as it is. All weights are multiplied so that it
// is a whole number.
static void set_bias(const struct task *task, struct witness *weights)
{
    const struct examples *examples = task->examples;
    struct range ranges[2] = {{.any = false}, {.any = false}};
    mpz_t factor;
    mpz_inits(factor, ranges[0].least, ranges[0].most, ranges[1].least, ranges[1].most, NULL);
    mpz_set_ui(weights->w[examples->features], 0);
    set_ranges(task, weights, ranges);
    if (ranges[0].any && ranges[1].any) {
        scale_factor(common_scale(examples), factor);
        mpz_mul_2exp(factor, factor, 1);
        for (size_t j = 0; j < examples->features; j++)
            mpz_mul(weights->w[j], weights->w[j], factor);
        mpz_add(factor, ranges[0].most, ranges[1].least);
        mpz_neg(weights->w[examples->features], factor);
    }
    mpz_clears(factor, ranges[0].least, ranges[0].most, ranges[1].least, ranges[1].most, NULL);
    witness_reduce(weights);
}

// ---- the upper end ----

// hull[] := whole numbers near the alphas. With a bias those of each class are multiplied by the
// sum of the other's, so that both sums are the same. False: they say nothing.
static bool set_hull(struct margin *margin, const struct task *task, const double *alpha)
{
    const struct examples *examples = task->examples;
    double most[2] = {0, 0};
    mpz_t sums[2], common;
    for (size_t i = 0; i < examples->count; i++)
        most[examples->group[i]] = fmax(most[examples->group[i]], alpha[i]);
    if (!examples->bias)
        most[0] = most[1] = fmax(most[0], most[1]);
    if (!(most[0] > 0) || !(most[1] > 0) || !isfinite(most[0]) || !isfinite(most[1]))
        return false;
    mpz_inits(sums[0], sums[1], common, NULL);
    for (size_t i = 0; i < examples->count; i++) {
        uint32_t group = examples->group[i];
        mpz_set_d(margin->hull[i], nearbyint(ldexp(alpha[i] / most[group], HULL_BITS)));
        mpz_add(sums[group], sums[group], margin->hull[i]);
    }
    for (size_t i = 0; i < examples->count; i++) {
        if (examples->bias)
            mpz_mul(margin->hull[i], margin->hull[i], sums[1 - examples->group[i]]);
        mpz_gcd(common, common, margin->hull[i]);
    }
    for (size_t i = 0; i < examples->count; i++)
        mpz_divexact(margin->hull[i], margin->hull[i], common);
    mpz_clears(sums[0], sums[1], common, NULL);
    return true;
}

// p := sum of hull y x, times the common scale; returns high with it.
static void set_high(struct margin *margin, const struct task *task, struct witness *p)
{
    const struct examples *examples = task->examples;
    struct scale common = common_scale(examples);
    mpz_t factor, value, sum;
    mpz_inits(factor, value, sum, NULL);
    for (size_t j = 0; j < p->count; j++)
        mpz_set_ui(p->w[j], 0);
    for (size_t i = 0; i < examples->count; i++) {
        if (mpz_sgn(margin->hull[i]) == 0)
            continue;
        if (!examples->bias || examples->group[i])
            mpz_add(sum, sum, margin->hull[i]);
        scale_factor(scale_left(common, examples->scale[i]), factor);
        mpz_mul(factor, factor, margin->hull[i]);
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
            examples_value(examples, i, k, value);
            if (examples->group[i])
                mpz_addmul(p->w[examples->columns[k]], factor, value);
            else
                mpz_submul(p->w[examples->columns[k]], factor, value);
        }
    }
    square_of(examples, p, mpq_numref(margin->high));
    scale_factor(common, factor);
    mpz_mul(factor, factor, sum);
    mpz_mul_2exp(factor, factor, examples->bias); // half the distance
    mpz_mul(mpq_denref(margin->high), factor, factor);
    mpq_canonicalize(margin->high);
    margin->known = true;
    mpz_clears(factor, value, sum, NULL);
}

// The weights p in few bits.
static void shorten(struct witness *p)
{
    size_t most = 0;
    for (size_t j = 0; j < p->count; j++)
        if (mpz_sgn(p->w[j]) != 0 && mpz_sizeinbase(p->w[j], 2) > most)
            most = mpz_sizeinbase(p->w[j], 2);
    for (size_t j = 0; most > WEIGHT_BITS && j < p->count; j++)
        mpz_tdiv_q_2exp(p->w[j], p->w[j], most - WEIGHT_BITS);
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
                          .kernels = vector_best(),
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

static bool find_high(struct margin *margin, const struct task *task, struct witness *p)
{
    double *alpha = memory_new(task->examples->count + 1, sizeof *alpha);
    bool enough = alpha && witness_init(p, task->dims) && solve(task, alpha);
    if (enough && set_hull(margin, task, alpha))
        set_high(margin, task, p);
    memory_free(alpha);
    return enough;
}

bool margin_above(struct margin *margin, const struct task *task)
{
    struct witness p = {0, NULL};
    bool enough = !is_solvable(task) || find_high(margin, task, &p);
    witness_free(&p);
    return enough;
}

// ---- both ----

static void set_bounds(struct margin *margin, const struct task *task,
                       const struct witness *weights)
{
    const struct examples *examples = task->examples;
    double square = 0, w_w = 0, b = 0;
    for (size_t i = 0; i < examples->count; i++) {
        double sum = 0;
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            if (examples->columns[k] < examples->features)
                sum += examples->near[k] * examples->near[k];
        square = fmax(square, sum);
    }
    margin->radius = sqrt(square);
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
    set_low(task, weights, margin->low);
    bool enough = !is_solvable(task) || find_high(margin, task, &p);
    mpq_init(low);
    if (enough && margin->known) {
        shorten(&p);
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
