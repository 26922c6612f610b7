#include "input/csv/fields.h"

#include "base/memory.h"
#include "input/csv/scan.h"

#include <string.h>

struct csv_cursor csv_start(const char *bytes, size_t size, char delimiter)
{
    return (struct csv_cursor){
        .at = bytes, .limit = bytes + size, .delimiter = delimiter, .line_start = bytes, .line = 1};
}

void csv_end(struct csv_cursor *cursor)
{
    memory_free(cursor->unquoted);
}

void csv_new_line(struct csv_cursor *cursor)
{
    cursor->line++;
    cursor->line_start = cursor->at;
}

bool csv_next_row(struct csv_cursor *cursor)
{
    while (cursor->at < cursor->limit) {
        const char *at = cursor->at;
        while (at < cursor->limit && (*at == ' ' || *at == '\r'))
            at++;
        if (at == cursor->limit)
            return false;
        if (*at != '\n') {
            cursor->row_start = cursor->at;
            cursor->row_line = cursor->line;
            return true;
        }
        cursor->at = at + 1;
        csv_new_line(cursor);
    }
    return false;
}

// After a field: the delimiter, the end of the row or the end of the chunk.
static bool end_field(struct csv_cursor *cursor, struct csv_field *field)
{
    const char *at = cursor->at, *limit = cursor->limit;
    while (at < limit && *at == ' ')
        at++;
    const char *end = at < limit && *at == '\r' ? at + 1 : at;
    field->last = end == limit || *end == '\n';
    if (field->last) {
        cursor->at = end;
        if (end < limit) {
            cursor->at++;
            csv_new_line(cursor);
        }
        return true;
    }
    if (cursor->delimiter == ' ') { // several blanks are one, and none ends a row
        bool blank = at > cursor->at;
        cursor->at = at;
        return blank;
    }
    if (*at != cursor->delimiter)
        return false;
    cursor->at = at + 1;
    return true;
}

static enum parse_result quoted_field(struct csv_cursor *cursor, struct csv_field *field,
                                      struct bad_row *bad)
{
    const char *start = ++cursor->at; // after the quote
    size_t length = 0;
    field->text = start;
    bool doubled = false;
    for (;;) {
        const char *quote = memchr(cursor->at, '"', (size_t)(cursor->limit - cursor->at));
        const char *stop = quote ? quote : cursor->limit;
        size_t piece = (size_t)(stop - cursor->at);
        if (doubled && !cursor->bare) {
            if (!memory_reserve(&cursor->unquoted, &cursor->unquoted_capacity, length + piece + 1,
                                1))
                return PARSE_MEMORY;
            memcpy(cursor->unquoted + length, cursor->at, piece);
        }
        for (const char *at = cursor->at; at < stop;) {
            const char *newline = memchr(at, '\n', (size_t)(stop - at));
            if (!newline)
                break;
            cursor->line++;
            cursor->line_start = at = newline + 1;
        }
        length += piece;
        if (!quote) {
            cursor->at = cursor->limit;
            bad->line = field->line;
            return bad_row_set(bad, field->column, "this quote is never closed");
        }
        cursor->at = quote + 1;
        if (cursor->at == cursor->limit || *cursor->at != '"')
            break;
        cursor->at++;
        if (cursor->bare)
            continue;
        if (!doubled) { // the first doubled quote: from here on the text is a copy
            doubled = true;
            if (!memory_reserve(&cursor->unquoted, &cursor->unquoted_capacity, length + 1, 1))
                return PARSE_MEMORY;
            memcpy(cursor->unquoted, start, length);
        }
        if (!memory_reserve(&cursor->unquoted, &cursor->unquoted_capacity, length + 1, 1))
            return PARSE_MEMORY;
        cursor->unquoted[length++] = '"';
    }
    if (doubled)
        field->text = cursor->unquoted;
    field->length = length;
    uint64_t line = cursor->line;
    size_t column = (size_t)(cursor->at - cursor->line_start) + 1;
    if (end_field(cursor, field))
        return PARSE_OK;
    bad->line = line;
    return bad_row_set(bad, column,
                       "expected the delimiter or the end of the row after a quoted "
                       "field; a quote inside it is written twice");
}

