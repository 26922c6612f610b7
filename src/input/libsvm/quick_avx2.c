// Rows by AVX2: compiled with its flags; NULL if the compiler has none.
#include "input/libsvm/quick.h"

#if defined(__AVX2__)
#include "input/libsvm/entries_avx2.h"
#include "input/libsvm/quick_rows.h"

libsvm_quick *const libsvm_quick_avx2 = quick_rows;
#else
libsvm_quick *const libsvm_quick_avx2 = NULL;
#endif
