// KISS2 files of Mealy machines: .i and .o, numbers of inputs and outputs; .p and .s, numbers of
// rows and states, which are checked; .r, the start state; .ilb and .ob, names; then rows of four
// words.
#include "logic/append.h"
#include "logic/automaton/automaton.h"
#include "logic/lines.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

#define WIDTH_MAX 1024 // inputs, and outputs
#define ROWS_MAX 100000
#define COUNT_MAX 1000000000       // in .p and .s
#define VECTOR_SYMBOLS_MAX 65536   // cells
#define MACHINE_WORK_MAX 500000000 // rows of states times cells, and characters visited
#define NOT_SAID UINT64_MAX

struct kiss2 {
    struct line_reader lines;
    tlu_automaton *automaton;
    tlu_error *error;
    size_t inputs, outputs; // 0: not said yet
    uint32_t start;         // STATE_NONE: not said
    struct table states;
    struct kiss_rows rows;
    uint64_t rows_said, states_said, rows_line, states_line;
    bool ended;
    // Cells:
    char *cell;     // [inputs] the current cell
    uint32_t *live; // cubes that intersect it, a stack over the levels of recursion
    size_t live_capacity;
    uint32_t *votes; // [inputs] number of cubes that fix an input
    uint64_t done;   // characters visited
    // What each state does in each cell:
    struct dfa dfa;
    size_t *first;    // [states + 1] of the rows of each state in `list`
    size_t *list;     // rows, with those for any state, in the order of the file
    uint32_t *shown;  // [states][cells]
    bool *holds;      // [states] whether it stays as it is with some inputs that no row is about
    uint8_t *cube_in; // [cubes] whether the cell is in the cube
    char *shows;      // [outputs] of a state in a cell
};

static void kiss2_free(struct kiss2 *kiss)
{
    void *arrays[] = {kiss->rows.at, kiss->cell,  kiss->live,  kiss->votes,   kiss->first,
                      kiss->list,    kiss->shown, kiss->holds, kiss->cube_in, kiss->shows};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(arrays[i]);
    line_reader_free(&kiss->lines);
    table_free(&kiss->states);
    dfa_free(&kiss->dfa);
}

// The start state is 0 in the DFA: exchanges it with state 0 of the file.
static uint32_t dfa_state(const struct kiss2 *kiss, uint32_t state)
{
    return state == 0 ? kiss->start : state == kiss->start ? 0 : state;
}

// ---- the file ----

static tlu_status read_width(struct kiss2 *kiss, size_t *width)
{
    uint64_t found;
    if (*width)
        return line_error(&kiss->lines, 0, "this was given before; remove it");
    TRY(line_number(&kiss->lines, 1, WIDTH_MAX, &found));
    *width = (size_t)found;
    return TLU_OK;
}

static tlu_status read_names(struct kiss2 *kiss, struct table *names, size_t width)
{
    const struct line_reader *lines = &kiss->lines;
    if (width == 0)
        return line_error(lines, 0, "the names come before their number; write .i and .o first");
    if (lines->count - 1 != width || names->count)
        return line_error(lines, 0, "expected %zu names, once", width);
    for (size_t i = 1; i < lines->count; i++) {
        uint32_t number = table_add(names, lines->words[i].text, lines->words[i].length);
        TRY(enough_memory(number != TABLE_NONE, kiss->error));
        if (number != i - 1)
            return line_error(lines, i, "two of the names are the same; change one");
    }
    return TLU_OK;
}

static tlu_status find_state(struct kiss2 *kiss, size_t word, uint32_t *state)
{
    const struct line_reader *lines = &kiss->lines;
    *state = table_add(&kiss->states, lines->words[word].text, lines->words[word].length);
    TRY(enough_memory(*state != TABLE_NONE, kiss->error));
    return *state < STATES_MAX ? TLU_OK
                               : line_error(lines, word, "more than %d states", STATES_MAX);
}

