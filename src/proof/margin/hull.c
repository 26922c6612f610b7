#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/margin/hull.h"

#include <math.h>

struct scale scale_common(const struct examples *examples)
{
    struct scale most = {0, 0};
    for (size_t i = 0; i < examples->count; i++) {
        most.ten = examples->scale[i].ten > most.ten ? examples->scale[i].ten : most.ten;
        most.two = examples->scale[i].two > most.two ? examples->scale[i].two : most.two;
    }
    return most;
}

struct scale scale_left(struct scale common, struct scale own)
{
    return (struct scale){common.ten - own.ten, common.two - own.two};
}

// ---- scores ----

void ranges_init(struct range ranges[2])
{
    for (int g = 0; g < 2; g++) {
        ranges[g].any = false;
        mpz_inits(ranges[g].least, ranges[g].most, NULL);
    }
}

void ranges_clear(struct range ranges[2])
{
    for (int g = 0; g < 2; g++)
        mpz_clears(ranges[g].least, ranges[g].most, NULL);
}

void ranges_set(struct range ranges[2], const struct task *task, const struct witness *witness)
{
    const struct examples *examples = task->examples;
    struct scale common = scale_common(examples);
    mpz_t score, factor;
    mpz_inits(score, factor, NULL);
    ranges[0].any = ranges[1].any = false;
    for (size_t i = 0; i < examples->count; i++) {
        struct range *range = &ranges[examples->group[i]];
        witness_score(examples, witness, i, 0, score);
        scale_factor(scale_left(common, examples->scale[i]), factor);
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

bool hull_set(struct margin *margin, const struct task *task, mpf_t *alpha, int bits)
{
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

void hull_point(struct margin *margin, const struct task *task, struct witness *p)
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
    witness_square(examples, p, mpq_numref(margin->high));
    scale_factor(common, factor);
    mpz_mul(factor, factor, sum);
    mpz_mul_2exp(factor, factor, examples->bias); // half the distance
    mpz_mul(mpq_denref(margin->high), factor, factor);
    mpq_canonicalize(margin->high);
    margin->known = true;
    mpz_clears(factor, value, sum, NULL);
}
#endif
