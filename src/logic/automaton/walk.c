// Whether a network does what an automaton does, for all strings: all pairs of a state of the
// automaton and a state of the delays that can be reached together are looked at, with all letters.
// Pairs are met in the order of their distance from the start, so what tells the two apart is found
// by one of the shortest strings.
#include "base/call/fp_env.h"
#include "logic/automaton/encode.h"
#include "logic/automaton/probe.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

#define PAIRS_MAX 1000000
#define PAIRS_SIZE_MAX 268435456 // bytes that they take
#define WALK_MAX 40000000000     // units and links looked at

// How a pair was first met.
struct step {
    uint32_t pair, letter;
    uint32_t vector; // the inputs of a Mealy machine, which may be less than the whole letter
};

struct walk {
    tlu_equivalence told; // first: it is what the caller has
    const tlu_automaton *automaton;
    const tlu_network *network;
    struct probe probe;
    struct binding binding;
    struct table pairs;   // a state, and the delays, a byte for 8
    struct table vectors; // of inputs
    struct step *steps;   // [pairs]
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
    struct walk *walk = (struct walk *)told;
    if (!walk)
        return;
    probe_free(&walk->probe);
    binding_free(&walk->binding);
    table_free(&walk->pairs);
    table_free(&walk->vectors);
    memory_free(walk->steps);
    memory_free(walk->key);
    memory_free(walk->vector);
    memory_free(walk->met);
    memory_free(walk->delays);
    memory_free(walk->word);
    memory_free(walk->text);
    memory_free(walk);
}

// ---- what tells them apart ----

static bool add_text(struct walk *walk, size_t *length, const char *text, size_t size)
{
    if (!memory_reserve(&walk->text, &walk->text_capacity, *length + size + 2, 1))
        return false;
    bool apart = walk->automaton->alphabet.kind != LETTERS_CHARACTERS && *length;
    if (apart)
        walk->text[(*length)++] = ' ';
    memcpy(walk->text + *length, text, size);
    *length += size;
    walk->text[*length] = '\0';
    return true;
}

// A character that is read as this letter.
static size_t some_character(const struct alphabet *alphabet, uint32_t letter, char out[4])
{
    size_t used, length;
    for (size_t i = 0; i < alphabet->span_count; i++)
        if (alphabet->spans[i].letter == letter)
            return point_write(out, alphabet->spans[i].first);
    for (uint32_t point = 'a'; point < 0xD800; point++) {
        length = point_write(out, point);
        if (alphabet_read(alphabet, out, length, &used) == letter)
            return length;
    }
    return point_write(out, 0xFFFD);
}

static bool add_letter(struct walk *walk, size_t *length, const struct step *step)
{
    const struct alphabet *alphabet = &walk->automaton->alphabet;
    char character[4];
    if (alphabet->kind == LETTERS_CHARACTERS)
        return add_text(walk, length, character, some_character(alphabet, step->letter, character));
    const char *name = alphabet->kind == LETTERS_VECTORS ? table_text(&walk->vectors, step->vector)
                                                         : alphabet_name(alphabet, step->letter);
    size_t before = *length;
    if (!add_text(walk, length, name, strlen(name)))
        return false;
    for (size_t i = before; i < *length && alphabet->kind == LETTERS_VECTORS; i++)
        if (walk->text[i] == '-')
            walk->text[i] = '0'; // any will do
    return true;
}

// The string that leads to a pair, and perhaps one more step.
static bool tell_word(struct walk *walk, uint32_t pair, const struct step *last)
{
    size_t length = last ? 1 : 0, used = 0;
    for (uint32_t i = pair; i != 0; i = walk->steps[i].pair)
        length++;
    struct step *steps = memory_new(length + 1, sizeof *steps);
    walk->word = memory_new(length + 1, sizeof *walk->word);
    bool enough = steps && walk->word && memory_reserve(&walk->text, &walk->text_capacity, 1, 1);
    if (enough) {
        size_t at = length;
        walk->text[0] = '\0';
        if (last)
            steps[--at] = *last;
        for (uint32_t i = pair; i != 0; i = walk->steps[i].pair)
            steps[--at] = walk->steps[i];
    }
    for (size_t i = 0; enough && i < length; i++) {
        walk->word[i] = steps[i].letter;
        enough = add_letter(walk, &used, &steps[i]);
    }
    memory_free(steps);
    walk->told.length = length;
    walk->told.word = walk->word;
    walk->told.text = walk->text;
    return enough;
}

