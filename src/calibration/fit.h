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
};

tlu_status calibration_fit(struct calibration *calibration, int kind,
                           const struct scored_rows *rows, tlu_error *error);

// A row, as one curve sees it.
struct seen_row {
    double score, weight;
    bool hit; // it is of the class
};

// Finds slope and offset of a sigmoid.
void sigmoid_fit(const struct seen_row *rows, size_t count, double *slope, double *offset);
// Sorts the rows and finds the knots of the curve, x[count] and y[count] at most: how many there
// are. Without a row of weight above 0 it is one.
size_t isotonic_fit(struct seen_row *rows, size_t count, double *x, double *y);
// Finds the slope; `room` is for the shares of a row, [classes].
double temperature_fit(const struct scored_rows *rows, const double *class_weights, double *room);

#endif
