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

#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

struct table_file {
    struct line_reader words;
    struct nfa nfa;
    struct table *states;
    struct alphabet *alphabet;
    struct char_ranges starts, accepts; // numbers of states, as ranges of one
};

static tlu_status find_state(struct table_file *file, size_t word, uint32_t *state)
{
    struct line_reader *words = &file->words;
    if (line_has(words, word, "start") || line_has(words, word, "accept"))
        return line_error(words, word,
                          "a state cannot be called start or accept: these begin a line");
    *state = table_add(file->states, words->at[word], words->length[word]);
    if (*state != TABLE_NONE && *state == file->nfa.states)
        nfa_add_state(&file->nfa);
    return enough_memory(*state != TABLE_NONE, words->error);
}

static tlu_status read_names(struct table_file *file, struct char_ranges *marked)
{
    if (file->words.count < 2)
        return line_error(&file->words, 0, "expected the names of states after it");
    for (size_t i = 1; i < file->words.count; i++) {
        uint32_t state;
        TRY(find_state(file, i, &state));
        TRY(enough_memory(ranges_add(marked, state, state), file->words.error));
    }
    return TLU_OK;
}

static tlu_status read_transition(struct table_file *file)
{
    struct line_reader *words = &file->words;
    uint32_t from, to, symbol = NFA_SILENT;
    if (words->count != 3)
        return line_error(words, 0,
                          "expected a transition, which is a state, a letter and the next "
                          "state, found %zu word%s",
                          words->count, words->count == 1 ? "" : "s");
    TRY(find_state(file, 0, &from));
    TRY(find_state(file, 2, &to));
    if (!line_has(words, 1, "-")) {
        symbol = table_add(&file->alphabet->names, words->at[1], words->length[1]);
        TRY(enough_memory(symbol != TABLE_NONE, words->error));
        if (symbol >= SYMBOLS_MAX)
            return line_error(words, 1, "more than %d different letters", SYMBOLS_MAX);
    }
    if (file->nfa.edge_count >= NFA_EDGES_MAX)
        return line_error(words, 0, "more than %d transitions", NFA_EDGES_MAX);
    return enough_memory(nfa_add_edge(&file->nfa, from, symbol, to), words->error);
}

static tlu_status read_lines(struct table_file *file)
{
    tlu_status status;
    while (line_next(&file->words, &status)) {
        if (line_has(&file->words, 0, "start"))
            status = read_names(file, &file->starts);
        else if (line_has(&file->words, 0, "accept"))
            status = read_names(file, &file->accepts);
        else
            status = read_transition(file);
        if (status != TLU_OK)
            return status;
    }
    if (status == TLU_OK && file->starts.count == 0)
        return error_at(file->words.error, file->words.name, 0, 0,
                        "there is no line that begins with start and names the state to start in");
    return status;
}

static bool mark(struct table_file *file)
{
    if (!nfa_mark(&file->nfa))
        return false;
    for (size_t i = 0; i < file->starts.count; i++)
        file->nfa.starts[file->starts.at[i].first] = true;
    for (size_t i = 0; i < file->accepts.count; i++)
        file->nfa.accepts[file->accepts.at[i].first] = true;
    return true;
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

static bool take_names(tlu_automaton *automaton, const struct table *names, const struct dfa *dfa,
                       const uint32_t *chosen)
{
    for (size_t i = 0; i < automaton->facts.states; i++) {
        uint32_t state = dfa->named[chosen[i]];
        const char *name = state == NFA_SILENT ? "dead" : table_text(names, state);
        if (table_add(&automaton->state_names, name, strlen(name)) != i)
            return false;
    }
    return true;
}

static tlu_status take_dfa(tlu_automaton *automaton, const struct table *names,
                           const struct dfa *dfa, tlu_error *error)
{
    uint32_t *classes = NULL, *chosen = NULL;
    tlu_status status = automaton_take(automaton, dfa, &classes, &chosen, error);
    bool named = status == TLU_OK && has_names(dfa) && table_find(names, "dead", 4) == TABLE_NONE;
    if (named)
        status = enough_memory(take_names(automaton, names, dfa, chosen), error);
    memory_free(classes);
    memory_free(chosen);
    return status;
}

tlu_status automaton_read_table(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error)
{
    struct table names = {0};
    struct dfa dfa = {0};
    struct table_file file = {
        .words = {.text = text, .end = text + size, .name = name, .error = error},
        .states = &names,
        .alphabet = &automaton->alphabet};
    automaton->alphabet.other = SYMBOL_NONE;
    automaton->alphabet.kind = ALPHABET_WORDS;
    tlu_status status = read_lines(&file);
    if (status == TLU_OK)
        status = enough_memory(mark(&file), error);
    if (status == TLU_OK && alphabet_is_simple(&automaton->alphabet))
        status = enough_memory(alphabet_be_simple(&automaton->alphabet), error);
    if (status == TLU_OK)
        status = nfa_determinise(&file.nfa, automaton->alphabet.names.count, &dfa, error);
    automaton->facts.states_given = file.nfa.states;
    automaton->facts.notation = "table";
    if (status == TLU_OK)
        status = take_dfa(automaton, &names, &dfa, error);
    line_reader_free(&file.words);
    nfa_free(&file.nfa);
    dfa_free(&dfa);
    table_free(&names);
    memory_free(file.starts.at);
    memory_free(file.accepts.at);
    return status;
}
