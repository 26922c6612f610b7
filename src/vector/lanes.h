// Several rows side by side, four numbers at a time, in vector types that compilers map to the
// CPU's registers. A function is written once, as LANES_BODY, and compiled a second time for AVX2,
// which is used if lanes_have_avx2.
#ifndef TLU_VECTOR_LANES_H
#define TLU_VECTOR_LANES_H

#include "vector/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANES_BODY __attribute__((always_inline)) static inline

#if defined(__x86_64__)
#define LANES_AVX2 __attribute__((target("avx2")))
static inline bool lanes_have_avx2(void)
{
    return cpu_level() >= CPU_AVX2;
}
#else
#define LANES_AVX2
static inline bool lanes_have_avx2(void)
{
    return false;
}
#endif

// Four neighbours in an array of doubles, at any alignment of a double.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t four_bits __attribute__((vector_size(32), aligned(8), may_alias));

// Transposes the first `count` columns of rows[8][length] into columns[count][wide], wide >= 8.
void lanes_transpose(const double *rows, size_t length, size_t count, double *columns, size_t wide);

#endif
