// A deterministic, complete and minimal finite automaton. It accepts strings, or it is a Mealy
// machine, which has outputs at each step.
#ifndef TLU_LOGIC_AUTOMATON_AUTOMATON_H
#define TLU_LOGIC_AUTOMATON_AUTOMATON_H

#include "logic/automaton/alphabet.h"
#include "logic/automaton/nfa.h"
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
    uint32_t *next;  // [states][symbols]
    bool *accepts;   // [states]; NULL: a Mealy machine
    uint32_t *shown; // [states][symbols] in the table of patterns; NULL: it accepts
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
    return automaton->next[state * automaton->facts.letters + symbol];
}

// The outputs of a step as '0' and '1'.
static inline const char *automaton_shown(const tlu_automaton *automaton, size_t state,
                                          size_t symbol)
{
    uint32_t pattern = automaton->shown[state * automaton->facts.letters + symbol];
    return table_text(&automaton->patterns, pattern);
}

// Minimises the DFA and copies it. classes[states of the DFA] := the class of each state,
// chosen[states] := the first state of each class. The caller frees both, also after an error.
tlu_status automaton_take(tlu_automaton *automaton, const struct dfa *dfa, uint32_t **classes,
                          uint32_t **chosen, tlu_error *error);
// The state from which no string is accepted; STATE_NONE: there is none.
uint32_t automaton_dead(const tlu_automaton *automaton);

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

// ---- lines of words, for both file formats ----

struct line_reader {
    const char *text, *end; // the rest of the file
    const char *name;       // of the file
    size_t line;            // of the last line read
    const char *line_start;
    const char **at; // [count] its words
    size_t *length;
    size_t count, capacity, length_capacity;
    tlu_error *error;
};

// Reads the next line with words; # begins a comment. False: at the end, or out of memory, by
// *status.
bool line_next(struct line_reader *words, tlu_status *status);
void line_reader_free(struct line_reader *words);
// An error at word i of the line.
tlu_status line_error(struct line_reader *words, size_t i, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool line_has(const struct line_reader *words, size_t i, const char *text);

#endif
