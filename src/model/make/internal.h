// Between a learner and its model, in both directions. Classes of a model are in the order of their
// labels and its features have no gaps, so both have numbers of their own.
#ifndef TLU_MODEL_MAKE_INTERNAL_H
#define TLU_MODEL_MAKE_INTERNAL_H

#include "model/make.h"

struct mapping {
    uint32_t *classes;  // [classes] the learner's number of the model's class
    uint32_t *features; // [feature_count] likewise
    size_t feature_count;
    uint32_t *feature_of; // [direct + names] the model's number of the learner's feature
    uint32_t *columns;    // [columns] the learner's column of the model's
    double *signs;        // [columns] -1 if a pair of classes has changed places
    uint32_t *column_of;  // [columns] the model's column of the learner's
    bool to_learner;      // copies go from the model to the learner
    uint64_t *rows;       // [row_count] of the training that are kept, ascending
    size_t row_count, row_capacity;
};

// All return false if they are out of memory.

// Fills `classes`: they get the order of their labels.
bool mapping_order_classes(struct mapping *mapping, const struct tlu_learner *learner);
// From `classes` to columns, signs and column_of.
bool mapping_order_columns(struct mapping *mapping, const struct tlu_learner *learner);
// Fills `rows`: those with a coefficient, in the run's history or among the supports of the largest
// margin.
bool mapping_collect_rows(struct mapping *mapping, const struct learned *learned);
// The model's number of a row that is kept.
uint32_t mapping_support_of(const struct mapping *mapping, uint64_t row);
void mapping_free(struct mapping *mapping);

// Whether the learner has a number other than 0 for the feature, or for the row in the dual form.
bool learned_uses(const struct learned *learned, size_t feature);

// ---- schema.c ----

bool make_classes(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);
// Also fills features and feature_of of the mapping.
bool make_features(struct tlu_model *model, const struct learned *learned, struct mapping *mapping);
// The format of the data. The features of CSV columns have the same numbers in a growing and in a
// frozen schema, as there are no LIBSVM indices before them; but slots of hashed names get those of
// `numbers`.
bool make_columns(struct schema *to, const struct schema *from, const uint32_t *numbers);

// ---- weights.c ----

// What belongs to columns, not to features: biases, scales, steps.
void copy_columns(struct weights *to, const struct weights *from, const struct mapping *mapping);
// The weights of a feature without its states, into zeros.
void copy_feature(struct weights *to, size_t to_row, const struct weights *from, size_t from_row,
                  const struct mapping *mapping);
bool make_weights(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);
// Also multiplies out the scales of the model's weights.
bool make_stream_state(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping);
// The scaling, and the units of --scale recent.
bool make_scaling(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);

// ---- supports.c ----

// Whether predictions need the rows themselves. Those of max-margin do not: it has weights.
bool make_needs_rows(const struct learned *learned);

// The place of a row, for rows that come in ascending order; all zero at the start.
struct row_finder {
    const struct batch *batch;
    size_t number, i;
};
tlu_row row_find(struct row_finder *finder, const struct learned *learned, uint64_t id);

bool make_supports(struct tlu_model *model, const struct learned *learned,
                   const struct mapping *mapping);
// --decide vote, random.
bool make_replay(struct tlu_model *model, const struct learned *learned,
                 const struct mapping *mapping);

#endif
