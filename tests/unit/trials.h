// How much of the same a test does.
#ifndef TLU_TESTS_TRIALS_H
#define TLU_TESTS_TRIALS_H

#include <stdlib.h>

// At random: a tenth of what it does in `make test-long`.
static inline int often(int times)
{
    return getenv("TLU_LONG") ? times : times / 10;
}

// A sanitizer, which makes a test several times as slow, sees each way through the code with a few
// of the sizes and numbers of threads that the release build goes through.
static inline size_t unless_sanitized(size_t all, size_t few)
{
#ifdef TLU_SANITIZED
    return getenv("TLU_LONG") ? all : few;
#else
    (void)few;
    return all;
#endif
}

#endif
