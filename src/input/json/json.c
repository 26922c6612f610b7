#include "input/json/json.h"

#include "input/bytes.h"
#include "input/text/unicode.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

#define SPACES (UINT64_C(1) << ' ' | 1 << '\t' | 1 << '\r' | 1 << '\n')

static inline bool is_space(char c)
{
    return (unsigned char)c <= ' ' && SPACES >> c & 1;
}

static inline __attribute__((always_inline)) void skip_blanks(struct named_row *row)
{
    while (row->cursor < row->end && is_space(*row->cursor))
        row->cursor++;
}

static bool ends_word(char c)
{
    return is_space(c) || c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']' ||
           c == '"' || c == '\0';
}

// The end of the text that a message quotes from `at`: a word, or else one character.
static const char *word_end(const struct named_row *row, const char *at)
{
    const char *end = at;
    while (end < row->end && !ends_word(*end))
        end++;
    return end == at && at < row->end ? at + 1 : end;
}

static enum parse_result expected(struct named_row *row, const char *what)
{
    return named_expected(row, row->cursor, word_end(row, row->cursor), what);
}

char json_peek(struct named_row *row)
{
    skip_blanks(row);
    return row->cursor < row->end ? *row->cursor : '\0';
}

enum parse_result json_expect(struct named_row *row, char c)
{
    if (json_peek(row) != c) {
        char what[] = "'?'";
        what[1] = c;
        return expected(row, what);
    }
    row->cursor++;
    skip_blanks(row);
    return PARSE_OK;
}

// ---- strings ----

// Reads four hexadecimal digits at the cursor. UNICODE_NONE: they are not there.
static uint32_t hex4(struct named_row *row)
{
    uint32_t code = 0;
    if (row->end - row->cursor < 4)
        return UNICODE_NONE;
    for (int i = 0; i < 4; i++) {
        char c = *row->cursor++, letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            code = code << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return UNICODE_NONE;
    }
    return code;
}

// Reads what follows "\u": a character, as a surrogate pair if it is above U+FFFF.
static uint32_t escaped_code(struct named_row *row)
{
    uint32_t code = hex4(row);
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (row->end - row->cursor < 2 || row->cursor[0] != '\\' || row->cursor[1] != 'u')
            return UNICODE_NONE;
        row->cursor += 2;
        uint32_t low = hex4(row);
        if (low < 0xDC00 || low > 0xDFFF)
            return UNICODE_NONE;
        return 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
    }
    return code >= 0xDC00 && code <= 0xDFFF ? UNICODE_NONE : code;
}

// Reads what follows a backslash, and writes the character that it stands for.
static enum parse_result escape(struct named_row *row, char *out, size_t *length)
{
    static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const char *start = row->cursor - 1;
    if (row->cursor == row->end)
        return named_expected(row, row->end, row->end, "a character after '\\'");
    char c = *row->cursor++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        *out = codes[letter - letters];
        *length = 1;
        return PARSE_OK;
    }
    uint32_t code = c == 'u' ? escaped_code(row) : UNICODE_NONE;
    if (code == UNICODE_NONE || code == 0) {
        const char *stop = start + 2 < row->end ? start + 2 : row->end;
        while (c == 'u' && stop < row->end && stop < start + 6 && *stop != '"')
            stop++;
        return named_expected(row, start, stop,
                              code == 0 ? "a character other than NUL"
                                        : "an escape such as \\n or \\u00E9");
    }
    *length = unicode_write(out, code);
    return PARSE_OK;
}

// Copies ASCII characters, eight at a time, up to the first quote, backslash, control character or
// other byte, and advances *out. The buffer must hold as many bytes as the row has left.
static void copy_plain(struct named_row *row, char **out)
{
    uint64_t bytes, others = 0;
    while (row->end - row->cursor >= 8 && !others) {
        bytes = load_word(row->cursor);
        store_word(*out, bytes);
        uint64_t low = bytes & EVERY(0x7F);
        uint64_t plain =
            bytes_from(low, 0x20) & ~bytes_between(low, '"', '"') & ~bytes_between(low, '\\', '\\');
        others = gather_bits(bytes | ~plain);
        size_t count = others ? (size_t)__builtin_ctzll(others) : 8;
        row->cursor += count;
        *out += count;
    }
}

// Copies one ASCII character, or a sequence of characters of more than one byte.
static enum parse_result copy_characters(struct named_row *row, char **out)
{
    unsigned char c = (unsigned char)*row->cursor;
    if (c < 0x20)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "a control character (\\x%02x) in a string must be escaped", c);
    if (c < 0x80) {
        *(*out)++ = *row->cursor++;
        return PARSE_OK;
    }
    while (row->cursor < row->end && (c = (unsigned char)*row->cursor) >= 0x80) {
        size_t bytes;
        if (unicode_read(row->cursor, row->end, &bytes) == UNICODE_NONE)
            return bad_row_set(row->bad, named_column(row, row->cursor),
                               "byte \\x%02x is not UTF-8; convert the file to UTF-8", c);
        for (; bytes; bytes--)
            *(*out)++ = *row->cursor++;
    }
    return PARSE_OK;
}

