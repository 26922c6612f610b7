// Compiled with -mavx2; elsewhere the table is NULL.
#include "layers/kernels.h"

#if defined(__AVX2__)
#define LANES 8
#define WIDE 2
#define NAME "avx2"
#define KERNELS layer_avx2
#include "layers/kernels_inside.h"
#else
const struct layer_kernels *const layer_avx2 = NULL;
#endif
