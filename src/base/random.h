// The generator of random numbers: xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64.
// The same seed gives the same numbers on every machine; the state is saved with a model.
#ifndef TLU_BASE_RANDOM_H
#define TLU_BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);
uint64_t random_bits(struct random *random);
uint64_t random_below(struct random *random, uint64_t n); // 0 to n - 1, uniform; n > 0
double random_unit(struct random *random);                // in [0, 1), 53 bits
double random_normal(struct random *random);              // mean 0, deviation 1

#endif
