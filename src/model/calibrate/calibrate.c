// Calibration by cross-validation: the model is trained on all rows, and the calibration is fitted
// to out-of-fold scores. For each of five folds, a training on the other four scores its rows. The
// rows are used in the order of the data, each with its weight. --class-weight is ignored here: it
// states which mistakes cost more, not how often a class occurs.
#include "model/calibrate/calibrate.h"
#include "base/memory.h"
#include "calibration/fit.h"
#include "learn/guard.h"
#include "model/score/score.h"

#include <string.h>

bool model_lacks_calibration(const tlu_model *model)
{
    return options_choice(model->state.options, OPTION_CALIBRATE) != CALIBRATE_NONE &&
           model->state.output.calibration.kind == CALIBRATE_NONE && !model->checkpoint.size &&
           strcmp(model->report.stopped, model_stopped_name(STOPPED_INTERRUPTED)) != 0 &&
           model->report.examples > 0;
}

// ---- before the training ----

tlu_status calibrator_open(struct calibrator *calibrator, struct training *training,
                           const tlu_options *options, tlu_error *error)
{
    struct row_source *row_source = &training->rows.row_source;
    uint64_t row;
    *calibrator = (struct calibrator){.path = training->rows.path, .reporter = training->reporter};
    if (!options || options_choice(options, OPTION_CALIBRATE) == CALIBRATE_NONE)
        return TLU_OK;
    if (row_source->next_rows && !row_source->again)
        return error_input(error, "--calibrate reads the rows several times, and next_rows returns "
                                  "them once; give them as rows or as a file");
    calibrator->technical = options_copy(options);
    TRY(enough_memory(calibrator->technical, error));
    TRY(split_spool(calibrator->path, row_source, &calibrator->bytes, error));
    TRY(split_open(calibrator->path, row_source, options, CALIBRATE_FOLDS, " of --calibrate",
                   &calibrator->split, error));
    if (!options_flag(options, OPTION_MULTILABEL) && split_has_single(calibrator->split, &row))
        return error_at(error, calibrator->path, 0, 0,
                        "row %llu is the only one of its class, and --calibrate needs two rows of "
                        "each class; add one, or leave --calibrate out",
                        (unsigned long long)row + 1);
    return TLU_OK;
}

void calibrator_close(struct calibrator *calibrator)
{
    tlu_split_free(calibrator->split);
    memory_free(calibrator->bytes);
    tlu_options_free(calibrator->technical);
}

// ---- the scores of a fold ----

struct fold_scores {
    const struct calibrator *calibrator;
    tlu_model *model;     // that is to be calibrated
    tlu_options *options; // of the folds
    size_t fold;          // from 0
    size_t columns;       // scores of a row
    double *scores;       // [rows][columns]
    uint32_t *class_of;   // [rows]; SCHEMA_NONE: it has no scores; --multilabel: 0
    uint8_t *members;     // [rows][columns] --multilabel: 1: the row has the label; else NULL
    double *weights;      // [rows]
    bool ended;           // early, by the user
};

static int tell(void *context, const tlu_progress *progress)
{
    struct fold_scores *g = context;
    const struct progress_reporter *reporter = &g->calibrator->reporter;
    tlu_progress now = *progress;
    now.fold = g->fold + 1;
    now.folds = CALIBRATE_FOLDS;
    g->ended = reporter->progress && reporter->progress(reporter->context, &now) != 0;
    return g->ended;
}

// The label or labels of row i of a batch, which has a number in the data.
static void take_labels(struct fold_scores *g, const struct batch *batch, size_t i, uint64_t row)
{
    if (!g->members || batch->labels[i] == TLU_NO_LABEL) {
        g->class_of[row] = batch->labels[i];
        return;
    }
    const uint32_t *set = batch_set(batch, i);
    g->class_of[row] = 0;
    for (uint32_t k = 1; k <= set[0]; k++)
        if (set[k] < g->columns)
            g->members[row * g->columns + set[k]] = 1;
}

