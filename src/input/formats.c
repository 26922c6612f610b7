// The table of formats, and which of them a text looks like. Common formats that are not supported
// are recognised too, so that the message can say what to do.
#include "input/parse.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define ROW(number, id, name, also, title, features, words, turn, prefix, id_of, help, example)    \
    [DATA_##id] = {name,           also,                                                           \
                   title,          features,                                                       \
                   words,          turn,                                                           \
                   prefix##_parse, prefix##_recognise,                                             \
                   id_of,          {name also, help, example}},
const struct format format_table[DATA_FORMATS] = {FORMATS(ROW)};
#undef ROW

#define CHOICE(number, id, name, also, ...) "|" name also
const char format_choices[] = "auto" FORMATS(CHOICE);
#undef CHOICE

// A sum of distinct powers of two is their union.
#define NUMBER_BIT(number, ...) | UINT64_C(1) << (number)
#define TURN_BIT(number, id, name, also, title, features, words, turn, ...) | UINT64_C(1) << (turn)
#define TURN_SUM(number, id, name, also, title, features, words, turn, ...) +(UINT64_C(1) << (turn))
_Static_assert((0 FORMATS(NUMBER_BIT)) == (UINT64_C(1) << DATA_FORMATS) - 1,
               "formats are numbered from 0 without gaps, each once");
_Static_assert((0 FORMATS(TURN_BIT)) == (0 FORMATS(TURN_SUM)), "no two formats have the same turn");
_Static_assert((0 FORMATS(TURN_BIT)) < UINT64_C(1) << 32, "turns are below 32");

const tlu_format_info *tlu_format_at(size_t index)
{
    return index < DATA_FORMATS ? &format_table[index].info : NULL;
}

bool format_named(const char *name, enum data_format *format)
{
    for (size_t i = 0; i < DATA_FORMATS; i++)
        if (strcmp(format_table[i].name, name) == 0) {
            *format = (enum data_format)i;
            return true;
        }
    return false;
}

bool format_chosen(const tlu_options *options, enum data_format *format)
{
    const char *chosen = options_text(options, OPTION_FORMAT);
    for (size_t i = 0; i < DATA_FORMATS; i++)
        if (format_table[i].also[0] && strcmp(format_table[i].also + 1, chosen) == 0)
            chosen = format_table[i].name;
    return format_named(chosen, format);
}

bool format_recognise(const char *bytes, size_t size, enum data_format *format)
{
    for (unsigned turn = 0; turn < 32; turn++)
        for (size_t i = 0; i < DATA_FORMATS; i++)
            if (format_table[i].turn == turn && format_table[i].recognise(bytes, size)) {
                *format = (enum data_format)i;
                return true;
            }
    return false;
}

// ---- options ----

// The first option of the list with a value of its own, or NULL.
static const tlu_option_info *first_set(const tlu_options *options, const enum option *list,
                                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(options_text(options, list[i]), tlu_option_at(list[i])->value) != 0)
            return tlu_option_at(list[i]);
    return NULL;
}
#define FIRST_SET(list) first_set(options, list, sizeof(list) / sizeof((list)[0]))

static tlu_status refuse_option(const tlu_options *options, const tlu_option_info *info,
                                const char *what, enum data_format format, const char *file,
                                tlu_error *error)
{
    enum data_format chosen;
    if (!info)
        return TLU_OK;
    return error_at(
        error, file, 0, 0, "--%s is for %s, and this is %s%s", info->name, what,
        format_table[format].title,
        format_chosen(options, &chosen) ? "" : " by its looks; give --format if that is wrong");
}

// JSON objects that are not records; "label" and "text" are their names for these.
static tlu_status check_objects(const tlu_options *options, const enum option *table, size_t count,
                                const char *file, tlu_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const tlu_option_info *info = first_set(options, &table[i], 1);
        bool named = table[i] == OPTION_LABEL || table[i] == OPTION_TEXT;
        if (info && !(named && strcmp(options_text(options, table[i]), info->name) == 0))
            return error_at(error, file, 0, 0,
                            "--%s is for tables, and these JSON objects are not records; their "
                            "label is in \"label\", and their features are in \"text\" and "
                            "\"features\"",
                            info->name);
    }
    return TLU_OK;
}

