// The outcome of a run: its passes, the weights that decide, why it ended, and notices for the
// user.
#ifndef TLU_TRAIN_OUTCOME_H
#define TLU_TRAIN_OUTCOME_H

#include "base/error.h"
#include "space/weights.h"
#include "train/checkpoint/checkpoint.h"

struct training;

// Why a run ended, and the name of the reason in reports and files.
#define STOPPED_REASONS(X)                                                                         \
    X(CONVERGED, "converged")                                                                      \
    X(EPOCHS, "epochs")                                                                            \
    X(PATIENCE, "patience")                                                                        \
    X(INTERRUPTED, "interrupted")                                                                  \
    X(CYCLE, "cycle")                                                                              \
    X(SOLVED, "solved")

#define STOPPED_ENUM(reason, name) STOPPED_##reason,
enum stopped { STOPPED_REASONS(STOPPED_ENUM) STOPPED_COUNT };

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
    bool final;            // the training ends here: a model can take its history
    struct packed_checkpoint checkpoint; // empty: the run is complete, or cannot continue
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
