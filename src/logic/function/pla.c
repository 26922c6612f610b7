// Berkeley PLA files, as espresso reads them: one cube per line, a pattern of inputs and a value
// per output.
//
//     .i 3
//     .o 1
//     1-0 1
//     .e
//
// .type says what the output characters mean. A row that any cube declares - is a don't-care row.
//     f    1; other rows are 0
//     fd   1 and - (don't care); other rows are 0 (the default)
//     fr   1 and 0; other rows are don't care
//     fdr  1, 0 and -; other rows are don't care
// ~ declares nothing; 4 means 1, 3 means 0 and 2 means -.
#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "logic/function/function.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 30)
#define CELLS_MAX (1U << 28) // rows of all tables together
#define INPUTS_NONE UINT32_MAX

struct cube {
    uint32_t care, bits; // the inputs that it fixes, and their values
    uint64_t line;
    const char *outputs; // in the text, possibly with blanks
};

struct name_line { // of names, with blanks between them
    char *text;    // NULL: none
    uint64_t line;
};

struct pla {
    const char *file;
    const char *at, *end; // of the line that is read
    const char *start;
    uint64_t line;
    uint32_t inputs, outputs;             // INPUTS_NONE: not said yet
    bool says_zero, says_open, rest_open; // what .type makes of 0, - and rows without a cube
    uint64_t cubes_said, cubes_line;
    bool ended;
    struct tlu_function *function; // NULL before the first cube
    struct truth_table *zeros;     // [outputs] rows that a cube calls 0
    struct cube *cubes;
    size_t cube_count, cube_capacity;
    struct name_line input_names, output_names;
};

// ---- words of a line

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '|' || c == '\r';
}

static void skip_blanks(struct pla *pla)
{
    while (pla->at < pla->end && is_blank(*pla->at))
        pla->at++;
}

static uint64_t column(const struct pla *pla, const char *at)
{
    return (uint64_t)(at - pla->start) + 1;
}

// The next word of the line; length 0: none.
static const char *next_word(struct pla *pla, size_t *length)
{
    skip_blanks(pla);
    const char *word = pla->at;
    while (pla->at < pla->end && !is_blank(*pla->at))
        pla->at++;
    *length = (size_t)(pla->at - word);
    return word;
}

