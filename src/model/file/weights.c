// WGHT, RAND, SCAL, UNIT, NET: the numbers at the end of the training. The layers of an interrupted
// run, in its own order of classes, are in NETR (run.c).
#include "base/memory.h"
#include "learn/online_scale.h"
#include "model/file/sections.h"

#include <math.h>
#include <string.h>

// WGHT has settled weights, which predict; the others are in LIVE.
struct settled_cells {
    const struct weights *weights;
    const double *cells;
};

static void settle_piece(void *context, size_t first, size_t count, double *to)
{
    const struct settled_cells *settled = context;
    weights_settled_cells(settled->weights, settled->cells, first, count, to);
}

void put_settled(struct packer *out, const struct weights *weights, const double *cells)
{
    size_t count = weights->features * weights->columns;
    if (weights->scale)
        put_computed(out, settle_piece, &(struct settled_cells){weights, cells}, count);
    else
        put_numbers(out, cells, count);
}

static void state_piece(void *weights, size_t first, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = weights_state(weights, first + i);
}

void put_weights(struct packer *out, const tlu_model *model)
{
    const struct weights *weights = &model->state.weights;
    put_fixed(out, weights->u != NULL, 1);
    put_fixed(out, weights->state != NULL, 1);
    put_double(out, weights->steps);
    if (weights->state)
        put_double(out, weights->state_start);
    put_numbers(out, weights->bias, weights->columns);
    put_settled(out, weights, weights->w);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_settled(out, weights, weights->u);
    }
    if (weights->state) {
        put_numbers(out, weights->state_bias, weights->columns);
        put_computed(out, state_piece, (void *)weights, weights->features * weights->columns);
    }
}

// A batch learner has no sequence of weights to average.
static bool has_sums(const tlu_model *model)
{
    const struct learner_kind *kind = learner_kind_of(model->state.options);
    return (model->state.decision.kind == DECIDE_AVERAGE ||
            model->state.decision.kind == DECIDE_ADAPTIVE) &&
           !(kind->traits & LEARNER_BATCH);
}

static bool has_state(const tlu_model *model)
{
    const struct learner_kind *kind = learner_kind_of(model->state.options);
    return kind->traits & LEARNER_STATE ||
           options_choice(model->state.options, OPTION_SCHEDULE) == SCHEDULE_ADAGRAD;
}

// States that version 0.1.0 did not write.
static bool may_have_log_odds(const tlu_model *model)
{
    return learner_kind_of(model->state.options)->traits & LEARNER_LOG_ODDS;
}

// Reads whether optional numbers of the weights are stored, and checks that the options require it.
static bool get_part(struct unpack *in, bool expected, const char *what)
{
    bool found = unpack_choice(in, 1, "a flag") != 0;
    if (found != expected)
        unpack_damaged(in, "%s %s", what, found ? "should not be there" : "are missing");
    return found;
}

static double get_steps(struct unpack *in, bool average)
{
    bool replays = model_replays(in->model);
    return unpack_steps(in, replays ? 1 : average ? DBL_MIN : 0, replays);
}

bool unpack_new_weights(struct unpack *in, struct weights *weights, uint32_t columns,
                        unsigned parts, double state_start, size_t rows)
{
    uint64_t count = (uint64_t)rows * columns;
    unsigned arrays = 1u + (parts & WEIGHTS_AVERAGE ? 1u : 0u) + (parts & WEIGHTS_STATE ? 1u : 0u);
    if (!unpack_numbers_fit(in, count) || !unpack_numbers_fit(in, arrays * count) ||
        !unpack_numbers_fit(in, columns))
        return false;
    if (weights_init(weights, columns, parts, state_start) && weights_reserve(weights, rows))
        return true;
    unpack_checked(in, NULL);
    return false;
}

void unpack_vectors(struct unpack *in, struct weights *weights)
{
    size_t count = weights->features * weights->columns;
    unpack_numbers(in, weights->bias, weights->columns);
    unpack_cells(in, weights->w, count);
    if (weights->u) {
        unpack_numbers(in, weights->u_bias, weights->columns);
        unpack_cells(in, weights->u, count);
    }
}

void unpack_states(struct unpack *in, struct weights *weights)
{
    unpack_numbers(in, weights->state_bias, weights->columns);
    unpack_cells(in, weights->state, weights->features * weights->columns);
}

void unpack_weights(struct unpack *in)
{
    tlu_model *model = in->model;
    struct weights *weights = &model->state.weights;
    size_t rows =
        model->state.kernel.kind ? model->supports.count : schema_features(&model->state.schema);
    bool average = get_part(in, has_sums(model), "the sums for the average");
    bool stateful = may_have_log_odds(model) ? unpack_choice(in, 1, "a flag") != 0
                                             : get_part(in, has_state(model), "the states");
    double steps = get_steps(in, average);
    double state_start = stateful ? unpack_number(in, CODE_DOUBLE) : 0;
    unsigned parts = (average ? WEIGHTS_AVERAGE : 0u) | (stateful ? WEIGHTS_STATE : 0u);
    uint32_t columns =
        scheme_columns(model->state.scheme.kind, schema_classes(&model->state.schema));
    if (unpack_failed(in) || !unpack_new_weights(in, weights, columns, parts, state_start, rows))
        return;
    weights->steps = steps;
    unpack_vectors(in, weights);
    if (!stateful)
        return;
    unpack_states(in, weights);
    for (size_t i = 0; i < rows * columns && !unpack_failed(in); i++)
        if (weights->state[i] == state_start) // as a feature that never occurred; see get_written
            weights->state[i] = 0;
}

