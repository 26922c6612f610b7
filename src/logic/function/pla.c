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
#include "base/table.h"
#include "logic/append.h"
#include "logic/function/function.h"
#include "logic/lines.h"
#include "tlu_logic.h"

#include <string.h>

#define BYTES_MAX ((size_t)1 << 30)
#define CELLS_MAX (1U << 28) // rows of all tables together
#define WIDTH_NONE UINT64_MAX

struct cube {
    uint32_t care, bits; // the inputs that it fixes, and their values
    uint64_t line;
    const char *outputs; // in the text, possibly with blanks
};

struct pla_names {
    struct table names;
    uint64_t line; // 0: not said
};

struct pla {
    struct line_reader lines;
    uint64_t inputs, outputs;             // WIDTH_NONE: not said yet
    bool says_zero, says_open, rest_open; // what .type makes of 0, - and rows without a cube
    uint64_t cubes_said, cubes_line;
    bool ended;
    struct tlu_function *function; // NULL before the first cube
    struct truth_table *zeros;     // [outputs] rows that a cube calls 0
    struct cube *cubes;
    size_t cube_count, cube_capacity;
    struct pla_names input_names, output_names;
};

// ---- directives

static tlu_status read_width(struct pla *pla, uint64_t most, uint64_t *width)
{
    if (*width != WIDTH_NONE)
        return line_error(&pla->lines, 0, "%.2s comes twice; remove one", pla->lines.words[0].text);
    return line_number(&pla->lines, 1, most, width);
}

static tlu_status read_type(struct pla *pla)
{
    char shown[48];
    static const char *const types[] = {"f", "fd", "fr", "fdr"};
    for (size_t i = 0; i < 4; i++)
        if (line_has(&pla->lines, 1, types[i])) {
            pla->says_open = i & 1;
            pla->says_zero = pla->rest_open = i >> 1 & 1;
            return line_ends(&pla->lines, 2);
        }
    struct line_word word = {pla->lines.stop, 0};
    if (pla->lines.count > 1)
        word = pla->lines.words[1];
    return line_error_at(&pla->lines, word.text, "expected .type f, fd, fr or fdr, found '%s'",
                         error_quote(shown, sizeof shown, word.text, word.length));
}

static tlu_status read_names(struct pla *pla, struct pla_names *list)
{
    const struct line_reader *lines = &pla->lines;
    char shown[64];
    table_clear(&list->names);
    list->line = lines->line;
    for (size_t i = 1; i < lines->count; i++) {
        struct line_word word = lines->words[i];
        uint32_t number = table_add(&list->names, word.text, word.length);
        TRY(enough_memory(number != TABLE_NONE, lines->error));
        if (number != i - 1)
            return error_at(lines->error, lines->name, lines->line, 1,
                            "the name '%s' comes twice; change one",
                            error_quote(shown, sizeof shown, word.text, word.length));
    }
    return TLU_OK;
}

static tlu_status read_directive(struct pla *pla)
{
    const struct line_reader *lines = &pla->lines;
    char shown[48];
    error_quote(shown, sizeof shown, lines->words[0].text, lines->words[0].length);
    if (line_has(lines, 0, ".e") || line_has(lines, 0, ".end")) {
        pla->ended = true;
        return line_ends(lines, 1);
    }
    if (pla->function)
        return line_error(lines, 0, "'%s' comes after the first cube; expected it before", shown);
    if (line_has(lines, 0, ".i"))
        return read_width(pla, TRUTH_INPUTS_MAX, &pla->inputs);
    if (line_has(lines, 0, ".o"))
        return read_width(pla, FUNCTION_OUTPUTS_MAX, &pla->outputs);
    if (line_has(lines, 0, ".p")) {
        pla->cubes_line = lines->line;
        return line_number(lines, 0, UINT32_MAX, &pla->cubes_said);
    }
    if (line_has(lines, 0, ".type"))
        return read_type(pla);
    if (line_has(lines, 0, ".ilb") || line_has(lines, 0, ".lb"))
        return read_names(pla, &pla->input_names);
    if (line_has(lines, 0, ".ob"))
        return read_names(pla, &pla->output_names);
    return line_error(lines, 0, "'%s' is not known; expected .i .o .ilb .ob .p .type .e or a cube",
                      shown);
}

