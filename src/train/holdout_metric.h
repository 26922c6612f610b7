// By what the held-out rows are measured after each pass: their accuracy, or --metric.
#ifndef TLU_TRAIN_HOLDOUT_METRIC_H
#define TLU_TRAIN_HOLDOUT_METRIC_H

#include "calibration/output.h"
#include "metrics/metrics.h"

struct training;

struct holdout_metric {
    struct chosen_metric metric;
    bool plain;       // accuracy: counting is enough, and nothing below is there
    double *costs;    // [classes][classes], or NULL
    uint32_t *places; // [classes] where a class of the run is in the order of the labels
    double *scores;   // [classes] of a row, in that order
    double *room;     // [classes] votes, or probabilities
    enum logits logits;
    struct measure measure;
    tlu_status status; // of the rows so far
};

// Before the rows are read: whether there is such a metric, and a run can have it.
tlu_status holdout_metric_choose(struct training *training, tlu_error *error);
// Before a look at all held-out rows, row by row, and after it. *value is the share of rows that
// are right already, which is the value if that is what is asked for.
tlu_status holdout_metric_begin(struct training *training, tlu_error *error);
tlu_status holdout_metric_end(struct training *training, double *value, tlu_error *error);
// Held-out row k with its scores, [columns] as the run has them: whether it is right.
bool holdout_metric_row(struct training *training, const double *scores, size_t k);
void holdout_metric_free(struct holdout_metric *holdout_metric);

#endif
