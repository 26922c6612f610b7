// --costs: what wrong guesses cost.
#ifndef TLU_METRICS_COSTS_H
#define TLU_METRICS_COSTS_H

#include "base/error.h"

// Whether the text is FP:FN; *false_positive and *false_negative are then set.
bool costs_are_two(const char *text, double *false_positive, double *false_negative);
// *costs[classes][classes], label and guess, of FP:FN or of a file with that matrix; the caller
// frees them. TLU_ERROR_INPUT if they are not for so many classes, or not 0 or more.
tlu_status costs_read(const char *text, size_t classes, size_t positive, double **costs,
                      tlu_error *error);

// The matrix in the bytes of a file, costs[classes][classes].
tlu_status costs_parse(const char *path, const char *bytes, size_t size, size_t classes,
                       double *costs, tlu_error *error);

#endif
