// 64-bit integers for GMP, whose functions take `long`, which may have 32 bits.
#ifndef TLU_PROOF_INTEGER_H
#define TLU_PROOF_INTEGER_H

#include <gmp.h>
#include <limits.h>
#include <stdint.h>

static inline uint64_t integer_magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

// In a computation: `count` numbers, all 0. (certificate.c)
mpz_t *integers_new(size_t count);
void integers_free(mpz_t *integers, size_t count);

// out := value
static inline void integer_set(mpz_t out, int64_t value)
{
    uint64_t size = integer_magnitude(value);
#if ULONG_MAX >= UINT64_MAX
    mpz_set_ui(out, size);
#else
    mpz_set_ui(out, (unsigned long)(size >> 32));
    mpz_mul_2exp(out, out, 32);
    mpz_add_ui(out, out, (unsigned long)(size & UINT32_MAX));
#endif
    if (value < 0)
        mpz_neg(out, out);
}

// sum += factor value
static inline void integer_add_product(mpz_t sum, mpz_srcptr factor, int64_t value)
{
    uint64_t size = integer_magnitude(value);
#if ULONG_MAX < UINT64_MAX
    if (size > ULONG_MAX) {
        mpz_t product;
        mpz_init(product);
        integer_set(product, value);
        mpz_addmul(sum, factor, product);
        mpz_clear(product);
        return;
    }
#endif
    if (value > 0)
        mpz_addmul_ui(sum, factor, (unsigned long)size);
    else if (value < 0)
        mpz_submul_ui(sum, factor, (unsigned long)size);
}

#endif
