// Softmax, and division by the sum.
#ifndef TLU_CALIBRATION_SOFTMAX_H
#define TLU_CALIBRATION_SOFTMAX_H

#include <stddef.h>

// exp(scale * score) of each, divided by their sum; the arrays may be the same.
void softmax(const double *scores, size_t count, double scale, double *shares);
// Divides by their sum; all become equal if that is 0.
void normalise(double *shares, size_t count);

#endif
