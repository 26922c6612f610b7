#ifndef TLU_MLP_EXPONENTIAL_H
#define TLU_MLP_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

// e^x to a few units of the last place, from 1e-38 to 1e38: x = n ln 2 + r with a whole n, and e^r
// by its Taylor series, whose next term is below 1e-8.
__attribute__((always_inline)) static inline float exponential(float x)
{
    x = x > -87 ? (x < 88 ? x : 88) : -87;
    float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f; // 1.5 * 2^23: rounds
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;   // ln 2 in two parts
    float e = 1 + r * (1.0f / 7);
    e = 1 + r * (1.0f / 6) * e;
    e = 1 + r * (1.0f / 5) * e;
    e = 1 + r * (1.0f / 4) * e;
    e = 1 + r * (1.0f / 3) * e;
    e = 1 + r * (1.0f / 2) * e;
    e = 1 + r * e;
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}

#endif
