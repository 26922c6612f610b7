#include "format/libsvm/quick.h"

libsvm_quick *libsvm_quick_at(size_t index)
{
#if defined(__x86_64__)
    if (libsvm_quick_avx512 && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && index-- == 0)
        return libsvm_quick_avx512;
    // A CPU with AVX2 and BMI has LZCNT too.
    if (libsvm_quick_avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        index-- == 0)
        return libsvm_quick_avx2;
#endif
    (void)index;
    return NULL;
}