// ---- cubes

static tlu_status set_names(const struct pla *pla, const struct pla_names *list, const char *key,
                            char **names, size_t count)
{
    const struct line_reader *lines = &pla->lines;
    if (!list->line)
        return TLU_OK;
    if (list->names.count != count)
        return error_at(lines->error, lines->name, list->line, 1, "%s has %u %s, expected %zu", key,
                        list->names.count, list->names.count == 1 ? "name" : "names", count);
    return enough_memory(function_names(names, &list->names), lines->error);
}

// Called at the first cube: allocates the tables and sets the names.
static tlu_status begin_cubes(struct pla *pla)
{
    const struct line_reader *lines = &pla->lines;
    if (pla->inputs == WIDTH_NONE || pla->outputs == WIDTH_NONE)
        return line_error_at(lines, lines->start, "%s is missing before the cubes; add it",
                             pla->inputs == WIDTH_NONE ? ".i" : ".o");
    if (pla->outputs << pla->inputs > CELLS_MAX)
        return line_error_at(
            lines, lines->start, "%u outputs of %u inputs are too much: %u outputs are the most",
            (unsigned)pla->outputs, (unsigned)pla->inputs, CELLS_MAX >> pla->inputs);
    struct tlu_function *f = pla->function =
        function_new((unsigned)pla->inputs, (size_t)pla->outputs, pla->says_open || pla->rest_open);
    pla->zeros = memory_new(pla->outputs, sizeof *pla->zeros);
    bool enough = pla->function && pla->zeros;
    for (uint64_t i = 0; enough && pla->says_zero && i < pla->outputs; i++)
        enough = truth_init(&pla->zeros[i], f->inputs, false);
    TRY(enough_memory(enough, lines->error));
    TRY(set_names(pla, &pla->input_names, ".ilb", f->input_names, f->inputs));
    return set_names(pla, &pla->output_names, ".ob", f->output_names, f->outputs);
}

static const char *skip_blanks(const struct pla *pla, const char *at)
{
    while (at < pla->lines.stop && *at && strchr(pla->lines.blanks, *at))
        at++;
    return at;
}

// Reads character i of `count` of a cube, which must be one of `allowed`.
static tlu_status read_character(const struct pla *pla, const char **at, const char *allowed,
                                 const char *what, unsigned i, uint64_t count)
{
    char shown[16];
    *at = skip_blanks(pla, *at);
    if (*at == pla->lines.stop)
        return line_error_at(&pla->lines, *at, "the cube has %u %ss, expected %u", i, what,
                             (unsigned)count);
    if (**at == '\0' || !strchr(allowed, **at))
        return line_error_at(&pla->lines, *at, "expected one of %s for an %s, found '%s'", allowed,
                             what, error_quote(shown, sizeof shown, *at, 1));
    ++*at;
    return TLU_OK;
}

static tlu_status read_cube(const struct pla *pla, struct cube *cube)
{
    const char *at = pla->lines.words[0].text;
    *cube = (struct cube){.line = pla->lines.line};
    for (unsigned i = 0; i < pla->inputs; i++) {
        uint32_t bit = (uint32_t)1 << (pla->inputs - 1 - i);
        TRY(read_character(pla, &at, "01-2", "input", i, pla->inputs));
        cube->care |= at[-1] == '0' || at[-1] == '1' ? bit : 0;
        cube->bits |= at[-1] == '1' ? bit : 0;
    }
    cube->outputs = skip_blanks(pla, at);
    for (unsigned i = 0; i < pla->outputs; i++)
        TRY(read_character(pla, &at, "01-~432", "output", i, pla->outputs));
    at = skip_blanks(pla, at);
    if (at == pla->lines.stop)
        return TLU_OK;
    return line_error_at(&pla->lines, at, "the cube has more than %u inputs and %u outputs",
                         (unsigned)pla->inputs, (unsigned)pla->outputs);
}

