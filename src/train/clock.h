#ifndef TLU_TRAIN_CLOCK_H
#define TLU_TRAIN_CLOCK_H

#include <time.h>

// Monotonic.
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
