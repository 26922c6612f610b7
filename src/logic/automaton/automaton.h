// A deterministic, complete and minimal finite automaton. It accepts strings, or it is a Mealy
// machine, which has outputs at each step.
#ifndef TLU_LOGIC_AUTOMATON_AUTOMATON_H
#define TLU_LOGIC_AUTOMATON_AUTOMATON_H

#include "logic/automaton/alphabet.h"
#include "logic/automaton/nfa.h"
#include "logic/lines.h"
#include "tlu_logic.h"

#define STATE_NONE UINT32_MAX
#define TEXT_MAX 67108864 // bytes of a file

// A row of a KISS2 file: from state `from`, for inputs in the cube, to `to` with these outputs.
struct kiss_row {
    uint32_t from;    // STATE_NONE: any
    uint32_t to;      // STATE_NONE: unspecified
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
    uint32_t *next;   // [states][symbols]
    bool *accepts;    // [states]; NULL: a Mealy machine
    uint32_t *shown;  // [states][symbols] in the table of patterns; NULL: it accepts
    uint32_t *chosen; // [states] a state of the DFA that it was made from
    struct alphabet alphabet;
    struct table state_names;
    struct table patterns; // of outputs
    // Mealy machines alone:
    struct table cubes;
    struct table input_names, output_names;
    struct kiss_rows rows; // of the minimal states, by state
    bool *holds;           // [states] whether it stays for some inputs without a row
};

static inline uint32_t automaton_next(const tlu_automaton *automaton, size_t state, size_t symbol)
{
    return automaton->next[state * automaton->facts.symbols + symbol];
}

// The outputs of a step as '0' and '1'.
static inline const char *automaton_shown(const tlu_automaton *automaton, size_t state,
                                          size_t symbol)
{
    uint32_t pattern = automaton->shown[state * automaton->facts.symbols + symbol];
    return table_text(&automaton->patterns, pattern);
}

// Minimises the DFA and copies it. Sets dfa->classes, and automaton->chosen: the first state of the
// DFA in each class.
tlu_status automaton_take(tlu_automaton *automaton, struct dfa *dfa, tlu_error *error);
// The state from which no string is accepted; STATE_NONE: there is none.
uint32_t automaton_dead(const tlu_automaton *automaton);

// The lines of a table or a KISS2 file.
static inline struct line_reader automaton_lines(const char *text, size_t size, const char *name,
                                                 tlu_error *error)
{
    return (struct line_reader){.text = text,
                                .end = text + size,
                                .name = name,
                                .blanks = " \t\r\f\v",
                                .hash_in_words = true,
                                .error = error};
}

tlu_status automaton_read_table(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error);
tlu_status automaton_read_kiss2(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error);

// The number of bits of the numbers 0 to count - 1.
static inline size_t bits_for(size_t count)
{
    size_t bits = 0;
    while (((size_t)1 << bits) < count)
        bits++;
    return bits;
}

#endif
