// How often a test tries something at random: a tenth of what it does in `make test-long`.
#ifndef TLU_TESTS_TRIALS_H
#define TLU_TESTS_TRIALS_H

#include <stdlib.h>

static inline int often(int times)
{
    return getenv("TLU_LONG") ? times : times / 10;
}

#endif