static tlu_status read_directive(struct kiss2 *kiss)
{
    const struct line_reader *lines = &kiss->lines;
    char shown[40];
    if (line_has(lines, 0, ".i"))
        return read_width(kiss, &kiss->inputs);
    if (line_has(lines, 0, ".o"))
        return read_width(kiss, &kiss->outputs);
    if (line_has(lines, 0, ".p")) {
        kiss->rows_line = lines->line;
        return line_number(lines, 0, COUNT_MAX, &kiss->rows_said);
    }
    if (line_has(lines, 0, ".s")) {
        kiss->states_line = lines->line;
        return line_number(lines, 0, COUNT_MAX, &kiss->states_said);
    }
    if (line_has(lines, 0, ".r"))
        return lines->count == 2 ? find_state(kiss, 1, &kiss->start)
                                 : line_error(lines, 0, "expected one state after it");
    if (line_has(lines, 0, ".ilb"))
        return read_names(kiss, &kiss->automaton->input_names, kiss->inputs);
    if (line_has(lines, 0, ".ob"))
        return read_names(kiss, &kiss->automaton->output_names, kiss->outputs);
    kiss->ended =
        line_has(lines, 0, ".e") || line_has(lines, 0, ".end") || line_has(lines, 0, ".end_kiss");
    if (kiss->ended || line_has(lines, 0, ".start_kiss"))
        return TLU_OK;
    return line_error(
        lines, 0,
        "'%s' is unknown; there are .i .o .p .s .r .ilb .ob .start_kiss .end_kiss "
        "and .e",
        error_quote(shown, sizeof shown, lines->words[0].text, lines->words[0].length));
}

// A word of 0, 1 and -, into a table.
static tlu_status read_bits(struct kiss2 *kiss, size_t i, const char *what, size_t width,
                            struct table *table, uint32_t *number)
{
    struct line_word word = kiss->lines.words[i];
    if (word.length != width)
        return line_error(&kiss->lines, i, "expected %zu %s%s, found %zu", width, what,
                          width == 1 ? "" : "s", word.length);
    for (size_t at = 0; at < width; at++)
        if (!memchr("01-", word.text[at], 3))
            return line_error(&kiss->lines, i, "expected %ss as 0, 1 or -", what);
    *number = table_add(table, word.text, width);
    return enough_memory(*number != TABLE_NONE, kiss->error);
}

static tlu_status read_row(struct kiss2 *kiss)
{
    const struct line_reader *lines = &kiss->lines;
    struct kiss_row row = {.from = STATE_NONE, .to = STATE_NONE, .line = (size_t)lines->line};
    if (!kiss->inputs || !kiss->outputs)
        return line_error(
            lines, 0,
            "the row comes before the numbers of inputs and outputs; write .i and .o first");
    if (lines->count != 4)
        return line_error(lines, 0,
                          "expected inputs, state, next state and outputs, found %zu word%s",
                          lines->count, lines->count == 1 ? "" : "s");
    TRY(read_bits(kiss, 0, "input", kiss->inputs, &kiss->automaton->cubes, &row.cube));
    TRY(read_bits(kiss, 3, "output", kiss->outputs, &kiss->automaton->patterns, &row.pattern));
    if (!line_has(lines, 1, "*"))
        TRY(find_state(kiss, 1, &row.from));
    if (!line_has(lines, 2, "*"))
        TRY(find_state(kiss, 2, &row.to));
    if (kiss->start == STATE_NONE)
        kiss->start = row.from;
    if (kiss->rows.count == ROWS_MAX)
        return line_error(lines, 0, "more than %d rows", ROWS_MAX);
    return enough_memory(APPEND(kiss->rows.at, kiss->rows.count, kiss->rows.capacity, row),
                         kiss->error);
}

static tlu_status read_lines(struct kiss2 *kiss)
{
    const char *name = kiss->lines.name;
    tlu_status status = TLU_OK;
    while (!kiss->ended && line_next(&kiss->lines, &status))
        TRY(kiss->lines.words[0].text[0] == '.' ? read_directive(kiss) : read_row(kiss));
    TRY(status);
    if (kiss->rows.count == 0)
        return error_at(kiss->error, name, 0, 0,
                        "there are no rows; write lines of inputs, state, next state and outputs");
    if (kiss->start == STATE_NONE)
        return error_at(kiss->error, name, 0, 0,
                        "there is no state to start in; name it with .r, or add a row");
    if (kiss->rows_said != NOT_SAID && kiss->rows_said != kiss->rows.count)
        return error_at(kiss->error, name, kiss->rows_line, 0,
                        ".p says %zu rows, there are %zu; correct it, or remove it",
                        (size_t)kiss->rows_said, kiss->rows.count);
    if (kiss->states_said != NOT_SAID && kiss->states_said != kiss->states.count)
        return error_at(kiss->error, name, kiss->states_line, 0,
                        ".s says %zu states, there are %zu; correct it, or remove it",
                        (size_t)kiss->states_said, (size_t)kiss->states.count);
    return TLU_OK;
}

