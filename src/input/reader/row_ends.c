#include "input/reader/internal.h"

#include "input/csv/fields.h"

#include <string.h>

size_t rows_complete(const struct row_rule *rule, const char *bytes, size_t size)
{
    if (rule->delimiter)
        return csv_complete(bytes, size, rule->delimiter);
    const char *newline = size ? memrchr(bytes, '\n', size) : NULL;
    return newline ? (size_t)(newline - bytes) + 1 : 0;
}

static size_t overlong_csv(const struct row_rule *rule, const char *bytes, size_t size)
{
    struct csv_cursor cursor = csv_start(bytes, size, rule->delimiter);
    cursor.bare = true; // and so without memory of its own
    while (csv_next_row(&cursor)) {
        const char *row = cursor.row_start;
        csv_skip_row(&cursor);
        if ((size_t)(cursor.at - row) > rule->longest + 1)
            return (size_t)(row - bytes);
    }
    return size;
}

static size_t overlong_line(const struct row_rule *rule, const char *bytes, size_t size)
{
    const char *line = bytes, *limit = bytes + size;
    while (line < limit) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        if ((size_t)((newline ? newline : limit) - line) > rule->longest)
            return (size_t)(line - bytes);
        line = newline ? newline + 1 : limit;
    }
    return size;
}

size_t rows_overlong(const struct row_rule *rule, const char *bytes, size_t size)
{
    if (size <= rule->longest)
        return size;
    size_t whole = rows_complete(rule, bytes, size);
    size_t place =
        rule->delimiter ? overlong_csv(rule, bytes, whole) : overlong_line(rule, bytes, whole);
    return place == whole && size - whole <= rule->longest ? size : place;
}

enum parse_result row_too_long(const struct row_rule *rule, uint64_t line, struct bad_row *bad)
{
    bad->line = line;
    return bad_row_set(bad, 0, TOO_LONG, rule->longest, rule->delimiter ? TOO_LONG_CSV : "");
}

enum parse_result reader_parse_rows(const struct reader *reader, const char *bytes, size_t size,
                                    struct batch *batch, struct bad_row *bad)
{
    const struct row_rule *rule = &reader->chunks.rule;
    size_t place = rows_overlong(rule, bytes, size);
    enum parse_result result = reader->parse(&reader->parser, bytes, place, batch, bad);
    if (result != PARSE_OK || place == size)
        return result;
    return row_too_long(rule, batch->place.lines + 1, bad);
}

// After the row that starts at `row`, a line that is not empty.
static const char *row_end(const struct row_rule *rule, const char *row, const char *limit)
{
    const char *newline = memchr(row, '\n', (size_t)(limit - row));
    if (!rule->delimiter)
        return newline ? newline : limit;
    struct csv_cursor cursor = csv_start(row, (size_t)(limit - row), rule->delimiter);
    cursor.bare = true; // and so without memory of its own
    if (!csv_next_row(&cursor))
        return newline ? newline : limit;
    csv_skip_row(&cursor);
    return cursor.at;
}

const char *reader_row_text(const struct reader *reader, const struct batch *batch,
                            struct row_text *last, size_t row, size_t *length)
{
    const char *limit = batch->scratch.source + batch->scratch.source_size;
    if (batch->scratch.source_size == 0)
        return NULL;
    if (last->number == 0)
        *last = (struct row_text){batch->scratch.source, 1};
    for (; last->number < batch->line[row]; last->number++) {
        const char *newline = memchr(last->line, '\n', (size_t)(limit - last->line));
        if (!newline)
            return NULL;
        last->line = newline + 1;
    }
    const char *end = row_end(&reader->chunks.rule, last->line, limit);
    while (end > last->line && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - last->line);
    return last->line;
}
