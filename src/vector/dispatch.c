// Chooses the routines by the CPU. Called often: it costs a load and some tests.
#include "vector/cpu.h"
#include "vector/simd.h"

#include "tlu.h"

enum { SETS_MAX = 4 };

// Fills in the instruction sets that were compiled in and may be used, best first; returns their
// number.
static size_t list(const struct vector_routines *sets[SETS_MAX])
{
    enum cpu_level level = cpu_level();
    size_t count = 0;
    if (vector_avx512 && level >= CPU_AVX512)
        sets[count++] = vector_avx512;
    if (vector_avx2 && level >= CPU_AVX2)
        sets[count++] = vector_avx2;
    if (vector_simd128 && level >= CPU_SIMD)
        sets[count++] = vector_simd128;
    sets[count++] = &vector_reference;
    return count;
}

const struct vector_routines *vector_routines_at(size_t index)
{
    const struct vector_routines *sets[SETS_MAX];
    return index < list(sets) ? sets[index] : NULL;
}

const char *tlu_instruction_set(void)
{
    return vector_best()->name;
}
