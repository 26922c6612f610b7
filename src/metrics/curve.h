// The points of ROC and precision-recall curves, as in scikit-learn.
#ifndef TLU_METRICS_CURVE_H
#define TLU_METRICS_CURVE_H

#include "metrics/ranking.h"

struct curve {
    tlu_curve_point *points; // [count]
    size_t count, capacity;
};

// Points from threshold infinity downwards; points on the line between two others are omitted. x is
// the false positive rate, y the true positive rate; NaN if a side has no rows. False: out of
// memory.
bool curve_roc(struct curve *curve, const struct ranking *ranking);
// Points from the lowest threshold up to infinity. x is the precision, y the recall.
bool curve_precision(struct curve *curve, const struct ranking *ranking);
void curve_free(struct curve *curve);

#endif
