// From the numbers of a learner to those of its model.
#ifndef TLU_MODEL_MAKE_MAPPING_H
#define TLU_MODEL_MAKE_MAPPING_H

#include "model/make.h"

struct mapping {
    uint32_t *classes;  // [classes] the learner's number of the model's class
    uint32_t *features; // [feature_count] likewise
    size_t feature_count;
    uint32_t *feature_of; // [direct + names] the model's number of the learner's feature
    uint32_t *columns;    // [columns] the learner's column of the model's
    double *signs;        // [columns] -1 if a pair of classes has changed places
    uint32_t *column_of;  // [columns] the model's column of the learner's
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

#endif
