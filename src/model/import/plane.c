// Hyperplanes as expressions:
//
//     PLANE    = [CLASS ':'] SIDE [RELATION SIDE]
//     SIDE     = ['+' | '-'] TERM {('+' | '-') TERM}
//     TERM     = NUMBER [['*'] NAME] | NAME
//     NUMBER   = DECIMAL ['/' DECIMAL]
//     RELATION = '>' | '>=' | '<' | '<=' | '='
//
// NAME is a word, or any text in double quotes. CLASS is any text up to the colon. A side on the
// right of the relation is subtracted. '<' and '<=' change all signs, because the positive side is
// the one that the user describes.
#include "base/memory.h"
#include "base/options.h"
#include "model/import/given.h"
#include "numeric/number.h"

#include <math.h>
#include <string.h>

struct plane_parser {
    struct given *given;
    const char *name; // for messages
    const char *start, *cursor, *end;
    uint32_t class_index;
    size_t features; // number of terms with a name so far
    char *scratch;   // [length + 1] a name without its quotes
    tlu_error *error;
};

// Symbols beyond ASCII that are read as ASCII ones.
static const struct symbol {
    const char *text, *means;
} symbols[] = {{"\xE2\x88\x92", "-"},
               {"\xE2\x89\xA5", ">="},
               {"\xE2\x89\xA4", "<="},
               {"\xC2\xB7", "*"},
               {"\xC3\x97", "*"},
               {">=", ">="},
               {"<=", "<="},
               {"==", "="},
               {">", ">"},
               {"<", "<"},
               {"=", "="},
               {"+", "+"},
               {"-", "-"},
               {"*", "*"},
               {"/", "/"}};
#define SYMBOLS (sizeof symbols / sizeof symbols[0])

static void skip_blanks(struct plane_parser *plane)
{
    while (plane->cursor < plane->end && strchr(" \t\r\n", *plane->cursor))
        plane->cursor++;
}

// The symbol at the cursor; NULL: there is none.
static const struct symbol *symbol_here(const struct plane_parser *plane)
{
    for (size_t i = 0; i < SYMBOLS; i++) {
        size_t length = strlen(symbols[i].text);
        if ((size_t)(plane->end - plane->cursor) >= length &&
            memcmp(plane->cursor, symbols[i].text, length) == 0)
            return &symbols[i];
    }
    return NULL;
}

