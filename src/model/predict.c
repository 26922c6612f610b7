// Predicts rows that a caller passes.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/hash.h"
#include "input/reader.h"
#include "learn/guard.h"
#include "model/caller_row.h"
#include "model/score/score.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t tlu_model_score_count(const tlu_model *model)
{
    return model->state.scheme.kind == SCHEME_TWO ? 1 : schema_classes(&model->state.schema);
}

struct election model_election(const tlu_model *model)
{
    return (struct election){.kind = model->state.scheme.kind,
                             .classes = schema_classes(&model->state.schema),
                             .positive = model->state.scheme.positive,
                             .tie = options_choice(model->state.options, OPTION_TIE)};
}

size_t model_elect(const tlu_model *model, const double *columns, bool *ambiguous)
{
    if (model->state.output.threshold.on != THRESHOLD_NONE) {
        if (ambiguous)
            *ambiguous = false;
        bool positive = output_is_positive(&model->state.output, columns[0]);
        return positive ? model->state.scheme.positive : 1 - model->state.scheme.positive;
    }
    const struct election election = model_election(model);
    return scheme_elect(&election, columns, ambiguous);
}

uint32_t model_labels(const tlu_model *model, const double *scores, uint32_t *classes,
                      uint32_t capacity)
{
    bool tie = tie_is_positive(options_choice(model->state.options, OPTION_TIE));
    uint32_t count = 0;
    for (uint32_t c = 0; c < schema_classes(&model->state.schema); c++) {
        if (!output_gives_label(&model->state.output, c, scores[c], tie))
            continue;
        if (count < capacity)
            classes[count] = c;
        count++;
    }
    return count;
}

size_t tlu_model_labels(const tlu_model *model, const double *scores, uint32_t *classes,
                        size_t capacity)
{
    FP_ENV_DEFAULT(caller);
    if (model->state.scheme.kind != SCHEME_MULTILABEL || !scores)
        return 0;
    return model_labels(model, scores, classes,
                        capacity < UINT32_MAX && classes ? (uint32_t)capacity : 0);
}

static bool score_row(const tlu_model *model, const tlu_row *row, double *columns)
{
    if (model_is_linear(model))
        return model_scores(model, row, 1, columns, NULL);
    struct score_scratch scratch = {0};
    bool fine = model_scores(model, row, 1, columns, &scratch);
    score_scratch_free(&scratch);
    return fine;
}

// `row` is valid.
static tlu_status predict_row(const tlu_model *model, const tlu_row *row, size_t *class_index,
                              double *scores, tlu_error *error)
{
    double few[64];
    uint32_t columns = model->state.weights.columns;
    double *all = columns <= 64 ? few : memory_new(columns, sizeof *all);
    bool scored = all && score_row(model, row, all);
    tlu_status status = scored ? TLU_OK : error_memory(error);
    // The scores of one versus one are votes, which are always finite.
    if (scored && model->state.scheme.kind != SCHEME_OVO && !guard_finite(all, columns))
        status = error_input(error, GUARD_NO_SCORE);
    if (status == TLU_OK)
        *class_index = model_elect(model, all, NULL);
    if (status == TLU_OK && scores)
        model_user_scores(model, all, scores);
    if (all != few)
        memory_free(all);
    return status;
}

tlu_status tlu_model_predict(const tlu_model *model, const tlu_row *given, size_t *class_index,
                             double *scores, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct caller_row row;
    *class_index = TLU_NONE;
    tlu_status status = caller_row_take(&row, given, schema_features(&model->state.schema), error);
    if (status == TLU_OK)
        status = predict_row(model, &row.row, class_index, scores, error);
    caller_row_free(&row);
    return status;
}

