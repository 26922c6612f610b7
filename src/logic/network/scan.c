#include "logic/network/scan.h"

#include "input/text/unicode.h"

#include <string.h>

#define SHOWN_MAX 60 // bytes of a word in a message

static struct file_position position_of(const struct scan *scan, const char *at)
{
    return (struct file_position){scan->line, (uint64_t)(at - scan->line_start) + 1};
}

static tlu_status fail_at(const struct scan *scan, const char *at, const char *what)
{
    struct file_position position = position_of(scan, at);
    return error_at(scan->error, scan->path, position.line, position.column, "%s", what);
}

tlu_status scan_expected(const struct scan *scan, const char *what)
{
    char shown[SHOWN_MAX];
    const struct located_name *word = &scan->token.shown;
    if (scan->token.kind == TOKEN_END || scan->token.kind == TOKEN_LINE)
        return error_at(scan->error, scan->path, word->position.line, word->position.column,
                        "expected %s, found the end of the %s", what,
                        scan->token.kind == TOKEN_END ? "file" : "line");
    return error_at(scan->error, scan->path, word->position.line, word->position.column,
                    "expected %s, found '%s'", what,
                    error_quote(shown, sizeof shown, word->text, word->length));
}

// ---- strings ----

// Reads hexadecimal digits; UNICODE_NONE: there are fewer.
static uint32_t read_hex(struct scan *scan, int digits)
{
    uint32_t code = 0;
    for (int i = 0; i < digits; i++) {
        char c = scan->cursor < scan->end ? *scan->cursor : '\0', letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            code = code << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return UNICODE_NONE;
        scan->cursor++;
    }
    return code;
}

// After "\u": reads a character, a surrogate pair above U+FFFF.
static uint32_t read_code(struct scan *scan)
{
    uint32_t code = read_hex(scan, 4);
    if (code < 0xD800 || code > 0xDFFF)
        return code;
    if (code > 0xDBFF || scan->end - scan->cursor < 2 || memcmp(scan->cursor, "\\u", 2) != 0)
        return UNICODE_NONE;
    scan->cursor += 2;
    uint32_t low = read_hex(scan, 4);
    return low >= 0xDC00 && low <= 0xDFFF ? 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00))
                                          : UNICODE_NONE;
}

// At a backslash.
static tlu_status read_escape(struct scan *scan, char **out)
{
    static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const char *start = scan->cursor++;
    char c = scan->cursor < scan->end ? *scan->cursor++ : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    uint32_t code = UNICODE_NONE;
    if (letter) {
        *(*out)++ = codes[letter - letters];
        return TLU_OK;
    }
    if (c == 'x' && !scan->json)
        code = read_hex(scan, 2);
    else if (c == 'u')
        code = read_code(scan);
    if (code == 0)
        return fail_at(scan, start, "a name cannot have the character NUL");
    if (code == UNICODE_NONE)
        return fail_at(scan, start,
                       scan->json ? "expected an escape such as \\\" \\\\ \\n or \\u00e9"
                                  : "expected an escape such as \\\" \\\\ \\n \\u00e9 or \\xff");
    if (c == 'x')
        *(*out)++ = (char)code;
    else
        *out += unicode_write(*out, code);
    return TLU_OK;
}

static tlu_status read_string(struct scan *scan)
{
    const char *start = scan->cursor++;
    char *out = scan->scratch;
    for (;;) {
        if (scan->cursor == scan->end || *scan->cursor == '\n')
            return fail_at(scan, start, "this quote is not closed on its line");
        size_t length;
        uint32_t code = unicode_read(scan->cursor, scan->end, &length);
        if (code == '"')
            break;
        if (code == UNICODE_NONE)
            return fail_at(scan, scan->cursor,
                           scan->json ? "this byte is not UTF-8"
                                      : "this byte is not UTF-8; it can be written as \\xNN");
        if (code < 32)
            return fail_at(scan, scan->cursor, "a control character in a name has to be escaped");
        if (code == '\\') {
            TRY(read_escape(scan, &out));
            continue;
        }
        memcpy(out, scan->cursor, length);
        out += length;
        scan->cursor += length;
    }
    scan->cursor++;
    scan->token.kind = TOKEN_STRING;
    scan->token.name.text = scan->scratch;
    scan->token.name.length = (size_t)(out - scan->scratch);
    scan->scratch = out;
    return TLU_OK;
}

