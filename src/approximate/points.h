// The points of a function: values of a formula, or the rows of a file of two columns.
#ifndef TLU_APPROXIMATE_POINTS_H
#define TLU_APPROXIMATE_POINTS_H

#include "approximate/fit.h"

#define POINTS_MAX 10000

// Evaluates the formula at `count` equally spaced points. A value that is not finite is an error.
tlu_status points_of_formula(struct fit_points *points, const char *text, double from, double to,
                             size_t count, tlu_error *error);
// Reads rows of x and y, in any order. A first line without numbers is a heading. Rows outside
// from ... to are left out.
tlu_status points_of_file(struct fit_points *points, const char *path, double from, double to,
                          tlu_error *error);
void points_free(struct fit_points *points);

size_t points_distinct(const struct fit_points *points); // number of different x

#endif
