// Which columns of a training file hold numbers. Every row has a say, so the whole file is looked
// at before the first row is parsed. Most fields are plain numbers and found to be by masks; only
// the others, the odd ones, and the ends of rows are looked at.
#include "base/memory.h"
#include "input/csv/plain.h"
#include "input/csv/row.h"
#include "numeric/number.h"

#include <string.h>

enum field_kind { FIELD_MISSING, FIELD_NUMBER, FIELD_WORD, FIELD_COMMA };

// What is to be found out about the odd fields of a column.
enum news {
    NEWS_ALL,     // their kinds, and where the first word is
    NEWS_NO_WORD, // the kinds alone
    NEWS_NONE     // nothing: the column is not open
};

// One thread's look at a chunk.
struct look {
    const struct schema *schema;
    struct column_look *looks;
    struct csv_cursor cursor;
    const char *floor; // the start of the chunk
    uint64_t lines_before;
    uint8_t *kinds;      // [column_count] of the current row
    uint8_t *last;       // [column_count] of the last row that was not all numbers
    uint8_t *usual;      // [column_count] of a row of numbers
    uint8_t *news;       // [column_count] enum news
    bool begun;          // kinds[] is of the current row
    uint64_t repeats;    // rows with the kinds of the last that are not counted yet
    uint64_t usual_rows; // the same of rows of numbers
    bool memory_out;
};

static bool is_open(const struct look *look, size_t i)
{
    return look->usual[i] == FIELD_NUMBER;
}

// "3,5" or "1,000,000": a number to a person, but not here.
static bool has_decimal_comma(const char *text, size_t length)
{
    size_t commas = 0, digits = 0;
    for (size_t i = length && (text[0] == '-' || text[0] == '+'); i < length; i++) {
        commas += text[i] == ',';
        digits += text[i] >= '0' && text[i] <= '9';
        if (text[i] != ',' && text[i] != '.' && !(text[i] >= '0' && text[i] <= '9'))
            return false;
    }
    return commas > 0 && digits > commas && text[length - 1] != ',';
}

// Most words need no closer look: numbers and missing values do not begin with their letters. Those
// that begin with one are nan, null, NA, N/A and inf.
static inline bool begins_word(char first, char second)
{
    unsigned letter = ((unsigned)(unsigned char)first | 0x20) - 'a';
    unsigned next = (unsigned)(unsigned char)second | 0x20;
    if (letter >= 26)
        return false;
    if (letter == 'n' - 'a')
        return next != 'a' && next != 'u' && next != '/';
    return letter != 'i' - 'a' || next != 'n';
}

// What a field of an open column is.
static enum field_kind kind_of_text(const char *text, size_t length, const char *floor)
{
    if (length && begins_word(text[0], length > 1 ? text[1] : ' '))
        return FIELD_WORD;
    if (csv_is_missing(text, length))
        return FIELD_MISSING;
    double value;
    const char *end, *limit = text + length;
    if (scan_power_number(text, limit, floor, &value) || csv_is_number(text, limit))
        return FIELD_NUMBER;
    if (number_parse(text, limit, &value, &end) != NUMBER_NONE && end == limit)
        return FIELD_NUMBER;
    return has_decimal_comma(text, length) ? FIELD_COMMA : FIELD_WORD;
}

// floor: nothing before it is read.
static void look_at_text(struct look *look, size_t i, const struct csv_field *field,
                         const char *floor)
{
    look->kinds[i] = FIELD_MISSING;
    if (!is_open(look, i))
        return;
    look->kinds[i] = (uint8_t)kind_of_text(field->text, field->length, floor);
    struct column_look *column = &look->looks[i];
    if (look->kinds[i] >= FIELD_WORD && column->others == 0) { // the first, if the row is fine
        column->other_line = look->lines_before + field->line;
        column->other_column = field->column;
        error_quote(column->other, sizeof column->other, field->text, field->length);
    }
}

// The next field by the rules; false if it is malformed.
static bool look_strictly(struct look *look, size_t i, struct csv_field *field)
{
    struct bad_row bad;
    enum parse_result result = csv_next_field(&look->cursor, field, &bad);
    look->memory_out = result == PARSE_MEMORY;
    if (result == PARSE_OK)
        look_at_text(look, i, field, field->text);
    return result == PARSE_OK;
}