tlu_status format_check_options(const tlu_options *options, const struct schema *schema,
                                const char *file, tlu_error *error)
{
    static const enum option csv[] = {OPTION_DELIMITER, OPTION_HEADER, OPTION_DECIMAL};
    static const enum option table[] = {OPTION_MISSING,     OPTION_LABEL,   OPTION_TEXT,
                                        OPTION_CATEGORICAL, OPTION_NUMERIC, OPTION_IGNORE};
    static const enum option words[] = {OPTION_NGRAMS,     OPTION_CHARS,     OPTION_LOWERCASE,
                                        OPTION_STOP_WORDS, OPTION_MIN_COUNT, OPTION_TFIDF};
    const enum data_format format = schema->format;
    bool words_apply = schema_has_texts(schema);
    if (!schema_is_csv(schema))
        TRY(refuse_option(options, FIRST_SET(csv), "CSV", format, file, error));
    const bool is_table = schema_is_table(schema);
    if (is_table && !words_apply && FIRST_SET(words))
        return error_at(error, file, 0, 0,
                        "--%s is for text, and no column holds texts: --text COLUMN names one",
                        FIRST_SET(words)->name);
    if (is_table)
        return TLU_OK;
    if (format == DATA_JSONL)
        return check_objects(options, table, sizeof table / sizeof table[0], file, error);
    TRY(refuse_option(options, FIRST_SET(table), "tables (CSV, JSON records)", format, file,
                      error));
    if (!words_apply)
        TRY(refuse_option(options, FIRST_SET(words), "text", format, file, error));
    return TLU_OK;
}

// ---- what recognisers share ----

bool most_lines(const char *bytes, size_t size, line_test *is_row, void *context)
{
    const char *limit = bytes + size;
    size_t lines = 0, rows = 0;
    for (const char *line = bytes, *next; line < limit && lines < SAMPLE_LINES; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        const char *end = newline ? newline : limit;
        next = newline ? newline + 1 : limit;
        while (end > line && (end[-1] == '\r' || end[-1] == ' '))
            end--;
        while (line < end && *line == ' ')
            line++;
        if (line == end)
            continue;
        lines++;
        rows += is_row(line, end, context);
    }
    return lines > 0 && rows >= lines - lines / 8;
}

// ---- formats that are not supported ----

static const struct {
    const char *start;
    size_t length;
    const char *sentence;
} starts[] = {
    {"\xFF\xFE", 2, "the text is UTF-16: save it as UTF-8"},
    {"\xFE\xFF", 2, "the text is UTF-16: save it as UTF-8"},
    {"\xFD"
     "7zXZ",
     5, "is packed by xz; unpack it first (xzcat FILE | tlu ... -)"},
    {"\x89TLU\r\n\x1A\n", 8,
     "is a tlu model, not data: predict, eval, explain, plot, inspect and stream take it as MODEL"},
    {"PK\x03\x04", 4, "is a zip file or a workbook (.xlsx); unpack it, or save the sheet as CSV"},
    {"\xD0\xCF\x11\xE0", 4, "is an old workbook (.xls); save the sheet as CSV"},
    {"PAR1\x15", 5, "is Parquet: save it as CSV"},
    {"\x93NUMPY", 6, "is an array of NumPy: save it as CSV with numpy.savetxt"},
};

// ARFF, Weka's format: comments with %, then @relation.
static bool is_arff(const char *bytes, size_t size)
{
    static const char word[] = "@relation";
    const char *at = bytes, *limit = bytes + size;
    while (at < limit && (*at == '%' || *at == '\n' || *at == '\r')) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at));
        at = newline ? newline + 1 : limit;
    }
    return (size_t)(limit - at) >= strlen(word) && strncasecmp(at, word, strlen(word)) == 0;
}

const char *foreign_format(const char *bytes, size_t size)
{
    if (size >= 10 && memcmp(bytes, "BZh", 3) == 0 && memcmp(bytes + 4, "1AY&SY", 6) == 0)
        return "is packed by bzip2; unpack it first (bzcat FILE | tlu ... -)";
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (size >= starts[i].length && memcmp(bytes, starts[i].start, starts[i].length) == 0)
            return starts[i].sentence;
    if (is_arff(bytes, size))
        return "is ARFF: remove the lines up to @data and it is CSV (the label last); "
               "--header "
               "no says that the columns then have no names";
    const char *end = memchr(bytes, '\r', size);
    if (end && end + 1 < bytes + size && end[1] != '\n' && !memchr(bytes, '\n', size))
        return "its lines end with a carriage return alone, as on old Macs: tr '\\r' '\\n' < FILE "
               "turns them into newlines";
    return NULL;
}
