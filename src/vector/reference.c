// The kernels in plain C: what every other set is measured against, by bits and by time.
#include "vector/sets.h"

static inline double value_at(const float *values, size_t i)
{
    return values ? (double)values[i] : 1;
}

// Called with values that are known to be there or not, so that the loops need not ask.
static inline double sum_products(const double *w, const uint32_t *indices, const float *values,
                                  size_t count)
{
    double s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] += w[indices[i + k]] * value_at(values, i + k);
    for (size_t k = 0; i + k < count; k++)
        s[k] += w[indices[i + k]] * value_at(values, i + k);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double dot(const double *w, const uint32_t *indices, const float *values, size_t count)
{
    return values ? sum_products(w, indices, values, count) : sum_products(w, indices, NULL, count);
}

void reference_add(double *w, const uint32_t *indices, const float *values, size_t count,
                   double amount)
{
    for (size_t i = 0; i < count; i++)
        w[indices[i]] += amount * value_at(values, i);
}

static void scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, double *sums)
{
    for (size_t i = 0; i < count; i++) {
        const double *row = w + (size_t)indices[i] * columns;
        double value = value_at(values, i);
        for (size_t c = 0; c < columns; c++)
            sums[c] += row[c] * value;
    }
}

void reference_add_column(double *w, size_t columns, size_t column, const uint32_t *indices,
                          const float *values, size_t count, double amount)
{
    for (size_t i = 0; i < count; i++)
        w[(size_t)indices[i] * columns + column] += amount * value_at(values, i);
}

const struct vector_kernels vector_reference = {.name = "reference",
                                                .dot = dot,
                                                .add = reference_add,
                                                .scores = scores,
                                                .add_column = reference_add_column};
