// Arithmetic on integers that the standard library lacks.
#ifndef TLU_LOGIC_INTEGERS_H
#define TLU_LOGIC_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

static inline int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static inline int64_t sum_of_magnitudes(const int64_t *values, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += magnitude(values[i]);
    return sum;
}

// Not negative; the divisor of 0 and b is |b|.
static inline int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return magnitude(a);
}

#endif
