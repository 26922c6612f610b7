#include "logic/network/from_model.h"

#include "base/call/fp_env.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "logic/network/propagation.h"
#include "numeric/number.h"
#include "tlu_logic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The largest |weight| or, if columns are compared, the largest difference.
static double largest_weight(const struct model_planes *planes)
{
    bool compared = planes->scheme == SCHEME_WTA || planes->scheme == SCHEME_OVR;
    double largest = 0;
    for (size_t f = 0; f < planes->features; f++) {
        const double *w = &planes->w[f * planes->columns];
        double low = w[0], high = w[0], size = 0;
        for (size_t c = 0; c < planes->columns; c++) {
            low = fmin(low, w[c]);
            high = fmax(high, w[c]);
            size = fmax(size, fabs(w[c]));
        }
        largest = fmax(largest, compared ? high - low : size);
    }
    return largest;
}

// Every comparison of two classes has a link per feature.
static bool is_too_large(const tlu_model *model)
{
    size_t classes = tlu_model_class_count(model), pairs = classes * (classes - 1) / 2;
    return classes > 2 && tlu_model_feature_count(model) > LINKS_MAX / pairs;
}

static tlu_status refuse_others(const tlu_model *model, tlu_error *error)
{
    if (!tlu_model_has_weights(model))
        return error_input(error, "the model has no weights of features, as it has a kernel or "
                                  "layers: it does not become a threshold unit");
    if (model_replays(model))
        return error_input(error,
                           "the model decides by %s over many weight vectors: it does not become "
                           "a threshold unit; train with --decide average",
                           tlu_model_decision(model));
    if (model->scaling.kind != SCALE_NONE && !model->decided.folded)
        return error_input(error, "the model scales each row in its own way: it does not become a "
                                  "threshold unit; train with --scale none");
    if (is_too_large(model))
        return error_input(error,
                           "the model has %zu classes and %zu features: to compare classes two by "
                           "two would take more than %d links",
                           tlu_model_class_count(model), tlu_model_feature_count(model), LINKS_MAX);
    return TLU_OK;
}

// Two classes with a threshold: shifts the bias by it.
static tlu_status move_to_threshold(struct model_planes *planes, tlu_error *error)
{
    const tlu_model *model = planes->model;
    if (model->scheme != SCHEME_TWO || model->output.threshold.on == THRESHOLD_NONE)
        return TLU_OK;
    double limit = output_limit(&model->output);
    if (!isfinite(limit))
        return error_input(error, "the threshold of the model gives every row the same label: find "
                                  "another by tlu threshold, or take it out by its --remove");
    planes->moved = planes->bias[0] - limit * model->decided.divisor;
    planes->bias = &planes->moved;
    return TLU_OK;
}

static tlu_status planes_of(const tlu_model *model, struct model_planes *planes, tlu_error *error)
{
    TRY(refuse_others(model, error));
    const struct decided *decided = &model->decided;
    *planes = (struct model_planes){
        .model = model,
        .w = decided->folded ? decided->folded : decided->w,
        .bias = decided->folded ? decided->folded_bias : decided->bias,
        .features = tlu_model_feature_count(model),
        .columns = model->weights.columns,
        .classes = (uint32_t)tlu_model_class_count(model),
        .positive = model->positive,
        .scheme = model->scheme,
    };
    TRY(move_to_threshold(planes, error));
    planes->largest = largest_weight(planes);
    if (!isfinite(planes->largest))
        return error_input(error, "the model has weights that are not finite");
    return TLU_OK;
}

// ---- rows to check the network with ----

static void binary_rows_free(struct binary_rows *rows)
{
    memory_free(rows->end);
    memory_free(rows->features);
    memory_free(rows->said);
}

static tlu_status refuse_value(const tlu_model *model, const char *path, uint64_t line,
                               uint32_t feature, float value, tlu_error *error)
{
    char name[128], shown[100], number[32];
    tlu_model_feature_name(model, feature, name, sizeof name);
    number_print_float(number, value);
    return error_at(error, path, line, 0,
                    "the feature '%s' is %s, and the inputs of a threshold unit are 0 or 1",
                    error_quote(shown, sizeof shown, name, strlen(name)), number);
}