// Fills kinds[]; false if the row is malformed, and the kinds then mean nothing.
static bool look_at_row(struct look *look)
{
    struct csv_field field = {.last = false};
    size_t i = 0;
    for (; !field.last && i < look->schema->column_count; i++)
        if (!look_strictly(look, i, &field))
            return false;
    return field.last && i == look->schema->column_count;
}

// ---- counting rows ----

static void add_kinds(struct look *look, const uint8_t *kinds, uint64_t rows)
{
    for (size_t i = 0; rows && i < look->schema->column_count; i++) {
        look->looks[i].numbers += kinds[i] == FIELD_NUMBER ? rows : 0;
        look->looks[i].others += kinds[i] >= FIELD_WORD ? rows : 0;
        look->looks[i].commas += kinds[i] == FIELD_COMMA ? rows : 0;
        if (look->looks[i].others && look->news[i] == NEWS_ALL)
            look->news[i] = NEWS_NO_WORD;
    }
}

// Rows tend to be like the one before: those are counted together.
static void count_row(struct look *look)
{
    look->begun = false;
    if (memcmp(look->kinds, look->last, look->schema->column_count) == 0) {
        look->repeats++;
        return;
    }
    add_kinds(look, look->last, look->repeats);
    add_kinds(look, look->kinds, 1);
    look->repeats = 0;
    uint8_t *swap = look->last;
    look->last = look->kinds;
    look->kinds = swap;
}

// ---- rows as they usually are: see quick.c ----

// A field that is not a plain number; false if the row is one for the rules.
static bool look_quickly(struct look *look, size_t i, const char *start, const char *end,
                         bool uneven)
{
    struct csv_cursor *cursor = &look->cursor;
    struct csv_field field = {.line = cursor->line};
    const char *text = start, *stop = end;
    enum scan_field found = scan_field(true, uneven, &text, &stop);
    if (found == SCAN_ODD)
        return false;
    if (found == SCAN_STRICT) {
        cursor->at = start;
        return look_strictly(look, i, &field) && cursor->at == end + 1;
    }
    field.text = text;
    field.length = (size_t)(stop - text);
    field.column = (size_t)(text - cursor->line_start) + (found == SCAN_PLAIN);
    look_at_text(look, i, &field, look->floor);
    return true;
}

static void end_row(struct look *look, const char *end)
{
    struct csv_cursor *cursor = &look->cursor;
    if (look->begun)
        count_row(look);
    else
        look->usual_rows++;
    cursor->at = end;
    if (cursor->line_start != end) // else it was a strict field that ended the row
        csv_new_line(cursor);
    cursor->row_start = cursor->at;
    cursor->row_line = cursor->line;
}

// The place of the blocks in the current row.
struct place {
    const char *field; // the start of the field that goes on
    size_t fields;     // of the row, before it
};

#define INLINE static inline __attribute__((always_inline))

// Whether a field is a word at first sight, and that is no news.
INLINE bool is_usual_word(const struct look *look, size_t i, const char *text, const char *end)
{
    text += *text == ' ';
    text += *text == '"';
    return look->news[i] == NEWS_NO_WORD && text < end && begins_word(text[0], text[1]);
}

// A field that is not a plain number; false if the row is one for the rules.
INLINE bool look_at_odd(struct look *look, size_t i, const char *start, const char *end,
                        bool uneven)
{
    if (!look->begun) {
        memcpy(look->kinds, look->usual, look->schema->column_count);
        look->begun = true;
    }
    if (!uneven && look->news[i] == NEWS_NONE)
        return true;
    if (uneven || !is_usual_word(look, i, start, end))
        return look_quickly(look, i, start, end, uneven);
    look->kinds[i] = FIELD_WORD;
    return true;
}

// Looks at the odd fields of a block and at its rows' ends; false if a row is one for the rules.
INLINE bool look_at_block(struct look *look, struct place *place, const char *block,
                          const struct number_masks *masks, uint64_t odd)
{
    size_t count = look->schema->column_count, fields = place->fields;
    for (uint64_t left = masks->newlines | odd; left; left &= left - 1) {
        uint64_t bit = left & -left, before = masks->ends & (bit - 1);
        size_t column = fields + (size_t)__builtin_popcountll(before);
        const char *end = block + __builtin_ctzll(bit);
        const char *start = before ? block + (SCAN_BLOCK - __builtin_clzll(before)) : place->field;
        if (column >= count ||
            (odd & bit && !look_at_odd(look, column, start, end, (masks->uneven & bit) != 0)))
            return false;
        if (!(masks->newlines & bit))
            continue;
        if (column + 1 != count)
            return false;
        end_row(look, end + 1);
        fields -= column + 1; // what is before in this block does not count
    }
    place->fields = fields;
    return true;
}

