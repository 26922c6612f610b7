#include "calibration/softmax.h"

#include "numeric/exp_log.h"

#include <assert.h>

void softmax(const double *scores, size_t count, double scale, double *shares)
{
    assert(count > 0);
    double highest = scores[0], sum = 0;
    for (size_t k = 1; k < count; k++)
        highest = scores[k] > highest ? scores[k] : highest;
    for (size_t k = 0; k < count; k++)
        sum += shares[k] = scale > 0 ? same_exp(scale * (scores[k] - highest)) : 1;
    for (size_t k = 0; k < count; k++)
        shares[k] /= sum;
}

void normalise(double *shares, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += shares[k];
    for (size_t k = 0; k < count; k++)
        shares[k] = sum > 0 ? shares[k] / sum : 1 / (double)count;
}