// ---- the machine, cell by cell ----
//
// The input vectors are split into cells that no row distinguishes: the symbols.
//
// Unspecified behaviour is completed: in a cell without a row the machine stays in its state and
// all outputs are 0; the next state * means "stays", and an output - is 0 unless another row
// specifies 1. Contradicting rows are an error.

static const char *cube_text(const struct kiss2 *kiss, uint32_t cube)
{
    return table_text(&kiss->automaton->cubes, cube);
}

// Whether a cube and a cell intersect.
static bool cube_meets(const struct kiss2 *kiss, const char *cube, const char *cell)
{
    for (size_t i = 0; i < kiss->inputs; i++)
        if (cube[i] != '-' && cell[i] != '-' && cube[i] != cell[i])
            return false;
    return true;
}

// The input that most cubes fix and the cell leaves open; SIZE_MAX: there is none.
static size_t find_question(struct kiss2 *kiss, size_t first, size_t end)
{
    size_t best = SIZE_MAX;
    kiss->done += (end - first + 1) * kiss->inputs;
    memset(kiss->votes, 0, kiss->inputs * sizeof *kiss->votes);
    for (size_t i = first; i < end; i++) {
        const char *cube = cube_text(kiss, kiss->live[i]);
        for (size_t j = 0; j < kiss->inputs; j++)
            kiss->votes[j] += cube[j] != '-' && kiss->cell[j] == '-';
    }
    for (size_t j = 0; j < kiss->inputs; j++)
        if (kiss->votes[j] && (best == SIZE_MAX || kiss->votes[j] > kiss->votes[best]))
            best = j;
    return best;
}

// Splits the cell, which intersects the cubes live[first ... end]. Each level of the recursion
// fixes one input.
static tlu_status split_cell(struct kiss2 *kiss, size_t first, size_t end)
{
    struct table *names = &kiss->automaton->alphabet.names;
    size_t question = find_question(kiss, first, end);
    if (question == SIZE_MAX) {
        if (names->count == VECTOR_SYMBOLS_MAX || kiss->done > MACHINE_WORK_MAX)
            return error_input(kiss->error,
                               "the machine is too large: its rows cut the inputs into more than "
                               "%u parts",
                               (unsigned)names->count);
        return enough_memory(table_add(names, kiss->cell, kiss->inputs) != TABLE_NONE, kiss->error);
    }
    for (char value = '0'; value <= '1'; value++) {
        size_t kept = end;
        kiss->cell[question] = value;
        for (size_t i = first; i < end; i++)
            if (cube_meets(kiss, cube_text(kiss, kiss->live[i]), kiss->cell) &&
                !APPEND(kiss->live, kept, kiss->live_capacity, kiss->live[i]))
                return error_memory(kiss->error);
        TRY(split_cell(kiss, end, kept));
    }
    kiss->cell[question] = '-';
    return TLU_OK;
}

static tlu_status find_cells(struct kiss2 *kiss)
{
    struct alphabet *alphabet = &kiss->automaton->alphabet;
    uint32_t cubes = kiss->automaton->cubes.count;
    alphabet->kind = ALPHABET_VECTORS;
    alphabet->inputs = kiss->inputs;
    alphabet->other = SYMBOL_NONE;
    kiss->cell = memory_new(kiss->inputs + 1, 1);
    kiss->votes = memory_new(kiss->inputs, sizeof *kiss->votes);
    TRY(enough_memory(
        kiss->cell && kiss->votes &&
            memory_reserve(&kiss->live, &kiss->live_capacity, cubes + 1, sizeof *kiss->live),
        kiss->error));
    for (uint32_t i = 0; i < cubes; i++)
        kiss->live[i] = i;
    memset(kiss->cell, '-', kiss->inputs);
    return split_cell(kiss, 0, cubes);
}

// ---- what each state does in each cell ----

static tlu_status contradict(const struct kiss2 *kiss, const struct kiss_row *row, uint32_t state,
                             uint32_t cell, const char *what)
{
    char cell_text[64], state_text[64];
    const char *name = table_text(&kiss->states, state);
    const char *cube = alphabet_name(&kiss->automaton->alphabet, cell);
    return error_at(kiss->error, kiss->lines.name, row->line, 0,
                    "an earlier row gives %s for state '%s' with inputs %s; change one of them",
                    what, error_quote(state_text, sizeof state_text, name, strlen(name)),
                    error_quote(cell_text, sizeof cell_text, cube, strlen(cube)));
}

