// Decides whether a network is equivalent to the control of a Turing machine. A breadth-first
// search visits all reachable pairs of a state of the machine and a state of the delays, with every
// symbol. It is undecidable which symbols a machine really meets in a state, so any symbol is
// allowed.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "logic/turing/signals.h"
#include "logic/turing/turing.h"

#include <string.h>

#define VISITS_MAX 1000000           // pairs
#define VISITS_SIZE_MAX 268435456    // bytes
#define VISITS_WORK_MAX 10000000000u // links followed

// How a pair was first reached.
struct visit_origin {
    uint32_t pair, symbol;
};

struct control_search {
    tlu_turing_equivalence told; // first: the caller gets its address
    const tlu_turing *machine;
    const tlu_network *network;
    struct signals signals;
    struct turing_ports ports;
    struct table pairs;          // a state, and the delays as bits
    struct visit_origin *origin; // [pairs]
    size_t origin_capacity;
    uint8_t *key; // of a pair
    size_t key_size;
    uint32_t *met; // [states] the first pair with the state, plus 1
    char *delays;  // as text
    size_t *word;
    char *output; // the name of the output that differs
};

void tlu_turing_equivalence_free(tlu_turing_equivalence *told)
{
    struct control_search *search = (struct control_search *)told;
    if (!search)
        return;
    signals_free(&search->signals);
    ports_free(&search->ports);
    table_free(&search->pairs);
    memory_free(search->origin);
    memory_free(search->key);
    memory_free(search->met);
    memory_free(search->delays);
    memory_free(search->word);
    memory_free(search->output);
    memory_free(search);
}

// ---- pairs ----

// Adds the pair of the state and the delays after this step, or the start pair without a step.
static bool add_pair(struct control_search *search, uint32_t state,
                     const struct visit_origin *origin)
{
    const tlu_network *network = search->network;
    memset(search->key, 0, search->key_size);
    memcpy(search->key, &state, sizeof state);
    for (size_t i = 0; i < network->delays; i++) {
        bool on = origin ? search->signals.value[network->delay[i].from] : network->delay[i].start;
        search->key[sizeof state + i / 8] |= (uint8_t)(on << i % 8);
    }
    uint32_t before = search->pairs.count;
    uint32_t pair = table_add(&search->pairs, (const char *)search->key, search->key_size);
    if (pair == TABLE_NONE || pair < before)
        return pair != TABLE_NONE;
    if (!memory_reserve(&search->origin, &search->origin_capacity, pair + (size_t)1,
                        sizeof *search->origin))
        return false;
    search->origin[pair] = origin ? *origin : (struct visit_origin){0};
    return true;
}

static uint32_t load_pair(struct control_search *search, uint32_t pair)
{
    const char *key = table_text(&search->pairs, pair);
    uint32_t state;
    memcpy(&state, key, sizeof state);
    for (size_t i = 0; i < search->network->delays; i++)
        signals_set(&search->signals, signal_of_delay(search->network, i),
                    (uint8_t)key[sizeof state + i / 8] >> i % 8 & 1);
    return state;
}

// ---- a difference ----

static bool set_output(struct control_search *search, const char *prefix, const char *name,
                       size_t length)
{
    size_t before = strlen(prefix);
    search->output = memory_new(before + length + 1, 1);
    if (!search->output)
        return false;
    memcpy(search->output, prefix, before);
    memcpy(search->output + before, name, length);
    search->told.output = search->output;
    return true;
}

// Stores the symbols that lead to a pair.
static bool set_word(struct control_search *search, uint32_t pair)
{
    size_t length = 0;
    for (uint32_t i = pair; i != 0; i = search->origin[i].pair)
        length++;
    search->word = memory_new(length + 1, sizeof *search->word);
    if (!search->word)
        return false;
    search->told.word = search->word;
    search->told.length = length;
    for (uint32_t i = pair; i != 0; i = search->origin[i].pair)
        search->word[--length] = search->origin[i].symbol;
    return true;
}

