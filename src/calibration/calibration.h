// --calibrate: turns scores into probabilities. Fitted on rows that the weights were not trained
// on.
//
//     sigmoid      P = 1 / (1 + exp(-(slope score + offset)))      (Platt 1999)
//     isotonic     P = a curve that never falls, straight between its knots
//     temperature  P = softmax of slope times the scores: slope is one over the temperature
//                  (Guo et al. 2017)
//
// With several classes there is one sigmoid or curve per class against the rest; their values are
// divided by their sum (Zadrozny and Elkan 2002). With --multilabel they are the probabilities.
#ifndef TLU_CALIBRATION_CALIBRATION_H
#define TLU_CALIBRATION_CALIBRATION_H

#include "base/options.h"

struct calibration {
    int kind; // CALIBRATE_...
    uint32_t classes;
    bool labels;     // --multilabel: a curve per label, whatever their number
    uint32_t curves; // 1 with two classes or a temperature, else one per class
    double *slope;   // [curves] sigmoid, temperature
    double *offset;  // [curves] sigmoid
    size_t *ends;    // [curves] isotonic: curve k has the knots ends[k - 1] to ends[k] - 1
    double *x, *y;   // [ends[curves - 1]] increasing scores, non-decreasing probabilities
};

// The number of curves of a calibration of this kind.
uint32_t calibration_curves(int kind, uint32_t classes, bool labels);
// Allocates the arrays; `knots` is the total over all curves. False: out of memory.
bool calibration_new(struct calibration *calibration, int kind, uint32_t classes, bool labels,
                     size_t knots);
void calibration_free(struct calibration *calibration);
// Class i of the copy is class_of[i] of the original; NULL: the same numbering. False: out of
// memory, with nothing to free.
bool calibration_copy(struct calibration *to, const struct calibration *from,
                      const uint32_t *class_of);

// probabilities[classes] from one score, that of the positive class, or from one per class.
void calibration_apply(const struct calibration *calibration, const double *scores,
                       uint32_t positive, double *probabilities);
// The probability of one label.
double calibration_of_label(const struct calibration *calibration, uint32_t label, double score);

// The value of an isotonic curve with x[count] and y[count] at a score.
double isotonic_at(const double *x, const double *y, size_t count, double score);

#endif
