#include "numeric/trig.h"
#include "numeric/exp_log.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// pi / 2 in three parts: a whole number below 2^20 times the first two is exact.
static const double half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double half_pi_inverse = 0x1.45f306dc9c883p-1;

// x = k pi / 2 + *r with |*r| <= pi / 4; returns k modulo 4.
static int reduce(double x, double *r)
{
    double k = floor(x * half_pi_inverse + 0.5);
    *r = ((x - k * half_pi[0]) - k * half_pi[1]) - k * half_pi[2];
    return (int)(k - 4 * floor(k / 4));
}

// r - r^3 / 3! + ... and 1 - r^2 / 2! + ..., for |r| <= pi / 4
static double sin_series(double r)
{
    double square = r * r, series = 1;
    for (int i = 18; i >= 2; i -= 2)
        series = 1 - square / (i * (i + 1)) * series;
    return r * series;
}

static double cos_series(double r)
{
    double square = r * r, series = 1;
    for (int i = 17; i >= 1; i -= 2)
        series = 1 - square / (i * (i + 1)) * series;
    return series;
}

// sin(x + quarters pi / 2)
static double sin_shifted(double x, int quarters)
{
    double r;
    if (!(fabs(x) <= TRIG_MAX))
        return NAN;
    int quarter = (reduce(x, &r) + quarters) % 4;
    double value = quarter % 2 ? cos_series(r) : sin_series(r);
    return quarter < 2 ? value : -value;
}

double same_sin(double x)
{
    return sin_shifted(x, 0);
}

double same_cos(double x)
{
    return sin_shifted(x, 1);
}

double same_tan(double x)
{
    return same_sin(x) / same_cos(x);
}

// Near 0 by Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))), because the
// exponentials would cancel.
double same_tanh(double x)
{
    double size = fabs(x);
    if (isnan(x) || size > 20)
        return isnan(x) ? x : x > 0 ? 1 : -1;
    if (size < 0.5) {
        double square = x * x, fraction = 17;
        for (int i = 15; i >= 1; i -= 2)
            fraction = i + square / fraction;
        return x / fraction;
    }
    double small = same_exp(-2 * size), value = (1 - small) / (1 + small);
    return x > 0 ? value : -value;
}

double same_pow(double x, double y)
{
    if (y != floor(y) || fabs(y) > INT32_MAX)
        return x == 0 && y > 0 ? 0 : same_exp(y * same_log(x));
    double value = 1, square = x;
    for (uint32_t rest = (uint32_t)fabs(y); rest; rest >>= 1) {
        if (rest & 1)
            value *= square;
        square *= square;
    }
    return y < 0 ? 1 / value : value;
}
