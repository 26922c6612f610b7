// Rows by AVX-512: compiled with its flags; NULL if the compiler has none.
#include "input/libsvm/quick.h"

#if defined(__AVX512VBMI2__)
#include "input/libsvm/entries_avx512.h"
#include "input/libsvm/quick_rows.h"

libsvm_quick *const libsvm_quick_avx512 = quick_rows;
#else
libsvm_quick *const libsvm_quick_avx512 = NULL;
#endif
