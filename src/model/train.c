// The public functions for training: from settings to a model.
#include "train/train.h"
#include "base/call/callback.h"
#include "base/settings.h"
#include "input/given_rows.h"
#include "model/calibrate/calibrate.h"
#include "model/make.h"

#include <string.h>

// Makes the model of a finished or interrupted training. If there is no memory for a checkpoint,
// the model has none.
static tlu_status make_run(struct training *t, tlu_model **model, tlu_error *error)
{
    if (t->outcome.stopped == STOPPED_INTERRUPTED && checkpoint_is_possible(t))
        checkpoint_pack(&t->outcome.checkpoint, t);
    TRY(training_conclude(t, error));
    return make_trained(model, t, &t->outcome, error);
}

tlu_status model_train(struct training *t, const tlu_options *options, struct checkpoint *resume,
                       tlu_model **model, tlu_error *error)
{
    struct calibrator calibrator;
    *model = NULL;
    tlu_status status = calibrator_open(&calibrator, t, options, error);
    if (status == TLU_OK)
        status = training_run(t, options, resume, error);
    if (status == TLU_OK)
        status = make_run(t, model, error);
    training_free(t);
    if (status == TLU_OK)
        status = calibrator_run(&calibrator, *model, error);
    calibrator_close(&calibrator);
    if (status == TLU_OK)
        return TLU_OK;
    tlu_model_free(*model);
    *model = NULL;
    return status;
}

// The training that the settings describe: on a file, on rows in memory, or on rows that a function
// provides. The rows must outlive it.
static struct training training_of(const tlu_train_settings *settings, struct given_rows *rows)
{
    struct training training = {.rows.path = settings->path};
    struct progress_reporter *reporter = &training.reporter;
    reporter->progress = settings->progress;
    reporter->context = settings->progress_context;
    if (settings->checkpoint) {
        reporter->checkpoint = model_checkpoint;
        reporter->checkpoint_path = settings->checkpoint;
        reporter->checkpoint_seconds = settings->checkpoint_seconds;
    }
    training.rows.factors = settings->weights;
    training.rows.factor_count = settings->weight_count;
    if (settings->bytes) {
        training.rows.path = rows->path;
        training.rows.row_source.bytes = settings->bytes;
        training.rows.row_source.size = settings->byte_count;
    } else if (!settings->path) {
        training.rows.path = rows->path;
        training.rows.row_source.next_rows = given_rows_next;
        training.rows.row_source.next_rows_context = rows;
        training.rows.row_source.again = settings->rows ? given_rows_again : NULL;
    }
    return training;
}

tlu_status tlu_train_with(const tlu_train_settings *settings, const tlu_options *options,
                          tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_train_settings own;
    struct callback rows, progress;
    *model = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_train_settings", error));
    CALLBACK(rows, rows, own.next_rows, own.next_context, caller);
    CALLBACK(progress, progress, own.progress, own.progress_context, caller);
    if ((own.path != NULL) + (own.rows != NULL) + (own.next_rows != NULL) + (own.bytes != NULL) !=
        1)
        return error_input(error, "a training needs data: one of path, rows, next_rows and bytes");
    if (own.weights && (own.rows || own.next_rows))
        return error_input(error, "the weights of rows in memory are in tlu_rows");
    if (own.weights && options && strcmp(tlu_options_get(options, "calibrate"), "none") != 0)
        return error_input(error, "weights of the rows of a file cannot be combined with "
                                  "calibrate, whose parts would not have them");
    struct resumption resumption = {0};
    tlu_status status = own.resume ? resume_begin(&resumption, own.resume, options, error) : TLU_OK;
    if (status == TLU_OK && own.resume)
        options = resumption.options;
    struct given_rows given = {.path = own.name ? own.name : "rows",
                               .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                               .multilabel = options && options_flag(options, OPTION_MULTILABEL),
                               .first = own.rows,
                               .next = own.next_rows,
                               .next_context = own.next_context};
    struct training training = training_of(&own, &given);
    if (status == TLU_OK && resumption.complete)
        status = model_calibrate(&training, options, resumption.complete, model, error);
    else if (status == TLU_OK)
        status = model_train(&training, options, resumption.checkpoint, model, error);
    given_rows_free(&given);
    resume_end(&resumption);
    return status;
}

tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_train_settings settings = {.size = sizeof settings, .path = path};
    return tlu_train_with(&settings, options, model, error);
}
