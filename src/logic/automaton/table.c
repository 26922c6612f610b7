// Transition tables: one transition per line, start states and accepting states.
//
//     start even
//     accept even
//     even 0 even
//     even 1 odd
//
// - is an epsilon transition. The automaton may be nondeterministic and incomplete; missing
// transitions reject. docs/automaton-format.md has the format.
#include "logic/automaton/automaton.h"

#include "logic/lines.h"
#include "tlu_logic.h"

#include <string.h>

struct table_file {
    struct line_reader lines;
    struct nfa nfa;
    struct dfa dfa;
    struct table names; // of states
    bool started;       // a start state was named
};

static tlu_status find_state(struct table_file *file, size_t word, uint32_t *state)
{
    const struct line_reader *lines = &file->lines;
    if (line_has(lines, word, "start") || line_has(lines, word, "accept"))
        return line_error(
            lines, word, "a state cannot be called start or accept, which begin a line; rename it");
    *state = table_add(&file->names, lines->words[word].text, lines->words[word].length);
    if (*state != TABLE_NONE && *state == file->nfa.states)
        nfa_add_state(&file->nfa);
    return enough_memory(*state != TABLE_NONE && !file->nfa.full, lines->error);
}

static tlu_status read_marks(struct table_file *file, bool accept)
{
    if (file->lines.count < 2)
        return line_error(&file->lines, 0,
                          "expected the names of states, found the end of the line; add them");
    for (size_t i = 1; i < file->lines.count; i++) {
        uint32_t state;
        TRY(find_state(file, i, &state));
        *(accept ? &file->nfa.state[state].accepts : &file->nfa.state[state].starts) = true;
    }
    file->started = file->started || !accept;
    return TLU_OK;
}

static tlu_status read_transition(struct table_file *file, struct table *symbols)
{
    const struct line_reader *lines = &file->lines;
    uint32_t from, to, symbol = NFA_SILENT;
    if (lines->count != 3)
        return line_error(lines, 0,
                          "expected a transition, which is a state, a symbol and the next "
                          "state, found %zu word%s",
                          lines->count, lines->count == 1 ? "" : "s");
    TRY(find_state(file, 0, &from));
    TRY(find_state(file, 2, &to));
    if (!line_has(lines, 1, "-")) {
        symbol = table_add(symbols, lines->words[1].text, lines->words[1].length);
        TRY(enough_memory(symbol != TABLE_NONE, lines->error));
        if (symbol >= SYMBOLS_MAX)
            return line_error(lines, 1, "more than %d different symbols", SYMBOLS_MAX);
    }
    if (file->nfa.edge_count >= NFA_EDGES_MAX)
        return line_error(lines, 0, "more than %d transitions", NFA_EDGES_MAX);
    nfa_add_edge(&file->nfa, from, symbol, to);
    return enough_memory(!file->nfa.full, lines->error);
}

static tlu_status read_lines(struct table_file *file, struct table *symbols)
{
    const struct line_reader *lines = &file->lines;
    tlu_status status;
    while (line_next(&file->lines, &status)) {
        bool accept = line_has(lines, 0, "accept");
        TRY(accept || line_has(lines, 0, "start") ? read_marks(file, accept)
                                                  : read_transition(file, symbols));
    }
    if (status == TLU_OK && !file->started)
        return error_at(lines->error, lines->name, 0, 0,
                        "there is no state to start in; add a line such as 'start q0'");
    return status;
}

// Whether states can keep their names: each is one state of the file, except an implicit dead
// state.
static bool has_names(const struct dfa *dfa)
{
    for (uint32_t state = 0; state < dfa->states; state++) {
        bool sink = dfa->named[state] == NFA_SILENT && !dfa->accepts[state];
        for (size_t symbol = 0; sink && symbol < dfa->symbols; symbol++)
            sink = dfa->next[(size_t)state * dfa->symbols + symbol] == state;
        if (dfa->named[state] == NFA_SILENT && !sink)
            return false;
    }
    return true;
}

static tlu_status take_names(tlu_automaton *automaton, const struct table_file *file)
{
    const struct dfa *dfa = &file->dfa;
    if (!has_names(dfa) || table_find(&file->names, "dead", 4) != TABLE_NONE)
        return TLU_OK;
    for (size_t i = 0; i < automaton->facts.states; i++) {
        uint32_t state = dfa->named[automaton->chosen[i]];
        const char *name = state == NFA_SILENT ? "dead" : table_text(&file->names, state);
        if (table_add(&automaton->state_names, name, strlen(name)) != i)
            return error_memory(file->lines.error);
    }
    return TLU_OK;
}

static tlu_status read_table(tlu_automaton *automaton, struct table_file *file, tlu_error *error)
{
    struct alphabet *alphabet = &automaton->alphabet;
    alphabet->other = SYMBOL_NONE;
    alphabet->kind = ALPHABET_WORDS;
    TRY(read_lines(file, &alphabet->names));
    if (alphabet_is_simple(alphabet))
        TRY(enough_memory(alphabet_be_simple(alphabet), error));
    TRY(nfa_determinise(&file->nfa, alphabet->names.count, &file->dfa, error));
    TRY(automaton_take(automaton, &file->dfa, error));
    return take_names(automaton, file);
}

tlu_status automaton_read_table(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error)
{
    struct table_file file = {.lines = automaton_lines(text, size, name, error)};
    tlu_status status = read_table(automaton, &file, error);
    automaton->facts.states_given = file.nfa.states;
    automaton->facts.notation = "table";
    line_reader_free(&file.lines);
    nfa_free(&file.nfa);
    dfa_free(&file.dfa);
    table_free(&file.names);
    return status;
}
