// The kernels for CPUs with SSE2, that is every x86-64: two doubles at a time, in the order that
// the contract sets. The figures are in avx2.c; scores of 2 to 8 classes are as fast as there.
#include "vector/sets.h"

#if defined(__SSE2__)
#include <emmintrin.h>

static inline __m128d weights_of(const double *w, const uint32_t *indices, size_t i)
{
    if (!indices)
        return _mm_loadu_pd(w + i);
    return _mm_loadh_pd(_mm_load_sd(w + indices[i]), w + indices[i + 1]);
}

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    __m128d s[4]; // sums 0 and 1, 2 and 3, ...
    for (size_t k = 0; k < 4; k++)
        s[k] = _mm_setzero_pd();
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        fetch_ahead(indices ? indices + i : NULL);
        fetch_ahead(values ? values + i : NULL);
#pragma GCC unroll 2
        for (size_t k = 0; k < 4; k += 2) {
            __m128d a = weights_of(w, indices, i + 2 * k);
            __m128d b = weights_of(w, indices, i + 2 * k + 2);
            if (values) {
                __m128 x = _mm_loadu_ps(values + i + 2 * k);
                a = _mm_mul_pd(a, _mm_cvtps_pd(x));
                b = _mm_mul_pd(b, _mm_cvtps_pd(_mm_movehl_ps(x, x)));
            }
            s[k] = _mm_add_pd(s[k], a);
            s[k + 1] = _mm_add_pd(s[k + 1], b);
        }
    }
    double sums[8];
    for (size_t k = 0; k < 4; k++)
        _mm_storeu_pd(sums + 2 * k, s[k]);
    for (size_t k = 0; i + k < count; k++)
        sums[k] += w[index_at(indices, i + k)] * value_at(values, i + k);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

static double dot(const double *w, const uint32_t *indices, const float *values, size_t count)
{
    if (!indices)
        return values ? sum_products(w, NULL, values, count) : sum_products(w, NULL, NULL, count);
    return values ? sum_products(w, indices, values, count) : sum_products(w, indices, NULL, count);
}

static void add(double *w, const uint32_t *indices, const float *values, size_t count,
                double amount)
{
    if (indices || !values) {
        reference_add(w, indices, values, count, amount);
        return;
    }
    __m128d factor = _mm_set1_pd(amount);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        fetch_ahead(values + i);
        __m128 x = _mm_loadu_ps(values + i);
        __m128d a = _mm_mul_pd(factor, _mm_cvtps_pd(x));
        __m128d b = _mm_mul_pd(factor, _mm_cvtps_pd(_mm_movehl_ps(x, x)));
        _mm_storeu_pd(w + i, _mm_add_pd(_mm_loadu_pd(w + i), a));
        _mm_storeu_pd(w + i + 2, _mm_add_pd(_mm_loadu_pd(w + i + 2), b));
    }
    for (; i < count; i++)
        w[i] += amount * (double)values[i];
}

// Classes side by side, two a register, their sums kept in registers over the whole row.
SPECIALISED void score_block(const double *w, size_t columns, const uint32_t *indices,
                             const float *values, size_t count, double *sums, size_t registers)
{
    __m128d s[4];
#pragma GCC unroll 4
    for (size_t k = 0; k < registers; k++)
        s[k] = _mm_loadu_pd(sums + 2 * k);
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        __m128d value = _mm_set1_pd(value_at(values, i));
#pragma GCC unroll 4
        for (size_t k = 0; k < registers; k++)
            s[k] = _mm_add_pd(s[k], _mm_mul_pd(_mm_loadu_pd(row + 2 * k), value));
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < registers; k++)
        _mm_storeu_pd(sums + 2 * k, s[k]);
}

static void score_one(const double *w, size_t columns, const uint32_t *indices, const float *values,
                      size_t count, double *sum)
{
    double s = *sum;
    for (size_t i = 0; i < count; i++)
        s += w[index_at(indices, i) * columns] * value_at(values, i);
    *sum = s;
}

static void scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, double *sums)
{
    size_t c = 0;
    for (; c + 8 <= columns; c += 8)
        score_block(w + c, columns, indices, values, count, sums + c, 4);
    for (; c + 4 <= columns; c += 4)
        score_block(w + c, columns, indices, values, count, sums + c, 2);
    for (; c + 2 <= columns; c += 2)
        score_block(w + c, columns, indices, values, count, sums + c, 1);
    if (c < columns)
        score_one(w + c, columns, indices, values, count, sums + c);
}

static void totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, const double *bias, double *sums)
{
    totals_by(scores, w, columns, indices, values, count, bias, sums);
}

static void add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount)
{
    add_pair_by_twos(w + column, u + column, columns, indices, values, count, amount, u_amount);
}

static const struct vector_routines routines = {.name = "sse2",
                                                .dot = dot,
                                                .add = add,
                                                .scores = scores,
                                                .totals = totals,
                                                .add_column = reference_add_column,
                                                .add_pair = add_pair};
const struct vector_routines *const vector_sse2 = &routines;
#else
const struct vector_routines *const vector_sse2 = NULL;
#endif
