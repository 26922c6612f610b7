// Rows of named features: names are collected, looked up together, and added up in the row's
// entries.
#include "input/named.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define PLACES_MIN 2048                 // with which a row begins
#define ENTRY_BYTES 4                   // of a line that are expected for each entry
#define ENTRIES_AHEAD ((size_t)1 << 18) // for which there is scratch from the start, at most

enum parse_result named_expected(struct named_row *row, const char *where, const char *stop,
                                 const char *what)
{
    char found[64];
    if (stop > where)
        return bad_row_set(row->bad, named_column(row, where), "expected %s, found '%s'", what,
                           error_quote(found, sizeof found, where, (size_t)(stop - where)));
    bool lines = !row->parser || !row->parser->rows;
    return bad_row_set(row->bad, named_column(row, where), "expected %s, found %s", what,
                       where == row->end  ? lines ? "the end of the line" : "the end of the data"
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

static bool reserve_entries(struct named_row *row, size_t more)
{
    const struct batch_memory *memory = &row->batch->memory;
    if (!batch_reserve_entries(row->batch, (size_t)row->count + more))
        return false;
    size_t capacity = memory->indices_capacity < memory->values_capacity ? memory->indices_capacity
                                                                         : memory->values_capacity;
    row->reserved = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX - 1;
    return true;
}

// Where the features of a row are among the entries: batch->scratch.places is a hash table, small
// enough for the fastest cache. Entries are counted from 1 there; a place whose entry was there
// before the row is free.
struct entry_map {
    uint32_t *at; // [mask + 1]
    size_t mask;
    uint64_t mix;
};

static struct entry_map places_of(const struct named_row *row)
{
    return (struct entry_map){row->batch->scratch.places, row->mask, row->batch->names.key[1]};
}

// The entry of a feature in a row that begins after `start` entries, from 1, or 0; *at becomes its
// place, or a free one.
static inline uint32_t find_entry(const struct entry_map *places, uint32_t feature,
                                  const uint32_t *indices, uint32_t start, size_t *at)
{
    *at = (size_t)(feature * places->mix >> 32) & places->mask;
    uint32_t entry = places->at[*at];
    if (__builtin_expect(entry <= start, true))
        return 0;
    do {
        if (indices[entry - 1] == feature)
            return entry;
        *at = (*at + 1) & places->mask;
        entry = places->at[*at];
    } while (entry > start);
    return 0;
}

// After a row that leaves places that the next would not find free.
static void clear_places(struct named_row *row)
{
    memset(row->batch->scratch.places, 0, ((size_t)row->mask + 1) * sizeof(uint32_t));
}

// Places for twice as many entries as there are with `more`.
static bool add_places(struct named_row *row, uint32_t more)
{
    struct batch_scratch *scratch = &row->batch->scratch;
    while (row->mask / 2 < row->count - row->start + more)
        row->mask = 2 * row->mask + 1;
    if (!memory_reserve(&scratch->places, &scratch->places_capacity, (size_t)row->mask + 1,
                        sizeof *scratch->places))
        return false;
    clear_places(row);
    struct entry_map places = places_of(row);
    const uint32_t *indices = row->batch->indices;
    for (uint32_t k = row->start; k < row->count; k++) {
        size_t at;
        find_entry(&places, indices[k], indices, row->start, &at);
        places.at[at] = k + 1;
    }
    return true;
}

// ---- looking up ----

// For a sum that is not from 1 to FLT_MAX.
static enum parse_result check_sum(struct named_row *row, const struct waiting_name *name,
                                   float sum)
{
    char quoted[64], scratch[TABLE_INLINE];
    row->zeroed |= sum == 0;
    if (!isinf(sum))
        return PARSE_OK;
    const char *text = table_key_text(row->table, &name->key, scratch);
    return bad_row_set(row->bad, row->waiting.columns[name - row->waiting.names],
                       "the values of '%s' add up to more than 3.4e38",
                       error_quote(quoted, sizeof quoted, text, table_key_length(&name->key)));
}

// Looks names up, with `local`, which is known where this is inlined. Returns how many row->table
// does not have, which are listed in `missing`; where they will be is asked for.
__attribute__((always_inline)) static inline uint32_t
find_in_table(struct named_row *row, uint32_t count, uint32_t local, struct waiting_name **missing)
{
    struct waiting_name *name = row->waiting.names, *end = name + count;
    const struct table_slots *own = table_slots(&row->batch->names);
    const uint32_t known = row->table_count;
    uint32_t listed = 0;
    for (; name < end; name++) {
        uint32_t number = table_look(&row->slots, &name->key);
        name->feature = number | local;
        if (number >= known) {
            table_prefetch(own, &name->key);
            missing[listed++] = name;
        }
    }
    return listed;
}

static enum parse_result find_features(struct named_row *row, uint32_t count)
{
    struct waiting_name *missing[NAMED_WAITING];
    uint32_t listed = row->table == &row->batch->names
                          ? find_in_table(row, count, BATCH_LOCAL, missing)
                          : find_in_table(row, count, 0, missing);
    bool refused = schema_looks_up(row->parser->schema);
    row->lost |= refused && listed > 0;
    for (uint32_t i = 0; i < listed; i++) {
        uint32_t number =
            refused ? TABLE_NONE : table_add_key(&row->batch->names, &missing[i]->key);
        missing[i]->feature = number | BATCH_LOCAL;
        if (number >= BATCH_LOCAL && !refused)
            return PARSE_MEMORY;
    }
    return PARSE_OK;
}

// There is scratch for them.
static enum parse_result store_features(struct named_row *row, uint32_t count)
{
    const struct waiting_name *name = row->waiting.names, *end = name + count;
    const struct entry_map places = places_of(row);
    uint32_t *indices = row->batch->indices, start = row->start, entries = row->count;
    float *values = row->batch->values;
    bool ones = row->waiting.ones;
    for (; name < end; name++) {
        if (name->feature == TABLE_NONE)
            continue;
        size_t at;
        uint32_t entry = find_entry(&places, name->feature, indices, start, &at);
        if (entry) {
            float sum = values[entry - 1] += name->value;
            if (!(sum >= 1 && sum <= FLT_MAX)) // rare, but not yet wrong
                TRY_PARSE(check_sum(row, name, sum));
            ones = false;
            continue;
        }
        indices[entries] = name->feature;
        values[entries] = name->value;
        places.at[at] = ++entries;
    }
    row->batch->ones &= ones;
    row->count = entries;
    return PARSE_OK;
}

// None is waiting, and all values are 1.
static void wait_for_none(struct named_waiting *waiting)
{
    for (uint32_t i = 0; !waiting->ones && i < waiting->count; i++)
        waiting->names[i].value = 1;
    waiting->ones = true;
    waiting->count = waiting->copied = 0;
}

enum parse_result named_settle(struct named_row *row)
{
    uint32_t count = row->waiting.count;
    assert(count <= NAMED_WAITING);
    if (row->reserved - row->count < count && !reserve_entries(row, count))
        return PARSE_MEMORY;
    if (row->mask / 2 < row->count - row->start + count && !add_places(row, count))
        return PARSE_MEMORY;
    enum parse_result result = find_features(row, count);
    if (result == PARSE_OK)
        result = store_features(row, count);
    wait_for_none(&row->waiting);
    row->slots = table_slots_copy(row->table);
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
        return named_settle(row);
    }
    if (length > NAMED_COPIED - waiting->copied)
        TRY_PARSE(named_settle(row));
    char *copy = memcpy(waiting->texts + waiting->copied, name, length);
    waiting->copied += (uint32_t)length;
    return named_add(row, copy, length, value);
}

enum parse_result named_add_slowly(struct named_row *row, const char *name, size_t length,
                                   float value)
{
    if (value == 0)
        return PARSE_OK;
    if (length == 0)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "a feature without a name; write its name");
    return named_wait(row, table_key(row->table, name, length), value);
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

// ---- numbers as they are written (parser.exact) ----

// A number goes to the exact values of the batch
// alone, and its entry has the float 0 from it; what words add to the entry are floats, counts that
// are exact. At the end of the row both are added up.

#define TOO_MANY "has more than 18 digits, with what it is added to or multiplied with"

enum parse_result named_decimal(struct named_row *row, const char *text, const char *end,
                                const struct decimal *factor, struct decimal *out)
{
    struct decimal number;
    if (decimal_parse(text, end, &number) != DECIMAL_OK || !decimal_times(&number, factor, out))
        return bad_row_set(row->bad, named_column(row, text),
                           "the value " TOO_MANY ": proofs need LIBSVM or CSV for that");
    return PARSE_OK;
}

// All entries of the row have exact values; those that are new are 0.
static bool extend(struct named_row *row)
{
    struct batch_exact *exact = &row->batch->scratch.exact;
    if (!memory_reserve(&exact->values, &exact->capacity, row->count + 1, sizeof *exact->values))
        return false;
    for (; exact->known < row->count; exact->known++)
        exact->values[exact->known] = (struct decimal){0, 0, 0};
    return true;
}

// The entry of a feature that the row has.
static uint32_t entry_of(const struct named_row *row, const char *name, size_t length)
{
    const struct batch *batch = row->batch;
    uint32_t own = table_find(&batch->names, name, length);
    uint32_t shared = table_find(row->table, name, length);
    for (uint32_t k = row->count; k-- > row->start;)
        if ((own != TABLE_NONE && batch->indices[k] == (own | BATCH_LOCAL)) ||
            (row->table != &batch->names && batch->indices[k] == shared))
            return k;
    return row->start;
}

enum parse_result named_add_exact(struct named_row *row, const char *name, size_t length,
                                  struct decimal value)
{
    struct batch_exact *exact = &row->batch->scratch.exact;
    if (value.digits == 0)
        return PARSE_OK;
    if (length == 0)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "a feature without a name; write its name");
    TRY_PARSE(named_settle(row));
    TRY_PARSE(named_wait(row, table_key(row->table, name, length), 0));
    TRY_PARSE(named_settle(row));
    if (!extend(row))
        return PARSE_MEMORY;
    struct decimal *sum = &exact->values[entry_of(row, name, length)];
    if (!decimal_plus(sum, &value, sum))
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "a value " TOO_MANY ": proofs need LIBSVM or CSV for that");
    return PARSE_OK;
}

