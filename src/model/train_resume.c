// Going on with a training that was interrupted (train/pause/pause.h).
#include "base/settings.h"
#include "data/given_rows.h"
#include "model/make.h"
#include "train/train.h"

#include <string.h>

int tlu_model_paused(const tlu_model *model, uint64_t *pass, uint64_t *examples)
{
    if (pass)
        *pass = model->pause ? model->pause->run.pass + 1 : 0;
    if (examples)
        *examples = model->pause ? model->pause->run.now.examples : 0;
    return model->pause != NULL;
}

// Why a model without a pause has none.
static tlu_status refuse(const tlu_model *model, tlu_error *error)
{
    if (strcmp(model->report.stopped, model_stopped_name(STOPPED_INTERRUPTED)) != 0)
        return error_input(error, "the model is complete: there is nothing to go on with");
    struct tlu_learner learner;
    tlu_status status = learner_init(&learner, model->options, error);
    const char *obstacle = status == TLU_OK ? pause_obstacle(&learner) : NULL;
    if (status == TLU_OK)
        status = error_input(error, "this training cannot go on and has to be started again: %s",
                             obstacle ? obstacle : "its state is not in the model");
    learner_free_parts(&learner);
    return status;
}

// The options of the run, with what may be another now.
static tlu_status merge_options(tlu_options *merged, const tlu_options *given,
                                const struct pause *pause, tlu_error *error)
{
    tlu_status status = TLU_OK;
    for (enum option i = 0; status == TLU_OK && i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = options_text(given, i);
        if (!options_is_set(given, i) || options_same(merged, given, i) ||
            options_is_auto(given, i))
            continue;
        if (i == OPTION_EPOCHS && options_count(given, i) <= pause->run.pass)
            status = error_input(
                error, "--epochs %s: the run that was interrupted is in pass %llu already", value,
                (unsigned long long)pause->run.pass + 1);
        else if (i == OPTION_EPOCHS || option_is_technical(i))
            status = tlu_options_set(merged, info->name, value, error);
        else
            status =
                error_input(error,
                            "--%s is '%.80s' in the run that was interrupted, and '%.80s' now: "
                            "leave it out, or start again without --resume",
                            info->name, options_text(merged, i), value);
    }
    return status;
}

static tlu_status train(const tlu_train_settings *settings, const tlu_options *options,
                        const struct pause *resume, tlu_model **model, tlu_error *error)
{
    struct training training = {.rows.path = settings->path};
    struct watcher *watcher = &training.watcher;
    watcher->progress = settings->progress;
    watcher->context = settings->progress_context;
    if (settings->checkpoint) {
        watcher->checkpoint = model_checkpoint;
        watcher->checkpoint_path = settings->checkpoint;
        watcher->checkpoint_seconds = settings->checkpoint_seconds;
    }
    if (settings->path)
        return model_train(&training, options, resume, model, error);
    struct given_rows given = {.path = settings->name ? settings->name : "rows",
                               .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                               .first = settings->rows,
                               .next = settings->next_rows,
                               .next_context = settings->next_context};
    training.rows.path = given.path;
    training.rows.excerpt.bring = given_rows_bring;
    training.rows.excerpt.bring_context = &given;
    tlu_status status = model_train(&training, options, resume, model, error);
    given_rows_free(&given);
    return status;
}

// A training that goes on from settings->resume, where `pause` says.
static tlu_status go_on_from(const struct pause *pause, const tlu_train_settings *settings,
                             const tlu_options *options, tlu_model **model, tlu_error *error)
{
    tlu_options *merged = options_copy(settings->resume->options);
    if (!merged)
        return error_memory(error);
    tlu_status status = options ? merge_options(merged, options, pause, error) : TLU_OK;
    if (status == TLU_OK)
        status = train(settings, merged, pause, model, error);
    tlu_options_free(merged);
    return status;
}

static tlu_status go_on(const tlu_train_settings *settings, const tlu_options *options,
                        tlu_model **model, tlu_error *error)
{
    const tlu_model *begun = settings->resume;
    const tlu_report *report = &begun->report;
    if (report->held_out_accuracy && !begun->recorded.held_by_class)
        return error_input(error, "this training cannot go on and has to be started again: it is "
                                  "of an earlier version, which held other rows out (--holdout)");
    if (begun->pause)
        return go_on_from(begun->pause, settings, options, model, error);
    uint64_t epochs = options && options_is_set(options, OPTION_EPOCHS)
                          ? options_count(options, OPTION_EPOCHS)
                          : 0;
    bool more =
        epochs > report->epochs && strcmp(report->stopped, model_stopped_name(STOPPED_EPOCHS)) == 0;
    if (!more)
        return refuse(begun, error);
    struct pause *pause;
    tlu_status status = pause_of_complete(begun, epochs, &pause, error);
    if (status == TLU_OK)
        status = go_on_from(pause, settings, options, model, error);
    pause_free(pause);
    return status;
}

tlu_status tlu_train_with(const tlu_train_settings *settings, const tlu_options *options,
                          tlu_model **model, tlu_error *error)
{
    tlu_train_settings own;
    *model = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_train_settings", error));
    if ((own.path != NULL) + (own.rows != NULL) + (own.next_rows != NULL) != 1)
        return error_input(error, "a training needs data: one of path, rows and next_rows");
    if (own.resume)
        return go_on(&own, options, model, error);
    return train(&own, options, NULL, model, error);
}

tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                     tlu_error *error)
{
    tlu_train_settings settings = {.size = sizeof settings, .path = path};
    return tlu_train_with(&settings, options, model, error);
}
