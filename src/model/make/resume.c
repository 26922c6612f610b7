// Makes a learner from a model, in the state in which the model was made.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/large.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "mlp/layers.h"
#include "model/make/internal.h"

#include <string.h>

static tlu_status restore_classes(struct tlu_learner *learner, const tlu_model *model,
                                  struct mapping *mapping, tlu_error *error)
{
    uint32_t classes = schema_classes(&model->schema);
    mapping->classes = memory_new(classes, sizeof *mapping->classes);
    if (!mapping->classes)
        return error_memory(error);
    for (uint32_t i = 0; i < classes; i++) {
        uint32_t c = model->stream.order ? model->stream.order[i] : i;
        const char *label = model->schema.spelled[c];
        if (schema_class_add(&learner->schema, label, strlen(label)) != i)
            return error_memory(error);
        mapping->classes[c] = i;
    }
    TRY(learner_add_classes(learner, classes, error));
    if (classes == 2)
        learner->scheme.positive = mapping->classes[model->positive];
    for (uint32_t c = 0; c < classes; c++) {
        if (!learner_count(learner, mapping->classes[c]))
            return error_memory(error);
        learner->scheme.class_examples[mapping->classes[c]] = model->class_examples[c];
    }
    return mapping_order_columns(mapping, learner) ? TLU_OK : error_memory(error);
}

// Loads the states of a feature. *next: the first cell of stream.written that was not reached yet.
static void restore_states(struct weights *own, size_t row, const tlu_model *model, size_t feature,
                           const struct mapping *mapping, size_t *next)
{
    const struct weights *weights = &model->weights;
    const struct stream_state *stream = &model->stream;
    for (uint32_t c = 0; own->state && weights->state && c < weights->columns; c++) {
        size_t from = feature * weights->columns + c;
        bool written = *next < stream->written.count && stream->written.cells[*next] == from;
        *next += written;
        if (written ||
            weights->state[from] != own->state_start) // else as if the feature had never occurred
            weights_set_state(own, row * own->columns + mapping->columns[c], weights->state[from]);
    }
}

// Loads the weights of a feature.
static void restore_weights(struct weights *own, size_t row, const tlu_model *model, size_t feature,
                            const struct mapping *mapping)
{
    const struct weights *weights = &model->weights;
    const struct stream_state *stream = &model->stream;
    size_t from = feature * stream->unsettled.columns, at = row * own->columns;
    copy_feature(own, row, weights, feature, mapping);
    for (uint32_t c = 0; stream->unsettled.scale && c < weights->columns; c++) {
        if (!column_is_unsettled(&stream->unsettled, c))
            continue;
        size_t cell = at + mapping->columns[c];
        own->w[cell] =
            mapping->signs[c] < 0 ? 0 - stream->unsettled.w[from] : stream->unsettled.w[from];
        if (own->u && stream->unsettled.u)
            own->u[cell] =
                mapping->signs[c] < 0 ? 0 - stream->unsettled.u[from] : stream->unsettled.u[from];
        if (own->recent.r && stream->unsettled.r)
            own->recent.r[cell] =
                mapping->signs[c] < 0 ? 0 - stream->unsettled.r[from] : stream->unsettled.r[from];
        from++;
    }
}

// The number that a feature of the model has in a growing schema; SCHEMA_NONE: out of memory.
static uint32_t restore_feature(struct schema *schema, const struct schema *from, uint32_t feature)
{
    if (from->slots.bits) {
        schema_meet(schema, from->ids[feature]);
        return from->ids[feature];
    }
    if (feature >= from->numbered) {
        char digits[LARGE_SCRATCH];
        size_t length;
        const char *name = schema_name_at(from, feature - from->numbered, digits, &length);
        return schema_add(schema, name, length);
    }
    char number[24];
    size_t length = schema_name(from, feature, number, sizeof number);
    return schema_add(schema, number, length);
}

