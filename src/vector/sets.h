// What the kernel files share; all others use vector.h.
#ifndef TLU_VECTOR_SETS_H
#define TLU_VECTOR_SETS_H

#include "vector/vector.h"

// A copy for each form of rows, so that no loop asks what is there.
#define SPECIALISED __attribute__((always_inline)) static inline

// NULL if they were not compiled in.
extern const struct vector_kernels *const vector_sse2;
extern const struct vector_kernels *const vector_avx2;
extern const struct vector_kernels *const vector_avx512;
extern const struct vector_kernels *const vector_neon;

// For sets that have nothing faster: an update reads and writes single weights, no matter how wide
// the registers are.
void reference_add(double *w, const uint32_t *indices, const float *values, size_t count,
                   double amount);
void reference_add_column(double *w, size_t columns, size_t column, const uint32_t *indices,
                          const float *values, size_t count, double amount);
void reference_add_pair(double *w, double *u, size_t columns, size_t column,
                        const uint32_t *indices, const float *values, size_t count, double amount,
                        double u_amount);

// The rows of AVX2 that are those of AVX-512 as well.
double avx2_dot(const double *w, const uint32_t *indices, const float *values, size_t count);
void avx2_scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, double *sums);
void avx2_add(double *w, const uint32_t *indices, const float *values, size_t count, double amount);

// The functions below are called with pointers that are known to be NULL or not, so that the loops
// need not ask.

static inline size_t index_at(const uint32_t *indices, size_t i)
{
    return indices ? indices[i] : i;
}

static inline double value_at(const float *values, size_t i)
{
    return values ? (double)values[i] : 1;
}

// Rows follow one another in memory: what comes a few rows later is fetched now, a kilobyte
// ahead. (A kilobyte past the last row there is nothing to fetch.)
static inline void fetch_ahead(const void *at)
{
    if (at)
        __builtin_prefetch((const char *)at + 1024);
}

#endif
