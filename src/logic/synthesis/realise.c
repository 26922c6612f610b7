// Realises a function by threshold units: decides each output, and builds a network of one or two
// layers for all outputs.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "logic/function/function.h"
#include "logic/network/network.h"
#include "logic/synthesis/threshold_unit.h"
#include "logic/synthesis/two_layers.h"
#include "tlu_logic.h"
#include "train/clock.h"

#include <string.h>

struct answered {
    tlu_threshold_unit said; // the caller's view
    struct threshold_unit answer;
    unsigned char needed[TRUTH_INPUTS_MAX];
};

struct realised {
    tlu_realisation said;
    struct answered *outputs;         // [outputs]
    const tlu_threshold_unit **units; // [outputs]
    struct tlu_network *network;
};

// ---- one unit, or a contradiction

static bool copy_truth(const struct truth_table *truth, struct truth_table *copy)
{
    if (!truth_init(copy, truth->inputs, truth->open != NULL))
        return false;
    memcpy(copy->ones, truth->ones, truth_words(truth) * sizeof *copy->ones);
    if (truth->open)
        memcpy(copy->open, truth->open, truth_words(truth) * sizeof *copy->open);
    return true;
}

// Extends the result from the needed inputs to all: other weights are 0, and other inputs are 0 in
// the rows of a contradiction.
static bool expand(struct threshold_unit *answer, const unsigned char *needed, unsigned inputs)
{
    for (size_t i = 0; i < answer->count; i++)
        answer->rows[i] = truth_expand_row(needed, inputs, answer->rows[i]);
    answer->inputs = inputs;
    if (!answer->is_threshold)
        return true;
    int64_t *weights = memory_new(inputs + 1, sizeof *weights);
    if (!weights)
        return false;
    for (unsigned i = 0, from = 0; i < inputs; i++)
        weights[i] = needed[i] ? answer->weights[from++] : 0;
    memory_free(answer->weights);
    answer->weights = weights;
    return true;
}

struct search_settings {
    bool smallest;
    int effort;
    double until; // clock_seconds; 0: no limit
};

static tlu_status decide(const struct truth_table *truth, const struct search_settings *search,
                         struct threshold_unit *answer, tlu_error *error)
{
    threshold_unit_free(answer);
    return search->smallest ? threshold_unit_smallest(truth, search->until, answer, error)
                            : threshold_unit_find(truth, answer, error);
}

static tlu_status decide_reduced(const struct truth_table *truth,
                                 const struct search_settings *search, struct answered *output,
                                 tlu_error *error)
{
    struct truth_table reduced;
    TRY(enough_memory(truth_reduce(truth, output->needed, &reduced), error));
    tlu_status status = decide(&reduced, search, &output->answer, error);
    if (status == TLU_OK && !expand(&output->answer, output->needed, truth->inputs))
        status = error_memory(error);
    truth_free(&reduced);
    return status;
}

// Decides the function of the needed inputs. That settles don't-care rows, so with don't-care rows
// a negative answer or the smallest weights require a second decision about all inputs.
static tlu_status answer_output(const struct truth_table *truth,
                                const struct search_settings *search, struct answered *output,
                                tlu_error *error)
{
    struct truth_table settled;
    TRY(enough_memory(copy_truth(truth, &settled), error));
    truth_needs(&settled, output->needed);
    tlu_status status = TLU_OK;
    bool smallest = search->smallest, whole = truth->open && smallest;
    if (!whole) {
        status = decide_reduced(&settled, search, output, error);
        whole = truth->open && !output->answer.is_threshold;
    }
    truth_free(&settled);
    if (status == TLU_OK && whole)
        status = decide(truth, search, &output->answer, error);
    const struct threshold_unit *answer = &output->answer;
    output->said = (tlu_threshold_unit){.is_threshold = answer->is_threshold,
                                        .smallest = smallest && answer->is_smallest,
                                        .sum_min = smallest ? answer->least_sum : 0,
                                        .inputs = truth->inputs,
                                        .needed = output->needed,
                                        .weights = answer->weights,
                                        .threshold = answer->threshold,
                                        .count = answer->count,
                                        .rows = answer->rows,
                                        .times = answer->multiple};
    return status;
}

// ---- the network

// Adds a unit with these weights of `count` signals from `first`, or returns an equal unit.
static uint32_t add_unit(struct tlu_network *network, uint32_t first, const int64_t *weights,
                         size_t count, int64_t threshold)
{
    struct link *links = memory_new(count + 1, sizeof *links);
    size_t used = 0;
    if (!links)
        return SIGNAL_NONE;
    for (size_t i = 0; i < count; i++)
        if (weights[i])
            links[used++] = (struct link){.from = first + (uint32_t)i, .weight = weights[i]};
    uint32_t signal = SIGNAL_NONE;
    for (size_t i = 0; i < network->units && signal == SIGNAL_NONE; i++) {
        const struct unit *unit = &network->unit[i];
        bool same = unit->count == used && unit->threshold == threshold;
        for (size_t j = 0; same && j < used; j++)
            same = unit->links[j].from == links[j].from && unit->links[j].weight == links[j].weight;
        if (same)
            signal = signal_of_unit(network, i);
    }
    if (signal == SIGNAL_NONE)
        signal = network_add_unit(network, NULL, links, used, threshold);
    memory_free(links);
    return signal;
}

static uint32_t add_plane(struct tlu_network *network, const struct half_space *plane,
                          unsigned inputs)
{
    int64_t weights[TRUTH_INPUTS_MAX];
    for (unsigned i = 0; i < inputs; i++)
        weights[i] = plane->weights[i];
    return add_unit(network, 0, weights, inputs, plane->threshold);
}