// ---- words ----

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The length of the character at the cursor if an unquoted name may contain it; else 0.
static size_t name_character(const struct scan *scan)
{
    size_t length;
    if (scan->cursor == scan->end)
        return 0;
    uint32_t code = unicode_read(scan->cursor, scan->end, &length), letter = code | 0x20;
    if (code < 0x80)
        return (letter >= 'a' && letter <= 'z') || is_digit((char)code) || code == '_';
    return code != UNICODE_NONE && unicode_kind(code) != CHARACTER_SPACE ? length : 0;
}

static void skip_blanks(struct scan *scan)
{
    while (scan->cursor < scan->end) {
        char c = *scan->cursor;
        if (c == '#' && !scan->json) {
            const char *stop = memchr(scan->cursor, '\n', (size_t)(scan->end - scan->cursor));
            scan->cursor = stop ? stop : scan->end;
        } else if (c == '\n' && scan->json) {
            scan->line_start = ++scan->cursor;
            scan->line++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            scan->cursor++;
        } else {
            return;
        }
    }
}

static tlu_status read_mark(struct scan *scan)
{
    const char *marks = scan->json ? "{}[]:,-" : "=+-";
    char c = *scan->cursor, shown[8], text[64];
    scan->token.kind = TOKEN_MARK;
    if (!scan->json && c == '>' && scan->end - scan->cursor > 1 && scan->cursor[1] == '=') {
        scan->cursor += 2;
        return TLU_OK;
    }
    if (c && strchr(marks, c)) {
        scan->cursor++;
        return TLU_OK;
    }
    error_quote(shown, sizeof shown, &c, 1);
    if ((unsigned char)c >= 0x80)
        return fail_at(scan, scan->cursor, "a character that has no meaning here");
    strcpy(text, "'");
    strcat(strcat(text, shown), "' has no meaning here");
    return fail_at(scan, scan->cursor, text);
}

tlu_status scan_next(struct scan *scan)
{
    skip_blanks(scan);
    const char *start = scan->cursor;
    struct token *token = &scan->token;
    token->shown = (struct located_name){.text = start, .position = position_of(scan, start)};
    token->name = token->shown;
    size_t length = name_character(scan);
    if (start == scan->end) {
        token->kind = TOKEN_END;
    } else if (*start == '\n') {
        token->kind = TOKEN_LINE;
        scan->line_start = ++scan->cursor;
        scan->line++;
    } else if (*start == '"') {
        TRY(read_string(scan));
    } else if (is_digit(*start)) {
        token->kind = TOKEN_NUMBER;
        while (scan->cursor < scan->end && is_digit(*scan->cursor))
            scan->cursor++;
    } else if (length) {
        token->kind = TOKEN_WORD;
        for (; length; length = name_character(scan))
            scan->cursor += length;
    } else {
        TRY(read_mark(scan));
    }
    token->shown.length = (size_t)(scan->cursor - start);
    if (token->kind != TOKEN_STRING)
        token->name = token->shown;
    return TLU_OK;
}

bool scan_is(const struct scan *scan, const char *mark)
{
    const struct token *token = &scan->token;
    return (token->kind == TOKEN_MARK || token->kind == TOKEN_WORD) &&
           token->shown.length == strlen(mark) &&
           memcmp(token->shown.text, mark, token->shown.length) == 0;
}

tlu_status scan_skip(struct scan *scan, const char *mark)
{
    char what[8];
    if (scan_is(scan, mark))
        return scan_next(scan);
    strcat(strcat(strcpy(what, "'"), mark), "'");
    return scan_expected(scan, what);
}

tlu_status scan_number(struct scan *scan, const char *what, int64_t *value)
{
    bool negative = scan_is(scan, "-");
    int64_t sum = 0;
    if (negative || scan_is(scan, "+"))
        TRY(scan_next(scan));
    const struct located_name *digits = &scan->token.shown;
    if (scan->token.kind != TOKEN_NUMBER)
        return scan_expected(scan, what);
    for (size_t i = 0; i < digits->length; i++) {
        int digit = digits->text[i] - '0';
        if (sum > (NUMBER_MAX - digit) / 10)
            return error_at(scan->error, scan->path, digits->position.line, digits->position.column,
                            "weights and thresholds go up to 2^62");
        sum = 10 * sum + digit;
    }
    if (scan->cursor < scan->end && *scan->cursor == '.')
        return error_at(scan->error, scan->path, digits->position.line, digits->position.column,
                        "weights and thresholds are whole numbers");
    *value = negative ? -sum : sum;
    return scan_next(scan);
}

tlu_status scan_name(struct scan *scan, const char *what, struct located_name *name)
{
    if (scan->token.kind != TOKEN_STRING && (scan->token.kind != TOKEN_WORD || scan->json))
        return scan_expected(scan, what);
    *name = scan->token.name;
    return scan_next(scan);
}