// The first row of the batch has the number *row in the data, or follows it in the fold.
static tlu_status score_batch(struct fold_scores *g, const tlu_model *model,
                              const struct batch *batch, uint64_t *row,
                              struct score_scratch *scratch, double *scores, uint32_t *classes,
                              tlu_error *error)
{
    tlu_batch view = {.rows = batch->rows,
                      .offsets = batch->offsets,
                      .features = batch->indices,
                      .values = batch->ones ? NULL : batch->values,
                      .labels = batch->labels};
    struct predictions to = {classes, scores, NULL};
    TRY(enough_memory(model_predict_rows(model, &view, 0, batch->rows, &to, scratch), error));
    for (size_t i = 0; i < batch->rows; i++, ++*row) {
        while (tlu_split_row_part(g->calibrator->split, *row) != g->fold)
            ++*row;
        if (scratch->bad == i + 1)
            return error_at(error, g->calibrator->path, 0, 0, "row %llu: " GUARD_NO_SCORE,
                            (unsigned long long)*row + 1);
        memcpy(g->scores + *row * g->columns, scores + i * g->columns,
               g->columns * sizeof *g->scores);
        take_labels(g, batch, i, *row);
        g->weights[*row] = (double)batch_weight(batch, i);
    }
    return TLU_OK;
}

static tlu_status score_batches(struct fold_scores *g, const tlu_model *model,
                                struct reader *reader, tlu_error *error)
{
    struct score_scratch scratch = {0};
    double *scores = NULL;
    uint32_t *classes = NULL;
    size_t scores_capacity = 0, classes_capacity = 0;
    uint64_t row = 0;
    tlu_status status = TLU_OK;
    while (status == TLU_OK) {
        struct batch *batch;
        status = reader_next(reader, &batch, error);
        if (status != TLU_OK || !batch)
            break;
        bool fine = memory_reserve(&scores, &scores_capacity, batch->rows * g->columns + 1,
                                   sizeof *scores) &&
                    memory_reserve(&classes, &classes_capacity, batch->rows + 1, sizeof *classes);
        status = enough_memory(fine, error);
        if (fine)
            status = score_batch(g, model, batch, &row, &scratch, scores, classes, error);
        reader_recycle(reader, batch);
    }
    score_scratch_free(&scratch);
    memory_free(scores);
    memory_free(classes);
    return status;
}

static tlu_status score_fold(struct fold_scores *g, const tlu_model *model, tlu_error *error)
{
    struct reader *reader;
    struct row_source fold = split_row_source(g->calibrator->split, g->fold, false);
    if (schema_classes(&model->state.schema) != schema_classes(&g->model->state.schema))
        return error_at(error, g->calibrator->path, 0, 0,
                        "without a fold of the rows a class is missing; add rows of each class%s",
                        g->members ? ", or leave out labels with few rows" : "");
    TRY(reader_open_source(&reader, g->calibrator->path, &fold, g->options,
                           (struct schema *)&model->state.schema, error));
    tlu_status status = score_batches(g, model, reader, error);
    reader_close(reader);
    return status;
}

static tlu_status run_fold(struct fold_scores *g, tlu_error *error)
{
    tlu_model *model;
    struct training training = {
        .rows = {.path = g->calibrator->path,
                 .row_source = split_row_source(g->calibrator->split, g->fold, true)},
        .reporter = {.progress = tell, .context = g}};
    tlu_status status = model_train(&training, g->options, NULL, &model, error);
    if (g->ended && status == TLU_INTERRUPTED)
        status = TLU_OK;
    else if (!g->ended && status == TLU_OK)
        status = score_fold(g, model, error);
    tlu_model_free(model);
    return status;
}

// ---- all of them ----

// The model's own options, with the choices that were made from the data.
static tlu_status fold_options(struct fold_scores *g, tlu_error *error)
{
    g->options = options_copy(g->model->state.options);
    TRY(enough_memory(g->options, error));
    TRY(enough_memory(options_share_data(g->options, g->calibrator->technical), error));
    TRY(tlu_options_clear(g->options, tlu_option_at(OPTION_CALIBRATE)->name, error));
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (option_is_technical(i) && options_is_set(g->calibrator->technical, i))
            TRY(tlu_options_set(g->options, tlu_option_at(i)->name,
                                options_text(g->calibrator->technical, i), error));
    return TLU_OK;
}

