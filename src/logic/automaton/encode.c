// From an automaton to a network: "any arbitrary finite state automaton can be realized using
// threshold neurons and delay units" (Honavar). A delay per state; units that say "the automaton
// is in one of these states and reads one of these letters"; units that join those that lead to the
// same state. Or, with fewer delays, states as binary numbers.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "logic/automaton/automaton.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 1000000

// A network that is being made. Units are put together link by link.
struct sketch {
    const tlu_automaton *automaton;
    bool onehot;         // a delay per state; else numbers of states
    bool binary_letters; // inputs are numbers of letters; else one per letter
    tlu_network *network;
    struct link *links; // of the next unit
    size_t count, capacity;
    bool full;         // there was no memory
    size_t delays;     // onehot: one per state but for that without one; else bits of a number
    uint32_t *code;    // [states] the delay of the state, or its number; STATE_NONE: no delay
    uint32_t *letters; // [letters] the signal that says that it is this letter
    struct fan *fans;  // [delays + outputs] signals that are to be joined
};

// What makes a delay, or an output of a Mealy machine, 1: any of these.
struct fan {
    uint32_t *from;
    size_t count, capacity;
};

// ---- sketches ----

static void sketch_link(struct sketch *sketch, uint32_t from, int64_t weight)
{
    if (!memory_reserve(&sketch->links, &sketch->capacity, sketch->count + 1,
                        sizeof *sketch->links)) {
        sketch->full = true;
        return;
    }
    sketch->links[sketch->count++] = (struct link){from, weight};
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
    if (!memory_reserve(&into->from, &into->capacity, into->count + 1, sizeof *into->from))
        sketch->full = true;
    else
        into->from[into->count++] = unit;
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

// ---- networks that accept strings ----
//
// Networks that accept strings.
//
// One letter is 1 in each step, and with a delay per state at most one of these is 1. So a single
// unit sees that the automaton is in one of the states p, q, ... and reads one of the letters a, b,
// ...: p + q + ... + a + b + ... >= 2. The ways into a state fall into such groups.

// A way into a state.
struct way {
    uint32_t to, major, minor; // a state and a letter, or the other way round
};

struct ways {
    struct way *at; // [count] ascending
    size_t count;
};

// Of the ways into one state: runs of the same `major`, and groups of runs with the same minors.
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

// All steps to states that have a code, with states as the majors or as the minors.
static bool find_ways(const struct sketch *sketch, bool states_first, struct ways *ways)
{
    const tlu_automaton *automaton = sketch->automaton;
    uint32_t states = (uint32_t)automaton->facts.states;
    uint32_t letters = (uint32_t)automaton->facts.letters;
    uint32_t dead = automaton_dead(automaton);
    ways->at = memory_new((size_t)states * letters + 1, sizeof *ways->at);
    if (!ways->at)
        return false;
    for (uint32_t state = 0; state < states; state++)
        for (uint32_t letter = 0; letter < letters; letter++) {
            uint32_t to = automaton_next(automaton, state, letter);
            if (to != dead)
                ways->at[ways->count++] = states_first ? (struct way){to, state, letter}
                                                       : (struct way){to, letter, state};
        }
    qsort(ways->at, ways->count, sizeof *ways->at, compare_ways);
    return true;
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

static uint32_t minor_at(const struct groups *groups, uint32_t group, size_t i)
{
    uint32_t minor;
    memcpy(&minor, table_text(&groups->minors, group) + i * sizeof minor, sizeof minor);
    return minor;
}

static size_t minor_count(const struct groups *groups, uint32_t group)
{
    return table_length(&groups->minors, group) / sizeof(uint32_t);
}

// ---- a delay per state ----

static void link_member(struct sketch *sketch, bool is_state, uint32_t member)
{
    if (is_state)
        sketch_link_state(sketch, member);
    else
        sketch_link(sketch, sketch->letters[member], 1);
}

static void add_groups(struct sketch *sketch, const struct groups *groups, bool states_first,
                       uint32_t to)
{
    const char *name = table_text(&sketch->automaton->state_names, to);
    uint32_t count = groups->minors.count;
    for (uint32_t group = 0; group < count && !sketch->full; group++) {
        if (sketch->network->units >= UNITS_MAX)
            return; // which will be said
        for (size_t run = 0; run < groups->runs; run++)
            if (groups->group[run] == group)
                link_member(sketch, states_first, groups->major[run]);
        for (size_t i = 0; i < minor_count(groups, group); i++)
            link_member(sketch, !states_first, minor_at(groups, group, i));
        uint32_t unit = count == 1
                            ? sketch_unit(sketch, 2, "next_%.180s", name)
                            : sketch_unit(sketch, 2, "to_%.180s_%u", name, (unsigned)group + 1);
        sketch_lead(sketch, unit, to);
    }
}

// Groups of states that lead on by the same letters, or of letters that the same states lead on by:
// whichever are fewer.
static void add_state(struct sketch *sketch, const struct way *by_state,
                      const struct way *by_letter, size_t count)
{
    struct groups of_states = {0}, of_letters = {0};
    if (!find_groups(&of_states, by_state, count) || !find_groups(&of_letters, by_letter, count))
        sketch->full = true;
    else if (of_states.minors.count <= of_letters.minors.count)
        add_groups(sketch, &of_states, true, by_state->to);
    else
        add_groups(sketch, &of_letters, false, by_state->to);
    groups_free(&of_states);
    groups_free(&of_letters);
}

static void add_states(struct sketch *sketch)
{
    struct ways by_state = {0}, by_letter = {0};
    if (!find_ways(sketch, true, &by_state) || !find_ways(sketch, false, &by_letter))
        sketch->full = true;
    for (size_t i = 0, n; i < by_state.count && !sketch->full; i += n) {
        for (n = 1; i + n < by_state.count && by_state.at[i + n].to == by_state.at[i].to;)
            n++;
        add_state(sketch, by_state.at + i, by_letter.at + i, n);
    }
    memory_free(by_state.at);
    memory_free(by_letter.at);
}

// ---- states as numbers ----

// The unit for a state, and the letters by which it leads to another, if that is not number 0.
static void add_pair(struct sketch *sketch, uint32_t from, uint32_t to)
{
    const tlu_automaton *automaton = sketch->automaton;
    if (sketch->code[to] == 0 || sketch->network->units >= UNITS_MAX)
        return;
    int64_t ones = sketch_link_state(sketch, from);
    for (uint32_t letter = 0; letter < automaton->facts.letters; letter++)
        if (automaton_next(automaton, from, letter) == to)
            sketch_link(sketch, sketch->letters[letter], 1);
    uint32_t unit =
        sketch_unit(sketch, ones + 1, "%.90s_to_%.90s", table_text(&automaton->state_names, from),
                    table_text(&automaton->state_names, to));
    sketch_lead(sketch, unit, to);
}

static void add_pairs(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    uint32_t states = (uint32_t)automaton->facts.states;
    uint32_t *seen = memory_new(states + (size_t)1, sizeof *seen); // from which state, plus 1
    sketch->full = sketch->full || !seen;
    for (uint32_t from = 0; from < states && !sketch->full; from++)
        for (size_t letter = 0; letter < automaton->facts.letters && !sketch->full; letter++) {
            uint32_t to = automaton_next(automaton, from, letter);
            if (seen[to] == from + 1)
                continue;
            seen[to] = from + 1;
            add_pair(sketch, from, to);
        }
    memory_free(seen);
}

// ---- letters, and the output ----

// Whether the letter ever leads to a state that takes a unit to get to.
static bool letter_leads(const struct sketch *sketch, uint32_t letter)
{
    uint32_t none = sketch->onehot ? STATE_NONE : 0;
    for (size_t i = 0; i < sketch->automaton->facts.states; i++)
        if (sketch->code[automaton_next(sketch->automaton, i, letter)] != none)
            return true;
    return false;
}

// The signals of the letters: inputs, or units that know the number of one.
static bool find_letters(struct sketch *sketch)
{
    size_t letters = sketch->automaton->facts.letters, bits = sketch->network->inputs;
    sketch->letters = memory_new(letters + 1, sizeof *sketch->letters);
    if (!sketch->letters)
        return false;
    for (uint32_t letter = 0; letter < letters; letter++) {
        int64_t ones = 0;
        sketch->letters[letter] = letter;
        if (sketch->binary_letters && !letter_leads(sketch, letter))
            continue;
        for (size_t bit = 0; sketch->binary_letters && bit < bits; bit++) {
            bool one = letter >> (bits - 1 - bit) & 1;
            sketch_link(sketch, (uint32_t)bit, one ? 1 : -1);
            ones += one;
        }
        if (sketch->binary_letters)
            sketch->letters[letter] = sketch_unit(
                sketch, ones, "is_%.190s", alphabet_name(&sketch->automaton->alphabet, letter));
    }
    return !sketch->full;
}

// Numbers of states that accept come after all others: the bits, weighed as in a number, tell.
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
    if (!find_letters(sketch))
        sketch->full = true;
    else if (sketch->onehot)
        add_states(sketch);
    else
        add_pairs(sketch);
    uint32_t accept = sketch->full ? SIGNAL_NONE : add_accept(sketch);
    if (sketch->full || !network_add_output(sketch->network, "accept", accept))
        sketch->full = true;
}

// ---- networks of Mealy machines ----
//
// Networks that show outputs: a unit per row of a state, which looks at the state and the inputs.

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

// Whether anything comes of the row: a state that takes a unit to get to, or an output of 1.
static bool row_matters(const struct sketch *sketch, const struct kiss_row *row)
{
    const tlu_automaton *automaton = sketch->automaton;
    bool leads = row->to != STATE_NONE && (sketch->onehot || sketch->code[row->to] != 0);
    bool stays = automaton->holds[row->from] && (sketch->onehot || sketch->code[row->from] != 0);
    return leads || stays || strchr(table_text(&automaton->patterns, row->pattern), '1');
}

// With inputs that none of its rows is about the machine stays in its state.
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
        if (!memory_reserve(&leading.from, &leading.capacity, leading.count + 1,
                            sizeof *leading.from)) {
            sketch->full = true;
            break;
        }
        leading.from[leading.count++] = unit;
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

// ---- entry point ----

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

tlu_status tlu_automaton_network(const tlu_automaton *automaton, const char *encoding,
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
