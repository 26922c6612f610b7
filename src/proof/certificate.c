// Certificates: integer weights that separate, checked here and nowhere else; and contradictions.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/task.h"

#include "base/memory.h"
#include "proof/exact.h"
#include "train/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct separation_task task_of(const struct examples *examples, struct deadline *deadline)
{
    struct separation_task task = {.examples = examples, .deadline = deadline};
    bool several = examples->groups > 2;
    task.blocks = several ? examples->groups : 1;
    task.rivals = several ? examples->groups - 1 : 1;
    task.dims = task.blocks * examples->width;
    task.cases = task.rivals * examples->count;
    return task;
}

double case_score(const struct separation_task *task, size_t c, const double *w, double *size)
{
    const struct examples *examples = task->examples;
    size_t i = case_row(task, c);
    struct case_block parts[2];
    int count = case_parts(task, c, parts);
    double sum = 0;
    *size = 0;
    for (int p = 0; p < count; p++)
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
            double term = w[parts[p].base + examples->columns[k]] * examples->near[k];
            sum += parts[p].sign * term;
            *size += fabs(term);
        }
    return sum;
}

bool is_late(struct deadline *deadline)
{
    if (deadline->over)
        return true;
    double now = clock_seconds();
    struct exact *paused = exact_pause();
    deadline->stopped = deadline->progress && deadline->progress(deadline->context, deadline->stage,
                                                                 now - deadline->begun) != 0;
    exact_resume(paused);
    deadline->over = deadline->stopped || now > deadline->end;
    return deadline->over;
}

mpz_t *integers_new(size_t count)
{
    mpz_t *integers = exact_new(count, sizeof *integers);
    for (size_t i = 0; i < count; i++)
        mpz_init(integers[i]);
    return integers;
}

void integers_free(mpz_t *integers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mpz_clear(integers[i]);
    memory_free(integers);
}

void witness_init(struct witness *weights, size_t count)
{
    *weights = (struct witness){count, integers_new(count)};
}

void witness_free(struct witness *weights)
{
    integers_free(weights->w, weights->count);
    *weights = (struct witness){0, NULL};
}

long witness_exponent(const struct witness *weights)
{
    long most = 0, exponent;
    for (size_t j = 0; j < weights->count; j++) {
        mpz_get_d_2exp(&exponent, weights->w[j]);
        most = exponent > most ? exponent : most;
    }
    return most;
}

double witness_scaled(const struct witness *weights, size_t j, long exponent)
{
    long own;
    double part = mpz_get_d_2exp(&own, weights->w[j]);
    return ldexp(part, (int)fmax((double)(own - exponent), -1000));
}

void witness_round(struct witness *weights, const double *w, int bits)
{
    double most = 0, least = INFINITY;
    for (size_t i = 0; i < weights->count; i++) {
        most = fmax(most, fabs(w[i]));
        if (w[i] != 0)
            least = fmin(least, fabs(w[i]));
    }
    int high, low;
    frexp(most, &high);
    frexp(least, &low);
    for (size_t i = 0; i < weights->count; i++) {
        int exponent;
        double part = frexp(w[i], &exponent);
        if (bits) {
            mpz_set_d(weights->w[i], nearbyint(ldexp(w[i], bits - high)));
        } else if (w[i] != 0) {
            mpz_set_d(weights->w[i], ldexp(part, 53));
            mpz_mul_2exp(weights->w[i], weights->w[i], (mp_bitcnt_t)(exponent - low));
        } else {
            mpz_set_si(weights->w[i], 0);
        }
    }
}

void witness_reduce(struct witness *weights)
{
    mpz_t common;
    mpz_init(common);
    for (size_t i = 0; i < weights->count && mpz_cmp_ui(common, 1) != 0; i++)
        mpz_gcd(common, common, weights->w[i]);
    for (size_t i = 0; mpz_cmp_ui(common, 1) > 0 && i < weights->count; i++)
        mpz_divexact(weights->w[i], weights->w[i], common);
    mpz_clear(common);
}

void witness_score(const struct examples *examples, const struct witness *weights, size_t i,
                   size_t base, mpz_t out)
{
    mpz_set_si(out, 0);
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
        mpz_srcptr w = weights->w[base + examples->columns[k]];
        if (examples->large[i])
            mpz_addmul(out, w, examples->big[examples->whole[k]]);
        else
            integer_add_product(out, w, examples->whole[k]);
    }
}

void witness_square(const struct examples *examples, const struct witness *weights, mpz_t out)
{
    mpz_set_ui(out, 0);
    for (size_t j = 0; j < examples->features; j++)
        mpz_addmul(out, weights->w[j], weights->w[j]);
}

// ---- the check ----

static bool row_is_right(const struct separation_task *task, const struct witness *weights,
                         size_t i, mpz_t scores[2])
{
    const struct examples *examples = task->examples;
    uint32_t own = examples->group[i];
    if (task->blocks == 1) {
        witness_score(examples, weights, i, 0, scores[0]);
        return own ? mpz_sgn(scores[0]) > 0 : mpz_sgn(scores[0]) < 0;
    }
    witness_score(examples, weights, i, own * examples->width, scores[0]);
    for (uint32_t k = 0; k < task->blocks; k++) {
        if (k == own)
            continue;
        witness_score(examples, weights, i, k * examples->width, scores[1]);
        if (mpz_cmp(scores[0], scores[1]) <= 0)
            return false;
    }
    return true;
}

