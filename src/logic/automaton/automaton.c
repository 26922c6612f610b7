#include "logic/automaton/automaton.h"

#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

void tlu_automaton_free(tlu_automaton *automaton)
{
    if (!automaton)
        return;
    memory_free(automaton->next);
    memory_free(automaton->accepts);
    memory_free(automaton->shown);
    memory_free(automaton->chosen);
    memory_free(automaton->rows.at);
    memory_free(automaton->holds);
    alphabet_free(&automaton->alphabet);
    table_free(&automaton->state_names);
    table_free(&automaton->patterns);
    table_free(&automaton->cubes);
    table_free(&automaton->input_names);
    table_free(&automaton->output_names);
    memory_free(automaton);
}

// ---- from a DFA ----

tlu_status automaton_take(tlu_automaton *automaton, struct dfa *dfa, tlu_error *error)
{
    uint32_t count = 0;
    size_t symbols = dfa->symbols;
    if (!dfa_minimise(dfa, &count))
        return error_memory(error);
    automaton->next = memory_new(count * symbols + 1, sizeof *automaton->next);
    automaton->chosen = memory_new(count + (size_t)1, sizeof *automaton->chosen);
    automaton->accepts = dfa->accepts ? memory_new(count + (size_t)1, sizeof(bool)) : NULL;
    if (!automaton->next || !automaton->chosen || (dfa->accepts && !automaton->accepts))
        return error_memory(error);
    automaton->facts.states = count;
    automaton->facts.symbols = symbols;
    for (uint32_t state = dfa->states; state-- > 0;) { // downwards: the first of a class is kept
        uint32_t class = dfa->classes[state];
        if (class == STATE_NONE)
            continue;
        automaton->facts.states_deterministic++;
        automaton->chosen[class] = state;
        for (size_t symbol = 0; symbol < symbols; symbol++)
            automaton->next[class * symbols + symbol] =
                dfa->classes[dfa->next[state * symbols + symbol]];
        if (automaton->accepts)
            automaton->accepts[class] = dfa->accepts[state];
    }
    return TLU_OK;
}

uint32_t automaton_dead(const tlu_automaton *automaton)
{
    if (!automaton->accepts)
        return STATE_NONE;
    // A minimal automaton has at most one: it leads only to itself.
    for (uint32_t state = 0; state < automaton->facts.states; state++) {
        bool dead = !automaton->accepts[state];
        for (size_t symbol = 0; dead && symbol < automaton->facts.symbols; symbol++)
            dead = automaton_next(automaton, state, symbol) == state;
        if (dead)
            return state;
    }
    return STATE_NONE;
}

// Names states that have no name: q0, q1, ... and dead.
static bool name_states(tlu_automaton *automaton)
{
    uint32_t dead = automaton_dead(automaton);
    for (uint32_t i = automaton->state_names.count; i < automaton->facts.states; i++) {
        char name[32] = "dead";
        if (i != dead)
            snprintf(name, sizeof name, "q%u", (unsigned)(i - (dead < i)));
        if (table_add(&automaton->state_names, name, strlen(name)) != i)
            return false;
    }
    return true;
}

// ---- from an expression ----

static tlu_status read_regex(tlu_automaton *automaton, const char *expression, tlu_error *error)
{
    struct nfa nfa = {0};
    struct dfa dfa = {0};
    tlu_status status = nfa_from_regex(&nfa, &automaton->alphabet, expression, error);
    if (status == TLU_OK)
        status = nfa_determinise(&nfa, automaton->alphabet.names.count, &dfa, error);
    if (status == TLU_OK)
        status = automaton_take(automaton, &dfa, error);
    automaton->facts.notation = "regex";
    automaton->facts.states_given = nfa.states;
    nfa_free(&nfa);
    dfa_free(&dfa);
    return status;
}

// ---- the interface ----

// Returns the automaton, or frees it after an error.
static tlu_status finish(tlu_automaton *made, tlu_status status, tlu_automaton **automaton,
                         tlu_error *error)
{
    if (status == TLU_OK && !name_states(made))
        status = error_memory(error);
    if (status == TLU_OK)
        *automaton = made;
    else
        tlu_automaton_free(made);
    return status;
}

tlu_status tlu_automaton_from_regex(const char *expression, tlu_automaton **automaton,
                                    tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *automaton = NULL;
    TRY(check_given(expression != NULL, "expression", error));
    tlu_automaton *made = memory_new(1, sizeof *made);
    if (!made)
        return error_memory(error);
    return finish(made, read_regex(made, expression, error), automaton, error);
}

tlu_status tlu_automaton_parse(const char *text, size_t size, const char *name,
                               const char *notation, tlu_automaton **automaton, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *automaton = NULL;
    TRY(check_given(text || !size, "text", error));
    TRY(check_given(notation != NULL, "notation", error));
    bool kiss = strcmp(notation, "kiss2") == 0;
    if (!kiss && strcmp(notation, "table") != 0)
        return error_input(error, "a notation of automata is 'table' or 'kiss2'");
    if (size && memchr(text, '\0', size))
        return error_at(error, name, 0, 0, "this is not text: it has a byte 0");
    tlu_automaton *made = memory_new(1, sizeof *made);
    if (!made)
        return error_memory(error);
    tlu_status status = (kiss ? automaton_read_kiss2 : automaton_read_table)(made, size ? text : "",
                                                                             size, name, error);
    return finish(made, status, automaton, error);
}

tlu_status tlu_automaton_load(const char *path, const char *notation, tlu_automaton **automaton,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    unsigned char *bytes = NULL;
    size_t size;
    *automaton = NULL;
    TRY(file_read(path, TEXT_MAX, file_check_text, &bytes, &size, error));
    tlu_status status =
        tlu_automaton_parse((const char *)bytes, size, path, notation, automaton, error);
    memory_free(bytes);
    return status;
}

const tlu_automaton_facts *tlu_automaton_get_facts(const tlu_automaton *automaton)
{
    return &automaton->facts;
}

const char *tlu_automaton_state_name(const tlu_automaton *automaton, size_t state)
{
    return state < automaton->facts.states ? table_text(&automaton->state_names, (uint32_t)state)
                                           : NULL;
}

const char *tlu_automaton_symbol_name(const tlu_automaton *automaton, size_t symbol)
{
    return symbol < automaton->facts.symbols ? alphabet_name(&automaton->alphabet, (uint32_t)symbol)
                                             : NULL;
}

static bool is_there(const tlu_automaton *automaton, size_t state, size_t symbol)
{
    return state < automaton->facts.states && symbol < automaton->facts.symbols;
}

size_t tlu_automaton_next(const tlu_automaton *automaton, size_t state, size_t symbol)
{
    return is_there(automaton, state, symbol) ? automaton_next(automaton, state, symbol) : TLU_NONE;
}

int tlu_automaton_is_accepting(const tlu_automaton *automaton, size_t state)
{
    return automaton->accepts && state < automaton->facts.states && automaton->accepts[state];
}

const char *tlu_automaton_outputs(const tlu_automaton *automaton, size_t state, size_t symbol)
{
    return automaton->shown && is_there(automaton, state, symbol)
               ? automaton_shown(automaton, state, symbol)
               : NULL;
}
