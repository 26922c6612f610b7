#ifndef TLU_TRAIN_CLOCK_H
#define TLU_TRAIN_CLOCK_H

#include <stdbool.h>
#include <time.h>

// Monotonic.
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Whether the time is over; 0 is never.
static inline bool clock_is_past(double until)
{
    return until > 0 && clock_seconds() >= until;
}

#endif