// At the end of a row: what words have added, too.
static enum parse_result named_total(struct named_row *row)
{
    struct batch *batch = row->batch;
    if (!extend(row))
        return PARSE_MEMORY;
    for (uint32_t k = row->start; k < row->count; k++) {
        struct decimal *value = &batch->scratch.exact.values[k];
        struct decimal words = decimal_of_float(batch->values[k]);
        if (!decimal_plus(value, &words, value))
            return bad_row_set(row->bad, 1, "a value " TOO_MANY);
        batch->values[k] = value->digits != 0; // that it is not 0 is all that matters
        row->zeroed |= value->digits == 0;
    }
    return PARSE_OK;
}

// ---- lines ----

static void start_row(struct named_row *row, size_t count)
{
    const struct batch *batch = row->batch;
    row->start = row->count = (uint32_t)count;
    row->mask = PLACES_MIN - 1;
    row->lost = row->zeroed = false;
    // A name that is added to the schema from now on may be in the row as one of the batch's own.
    // The slots that are asked for after the count have all that are counted.
    row->table_count = row->table == &batch->names ? TABLE_NONE : table_count(row->table);
    row->slots = table_slots_copy(row->table);
}

static enum parse_result parse_line(struct named_row *row, named_function *parse_row)
{
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, 0))
        return PARSE_MEMORY;
    start_row(row, batch_nonzeros(batch));
    batch->scratch.exact.known = row->start;
    // In the middle of a line U+FEFF is a character of the text.
    if (row->end - row->line >= 3 && byte_order_mark(row->line, 3))
        return bad_row_marked(row->bad, 1);
    enum parse_result result = parse_row(row);
    if (result == PARSE_MEMORY)
        return result;
    TRY_PARSE(named_settle(row)); // what is wrong with these came before
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
bool named_begin(struct named_row *row, const struct parser *parser, struct batch *batch,
                 struct bad_row *bad, const char *limit, size_t size)
{
    const struct schema *schema = parser->schema;
    row->parser = parser;
    row->batch = batch;
    row->bad = bad;
    row->limit = limit;
    bool asked =
        schema_looks_up(schema) || (row->parser->lasting && table_count(&schema->names) > 0);
    if (batch->names.count == 0)
        table_adopt_key(&batch->names, &schema->names);
    table_draw_key(&batch->names);
    asked = asked && table_same_key(&batch->names, &schema->names);
    row->table = asked ? &schema->names : &batch->names;
    row->slots = table_slots_copy(row->table);
    row->mask = PLACES_MIN - 1;
    row->first = NULL;
    row->waiting.ones = false; // no values are set yet
    row->waiting.count = NAMED_WAITING;
    wait_for_none(&row->waiting);
    struct batch_scratch *scratch = &batch->scratch;
    if (!memory_reserve(&scratch->places, &scratch->places_capacity, PLACES_MIN,
                        sizeof *scratch->places))
        return false;
    clear_places(row);
    row->count = (uint32_t)batch_nonzeros(batch);
    size_t expected = size / ENTRY_BYTES;
    return reserve_entries(row, expected < ENTRIES_AHEAD ? expected : ENTRIES_AHEAD);
}

bool named_continue(struct named_row *row, size_t count)
{
    start_row(row, count);
    return reserve_entries(row, 0); // others may have changed the memory
}

void named_forget(struct named_row *row)
{
    clear_places(row);
}

enum parse_result named_parse_row(struct named_row *row, named_function *parse_row)
{
    struct batch *batch = row->batch;
    struct row_mark mark = row_mark(batch);
    enum parse_result result = parse_line(row, parse_row);
    if (result == PARSE_BAD && row->parser->skip_bad) {
        row_undo(batch, &mark);
        clear_places(row);
        batch->counts.skipped_rows++;
        return PARSE_OK;
    }
    if (result != PARSE_OK)
        row->bad->line = batch->place.lines;
    return result;
}

enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row)
{
    const char *limit = bytes + size;
    struct named_row row;
    if (!named_begin(&row, parser, batch, bad, limit, size))
        return PARSE_MEMORY;
    row.first = bytes;
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
        TRY_PARSE(named_parse_row(&row, parse_row));
    }
    return PARSE_OK;
}
