#include "base/memory.h"
#include "plot/plane/view.h"

#include <assert.h>
#include <string.h>

tlu_status row_reader_open(struct row_reader *reader, struct arena *memory, const char *path,
                           const tlu_options *options, tlu_error *error)
{
    *reader = (struct row_reader){.memory = memory, .path = path, .options = options};
    schema_init(&reader->grown);
    return split_spool(path, &reader->row_source, &reader->bytes, error);
}

// ---- without a model

static tlu_status open_plain(struct row_reader *reader, tlu_error *error)
{
    struct row_source row_source = reader->row_source;
    row_source.unlabelled = true;
    return reader_open_source(&reader->plain, reader->path, &row_source, reader->options,
                              &reader->grown, error);
}

static tlu_status read_all(struct row_reader *reader, tlu_error *error)
{
    struct batch *batch;
    do {
        TRY(reader_next(reader->plain, &batch, error));
        if (batch)
            reader_recycle(reader->plain, batch);
    } while (batch);
    return TLU_OK;
}

// The rank of each class among the labels, as a model orders them.
static tlu_status sort_classes(struct row_reader *reader, tlu_error *error)
{
    const struct schema *schema = &reader->grown;
    uint32_t count = schema_classes(schema);
    reader->class_of = arena_new(reader->memory, count + 1, sizeof *reader->class_of);
    TRY(enough_memory(reader->class_of, error));
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t other = 0; other < count; other++)
            reader->class_of[c] +=
                schema_label_compare(schema->spelled[other], schema->spelled[c]) < 0;
    return TLU_OK;
}

tlu_status row_reader_use(struct row_reader *reader, const tlu_model *model, tlu_error *error)
{
    reader->model = model;
    reader->schema = model ? &model->state.schema : &reader->grown;
    if (model)
        return TLU_OK;
    tlu_status status = open_plain(reader, error);
    if (status == TLU_OK)
        status = read_all(reader, error);
    row_reader_end(reader);
    TRY(status);
    reader->grown.known = true;
    return sort_classes(reader, error);
}

// ---- rows

tlu_status row_reader_begin(struct row_reader *reader, bool predict, tlu_error *error)
{
    if (!reader->model)
        return open_plain(reader, error);
    TRY(model_read(reader->model, reader->path, &reader->row_source, reader->options,
                   &reader->reader, error));
    return predict ? tlu_reader_predict(reader->reader, 0, NULL, NULL, error) : TLU_OK;
}

static tlu_status next_plain(struct row_reader *reader, const tlu_batch **batch, tlu_error *error)
{
    if (reader->held)
        reader_recycle(reader->plain, reader->held);
    reader->held = NULL;
    TRY(reader_next(reader->plain, &reader->held, error));
    const struct batch *held = reader->held;
    *batch = held ? &reader->batch : NULL;
    if (!held)
        return TLU_OK;
    TRY(enough_memory(memory_reserve(&reader->labels, &reader->labels_capacity, held->rows + 1,
                                     sizeof *reader->labels),
                      error));
    for (size_t i = 0; i < held->rows; i++)
        reader->labels[i] = held->labels[i] < schema_classes(&reader->grown)
                                ? reader->class_of[held->labels[i]]
                                : held->labels[i];
    reader->batch = (tlu_batch){.rows = held->rows,
                                .offsets = held->offsets,
                                .features = held->indices,
                                .values = held->ones ? NULL : held->values,
                                .labels = reader->labels,
                                .first_row = held->first_row};
    return TLU_OK;
}

tlu_status row_reader_next(struct row_reader *reader, const tlu_batch **batch, tlu_error *error)
{
    assert(reader->model ? reader->reader != NULL : reader->plain != NULL); // row_reader_begin
    return reader->model ? tlu_reader_next(reader->reader, batch, error)
                         : next_plain(reader, batch, error);
}

tlu_status row_reader_each(struct row_reader *reader, bool predict,
                           bool (*function)(void *context, const tlu_batch *batch), void *context,
                           tlu_error *error)
{
    const tlu_batch *batch = NULL;
    tlu_status status = row_reader_begin(reader, predict, error);
    do {
        if (status == TLU_OK)
            status = row_reader_next(reader, &batch, error);
        if (status == TLU_OK && batch)
            status = enough_memory(function(context, batch), error);
    } while (status == TLU_OK && batch);
    row_reader_end(reader);
    return status;
}

const tlu_predictions *row_reader_predictions(const struct row_reader *reader)
{
    return reader->model ? tlu_reader_predictions(reader->reader) : NULL;
}

uint64_t row_reader_line(const struct row_reader *reader, size_t row)
{
    return reader->model ? model_reader_line(reader->reader, row) : batch_line(reader->held, row);
}

void row_reader_end(struct row_reader *reader)
{
    batch_free(reader->held);
    reader_close(reader->plain);
    tlu_reader_close(reader->reader);
    reader->held = NULL;
    reader->plain = NULL;
    reader->reader = NULL;
}

void row_reader_close(struct row_reader *reader)
{
    row_reader_end(reader);
    schema_free(&reader->grown);
    memory_free(reader->labels);
    memory_free(reader->bytes);
}

// ---- names

size_t row_reader_classes(const struct row_reader *reader)
{
    return schema_classes(reader->schema);
}

const char *row_reader_label(const struct row_reader *reader, size_t class_index)
{
    assert(class_index < schema_classes(reader->schema));
    for (uint32_t c = 0; !reader->model && c < schema_classes(reader->schema); c++)
        if (reader->class_of[c] == class_index)
            return reader->schema->spelled[c];
    return reader->schema->spelled[class_index];
}
