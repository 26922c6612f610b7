// Reads the rows of a file, several times, with the predictions of a model.
#ifndef TLU_PLOT_PLANE_ROW_READER_H
#define TLU_PLOT_PLANE_ROW_READER_H

#include "input/reader.h"
#include "model/model.h"

struct row_reader {
    const char *path;
    const tlu_options *options;
    const tlu_model *model;       // NULL: rows are read without one
    const struct schema *schema;  // names of features and classes
    struct row_source row_source; // in memory if it is a pipe
    unsigned char *bytes;
    tlu_reader *reader; // for a model
    struct reader *plain;
    struct schema grown; // without a model: the features of the rows
    uint32_t *class_of;  // [classes] without a model: rank of each class among the labels
    struct batch *held;
    uint32_t *labels; // [rows] of the held batch
    size_t labels_capacity;
    tlu_batch batch;
};

// Loads a pipe into memory. The caller calls row_reader_close, also after an error.
tlu_status row_reader_open(struct row_reader *reader, const char *path, const tlu_options *options,
                           tlu_error *error);
// Sets the model; NULL: none, and all rows are read to find features and classes.
tlu_status row_reader_use(struct row_reader *reader, const tlu_model *model, tlu_error *error);
// Starts at the first row; predicts if requested and if there is a model.
tlu_status row_reader_begin(struct row_reader *reader, bool predict, tlu_error *error);
// The next rows, with classes in the order of row_reader_label; *batch is NULL at the end.
tlu_status row_reader_next(struct row_reader *reader, const tlu_batch **batch, tlu_error *error);
// The predictions for them; NULL: none.
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
