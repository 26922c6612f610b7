#include "format/named.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PLACES_LEAST 1024

enum parse_result named_expected(struct named_row *row, const char *where, const char *stop,
                                 const char *what)
{
    char found[64];
    if (stop > where)
        return bad_row_set(row->bad, named_column(row, where), "expected %s, found '%s'", what,
                           error_quote(found, sizeof found, where, (size_t)(stop - where)));
    return bad_row_set(row->bad, named_column(row, where), "expected %s, found %s", what,
                       where == row->end  ? "the end of the line"
                       : is_blank(*where) ? "a blank"
                                          : error_quote(found, sizeof found, where, 1));
}

bool named_scratch(struct named_row *row, size_t size)
{
    struct batch *batch = row->batch;
    return size <= batch->scratch.text_capacity ||
           memory_reserve(&batch->scratch.text, &batch->scratch.text_capacity, size, 1);
}

// ---- features ----

// The feature's number among those that can be in a row: BATCH_LOCAL is not in it.
static bool reserve_place(struct batch *batch, uint32_t number)
{
    size_t old = batch->scratch.places_capacity;
    if (number < old)
        return true;
    size_t needed = (size_t)number + 1 > PLACES_LEAST ? (size_t)number + 1 : PLACES_LEAST;
    if (!memory_reserve(&batch->scratch.places, &batch->scratch.places_capacity, needed,
                        sizeof *batch->scratch.places))
        return false;
    memset(batch->scratch.places + old, 0,
           (batch->scratch.places_capacity - old) * sizeof *batch->scratch.places);
    return true;
}

static bool reserve_entry(struct batch *batch, size_t count)
{
    if (count < batch->memory.indices_capacity && count < batch->memory.values_capacity)
        return true;
    return count < UINT32_MAX - 1 && // offsets are 32 bits wide
           memory_reserve(&batch->indices, &batch->memory.indices_capacity, count + 1,
                          sizeof *batch->indices) &&
           memory_reserve(&batch->values, &batch->memory.values_capacity, count + 1,
                          sizeof *batch->values);
}

enum parse_result named_add(struct named_row *row, const char *name, size_t length, float value)
{
    struct batch *batch = row->batch;
    const struct schema *schema = row->parser->schema;
    if (value == 0)
        return PARSE_OK;
    if (length == 0)
        return bad_row_set(row->bad, named_column(row, row->cursor), "a feature without a name");
    uint32_t number, feature;
    if (schema_looks_up(schema)) {
        number = feature = table_find(&schema->names, name, length); // nothing else is numbered
        if (number == TABLE_NONE) {
            row->lost = true;
            return PARSE_OK;
        }
    } else {
        number = table_add(&batch->names, name, length);
        if (number >= BATCH_LOCAL)
            return PARSE_MEMORY;
        feature = number | BATCH_LOCAL;
    }
    if (!reserve_place(batch, number) || !reserve_entry(batch, row->count))
        return PARSE_MEMORY;
    // What is in places[] may be of an earlier row or batch; the entry there tells.
    uint32_t place = batch->scratch.places[number];
    if (place >= row->start && place < row->count && batch->indices[place] == feature) {
        value += batch->values[place];
        if (isinf(value)) {
            char quoted[64];
            return bad_row_set(row->bad, named_column(row, row->cursor),
                               "the values of '%s' add up to more than 3.4e38",
                               error_quote(quoted, sizeof quoted, name, length));
        }
        row->repeated = true;
    } else {
        place = batch->scratch.places[number] = (uint32_t)row->count++;
        batch->indices[place] = feature;
    }
    batch->values[place] = value;
    batch->ones &= value == 1;
    return PARSE_OK;
}

// Takes out what has added up to 0.
static void drop_zeros(struct named_row *row)
{
    struct batch *batch = row->batch;
    size_t kept = row->start;
    for (size_t k = row->start; k < row->count; k++) {
        if (batch->values[k] == 0)
            continue;
        batch->indices[kept] = batch->indices[k];
        batch->values[kept++] = batch->values[k];
    }
    row->count = kept;
}

// ---- lines ----

static enum parse_result parse_line(struct named_row *row, named_function *parse_row)
{
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, 0))
        return PARSE_MEMORY;
    row->start = row->count = batch_nonzeros(batch);
    row->lost = row->repeated = false;
    // In the middle of a line U+FEFF is a character of the text.
    if (row->end - row->line >= 3 && byte_order_mark(row->line, 3))
        return bad_row_marked(row->bad, 1);
    enum parse_result result = parse_row(row);
    if (result != PARSE_OK)
        return result;
    if (row->repeated)
        drop_zeros(row);
    batch->counts.unknown_rows += row->lost && row->count == row->start;
    row_close(batch, row->count, batch->place.lines);
    return PARSE_OK;
}

enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row)
{
    const char *limit = bytes + size;
    struct named_row row = {.parser = parser, .batch = batch, .bad = bad};
    for (const char *line = bytes, *next; line < limit; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        next = newline ? newline + 1 : limit;
        row.line = row.cursor = line;
        row.end = newline ? newline : limit;
        if (row.end > line && row.end[-1] == '\r')
            row.end--;
        batch->place.lines++;
        while (row.cursor < row.end && is_blank(*row.cursor))
            row.cursor++;
        if (row.cursor == row.end)
            continue;
        row.cursor = line;
        struct row_mark mark = row_mark(batch);
        enum parse_result result = parse_line(&row, parse_row);
        if (result == PARSE_BAD && parser->skip_bad) {
            row_undo(batch, &mark);
            batch->counts.skipped_rows++;
        } else if (result != PARSE_OK) {
            bad->line = batch->place.lines;
            return result;
        }
    }
    return PARSE_OK;
}
