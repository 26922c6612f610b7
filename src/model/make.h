// Between the numbers of a learner and those of its model.
#ifndef TLU_MODEL_MAKE_H
#define TLU_MODEL_MAKE_H

#include "model/model.h"

// What leads from the learner's numbers to the model's.
struct mapping {
    uint32_t *classes;  // [class_count] the learner's number of the model's class
    uint32_t *features; // [feature_count] likewise
    size_t feature_count;
    uint32_t *feature_of; // [direct + names] the model's number of the learner's feature
    uint32_t *columns;    // [column_count] the learner's column of the model's
    double *signs;        // [column_count] -1 where a pair of classes has changed places
    uint32_t *column_of;  // [column_count] the model's column of the learner's
    uint64_t *ids;        // [id_count] rows that are kept, ascending
    size_t id_count, id_capacity;
};

void mapping_free(struct mapping *mapping);
// From `classes` to columns, signs and column_of; false where memory is out.
bool mapping_order_columns(struct mapping *mapping, const struct tlu_learner *learner);

// What the rows of the data look like. The features of CSV columns have the same numbers in a
// growing and in a frozen schema, as there are no LIBSVM indices before them; but slots of hashed
// names are led over by `numbers`.
bool make_columns(struct schema *to, const struct schema *from, const uint32_t *numbers);

// A learner and the rows that it has learned from; a stream has none of these.
struct learned {
    const struct tlu_learner *learner;
    const struct weights *weights; // that decide
    bool last;                     // they are the learner's last
    const struct scaling *scaling;
    struct batch *const *batches;
    size_t batch_count;
};

// The model of it, with an empty report.
tlu_status make_model(tlu_model **model, const struct learned *learned, tlu_error *error);
// For the report: of hashed names the slots that the model has, as a learner counts them anew when
// it goes on from a model, whose file must not depend on that.
uint64_t make_feature_count(const struct tlu_model *model, const struct schema *grown);

// carry.c: fills model->stream, and settles the model's weights. `last`: they are the learner's
// last.
bool stream_state_make(struct tlu_model *model, const struct tlu_learner *learner,
                       const struct weights *from, const struct mapping *mapping, bool last);

// resume.c: gives a new learner of the model's options what the model has of the old one.
tlu_status resume_learner(struct tlu_learner *learner, const tlu_model *model, tlu_error *error);

// train_more.c: the state of a complete run at the end of its last pass, to go on with for more of
// them; an input error says what the model lacks for that.
tlu_status pause_of_complete(const tlu_model *model, uint64_t epochs, struct pause **pause,
                             tlu_error *error);

#endif
