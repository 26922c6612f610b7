// The network: for two classes one unit; for several, comparisons of each two classes j < k, which
// fire if j is at least as good as k, and then a unit per class, which fires if it has won them
// all. One versus one has a unit per pair below these, for the votes.
#include "logic/from/from.h"

#include "base/error.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
    const struct planes *planes;
    const struct rounded *rounded;
    struct tlu_network *network;
    struct link *links; // room for those of a unit
    uint32_t *pair;     // [columns] one versus one: units, which fire for the later class
    uint32_t *beats;    // [pairs] comparisons
    char *name;         // room for two labels
    size_t name_size;
};

static const char *label_of(const struct build *build, uint32_t class_index)
{
    return tlu_model_class_label(build->planes->model, class_index);
}

static const char *name_pair(struct build *build, uint32_t j, const char *between, uint32_t k)
{
    snprintf(build->name, build->name_size, "%s%s%s", label_of(build, j), between,
             label_of(build, k));
    return build->name;
}

static bool name_inputs(struct build *build)
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
static uint32_t add_column(struct build *build, const char *name, size_t column)
{
    const struct planes *planes = build->planes;
    for (size_t f = 0; f < planes->features; f++)
        build->links[f] =
            (struct link){(uint32_t)f, build->rounded->w[f * planes->columns + column]};
    return network_add_unit(build->network, name, build->links, planes->features,
                            build->rounded->threshold[column]);
}

static bool add_two(struct build *build)
{
    const char *label = label_of(build, build->planes->positive);
    uint32_t unit = add_column(build, label, 0);
    return unit != SIGNAL_NONE && network_add_output(build->network, label, unit);
}

// ---- winner takes all, one versus rest ----

static uint32_t compare_scores(struct build *build, uint32_t j, uint32_t k)
{
    const struct planes *planes = build->planes;
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

static bool add_pairs(struct build *build)
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

// The sign with which the score of a pair counts for a class: for the later one as it is.
static int sign_in(uint32_t class_index, uint32_t other)
{
    return class_index > other ? 1 : -1;
}

// What the pairs of a class say for it, times `sign`: adds to the weights of the features and to
// the bias.
static void add_scores(struct build *build, uint32_t class_index, int sign, double *bias)
{
    const struct planes *planes = build->planes;
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

// The votes of a class, times a weight: adds to the links of the pairs, which come after those of
// the features; returns what is there without any unit firing.
static int64_t add_votes(struct build *build, uint32_t class_index, int64_t weight)
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

// Votes first: each counts for more than all scores can make up for.
static uint32_t compare_votes(struct build *build, uint32_t j, uint32_t k)
{
    const struct planes *planes = build->planes;
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

static bool add_comparisons(struct build *build)
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

// Class j has won if it is at least as good as those after it, and none before it is as good.
static bool add_winners(struct build *build)
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

static bool fill(struct build *build)
{
    if (!name_inputs(build))
        return false;
    if (build->planes->scheme == SCHEME_TWO)
        return add_two(build);
    return (build->planes->scheme != SCHEME_OVO || add_pairs(build)) && add_comparisons(build) &&
           add_winners(build);
}

static size_t longest_label(const struct planes *planes)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < planes->classes; i++) {
        size_t length = strlen(tlu_model_class_label(planes->model, i));
        longest = length > longest ? length : longest;
    }
    return longest;
}

tlu_status planes_network(const struct planes *planes, const struct rounded *rounded,
                          struct tlu_network **network, tlu_error *error)
{
    size_t pairs = (size_t)planes->classes * (planes->classes - 1) / 2;
    struct build build = {.planes = planes, .rounded = rounded};
    build.network = network_new(planes->features, 0);
    build.links = memory_new(planes->features + planes->columns + pairs + planes->classes,
                             sizeof *build.links);
    build.pair = memory_new(planes->columns + 1, sizeof *build.pair);
    build.beats = memory_new(pairs + 1, sizeof *build.beats);
    build.name_size = 2 * longest_label(planes) + sizeof " against ";
    build.name = memory_new(build.name_size, 1);
    bool made =
        build.network && build.links && build.pair && build.beats && build.name && fill(&build);
    memory_free(build.links);
    memory_free(build.pair);
    memory_free(build.beats);
    memory_free(build.name);
    if (made) {
        *network = build.network;
        return TLU_OK;
    }
    network_free(build.network);
    return error_memory(error);
}
