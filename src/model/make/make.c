// Makes a model from a learner; the other files of this folder make its parts. resume.c does the
// reverse.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "learn/online_scale.h"
#include "mlp/layers.h"
#include "model/make/internal.h"

#include <string.h>

static void mapping_free(struct mapping *mapping)
{
    if (mapping->numbering.from != mapping->features)
        memory_free((void *)mapping->numbering.from);
    numbering_free(&mapping->numbering);
    memory_free(mapping->features);
    memory_free(mapping->feature_of);
    memory_free(mapping->rows);
    memory_free(mapping->support_of);
}

bool learned_uses(const struct learned *learned, size_t feature)
{
    const struct weights *weights = learned->weights;
    const struct layers *layers = learned->learner->space.layers;
    if (layers)
        return layers_use(layers, feature);
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return false;
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++) {
        const double *cells = weights_cells(weights, i);
        for (size_t c = row * weights->columns; cells && c < (row + 1) * weights->columns; c++)
            if (cells[c] != 0) // unlike weights_are_used, takes -0 for a zero
                return true;
    }
    return false;
}

static bool copy_choices(struct tlu_model *model, const struct tlu_learner *learner)
{
    const struct learner_state *from = &learner->state;
    const struct calibration *calibration = &from->output.calibration;
    model->state.schema.frozen = true;
    model->state.scheme.kind = from->scheme.kind;
    model->state.decision.kind = from->decision.kind;
    model->state.kernel = from->kernel;
    model->recorded.version = memory_copy_text(TLU_VERSION, strlen(TLU_VERSION));
    model->state.options = options_copy(from->options);
    if (!model->recorded.version || !model->state.options ||
        !options_share_data(model->state.options, NULL) || // the caller may free it
        !decision_new_parts(&model->state.decision))
        return false;
    // After a new class, the calibration is dropped.
    return calibration->kind == CALIBRATE_NONE || calibration->classes == from->scheme.classes ||
           tlu_options_clear(model->state.options, "calibrate", NULL) == TLU_OK;
}

// ---- the state ----

static bool keep_order(struct tlu_model *model, const struct mapping *mapping)
{
    uint32_t classes = model->state.scheme.classes;
    bool same = true;
    for (uint32_t i = 0; i < classes; i++)
        same &= mapping->numbering.classes[i] == i;
    if (same)
        return true;
    model->order = memory_new(classes, sizeof *model->order);
    for (uint32_t i = 0; model->order && i < classes; i++)
        model->order[mapping->numbering.classes[i]] = i;
    return model->order != NULL;
}

// Which feature of the learner, or row in the dual form, becomes which row of the model's weights.
static bool number_features(struct mapping *mapping, bool kernel)
{
    struct numbering *numbering = &mapping->numbering;
    numbering->from = mapping->features;
    numbering->count = mapping->feature_count;
    if (!kernel)
        return true;
    uint32_t *rows = memory_new(mapping->row_count, sizeof *rows);
    for (size_t k = 0; rows && k < mapping->row_count; k++)
        rows[k] = (uint32_t)mapping->rows[k];
    numbering->from = rows;
    numbering->count = mapping->row_count;
    return rows != NULL;
}

// Allocates what state_renumber fills.
static bool new_numbers(struct tlu_model *model, const struct learned *learned,
                        const struct mapping *mapping)
{
    struct learner_state *state = &model->state;
    uint32_t groups = scheme_groups(state->scheme.kind, state->scheme.classes);
    if (model_keeps_groups(model)) {
        state->group_norm = memory_new(groups, sizeof *state->group_norm);
        state->group_updates = memory_new(groups, sizeof *state->group_updates);
        if (!state->group_norm || !state->group_updates)
            return false;
    }
    if (learned->learner->state.online.recent) {
        state->online.capacity = mapping->feature_count;
        state->online.units = memory_new(mapping->feature_count, sizeof *state->online.units);
        if (!state->online.units)
            return false;
    }
    return weights_init(&state->weights, state_columns(state), weights_parts(learned->weights),
                        learned->weights->state_start) &&
           weights_reserve(&state->weights, mapping->numbering.count);
}

static bool make_state(struct tlu_model *model, const struct learned *learned,
                       struct mapping *mapping)
{
    struct learner_state *state = &model->state;
    struct learner_state from = learned->learner->state; // with the weights that decide
    from.weights = *learned->weights;
    from.net = (struct net *)learned->net;
    // The inputs of a net are the features of the model, in the same order.
    if (from.net && from.net->shape.sizes[0] != mapping->feature_count)
        return false;
    if (!number_features(mapping, state->kernel.kind) || !new_numbers(model, learned, mapping) ||
        !state_renumber(state, &from, &mapping->numbering))
        return false;
    if (!model_keeps_state(model)) {
        weights_unscale(&state->weights);
        return true;
    }
    uint32_t groups = scheme_groups(state->scheme.kind, state->scheme.classes);
    if (state->group_norm && !learned->last) { // the norms of an earlier pass were not kept
        memset(state->group_norm, 0, groups * sizeof *state->group_norm);
        for (uint32_t c = 0; c < state->weights.columns; c++)
            state->group_norm[groups == 1 ? 0 : c] += weights_norm(&state->weights, c);
    }
    weights_forget_scales(&state->weights);
    state->schema.base = from.schema.base;
    state->schema.direct = from.schema.direct;
    return keep_order(model, mapping);
}

