// Contradictions: positive multiples of cases that add up to nothing. A plane that had all of them
// on the right side would have to give a sum of positive numbers that is 0.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/task.h"

#include <string.h>

bool contradiction_init(struct contradiction *contradiction, size_t count)
{
    contradiction->count = 0;
    contradiction->cases = memory_new(count + 1, sizeof *contradiction->cases);
    contradiction->lambda = memory_new(count + 1, sizeof *contradiction->lambda);
    if (!contradiction->cases || !contradiction->lambda)
        return false;
    for (; contradiction->count < count; contradiction->count++)
        mpz_init(contradiction->lambda[contradiction->count]);
    return true;
}

void contradiction_free(struct contradiction *contradiction)
{
    for (size_t i = 0; i < contradiction->count; i++)
        mpz_clear(contradiction->lambda[i]);
    memory_free(contradiction->cases);
    memory_free(contradiction->lambda);
    *contradiction = (struct contradiction){0, NULL, NULL};
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

void contradiction_settle(const struct task *task, struct contradiction *c)
{
    mpz_t factor, common;
    mpz_inits(factor, common, NULL);
    drop_zeros(c);
    sort(c);
    for (size_t i = 0; i < c->count; i++) {
        scale_factor(task->examples->scale[case_row(task, c->cases[i])], factor);
        mpz_mul(c->lambda[i], c->lambda[i], factor);
        mpz_gcd(common, common, c->lambda[i]);
    }
    for (size_t i = 0; i < c->count; i++)
        mpz_divexact(c->lambda[i], c->lambda[i], common);
    mpz_clears(factor, common, NULL);
}
#endif
