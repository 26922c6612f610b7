// Makes a model from a learner (folder make), and continues from a model.
#ifndef TLU_MODEL_MAKE_H
#define TLU_MODEL_MAKE_H

#include "model/model.h"

struct packet;

// A learner and the rows that it has learned from, which a stream does not keep.
struct learned {
    const struct tlu_learner *learner;
    const struct weights *weights; // that decide
    const struct net *net;         // likewise, of a learner with layers
    bool last;                     // they are the learner's last
    size_t updates;                // of the learner's history, those that count
    bool final; // the model takes the steps of that history, and need not copy them
    const struct scaling *scaling;
    struct batch *const *batches;
    size_t batch_count;
};

// Makes its model, with an empty report.
tlu_status make_model(tlu_model **model, const struct learned *learned, tlu_error *error);
// The number of features for the report; for hashed names, that of the model's slots. A learner
// that continues from a model counts names again, and the file must not depend on that.
uint64_t make_feature_count(const struct tlu_model *model, const struct schema *grown);

// make/resume.c: loads the state of a model into a new learner with its options.
tlu_status resume_learner(struct tlu_learner *learner, const tlu_model *model, tlu_error *error);

// The functions of struct start (train/train.h).
void start_pack(struct packet *packet, const tlu_model *model);
tlu_status start_load(struct training *training, tlu_error *error);

// trained.c: makes the model of a training with this outcome, whose parts are moved to it.
tlu_status make_trained(tlu_model **model, const struct training *training, struct outcome *outcome,
                        tlu_error *error);

// file/run.c: packs the state of a training. False: out of memory, and nothing is packed.
bool checkpoint_pack(struct packed_checkpoint *packed, const struct training *training);
// file/file.c: the reverse, for a run with the classes, layers and options of a model.
tlu_status checkpoint_unpack(const struct packed_checkpoint *packed, const tlu_model *known,
                             struct checkpoint **checkpoint, tlu_error *error);

// train_resume.c: what a training needs to continue from a model.
struct resumption {
    tlu_options *options;          // of the run, with the changes that are allowed
    struct checkpoint *checkpoint; // NULL: the model is complete
    const tlu_model *complete;     // but not calibrated; else NULL
};
tlu_status resume_begin(struct resumption *resumption, const tlu_model *begun,
                        const tlu_options *given, tlu_error *error);
void resume_end(struct resumption *resumption); // also after an error of resume_begin

#endif
