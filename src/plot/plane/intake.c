#include "plot/plane/intake.h"
#include "base/memory.h"

#include <string.h>

tlu_status intake_open(struct intake *intake, const char *path, const tlu_options *options,
                       tlu_error *error)
{
    *intake = (struct intake){.path = path, .options = options};
    schema_init(&intake->grown);
    return split_spool(path, &intake->row_source, &intake->bytes, error);
}

// ---- without a model

static tlu_status open_plain(struct intake *intake, tlu_error *error)
{
    struct row_source row_source = intake->row_source;
    row_source.unlabelled = true;
    return reader_open_source(&intake->plain, intake->path, &row_source, intake->options,
                              &intake->grown, error);
}

static tlu_status read_all(struct intake *intake, tlu_error *error)
{
    struct batch *batch;
    do {
        TRY(reader_next(intake->plain, &batch, error));
        if (batch)
            reader_recycle(intake->plain, batch);
    } while (batch);
    return TLU_OK;
}

// The place of each class among the labels in their order, which is a model's.
static tlu_status sort_classes(struct intake *intake, tlu_error *error)
{
    const struct schema *schema = &intake->grown;
    uint32_t count = schema_classes(schema);
    intake->class_of = memory_new(count + 1, sizeof *intake->class_of);
    TRY(enough_memory(intake->class_of, error));
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t other = 0; other < count; other++)
            intake->class_of[c] +=
                schema_label_compare(schema->spelled[other], schema->spelled[c]) < 0;
    return TLU_OK;
}

tlu_status intake_use(struct intake *intake, const tlu_model *model, tlu_error *error)
{
    intake->model = model;
    intake->schema = model ? &model->schema : &intake->grown;
    if (model)
        return TLU_OK;
    tlu_status status = open_plain(intake, error);
    if (status == TLU_OK)
        status = read_all(intake, error);
    intake_end(intake);
    TRY(status);
    intake->grown.known = true;
    return sort_classes(intake, error);
}

// ---- rows

tlu_status intake_begin(struct intake *intake, bool predict, tlu_error *error)
{
    if (!intake->model)
        return open_plain(intake, error);
    TRY(model_read(intake->model, intake->path, &intake->row_source, intake->options,
                   &intake->reader, error));
    return predict ? tlu_reader_predict(intake->reader, 0, NULL, NULL, error) : TLU_OK;
}

static tlu_status next_plain(struct intake *intake, const tlu_batch **batch, tlu_error *error)
{
    if (intake->held)
        reader_recycle(intake->plain, intake->held);
    intake->held = NULL;
    TRY(reader_next(intake->plain, &intake->held, error));
    const struct batch *held = intake->held;
    *batch = held ? &intake->batch : NULL;
    if (!held)
        return TLU_OK;
    TRY(enough_memory(memory_reserve(&intake->labels, &intake->labels_capacity, held->rows + 1,
                                     sizeof *intake->labels),
                      error));
    for (size_t i = 0; i < held->rows; i++)
        intake->labels[i] = held->labels[i] < schema_classes(&intake->grown)
                                ? intake->class_of[held->labels[i]]
                                : held->labels[i];
    intake->batch = (tlu_batch){.rows = held->rows,
                                .offsets = held->offsets,
                                .features = held->indices,
                                .values = held->ones ? NULL : held->values,
                                .labels = intake->labels,
                                .first_row = held->first_row};
    return TLU_OK;
}

tlu_status intake_next(struct intake *intake, const tlu_batch **batch, tlu_error *error)
{
    return intake->model ? tlu_reader_next(intake->reader, batch, error)
                         : next_plain(intake, batch, error);
}

const tlu_predictions *intake_guesses(const struct intake *intake)
{
    return intake->model ? tlu_reader_predictions(intake->reader) : NULL;
}

uint64_t intake_line(const struct intake *intake, size_t row)
{
    return intake->model ? model_reader_line(intake->reader, row) : batch_line(intake->held, row);
}

void intake_end(struct intake *intake)
{
    batch_free(intake->held);
    reader_close(intake->plain);
    tlu_reader_close(intake->reader);
    intake->held = NULL;
    intake->plain = NULL;
    intake->reader = NULL;
}

void intake_close(struct intake *intake)
{
    intake_end(intake);
    schema_free(&intake->grown);
    memory_free(intake->class_of);
    memory_free(intake->labels);
    memory_free(intake->bytes);
}

// ---- names

size_t intake_classes(const struct intake *intake)
{
    return schema_classes(intake->schema);
}

const char *intake_label(const struct intake *intake, size_t class_index)
{
    for (uint32_t c = 0; !intake->model && c < schema_classes(intake->schema); c++)
        if (intake->class_of[c] == class_index)
            return intake->schema->spelled[c];
    return intake->schema->spelled[class_index];
}
