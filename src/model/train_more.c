// More passes for a training that is complete. Its model has no copy of the run's state, which
// would double it, but of most runs the state can be told from what the model has.
#include "base/memory.h"
#include "model/make.h"
#include "train/train.h"

#include <string.h>

// What the model does not tell; NULL: nothing.
static const char *missing(const tlu_model *model, const struct tlu_learner *learner)
{
    const tlu_report *report = &model->report;
    bool shuffles = options_choice(model->options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    if (checkpoint_obstacle(learner))
        return checkpoint_obstacle(learner);
    if (learner->space.kernel.kind)
        return "with --kernel it lacks the scores of the rows";
    if (learner->decision.history)
        return "with --decide vote and random it has the updates without the numbers of their rows";
    if (learner->decision.pocket)
        return "with --decide best it has the best weights, not the last";
    if (report->held_out_accuracy && report->best_epoch != report->epochs)
        return "it has the weights that were best on the held-out rows, not the last";
    if (shuffles && learner->rule.rate != learner->rule.rate_high && report->epochs > 1)
        return "the order of the rows depends on the rates drawn from --rate A:B before";
    if (pass_may_cycle(learner) && report->epochs & (report->epochs - 1))
        return "to tell whether the weights come back, those of an earlier pass are needed, unless "
               "there were 1, 2, 4, 8... passes";
    if (model_keeps_groups(model) && !model->stream.groups.norm)
        return "it has no section LIVE";
    return NULL;
}

// As if it had been interrupted at the last example of its last pass. The arrays are the model's.
static struct run run_of(const tlu_model *model, uint64_t updates)
{
    const tlu_report *report = &model->report;
    uint64_t before = report->epochs - 1;
    // How many of the updates were in the last pass is not known; some, or it would have converged.
    // Of the passes, the last one is the best.
    return (struct run){.pass = before,
                        .now = {.examples = report->examples,
                                .mistakes = report->mistakes[before],
                                .updates_before = updates ? updates - 1 : 0},
                        .mistakes = model->recorded.mistakes,
                        .accuracy = model->recorded.accuracy};
}

static tlu_status refuse(const tlu_model *model, const char *what, uint64_t epochs,
                         tlu_error *error)
{
    return error_input(error,
                       "the model is complete with its %llu passes, and cannot go on to more: %s; "
                       "train again with --epochs %llu",
                       (unsigned long long)model->report.epochs, what, (unsigned long long)epochs);
}

static tlu_status checkpoint_of(const tlu_model *model, struct tlu_learner *learner,
                                uint64_t epochs, struct checkpoint **checkpoint, tlu_error *error)
{
    const tlu_report *report = &model->report;
    tlu_status status = learner_init(learner, model->options, error);
    if (status != TLU_OK)
        return status;
    if (missing(model, learner))
        return refuse(model, missing(model, learner), epochs, error);
    uint32_t bits = model->schema.slots.bits;
    if (bits && !schema_hash(&learner->schema, bits))
        return error_memory(error);
    status = resume_learner(learner, model, error);
    if (status != TLU_OK)
        return status;
    struct run run = run_of(model, learner->updates);
    struct run_source source = {learner, &run, {.every = 1}};
    struct packed_checkpoint packed;
    TRY(enough_memory(run_pack(&packed, &source), error));
    status = checkpoint_unpack(&packed, model, checkpoint, error);
    memory_free(packed.bytes);
    if (status == TLU_OK)
        checkpoint_at_end(*checkpoint, learner, report->examples + report->held_out,
                          report->nonzeros);
    return status;
}

tlu_status checkpoint_of_complete(const tlu_model *model, uint64_t epochs,
                                  struct checkpoint **checkpoint, tlu_error *error)
{
    *checkpoint = NULL;
    if (strcmp(model->report.format, "stream") == 0)
        return refuse(model, "it has learned from a stream", epochs, error);
    struct tlu_learner learner;
    tlu_status status = checkpoint_of(model, &learner, epochs, checkpoint, error);
    learner_free_parts(&learner);
    return status;
}
