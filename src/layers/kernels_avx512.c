// Compiled with -mavx512f; elsewhere the table is NULL.
#include "layers/kernels.h"

#if defined(__AVX512F__)
#define LANES 16
#define WIDE 4
#define NAME "avx512"
#define KERNELS layer_avx512
#include "layers/kernels_inside.h"
#else
const struct layer_kernels *const layer_avx512 = NULL;
#endif
