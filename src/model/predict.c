// From a row to a class, and why.

#include "base/memory.h"
#include "data/reader.h"
#include "learn/guard.h"
#include "model/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t tlu_model_score_count(const tlu_model *model)
{
    return model->scheme == SCHEME_TWO ? 1 : schema_classes(&model->schema);
}

static size_t elect(const tlu_model *model, const double *columns, bool *ambiguous)
{
    return scheme_elect(model->scheme, columns, schema_classes(&model->schema), model->positive,
                        ambiguous);
}

static bool score_row(const tlu_model *model, const tlu_row *row, double *columns)
{
    if (model_is_quick(model))
        return model_scores(model, row, 1, columns, NULL);
    struct score_room room = {0};
    bool fine = model_scores(model, row, 1, columns, &room);
    score_room_free(&room);
    return fine;
}

size_t tlu_model_predict(const tlu_model *model, const tlu_row *row, double *scores)
{
    // Where the columns are not what users see, or memory is out, there is another way.
    double few[64];
    uint32_t columns = model->weights.columns;
    double *all = columns <= 64 ? few : memory_new(columns, sizeof *all);
    size_t winner = 0;
    if (all && score_row(model, row, all)) {
        winner = elect(model, all, NULL);
        model_user_scores(model, all, scores);
    } else { // the class that was met most, with no opinion on the scores
        memset(scores, 0, tlu_model_score_count(model) * sizeof *scores);
        for (size_t c = 1; c < schema_classes(&model->schema); c++)
            if (model->class_examples[c] > model->class_examples[winner])
                winner = c;
    }
    if (all != few)
        memory_free(all);
    return winner;
}

bool model_predict_rows(const struct tlu_model *model, const tlu_batch *batch, size_t first,
                        size_t last, const struct predictions *to, struct score_room *room)
{
    size_t columns = model->weights.columns, wide = tlu_model_score_count(model);
    if (columns > SIZE_MAX / PANEL_LANES ||
        !memory_reserve(&room->scores, &room->scores_capacity, columns * PANEL_LANES,
                        sizeof *room->scores))
        return false;
    room->bad = 0;
    for (size_t start = first; start < last; start += PANEL_LANES) {
        tlu_row rows[PANEL_LANES];
        size_t count = last - start < PANEL_LANES ? last - start : PANEL_LANES;
        for (size_t i = 0; i < count; i++)
            rows[i] = tlu_batch_row(batch, start + i);
        if (!model_scores(model, rows, count, room->scores, room))
            return false;
        for (size_t i = 0; i < count; i++) {
            bool unclear;
            const double *scores = room->scores + i * columns;
            if (!room->bad && !guard_finite(scores, columns))
                room->bad = start + i + 1;
            to->classes[start + i] = (uint32_t)elect(model, scores, &unclear);
            if (to->ambiguous)
                to->ambiguous[start + i] = unclear;
            if (to->scores)
                model_user_scores(model, scores, to->scores + (start + i) * wide);
        }
    }
    return true;
}

tlu_status tlu_model_predict_batch(const tlu_model *model, const tlu_batch *batch,
                                   uint32_t *classes, double *scores, char *ambiguous,
                                   tlu_error *error)
{
    struct score_room room = {0};
    struct predictions to = {classes, scores, ambiguous};
    bool fine = model_predict_rows(model, batch, 0, batch->rows, &to, &room);
    size_t bad = room.bad;
    score_room_free(&room);
    if (fine && bad)
        return error_input(error, "row %llu of the batch: " GUARD_NO_SCORE,
                           (unsigned long long)bad);
    return fine ? TLU_OK : error_memory(error);
}

size_t tlu_model_predict_named(const tlu_model *model, const tlu_feature *features, size_t count,
                               double *scores)
{
    uint32_t few_features[64], *numbers = few_features;
    float few_values[64], *values = few_values;
    if (count > 64) {
        numbers = memory_new(count, sizeof *numbers);
        values = memory_new(count, sizeof *values);
    }
    tlu_row row = {0, numbers, values};
    for (size_t i = 0; numbers && values && i < count; i++) {
        size_t feature = tlu_model_feature_find(model, features[i].name);
        if (feature != TLU_NONE && features[i].value != 0) {
            numbers[row.count] = (uint32_t)feature;
            values[row.count++] = (float)features[i].value;
        }
    }
    size_t winner = tlu_model_predict(model, &row, scores);
    if (count > 64) {
        memory_free(numbers);
        memory_free(values);
    }
    return winner;
}

