// Shared by the files of src/vector, one per instruction set; other folders use vector.h.
#ifndef TLU_VECTOR_SIMD_H
#define TLU_VECTOR_SIMD_H

#include "vector/vector.h"

#include <stdbool.h>

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
void reference_add_pair(double *w, double *u, size_t columns, size_t column,
                        const uint32_t *indices, const float *values, size_t count, double amount,
                        double u_amount);

// AVX-512 uses these routines of AVX2.
double avx2_dot(const double *w, const uint32_t *indices, const float *values, size_t count);
void avx2_scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, double *sums);
void avx2_totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, const double *bias, double *sums); // bias NULL: as avx2_scores
void avx2_add(double *w, const uint32_t *indices, const float *values, size_t count, double amount);
void avx2_add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                   const float *values, size_t count, double amount, double u_amount);

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

// Both updates of a row, two entries at a time: weights are still read and written one by one, but
// products and sums are computed in pairs.
#if defined(__SSE2__)
#include <emmintrin.h>

static inline void add_two(double *w, size_t i, size_t j, bool neighbours, __m128d sum)
{
    if (neighbours) {
        _mm_storeu_pd(w + i, _mm_add_pd(_mm_loadu_pd(w + i), sum));
        return;
    }
    sum = _mm_add_pd(_mm_loadh_pd(_mm_load_sd(w + i), w + j), sum);
    _mm_storel_pd(w + i, sum);
    _mm_storeh_pd(w + j, sum);
}

SPECIALISED void add_twos(double *w, double *u, size_t columns, const uint32_t *indices,
                          const float *values, size_t count, double amount, double u_amount)
{
    bool dense = !indices && columns == 1;
    __m128d a = _mm_set1_pd(amount), b = _mm_set1_pd(u_amount);
    size_t k = 0;
    for (size_t whole = count & ~(size_t)3; k < whole; k += 4) {
        __m128 x = values ? _mm_loadu_ps(values + k) : _mm_set1_ps(1);
        __m128d low = _mm_cvtps_pd(x), high = _mm_cvtps_pd(_mm_movehl_ps(x, x));
        size_t i = index_at(indices, k) * columns, j = index_at(indices, k + 1) * columns;
        size_t l = index_at(indices, k + 2) * columns, m = index_at(indices, k + 3) * columns;
        add_two(w, i, j, dense, _mm_mul_pd(a, low));
        add_two(w, l, m, dense, _mm_mul_pd(a, high));
        add_two(u, i, j, dense, _mm_mul_pd(b, low));
        add_two(u, l, m, dense, _mm_mul_pd(b, high));
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

#endif
