// Reads the table of a Turing machine: a row per state and symbol, in Turing's order.
//
//     start right
//     right 0 0 R right      # state, symbol read, symbol written, move, next state
//
// A state has rows, or it is called halt, accept or reject. docs/turing-format.md has the format.
#include "logic/turing/turing.h"

#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "input/text/unicode.h"
#include "logic/automaton/automaton.h"

#include <string.h>

#define TURING_ROWS_MAX 1000000

static const char *const halting[] = {"halt", "accept", "reject"};

// The place where a word first occurs in the file.
struct word_place {
    size_t line, column;
};

// The file, with states and symbols numbered in its order.
struct turing_file {
    struct line_reader words;
    struct table states, symbols, pairs;
    struct turing_row *rows; // [pairs.count]
    struct word_place *row_places;
    struct word_place *state_places; // [states.count]
    size_t row_capacity, row_place_capacity, state_place_capacity;
    uint32_t start, blank; // TURING_NONE: not given
    size_t start_line, blank_line;
    // For the machine:
    size_t *first;    // [states + 1] rows, sorted by state
    uint32_t *sorted; // [rows]
    uint32_t *number; // [states] the state of the machine; TURING_NONE: no row leads to it
    uint32_t *queue;  // [states] those that were reached
};

static void file_free(struct turing_file *file)
{
    line_reader_free(&file->words);
    table_free(&file->states);
    table_free(&file->symbols);
    table_free(&file->pairs);
    memory_free(file->rows);
    memory_free(file->row_places);
    memory_free(file->state_places);
    memory_free(file->first);
    memory_free(file->sorted);
    memory_free(file->number);
    memory_free(file->queue);
}

static void pair_key(char key[8], uint32_t state, uint32_t symbol)
{
    memcpy(key, &state, sizeof state);
    memcpy(key + 4, &symbol, sizeof symbol);
}

// ---- lines ----

#define QUOTE_SIZE 64

static const char *quoted(char out[QUOTE_SIZE], const struct line_reader *words, size_t i)
{
    return error_quote(out, QUOTE_SIZE, words->words[i].text, words->words[i].length);
}

static bool is_halting(const char *name)
{
    for (size_t i = 0; i < sizeof halting / sizeof halting[0]; i++)
        if (strcmp(name, halting[i]) == 0)
            return true;
    return false;
}

static struct word_place place_of(const struct line_reader *words, size_t i)
{
    return (struct word_place){(size_t)words->line,
                               (size_t)(words->words[i].text - words->start) + 1};
}

static tlu_status read_state(struct turing_file *file, size_t i, uint32_t *state)
{
    struct line_reader *words = &file->words;
    uint32_t before = file->states.count;
    *state = table_add(&file->states, words->words[i].text, words->words[i].length);
    if (*state == TABLE_NONE || !memory_reserve(&file->state_places, &file->state_place_capacity,
                                                *state + (size_t)1, sizeof *file->state_places))
        return error_memory(words->error);
    if (*state == before)
        file->state_places[*state] = place_of(words, i);
    return TLU_OK;
}

static tlu_status read_symbol(struct turing_file *file, size_t i, uint32_t *symbol)
{
    *symbol = table_add(&file->symbols, file->words.words[i].text, file->words.words[i].length);
    return enough_memory(*symbol != TABLE_NONE, file->words.error);
}

static tlu_status read_move(struct turing_file *file, size_t i, int *move)
{
    char shown[QUOTE_SIZE];
    struct line_reader *words = &file->words;
    if (!line_has(words, i, "L") && !line_has(words, i, "R") && !line_has(words, i, "S"))
        return line_error(words, i,
                          "'%s' is not a move; write L for left, R for right or S to stay",
                          quoted(shown, words, i));
    *move = words->words[i].text[0] == 'L' ? -1 : words->words[i].text[0] == 'R' ? 1 : 0;
    return TLU_OK;
}

