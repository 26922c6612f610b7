// Routines in plain C: the reference for the bits of all other instruction sets.
#include "vector/simd.h"

#include <math.h>

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    double s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] += w[index_at(indices, i + k)] * value_at(values, i + k);
    for (size_t k = 0; i + k < count; k++)
        s[k] += w[index_at(indices, i + k)] * value_at(values, i + k);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double dot(const double *w, const uint32_t *indices, const float *values, size_t count)
{
    if (!indices)
        return sum_products(w, NULL, values, count);
    return values ? sum_products(w, indices, values, count) : sum_products(w, indices, NULL, count);
}

SPECIALISED void add_entries(double *w, const uint32_t *indices, const float *values, size_t count,
                             double amount)
{
    for (size_t i = 0; i < count; i++)
        w[index_at(indices, i)] += amount * value_at(values, i);
}

void reference_add(double *w, const uint32_t *indices, const float *values, size_t count,
                   double amount)
{
    if (!indices)
        add_entries(w, NULL, values, count, amount);
    else if (values)
        add_entries(w, indices, values, count, amount);
    else
        add_entries(w, indices, NULL, count, amount);
}

static void scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, double *sums)
{
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        double value = value_at(values, i);
        for (size_t c = 0; c < columns; c++)
            sums[c] += row[c] * value;
    }
}

static void totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, const double *bias, double *sums)
{
    totals_by(scores, w, columns, indices, values, count, bias, sums);
}

void reference_add_column(double *w, size_t columns, size_t column, const uint32_t *indices,
                          const float *values, size_t count, double amount)
{
    for (size_t i = 0; i < count; i++)
        w[index_at(indices, i) * columns + column] += amount * value_at(values, i);
}

SPECIALISED void add_pair_entries(double *restrict w, double *restrict u, size_t columns,
                                  const uint32_t *indices, const float *values, size_t count,
                                  double amount, double u_amount)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = index_at(indices, i) * columns;
        double value = value_at(values, i);
        w[at] += amount * value;
        u[at] += u_amount * value;
    }
}

static void add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount)
{
    w += column;
    u += column;
    if (columns == 1 && indices && values)
        add_pair_entries(w, u, 1, indices, values, count, amount, u_amount);
    else if (columns == 1 && indices)
        add_pair_entries(w, u, 1, indices, NULL, count, amount, u_amount);
    else
        add_pair_entries(w, u, columns, indices, values, count, amount, u_amount);
}

// Adds `change` to cell `at`, whose state is `state` from now on.
static void adagrad_cell(const struct vector_adagrad *step, size_t at, double state, double change)
{
    step->state[at] = state;
    step->w[at] += change;
    if (step->u)
        step->u[at] += step->steps * change;
}

void reference_adagrad(const struct vector_adagrad *step, const uint32_t *indices,
                       const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t row = index_at(indices, i) * step->columns;
        double value = value_at(values, i);
        for (size_t at = row, c = 0; c < step->classes; c++, at++) {
            double g = step->gradients[c] * value,
                   s = step->state[at] + step->square * (value * value);
            adagrad_cell(step, at, s, s > 0 ? step->rate * g / sqrt(s) : 0);
        }
    }
}

void reference_adagrad_column(const struct vector_adagrad *step, size_t column,
                              const uint32_t *indices, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = index_at(indices, i) * step->columns + column;
        double slope = step->gradients[0] * value_at(values, i),
               s = step->state[at] + slope * slope;
        adagrad_cell(step, at, s, s > 0 ? step->rate * slope / sqrt(s) : 0);
    }
}

// In four partial sums per row; the numbers that are left over are added last.
void reference_dot_rows(const double *rows, size_t width, const double *b, size_t count,
                        double *products)
{
    for (size_t r = 0; r < VECTOR_ROWS; r++) {
        const double *a = rows + r * width;
        double sums[4] = {0};
        size_t whole = count - count % 4;
        for (size_t k = 0; k < whole; k += 4)
            for (size_t j = 0; j < 4; j++)
                sums[j] += a[k + j] * b[k + j];
        products[r] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        for (size_t k = whole; k < count; k++)
            products[r] += a[k] * b[k];
    }
}

const struct vector_routines vector_reference = {.name = "plain",
                                                 .dot = dot,
                                                 .add = reference_add,
                                                 .scores = scores,
                                                 .totals = totals,
                                                 .add_column = reference_add_column,
                                                 .add_pair = add_pair,
                                                 .adagrad = reference_adagrad,
                                                 .adagrad_column = reference_adagrad_column,
                                                 .dot_rows = reference_dot_rows};
