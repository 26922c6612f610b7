// The rows of a picture: those of a file, as often as they are asked for, with what a model says
// about them.
#ifndef TLU_PLOT_PLANE_INTAKE_H
#define TLU_PLOT_PLANE_INTAKE_H

#include "input/reader.h"
#include "model/model.h"

struct intake {
    const char *path;
    const tlu_options *options;
    const tlu_model *model;       // NULL: rows are read without one
    const struct schema *schema;  // names of features and classes
    struct row_source row_source; // what can be read only once is in memory
    unsigned char *bytes;
    tlu_reader *reader; // for a model
    struct reader *plain;
    struct schema grown; // without a model: the numbers of features are its
    uint32_t *class_of;  // [classes] without a model: classes in the order of their labels
    struct batch *held;
    uint32_t *labels; // [rows] of the batch held
    size_t labels_capacity;
    tlu_batch batch;
};

// Puts data into memory that can be read only once; intake_close is due in any case.
tlu_status intake_open(struct intake *intake, const char *path, const tlu_options *options,
                       tlu_error *error);
// Rows for a model; NULL: without one, by numbers that are found by reading all rows.
tlu_status intake_use(struct intake *intake, const tlu_model *model, tlu_error *error);
// From the first row on; with what the model says, if there is one and that is asked for.
tlu_status intake_begin(struct intake *intake, bool predict, tlu_error *error);
// The next rows, with the classes of the schema in intake_label's order; *batch is NULL at the end.
tlu_status intake_next(struct intake *intake, const tlu_batch **batch, tlu_error *error);
// What the model says about them; NULL if it was not asked.
const tlu_predictions *intake_guesses(const struct intake *intake);
uint64_t intake_line(const struct intake *intake, size_t row); // of a row of the last batch
void intake_end(struct intake *intake);
void intake_close(struct intake *intake);

size_t intake_classes(const struct intake *intake);
const char *intake_label(const struct intake *intake, size_t class_index);
static inline size_t intake_features(const struct intake *intake)
{
    return schema_features(intake->schema);
}

#endif
