// The rows of a picture: those of a file, as often as they are asked for, with what a model says
// about them.
#ifndef TLU_PLOT_PLANE_ROW_READER_H
#define TLU_PLOT_PLANE_ROW_READER_H

#include "input/reader.h"
#include "model/model.h"

struct row_reader {
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

// Puts data into memory that can be read only once; row_reader_close is due in any case.
tlu_status row_reader_open(struct row_reader *reader, const char *path, const tlu_options *options,
                           tlu_error *error);
// Rows for a model; NULL: without one, by numbers that are found by reading all rows.
tlu_status row_reader_use(struct row_reader *reader, const tlu_model *model, tlu_error *error);
// From the first row on; with what the model says, if there is one and that is asked for.
tlu_status row_reader_begin(struct row_reader *reader, bool predict, tlu_error *error);
// The next rows, with the classes of the schema in row_reader_label's order; *batch is NULL at the
// end.
tlu_status row_reader_next(struct row_reader *reader, const tlu_batch **batch, tlu_error *error);
// What the model says about them; NULL if it was not asked.
const tlu_predictions *row_reader_predictions(const struct row_reader *reader);
uint64_t row_reader_line(const struct row_reader *reader, size_t row); // of a row of the last batch
void row_reader_end(struct row_reader *reader);
void row_reader_close(struct row_reader *reader);

size_t row_reader_classes(const struct row_reader *reader);
const char *row_reader_label(const struct row_reader *reader, size_t class_index);
static inline size_t row_reader_features(const struct row_reader *reader)
{
    return schema_features(reader->schema);
}

#endif
