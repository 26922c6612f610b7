// Fitting a calibration to scores.
#ifndef TLU_CALIBRATION_FIT_H
#define TLU_CALIBRATION_FIT_H

#include "calibration/calibration.h"

struct scored_rows {
    size_t count;
    uint32_t classes, positive;
    const double *scores;     // [count] with two classes, else [count][classes]
    const uint32_t *class_of; // [count]
    const double *weights;    // [count]
    const uint8_t
        *members; // [count][classes] --multilabel, instead of class_of: 1: it has the label
};

tlu_status calibration_fit(struct calibration *calibration, int kind,
                           const struct scored_rows *rows, tlu_error *error);

// A row of the binary problem of one curve.
struct curve_row {
    double score, weight;
    bool hit; // it is of the class
};

// Finds slope and offset of a sigmoid.
void sigmoid_fit(const struct curve_row *rows, size_t count, double *slope, double *offset);
// Sorts the rows, fills in the knots of the curve (at most x[count] and y[count]) and returns their
// number: 1 if no row has a positive weight.
size_t isotonic_fit(struct curve_row *rows, size_t count, double *x, double *y);
// Finds the slope; scratch[classes] holds the probabilities of a row.
double temperature_fit(const struct scored_rows *rows, const double *class_weights,
                       double *scratch);

#endif