// The value that a character declares: '1', '0', '-', or '~' for none.
static char meaning(const struct pla *pla, char character)
{
    if (character == '1' || character == '4')
        return '1';
    if (character == '0' || character == '3')
        return pla->says_zero ? '0' : '~';
    return character != '~' && pla->says_open ? '-' : '~';
}

// The next output value of a cube.
static char next_output(const struct pla *pla, const char **at)
{
    *at += strspn(*at, pla->lines.blanks);
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

static tlu_status contradiction(const struct pla *pla, uint32_t output, size_t row, char said)
{
    char bits[TRUTH_INPUTS_MAX + 1] = "", shown[64];
    const char *name = pla->function->output_names[output];
    for (unsigned i = 0; i < pla->inputs; i++)
        bits[i] = truth_input(&pla->function->tables[output], row, i) ? '1' : '0';
    return line_error_at(
        &pla->lines, pla->lines.start,
        "output %s is %c here for the inputs %s, and %c in line %llu; change one of them",
        error_quote(shown, sizeof shown, name, strlen(name)), said, bits, said == '1' ? '0' : '1',
        (unsigned long long)line_of(pla, output, row, said == '1' ? '0' : '1'));
}

static tlu_status add_cube(struct pla *pla)
{
    struct cube cube;
    if (!pla->function)
        TRY(begin_cubes(pla));
    TRY(read_cube(pla, &cube));
    const char *at = cube.outputs;
    for (uint32_t i = 0; i < pla->outputs; i++) {
        struct truth_table *table = &pla->function->tables[i];
        size_t row = truth_rows(table);
        char said = next_output(pla, &at);
        if (said == '1')
            row = set_rows(&cube, table->inputs, table->ones, pla->zeros[i].ones);
        else if (said == '0')
            row = set_rows(&cube, table->inputs, pla->zeros[i].ones, table->ones);
        else if (said == '-')
            set_rows(&cube, table->inputs, table->open, NULL);
        if (row < truth_rows(table))
            return contradiction(pla, i, row, said);
    }
    return enough_memory(APPEND(pla->cubes, pla->cube_count, pla->cube_capacity, cube),
                         pla->lines.error);
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

static tlu_status read_lines(struct pla *pla)
{
    struct line_reader *lines = &pla->lines;
    char shown[48];
    tlu_status status;
    while (line_next(lines, &status)) {
        const char *first = lines->words[0].text;
        if (pla->ended)
            return line_error(
                lines, 0, "expected nothing after .e, found '%s'",
                error_quote(shown, sizeof shown, first, (size_t)(lines->stop - first)));
        TRY(*first == '.' ? read_directive(pla) : add_cube(pla));
    }
    TRY(status);
    lines->line++; // the end of the file, in messages
    lines->start = lines->end;
    if (!pla->function)
        TRY(begin_cubes(pla));
    if (pla->cubes_line && pla->cubes_said != pla->cube_count)
        return error_at(lines->error, lines->name, pla->cubes_line, 1,
                        ".p says that there are %llu cubes, found %zu; correct it, or remove it",
                        (unsigned long long)pla->cubes_said, pla->cube_count);
    finish_tables(pla);
    return TLU_OK;
}

tlu_status function_read_pla(const char *file, const char *text, size_t size,
                             struct tlu_function **function, tlu_error *error)
{
    struct pla pla = {.lines = {.text = text,
                                .end = text + size,
                                .name = file,
                                .blanks = " \t|\r",
                                .error = error},
                      .inputs = WIDTH_NONE,
                      .outputs = WIDTH_NONE,
                      .says_open = true};
    tlu_status status = read_lines(&pla);
    for (uint64_t i = 0; pla.zeros && i < pla.outputs; i++)
        truth_free(&pla.zeros[i]);
    memory_free(pla.zeros);
    memory_free(pla.cubes);
    table_free(&pla.input_names.names);
    table_free(&pla.output_names.names);
    line_reader_free(&pla.lines);
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
    TRY(file_read(path, BYTES_MAX, file_check_text, &bytes, &size, error));
    tlu_status status = function_read_pla(path, (const char *)bytes, size, function, error);
    memory_free(bytes);
    return status;
}
