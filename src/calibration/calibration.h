// --calibrate: how often rows with a score are of the class, found out on rows that the scores'
// weights were not learned from.
//
//     sigmoid      P = 1 / (1 + exp(-(slope score + offset)))      (Platt 1999)
//     isotonic     P = a curve that never falls, straight between its knots
//     temperature  P = softmax of slope times the scores: slope is one over the temperature
//                  (Guo et al. 2017)
//
// With several classes a sigmoid or a curve per class says how often its score means this class and
// not another; what they say is divided by its sum (Zadrozny and Elkan 2002).
#ifndef TLU_CALIBRATION_CALIBRATION_H
#define TLU_CALIBRATION_CALIBRATION_H

#include "base/options.h"

struct calibration {
    int kind;         // CALIBRATE_...
    uint32_t classes; // that there were
    uint32_t curves;  // 1 of two classes and of a temperature, else one per class
    double *slope;    // [curves] sigmoid, temperature
    double *offset;   // [curves] sigmoid
    size_t *ends;     // [curves] isotonic: curve k has the knots from ends[k - 1] to before ends[k]
    double *x, *y;    // [ends[curves - 1]] scores, which rise, and probabilities, which do not fall
};

// How many curves a calibration of this kind has.
uint32_t calibration_curves(int kind, uint32_t classes);
// Room for its numbers; `knots` are those of all curves. False: out of memory.
bool calibration_new(struct calibration *calibration, int kind, uint32_t classes, size_t knots);
void calibration_free(struct calibration *calibration);
// Class i of the copy is class_of[i] of the original; NULL: they are numbered alike. False: out of
// memory, and nothing to free.
bool calibration_copy(struct calibration *to, const struct calibration *from,
                      const uint32_t *class_of);

// probabilities[classes] from one score, that of the positive class, or from one per class.
void calibration_apply(const struct calibration *calibration, const double *scores,
                       uint32_t positive, double *probabilities);

// The curve of isotonic, with x[count] and y[count], at a score.
double isotonic_at(const double *x, const double *y, size_t count, double score);

#endif
