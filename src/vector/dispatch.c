// Which kernels this CPU has. Asked anew at every call, which costs a load and a test: the library
// keeps no state of its own.
#include "vector/sets.h"

#include "tlu.h"

static const struct vector_kernels *avx2(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx2") ? vector_avx2 : NULL;
#else
    return NULL;
#endif
}

const struct vector_kernels *vector_kernels_at(size_t index)
{
    const struct vector_kernels *best = avx2();
    if (best && index-- == 0)
        return best;
    return index == 0 ? &vector_reference : NULL;
}

const char *tlu_kernels(void)
{
    return vector_best()->name;
}