static bool is_text(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

#define FAIL(pla, where, ...)                                                                      \
    error_at(error, (pla)->file, (pla)->line, column(pla, where), __VA_ARGS__)

// ---- directives

static tlu_status take_number(struct pla *pla, const char *key, uint64_t least, uint64_t most,
                              uint64_t *value, tlu_error *error)
{
    size_t length;
    char shown[48];
    const char *word = next_word(pla, &length);
    *value = 0;
    bool good = length > 0 && length < 16;
    for (size_t i = 0; good && i < length; i++) {
        good = word[i] >= '0' && word[i] <= '9';
        *value = *value * 10 + (uint64_t)(word[i] - '0');
    }
    if (good && *value >= least && *value <= most)
        return TLU_OK;
    if (length == 0)
        return FAIL(pla, word, "%s needs a number", key);
    return FAIL(pla, word, "%s is a whole number from %llu to %llu, not '%s'", key,
                (unsigned long long)least, (unsigned long long)most,
                error_quote(shown, sizeof shown, word, length));
}

static tlu_status take_width(struct pla *pla, const char *key, uint64_t most, uint32_t *width,
                             tlu_error *error)
{
    uint64_t value;
    if (*width != INPUTS_NONE)
        return FAIL(pla, pla->start, "%s comes twice", key);
    TRY(take_number(pla, key, 1, most, &value, error));
    *width = (uint32_t)value;
    return TLU_OK;
}

static tlu_status take_type(struct pla *pla, tlu_error *error)
{
    size_t length;
    char shown[48];
    const char *word = next_word(pla, &length);
    static const char *const types[] = {"f", "fd", "fr", "fdr"};
    for (size_t i = 0; i < 4; i++)
        if (is_text(word, length, types[i])) {
            pla->says_open = i & 1;
            pla->says_zero = pla->rest_open = i >> 1 & 1;
            return TLU_OK;
        }
    return FAIL(pla, word, "expected .type f, fd, fr or fdr, found '%s'",
                error_quote(shown, sizeof shown, word, length));
}

static tlu_status take_list(struct pla *pla, struct name_line *list, tlu_error *error)
{
    skip_blanks(pla);
    memory_free(list->text);
    list->text = memory_copy_text(pla->at, (size_t)(pla->end - pla->at));
    list->line = pla->line;
    pla->at = pla->end;
    return enough_memory(list->text != NULL, error);
}

static tlu_status take_key(struct pla *pla, tlu_error *error)
{
    size_t length;
    char shown[48];
    const char *word = next_word(pla, &length);
    if (pla->function && !is_text(word, length, ".e") && !is_text(word, length, ".end"))
        return FAIL(pla, word, "'%s' comes after the first cube; expected it before",
                    error_quote(shown, sizeof shown, word, length));
    if (is_text(word, length, ".i"))
        TRY(take_width(pla, ".i", TRUTH_INPUTS_MAX, &pla->inputs, error));
    else if (is_text(word, length, ".o"))
        TRY(take_width(pla, ".o", FUNCTION_OUTPUTS_MAX, &pla->outputs, error));
    else if (is_text(word, length, ".p")) {
        pla->cubes_line = pla->line;
        TRY(take_number(pla, ".p", 0, UINT32_MAX, &pla->cubes_said, error));
    } else if (is_text(word, length, ".type"))
        TRY(take_type(pla, error));
    else if (is_text(word, length, ".ilb") || is_text(word, length, ".lb"))
        TRY(take_list(pla, &pla->input_names, error));
    else if (is_text(word, length, ".ob"))
        TRY(take_list(pla, &pla->output_names, error));
    else if (is_text(word, length, ".e") || is_text(word, length, ".end"))
        pla->ended = true;
    else
        return FAIL(pla, word, "'%s' is not known; expected .i .o .ilb .ob .p .type .e or a cube",
                    error_quote(shown, sizeof shown, word, length));
    word = next_word(pla, &length);
    if (length > 0)
        return FAIL(pla, word, "expected the end of the line, found '%s'",
                    error_quote(shown, sizeof shown, word, length));
    return TLU_OK;
}

// ---- cubes

static tlu_status take_names(const struct pla *pla, const struct name_line *list, const char *key,
                             char **names, size_t count, tlu_error *error)
{
    size_t found = 0;
    if (!list->text)
        return TLU_OK;
    for (const char *at = list->text;; found++) {
        at += strspn(at, " \t|\r");
        size_t length = strcspn(at, " \t|\r");
        if (length == 0)
            break;
        if (found < count && !function_name(&names[found], at, length))
            return error_memory(error);
        at += length;
    }
    if (found == count)
        return TLU_OK;
    return error_at(error, pla->file, list->line, 1, "%s has %zu %s, expected %zu", key, found,
                    found == 1 ? "name" : "names", count);
}

static tlu_status refuse_twins(const struct pla *pla, const struct name_line *list, char **names,
                               size_t count, tlu_error *error)
{
    char shown[64];
    for (size_t i = 0; list->text && i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return error_at(error, pla->file, list->line, 1, "the name '%s' comes twice",
                                error_quote(shown, sizeof shown, names[i], strlen(names[i])));
    return TLU_OK;
}

// Called at the first cube: allocates the tables and sets the names.
static tlu_status begin_cubes(struct pla *pla, tlu_error *error)
{
    if (pla->inputs == INPUTS_NONE || pla->outputs == INPUTS_NONE)
        return error_at(error, pla->file, pla->line, 1, "%s is missing before the cubes",
                        pla->inputs == INPUTS_NONE ? ".i" : ".o");
    if ((uint64_t)pla->outputs << pla->inputs > CELLS_MAX)
        return error_at(error, pla->file, pla->line, 1,
                        "%u outputs of %u inputs are too much: %u outputs are the most",
                        pla->outputs, pla->inputs, CELLS_MAX >> pla->inputs);
    struct tlu_function *f = pla->function =
        function_new(pla->inputs, pla->outputs, pla->says_open || pla->rest_open);
    pla->zeros = memory_new(pla->outputs, sizeof *pla->zeros);
    if (!pla->function || !pla->zeros)
        return error_memory(error);
    for (uint32_t i = 0; pla->says_zero && i < pla->outputs; i++)
        if (!truth_init(&pla->zeros[i], pla->inputs, false))
            return error_memory(error);
    TRY(take_names(pla, &pla->input_names, ".ilb", f->input_names, f->inputs, error));
    TRY(take_names(pla, &pla->output_names, ".ob", f->output_names, f->outputs, error));
    TRY(refuse_twins(pla, &pla->input_names, f->input_names, f->inputs, error));
    return refuse_twins(pla, &pla->output_names, f->output_names, f->outputs, error);
}

// Reads the next character of a cube, which must be one of `letters`.
static tlu_status next_letter(struct pla *pla, const char *letters, const char *what, uint32_t i,
                              uint32_t count, char *letter, tlu_error *error)
{
    char shown[16];
    skip_blanks(pla);
    if (pla->at == pla->end)
        return FAIL(pla, pla->at, "the cube has %u %ss, expected %u", i, what, count);
    if (*pla->at == '\0' || !strchr(letters, *pla->at))
        return FAIL(pla, pla->at, "expected one of %s for an %s, found '%s'", letters, what,
                    error_quote(shown, sizeof shown, pla->at, 1));
    *letter = *pla->at++;
    return TLU_OK;
}

static tlu_status read_cube(struct pla *pla, struct cube *cube, tlu_error *error)
{
    char letter;
    *cube = (struct cube){.line = pla->line};
    for (uint32_t i = 0; i < pla->inputs; i++) {
        uint32_t bit = (uint32_t)1 << (pla->inputs - 1 - i);
        TRY(next_letter(pla, "01-2", "input", i, pla->inputs, &letter, error));
        if (letter == '0' || letter == '1')
            cube->care |= bit;
        if (letter == '1')
            cube->bits |= bit;
    }
    skip_blanks(pla);
    cube->outputs = pla->at;
    for (uint32_t i = 0; i < pla->outputs; i++)
        TRY(next_letter(pla, "01-~432", "output", i, pla->outputs, &letter, error));
    skip_blanks(pla);
    if (pla->at == pla->end)
        return TLU_OK;
    return FAIL(pla, pla->at, "the cube has more than %u inputs and %u outputs", pla->inputs,
                pla->outputs);
}

// The value that a character declares: '1', '0', '-', or '~' for none.
static char meaning(const struct pla *pla, char letter)
{
    if (letter == '1' || letter == '4')
        return '1';
    if (letter == '0' || letter == '3')
        return pla->says_zero ? '0' : '~';
    return letter != '~' && pla->says_open ? '-' : '~';
}

// The next output value of a cube.
static char next_output(const struct pla *pla, const char **at)
{
    while (is_blank(**at))
        ++*at;
    return meaning(pla, *(*at)++);
}

// The rows of a cube within a word, as bits.
static uint64_t rows_in_word(const struct cube *cube, size_t rows)
{
    uint64_t mask = 0;
    for (unsigned row = 0; row < 64 && row < rows; row++)
        if (((row ^ cube->bits) & cube->care & 63) == 0)
            mask |= (uint64_t)1 << row;
    return mask;
}

// Sets the rows of a cube. Returns a row that is set in `against`, or the number of rows.
static size_t set_rows(const struct cube *cube, unsigned inputs, uint64_t *words,
                       const uint64_t *against)
{
    size_t rows = (size_t)1 << inputs, count = (rows + 63) / 64;
    size_t care = cube->care >> 6, free_bits = (count - 1) & ~care, word = 0;
    uint64_t mask = rows_in_word(cube, rows);
    do { // all subsets of the free bits
        size_t w = word | (cube->bits >> 6);
        if (against && (against[w] & mask)) {
            size_t bit = 0;
            while (!((against[w] & mask) >> bit & 1))
                bit++;
            return w * 64 + bit;
        }
        words[w] |= mask;
        word = (word - free_bits) & free_bits;
    } while (word != 0);
    return rows;
}

// The line of the first cube that declares `what` for an output in a row.
static uint64_t line_of(const struct pla *pla, uint32_t output, size_t row, char what)
{
    for (size_t i = 0; i < pla->cube_count; i++) {
        const struct cube *cube = &pla->cubes[i];
        const char *at = cube->outputs;
        char said = '~';
        if ((row ^ cube->bits) & cube->care)
            continue;
        for (uint32_t o = 0; o <= output; o++)
            said = next_output(pla, &at);
        if (said == what)
            return cube->line;
    }
    return 0;
}

static tlu_status contradiction(struct pla *pla, uint32_t output, size_t row, char said,
                                tlu_error *error)
{
    char bits[TRUTH_INPUTS_MAX + 1] = "", shown[64];
    const char *name = pla->function->output_names[output];
    for (unsigned i = 0; i < pla->inputs; i++)
        bits[i] = truth_input(&pla->function->tables[output], row, i) ? '1' : '0';
    return FAIL(pla, pla->start, "output %s is %c here for the inputs %s, and %c in line %llu",
                error_quote(shown, sizeof shown, name, strlen(name)), said, bits,
                said == '1' ? '0' : '1',
                (unsigned long long)line_of(pla, output, row, said == '1' ? '0' : '1'));
}

static tlu_status take_cube(struct pla *pla, tlu_error *error)
{
    struct cube cube;
    if (!pla->function)
        TRY(begin_cubes(pla, error));
    TRY(read_cube(pla, &cube, error));
    const char *at = cube.outputs;
    for (uint32_t i = 0; i < pla->outputs; i++) {
        struct truth_table *table = &pla->function->tables[i];
        const uint64_t *ones = table->ones, *zeros = pla->zeros[i].ones;
        size_t row = truth_rows(table);
        char said = next_output(pla, &at);
        if (said == '1')
            row = set_rows(&cube, pla->inputs, table->ones, zeros);
        else if (said == '0')
            row = set_rows(&cube, pla->inputs, pla->zeros[i].ones, ones);
        else if (said == '-')
            set_rows(&cube, pla->inputs, table->open, NULL);
        if (row < truth_rows(table))
            return contradiction(pla, i, row, said, error);
    }
    TRY(enough_memory(
        memory_reserve(&pla->cubes, &pla->cube_capacity, pla->cube_count + 1, sizeof *pla->cubes),
        error));
    pla->cubes[pla->cube_count++] = cube;
    return TLU_OK;
}

// ---- the file

// Sets the don't-care rows.
static void finish_tables(struct pla *pla)
{
    for (uint32_t i = 0; i < pla->outputs; i++) {
        struct truth_table *table = &pla->function->tables[i];
        uint64_t all = truth_mask(table);
        for (size_t w = 0; table->open && w < truth_words(table); w++) {
            if (pla->rest_open)
                table->open[w] |= all & ~(table->ones[w] | pla->zeros[i].ones[w]);
            table->ones[w] &= ~table->open[w];
        }
    }
}

static tlu_status take_line(struct pla *pla, tlu_error *error)
{
    const char *comment = memchr(pla->at, '#', (size_t)(pla->end - pla->at));
    char shown[48];
    if (comment)
        pla->end = comment;
    skip_blanks(pla);
    if (pla->at == pla->end)
        return TLU_OK;
    if (pla->ended)
        return FAIL(pla, pla->at, "expected nothing after .e, found '%s'",
                    error_quote(shown, sizeof shown, pla->at, (size_t)(pla->end - pla->at)));
    return *pla->at == '.' ? take_key(pla, error) : take_cube(pla, error);
}

static tlu_status take_lines(struct pla *pla, const char *text, size_t size, tlu_error *error)
{
    const char *end = text + size;
    for (pla->line = 1; text < end; pla->line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        pla->start = pla->at = text;
        pla->end = newline ? newline : end;
        text = pla->end + (newline != NULL);
        TRY(take_line(pla, error));
    }
    if (!pla->function)
        TRY(begin_cubes(pla, error));
    if (pla->cubes_line && pla->cubes_said != pla->cube_count)
        return error_at(error, pla->file, pla->cubes_line, 1,
                        ".p says that there are %llu cubes, found %zu",
                        (unsigned long long)pla->cubes_said, pla->cube_count);
    finish_tables(pla);
    return TLU_OK;
}

static void pla_free(struct pla *pla)
{
    for (uint32_t i = 0; pla->zeros && i < pla->outputs; i++)
        truth_free(&pla->zeros[i]);
    memory_free(pla->zeros);
    memory_free(pla->cubes);
    memory_free(pla->input_names.text);
    memory_free(pla->output_names.text);
}

tlu_status function_read_pla(const char *file, const char *text, size_t size,
                             struct tlu_function **function, tlu_error *error)
{
    struct pla pla = {
        .file = file, .inputs = INPUTS_NONE, .outputs = INPUTS_NONE, .says_open = true};
    tlu_status status = take_lines(&pla, text, size, error);
    pla_free(&pla);
    if (status == TLU_OK)
        *function = pla.function;
    else
        tlu_function_free(pla.function);
    return status;
}

tlu_status tlu_function_from_pla(const char *path, tlu_function **function, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    unsigned char *bytes;
    size_t size;
    *function = NULL;
    TRY(file_read(path, BYTES_MAX, file_look_text, &bytes, &size, error));
    tlu_status status = function_read_pla(path, (const char *)bytes, size, function, error);
    memory_free(bytes);
    return status;
}
