#include "format/libsvm/quick.h"

#include "vector/cpu.h"

libsvm_quick *libsvm_quick_at(size_t index)
{
    if (libsvm_quick_avx512 && cpu_compresses() && index-- == 0)
        return libsvm_quick_avx512;
    if (libsvm_quick_avx2 && cpu_level() >= CPU_AVX2 && index-- == 0)
        return libsvm_quick_avx2;
    (void)index;
    return NULL;
}