// Adds the model's features to a growing schema, with their weights. Names keep their order,
// because rows are summed up in it.
static bool restore_features(struct tlu_learner *learner, const tlu_model *model,
                             const struct mapping *mapping)
{
    const struct schema *from = &model->schema;
    struct schema *to = &learner->schema;
    to->format = from->format;
    to->base = from->numbered || model->stream.indices.kept ? SCHEMA_DIRECT : 0;
    if (from->slots.bits) {
        to->base = 0;
        if (!learner_reserve(learner))
            return false;
    }
    if (model->stream.indices.kept) {
        to->direct.lowest = model->stream.indices.lowest;
        to->direct.highest = model->stream.indices.highest;
    }
    size_t written = 0;
    for (uint32_t f = 0; f < schema_features(from); f++) {
        uint32_t number = restore_feature(to, from, f);
        if (number == SCHEMA_NONE || !learner_reserve(learner))
            return false;
        size_t row = weights_add_row(&learner->space.weights, number);
        if (row == SIZE_MAX)
            return false;
        restore_weights(&learner->space.weights, row, model, f, mapping);
        restore_states(&learner->space.weights, row, model, f, mapping, &written);
    }
    return learner_reserve(learner);
}

// Loads the largest values so far from the model's factors.
static bool restore_scaling(struct tlu_learner *learner, const tlu_model *model)
{
    const struct schema *from = &model->schema;
    if (!learner->online.on)
        return true;
    if (!online_scale_reserve(learner, 0))
        return false;
    for (uint32_t f = 0; f < model->scaling.features; f++) {
        uint32_t own =
            f < from->numbered ? from->ids[f] : learner->schema.base + f - from->numbered;
        if (model->stream.units)
            learner->online.units[own] = model->stream.units[f];
        learner->online.units[own].size = online_scale_largest(model->scaling.factor[f]);
    }
    return true;
}

static void restore_columns(struct weights *own, const tlu_model *model,
                            const struct mapping *mapping)
{
    const struct unsettled *unsettled = &model->stream.unsettled;
    struct weights from = model->weights; // with scales that are not multiplied out
    from.scale = unsettled->scale;
    from.sum = unsettled->sum;
    from.sum_at = unsettled->sum_at;
    copy_columns(own, &from, mapping);
    for (uint32_t c = 0; own->recent.sum && c < own->columns; c++)
        own->recent.sum[c] = own->recent.share; // of columns that are settled
    for (uint32_t c = 0; own->recent.sum && unsettled->recent_sum && c < from.columns; c++)
        if (column_is_unsettled(unsettled, c))
            own->recent.sum[mapping->columns[c]] = unsettled->recent_sum[c];
}

static void restore_groups(struct tlu_learner *learner, const tlu_model *model,
                           const struct mapping *mapping)
{
    const struct stream_state *stream = &model->stream;
    uint32_t groups = scheme_groups(learner->scheme.kind, learner->scheme.classes);
    for (uint32_t g = 0; g < groups && stream->groups.norm; g++) {
        uint32_t group = groups == 1 ? 0 : mapping->columns[g];
        learner->space.group_norm[group] = stream->groups.norm[g];
        learner->space.group_updates[group] = stream->groups.updates[g];
    }
}

static bool restore_net(struct tlu_learner *learner, const tlu_model *model,
                        const struct mapping *mapping)
{
    if (!model->net)
        return true;
    struct layers *layers = learner->space.layers = memory_new(1, sizeof *layers);
    if (layers)
        layers->net = net_copy_ordered(model->net, mapping->columns, true);
    return layers && layers->net;
}

// Loads everything that has the learner's numbers, and fills `mapping`.
static tlu_status restore_numbers(struct tlu_learner *learner, const tlu_model *model,
                                  struct mapping *mapping, tlu_error *error)
{
    TRY(restore_classes(learner, model, mapping, error));
    TRY(enough_memory(restore_features(learner, model, mapping), error));
    TRY(enough_memory(restore_scaling(learner, model), error));
    TRY(enough_memory(make_columns(&learner->schema, &model->schema, model->schema.ids), error));
    TRY(enough_memory(restore_net(learner, model, mapping), error));
    restore_columns(&learner->space.weights, model, mapping);
    restore_groups(learner, model, mapping);
    return TLU_OK;
}

tlu_status resume_learner(struct tlu_learner *learner, const tlu_model *model, tlu_error *error)
{
    struct mapping mapping = {.to_learner = true};
    tlu_status status = restore_numbers(learner, model, &mapping, error);
    mapping_free(&mapping);
    TRY(status);
    guard_measure(learner, &model->weights);
    if (learner->decision.adapt) {
        memcpy(learner->decision.adapt->right, model->stream.standing.right,
               sizeof model->stream.standing.right);
        learner->decision.adapt->decay = model->stream.standing.decay;
    }
    learner->random = model->random;
    learner->examples = (uint64_t)model->weights.steps;
    learner->updates = model->report.updates;
    for (uint64_t i = 0; i < model->report.epochs; i++)
        learner->mistakes += model->report.mistakes[i];
    return TLU_OK;
}

