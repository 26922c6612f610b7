// Makes a learner from a model, in the state in which the model was made.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/large.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "model/make/internal.h"
#include "train/train.h"
#include "train/unite.h"

#include <string.h>

// Adds the classes in the order in which they first occurred.
static tlu_status add_classes(struct tlu_learner *learner, const tlu_model *model,
                              struct numbering *numbering, tlu_error *error)
{
    const struct learner_state *from = &model->state;
    uint32_t classes = from->scheme.classes;
    numbering->classes = memory_new(classes, sizeof *numbering->classes);
    if (!numbering->classes)
        return error_memory(error);
    for (uint32_t i = 0; i < classes; i++) {
        uint32_t c = numbering->classes[i] = model->order ? model->order[i] : i;
        const char *label = from->schema.spelled[c];
        if (schema_class_add(&learner->state.schema, label, strlen(label)) != i)
            return error_memory(error);
    }
    TRY(learner_add_classes(learner, classes, error));
    return enough_memory(numbering_order_columns(numbering, &learner->state.scheme), error);
}

// The number that a feature of the model has in a growing schema; SCHEMA_NONE: out of memory.
static uint32_t add_feature(struct schema *schema, const struct schema *from, uint32_t feature)
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

// Adds the model's features to a growing schema, and rows for their weights. Names keep their
// order, because rows are summed up in it. Fills numbers[features].
static bool add_features(struct tlu_learner *learner, const tlu_model *model, uint32_t *numbers)
{
    const struct schema *from = &model->state.schema;
    struct schema *to = &learner->state.schema;
    to->format = from->format;
    to->base = from->numbered && !from->slots.bits ? SCHEMA_DIRECT : from->base;
    to->direct = from->direct;
    if (from->slots.bits && !learner_reserve(learner))
        return false;
    for (uint32_t f = 0; f < schema_features(from); f++) {
        numbers[f] = add_feature(to, from, f);
        if (numbers[f] == SCHEMA_NONE || !learner_reserve(learner) ||
            weights_add_row(&learner->state.weights, numbers[f]) == SIZE_MAX)
            return false;
    }
    return learner_reserve(learner) &&
           (!learner->state.online.on || online_scale_reserve(learner, 0));
}

// Sets the units of features, and the rows that words have occurred in.
static void restore_scaling(struct learner_state *state, const tlu_model *model,
                            const uint32_t *numbers)
{
    bool texts = schema_has_texts(&model->state.schema);
    for (uint32_t f = 0; state->online.on && f < schema_features(&model->state.schema); f++) {
        struct scale_unit *unit = &state->online.units[numbers[f]];
        if (texts && schema_is_word(&model->state.schema, f))
            *unit = word_unit;
        else if (!state->online.numbers)
            unit->size = 1;
        else if (f < model->scaling.features)
            unit->size = online_scale_largest(model->scaling.factor[f]);
        if (state->words.counts)
            state->words.counts[numbers[f]] = word_count(&model->state.words, f);
    }
    state->words.rows = model->state.words.rows;
}

// Fills `numbering` and `numbers`.
static tlu_status restore(struct tlu_learner *learner, const tlu_model *model,
                          struct numbering *numbering, uint32_t *numbers, tlu_error *error)
{
    struct learner_state *state = &learner->state;
    TRY(enough_memory(numbers != NULL, error));
    TRY(add_classes(learner, model, numbering, error));
    TRY(enough_memory(add_features(learner, model, numbers), error));
    TRY(enough_memory(make_columns(&state->schema, &model->state.schema, model->state.schema.ids),
                      error));
    numbering->to = numbers;
    numbering->count = schema_features(&model->state.schema);
    TRY(enough_memory(state_renumber(state, &model->state, numbering), error));
    restore_scaling(state, model, numbers);
    return TLU_OK;
}

