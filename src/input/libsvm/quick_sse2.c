// Rows by SSE2, which every x86-64 has; NULL elsewhere.
#include "input/libsvm/quick.h"

#if defined(__SSE2__)
#include "input/libsvm/entry_sse2.h"
#include "input/libsvm/quick_lines.h"

libsvm_quick *const libsvm_quick_sse2 = quick_lines;
#else
libsvm_quick *const libsvm_quick_sse2 = NULL;
#endif