// Whether a byte order mark is in a field without quotes; in quotes it is a character like others.
static bool has_mark(const struct csv_cursor *cursor, const char *start, const char *end,
                     struct bad_row *bad)
{
    const char *mark =
        cursor->marked && !cursor->bare ? byte_order_mark(start, (size_t)(end - start)) : NULL;
    if (!mark)
        return false;
    bad->line = cursor->line;
    bad_row_marked(bad, (size_t)(mark - cursor->line_start) + 1);
    return true;
}

// The first delimiter, newline or quote from `at` on, or the limit.
static const char *find_end(const char *at, const char *limit, char delimiter)
{
#ifdef SCAN_SSE2
    const __m128i delimiters = _mm_set1_epi8(delimiter), newlines = _mm_set1_epi8('\n'),
                  quotes = _mm_set1_epi8('"');
    for (; limit - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i found = _mm_or_si128(
            _mm_cmpeq_epi8(bytes, delimiters),
            _mm_or_si128(_mm_cmpeq_epi8(bytes, newlines), _mm_cmpeq_epi8(bytes, quotes)));
        unsigned bits = (unsigned)_mm_movemask_epi8(found);
        if (bits)
            return at + __builtin_ctz(bits);
    }
#endif
    while (at < limit && *at != delimiter && *at != '\n' && *at != '"')
        at++;
    return at;
}

enum parse_result csv_next_field(struct csv_cursor *cursor, struct csv_field *field,
                                 struct bad_row *bad)
{
    while (cursor->at < cursor->limit && *cursor->at == ' ')
        cursor->at++;
    field->line = cursor->line;
    field->column = (size_t)(cursor->at - cursor->line_start) + 1;
    if (cursor->at < cursor->limit && *cursor->at == '"')
        return quoted_field(cursor, field, bad);

    const char *start = cursor->at, *at = find_end(start, cursor->limit, cursor->delimiter);
    if (has_mark(cursor, start, at, bad))
        return PARSE_BAD;
    if (at < cursor->limit && *at == '"') {
        bad->line = cursor->line;
        return bad_row_set(bad, (size_t)(at - cursor->line_start) + 1,
                           "a quote in the middle of a field: put the whole field in quotes and "
                           "write each quote inside it twice");
    }
    cursor->at = at;
    const char *stop = at;
    if (stop > start && stop[-1] == '\r' && (at == cursor->limit || *at == '\n'))
        stop--;
    while (stop > start && stop[-1] == ' ')
        stop--;
    field->text = start;
    field->length = (size_t)(stop - start);
    end_field(cursor, field); // cannot fail: it stands at the delimiter or at an end
    return PARSE_OK;
}

void csv_to_row_start(struct csv_cursor *cursor)
{
    cursor->at = cursor->line_start = cursor->row_start;
    cursor->line = cursor->row_line;
}

bool csv_skip_row(struct csv_cursor *cursor)
{
    struct csv_field field = {.last = false};
    struct bad_row ignored;
    bool bare = cursor->bare, open = false;
    cursor->bare = true;
    csv_to_row_start(cursor);
    while (!field.last)
        if (csv_next_field(cursor, &field, &ignored) != PARSE_OK) {
            open = cursor->at == cursor->limit;
            csv_to_row_start(cursor);
            const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->limit - cursor->at));
            cursor->at = newline ? newline + 1 : cursor->limit;
            if (newline)
                csv_new_line(cursor);
            break;
        }
    cursor->bare = bare;
    return !open;
}

