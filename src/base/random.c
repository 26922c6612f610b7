#include "base/random.h"

#include <assert.h>
#include <math.h>

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void random_seed(struct random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) { // splitmix64
        seed += 0x9E3779B97F4A7C15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        random->state[i] = z ^ (z >> 31);
    }
}

uint64_t random_bits(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t n)
{
    assert(n > 0);
    // Numbers below `rest` would make small results more likely: draw again.
    uint64_t rest = (0 - n) % n;
    uint64_t bits;
    do
        bits = random_bits(random);
    while (bits < rest);
    return bits % n;
}

double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

// Marsaglia's polar method; the second value is thrown away so that the state is all there is.
double random_normal(struct random *random)
{
    double u, v, s;
    do {
        u = 2 * random_unit(random) - 1;
        v = 2 * random_unit(random) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}
