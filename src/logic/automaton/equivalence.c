// Decides whether a network is equivalent to an automaton: visits all reachable pairs of a state of
// the automaton and a state of the delays, with all symbols, in breadth-first order. So a
// counterexample is one of the shortest.
#include "base/call/fp_env.h"
#include "logic/automaton/binding.h"
#include "logic/network/propagation.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <assert.h>
#include <string.h>

#define PAIRS_MAX 1000000
#define PAIRS_SIZE_MAX 268435456 // bytes
#define SEARCH_MAX 40000000000   // units and links visited

// How a pair was first reached.
struct pair_origin {
    uint32_t pair, symbol;
    uint32_t vector; // the inputs of a Mealy machine, possibly a subset of the symbol
};

struct product_search {
    tlu_equivalence told; // first: the caller gets its address
    const tlu_automaton *automaton;
    const tlu_network *network;
    struct propagation step;
    struct binding binding;
    struct table pairs;        // a state, and the delays as bits
    struct table vectors;      // of inputs
    struct pair_origin *steps; // [pairs]
    size_t step_capacity;
    uint8_t *key; // of a pair
    size_t key_size;
    char *vector;  // [inputs of the machine]
    uint32_t *met; // [states] the first pair with the state, plus 1
    char *delays;  // as text
    size_t *word;
    char *text;
    size_t text_capacity;
};

void tlu_equivalence_free(tlu_equivalence *told)
{
    struct product_search *search = (struct product_search *)told;
    if (!search)
        return;
    propagation_free(&search->step);
    binding_free(&search->binding);
    table_free(&search->pairs);
    table_free(&search->vectors);
    memory_free(search->steps);
    memory_free(search->key);
    memory_free(search->vector);
    memory_free(search->met);
    memory_free(search->delays);
    memory_free(search->word);
    memory_free(search->text);
    memory_free(search);
}

// ---- the counterexample ----

static bool add_text(struct product_search *search, size_t *length, const char *text, size_t size)
{
    if (!memory_reserve(&search->text, &search->text_capacity, *length + size + 2, 1))
        return false;
    if (search->automaton->alphabet.kind != ALPHABET_CHARACTERS && *length)
        search->text[(*length)++] = ' ';
    for (size_t i = 0; i < size; i++) // an open input of a vector may have any value
        search->text[(*length)++] =
            search->automaton->alphabet.kind == ALPHABET_VECTORS && text[i] == '-' ? '0' : text[i];
    search->text[*length] = '\0';
    return true;
}

// A character of the symbol.
static size_t example_character(const struct alphabet *alphabet, uint32_t symbol, char out[4])
{
    size_t used, length;
    for (size_t i = 0; i < alphabet->range_count; i++)
        if (alphabet->ranges[i].symbol == symbol)
            return unicode_write(out, alphabet->ranges[i].first);
    for (uint32_t point = 'a'; point < 0xD800; point++) {
        length = unicode_write(out, point);
        if (alphabet_read(alphabet, out, length, &used) == symbol)
            return length;
    }
    return unicode_write(out, 0xFFFD);
}

static bool add_symbol(struct product_search *search, size_t *length,
                       const struct pair_origin *step)
{
    const struct alphabet *alphabet = &search->automaton->alphabet;
    char character[4];
    if (alphabet->kind == ALPHABET_CHARACTERS)
        return add_text(search, length, character,
                        example_character(alphabet, step->symbol, character));
    const char *name = alphabet->kind == ALPHABET_VECTORS
                           ? table_text(&search->vectors, step->vector)
                           : alphabet_name(alphabet, step->symbol);
    return add_text(search, length, name, strlen(name));
}

// Stores the string that leads to a pair, and optionally one more step.
static bool set_counterexample(struct product_search *search, uint32_t pair,
                               const struct pair_origin *last)
{
    size_t length = last ? 1 : 0, used = 0;
    for (uint32_t i = pair; i != 0; i = search->steps[i].pair)
        length++;
    const struct pair_origin **path = memory_new(length + 1, sizeof *path);
    search->word = memory_new(length + 1, sizeof *search->word);
    bool enough =
        path && search->word && memory_reserve(&search->text, &search->text_capacity, 1, 1);
    if (enough) {
        size_t at = length;
        search->text[0] = '\0';
        if (last)
            path[--at] = last;
        for (uint32_t i = pair; i != 0; i = search->steps[i].pair)
            path[--at] = &search->steps[i];
        assert(at == 0);
    }
    for (size_t i = 0; enough && i < length; i++) {
        search->word[i] = path[i]->symbol;
        enough = add_symbol(search, &used, path[i]);
    }
    memory_free(path);
    search->told.length = length;
    search->told.word = search->word;
    search->told.text = search->text;
    return enough;
}

