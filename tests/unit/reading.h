// Data as text: what a reader makes of it, row by row, as
//
//     label name:value name:value
//
// so that a test says on one line what goes in and on the next what comes out. A label that is not
// there is "-", one that the model does not know is "?". A set of labels is "{a,b}". An error is "!
// " and its message.
#ifndef TLU_TESTS_READING_H
#define TLU_TESTS_READING_H

#include "input/reader.h"
#include "model/model.h"
#include "numeric/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The last reading: its text and its counts.
static struct {
    char *text;
    size_t size, capacity;
    uint64_t rows, batches, skipped, unseen, unknown, qid_fields, lines;
    uint64_t columns; // of the schema
    tlu_error error;
} got;

static void put(const char *text, size_t length)
{
    if (got.size + length + 1 > got.capacity) {
        got.capacity = 2 * (got.size + length + 1);
        got.text = realloc(got.text, got.capacity);
        assert_non_null(got.text);
    }
    memcpy(got.text + got.size, text, length);
    got.size += length;
    got.text[got.size] = '\0';
}

static void start_reading(void)
{
    char *text = got.text;
    size_t capacity = got.capacity;
    memset(&got, 0, sizeof got);
    got.text = text;
    got.capacity = capacity;
    put("", 0);
}

static int free_reading(void **state)
{
    (void)state;
    free(got.text);
    memset(&got, 0, sizeof got);
    return 0;
}

static void put_entry(const char *name, size_t length, float value)
{
    char text[40];
    put(" ", 1);
    put(name, length);
    put(text, (size_t)snprintf(text, sizeof text, ":%.9g", (double)value));
}

static const char *failed_with(const tlu_error *error)
{
    got.error = *error;
    put("! ", 2);
    put(error->text, strlen(error->text));
    return got.text;
}

// "skip-bad=yes missing=zero"
static inline tlu_options *options_of(const char *settings)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    assert_int_equal(tlu_options_set(options, "learner", "perceptron", NULL), TLU_OK);
    while (settings && *settings) {
        char name[32], value[64];
        int used = 0;
        assert_int_equal(sscanf(settings, " %31[^=]=%63s%n", name, value, &used), 2);
        assert_int_equal(tlu_options_set(options, name, value, NULL), TLU_OK);
        settings += used;
    }
    return options;
}

static const char *label_text(const struct schema *schema, uint32_t label)
{
    return label < schema_classes(schema) ? schema->spelled[label]
           : label == TLU_NO_LABEL        ? "-"
                                          : "?";
}

static void put_set(const struct schema *schema, const uint32_t *set)
{
    put("{", 1);
    for (uint32_t k = 1; k <= set[0]; k++) {
        const char *label = label_text(schema, set[k]);
        put(",", k > 1);
        put(label, strlen(label));
    }
    put("}", 1);
}

static void put_batch(const struct schema *schema, const struct batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        const char *label = label_text(schema, batch->labels[i]);
        if (batch->set_cells && batch->labels[i] != TLU_NO_LABEL)
            put_set(schema, batch_set(batch, i));
        else
            put(label, strlen(label));
        for (size_t k = 0; k < row.count; k++) {
            char name[300];
            size_t length = schema_name(schema, row.features[k], name, sizeof name);
            put_entry(name, length < sizeof name ? length : sizeof name - 1,
                      row.values ? row.values[k] : 1);
        }
        put("\n", 1);
    }
    got.rows += batch->rows;
    got.batches++;
    got.skipped += batch->counts.skipped_rows;
    got.unseen += batch->counts.unknown_values;
    got.unknown += batch->counts.unknown_labels;
    got.qid_fields += batch->counts.qid_fields;
    got.lines += batch->place.lines;
}

static const char *read_all(struct reader *reader, const struct schema *schema)
{
    struct batch *batch;
    tlu_error error;
    tlu_status status;
    while ((status = reader_next(reader, &batch, &error)) == TLU_OK && batch) {
        put_batch(schema, batch);
        reader_recycle(reader, batch);
    }
    reader_close(reader);
    got.columns = schema_columns(schema);
    return status == TLU_OK ? got.text : failed_with(&error);
}

// As training reads: bytes in memory, in one piece.
static inline const char *rows_of_bytes(const char *bytes, size_t size, const char *settings)
{
    struct schema schema;
    struct reader *reader;
    tlu_options *options = options_of(settings);
    tlu_error error;
    start_reading();
    schema_init(&schema);
    if (reader_open_bytes(&reader, bytes, size, options, &schema, &error) == TLU_OK)
        read_all(reader, &schema);
    else
        failed_with(&error);
    schema_free(&schema);
    tlu_options_free(options);
    return got.text;
}

static inline const char *rows_of(const char *text, const char *settings)
{
    return rows_of_bytes(text, strlen(text), settings);
}

// As training reads: a source of rows.
static inline const char *rows_of_source(const char *path, const struct row_source *source,
                                         const char *settings)
{
    struct schema schema;
    struct reader *reader;
    tlu_options *options = options_of(settings);
    tlu_error error;
    start_reading();
    schema_init(&schema);
    if (reader_open_source(&reader, path, source, options, &schema, &error) == TLU_OK)
        read_all(reader, &schema);
    else
        failed_with(&error);
    schema_free(&schema);
    tlu_options_free(options);
    return got.text;
}

// As training reads: a file.
static inline const char *rows_of_file(const char *path, const char *settings)
{
    return rows_of_source(path, &(struct row_source){0}, settings);
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// A model trained on the text.
static inline tlu_model *model_of(const char *text, const char *settings)
{
    tlu_options *options = options_of(settings);
    tlu_model *model;
    tlu_error error;
    write_file("train", text, strlen(text));
    if (tlu_train("train", options, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return model;
}

static void put_public_set(const tlu_model *model, const tlu_reader *reader, size_t row)
{
    uint32_t set[65] = {0};
    size_t count = tlu_reader_labels(reader, row, set + 1, 64);
    set[0] = (uint32_t)count;
    assert_true(count <= 64);
    if (count == 1 && set[1] == TLU_NO_LABEL)
        put("-", 1);
    else
        put_set(&model->state.schema, set);
}

static void put_public_batch(const tlu_model *model, const tlu_reader *reader,
                             const tlu_batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        const char *label = label_text(&model->state.schema, batch->labels[i]);
        if (tlu_model_is_multilabel(model))
            put_public_set(model, reader, i);
        else
            put(label, strlen(label));
        for (size_t k = 0; k < row.count; k++) {
            char name[300];
            size_t length = tlu_model_feature_name(model, row.features[k], name, sizeof name);
            put_entry(name, length, row.values ? row.values[k] : 1);
        }
        put("\n", 1);
    }
}

// As prediction reads.
static inline const char *rows_for(const tlu_model *model, const char *text, const char *settings)
{
    tlu_options *options = options_of(settings);
    tlu_reader *reader;
    tlu_error error;
    const tlu_batch *batch;
    start_reading();
    write_file("data", text, strlen(text));
    tlu_status status = tlu_reader_open(model, "data", options, &reader, &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch)
        put_public_batch(model, reader, batch);
    if (reader) {
        const tlu_reader_stats *reading = tlu_reader_get_stats(reader);
        got.rows = reading->rows;
        got.skipped = reading->skipped;
        got.unseen = reading->unseen_values;
        got.unknown = reading->unknown_labels;
    }
    tlu_reader_close(reader);
    tlu_options_free(options);
    return status == TLU_OK ? got.text : failed_with(&error);
}

#endif
