// Routines for 128-bit registers: SSE2, which every x86-64 has, and NEON on 64-bit ARM. Two doubles
// at a time, in the order that the contract sets. bench/layout.c measures SSE2 (figures in avx2.c);
// NEON's bits were checked on an emulator (scripts/check-arm64), its speed was not measured.
#include "vector/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>

enum { REGISTERS = 4 }; // of sums, while classes are scored side by side
typedef __m128d pair;
#define LOAD(at) _mm_loadu_pd(at)
#define LOAD_TWO(a, b) _mm_loadh_pd(_mm_load_sd(a), b)
#define STORE(at, x) _mm_storeu_pd(at, x)
#define BOTH(x) _mm_set1_pd(x)
#define ADD(a, b) _mm_add_pd(a, b)
#define MULTIPLY(a, b) _mm_mul_pd(a, b)
typedef __m128 quad; // of floats
#define LOAD_FLOATS(at) _mm_loadu_ps(at)
#define WIDEN_LOW(x) _mm_cvtps_pd(x)
#define WIDEN_HIGH(x) _mm_cvtps_pd(_mm_movehl_ps(x, x))
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>

enum { REGISTERS = 8 };
typedef float64x2_t pair;
#define LOAD(at) vld1q_f64(at)
#define LOAD_TWO(a, b) vcombine_f64(vld1_f64(a), vld1_f64(b))
#define STORE(at, x) vst1q_f64(at, x)
#define BOTH(x) vdupq_n_f64(x)
#define ADD(a, b) vaddq_f64(a, b)
#define MULTIPLY(a, b) vmulq_f64(a, b)
typedef float32x4_t quad;
#define LOAD_FLOATS(at) vld1q_f32(at)
#define WIDEN_LOW(x) vcvt_f64_f32(vget_low_f32(x))
#define WIDEN_HIGH(x) vcvt_high_f64_f32(x)
#endif

#if defined(LOAD)
static inline pair weights_of(const double *w, const uint32_t *indices, size_t i)
{
    return indices ? LOAD_TWO(w + indices[i], w + indices[i + 1]) : LOAD(w + i);
}

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    pair s[4]; // sums 0 and 1, 2 and 3, ...
    for (size_t k = 0; k < 4; k++)
        s[k] = BOTH(0);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        fetch_ahead(indices ? indices + i : NULL);
        fetch_ahead(values ? values + i : NULL);
#pragma GCC unroll 2
        for (size_t k = 0; k < 4; k += 2) {
            pair a = weights_of(w, indices, i + 2 * k);
            pair b = weights_of(w, indices, i + 2 * k + 2);
            if (values) {
                quad x = LOAD_FLOATS(values + i + 2 * k);
                a = MULTIPLY(a, WIDEN_LOW(x));
                b = MULTIPLY(b, WIDEN_HIGH(x));
            }
            s[k] = ADD(s[k], a);
            s[k + 1] = ADD(s[k + 1], b);
        }
    }
    double sums[8];
    for (size_t k = 0; k < 4; k++)
        STORE(sums + 2 * k, s[k]);
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
    pair factor = BOTH(amount);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        fetch_ahead(values + i);
        quad x = LOAD_FLOATS(values + i);
        STORE(w + i, ADD(LOAD(w + i), MULTIPLY(factor, WIDEN_LOW(x))));
        STORE(w + i + 2, ADD(LOAD(w + i + 2), MULTIPLY(factor, WIDEN_HIGH(x))));
    }
    for (; i < count; i++)
        w[i] += amount * (double)values[i];
}

// Classes side by side, two per register; the sums stay in registers over the whole row.
SPECIALISED void score_block(const double *w, size_t columns, const uint32_t *indices,
                             const float *values, size_t count, double *sums, size_t registers)
{
    pair s[REGISTERS];
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = LOAD(sums + 2 * k);
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        pair value = BOTH(value_at(values, i));
#pragma GCC unroll 8
        for (size_t k = 0; k < registers; k++)
            s[k] = ADD(s[k], MULTIPLY(LOAD(row + 2 * k), value));
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        STORE(sums + 2 * k, s[k]);
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
    if (REGISTERS == 8)
        for (; c + 16 <= columns; c += 16)
            score_block(w + c, columns, indices, values, count, sums + c, 8);
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

#if defined(__SSE2__)
static void add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount)
{
    add_pair_by_twos(w + column, u + column, columns, indices, values, count, amount, u_amount);
}
#else
#define add_pair reference_add_pair
#endif

static const struct vector_routines routines = {
#if defined(__SSE2__)
    .name = "sse2",
#else
    .name = "neon",
#endif
    .dot = dot,
    .add = add,
    .scores = scores,
    .totals = totals,
    .add_column = reference_add_column,
    .add_pair = add_pair};
const struct vector_routines *const vector_simd128 = &routines;
#else
const struct vector_routines *const vector_simd128 = NULL;
#endif
