// What the fuzz targets of reading share: a chunk's rows as a number that tells them apart, and
// bytes as a file.
#ifndef TLU_TESTS_FUZZ_READING_H
#define TLU_TESTS_FUZZ_READING_H

#include "data/large.h"
#include "input/parse.h"
#include "input/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void expect(int condition)
{
    if (!condition)
        abort();
}

// The sum of one or several chunks.
struct outcome {
    enum parse_result result;
    uint64_t rows, skipped, lines, unseen, hash;
    struct bad_row bad;
};

static inline void mix(struct outcome *outcome, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        outcome->hash = (outcome->hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    outcome->hash = (outcome->hash ^ size) * 1099511628211u;
}

static inline void mix_label(struct outcome *outcome, const struct batch *batch, uint32_t label)
{
    expect(label < batch->classes.count);
    mix(outcome, table_text(&batch->classes, label), table_length(&batch->classes, label));
}

// Rows by their texts, since a chunk's own numbers depend on what is before it in the chunk.
static inline void mix_batch(struct outcome *outcome, const struct batch *batch)
{
    expect(batch->rows == 0 || batch->offsets[0] == 0);
    for (size_t i = 0; i < batch->rows; i++) {
        uint32_t label = batch->labels[i];
        const uint32_t *set = label == TLU_NO_LABEL ? NULL : batch_set(batch, i);
        for (uint32_t k = 1; set && k <= set[0]; k++)
            mix_label(outcome, batch, set[k]);
        if (label != TLU_NO_LABEL && !set)
            mix_label(outcome, batch, label);
        mix(outcome, &(bool){set != NULL}, sizeof(bool));
        expect(batch->offsets[i] <= batch->offsets[i + 1]);
        for (uint32_t k = batch->offsets[i]; k < batch->offsets[i + 1]; k++) {
            uint32_t index = batch->indices[k];
            float value = batch->values[k];
            expect(isfinite(value) && value != 0 && (!batch->ones || value == 1));
            mix(outcome, &value, sizeof value);
            if (index & BATCH_LOCAL) {
                char room[LARGE_SCRATCH];
                size_t length;
                index &= ~BATCH_LOCAL;
                expect(index < batch_names(batch));
                const char *name = batch_name_at(batch, index, room, &length);
                mix(outcome, name, length);
            } else {
                mix(outcome, &index, sizeof index);
            }
        }
        mix(outcome, "", 0);
    }
}

// Adds a chunk to the outcome.
static inline void parse_chunk(struct outcome *outcome, parse_function *parse,
                               const struct parser *parser, const char *bytes, size_t size)
{
    struct batch *batch = batch_new();
    expect(batch != NULL);
    outcome->result = parse(parser, bytes, size, batch, &outcome->bad);
    if (outcome->result == PARSE_OK) {
        mix_batch(outcome, batch);
        outcome->rows += batch->rows;
        outcome->skipped += batch->counts.skipped_rows;
        outcome->lines += batch->place.lines;
        outcome->unseen += batch->counts.unknown_values;
    } else {
        expect(outcome->result == PARSE_BAD && outcome->bad.line >= 1 && outcome->bad.column >= 1 &&
               outcome->bad.reason[0]);
    }
    batch_free(batch);
}

static inline void expect_same(const struct outcome *a, const struct outcome *b)
{
    expect(a->result == b->result && a->rows == b->rows && a->skipped == b->skipped &&
           a->lines == b->lines && a->unseen == b->unseen && a->hash == b->hash);
}

// Every row has a label of the schema, or a set of them, ascending.
static inline void expect_labels(const struct batch *batch, const struct schema *schema)
{
    for (size_t i = 0; i < batch->rows; i++) {
        const uint32_t *set = batch_set(batch, i);
        expect((set != NULL) == schema->multilabel);
        for (uint32_t k = 1; set && k <= set[0]; k++)
            expect(set[k] < schema_classes(schema) && (k == 1 || set[k] > set[k - 1]));
        expect(set || batch->labels[i] < schema_classes(schema));
    }
}

// Reads training data to its end, for what a parser alone does not see.
static inline void read_training(const char *bytes, size_t size, const tlu_options *options)
{
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    tlu_error error = {.status = TLU_OK};
    schema_init(&schema);
    tlu_status status = reader_open_bytes(&reader, bytes, size, options, &schema, &error);
    while (status == TLU_OK && (status = reader_next(reader, &batch, &error)) == TLU_OK && batch) {
        expect_labels(batch, &schema);
        for (size_t i = 0; i < batch_nonzeros(batch); i++)
            expect(batch->indices[i] < schema_features(&schema));
        reader_recycle(reader, batch);
    }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    reader_close(reader);
    schema_free(&schema);
}

// The path of a file in memory with these bytes; the descriptor is *file.
static inline const char *file_of(const void *bytes, size_t size, int *file)
{
    static char path[64];
    *file = memfd_create("fuzz", 0);
    expect(*file >= 0);
    expect(write(*file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
    return path;
}

// The labels of a row of the last batch are the model's, unknown, or none.
static inline void expect_row_labels(const tlu_model *model, const tlu_reader *reader,
                                     const tlu_batch *batch, size_t row)
{
    uint32_t labels[8] = {batch->labels[row]};
    size_t count = 1;
    if (tlu_model_is_multilabel(model))
        count = tlu_reader_labels(reader, row, labels, 8);
    for (size_t k = 0; k < count && k < 8; k++)
        expect(labels[k] < tlu_model_class_count(model) || labels[k] == TLU_NO_LABEL ||
               labels[k] == TLU_UNKNOWN_LABEL);
}

#endif