tlu_status resume_learner(struct tlu_learner *learner, const tlu_model *model, tlu_error *error)
{
    struct numbering numbering = {0};
    uint32_t *numbers = memory_new(schema_features(&model->state.schema), sizeof *numbers);
    tlu_status status = restore(learner, model, &numbering, numbers, error);
    numbering_free(&numbering);
    memory_free(numbers);
    TRY(status);
    guard_measure(learner, &model->state.weights);
    learner->state.examples = (uint64_t)model->state.weights.steps;
    learner->state.updates = model->report.updates;
    learner->state.mistakes = 0;
    for (uint64_t i = 0; i < model->report.epochs; i++)
        learner->state.mistakes += model->report.mistakes[i];
    return TLU_OK;
}

// ---- a training that starts from a model ----

// Numbers the features of the model in the schema of the learner, which has them.
static bool find_features(struct tlu_learner *learner, const tlu_model *model, uint32_t *numbers)
{
    for (uint32_t f = 0; f < schema_features(&model->state.schema); f++) {
        numbers[f] = add_feature(&learner->state.schema, &model->state.schema, f);
        if (numbers[f] == SCHEMA_NONE || !learner_reserve(learner) ||
            weights_add_row(&learner->state.weights, numbers[f]) == SIZE_MAX)
            return false;
    }
    return true;
}

static tlu_status start_state(struct tlu_learner *learner, const tlu_model *model,
                              struct numbering *numbering, uint32_t *numbers, tlu_error *error)
{
    struct learner_state *state = &learner->state;
    struct random random = state->random;
    uint64_t *counted = state->scheme.class_examples;
    size_t count = state->scheme.class_examples_count;
    uint32_t classes = model->state.scheme.classes;
    numbering->classes = memory_new(classes, sizeof *numbering->classes);
    TRY(enough_memory(numbers && numbering->classes, error));
    for (uint32_t i = 0; i < classes; i++) // unite_pack has kept this order
        numbering->classes[i] = model->order ? model->order[i] : i;
    TRY(learner_add_classes(learner, classes, error));
    TRY(enough_memory(numbering_order_columns(numbering, &state->scheme) &&
                          find_features(learner, model, numbers),
                      error));
    numbering->to = numbers;
    numbering->count = schema_features(&model->state.schema);
    bool fine = state_renumber(state, &model->state, numbering);
    if (state->scheme.class_examples != counted)
        memory_free(state->scheme.class_examples);
    state->scheme.class_examples = counted; // those of the data
    state->scheme.class_examples_count = count;
    TRY(enough_memory(fine, error));
    calibration_free(&state->output.calibration);
    memory_free(state->output.labels.at);
    state->output = (struct score_output){0};
    state->random = random;
    state->examples = (uint64_t)model->state.weights.steps;
    state->mistakes = state->updates = 0; // the report is about this training
    guard_measure(learner, &model->state.weights);
    return TLU_OK;
}

static tlu_status start_scaling(struct training *t, const tlu_model *model, const uint32_t *numbers,
                                tlu_error *error)
{
    const struct scaling *from = &model->scaling;
    struct scaling *to = &t->rows.scaling;
    struct word_counts *words = &t->learner.state.words;
    size_t features = schema_features(&t->learner.state.schema);
    *to = (struct scaling){.kind = from->kind, .normalize = from->normalize};
    if (model->state.words.counts) {
        words->rows = model->state.words.rows;
        words->capacity = features;
        words->counts = memory_new(features, sizeof *words->counts);
        TRY(enough_memory(words->counts != NULL, error));
        for (size_t f = 0; f < model->state.words.capacity; f++)
            words->counts[numbers[f]] = model->state.words.counts[f];
    }
    if (!from->factor)
        return TLU_OK;
    to->features = features;
    to->factor = memory_new(features, sizeof *to->factor);
    to->shift = memory_new(features, sizeof *to->shift);
    TRY(enough_memory(to->factor && to->shift, error));
    for (size_t f = 0; f < features; f++)
        to->factor[f] = 1; // of features that the model does not have
    for (size_t f = 0; f < from->features; f++) {
        to->factor[numbers[f]] = from->factor[f];
        to->shift[numbers[f]] = from->shift[f];
    }
    return enough_memory(scaling_index(to), error);
}