// ---- RAND ----

void put_random_state(struct packer *out, const struct random *random)
{
    for (int i = 0; i < 4; i++)
        put_fixed(out, random->state[i], 8);
}

void unpack_random_state(struct unpack *in, struct random *random)
{
    uint64_t any = 0;
    for (int i = 0; i < 4; i++)
        any |= random->state[i] = unpack_fixed(in, 8);
    if (any == 0) // it would stay 0 for ever
        unpack_damaged(in, "a state of nothing but zeros");
}

void put_random(struct packer *out, const tlu_model *model)
{
    put_random_state(out, &model->state.random);
}

void unpack_random(struct unpack *in)
{
    unpack_random_state(in, &in->model->state.random);
}

// ---- SCAL ----

// What UNIT has of a feature beside its mean square: its number of values, plus this times
// their kinds.
#define UNIT_KINDS 2048

void put_scaling(struct packer *out, const tlu_model *model)
{
    const struct scaling *scaling = &model->scaling;
    if (scaling->kind == SCALE_NONE)
        return;
    put_fixed(out, (uint64_t)scaling->kind, 1);
    put_numbers(out, scaling->factor, scaling->features);
    put_numbers(out, scaling->shift, scaling->features);
}

void unpack_scaling(struct unpack *in)
{
    struct scaling *scaling = &in->model->scaling;
    // Those from online on are ways to come to one of the others.
    scaling->kind = (int)unpack_choice(in, SCALE_ONLINE - 1, "the kind of scaling");
    if (scaling->kind == SCALE_NONE)
        unpack_damaged(in, "the kind of scaling is 0");
    scaling->features = schema_features(&in->model->state.schema);
    scaling->factor = unpack_new_numbers(in, scaling->features);
    scaling->shift = unpack_new_numbers(in, scaling->features);
    if (!unpack_failed(in) && !scaling_index(scaling))
        unpack_checked(in, NULL);
}

// ---- UNIT ----

void put_units(struct packer *out, const tlu_model *model)
{
    const struct scale_unit *units = model->state.online.units;
    size_t features = model->scaling.features;
    if (!units)
        return;
    for (size_t f = 0; f < features; f++)
        put_count(out, units[f].count + (uint64_t)UNIT_KINDS * units[f].kind);
    for (size_t f = 0; f < features; f++)
        if (units[f].count)
            put_double(out, units[f].square);
}

void unpack_units(struct unpack *in)
{
    struct tlu_model *model = in->model;
    size_t features = schema_features(&model->state.schema);
    if (options_choice(model->state.options, OPTION_SCALE) != SCALE_RECENT ||
        model->scaling.features != features)
        unpack_damaged(in, "it should not be there");
    if (!unpack_failed(in) && features > unpack_left(in)) // a byte each at least
        unpack_damaged(in, "it is too short for the features");
    if (unpack_failed(in))
        return;
    model->state.online.capacity = features;
    model->state.online.units =
        unpack_checked(in, memory_new(features, sizeof *model->state.online.units));
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        uint64_t about = unpack_count(in), count = about % UNIT_KINDS, kind = about / UNIT_KINDS;
        bool word = kind == UNIT_WORD;
        if (count > ONLINE_SCALE_VALUES || (kind > (UNIT_ONE | UNIT_FRACTION) && !word) ||
            (!word && !count != !(model->scaling.factor[f] > 0)))
            unpack_damaged(in, "the counted values of a feature are %llu",
                           (unsigned long long)about);
        if (unpack_failed(in))
            return;
        model->state.online.units[f].count = (uint16_t)count;
        model->state.online.units[f].kind = (uint16_t)kind;
    }
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        if (!model->state.online.units[f].count)
            continue;
        model->state.online.units[f].square = unpack_number(in, CODE_DOUBLE);
        if (!(model->state.online.units[f].square >= 0))
            unpack_damaged(in, "a mean square is below 0");
    }
}

// ---- DOCS ----

void put_words(struct packer *out, const tlu_model *model)
{
    const struct word_counts *words = &model->state.words;
    if (!words->counts)
        return;
    put_count(out, words->rows);
    for (size_t f = 0; f < schema_features(&model->state.schema); f++)
        put_count(out, word_count(words, f));
}

