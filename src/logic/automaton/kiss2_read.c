// Reads KISS2: .i and .o, the numbers of inputs and outputs; .p of rows and .s of states, which are
// checked; .r, the state that it starts in; .ilb and .ob, names; then rows of four words.
#include "logic/automaton/kiss2.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

struct kiss_file {
    struct fields words;
    struct kiss2 *kiss;
    tlu_automaton *automaton;
    size_t rows_said, states_said; // SIZE_MAX: not said
    size_t rows_line, states_line;
    bool ended;
};

static tlu_status read_count(struct kiss_file *file, size_t most, size_t *count)
{
    struct fields *words = &file->words;
    char shown[40];
    if (words->count != 2)
        return fields_refuse(words, 0, "expected one number after it");
    *count = 0;
    for (size_t i = 0; i < words->length[1]; i++) {
        char digit = words->at[1][i];
        if (digit < '0' || digit > '9' || *count > most)
            return fields_refuse(words, 1, "expected a number up to %zu, found '%s'", most,
                                 error_quote(shown, sizeof shown, words->at[1], words->length[1]));
        *count = *count * 10 + (size_t)(digit - '0');
    }
    return *count <= most ? TLU_OK : fields_refuse(words, 1, "expected a number up to %zu", most);
}

static tlu_status read_width(struct kiss_file *file, size_t *width)
{
    if (*width)
        return fields_refuse(&file->words, 0, "this was said before");
    TRY(read_count(file, KISS_WIDTH_MAX, width));
    return *width ? TLU_OK : fields_refuse(&file->words, 1, "expected 1 at least");
}

static tlu_status read_names(struct kiss_file *file, struct table *names, size_t width)
{
    struct fields *words = &file->words;
    if (width == 0)
        return fields_refuse(words, 0, "the number, .i or .o, comes first");
    if (words->count - 1 != width || names->count)
        return fields_refuse(words, 0, "expected %zu names, once", width);
    for (size_t i = 1; i < words->count; i++) {
        uint32_t number = table_add(names, words->at[i], words->length[i]);
        TRY(enough_memory(number != TABLE_NONE, words->error));
        if (number != i - 1)
            return fields_refuse(words, i, "two have the same name");
    }
    return TLU_OK;
}

static tlu_status find_state(struct kiss_file *file, size_t word, uint32_t *state)
{
    struct fields *words = &file->words;
    *state = table_add(&file->kiss->states, words->at[word], words->length[word]);
    TRY(enough_memory(*state != TABLE_NONE, words->error));
    return *state < STATES_MAX ? TLU_OK
                               : fields_refuse(words, word, "more than %d states", STATES_MAX);
}

static tlu_status read_directive(struct kiss_file *file)
{
    struct fields *words = &file->words;
    struct kiss2 *kiss = file->kiss;
    char shown[40];
    if (fields_is(words, 0, ".i"))
        return read_width(file, &kiss->inputs);
    if (fields_is(words, 0, ".o"))
        return read_width(file, &kiss->outputs);
    if (fields_is(words, 0, ".p")) {
        file->rows_line = words->line;
        return read_count(file, 1000000000, &file->rows_said);
    }
    if (fields_is(words, 0, ".s")) {
        file->states_line = words->line;
        return read_count(file, 1000000000, &file->states_said);
    }
    if (fields_is(words, 0, ".r"))
        return words->count == 2 ? find_state(file, 1, &kiss->start)
                                 : fields_refuse(words, 0, "expected one state after it");
    if (fields_is(words, 0, ".ilb"))
        return read_names(file, &file->automaton->input_names, kiss->inputs);
    if (fields_is(words, 0, ".ob"))
        return read_names(file, &file->automaton->output_names, kiss->outputs);
    file->ended = fields_is(words, 0, ".e") || fields_is(words, 0, ".end") ||
                  fields_is(words, 0, ".end_kiss");
    if (file->ended || fields_is(words, 0, ".start_kiss"))
        return TLU_OK;
    return fields_refuse(words, 0,
                         "'%s' is unknown; there are .i .o .p .s .r .ilb .ob .start_kiss .end_kiss "
                         "and .e",
                         error_quote(shown, sizeof shown, words->at[0], words->length[0]));
}

// A word of 0, 1 and -, into a table.
static tlu_status read_bits(struct kiss_file *file, size_t word, const char *what, size_t width,
                            struct table *table, uint32_t *number)
{
    struct fields *words = &file->words;
    if (words->length[word] != width)
        return fields_refuse(words, word, "expected %zu %s%s, found %zu", width, what,
                             width == 1 ? "" : "s", words->length[word]);
    for (size_t i = 0; i < width; i++)
        if (!memchr("01-", words->at[word][i], 3))
            return fields_refuse(words, word, "expected %ss as 0, 1 or -", what);
    *number = table_add(table, words->at[word], width);
    return enough_memory(*number != TABLE_NONE, words->error);
}

static tlu_status read_row(struct kiss_file *file)
{
    struct fields *words = &file->words;
    struct kiss2 *kiss = file->kiss;
    struct kiss_row row = {.from = STATE_NONE, .to = STATE_NONE, .line = words->line};
    if (!kiss->inputs || !kiss->outputs)
        return fields_refuse(words, 0, "the numbers of inputs and outputs, .i and .o, come first");
    if (words->count != 4)
        return fields_refuse(words, 0,
                             "expected inputs, state, next state and outputs, found %zu word%s",
                             words->count, words->count == 1 ? "" : "s");
    TRY(read_bits(file, 0, "input", kiss->inputs, &file->automaton->cubes, &row.cube));
    TRY(read_bits(file, 3, "output", kiss->outputs, &file->automaton->patterns, &row.pattern));
    if (!fields_is(words, 1, "*"))
        TRY(find_state(file, 1, &row.from));
    if (!fields_is(words, 2, "*"))
        TRY(find_state(file, 2, &row.to));
    if (kiss->start == STATE_NONE)
        kiss->start = row.from;
    if (kiss->rows.count == KISS_ROWS_MAX)
        return fields_refuse(words, 0, "more than %d rows", KISS_ROWS_MAX);
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

tlu_status kiss2_read(struct kiss2 *kiss, tlu_automaton *automaton, const char *text, size_t size,
                      tlu_error *error)
{
    struct kiss_file file = {
        .words = {.text = text, .end = text + size, .name = kiss->name, .error = error},
        .kiss = kiss,
        .automaton = automaton,
        .rows_said = SIZE_MAX,
        .states_said = SIZE_MAX};
    tlu_status status = TLU_OK;
    kiss->start = STATE_NONE;
    while (status == TLU_OK && !file.ended && fields_next(&file.words, &status))
        status = file.words.at[0][0] == '.' ? read_directive(&file) : read_row(&file);
    if (status == TLU_OK)
        status = check_whole(&file, error);
    fields_free(&file.words);
    return status;
}
