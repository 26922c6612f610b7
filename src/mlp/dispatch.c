// Selects the routines for the widest SIMD instructions of this CPU that the build contains.
#include "mlp/simd.h"
#include "vector/cpu.h"

const struct layer_routines *layer_best(void)
{
    enum cpu_level level = cpu_level();
    if (layer_avx512 && level >= CPU_AVX512)
        return layer_avx512;
    return layer_avx2 && level >= CPU_AVX2 ? layer_avx2 : layer_plain;
}
