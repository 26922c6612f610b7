// KISS2 files of Mealy machines: .i and .o, numbers of inputs and outputs; .p and .s, numbers of
// rows and states, which are checked; .r, the start state; .ilb and .ob, names; then rows of four
// words.
#include "logic/automaton/automaton.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <string.h>

#define KISS_WIDTH_MAX 1024 // inputs, and outputs
#define KISS_ROWS_MAX 100000
#define KISS_SYMBOLS_MAX 65536  // cells
#define KISS_WORK_MAX 500000000 // rows of states times cells, and characters visited

struct kiss2 {
    const char *name; // of the file
    size_t inputs, outputs;
    uint32_t start; // STATE_NONE: not said
    struct table states;
    struct kiss_rows rows;
    bool *holds; // [states] whether it stays as it is with some inputs that no row is about
};

static inline uint32_t kiss2_state(const struct kiss2 *kiss, uint32_t state)
{
    return state == 0 ? kiss->start : state == kiss->start ? 0 : state;
}

struct kiss_file {
    struct line_reader words;
    struct kiss2 *kiss;
    tlu_automaton *automaton;
    size_t rows_said, states_said; // SIZE_MAX: not said
    size_t rows_line, states_line;
    bool ended;
};

static tlu_status read_count(struct kiss_file *file, size_t most, size_t *count)
{
    struct line_reader *words = &file->words;
    char shown[40];
    if (words->count != 2)
        return line_error(words, 0, "expected one number after it");
    *count = 0;
    for (size_t i = 0; i < words->length[1]; i++) {
        char digit = words->at[1][i];
        if (digit < '0' || digit > '9' || *count > most)
            return line_error(words, 1, "expected a number up to %zu, found '%s'", most,
                              error_quote(shown, sizeof shown, words->at[1], words->length[1]));
        *count = *count * 10 + (size_t)(digit - '0');
    }
    return *count <= most ? TLU_OK : line_error(words, 1, "expected a number up to %zu", most);
}

static tlu_status read_width(struct kiss_file *file, size_t *width)
{
    if (*width)
        return line_error(&file->words, 0, "this was said before");
    TRY(read_count(file, KISS_WIDTH_MAX, width));
    return *width ? TLU_OK : line_error(&file->words, 1, "expected 1 at least");
}

static tlu_status read_names(struct kiss_file *file, struct table *names, size_t width)
{
    struct line_reader *words = &file->words;
    if (width == 0)
        return line_error(words, 0, "the number, .i or .o, comes first");
    if (words->count - 1 != width || names->count)
        return line_error(words, 0, "expected %zu names, once", width);
    for (size_t i = 1; i < words->count; i++) {
        uint32_t number = table_add(names, words->at[i], words->length[i]);
        TRY(enough_memory(number != TABLE_NONE, words->error));
        if (number != i - 1)
            return line_error(words, i, "two have the same name");
    }
    return TLU_OK;
}

static tlu_status find_state(struct kiss_file *file, size_t word, uint32_t *state)
{
    struct line_reader *words = &file->words;
    *state = table_add(&file->kiss->states, words->at[word], words->length[word]);
    TRY(enough_memory(*state != TABLE_NONE, words->error));
    return *state < STATES_MAX ? TLU_OK
                               : line_error(words, word, "more than %d states", STATES_MAX);
}

static tlu_status read_directive(struct kiss_file *file)
{
    struct line_reader *words = &file->words;
    struct kiss2 *kiss = file->kiss;
    char shown[40];
    if (line_has(words, 0, ".i"))
        return read_width(file, &kiss->inputs);
    if (line_has(words, 0, ".o"))
        return read_width(file, &kiss->outputs);
    if (line_has(words, 0, ".p")) {
        file->rows_line = words->line;
        return read_count(file, 1000000000, &file->rows_said);
    }
    if (line_has(words, 0, ".s")) {
        file->states_line = words->line;
        return read_count(file, 1000000000, &file->states_said);
    }
    if (line_has(words, 0, ".r"))
        return words->count == 2 ? find_state(file, 1, &kiss->start)
                                 : line_error(words, 0, "expected one state after it");
    if (line_has(words, 0, ".ilb"))
        return read_names(file, &file->automaton->input_names, kiss->inputs);
    if (line_has(words, 0, ".ob"))
        return read_names(file, &file->automaton->output_names, kiss->outputs);
    file->ended =
        line_has(words, 0, ".e") || line_has(words, 0, ".end") || line_has(words, 0, ".end_kiss");
    if (file->ended || line_has(words, 0, ".start_kiss"))
        return TLU_OK;
    return line_error(words, 0,
                      "'%s' is unknown; there are .i .o .p .s .r .ilb .ob .start_kiss .end_kiss "
                      "and .e",
                      error_quote(shown, sizeof shown, words->at[0], words->length[0]));
}

