// The machine of a KISS2 file, cell by cell.
//
// What a file does not say is completed: in a cell that no row of a state has, the machine stays in
// its state and all outputs are 0; a next state * is "stays", and an output - is 0 unless another
// row of the state says 1. Rows that contradict each other are refused.
#include "logic/automaton/kiss2.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

bool cube_has(const char *cube, const char *cell, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        if (cube[i] != '-' && cube[i] != cell[i])
            return false;
    return true;
}

static bool cube_meets(const char *cube, const char *cell, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        if (cube[i] != '-' && cell[i] != '-' && cube[i] != cell[i])
            return false;
    return true;
}

// ---- cells ----

struct cut {
    tlu_automaton *automaton;
    size_t inputs;
    char *cell;     // [inputs] the one that is being cut
    uint32_t *live; // cubes that meet it, those of all levels of the recursion one after the other
    size_t capacity;
    uint32_t *votes; // [inputs] by how many cubes an input is asked for
    uint64_t done;   // places looked at
    tlu_error *error;
};

// The input that most of the cubes ask for and that the cell leaves open; SIZE_MAX: there is none.
static size_t find_question(struct cut *cut, size_t first, size_t end)
{
    size_t best = SIZE_MAX;
    cut->done += (end - first + 1) * cut->inputs;
    memset(cut->votes, 0, cut->inputs * sizeof *cut->votes);
    for (size_t i = first; i < end; i++) {
        const char *cube = table_text(&cut->automaton->cubes, cut->live[i]);
        for (size_t j = 0; j < cut->inputs; j++)
            cut->votes[j] += cube[j] != '-' && cut->cell[j] == '-';
    }
    for (size_t j = 0; j < cut->inputs; j++)
        if (cut->votes[j] && (best == SIZE_MAX || cut->votes[j] > cut->votes[best]))
            best = j;
    return best;
}

static tlu_status keep_cell(struct cut *cut)
{
    struct table *names = &cut->automaton->alphabet.names;
    if (names->count == KISS_LETTERS_MAX || cut->done > KISS_WORK_MAX)
        return error_input(cut->error,
                           "the machine is too large: its rows cut the inputs into more than %u "
                           "parts",
                           (unsigned)names->count);
    return enough_memory(table_add(names, cut->cell, cut->inputs) != TABLE_NONE, cut->error);
}

// Each level of the recursion fixes an input: it is no deeper than there are inputs.
static tlu_status cut_cell(struct cut *cut, size_t first, size_t end)
{
    size_t question = find_question(cut, first, end);
    if (question == SIZE_MAX)
        return keep_cell(cut);
    for (char value = '0'; value <= '1'; value++) {
        size_t kept = end;
        cut->cell[question] = value;
        for (size_t i = first; i < end; i++) {
            const char *cube = table_text(&cut->automaton->cubes, cut->live[i]);
            if (!cube_meets(cube, cut->cell, cut->inputs))
                continue;
            if (!memory_reserve(&cut->live, &cut->capacity, kept + 1, sizeof *cut->live))
                return error_memory(cut->error);
            cut->live[kept++] = cut->live[i];
        }
        TRY(cut_cell(cut, end, kept));
    }
    cut->cell[question] = '-';
    return TLU_OK;
}

tlu_status kiss2_cells(const struct kiss2 *kiss, tlu_automaton *automaton, tlu_error *error)
{
    uint32_t cubes = automaton->cubes.count;
    struct cut cut = {.automaton = automaton, .inputs = kiss->inputs, .error = error};
    automaton->alphabet.kind = LETTERS_VECTORS;
    automaton->alphabet.inputs = kiss->inputs;
    automaton->alphabet.other = LETTER_NONE;
    cut.cell = memory_new(kiss->inputs + 1, 1);
    cut.votes = memory_new(kiss->inputs, sizeof *cut.votes);
    bool enough = cut.cell && cut.votes &&
                  memory_reserve(&cut.live, &cut.capacity, cubes + (size_t)1, sizeof *cut.live);
    for (uint32_t i = 0; enough && i < cubes; i++)
        cut.live[i] = i;
    if (enough)
        memset(cut.cell, '-', kiss->inputs);
    tlu_status status = enough ? cut_cell(&cut, 0, cubes) : error_memory(error);
    memory_free(cut.cell);
    memory_free(cut.votes);
    memory_free(cut.live);
    return status;
}

// ---- what each state does in each cell ----

struct fill {
    const struct kiss2 *kiss;
    tlu_automaton *automaton;
    struct dfa *dfa;
    uint32_t *shown;  // [states][cells]
    uint8_t *cube_in; // [cubes] whether the cell is in the cube
    char *outputs;    // [outputs] of a state in a cell
    tlu_error *error;
};

static tlu_status contradict(const struct fill *fill, const struct kiss_row *row, uint32_t state,
                             size_t cell, const char *what)
{
    char cell_text[64], state_text[64];
    const char *name = table_text(&fill->kiss->states, state);
    const char *cube = alphabet_name(&fill->automaton->alphabet, (uint32_t)cell);
    return error_at(fill->error, fill->kiss->name, row->line, 0,
                    "an earlier row gives %s for state '%s' with inputs %s", what,
                    error_quote(state_text, sizeof state_text, name, strlen(name)),
                    error_quote(cell_text, sizeof cell_text, cube, strlen(cube)));
}

static tlu_status add_row(struct fill *fill, const struct kiss_row *row, uint32_t state,
                          size_t cell, uint32_t *next)
{
    const char *pattern = table_text(&fill->automaton->patterns, row->pattern);
    if (row->to != STATE_NONE) {
        if (*next != STATE_NONE && *next != row->to)
            return contradict(fill, row, state, cell, "another next state");
        *next = row->to;
    }
    for (size_t i = 0; i < fill->kiss->outputs; i++) {
        if (pattern[i] == '-')
            continue;
        if (fill->outputs[i] != '-' && fill->outputs[i] != pattern[i])
            return contradict(fill, row, state, cell, "other outputs");
        fill->outputs[i] = pattern[i];
    }
    return TLU_OK;
}

