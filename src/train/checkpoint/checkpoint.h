// A run that was stopped on its way: what it needs to go on as if nothing had happened. It is taken
// before anything is made of the weights, and in the run's own numbers of classes and features,
// which reading the same data again gives again (resume.c).
#ifndef TLU_TRAIN_CHECKPOINT_CHECKPOINT_H
#define TLU_TRAIN_CHECKPOINT_CHECKPOINT_H

#include "learn/decision.h"
#include "space/dual.h"
#include "train/checkpoint/packed.h"
#include "train/fingerprint.h"
#include "train/run.h"

struct training;

// Which data it was.
struct checkpoint_data {
    bool all; // `print` is of all rows, and not only of those up to the last one learned from
    struct fingerprint print;
    uint64_t every; // which rows are in it (fingerprint_add); 0: none, see checkpoint_at_end
    uint32_t names; // the first so many names of features are in it too, and all labels
};

struct checkpoint_learner {
    uint32_t classes, positive;
    uint64_t examples, mistakes, updates; // over all passes
    struct random random;
    struct packed_weights weights;
    double *group_norm;      // [columns]
    uint64_t *group_updates; // [columns]
    bool pocket;             // --decide best:
    struct packed_weights pocket_best;
    uint64_t *pocket_counts; // [3][columns] run, best_run, best_right
    struct history *history; // --decide vote, random; else NULL
    struct dual_state *dual; // --kernel; else NULL
    struct net *net;         // of a learner with layers; else NULL
};

struct checkpoint {
    struct run run;             // with a best_net of its own, but for these:
    struct packed_weights best; // with run.accuracy alone, and a best pass
    struct packed_weights seen; // with run.seen.pass alone
    struct checkpoint_learner learner;
    struct checkpoint_data data;
};

// Why runs of this learner cannot be paused: the end of a sentence after "...: ". NULL: they can.
const char *checkpoint_obstacle(const struct tlu_learner *learner);
// Whether this run can be paused where it is.
bool checkpoint_is_possible(const struct training *training);

// NULL: out of memory.
struct checkpoint *checkpoint_take(const struct training *training);
// The end of a run of which the learner is left, and the number of rows and non-zeros that it had.
// The run is for the caller to fill in. Of the data, not the rows are compared but how many there
// are of each class, and the names. Not for files. NULL: out of memory.
struct checkpoint *checkpoint_at_end(const struct tlu_learner *learner, uint64_t rows,
                                     uint64_t nonzeros);
void checkpoint_free(struct checkpoint *checkpoint); // NULL is fine

// ---- resume.c ----

// As training_begin, up to where the run was. Fails if the data is not that of the run.
tlu_status training_resume(struct training *training, const struct checkpoint *checkpoint,
                           const tlu_options *options, tlu_error *error);

#endif
