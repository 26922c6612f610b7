#include "stream/opening.h"

#include "input/csv/csv.h"

#include <string.h>

#define LINES_MAX 200

// What there is to go by.
struct opening {
    const tlu_options *options;
    const struct schema *schema;
};

// Not blank, and no comment (of formats other than text).
static bool is_row(const struct opening *o, const char *line, const char *end)
{
    enum data_format chosen;
    bool text = (format_chosen(o->options, &chosen) && format_is_named(chosen)) ||
                (schema_is_settled(o->schema) && schema_is_named(o->schema));
    if (!text && line < end && *line == '#' &&
        (line + 1 == end || line[1] == ' ' || line[1] == '\t' || line[1] == '\r'))
        return false;
    while (line < end && (*line == ' ' || *line == '\r'))
        line++;
    return line < end;
}

// Whether the lines that begin with the first row may be CSV; *known: they show what they are.
static bool is_csv(const struct opening *o, const char *bytes, size_t size, bool *known)
{
    enum data_format format;
    *known = true;
    if (format_chosen(o->options, &format))
        return format_has_columns(format);
    if (schema_is_settled(o->schema))
        return schema_is_csv(o->schema);
    *known = format_recognise(bytes, size, &format);
    return !*known || format_has_columns(format);
}

// The size of rows that are whole, as CSV.
static size_t csv_rows(const struct opening *o, const char *bytes, size_t size)
{
    char delimiter = '\0';
    csv_delimiter_option(o->options, &delimiter, NULL);
    if (!delimiter)
        delimiter = schema_is_settled(o->schema) ? csv_delimiter_for(o->schema, bytes, size)
                                                 : csv_delimiter(bytes, size);
    return csv_complete(bytes, size, delimiter ? delimiter : ',');
}

size_t opening_size(const tlu_options *options, const struct schema *schema, const char *bytes,
                    size_t size, bool end)
{
    const struct opening opening = {options, schema}, *o = &opening;
    bool settled = schema_is_settled(o->schema);
    int header = options_choice(o->options, OPTION_HEADER);
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t first = size, rows = 0, lines = 0; // where the first row is
    for (size_t at = mark, next; at < size; at = next) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        next = newline ? (size_t)(newline - bytes) + 1 : size;
        if (!newline && !end)
            return 0;
        if (!is_row(o, bytes + at, bytes + next - (newline != NULL)))
            continue;
        first = lines++ ? first : at;
        bool known, csv = is_csv(o, bytes + first, next - first, &known);
        if (!csv && known)
            return next;
        rows += csv && csv_rows(o, bytes + first, next - first) == next - first;
        if (lines == LINES_MAX || rows == (settled || header == HEADER_NO ? 1 : 2))
            return next;
    }
    return end && lines ? size : 0;
}
