// Runs a network on strings, symbol by symbol.
#include "base/call/fp_env.h"
#include "logic/automaton/binding.h"
#include "logic/network/propagation.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

struct tlu_automaton_run {
    tlu_automaton_run_state told;
    const tlu_automaton *automaton; // or NULL
    const tlu_network *network;
    struct alphabet own; // if there is no automaton
    const struct alphabet *alphabet;
    struct binding binding; // with an automaton
    uint32_t accept;        // the signal of "accept"; SIGNAL_NONE: there is none
    tlu_network_run *steps;
    uint32_t state; // of the automaton
    char *delays, *outputs;
};

void tlu_automaton_run_free(tlu_automaton_run *run)
{
    if (!run)
        return;
    alphabet_free(&run->own);
    binding_free(&run->binding);
    tlu_network_run_free(run->steps);
    memory_free(run->delays);
    memory_free(run->outputs);
    memory_free(run);
}

void tlu_automaton_run_reset(tlu_automaton_run *run)
{
    memset(&run->told, 0, sizeof run->told);
    run->outputs[0] = '\0';
    run->state = 0;
    tlu_network_run_reset(run->steps);
}

static bool begin(struct tlu_automaton_run *run)
{
    const tlu_network *network = run->network;
    run->delays = memory_new(network->delays + 1, 1);
    run->outputs = memory_new(network->outputs + 1, 1);
    if (!run->delays || !run->outputs)
        return false;
    run->accept = SIGNAL_NONE;
    for (size_t i = 0; i < network->outputs; i++)
        if (strcmp(network->output[i].name, "accept") == 0)
            run->accept = network->output[i].from;
    run->alphabet = run->automaton ? &run->automaton->alphabet : &run->own;
    return run->automaton || alphabet_of_names(&run->own, network->input_names, network->inputs);
}

tlu_status tlu_automaton_run_new(const tlu_automaton *automaton, const tlu_network *network,
                                 tlu_automaton_run **run, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct tlu_automaton_run *made = memory_new(1, sizeof *made);
    *run = NULL;
    if (!made)
        return error_memory(error);
    made->automaton = automaton;
    made->network = network;
    tlu_status status = tlu_network_run_new(network, &made->steps, error);
    if (status == TLU_OK)
        status = enough_memory(begin(made), error);
    if (status == TLU_OK && automaton)
        status = binding_find(&made->binding, automaton, network, error);
    if (status == TLU_OK && !automaton && made->own.names.count != network->inputs)
        status = error_input(error, "two inputs of the network have the same name; rename one");
    if (status != TLU_OK) {
        tlu_automaton_run_free(made);
        return status;
    }
    tlu_automaton_run_reset(made);
    *run = made;
    return TLU_OK;
}

// `word` is the text of the symbol: for a Mealy machine, all its inputs.
static void set_inputs(tlu_automaton_run *run, uint32_t symbol, const char *word)
{
    const struct binding *binding = &run->binding;
    memset(run->steps->signals, 0, run->network->inputs * sizeof *run->steps->signals);
    if (!run->automaton) {
        run->steps->signals[symbol] = true;
        return;
    }
    word += strspn(word, " \t");
    for (size_t i = 0; i < binding->count; i++)
        run->steps->signals[binding->input[i]] =
            binding->kind == BIND_VECTOR
                ? word[i] == '1'
                : binding_value(binding, run->automaton, symbol, i) == SIGNAL_ON;
}

size_t tlu_automaton_run_feed(tlu_automaton_run *run, const char *text, size_t size)
{
    const tlu_network *network = run->network;
    size_t used = 0;
    uint32_t symbol = text ? alphabet_read(run->alphabet, text, size, &used) : SYMBOL_NONE;
    if (used == 0)
        return 0;
    run->told.symbols++;
    run->told.symbol = NULL;
    run->told.strayed = run->told.strayed || symbol == SYMBOL_NONE;
    if (symbol == SYMBOL_NONE)
        return used;
    run->told.symbol = alphabet_name(run->alphabet, symbol);
    set_inputs(run, symbol, text);
    network_settle(network, run->steps->signals);
    for (size_t i = 0; i < network->outputs; i++)
        run->outputs[i] = run->steps->signals[network->output[i].from] ? '1' : '0';
    run->outputs[network->outputs] = '\0';
    network_advance(network, run->steps->signals, run->steps->scratch);
    if (run->automaton)
        run->state = automaton_next(run->automaton, run->state, symbol);
    return used;
}

const tlu_automaton_run_state *tlu_automaton_run_get_state(tlu_automaton_run *run)
{
    const tlu_network *network = run->network;
    memset(run->steps->signals, 0, network->inputs * sizeof *run->steps->signals);
    network_settle(network, run->steps->signals);
    for (size_t i = 0; i < network->delays; i++)
        run->delays[i] = run->steps->signals[signal_of_delay(network, i)] ? '1' : '0';
    run->told.delays = run->delays;
    run->told.outputs = run->outputs;
    run->told.accepted =
        run->accept == SIGNAL_NONE ? -1 : run->steps->signals[run->accept] && !run->told.strayed;
    run->told.state = run->automaton ? tlu_automaton_state_name(run->automaton, run->state) : NULL;
    return &run->told;
}
