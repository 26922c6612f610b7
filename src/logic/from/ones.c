#include "logic/from/from.h"

#include "base/error.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <string.h>

void ones_free(struct ones *rows)
{
    memory_free(rows->end);
    memory_free(rows->features);
    memory_free(rows->said);
}

static tlu_status refuse_value(const tlu_model *model, const char *path, uint64_t line,
                               uint32_t feature, float value, tlu_error *error)
{
    char name[128], shown[100], number[32];
    tlu_model_feature_name(model, feature, name, sizeof name);
    number_print_float(number, value);
    return error_at(error, path, line, 0,
                    "the feature '%s' is %s, and the inputs of a threshold unit are 0 or 1",
                    error_quote(shown, sizeof shown, name, strlen(name)), number);
}

static tlu_status add_batch(struct ones *rows, const tlu_model *model, const char *path,
                            const tlu_reader *reader, const tlu_batch *batch, tlu_error *error)
{
    const tlu_predictions *guesses = tlu_reader_predictions(reader);
    size_t used = rows->count ? rows->end[rows->count - 1] : 0;
    size_t most = used + (batch->offsets[batch->rows] - batch->offsets[0]);
    if (!memory_reserve(&rows->end, &rows->end_capacity, rows->count + batch->rows,
                        sizeof *rows->end) ||
        !memory_reserve(&rows->said, &rows->said_capacity, rows->count + batch->rows,
                        sizeof *rows->said) ||
        !memory_reserve(&rows->features, &rows->features_capacity, most, sizeof *rows->features))
        return error_memory(error);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        for (size_t j = 0; j < row.count; j++) {
            float value = row.values ? row.values[j] : 1;
            if (value != 0 && value != 1)
                return refuse_value(model, path, model_reader_line(reader, i), row.features[j],
                                    value, error);
            if (value == 1)
                rows->features[used++] = row.features[j];
        }
        rows->said[rows->count] = guesses->classes[i];
        rows->end[rows->count++] = used;
    }
    return TLU_OK;
}

tlu_status ones_read(struct ones *rows, const tlu_model *model, const char *path,
                     const tlu_options *options, tlu_error *error)
{
    tlu_reader *reader;
    const tlu_batch *batch;
    TRY(tlu_reader_open(model, path, options, &reader, error));
    tlu_status status = tlu_reader_predict(reader, 0, NULL, NULL, error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch)
        status = add_batch(rows, model, path, reader, batch, error);
    tlu_reader_close(reader);
    if (status == TLU_OK && rows->count == 0)
        return error_at(error, path, 0, 0, "no rows to check with");
    return status;
}