// Moves the means that were subtracted into the biases: w (x - shift) factor + b is w x factor + (b
// - w shift factor). So a stream continues with standardised data as if it had only been divided,
// and scores stay the same.
static void unshift(struct tlu_learner *learner, const tlu_model *model)
{
    struct weights *own = &learner->space.weights;
    const struct schema *from = &model->schema;
    weights_settle(own);
    for (uint32_t f = 0; f < model->scaling.features; f++) {
        double by = model->scaling.shift[f] * model->scaling.factor[f];
        size_t row = weights_row(
            own, f < from->numbered ? from->ids[f] : learner->schema.base + f - from->numbered);
        for (uint32_t c = 0; by != 0 && row != SIZE_MAX && c < own->columns; c++) {
            own->bias[c] -= own->w[row * own->columns + c] * by;
            if (own->u)
                own->u_bias[c] -= own->u[row * own->columns + c] * by;
        }
    }
    uint32_t groups = scheme_groups(learner->scheme.kind, learner->scheme.classes);
    for (uint32_t g = 0; g < groups && learner->rule.kind->traits & LEARNER_SCALE; g++) {
        learner->space.group_norm[g] = 0;
        for (uint32_t c = 0; c < own->columns; c++)
            if (groups == 1 || c == g)
                learner->space.group_norm[g] += weights_norm(own, c);
    }
}

static bool restore_output(struct tlu_learner *learner, const tlu_model *model)
{
    learner->output.threshold = model->output.threshold;
    return calibration_copy(&learner->output.calibration, &model->output.calibration,
                            model->stream.order);
}

// Fails if a stream cannot continue with the model.
static tlu_status check_can_stream(const tlu_model *model, tlu_error *error)
{
    const char *decide = options_text(model->options, OPTION_DECIDE);
    if (model->kernel.kind)
        return error_input(error, "a model with a kernel cannot go on with a stream: its weights "
                                  "are those of the rows that it was trained on");
    if (model->decide != DECIDE_AVERAGE && model->decide != DECIDE_LAST &&
        model->decide != DECIDE_ADAPTIVE)
        return error_input(error,
                           "a model of --decide %s cannot go on with a stream: that takes "
                           "--decide adaptive, average or last",
                           decide);
    if (model->net)
        return error_input(error, "a model with layers cannot go on with a stream: they are made "
                                  "for its features and classes");
    if (!model_can_stream(model))
        return error_input(error,
                           "a model of %s cannot go on with a stream: that learner looks at all "
                           "rows at once",
                           tlu_model_learner(model));
    if (model_keeps_groups(model) && !model->stream.groups.norm)
        return error_input(error, "a model of %s without a section LIVE cannot go on with a stream",
                           tlu_model_learner(model));
    return TLU_OK;
}

// A new learner with the model's options, except for a scaling that streams do not have.
static tlu_status new_learner(const tlu_model *model, tlu_learner **learner, tlu_error *error)
{
    tlu_options *options = options_copy(model->options);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK && model->scaling.kind == SCALE_STANDARD)
        status = tlu_options_set(options, "scale", "maxabs", error);
    if (status == TLU_OK && model->output.calibration.kind == CALIBRATE_NONE)
        status = tlu_options_clear(options, "calibrate", error); // the calibration is missing
    if (status == TLU_OK)
        status = learner_new(options, learner, error);
    tlu_options_free(options);
    return status;
}

tlu_status tlu_learner_resume(const tlu_model *model, tlu_learner **learner, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *learner = NULL;
    TRY(check_can_stream(model, error));
    TRY(new_learner(model, learner, error));
    tlu_status status = resume_learner(*learner, model, error);
    if (status == TLU_OK)
        status = enough_memory(restore_output(*learner, model), error);
    if (status != TLU_OK) {
        tlu_learner_free(*learner);
        *learner = NULL;
        return status;
    }
    if (model->scaling.kind == SCALE_STANDARD)
        unshift(*learner, model);
    return TLU_OK;
}