// A word of 0, 1 and -, into a table.
static tlu_status read_bits(struct kiss_file *file, size_t word, const char *what, size_t width,
                            struct table *table, uint32_t *number)
{
    struct line_reader *words = &file->words;
    if (words->length[word] != width)
        return line_error(words, word, "expected %zu %s%s, found %zu", width, what,
                          width == 1 ? "" : "s", words->length[word]);
    for (size_t i = 0; i < width; i++)
        if (!memchr("01-", words->at[word][i], 3))
            return line_error(words, word, "expected %ss as 0, 1 or -", what);
    *number = table_add(table, words->at[word], width);
    return enough_memory(*number != TABLE_NONE, words->error);
}

static tlu_status read_row(struct kiss_file *file)
{
    struct line_reader *words = &file->words;
    struct kiss2 *kiss = file->kiss;
    struct kiss_row row = {.from = STATE_NONE, .to = STATE_NONE, .line = words->line};
    if (!kiss->inputs || !kiss->outputs)
        return line_error(words, 0, "the numbers of inputs and outputs, .i and .o, come first");
    if (words->count != 4)
        return line_error(words, 0,
                          "expected inputs, state, next state and outputs, found %zu word%s",
                          words->count, words->count == 1 ? "" : "s");
    TRY(read_bits(file, 0, "input", kiss->inputs, &file->automaton->cubes, &row.cube));
    TRY(read_bits(file, 3, "output", kiss->outputs, &file->automaton->patterns, &row.pattern));
    if (!line_has(words, 1, "*"))
        TRY(find_state(file, 1, &row.from));
    if (!line_has(words, 2, "*"))
        TRY(find_state(file, 2, &row.to));
    if (kiss->start == STATE_NONE)
        kiss->start = row.from;
    if (kiss->rows.count == KISS_ROWS_MAX)
        return line_error(words, 0, "more than %d rows", KISS_ROWS_MAX);
    if (!memory_reserve(&kiss->rows.at, &kiss->rows.capacity, kiss->rows.count + 1, sizeof row))
        return error_memory(words->error);
    kiss->rows.at[kiss->rows.count++] = row;
    return TLU_OK;
}

static tlu_status check_whole(struct kiss_file *file, tlu_error *error)
{
    const struct kiss2 *kiss = file->kiss;
    const char *name = file->words.name;
    if (kiss->rows.count == 0)
        return error_at(error, name, 0, 0, "there is no row: inputs, state, next state, outputs");
    if (kiss->start == STATE_NONE)
        return error_at(error, name, 0, 0, "no state to start in: neither .r nor a row names one");
    if (file->rows_said != SIZE_MAX && file->rows_said != kiss->rows.count)
        return error_at(error, name, file->rows_line, 0, ".p says %zu rows, there are %zu",
                        file->rows_said, kiss->rows.count);
    if (file->states_said != SIZE_MAX && file->states_said != kiss->states.count)
        return error_at(error, name, file->states_line, 0, ".s says %zu states, there are %zu",
                        file->states_said, (size_t)kiss->states.count);
    return TLU_OK;
}

