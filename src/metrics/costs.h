// --costs: the costs of wrong predictions.
#ifndef TLU_METRICS_COSTS_H
#define TLU_METRICS_COSTS_H

#include "base/error.h"

// Whether the text is FP:FN; *false_positive and *false_negative are then set.
bool costs_are_two(const char *text, double *false_positive, double *false_negative);
// Reads FP:FN, or a file with a matrix, into *costs[classes][classes] (label, prediction); the
// caller frees it. A wrong number of classes or a negative cost is TLU_ERROR_INPUT.
tlu_status costs_read(const char *text, size_t classes, size_t positive, double **costs,
                      tlu_error *error);

// Parses the matrix in a file's bytes into costs[classes][classes].
tlu_status costs_parse(const char *path, const char *bytes, size_t size, size_t classes,
                       double *costs, tlu_error *error);

#endif
