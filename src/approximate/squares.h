// Linear least squares by Householder's QR decomposition.
#ifndef TLU_APPROXIMATE_SQUARES_H
#define TLU_APPROXIMATE_SQUARES_H

#include <stddef.h>

double dot(const double *a, const double *b, size_t count);                  // in a fixed order
void add_times(double *to, double factor, const double *from, size_t count); // to += factor from

// Minimises |A s - y|. `columns` is A, [count] columns of `rows` numbers; `y` has `rows` numbers.
// Destroys both. A column that depends on the ones before it gets 0.
void least_squares(double *columns, size_t rows, size_t count, double *y, double *solution);

#endif
