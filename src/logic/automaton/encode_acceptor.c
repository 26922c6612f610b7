// Networks that accept strings.
//
// One letter is 1 in each step, and with a delay per state at most one of these is 1. So a single
// unit sees that the automaton is in one of the states p, q, ... and reads one of the letters a, b,
// ...: p + q + ... + a + b + ... >= 2. The ways into a state fall into such groups.
#include "base/memory.h"
#include "logic/automaton/encode.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

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

void encode_acceptor(struct sketch *sketch)
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
