// Automata as networks: "any arbitrary finite state automaton can be realized using threshold
// neurons and delay units" (Honavar). One-hot: a delay per state, units that detect "in one of
// these states, reading one of these symbols", and units that join those leading to the same state.
// Binary: states as binary numbers, with fewer delays.
#include "base/call/fp_env.h"
#include "logic/append.h"
#include "logic/automaton/automaton.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 1000000

// A network under construction.
struct sketch {
    const tlu_automaton *automaton;
    bool onehot;         // a delay per state; else binary numbers
    bool binary_symbols; // inputs encode symbols as numbers; else one per symbol
    tlu_network *network;
    struct link *links; // of the next unit
    size_t count, capacity;
    bool full;         // out of memory
    size_t delays;     // one-hot: one per state except a dead one; else bits
    uint32_t *code;    // [states] the delay of the state, or its number; STATE_NONE: no delay
    uint32_t *symbols; // [symbols] the signal of each symbol
    struct fan *fans;  // [delays + outputs] signals to join
};

// Signals whose OR is a delay or an output.
struct fan {
    uint32_t *from;
    size_t count, capacity;
};

// ---- sketches ----

static void sketch_link(struct sketch *sketch, uint32_t from, int64_t weight)
{
    sketch->full =
        !APPEND(sketch->links, sketch->count, sketch->capacity, (struct link){from, weight}) ||
        sketch->full;
}

static int64_t sketch_link_state(struct sketch *sketch, uint32_t state)
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

static uint32_t sketch_unit(struct sketch *sketch, int64_t threshold, const char *format, ...)
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

static void sketch_fan(struct sketch *sketch, size_t fan, uint32_t unit)
{
    struct fan *into = &sketch->fans[fan];
    sketch->full = !APPEND(into->from, into->count, into->capacity, unit) || sketch->full;
}

static void sketch_lead(struct sketch *sketch, uint32_t unit, uint32_t state)
{
    uint32_t code = sketch->code[state];
    if (sketch->onehot && code != STATE_NONE)
        sketch_fan(sketch, code, unit);
    for (size_t bit = 0; !sketch->onehot && bit < sketch->delays; bit++)
        if (code >> (sketch->delays - 1 - bit) & 1)
            sketch_fan(sketch, bit, unit);
}

static uint32_t sketch_join(struct sketch *sketch, size_t fan, const char *name)
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
    tlu_network_free(sketch->network);
    for (size_t i = 0; sketch->fans && i < sketch->delays + outputs; i++)
        memory_free(sketch->fans[i].from);
    memory_free(sketch->fans);
    memory_free(sketch->links);
    memory_free(sketch->code);
    memory_free(sketch->symbols);
}

// ---- codes of states ----

struct popular {
    uint32_t state, led; // number of transitions to it
    bool accepts, dead;
};

// Rejecting states get the lowest numbers, so that one unit recognises acceptance by the number. 0,
// which needs no unit, goes to the most frequent target.
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
        for (size_t symbol = 0; symbol < automaton->facts.symbols; symbol++)
            list[automaton_next(automaton, i, symbol)].led++;
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
                                sketch->binary_symbols ? number : table_text(names, (uint32_t)i)))
            return false;
    }
    return true;
}

static bool begin(struct sketch *sketch)
{
    const tlu_automaton_facts *facts = &sketch->automaton->facts;
    size_t inputs = sketch->automaton->shown ? facts->inputs
                    : sketch->binary_symbols ? bits_for(facts->symbols)
                                             : facts->symbols;
    if (!find_codes(sketch))
        return false;
    sketch->network = network_new(inputs, sketch->delays);
    sketch->fans = memory_new(sketch->delays + facts->outputs + 1, sizeof *sketch->fans);
    return sketch->network && sketch->fans && name_delays(sketch) && name_inputs(sketch);
}

// ---- networks that accept strings ----
//
// One symbol is 1 in each step and, one-hot, at most one delay. So a single unit detects that the
// automaton is in one of the states p, q, ... and reads one of the symbols a, b, ...: p + q + ... +
// a + b + ... >= 2. The transitions into a state are partitioned into such groups.

// A transition into a state.
struct way {
    uint32_t to, major, minor; // source state and symbol, or vice versa
};

// The transitions into one state: runs with the same `major`, and groups of runs with the same
// minors.
struct groups {
    struct table minors; // of each group, as an array
    uint32_t *major;     // [runs]
    uint32_t *group;     // [runs]
    size_t runs;
};

static int compare_ways(const void *a, const void *b)
{
    const struct way *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    return (x->minor > y->minor) - (x->minor < y->minor);
}

