// The model: immutable once made, shared by any number of threads. It keeps what prediction needs
// (decided weights, names, scaling) and what going on with training needs (last weights, sums for
// the average, random state).
#ifndef TLU_MODEL_MODEL_H
#define TLU_MODEL_MODEL_H

#include "base/options.h"
#include "base/random.h"
#include "data/scale.h"
#include "data/schema.h"
#include "learn/weights.h"

struct tlu_model {
    char *version;        // of the tlu that made it
    tlu_options *options; // all of them, as trained
    struct schema schema; // frozen; classes in the order of their labels
    struct scaling scaling;
    uint32_t positive; // class, with two; SCHEMA_NONE else

    struct weights weights; // the state of training: features as in schema
    struct random random;

    uint64_t *class_examples; // [classes] rows seen
    tlu_report report;        // its arrays and texts belong to the model
    char *report_data;        // what report.data points to
    uint64_t *report_mistakes;
    double *report_accuracy;
    char **report_notices;

    // Made by model_prepare from the above; not stored.
    double *decided; // [features][columns] weights that decide, for scaled values
    double *decided_bias;
    double *folded; // [features][columns] the same for values as they are in the data
    double *folded_bias;
};

struct tlu_model *model_new(void); // empty, to be filled; NULL where memory is out
// Fills what is derived. Call once, when all the rest is there.
tlu_status model_prepare(struct tlu_model *model, tlu_error *error);

extern const char
    *const model_stopped_names[5]; // "converged", "epochs", "patience", "interrupted", NULL

#endif
