// Rows by AVX2: compiled with its flags; NULL where the compiler has none.
#include "data/quick.h"

#if defined(__AVX2__)
#include "data/entries_avx2.h"
#include "data/quick_rows.h"

quick_function *const quick_avx2 = quick_rows;
#else
quick_function *const quick_avx2 = NULL;
#endif