// Consumes this symbol; false: something else is next.
static bool take_symbol(struct plane_parser *plane, const char *means)
{
    skip_blanks(plane);
    const struct symbol *symbol = symbol_here(plane);
    if (!symbol || strcmp(symbol->means, means) != 0)
        return false;
    plane->cursor += strlen(symbol->text);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_number(const struct plane_parser *plane)
{
    const char *at = plane->cursor;
    return at < plane->end &&
           (is_digit(*at) || (*at == '.' && plane->end - at > 1 && is_digit(at[1])));
}

// Whether the character at the cursor may begin or continue an unquoted name.
static bool is_name_here(const struct plane_parser *plane, bool begins)
{
    if (plane->cursor == plane->end)
        return false;
    unsigned char c = (unsigned char)*plane->cursor;
    if (c >= 0x80)
        return !symbol_here(plane);
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return letter || (!begins && (is_digit((char)c) || c == '.'));
}

static tlu_status fail_at(const struct plane_parser *plane, const char *at, const char *what)
{
    return error_at(plane->error, plane->name, 1, (uint64_t)(at - plane->start) + 1, "%s", what);
}

static tlu_status expected(const struct plane_parser *plane, const char *what, const char *remedy)
{
    char shown[40];
    uint64_t column = (uint64_t)(plane->cursor - plane->start) + 1;
    size_t length = (size_t)(plane->end - plane->cursor);
    if (length == 0)
        return error_at(plane->error, plane->name, 1, column,
                        "expected %s, found the end of the expression; %s", what, remedy);
    return error_at(plane->error, plane->name, 1, column, "expected %s, found '%s'; %s", what,
                    error_quote(shown, sizeof shown, plane->cursor, length), remedy);
}

static tlu_status read_decimal(struct plane_parser *plane, double *value)
{
    const char *start = plane->cursor;
    if (number_parse(start, plane->end, value, &plane->cursor) != NUMBER_OK ||
        !(fabs(*value) <= GIVEN_WEIGHT_MAX))
        return fail_at(plane, start, "this number is too large; give numbers up to 1e100");
    return TLU_OK;
}

// At a digit or a point.
static tlu_status read_number(struct plane_parser *plane, double *value)
{
    double divisor;
    TRY(read_decimal(plane, value));
    if (!take_symbol(plane, "/"))
        return TLU_OK;
    skip_blanks(plane);
    const char *start = plane->cursor;
    if (!begins_number(plane))
        return expected(plane, "a number after '/'", "write a fraction as 1/2");
    TRY(read_decimal(plane, &divisor));
    *value /= divisor;
    if (divisor == 0 || !(fabs(*value) <= GIVEN_WEIGHT_MAX))
        return fail_at(plane, start,
                       divisor == 0 ? "this divides by 0; change the number after '/'"
                                    : "this fraction is too large; give numbers up to 1e100");
    return TLU_OK;
}

// Reads a text in quotes at the cursor into plane->scratch; \" and \\ are escapes.
static tlu_status read_quoted(struct plane_parser *plane, size_t *length)
{
    const char *start = plane->cursor++;
    *length = 0;
    while (plane->cursor < plane->end && *plane->cursor != '"') {
        bool escape = *plane->cursor == '\\' && plane->end - plane->cursor > 1 &&
                      strchr("\"\\", plane->cursor[1]);
        plane->cursor += escape;
        plane->scratch[(*length)++] = *plane->cursor++;
    }
    if (plane->cursor == plane->end)
        return fail_at(plane, start, "this quote is never closed; add '\"' after the name");
    plane->cursor++;
    return *length ? TLU_OK
                   : fail_at(plane, start, "this name is empty; write it between the quotes");
}

// Reads a name; *feature is its number.
static tlu_status read_name(struct plane_parser *plane, uint32_t *feature)
{
    const char *start = plane->cursor, *text = start;
    size_t length;
    if (*plane->cursor == '"') {
        TRY(read_quoted(plane, &length));
        text = plane->scratch;
    } else {
        while (is_name_here(plane, false))
            plane->cursor++;
        length = (size_t)(plane->cursor - start);
    }
    *feature = table_add(&plane->given->features, text, length);
    return enough_memory(*feature != TABLE_NONE, plane->error);
}

// Reads a term, with the sign that comes before it.
static tlu_status read_term(struct plane_parser *plane, double sign)
{
    struct given_weight weight = {plane->class_index, GIVEN_BIAS, 1, 0};
    skip_blanks(plane);
    bool number = begins_number(plane), times = false;
    if (number) {
        TRY(read_number(plane, &weight.value));
        times = take_symbol(plane, "*");
        skip_blanks(plane);
    }
    if (is_name_here(plane, true) || (plane->cursor < plane->end && *plane->cursor == '"')) {
        TRY(read_name(plane, &weight.feature));
        plane->features++;
    } else if (times || !number) {
        return expected(plane, times ? "the name of a feature after '*'" : "a number or a name",
                        "write a plane as '2 x + y - 1 > 0', without brackets");
    }
    weight.value *= sign;
    return enough_memory(given_add(plane->given, &weight), plane->error);
}

// Reads a sum of terms; `sign` is -1 on the right of the relation.
static tlu_status read_side(struct plane_parser *plane, double sign)
{
    double own = take_symbol(plane, "-") ? -1 : 1;
    if (own > 0)
        take_symbol(plane, "+");
    for (;;) {
        TRY(read_term(plane, sign * own));
        if (take_symbol(plane, "-"))
            own = -1;
        else if (take_symbol(plane, "+"))
            own = 1;
        else
            return TLU_OK;
    }
}

// Finds the class before a colon that is not in quotes. *class_index is SCHEMA_NONE without one.
static tlu_status read_class(struct plane_parser *plane, uint32_t *class_index)
{
    const char *colon = plane->start, *start = plane->start;
    bool quoted = false;
    *class_index = SCHEMA_NONE;
    for (; colon < plane->end && (quoted || *colon != ':'); colon++) {
        quoted ^= *colon == '"';
        colon += quoted && *colon == '\\' && plane->end - colon > 1;
    }
    if (colon >= plane->end)
        return TLU_OK;
    skip_blanks(plane);
    const char *text = plane->cursor;
    size_t length = 0;
    if (*text == '"') {
        TRY(read_quoted(plane, &length));
        text = plane->scratch;
        skip_blanks(plane);
        if (plane->cursor != colon)
            return expected(plane, "':' after the class", "write a class as 'A: x + y - 1'");
    } else {
        length = (size_t)(colon - text);
        while (length && strchr(" \t\r\n", text[length - 1]))
            length--;
    }
    if (length == 0)
        return fail_at(plane, start,
                       "there is no class before ':'; write one, as in 'A: x + y - 1'");
    *class_index = schema_class_add(&plane->given->labels, text, length);
    plane->cursor = colon + 1;
    return enough_memory(*class_index != SCHEMA_NONE, plane->error);
}

// Reads the relation and its right side. Afterwards the sum is above 0 on the positive side.
static tlu_status read_relation(struct plane_parser *plane, bool named, size_t first)
{
    static const struct {
        const char *means;
        int tie;
        bool below;
    } relations[] = {{">", TIE_NEGATIVE, false},
                     {">=", TIE_POSITIVE, false},
                     {"<", TIE_NEGATIVE, true},
                     {"<=", TIE_POSITIVE, true},
                     {"=", GIVEN_TIE_OPEN, false}};
    struct given *given = plane->given;
    const char *start = plane->cursor;
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        if (!take_symbol(plane, relations[i].means))
            continue;
        if (named)
            return fail_at(plane, start,
                           "a plane with a class has no relation, because the class with the "
                           "highest score wins; remove it, as in 'A: x + y - 1'");
        given->tie = relations[i].tie;
        TRY(read_side(plane, -1));
        for (size_t k = first; relations[i].below && k < given->count; k++)
            given->weights[k].value = 0 - given->weights[k].value;
        break;
    }
    return TLU_OK;
}

