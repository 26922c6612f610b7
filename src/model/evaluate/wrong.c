#include "model/evaluate/internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void free_row(tlu_wrong_row *row)
{
    memory_free((void *)row->example.features);
    memory_free((void *)row->example.values);
    memory_free((void *)row->text);
}

void wrong_free(struct wrong_rows *wrong)
{
    for (size_t i = 0; i < wrong->count; i++)
        free_row(&wrong->rows[i]);
    memory_free(wrong->rows);
}

// ---- a heap: no row has a larger margin than the two below it ----

// Among equal margins, the later row is less.
static bool is_less(const tlu_wrong_row *a, const tlu_wrong_row *b)
{
    return a->margin != b->margin ? a->margin < b->margin : a->row > b->row;
}

static void swap(tlu_wrong_row *a, tlu_wrong_row *b)
{
    tlu_wrong_row kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(tlu_wrong_row *rows, size_t i)
{
    for (; i > 0 && is_less(&rows[i], &rows[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&rows[i], &rows[(i - 1) / 2]);
}

static void sink(tlu_wrong_row *rows, size_t count)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_less(&rows[child + 1], &rows[child]))
            child++;
        if (!is_less(&rows[child], &rows[i]))
            return;
        swap(&rows[child], &rows[i]);
    }
}

static int by_margin(const void *a, const void *b)
{
    return is_less(a, b) - is_less(b, a);
}

void wrong_sort(struct wrong_rows *wrong)
{
    if (wrong->count)
        qsort(wrong->rows, wrong->count, sizeof *wrong->rows, by_margin);
}

// ---- rows ----

static tlu_wrong_row describe(const tlu_model *model, const tlu_batch *batch,
                              const tlu_predictions *predictions, size_t i)
{
    const double *scores = predictions->scores + i * tlu_model_score_count(model);
    tlu_wrong_row row = {.row = batch->first_row + i + 1,
                         .label = batch->labels[i],
                         .predicted = predictions->classes[i],
                         .probability = NAN};
    size_t positive = tlu_model_positive_class(model);
    if (positive == TLU_NONE) {
        row.score = scores[row.predicted];
        row.margin = row.score - scores[row.label];
    } else { // below 0 if a threshold has decided
        row.score = row.margin = row.predicted == positive ? scores[0] : -scores[0];
    }
    return row;
}

static bool copy_example(tlu_wrong_row *row, const tlu_row *from)
{
    uint32_t *features = memory_new(from->count, sizeof *features);
    float *values = memory_new(from->count, sizeof *values);
    row->example = (tlu_row){from->count, features, values};
    for (size_t k = 0; features && values && k < from->count; k++) {
        features[k] = row_feature(from, k);
        values[k] = from->values ? from->values[k] : 1;
    }
    return features && values;
}

static bool copy_text(tlu_wrong_row *row, tlu_reader *reader, size_t i)
{
    const char *text = model_reader_text(reader, i, &row->text_size);
    row->text = text ? memory_copy_text(text, row->text_size) : NULL;
    return row->text || !text;
}

static tlu_status keep(struct wrong_rows *wrong, tlu_wrong_row *row, tlu_error *error)
{
    if (wrong->count == wrong->most) {
        free_row(&wrong->rows[0]);
        wrong->rows[0] = *row;
        sink(wrong->rows, wrong->count);
        return TLU_OK;
    }
    if (!memory_reserve(&wrong->rows, &wrong->capacity, wrong->count + 1, sizeof *wrong->rows)) {
        free_row(row);
        return error_memory(error);
    }
    wrong->rows[wrong->count++] = *row;
    rise(wrong->rows, wrong->count - 1);
    return TLU_OK;
}

static tlu_status complete(tlu_wrong_row *row, const tlu_model *model, tlu_reader *reader,
                           const tlu_batch *batch, const tlu_predictions *predictions, size_t i,
                           tlu_error *error)
{
    size_t classes = tlu_model_class_count(model);
    tlu_row example = tlu_batch_row(batch, i);
    double *probabilities = memory_new(classes, sizeof *probabilities);
    row->line = model_reader_line(reader, i);
    bool fine = probabilities && copy_example(row, &example) && copy_text(row, reader, i);
    if (fine && model_has_probabilities(model)) {
        model_probabilities(model, predictions->scores + i * tlu_model_score_count(model),
                            probabilities);
        row->probability = probabilities[row->predicted];
    }
    memory_free(probabilities);
    return enough_memory(fine, error);
}

tlu_status wrong_add(struct wrong_rows *wrong, const tlu_model *model, tlu_reader *reader,
                     const tlu_batch *batch, const tlu_predictions *predictions, tlu_error *error)
{
    for (size_t i = 0; wrong->most && i < batch->rows; i++) {
        if (batch->labels[i] >= TLU_UNKNOWN_LABEL || batch->labels[i] == predictions->classes[i])
            continue;
        tlu_wrong_row row = describe(model, batch, predictions, i);
        if (wrong->count == wrong->most && is_less(&row, &wrong->rows[0]))
            continue;
        tlu_status status = complete(&row, model, reader, batch, predictions, i, error);
        if (status != TLU_OK)
            free_row(&row);
        TRY(status);
        TRY(keep(wrong, &row, error));
    }
    return TLU_OK;
}
