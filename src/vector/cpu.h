// The instructions that may be used: those of this CPU, up to the level that the environment
// variable TLU_SIMD names (plain, sse2 or neon, avx2, avx512). Results are the same at every level.
#ifndef TLU_VECTOR_CPU_H
#define TLU_VECTOR_CPU_H

enum cpu_level {
    CPU_PLAIN,  // C alone
    CPU_SIMD,   // SSE2, which every x86-64 has, or NEON
    CPU_AVX2,   // with BMI, LZCNT and POPCNT
    CPU_AVX512, // F, BW, CD, DQ and VL
};

enum cpu_level cpu_level(void);

#endif