static tlu_status fill_state(struct fill *fill, const size_t *rows, size_t count, uint32_t state,
                             size_t cell)
{
    const struct kiss2 *kiss = fill->kiss;
    size_t at = (size_t)kiss2_state(kiss, state) * fill->dfa->letters + cell;
    uint32_t next = STATE_NONE;
    memset(fill->outputs, '-', kiss->outputs);
    for (size_t i = 0; i < count; i++) {
        const struct kiss_row *row = &kiss->rows.at[rows[i]];
        if (fill->cube_in[row->cube])
            TRY(add_row(fill, row, state, cell, &next));
    }
    fill->automaton->facts.completed += next == STATE_NONE;
    kiss->holds[state] = kiss->holds[state] || next == STATE_NONE;
    for (size_t i = 0; i < kiss->outputs; i++)
        if (fill->outputs[i] == '-')
            fill->outputs[i] = '0';
    uint32_t pattern = table_add(&fill->automaton->patterns, fill->outputs, kiss->outputs);
    fill->shown[at] = pattern;
    fill->dfa->next[at] = kiss2_state(kiss, next == STATE_NONE ? state : next);
    return enough_memory(pattern != TABLE_NONE, fill->error);
}

// The rows of each state in their order, those of any state included:
// list[first[state] ... first[state + 1]].
static tlu_status sort_rows(const struct kiss2 *kiss, size_t cells, size_t *first, size_t **list,
                            tlu_error *error)
{
    const struct kiss_rows *rows = &kiss->rows;
    size_t states = kiss->states.count, any = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->at[i].from == STATE_NONE)
            any++;
        else
            first[rows->at[i].from + 1]++;
    if ((any * states + rows->count) * cells > KISS_WORK_MAX || states * cells > CELLS_MAX)
        return error_input(error,
                           "the machine is too large: %zu rows and %zu states, and the inputs fall "
                           "into %zu parts",
                           rows->count, states, cells);
    for (size_t state = 0; state < states; state++)
        first[state + 1] += first[state] + any;
    *list = memory_new(first[states] + 1, sizeof **list);
    size_t *at = *list ? memory_copy(first, states + 1, sizeof *first) : NULL;
    for (size_t i = 0; at && i < rows->count; i++) {
        uint32_t from = rows->at[i].from;
        if (from != STATE_NONE)
            (*list)[at[from]++] = i;
        for (size_t state = 0; from == STATE_NONE && state < states; state++)
            (*list)[at[state]++] = i;
    }
    memory_free(at);
    return enough_memory(at != NULL, error);
}

static tlu_status fill_cells(struct fill *fill, const size_t *first, const size_t *list)
{
    const tlu_automaton *automaton = fill->automaton;
    size_t inputs = fill->kiss->inputs;
    for (uint32_t cell = 0; cell < fill->dfa->letters; cell++) {
        const char *vector = alphabet_name(&automaton->alphabet, cell);
        for (uint32_t cube = 0; cube < automaton->cubes.count; cube++)
            fill->cube_in[cube] = cube_has(table_text(&automaton->cubes, cube), vector, inputs);
        for (uint32_t state = 0; state < fill->kiss->states.count; state++)
            TRY(fill_state(fill, list + first[state], first[state + 1] - first[state], state,
                           cell));
    }
    return TLU_OK;
}

// States that show the same in every cell are a group.
static bool find_groups(struct dfa *dfa, const uint32_t *shown)
{
    struct table rows = {0};
    bool enough = true;
    for (uint32_t state = 0; enough && state < dfa->states; state++) {
        const uint32_t *row = shown + (size_t)state * dfa->letters;
        dfa->groups[state] = table_add(&rows, (const char *)row, dfa->letters * sizeof *row);
        enough = dfa->groups[state] != TABLE_NONE;
    }
    table_free(&rows);
    return enough;
}

tlu_status kiss2_fill(struct kiss2 *kiss, tlu_automaton *automaton, struct dfa *dfa,
                      uint32_t **shown, tlu_error *error)
{
    struct fill fill = {.kiss = kiss, .automaton = automaton, .dfa = dfa, .error = error};
    size_t states = kiss->states.count, *list = NULL;
    size_t *first = memory_new(states + 1, sizeof *first);
    dfa->states = (uint32_t)states;
    dfa->letters = automaton->alphabet.names.count;
    tlu_status status =
        first ? sort_rows(kiss, dfa->letters, first, &list, error) : error_memory(error);
    if (status == TLU_OK) {
        dfa->next = memory_new(states * dfa->letters, sizeof *dfa->next);
        dfa->groups = memory_new(states, sizeof *dfa->groups);
        fill.shown = *shown = memory_new(states * dfa->letters, sizeof **shown);
        fill.cube_in = memory_new(automaton->cubes.count + (size_t)1, 1);
        fill.outputs = memory_new(kiss->outputs + 1, 1);
        kiss->holds = memory_new(states, sizeof *kiss->holds);
        bool enough =
            dfa->next && dfa->groups && fill.shown && fill.cube_in && fill.outputs && kiss->holds;
        status = enough ? fill_cells(&fill, first, list) : error_memory(error);
    }
    if (status == TLU_OK)
        status = enough_memory(find_groups(dfa, fill.shown), error);
    memory_free(fill.cube_in);
    memory_free(fill.outputs);
    memory_free(first);
    memory_free(list);
    return status;
}
