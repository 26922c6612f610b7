// Shared by the files of src/vector, one per instruction set; other folders use vector.h.
#ifndef TLU_VECTOR_SIMD_H
#define TLU_VECTOR_SIMD_H

#include "vector/vector.h"

#include <stdbool.h>
#include <string.h>

// One copy of the function per form of rows, so that loops do not test for NULL. Builds without
// optimisation or with a sanitizer use one function for all forms: the copies would take 80 kB of
// stack, or most of the time to compile the library.
#if defined(__OPTIMIZE__) && !defined(TLU_SANITIZED)
#define SPECIALISED __attribute__((always_inline)) static inline
#else
#define SPECIALISED static inline
#endif

// NULL if the instruction set was not compiled in.
extern const struct vector_routines *const vector_simd128; // SSE2 or NEON
extern const struct vector_routines *const vector_avx2;
extern const struct vector_routines *const vector_avx512;

// For instruction sets that have nothing faster: an update of a sparse row reads and writes single
// weights, however wide the registers are.
void reference_add(double *w, const uint32_t *indices, const float *values, size_t count,
                   double amount);
void reference_add_column(double *w, size_t columns, size_t column, const uint32_t *indices,
                          const float *values, size_t count, double amount);
void reference_dot_rows(const double *rows, size_t width, const double *b, size_t count,
                        double *products);
void reference_adagrad(const struct vector_adagrad *step, const uint32_t *indices,
                       const float *values, size_t count);
void reference_adagrad_column(const struct vector_adagrad *step, size_t column,
                              const uint32_t *indices, const float *values, size_t count);

// AVX-512 uses these routines of AVX2.
double avx2_dot(const double *w, const uint32_t *indices, const float *values, size_t count);
void avx2_scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, double *sums);
void avx2_totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, const double *bias, double *sums); // bias NULL: as avx2_scores
void avx2_add(double *w, const uint32_t *indices, const float *values, size_t count, double amount);
void avx2_dot_rows(const double *rows, size_t width, const double *b, size_t count,
                   double *products);
void avx2_add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                   const float *values, size_t count, double amount, double u_amount);
void avx2_adagrad(const struct vector_adagrad *step, const uint32_t *indices, const float *values,
                  size_t count);
void avx2_adagrad_column(const struct vector_adagrad *step, size_t column, const uint32_t *indices,
                         const float *values, size_t count);

// Implements `totals` by means of `scores`.
SPECIALISED void totals_by(void (*scores)(const double *w, size_t columns, const uint32_t *indices,
                                          const float *values, size_t count, double *sums),
                           const double *w, size_t columns, const uint32_t *indices,
                           const float *values, size_t count, const double *bias, double *sums)
{
    for (size_t c = 0; c < columns; c++)
        sums[c] = 0;
    scores(w, columns, indices, values, count, sums);
    for (size_t c = 0; c < columns; c++)
        sums[c] += bias[c];
}

static inline size_t index_at(const uint32_t *indices, size_t i)
{
    return indices ? indices[i] : i;
}

static inline double value_at(const float *values, size_t i)
{
    return values ? (double)values[i] : 1;
}

// Prefetches a kilobyte ahead: rows follow one another in memory.
static inline void fetch_ahead(const void *at)
{
    if (at)
        __builtin_prefetch((const char *)at + 1024);
}

// ---- two doubles at a time ----

typedef double pair __attribute__((vector_size(16)));

static inline pair pair_at(const double *at)
{
    pair two;
    memcpy(&two, at, sizeof two);
    return two;
}

static inline void store_pair(double *at, pair two)
{
    memcpy(at, &two, sizeof two);
}

// Values i to i + 3.
static inline void values_of(const float *values, size_t i, pair x[2])
{
    typedef float floats __attribute__((vector_size(16)));
    typedef double doubles __attribute__((vector_size(32)));
    floats four = {1, 1, 1, 1};
    if (values)
        memcpy(&four, values + i, sizeof four);
    doubles wide = __builtin_convertvector(four, doubles);
    x[0] = __builtin_shufflevector(wide, wide, 0, 1);
    x[1] = __builtin_shufflevector(wide, wide, 2, 3);
}

// Both updates of a row, two entries at a time: weights are still read and written one by one, but
// products and sums are computed in pairs.
static inline void add_two(double *w, size_t i, size_t j, bool neighbours, pair sum)
{
    if (neighbours) {
        store_pair(w + i, pair_at(w + i) + sum);
        return;
    }
    sum += (pair){w[i], w[j]};
    w[i] = sum[0];
    w[j] = sum[1];
}

SPECIALISED void add_twos(double *w, double *u, size_t columns, const uint32_t *indices,
                          const float *values, size_t count, double amount, double u_amount)
{
    bool dense = !indices && columns == 1;
    size_t k = 0;
    for (size_t whole = count & ~(size_t)3; k < whole; k += 4) {
        pair x[2];
        values_of(values, k, x);
#pragma GCC unroll 2
        for (size_t h = 0; h < 2; h++) {
            size_t i = index_at(indices, k + 2 * h) * columns;
            size_t j = index_at(indices, k + 2 * h + 1) * columns;
            add_two(w, i, j, dense, amount * x[h]);
            add_two(u, i, j, dense, u_amount * x[h]);
        }
    }
    for (; k < count; k++) {
        size_t i = index_at(indices, k) * columns;
        w[i] += amount * value_at(values, k);
        u[i] += u_amount * value_at(values, k);
    }
}

SPECIALISED void add_pair_by_twos(double *w, double *u, size_t columns, const uint32_t *indices,
                                  const float *values, size_t count, double amount, double u_amount)
{
    if (columns == 1 && indices && values)
        add_twos(w, u, 1, indices, values, count, amount, u_amount);
    else if (columns == 1 && indices)
        add_twos(w, u, 1, indices, NULL, count, amount, u_amount);
    else if (columns == 1)
        add_twos(w, u, 1, NULL, values, count, amount, u_amount);
    else if (indices && values)
        add_twos(w, u, columns, indices, values, count, amount, u_amount);
    else if (indices)
        add_twos(w, u, columns, indices, NULL, count, amount, u_amount);
    else
        add_twos(w, u, columns, NULL, values, count, amount, u_amount);
}

#endif