static tlu_status add_row(struct turing_file *file, const struct turing_row *row)
{
    char key[8], state[QUOTE_SIZE], symbol[QUOTE_SIZE];
    struct line_reader *words = &file->words;
    uint32_t before = file->pairs.count;
    pair_key(key, row->state, row->read);
    uint32_t number = table_add(&file->pairs, key, sizeof key);
    if (number == TABLE_NONE ||
        !memory_reserve(&file->rows, &file->row_capacity, number + (size_t)1, sizeof *file->rows) ||
        !memory_reserve(&file->row_places, &file->row_place_capacity, number + (size_t)1,
                        sizeof *file->row_places))
        return error_memory(words->error);
    if (number < before)
        return line_error(words, 0,
                          "state '%s' already has a row for the symbol '%s', in line %zu; remove "
                          "one of them",
                          quoted(state, words, 0), quoted(symbol, words, 1),
                          file->row_places[number].line);
    if (number >= TURING_ROWS_MAX)
        return line_error(words, 0, "the machine is too large: it has more than %d rows",
                          TURING_ROWS_MAX);
    file->rows[number] = *row;
    file->row_places[number] = place_of(words, 0);
    return TLU_OK;
}

static tlu_status read_row(struct turing_file *file)
{
    struct turing_row row;
    struct line_reader *words = &file->words;
    TRY(read_state(file, 0, &row.state));
    if (is_halting(table_text(&file->states, row.state)))
        return line_error(words, 0,
                          "the state '%s' halts the machine, so it cannot have rows; give it "
                          "another name",
                          table_text(&file->states, row.state));
    TRY(read_symbol(file, 1, &row.read));
    TRY(read_symbol(file, 2, &row.write));
    TRY(read_move(file, 3, &row.move));
    TRY(read_state(file, 4, &row.next));
    return add_row(file, &row);
}

// "start STATE" or "blank SYMBOL", once.
static tlu_status read_setting(struct turing_file *file)
{
    struct line_reader *words = &file->words;
    bool start = line_has(words, 0, "start");
    size_t *line = start ? &file->start_line : &file->blank_line;
    if (*line)
        return line_error(words, 0, "%s was already given in line %zu; remove one of them",
                          start ? "start" : "blank", *line);
    *line = (size_t)words->line;
    return start ? read_state(file, 1, &file->start) : read_symbol(file, 1, &file->blank);
}

static tlu_status read_lines(struct turing_file *file)
{
    struct line_reader *words = &file->words;
    tlu_status status;
    while (line_next(words, &status)) {
        if (words->count == 2 && (line_has(words, 0, "start") || line_has(words, 0, "blank")))
            status = read_setting(file);
        else if (words->count == 5)
            status = read_row(file);
        else
            status = line_error(words, words->count > 5 ? 5 : 0,
                                "expected the five words of a row, found %zu; write the state, the "
                                "symbol read, the symbol written, L, R or S, and the next state, "
                                "or 'start STATE' or 'blank SYMBOL'",
                                words->count);
        if (status != TLU_OK)
            return status;
    }
    return status;
}

// ---- checks of the whole file ----

// Sorts the rows by state, in the order of the file.
static tlu_status sort_rows(struct turing_file *file, tlu_error *error)
{
    size_t states = file->states.count, rows = file->pairs.count;
    file->first = memory_new(states + 2, sizeof *file->first);
    file->sorted = memory_new(rows + 1, sizeof *file->sorted);
    file->number = memory_new(states + 1, sizeof *file->number);
    file->queue = memory_new(states + 1, sizeof *file->queue);
    if (!file->first || !file->sorted || !file->number || !file->queue)
        return error_memory(error);
    size_t *at = file->first + 1; // where the next row of a state goes; finally the state's end
    for (size_t i = 0; i < rows; i++)
        at[file->rows[i].state + 1]++;
    for (size_t i = 1; i <= states; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < rows; i++)
        file->sorted[at[file->rows[i].state]++] = (uint32_t)i;
    return TLU_OK;
}

static tlu_status check_states(const struct turing_file *file, tlu_error *error)
{
    char shown[QUOTE_SIZE];
    for (uint32_t i = 0; i < file->states.count; i++) {
        const char *name = table_text(&file->states, i);
        if (file->first[i] < file->first[i + 1] || is_halting(name))
            continue;
        struct word_place place = file->state_places[i];
        return error_at(error, file->words.name, place.line, place.column,
                        "state '%s' has no rows; add one, or name the state halt, accept or reject "
                        "if the machine halts there",
                        error_quote(shown, sizeof shown, name, strlen(name)));
    }
    return TLU_OK;
}