static tlu_status read_plane(struct plane_parser *plane, uint32_t *class_index)
{
    size_t first = plane->given->count;
    TRY(read_class(plane, class_index));
    bool named = *class_index != SCHEMA_NONE;
    plane->class_index = named ? *class_index : 0;
    TRY(read_side(plane, 1));
    skip_blanks(plane);
    TRY(read_relation(plane, named, first));
    skip_blanks(plane);
    if (plane->cursor < plane->end)
        return expected(plane, named ? "'+', '-' or the end" : "'+', '-', a relation or the end",
                        "write a plane as '2 x + y - 1 > 0', and other names in double quotes");
    if (plane->features == 0)
        return fail_at(plane, plane->start,
                       "this plane has no feature; for a constant, give a feature the weight 0, "
                       "as in '0 x + 1'");
    return TLU_OK;
}

tlu_status plane_parse(struct given *given, const char *text, const char *name,
                       uint32_t *class_index, tlu_error *error)
{
    size_t length = strlen(text);
    struct plane_parser plane = {.given = given,
                                 .name = name,
                                 .start = text,
                                 .cursor = text,
                                 .end = text + length,
                                 .scratch = memory_new(length + 1, 1),
                                 .error = error};
    tlu_status status = enough_memory(plane.scratch, error);
    if (status == TLU_OK)
        status = read_plane(&plane, class_index);
    memory_free(plane.scratch);
    return status;
}
