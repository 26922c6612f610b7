#include "logic/automaton/binding.h"

#include "base/memory.h"
#include "logic/network/propagation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void binding_free(struct binding *binding)
{
    memory_free(binding->input);
    memory_free(binding->output);
}

// Finds the input of each name. Returns the first name without an input; SIZE_MAX: all have one.
static size_t find_inputs(struct binding *binding, const struct table *inputs,
                          const struct table *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        binding->input[i] = table_find(inputs, table_text(names, i), table_length(names, i));
        if (binding->input[i] == TABLE_NONE)
            return i;
    }
    binding->count = names->count;
    return SIZE_MAX;
}

static bool find_bits(struct binding *binding, const struct table *inputs, size_t symbols)
{
    char name[32];
    binding->count = bits_for(symbols);
    for (size_t i = 0; i < binding->count; i++) {
        snprintf(name, sizeof name, "letter%zu", binding->count - 1 - i);
        binding->input[i] = table_find(inputs, name, strlen(name));
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
        return error_input(error,
                           "the network has %u inputs, the automaton has %u symbols; give it an "
                           "input for each symbol",
                           (unsigned)inputs->count, (unsigned)names->count);
    const char *name = table_text(names, (uint32_t)missing);
    return error_input(error, "the network has no input '%s'; add it",
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
    return error_input(error, "the network has no output '%s'; add it",
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
        status =
            number == TABLE_NONE ? error_memory(error)
            : number != i
                ? error_input(error, "two inputs of the network have the same name; rename one")
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
                      uint32_t symbol, size_t i)
{
    assert(i < binding->count && symbol < automaton->facts.symbols);
    if (binding->kind == BIND_ONEHOT)
        return symbol == i;
    if (binding->kind == BIND_BINARY)
        return symbol >> (binding->count - 1 - i) & 1;
    char bit = alphabet_name(&automaton->alphabet, symbol)[i];
    return bit == '-' ? SIGNAL_OPEN : bit == '1';
}
