// A checkpoint: the state of a run that was stopped, from which it continues as if it had never
// stopped. The state is taken before the weights are changed for the model, and in the run's own
// numbers of classes and features; reading the same data again gives the same numbers again.
//
// In memory and in files a checkpoint is a sequence of bytes, the sections RUN, PAST, DUAL and NETR
// of the model file (model/file/run.c). It is packed from the training itself, and unpacked into
// the struct below, whose parts a training then takes over.
#ifndef TLU_TRAIN_CHECKPOINT_CHECKPOINT_H
#define TLU_TRAIN_CHECKPOINT_CHECKPOINT_H

#include "learn/learner.h"
#include "space/dual.h"
#include "train/fingerprint.h"
#include "train/run.h"

struct training;

struct packed_checkpoint {
    unsigned char *bytes; // [size] sections with their headers; size 0: no checkpoint
    size_t size, capacity;
    uint64_t pass, examples; // as pass and now.examples of struct run
    bool infinite;           // a number is not finite, so it cannot be saved
};

// Identifies the data of the run.
struct checkpoint_data {
    bool all; // `print` is of all rows, not only of those up to the last example
    struct fingerprint print;
    uint64_t
        every; // which rows are in it (fingerprint_add); 0: counts alone, see checkpoint_at_end
    uint32_t names; // the print also has this many names of features, and all labels
};

// The state is as in a learner, but for its weights, those of the pocket, and those of the run:
// they have rows only for the features with weights, whose numbers are in the arrays below.
struct checkpoint {
    struct run run;             // without the cells of seen
    struct learner_state state; // what changes while a learner learns
    struct weights seen;        // if run.seen.pass is not 0
    // [weights.features] numbers of the features in the run, ascending
    uint32_t *features, *pocket_features, *best_features, *seen_features;
    struct dual_state *dual; // --kernel; else NULL
    struct checkpoint_data data;
};

void checkpoint_free(struct checkpoint *checkpoint); // NULL is fine

// Why runs of this learner cannot be stopped and continued: the end of a sentence after "...: ".
// NULL: they can.
const char *checkpoint_obstacle(const struct tlu_learner *learner);
// Whether this run can be stopped and continued at its current example.
bool checkpoint_is_possible(const struct training *training);
// The data of a training that is stopped now.
struct checkpoint_data checkpoint_data_now(const struct training *training);
// The checkpoint of a complete run, whose learner was made from its model. Parts of the learner are
// moved to it, those of `run` are copied. The rows themselves are not known any more, so only their
// number in each class and the names of features are compared. NULL: out of memory.
struct checkpoint *checkpoint_at_end(struct tlu_learner *learner, const struct run *run,
                                     uint64_t rows, uint64_t nonzeros);

// As training_begin, up to where the run was; moves the parts of the checkpoint to the training.
// Fails if the data is not that of the run.
tlu_status training_resume(struct training *training, struct checkpoint *checkpoint,
                           const tlu_options *options, tlu_error *error);

#endif
