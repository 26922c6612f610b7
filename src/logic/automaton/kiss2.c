// A Mealy machine from a KISS2 file.
#include "logic/automaton/kiss2.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

// Names that the file does not give: x1, x2, ...
static bool name_all(struct table *names, char letter, size_t count)
{
    char name[32];
    for (size_t i = names->count; i < count; i++) {
        int length = snprintf(name, sizeof name, "%c%zu", letter, i + 1);
        if (table_add(names, name, (size_t)length) != i)
            return false;
    }
    return true;
}

// The rows of the states that stand for the classes.
static bool take_rows(tlu_automaton *automaton, const struct kiss2 *kiss, const uint32_t *classes,
                      uint32_t chosen, uint32_t state)
{
    struct kiss_rows *rows = &automaton->rows;
    for (size_t i = 0; i < kiss->rows.count; i++) {
        struct kiss_row row = kiss->rows.at[i];
        if (row.from != STATE_NONE && row.from != chosen)
            continue;
        if (!memory_reserve(&rows->at, &rows->capacity, rows->count + 1, sizeof row))
            return false;
        row.from = state;
        row.to = row.to == STATE_NONE ? STATE_NONE : classes[kiss2_state(kiss, row.to)];
        rows->at[rows->count++] = row;
    }
    return true;
}

static bool take_states(tlu_automaton *automaton, const struct kiss2 *kiss, const uint32_t *classes,
                        const uint32_t *chosen)
{
    for (uint32_t i = 0; i < automaton->facts.states; i++) {
        uint32_t state = kiss2_state(kiss, chosen[i]);
        const char *name = table_text(&kiss->states, state);
        if (table_add(&automaton->state_names, name, strlen(name)) != i ||
            !take_rows(automaton, kiss, classes, state, i))
            return false;
    }
    return true;
}

static bool take_shown(tlu_automaton *automaton, const struct kiss2 *kiss, const uint32_t *shown,
                       const uint32_t *chosen)
{
    size_t letters = automaton->facts.letters, states = automaton->facts.states;
    automaton->shown = memory_new(states * letters, sizeof *shown);
    automaton->holds = memory_new(states, sizeof *automaton->holds);
    if (!automaton->shown || !automaton->holds)
        return false;
    for (size_t i = 0; i < states; i++) {
        automaton->holds[i] = kiss->holds[kiss2_state(kiss, chosen[i])];
        memcpy(automaton->shown + i * letters, shown + chosen[i] * letters,
               letters * sizeof *shown);
    }
    return true;
}

static tlu_status take_machine(tlu_automaton *automaton, const struct kiss2 *kiss,
                               const struct dfa *dfa, const uint32_t *shown, tlu_error *error)
{
    uint32_t *chosen = NULL, *classes = NULL;
    tlu_status status = automaton_take(automaton, dfa, &classes, &chosen, error);
    if (status == TLU_OK)
        status = enough_memory(take_states(automaton, kiss, classes, chosen) &&
                                   take_shown(automaton, kiss, shown, chosen) &&
                                   name_all(&automaton->input_names, 'x', kiss->inputs) &&
                                   name_all(&automaton->output_names, 'z', kiss->outputs),
                               error);
    memory_free(chosen);
    memory_free(classes);
    return status;
}

tlu_status automaton_read_kiss2(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error)
{
    struct kiss2 kiss = {.name = name};
    struct dfa dfa = {0};
    uint32_t *shown = NULL;
    tlu_status status = kiss2_read(&kiss, automaton, text, size, error);
    if (status == TLU_OK)
        status = kiss2_cells(&kiss, automaton, error);
    if (status == TLU_OK)
        status = kiss2_fill(&kiss, automaton, &dfa, &shown, error);
    automaton->facts.notation = "kiss2";
    automaton->facts.states_given = kiss.states.count;
    automaton->facts.inputs = kiss.inputs;
    automaton->facts.outputs = kiss.outputs;
    if (status == TLU_OK)
        status = take_machine(automaton, &kiss, &dfa, shown, error);
    table_free(&kiss.states);
    memory_free(kiss.rows.at);
    memory_free(kiss.holds);
    memory_free(shown);
    dfa_free(&dfa);
    return status;
}
