// Rows by AVX2: compiled with its flags; NULL if the compiler has none.
#include "format/libsvm/quick.h"

#if defined(__AVX2__)
#include "format/libsvm/entries_avx2.h"
#include "format/libsvm/quick_rows.h"

libsvm_quick *const libsvm_quick_avx2 = quick_rows;
#else
libsvm_quick *const libsvm_quick_avx2 = NULL;
#endif