enum parse_result json_string(struct named_row *row, char *out, size_t *length)
{
    if (json_peek(row) != '"')
        return expected(row, "a string in double quotes");
    const char *opening = row->cursor++;
    char *at = out;
    copy_plain(row, &at);
    while (row->cursor < row->end && *row->cursor != '"') {
        if (*row->cursor == '\\') {
            size_t bytes = 0;
            row->cursor++;
            TRY_PARSE(escape(row, at, &bytes));
            at += bytes;
        } else {
            TRY_PARSE(copy_characters(row, &at));
        }
        copy_plain(row, &at);
    }
    *length = (size_t)(at - out);
    if (row->cursor == row->end)
        return bad_row_set(row->bad, named_column(row, opening),
                           "this quote is never closed; add the closing one");
    row->cursor++;
    skip_blanks(row);
    return PARSE_OK;
}

// ---- other values ----

// The end of a number in JSON's grammar, which is stricter than number_parse; NULL: none is here.
//     [-] (0 | 1-9 digits) [. digits] [e [+-] digits]
static const char *number_end(const char *at, const char *end)
{
    const char *start;
    if (at < end && *at == '-')
        at++;
    if (at == end || *at < '0' || *at > '9')
        return NULL;
    bool zero = *at++ == '0';
    while (!zero && at < end && *at >= '0' && *at <= '9')
        at++;
    if (at < end && *at == '.') {
        for (start = ++at; at < end && *at >= '0' && *at <= '9';)
            at++;
        if (at == start)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        for (start = at; at < end && *at >= '0' && *at <= '9';)
            at++;
        if (at == start)
            return NULL;
    }
    return at;
}

enum parse_result json_read_number(struct named_row *row, double *value, const char **text,
                                   size_t *length)
{
    json_peek(row);
    const char *start = row->cursor, *end = number_end(start, row->end), *stop;
    if (!end || (end < row->end && !ends_word(*end)))
        return expected(row, "a number");
    *text = start;
    *length = (size_t)(end - start);
    float kept;
    const char *problem = NULL;
    if (value) {
        enum number_result result = number_parse(start, end, value, &stop);
        problem = value_problem(result, *value, &kept);
    }
    char found[64];
    if (problem)
        return bad_row_set(row->bad, named_column(row, start), "the value %s %s",
                           error_quote(found, sizeof found, start, *length), problem);
    row->cursor = end;
    skip_blanks(row);
    return PARSE_OK;
}

enum parse_result json_literal(struct named_row *row)
{
    char c = json_peek(row);
    const char *word = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : NULL;
    const char *end = word_end(row, row->cursor);
    if (!word || (size_t)(end - row->cursor) != strlen(word) ||
        memcmp(row->cursor, word, strlen(word)) != 0)
        return expected(row, "a JSON value");
    row->cursor = end;
    skip_blanks(row);
    return PARSE_OK;
}

// ---- objects and arrays ----

enum parse_result json_open(struct named_row *row, char close, int depth, bool *more)
{
    if (depth >= JSON_DEPTH)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "more than %d objects and arrays nested in one another", JSON_DEPTH);
    row->cursor++;
    *more = json_peek(row) != close;
    return *more ? PARSE_OK : json_expect(row, close);
}

enum parse_result json_next(struct named_row *row, char close, bool *more)
{
    *more = json_peek(row) == ',';
    if (*more)
        return json_expect(row, ',');
    if (json_peek(row) != close)
        return expected(row, close == '}' ? "',' or '}'" : "',' or ']'");
    return json_expect(row, close);
}

enum parse_result json_key(struct named_row *row, char *out, size_t *length)
{
    if (json_peek(row) != '"')
        return expected(row, "a key in double quotes");
    TRY_PARSE(json_string(row, out, length));
    return json_expect(row, ':');
}

enum parse_result json_skip(struct named_row *row, char *scratch, int depth)
{
    char c = json_peek(row);
    size_t length;
    const char *text;
    if (c == '"')
        return json_string(row, scratch, &length);
    if (c == '-' || (c >= '0' && c <= '9'))
        return json_read_number(row, NULL, &text, &length);
    if (c != '{' && c != '[')
        return json_literal(row);
    char close = c == '{' ? '}' : ']';
    bool more;
    TRY_PARSE(json_open(row, close, depth, &more));
    while (more) {
        if (c == '{')
            TRY_PARSE(json_key(row, scratch, &length));
        TRY_PARSE(json_skip(row, scratch, depth + 1));
        TRY_PARSE(json_next(row, close, &more));
    }
    return PARSE_OK;
}
