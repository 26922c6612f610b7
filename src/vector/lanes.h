// Several rows side by side, four numbers at a time, in C that every compiler makes the CPU's own
// vectors of. A function is written once, as LANES_BODY, and compiled for AVX2 as well: see
// lanes_have_avx2.
#ifndef TLU_VECTOR_LANES_H
#define TLU_VECTOR_LANES_H

#include "vector/cpu.h"

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

// Anywhere in an array of doubles.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t four_bits __attribute__((vector_size(32), aligned(8), may_alias));

// columns[count][wide], of which the first eight numbers of a line are written, from
// rows[8][length].
void lanes_turn(const double *rows, size_t length, size_t count, double *columns, size_t wide);

#endif
