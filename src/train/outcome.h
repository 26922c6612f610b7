// The outcome of a run: its passes, the weights that decide, why it ended, and notices for the
// user.
#ifndef TLU_TRAIN_OUTCOME_H
#define TLU_TRAIN_OUTCOME_H

#include "base/error.h"
#include "space/weights.h"

struct checkpoint;
struct training;

enum stopped {
    STOPPED_CONVERGED,
    STOPPED_EPOCHS,
    STOPPED_PATIENCE,
    STOPPED_INTERRUPTED,
    STOPPED_CYCLE,
    STOPPED_SOLVED
};

struct notices {
    char **items; // sentences for the user
    size_t count, capacity;
};

struct outcome {
    enum stopped stopped;
    uint64_t cycle; // length of the cycle of passes; 0: none
    // The passes, an unfinished one included.
    uint64_t passes;
    uint64_t *mistakes; // [passes]
    double *accuracy;   // [passes] on the held-out rows, or --metric; NULL: there are none
    uint64_t best_pass;
    const struct weights
        *weights;          // those that decide: of the best pass, of the pocket, or the last
    const struct net *net; // likewise, of a learner with layers; else NULL
    bool last;             // they are also those after the last example
    size_t updates;        // vote, random: those that count
    struct checkpoint *checkpoint; // to go on from; NULL: the run is complete, or cannot go on
    struct notices notices;
};

// The outcome if the run ended now, without notices and checkpoint. The training stays as it is.
tlu_status outcome_now(struct outcome *outcome, struct training *training, tlu_error *error);
void outcome_free(struct outcome *outcome);

// ---- hints.c: notices for the user ----

// Options that were given and change nothing.
tlu_status hints_about_options(struct training *training, tlu_error *error);
// Looks at the ranges of the columns in the first batches.
tlu_status hints_about_ranges(struct training *training, tlu_error *error);
// Sorted by class, suspicious labels, fields ignored.
tlu_status hints_about_data(struct training *training, tlu_error *error);
// Whether the model is no better than the majority class.
tlu_status hints_about_outcome(struct training *training, tlu_error *error);
// Whether the first pass meets one class after the other, as far as the rows were read.
bool training_is_sorted(const struct training *training);

#endif
