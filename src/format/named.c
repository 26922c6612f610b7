#include "format/named.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PLACES_BITS 10 // a row begins with 2^10 places
#define PLACES_LEAST (1 << PLACES_BITS)
#define PLACES_SHIFT (64 - PLACES_BITS)

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

static bool reserve_entries(struct named_row *row, uint32_t more)
{
    struct batch *batch = row->batch;
    struct batch_memory *memory = &batch->memory;
    size_t count = (size_t)row->count + more;
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

// Where the features of a row are among the entries: batch->scratch.places is a hash table, small
// enough for the fastest cache. A place that is not one of this row is free, and those that the
// rows before have left are lower.
struct places {
    uint32_t *at; // [mask + 1]
    size_t mask;
    unsigned shift;
    uint64_t mix;
};

static struct places places_of(const struct named_row *row)
{
    return (struct places){row->batch->scratch.places, (size_t)(UINT64_MAX >> row->shift),
                           row->shift, row->batch->names.key[1]};
}

static inline bool is_there(uint32_t place, uint32_t start, uint32_t count)
{
    return place - start < count - start;
}

// The place of the feature, or a free one; the entries are those from start to count.
static inline uint32_t *place_of(const struct places *places, uint32_t feature,
                                 const uint32_t *indices, uint32_t start, uint32_t count)
{
    size_t at = (size_t)(feature * places->mix >> places->shift);
    while (is_there(places->at[at], start, count) && indices[places->at[at]] != feature)
        at = (at + 1) & places->mask;
    return &places->at[at];
}

// After a row that leaves places that are not lower than those of the next.
static void clear_places(struct named_row *row)
{
    memset(row->batch->scratch.places, 0xFF, sizeof(uint32_t) << (64 - row->shift));
}

// Room for more than there are, with places for twice as many. All are put there again: what was
// left from when there were fewer places would fill the first half.
static bool add_places(struct named_row *row, uint32_t more)
{
    struct batch_scratch *scratch = &row->batch->scratch;
    size_t old = scratch->places_capacity;
    while (2 * ((uint64_t)row->count - row->start + more) > UINT64_MAX >> row->shift)
        row->shift--;
    if (!memory_reserve(&scratch->places, &scratch->places_capacity, (size_t)1 << (64 - row->shift),
                        sizeof *scratch->places))
        return false;
    memset(scratch->places + old, 0xFF, (scratch->places_capacity - old) * sizeof *scratch->places);
    clear_places(row);
    struct places places = places_of(row);
    for (uint32_t k = row->start; k < row->count; k++)
        *place_of(&places, row->batch->indices[k], row->batch->indices, row->start, k) = k;
    return true;
}

// ---- looking up ----

static enum parse_result too_large(struct named_row *row, const struct waiting_name *name)
{
    uint64_t words[] = {name->key.low, name->key.high};
    size_t length = table_key_length(&name->key);
    const char *text =
        length <= TABLE_INLINE ? (const char *)words : table_long_text(name->key.high);
    char quoted[64];
    return bad_row_set(row->bad, name->column, "the values of '%s' add up to more than 3.4e38",
                       error_quote(quoted, sizeof quoted, text, length));
}

// A name that row->table does not have; *feature is TABLE_NONE if the model does not know it.
static enum parse_result new_name(struct named_row *row, const struct waiting_name *name,
                                  uint32_t *feature)
{
    *feature = TABLE_NONE;
    if (schema_looks_up(row->parser->schema)) {
        row->lost = true;
        return PARSE_OK;
    }
    uint32_t number = table_add_key(&row->batch->names, &name->key);
    row->slots = *table_slots(row->table);
    *feature = number | BATCH_LOCAL;
    return number < BATCH_LOCAL ? PARSE_OK : PARSE_MEMORY;
}

// Their numbers.
static enum parse_result find_features(struct named_row *row, const struct waiting_name *names,
                                       uint32_t count, uint32_t *features)
{
    const uint32_t local = row->table == &row->batch->names ? BATCH_LOCAL : 0;
    const uint32_t known = row->table_count;
    struct table_slots slots = row->slots;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number;
        table_seek(&slots, &names[i].key, &number);
        features[i] = (number - 1) | local;
        if (number - 1 >= known) {
            TRY_PARSE(new_name(row, &names[i], &features[i]));
            slots = row->slots;
        }
    }
    return PARSE_OK;
}

// There is room for them.
static enum parse_result store_features(struct named_row *row, const struct waiting_name *names,
                                        uint32_t count, const uint32_t *features)
{
    struct batch *batch = row->batch;
    const struct places places = places_of(row);
    uint32_t *indices = batch->indices, start = row->start, entries = row->count;
    float *values = batch->values;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t feature = features[i];
        float value = names[i].value;
        if (feature == TABLE_NONE)
            continue;
        uint32_t *place = place_of(&places, feature, indices, start, entries), k = *place;
        if (is_there(k, start, entries)) {
            value += values[k];
            row->zeroed |= value == 0;
            if (isinf(value))
                return too_large(row, &names[i]);
        } else {
            *place = k = entries++;
            indices[k] = feature;
        }
        values[k] = value;
        if (value != 1)
            batch->ones = false;
    }
    row->count = entries;
    return PARSE_OK;
}

// The first `count` that are waiting, which are next to each other.
static enum parse_result settle(struct named_row *row, uint32_t count)
{
    const struct waiting_name *names = &row->waiting.names[row->waiting.first % NAMED_WAITING];
    uint32_t features[NAMED_STEP];
    if (row->room - row->count < count && !reserve_entries(row, count))
        return PARSE_MEMORY;
    if (2 * ((uint64_t)row->count - row->start + count) > UINT64_MAX >> row->shift &&
        !add_places(row, count))
        return PARSE_MEMORY;
    TRY_PARSE(find_features(row, names, count, features));
    return store_features(row, names, count, features);
}

