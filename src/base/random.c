#include "base/random.h"

#include <math.h>

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