static tlu_status kiss2_read(struct kiss2 *kiss, tlu_automaton *automaton, const char *text,
                             size_t size, tlu_error *error)
{
    struct kiss_file file = {
        .words = {.text = text, .end = text + size, .name = kiss->name, .error = error},
        .kiss = kiss,
        .automaton = automaton,
        .rows_said = SIZE_MAX,
        .states_said = SIZE_MAX};
    tlu_status status = TLU_OK;
    kiss->start = STATE_NONE;
    while (status == TLU_OK && !file.ended && line_next(&file.words, &status))
        status = file.words.at[0][0] == '.' ? read_directive(&file) : read_row(&file);
    if (status == TLU_OK)
        status = check_whole(&file, error);
    line_reader_free(&file.words);
    return status;
}

// ---- the machine, cell by cell ----
//
// The input vectors are split into cells that no row distinguishes: the symbols.
//
// Unspecified behaviour is completed: in a cell without a row the machine stays in its state and
// all outputs are 0; the next state * means "stays", and an output - is 0 unless another row
// specifies 1. Contradicting rows are an error.

static bool cube_has(const char *cube, const char *cell, size_t inputs)
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

struct cell_split {
    tlu_automaton *automaton;
    size_t inputs;
    char *cell;     // [inputs] the current cell
    uint32_t *live; // cubes that intersect it, a stack over the levels of recursion
    size_t capacity;
    uint32_t *votes; // [inputs] number of cubes that fix an input
    uint64_t done;   // characters visited
    tlu_error *error;
};

// The input that most cubes fix and the cell leaves open; SIZE_MAX: there is none.
static size_t find_question(struct cell_split *cut, size_t first, size_t end)
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

static tlu_status keep_cell(struct cell_split *cut)
{
    struct table *names = &cut->automaton->alphabet.names;
    if (names->count == KISS_SYMBOLS_MAX || cut->done > KISS_WORK_MAX)
        return error_input(cut->error,
                           "the machine is too large: its rows cut the inputs into more than %u "
                           "parts",
                           (unsigned)names->count);
    return enough_memory(table_add(names, cut->cell, cut->inputs) != TABLE_NONE, cut->error);
}

// Each level of the recursion fixes one input.
static tlu_status cut_cell(struct cell_split *cut, size_t first, size_t end)
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

