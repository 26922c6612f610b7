// Rows of CSV by the fast path. The scan says where fields end. Code here recognises usual fields
// and gives up on a row with any other; that row is undone and parsed by the rules (csv.c).
#include "input/csv/internal.h"

#include "base/memory.h"
#include "input/csv/numbers.h"
#include "numeric/number.h"

#include <assert.h>
#include <string.h>

// ---- texts that were looked up before ----

// What texts of up to 32 bytes came to in this chunk, so that most categories and labels are looked
// up without their names being put together. A text has two places, and the later of three that
// want them gets the second.

#define RECENT_COUNT 1024 // a power of two
#define RECENT_LONGEST 32 // bytes from its start on are looked at, whatever its length

// What a text came to, if not to a feature or class.
#define RECENT_UNKNOWN UINT32_MAX       // the schema does not know it
#define RECENT_NOTHING (UINT32_MAX - 1) // no entry

struct recent {
    uint64_t text[4]; // with zeros after it
    uint64_t tag;     // of the chunk, the column and the text's length
    uint32_t result;  // a feature, a class or RECENT_...
    uint32_t unused[5];
};

struct recents {
    uint64_t chunk; // the tag's part
    struct recent places[RECENT_COUNT];
};

// Forgets all. Free places have the tag 0. The memory is not set before the first time.
static inline void recents_start(struct recents *recents, bool first)
{
    if (!first)
        recents->chunk += (uint64_t)1 << 40;
    if (first || recents->chunk == 0) {
        memset(recents, 0, sizeof *recents);
        recents->chunk = (uint64_t)1 << 40;
    }
}

typedef uint64_t recent_half __attribute__((vector_size(16))); // 16 bytes of a text

// A text that is looked up.
struct recent_key {
    recent_half text[2]; // with zeros after it
    uint64_t tag, hash;
};

