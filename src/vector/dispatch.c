// Which kernels may be used. Asked at every call, which costs a load and some tests.
#include "vector/cpu.h"
#include "vector/sets.h"

#include "tlu.h"

enum { SETS = 5 };

// All that were compiled in and that may be used, the best first; the number of them.
static size_t list(const struct vector_routines *sets[SETS])
{
    enum cpu_level level = cpu_level();
    size_t count = 0;
    if (vector_avx512 && level >= CPU_AVX512)
        sets[count++] = vector_avx512;
    if (vector_avx2 && level >= CPU_AVX2)
        sets[count++] = vector_avx2;
    if (vector_sse2 && level >= CPU_SIMD)
        sets[count++] = vector_sse2;
    if (vector_neon && level >= CPU_SIMD)
        sets[count++] = vector_neon;
    sets[count++] = &vector_reference;
    return count;
}

const struct vector_routines *vector_routines_at(size_t index)
{
    const struct vector_routines *sets[SETS];
    return index < list(sets) ? sets[index] : NULL;
}

const char *tlu_instruction_set(void)
{
    return vector_best()->name;
}
