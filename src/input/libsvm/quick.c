#include "input/libsvm/quick.h"

#include "vector/cpu.h"

libsvm_quick *libsvm_quick_at(size_t index)
{
    if (libsvm_quick_avx512 && cpu_compresses() && index-- == 0)
        return libsvm_quick_avx512;
    if (libsvm_quick_avx2 && cpu_level() >= CPU_AVX2 && index-- == 0)
        return libsvm_quick_avx2;
    if (libsvm_quick_sse2 && cpu_level() >= CPU_SIMD && index-- == 0)
        return libsvm_quick_sse2;
    return index == 0 ? libsvm_quick_plain : NULL;
}
