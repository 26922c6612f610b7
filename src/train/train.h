// Training: from rows to the weights of a run.
#ifndef TLU_TRAIN_TRAIN_H
#define TLU_TRAIN_TRAIN_H

#include "learn/learner.h"
#include "train/holdout.h"
#include "train/outcome.h"
#include "train/progress.h"
#include "train/rows.h"
#include "train/run.h"

// Rows that are read before learning starts. Their classes are in play from the first example on;
// any other class comes into play with its first example.
#define TRAIN_LOOKAHEAD 4096

struct checkpoint;
struct packet;
struct team;
struct tlu_model;
struct training;

// --start: a model from which the training goes on. Its names are numbered before those of the
// data, and its weights are those of the first example.
struct start {
    const struct tlu_model *model; // NULL: the training starts with weights 0
    const tlu_options *given;      // by the caller; the other options are those of the model
    bool held_out, has_output;     // the model: rows were held out; has a calibration or threshold
    void (*pack)(struct packet *packet, const struct tlu_model *model); // unite_pack
    tlu_status (*load)(struct training *training, tlu_error *error);
};

struct training {
    struct rows rows;
    struct tlu_learner learner;
    struct run run;
    struct outcome outcome;
    struct progress_reporter reporter;
    struct holdout holdout;
    uint64_t passes;          // at most
    const tlu_options *given; // by the user; NULL: not known
    struct start start;
    struct multipliers *multipliers; // of a batch solver, see struct solving
    struct team *team;               // NULL: this process trains alone
    size_t pass_end;                 // rows of the order up to the next mixture; without a team all
};

// Runs a training, whose rows.path and reporter are set, to the end of its last pass or to where it
// is interrupted; with `resume` from where that run was. The caller frees it with training_free,
// also after an error.
tlu_status training_run(struct training *training, const tlu_options *options,
                        struct checkpoint *resume, tlu_error *error);
// Then: fills training->outcome.
tlu_status training_conclude(struct training *training, tlu_error *error);
void training_free(struct training *training);

// What is known now that all rows are read, or no more will be.
tlu_status training_all_read(struct training *training, tlu_error *error);
// The number of shuffles up to the start of a pass.
uint64_t training_shuffles_due(const struct training *training, uint64_t pass);
tlu_status training_shuffle(struct training *training, tlu_error *error);
// Whether runs of this learner are checked for passes that end with the weights of an earlier one.
bool training_may_cycle(const struct tlu_learner *learner);
// --stop epochs: whether passes that repeat can be counted without being made. The dual form has
// other coefficients in each period, and a pocket counts how long its weights last.
bool training_can_skip_cycles(const struct tlu_learner *learner);

// ---- prepare.c ----

// Everything before the first example.
tlu_status training_begin(struct training *training, const tlu_options *options, tlu_error *error);
// Reads the next batch.
tlu_status training_read(struct training *training, bool keep, tlu_error *error);

// ---- pass.c ----

// Learns from the rows of a pass, from where the pass is, until it is complete or interrupted.
tlu_status pass_run(struct training *training, tlu_error *error);
// mlp: passes the held-out rows with their scores to holdout_add_row. *right: how many are right.
tlu_status pass_score_layers(struct training *training, double *right, tlu_error *error);

#endif
