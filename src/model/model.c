#include "model/model.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "model/score/score_cache.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

bool supports_new(struct supports *supports, size_t count, size_t nonzeros)
{
    *supports = (struct supports){.count = count, .nonzeros = nonzeros};
    supports->row = memory_new(count, sizeof *supports->row);
    supports->features = memory_new(nonzeros, sizeof *supports->features);
    supports->values = memory_new(nonzeros, sizeof *supports->values);
    supports->norm = memory_new(count, sizeof *supports->norm);
    supports->line = memory_new(count, sizeof *supports->line);
    supports->classes = memory_new(count, sizeof *supports->classes);
    supports->alpha = memory_new(count, sizeof *supports->alpha);
    return supports->row && supports->features && supports->values && supports->norm &&
           supports->line && supports->classes && supports->alpha;
}

void supports_free(struct supports *supports)
{
    memory_free(supports->row);
    memory_free(supports->features);
    memory_free(supports->values);
    memory_free(supports->norm);
    memory_free(supports->line);
    memory_free(supports->classes);
    memory_free(supports->alpha);
    memory_free(supports->by_alpha);
    *supports = (struct supports){0};
}

static const struct learner_kind *kind_of(const struct tlu_model *model)
{
    return learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
}

bool model_can_stream(const struct tlu_model *model)
{
    return !model->kernel.kind && !(kind_of(model)->traits & (LEARNER_BATCH | LEARNER_LAYERS)) &&
           (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_LAST ||
            model->decide == DECIDE_ADAPTIVE);
}

bool model_keeps_state(const struct tlu_model *model)
{
    return model_can_stream(model) || model_has_layers(model);
}

bool model_keeps_groups(const struct tlu_model *model)
{
    return model_can_stream(model) && kind_of(model)->traits & (LEARNER_SCALE | LEARNER_GROUPS);
}

bool model_keeps_scales(const struct tlu_model *model)
{
    return model_can_stream(model) && (kind_of(model)->traits & LEARNER_SCALE ||
                                       options_number(model->options, OPTION_L2) > 0);
}

void stream_state_free(struct stream_state *stream)
{
    struct unsettled *unsettled = &stream->unsettled;
    void *parts[] = {stream->order,         stream->groups.norm,   stream->groups.updates,
                     stream->written.cells, stream->units,         unsettled->scale,
                     unsettled->sum,        unsettled->sum_at,     unsettled->w,
                     unsettled->u,          unsettled->recent_sum, unsettled->r};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    *stream = (struct stream_state){0};
}

struct tlu_model *model_new(void)
{
    struct tlu_model *model = memory_new(1, sizeof *model);
    if (model) {
        schema_init(&model->schema);
        model->positive = SCHEMA_NONE;
        model->users = 1;
    }
    return model;
}

static void model_release(struct tlu_model *model)
{
    for (size_t i = 0; i < model->report.notices; i++)
        memory_free(model->recorded.notices[i]);
    memory_free(model->recorded.version);
    tlu_options_free(model->options);
    schema_free(&model->schema);
    scaling_free(&model->scaling);
    supports_free(&model->supports);
    score_cache_free(model->score_cache);
    memory_free(model->replay.steps);
    memory_free(model->replay.gains);
    weights_free(&model->weights);
    net_free(model->net);
    stream_state_free(&model->stream);
    memory_free(model->checkpoint.bytes);
    calibration_free(&model->output.calibration);
    memory_free(model->class_examples);
    memory_free(model->recorded.data);
    memory_free(model->recorded.mistakes);
    memory_free(model->recorded.accuracy);
    memory_free(model->recorded.notices);
    memory_free(model->decided.w);
    memory_free(model->decided.bias);
    memory_free(model->decided.folded);
    memory_free(model->decided.folded_bias);
    memory_free(model);
}

void tlu_model_free(tlu_model *model)
{
    if (!model)
        return;
    struct tlu_model *owner = model->shares ? model->shares : model;
    if (model != owner) {
        score_cache_free(model->score_cache);
        memory_free(model);
    }
    assert(owner->users > 0);
    if (atomic_fetch_sub(&owner->users, 1) == 1)
        model_release(owner);
}

struct tlu_model *model_share(const struct tlu_model *model)
{
    struct tlu_model *owner = model->shares ? model->shares : (struct tlu_model *)model;
    struct tlu_model *copy = memory_new(1, sizeof *copy);
    if (!copy)
        return NULL;
    memcpy(copy, model, offsetof(struct tlu_model, score_cache));
    copy->shares = owner;
    atomic_fetch_add(&owner->users, 1);
    return copy;
}

