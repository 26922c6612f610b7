// Sets of characters.
#include "logic/automaton/regex.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ranges_add(struct char_ranges *ranges, uint32_t first, uint32_t last)
{
    if (!memory_reserve(&ranges->at, &ranges->capacity, ranges->count + 1, sizeof *ranges->at))
        return false;
    ranges->at[ranges->count++] = (struct char_range){first, last, 0};
    return true;
}

static int by_first(const void *a, const void *b)
{
    uint32_t x = ((const struct char_range *)a)->first, y = ((const struct char_range *)b)->first;
    return (x > y) - (x < y);
}

// The complement. Bytes that are not UTF-8 count as a character after all others.
static bool negate(struct char_ranges *ranges)
{
    struct char_ranges gaps = {0};
    uint32_t from = 0;
    bool enough = true;
    for (size_t i = 0; enough && i < ranges->count; i++) {
        if (ranges->at[i].first > from)
            enough = ranges_add(&gaps, from, ranges->at[i].first - 1);
        from = ranges->at[i].last + 1;
    }
    enough = enough && ranges_add(&gaps, from, POINT_INVALID);
    memory_free(ranges->at);
    *ranges = gaps;
    return enough;
}

bool ranges_normalise(struct char_ranges *ranges, bool negated)
{
    size_t kept = 0;
    if (ranges->count)
        qsort(ranges->at, ranges->count, sizeof *ranges->at, by_first);
    for (size_t i = 0; i < ranges->count; i++) {
        struct char_range range = ranges->at[i];
        if (kept && range.first <= ranges->at[kept - 1].last + 1) {
            if (range.last > ranges->at[kept - 1].last)
                ranges->at[kept - 1].last = range.last;
        } else {
            ranges->at[kept++] = range;
        }
    }
    ranges->count = kept;
    return !negated || negate(ranges);
}

// The classes of POSIX, for ASCII, as pairs of first and last character.
static const struct {
    const char *name, *pairs;
} classes[] = {
    {"alnum", "09AZaz"},   {"alpha", "AZaz"},   {"blank", "\t\t  "}, {"cntrl", "\x01\x1F\x7F\x7F"},
    {"digit", "09"},       {"graph", "!~"},     {"lower", "az"},     {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "\t\r  "}, {"upper", "AZ"},     {"xdigit", "09AFaf"},
    {"word", "09AZ__az"},
};

static bool ranges_add_class(struct char_ranges *ranges, const char *name, size_t length,
                             bool *known)
{
    *known = false;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0)
            continue;
        *known = true;
        for (const char *pair = classes[i].pairs; *pair; pair += 2)
            if (!ranges_add(ranges, (unsigned char)pair[0], (unsigned char)pair[1]))
                return false;
        return strcmp(classes[i].name, "cntrl") != 0 || ranges_add(ranges, 0, 0);
    }
    return true;
}

// Adds the class of an escape such as \d or \W; *known: there is such a class.
static bool ranges_add_escape(struct char_ranges *ranges, char letter, bool *known)
{
    static const char letters[] = "dws";
    static const char *const names[] = {"digit", "word", "space"};
    const char *found = letter ? strchr(letters, letter | 0x20) : NULL;
    *known = found != NULL;
    if (!found)
        return true;
    const char *name = names[found - letters];
    bool negated = !(letter & 0x20);
    return ranges_add_class(ranges, name, strlen(name), known) &&
           (!negated || ranges_normalise(ranges, true));
}

// ---- parser ----
//
// Regular expressions, in the extended syntax of POSIX:
//
//     choice := chain { '|' chain }
//     chain  := item { item }
//     item   := one { '*' | '+' | '?' | '{' m [ ',' [ n ] ] '}' }
//     one    := '(' [ choice ] ')' | '.' | '[' ... ']' | '\' escape | character
//
// Syntax that POSIX leaves undefined is an error, except (), the empty string.

struct parse {
    const char *text;
    size_t size, at;
    unsigned depth; // of parentheses
    struct syntax *syntax;
    tlu_error *error;
};

void syntax_free(struct syntax *syntax)
{
    memory_free(syntax->nodes);
    table_free(&syntax->sets);
}

static tlu_status refuse(struct parse *parse, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);

