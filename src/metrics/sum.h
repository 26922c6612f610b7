// Compensated sums (Neumaier 1974): a metric over many rows is right to the last digits, and the
// same for any batch size.
#ifndef TLU_METRICS_SUM_H
#define TLU_METRICS_SUM_H

#include <math.h>

struct sum {
    double high, low; // low: accumulated rounding error
};

static inline void sum_add(struct sum *sum, double term)
{
    double high = sum->high + term;
    sum->low += fabs(sum->high) >= fabs(term) ? sum->high - high + term : term - high + sum->high;
    sum->high = high;
}

static inline double sum_value(const struct sum *sum)
{
    return sum->high + sum->low;
}

// The difference of two sums.
static inline struct sum sum_less(const struct sum *sum, const struct sum *part)
{
    return (struct sum){sum->high - part->high, sum->low - part->low};
}

// NaN if the divisor is 0.
static inline double sum_mean(const struct sum *part, const struct sum *whole)
{
    double divisor = sum_value(whole);
    return divisor > 0 ? sum_value(part) / divisor : NAN;
}

#endif
