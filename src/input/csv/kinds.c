// Which columns of a training file hold numbers. Every row is examined before the first one is
// parsed, because the last row may hold the only word of a column. Bit masks find the fields that
// are plain numbers, 64 bytes at a time; only the other fields and the line ends are examined one
// by one.
#include "input/csv/internal.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "input/csv/numbers.h"
#include "numeric/number.h"

#include <pthread.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// ---- plain numbers ----

// A plain number is [-] digits [. digits], with blanks before it, in a pair of quotes or not. The
// other fields, called odd, and the quotes of the row are examined one by one.

// The bytes of a block that are of a kind, the first in the lowest bit.
struct number_masks {
    uint64_t ends; // of fields: delimiters and newlines
    uint64_t newlines, digits, points, minuses;
    uint64_t uneven; // of the ends those whose fields have quotes or newlines for the rules
};

// What is carried from block to block, 1 or 0 each.
struct plain_state {
    uint64_t start;    // a field starts at the next byte, or blanks before it go on
    uint64_t point;    // the last digits came after a point
    uint64_t digit;    // the field that goes on has a digit
    uint64_t odd;      // and is odd
    uint64_t inside;   // all ones: quotes are open
    uint64_t opened;   // the last byte opened them
    uint64_t closed;   // closed them
    uint64_t returned; // was a carriage return
    uint64_t loose;    // any of the four above
    uint64_t uneven;   // the field that goes on has quotes or newlines for the rules
};

static inline uint64_t plain_add(uint64_t a, uint64_t b, uint64_t *carry)
{
    uint64_t sum;
    bool first = __builtin_add_overflow(a, b, &sum);
    bool second = __builtin_add_overflow(sum, *carry, &sum);
    *carry = first | second;
    return sum;
}

// A block with something else than bare numbers in it. Takes the ends inside quotes out; returns
// the bytes that plain numbers do not have.
INLINE uint64_t plain_loose(struct plain_state *state, struct number_masks *masks,
                            const char *block, either_function *either)
{
    uint64_t quotes = either(block, '"', '"'), blanks = either(block, ' ', ' ');
    uint64_t returns = either(block, '\r', '\r'), inside = 0, next;
    if (quotes | state->inside) {
        inside = scan_inside(quotes, &state->inside);
        masks->uneven = masks->newlines & inside;
        masks->ends &= ~inside;
        masks->newlines &= ~inside;
    }
    uint64_t opening = quotes & inside, closing = quotes & ~inside;
    // The sum moves a field's start over the blanks that are there.
    uint64_t starts = masks->ends << 1 | state->start;
    bool over = __builtin_add_overflow(blanks, starts & blanks, &next);
    uint64_t leading = blanks & ~next;
    starts = (starts | next) & ~blanks;
    uint64_t contents = (starts & ~opening) | (starts & opening) << 1 | state->opened;
    uint64_t known =
        masks->ends | masks->digits | masks->points | masks->minuses | leading | quotes | returns;
    masks->uneven |= (opening & ~starts) |
                     ((closing << 1 | state->closed) & ~(masks->ends | returns)) |
                     ((returns << 1 | state->returned) & ~masks->newlines);
    uint64_t bad = ~known | (masks->minuses & ~contents) | masks->uneven;
    state->start = masks->ends >> 63 | over;
    state->opened = (starts & opening) >> 63;
    state->closed = closing >> 63;
    state->returned = returns >> 63;
    state->loose = state->inside | state->opened | state->closed | state->returned;
    return bad;
}

// Of the ends in a block those whose fields are odd. The ends of *masks become those outside
// quotes.
INLINE uint64_t plain_odd(struct plain_state *state, struct number_masks *masks, const char *block,
                          either_function *either)
{
    uint64_t rest = ~(masks->ends | masks->digits | masks->points | masks->minuses), bad, sum;
    if (rest | state->loose) {
        bad = plain_loose(state, masks, block, either);
    } else {
        bad = masks->minuses & ~(masks->ends << 1 | state->start);
        state->start = masks->ends >> 63;
    }
    // From each point a carry runs over the digits after it, to the byte that follows them.
    bool over = __builtin_add_overflow(masks->digits, masks->points << 1 | state->point, &sum);
    bad |= sum & masks->points;
    state->point = over | masks->points >> 63;
    // In the same way a carry runs from a byte to the end of its field.
    uint64_t odd = 0, fields = ~masks->ends;
    if (bad | state->odd)
        odd = plain_add(fields, bad & fields, &state->odd) | bad;
    if (masks->uneven | state->uneven)
        masks->uneven |= plain_add(fields, masks->uneven & fields, &state->uneven);
    odd |= ~plain_add(fields, masks->digits, &state->digit);
    return odd & masks->ends;
}