// The transitions to states other than the dead one, ascending, with states as majors or as minors;
// NULL: out of memory.
static struct way *find_ways(const struct sketch *sketch, bool states_first, size_t *count)
{
    const tlu_automaton *automaton = sketch->automaton;
    uint32_t states = (uint32_t)automaton->facts.states;
    uint32_t symbols = (uint32_t)automaton->facts.symbols, dead = automaton_dead(automaton);
    struct way *ways = memory_new((size_t)states * symbols + 1, sizeof *ways);
    *count = 0;
    for (uint32_t state = 0; ways && state < states; state++)
        for (uint32_t symbol = 0; symbol < symbols; symbol++) {
            uint32_t to = automaton_next(automaton, state, symbol);
            if (to != dead)
                ways[(*count)++] = states_first ? (struct way){to, state, symbol}
                                                : (struct way){to, symbol, state};
        }
    if (ways)
        qsort(ways, *count, sizeof *ways, compare_ways);
    return ways;
}

static void groups_free(struct groups *groups)
{
    table_free(&groups->minors);
    memory_free(groups->major);
    memory_free(groups->group);
}

static bool find_groups(struct groups *groups, const struct way *ways, size_t count)
{
    uint32_t *minors = memory_new(count + 1, sizeof *minors);
    groups->major = memory_new(count + 1, sizeof *groups->major);
    groups->group = memory_new(count + 1, sizeof *groups->group);
    bool enough = minors && groups->major && groups->group;
    for (size_t i = 0, n; enough && i < count; i += n) {
        for (n = 0; i + n < count && ways[i + n].major == ways[i].major; n++)
            minors[n] = ways[i + n].minor;
        groups->major[groups->runs] = ways[i].major;
        groups->group[groups->runs] =
            table_add(&groups->minors, (const char *)minors, n * sizeof *minors);
        enough = groups->group[groups->runs++] != TABLE_NONE;
    }
    memory_free(minors);
    return enough;
}

// ---- a delay per state ----

static void link_member(struct sketch *sketch, bool is_state, uint32_t member)
{
    if (is_state)
        sketch_link_state(sketch, member);
    else
        sketch_link(sketch, sketch->symbols[member], 1);
}

static void add_groups(struct sketch *sketch, const struct groups *groups, bool states_first,
                       uint32_t to)
{
    const char *name = table_text(&sketch->automaton->state_names, to);
    uint32_t count = groups->minors.count;
    for (uint32_t group = 0; group < count && !sketch->full; group++) {
        if (sketch->network->units >= UNITS_MAX)
            return; // reported by encode
        for (size_t run = 0; run < groups->runs; run++)
            if (groups->group[run] == group)
                link_member(sketch, states_first, groups->major[run]);
        for (size_t i = 0; i < table_length(&groups->minors, group); i += sizeof(uint32_t)) {
            uint32_t minor;
            memcpy(&minor, table_text(&groups->minors, group) + i, sizeof minor);
            link_member(sketch, !states_first, minor);
        }
        uint32_t unit = count == 1
                            ? sketch_unit(sketch, 2, "next_%.180s", name)
                            : sketch_unit(sketch, 2, "to_%.180s_%u", name, (unsigned)group + 1);
        sketch_lead(sketch, unit, to);
    }
}

// Groups states with the same symbols, or symbols with the same states, whichever gives fewer
// groups.
static void add_state(struct sketch *sketch, const struct way *by_state,
                      const struct way *by_symbol, size_t count)
{
    struct groups of_states = {0}, of_symbols = {0};
    if (!find_groups(&of_states, by_state, count) || !find_groups(&of_symbols, by_symbol, count))
        sketch->full = true;
    else if (of_states.minors.count <= of_symbols.minors.count)
        add_groups(sketch, &of_states, true, by_state->to);
    else
        add_groups(sketch, &of_symbols, false, by_state->to);
    groups_free(&of_states);
    groups_free(&of_symbols);
}

static void add_states(struct sketch *sketch)
{
    size_t count;
    struct way *by_state = find_ways(sketch, true, &count);
    struct way *by_symbol = find_ways(sketch, false, &count);
    sketch->full = sketch->full || !by_state || !by_symbol;
    for (size_t i = 0, n; !sketch->full && i < count; i += n) {
        for (n = 1; i + n < count && by_state[i + n].to == by_state[i].to;)
            n++;
        add_state(sketch, by_state + i, by_symbol + i, n);
    }
    memory_free(by_state);
    memory_free(by_symbol);
}

// ---- states as numbers ----

