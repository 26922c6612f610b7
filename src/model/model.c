#include "model/model.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/batch.h"
#include "data/facts.h"
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
    return learner_kind_of(model->state.options);
}

bool model_can_stream(const struct tlu_model *model)
{
    return !model->state.kernel.kind &&
           !(kind_of(model)->traits & (LEARNER_BATCH | LEARNER_LAYERS)) &&
           (model->state.decision.kind == DECIDE_AVERAGE ||
            model->state.decision.kind == DECIDE_LAST ||
            model->state.decision.kind == DECIDE_ADAPTIVE);
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
                                       options_number(model->state.options, OPTION_L2) > 0);
}

struct tlu_model *model_new(void)
{
    struct tlu_model *model = memory_new(1, sizeof *model);
    if (model) {
        schema_init(&model->state.schema);
        model->state.scheme.positive = SCHEMA_NONE;
        model->users = 1;
    }
    return model;
}

static void model_release(struct tlu_model *model)
{
    for (size_t i = 0; i < model->report.notices; i++)
        memory_free(model->recorded.notices[i]);
    memory_free(model->recorded.version);
    state_free(&model->state);
    memory_free(model->order);
    scaling_free(&model->scaling);
    supports_free(&model->supports);
    score_cache_free(model->score_cache);
    memory_free(model->checkpoint.bytes);
    memory_free(model->recorded.data);
    memory_free(model->recorded.mistakes);
    memory_free(model->recorded.accuracy);
    memory_free(model->recorded.notices);
    memory_free(model->recorded.learner_reason);
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
        if (model->state.output.labels.at != owner->state.output.labels.at)
            memory_free(model->state.output.labels.at);
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
    uint32_t columns = model->state.weights.columns;
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

// Fills `decided` from settled weights. False: out of memory.
static bool decide(struct tlu_model *model, const struct weights *weights)
{
    struct decided *decided = &model->decided;
    size_t features = weights->features, columns = weights->columns;
    decided->w = memory_new_filled(features * columns, sizeof(double), 0);
    decided->bias = memory_new(columns, sizeof(double));
    if (!decided->w || !decided->bias)
        return false;
    for (size_t f = 0; f < features; f++) {
        if (!weights_are_used(weights, f)) // memory that is 0 stays untouched
            continue;
        weights_totals(weights, f, decided->w + f * columns);
    }
    for (uint32_t c = 0; c < columns; c++)
        decided->bias[c] = weights_total_bias(weights, c);
    decided->divisor = weights_divisor(weights);
    bool replayed = model_replays(model) && model->state.decision.history->count;
    if (!model->scaling.factor || model->state.kernel.kind || replayed || model->state.net)
        return true; // kernels, votes and nets score scaled rows
    decided->folded = memory_new(features * columns, sizeof(double));
    decided->folded_bias = memory_copy(decided->bias, columns, sizeof(double));
    if (!decided->folded || !decided->folded_bias)
        return false;
    fold_scaling(model);
    return true;
}

tlu_status model_prepare(struct tlu_model *model, tlu_error *error)
{
    const struct weights *weights = &model->state.weights;
    struct weights settled = {0};
    model->scaling.normalize = options_flag(model->state.options, OPTION_NORMALIZE);
    assert(model->state.schema.frozen && !model->decided.w);
    bool fine = sort_supports(&model->supports);
    if (fine && weights->scale) {
        fine = weights_copy(&settled, weights);
        weights_settle(&settled);
        weights = &settled;
    }
    fine = fine && decide(model, weights);
    weights_free(&settled);
    return enough_memory(fine, error);
}

// ---- properties ----

const tlu_report *tlu_model_report(const tlu_model *model)
{
    return &model->report;
}

const tlu_options *tlu_model_options(const tlu_model *model)
{
    return model->state.options;
}

const char *tlu_model_version(const tlu_model *model)
{
    return model->recorded.version;
}

const char *tlu_model_learner(const tlu_model *model)
{
    return options_text(model->state.options, OPTION_LEARNER);
}

const char *tlu_model_decided_by(const tlu_model *model)
{
    return model->state.decision.kind == DECIDE_ADAPTIVE ? weights_by_name(model->state.weights.by)
                                                         : tlu_model_decision(model);
}

const char *tlu_model_decision(const tlu_model *model)
{
    return options_text(model->state.options, OPTION_DECIDE);
}

const char *tlu_model_scheme(const tlu_model *model)
{
    static const char *const names[] = {[SCHEME_TWO] = "two",
                                        [SCHEME_WTA] = "wta",
                                        [SCHEME_OVR] = "ovr",
                                        [SCHEME_OVO] = "ovo",
                                        [SCHEME_MULTILABEL] = "multilabel"};
    assert(model->state.scheme.kind <= SCHEME_MULTILABEL);
    return names[model->state.scheme.kind];
}

size_t tlu_model_class_count(const tlu_model *model)
{
    return schema_classes(&model->state.schema);
}

const char *tlu_model_class_label(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->state.schema)
               ? model->state.schema.spelled[class_index]
               : NULL;
}