// Marks the states that can be reached from the start state in file->number.
static void reach_states(struct turing_file *file)
{
    size_t count = 0;
    for (uint32_t i = 0; i < file->states.count; i++)
        file->number[i] = TURING_NONE;
    file->number[file->start] = 0;
    file->queue[count++] = file->start;
    for (size_t i = 0; i < count; i++)
        for (size_t at = file->first[file->queue[i]]; at < file->first[file->queue[i] + 1]; at++) {
            uint32_t next = file->rows[file->sorted[at]].next;
            if (file->number[next] != TURING_NONE)
                continue;
            file->number[next] = 0;
            file->queue[count++] = next;
        }
}

// Numbers these states: the start state first, the others in the order of the file.
static bool number_states(struct turing_file *file, tlu_turing *machine)
{
    uint32_t start = file->start;
    for (size_t i = 0; i <= file->states.count; i++) {
        uint32_t state = i == 0 ? start : (uint32_t)i - 1;
        if ((i > 0 && state == start) || file->number[state] == TURING_NONE)
            continue;
        file->number[state] = table_add(&machine->states, table_text(&file->states, state),
                                        table_length(&file->states, state));
        if (file->number[state] == TABLE_NONE)
            return false;
        file->queue[file->number[state]] = state;
    }
    return true;
}

static bool number_symbols(struct turing_file *file, tlu_turing *machine)
{
    const char *blank = file->blank_line ? table_text(&file->symbols, file->blank) : "_";
    bool enough = table_add(&machine->symbols, blank, strlen(blank)) == TURING_BLANK;
    for (uint32_t i = 0; enough && i < file->symbols.count; i++)
        enough = table_add(&machine->symbols, table_text(&file->symbols, i),
                           table_length(&file->symbols, i)) != TABLE_NONE;
    return enough;
}

static uint32_t symbol_number(const struct turing_file *file, const tlu_turing *machine,
                              uint32_t symbol)
{
    return table_find(&machine->symbols, table_text(&file->symbols, symbol),
                      table_length(&file->symbols, symbol));
}

static bool copy_rows(const struct turing_file *file, tlu_turing *machine)
{
    size_t states = machine->states.count, count = 0;
    machine->rows = memory_new(file->pairs.count + (size_t)1, sizeof *machine->rows);
    machine->first = memory_new(states + 1, sizeof *machine->first);
    if (!machine->rows || !machine->first)
        return false;
    for (uint32_t state = 0; state < states; state++) {
        uint32_t from = file->queue[state];
        for (size_t at = file->first[from]; at < file->first[from + 1]; at++) {
            const struct turing_row *row = &file->rows[file->sorted[at]];
            struct turing_row *copy = &machine->rows[count];
            char key[8];
            *copy = (struct turing_row){state, symbol_number(file, machine, row->read),
                                        symbol_number(file, machine, row->write),
                                        file->number[row->next], row->move};
            pair_key(key, state, copy->read);
            if (table_add(&machine->pairs, key, sizeof key) != count++)
                return false;
        }
        machine->first[state + 1] = count;
    }
    return true;
}

static void find_facts(tlu_turing *machine, size_t states_given)
{
    tlu_turing_facts *facts = &machine->facts;
    size_t working = 0;
    facts->states_given = states_given;
    facts->states = machine->states.count;
    facts->symbols = machine->symbols.count;
    facts->rows = machine->pairs.count;
    for (size_t i = 0; i < facts->states; i++)
        working += machine->first[i] < machine->first[i + 1];
    facts->missing = working * facts->symbols - facts->rows;
    uint32_t accept = table_find(&machine->states, "accept", 6);
    facts->accept = accept == TABLE_NONE ? TLU_NONE : accept;
    facts->characters = symbols_are_characters(&machine->symbols);
}

static tlu_status read_machine(struct turing_file *file, tlu_turing *machine, tlu_error *error)
{
    TRY(read_lines(file));
    if (file->pairs.count == 0)
        return error_at(error, file->words.name, 0, 0,
                        "there are no rows; write lines such as 'right 0 1 R right': a state, the "
                        "symbol read, the symbol written, L, R or S, and the next state");
    if (!file->start_line)
        file->start = file->rows[0].state;
    TRY(sort_rows(file, error));
    TRY(check_states(file, error));
    reach_states(file);
    TRY(enough_memory(number_states(file, machine) && number_symbols(file, machine) &&
                          copy_rows(file, machine),
                      error));
    find_facts(machine, file->states.count);
    return TLU_OK;
}