// Adds the unit of a state and the symbols that lead from it to another, unless that has number 0.
static void add_pair(struct sketch *sketch, uint32_t from, uint32_t to)
{
    const tlu_automaton *automaton = sketch->automaton;
    if (sketch->code[to] == 0 || sketch->network->units >= UNITS_MAX)
        return;
    int64_t ones = sketch_link_state(sketch, from);
    for (uint32_t symbol = 0; symbol < automaton->facts.symbols; symbol++)
        if (automaton_next(automaton, from, symbol) == to)
            sketch_link(sketch, sketch->symbols[symbol], 1);
    uint32_t unit =
        sketch_unit(sketch, ones + 1, "%.90s_to_%.90s", table_text(&automaton->state_names, from),
                    table_text(&automaton->state_names, to));
    sketch_lead(sketch, unit, to);
}

static void add_pairs(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    uint32_t states = (uint32_t)automaton->facts.states;
    uint32_t *seen = memory_new(states + (size_t)1, sizeof *seen); // the last source state, plus 1
    sketch->full = sketch->full || !seen;
    for (uint32_t from = 0; from < states && !sketch->full; from++)
        for (size_t symbol = 0; symbol < automaton->facts.symbols && !sketch->full; symbol++) {
            uint32_t to = automaton_next(automaton, from, symbol);
            if (seen[to] == from + 1)
                continue;
            seen[to] = from + 1;
            add_pair(sketch, from, to);
        }
    memory_free(seen);
}

// ---- symbols, and the output ----

// Whether the symbol leads to a state that needs a unit.
static bool symbol_leads(const struct sketch *sketch, uint32_t symbol)
{
    uint32_t none = sketch->onehot ? STATE_NONE : 0;
    for (size_t i = 0; i < sketch->automaton->facts.states; i++)
        if (sketch->code[automaton_next(sketch->automaton, i, symbol)] != none)
            return true;
    return false;
}

// Finds the signals of the symbols: inputs, or units that decode their numbers.
static void find_symbols(struct sketch *sketch)
{
    size_t symbols = sketch->automaton->facts.symbols, bits = sketch->network->inputs;
    sketch->symbols = memory_new(symbols + 1, sizeof *sketch->symbols);
    sketch->full = sketch->full || !sketch->symbols;
    for (uint32_t symbol = 0; !sketch->full && symbol < symbols; symbol++) {
        int64_t ones = 0;
        sketch->symbols[symbol] = symbol;
        if (!sketch->binary_symbols || !symbol_leads(sketch, symbol))
            continue;
        for (size_t bit = 0; bit < bits; bit++) {
            bool one = symbol >> (bits - 1 - bit) & 1;
            sketch_link(sketch, (uint32_t)bit, one ? 1 : -1);
            ones += one;
        }
        sketch->symbols[symbol] = sketch_unit(sketch, ones, "is_%.190s",
                                              alphabet_name(&sketch->automaton->alphabet, symbol));
    }
}

// Accepting states have the highest numbers: compares the number with the first of them.
static uint32_t compare_number(struct sketch *sketch, size_t accepting)
{
    uint32_t first = (uint32_t)(sketch->automaton->facts.states - accepting);
    if (sketch->delays && accepting && first == (uint32_t)1 << (sketch->delays - 1))
        return signal_of_delay(sketch->network, 0); // the highest bit alone
    for (size_t bit = 0; bit < sketch->delays && accepting && first; bit++)
        sketch_link(sketch, signal_of_delay(sketch->network, bit),
                    (int64_t)1 << (sketch->delays - 1 - bit));
    return sketch_unit(sketch, accepting ? first : 1, "accepting");
}

static uint32_t add_accept(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    size_t accepting = 0;
    for (size_t i = 0; i < automaton->facts.states; i++)
        accepting += automaton->accepts[i];
    if (!sketch->onehot)
        return compare_number(sketch, accepting);
    for (uint32_t i = 0; i < automaton->facts.states; i++)
        if (automaton->accepts[i])
            sketch_link_state(sketch, i);
    if (accepting == 1 && !sketch->full) {
        sketch->count = 0;
        return sketch->links[0].from;
    }
    return sketch_unit(sketch, 1, "accepting");
}

static void encode_acceptor(struct sketch *sketch)
{
    find_symbols(sketch);
    if (!sketch->full)
        (sketch->onehot ? add_states : add_pairs)(sketch);
    uint32_t accept = sketch->full ? SIGNAL_NONE : add_accept(sketch);
    if (sketch->full || !network_add_output(sketch->network, "accept", accept))
        sketch->full = true;
}

// ---- networks of Mealy machines ----
//
// One unit per row of a state, with links from the state and the inputs.

static uint32_t add_mealy_row(struct sketch *sketch, const struct kiss_row *row, size_t number)
{
    const tlu_automaton *automaton = sketch->automaton;
    const char *cube = table_text(&automaton->cubes, row->cube);
    int64_t ones = sketch_link_state(sketch, row->from);
    for (uint32_t i = 0; i < automaton->facts.inputs; i++)
        if (cube[i] != '-') {
            sketch_link(sketch, i, cube[i] == '1' ? 1 : -1);
            ones += cube[i] == '1';
        }
    return sketch_unit(sketch, ones, "%.180s_%zu", table_text(&automaton->state_names, row->from),
                       number);
}