// w . ((x - shift) * factor) + b is (w * factor) . x + (b - (w * factor) . shift): the scaling
// moves into the weights, so that a row is scored as it is.
static void fold_scaling(struct tlu_model *model)
{
    uint32_t columns = model->weights.columns;
    const struct scaling *scaling = &model->scaling;
    for (size_t f = 0; f < scaling->features; f++)
        for (uint32_t c = 0; c < columns; c++) {
            double weight = model->decided.w[f * columns + c] * scaling->factor[f];
            if (weight != 0 || signbit(weight))
                model->decided.folded[f * columns + c] = weight;
            model->decided.folded_bias[c] -= weight * scaling->shift[f];
        }
}

// Sorts supports by falling alpha, stable.
static bool sort_supports(struct supports *supports)
{
    supports->by_alpha = memory_new(supports->count, sizeof *supports->by_alpha);
    uint32_t *scratch = memory_new(supports->count, sizeof *scratch);
    bool fine = supports->by_alpha && scratch;
    uint32_t *from = supports->by_alpha, *to = scratch;
    for (size_t i = 0; fine && i < supports->count; i++)
        from[i] = (uint32_t)i;
    for (size_t width = 1; fine && width < supports->count; width *= 2) { // merge sort
        for (size_t start = 0; start < supports->count; start += 2 * width) {
            size_t middle = start + width < supports->count ? start + width : supports->count;
            size_t end = middle + width < supports->count ? middle + width : supports->count;
            for (size_t a = start, b = middle, k = start; k < end; k++) {
                bool left = b == end ||
                            (a < middle && supports->alpha[from[a]] >= supports->alpha[from[b]]);
                to[k] = left ? from[a++] : from[b++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (fine && from == scratch)
        memcpy(supports->by_alpha, from, supports->count * sizeof *from);
    memory_free(scratch);
    return fine;
}

tlu_status model_prepare(struct tlu_model *model, tlu_error *error)
{
    assert(model->schema.frozen && !model->decided.w);
    if (!sort_supports(&model->supports))
        return error_memory(error);
    const struct weights *weights = &model->weights;
    size_t features = weights->features, columns = weights->columns;
    model->decided.w = memory_new_filled(features * columns, sizeof(double), 0);
    model->decided.bias = memory_new(columns, sizeof(double));
    if (!model->decided.w || !model->decided.bias)
        return error_memory(error);
    for (size_t f = 0; f < features; f++) {
        if (!weights_are_used(weights, f)) // memory that is 0 stays untouched
            continue;
        for (uint32_t c = 0; c < columns; c++) {
            double total = weights_total(weights, f, c);
            if (total != 0 || signbit(total))
                model->decided.w[f * columns + c] = total;
        }
    }
    for (uint32_t c = 0; c < columns; c++)
        model->decided.bias[c] = weights_total_bias(weights, c);
    model->decided.divisor = weights_divisor(weights);
    if (model->scaling.kind == SCALE_NONE || model->kernel.kind || model->replay.count ||
        model->net)
        return TLU_OK; // kernels, votes and nets score scaled rows
    model->decided.folded = memory_new(features * columns, sizeof(double));
    model->decided.folded_bias = memory_new(columns, sizeof(double));
    if (!model->decided.folded || !model->decided.folded_bias)
        return error_memory(error);
    memcpy(model->decided.folded_bias, model->decided.bias, columns * sizeof(double));
    fold_scaling(model);
    return TLU_OK;
}

// ---- properties ----

const tlu_report *tlu_model_report(const tlu_model *model)
{
    return &model->report;
}

const tlu_options *tlu_model_options(const tlu_model *model)
{
    return model->options;
}

const char *tlu_model_version(const tlu_model *model)
{
    return model->recorded.version;
}

const char *tlu_model_learner(const tlu_model *model)
{
    return options_text(model->options, OPTION_LEARNER);
}

const char *tlu_model_decided_by(const tlu_model *model)
{
    return model->decide == DECIDE_ADAPTIVE ? weights_by_name(model->weights.by)
                                            : tlu_model_decision(model);
}

const char *tlu_model_decision(const tlu_model *model)
{
    return options_text(model->options, OPTION_DECIDE);
}

const char *tlu_model_scheme(const tlu_model *model)
{
    static const char *const names[] = {
        [SCHEME_TWO] = "two", [SCHEME_WTA] = "wta", [SCHEME_OVR] = "ovr", [SCHEME_OVO] = "ovo"};
    assert(model->scheme <= SCHEME_OVO);
    return names[model->scheme];
}

size_t tlu_model_class_count(const tlu_model *model)
{
    return schema_classes(&model->schema);
}

const char *tlu_model_class_label(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->schema) ? model->schema.spelled[class_index] : NULL;
}

uint64_t tlu_model_class_examples(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->schema) ? model->class_examples[class_index] : 0;
}

size_t tlu_model_class_find(const tlu_model *model, const char *label)
{
    uint32_t found = label ? schema_class_find(&model->schema, label, strlen(label)) : SCHEMA_NONE;
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

const char *tlu_model_label_column(const tlu_model *model)
{
    for (size_t i = 0; i < model->schema.column_count; i++)
        if (model->schema.columns[i].kind == COLUMN_LABEL)
            return model->schema.columns[i].name;
    return NULL;
}

size_t tlu_model_positive_class(const tlu_model *model)
{
    return model->positive == SCHEMA_NONE ? TLU_NONE : model->positive;
}

size_t tlu_model_feature_count(const tlu_model *model)
{
    return schema_features(&model->schema);
}

size_t tlu_model_feature_name(const tlu_model *model, size_t feature, char *name, size_t size)
{
    size = name ? size : 0;
    if (feature >= schema_features(&model->schema)) {
        if (size)
            name[0] = '\0';
        return 0;
    }
    return schema_name(&model->schema, (uint32_t)feature, name, size);
}

size_t tlu_model_feature_find(const tlu_model *model, const char *name)
{
    uint32_t found = name ? schema_find(&model->schema, name, strlen(name)) : SCHEMA_NONE;
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

int tlu_model_has_weights(const tlu_model *model)
{
    return model->kernel.kind == KERNEL_NONE && !model->net;
}

// The weight of a class. With two classes, the negative one has the opposite of the positive one's
// weight; in one versus one, a class has the sum over its pairs.
static double of_class(const tlu_model *model, const double *weights, size_t class_index,
                       size_t feature)
{
    uint32_t columns = model->weights.columns, c = (uint32_t)class_index;
    if (model->scheme == SCHEME_TWO)
        return (class_index == model->positive ? weights[feature] : 0 - weights[feature]) /
               model->decided.divisor;
    if (model->scheme != SCHEME_OVO)
        return weights[feature * columns + class_index] / model->decided.divisor;
    double sum = 0;
    for (uint32_t other = 0; other < schema_classes(&model->schema); other++)
        if (other != c) {
            double w = weights[feature * columns + scheme_pair(c, other)];
            sum += c > other ? w : -w;
        }
    return sum / model->decided.divisor;
}

static bool in_bounds(const tlu_model *model, size_t class_index, size_t feature)
{
    return tlu_model_has_weights(model) && class_index < schema_classes(&model->schema) &&
           feature < model->weights.features;
}

double tlu_model_weight(const tlu_model *model, size_t class_index, size_t feature)
{
    FP_ENV_DEFAULT(caller);
    if (!in_bounds(model, class_index, feature))
        return 0;
    return of_class(model, model->decided.folded ? model->decided.folded : model->decided.w,
                    class_index, feature);
}

size_t tlu_model_weights(const tlu_model *model, size_t class_index, double *weights, size_t count)
{
    FP_ENV_DEFAULT(caller);
    size_t features = tlu_model_feature_count(model);
    if (!tlu_model_has_weights(model) || class_index >= schema_classes(&model->schema))
        return 0;
    for (size_t f = 0; weights && f < features && f < count; f++)
        weights[f] = tlu_model_weight(model, class_index, f);
    return features;
}

double tlu_model_scaled_weight(const tlu_model *model, size_t class_index, size_t feature)
{
    FP_ENV_DEFAULT(caller);
    return in_bounds(model, class_index, feature)
               ? of_class(model, model->decided.w, class_index, feature)
               : 0;
}

double tlu_model_bias(const tlu_model *model, size_t class_index)
{
    FP_ENV_DEFAULT(caller);
    const double *bias =
        model->decided.folded_bias ? model->decided.folded_bias : model->decided.bias;
    return class_index < schema_classes(&model->schema) ? of_class(model, bias, class_index, 0) : 0;
}

double model_decided_bias(const tlu_model *model, size_t class_index)
{
    return of_class(model, model->decided.bias, class_index, 0);
}

size_t tlu_model_support_count(const tlu_model *model)
{
    return model->supports.count;
}

tlu_status tlu_model_support(const tlu_model *model, size_t index, tlu_support *support,
                             tlu_error *error)
{
    const struct supports *supports = &model->supports;
    if (index >= supports->count)
        return error_input(error, "there is no support %zu: the model has %zu", index,
                           supports->count);
    uint32_t s = supports->by_alpha[index];
    *support = (tlu_support){supports->line[s], supports->classes[s], supports->alpha[s]};
    return TLU_OK;
}

int tlu_model_is_scaled(const tlu_model *model)
{
    return model->scaling.kind != SCALE_NONE;
}
