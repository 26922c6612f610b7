#include "format/named.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PLACES_SHIFT (64 - 9) // a row begins with 2^9 places

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
    size += TABLE_INLINE;
    return size <= batch->scratch.text_capacity ||
           memory_reserve(&batch->scratch.text, &batch->scratch.text_capacity, size, 1);
}

// ---- features ----

static bool reserve_entry(struct named_row *row)
{
    struct batch *batch = row->batch;
    struct batch_memory *memory = &batch->memory;
    size_t count = (size_t)row->count + 1;
    if (count >= UINT32_MAX || // offsets are 32 bits wide
        !memory_reserve(&batch->indices, &memory->indices_capacity, count,
                        sizeof *batch->indices) ||
        !memory_reserve(&batch->values, &memory->values_capacity, count, sizeof *batch->values))
        return false;
    size_t room = memory->indices_capacity < memory->values_capacity ? memory->indices_capacity
                                                                     : memory->values_capacity;
    row->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX - 1;
    return true;
}

// Where a feature is among the entries of a row: batch->scratch.places is a hash table, small
// enough for the fastest cache. A place that is not one of this row is free: those of the rows
// before are lower.
static uint32_t *place_of(const struct named_row *row, uint32_t feature)
{
    const struct batch *batch = row->batch;
    uint32_t *places = batch->scratch.places;
    size_t mask = (size_t)(UINT64_MAX >> row->shift);
    size_t at = (size_t)(feature * batch->names.key[1] >> row->shift);
    while (places[at] - row->start < row->count - row->start &&
           batch->indices[places[at]] != feature)
        at = (at + 1) & mask;
    return &places[at];
}

// All free; false: out of memory.
static bool clear_places(struct named_row *row, unsigned shift)
{
    struct batch_scratch *scratch = &row->batch->scratch;
    size_t count = (size_t)1 << (64 - shift);
    if (!memory_reserve(&scratch->places, &scratch->places_capacity, count,
                        sizeof *scratch->places))
        return false;
    memset(scratch->places, 0xFF, count * sizeof *scratch->places);
    row->shift = shift;
    return true;
}

static bool add_places(struct named_row *row)
{
    if (!clear_places(row, row->shift - 2))
        return false;
    for (uint32_t k = row->start; k < row->count; k++)
        *place_of(row, row->batch->indices[k]) = k;
    return true;
}

static bool is_there(const struct named_row *row, uint32_t place)
{
    return place - row->start < row->count - row->start;
}

static enum parse_result too_large(struct named_row *row, const struct waiting_name *name)
{
    uint64_t words[] = {name->key.low, name->key.high};
    size_t length = table_key_length(&name->key);
    const char *text = length <= TABLE_INLINE ? (const char *)words : name->key.text;
    char quoted[64];
    return bad_row_set(row->bad, named_column(row, name->cursor),
                       "the values of '%s' add up to more than 3.4e38",
                       error_quote(quoted, sizeof quoted, text, length));
}

static enum parse_result store(struct named_row *row, const struct waiting_name *name,
                               uint32_t feature)
{
    struct batch *batch = row->batch;
    if (row->count >= row->room && !reserve_entry(row))
        return PARSE_MEMORY;
    uint32_t *place = place_of(row, feature);
    float value = name->value;
    if (is_there(row, *place)) {
        value += batch->values[*place];
        if (isinf(value))
            return too_large(row, name);
        row->repeated = true;
    } else {
        *place = row->count++;
        batch->indices[*place] = feature;
    }
    batch->values[*place] = value;
    batch->ones &= value == 1;
    bool crowded = row->count - row->start > UINT64_MAX >> row->shift >> 1;
    return !crowded || add_places(row) ? PARSE_OK : PARSE_MEMORY;
}

static enum parse_result settle(struct named_row *row, const struct waiting_name *name)
{
    uint32_t number = row->known ? table_find_key(row->known, &name->key) : TABLE_NONE;
    if (number >= row->known_count) // one that was added since may be in the row without its number
        number = TABLE_NONE;
    if (number == TABLE_NONE && schema_looks_up(row->parser->schema)) {
        row->lost = true;
        return PARSE_OK;
    }
    if (number == TABLE_NONE) {
        number = table_add_key(&row->batch->names, &name->key);
        if (number >= BATCH_LOCAL)
            return PARSE_MEMORY;
        number |= BATCH_LOCAL;
    }
    return store(row, name, number);
}