// The factors of words follow from their counts.
void unpack_words(struct unpack *in)
{
    struct tlu_model *model = in->model;
    struct scaling *scaling = &model->scaling;
    const struct scale_rule rule = scale_rule_of(model->state.options, SCALE_NONE);
    struct word_counts *words = &model->state.words;
    size_t features = schema_features(&model->state.schema);
    if (!scale_rule_counts(&rule))
        unpack_damaged(in, "it should not be there");
    words->rows = unpack_count(in);
    if (!unpack_failed(in) && features > unpack_left(in)) // a byte each at least
        unpack_damaged(in, "it is too short for the features");
    if (unpack_failed(in))
        return;
    words->capacity = features;
    words->counts = unpack_checked(in, memory_new(features, sizeof *words->counts));
    if (!scaling->factor) {
        scaling->features = features;
        scaling->factor = unpack_checked(in, memory_new(features, sizeof *scaling->factor));
        scaling->shift = unpack_checked(in, memory_new(features, sizeof *scaling->shift));
        for (size_t f = 0; !unpack_failed(in) && f < features; f++)
            scaling->factor[f] = 1;
    }
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        uint64_t count = unpack_count(in);
        if (count > words->rows || count > UINT32_MAX)
            unpack_damaged(in, "a word is in %llu of %llu rows", (unsigned long long)count,
                           (unsigned long long)words->rows);
        words->counts[f] = (uint32_t)count;
        if (count)
            scaling->factor[f] = word_factor(&rule, count, words->rows);
    }
    if (!unpack_failed(in) && !scaling_index(scaling))
        unpack_checked(in, NULL);
}

// ---- NET ----

static void put_float(struct packer *out, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    out->infinite = out->infinite || !isfinite(number);
    put_fixed(out, bits, sizeof bits);
}

// Row by row, the biases last.
static void put_cells(struct packer *out, const struct layer *layer, const float *cells)
{
    for (size_t i = 0; i <= layer->inputs; i++)
        for (size_t j = 0; j < layer->units; j++)
            put_float(out, cells[i * layer->wide + j]);
}

void put_layers(struct packer *out, const struct net *net)
{
    put_count(out, net->steps);
    put_count(out, net->unsure);
    for (size_t l = 0; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        put_cells(out, layer, layer->w);
        put_cells(out, layer, layer->m);
        if (layer->v)
            put_cells(out, layer, layer->v);
    }
}

static void get_cells(struct unpack *in, const struct layer *layer, float *cells, bool squares)
{
    for (size_t i = 0; i <= layer->inputs && !unpack_failed(in); i++)
        for (size_t j = 0; j < layer->units && !unpack_failed(in); j++) {
            uint32_t bits = (uint32_t)unpack_fixed(in, sizeof bits);
            float number;
            memcpy(&number, &bits, sizeof number);
            if (!isfinite(number) || (squares && number < 0))
                unpack_damaged(in, "a number is not one that a net can have");
            cells[i * layer->wide + j] = number;
        }
}

// The numbers of a layer, w and m and perhaps v, are the bytes of the section.
static bool fits(struct unpack *in, const struct net_shape *shape)
{
    uint64_t cells = 0, most = unpack_left(in);
    for (size_t l = 0; l < shape->depth && cells <= most; l++)
        cells += ((uint64_t)shape->sizes[l] + 1) * shape->sizes[l + 1];
    if (cells > most || cells * sizeof(float) * (shape->adam ? 3 : 2) > most)
        unpack_damaged(in, "the section is too short for a net of this size");
    return !unpack_failed(in);
}

struct net *unpack_layers(struct unpack *in, const struct net_shape *shape)
{
    uint64_t steps = unpack_count(in), unsure = unpack_count(in);
    struct net *net = fits(in, shape) ? unpack_checked(in, net_new(shape)) : NULL;
    if (!net)
        return NULL;
    net->steps = steps;
    net->unsure = unsure;
    for (size_t l = 0; l < shape->depth; l++) {
        struct layer *layer = &net->layers[l];
        get_cells(in, layer, layer->w, false);
        get_cells(in, layer, layer->m, false);
        if (layer->v)
            get_cells(in, layer, layer->v, true);
    }
    return net;
}

// ---- NET ----

void put_net(struct packer *out, const tlu_model *model)
{
    if (model->state.net)
        put_layers(out, model->state.net);
}

void unpack_net(struct unpack *in)
{
    tlu_model *model = in->model;
    const tlu_options *options = model->state.options;
    struct net_shape shape = {.activation =
                                  (enum activation)options_choice(options, OPTION_ACTIVATION),
                              .bias = !options_flag(options, OPTION_NO_BIAS),
                              .adam = options_choice(options, OPTION_OPTIMIZER) == OPTIMIZER_ADAM};
    if (!model_has_layers(model))
        unpack_damaged(in, "layers should not be there");
    else if (net_parse_hidden(&shape, options_text(options, OPTION_HIDDEN), NULL) != TLU_OK)
        unpack_damaged(in, "the sizes of the layers are not known");
    if (unpack_failed(in))
        return;
    shape.sizes[0] = schema_features(&model->state.schema);
    shape.sizes[shape.depth] =
        scheme_columns(model->state.scheme.kind, schema_classes(&model->state.schema));
    model->state.net = unpack_layers(in, &shape);
}
