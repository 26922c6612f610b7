// How right a run is about the held-out rows, if its decision is not one weight vector of features:
// with a kernel, or by vote or random.
#ifndef TLU_TRAIN_HOLDOUT_REPLAY_H
#define TLU_TRAIN_HOLDOUT_REPLAY_H

#include "base/error.h"

struct training;

// The updates of the run so far, replayed over the held-out rows.
struct holdout_replay {
    size_t steps;    // of the history, replayed so far
    size_t gains;    // of these steps
    double *now;     // [columns][rows] scores with the weights of that moment
    double *votes;   // [columns][rows] vote: how long the weights were for and against
    double *right;   // [rows] random: for how many examples they were right
    uint64_t *since; // [columns] the example since which a group has its weights
};

// Vote: the share of rows that it gets right. Random: the share to be expected.
tlu_status holdout_replay_of_history(struct training *training, double *accuracy, tlu_error *error);
// The share of rows that the weights that decide get right in the dual form.
tlu_status holdout_replay_of_kernel(struct training *training, double *accuracy, tlu_error *error);
void holdout_replay_free(struct holdout_replay *holdout_replay);

#endif
