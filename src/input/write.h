// Batches as text: LIBSVM and CSV.
#ifndef TLU_INPUT_WRITE_H
#define TLU_INPUT_WRITE_H

#include "data/schema.h"

#define OUT_SIZE 65536

struct text_out {
    tlu_write_function write;
    void *context;
    bool failed;
    size_t used;
    char bytes[OUT_SIZE];
};

void out_put(struct text_out *out, const void *bytes, size_t size);
void out_flush(struct text_out *out);

// Where a feature of CSV goes.
struct cell_place {
    uint32_t column;
    uint32_t value; // in the feature's name, where the value starts; 0: the column has numbers
};

struct writer {
    struct text_out *out;
    const struct schema *schema;
    const char *path; // of the input, for messages
    char delimiter;   // of CSV
    // CSV from CSV
    struct table columns;
    struct cell_place *places; // [place_count] of the first features
    size_t place_count, place_capacity;
    struct csv_cell {
        const char *text;
        size_t length;
        float value; // if there is no text
    } * cells;       // [column_count]
    // CSV from LIBSVM
    uint32_t first; // index of the first column
    float *dense;   // [schema_columns()] a row, zero between rows
    // LIBSVM from CSV: a row in ascending order
    struct feature_value {
        uint32_t feature;
        float value;
    } * entries;
    size_t entry_capacity;
    // CSV with --multilabel: the labels of a row
    char *list; // [list_size]
    size_t list_size, list_capacity;
};

tlu_status write_libsvm(struct writer *writer, const struct batch *batch, tlu_error *error);
void write_names(struct text_out *out, const struct schema *schema);

// The header and what the rows need. From LIBSVM the schema must be complete.
tlu_status write_csv_begin(struct writer *writer, tlu_error *error);
tlu_status write_csv(struct writer *writer, const struct batch *batch, tlu_error *error);
// A field, in quotes if it needs them.
void write_csv_field(const struct writer *writer, const char *text, size_t length);
void writer_free(struct writer *writer);

#endif
