// Continues a training that was interrupted (train/checkpoint/checkpoint.h).
#include "base/memory.h"
#include "data/impute.h"
#include "model/calibrate/calibrate.h"
#include "model/make.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>

// ---- more passes ----
//
// More passes for a complete training. Its model has no checkpoint, which would double its size,
// but for most runs the state follows from the model.

// What the model lacks; NULL: nothing.
static const char *missing(const tlu_model *model, const struct tlu_learner *learner)
{
    const tlu_report *report = &model->report;
    bool shuffles = options_choice(model->state.options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    static const char *const origins[ORIGIN_COUNT] = {
        [ORIGIN_STARTED] = "it went on from another model (--start)",
        [ORIGIN_MIXTURE] = "it is a mixture of models",
        [ORIGIN_TEAM] = "several processes trained it, each with an order of its own"};
    if (origins[model->recorded.origin])
        return origins[model->recorded.origin];
    if (checkpoint_obstacle(learner))
        return checkpoint_obstacle(learner);
    if (report->epochs == 0)
        return "it says nothing about its passes";
    if (learner->state.kernel.kind)
        return "with --kernel it lacks the scores of the rows";
    if (learner->state.decision.history)
        return "with --decide vote and random it has the updates without the numbers of their rows";
    if (learner->state.decision.pocket)
        return "with --decide best it has the best weights, not the last";
    if (report->held_out_accuracy && report->best_epoch != report->epochs)
        return "it has the weights that were best on the held-out rows, not the last";
    if (shuffles && learner->rule.rate != learner->rule.rate_high && report->epochs > 1)
        return "the order of the rows depends on the rates drawn from --rate A:B before";
    if (training_may_cycle(learner) && report->epochs & (report->epochs - 1))
        return "to tell whether the weights come back, those of an earlier pass are needed, unless "
               "there were 1, 2, 4, 8... passes";
    if (model_keeps_groups(model) && !model->state.group_norm)
        return "it has no section LIVE";
    if (options_count(model->state.options, OPTION_MIN_COUNT) > 1)
        return "it lacks the words that --min-count left out";
    int replaced = options_choice(model->state.options, OPTION_MISSING);
    if (schema_is_table(&model->state.schema) && impute_fits(replaced) && replaced != MISSING_AUTO)
        return "it does not tell which values were missing before --missing replaced them";
    return NULL;
}

// As if the run had been interrupted at the last example of its last pass. The arrays belong to the
// model.
static struct run run_of(const tlu_model *model, uint64_t updates)
{
    const tlu_report *report = &model->report;
    uint64_t before = report->epochs - 1;
    // The number of updates in the last pass is not known; it is not 0, or the run would have
    // converged. The last pass is the best.
    return (struct run){.pass = before,
                        .now = {.examples = report->examples,
                                .mistakes = report->mistakes[before],
                                .updates_before = updates ? updates - 1 : 0},
                        .mistakes = model->recorded.mistakes,
                        .accuracy = model->recorded.accuracy};
}

static tlu_status refuse_more(const tlu_model *model, const char *what, uint64_t epochs,
                              tlu_error *error)
{
    char remedy[80] = "go on from it with --start";
    enum model_origin origin = model->recorded.origin;
    if (origin != ORIGIN_STARTED && origin != ORIGIN_MIXTURE)
        snprintf(remedy, sizeof remedy, "train again with --epochs %llu",
                 (unsigned long long)epochs);
    return error_input(error,
                       "the model is complete with its %llu passes, and cannot go on to more: %s; "
                       "%s",
                       (unsigned long long)model->report.epochs, what, remedy);
}

static tlu_status checkpoint_of(const tlu_model *model, struct tlu_learner *learner,
                                uint64_t epochs, struct checkpoint **checkpoint, tlu_error *error)
{
    const tlu_report *report = &model->report;
    TRY(learner_init(learner, model->state.options, error));
    if (missing(model, learner))
        return refuse_more(model, missing(model, learner), epochs, error);
    uint32_t bits = model->state.schema.slots.bits;
    if (bits && !schema_hash(&learner->state.schema, bits))
        return error_memory(error);
    TRY(resume_learner(learner, model, error));
    struct run run = run_of(model, learner->state.updates);
    *checkpoint =
        checkpoint_at_end(learner, &run, report->examples + report->held_out, report->nonzeros);
    return enough_memory(*checkpoint != NULL, error);
}

// The state of a complete run at the end of its last pass. An input error says what the model lacks
// for that.
static tlu_status checkpoint_of_complete(const tlu_model *model, uint64_t epochs,
                                         struct checkpoint **checkpoint, tlu_error *error)
{
    *checkpoint = NULL;
    if (strcmp(model->report.format, "stream") == 0)
        return refuse_more(model, "it has learned from a stream", epochs, error);
    struct tlu_learner learner;
    tlu_status status = checkpoint_of(model, &learner, epochs, checkpoint, error);
    learner_free_parts(&learner);
    return status;
}

// ---- resuming ----

int tlu_model_can_resume(const tlu_model *model, uint64_t *pass, uint64_t *examples)
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

// Says why a model has no checkpoint.
static tlu_status refuse(const tlu_model *model, tlu_error *error)
{
    if (strcmp(model->report.stopped, model_stopped_name(STOPPED_INTERRUPTED)) != 0)
        return error_input(
            error,
            "the model is complete: there is nothing to resume; a larger --epochs adds passes");
    struct tlu_learner learner;
    tlu_status status = learner_init(&learner, model->state.options, error);
    const char *obstacle = status == TLU_OK ? checkpoint_obstacle(&learner) : NULL;
    if (status == TLU_OK)
        status = error_input(error, "this training cannot be resumed; start it again: %s",
                             obstacle ? obstacle : "its state is not in the model");
    learner_free_parts(&learner);
    return status;
}

// Takes the new value of an option that may change.
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

// The state of a complete run, if more passes are requested.
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
        return error_input(error, "this training cannot be resumed; start it again: it is "
                                  "of an earlier version, which held other rows out (--holdout)");
    if (begun->checkpoint.size)
        TRY(checkpoint_unpack(&begun->checkpoint, begun, &resumption->checkpoint, error));
    else
        TRY(checkpoint_for_more(begun, given, &resumption->checkpoint, error));
    resumption->complete = resumption->checkpoint ? NULL : begun;
    resumption->options = options_copy(begun->state.options);
    TRY(enough_memory(resumption->options && options_share_data(resumption->options, given),
                      error));
    return given ? merge_options(resumption->options, given, resumption->checkpoint, error)
                 : TLU_OK;
}

void resume_end(struct resumption *resumption)
{
    tlu_options_free(resumption->options);
    checkpoint_free(resumption->checkpoint);
}
