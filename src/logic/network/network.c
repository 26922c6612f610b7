#include "logic/network/network.h"

#include "base/call/fp_env.h"
#include "base/error.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tlu_network *network_new(size_t inputs, size_t delays)
{
    struct tlu_network *network = memory_new(1, sizeof *network);
    if (!network)
        return NULL;
    network->inputs = inputs;
    network->delays = delays;
    network->input_names = memory_new(inputs + 1, sizeof *network->input_names);
    network->delay = memory_new(delays + 1, sizeof *network->delay);
    if (network->input_names && network->delay)
        return network;
    tlu_network_free(network);
    return NULL;
}

void tlu_network_free(tlu_network *network)
{
    if (!network)
        return;
    for (size_t i = 0; network->input_names && i < network->inputs; i++)
        memory_free(network->input_names[i]);
    for (size_t i = 0; network->delay && i < network->delays; i++)
        memory_free(network->delay[i].name);
    for (size_t i = 0; i < network->units; i++) {
        memory_free(network->unit[i].name);
        memory_free(network->unit[i].links);
    }
    for (size_t i = 0; i < network->outputs; i++)
        memory_free(network->output[i].name);
    memory_free(network->input_names);
    memory_free(network->delay);
    memory_free(network->unit);
    memory_free(network->output);
    memory_free(network);
}

// ---- construction ----

static bool set_name(char **name, const char *text)
{
    memory_free(*name);
    *name = memory_copy_text(text, strlen(text));
    return *name != NULL;
}

bool network_name_input(struct tlu_network *network, size_t input, const char *name)
{
    return set_name(&network->input_names[input], name);
}

bool network_name_delay(struct tlu_network *network, size_t delay, const char *name, bool start)
{
    network->delay[delay].start = start;
    return set_name(&network->delay[delay].name, name);
}

static int compare_links(const void *a, const void *b)
{
    uint32_t x = ((const struct link *)a)->from, y = ((const struct link *)b)->from;
    return (x > y) - (x < y);
}

// Sorts the links, adds up those from the same signal and drops those of weight 0.
static size_t tidy_links(struct link *links, size_t count)
{
    size_t kept = 0;
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count;) {
        struct link sum = links[i++];
        while (i < count && links[i].from == sum.from)
            sum.weight += links[i++].weight;
        if (sum.weight != 0)
            links[kept++] = sum;
    }
    return kept;
}

uint32_t network_add_unit(struct tlu_network *network, const char *name, const struct link *links,
                          size_t count, int64_t threshold)
{
    char own[32];
    for (size_t i = 0; i < count; i++)
        assert(links[i].from < network_signals(network)); // topological order
    snprintf(own, sizeof own, "u%zu", network->units + 1);
    if (!memory_reserve(&network->unit, &network->unit_capacity, network->units + 1,
                        sizeof *network->unit))
        return SIGNAL_NONE;
    struct unit unit = {.threshold = threshold};
    unit.links = memory_new(count + 1, sizeof *links);
    if (!unit.links || !set_name(&unit.name, name ? name : own)) {
        memory_free(unit.links);
        return SIGNAL_NONE;
    }
    if (count)
        memcpy(unit.links, links, count * sizeof *links);
    unit.count = tidy_links(unit.links, count);
    network->unit[network->units] = unit;
    return signal_of_unit(network, network->units++);
}

void network_connect_delay(struct tlu_network *network, size_t delay, uint32_t from)
{
    assert(delay < network->delays && from < network_signals(network));
    network->delay[delay].from = from;
}

bool network_add_output(struct tlu_network *network, const char *name, uint32_t from)
{
    if (!memory_reserve(&network->output, &network->output_capacity, network->outputs + 1,
                        sizeof *network->output))
        return false;
    assert(from < network_signals(network));
    struct network_output *output = &network->output[network->outputs];
    *output = (struct network_output){.from = from};
    if (!set_name(&output->name, name))
        return false;
    network->outputs++;
    return true;
}

// ---- execution ----

static bool fires(const struct unit *unit, const bool *signals)
{
    int64_t sum = 0;
    for (size_t i = 0; i < unit->count; i++)
        if (signals[unit->links[i].from])
            sum += unit->links[i].weight;
    return sum >= unit->threshold;
}

void network_settle(const struct tlu_network *network, bool *signals)
{
    for (size_t i = 0; i < network->units; i++)
        signals[signal_of_unit(network, i)] = fires(&network->unit[i], signals);
}

void network_advance(const struct tlu_network *network, bool *signals, bool *scratch)
{
    for (size_t i = 0; i < network->delays; i++)
        scratch[i] = signals[network->delay[i].from];
    for (size_t i = 0; i < network->delays; i++)
        signals[signal_of_delay(network, i)] = scratch[i];
}

// ---- public functions ----

size_t tlu_network_input_count(const tlu_network *network)
{
    return network->inputs;
}

size_t tlu_network_output_count(const tlu_network *network)
{
    return network->outputs;
}

size_t tlu_network_delay_count(const tlu_network *network)
{
    return network->delays;
}

size_t tlu_network_unit_count(const tlu_network *network)
{
    return network->units;
}

const char *tlu_network_input_name(const tlu_network *network, size_t input)
{
    return input < network->inputs ? network->input_names[input] : NULL;
}

const char *tlu_network_output_name(const tlu_network *network, size_t output)
{
    return output < network->outputs ? network->output[output].name : NULL;
}

const char *tlu_network_delay_name(const tlu_network *network, size_t delay)
{
    return delay < network->delays ? network->delay[delay].name : NULL;
}

// ---- runs ----

void tlu_network_run_free(tlu_network_run *run)
{
    if (!run)
        return;
    memory_free(run->signals);
    memory_free(run->scratch);
    memory_free(run);
}

tlu_status tlu_network_run_new(const tlu_network *network, tlu_network_run **run, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct tlu_network_run *made = memory_new(1, sizeof *made);
    TRY(enough_memory(made, error));
    made->network = network;
    made->signals = memory_new(network_signals(network) + 1, sizeof *made->signals);
    made->scratch = memory_new(network->delays + 1, sizeof *made->scratch);
    if (!made->signals || !made->scratch) {
        tlu_network_run_free(made);
        return error_memory(error);
    }
    tlu_network_run_reset(made);
    *run = made;
    return TLU_OK;
}

void tlu_network_run_reset(tlu_network_run *run)
{
    for (size_t i = 0; i < run->network->delays; i++)
        run->signals[signal_of_delay(run->network, i)] = run->network->delay[i].start;
}

void tlu_network_run_step(tlu_network_run *run, const unsigned char *inputs, unsigned char *outputs)
{
    const struct tlu_network *network = run->network;
    for (size_t i = 0; i < network->inputs; i++)
        run->signals[i] = inputs[i] != 0;
    network_settle(network, run->signals);
    for (size_t i = 0; i < network->outputs; i++)
        outputs[i] = run->signals[network->output[i].from];
    network_advance(network, run->signals, run->scratch);
}
