// The kernels for 64-bit ARM: two doubles at a time, in the order that the contract sets. Their
// bits were checked on an emulator (scripts/check-arm64); their speed was not measured.
#include "vector/sets.h"

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>

static inline float64x2_t weights_of(const double *w, const uint32_t *indices, size_t i)
{
    if (!indices)
        return vld1q_f64(w + i);
    return vcombine_f64(vld1_f64(w + indices[i]), vld1_f64(w + indices[i + 1]));
}

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    float64x2_t s[4]; // sums 0 and 1, 2 and 3, ...
    for (size_t k = 0; k < 4; k++)
        s[k] = vdupq_n_f64(0);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        fetch_ahead(indices ? indices + i : NULL);
        fetch_ahead(values ? values + i : NULL);
#pragma GCC unroll 2
        for (size_t k = 0; k < 4; k += 2) {
            float64x2_t a = weights_of(w, indices, i + 2 * k);
            float64x2_t b = weights_of(w, indices, i + 2 * k + 2);
            if (values) {
                float32x4_t x = vld1q_f32(values + i + 2 * k);
                a = vmulq_f64(a, vcvt_f64_f32(vget_low_f32(x)));
                b = vmulq_f64(b, vcvt_high_f64_f32(x));
            }
            s[k] = vaddq_f64(s[k], a);
            s[k + 1] = vaddq_f64(s[k + 1], b);
        }
    }
    double sums[8];
    for (size_t k = 0; k < 4; k++)
        vst1q_f64(sums + 2 * k, s[k]);
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
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        fetch_ahead(values + i);
        float32x4_t x = vld1q_f32(values + i);
        float64x2_t a = vmulq_n_f64(vcvt_f64_f32(vget_low_f32(x)), amount);
        float64x2_t b = vmulq_n_f64(vcvt_high_f64_f32(x), amount);
        vst1q_f64(w + i, vaddq_f64(vld1q_f64(w + i), a));
        vst1q_f64(w + i + 2, vaddq_f64(vld1q_f64(w + i + 2), b));
    }
    for (; i < count; i++)
        w[i] += amount * (double)values[i];
}

// Classes side by side, two a register, their sums kept in registers over the whole row.
SPECIALISED void score_block(const double *w, size_t columns, const uint32_t *indices,
                             const float *values, size_t count, double *sums, size_t registers)
{
    float64x2_t s[8];
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = vld1q_f64(sums + 2 * k);
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        double value = value_at(values, i);
#pragma GCC unroll 8
        for (size_t k = 0; k < registers; k++)
            s[k] = vaddq_f64(s[k], vmulq_n_f64(vld1q_f64(row + 2 * k), value));
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        vst1q_f64(sums + 2 * k, s[k]);
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

static const struct vector_routines routines = {.name = "neon",
                                                .dot = dot,
                                                .add = add,
                                                .scores = scores,
                                                .totals = totals,
                                                .add_column = reference_add_column,
                                                .add_pair = reference_add_pair};
const struct vector_routines *const vector_neon = &routines;
#else
const struct vector_routines *const vector_neon = NULL;
#endif
