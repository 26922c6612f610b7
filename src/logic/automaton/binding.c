#include "logic/automaton/simulate.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

void probe_free(struct probe *probe)
{
    memory_free(probe->first);
    memory_free(probe->onward);
    memory_free(probe->low);
    memory_free(probe->high);
    memory_free(probe->value);
}

// Links by where they come from, so that signals that are 0 cost nothing.
static bool turn_links(struct probe *probe)
{
    const tlu_network *network = probe->network;
    size_t signals = network_signals(network), total = 0;
    for (size_t i = 0; i < network->units; i++)
        total += network->unit[i].count;
    probe->first = memory_new(signals + 2, sizeof *probe->first);
    probe->onward = memory_new(total + 1, sizeof *probe->onward);
    if (!probe->first || !probe->onward)
        return false;
    size_t *at = probe->first + 1; // where the next goes; at the end where the next row begins
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            if (network->unit[i].links[j].from + 1 < signals)
                probe->first[network->unit[i].links[j].from + 2]++;
    for (size_t i = 2; i <= signals; i++)
        probe->first[i] += probe->first[i - 1];
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            struct link link = network->unit[i].links[j];
            probe->onward[at[link.from]++] = (struct link){(uint32_t)i, link.weight};
        }
    return true;
}

bool probe_new(struct probe *probe, const tlu_network *network)
{
    probe->network = network;
    probe->low = memory_new(network->units + 1, sizeof *probe->low);
    probe->high = memory_new(network->units + 1, sizeof *probe->high);
    probe->value = memory_new(network_signals(network) + 1, sizeof *probe->value);
    return probe->low && probe->high && probe->value && turn_links(probe);
}

static void push(struct probe *probe, size_t signal)
{
    uint8_t value = probe->value[signal];
    if (value == SIGNAL_OFF)
        return;
    size_t first = probe->first[signal], end = probe->first[signal + 1];
    probe->done += end - first;
    for (size_t i = first; i < end; i++) {
        struct link link = probe->onward[i];
        if (value == SIGNAL_ON || link.weight < 0)
            probe->low[link.from] += link.weight;
        if (value == SIGNAL_ON || link.weight > 0)
            probe->high[link.from] += link.weight;
    }
}

void probe_settle(struct probe *probe)
{
    const tlu_network *network = probe->network;
    memset(probe->low, 0, network->units * sizeof *probe->low);
    memset(probe->high, 0, network->units * sizeof *probe->high);
    for (size_t i = 0; i < network->inputs + network->delays; i++)
        push(probe, i);
    for (size_t i = 0; i < network->units; i++) {
        size_t signal = signal_of_unit(network, i);
        int64_t threshold = network->unit[i].threshold;
        probe->value[signal] = probe->low[i] >= threshold   ? SIGNAL_ON
                               : probe->high[i] < threshold ? SIGNAL_OFF
                                                            : SIGNAL_OPEN;
        push(probe, signal);
    }
    probe->done += network->units;
}

// ---- names ----

void binding_free(struct binding *binding)
{
    memory_free(binding->input);
    memory_free(binding->output);
}

static uint32_t find_input(const struct table *names, const char *name)
{
    return table_find(names, name, strlen(name));
}

// The number of each name; SIZE_MAX: all are there, else the one that is missing.
static size_t find_inputs(struct binding *binding, const struct table *inputs,
                          const struct table *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        binding->input[i] = find_input(inputs, table_text(names, i));
        if (binding->input[i] == TABLE_NONE)
            return i;
    }
    binding->count = names->count;
    return SIZE_MAX;
}

static bool find_bits(struct binding *binding, const struct table *inputs, size_t letters)
{
    char name[32];
    binding->count = bits_for(letters);
    for (size_t i = 0; i < binding->count; i++) {
        snprintf(name, sizeof name, "letter%zu", binding->count - 1 - i);
        binding->input[i] = find_input(inputs, name);
        if (binding->input[i] == TABLE_NONE)
            return false;
    }
    return true;
}

static tlu_status bind_inputs(struct binding *binding, const tlu_automaton *automaton,
                              const struct table *inputs, tlu_error *error)
{
    const struct table *names =
        automaton->shown ? &automaton->input_names : &automaton->alphabet.names;
    char shown[64];
    binding->input = memory_new(names->count + (size_t)1, sizeof *binding->input);
    TRY(enough_memory(binding->input != NULL, error));
    binding->kind = automaton->shown ? BIND_VECTOR : BIND_ONEHOT;
    size_t missing = find_inputs(binding, inputs, names);
    if (missing == SIZE_MAX && inputs->count == names->count)
        return TLU_OK;
    if (!automaton->shown && find_bits(binding, inputs, names->count) &&
        inputs->count == binding->count) {
        binding->kind = BIND_BINARY;
        return TLU_OK;
    }
    if (missing == SIZE_MAX)
        return error_input(error, "the network has %u inputs, the automaton has %u letters",
                           (unsigned)inputs->count, (unsigned)names->count);
    const char *name = table_text(names, (uint32_t)missing);
    return error_input(error, "the network has no input '%s'",
                       error_quote(shown, sizeof shown, name, strlen(name)));
}

static tlu_status bind_output(struct binding *binding, const char *name, const tlu_network *network,
                              tlu_error *error)
{
    char shown[64];
    for (size_t i = 0; i < network->outputs; i++)
        if (strcmp(network->output[i].name, name) == 0) {
            binding->output[binding->outputs++] = network->output[i].from;
            return TLU_OK;
        }
    return error_input(error, "the network has no output '%s'",
                       error_quote(shown, sizeof shown, name, strlen(name)));
}

tlu_status binding_find(struct binding *binding, const tlu_automaton *automaton,
                        const tlu_network *network, tlu_error *error)
{
    struct table inputs = {0};
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < network->inputs; i++) {
        const char *name = network->input_names[i];
        uint32_t number = table_add(&inputs, name, strlen(name));
        status = number == TABLE_NONE ? error_memory(error)
                 : number != i ? error_input(error, "two inputs of the network have the same name")
                               : TLU_OK;
    }
    if (status == TLU_OK)
        status = bind_inputs(binding, automaton, &inputs, error);
    table_free(&inputs);
    TRY(status);
    size_t outputs = automaton->facts.outputs;
    binding->output = memory_new(outputs + 1, sizeof *binding->output);
    TRY(enough_memory(binding->output != NULL, error));
    if (!automaton->shown)
        return bind_output(binding, "accept", network, error);
    for (uint32_t i = 0; i < outputs; i++)
        TRY(bind_output(binding, table_text(&automaton->output_names, i), network, error));
    return TLU_OK;
}

uint8_t binding_value(const struct binding *binding, const tlu_automaton *automaton,
                      uint32_t letter, size_t i)
{
    if (binding->kind == BIND_ONEHOT)
        return letter == i;
    if (binding->kind == BIND_BINARY)
        return letter >> (binding->count - 1 - i) & 1;
    char bit = alphabet_name(&automaton->alphabet, letter)[i];
    return bit == '-' ? SIGNAL_OPEN : bit == '1';
}
