// Makes a model from a learner; the other files of this folder make its parts. resume.c does the
// reverse.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "model/make/internal.h"

#include <string.h>

static bool copy_choices(struct tlu_model *model, const struct tlu_learner *learner)
{
    model->schema.frozen = true;
    model->random = learner->random;
    model->scheme = learner->scheme.kind;
    model->decide = learner->decision.kind;
    model->kernel = learner->space.kernel;
    if (learner->decision.adapt) {
        memcpy(model->stream.standing.right, learner->decision.adapt->right,
               sizeof model->stream.standing.right);
        model->stream.standing.decay = learner->decision.adapt->decay;
    }
    model->recorded.version = memory_copy_text(TLU_VERSION, strlen(TLU_VERSION));
    model->options = options_copy(learner->options);
    return model->recorded.version && model->options;
}

// A calibration is valid for the classes that it was fitted to: after a new class it is dropped.
static bool make_output(struct tlu_model *model, const struct tlu_learner *learner,
                        const struct mapping *mapping)
{
    const struct calibration *calibration = &learner->output.calibration;
    bool same = calibration->classes == learner->scheme.classes;
    if (calibration->kind != CALIBRATE_NONE && !same)
        return tlu_options_clear(model->options, "calibrate", NULL) == TLU_OK;
    if (learner->scheme.classes == 2)
        model->output.threshold = learner->output.threshold;
    return calibration_copy(&model->output.calibration, calibration, mapping->classes);
}

static bool make_net(struct tlu_model *model, const struct learned *learned,
                     const struct mapping *mapping)
{
    if (!learned->net)
        return true;
    // The inputs are the features of the model, in the same order.
    if (learned->net->shape.sizes[0] != mapping->feature_count)
        return false;
    model->net = net_copy_ordered(learned->net, mapping->columns, false);
    return model->net;
}

static bool make_parts(struct tlu_model *model, const struct learned *learned,
                       struct mapping *mapping)
{
    const struct tlu_learner *learner = learned->learner;
    return copy_choices(model, learner) && mapping_order_classes(mapping, learner) &&
           make_output(model, learner, mapping) && mapping_order_columns(mapping, learner) &&
           make_classes(model, learned, mapping) && mapping_collect_rows(mapping, learned) &&
           make_features(model, learned, mapping) &&
           make_columns(&model->schema, &learner->schema, mapping->feature_of) &&
           make_weights(model, learned, mapping) && make_net(model, learned, mapping) &&
           make_stream_state(model, learned, mapping) && make_supports(model, learned, mapping) &&
           make_replay(model, learned, mapping) && make_scaling(model, learned, mapping);
}

tlu_status make_model(tlu_model **out, const struct learned *learned, tlu_error *error)
{
    struct tlu_model *model = *out = model_new();
    if (!model)
        return error_memory(error);
    struct mapping mapping = {0};
    bool made = make_parts(model, learned, &mapping);
    mapping_free(&mapping);
    tlu_status status = made ? model_prepare(model, error) : error_memory(error);
    if (status != TLU_OK) {
        tlu_model_free(model);
        *out = NULL;
    }
    return status;
}

uint64_t make_feature_count(const struct tlu_model *model, const struct schema *grown)
{
    return schema_columns(grown->slots.bits ? &model->schema : grown);
}

// ---- streams ----

static tlu_status report_stream(struct tlu_model *model, const struct tlu_learner *learner,
                                tlu_error *error)
{
    uint64_t *mistakes = model->recorded.mistakes = memory_new(1, sizeof *mistakes);
    if (!mistakes)
        return error_memory(error);
    mistakes[0] = learner->mistakes;
    model->report = (tlu_report){.examples = learner->examples,
                                 .features = make_feature_count(model, &learner->schema),
                                 .classes = learner->scheme.classes,
                                 .epochs = 1,
                                 .mistakes = mistakes,
                                 .updates = learner->updates,
                                 .slots_used = learner->schema.slots.used,
                                 .slots_shared = learner->schema.slots.shared,
                                 .best_epoch = 1,
                                 .stopped = model_stopped_name(STOPPED_EPOCHS),
                                 .data = "",
                                 .format = "stream"};
    model_set_errors(model);
    return TLU_OK;
}

tlu_status tlu_learner_make_model(const tlu_learner *learner, tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *model = NULL;
    if (learner->scheme.classes < 2)
        return error_input(error, "a model needs two classes; the learner has met %u",
                           learner->scheme.classes);
    // The learner does not change: its scales are multiplied out in the model.
    struct learned learned = {.learner = learner, .weights = &learner->space.weights, .last = true};
    TRY(make_model(model, &learned, error));
    tlu_status status = report_stream(*model, learner, error);
    if (status != TLU_OK) {
        tlu_model_free(*model);
        *model = NULL;
    }
    return status;
}