bool model_predict_rows(const struct tlu_model *model, const tlu_batch *batch, size_t first,
                        size_t last, const struct predictions *to, struct score_scratch *scratch)
{
    size_t columns = model->state.weights.columns, wide = tlu_model_score_count(model);
    size_t most = columns > 16 ? PANEL_LANES : SCORE_ROWS;
    if (columns > SIZE_MAX / most || !memory_reserve(&scratch->scores, &scratch->scores_capacity,
                                                     columns * most, sizeof *scratch->scores))
        return false;
    assert(first <= last && last <= batch->rows);
    scratch->bad = 0;
    for (size_t start = first; start < last; start += most) {
        tlu_row rows[SCORE_ROWS];
        size_t count = last - start < most ? last - start : most;
        for (size_t i = 0; i < count; i++)
            rows[i] = tlu_batch_row(batch, start + i);
        if (!model_scores(model, rows, count, scratch->scores, scratch))
            return false;
        for (size_t i = 0; i < count; i++) {
            bool unclear;
            const double *scores = scratch->scores + i * columns;
            if (!scratch->bad && !guard_finite(scores, columns))
                scratch->bad = start + i + 1;
            to->classes[start + i] = (uint32_t)model_elect(model, scores, &unclear);
            if (to->ambiguous)
                to->ambiguous[start + i] = unclear;
            if (to->scores)
                model_user_scores(model, scores, to->scores + (start + i) * wide);
        }
    }
    return true;
}

tlu_status tlu_model_predict_batch(const tlu_model *model, const tlu_batch *given,
                                   uint32_t *classes, double *scores, char *ambiguous,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct caller_batch batch;
    struct predictions to = {classes, scores, ambiguous};
    struct score_scratch scratch = {0};
    tlu_status status =
        caller_batch_take(&batch, given, schema_features(&model->state.schema), error);
    if (status == TLU_OK && given->rows)
        status = check_given(classes != NULL, "array of classes", error);
    if (status == TLU_OK)
        status = enough_memory(
            model_predict_rows(model, &batch.batch, 0, batch.batch.rows, &to, &scratch), error);
    if (status == TLU_OK && scratch.bad)
        status = error_input(error, "row %llu of the batch: " GUARD_NO_SCORE,
                             (unsigned long long)scratch.bad);
    score_scratch_free(&scratch);
    caller_batch_free(&batch);
    return status;
}

// ---- features by name ----

struct named { // a feature of the model
    uint32_t feature;
    const char *name;
};

static int by_feature(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return strcmp(x->name, y->name);
}

// The name of a feature that occurs twice, or NULL. With --hash, two names may share a feature.
static const char *find_repeat(const tlu_model *model, struct named *named, size_t count)
{
    bool ascending = true;
    for (size_t i = 1; i < count; i++)
        ascending &= named[i - 1].feature < named[i].feature;
    if (ascending)
        return NULL;
    qsort(named, count, sizeof *named, by_feature);
    for (size_t i = 1; i < count; i++)
        if (named[i].feature == named[i - 1].feature &&
            (!model->state.schema.slots.bits || strcmp(named[i].name, named[i - 1].name) == 0))
            return named[i].name;
    return NULL;
}

static tlu_status check_named(const tlu_feature *feature, size_t index, tlu_error *error)
{
    char quoted[80];
    if (!feature->name)
        return error_input(error, "feature %zu of the row has no name", index + 1);
    if (!isfinite((float)feature->value))
        return error_input(
            error, "the value of feature '%s' is not a finite number",
            error_quote(quoted, sizeof quoted, feature->name, strlen(feature->name)));
    return TLU_OK;
}

// The values of names that share a feature are added up, as in files.
static tlu_status fold(uint32_t *numbers, float *values, size_t *count, tlu_error *error)
{
    struct batch *scratch = batch_new();
    bool fine = scratch && hash_fold_row(scratch, numbers, values, count);
    batch_free(scratch);
    return enough_memory(fine, error);
}