// ---- one chunk ----

enum field_kind { FIELD_MISSING, FIELD_NUMBER, FIELD_WORD, FIELD_COMMA };

// What is still to be found out about the odd fields of a column.
enum news {
    NEWS_ALL,     // their kinds, and where the first word is
    NEWS_NO_WORD, // the kinds alone
    NEWS_NONE     // nothing: the column is not open
};

// The scan of one chunk, by one thread.
struct kind_scan {
    const struct schema *schema;
    struct column_stats *stats;
    struct csv_cursor cursor;
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

// Whether a field is a word by its first two characters. Numbers and missing values do not begin
// with a letter, except nan, null, NA, N/A and inf.
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

#define COMMA_LONGEST 64 // bytes of a number with a decimal comma

// What a field of an open column is.
static enum field_kind kind_of_text(const char *text, size_t length, bool decimal_comma)
{
    if (length && begins_word(text[0], length > 1 ? text[1] : ' '))
        return FIELD_WORD;
    if (csv_is_missing(text, length))
        return FIELD_MISSING;
    float value;
    double number;
    char pointed[COMMA_LONGEST];
    if (decimal_comma && length <= COMMA_LONGEST) {
        for (size_t i = 0; i < length; i++)
            pointed[i] = text[i] == ',' ? '.' : text[i] == '.' ? ',' : text[i];
        text = pointed;
    }
    const char *end, *limit = text + length;
    if (csv_decimal_number(text, limit, &value) ||
        (number_parse(text, limit, &number, &end) != NUMBER_NONE && end == limit))
        return FIELD_NUMBER;
    // With decimal commas, points alone may be those of a date.
    bool commas = has_decimal_comma(text, length) && (!decimal_comma || memchr(text, '.', length));
    return commas ? FIELD_COMMA : FIELD_WORD;
}

static void examine_text(struct kind_scan *scan, size_t i, const struct csv_field *field)
{
    scan->kinds[i] = FIELD_MISSING;
    if (scan->usual[i] != FIELD_NUMBER)
        return;
    scan->kinds[i] = (uint8_t)kind_of_text(field->text, field->length, scan->schema->decimal_comma);
    struct column_stats *column = &scan->stats[i];
    if (scan->kinds[i] >= FIELD_WORD && column->others == 0) { // the first, if the row is fine
        column->other_line = scan->lines_before + field->line;
        column->other_column = field->column;
        error_quote(column->other, sizeof column->other, field->text, field->length);
    }
}

// The next field by the rules; false if it is malformed.
static bool examine_strictly(struct kind_scan *scan, size_t i, struct csv_field *field)
{
    struct bad_row bad;
    enum parse_result result = csv_next_field(&scan->cursor, field, &bad);
    scan->memory_out = result == PARSE_MEMORY;
    if (result == PARSE_OK)
        examine_text(scan, i, field);
    return result == PARSE_OK;
}

// Fills kinds[]; false if the row is malformed, and the kinds then mean nothing.
static bool examine_row(struct kind_scan *scan)
{
    struct csv_field field = {.last = false};
    size_t i = 0;
    for (; !field.last && i < scan->schema->column_count; i++)
        if (!examine_strictly(scan, i, &field))
            return false;
    return field.last && i == scan->schema->column_count;
}

// ---- counting rows ----

static void add_kinds(struct kind_scan *scan, const uint8_t *kinds, uint64_t rows)
{
    for (size_t i = 0; rows && i < scan->schema->column_count; i++) {
        scan->stats[i].numbers += kinds[i] == FIELD_NUMBER ? rows : 0;
        scan->stats[i].others += kinds[i] >= FIELD_WORD ? rows : 0;
        scan->stats[i].commas += kinds[i] == FIELD_COMMA ? rows : 0;
        scan->stats[i].missing += kinds[i] == FIELD_MISSING ? rows : 0;
        if (scan->stats[i].others && scan->news[i] == NEWS_ALL)
            scan->news[i] = NEWS_NO_WORD;
    }
}

// Rows tend to have the same kinds as the row before: these are counted together.
static void count_row(struct kind_scan *scan)
{
    scan->begun = false;
    if (memcmp(scan->kinds, scan->last, scan->schema->column_count) == 0) {
        scan->repeats++;
        return;
    }
    add_kinds(scan, scan->last, scan->repeats);
    add_kinds(scan, scan->kinds, 1);
    scan->repeats = 0;
    uint8_t *swap = scan->last;
    scan->last = scan->kinds;
    scan->kinds = swap;
}

// ---- usual rows ----

// False if the row of the field is for the rules.
static bool examine_quickly(struct kind_scan *scan, size_t i, const char *start, const char *end,
                            bool uneven)
{
    struct csv_cursor *cursor = &scan->cursor;
    struct csv_field field = {.line = cursor->line};
    const char *text = start, *stop = end;
    enum scan_field found = scan_field(true, uneven, &text, &stop);
    if (found == SCAN_ODD)
        return false;
    if (found == SCAN_STRICT) {
        cursor->at = start;
        return examine_strictly(scan, i, &field) && cursor->at == end + 1;
    }
    field.text = text;
    field.length = (size_t)(stop - text);
    field.column = (size_t)(text - cursor->line_start) + (found == SCAN_PLAIN);
    examine_text(scan, i, &field);
    return true;
}

static void end_row(struct kind_scan *scan, const char *end)
{
    struct csv_cursor *cursor = &scan->cursor;
    if (scan->begun)
        count_row(scan);
    else
        scan->usual_rows++;
    cursor->at = end;
    if (cursor->line_start != end) // else it was a strict field that ended the row
        csv_new_line(cursor);
    cursor->row_start = cursor->at;
    cursor->row_line = cursor->line;
}

// The place of the blocks in the current row.
struct row_position {
    const char *field; // the start of the field that goes on
    size_t fields;     // of the row, before it
};

// Whether a field is a word at first sight, and that is no news.
INLINE bool is_usual_word(const struct kind_scan *scan, size_t i, const char *text, const char *end)
{
    text += *text == ' ';
    text += *text == '"';
    return scan->news[i] == NEWS_NO_WORD && text < end && begins_word(text[0], text[1]);
}

// Examines a field that is not a plain number; false if its row is for the rules.
INLINE bool examine_odd(struct kind_scan *scan, size_t i, const char *start, const char *end,
                        bool uneven)
{
    if (!scan->begun) {
        memcpy(scan->kinds, scan->usual, scan->schema->column_count);
        scan->begun = true;
    }
    if (!uneven && scan->news[i] == NEWS_NONE)
        return true;
    if (uneven || !is_usual_word(scan, i, start, end))
        return examine_quickly(scan, i, start, end, uneven);
    scan->kinds[i] = FIELD_WORD;
    return true;
}

// Examines the odd fields of a block and its line ends; false at a row for the rules.
INLINE bool examine_block(struct kind_scan *scan, struct row_position *place, const char *block,
                          const struct number_masks *masks, uint64_t odd)
{
    size_t count = scan->schema->column_count, fields = place->fields;
    for (uint64_t left = masks->newlines | odd; left; left &= left - 1) {
        uint64_t bit = left & -left, before = masks->ends & (bit - 1);
        size_t column = fields + (size_t)__builtin_popcountll(before);
        const char *end = block + __builtin_ctzll(bit);
        const char *start = before ? block + (BLOCK_BYTES - __builtin_clzll(before)) : place->field;
        if (column >= count ||
            (odd & bit && !examine_odd(scan, column, start, end, (masks->uneven & bit) != 0)))
            return false;
        if (!(masks->newlines & bit))
            continue;
        if (column + 1 != count)
            return false;
        end_row(scan, end + 1);
        fields -= column + 1; // what is before in this block does not count
    }
    place->fields = fields;
    return true;
}

typedef void scan_rows_function(struct kind_scan *scan);

// Examines rows from the cursor on, up to one for the rules or to the last without an end.
INLINE void scan_rows(struct kind_scan *scan, either_function *either, between_function *between)
{
    const char *at = scan->cursor.at, *limit = scan->cursor.limit;
    char delimiter = scan->cursor.delimiter, last[BLOCK_BYTES] = {0};
    char point = scan->schema->decimal_comma ? ',' : '.';
    struct plain_state plain = {.start = 1};
    struct row_position place = {at, 0};
    scan->begun = false;
    for (; at < limit; at += BLOCK_BYTES) {
        const char *block = at;
        if (limit - at < BLOCK_BYTES)
            block = memcpy(last, at, (size_t)(limit - at));
        uint64_t ends = either(block, delimiter, '\n'); // the delimiter may be any character
        struct number_masks masks = {.ends = ends,
                                     .newlines = either(block, '\n', '\n'),
                                     .digits = between(block, '0', '9') & ~ends,
                                     .points = either(block, point, point) & ~ends,
                                     .minuses = either(block, '-', '-') & ~ends};
        uint64_t odd = plain_odd(&plain, &masks, block, either);
        if ((odd | masks.newlines) && !examine_block(scan, &place, at, &masks, odd))
            return;
        place.fields += (size_t)__builtin_popcountll(masks.ends);
        if (masks.ends)
            place.field = at + (BLOCK_BYTES - __builtin_clzll(masks.ends));
    }
}

static void scan_rows_plain(struct kind_scan *scan)
{
    scan_rows(scan, either_plain, between_plain);
}

BYTES_AVX2 static void scan_rows_avx2(struct kind_scan *scan)
{
    scan_rows(scan, either_avx2, between_avx2);
}

// ---- a chunk ----

static void examine_rows(struct kind_scan *scan, scan_rows_function *scan_on)
{
    struct csv_cursor *cursor = &scan->cursor;
    while (!scan->memory_out && cursor->at < cursor->limit) {
        cursor->row_start = cursor->at;
        cursor->row_line = cursor->line;
        if (scan_on) {
            scan_on(scan);
            csv_to_row_start(cursor);
        }
        if (scan->memory_out || !csv_next_row(cursor))
            return;
        if (examine_row(scan))
            count_row(scan);
        else if (!scan->memory_out)
            csv_skip_row(cursor);
    }
}

bool csv_kinds_scan(const struct schema *schema, struct column_stats *stats, const char *bytes,
                    size_t size, uint64_t *lines, int way)
{
    size_t count = schema->column_count;
    uint8_t *kinds = memory_new(4 * count, 1);
    if (!kinds)
        return false;
    struct kind_scan scan = {.schema = schema,
                             .stats = stats,
                             .cursor = csv_start(bytes, size, schema->delimiter),
                             .lines_before = *lines,
                             .kinds = kinds,
                             .last = memset(kinds + count, 0xFF, count), // like no row
                             .usual = kinds + 2 * count,
                             .news = kinds + 3 * count};
    for (size_t i = 0; i < count; i++) {
        scan.usual[i] = stats[i].open ? FIELD_NUMBER : FIELD_MISSING;
        scan.news[i] = !stats[i].open ? NEWS_NONE : stats[i].others ? NEWS_NO_WORD : NEWS_ALL;
    }
    scan.cursor.marked = byte_order_mark(bytes, size) != NULL;
    // An empty line would be a row of one field.
    bool quick = way != CSV_STRICT && schema->delimiter != ' ' && !scan.cursor.marked && count > 1;
    bool avx2 = csv_uses_avx2((enum csv_way)way);
    examine_rows(&scan, !quick ? NULL : avx2 ? scan_rows_avx2 : scan_rows_plain);
    add_kinds(&scan, scan.last, scan.repeats);
    add_kinds(&scan, scan.usual, scan.usual_rows);
    *lines += scan.cursor.line - (scan.cursor.at == scan.cursor.line_start);
    memory_free(kinds);
    csv_end(&scan.cursor);
    return !scan.memory_out;
}

// ---- all chunks of a file, by several threads ----

struct kind_search {
    const struct schema *schema;
    csv_next_chunk *next;
    void *context;
    pthread_mutex_t reading; // chunks, in order
    size_t chunks;
    bool over;
    pthread_mutex_t adding; // what was found
    struct column_stats *stats;
    uint64_t *lines; // [chunks] in each
    size_t lines_capacity;
    tlu_status status;
    tlu_error error;
};

static void end_search(struct kind_search *search, tlu_status status, const tlu_error *error)
{
    pthread_mutex_lock(&search->adding);
    if (search->status == TLU_OK) {
        search->status = status;
        search->error = *error;
    }
    pthread_mutex_unlock(&search->adding);
}

// The number of the chunk, or SIZE_MAX at the end.
static size_t take_chunk(struct kind_search *search, size_t worker, const char **bytes,
                         size_t *size)
{
    size_t number = SIZE_MAX;
    tlu_error error;
    pthread_mutex_lock(&search->reading);
    if (!search->over) {
        tlu_status status = search->next(search->context, worker, bytes, size, &error);
        search->over = status != TLU_OK || *size == 0;
        if (status != TLU_OK)
            end_search(search, status, &error);
        else if (*size)
            number = search->chunks++;
    }
    pthread_mutex_unlock(&search->reading);
    return number;
}

// Adds what a chunk has shown; false if out of memory.
static bool add_stats(struct kind_search *search, struct column_stats *found, size_t chunk,
                      uint64_t lines)
{
    pthread_mutex_lock(&search->adding);
    bool fine =
        memory_reserve(&search->lines, &search->lines_capacity, chunk + 1, sizeof *search->lines);
    if (fine)
        search->lines[chunk] = lines;
    for (size_t i = 0; fine && i < search->schema->column_count; i++) {
        struct column_stats *stats = &search->stats[i];
        if (found[i].others && (stats->others == 0 || chunk < stats->other_chunk)) {
            stats->other_chunk = chunk;
            stats->other_line = found[i].other_line;
            stats->other_column = found[i].other_column;
            memcpy(stats->other, found[i].other, sizeof stats->other);
        }
        stats->numbers += found[i].numbers;
        stats->others += found[i].others;
        stats->commas += found[i].commas;
        stats->missing += found[i].missing;
        found[i].numbers = found[i].others = found[i].commas = found[i].missing = 0;
    }
    pthread_mutex_unlock(&search->adding);
    return fine;
}

static void search_chunks(struct kind_search *search, size_t worker)
{
    size_t columns = search->schema->column_count, chunk;
    struct column_stats *found = memory_new(columns, sizeof *found);
    const char *bytes;
    size_t size;
    bool fine = found != NULL;
    for (size_t i = 0; fine && i < columns; i++)
        found[i].open = search->stats[i].open;
    while (fine && (chunk = take_chunk(search, worker, &bytes, &size)) != SIZE_MAX) {
        uint64_t lines = 0;
        fine = csv_kinds_scan(search->schema, found, bytes, size, &lines, CSV_BEST) &&
               add_stats(search, found, chunk, lines);
    }
    if (!fine) {
        tlu_error error;
        end_search(search, error_memory(&error), &error);
        pthread_mutex_lock(&search->reading);
        search->over = true;
        pthread_mutex_unlock(&search->reading);
    }
    memory_free(found);
}

static void search_part(void *context, size_t first, size_t last)
{
    for (size_t worker = first; worker < last; worker++)
        search_chunks(context, worker);
}

tlu_status csv_kinds_search(const struct schema *schema, struct column_stats *stats,
                            uint64_t lines_before, size_t threads, csv_next_chunk *next,
                            void *context, tlu_error *error)
{
    struct kind_search search = {
        .schema = schema, .stats = stats, .next = next, .context = context};
    pthread_mutex_init(&search.reading, NULL);
    pthread_mutex_init(&search.adding, NULL);
    parallel_run(threads, threads, search_part, &search);
    if (search.status != TLU_OK && error)
        *error = search.error;
    // Lines of chunks become lines of the file.
    for (size_t i = 0; search.status == TLU_OK && i < schema->column_count; i++) {
        stats[i].other_line += stats[i].others ? lines_before : 0;
        for (size_t chunk = 0; stats[i].others && chunk < stats[i].other_chunk; chunk++)
            stats[i].other_line += search.lines[chunk];
    }
    pthread_mutex_destroy(&search.reading);
    pthread_mutex_destroy(&search.adding);
    memory_free(search.lines);
    return search.status;
}
