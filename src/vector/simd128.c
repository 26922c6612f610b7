// Routines for 128-bit registers: SSE2, which every x86-64 has, and NEON on 64-bit ARM. Two doubles
// at a time, in the order that the contract sets. bench/layout.c measures SSE2 (figures in avx2.c);
// NEON's bits were checked on an emulator (scripts/check-arm64), its speed was not measured.
#include "vector/simd.h"

#if defined(__SSE2__)
#define NAME "sse2"
enum { REGISTERS = 4 }; // of sums, while classes are scored side by side
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define NAME "neon"
enum { REGISTERS = 8 };
#endif

#if defined(NAME)
static inline pair weights_of(const double *w, const uint32_t *indices, size_t i)
{
    return indices ? (pair){w[indices[i]], w[indices[i + 1]]} : pair_at(w + i);
}

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    pair s[4] = {0}; // sums 0 and 1, 2 and 3, ...
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        fetch_ahead(indices ? indices + i : NULL);
        fetch_ahead(values ? values + i : NULL);
#pragma GCC unroll 2
        for (size_t k = 0; k < 4; k += 2) {
            pair x[2];
            values_of(values, i + 2 * k, x);
            s[k] += weights_of(w, indices, i + 2 * k) * x[0];
            s[k + 1] += weights_of(w, indices, i + 2 * k + 2) * x[1];
        }
    }
    double sums[8];
    for (size_t k = 0; k < 4; k++)
        store_pair(sums + 2 * k, s[k]);
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
        pair x[2];
        values_of(values, i, x);
        store_pair(w + i, pair_at(w + i) + amount * x[0]);
        store_pair(w + i + 2, pair_at(w + i + 2) + amount * x[1]);
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
        s[k] = pair_at(sums + 2 * k);
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        double value = value_at(values, i);
#pragma GCC unroll 8
        for (size_t k = 0; k < registers; k++)
            s[k] += pair_at(row + 2 * k) * value;
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        store_pair(sums + 2 * k, s[k]);
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

static void add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount)
{
    add_pair_by_twos(w + column, u + column, columns, indices, values, count, amount, u_amount);
}

static const struct vector_routines routines = {.name = NAME,
                                                .dot = dot,
                                                .add = add,
                                                .scores = scores,
                                                .totals = totals,
                                                .add_column = reference_add_column,
                                                .add_pair = add_pair,
                                                .adagrad = reference_adagrad,
                                                .adagrad_column = reference_adagrad_column,
                                                .dot_rows = reference_dot_rows};
const struct vector_routines *const vector_simd128 = &routines;
#else
const struct vector_routines *const vector_simd128 = NULL;
#endif
