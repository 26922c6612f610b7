// From an automaton to a network: "any arbitrary finite state automaton can be realized using
// threshold neurons and delay units" (Honavar). A delay per state; units that say "the automaton
// is in one of these states and reads one of these letters"; units that join those that lead to the
// same state. Or, with fewer delays, states as binary numbers.
#include "logic/automaton/encode.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- sketches ----

void sketch_link(struct sketch *sketch, uint32_t from, int64_t weight)
{
    if (!memory_reserve(&sketch->links, &sketch->capacity, sketch->count + 1,
                        sizeof *sketch->links)) {
        sketch->full = true;
        return;
    }
    sketch->links[sketch->count++] = (struct link){from, weight};
}

int64_t sketch_link_state(struct sketch *sketch, uint32_t state)
{
    uint32_t code = sketch->code[state];
    int64_t ones = 0;
    if (sketch->onehot) {
        sketch_link(sketch, signal_of_delay(sketch->network, code), 1);
        return 1;
    }
    for (size_t bit = 0; bit < sketch->delays; bit++) { // the first delay is the highest bit
        bool one = code >> (sketch->delays - 1 - bit) & 1;
        sketch_link(sketch, signal_of_delay(sketch->network, bit), one ? 1 : -1);
        ones += one;
    }
    return ones;
}

uint32_t sketch_unit(struct sketch *sketch, int64_t threshold, const char *format, ...)
{
    char name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    uint32_t signal = SIGNAL_NONE;
    if (!sketch->full)
        signal = network_add_unit(sketch->network, name, sketch->links, sketch->count, threshold);
    sketch->full = sketch->full || signal == SIGNAL_NONE;
    sketch->count = 0;
    return signal;
}

void sketch_fan(struct sketch *sketch, size_t fan, uint32_t unit)
{
    struct fan *into = &sketch->fans[fan];
    if (!memory_reserve(&into->from, &into->capacity, into->count + 1, sizeof *into->from))
        sketch->full = true;
    else
        into->from[into->count++] = unit;
}

void sketch_lead(struct sketch *sketch, uint32_t unit, uint32_t state)
{
    uint32_t code = sketch->code[state];
    if (sketch->onehot && code != STATE_NONE)
        sketch_fan(sketch, code, unit);
    for (size_t bit = 0; !sketch->onehot && bit < sketch->delays; bit++)
        if (code >> (sketch->delays - 1 - bit) & 1)
            sketch_fan(sketch, bit, unit);
}

uint32_t sketch_join(struct sketch *sketch, size_t fan, const char *name)
{
    const struct fan *into = &sketch->fans[fan];
    if (into->count == 1)
        return into->from[0];
    for (size_t i = 0; i < into->count; i++)
        sketch_link(sketch, into->from[i], 1);
    return sketch_unit(sketch, 1, "%s", name);
}

static void sketch_free(struct sketch *sketch, size_t outputs)
{
    network_free(sketch->network);
    for (size_t i = 0; sketch->fans && i < sketch->delays + outputs; i++)
        memory_free(sketch->fans[i].from);
    memory_free(sketch->fans);
    memory_free(sketch->links);
    memory_free(sketch->code);
    memory_free(sketch->letters);
}

// ---- codes of states ----

struct popular {
    uint32_t state, led; // from how many states and letters it is reached
    bool accepts, dead;
};

