// The model of a training, and of its state so far.
#include "base/memory.h"
#include "learn/decision.h"
#include "model/make.h"
#include "solve/whole.h"
#include "train/train.h"

#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

// Moves what the training has counted into the model's report.
static tlu_status fill_report(struct tlu_model *model, struct training *t, tlu_error *error)
{
    tlu_report *report = &model->report;
    const char *name = error_file_name(base_name(t->path));
    model->recorded.data = memory_copy_text(name, strlen(name));
    if (!model->recorded.data)
        return error_memory(error);
    model->recorded.mistakes = t->mistakes;
    model->recorded.accuracy = t->accuracy;
    model->recorded.held_by_class = true;
    model->recorded.notices = t->notices;
    *report = (tlu_report){.examples = t->rows - t->held_out.count,
                           .held_out = t->held_out.count,
                           .nonzeros = t->nonzeros,
                           .features = make_feature_count(model, &t->learner.schema),
                           .classes = schema_classes(&t->learner.schema),
                           .epochs = t->pass,
                           .mistakes = t->mistakes,
                           .updates = t->learner.updates,
                           .held_out_accuracy = t->accuracy,
                           .best_epoch = t->best_pass,
                           .converged = t->stopped == STOPPED_CONVERGED,
                           .stopped = model_stopped_names[t->stopped],
                           .cycle = t->cycle,
                           .supports = model->supports.count,
                           .skipped = t->skipped,
                           .slots_used = t->learner.schema.slots.used,
                           .slots_shared = t->learner.schema.slots.shared,
                           .data = model->recorded.data,
                           .format = t->format,
                           .notices = t->notice_count,
                           .notice = (const char *const *)t->notices,
                           .seconds_read = t->seconds_read,
                           .seconds_total = train_seconds() - t->started};
    report->seconds_learn = report->seconds_total - report->seconds_read;
    model_set_figures(model, training_is_sorted(t),
                      t->learner.solving.solution ? t->learner.solving.solution->margin : 0);
    t->mistakes = NULL;
    t->accuracy = NULL;
    t->notices = NULL;
    t->notice_count = 0;
    return TLU_OK;
}

// Those that decide: of the best pass on held-out rows, of the pocket, or the last.
static const struct weights *training_weights(const struct training *t)
{
    if (t->best.w)
        return &t->best;
    return t->learner.decision.pocket ? &t->learner.decision.pocket->best
                                      : &t->learner.space.weights;
}

// Those of the last pass may be the best as well.
static bool are_last(const struct training *t)
{
    return !t->best.w || t->best.steps == t->learner.space.weights.steps;
}

// The model of a training, whose counts and pause it takes over.
static tlu_status make_trained(tlu_model **model, struct training *training, tlu_error *error)
{
    tlu_status status = make_model(model,
                                   &(struct learned){.learner = &training->learner,
                                                     .weights = training_weights(training),
                                                     .last = are_last(training),
                                                     .scaling = &training->scaling,
                                                     .batches = training->batches,
                                                     .batch_count = training->batch_count},
                                   error);
    if (status != TLU_OK)
        return status;
    status = fill_report(*model, training, error);
    (*model)->pause = training->pause;
    training->pause = NULL;
    if (status == TLU_OK)
        model_set_errors(*model);
    if (status != TLU_OK) {
        tlu_model_free(*model);
        *model = NULL;
    }
    return status;
}

tlu_status model_train(struct training *training, const tlu_options *options, tlu_model **model,
                       tlu_error *error)
{
    *model = NULL;
    tlu_status status = training_run(training, options, error);
    if (status == TLU_OK)
        status = make_trained(model, training, error);
    training_free(training);
    return status;
}

tlu_status model_checkpoint(struct training *training, tlu_error *error)
{
    struct training view;
    tlu_model *model = NULL;
    tlu_status status = training_view(training, &view, error);
    if (status == TLU_OK)
        status = make_trained(&model, &view, error);
    if (status == TLU_OK)
        status = tlu_model_save(model, training->checkpoint_path, error);
    tlu_model_free(model);
    training_view_free(&view);
    return status;
}
