// Reads both forms of a network (docs/network-format.md): splits them into tokens, and gives the
// parts to a draft. The text form has one statement per line; a unit may take several lines.
//
//     inputs NAME...
//     delay NAME = SIGNAL start 0|1
//     unit NAME = [-] [WEIGHT] SIGNAL {(+ | -) [WEIGHT] SIGNAL} >= THRESHOLD
//     unit NAME = 0 >= THRESHOLD
//     output NAME = SIGNAL
#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "input/text/unicode.h"
#include "logic/network/draft.h"
#include "tlu_logic.h"

#include <string.h>

#define SHOWN_MAX 60 // bytes of a word in a message

// ---- tokens ----

enum token_kind {
    TOKEN_END,
    TOKEN_LINE,   // the end of a line; not in JSON
    TOKEN_WORD,   // a name without quotes; in JSON: true, false or null
    TOKEN_STRING, // a name in quotes
    TOKEN_NUMBER, // digits, perhaps with a point and more digits
    TOKEN_MARK,   // punctuation: = + - >= or, in JSON, { } [ ] : , -
};

struct token {
    enum token_kind kind;
    struct located_name name; // the text; for a string, the contents without quotes and escapes
    const char *shown;        // as written in the file, for messages
    size_t shown_length;
};

struct scan {
    struct draft draft; // of the network
    const char *cursor, *end, *line_start;
    uint64_t line;
    bool json;
    char *scratch;      // for the contents of strings; as large as the file
    struct token token; // the current token
};

static struct file_position position_of(const struct scan *scan, const char *at)
{
    return (struct file_position){scan->line, (uint64_t)(at - scan->line_start) + 1};
}

static tlu_status fail_at(const struct scan *scan, const char *at, const char *what)
{
    return DRAFT_ERROR(&scan->draft, position_of(scan, at), "%s", what);
}

// Fails with "expected WHAT, found '...'", which quotes the token.
static tlu_status expected(const struct scan *scan, const struct token *token, const char *what)
{
    char shown[SHOWN_MAX];
    if (token->kind == TOKEN_END || token->kind == TOKEN_LINE)
        return DRAFT_ERROR(&scan->draft, token->name.position,
                           "expected %s, found the end of the %s", what,
                           token->kind == TOKEN_END ? "file" : "line");
    return DRAFT_ERROR(&scan->draft, token->name.position, "expected %s, found '%s'", what,
                       error_quote(shown, sizeof shown, token->shown, token->shown_length));
}

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
            return fail_at(scan, start,
                           "this quote is not closed on its line; add the closing one");
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

// Reads the next token into scan->token.
static tlu_status scan_next(struct scan *scan)
{
    skip_blanks(scan);
    const char *start = scan->cursor;
    struct token *token = &scan->token;
    token->shown = start;
    token->name.text = start;
    token->name.position = position_of(scan, start);
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
        if (scan->end - scan->cursor > 1 && *scan->cursor == '.' && is_digit(scan->cursor[1]))
            do
                scan->cursor++;
            while (scan->cursor < scan->end && is_digit(*scan->cursor));
    } else if (length) {
        token->kind = TOKEN_WORD;
        for (; length; length = name_character(scan))
            scan->cursor += length;
    } else {
        TRY(read_mark(scan));
    }
    token->shown_length = (size_t)(scan->cursor - start);
    if (token->kind != TOKEN_STRING)
        token->name.length = token->shown_length;
    return TLU_OK;
}

// Whether the current token is this mark or word.
static bool scan_is(const struct scan *scan, const char *mark)
{
    const struct token *token = &scan->token;
    return (token->kind == TOKEN_MARK || token->kind == TOKEN_WORD) &&
           token->shown_length == strlen(mark) &&
           memcmp(token->shown, mark, token->shown_length) == 0;
}

// Consumes this mark; any other token is an error.
static tlu_status scan_skip(struct scan *scan, const char *mark)
{
    char what[8];
    if (scan_is(scan, mark))
        return scan_next(scan);
    strcat(strcat(strcpy(what, "'"), mark), "'");
    return expected(scan, &scan->token, what);
}

