#include "live/opening.h"

#include "base/memory.h"
#include "data/csv.h"
#include "data/recognise.h"

#include <stdio.h>
#include <string.h>

#define LINES_MOST 200

// What there is to go by.
struct opening {
    const tlu_options *options;
    const struct schema *schema;
};

// Not blank, and no comment (of formats other than text).
static bool is_row(const struct opening *o, const char *line, const char *end)
{
    bool text = options_choice(o->options, OPTION_FORMAT) >= FORMAT_VW ||
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
    enum data_format format = DATA_LIBSVM;
    int choice = options_choice(o->options, OPTION_FORMAT);
    *known = true;
    if (choice != FORMAT_AUTO)
        return choice == FORMAT_CSV || choice == FORMAT_TSV;
    if (schema_is_settled(o->schema))
        return o->schema->format == DATA_CSV;
    *known = recognise_format(bytes, size, &format);
    return format == DATA_CSV;
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
        if (lines == LINES_MOST || rows == (settled || header == HEADER_NO ? 1 : 2))
            return next;
    }
    return end && lines ? size : 0;
}

// ---- the record: the mark, 0, NAME 0 VALUE 0 for each option that was set, 0, and the lines ----

static bool is_kept(const tlu_options *options, enum option option)
{
    return options_is_set(options, option) && !option_is_technical(option);
}

#define MARK "%020llu %08x"
#define MARK_SIZE (20 + 1 + 8 + 1)

void opening_set_mark(char *packed, struct opening_mark mark)
{
    snprintf(packed, MARK_SIZE, MARK, (unsigned long long)mark.learned, mark.state);
}

char *opening_pack(const tlu_options *options, const char *lines, size_t size, size_t *packed_size)
{
    size_t total = MARK_SIZE + 1 + size;
    for (size_t i = 0; i < tlu_option_count(); i++)
        if (is_kept(options, (enum option)i))
            total += strlen(tlu_option_at(i)->name) + 1 +
                     strlen(options_text(options, (enum option)i)) + 1;
    char *packed = memory_new(total, 1), *at = packed + MARK_SIZE;
    if (!packed)
        return NULL;
    opening_set_mark(packed, (struct opening_mark){0});
    for (size_t i = 0; i < tlu_option_count(); i++)
        if (is_kept(options, (enum option)i)) {
            at = stpcpy(at, tlu_option_at(i)->name) + 1;
            at = stpcpy(at, options_text(options, (enum option)i)) + 1;
        }
    memcpy(at + 1, lines, size);
    *packed_size = total;
    return packed;
}

// The text at *at, which moves behind it; NULL where it has no end.
static const char *next_text(const char **at, const char *limit)
{
    const char *text = *at, *end = memchr(text, '\0', (size_t)(limit - text));
    *at = end ? end + 1 : limit;
    return end ? text : NULL;
}

tlu_status opening_unpack(const char *packed, size_t packed_size, struct opening_mark *mark,
                          tlu_options **options, const char **lines, size_t *size, tlu_error *error)
{
    const char *at = packed, *limit = packed + packed_size, *name = NULL, *value = "";
    const char *about = next_text(&at, limit);
    unsigned long long learned;
    bool marked = about && sscanf(about, "%20llu %8x", &learned, &mark->state) == 2;
    tlu_options *found = tlu_options_new();
    tlu_status status = found ? TLU_OK : error_memory(error);
    mark->learned = marked ? learned : 0;
    while (status == TLU_OK && marked && (name = next_text(&at, limit)) && *name &&
           (value = next_text(&at, limit)))
        status = tlu_options_set(found, name, value, error);
    if (status == TLU_OK && (!marked || !name || !value))
        status = error_input(error, "the journal does not say what its rows are");
    *lines = at;
    *size = (size_t)(limit - at);
    *options = found;
    if (status != TLU_OK) {
        tlu_options_free(found);
        *options = NULL;
    }
    return status;
}
