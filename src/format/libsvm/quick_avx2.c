// Rows by AVX2: compiled with its flags; NULL where the compiler has none.
#include "format/libsvm/quick.h"

#if defined(__AVX2__)
#include "format/libsvm/entries_avx2.h"
#include "format/libsvm/quick_rows.h"

quick_function *const quick_avx2 = quick_rows;
#else
quick_function *const quick_avx2 = NULL;
#endif
