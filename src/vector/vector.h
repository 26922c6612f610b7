// The arithmetic of every learner: a reference in plain C and one file per instruction set, each
// with a table of routines. The contract that makes a model the same on every CPU:
//
// - Values are floats and are widened to double exactly; products and sums are rounded to double
//   one by one (no fused multiply-add).
// - A dot product has eight partial sums. Entry i goes to sum i % 8, in order; the eight are then
//   added as ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)).
// - Scores of several classes are summed entry by entry, each class for itself.
//
// `values` is NULL if every value is 1. `indices` is NULL if entry i belongs to feature i; the
// result has the same bits as with the indices 0, 1, 2, ... Indices are in bounds; none occurs
// twice.
#ifndef TLU_VECTOR_VECTOR_H
#define TLU_VECTOR_VECTOR_H

#include <stddef.h>
#include <stdint.h>

struct vector_adagrad {
    double *w, *u, *state;
    size_t columns, classes;
    const double *gradients; // [classes]
    double square;           // what x_i = 1 adds to a state
    double rate, steps;
};

#define VECTOR_ROWS 8

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
    // scores[c] = sum_i w[indices[i]][c] values[i] + bias[c]; the bias is added last
    void (*totals)(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, const double *bias, double *scores);
    // w[...][column] += amount x, with w [features][columns]
    void (*add_column)(double *w, size_t columns, size_t column, const uint32_t *indices,
                       const float *values, size_t count, double amount);
    // w[...][column] += amount x and u[...][column] += u_amount x; w and u have the same shape and
    // do not overlap
    void (*add_pair)(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                     const float *values, size_t count, double amount, double u_amount);
    // AdaGrad in the first `classes` columns of the rows of x:
    //     state += square x_i^2, change = rate gradients[c] x_i / sqrt(state),
    //     w += change, u += steps change
    // A state of 0 makes no change. u is NULL if there is no average. The arrays are
    // [features][columns].
    void (*adagrad)(const struct vector_adagrad *step, const uint32_t *indices, const float *values,
                    size_t count);
    // The same in one column, where each state grows by the square of its own slope:
    //     slope = gradients[0] x_i, state += slope^2, change = rate slope / sqrt(state)
    void (*adagrad_column)(const struct vector_adagrad *step, size_t column,
                           const uint32_t *indices, const float *values, size_t count);
    // products[r] = row r . b, for VECTOR_ROWS rows of `count` numbers that are `width` apart
    void (*dot_rows)(const double *rows, size_t width, const double *b, size_t count,
                     double *products);
};

extern const struct vector_routines vector_reference;

// The routines that this CPU can run, best first, the reference last; NULL past the end.
const struct vector_routines *vector_routines_at(size_t index);
#define vector_best() vector_routines_at(0)

#endif