tlu_status start_load(struct training *t, tlu_error *error)
{
    const tlu_model *model = t->start.model;
    struct numbering numbering = {0};
    uint32_t *numbers = memory_new(schema_features(&model->state.schema), sizeof *numbers);
    tlu_status status = start_state(&t->learner, model, &numbering, numbers, error);
    if (status == TLU_OK)
        status = start_scaling(t, model, numbers, error);
    numbering_free(&numbering);
    memory_free(numbers);
    return status;
}

void start_pack(struct packet *packet, const tlu_model *model)
{
    unite_pack(packet, &model->state.schema, model->order);
}

// Moves the means that were subtracted into the biases: w (x - shift) factor + b is w x factor + (b
// - w shift factor). So a stream continues with standardised data as if it had only been divided,
// and scores stay the same.
static void unshift(struct tlu_learner *learner, const tlu_model *model)
{
    struct weights *own = &learner->state.weights;
    const struct schema *from = &model->state.schema;
    weights_settle(own);
    for (uint32_t f = 0; f < model->scaling.features; f++) {
        double by = model->scaling.shift[f] * model->scaling.factor[f];
        size_t row =
            weights_row(own, f < from->numbered ? from->ids[f]
                                                : learner->state.schema.base + f - from->numbered);
        for (uint32_t c = 0; by != 0 && row != SIZE_MAX && c < own->columns; c++) {
            own->bias[c] -= own->w[row * own->columns + c] * by;
            if (own->u)
                own->u_bias[c] -= own->u[row * own->columns + c] * by;
        }
    }
    uint32_t groups = scheme_groups(learner->state.scheme.kind, learner->state.scheme.classes);
    for (uint32_t g = 0; g < groups && learner->rule.kind->traits & LEARNER_SCALE; g++) {
        learner->state.group_norm[g] = 0;
        for (uint32_t c = 0; c < own->columns; c++)
            if (groups == 1 || c == g)
                learner->state.group_norm[g] += weights_norm(own, c);
    }
}

// Fails if a stream cannot continue with the model.
static tlu_status check_can_stream(const tlu_model *model, tlu_error *error)
{
    const char *decide = options_text(model->state.options, OPTION_DECIDE);
    if (model->state.kernel.kind)
        return error_input(error, "a model with a kernel cannot go on with a stream: its weights "
                                  "are those of its training rows; train without --kernel");
    if (model->state.decision.kind != DECIDE_AVERAGE && model->state.decision.kind != DECIDE_LAST &&
        model->state.decision.kind != DECIDE_ADAPTIVE)
        return error_input(error,
                           "a model of --decide %s cannot go on with a stream: train with --decide "
                           "average or last",
                           decide);
    if (model->state.net)
        return error_input(error, "a model with layers cannot go on with a stream: they are made "
                                  "for its features and classes; train another learner");
    if (!model_can_stream(model))
        return error_input(error,
                           "a model of %s cannot go on with a stream: that learner looks at all "
                           "rows at once; train another one",
                           tlu_model_learner(model));
    if (model->scaling.normalize && model->scaling.shifted_count)
        return error_input(error, "a model that standardises numbers and normalises rows cannot go "
                                  "on with a stream; train with --scale maxabs or none");
    if (model_keeps_groups(model) && !model->state.group_norm)
        return error_input(error, "a model of %s without a section LIVE cannot go on with a stream",
                           tlu_model_learner(model));
    return TLU_OK;
}

// A new learner with the model's options, except for a scaling that streams do not have.
static tlu_status new_learner(const tlu_model *model, tlu_learner **learner, tlu_error *error)
{
    tlu_options *options = options_copy(model->state.options);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK && model->scaling.kind == SCALE_STANDARD)
        status = tlu_options_set(options, "scale", "maxabs", error);
    if (status == TLU_OK && model->state.output.calibration.kind == CALIBRATE_NONE)
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
    if (status != TLU_OK) {
        tlu_learner_free(*learner);
        *learner = NULL;
        return status;
    }
    if (model->scaling.kind == SCALE_STANDARD)
        unshift(*learner, model);
    return TLU_OK;
}