uint64_t tlu_model_class_examples(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->state.schema)
               ? model->state.scheme.class_examples[class_index]
               : 0;
}

size_t tlu_model_class_find(const tlu_model *model, const char *label)
{
    uint32_t found =
        label ? schema_class_find(&model->state.schema, label, strlen(label)) : SCHEMA_NONE;
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

const char *tlu_model_label_column(const tlu_model *model)
{
    const struct column *label = schema_label_column(&model->state.schema);
    return label ? label->name : NULL;
}

const char *tlu_model_text_column(const tlu_model *model)
{
    const struct column *text = schema_text_column(&model->state.schema);
    return text ? text->name : NULL;
}

const char *tlu_model_label_reason(const tlu_model *model)
{
    return label_reason_name(model->state.schema.label_reason);
}

int tlu_model_is_multilabel(const tlu_model *model)
{
    return model->state.scheme.kind == SCHEME_MULTILABEL;
}

const char *tlu_model_label_separator(const tlu_model *model)
{
    return model->state.schema.separator;
}

size_t tlu_model_positive_class(const tlu_model *model)
{
    return model->state.scheme.positive == SCHEMA_NONE ? TLU_NONE : model->state.scheme.positive;
}

size_t tlu_model_feature_count(const tlu_model *model)
{
    return schema_features(&model->state.schema);
}

size_t tlu_model_feature_name(const tlu_model *model, size_t feature, char *name, size_t size)
{
    size = name ? size : 0;
    if (feature >= schema_features(&model->state.schema)) {
        if (size)
            name[0] = '\0';
        return 0;
    }
    return schema_name(&model->state.schema, (uint32_t)feature, name, size);
}

size_t tlu_model_feature_find(const tlu_model *model, const char *name)
{
    uint32_t found = name ? schema_find(&model->state.schema, name, strlen(name)) : SCHEMA_NONE;
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

int tlu_model_has_weights(const tlu_model *model)
{
    return model->state.kernel.kind == KERNEL_NONE && !model->state.net;
}

// The weight of a class. With two classes, the negative one has the opposite of the positive one's
// weight; in one versus one, a class has the sum over its pairs.
static double total_of_class(const tlu_model *model, const double *weights, size_t class_index,
                             size_t feature)
{
    uint32_t columns = model->state.weights.columns, c = (uint32_t)class_index;
    if (model->state.scheme.kind == SCHEME_TWO)
        return class_index == model->state.scheme.positive ? weights[feature]
                                                           : 0 - weights[feature];
    if (model->state.scheme.kind != SCHEME_OVO)
        return weights[feature * columns + class_index];
    double sum = 0;
    for (uint32_t other = 0; other < schema_classes(&model->state.schema); other++)
        if (other != c) {
            double w = weights[feature * columns + scheme_pair(c, other)];
            sum += c > other ? w : -w;
        }
    return sum;
}

static double of_class(const tlu_model *model, const double *weights, size_t class_index,
                       size_t feature)
{
    return total_of_class(model, weights, class_index, feature) / model->decided.divisor;
}

static bool in_bounds(const tlu_model *model, size_t class_index, size_t feature)
{
    return tlu_model_has_weights(model) && class_index < schema_classes(&model->state.schema) &&
           feature < model->state.weights.features;
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
    if (!tlu_model_has_weights(model) || class_index >= schema_classes(&model->state.schema))
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
    return class_index < schema_classes(&model->state.schema)
               ? of_class(model, bias, class_index, 0)
               : 0;
}

// w = sum of alpha l x over the supports. The sums are divided last, as in the decided weights.
tlu_status tlu_model_kernel_weights(const tlu_model *model, size_t class_index, double *weights,
                                    double *bias, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct supports *supports = &model->supports;
    const struct scaling *scaling = &model->scaling;
    if (model->state.kernel.kind != KERNEL_LINEAR || model_replays(model))
        return error_input(error, "only a model with the kernel linear and without a vote has "
                                  "weights that its examples add up to");
    if (class_index >= schema_classes(&model->state.schema))
        return error_input(error, "there is no class %zu: the model has %u", class_index,
                           schema_classes(&model->state.schema));
    size_t features = tlu_model_feature_count(model);
    memset(weights, 0, features * sizeof *weights);
    for (size_t s = 0; s < supports->count; s++) {
        double total = total_of_class(model, model->decided.w, class_index, s);
        const tlu_row *x = &supports->row[s];
        for (size_t i = 0; i < x->count; i++)
            weights[row_feature(x, i)] += total * (x->values ? (double)x->values[i] : 1);
    }
    *bias = of_class(model, model->decided.bias, class_index, 0);
    for (size_t f = 0; f < features; f++) {
        weights[f] = 0 + weights[f] / model->decided.divisor; // never -0
        if (scaling->factor && f < scaling->features) {
            weights[f] *= scaling->factor[f];
            *bias -= weights[f] * scaling->shift[f];
        }
    }
    return TLU_OK;
}

// Bernoulli keeps q_i and the prior in the states of the weights and of the bias. In a multinomial
// model a word that is absent adds nothing, so that p_i is w_i and the prior is w_0.
tlu_status tlu_model_log_odds(const tlu_model *model, size_t class_index, double *present,
                              double *absent, double *prior, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct weights *weights = &model->state.weights;
    const struct learner_kind *kind = learner_kind_of(model->state.options);
    bool bernoulli = kind->traits & LEARNER_LOG_ODDS;
    if (!(kind->traits & LEARNER_COUNTS))
        return error_input(error,
                           "the weights of %s are not log odds; those of bernoulli-bayes "
                           "and multinomial-bayes are",
                           kind->info.name);
    if (bernoulli && !weights->state)
        return error_input(error,
                           "the model was trained by tlu %s, which did not keep the log "
                           "odds; train it again",
                           model->recorded.version);
    if (class_index >= schema_classes(&model->state.schema))
        return error_input(error, "there is no class %zu: the model has %u", class_index,
                           schema_classes(&model->state.schema));
    for (size_t f = 0; f < tlu_model_feature_count(model); f++) {
        absent[f] = bernoulli ? of_class(model, weights->state, class_index, f) : 0;
        present[f] = absent[f] + of_class(model, model->decided.w, class_index, f);
    }
    *prior = of_class(model, bernoulli ? weights->state_bias : model->decided.bias, class_index, 0);
    return TLU_OK;
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
    size_t own = supports->classes[s];
    bool none = own == schema_classes(&model->state.schema); // of --multilabel
    *support = (tlu_support){supports->line[s], none ? TLU_NONE : own, supports->alpha[s]};
    return TLU_OK;
}

int tlu_model_is_scaled(const tlu_model *model)
{
    return model->scaling.kind != SCALE_NONE || model->scaling.normalize ||
           options_flag(model->state.options, OPTION_TFIDF);
}
