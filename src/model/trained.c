// Makes the model of a training, complete or so far.
#include "base/memory.h"
#include "learn/decision.h"
#include "model/make.h"
#include "solvers/batch_solver.h"
#include "train/clock.h"
#include "train/team.h"
#include "train/train.h"

#include <string.h>

// Without the folder of the first file.
static const char *base_name(const char *path)
{
    const char *slash = memrchr(path, '/', strcspn(path, "\n"));
    return slash && slash[1] && slash[1] != '\n' ? slash + 1 : path;
}

static char *data_name(const char *path)
{
    const char *base = base_name(path);
    size_t length = error_data_name(NULL, 0, base);
    char *name = memory_new(length + 1, 1);
    if (name)
        error_data_name(name, length + 1, base);
    return name;
}

// Moves the outcome into the model's report.
static tlu_status fill_report(struct tlu_model *model, const struct training *t,
                              struct outcome *outcome, tlu_error *error)
{
    const struct rows *rows = &t->rows;
    const struct slots *slots = &t->learner.state.schema.slots;
    const struct solution *solution = t->learner.solving.solution;
    model->recorded.data = data_name(rows->path);
    TRY(enough_memory(model->recorded.data != NULL, error));
    const char *reason = t->learner.automatic.reason;
    if (reason[0]) {
        model->recorded.learner_reason = memory_copy_text(reason, strlen(reason));
        TRY(enough_memory(model->recorded.learner_reason, error));
    }
    model->recorded.mistakes = outcome->mistakes;
    model->recorded.accuracy = outcome->accuracy;
    model->recorded.held_by_class = true;
    model->recorded.origin = t->start.model ? ORIGIN_STARTED : t->team ? ORIGIN_TEAM : ORIGIN_RUN;
    model->recorded.notices = outcome->notices.items;
    model->report =
        (tlu_report){.examples = team_rows(t) - team_held_out(t),
                     .held_out = team_held_out(t),
                     .nonzeros = t->team ? t->team->counts.nonzeros : rows->counts.nonzeros,
                     .features = make_feature_count(model, &t->learner.state.schema),
                     .classes = schema_classes(&t->learner.state.schema),
                     .epochs = outcome->passes,
                     .mistakes = outcome->mistakes,
                     .updates = t->learner.state.updates,
                     .held_out_accuracy = outcome->accuracy,
                     .best_epoch = outcome->best_pass,
                     .converged = outcome->stopped == STOPPED_CONVERGED,
                     .stopped = model_stopped_name(outcome->stopped),
                     .cycle = outcome->cycle,
                     .supports = model->supports.count,
                     .skipped = t->team ? t->team->counts.skipped : rows->counts.skipped,
                     .slots_used = slots->used,
                     .slots_shared = slots->shared,
                     .data = model->recorded.data,
                     .format = rows->format,
                     .notices = outcome->notices.count,
                     .notice = (const char *const *)outcome->notices.items,
                     .objective = solution ? solution->objective : 0,
                     .gap = solution ? solution->gap : 0,
                     .learner_reason = model->recorded.learner_reason,
                     .seconds_read = rows->seconds,
                     .seconds_total = clock_seconds() - t->reporter.started};
    if (t->team) {
        model->report.processes = t->team->ranks;
        model->report.mixtures = t->team->cost.mixtures;
        model->report.mixture_bytes = t->team->cost.bytes;
        model->report.mixture_bytes_dense = t->team->cost.dense;
        model->report.seconds_mixed = t->team->cost.seconds;
    }
    model->report.seconds_learn = model->report.seconds_total - rows->seconds;
    outcome->mistakes = NULL;
    outcome->accuracy = NULL;
    outcome->notices = (struct notices){0};
    model_set_figures(model, training_is_sorted(t), solution ? solution->margin : 0);
    return TLU_OK;
}

tlu_status make_trained(tlu_model **model, const struct training *t, struct outcome *outcome,
                        tlu_error *error)
{
    TRY(make_model(model,
                   &(struct learned){.learner = &t->learner,
                                     .weights = outcome->weights,
                                     .net = outcome->net,
                                     .last = outcome->last,
                                     .updates = outcome->updates,
                                     .final = outcome->final,
                                     .scaling = &t->rows.scaling,
                                     .batches = t->rows.batches,
                                     .batch_count = t->rows.batch_count},
                   error));
    tlu_status status = fill_report(*model, t, outcome, error);
    (*model)->checkpoint = outcome->checkpoint;
    outcome->checkpoint = (struct packed_checkpoint){0};
    if (status == TLU_OK) {
        model_set_errors(*model);
        return TLU_OK;
    }
    tlu_model_free(*model);
    *model = NULL;
    return status;
}

// ---- checkpoints ----

// As if the training had been interrupted now.
static tlu_status save_interrupted(struct training *t, struct outcome *outcome, tlu_model **model,
                                   tlu_error *error)
{
    TRY(outcome_now(outcome, t, error));
    TRY(enough_memory(checkpoint_pack(&outcome->checkpoint, t), error));
    TRY(make_trained(model, t, outcome, error));
    return tlu_model_save(*model, t->reporter.checkpoint_path, error);
}

tlu_status model_checkpoint(struct training *t, tlu_error *error)
{
    struct outcome outcome = {.stopped = STOPPED_INTERRUPTED};
    tlu_model *model = NULL;
    tlu_status status = save_interrupted(t, &outcome, &model, error);
    tlu_model_free(model);
    outcome_free(&outcome);
    return status;
}