// ---- symbols ----

bool symbols_are_characters(const struct table *symbols)
{
    for (uint32_t i = 0; i < symbols->count; i++) {
        const char *name = table_text(symbols, i);
        size_t size = table_length(symbols, i), length = 0;
        if (size)
            unicode_read(name, name + size, &length);
        if (length != size || size == 0)
            return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t symbols_skip_blanks(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && is_blank(text[count]))
        count++;
    return count;
}

uint32_t symbols_read(const struct table *symbols, bool characters, const char *text, size_t size,
                      size_t *used)
{
    *used = 0;
    if (size == 0)
        return TABLE_NONE;
    if (characters) {
        unicode_read(text, text + size, used);
        return table_find(symbols, text, *used);
    }
    size_t from = symbols_skip_blanks(text, size), length = 0;
    while (from + length < size && !is_blank(text[from + length]))
        length++;
    if (length == 0)
        return TABLE_NONE;
    *used = from + length;
    return table_find(symbols, text + from, length);
}

// ---- the interface ----

void tlu_turing_free(tlu_turing *machine)
{
    if (!machine)
        return;
    table_free(&machine->states);
    table_free(&machine->symbols);
    table_free(&machine->pairs);
    memory_free(machine->rows);
    memory_free(machine->first);
    memory_free(machine);
}

tlu_status tlu_turing_parse(const char *text, size_t size, const char *name, tlu_turing **machine,
                            tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *machine = NULL;
    TRY(check_given(text || !size, "text", error));
    text = size ? text : "";
    if (memchr(text, '\0', size))
        return error_at(error, name, 0, 0, "this is not text: it has a byte 0");
    tlu_turing *made = memory_new(1, sizeof *made);
    TRY(enough_memory(made != NULL, error));
    struct turing_file file = {.words = automaton_lines(text, size, name, error)};
    tlu_status status = read_machine(&file, made, error);
    file_free(&file);
    if (status == TLU_OK)
        *machine = made;
    else
        tlu_turing_free(made);
    return status;
}

tlu_status tlu_turing_load(const char *path, tlu_turing **machine, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    unsigned char *bytes = NULL;
    size_t size;
    *machine = NULL;
    TRY(file_read(path, TEXT_MAX, file_check_text, &bytes, &size, error));
    tlu_status status = tlu_turing_parse((const char *)bytes, size, path, machine, error);
    memory_free(bytes);
    return status;
}

const tlu_turing_facts *tlu_turing_get_facts(const tlu_turing *machine)
{
    return &machine->facts;
}

const char *tlu_turing_state_name(const tlu_turing *machine, size_t state)
{
    return state < machine->facts.states ? table_text(&machine->states, (uint32_t)state) : NULL;
}

const char *tlu_turing_symbol_name(const tlu_turing *machine, size_t symbol)
{
    return symbol < machine->facts.symbols ? table_text(&machine->symbols, (uint32_t)symbol) : NULL;
}

const struct turing_row *turing_find(const tlu_turing *machine, uint32_t state, uint32_t symbol)
{
    char key[8];
    pair_key(key, state, symbol);
    uint32_t row = table_find(&machine->pairs, key, sizeof key);
    return row == TABLE_NONE ? NULL : &machine->rows[row];
}

// The same for numbers from a caller, which are checked.
static const struct turing_row *find_given(const tlu_turing *machine, size_t state, size_t symbol)
{
    bool there = state < machine->facts.states && symbol < machine->facts.symbols;
    return there ? turing_find(machine, (uint32_t)state, (uint32_t)symbol) : NULL;
}

size_t tlu_turing_next(const tlu_turing *machine, size_t state, size_t symbol)
{
    const struct turing_row *row = find_given(machine, state, symbol);
    return row ? row->next : TLU_NONE;
}

size_t tlu_turing_written(const tlu_turing *machine, size_t state, size_t symbol)
{
    const struct turing_row *row = find_given(machine, state, symbol);
    return row ? row->write : TLU_NONE;
}

int tlu_turing_move(const tlu_turing *machine, size_t state, size_t symbol)
{
    const struct turing_row *row = find_given(machine, state, symbol);
    return row ? row->move : 0;
}
