// Rows of JSON that are not lines: objects one after the other, or those of an array.
#include "base/memory.h"
#include "input/json/json.h"
#include "input/json/objects.h"

#include <string.h>

// A place in a chunk, with its line.
struct json_place {
    const char *at;
    const char *line; // start
    uint64_t number;  // from 1
};

static void move_to(struct json_place *place, const char *to)
{
    const char *newline;
    while ((newline = memchr(place->at, '\n', (size_t)(to - place->at)))) {
        place->number++;
        place->at = place->line = newline + 1;
    }
    place->at = to;
}

static enum parse_result stray(struct named_row *row, struct json_place *place, const char *at,
                               const char *what)
{
    move_to(place, at);
    row->line = place->line;
    row->end = row->limit;
    row->bad->line = place->number;
    return named_expected(row, at, at + (at < row->limit), what);
}

// Turns the place of an error, which is counted from the start of the row, into line and column.
static void place_error(struct json_place *place, struct bad_row *bad)
{
    move_to(place, place->at + (bad->column ? bad->column - 1 : 0));
    bad->line = place->number;
    bad->column = (size_t)(place->at - place->line) + 1;
}

// The row at the place, up to its end. An object without an end is an error with --skip-bad, too,
// because it is not known which rows it hides.
static enum parse_result parse_object(struct named_row *row, struct json_place *place,
                                      const char *chunk)
{
    struct batch *batch = row->batch;
    struct batch_scratch *scratch = &batch->scratch;
    const struct parser *parser = row->parser;
    const char *end = json_object_end(place->at, row->limit);
    size_t rows = batch->rows;
    struct parser strict;
    if (!memory_reserve(&scratch->starts, &scratch->starts_capacity, rows + 1,
                        sizeof *scratch->starts))
        return PARSE_MEMORY;
    row->line = row->cursor = place->at;
    row->end = end ? end : row->limit;
    row->bad->start = scratch->starts[rows] = (uint32_t)(place->at - chunk);
    if (!end) {
        strict = *parser;
        strict.skip_bad = false;
        row->parser = &strict;
    }
    batch->place.lines = place->number;
    enum parse_result result = named_parse_row(row, json_parse_row);
    row->parser = parser;
    scratch->starts_count = batch->rows;
    if (result == PARSE_BAD)
        place_error(place, row->bad);
    else
        move_to(place, row->end);
    return result;
}

// What comes after an object of an array. *last: its end.
static enum parse_result parse_comma(struct named_row *row, struct json_place *place, bool *last)
{
    const char *limit = row->limit, *at = json_skip_space(place->at, limit);
    if (at == limit || (*at != ',' && *at != ']'))
        return stray(row, place, at, "',' or ']' after the object");
    *last = *at++ == ']';
    if (*last && (at = json_skip_space(at, limit)) < limit)
        return stray(row, place, at, "the end of the data after the array");
    move_to(place, at);
    return PARSE_OK;
}

static enum parse_result parse_objects(const struct parser *parser, const char *bytes, size_t size,
                                       struct batch *batch, struct bad_row *bad)
{
    const char *limit = bytes + size;
    struct json_place place = {bytes, bytes, 1};
    struct named_row row;
    bool array = parser->rows == JSON_ARRAY;
    if (!named_begin(&row, parser, batch, bad, limit, size))
        return PARSE_MEMORY;
    for (;;) {
        const char *at = json_skip_space(place.at, limit);
        bad->start = (size_t)(at - bytes);
        if (at == limit)
            break;
        if (*at != '{')
            return stray(&row, &place, at,
                         "an object such as {\"label\": \"spam\", \"length\": 7}");
        move_to(&place, at);
        struct row_mark mark = row_mark(batch);
        size_t rows = batch->rows;
        TRY_PARSE(parse_object(&row, &place, bytes));
        if (array && parse_comma(&row, &place, &batch->place.closed) != PARSE_OK) {
            batch->rows = batch->scratch.starts_count = rows; // the comma belongs to the row
            row_undo(batch, &mark);
            return PARSE_BAD;
        }
    }
    move_to(&place, limit);
    batch->place.lines = place.number - 1;
    batch->place.column = (uint64_t)(limit - place.line);
    return PARSE_OK;
}

enum parse_result jsonl_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad)
{
    if (parser->rows != JSON_LINES)
        return parse_objects(parser, bytes, size, batch, bad);
    return named_parse(parser, bytes, size, batch, bad, json_parse_row);
}