// ---- pairs ----

// The number of the pair, of the state and the delays that the sources of this step lead to.
static uint32_t add_pair(struct walk *walk, uint32_t state, const struct step *step)
{
    const tlu_network *network = walk->network;
    memset(walk->key, 0, walk->key_size);
    memcpy(walk->key, &state, sizeof state);
    for (size_t i = 0; i < network->delays; i++) {
        bool on =
            step ? walk->probe.value[network->delay[i].from] == SIGNAL_ON : network->delay[i].start;
        walk->key[sizeof state + i / 8] |= (uint8_t)(on << i % 8);
    }
    uint32_t before = walk->pairs.count;
    uint32_t pair = table_add(&walk->pairs, (const char *)walk->key, walk->key_size);
    if (pair == TABLE_NONE || pair < before || !step)
        return pair;
    if (!memory_reserve(&walk->steps, &walk->step_capacity, pair + (size_t)1, sizeof *step))
        return TABLE_NONE;
    walk->steps[pair] = *step;
    return pair;
}

static uint32_t load_pair(struct walk *walk, uint32_t pair)
{
    const char *key = table_text(&walk->pairs, pair);
    uint32_t state;
    memcpy(&state, key, sizeof state);
    for (size_t i = 0; i < walk->network->delays; i++)
        walk->probe.value[signal_of_delay(walk->network, i)] =
            (uint8_t)key[sizeof state + i / 8] >> i % 8 & 1;
    return state;
}

// ---- steps ----

enum compared { COMPARED_SAME, COMPARED_DIFFERENT, COMPARED_OPEN };

// The outputs of this step with those of the automaton; the first that differs is told.
static enum compared compare_outputs(struct walk *walk, uint32_t state, uint32_t letter)
{
    const tlu_automaton *automaton = walk->automaton;
    const char *shown = automaton->shown ? automaton_shown(automaton, state, letter) : NULL;
    bool open = false;
    for (uint32_t i = 0; i < walk->binding.outputs; i++) {
        uint8_t value = walk->probe.value[walk->binding.output[i]];
        bool expected = shown ? shown[i] == '1' : automaton->accepts[state];
        open = open || value == SIGNAL_OPEN;
        if (value == SIGNAL_OPEN || value == expected)
            continue;
        walk->told.output = shown ? table_text(&automaton->output_names, i) : "accept";
        walk->told.expected = expected;
        return COMPARED_DIFFERENT;
    }
    return open ? COMPARED_OPEN : COMPARED_SAME;
}

static bool delays_are_open(const struct walk *walk)
{
    for (size_t i = 0; i < walk->network->delays; i++)
        if (walk->probe.value[walk->network->delay[i].from] == SIGNAL_OPEN)
            return true;
    return false;
}

static tlu_status keep_vector(struct walk *walk, struct step *step, tlu_error *error)
{
    if (!walk->automaton->shown)
        return TLU_OK;
    for (size_t i = 0; i < walk->binding.count; i++)
        walk->vector[i] = "01-"[walk->probe.value[walk->binding.input[i]]];
    step->vector = table_add(&walk->vectors, walk->vector, walk->binding.count);
    return enough_memory(step->vector != TABLE_NONE, error);
}

static tlu_status differ(struct walk *walk, struct step *step, tlu_error *error)
{
    walk->told.equal = 0;
    if (walk->automaton->shown) {
        TRY(keep_vector(walk, step, error));
        return enough_memory(tell_word(walk, step->pair, step), error);
    }
    walk->told.with_letter = alphabet_name(&walk->automaton->alphabet, step->letter);
    return enough_memory(tell_word(walk, step->pair, NULL), error);
}

static tlu_status check_size(const struct walk *walk, tlu_error *error)
{
    uint64_t pairs = walk->pairs.count;
    if (pairs > PAIRS_MAX || pairs * walk->key_size > PAIRS_SIZE_MAX)
        return error_input(error,
                           "the network is too large to compare: more than %llu pairs of a state "
                           "and delays can be reached",
                           (unsigned long long)pairs - 1);
    if (walk->probe.done > WALK_MAX)
        return error_input(error,
                           "the network is too large to compare: after %u pairs of a state "
                           "and delays there is no end in sight",
                           (unsigned)walk->pairs.count);
    return TLU_OK;
}