// Consumes a decimal number with an optional sign and at most NUMBER_MAX as its digits.
static tlu_status scan_number(struct scan *scan, const char *what, struct draft_number *number)
{
    bool negative = scan_is(scan, "-");
    if (negative || scan_is(scan, "+"))
        TRY(scan_next(scan));
    const struct located_name *text = &scan->token.name;
    *number = (struct draft_number){.position = text->position};
    if (scan->token.kind != TOKEN_NUMBER)
        return expected(scan, &scan->token, what);
    const char *point = memchr(text->text, '.', text->length);
    size_t length = text->length;
    while (point && length && text->text[length - 1] == '0') // zeros at the end of a fraction
        length--;
    for (size_t i = 0; i < length; i++) {
        int digit = text->text[i] - '0';
        if (text->text + i == point)
            continue;
        if (number->digits > (NUMBER_MAX - digit) / 10)
            return DRAFT_ERROR(&scan->draft, text->position,
                               "weights and thresholds go up to 2^62, their decimal places "
                               "included; use a smaller number");
        number->digits = 10 * number->digits + digit;
        number->places += point && text->text + i > point;
    }
    if (scan->cursor < scan->end && *scan->cursor == '.')
        return DRAFT_ERROR(&scan->draft, text->position,
                           "this is not a decimal number; write it as 1.5");
    number->digits = negative ? -number->digits : number->digits;
    return scan_next(scan);
}

// Consumes 0 or 1; in JSON also false or true.
static tlu_status scan_bit(struct scan *scan, bool *bit)
{
    struct token token = scan->token;
    struct draft_number number;
    *bit = scan->json && scan_is(scan, "true");
    if (*bit || (scan->json && scan_is(scan, "false")))
        return scan_next(scan);
    TRY(scan_number(scan, "0 or 1", &number));
    *bit = number.digits == 1;
    bool is_bit = number.places == 0 && (number.digits == 0 || number.digits == 1);
    return is_bit ? TLU_OK : expected(scan, &token, "0 or 1");
}

// Consumes a name: quoted, or in the text form also without quotes.
static tlu_status scan_name(struct scan *scan, const char *what, struct located_name *name)
{
    if (scan->token.kind != TOKEN_STRING && (scan->token.kind != TOKEN_WORD || scan->json))
        return expected(scan, &scan->token, what);
    *name = scan->token.name;
    return scan_next(scan);
}

// ---- the text form ----

static tlu_status text_inputs(struct scan *scan)
{
    struct located_name name;
    do {
        TRY(scan_name(scan, "the name of an input", &name));
        TRY(draft_input(&scan->draft, name));
    } while (scan->token.kind != TOKEN_LINE && scan->token.kind != TOKEN_END);
    return TLU_OK;
}

static tlu_status text_delay(struct scan *scan)
{
    struct located_name name, from;
    bool start;
    TRY(scan_name(scan, "the name of the delay", &name));
    TRY(scan_skip(scan, "="));
    TRY(scan_name(scan, "the name of a signal", &from));
    if (!scan_is(scan, "start"))
        return expected(scan, &scan->token, "'start' and 0 or 1");
    TRY(scan_next(scan));
    TRY(scan_bit(scan, &start));
    return draft_delay(&scan->draft, name, from, start);
}

static tlu_status skip_lines(struct scan *scan)
{
    while (scan->token.kind == TOKEN_LINE)
        TRY(scan_next(scan));
    return TLU_OK;
}

// Reads [WEIGHT] SIGNAL after its sign. A single 0 is not a link.
static tlu_status text_link(struct scan *scan, bool negative)
{
    struct located_name from;
    struct draft_number weight = {.digits = 1};
    if (scan->token.kind == TOKEN_NUMBER) {
        TRY(scan_number(scan, "a weight", &weight));
        TRY(skip_lines(scan));
        if (weight.digits == 0 && scan_is(scan, ">="))
            return TLU_OK;
    }
    TRY(scan_name(scan, "the name of a signal", &from));
    weight.digits = negative ? -weight.digits : weight.digits;
    return draft_link(&scan->draft, from, weight);
}

static tlu_status text_unit(struct scan *scan)
{
    struct located_name name;
    struct draft_number threshold;
    TRY(scan_name(scan, "the name of the unit", &name));
    TRY(scan_skip(scan, "="));
    TRY(draft_begin_unit(&scan->draft));
    TRY(skip_lines(scan));
    bool negative = scan_is(scan, "-");
    if (negative || scan_is(scan, "+"))
        TRY(scan_next(scan));
    for (;;) {
        TRY(text_link(scan, negative));
        TRY(skip_lines(scan));
        if (scan_is(scan, ">="))
            break;
        negative = scan_is(scan, "-");
        if (!negative && !scan_is(scan, "+"))
            return expected(scan, &scan->token, "'+', '-' or '>='");
        TRY(scan_next(scan));
        TRY(skip_lines(scan));
    }
    TRY(scan_next(scan));
    TRY(skip_lines(scan));
    TRY(scan_number(scan, "the threshold, a number", &threshold));
    return draft_end_unit(&scan->draft, name, threshold);
}