// ---- pairs ----

// The number of the pair of the state and the delays after this step.
static uint32_t add_pair(struct product_search *search, uint32_t state,
                         const struct pair_origin *step)
{
    const tlu_network *network = search->network;
    memset(search->key, 0, search->key_size);
    memcpy(search->key, &state, sizeof state);
    for (size_t i = 0; i < network->delays; i++) {
        bool on = step ? search->step.value[network->delay[i].from] == SIGNAL_ON
                       : network->delay[i].start;
        search->key[sizeof state + i / 8] |= (uint8_t)(on << i % 8);
    }
    uint32_t before = search->pairs.count;
    uint32_t pair = table_add(&search->pairs, (const char *)search->key, search->key_size);
    if (pair == TABLE_NONE || pair < before || !step)
        return pair;
    if (!memory_reserve(&search->steps, &search->step_capacity, pair + (size_t)1, sizeof *step))
        return TABLE_NONE;
    search->steps[pair] = *step;
    return pair;
}

static uint32_t load_pair(struct product_search *search, uint32_t pair)
{
    const char *key = table_text(&search->pairs, pair);
    uint32_t state;
    memcpy(&state, key, sizeof state);
    for (size_t i = 0; i < search->network->delays; i++)
        search->step.value[signal_of_delay(search->network, i)] =
            (uint8_t)key[sizeof state + i / 8] >> i % 8 & 1;
    return state;
}

// ---- steps ----

enum compared { COMPARED_SAME, COMPARED_DIFFERENT, COMPARED_OPEN };

// Compares the outputs of this step with those of the automaton, and stores the first difference.
// COMPARED_OPEN: an output is open.
static enum compared compare_outputs(struct product_search *search, uint32_t state, uint32_t symbol)
{
    const tlu_automaton *automaton = search->automaton;
    const char *shown = automaton->shown ? automaton_shown(automaton, state, symbol) : NULL;
    enum compared compared = COMPARED_SAME;
    for (uint32_t i = 0; i < search->binding.outputs; i++) {
        uint8_t value = search->step.value[search->binding.output[i]];
        bool expected = shown ? shown[i] == '1' : automaton->accepts[state];
        if (value == SIGNAL_OPEN)
            compared = COMPARED_OPEN;
        if (value == SIGNAL_OPEN || value == expected)
            continue;
        search->told.output = shown ? table_text(&automaton->output_names, i) : "accept";
        search->told.expected = expected;
        return COMPARED_DIFFERENT;
    }
    return compared;
}

static bool delays_are_open(const struct product_search *search)
{
    for (size_t i = 0; i < search->network->delays; i++)
        if (search->step.value[search->network->delay[i].from] == SIGNAL_OPEN)
            return true;
    return false;
}

static tlu_status keep_vector(struct product_search *search, struct pair_origin *step,
                              tlu_error *error)
{
    if (!search->automaton->shown)
        return TLU_OK;
    for (size_t i = 0; i < search->binding.count; i++)
        search->vector[i] = "01-"[search->step.value[search->binding.input[i]]];
    step->vector = table_add(&search->vectors, search->vector, search->binding.count);
    return enough_memory(step->vector != TABLE_NONE, error);
}

static tlu_status differ(struct product_search *search, struct pair_origin *step, tlu_error *error)
{
    search->told.equal = 0;
    if (search->automaton->shown) {
        TRY(keep_vector(search, step, error));
        return enough_memory(set_counterexample(search, step->pair, step), error);
    }
    search->told.with_symbol = alphabet_name(&search->automaton->alphabet, step->symbol);
    return enough_memory(set_counterexample(search, step->pair, NULL), error);
}

static tlu_status check_size(const struct product_search *search, tlu_error *error)
{
    uint64_t pairs = search->pairs.count;
    if (pairs > PAIRS_MAX || pairs * search->key_size > PAIRS_SIZE_MAX)
        return error_input(error,
                           "the network is too large to compare: more than %llu pairs of a state "
                           "and delays can be reached",
                           (unsigned long long)pairs - 1);
    if (search->step.done > SEARCH_MAX)
        return error_input(error,
                           "the network is too large to compare: after %u pairs of a state "
                           "and delays there is no end in sight",
                           (unsigned)search->pairs.count);
    return TLU_OK;
}