static tlu_status apply_row(struct kiss2 *kiss, const struct kiss_row *row, uint32_t state,
                            uint32_t cell, uint32_t *next)
{
    const char *pattern = table_text(&kiss->automaton->patterns, row->pattern);
    if (row->to != STATE_NONE) {
        if (*next != STATE_NONE && *next != row->to)
            return contradict(kiss, row, state, cell, "another next state");
        *next = row->to;
    }
    for (size_t i = 0; i < kiss->outputs; i++) {
        if (pattern[i] == '-')
            continue;
        if (kiss->shows[i] != '-' && kiss->shows[i] != pattern[i])
            return contradict(kiss, row, state, cell, "other outputs");
        kiss->shows[i] = pattern[i];
    }
    return TLU_OK;
}

static tlu_status fill_state(struct kiss2 *kiss, uint32_t state, uint32_t cell)
{
    size_t at = (size_t)dfa_state(kiss, state) * kiss->dfa.symbols + cell;
    uint32_t next = STATE_NONE;
    memset(kiss->shows, '-', kiss->outputs);
    for (size_t i = kiss->first[state]; i < kiss->first[state + 1]; i++) {
        const struct kiss_row *row = &kiss->rows.at[kiss->list[i]];
        if (kiss->cube_in[row->cube])
            TRY(apply_row(kiss, row, state, cell, &next));
    }
    kiss->automaton->facts.completed += next == STATE_NONE;
    kiss->holds[state] = kiss->holds[state] || next == STATE_NONE;
    for (size_t i = 0; i < kiss->outputs; i++)
        if (kiss->shows[i] == '-')
            kiss->shows[i] = '0';
    kiss->shown[at] = table_add(&kiss->automaton->patterns, kiss->shows, kiss->outputs);
    kiss->dfa.next[at] = dfa_state(kiss, next == STATE_NONE ? state : next);
    return enough_memory(kiss->shown[at] != TABLE_NONE, kiss->error);
}

// Lists the rows of each state in order, including rows for any state.
static tlu_status sort_rows(struct kiss2 *kiss)
{
    const struct kiss_rows *rows = &kiss->rows;
    size_t states = kiss->states.count, cells = kiss->dfa.symbols, any = 0, *first;
    first = kiss->first = memory_new(states + 1, sizeof *first);
    TRY(enough_memory(first, kiss->error));
    for (size_t i = 0; i < rows->count; i++)
        if (rows->at[i].from == STATE_NONE)
            any++;
        else
            first[rows->at[i].from + 1]++;
    if ((any * states + rows->count) * cells > MACHINE_WORK_MAX || states * cells > CELLS_MAX)
        return error_input(kiss->error,
                           "the machine is too large: %zu rows and %zu states, and the inputs fall "
                           "into %zu parts",
                           rows->count, states, cells);
    for (size_t state = 0; state < states; state++)
        first[state + 1] += first[state] + any;
    kiss->list = memory_new(first[states] + 1, sizeof *kiss->list);
    size_t *at = kiss->list ? memory_copy(first, states + 1, sizeof *first) : NULL;
    for (size_t i = 0; at && i < rows->count; i++) {
        uint32_t from = rows->at[i].from;
        if (from != STATE_NONE)
            kiss->list[at[from]++] = i;
        for (size_t state = 0; from == STATE_NONE && state < states; state++)
            kiss->list[at[state]++] = i;
    }
    memory_free(at);
    return enough_memory(at != NULL, kiss->error);
}

// States with the same outputs in every cell form a group.
static bool group_by_outputs(struct kiss2 *kiss)
{
    struct table rows = {0};
    bool enough = true;
    for (uint32_t state = 0; enough && state < kiss->dfa.states; state++) {
        const uint32_t *row = kiss->shown + (size_t)state * kiss->dfa.symbols;
        kiss->dfa.groups[state] =
            table_add(&rows, (const char *)row, kiss->dfa.symbols * sizeof *row);
        enough = kiss->dfa.groups[state] != TABLE_NONE;
    }
    table_free(&rows);
    return enough;
}

