// The generator of random numbers: xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64.
// The same seed gives the same numbers on every machine; the state is saved with a model.
#ifndef TLU_BASE_RANDOM_H
#define TLU_BASE_RANDOM_H

#include <assert.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);
double random_unit(struct random *random);   // in [0, 1), 53 bits
double random_normal(struct random *random); // mean 0, deviation 1

static inline uint64_t random_rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t random_bits(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = random_rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = random_rotate(s[3], 45);
    return result;
}

// 0 to n - 1, uniform; n > 0.
static inline uint64_t random_below(struct random *random, uint64_t n)
{
    assert(n > 0);
    // Numbers below 2^64 % n would make small results more likely: draw again. Few are below n, so
    // the second division is rare.
    uint64_t bits;
    do
        bits = random_bits(random);
    while (bits < n && bits < (0 - n) % n);
    return bits % n;
}

#endif