// Takes a step with the inputs that are set. If an open input matters, both values are tried.
static tlu_status try_step(struct product_search *search, uint32_t state, struct pair_origin step,
                           tlu_error *error)
{
    TRY(check_size(search, error));
    propagation_settle(&search->step);
    enum compared compared = compare_outputs(search, state, step.symbol);
    if (compared == COMPARED_DIFFERENT)
        return differ(search, &step, error);
    if (compared == COMPARED_OPEN || delays_are_open(search)) {
        size_t i = 0;
        while (search->step.value[search->binding.input[i]] != SIGNAL_OPEN)
            i++;
        assert(i < search->binding.count); // an input is open, since a result is
        for (uint8_t value = SIGNAL_OFF; value <= SIGNAL_ON && search->told.equal; value++) {
            search->step.value[search->binding.input[i]] = value;
            TRY(try_step(search, state, step, error));
        }
        search->step.value[search->binding.input[i]] = SIGNAL_OPEN;
        return TLU_OK;
    }
    TRY(keep_vector(search, &step, error));
    uint32_t next = automaton_next(search->automaton, state, step.symbol);
    return enough_memory(add_pair(search, next, &step) != TABLE_NONE, error);
}

// Checks "accept" after the string so far, without a further symbol.
static tlu_status try_end(struct product_search *search, uint32_t state, uint32_t pair,
                          tlu_error *error)
{
    if (search->automaton->shown)
        return TLU_OK;
    memset(search->step.value, SIGNAL_OFF, search->network->inputs);
    propagation_settle(&search->step);
    if (compare_outputs(search, state, 0) == COMPARED_SAME)
        return TLU_OK;
    search->told.equal = 0;
    return enough_memory(set_counterexample(search, pair, NULL), error);
}

static tlu_status try_pair(struct product_search *search, uint32_t pair, tlu_error *error)
{
    uint32_t state = load_pair(search, pair), symbols = (uint32_t)search->automaton->facts.symbols;
    if (!search->met[state])
        search->met[state] = pair + 1;
    TRY(try_end(search, state, pair, error));
    for (uint32_t symbol = 0; symbol < symbols && search->told.equal; symbol++) {
        for (size_t i = 0; i < search->binding.count; i++)
            search->step.value[search->binding.input[i]] =
                binding_value(&search->binding, search->automaton, symbol, i);
        TRY(try_step(search, state, (struct pair_origin){pair, symbol, 0}, error));
    }
    return TLU_OK;
}

static tlu_status search_pairs(struct product_search *search, tlu_error *error)
{
    TRY(binding_find(&search->binding, search->automaton, search->network, error));
    search->key_size = sizeof(uint32_t) + (search->network->delays + 7) / 8;
    search->key = memory_new(search->key_size, 1);
    search->vector = memory_new(search->binding.count + 1, 1);
    search->met = memory_new(search->automaton->facts.states, sizeof *search->met);
    search->delays = memory_new(search->network->delays + 1, 1);
    bool enough =
        search->key && search->vector && search->met && search->delays &&
        propagation_new(&search->step, search->network) &&
        memory_reserve(&search->steps, &search->step_capacity, 1, sizeof *search->steps) &&
        add_pair(search, 0, NULL) != TABLE_NONE;
    TRY(enough_memory(enough, error));
    for (uint32_t pair = 0; pair < search->pairs.count && search->told.equal; pair++)
        TRY(try_pair(search, pair, error));
    search->told.pairs = search->pairs.count;
    search->told.symbols = search->automaton->facts.symbols;
    return TLU_OK;
}

tlu_status tlu_equivalence_check(const tlu_automaton *automaton, const tlu_network *network,
                                 tlu_equivalence **told, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct product_search *search = memory_new(1, sizeof *search);
    *told = NULL;
    if (!search)
        return error_memory(error);
    search->automaton = automaton;
    search->network = network;
    search->told.equal = 1;
    tlu_status status = search_pairs(search, error);
    if (status == TLU_OK)
        *told = &search->told;
    else
        tlu_equivalence_free(&search->told);
    return status;
}

const char *tlu_equivalence_delays(tlu_equivalence *told, size_t state)
{
    struct product_search *search = (struct product_search *)told;
    if (state >= search->automaton->facts.states || !search->met[state])
        return NULL;
    load_pair(search, search->met[state] - 1);
    for (size_t i = 0; i < search->network->delays; i++)
        search->delays[i] = search->step.value[signal_of_delay(search->network, i)] ? '1' : '0';
    return search->delays;
}