// Steps over the row at `row` and the ones after it until it is past `odd`; the place after the
// last of them. *open if that one has no end.
static const char *step_strictly(const char *row, const char *odd, const char *limit,
                                 char delimiter, bool *open)
{
    struct csv_cursor cursor = csv_start(row, (size_t)(limit - row), delimiter);
    while (row <= odd && !*open) {
        *open = !csv_next_row(&cursor);
        if (*open)
            break;
        row = cursor.at; // empty lines before the row
        *open = !csv_skip_row(&cursor) || cursor.at != cursor.line_start;
        if (!*open)
            row = cursor.at;
    }
    return row; // the cursor has no memory of its own: it was bare
}

// What csv_complete knows of the bytes before a block.
struct quote_check {
    uint64_t inside;  // all ones inside quotes
    uint64_t opens;   // 1: a quote may open here
    uint64_t closing; // 1: the last byte closed a quote
};

// The first byte of a block that makes its row one for the strict rules: a quote that opens neither
// at the start of a field nor right after another, or closes elsewhere than at its end. 64: none.
static int odd_quote(const struct block_masks *masks, uint64_t inside, struct quote_check *check,
                     const char *block, const char *limit)
{
    uint64_t ends = masks->ends & ~inside;
    uint64_t opening = masks->quotes & inside, closing = masks->quotes & ~inside;
    uint64_t odd = opening & ~((ends | closing) << 1 | check->opens);
    uint64_t after = (closing << 1 | check->closing) & ~(ends | opening);
    check->opens = (ends | closing) >> 63;
    check->closing = closing >> 63;
    for (; after; after &= after - 1) {
        const char *at = block + __builtin_ctzll(after);
        if (at < limit && !(*at == '\r' && (at + 1 == limit || at[1] == '\n')))
            odd |= after & -after;
    }
    return odd ? __builtin_ctzll(odd) : SCAN_BLOCK;
}

size_t csv_complete(const char *bytes, size_t size, char delimiter)
{
    const char *limit = bytes + size, *row = bytes;
    if (!memchr(bytes, '"', size)) {
        const char *newline = memrchr(bytes, '\n', size);
        return newline ? (size_t)(newline - bytes) + 1 : 0;
    }
    bool open = false;
    if (delimiter == ' ')
        return (size_t)(step_strictly(bytes, limit, limit, delimiter, &open) - bytes);
    masks_function *masks_of = csv_masks(CSV_BEST);
    struct quote_check check = {.opens = 1};
    for (const char *at = bytes; at < limit && !open;) {
        char last[SCAN_BLOCK] = {0};
        const char *block = at;
        if (limit - at < SCAN_BLOCK)
            block = memcpy(last, at, (size_t)(limit - at));
        struct block_masks masks = masks_of(block, delimiter);
        uint64_t inside = scan_inside(masks.quotes, &check.inside);
        int odd = odd_quote(&masks, inside, &check, at, limit);
        uint64_t newlines = masks.newlines & ~inside;
        if (odd < SCAN_BLOCK)
            newlines &= ((uint64_t)1 << odd) - 1;
        if (newlines)
            row = at + (SCAN_BLOCK - __builtin_clzll(newlines));
        at += SCAN_BLOCK;
        if (odd == SCAN_BLOCK)
            continue;
        at = row = step_strictly(row, at - SCAN_BLOCK + odd, limit, delimiter, &open);
        check = (struct quote_check){.opens = 1};
    }
    return (size_t)(row - bytes);
}

bool csv_is_missing(const char *text, size_t length)
{
    switch (length) {
    case 0:
        return true;
    case 1:
        return text[0] == '?';
    case 2:
        return memcmp(text, "NA", 2) == 0;
    case 3:
        return memcmp(text, "N/A", 3) == 0 || memcmp(text, "nan", 3) == 0 ||
               memcmp(text, "NaN", 3) == 0;
    case 4:
        return memcmp(text, "null", 4) == 0 || memcmp(text, "NULL", 4) == 0;
    default:
        return false;
    }
}
