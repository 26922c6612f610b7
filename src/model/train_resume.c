// Going on with a training that was interrupted (learn/pause.h).
#include "learn/train.h"
#include "model/model.h"

#include <string.h>

int tlu_model_paused(const tlu_model *model, uint64_t *pass, uint64_t *examples)
{
    if (pass)
        *pass = model->pause ? model->pause->pass + 1 : 0;
    if (examples)
        *examples = model->pause ? model->pause->examples : 0;
    return model->pause != NULL;
}

// Why a model without a pause has none.
static tlu_status refuse(const tlu_model *model, tlu_error *error)
{
    if (strcmp(model->report.stopped, model_stopped_names[STOPPED_INTERRUPTED]) != 0)
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
        if (!options_is_set(given, i) || options_same(merged, given, i))
            continue;
        if (i == OPTION_EPOCHS && options_count(given, i) <= pause->pass)
            status = error_input(
                error, "--epochs %s: the run that was interrupted is in pass %llu already", value,
                (unsigned long long)pause->pass + 1);
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

tlu_status tlu_train_resume(const char *path, const tlu_model *model, const tlu_options *options,
                            tlu_progress_function progress, void *context, tlu_model **out,
                            tlu_error *error)
{
    *out = NULL;
    if (!model->pause)
        return refuse(model, error);
    tlu_options *merged = options_copy(model->options);
    if (!merged)
        return error_memory(error);
    tlu_status status = options ? merge_options(merged, options, model->pause, error) : TLU_OK;
    if (status == TLU_OK) {
        struct training training = {
            .path = path, .progress = progress, .context = context, .resume = model->pause};
        status = model_train(&training, merged, out, error);
    }
    tlu_options_free(merged);
    return status;
}