static tlu_status add_batch(struct binary_rows *rows, const tlu_model *model, const char *path,
                            const tlu_reader *reader, const tlu_batch *batch, tlu_error *error)
{
    const tlu_predictions *guesses = tlu_reader_predictions(reader);
    size_t used = rows->count ? rows->end[rows->count - 1] : 0;
    size_t most = used + (batch->offsets[batch->rows] - batch->offsets[0]);
    if (!memory_reserve(&rows->end, &rows->end_capacity, rows->count + batch->rows,
                        sizeof *rows->end) ||
        !memory_reserve(&rows->said, &rows->said_capacity, rows->count + batch->rows,
                        sizeof *rows->said) ||
        !memory_reserve(&rows->features, &rows->features_capacity, most, sizeof *rows->features))
        return error_memory(error);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        for (size_t j = 0; j < row.count; j++) {
            float value = row.values ? row.values[j] : 1;
            if (value != 0 && value != 1)
                return refuse_value(model, path, model_reader_line(reader, i), row.features[j],
                                    value, error);
            if (value == 1)
                rows->features[used++] = row.features[j];
        }
        rows->said[rows->count] = guesses->classes[i];
        rows->end[rows->count++] = used;
    }
    return TLU_OK;
}

static tlu_status binary_rows_read(struct binary_rows *rows, const tlu_model *model,
                                   const char *path, const tlu_options *options, tlu_error *error)
{
    tlu_reader *reader;
    const tlu_batch *batch;
    TRY(tlu_reader_open(model, path, options, &reader, error));
    tlu_status status = tlu_reader_predict(reader, 0, NULL, NULL, error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch)
        status = add_batch(rows, model, path, reader, batch, error);
    tlu_reader_close(reader);
    if (status == TLU_OK && rows->count == 0)
        return error_at(error, path, 0, 0, "no rows to check with");
    return status;
}

// ---- construction ----
//
// Two classes become one unit. With more, a unit for each two classes j < k fires if j scores at
// least as high as k, and a unit per class fires if it wins all comparisons. One versus one has a
// unit per pair below these, for the votes.

struct network_build {
    const struct model_planes *planes;
    const struct rounded *rounded;
    struct tlu_network *network;
    struct link *links; // scratch, for one unit
    uint32_t *pair;     // [columns] one versus one: units, which fire for the later class
    uint32_t *beats;    // [pairs] comparisons
    char *name;         // scratch, for two labels
    size_t name_size;
};

static const char *label_of(const struct network_build *build, uint32_t class_index)
{
    return tlu_model_class_label(build->planes->model, class_index);
}

static const char *name_pair(struct network_build *build, uint32_t j, const char *between,
                             uint32_t k)
{
    snprintf(build->name, build->name_size, "%s%s%s", label_of(build, j), between,
             label_of(build, k));
    return build->name;
}

static bool name_inputs(struct network_build *build)
{
    const tlu_model *model = build->planes->model;
    for (size_t f = 0; f < build->planes->features; f++) {
        size_t length = tlu_model_feature_name(model, f, NULL, 0);
        char *name = memory_new(length + 1, 1);
        bool named = name && tlu_model_feature_name(model, f, name, length + 1) == length &&
                     network_name_input(build->network, f, name);
        memory_free(name);
        if (!named)
            return false;
    }
    return true;
}

// A unit with the weights of one column.
static uint32_t add_column(struct network_build *build, const char *name, size_t column)
{
    const struct model_planes *planes = build->planes;
    for (size_t f = 0; f < planes->features; f++)
        build->links[f] =
            (struct link){(uint32_t)f, build->rounded->w[f * planes->columns + column]};
    return network_add_unit(build->network, name, build->links, planes->features,
                            build->rounded->threshold[column]);
}

static bool add_two(struct network_build *build)
{
    const char *label = label_of(build, build->planes->positive);
    uint32_t unit = add_column(build, label, 0);
    return unit != SIGNAL_NONE && network_add_output(build->network, label, unit);
}

// ---- winner takes all, one versus rest ----

static uint32_t compare_scores(struct network_build *build, uint32_t j, uint32_t k)
{
    const struct model_planes *planes = build->planes;
    const struct rounded *rounded = build->rounded;
    for (size_t f = 0; f < planes->features; f++) {
        const int64_t *w = &rounded->w[f * planes->columns];
        build->links[f] = (struct link){(uint32_t)f, w[j] - w[k]};
    }
    return network_add_unit(build->network, name_pair(build, j, " >= ", k), build->links,
                            planes->features,
                            bias_threshold(rounded->scale, planes->bias[j], planes->bias[k]));
}

// ---- one versus one ----

static bool add_pairs(struct network_build *build)
{
    for (uint32_t k = 1; k < build->planes->classes; k++)
        for (uint32_t j = 0; j < k; j++) {
            uint32_t column = scheme_pair(j, k);
            build->pair[column] = add_column(build, name_pair(build, k, " against ", j), column);
            if (build->pair[column] == SIGNAL_NONE)
                return false;
        }
    return true;
}