// The key of a text with RECENT_LONGEST bytes from its start on.
static inline struct recent_key recent_key(const struct recents *recents, size_t column,
                                           const char *text, size_t length)
{
    enum { M = 0xFF };
    static const uint8_t kept[64] = {M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
                                     M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    struct recent_key key;
    key.tag = recents->chunk + ((uint64_t)column << 8) + length;
    for (size_t i = 0; i < 2; i++) {
        recent_half bytes, mask;
        memcpy(&bytes, text + 16 * i, sizeof bytes);
        memcpy(&mask, kept + 32 - length + 16 * i, sizeof mask);
        key.text[i] = bytes & mask;
    }
    recent_half both = key.text[0] ^ key.text[1] << 1;
    key.hash = (both[0] + key.tag) * 0x9E3779B97F4A7C15u ^ both[1] * 0xC4CEB9FE1A85EC53u;
    return key;
}

static inline bool recent_is(const struct recent *place, const struct recent_key *key)
{
    recent_half first, second;
    memcpy(&first, place->text, sizeof first);
    memcpy(&second, place->text + 2, sizeof second);
    recent_half other = (first ^ key->text[0]) | (second ^ key->text[1]);
    return place->tag == key->tag && (other[0] | other[1]) == 0;
}

static inline size_t recent_place(const struct recent_key *key)
{
    return key->hash >> 40 & (RECENT_COUNT - 2);
}

// NULL: it is not among the recent ones.
static inline const struct recent *recent_find(const struct recents *recents,
                                               const struct recent_key *key)
{
    const struct recent *place = &recents->places[recent_place(key)];
    return recent_is(place, key) ? place : recent_is(place + 1, key) ? place + 1 : NULL;
}

static inline void recent_add(struct recents *recents, const struct recent_key *key,
                              uint32_t result)
{
    struct recent *place = &recents->places[recent_place(key)];
    place += place->tag >= recents->chunk; // else it is free, or of an earlier chunk
    memcpy(place->text, key->text, sizeof place->text);
    place->tag = key->tag;
    place->result = result;
}

// Numbers that have their entries, but not yet their values.
#define PENDING_MAX 64
struct pending_numbers {
    size_t count;
    uint32_t before[PENDING_MAX + NUMBERS_AT_ONCE]; // [count] places in the chunk
    uint32_t ends[PENDING_MAX + NUMBERS_AT_ONCE];   // [count]
    uint32_t entries[PENDING_MAX];                  // [count] of the batch
};

struct csv_quick {
    struct csv_converters convert;
    const char *expected; // the next row's start, if the scan goes on there
    size_t reserved;      // rows for which the batch has memory
    bool tight;           // numbers are where the scan says, without blanks and quotes
    bool zeros;           // the row has entries of value 0
    struct pending_numbers pending;
    struct csv_scan scan;
    struct recents recents;
};

#define INLINE static inline __attribute__((always_inline))

_Static_assert(NUMBERS_AT_ONCE <= CSV_SPARE, "as many are stored where one is");

#define RUN_MIN 4 // numbers side by side that are worth being converted where they are

// ---- categories and labels ----

// A text that is not among the recent ones.
static enum parse_result text_by_rules(struct csv_rows *row, const struct plan_column *column,
                                       const char *text, size_t length, uint32_t *result)
{
    struct batch *batch = row->batch;
    size_t count = row->count;
    uint64_t unseen = batch->counts.unknown_values;
    struct csv_field field = {.text = text, .length = length, .line = 1, .column = 1};
    TRY_PARSE(csv_parse_field(row, column, &field));
    *result = column->kind == COLUMN_LABEL            ? batch->labels[batch->rows]
              : row->count > count                    ? batch->indices[count]
              : batch->counts.unknown_values > unseen ? RECENT_UNKNOWN
                                                      : RECENT_NOTHING;
    return PARSE_OK;
}

INLINE void use_result(struct csv_rows *row, bool label, uint32_t result)
{
    struct batch *batch = row->batch;
    if (label) {
        batch->labels[batch->rows] = result;
    } else if (result < RECENT_NOTHING) {
        batch->indices[row->count] = result;
        batch->values[row->count++] = 1;
    } else {
        batch->counts.unknown_values += result == RECENT_UNKNOWN;
    }
}

// A text that is not among the recent ones, and is now.
static __attribute__((noinline)) enum parse_result new_text(struct csv_rows *row, size_t i,
                                                            const char *text, size_t length)
{
    const struct plan_column *column = &row->parser->plan->columns[i];
    struct recents *recents = &row->quick->recents;
    uint32_t result;
    uint64_t unknown = row->batch->counts.unknown_labels;
    TRY_PARSE(text_by_rules(row, column, text, length, &result));
    if (column->kind != COLUMN_LABEL ||
        (result < TLU_UNKNOWN_LABEL && row->batch->counts.unknown_labels == unknown)) {
        struct recent_key key = recent_key(recents, i, text, length);
        recent_add(recents, &key, result);
    }
    return PARSE_OK;
}

// A text of up to RECENT_LONGEST bytes, as many of which are there.
INLINE enum parse_result short_text(struct csv_rows *row, size_t i, bool label, const char *text,
                                    size_t length)
{
    const struct recents *recents = &row->quick->recents;
    struct recent_key key = recent_key(recents, i, text, length);
    const struct recent *found = recent_find(recents, &key);
    if (!found)
        return new_text(row, i, text, length);
    use_result(row, label, found->result);
    return PARSE_OK;
}

// A category or a label without its quotes and blanks.
static enum parse_result quick_text(struct csv_rows *row, size_t i, const char *text, size_t length)
{
    const struct plan_column *column = &row->parser->plan->columns[i];
    uint32_t result;
    if (length <= RECENT_LONGEST && row->quick->scan.limit - text >= RECENT_LONGEST)
        return short_text(row, i, column->kind == COLUMN_LABEL, text, length);
    return text_by_rules(row, column, text, length, &result);
}

// ---- numbers ----

// A number that is not plain; false if it is not one, or too large.
static bool slow_number(const char *text, const char *end, float *value)
{
    const char *stop;
    double number;
    if (csv_decimal_number(text, end, value))
        return true;
    enum number_result result = number_parse(text, end, &number, &stop);
    return result != NUMBER_NONE && stop == end && !value_problem(result, number, value);
}

static __attribute__((noinline)) bool settle_slowly(struct csv_rows *row, size_t k)
{
    const struct pending_numbers *pending = &row->quick->pending;
    const char *floor = row->quick->scan.floor;
    float *value = &row->batch->values[pending->entries[k]];
    if (!slow_number(floor + pending->before[k] + 1, floor + pending->ends[k], value))
        return false;
    row->quick->zeros |= *value == 0;
    row->batch->ones &= *value == 0 || *value == 1;
    return true;
}

// Gives the numbers that wait their values; what is after the last of them, earlier ones, is
// converted along; false if there is a text that is no number.
static bool settle(struct csv_rows *row)
{
    struct csv_quick *quick = row->quick;
    struct pending_numbers *pending = &quick->pending;
    float *values = row->batch->values;
    size_t count = pending->count;
    pending->count = 0;
    for (size_t k = 0; k < count; k += NUMBERS_AT_ONCE) {
        float converted[NUMBERS_AT_ONCE];
        size_t n = count - k < NUMBERS_AT_ONCE ? count - k : NUMBERS_AT_ONCE;
        struct csv_converted outcome = quick->convert.eight(quick->scan.floor, pending->before + k,
                                                            pending->ends + k, converted);
        for (size_t j = 0; j < n; j++)
            values[pending->entries[k + j]] = converted[j];
        unsigned there = (1u << n) - 1, odd = outcome.odd & there;
        quick->zeros |= (outcome.zeros & there & ~odd) != 0;
        row->batch->ones &= (outcome.others & there & ~odd) == 0;
        for (; odd; odd &= odd - 1)
            if (!settle_slowly(row, k + (size_t)__builtin_ctz(odd)))
                return false;
    }
    return true;
}

// Gives a number its entry.
INLINE void add_pending(struct csv_rows *row, uint32_t feature, const char *text, size_t length)
{
    struct pending_numbers *pending = &row->quick->pending;
    assert(pending->count < PENDING_MAX);
    size_t k = pending->count++;
    uint32_t place = (uint32_t)(text - row->quick->scan.floor);
    pending->before[k] = place - 1;
    pending->ends[k] = place + (uint32_t)length;
    pending->entries[k] = (uint32_t)row->count;
    row->batch->indices[row->count++] = feature;
}

// A field of a numeric column, without its quotes and blanks.
static enum parse_result quick_number(struct csv_rows *row, const struct plan_column *column,
                                      const char *text, const char *end)
{
    struct csv_quick *quick = row->quick;
    struct pending_numbers *pending = &quick->pending;
    float value;
    bool digits = text < end && (*text == '-' || *text == '.' || (*text >= '0' && *text <= '9'));
    if (digits && end - text <= NUMBERS_LONGEST && text > quick->scan.floor &&
        quick->scan.limit - text >= NUMBERS_REACH) {
        if (pending->count == PENDING_MAX && !settle(row))
            return PARSE_BAD;
        add_pending(row, column->feature, text, (size_t)(end - text));
        return PARSE_OK;
    }
    if (digits && slow_number(text, end, &value)) {
        if (value != 0)
            csv_store(row, column->feature, value);
        return PARSE_OK;
    }
    // Missing values get their features in the order of the fields.
    struct csv_field field = {.text = text, .length = (size_t)(end - text), .line = 1, .column = 1};
    return csv_parse_field(row, column, &field);
}

// As many plain numbers of a run of n as there are; how many that is.
static size_t take_run(struct csv_rows *row, const struct plan_column *column, size_t n)
{
    struct csv_quick *quick = row->quick;
    struct csv_scan *scan = &quick->scan;
    struct csv_run run = {.floor = scan->floor,
                          .ends = scan->ends + scan->next,
                          .n = n,
                          .limit = (size_t)(scan->limit - scan->floor),
                          .feature = column->feature,
                          .features = row->batch->indices + row->count,
                          .values = row->batch->values + row->count};
    if (run.ends[0] == SCAN_BEFORE)
        return 0;
    size_t taken = quick->convert.run(&run);
    unsigned odd = run.outcome.odd;
    quick->tight = (odd & (odd - 1)) == 0; // else it may well be the same with the next
    quick->zeros |= run.outcome.zeros != 0;
    row->batch->ones &= run.outcome.others == 0;
    row->count += taken;
    scan->next += taken;
    return taken;
}

// ---- a row ----

// A field by the rules, if they agree with the scan on its end.
static enum parse_result strict_field(struct csv_rows *row, struct csv_cursor *cursor,
                                      const struct plan_column *column, const char *start,
                                      const char *end)
{
    struct csv_field field;
    cursor->at = start;
    TRY_PARSE(csv_next_field(cursor, &field, row->bad));
    if (column->kind == COLUMN_TEXT)
        row->quick->reserved = 1;
    return cursor->at == end + 1 ? csv_parse_field(row, column, &field) : PARSE_BAD;
}

// A text. Its words take entries that were reserved for other rows.
static enum parse_result words_by_rules(struct csv_rows *row, const struct plan_column *column,
                                        const char *text, size_t length)
{
    struct csv_field field = {.text = text, .length = length, .line = 1, .column = 1};
    row->quick->reserved = 1;
    return csv_parse_field(row, column, &field);
}

// Any field. PARSE_BAD gives the row up.
static enum parse_result quick_field(struct csv_rows *row, struct csv_cursor *cursor, size_t i)
{
    const struct plan_column *column = &row->parser->plan->columns[i];
    struct csv_scan *scan = &row->quick->scan;
    const uint32_t *ends = scan->ends + scan->next++;
    const char *start = scan->floor + (uint32_t)(ends[0] + 1), *end = scan->floor + ends[1];
    const char *text = start, *stop = end;
    bool uneven = scan->quotes && scan_next_uneven(scan, ends[0] + 1) < ends[1];
    enum scan_field found = scan_field(scan->quotes, uneven, &text, &stop);
    if (found == SCAN_ODD)
        return PARSE_BAD;
    if (found == SCAN_STRICT)
        return strict_field(row, cursor, column, start, end);
    if (column->kind == COLUMN_IGNORED)
        return PARSE_OK;
    if (column->kind == COLUMN_TEXT)
        return words_by_rules(row, column, text, (size_t)(stop - text));
    if (column->kind != COLUMN_NUMERIC)
        return quick_text(row, i, text, (size_t)(stop - text));
    return quick_number(row, column, text, stop);
}

// Whether numbers from this column on are to be converted where they are.
static inline bool is_run(const struct csv_quick *quick, const struct plan_column *column,
                          size_t left)
{
    return column->run >= RUN_MIN && left >= RUN_MIN && quick->tight;
}

static inline bool is_blank_or_control(char c)
{
    return (unsigned char)c <= ' ';
}

// A plain number without quotes and blanks, perhaps; false if it is not one, or has to wait for
// the others.
INLINE bool easy_number(struct csv_rows *row, uint32_t feature, const char *text, size_t length)
{
    struct pending_numbers *pending = &row->quick->pending;
    // One of "-./0123456789".
    if ((unsigned char)(*text - '-') > 12 || length > NUMBERS_LONGEST ||
        pending->count == PENDING_MAX)
        return false;
    add_pending(row, feature, text, length);
    return true;
}

// Takes fields that need no closer look, from field *first up to `stop`; *first becomes the first
// that does.
static enum parse_result easy_fields(struct csv_rows *row, size_t *first, size_t stop)
{
    struct csv_quick *quick = row->quick;
    struct csv_scan *scan = &quick->scan;
    const struct plan_column *columns = row->parser->plan->columns;
    const char *floor = scan->floor;
    size_t i = *first;
    const uint32_t *ends = scan->ends + scan->next - i;
    bool quotes = scan->quotes;
    if (ends[i] == SCAN_BEFORE ||
        ends[stop] + (size_t)RECENT_LONGEST >= (size_t)(scan->limit - floor))
        return PARSE_OK;
    uint32_t uneven = quotes ? scan_next_uneven(scan, ends[i]) : SCAN_BEFORE;
    for (; i < stop && ends[i + 1] < uneven; i++) {
        const char *text = floor + ends[i] + 1, *end = floor + ends[i + 1];
        text += *text == ' ';
        bool quoted = quotes && *text == '"';
        text += quoted;
        end -= quoted;
        size_t length = (size_t)(end - text);
        if (length - 1 >= RECENT_LONGEST || is_run(quick, &columns[i], stop - i) ||
            (quoted ? *end != '"' : is_blank_or_control(*text) || is_blank_or_control(end[-1])))
            break;
        if (columns[i].kind == COLUMN_NUMERIC) {
            if (!easy_number(row, columns[i].feature, text, length))
                break;
        } else if (columns[i].kind == COLUMN_TEXT) {
            break;
        } else if (columns[i].kind != COLUMN_IGNORED) {
            TRY_PARSE(short_text(row, i, columns[i].kind == COLUMN_LABEL, text, length));
        }
    }
    scan->next += i - *first;
    *first = i;
    return PARSE_OK;
}

// How many of the `left` fields of the row are in the list. False if the row has another number of
// fields, or no end.
static bool fields_listed(struct csv_scan *scan, size_t left, size_t *listed)
{
    if (scan->next == scan->count && !csv_scan_more(scan))
        return false;
    *listed = scan->count - scan->next;
    if (*listed < left) // the row goes on in the next window
        return scan->next_row == scan->row_count;
    *listed = left;
    return scan->next_row < scan->row_count &&
           scan->row_ends[scan->next_row++] == scan->ends[scan->next + left];
}

static enum parse_result quick_fields(struct csv_rows *row, struct csv_cursor *cursor)
{
    const struct csv_plan *plan = row->parser->plan;
    struct csv_quick *quick = row->quick;
    size_t listed;
    for (size_t i = 0; i < plan->count;) {
        if (!fields_listed(&quick->scan, plan->count - i, &listed))
            return PARSE_BAD;
        for (size_t stop = i + listed; i < stop;) {
            const struct plan_column *column = &plan->columns[i];
            if (is_run(quick, column, stop - i)) {
                size_t run = column->run < stop - i ? column->run : stop - i;
                size_t taken = take_run(row, column, run);
                i += taken;
                if (taken == run)
                    continue;
            } else {
                TRY_PARSE(easy_fields(row, &i, stop));
                if (i == stop || is_run(quick, &plan->columns[i], stop - i))
                    continue;
            }
            TRY_PARSE(quick_field(row, cursor, i++));
        }
    }
    return quick->pending.count == 0 || settle(row) ? PARSE_OK : PARSE_BAD;
}

enum parse_result csv_quick_row(struct csv_rows *row, struct csv_cursor *cursor)
{
    struct csv_quick *quick = row->quick;
    struct batch *batch = row->batch;
    if (quick->reserved == 0) { // not every row has to ask; eight entries are stored where one is
        size_t fields = row->parser->plan->count;
        quick->reserved = fields < 4096 ? 4096 / fields : 1;
        if (!batch_reserve(batch, quick->reserved, quick->reserved * fields + CSV_SPARE))
            return PARSE_MEMORY;
    }
    if (cursor->at != quick->expected)
        csv_scan_after(&quick->scan, cursor->at);
    size_t before = row->count = batch_nonzeros(batch);
    batch->labels[batch->rows] = TLU_NO_LABEL;
    quick->zeros = false;
    uint64_t line = cursor->line;
    TRY_PARSE(quick_fields(row, cursor));
    if (quick->zeros)
        row->count = before + quick->convert.compact(batch->indices + before,
                                                     batch->values + before, row->count - before);
    cursor->at = quick->scan.floor + quick->scan.ends[quick->scan.next] + 1;
    if (cursor->line_start != cursor->at) // else it was a strict field that ended the row
        csv_new_line(cursor);
    row_close(batch, row->count, line);
    quick->expected = cursor->at;
    quick->reserved--;
    return PARSE_OK;
}

void csv_quick_undo(struct csv_rows *row, const struct row_mark *mark)
{
    struct csv_quick *quick = row->quick;
    // The numbers that are taken back may be given to other texts.
    if (row->batch->names.count > mark->names || row->batch->classes.count > mark->classes ||
        row->batch->set_cells > mark->set_cells)
        recents_start(&quick->recents, false);
    row_undo(row->batch, mark);
    quick->expected = NULL;
    quick->reserved = 0;
    quick->pending.count = 0;
}

enum parse_result csv_quick_start(struct csv_rows *row, const struct csv_cursor *cursor)
{
    const struct parser *parser = row->parser;
    enum csv_way way = (enum csv_way)parser->way;
    if (way == CSV_STRICT || parser->exact || parser->plan->decimal_comma ||
        cursor->delimiter == ' ' || cursor->marked || cursor->limit - cursor->at > SCAN_MAX)
        return PARSE_OK;
    // Large for a stack, and not to be allocated for every row of a stream.
    void **memory = &row->batch->scratch.csv_quick;
    bool first = !*memory;
    if (first)
        *memory = memory_resize(NULL, 1, sizeof *row->quick);
    struct csv_quick *quick = row->quick = *memory;
    if (!quick)
        return PARSE_MEMORY;
    quick->convert = csv_converters(way);
    quick->expected = cursor->at;
    quick->reserved = 0;
    quick->tight = true;
    quick->zeros = false;
    memset(&quick->pending, 0, sizeof quick->pending);
    csv_scan_start(&quick->scan, cursor->at, cursor->limit, cursor->delimiter, way);
    recents_start(&quick->recents, first);
    return PARSE_OK;
}
