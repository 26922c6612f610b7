// The table that `tlu inspect --weights` prints: a line for each weight, with class, feature and
// weight separated by tabs. \t, \n, \r and \\ stand for these characters. The feature (bias) is the
// bias.
#include "base/memory.h"
#include "model/import/given.h"
#include "numeric/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BIAS_NAME "(bias)"
#define FIELDS 3

struct table_reader {
    struct given *given;
    const char *name; // for messages
    uint64_t line;
    const char *line_start;
    char *scratch; // [size] a field without its escapes
    tlu_error *error;
};

static tlu_status fail_at(const struct table_reader *reader, const char *at, const char *what)
{
    return error_at(reader->error, reader->name, reader->line,
                    (uint64_t)(at - reader->line_start) + 1, "%s", what);
}

// Copies a field to the scratch without its escapes; returns its length.
static size_t unescape(const struct table_reader *reader, const char *field, size_t length)
{
    static const char letters[] = "tnr\\", means[] = "\t\n\r\\";
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = field[i] == '\\' && i + 1 < length && field[i + 1]
                                 ? strchr(letters, field[i + 1])
                                 : NULL;
        reader->scratch[n++] = letter ? means[letter - letters] : field[i];
        i += letter != NULL;
    }
    return n;
}

// Splits a line into its fields.
static tlu_status split(const struct table_reader *reader, const char *end,
                        const char *fields[FIELDS + 1])
{
    const char *at = reader->line_start;
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = at;
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab != (i == FIELDS - 1))
            return fail_at(reader, tab ? tab : end,
                           tab ? "expected the end of the line after the weight, found a tab; a "
                                 "line is CLASS, tab, FEATURE, tab, WEIGHT"
                               : "expected a tab, found the end of the line; a line is CLASS, tab, "
                                 "FEATURE, tab, WEIGHT, as tlu inspect --weights prints it");
        at = tab ? tab + 1 : end + 1;
    }
    fields[FIELDS] = end + 1;
    return TLU_OK;
}

static tlu_status read_weight(const struct table_reader *reader, const char *text, size_t length,
                              double *value)
{
    char shown[40];
    if (!number_whole(text, length, value))
        return error_at(reader->error, reader->name, reader->line,
                        (uint64_t)(text - reader->line_start) + 1,
                        "expected a weight, a finite number, found '%s'; write it as -0.5 or 1e-3",
                        error_quote(shown, sizeof shown, text, length));
    if (!(fabs(*value) <= GIVEN_WEIGHT_MAX))
        return fail_at(reader, text, "this weight is too large; give weights up to 1e100");
    return TLU_OK;
}

static tlu_status read_line(const struct table_reader *reader, const char *end)
{
    struct given *given = reader->given;
    const char *fields[FIELDS + 1] = {NULL};
    struct given_weight weight = {.feature = GIVEN_BIAS, .line = reader->line};
    const char *zero = memchr(reader->line_start, '\0', (size_t)(end - reader->line_start));
    if (zero)
        return fail_at(reader, zero, "expected text, found a NUL byte; give a table of weights");
    TRY(split(reader, end, fields));
    for (size_t i = 0; i < FIELDS - 1; i++)
        if (fields[i + 1] - fields[i] == 1)
            return fail_at(reader, fields[i],
                           i ? "the name of the feature is empty; write it, or (bias)"
                             : "the class is empty; write its label");
    size_t length = unescape(reader, fields[0], (size_t)(fields[1] - fields[0]) - 1);
    weight.class_index = schema_class_add(&given->labels, reader->scratch, length);
    length = unescape(reader, fields[1], (size_t)(fields[2] - fields[1]) - 1);
    if (length != strlen(BIAS_NAME) || memcmp(reader->scratch, BIAS_NAME, length) != 0) {
        weight.feature = table_add(&given->features, reader->scratch, length);
        TRY(enough_memory(weight.feature != TABLE_NONE, reader->error));
    }
    TRY(enough_memory(weight.class_index != SCHEMA_NONE, reader->error));
    TRY(read_weight(reader, fields[2], (size_t)(fields[3] - fields[2]) - 1, &weight.value));
    return enough_memory(given_add(given, &weight), reader->error);
}

static int by_place(const void *left, const void *right)
{
    const struct given_weight *a = left, *b = right;
    if (a->class_index != b->class_index)
        return a->class_index < b->class_index ? -1 : 1;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

// Two lines of the same class and feature are an error.
static tlu_status check_twins(const struct given *given, const char *name, tlu_error *error)
{
    struct given_weight *sorted = memory_copy(given->weights, given->count, sizeof *sorted);
    const struct given_weight *twin = NULL;
    uint64_t first = 0;
    TRY(enough_memory(sorted, error));
    if (given->count)
        qsort(sorted, given->count, sizeof *sorted, by_place);
    for (size_t i = 1; i < given->count; i++)
        if (sorted[i].class_index == sorted[i - 1].class_index &&
            sorted[i].feature == sorted[i - 1].feature && (!twin || sorted[i].line < twin->line)) {
            twin = &sorted[i];
            first = sorted[i - 1].line;
        }
    tlu_status status = TLU_OK;
    if (twin)
        status = error_at(error, name, twin->line, 1,
                          "line %llu has a weight for the same class and feature; remove one",
                          (unsigned long long)first);
    memory_free(sorted);
    return status;
}

static tlu_status read_lines(struct table_reader *reader, const char *bytes, size_t size)
{
    const char *at = bytes, *limit = bytes + size;
    while (at < limit) {
        const char *end = memchr(at, '\n', (size_t)(limit - at));
        const char *next = end ? end + 1 : limit;
        end = end ? end : limit;
        end -= end > at && end[-1] == '\r';
        reader->line++;
        reader->line_start = at;
        if (end > at)
            TRY(read_line(reader, end));
        at = next;
    }
    return TLU_OK;
}

tlu_status weights_table_parse(struct given *given, const char *bytes, size_t size,
                               const char *name, tlu_error *error)
{
    struct table_reader reader = {
        .given = given, .name = name, .scratch = memory_new(size + 1, 1), .error = error};
    tlu_status status = enough_memory(reader.scratch, error);
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // byte order
    if (status == TLU_OK)
        status = read_lines(&reader, bytes + mark, size - mark);
    memory_free(reader.scratch);
    TRY(status);
    if (given->features.count == 0)
        return error_at(error, name, 0, 0,
                        "the table has no weight of a feature; a line is CLASS, tab, FEATURE, tab, "
                        "WEIGHT, as tlu inspect --weights prints it");
    return check_twins(given, name, error);
}