// The rows of each word, by the features of the model.
static bool make_words(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping)
{
    const struct word_counts *from = &learned->learner->state.words;
    struct word_counts *to = &model->state.words;
    if (!from->counts)
        return true;
    to->rows = from->rows;
    to->capacity = mapping->feature_count;
    to->counts = memory_new(mapping->feature_count, sizeof *to->counts);
    for (size_t f = 0; to->counts && f < mapping->feature_count; f++)
        to->counts[f] = word_count(from, mapping->features[f]);
    return to->counts != NULL;
}

static bool make_scaling(struct tlu_model *model, const struct learned *learned,
                         const struct mapping *mapping)
{
    struct scaling *to = &model->scaling;
    const struct scaling *from = learned->scaling;
    const struct online_scale *online = &learned->learner->state.online;
    const struct word_counts *words = &learned->learner->state.words;
    if (!online->on && (!from || !scaling_is_on(from)))
        return true;
    to->kind = !online->on ? from->kind : online->numbers ? SCALE_MAXABS : SCALE_NONE;
    to->normalize = online->on ? online->words.normalize : from->normalize;
    if (!(online->on ? online->numbers || scale_rule_counts(&online->words) : from->factor != NULL))
        return true;
    to->features = mapping->feature_count;
    to->factor = memory_new(to->features, sizeof(double));
    to->shift = memory_new(to->features, sizeof(double));
    if (!to->factor || !to->shift)
        return false;
    for (size_t f = 0; f < to->features; f++) {
        uint32_t own = mapping->features[f];
        to->factor[f] =
            online->on ? online_scale_factor(online_scale_size(online, own)) : from->factor[own];
        if (online->on && word_count(words, own))
            to->factor[f] = word_factor(&online->words, word_count(words, own), words->rows);
        to->shift[f] = online->on ? 0 : from->shift[own];
    }
    return scaling_index(to);
}

static bool make_parts(struct tlu_model *model, const struct learned *learned,
                       struct mapping *mapping)
{
    const struct learner_state *from = &learned->learner->state;
    // Only classes in use: the schema has one more if the first example of a class could not be
    // learned.
    mapping->numbering.classes = learner_order_classes(learned->learner);
    return mapping->numbering.classes && copy_choices(model, learned->learner) &&
           numbering_order_columns(&mapping->numbering, &from->scheme) &&
           make_classes(model, learned, mapping) && make_rows(mapping, learned) &&
           make_features(model, learned, mapping) &&
           make_columns(&model->state.schema, &from->schema, mapping->feature_of) &&
           make_state(model, learned, mapping) && make_supports(model, learned, mapping) &&
           make_history(model, learned, mapping) && make_words(model, learned, mapping) &&
           make_scaling(model, learned, mapping);
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
    const struct schema *own = &model->state.schema;
    return schema_columns(grown->slots.bits || schema_names(own) < schema_names(grown) ? own
                                                                                       : grown);
}

// ---- streams ----

static tlu_status report_stream(struct tlu_model *model, const struct tlu_learner *learner,
                                tlu_error *error)
{
    uint64_t *mistakes = model->recorded.mistakes = memory_new(1, sizeof *mistakes);
    if (!mistakes)
        return error_memory(error);
    mistakes[0] = learner->state.mistakes;
    model->report = (tlu_report){.examples = learner->state.examples,
                                 .features = make_feature_count(model, &learner->state.schema),
                                 .classes = learner->state.scheme.classes,
                                 .epochs = 1,
                                 .mistakes = mistakes,
                                 .updates = learner->state.updates,
                                 .slots_used = learner->state.schema.slots.used,
                                 .slots_shared = learner->state.schema.slots.shared,
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
    if (learner->state.scheme.classes < 2)
        return error_input(error, "a model needs two classes; the learner has met %u",
                           learner->state.scheme.classes);
    // The learner does not change: its scales are multiplied out in the model.
    struct learned learned = {.learner = learner, .weights = &learner->state.weights, .last = true};
    TRY(make_model(model, &learned, error));
    tlu_status status = report_stream(*model, learner, error);
    if (status != TLU_OK) {
        tlu_model_free(*model);
        *model = NULL;
    }
    return status;
}
