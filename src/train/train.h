// Training: from rows to the weights of a run.
#ifndef TLU_TRAIN_TRAIN_H
#define TLU_TRAIN_TRAIN_H

#include "learn/learner.h"
#include "train/holdout_metric.h"
#include "train/holdout_replay.h"
#include "train/outcome.h"
#include "train/progress.h"
#include "train/rows.h"
#include "train/run.h"

// Rows that are read before learning starts. The classes among them are in play from the first
// example on; one that turns up later comes into play with its first example.
#define TRAIN_LOOKAHEAD 4096

struct training {
    struct rows rows;
    struct tlu_learner learner;
    struct run run;
    struct outcome outcome;
    struct progress_reporter reporter;
    struct holdout_replay holdout_replay;
    struct holdout_metric holdout_metric;
    uint64_t passes;          // at most
    const tlu_options *given; // as the user gave them; NULL: not known
};

// Runs a training, whose rows.path and reporter are set, to the end of its last pass or to where it
// is interrupted. training_free frees what it fills, also after an error.
tlu_status training_run(struct training *training, const tlu_options *options, tlu_error *error);
// Then: what comes of it, training->outcome.
tlu_status training_conclude(struct training *training, tlu_error *error);
void training_free(struct training *training);

// The two halves of training_run: up to the first example; and from where the run is to its end.
tlu_status training_begin(struct training *training, const tlu_options *options, tlu_error *error);
tlu_status training_go_on(struct training *training, tlu_error *error);

// Reads the next batch.
tlu_status training_read(struct training *training, bool keep, tlu_error *error);
// What is known now that all rows are read, or no more will be.
tlu_status training_all_read(struct training *training, tlu_error *error);
// How many shuffles there are up to the start of a pass.
uint64_t training_shuffles_due(const struct training *training, uint64_t pass);
tlu_status training_shuffle(struct training *training, tlu_error *error);

// ---- prepare.c: what some options and the data decide before the first example ----

// The scaling that is fitted to all rows before the first is learned from, SCALE_... Whether `auto`
// is one of these, the first rows show.
int prepare_scale(const struct tlu_learner *learner);
// Decides what is left to the data by the rows read so far.
tlu_status prepare_choices(struct training *training, tlu_error *error);
// The rows read so far: all of them, or the first.
tlu_status prepare_rows(struct training *training, tlu_error *error);

// ---- pass.c ----

// Learns from the rows that are there, from where the pass is.
tlu_status pass_learn(struct training *training, tlu_error *error);

// ---- pass_layers.c: learners with layers ----

// Makes the net, when all rows are there.
tlu_status layers_prepare(struct training *training, tlu_error *error);
tlu_status pass_learn_layers(struct training *training, tlu_error *error);
// As pass_accuracy.
tlu_status layers_accuracy(struct training *training, double *accuracy, tlu_error *error);

// ---- pass_end.c ----

tlu_status pass_end(struct training *training, bool *over, tlu_error *error);
// How good it is on the held-out rows now: their accuracy, or what --metric says.
tlu_status pass_quality(struct training *training, double *quality, tlu_error *error);
// Whether it looks for passes that end as another one did.
bool pass_may_cycle(const struct tlu_learner *learner);

#endif