// A step by the inputs that are set. If some are open, and it matters which they are, each is
// tried.
static tlu_status try_step(struct walk *walk, uint32_t state, struct step step, tlu_error *error)
{
    TRY(check_size(walk, error));
    probe_settle(&walk->probe);
    enum compared compared = compare_outputs(walk, state, step.letter);
    if (compared == COMPARED_DIFFERENT)
        return differ(walk, &step, error);
    if (compared == COMPARED_OPEN || delays_are_open(walk)) {
        size_t i = 0;
        while (walk->probe.value[walk->binding.input[i]] != SIGNAL_OPEN)
            i++; // there is one, else nothing would be open
        for (uint8_t value = SIGNAL_OFF; value <= SIGNAL_ON && walk->told.equal; value++) {
            walk->probe.value[walk->binding.input[i]] = value;
            TRY(try_step(walk, state, step, error));
        }
        walk->probe.value[walk->binding.input[i]] = SIGNAL_OPEN;
        return TLU_OK;
    }
    TRY(keep_vector(walk, &step, error));
    uint32_t next = automaton_next(walk->automaton, state, step.letter);
    return enough_memory(add_pair(walk, next, &step) != TABLE_NONE, error);
}

// What "accept" is after the string so far, if no letter follows.
static tlu_status try_end(struct walk *walk, uint32_t state, uint32_t pair, tlu_error *error)
{
    if (walk->automaton->shown)
        return TLU_OK;
    memset(walk->probe.value, SIGNAL_OFF, walk->network->inputs);
    probe_settle(&walk->probe);
    if (compare_outputs(walk, state, 0) == COMPARED_SAME)
        return TLU_OK;
    walk->told.equal = 0;
    return enough_memory(tell_word(walk, pair, NULL), error);
}

static tlu_status try_pair(struct walk *walk, uint32_t pair, tlu_error *error)
{
    uint32_t state = load_pair(walk, pair), letters = (uint32_t)walk->automaton->facts.letters;
    if (!walk->met[state])
        walk->met[state] = pair + 1;
    TRY(try_end(walk, state, pair, error));
    for (uint32_t letter = 0; letter < letters && walk->told.equal; letter++) {
        for (size_t i = 0; i < walk->binding.count; i++)
            walk->probe.value[walk->binding.input[i]] =
                binding_value(&walk->binding, walk->automaton, letter, i);
        TRY(try_step(walk, state, (struct step){pair, letter, 0}, error));
    }
    return TLU_OK;
}

static tlu_status walk_all(struct walk *walk, tlu_error *error)
{
    TRY(binding_find(&walk->binding, walk->automaton, walk->network, error));
    walk->key_size = sizeof(uint32_t) + (walk->network->delays + 7) / 8;
    walk->key = memory_new(walk->key_size, 1);
    walk->vector = memory_new(walk->binding.count + 1, 1);
    walk->met = memory_new(walk->automaton->facts.states, sizeof *walk->met);
    walk->delays = memory_new(walk->network->delays + 1, 1);
    bool enough = walk->key && walk->vector && walk->met && walk->delays &&
                  probe_new(&walk->probe, walk->network) &&
                  memory_reserve(&walk->steps, &walk->step_capacity, 1, sizeof *walk->steps) &&
                  add_pair(walk, 0, NULL) != TABLE_NONE;
    TRY(enough_memory(enough, error));
    for (uint32_t pair = 0; pair < walk->pairs.count && walk->told.equal; pair++)
        TRY(try_pair(walk, pair, error));
    walk->told.pairs = walk->pairs.count;
    walk->told.letters = walk->automaton->facts.letters;
    return TLU_OK;
}

tlu_status tlu_equivalence_check(const tlu_automaton *automaton, const tlu_network *network,
                                 tlu_equivalence **told, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct walk *walk = memory_new(1, sizeof *walk);
    *told = NULL;
    if (!walk)
        return error_memory(error);
    walk->automaton = automaton;
    walk->network = network;
    walk->told.equal = 1;
    tlu_status status = walk_all(walk, error);
    if (status == TLU_OK)
        *told = &walk->told;
    else
        tlu_equivalence_free(&walk->told);
    return status;
}

const char *tlu_equivalence_delays(tlu_equivalence *told, size_t state)
{
    struct walk *walk = (struct walk *)told;
    if (state >= walk->automaton->facts.states || !walk->met[state])
        return NULL;
    load_pair(walk, walk->met[state] - 1);
    for (size_t i = 0; i < walk->network->delays; i++)
        walk->delays[i] = walk->probe.value[signal_of_delay(walk->network, i)] ? '1' : '0';
    return walk->delays;
}
