// Compiled with -mavx512f; elsewhere the table is NULL.
#include "mlp/simd.h"

#if defined(__AVX512F__)
#define LANES 16
#define WIDE 4
#define NAME "avx512"
#define ROUTINES layer_avx512
#include "mlp/simd_internal.h"
#else
const struct layer_routines *const layer_avx512 = NULL;
#endif