// Weights of at most FEW_BITS bits: no sum of 2^20 products with 62-bit values overflows 128 bits.
#if defined(__SIZEOF_INT128__) && LONG_MAX == INT64_MAX
__extension__ typedef __int128 sum;
#define FEW_BITS 44
#else
typedef int64_t sum;
#define FEW_BITS 0 // GMP only: even 0 has a bit
#endif

// NULL: larger weights; the caller then uses GMP.
static int64_t *small_weights(const struct witness *weights)
{
    for (size_t i = 0; i < weights->count; i++)
        if (mpz_sizeinbase(weights->w[i], 2) > FEW_BITS)
            return NULL;
    int64_t *small = exact_new(weights->count, sizeof *small);
    for (size_t i = 0; i < weights->count; i++)
        small[i] = mpz_get_si(weights->w[i]);
    return small;
}

static sum small_score(const struct examples *examples, const int64_t *w, size_t i)
{
    sum total = 0;
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
        total += (sum)w[examples->columns[k]] * examples->whole[k];
    return total;
}

static bool small_is_right(const struct separation_task *task, const int64_t *w, size_t i)
{
    const struct examples *examples = task->examples;
    uint32_t own = examples->group[i];
    if (task->blocks == 1) {
        sum score = small_score(examples, w, i);
        return own ? score > 0 : score < 0;
    }
    sum score = small_score(examples, w + own * examples->width, i);
    for (uint32_t k = 0; k < task->blocks; k++)
        if (k != own && small_score(examples, w + k * examples->width, i) >= score)
            return false;
    return true;
}

static bool is_small(const struct examples *examples, size_t i)
{
    return !examples->large[i] && examples->offsets[i + 1] - examples->offsets[i] < 1u << 20;
}

bool witness_separate(const struct separation_task *task, const struct witness *weights,
                      size_t *wrong)
{
    assert(weights->count == task->dims);
    int64_t *small = small_weights(weights);
    mpz_t scores[2];
    mpz_inits(scores[0], scores[1], NULL);
    size_t bad = 0;
    for (size_t i = 0; i < task->examples->count && (wrong || !bad); i++) {
        if (is_gone(task, i))
            continue;
        bool right = small && is_small(task->examples, i) ? small_is_right(task, small, i)
                                                          : row_is_right(task, weights, i, scores);
        bad += !right;
    }
    mpz_clears(scores[0], scores[1], NULL);
    memory_free(small);
    if (wrong)
        *wrong = bad;
    return bad == 0;
}

bool witness_try(const struct separation_task *task, const double *w, struct witness *weights)
{
    assert(weights->count == task->dims);
    static const int bits[] = {4, 8, 12, 16, 20, 26, 32, 40, 52, 0};
    for (size_t i = 0; i < weights->count; i++)
        if (!isfinite(w[i]))
            return false;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        witness_round(weights, w, bits[i]);
        if (witness_separate(task, weights, NULL)) {
            witness_reduce(weights);
            return true;
        }
    }
    return false;
}

// ---- contradictions ----
//
// Positive multiples of cases whose sum is 0. A plane with all of them on the right side would make
// that sum positive.

void contradiction_init(struct contradiction *contradiction, size_t count)
{
    *contradiction = (struct contradiction){count, exact_new(count, sizeof *contradiction->cases),
                                            integers_new(count)};
}

static void drop_zeros(struct contradiction *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (mpz_sgn(c->lambda[i]) == 0)
            continue;
        mpz_swap(c->lambda[kept], c->lambda[i]);
        c->cases[kept++] = c->cases[i];
    }
    while (c->count > kept)
        mpz_clear(c->lambda[--c->count]);
}

static void sort(struct contradiction *c)
{
    for (size_t i = 1; i < c->count; i++)
        for (size_t k = i; k > 0 && c->cases[k - 1] > c->cases[k]; k--) {
            size_t swapped = c->cases[k];
            c->cases[k] = c->cases[k - 1];
            c->cases[k - 1] = swapped;
            mpz_swap(c->lambda[k], c->lambda[k - 1]);
        }
}

void contradiction_settle(const struct separation_task *task, struct contradiction *c)
{
    mpz_t factor, common;
    mpz_inits(factor, common, NULL);
    drop_zeros(c);
    sort(c);
    assert(c->count > 0);
    for (size_t i = 0; i < c->count; i++) {
        assert(mpz_sgn(c->lambda[i]) > 0 && (i == 0 || c->cases[i - 1] < c->cases[i]));
        scale_factor(task->examples->scale[case_row(task, c->cases[i])], factor);
        mpz_mul(c->lambda[i], c->lambda[i], factor);
        mpz_gcd(common, common, c->lambda[i]);
    }
    for (size_t i = 0; i < c->count; i++)
        mpz_divexact(c->lambda[i], c->lambda[i], common);
    mpz_clears(factor, common, NULL);
}
#endif
