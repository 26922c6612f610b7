// Going on with a training that was interrupted (train/checkpoint/checkpoint.h).
#include "model/calibrate/calibrate.h"
#include "model/make.h"
#include "train/train.h"

#include <string.h>

int tlu_model_paused(const tlu_model *model, uint64_t *pass, uint64_t *examples)
{
    bool lacks = model_lacks_calibration(model);
    if (pass)
        *pass = model->checkpoint.size ? model->checkpoint.pass + 1
                : lacks                ? model->report.epochs
                                       : 0;
    if (examples)
        *examples = model->checkpoint.size ? model->checkpoint.examples
                    : lacks                ? model->report.examples
                                           : 0;
    return model->checkpoint.size || lacks;
}

// Why a model without a checkpoint has none.
static tlu_status refuse(const tlu_model *model, tlu_error *error)
{
    if (strcmp(model->report.stopped, model_stopped_name(STOPPED_INTERRUPTED)) != 0)
        return error_input(error, "the model is complete: there is nothing to go on with");
    struct tlu_learner learner;
    tlu_status status = learner_init(&learner, model->options, error);
    const char *obstacle = status == TLU_OK ? checkpoint_obstacle(&learner) : NULL;
    if (status == TLU_OK)
        status = error_input(error, "this training cannot go on and has to be started again: %s",
                             obstacle ? obstacle : "its state is not in the model");
    learner_free_parts(&learner);
    return status;
}

// Takes over what may be another now.
static tlu_status merge_option(tlu_options *merged, const tlu_options *given, enum option i,
                               const struct checkpoint *checkpoint, tlu_error *error)
{
    const tlu_option_info *info = tlu_option_at(i);
    const char *value = options_text(given, i);
    if (i == OPTION_EPOCHS && checkpoint && options_count(given, i) <= checkpoint->run.pass)
        return error_input(error,
                           "--epochs %s: the run that was interrupted is in pass %llu already",
                           value, (unsigned long long)checkpoint->run.pass + 1);
    if ((i == OPTION_EPOCHS && checkpoint) || option_is_technical(i))
        return tlu_options_set(merged, info->name, value, error);
    return error_input(error,
                       "--%s is '%.80s' in the run that was interrupted, and '%.80s' now: "
                       "leave it out, or start again without --resume",
                       info->name, options_text(merged, i), value);
}

static tlu_status merge_options(tlu_options *merged, const tlu_options *given,
                                const struct checkpoint *checkpoint, tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (options_is_set(given, i) && !options_same(merged, given, i) &&
            !options_is_auto(given, i))
            TRY(merge_option(merged, given, i, checkpoint, error));
    return TLU_OK;
}

// The state of a complete run, if more passes are wanted.
static tlu_status checkpoint_for_more(const tlu_model *begun, const tlu_options *given,
                                      struct checkpoint **checkpoint, tlu_error *error)
{
    const tlu_report *report = &begun->report;
    bool set = given && options_is_set(given, OPTION_EPOCHS);
    uint64_t epochs = set ? options_count(given, OPTION_EPOCHS) : 0;
    if (epochs > report->epochs && strcmp(report->stopped, model_stopped_name(STOPPED_EPOCHS)) == 0)
        return checkpoint_of_complete(begun, epochs, checkpoint, error);
    return model_lacks_calibration(begun) ? TLU_OK : refuse(begun, error);
}

tlu_status resume_begin(struct resumption *resumption, const tlu_model *begun,
                        const tlu_options *given, tlu_error *error)
{
    *resumption = (struct resumption){0};
    if (begun->report.held_out_accuracy && !begun->recorded.held_by_class)
        return error_input(error, "this training cannot go on and has to be started again: it is "
                                  "of an earlier version, which held other rows out (--holdout)");
    if (begun->checkpoint.size)
        TRY(checkpoint_unpack(&begun->checkpoint, begun, &resumption->checkpoint, error));
    else
        TRY(checkpoint_for_more(begun, given, &resumption->checkpoint, error));
    resumption->complete = resumption->checkpoint ? NULL : begun;
    resumption->options = options_copy(begun->options);
    TRY(enough_memory(resumption->options != NULL, error));
    return given ? merge_options(resumption->options, given, resumption->checkpoint, error)
                 : TLU_OK;
}

void resume_end(struct resumption *resumption)
{
    tlu_options_free(resumption->options);
    checkpoint_free(resumption->checkpoint);
}
