// From a row to a class.
#include "base/memory.h"
#include "data/reader.h"
#include "learn/guard.h"
#include "model/score/score.h"

#include <string.h>

size_t tlu_model_score_count(const tlu_model *model)
{
    return model->scheme == SCHEME_TWO ? 1 : schema_classes(&model->schema);
}

size_t model_elect(const tlu_model *model, const double *columns, bool *ambiguous)
{
    if (model->readout.threshold.on != THRESHOLD_NONE) {
        if (ambiguous)
            *ambiguous = false;
        bool positive = readout_is_positive(&model->readout, columns[0]);
        return positive ? model->positive : 1 - model->positive;
    }
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
    double few[64];
    uint32_t columns = model->weights.columns;
    double *all = columns <= 64 ? few : memory_new(columns, sizeof *all);
    size_t winner = 0;
    if (all && score_row(model, row, all)) {
        winner = model_elect(model, all, NULL);
        model_user_scores(model, all, scores);
    } else { // out of memory: the class that was met most, with no opinion on the scores
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
    size_t most = columns > 16 ? PANEL_LANES : SCORE_ROWS;
    if (columns > SIZE_MAX / most || !memory_reserve(&room->scores, &room->scores_capacity,
                                                     columns * most, sizeof *room->scores))
        return false;
    room->bad = 0;
    for (size_t start = first; start < last; start += most) {
        tlu_row rows[SCORE_ROWS];
        size_t count = last - start < most ? last - start : most;
        for (size_t i = 0; i < count; i++)
            rows[i] = tlu_batch_row(batch, start + i);
        if (!model_scores(model, rows, count, room->scores, room))
            return false;
        for (size_t i = 0; i < count; i++) {
            bool unclear;
            const double *scores = room->scores + i * columns;
            if (!room->bad && !guard_finite(scores, columns))
                room->bad = start + i + 1;
            to->classes[start + i] = (uint32_t)model_elect(model, scores, &unclear);
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

// The row as the model's data is written, no matter what its options say about other files.
static tlu_status set_line_options(tlu_options *options, const struct schema *schema,
                                   tlu_error *error)
{
    TRY(tlu_options_set(options, "skip-bad", "no", error));
    TRY(tlu_options_set(options, "format", format_table[schema->format].name, error));
    TRY(tlu_options_set(options, "header", "no", error));
    return tlu_options_set(options, "delimiter", "", error);
}

static tlu_status open_line(struct reader **reader, const tlu_model *model, const char *line,
                            tlu_error *error)
{
    struct schema *schema = (struct schema *)&model->schema; // frozen: only looked at
    tlu_options *options = options_copy(model->options);
    if (!options)
        return error_memory(error);
    tlu_status status = set_line_options(options, schema, error);
    if (status == TLU_OK)
        status = reader_open_bytes(reader, line, strlen(line), options, schema, error);
    tlu_options_free(options);
    return status;
}

static tlu_status predict_first(const tlu_model *model, const struct batch *batch,
                                const char **label, double *scores, tlu_error *error)
{
    tlu_row row = batch_row(batch, 0);
    *label = tlu_model_class_label(model, tlu_model_predict(model, &row, scores));
    if (!guard_finite(scores, tlu_model_score_count(model)))
        return error_input(error, GUARD_NO_SCORE);
    return TLU_OK;
}

// The one row of the reader.
static tlu_status predict_next(struct reader *reader, const tlu_model *model, struct batch **batch,
                               const char **label, double *scores, tlu_error *error)
{
    TRY(reader_next(reader, batch, error));
    if (!*batch || (*batch)->rows != 1)
        return error_input(error, "expected one row of data, found %s",
                           *batch && (*batch)->rows ? "more" : "none");
    if (scores)
        return predict_first(model, *batch, label, scores, error);
    scores = memory_new(tlu_model_score_count(model), sizeof *scores);
    if (!scores)
        return error_memory(error);
    tlu_status status = predict_first(model, *batch, label, scores, error);
    memory_free(scores);
    return status;
}

tlu_status tlu_predict_line(const tlu_model *model, const char *line, const char **label,
                            double *scores, tlu_error *error)
{
    struct reader *reader;
    struct batch *batch = NULL;
    TRY(open_line(&reader, model, line, error));
    tlu_status status = predict_next(reader, model, &batch, label, scores, error);
    batch_free(batch);
    reader_close(reader);
    return status;
}
