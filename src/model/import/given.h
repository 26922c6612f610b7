// Weights that a user gives instead of training: hyperplanes as expressions (plane.c), or a table
// (weights_table.c). import.c makes a model from them.
#ifndef TLU_MODEL_IMPORT_GIVEN_H
#define TLU_MODEL_IMPORT_GIVEN_H

#include "base/error.h"
#include "data/schema.h"

#define GIVEN_BIAS UINT32_MAX  // in place of a feature
#define GIVEN_WEIGHT_MAX 1e100 // squares of weights must stay finite
#define GIVEN_TIE_OPEN (-1)    // no relation defines ties

struct given_weight {
    uint32_t class_index, feature; // indices into `labels` and `features`
    double value;
    uint64_t line; // of the table
};

struct given {
    struct schema labels;         // the classes, in the order in which they occur
    struct table features;        // their names, in the same order
    struct given_weight *weights; // [count]; weights of the same class and feature are summed
    size_t count, capacity;
    int tie; // TIE_..., from the relation of a plane, or GIVEN_TIE_OPEN
};

// Adds a weight, or a bias if the feature is GIVEN_BIAS. False: out of memory.
bool given_add(struct given *given, const struct given_weight *weight);
void given_free(struct given *given);

// Adds the weights of an expression such as "2 x + y - 1 > 0" or "A: x + y - 1". `name` is for
// messages. *class_index is the class that the expression names. Without one it is SCHEMA_NONE, and
// the weights have class 0 until the caller changes that.
tlu_status plane_parse(struct given *given, const char *text, const char *name,
                       uint32_t *class_index, tlu_error *error);

// Adds the weights of a table: lines of class, feature and weight, separated by tabs.
tlu_status weights_table_parse(struct given *given, const char *bytes, size_t size,
                               const char *name, tlu_error *error);

#endif