// Whether the row has an effect: a state that needs a unit, or an output of 1.
static bool row_matters(const struct sketch *sketch, const struct kiss_row *row)
{
    const tlu_automaton *automaton = sketch->automaton;
    bool leads = row->to != STATE_NONE && (sketch->onehot || sketch->code[row->to] != 0);
    bool stays = automaton->holds[row->from] && (sketch->onehot || sketch->code[row->from] != 0);
    return leads || stays || strchr(table_text(&automaton->patterns, row->pattern), '1');
}

// For inputs without a row the machine stays in its state.
static void add_hold(struct sketch *sketch, uint32_t state, const struct fan *rows)
{
    if (!sketch->automaton->holds[state] || (!sketch->onehot && sketch->code[state] == 0))
        return;
    int64_t ones = sketch_link_state(sketch, state);
    for (size_t i = 0; i < rows->count; i++)
        sketch_link(sketch, rows->from[i], -1);
    sketch_lead(sketch,
                sketch_unit(sketch, ones, "%.180s_stays",
                            table_text(&sketch->automaton->state_names, state)),
                state);
}

static size_t add_mealy_state(struct sketch *sketch, uint32_t state, size_t at)
{
    const tlu_automaton *automaton = sketch->automaton;
    const struct kiss_rows *rows = &automaton->rows;
    struct fan leading = {0};
    size_t number = 0;
    for (; at < rows->count && rows->at[at].from == state && !sketch->full; at++) {
        const struct kiss_row *row = &rows->at[at];
        const char *pattern = table_text(&automaton->patterns, row->pattern);
        number++;
        if (!row_matters(sketch, row))
            continue;
        uint32_t unit = add_mealy_row(sketch, row, number);
        for (size_t i = 0; i < automaton->facts.outputs; i++)
            if (pattern[i] == '1')
                sketch_fan(sketch, sketch->delays + i, unit);
        if (row->to == STATE_NONE)
            continue;
        sketch_lead(sketch, unit, row->to);
        sketch->full = !APPEND(leading.from, leading.count, leading.capacity, unit) || sketch->full;
    }
    if (!sketch->full)
        add_hold(sketch, state, &leading);
    memory_free(leading.from);
    return at;
}

static void encode_mealy(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    size_t at = 0;
    for (uint32_t state = 0; state < automaton->facts.states && !sketch->full; state++)
        at = add_mealy_state(sketch, state, at);
    for (uint32_t i = 0; i < automaton->facts.outputs && !sketch->full; i++) {
        const char *name = table_text(&automaton->output_names, i);
        uint32_t unit = sketch_join(sketch, sketch->delays + i, name);
        if (!sketch->full && !network_add_output(sketch->network, name, unit))
            sketch->full = true;
    }
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

static tlu_status encode(const tlu_automaton *automaton, bool onehot, bool binary_symbols,
                         tlu_network **network, tlu_error *error)
{
    struct sketch sketch = {
        .automaton = automaton, .onehot = onehot, .binary_symbols = binary_symbols};
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
        return error_input(
            error, "the network is too large: it has more than %d units; simplify the automaton",
            UNITS_MAX);
    return enough_memory(*network != NULL, error);
}

// *choice := 0 for the first word, 1 for the second, -1 for none.
static tlu_status choose(const char *what, const char *word, const char *first, const char *second,
                         int *choice, tlu_error *error)
{
    *choice = !word ? -1 : strcmp(word, first) == 0 ? 0 : strcmp(word, second) == 0 ? 1 : 2;
    if (*choice == 2)
        return error_input(error, "%s is %s or %s", what, first, second);
    return TLU_OK;
}

tlu_status tlu_network_from_automaton(const tlu_automaton *automaton, const char *encoding,
                                      const char *symbols, tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    int states, inputs;
    tlu_network *other = NULL;
    *network = NULL;
    TRY(choose("the encoding of states", encoding, "onehot", "binary", &states, error));
    TRY(choose("the encoding of symbols", symbols, "onehot", "binary", &inputs, error));
    if (inputs == 1 && automaton->shown)
        return error_input(
            error, "the inputs of a KISS2 machine are its own; leave the encoding of symbols out");
    TRY(encode(automaton, states != 1, inputs == 1, network, error));
    if (states != -1)
        return TLU_OK;
    tlu_status status = encode(automaton, false, inputs == 1, &other, error);
    if (status != TLU_OK || other->units < (*network)->units) {
        tlu_network_free(*network);
        *network = other;
    } else {
        tlu_network_free(other);
    }
    return status;
}