static tlu_status fit(struct fold_scores *g, uint64_t rows, tlu_error *error)
{
    uint32_t classes = schema_classes(&g->model->state.schema);
    size_t count = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (g->class_of[i] >= classes)
            continue;
        memmove(g->scores + count * g->columns, g->scores + i * g->columns,
                g->columns * sizeof *g->scores);
        if (g->members)
            memmove(g->members + count * g->columns, g->members + i * g->columns, g->columns);
        g->class_of[count] = g->class_of[i];
        g->weights[count++] = g->weights[i];
    }
    struct scored_rows scored = {.count = count,
                                 .classes = classes,
                                 .positive = g->model->state.scheme.positive,
                                 .scores = g->scores,
                                 .class_of = g->class_of,
                                 .weights = g->weights,
                                 .members = g->members};
    return calibration_fit(&g->model->state.output.calibration,
                           options_choice(g->model->state.options, OPTION_CALIBRATE), &scored,
                           error);
}

static tlu_status gather(struct fold_scores *g, tlu_error *error)
{
    uint64_t rows = tlu_split_row_count(g->calibrator->split);
    TRY(fold_options(g, error));
    bool fits = rows <= SIZE_MAX / g->columns;
    g->scores = fits ? memory_new((size_t)rows * g->columns, sizeof *g->scores) : NULL;
    g->class_of = memory_new(rows, sizeof *g->class_of);
    g->weights = memory_new(rows, sizeof *g->weights);
    bool labels = g->model->state.schema.multilabel;
    if (labels && fits)
        g->members = memory_new((size_t)rows * g->columns, sizeof *g->members);
    TRY(enough_memory(g->scores && g->class_of && g->weights && (g->members || !labels), error));
    for (uint64_t i = 0; i < rows; i++)
        g->class_of[i] = SCHEMA_NONE;
    for (; g->fold < CALIBRATE_FOLDS && !g->ended; g->fold++)
        TRY(run_fold(g, error));
    return g->ended ? TLU_OK : fit(g, rows, error);
}

tlu_status calibrator_run(const struct calibrator *calibrator, tlu_model *model, tlu_error *error)
{
    if (!calibrator->split || !model_lacks_calibration(model))
        return TLU_OK;
    struct fold_scores gathering = {
        .calibrator = calibrator, .model = model, .columns = tlu_model_score_count(model)};
    tlu_status status = gather(&gathering, error);
    memory_free(gathering.scores);
    memory_free(gathering.class_of);
    memory_free(gathering.members);
    memory_free(gathering.weights);
    tlu_options_free(gathering.options);
    return status;
}

// ---- for a model that was interrupted before this ----

static tlu_status copy_model(const tlu_model *model, tlu_model **copy, tlu_error *error)
{
    void *bytes;
    size_t size;
    TRY(tlu_model_save_bytes(model, &bytes, &size, error));
    tlu_status status = tlu_model_load_bytes(bytes, size, copy, error);
    tlu_bytes_free(bytes);
    return status;
}

static tlu_status calibrate_copy(const struct calibrator *calibrator, const tlu_model *complete,
                                 tlu_model **model, tlu_error *error)
{
    uint64_t rows = tlu_split_row_count(calibrator->split);
    uint64_t learned = complete->report.examples + complete->report.held_out;
    if (rows != learned)
        return error_at(error, calibrator->path, 0, 0,
                        "has %llu rows, and the model was trained on %llu; give the data of "
                        "the training",
                        (unsigned long long)rows, (unsigned long long)learned);
    TRY(copy_model(complete, model, error));
    return calibrator_run(calibrator, *model, error);
}

tlu_status model_calibrate(struct training *training, const tlu_options *options,
                           const tlu_model *complete, tlu_model **model, tlu_error *error)
{
    struct calibrator calibrator;
    *model = NULL;
    tlu_status status = calibrator_open(&calibrator, training, options, error);
    if (status == TLU_OK)
        status = calibrate_copy(&calibrator, complete, model, error);
    calibrator_close(&calibrator);
    if (status == TLU_OK)
        return TLU_OK;
    tlu_model_free(*model);
    *model = NULL;
    return status;
}
