// A finite automaton: deterministic, complete and minimal. It accepts strings, or it is a Mealy
// machine, which shows outputs at each step.
#ifndef TLU_LOGIC_AUTOMATON_AUTOMATON_H
#define TLU_LOGIC_AUTOMATON_AUTOMATON_H

#include "logic/automaton/alphabet.h"
#include "logic/automaton/nfa.h"
#include "tlu_logic.h"

#define STATE_NONE UINT32_MAX
#define TEXT_MAX 67108864 // bytes of a file

// A row of a KISS2 file: in state `from`, with inputs of the cube, to `to` with these outputs.
struct kiss_row {
    uint32_t from;    // STATE_NONE: any
    uint32_t to;      // STATE_NONE: not said
    uint32_t cube;    // in the table of cubes: 0, 1, - for each input
    uint32_t pattern; // in the table of patterns: 0, 1, - for each output
    size_t line;
};

struct kiss_rows {
    struct kiss_row *at;
    size_t count, capacity;
};

struct tlu_automaton {
    tlu_automaton_facts facts;
    uint32_t *next;  // [states][letters]
    bool *accepts;   // [states]; NULL: a Mealy machine
    uint32_t *shown; // [states][letters] in the table of patterns; NULL: it accepts
    struct alphabet alphabet;
    struct table state_names;
    struct table patterns; // of outputs
    // Mealy machines alone:
    struct table cubes;
    struct table input_names, output_names;
    struct kiss_rows rows; // of the minimal states, by state
    bool *holds; // [states] whether it stays as it is with some inputs that no row is about
};

static inline uint32_t automaton_next(const tlu_automaton *automaton, size_t state, size_t letter)
{
    return automaton->next[state * automaton->facts.letters + letter];
}

// The outputs of a step: 0 or 1 each.
static inline const char *automaton_shown(const tlu_automaton *automaton, size_t state,
                                          size_t letter)
{
    uint32_t pattern = automaton->shown[state * automaton->facts.letters + letter];
    return table_text(&automaton->patterns, pattern);
}

// Fills in what the DFA says, minimised: classes[states of the DFA], and of each class the first of
// its states, chosen[states]. Both are the caller's, also after an error.
tlu_status automaton_take(tlu_automaton *automaton, const struct dfa *dfa, uint32_t **classes,
                          uint32_t **chosen, tlu_error *error);
// The state from which no accepted string leads on; STATE_NONE: there is no such state.
uint32_t automaton_dead(const tlu_automaton *automaton);

tlu_status automaton_read_table(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error);
tlu_status automaton_read_kiss2(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error);

// The bits of the highest of `count` numbers from 0.
static inline size_t bits_for(size_t count)
{
    size_t bits = 0;
    while (((size_t)1 << bits) < count)
        bits++;
    return bits;
}

// ---- lines of words, as both formats have them ----

struct fields {
    const char *text, *end; // what is left of the file
    const char *name;       // of the file
    size_t line;            // the one that was read last
    const char *line_start;
    const char **at; // [count] its words
    size_t *length;
    size_t count, capacity, length_capacity;
    tlu_error *error;
};

// The next line that has words; after # comes a comment. False at the end, or without memory, which
// *status tells.
bool fields_next(struct fields *words, tlu_status *status);
void fields_free(struct fields *words);
// A complaint about word number i of the line.
tlu_status fields_refuse(struct fields *words, size_t i, const char *format, ...) PRINTF_LIKE(3, 4);
bool fields_is(const struct fields *words, size_t i, const char *text);

#endif
