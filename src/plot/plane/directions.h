// Vectors of the space that a picture is a plane of.
#ifndef TLU_PLOT_PLANE_DIRECTIONS_H
#define TLU_PLOT_PLANE_DIRECTIONS_H

#include "base/error.h"

#include <stddef.h>

double direction_dot(const double *a, const double *b, size_t count);
// To length 1, the largest entry positive; false: it is 0.
bool direction_unit(double *direction, size_t count);
// Without its part along others[other_count], each of length 1.
void direction_straighten(double *direction, size_t count, const double *const *others,
                          size_t other_count);

// Fills `to` with what a symmetric matrix without negative eigenvalues makes of `from`.
typedef void direction_matrix(const void *context, const double *from, double *to);
// Its main direction at right angles to the others, by power iteration; 0 if there is none.
tlu_status direction_find(direction_matrix *matrix, const void *context,
                          const double *const *others, size_t other_count, double *direction,
                          size_t count, tlu_error *error);

#endif