static tlu_status refuse(struct parse *parse, size_t at, const char *format, ...)
{
    char reason[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    error_input(parse->error, "the regular expression, column %zu: %s", at + 1, reason);
    if (parse->error)
        parse->error->column = at + 1;
    return TLU_ERROR_INPUT;
}

static bool ends(const struct parse *parse)
{
    return parse->at == parse->size;
}

static bool is_at(const struct parse *parse, char byte)
{
    return parse->at < parse->size && parse->text[parse->at] == byte;
}

// ---- nodes ----

static uint32_t add_node(struct syntax *syntax, enum node_kind kind)
{
    if (!memory_reserve(&syntax->nodes, &syntax->capacity, syntax->count + 1,
                        sizeof *syntax->nodes))
        return NODE_NONE;
    syntax->nodes[syntax->count] =
        (struct node){.kind = kind, .first = NODE_NONE, .next = NODE_NONE, .written = 1};
    return (uint32_t)syntax->count++;
}

static tlu_status new_node(struct parse *parse, enum node_kind kind, uint32_t *node)
{
    *node = add_node(parse->syntax, kind);
    return enough_memory(*node != NODE_NONE, parse->error);
}

// `last` is the previous part; NODE_NONE: this is the first.
static void add_part(struct syntax *syntax, uint32_t whole, uint32_t last, uint32_t part)
{
    struct node *nodes = syntax->nodes;
    if (last == NODE_NONE)
        nodes[whole].first = part;
    else
        nodes[last].next = part;
    nodes[whole].written += nodes[part].written;
    if (nodes[part].depth >= nodes[whole].depth)
        nodes[whole].depth = nodes[part].depth + 1;
}

// ---- sets of characters ----

static tlu_status keep_set(struct parse *parse, struct char_ranges *ranges, bool negated,
                           uint32_t *node)
{
    uint32_t set = TABLE_NONE;
    if (ranges_normalise(ranges, negated))
        set = table_add(&parse->syntax->sets, (const char *)ranges->at,
                        ranges->count * sizeof *ranges->at);
    TRY(enough_memory(set != TABLE_NONE, parse->error));
    TRY(new_node(parse, NODE_SET, node));
    parse->syntax->nodes[*node].set = set;
    return TLU_OK;
}

static tlu_status read_point(struct parse *parse, uint32_t *point)
{
    size_t length = point_read(parse->text + parse->at, parse->size - parse->at, point);
    if (*point == POINT_INVALID)
        return refuse(parse, parse->at, "this byte is not UTF-8");
    parse->at += length;
    return TLU_OK;
}

// [:alpha:], after "[:"
static tlu_status read_class(struct parse *parse, struct char_ranges *ranges)
{
    size_t start = parse->at, end = start;
    char shown[40];
    bool known;
    while (end + 1 < parse->size && !(parse->text[end] == ':' && parse->text[end + 1] == ']'))
        end++;
    if (end + 1 >= parse->size)
        return refuse(parse, start - 2, "[: is not closed by :]");
    TRY(enough_memory(ranges_add_class(ranges, parse->text + start, end - start, &known),
                      parse->error));
    if (!known)
        return refuse(parse, start,
                      "there is no class '%s'; there are alnum, alpha, blank, cntrl, digit, graph, "
                      "lower, print, punct, space, upper, word and xdigit",
                      error_quote(shown, sizeof shown, parse->text + start, end - start));
    parse->at = end + 2;
    return TLU_OK;
}

// Reads a character or a range of a bracket expression.
static tlu_status read_range(struct parse *parse, struct char_ranges *ranges)
{
    size_t start = parse->at;
    uint32_t first, last;
    TRY(read_point(parse, &first));
    last = first;
    bool range =
        is_at(parse, '-') && parse->at + 1 < parse->size && parse->text[parse->at + 1] != ']';
    if (range) {
        parse->at++;
        if (is_at(parse, '[') && parse->at + 1 < parse->size &&
            strchr(":.=", parse->text[parse->at + 1]))
            return refuse(parse, parse->at, "a range ends with a character");
        TRY(read_point(parse, &last));
    }
    if (last < first)
        return refuse(parse, start, "the range goes backwards: its end comes before its beginning");
    return enough_memory(ranges_add(ranges, first, last), parse->error);
}

// After "[". A leading ], a leading or trailing -, and a backslash are ordinary characters.
static tlu_status read_brackets(struct parse *parse, struct char_ranges *ranges, bool *negated)
{
    size_t open = parse->at - 1;
    *negated = is_at(parse, '^');
    parse->at += *negated;
    for (bool first = true; first || !is_at(parse, ']'); first = false) {
        if (ends(parse))
            return refuse(parse, open, "[ is not closed by ]");
        bool special = is_at(parse, '[') && parse->at + 1 < parse->size;
        char kind = special ? parse->text[parse->at + 1] : '\0';
        if (kind == '.' || kind == '=')
            return refuse(parse, parse->at, "[%c is not supported; write the character itself",
                          kind);
        if (kind == ':') {
            parse->at += 2;
            TRY(read_class(parse, ranges));
        } else {
            TRY(read_range(parse, ranges));
        }
    }
    parse->at++;
    return TLU_OK;
}

static int hex_value(const struct parse *parse, size_t at)
{
    static const char digits[] = "0123456789abcdef";
    char digit = at < parse->size ? parse->text[at] : '\0';
    const char *found =
        digit ? strchr(digits, digit >= 'A' && digit <= 'F' ? digit | 0x20 : digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

// After a backslash.
static tlu_status read_escape(struct parse *parse, struct char_ranges *ranges)
{
    static const char letters[] = "nrtfv", controls[] = "\n\r\t\f\v";
    size_t start = parse->at - 1;
    bool known;
    if (ends(parse))
        return refuse(parse, start, "\\ stands before the character that it is about");
    char letter = parse->text[parse->at];
    TRY(enough_memory(ranges_add_escape(ranges, letter, &known), parse->error));
    const char *control = letter ? strchr(letters, letter) : NULL;
    uint32_t point = control ? (unsigned char)controls[control - letters] : 0;
    if (letter >= '0' && letter <= '9')
        return refuse(parse, start, "\\%c refers back to a group, which no finite automaton can do",
                      letter);
    if (letter == 'x') {
        int high = hex_value(parse, parse->at + 1), low = hex_value(parse, parse->at + 2);
        if (high < 0 || low < 0 || high > 7)
            return refuse(parse, start, "expected \\x with two hexadecimal digits, 00 to 7F");
        parse->at += 3;
        return enough_memory(
            ranges_add(ranges, (uint32_t)(high * 16 + low), (uint32_t)(high * 16 + low)),
            parse->error);
    }
    if (known || control) {
        parse->at++;
        return enough_memory(known || ranges_add(ranges, point, point), parse->error);
    }
    bool is_letter = (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z';
    if (is_letter)
        return refuse(
            parse, start,
            "\\%c is unknown; there are \\n \\r \\t \\f \\v \\xNN and the classes \\d \\w "
            "\\s \\D \\W \\S",
            letter);
    TRY(read_point(parse, &point));
    return enough_memory(ranges_add(ranges, point, point), parse->error);
}

// ---- the grammar ----

static tlu_status read_choice(struct parse *parse, uint32_t *node);

// Why a character cannot begin an item; NULL: it can.
static const char *unfit(char byte)
{
    switch (byte) {
    case '*':
    case '+':
    case '?':
        return "there is nothing before it that it could repeat";
    case '{':
        return "there is nothing before { that it could repeat; \\{ is the character";
    case '^':
    case '$':
        return "anchors are not needed, as the whole string is matched; after a backslash it is a "
               "character";
    default:
        return NULL;
    }
}

static tlu_status read_set(struct parse *parse, uint32_t *node)
{
    struct char_ranges ranges = {0};
    bool negated = false;
    uint32_t point;
    tlu_status status = read_point(parse, &point);
    if (status == TLU_OK && point == '[')
        status = read_brackets(parse, &ranges, &negated);
    else if (status == TLU_OK && point == '\\')
        status = read_escape(parse, &ranges);
    else if (status == TLU_OK && point == '.')
        negated = true; // the complement of the empty set
    else if (status == TLU_OK)
        status = enough_memory(ranges_add(&ranges, point, point), parse->error);
    if (status == TLU_OK)
        status = keep_set(parse, &ranges, negated, node);
    memory_free(ranges.at);
    return status;
}

static tlu_status read_group(struct parse *parse, uint32_t *node)
{
    size_t open = parse->at++;
    if (++parse->depth > REGEX_DEPTH_MAX)
        return refuse(parse, open, "parentheses are nested more than %d deep", REGEX_DEPTH_MAX);
    if (is_at(parse, ')'))
        TRY(new_node(parse, NODE_CHAIN, node));
    else
        TRY(read_choice(parse, node));
    if (!is_at(parse, ')'))
        return refuse(parse, open, "( is not closed by )");
    parse->at++;
    parse->depth--;
    return TLU_OK;
}

// Reads a number of a repeat; false: there is none.
static bool read_times(struct parse *parse, uint32_t *times)
{
    size_t start = parse->at;
    *times = 0;
    while (parse->at < parse->size && parse->text[parse->at] >= '0' &&
           parse->text[parse->at] <= '9') {
        if (*times <= REGEX_REPEAT_MAX)
            *times = *times * 10 + (uint32_t)(parse->text[parse->at] - '0');
        parse->at++;
    }
    return parse->at > start;
}

static tlu_status read_braces(struct parse *parse, uint32_t *least, uint32_t *most)
{
    size_t open = parse->at++;
    bool number = read_times(parse, least);
    *most = *least;
    if (number && is_at(parse, ',')) {
        parse->at++;
        if (!read_times(parse, most))
            *most = REPEAT_ENDLESS;
    }
    if (!number || !is_at(parse, '}'))
        return refuse(parse, open, "expected {m}, {m,} or {m,n}; \\{ is the character");
    parse->at++;
    if (*least > REGEX_REPEAT_MAX || (*most > REGEX_REPEAT_MAX && *most != REPEAT_ENDLESS))
        return refuse(parse, open, "repeats more than %d times", REGEX_REPEAT_MAX);
    if (*most < *least)
        return refuse(parse, open, "repeats at least %u and at most %u times, which is no number",
                      (unsigned)*least, (unsigned)*most);
    return TLU_OK;
}

// Replaces *node by its repetition.
static tlu_status repeat(struct parse *parse, size_t at, uint32_t least, uint32_t most,
                         uint32_t *node)
{
    uint32_t whole;
    TRY(new_node(parse, NODE_REPEAT, &whole));
    add_part(parse->syntax, whole, NODE_NONE, *node);
    struct node *made = &parse->syntax->nodes[whole];
    uint64_t times = most == REPEAT_ENDLESS ? (uint64_t)least + 1 : most;
    made->least = least;
    made->most = most;
    made->written = 1 + times * made->written;
    if (made->written > REGEX_WRITTEN_MAX)
        return refuse(parse, at, "with its repeats written out, this has more than %d parts",
                      REGEX_WRITTEN_MAX);
    if (made->depth > NODE_DEPTH_MAX)
        return refuse(parse, at, "repeats and parentheses are nested too deep");
    *node = whole;
    return TLU_OK;
}

static tlu_status read_item(struct parse *parse, uint32_t *node)
{
    const char *why = unfit(parse->text[parse->at]);
    if (why)
        return refuse(parse, parse->at, "%s", why);
    TRY(is_at(parse, '(') ? read_group(parse, node) : read_set(parse, node));
    while (!ends(parse)) {
        size_t at = parse->at;
        uint32_t least = is_at(parse, '+') ? 1 : 0, most = is_at(parse, '?') ? 1 : REPEAT_ENDLESS;
        if (is_at(parse, '{'))
            TRY(read_braces(parse, &least, &most));
        else if (is_at(parse, '*') || is_at(parse, '+') || is_at(parse, '?'))
            parse->at++;
        else
            break;
        TRY(repeat(parse, at, least, most, node));
    }
    return TLU_OK;
}

static tlu_status read_chain(struct parse *parse, uint32_t *node)
{
    uint32_t last = NODE_NONE, part;
    TRY(new_node(parse, NODE_CHAIN, node));
    if (ends(parse) || is_at(parse, '|') || is_at(parse, ')'))
        return refuse(parse, parse->at, "expected something to match; () is the empty string");
    while (!ends(parse) && !is_at(parse, '|') && !is_at(parse, ')')) {
        TRY(read_item(parse, &part));
        add_part(parse->syntax, *node, last, part);
        last = part;
    }
    return TLU_OK;
}

static tlu_status read_choice(struct parse *parse, uint32_t *node)
{
    uint32_t last = NODE_NONE, part;
    TRY(new_node(parse, NODE_CHOICE, node));
    for (;;) {
        TRY(read_chain(parse, &part));
        add_part(parse->syntax, *node, last, part);
        last = part;
        if (!is_at(parse, '|'))
            return TLU_OK;
        parse->at++;
    }
}

tlu_status syntax_parse(struct syntax *syntax, const char *text, size_t size, tlu_error *error)
{
    struct parse parse = {.text = text, .size = size, .syntax = syntax, .error = error};
    if (size == 0)
        return error_input(error, "the regular expression is empty; () is the empty string");
    TRY(read_choice(&parse, &syntax->root));
    if (!ends(&parse))
        return refuse(&parse, parse.at, "there is no ( for this )");
    if (syntax->nodes[syntax->root].written > REGEX_WRITTEN_MAX)
        return error_input(error,
                           "the regular expression has more than %d parts, with its repeats "
                           "written out",
                           REGEX_WRITTEN_MAX);
    if (syntax->sets.count > SYMBOLS_MAX)
        return error_input(error,
                           "the regular expression has %u different letters and classes; %d are "
                           "supported",
                           (unsigned)syntax->sets.count, SYMBOLS_MAX);
    return TLU_OK;
}