static tlu_status text_output(struct scan *scan)
{
    struct located_name name, from;
    TRY(scan_name(scan, "the name of the output", &name));
    TRY(scan_skip(scan, "="));
    TRY(scan_name(scan, "the name of a signal", &from));
    return draft_output(&scan->draft, name, from);
}

static const struct statement {
    const char *word;
    tlu_status (*read)(struct scan *scan);
} statements[] = {
    {"inputs", text_inputs},
    {"delay", text_delay},
    {"unit", text_unit},
    {"output", text_output},
};
#define STATEMENTS (sizeof statements / sizeof statements[0])

static tlu_status text_statement(struct scan *scan)
{
    size_t i = 0;
    while (i < STATEMENTS && !scan_is(scan, statements[i].word))
        i++;
    if (i == STATEMENTS)
        return expected(scan, &scan->token, "'inputs', 'delay', 'unit' or 'output'");
    TRY(scan_next(scan));
    TRY(statements[i].read(scan));
    if (scan->token.kind != TOKEN_LINE && scan->token.kind != TOKEN_END)
        return expected(scan, &scan->token, "the end of the line");
    return TLU_OK;
}

static tlu_status read_text(struct scan *scan)
{
    TRY(scan_next(scan));
    for (;;) {
        TRY(skip_lines(scan));
        if (scan->token.kind == TOKEN_END)
            return TLU_OK;
        TRY(text_statement(scan));
    }
}

// ---- JSON ----
//
// One object. Keys may come in any order; duplicate and unknown keys are errors.

// A key of an object and where its value goes: exactly one of the pointers is set.
struct field {
    const char *key;
    bool optional;
    const char *what; // the value, in messages
    struct located_name *name;
    struct draft_number *number;
    bool *bit;
    tlu_status (*item)(struct scan *scan);    // reads each item of an array
    tlu_status (*members)(struct scan *scan); // reads an object
};

// Consumes `close`, or a comma before another item.
static tlu_status next_item(struct scan *scan, const char *close, bool *more)
{
    *more = scan_is(scan, ",");
    if (!*more && !scan_is(scan, close))
        return expected(scan, &scan->token, *close == ']' ? "',' or ']'" : "',' or '}'");
    return scan_next(scan);
}

// Consumes `open` and, if there are no items, `close`.
static tlu_status first_item(struct scan *scan, const char *open, const char *close, bool *more)
{
    TRY(scan_skip(scan, open));
    *more = !scan_is(scan, close);
    return *more ? TLU_OK : scan_next(scan);
}

// Consumes a key and its colon. `seen` has a bit per field.
static tlu_status json_key(struct scan *scan, const struct field *fields, unsigned *seen,
                           const struct field **field)
{
    struct token token = scan->token;
    struct located_name name = {0};
    char what[128] = "";
    TRY(scan_name(scan, "a key in double quotes", &name));
    for (*field = fields; (*field)->key; ++*field) {
        const char *key = (*field)->key;
        if (strlen(key) == name.length && memcmp(key, name.text, name.length) == 0)
            break;
        strcat(strcat(strcat(strcat(what, *field > fields ? ", " : ""), "\""), key), "\"");
    }
    unsigned bit = 1U << (*field - fields);
    if (!(*field)->key)
        return expected(scan, &token, what);
    if (*seen & bit)
        return DRAFT_ERROR(&scan->draft, name.position, "the key \"%s\" comes twice",
                           (*field)->key);
    *seen |= bit;
    return scan_skip(scan, ":");
}

static tlu_status json_value(struct scan *scan, const struct field *field)
{
    bool more;
    if (field->name)
        return scan_name(scan, field->what, field->name);
    if (field->number)
        return scan_number(scan, field->what, field->number);
    if (field->bit)
        return scan_bit(scan, field->bit);
    if (field->members)
        return field->members(scan);
    TRY(first_item(scan, "[", "]", &more));
    while (more) {
        TRY(field->item(scan));
        TRY(next_item(scan, "]", &more));
    }
    return TLU_OK;
}

