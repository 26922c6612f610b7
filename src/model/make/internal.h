// Makes a model from a learner.
#ifndef TLU_MODEL_MAKE_INTERNAL_H
#define TLU_MODEL_MAKE_INTERNAL_H

#include "model/make.h"

// The numbers of a learner and those of its model.
struct mapping {
    struct numbering numbering; // from the learner to the model
    uint32_t *features;         // [feature_count] the learner's number of the model's feature
    size_t feature_count;
    uint32_t *feature_of; // [direct + names] the model's number of the learner's feature
    uint64_t *rows;       // [row_count] of the training that are kept, ascending
    size_t row_count;
    uint32_t *support_of; // [rows of the training] the place in `rows` of a row that is kept
};

// All return false if they are out of memory.

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

// ---- supports.c ----

// Fills `rows`: those with a coefficient, in the run's history or among the supports of the largest
// margin.
bool make_rows(struct mapping *mapping, const struct learned *learned);
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
bool make_history(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);

#endif
