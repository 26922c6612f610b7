// Training, from its settings to its model: the way in.
#include "train/train.h"
#include "base/call/callback.h"
#include "base/settings.h"
#include "input/given_rows.h"
#include "model/calibrate/calibrate.h"
#include "model/make.h"

// Without the memory for a checkpoint there is still the model so far.
static tlu_status run_and_make(struct training *t, const tlu_options *options,
                               struct checkpoint *resume, tlu_model **model, tlu_error *error)
{
    TRY(resume ? training_resume(t, resume, options, error) : training_run(t, options, error));
    if (t->outcome.stopped == STOPPED_INTERRUPTED && checkpoint_is_possible(t))
        checkpoint_take(&t->outcome.checkpoint, t);
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
        status = run_and_make(t, options, resume, model, error);
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

static tlu_status begin(struct training *t, const tlu_options *options,
                        const struct resumption *resumption, tlu_model **model, tlu_error *error)
{
    if (resumption && resumption->complete)
        return model_calibrate(t, options, resumption->complete, model, error);
    return model_train(t, options, resumption ? resumption->checkpoint : NULL, model, error);
}

// What is asked for is learned from a file, from rows in memory, or from rows that a function
// brings.
static tlu_status train_on(const tlu_train_settings *settings, const tlu_options *options,
                           const struct resumption *resumption, tlu_model **model, tlu_error *error)
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
    if (settings->path)
        return begin(&training, options, resumption, model, error);
    struct given_rows given = {.path = settings->name ? settings->name : "rows",
                               .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                               .first = settings->rows,
                               .next = settings->next_rows,
                               .next_context = settings->next_context};
    training.rows.path = given.path;
    training.rows.row_source.next_rows = given_rows_next;
    training.rows.row_source.next_rows_context = &given;
    training.rows.row_source.again = settings->rows ? given_rows_again : NULL;
    tlu_status status = begin(&training, options, resumption, model, error);
    given_rows_free(&given);
    return status;
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
    if ((own.path != NULL) + (own.rows != NULL) + (own.next_rows != NULL) != 1)
        return error_input(error, "a training needs data: one of path, rows and next_rows");
    if (!own.resume)
        return train_on(&own, options, NULL, model, error);
    struct resumption resumption;
    tlu_status status = resume_begin(&resumption, own.resume, options, error);
    if (status == TLU_OK)
        status = train_on(&own, resumption.options, &resumption, model, error);
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