tlu_status tlu_predict_line(const tlu_model *model, const char *line, const char **label,
                            double *scores, tlu_error *error)
{
    struct reader *reader;
    struct batch *batch = NULL;
    struct schema *schema = (struct schema *)&model->schema; // frozen: only looked at
    tlu_options *options = options_copy(model->options);
    if (!options)
        return error_memory(error);
    tlu_status status = tlu_options_set(options, "skip-bad", "no", error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "format", format_table[schema->format].name, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "header", "no", error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "delimiter", "", error);
    if (status == TLU_OK)
        status = reader_open_bytes(&reader, line, strlen(line), options, schema, error);
    tlu_options_free(options);
    if (status != TLU_OK)
        return status;
    status = reader_next(reader, &batch, error);
    if (status == TLU_OK && (!batch || batch->rows != 1))
        status = error_input(error, "expected one row of data, found %s",
                             batch && batch->rows ? "more" : "none");
    double *own_scores = NULL;
    if (status == TLU_OK && !scores) {
        scores = own_scores = memory_new(tlu_model_score_count(model), sizeof *scores);
        if (!scores)
            status = error_memory(error);
    }
    if (status == TLU_OK) {
        tlu_row row = batch_row(batch, 0);
        *label = tlu_model_class_label(model, tlu_model_predict(model, &row, scores));
        if (!guard_finite(scores, tlu_model_score_count(model)))
            status = error_input(error, GUARD_NO_SCORE);
    }
    memory_free(own_scores);
    batch_free(batch);
    reader_close(reader);
    return status;
}

// ---- explaining ----

// The strongest pushes so far, the strongest first.
struct strongest {
    tlu_push *pushes;
    size_t count, capacity;
};

static void offer(struct strongest *strongest, size_t feature, double value, double push)
{
    if (push == 0 || strongest->capacity == 0)
        return;
    size_t i = strongest->count;
    if (i == strongest->capacity) {
        if (fabs(push) <= fabs(strongest->pushes[i - 1].push))
            return;
        i--;
    } else {
        strongest->count++;
    }
    for (; i > 0 && fabs(push) > fabs(strongest->pushes[i - 1].push); i--)
        strongest->pushes[i] = strongest->pushes[i - 1];
    strongest->pushes[i] = (tlu_push){feature, value, push};
}

struct entry {
    uint32_t feature;
    float value;
};

static int by_feature(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->feature, y = ((const struct entry *)b)->feature;
    return (x > y) - (x < y);
}

// What is shifted pushes even where it is zero; the push is that of its distance from the mean. The
// row's entries in the order of their features are walked side by side with the shifted features.
// Without memory for that, each is looked for.
static void offer_shifted(struct strongest *strongest, const tlu_model *model, const tlu_row *row,
                          size_t class_index)
{
    const struct scaling *scaling = &model->scaling;
    struct entry *entries = memory_new(row->count, sizeof *entries); // [row->count]
    for (size_t i = 0; entries && i < row->count; i++)
        entries[i] = (struct entry){row_feature(row, i), row->values ? row->values[i] : 1};
    if (entries && row->count)
        qsort(entries, row->count, sizeof *entries, by_feature);
    for (size_t k = 0, i = 0; k < scaling->shifted_count; k++) {
        uint32_t f = scaling->shifted[k];
        double value = 0;
        if (!entries)
            i = 0;
        while (i < row->count && (entries ? entries[i].feature < f : row_feature(row, i) != f))
            i++;
        if (entries && i < row->count && entries[i].feature == f)
            value = (double)entries[i].value;
        else if (!entries && i < row->count)
            value = row->values ? (double)row->values[i] : 1;
        offer(strongest, f, value,
              tlu_model_strength(model, class_index, f) * (value - scaling->shift[f]) *
                  scaling->factor[f]);
    }
    memory_free(entries);
}

size_t tlu_model_explain(const tlu_model *model, const tlu_row *row, size_t class_index,
                         tlu_push *pushes, size_t capacity)
{
    struct strongest strongest = {pushes, 0, capacity};
    const struct scaling *scaling = &model->scaling;
    if (!tlu_model_has_weights(model))
        return 0;
    tlu_row ones = {row->count, row->features, NULL};
    if (options_flag(model->options, OPTION_BINARIZE))
        row = &ones;
    offer(&strongest, TLU_NONE, 1, model_decided_bias(model, class_index));
    if (scaling->shifted_count)
        offer_shifted(&strongest, model, row, class_index);
    for (size_t i = 0; i < row->count; i++) {
        uint32_t f = row_feature(row, i);
        double value = row->values ? (double)row->values[i] : 1;
        if (!scaling->shift || scaling->shift[f] == 0)
            offer(&strongest, f, value, tlu_model_weight(model, class_index, f) * value);
    }
    return strongest.count;
}
