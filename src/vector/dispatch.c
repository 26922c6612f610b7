// Which kernels this CPU has. Asked at every call, which costs a load and a test: the library
// keeps no state of its own.
#include "vector/sets.h"

#include "tlu.h"

enum { SETS = 5 };

// All that were compiled in and that the CPU has, the best first; the number of them.
static size_t list(const struct vector_kernels *sets[SETS])
{
    size_t count = 0;
#if defined(__x86_64__) || defined(__i386__)
    if (vector_avx512 && __builtin_cpu_supports("avx512f") && // as CMakeLists.txt has it compiled
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        sets[count++] = vector_avx512;
    if (vector_avx2 && __builtin_cpu_supports("avx2"))
        sets[count++] = vector_avx2;
    if (vector_sse2 && __builtin_cpu_supports("sse2"))
        sets[count++] = vector_sse2;
#endif
    if (vector_neon) // every CPU of the architecture has it
        sets[count++] = vector_neon;
    sets[count++] = &vector_reference;
    return count;
}

const struct vector_kernels *vector_kernels_at(size_t index)
{
    const struct vector_kernels *sets[SETS];
    return index < list(sets) ? sets[index] : NULL;
}

const char *tlu_instruction_set(void)
{
    return vector_best()->name;
}