static uint32_t add_layers(struct tlu_network *network, const struct two_layers *layers)
{
    struct link *links = memory_new(layers->hidden, sizeof *links);
    bool enough = links != NULL;
    for (size_t i = 0; enough && i < layers->hidden; i++) {
        links[i].weight = layers->top[i];
        links[i].from = add_plane(network, &layers->planes[i], layers->inputs);
        enough = links[i].from != SIGNAL_NONE;
    }
    uint32_t signal = SIGNAL_NONE;
    if (enough)
        signal = network_add_unit(network, NULL, links, layers->hidden, layers->threshold);
    memory_free(links);
    return signal;
}

static tlu_status add_two_layers(struct realised *realised, const struct truth_table *truth,
                                 const struct search_settings *search, uint32_t *signal,
                                 tlu_error *error)
{
    struct two_layers layers;
    TRY(synthesise(truth, search->effort, search->until, &layers, error));
    *signal = add_layers(realised->network, &layers);
    realised->said.fewest = layers.fewest && realised->said.outputs == 1;
    realised->said.hidden += layers.hidden;
    realised->said.stopped |= layers.stopped;
    two_layers_free(&layers);
    return TLU_OK;
}

// Checks the finished network on every row that is not don't-care.
static tlu_status network_computes(const struct tlu_network *network,
                                   const struct tlu_function *function, bool *signals,
                                   tlu_error *error)
{
    for (size_t row = 0; row < (size_t)1 << function->inputs; row++) {
        for (unsigned i = 0; i < function->inputs; i++)
            signals[i] = truth_input(&function->tables[0], row, i);
        network_settle(network, signals);
        for (size_t i = 0; i < function->outputs; i++) {
            const struct truth_table *truth = &function->tables[i];
            if (!truth_is_open(truth, row) &&
                signals[network->output[i].from] != truth_value(truth, row))
                return error_system(error, "the network differs from the function");
        }
    }
    return TLU_OK;
}

static tlu_status check_network(const struct tlu_network *network,
                                const struct tlu_function *function, tlu_error *error)
{
    bool *signals = memory_new(network_signals(network) + 1, sizeof *signals);
    if (!signals)
        return error_memory(error);
    tlu_status status = network_computes(network, function, signals, error);
    memory_free(signals);
    return status;
}

static tlu_status make_network(struct realised *realised, const struct tlu_function *function,
                               const struct search_settings *search, tlu_error *error)
{
    realised->network = network_new(function->inputs, 0);
    TRY(enough_memory(realised->network != NULL, error));
    for (unsigned i = 0; i < function->inputs; i++)
        TRY(enough_memory(network_name_input(realised->network, i, function->input_names[i]),
                          error));
    for (size_t i = 0; i < function->outputs; i++) {
        const struct threshold_unit *answer = &realised->outputs[i].answer;
        uint32_t signal = SIGNAL_NONE;
        if (answer->is_threshold)
            signal = add_unit(realised->network, 0, answer->weights, function->inputs,
                              answer->threshold);
        else
            TRY(add_two_layers(realised, &function->tables[i], search, &signal, error));
        TRY(enough_memory(
            signal != SIGNAL_NONE &&
                network_add_output(realised->network, function->output_names[i], signal),
            error));
    }
    realised->said.network = realised->network;
    realised->said.network_units = realised->network->units;
    return check_network(realised->network, function, error);
}

// ---- all

static tlu_status realise(struct realised *realised, const struct tlu_function *function,
                          const tlu_realise_settings *settings, tlu_error *error)
{
    realised->outputs = memory_new(function->outputs, sizeof *realised->outputs);
    realised->units = memory_new(function->outputs, sizeof *realised->units);
    TRY(enough_memory(realised->outputs && realised->units, error));
    realised->said.units = realised->units;
    realised->said.outputs = function->outputs;
    struct search_settings search = {
        .smallest = settings->smallest,
        .effort = settings->effort > 1 ? settings->effort : 1,
        .until = settings->seconds > 0 ? clock_seconds() + settings->seconds : 0};
    for (size_t i = 0; i < function->outputs; i++) {
        if (i > 0 && clock_is_past(search.until))
            return error_interrupted(error,
                                     "%zu of %zu outputs were decided in time; give more --time", i,
                                     function->outputs);
        TRY(answer_output(&function->tables[i], &search, &realised->outputs[i], error));
        realised->units[i] = &realised->outputs[i].said;
    }
    return settings->network ? make_network(realised, function, &search, error) : TLU_OK;
}

tlu_status tlu_function_realise(const tlu_function *function, const tlu_realise_settings *settings,
                                tlu_realisation **realisation, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_realise_settings own = {0};
    *realisation = NULL;
    if (settings)
        TRY(settings_take(&own, sizeof own, settings, "tlu_realise_settings", error));
    struct realised *realised = memory_new(1, sizeof *realised);
    if (!realised)
        return error_memory(error);
    tlu_status status = realise(realised, function, &own, error);
    if (status == TLU_OK)
        *realisation = &realised->said;
    else
        tlu_realisation_free(&realised->said);
    return status;
}

void tlu_realisation_free(tlu_realisation *realisation)
{
    struct realised *realised = (struct realised *)(void *)realisation; // first field
    if (!realised)
        return;
    for (size_t i = 0; realised->outputs && i < realised->said.outputs; i++)
        threshold_unit_free(&realised->outputs[i].answer);
    memory_free(realised->outputs);
    memory_free(realised->units);
    tlu_network_free(realised->network);
    memory_free(realised);
}
