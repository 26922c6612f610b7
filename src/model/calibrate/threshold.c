// Chooses a threshold on labelled rows for the caller's objective.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "calibration/threshold_search.h"
#include "input/reader.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define AIM_NAME(aim, name) [aim] = name,
static const char *const aims[] = {THRESHOLD_AIMS(AIM_NAME)};

struct found_rows {
    struct threshold_row *rows; // [count]
    size_t count, capacity;
    uint64_t positives;
};

static tlu_status read_objective(const tlu_threshold_settings *asked,
                                 struct threshold_objective *objective, tlu_error *error)
{
    size_t aim = 0;
    while (aim < sizeof aims / sizeof aims[0] &&
           (!asked->objective || strcmp(asked->objective, aims[aim])))
        aim++;
    if (aim == sizeof aims / sizeof aims[0])
        return error_input(error, "a threshold is for f1, precision, recall or cost, not '%.80s'",
                           asked->objective ? asked->objective : "");
    *objective =
        (struct threshold_objective){(enum threshold_aim)aim, asked->value,
                                     asked->false_positive_cost, asked->false_negative_cost};
    if ((aim == AIM_PRECISION || aim == AIM_RECALL) &&
        !(objective->value > 0 && objective->value <= 1))
        return error_input(error, "a %s is above 0 and at most 1, not %g", aims[aim],
                           objective->value);
    if (aim == AIM_COST && !(objective->false_positive >= 0 && objective->false_negative >= 0 &&
                             objective->false_positive + objective->false_negative > 0 &&
                             isfinite(objective->false_positive + objective->false_negative)))
        return error_input(error, "costs are numbers of 0 or more, one of them above 0");
    return TLU_OK;
}

static tlu_status read_rows(const tlu_model *model, tlu_reader *reader, struct found_rows *rows,
                            tlu_error *error)
{
    enum threshold_on on = model_threshold_kind(model);
    const tlu_batch *batch;
    TRY(tlu_reader_predict(reader, true, NULL, NULL, error));
    for (;;) {
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        TRY(enough_memory(memory_reserve(&rows->rows, &rows->capacity, rows->count + batch->rows,
                                         sizeof *rows->rows),
                          error));
        for (size_t i = 0; i < batch->rows; i++) {
            if (batch->labels[i] >= 2) // it has no label, or one that the model does not know
                continue;
            bool positive = batch->labels[i] == model->state.scheme.positive;
            double value = output_value(&model->state.output, on, predictions->scores[i]);
            rows->rows[rows->count++] = (struct threshold_row){value, positive};
            rows->positives += positive;
        }
    }
}

static tlu_status check_rows(const tlu_model *model, const char *path,
                             const struct found_rows *rows, tlu_error *error)
{
    char quoted[80];
    uint32_t positive = model->state.scheme.positive;
    if (rows->count == 0)
        return error_at(error, path, 0, 0, "has no rows with a label that the model knows");
    if (rows->positives != 0 && rows->positives != rows->count)
        return TLU_OK;
    const char *label = model->state.schema.spelled[rows->positives ? 1 - positive : positive];
    return error_at(error, path, 0, 0,
                    "has no row of class '%s': a threshold is found on rows of both classes",
                    error_quote(quoted, sizeof quoted, label, strlen(label)));
}

static tlu_status find(const tlu_model *model, const char *path, struct found_rows *rows,
                       const struct threshold_objective *objective, tlu_threshold *found,
                       tlu_error *error)
{
    struct threshold_found at;
    enum threshold_on on = model_threshold_kind(model);
    TRY(check_rows(model, path, rows, error));
    bool reached = threshold_search(rows->rows, rows->count, objective, &at);
    double precision = threshold_precision(&at), recall = threshold_recall(&at, rows->positives);
    if (!reached) // a recall of 1 can always be had
        return error_at(error, path, 0, 0,
                        "a precision of %g is out of reach: the best is %.6g, with a recall of "
                        "%.6g, at a threshold of %.6g on the %s; ask for less",
                        objective->value, precision, recall, at.threshold,
                        on == THRESHOLD_SCORE ? "score" : "probability");
    uint64_t negatives = rows->count - rows->positives;
    struct score_output output = model->state.output;
    output.threshold = (struct threshold){on, at.threshold};
    *found = (tlu_threshold){.threshold = at.threshold,
                             .score = output_limit(&output),
                             .on_probability = on == THRESHOLD_PROBABILITY,
                             .examples = rows->count,
                             .positives = rows->positives,
                             .predicted_positive = at.called,
                             .true_positives = at.right,
                             .precision = precision,
                             .recall = recall,
                             .f1 = threshold_f1(&at, rows->positives),
                             .cost = threshold_cost(&at, rows->positives, objective),
                             .accuracy = (double)(at.right + negatives - (at.called - at.right)) /
                                         (double)rows->count};
    return TLU_OK;
}

tlu_status tlu_threshold_find(const tlu_model *model, const tlu_threshold_settings *settings,
                              const tlu_options *options, tlu_threshold **threshold,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_threshold_settings own;
    struct threshold_objective objective;
    struct found_rows rows = {0};
    tlu_reader *reader;
    *threshold = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_threshold_settings", error));
    TRY(model_threshold_allowed(model, error));
    TRY(read_objective(&own, &objective, error));
    TRY(tlu_reader_open(model, own.path, options, &reader, error));
    tlu_threshold *found = memory_new(1, sizeof *found);
    tlu_status status = enough_memory(found, error);
    if (status == TLU_OK)
        status = read_rows(model, reader, &rows, error);
    if (status == TLU_OK)
        status = find(model, own.path, &rows, &objective, found, error);
    tlu_reader_close(reader);
    memory_free(rows.rows);
    if (status == TLU_OK)
        *threshold = found;
    else
        memory_free(found);
    return status;
}

void tlu_threshold_free(tlu_threshold *threshold)
{
    memory_free(threshold);
}