// The sign of a pair's score for a class: + for the later class.
static int sign_in(uint32_t class_index, uint32_t other)
{
    return class_index > other ? 1 : -1;
}

// Adds the scores of a class's pairs, times `sign`, to the weights of the features and to the bias.
static void add_scores(struct network_build *build, uint32_t class_index, int sign, double *bias)
{
    const struct model_planes *planes = build->planes;
    for (uint32_t other = 0; other < planes->classes; other++) {
        if (other == class_index)
            continue;
        size_t column = scheme_pair(class_index, other);
        int factor = sign * sign_in(class_index, other);
        *bias += factor * planes->bias[column];
        for (size_t f = 0; f < planes->features; f++)
            build->links[f].weight += factor * build->rounded->w[f * planes->columns + column];
    }
}

// Adds the votes of a class, times a weight, to the links of the pairs, which follow those of the
// features. Returns the votes if no unit fires.
static int64_t add_votes(struct network_build *build, uint32_t class_index, int64_t weight)
{
    struct link *links = build->links + build->planes->features;
    int64_t constant = 0;
    for (uint32_t other = 0; other < build->planes->classes; other++) {
        if (other == class_index)
            continue;
        links[scheme_pair(class_index, other)].weight += weight * sign_in(class_index, other);
        constant += class_index < other ? weight : 0;
    }
    return constant;
}

// Votes decide first: the weight of a vote exceeds all scores.
static uint32_t compare_votes(struct network_build *build, uint32_t j, uint32_t k)
{
    const struct model_planes *planes = build->planes;
    double bias = 0;
    int64_t most = 1;
    for (size_t i = 0; i < planes->features + planes->columns; i++)
        build->links[i] = (struct link){
            i < planes->features ? (uint32_t)i : build->pair[i - planes->features], 0};
    add_scores(build, j, 1, &bias);
    add_scores(build, k, -1, &bias);
    int64_t threshold = bias_threshold(build->rounded->scale, bias, 0);
    for (size_t f = 0; f < planes->features; f++)
        most += llabs(build->links[f].weight);
    most += llabs(threshold);
    int64_t constant = add_votes(build, j, most) + add_votes(build, k, -most);
    return network_add_unit(build->network, name_pair(build, j, " >= ", k), build->links,
                            planes->features + planes->columns, threshold - constant);
}

// ---- the winner ----

static bool add_comparisons(struct network_build *build)
{
    bool by_votes = build->planes->scheme == SCHEME_OVO;
    for (uint32_t k = 1; k < build->planes->classes; k++)
        for (uint32_t j = 0; j < k; j++) {
            uint32_t unit = by_votes ? compare_votes(build, j, k) : compare_scores(build, j, k);
            if (unit == SIGNAL_NONE)
                return false;
            build->beats[scheme_pair(j, k)] = unit;
        }
    return true;
}

// Class j wins if it scores at least as high as the classes after it and higher than those before
// it.
static bool add_winners(struct network_build *build)
{
    uint32_t classes = build->planes->classes;
    for (uint32_t j = 0; j < classes; j++) {
        size_t count = 0;
        for (uint32_t k = 0; k < classes; k++)
            if (k != j)
                build->links[count++] =
                    (struct link){build->beats[scheme_pair(j, k)], j < k ? 1 : -1};
        uint32_t unit = network_add_unit(build->network, label_of(build, j), build->links, count,
                                         (int64_t)(classes - 1 - j));
        if (unit == SIGNAL_NONE || !network_add_output(build->network, label_of(build, j), unit))
            return false;
    }
    return true;
}

static bool fill_network(struct network_build *build)
{
    if (!name_inputs(build))
        return false;
    if (build->planes->scheme == SCHEME_TWO)
        return add_two(build);
    return (build->planes->scheme != SCHEME_OVO || add_pairs(build)) && add_comparisons(build) &&
           add_winners(build);
}

static size_t longest_label(const struct model_planes *planes)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < planes->classes; i++) {
        size_t length = strlen(tlu_model_class_label(planes->model, i));
        longest = length > longest ? length : longest;
    }
    return longest;
}

