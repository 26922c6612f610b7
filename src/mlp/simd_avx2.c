// Compiled with -mavx2; elsewhere the table is NULL.
#include "mlp/simd.h"

#if defined(__AVX2__)
#define LANES 8
#define WIDE 2
#define NAME "avx2"
#define ROUTINES layer_avx2
#include "mlp/simd_internal.h"
#else
const struct layer_routines *const layer_avx2 = NULL;
#endif
