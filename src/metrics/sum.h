// Compensated sums (Neumaier 1974): a metric over many rows is accurate to the last digits and does
// not depend on the batch size.
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

// Returns sum - part.
static inline struct sum sum_less(const struct sum *sum, const struct sum *part)
{
    return (struct sum){sum->high - part->high, sum->low - part->low};
}

// Returns part / whole, or NaN if whole is 0.
static inline double sum_mean(const struct sum *part, const struct sum *whole)
{
    double divisor = sum_value(whole);
    return divisor > 0 ? sum_value(part) / divisor : NAN;
}

#endif