// Compares the outputs with those of the table. False: out of memory.
static bool compare_outputs(struct control_search *search, const struct turing_outputs *expected)
{
    const struct turing_ports *ports = &search->ports;
    const bool *value = search->signals.value;
    const struct table *symbols = &search->machine->symbols;
    const struct {
        const char *name;
        uint32_t signal;
        bool expected;
    } single[] = {{"halt", ports->halt, expected->halt},
                  {"left", ports->left, expected->left},
                  {"right", ports->right, expected->right},
                  {"accept", ports->accept, expected->accept}};
    for (size_t i = 0; i < 4; i++) {
        bool found = single[i].signal != SIGNAL_NONE && value[single[i].signal];
        if (found == single[i].expected)
            continue;
        search->told.equal = 0;
        search->told.expected = single[i].expected;
        return set_output(search, "", single[i].name, strlen(single[i].name));
    }
    for (uint32_t i = 0; i < symbols->count; i++) {
        bool one = expected->write == i;
        if (value[ports->write[i]] == one)
            continue;
        search->told.equal = 0;
        search->told.expected = one;
        return set_output(search, WRITE_PREFIX, table_text(symbols, i), table_length(symbols, i));
    }
    return true;
}

// ---- the search ----

static tlu_status check_size(const struct control_search *search, tlu_error *error)
{
    uint64_t pairs = search->pairs.count;
    if (pairs > VISITS_MAX || pairs * search->key_size > VISITS_SIZE_MAX)
        return error_input(error,
                           "the network is too large to compare: more than %llu pairs of a state "
                           "and delays can be reached",
                           (unsigned long long)pairs - 1);
    if (search->signals.work > VISITS_WORK_MAX)
        return error_input(error,
                           "the network is too large to compare: the limit of memory or work was "
                           "reached after %u pairs of a state and delays",
                           (unsigned)pairs);
    return TLU_OK;
}

// Steps from a pair with a symbol. The delays of the pair are loaded.
static tlu_status try_symbol(struct control_search *search, uint32_t pair, uint32_t state,
                             uint32_t symbol, tlu_error *error)
{
    const tlu_turing *machine = search->machine;
    struct turing_outputs expected = turing_outputs(machine, state, symbol);
    struct visit_origin origin = {pair, symbol};
    TRY(check_size(search, error));
    signals_set(&search->signals, search->ports.read[symbol], true);
    signals_settle(&search->signals);
    TRY(enough_memory(compare_outputs(search, &expected), error));
    if (search->told.equal) {
        TRY(enough_memory(add_pair(search, expected.next, &origin), error));
        signals_set(&search->signals, search->ports.read[symbol], false);
        return TLU_OK;
    }
    search->told.state = table_text(&machine->states, state);
    search->told.symbol = table_text(&machine->symbols, symbol);
    return enough_memory(set_word(search, pair), error);
}

static tlu_status search_pairs(struct control_search *search, tlu_error *error)
{
    const tlu_turing *machine = search->machine;
    TRY(ports_find(&search->ports, &machine->symbols, machine, search->network, error));
    search->key_size = sizeof(uint32_t) + (search->network->delays + 7) / 8;
    search->key = memory_new(search->key_size, 1);
    search->met = memory_new(machine->facts.states, sizeof *search->met);
    search->delays = memory_new(search->network->delays + 1, 1);
    TRY(enough_memory(search->key && search->met && search->delays &&
                          signals_new(&search->signals, search->network) &&
                          add_pair(search, 0, NULL),
                      error));
    for (uint32_t pair = 0; pair < search->pairs.count && search->told.equal; pair++) {
        uint32_t state = load_pair(search, pair);
        if (!search->met[state])
            search->met[state] = pair + 1;
        for (uint32_t symbol = 0; symbol < machine->facts.symbols && search->told.equal; symbol++)
            TRY(try_symbol(search, pair, state, symbol, error));
    }
    search->told.pairs = search->pairs.count;
    search->told.symbols = machine->facts.symbols;
    return TLU_OK;
}

tlu_status tlu_turing_equivalence_check(const tlu_turing *machine, const tlu_network *network,
                                        tlu_turing_equivalence **told, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct control_search *search = memory_new(1, sizeof *search);
    *told = NULL;
    TRY(enough_memory(search != NULL, error));
    search->machine = machine;
    search->network = network;
    search->told.equal = 1;
    tlu_status status = search_pairs(search, error);
    if (status == TLU_OK)
        *told = &search->told;
    else
        tlu_turing_equivalence_free(&search->told);
    return status;
}

const char *tlu_turing_equivalence_delays(tlu_turing_equivalence *told, size_t state)
{
    struct control_search *search = (struct control_search *)told;
    if (state >= search->machine->facts.states || !search->met[state])
        return NULL;
    load_pair(search, search->met[state] - 1);
    for (size_t i = 0; i < search->network->delays; i++)
        search->delays[i] = search->signals.value[signal_of_delay(search->network, i)] ? '1' : '0';
    return search->delays;
}