static tlu_status kiss2_cells(const struct kiss2 *kiss, tlu_automaton *automaton, tlu_error *error)
{
    uint32_t cubes = automaton->cubes.count;
    struct cell_split cut = {.automaton = automaton, .inputs = kiss->inputs, .error = error};
    automaton->alphabet.kind = ALPHABET_VECTORS;
    automaton->alphabet.inputs = kiss->inputs;
    automaton->alphabet.other = SYMBOL_NONE;
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

struct machine_fill {
    const struct kiss2 *kiss;
    tlu_automaton *automaton;
    struct dfa *dfa;
    uint32_t *shown;  // [states][cells]
    uint8_t *cube_in; // [cubes] whether the cell is in the cube
    char *outputs;    // [outputs] of a state in a cell
    tlu_error *error;
};

static tlu_status contradict(const struct machine_fill *fill, const struct kiss_row *row,
                             uint32_t state, size_t cell, const char *what)
{
    char cell_text[64], state_text[64];
    const char *name = table_text(&fill->kiss->states, state);
    const char *cube = alphabet_name(&fill->automaton->alphabet, (uint32_t)cell);
    return error_at(fill->error, fill->kiss->name, row->line, 0,
                    "an earlier row gives %s for state '%s' with inputs %s", what,
                    error_quote(state_text, sizeof state_text, name, strlen(name)),
                    error_quote(cell_text, sizeof cell_text, cube, strlen(cube)));
}

static tlu_status apply_row(struct machine_fill *fill, const struct kiss_row *row, uint32_t state,
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

static tlu_status fill_state(struct machine_fill *fill, const size_t *rows, size_t count,
                             uint32_t state, size_t cell)
{
    const struct kiss2 *kiss = fill->kiss;
    size_t at = (size_t)kiss2_state(kiss, state) * fill->dfa->symbols + cell;
    uint32_t next = STATE_NONE;
    memset(fill->outputs, '-', kiss->outputs);
    for (size_t i = 0; i < count; i++) {
        const struct kiss_row *row = &kiss->rows.at[rows[i]];
        if (fill->cube_in[row->cube])
            TRY(apply_row(fill, row, state, cell, &next));
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

// Lists the rows of each state in order, including rows for any state, in list[first[state] ...
// first[state + 1]].
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

static tlu_status fill_cells(struct machine_fill *fill, const size_t *first, const size_t *list)
{
    const tlu_automaton *automaton = fill->automaton;
    size_t inputs = fill->kiss->inputs;
    for (uint32_t cell = 0; cell < fill->dfa->symbols; cell++) {
        const char *vector = alphabet_name(&automaton->alphabet, cell);
        for (uint32_t cube = 0; cube < automaton->cubes.count; cube++)
            fill->cube_in[cube] = cube_has(table_text(&automaton->cubes, cube), vector, inputs);
        for (uint32_t state = 0; state < fill->kiss->states.count; state++)
            TRY(fill_state(fill, list + first[state], first[state + 1] - first[state], state,
                           cell));
    }
    return TLU_OK;
}

// States with the same outputs in every cell form a group.
static bool group_by_outputs(struct dfa *dfa, const uint32_t *shown)
{
    struct table rows = {0};
    bool enough = true;
    for (uint32_t state = 0; enough && state < dfa->states; state++) {
        const uint32_t *row = shown + (size_t)state * dfa->symbols;
        dfa->groups[state] = table_add(&rows, (const char *)row, dfa->symbols * sizeof *row);
        enough = dfa->groups[state] != TABLE_NONE;
    }
    table_free(&rows);
    return enough;
}

static tlu_status kiss2_fill(struct kiss2 *kiss, tlu_automaton *automaton, struct dfa *dfa,
                             uint32_t **shown, tlu_error *error)
{
    struct machine_fill fill = {.kiss = kiss, .automaton = automaton, .dfa = dfa, .error = error};
    size_t states = kiss->states.count, *list = NULL;
    size_t *first = memory_new(states + 1, sizeof *first);
    dfa->states = (uint32_t)states;
    dfa->symbols = automaton->alphabet.names.count;
    tlu_status status =
        first ? sort_rows(kiss, dfa->symbols, first, &list, error) : error_memory(error);
    if (status == TLU_OK) {
        dfa->next = memory_new(states * dfa->symbols, sizeof *dfa->next);
        dfa->groups = memory_new(states, sizeof *dfa->groups);
        fill.shown = *shown = memory_new(states * dfa->symbols, sizeof **shown);
        fill.cube_in = memory_new(automaton->cubes.count + (size_t)1, 1);
        fill.outputs = memory_new(kiss->outputs + 1, 1);
        kiss->holds = memory_new(states, sizeof *kiss->holds);
        bool enough =
            dfa->next && dfa->groups && fill.shown && fill.cube_in && fill.outputs && kiss->holds;
        status = enough ? fill_cells(&fill, first, list) : error_memory(error);
    }
    if (status == TLU_OK)
        status = enough_memory(group_by_outputs(dfa, fill.shown), error);
    memory_free(fill.cube_in);
    memory_free(fill.outputs);
    memory_free(first);
    memory_free(list);
    return status;
}

// ---- the automaton ----
//

// Names that the file lacks: x1, x2, ...
static bool name_all(struct table *names, char symbol, size_t count)
{
    char name[32];
    for (size_t i = names->count; i < count; i++) {
        int length = snprintf(name, sizeof name, "%c%zu", symbol, i + 1);
        if (table_add(names, name, (size_t)length) != i)
            return false;
    }
    return true;
}

// Copies the rows of the state that represents a class.
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
    size_t symbols = automaton->facts.letters, states = automaton->facts.states;
    automaton->shown = memory_new(states * symbols, sizeof *shown);
    automaton->holds = memory_new(states, sizeof *automaton->holds);
    if (!automaton->shown || !automaton->holds)
        return false;
    for (size_t i = 0; i < states; i++) {
        automaton->holds[i] = kiss->holds[kiss2_state(kiss, chosen[i])];
        memcpy(automaton->shown + i * symbols, shown + chosen[i] * symbols,
               symbols * sizeof *shown);
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
