#include "vector/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
static enum cpu_level best_level(void)
{
    // A CPU with AVX2 and BMI has LZCNT, too.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("popcnt"))
        return CPU_SIMD;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return CPU_AVX2;
    return CPU_AVX512;
}
#elif defined(__aarch64__)
static enum cpu_level best_level(void)
{
    return CPU_SIMD;
}
#else
static enum cpu_level best_level(void)
{
    return CPU_PLAIN;
}
#endif

static enum cpu_level find_level(void)
{
    static const struct {
        const char *name;
        enum cpu_level level;
    } names[] = {
        {"plain", CPU_PLAIN},
#if defined(__aarch64__)
        {"neon", CPU_SIMD},
#else
        {"sse2", CPU_SIMD},
#endif
        {"avx2", CPU_AVX2},
        {"avx512", CPU_AVX512}
    };
    enum cpu_level best = best_level();
    const char *wanted = getenv("TLU_SIMD");
    for (size_t i = 0; wanted && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(wanted, names[i].name) == 0 && names[i].level < best)
            return names[i].level;
    return best;
}

enum cpu_level cpu_level(void)
{
    static atomic_int known; // the level and 1: asked for once
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level) {
        level = (int)find_level() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (enum cpu_level)(level - 1);
}