// Fills numbers and values with the features that the model knows; row->count is how many.
static tlu_status take_named(const tlu_model *model, const tlu_feature *features, size_t count,
                             struct named *named, tlu_row *row, uint32_t *numbers, float *values,
                             tlu_error *error)
{
    char quoted[80];
    size_t known = 0;
    TRY(check_given(features || !count, "array of features", error));
    TRY(enough_memory(named && numbers && values, error));
    for (size_t i = 0; i < count; i++) {
        TRY(check_named(&features[i], i, error));
        size_t feature = tlu_model_feature_find(model, features[i].name);
        if (feature == TLU_NONE)
            continue;
        named[known++] = (struct named){(uint32_t)feature, features[i].name};
        if (features[i].value != 0) {
            numbers[row->count] = (uint32_t)feature;
            values[row->count++] = (float)features[i].value;
        }
    }
    const char *twice = find_repeat(model, named, known);
    if (twice)
        return error_input(error, "feature '%s' occurs twice in the row; give it once",
                           error_quote(quoted, sizeof quoted, twice, strlen(twice)));
    *row = (tlu_row){row->count, numbers, values};
    return model->state.schema.slots.bits ? fold(numbers, values, &row->count, error) : TLU_OK;
}

tlu_status tlu_model_predict_named(const tlu_model *model, const tlu_feature *features,
                                   size_t count, size_t *class_index, double *scores,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    enum { FEW = 64 };
    uint32_t few_numbers[FEW], *numbers = few_numbers;
    float few_values[FEW], *values = few_values;
    struct named few_named[FEW], *named = few_named;
    tlu_row row = {0};
    *class_index = TLU_NONE;
    if (count > FEW) {
        numbers = memory_new(count, sizeof *numbers);
        values = memory_new(count, sizeof *values);
        named = memory_new(count, sizeof *named);
    }
    tlu_status status = take_named(model, features, count, named, &row, numbers, values, error);
    if (status == TLU_OK)
        status = predict_row(model, &row, class_index, scores, error);
    if (count > FEW) {
        memory_free(numbers);
        memory_free(values);
        memory_free(named);
    }
    return status;
}

// The row is in the format of the model's data, whatever its options say about other files.
static tlu_status open_line(struct reader **reader, const tlu_model *model, const char *line,
                            tlu_error *error)
{
    struct schema *schema = (struct schema *)&model->state.schema; // frozen: it is not changed
    const char *const settings[][2] = {{"skip-bad", "no"},
                                       {"format", format_table[schema->format].name},
                                       {"header", "no"},
                                       {"delimiter", ""}};
    tlu_options *options = options_copy(model->state.options);
    tlu_status status = enough_memory(options, error);
    for (size_t i = 0; status == TLU_OK && i < sizeof settings / sizeof settings[0]; i++)
        status = tlu_options_set(options, settings[i][0], settings[i][1], error);
    if (status == TLU_OK)
        status = reader_open_frozen(reader, line, strlen(line), options, schema, error);
    tlu_options_free(options);
    return status;
}

// Predicts the one row of the reader.
static tlu_status predict_next(struct reader *reader, const tlu_model *model, struct batch **batch,
                               const char **label, double *scores, tlu_error *error)
{
    size_t class_index;
    TRY(reader_next(reader, batch, error));
    if (!*batch || (*batch)->rows != 1)
        return error_input(error, "expected one row of data, found %s",
                           *batch && (*batch)->rows ? "more" : "none");
    tlu_row row = batch_row(*batch, 0);
    TRY(predict_row(model, &row, &class_index, scores, error));
    *label = tlu_model_class_label(model, class_index);
    return TLU_OK;
}

tlu_status tlu_model_predict_line(const tlu_model *model, const char *line, const char **label,
                                  double *scores, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct reader *reader;
    struct batch *batch = NULL;
    TRY(check_given(line != NULL, "line", error));
    TRY(open_line(&reader, model, line, error));
    tlu_status status = predict_next(reader, model, &batch, label, scores, error);
    batch_free(batch);
    reader_close(reader);
    return status;
}