enum parse_result named_settle(struct named_row *row)
{
    struct named_waiting *waiting = &row->waiting;
    enum parse_result result = settle(row, &waiting->names[waiting->first % NAMED_WAITING]);
    waiting->first = result == PARSE_OK ? waiting->first + 1 : waiting->next;
    return result;
}

enum parse_result named_settle_all(struct named_row *row)
{
    enum parse_result result = PARSE_OK;
    while (result == PARSE_OK && row->waiting.first != row->waiting.next)
        result = named_settle(row);
    return result;
}

enum parse_result named_add_copy(struct named_row *row, const char *name, size_t length,
                                 float value)
{
    struct named_waiting *waiting = &row->waiting;
    if (length <= TABLE_INLINE)
        return named_add(row, name, length, value);
    if (length > NAMED_COPIED) {
        TRY_PARSE(named_add(row, name, length, value));
        return named_settle_all(row);
    }
    if (waiting->next - waiting->first == NAMED_WAITING)
        TRY_PARSE(named_settle(row));
    char *copy = waiting->texts[waiting->next % NAMED_WAITING];
    memcpy(copy, name, length);
    return named_add(row, copy, length, value);
}

enum parse_result named_nameless(struct named_row *row)
{
    return bad_row_set(row->bad, named_column(row, row->cursor), "a feature without a name");
}

// Takes out what has added up to 0. Their places are not those of the rows before.
static bool drop_zeros(struct named_row *row)
{
    struct batch *batch = row->batch;
    uint32_t kept = row->start;
    for (uint32_t k = row->start; k < row->count; k++) {
        if (batch->values[k] == 0)
            continue;
        batch->indices[kept] = batch->indices[k];
        batch->values[kept++] = batch->values[k];
    }
    bool dropped = kept < row->count;
    row->count = kept;
    return !dropped || clear_places(row, PLACES_SHIFT);
}

// ---- lines ----

static enum parse_result parse_line(struct named_row *row, named_function *parse_row)
{
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, 0))
        return PARSE_MEMORY;
    row->start = row->count = (uint32_t)batch_nonzeros(batch);
    row->shift = PLACES_SHIFT;
    row->waiting.first = row->waiting.next;
    row->lost = row->repeated = false;
    row->known_count = row->known ? table_count(row->known) : 0;
    // In the middle of a line U+FEFF is a character of the text.
    if (row->end - row->line >= 3 && byte_order_mark(row->line, 3))
        return bad_row_marked(row->bad, 1);
    enum parse_result result = parse_row(row);
    if (result == PARSE_MEMORY)
        return result;
    TRY_PARSE(named_settle_all(row)); // what is wrong with these came before
    if (result != PARSE_OK)
        return result;
    if (row->repeated && !drop_zeros(row))
        return PARSE_MEMORY;
    batch->counts.unknown_rows += row->lost && row->count == row->start;
    row_close(batch, row->count, batch->place.lines);
    return PARSE_OK;
}

// The batch's names and those of the schema are found by the same key.
static bool begin(struct named_row *row)
{
    struct table *names = &row->batch->names;
    const struct table *known = &row->parser->schema->names;
    if (names->count == 0)
        table_adopt_key(names, known);
    table_draw_key(names);
    bool asked = schema_looks_up(row->parser->schema) || row->parser->lasting;
    row->known = asked && table_same_key(names, known) ? known : NULL;
    return clear_places(row, PLACES_SHIFT);
}

enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row)
{
    const char *limit = bytes + size;
    struct named_row row = {.parser = parser, .batch = batch, .bad = bad, .limit = limit};
    if (!begin(&row))
        return PARSE_MEMORY;
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
            if (!clear_places(&row, PLACES_SHIFT))
                return PARSE_MEMORY;
            batch->counts.skipped_rows++;
        } else if (result != PARSE_OK) {
            bad->line = batch->place.lines;
            return result;
        }
    }
    return PARSE_OK;
}
