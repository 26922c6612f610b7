// Rows by AVX-512: compiled with its flags; NULL if the compiler has none.
#include "format/libsvm/quick.h"

#if defined(__AVX512VBMI2__)
#include "format/libsvm/entries_avx512.h"
#include "format/libsvm/quick_rows.h"

libsvm_quick *const libsvm_quick_avx512 = quick_rows;
#else
libsvm_quick *const libsvm_quick_avx512 = NULL;
#endif