static tlu_status fill_machine(struct kiss2 *kiss)
{
    tlu_automaton *automaton = kiss->automaton;
    struct dfa *dfa = &kiss->dfa;
    size_t states = kiss->states.count;
    dfa->states = (uint32_t)states;
    dfa->symbols = automaton->alphabet.names.count;
    TRY(sort_rows(kiss));
    dfa->next = memory_new(states * dfa->symbols, sizeof *dfa->next);
    dfa->groups = memory_new(states, sizeof *dfa->groups);
    kiss->shown = memory_new(states * dfa->symbols, sizeof *kiss->shown);
    kiss->cube_in = memory_new(automaton->cubes.count + (size_t)1, 1);
    kiss->shows = memory_new(kiss->outputs + 1, 1);
    kiss->holds = memory_new(states, sizeof *kiss->holds);
    TRY(enough_memory(dfa->next && dfa->groups && kiss->shown && kiss->cube_in && kiss->shows &&
                          kiss->holds,
                      kiss->error));
    for (uint32_t cell = 0; cell < dfa->symbols; cell++) {
        const char *vector = alphabet_name(&automaton->alphabet, cell);
        // No row distinguishes vectors of a cell: a cube contains it if it intersects it.
        for (uint32_t cube = 0; cube < automaton->cubes.count; cube++)
            kiss->cube_in[cube] = cube_meets(kiss, cube_text(kiss, cube), vector);
        for (uint32_t state = 0; state < states; state++)
            TRY(fill_state(kiss, state, cell));
    }
    return enough_memory(group_by_outputs(kiss), kiss->error);
}

// ---- the automaton ----

// Names that the file lacks: x1, x2, ...
static bool name_all(struct table *names, char initial, size_t count)
{
    char name[32];
    for (size_t i = names->count; i < count; i++) {
        int length = snprintf(name, sizeof name, "%c%zu", initial, i + 1);
        if (table_add(names, name, (size_t)length) != i)
            return false;
    }
    return true;
}

// Copies the rows of the state that represents a class.
static bool take_rows(const struct kiss2 *kiss, uint32_t chosen, uint32_t class)
{
    struct kiss_rows *rows = &kiss->automaton->rows;
    bool enough = true;
    for (size_t i = 0; enough && i < kiss->rows.count; i++) {
        struct kiss_row row = kiss->rows.at[i];
        if (row.from != STATE_NONE && row.from != chosen)
            continue;
        row.from = class;
        row.to = row.to == STATE_NONE ? STATE_NONE : kiss->dfa.classes[dfa_state(kiss, row.to)];
        enough = APPEND(rows->at, rows->count, rows->capacity, row);
    }
    return enough;
}

static bool take_states(const struct kiss2 *kiss)
{
    tlu_automaton *automaton = kiss->automaton;
    size_t symbols = automaton->facts.symbols, states = automaton->facts.states;
    automaton->shown = memory_new(states * symbols, sizeof *automaton->shown);
    automaton->holds = memory_new(states, sizeof *automaton->holds);
    bool enough = automaton->shown && automaton->holds;
    for (uint32_t i = 0; enough && i < states; i++) {
        size_t chosen = automaton->chosen[i];
        uint32_t state = dfa_state(kiss, (uint32_t)chosen);
        const char *name = table_text(&kiss->states, state);
        automaton->holds[i] = kiss->holds[state];
        memcpy(automaton->shown + i * symbols, kiss->shown + chosen * symbols,
               symbols * sizeof *kiss->shown);
        enough = table_add(&automaton->state_names, name, strlen(name)) == i &&
                 take_rows(kiss, state, i);
    }
    return enough && name_all(&automaton->input_names, 'x', kiss->inputs) &&
           name_all(&automaton->output_names, 'z', kiss->outputs);
}

static tlu_status read_machine(struct kiss2 *kiss)
{
    TRY(read_lines(kiss));
    TRY(find_cells(kiss));
    TRY(fill_machine(kiss));
    TRY(automaton_take(kiss->automaton, &kiss->dfa, kiss->error));
    return enough_memory(take_states(kiss), kiss->error);
}

tlu_status automaton_read_kiss2(tlu_automaton *automaton, const char *text, size_t size,
                                const char *name, tlu_error *error)
{
    struct kiss2 kiss = {.lines = automaton_lines(text, size, name, error),
                         .automaton = automaton,
                         .error = error,
                         .start = STATE_NONE,
                         .rows_said = NOT_SAID,
                         .states_said = NOT_SAID};
    tlu_status status = read_machine(&kiss);
    automaton->facts.notation = "kiss2";
    automaton->facts.states_given = kiss.states.count;
    automaton->facts.inputs = kiss.inputs;
    automaton->facts.outputs = kiss.outputs;
    kiss2_free(&kiss);
    return status;
}