static tlu_status planes_network(const struct model_planes *planes, const struct rounded *rounded,
                                 struct tlu_network **network, tlu_error *error)
{
    size_t pairs = (size_t)planes->classes * (planes->classes - 1) / 2;
    struct network_build build = {.planes = planes, .rounded = rounded};
    build.network = network_new(planes->features, 0);
    build.links = memory_new(planes->features + planes->columns + pairs + planes->classes,
                             sizeof *build.links);
    build.pair = memory_new(planes->columns + 1, sizeof *build.pair);
    build.beats = memory_new(pairs + 1, sizeof *build.beats);
    build.name_size = 2 * longest_label(planes) + sizeof " against ";
    build.name = memory_new(build.name_size, 1);
    bool made = build.network && build.links && build.pair && build.beats && build.name &&
                fill_network(&build);
    memory_free(build.links);
    memory_free(build.pair);
    memory_free(build.beats);
    memory_free(build.name);
    if (made) {
        *network = build.network;
        return TLU_OK;
    }
    tlu_network_free(build.network);
    return error_memory(error);
}

// ---- comparison with the model ----

// Whether the outputs are those of the class: one output is that of the positive class, several are
// one per class.
static bool outputs_agree(const struct propagation *p, const struct model_planes *planes,
                          uint32_t class_index)
{
    const struct tlu_network *network = p->network;
    for (size_t i = 0; i < network->outputs; i++) {
        bool wanted = class_index == (network->outputs == 1 ? planes->positive : i);
        if (p->value[network->output[i].from] != wanted)
            return false;
    }
    return true;
}

// Counts the rows for which the finished network and the model disagree.
static tlu_status count_differences(const struct model_planes *planes,
                                    const struct tlu_network *network,
                                    const struct binary_rows *rows, uint64_t *differences,
                                    tlu_error *error)
{
    struct propagation p = {0};
    *differences = 0;
    bool enough = propagation_new(&p, network);
    for (size_t i = 0; enough && i < rows->count; i++) {
        size_t start = i ? rows->end[i - 1] : 0;
        propagation_clear(&p);
        for (size_t j = start; j < rows->end[i]; j++) {
            p.value[rows->features[j]] = SIGNAL_ON;
            propagation_push(&p, rows->features[j]);
        }
        propagation_run_units(&p);
        *differences += !outputs_agree(&p, planes, rows->said[i]);
        for (size_t j = start; j < rows->end[i]; j++)
            p.value[rows->features[j]] = SIGNAL_OFF;
    }
    propagation_free(&p);
    return enough_memory(enough, error);
}

// ---- entry point ----

static unsigned bits_of(const struct tlu_network *network)
{
    uint64_t largest = 0;
    unsigned bits = 1; // the sign
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            const struct link *link = &network->unit[i].links[j];
            uint64_t size = (uint64_t)llabs(link->weight);
            largest = size > largest && link->from < network->inputs ? size : largest;
        }
    while (largest >> (bits - 1))
        bits++;
    return bits;
}

static tlu_status make_network(const tlu_model *model, const tlu_quantize_settings *settings,
                               const tlu_options *options, struct binary_rows *rows,
                               tlu_quantization *quantization, tlu_error *error)
{
    struct model_planes planes;
    struct rounded rounded = {0};
    tlu_network *network = NULL;
    TRY(planes_of(model, &planes, error));
    if (settings->path)
        TRY(binary_rows_read(rows, model, settings->path, options, error));
    tlu_status status = planes_round(&planes, rows, settings->bits, &rounded, error);
    if (status == TLU_OK)
        status = planes_network(&planes, &rounded, &network, error);
    if (status == TLU_OK)
        status = count_differences(&planes, network, rows, &quantization->differences, error);
    if (status == TLU_OK) {
        quantization->bits = bits_of(network);
        quantization->exact = rounded.exact;
        quantization->rows = rows->count;
        quantization->network = network;
    } else {
        tlu_network_free(network);
    }
    rounded_free(&rounded);
    return status;
}

static tlu_status check_bits(unsigned bits, tlu_error *error)
{
    if (bits && (bits < BITS_MIN || bits > BITS_MAX))
        return error_input(error, "weights have %d to %d bits, not %u", BITS_MIN, BITS_MAX, bits);
    return TLU_OK;
}

tlu_status tlu_quantize(const tlu_model *model, const tlu_quantize_settings *settings,
                        const tlu_options *options, tlu_quantization **quantization,
                        tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_quantize_settings own;
    struct binary_rows rows = {0};
    *quantization = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_quantize_settings", error));
    TRY(check_bits(own.bits, error));
    tlu_quantization *made = memory_new(1, sizeof *made);
    TRY(enough_memory(made, error));
    tlu_status status = make_network(model, &own, options, &rows, made, error);
    binary_rows_free(&rows);
    if (status == TLU_OK)
        *quantization = made;
    else
        memory_free(made);
    return status;
}

void tlu_quantization_free(tlu_quantization *quantization)
{
    if (quantization)
        tlu_network_free((tlu_network *)quantization->network);
    memory_free(quantization);
}