typedef void walk_function(struct look *look);

// Looks at rows from the cursor on, up to one for the rules or to the last without an end.
INLINE void walk(struct look *look, number_masks_function *number_masks,
                 loose_masks_function *loose_masks)
{
    const char *at = look->cursor.at, *limit = look->cursor.limit;
    char delimiter = look->cursor.delimiter, last[SCAN_BLOCK] = {0};
    struct plain_state plain = plain_start();
    struct place place = {at, 0};
    look->begun = false;
    for (; at < limit; at += SCAN_BLOCK) {
        const char *block = at;
        if (limit - at < SCAN_BLOCK)
            block = memcpy(last, at, (size_t)(limit - at));
        struct number_masks masks = number_masks(block, delimiter);
        uint64_t odd = plain_odd(&plain, &masks, block, loose_masks);
        if ((odd | masks.newlines) && !look_at_block(look, &place, at, &masks, odd))
            return;
        place.fields += (size_t)__builtin_popcountll(masks.ends);
        if (masks.ends)
            place.field = at + (SCAN_BLOCK - __builtin_clzll(masks.ends));
    }
}

static void walk_plain(struct look *look)
{
    walk(look, number_masks_plain, loose_masks_plain);
}

#ifdef SCAN_SSE2
static void walk_sse2(struct look *look)
{
    walk(look, number_masks_sse2, loose_masks_sse2);
}

SCAN_AVX2 static void walk_avx2(struct look *look)
{
    walk(look, number_masks_avx2, loose_masks_avx2);
}

SCAN_AVX512 static void walk_avx512(struct look *look)
{
    walk(look, number_masks_avx512, loose_masks_avx512);
}
#endif

static walk_function *choose_walk(enum csv_way way)
{
    switch (csv_best_way(way)) {
#ifdef SCAN_SSE2
    case CSV_AVX512:
        return walk_avx512;
    case CSV_AVX2:
        return walk_avx2;
    case CSV_SSE2:
        return walk_sse2;
#endif
    default:
        return walk_plain;
    }
}

// ---- a chunk ----

static void look_at_rows(struct look *look, walk_function *walk_on)
{
    struct csv_cursor *cursor = &look->cursor;
    while (!look->memory_out && cursor->at < cursor->limit) {
        cursor->row_start = cursor->at;
        cursor->row_line = cursor->line;
        if (walk_on) {
            walk_on(look);
            csv_to_row_start(cursor);
        }
        if (look->memory_out || !csv_next_row(cursor))
            return;
        if (look_at_row(look))
            count_row(look);
        else if (!look->memory_out)
            csv_skip_row(cursor);
    }
}

bool csv_kinds_scan(const struct schema *schema, struct column_look *looks, const char *bytes,
                    size_t size, uint64_t *lines, int way)
{
    size_t count = schema->column_count;
    uint8_t *kinds = memory_new(4 * count, 1);
    if (!kinds)
        return false;
    struct look look = {.schema = schema,
                        .looks = looks,
                        .cursor = csv_start(bytes, size, schema->delimiter),
                        .floor = bytes,
                        .lines_before = *lines,
                        .kinds = kinds,
                        .last = memset(kinds + count, 0xFF, count), // like no row
                        .usual = kinds + 2 * count,
                        .news = kinds + 3 * count};
    for (size_t i = 0; i < count; i++) {
        look.usual[i] = looks[i].open ? FIELD_NUMBER : FIELD_MISSING;
        look.news[i] = !looks[i].open ? NEWS_NONE : looks[i].others ? NEWS_NO_WORD : NEWS_ALL;
    }
    look.cursor.marked = byte_order_mark(bytes, size) != NULL;
    // An empty line would be a row of one field.
    bool quick = way != CSV_STRICT && schema->delimiter != ' ' && !look.cursor.marked && count > 1;
    look_at_rows(&look, quick ? choose_walk((enum csv_way)way) : NULL);
    add_kinds(&look, look.last, look.repeats);
    add_kinds(&look, look.usual, look.usual_rows);
    *lines += look.cursor.line - (look.cursor.at == look.cursor.line_start);
    memory_free(kinds);
    csv_end(&look.cursor);
    return !look.memory_out;
}
