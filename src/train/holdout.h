// --holdout: how well the run predicts the held-out rows after each pass, by their accuracy or by
// --metric. Which rows are held out: rows_hold_out.
#ifndef TLU_TRAIN_HOLDOUT_H
#define TLU_TRAIN_HOLDOUT_H

#include "calibration/output.h"
#include "metrics/metrics.h"

struct training;

struct holdout {
    struct chosen_metric metric;
    bool
        plain; // accuracy: right rows are counted, and the fields below up to `status` are not used
    double *costs;       // [classes][classes], or NULL
    uint32_t *places;    // [classes] the place of a class of the run in the order of the labels
    double *scores;      // [classes] of a row, in that order
    uint32_t *sets;      // [2 classes] --multilabel: labels and predictions of a row, in that order
    double *row_scratch; // [classes] votes, or probabilities
    enum logits logits;
    struct measure measure;
    tlu_status status; // of the rows so far

    // --decide vote and random: the updates so far, replayed. Rows are in groups of GRAM_LANES.
    size_t updates, gains; // of the history, replayed so far
    double *now;           // [groups][columns][lanes] scores with the weights so far
    double *votes;         // [groups][columns][lanes] vote
    double *right;         // [rows] random: for how many examples the weights were right
    uint64_t *since;       // [columns] the example from which on a group has its weights
};

// Before the rows are read: whether the metric exists and fits the options.
tlu_status holdout_choose_metric(struct training *training, tlu_error *error);
// The value of the metric for the run so far; 0 if no rows are held out.
tlu_status holdout_quality(struct training *training, double *quality, tlu_error *error);
// Adds held-out row k with its scores, [columns] of the run; returns whether it is right.
bool holdout_add_row(struct training *training, const double *scores, size_t k);
void holdout_free(struct holdout *holdout);

#endif