// Numbers are given to states that do not accept first, so that one unit sees by the number whether
// it accepts; and 0, which takes no unit to get to, to the one that most lead to.
static int by_number(const void *a, const void *b)
{
    const struct popular *x = a, *y = b;
    if (x->accepts != y->accepts)
        return x->accepts ? 1 : -1;
    if (x->dead != y->dead)
        return x->dead ? -1 : 1;
    if (x->led != y->led)
        return x->led > y->led ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

static bool number_states(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    uint32_t states = (uint32_t)automaton->facts.states, dead = automaton_dead(automaton);
    struct popular *list = memory_new(states, sizeof *list);
    if (!list)
        return false;
    for (uint32_t i = 0; i < states; i++)
        list[i] = (struct popular){i, 0, automaton->accepts && automaton->accepts[i], i == dead};
    for (size_t i = 0; i < states; i++)
        for (size_t letter = 0; letter < automaton->facts.letters; letter++)
            list[automaton_next(automaton, i, letter)].led++;
    qsort(list, states, sizeof *list, by_number);
    for (uint32_t i = 0; i < states; i++)
        sketch->code[list[i].state] = i;
    sketch->delays = bits_for(states);
    memory_free(list);
    return true;
}

static bool find_codes(struct sketch *sketch)
{
    uint32_t states = (uint32_t)sketch->automaton->facts.states;
    uint32_t dead = automaton_dead(sketch->automaton);
    sketch->code = memory_new(states, sizeof *sketch->code);
    if (!sketch->code)
        return false;
    if (!sketch->onehot)
        return number_states(sketch);
    for (uint32_t i = 0; i < states; i++)
        sketch->code[i] = i == dead ? STATE_NONE : (uint32_t)sketch->delays++;
    return true;
}

// ---- inputs and delays ----

static bool name_delays(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    char name[32];
    if (sketch->onehot) {
        for (uint32_t i = 0; i < automaton->facts.states; i++)
            if (sketch->code[i] != STATE_NONE &&
                !network_name_delay(sketch->network, sketch->code[i],
                                    table_text(&automaton->state_names, i), i == 0))
                return false;
        return true;
    }
    for (size_t bit = 0; bit < sketch->delays; bit++) {
        size_t place = sketch->delays - 1 - bit;
        snprintf(name, sizeof name, "bit%zu", place);
        if (!network_name_delay(sketch->network, bit, name, sketch->code[0] >> place & 1))
            return false;
    }
    return true;
}

static bool name_inputs(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    const struct table *names =
        automaton->shown ? &automaton->input_names : &automaton->alphabet.names;
    char number[32];
    for (size_t i = 0; i < sketch->network->inputs; i++) {
        snprintf(number, sizeof number, "letter%zu", sketch->network->inputs - 1 - i);
        if (!network_name_input(sketch->network, i,
                                sketch->binary_letters ? number : table_text(names, (uint32_t)i)))
            return false;
    }
    return true;
}

static bool begin(struct sketch *sketch)
{
    const tlu_automaton_facts *facts = &sketch->automaton->facts;
    size_t inputs = sketch->automaton->shown ? facts->inputs
                    : sketch->binary_letters ? bits_for(facts->letters)
                                             : facts->letters;
    if (!find_codes(sketch))
        return false;
    sketch->network = network_new(inputs, sketch->delays);
    sketch->fans = memory_new(sketch->delays + facts->outputs + 1, sizeof *sketch->fans);
    return sketch->network && sketch->fans && name_delays(sketch) && name_inputs(sketch);
}

static void connect_delays(struct sketch *sketch)
{
    for (size_t i = 0; i < sketch->delays && !sketch->full; i++) {
        char name[200];
        snprintf(name, sizeof name, "next_%.190s", sketch->network->delay[i].name);
        uint32_t from = sketch_join(sketch, i, name);
        if (from != SIGNAL_NONE)
            network_connect_delay(sketch->network, i, from);
    }
}

// ---- the interface ----

static tlu_status encode(const tlu_automaton *automaton, bool onehot, bool binary_letters,
                         tlu_network **network, tlu_error *error)
{
    struct sketch sketch = {
        .automaton = automaton, .onehot = onehot, .binary_letters = binary_letters};
    bool enough = begin(&sketch);
    if (enough) {
        (automaton->shown ? encode_mealy : encode_acceptor)(&sketch);
        connect_delays(&sketch);
    }
    bool large = enough && sketch.network->units >= UNITS_MAX;
    *network = NULL;
    if (enough && !sketch.full && !large) {
        *network = sketch.network;
        sketch.network = NULL;
    }
    sketch_free(&sketch, automaton->facts.outputs);
    if (large)
        return error_input(error, "the network is too large: it has more than %d units", UNITS_MAX);
    return enough_memory(*network != NULL, error);
}

// Whether a word is the first of two, or the second, or it is not given (-1).
static tlu_status choose(const char *what, const char *word, const char *first, const char *second,
                         int *choice, tlu_error *error)
{
    *choice = !word ? -1 : strcmp(word, first) == 0 ? 0 : strcmp(word, second) == 0 ? 1 : 2;
    if (*choice == 2)
        return error_input(error, "%s is %s or %s", what, first, second);
    return TLU_OK;
}

tlu_status tlu_network_from_automaton(const tlu_automaton *automaton, const char *encoding,
                                      const char *letters, tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    int states, inputs;
    tlu_network *other = NULL;
    *network = NULL;
    TRY(choose("the encoding of states", encoding, "onehot", "binary", &states, error));
    TRY(choose("the encoding of letters", letters, "onehot", "binary", &inputs, error));
    if (inputs == 1 && automaton->shown)
        return error_input(error, "the inputs of a KISS2 machine are its own: they have no letters "
                                  "that could be encoded");
    TRY(encode(automaton, states != 1, inputs == 1, network, error));
    if (states != -1)
        return TLU_OK;
    tlu_status status = encode(automaton, false, inputs == 1, &other, error);
    if (status != TLU_OK || other->units < (*network)->units) {
        network_free(*network);
        *network = other;
    } else {
        network_free(other);
    }
    return status;
}