// Consumes an object with these fields, which end with one without a key.
static tlu_status json_object(struct scan *scan, const struct field *fields)
{
    struct file_position start = scan->token.name.position;
    const struct field *field;
    unsigned seen = 0;
    bool more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(json_key(scan, fields, &seen, &field));
        TRY(json_value(scan, field));
        TRY(next_item(scan, "}", &more));
    }
    for (field = fields; field->key; field++)
        if (!field->optional && !(seen >> (field - fields) & 1))
            return DRAFT_ERROR(&scan->draft, start, "this object has no \"%s\"", field->key);
    return TLU_OK;
}

static tlu_status json_input(struct scan *scan)
{
    struct located_name name;
    TRY(scan_name(scan, "the name of an input in double quotes", &name));
    return draft_input(&scan->draft, name);
}

static tlu_status json_delay(struct scan *scan)
{
    struct located_name name, from;
    bool start = false;
    TRY(json_object(scan, (const struct field[]){
                              {.key = "name", .what = "a name in double quotes", .name = &name},
                              {.key = "from", .what = "a name in double quotes", .name = &from},
                              {.key = "start", .optional = true, .bit = &start},
                              {0}}));
    return draft_delay(&scan->draft, name, from, start);
}

static tlu_status json_weights(struct scan *scan)
{
    struct located_name from;
    struct draft_number weight;
    bool more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(scan_name(scan, "the name of a signal in double quotes", &from));
        TRY(scan_skip(scan, ":"));
        TRY(scan_number(scan, "a weight, a number", &weight));
        TRY(draft_link(&scan->draft, from, weight));
        TRY(next_item(scan, "}", &more));
    }
    return TLU_OK;
}

static tlu_status json_unit(struct scan *scan)
{
    struct located_name name;
    struct draft_number threshold;
    TRY(draft_begin_unit(&scan->draft));
    TRY(json_object(
        scan, (const struct field[]){
                  {.key = "name", .what = "the name of the unit in double quotes", .name = &name},
                  {.key = "weights", .members = json_weights},
                  {.key = "threshold", .what = "the threshold, a number", .number = &threshold},
                  {0}}));
    return draft_end_unit(&scan->draft, name, threshold);
}

static tlu_status json_output(struct scan *scan)
{
    struct located_name name, from;
    TRY(json_object(scan, (const struct field[]){
                              {.key = "name", .what = "a name in double quotes", .name = &name},
                              {.key = "from", .what = "a name in double quotes", .name = &from},
                              {0}}));
    return draft_output(&scan->draft, name, from);
}

static tlu_status read_json(struct scan *scan)
{
    static const struct field parts[] = {{.key = "inputs", .optional = true, .item = json_input},
                                         {.key = "delays", .optional = true, .item = json_delay},
                                         {.key = "units", .optional = true, .item = json_unit},
                                         {.key = "outputs", .optional = true, .item = json_output},
                                         {0}};
    TRY(scan_next(scan));
    TRY(json_object(scan, parts));
    return scan->token.kind == TOKEN_END ? TLU_OK
                                         : expected(scan, &scan->token, "the end of the file");
}

// ---- entry points ----

#define FILE_MAX ((uint64_t)1 << 32) // bytes

static bool begins_object(const char *bytes, size_t size)
{
    while (size && *bytes && strchr(" \t\r\n", *bytes)) {
        bytes++;
        size--;
    }
    return size && *bytes == '{';
}

tlu_status tlu_network_parse(const char *bytes, size_t size, const char *name,
                             tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *network = NULL;
    TRY(check_given(bytes || !size, "text", error));
    bytes = size ? bytes : "";
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // byte order
    char *scratch = memory_new(size + 1, 1);
    TRY(enough_memory(scratch, error));
    struct scan scan = {.draft = {.path = name, .error = error},
                        .cursor = bytes + mark,
                        .end = bytes + size,
                        .line_start = bytes,
                        .line = 1,
                        .json = begins_object(bytes + mark, size - mark),
                        .scratch = scratch};
    tlu_status status = scan.json ? read_json(&scan) : read_text(&scan);
    if (status == TLU_OK)
        status = draft_finish(&scan.draft, network);
    draft_free(&scan.draft);
    memory_free(scratch);
    return status;
}

tlu_status tlu_network_load(const char *path, tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    unsigned char *bytes;
    size_t size;
    *network = NULL;
    TRY(check_given(path != NULL, "path", error));
    TRY(file_read(path, FILE_MAX, file_check_text, &bytes, &size, error));
    tlu_status status = tlu_network_parse((const char *)bytes, size, path, network, error);
    memory_free(bytes);
    return status;
}
