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
        return error_at(error, path, 0, 0,
                        "has no rows with a label that the model knows; give rows of its classes");
    if (rows->positives != 0 && rows->positives != rows->count)
        return TLU_OK;
    const char *label = model->state.schema.spelled[rows->positives ? 1 - positive : positive];
    return error_at(error, path, 0, 0, "has no row of class '%s'; give rows of both classes",
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

// ---- --multilabel: a threshold per label ----

// The values of all labels, and which rows have them.
struct label_values {
    size_t rows, classes;
    double *values;   // [rows][classes] scores or probabilities
    uint8_t *members; // [rows][classes]
    size_t values_capacity, members_capacity;
};

static bool add_label_row(const tlu_model *model, struct label_values *all, const uint32_t *set,
                          const double *scores)
{
    size_t start = all->rows * all->classes, end = start + all->classes;
    if (!memory_reserve(&all->values, &all->values_capacity, end, sizeof *all->values) ||
        !memory_reserve(&all->members, &all->members_capacity, end, sizeof *all->members))
        return false;
    memset(all->members + start, 0, all->classes);
    for (uint32_t c = 0; c < all->classes; c++)
        all->values[start + c] =
            output_label_value(&model->state.output, model_threshold_kind(model), c, scores[c]);
    for (uint32_t k = 1; k <= set[0]; k++)
        if (set[k] < all->classes)
            all->members[start + set[k]] = 1;
    all->rows++;
    return true;
}

static tlu_status read_labels(const tlu_model *model, tlu_reader *reader, const char *path,
                              struct label_values *all, tlu_error *error)
{
    const tlu_batch *batch;
    all->classes = schema_classes(&model->state.schema);
    TRY(tlu_reader_predict(reader, true, NULL, NULL, error));
    for (;;) {
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            break;
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        for (size_t i = 0; i < batch->rows; i++) {
            const uint32_t *set = model_reader_set(reader, i);
            const double *scores = predictions->scores + i * all->classes;
            TRY(enough_memory(!set || add_label_row(model, all, set, scores), error));
        }
    }
    return all->rows ? TLU_OK
                     : error_at(error, path, 0, 0,
                                "has no labelled rows; a threshold is found on rows with labels");
}

// The threshold of label c; `rows` is scratch, [all->rows].
static tlu_label_threshold find_label(const struct label_values *all, uint32_t c,
                                      enum threshold_on on,
                                      const struct threshold_objective *objective,
                                      struct threshold_row *rows)
{
    tlu_label_threshold found = {.threshold = output_usual_threshold(on)};
    struct threshold_found at = {0};
    for (size_t i = 0; i < all->rows; i++) {
        size_t cell = i * all->classes + c;
        rows[i] = (struct threshold_row){all->values[cell], all->members[cell]};
        found.positives += rows[i].positive;
    }
    if (found.positives > 0 && found.positives < all->rows) {
        found.found = threshold_search(rows, all->rows, objective, &at) ? 1 : -1;
        found.threshold = at.threshold;
    } else {
        for (size_t i = 0; i < all->rows; i++) {
            at.called += rows[i].value >= found.threshold;
            at.right += rows[i].value >= found.threshold && rows[i].positive;
        }
    }
    found.predicted_positive = at.called;
    found.true_positives = at.right;
    found.precision = at.called ? threshold_precision(&at) : 0;
    found.recall = found.positives ? threshold_recall(&at, found.positives) : 0;
    found.f1 = found.positives + at.called ? threshold_f1(&at, found.positives) : 0;
    return found;
}

static tlu_status find_labels(const tlu_model *model, const struct label_values *all,
                              const struct threshold_objective *objective, tlu_threshold *found,
                              tlu_error *error)
{
    enum threshold_on on = model_threshold_kind(model);
    struct threshold_row *rows = memory_new(all->rows, sizeof *rows);
    tlu_label_threshold *labels = memory_new(all->classes, sizeof *labels);
    found->labels = labels;
    found->label_count = labels ? all->classes : 0;
    for (uint32_t c = 0; rows && c < found->label_count; c++) {
        labels[c] = find_label(all, c, on, objective, rows);
        found->positives += labels[c].positives;
        found->predicted_positive += labels[c].predicted_positive;
        found->true_positives += labels[c].true_positives;
    }
    bool fine = rows && labels;
    memory_free(rows);
    TRY(enough_memory(fine, error));
    struct threshold_found sum = {0, found->predicted_positive, found->true_positives};
    double cells = (double)all->rows * (double)all->classes;
    uint64_t wrong = found->predicted_positive + found->positives - 2 * found->true_positives;
    found->threshold = found->score = NAN;
    found->on_probability = on == THRESHOLD_PROBABILITY;
    found->examples = all->rows;
    found->precision = sum.called ? threshold_precision(&sum) : 0;
    found->recall = found->positives ? threshold_recall(&sum, found->positives) : 0;
    found->f1 = found->positives + sum.called ? threshold_f1(&sum, found->positives) : 0;
    found->cost = threshold_cost(&sum, found->positives, objective);
    found->accuracy = 1 - (double)wrong / cells;
    return TLU_OK;
}

static tlu_status find_for_labels(const tlu_model *model, tlu_reader *reader, const char *path,
                                  const struct threshold_objective *objective, tlu_threshold *found,
                                  tlu_error *error)
{
    struct label_values all = {0};
    tlu_status status = read_labels(model, reader, path, &all, error);
    if (status == TLU_OK)
        status = find_labels(model, &all, objective, found, error);
    memory_free(all.values);
    memory_free(all.members);
    return status;
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
    bool labels = model->state.schema.multilabel;
    if (status == TLU_OK && labels)
        status = find_for_labels(model, reader, own.path, &objective, found, error);
    else if (status == TLU_OK)
        status = read_rows(model, reader, &rows, error);
    if (status == TLU_OK && !labels)
        status = find(model, own.path, &rows, &objective, found, error);
    tlu_reader_close(reader);
    memory_free(rows.rows);
    if (status == TLU_OK)
        *threshold = found;
    else
        tlu_threshold_free(found);
    return status;
}

void tlu_threshold_free(tlu_threshold *threshold)
{
    if (threshold)
        memory_free((void *)threshold->labels);
    memory_free(threshold);
}
