// The arithmetic under every learner: a reference in plain C and one file per instruction set,
// which overrides rows of the table below. The contract that makes a model the same on every CPU:
//
// - Values are floats and are widened to double exactly; products and sums are rounded to double
//   one by one (no fused multiply-add).
// - A dot product has eight partial sums. Entry i goes to sum i % 8, in order; the eight are then
//   added as ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)).
// - Scores of several classes are summed entry by entry, each class for itself.
//
// `values` is NULL if every value is 1. Indices are in bounds; none occurs twice. `indices` is
// NULL if entry i is that of feature i. What counts is an entry's place in its row: a row
// without indices gives the bits of the row with the indices 0, 1, 2, ... written out.
#ifndef TLU_VECTOR_VECTOR_H
#define TLU_VECTOR_VECTOR_H

#include <stddef.h>
#include <stdint.h>

struct vector_routines {
    const char *name;
    // w . x
    double (*dot)(const double *w, const uint32_t *indices, const float *values, size_t count);
    // w += amount x
    void (*add)(double *w, const uint32_t *indices, const float *values, size_t count,
                double amount);
    // scores[c] += sum_i w[indices[i]][c] values[i], with w [features][columns]
    void (*scores)(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, double *scores);
    // The same from 0 on, to which the bias is added last: scores[c] = sum_i ... + bias[c]
    void (*totals)(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, const double *bias, double *scores);
    // w[...][column] += amount x, with w [features][columns]
    void (*add_column)(double *w, size_t columns, size_t column, const uint32_t *indices,
                       const float *values, size_t count, double amount);
    // The same with two arrays of the same shape, which do not overlap: w[...][column] += amount x
    // and u[...][column] += u_amount x
    void (*add_pair)(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount);
};

extern const struct vector_routines vector_reference;

// Those that this CPU has, the best first and the reference last; NULL past the end.
const struct vector_routines *vector_routines_at(size_t index);
#define vector_best() vector_routines_at(0)

#endif