enum parse_result named_settle(struct named_row *row)
{
    struct named_waiting *waiting = &row->waiting;
    uint32_t count = waiting->next - waiting->first;
    uint32_t together = NAMED_STEP - waiting->first % NAMED_STEP;
    count = count < together ? count : together;
    enum parse_result result = settle(row, count);
    waiting->first = result == PARSE_OK ? waiting->first + count : waiting->next;
    row->slots = *table_slots(row->table);
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
    char *copy = waiting->texts[waiting->next % NAMED_WAITING]; // of one that was looked up
    memcpy(copy, name, length);
    return named_add(row, copy, length, value);
}

enum parse_result named_add_slowly(struct named_row *row, const char *name, size_t length,
                                   float value)
{
    if (value == 0)
        return PARSE_OK;
    if (length == 0)
        return bad_row_set(row->bad, named_column(row, row->cursor), "a feature without a name");
    return named_wait(row, table_key(row->table, name, length), value);
}

// The first names that are short, up to `count`, for which there is room in one piece; how many.
static size_t wait_for_short(struct named_row *row, const struct named_piece *names, size_t count)
{
    const uint64_t key[2] = {row->table->key[0], row->table->key[1]};
    const struct table_slots slots = row->slots;
    const uint32_t column = (uint32_t)named_column(row, row->cursor);
    struct waiting_name *to = &row->waiting.names[row->waiting.next % NAMED_WAITING];
    size_t i = 0;
    for (; i < count && names[i].length <= TABLE_INLINE; i++) {
        struct table_key name = table_key_by(key, names[i].text, names[i].length);
        table_prefetch(&slots, &name);
        to[i] = (struct waiting_name){name, 1, column};
    }
    row->waiting.next += (uint32_t)i;
    return i;
}

enum parse_result named_add_pieces(struct named_row *row, const struct named_piece *names,
                                   size_t count)
{
    const struct named_waiting *waiting = &row->waiting;
    bool padded = count && named_is_padded(row, names[count - 1].text);
    for (size_t i = 0; i < count;) {
        size_t step = NAMED_STEP - waiting->next % NAMED_STEP, taken = 0;
        size_t room = NAMED_WAITING - (waiting->next - waiting->first);
        room = step < room ? step : room;
        if (padded)
            taken = wait_for_short(row, names + i, count - i < room ? count - i : room);
        if (taken == 0) {
            TRY_PARSE(named_add_slowly(row, names[i].text, names[i].length, 1));
            taken = 1;
        } else if (waiting->next - waiting->first == NAMED_WAITING) {
            TRY_PARSE(named_settle(row));
        }
        i += taken;
    }
    return PARSE_OK;
}

// Takes out what has added up to 0.
static void drop_zeros(struct named_row *row)
{
    struct batch *batch = row->batch;
    uint32_t kept = row->start;
    for (uint32_t k = row->start; k < row->count; k++) {
        if (batch->values[k] == 0)
            continue;
        batch->indices[kept] = batch->indices[k];
        if (row->parser->exact)
            batch->scratch.exact.values[kept] = batch->scratch.exact.values[k];
        batch->values[kept++] = batch->values[k];
    }
    if (kept < row->count)
        clear_places(row);
    row->count = kept;
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
    row->lost = row->zeroed = false;
    batch->scratch.exact.known = row->start;
    // A name that is added to the schema from now on may be in the row as one of the batch's own.
    // The slots that are asked for after the count have all that are counted.
    row->table_count = row->table == &batch->names ? TABLE_NONE : table_count(row->table);
    row->slots = *table_slots(row->table);
    // In the middle of a line U+FEFF is a character of the text.
    if (row->end - row->line >= 3 && byte_order_mark(row->line, 3))
        return bad_row_marked(row->bad, 1);
    enum parse_result result = parse_row(row);
    if (result == PARSE_MEMORY)
        return result;
    TRY_PARSE(named_settle_all(row)); // what is wrong with these came before
    if (result != PARSE_OK)
        return result;
    if (row->parser->exact)
        TRY_PARSE(named_total(row));
    if (row->zeroed)
        drop_zeros(row);
    batch->counts.unknown_rows += row->lost && row->count == row->start;
    row_close(batch, row->count, batch->place.lines);
    return PARSE_OK;
}

// The batch's names and those of the schema are found by the same key.
static bool begin(struct named_row *row)
{
    struct batch *batch = row->batch;
    const struct schema *schema = row->parser->schema;
    bool asked = schema_looks_up(schema) || row->parser->lasting;
    if (batch->names.count == 0)
        table_adopt_key(&batch->names, &schema->names);
    table_draw_key(&batch->names);
    asked = asked && table_same_key(&batch->names, &schema->names);
    row->table = asked ? &schema->names : &batch->names;
    row->slots = *table_slots(row->table);
    row->shift = PLACES_SHIFT;
    struct batch_scratch *scratch = &batch->scratch;
    if (!memory_reserve(&scratch->places, &scratch->places_capacity, PLACES_LEAST,
                        sizeof *scratch->places))
        return false;
    memset(scratch->places, 0xFF, scratch->places_capacity * sizeof *scratch->places);
    return true;
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
            clear_places(&row);
            batch->counts.skipped_rows++;
        } else if (result != PARSE_OK) {
            bad->line = batch->place.lines;
            return result;
        }
    }
    return PARSE_OK;
}
