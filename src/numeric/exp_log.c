#include "numeric/exp_log.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// log 2 in two parts: a whole number below 2^11 times the first is exact.
static const double log2_high = 0x1.62e42fefa38p-1, log2_low = 0x1.ef35793c7673p-45;
static const double log2_inverse = 0x1.71547652b82fep+0;

// exp(x) = 2^k exp(r) with |r| <= log(2) / 2, and exp(r) by its series, to r^13 / 13!.
double same_exp(double x)
{
    static const double inverse[] = {1,        1.0,      1.0 / 2,  1.0 / 3, 1.0 / 4,
                                     1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8, 1.0 / 9,
                                     1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
    if (isnan(x) || x > 710)
        return x > 0 ? INFINITY : x;
    if (x < -746)
        return 0;
    double k = floor(x * log2_inverse + 0.5);
    double r = (x - k * log2_high) - k * log2_low, series = 1;
    for (int i = 13; i >= 2; i--)
        series = 1 + series * (r * inverse[i]);
    const double mantissa = 1 + r * series;
    if (!(fabs(k) <= 1000))
        return ldexp(mantissa, (int)k);
    const uint64_t bits = (uint64_t)(1023 + (int)k) << 52; // 2^k: the product is exact
    double power;
    memcpy(&power, &bits, sizeof power);
    return mantissa * power;
}

// log(2^k m) = k log 2 + log(m) with m from sqrt(1/2) to sqrt(2), and with s = (m - 1) / (m + 1)
// log(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
double same_log(double x)
{
    int k;
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    double m = frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double s = (m - 1) / (m + 1), square = s * s, series = 0;
    for (int i = 21; i >= 3; i -= 2)
        series = square * (1.0 / i + series);
    return k * log2_high + (2 * s + (2 * s * series + k * log2_low));
}

// Corrects the rounding error of 1 + x to first order.
double same_log1p(double x)
{
    double sum = 1 + x;
    return isinf(sum) ? sum : same_log(sum) + (x - (sum - 1)) / sum;
}

double sigmoid(double x)
{
    double small = same_exp(-fabs(x));
    return (x < 0 ? small : 1) / (1 + small);
}
