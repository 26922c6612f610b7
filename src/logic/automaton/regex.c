// Regular expressions: a parser for the extended syntax of POSIX; the alphabet, which is classes of
// characters that are in the same sets; and the NFA (Thompson 1968).
//
//     choice := chain { '|' chain }
//     chain  := item { item }
//     item   := one { '*' | '+' | '?' | '{' m [ ',' [ n ] ] '}' }
//     one    := '(' [ choice ] ')' | '.' | '[' ... ']' | '\' escape | character
//
// Syntax that POSIX leaves undefined is an error, except (), the empty string.
#include "logic/append.h"
#include "logic/automaton/nfa.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEAT_MAX 1000 // in {m,n}
#define DEPTH_MAX 200   // of parentheses
#define NODE_DEPTH_MAX 1000
#define WRITTEN_MAX 50000 // nodes, with repeats expanded
#define REPEAT_ENDLESS UINT32_MAX
#define NODE_NONE UINT32_MAX

enum node_kind {
    NODE_SET,    // one character of a set
    NODE_CHAIN,  // concatenation; without parts, the empty string
    NODE_CHOICE, // alternation
    NODE_REPEAT  // `least` to `most` repetitions of its part
};

struct node {
    enum node_kind kind;
    uint32_t set;
    uint32_t first, next; // first part, and next sibling; NODE_NONE: none
    uint32_t least, most;
    uint32_t depth;
    uint64_t written; // number of nodes, with repeats expanded
};

// The set that is being read.
struct char_ranges {
    struct char_range *at;
    size_t count, capacity;
    bool full; // out of memory
};

struct regex {
    const char *text;
    size_t size, at;
    unsigned depth; // of parentheses
    struct node *nodes;
    size_t count, capacity;
    struct char_ranges ranges;
    struct table sets; // each a struct char_range[], ascending, with gaps between them, symbol 0
    // Pieces: intervals of characters between the limits of all sets.
    uint32_t *starts; // [pieces + 1] the last is the end
    size_t pieces, start_capacity;
    size_t row;          // bytes of `member` per piece
    uint8_t *member;     // [pieces][row] a bit per set
    struct table groups; // the distinct rows
    uint32_t *symbols;   // [pieces] of each piece
    // The NFA:
    struct nfa *nfa;
    uint8_t *set_has; // [sets][symbols] whether the symbol is in the set
    uint32_t symbol_count;
    tlu_error *error;
};

static void regex_free(struct regex *regex)
{
    memory_free(regex->nodes);
    memory_free(regex->ranges.at);
    memory_free(regex->starts);
    memory_free(regex->member);
    memory_free(regex->symbols);
    memory_free(regex->set_has);
    table_free(&regex->sets);
    table_free(&regex->groups);
}

// ---- sets of characters ----

static void ranges_add(struct char_ranges *ranges, uint32_t first, uint32_t last)
{
    struct char_range range = {first, last, 0};
    assert(first <= last && last <= POINT_INVALID);
    ranges->full = ranges->full || !APPEND(ranges->at, ranges->count, ranges->capacity, range);
}

static int by_first(const void *a, const void *b)
{
    uint32_t x = ((const struct char_range *)a)->first, y = ((const struct char_range *)b)->first;
    return (x > y) - (x < y);
}

// Sorts and joins them.
static void ranges_normalise(struct char_ranges *ranges)
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
}

// The complement. Bytes that are not UTF-8 count as a character after all others.
static void ranges_negate(struct char_ranges *ranges)
{
    struct char_ranges gaps = {.full = ranges->full};
    uint32_t from = 0;
    ranges_normalise(ranges);
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->at[i].first > from)
            ranges_add(&gaps, from, ranges->at[i].first - 1);
        from = ranges->at[i].last + 1;
    }
    ranges_add(&gaps, from, POINT_INVALID);
    memory_free(ranges->at);
    *ranges = gaps;
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

// False: there is no such class.
static bool ranges_add_class(struct char_ranges *ranges, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0)
            continue;
        for (const char *pair = classes[i].pairs; *pair; pair += 2)
            ranges_add(ranges, (unsigned char)pair[0], (unsigned char)pair[1]);
        if (strcmp(classes[i].name, "cntrl") == 0)
            ranges_add(ranges, 0, 0);
        return true;
    }
    return false;
}

// ---- the text ----

static tlu_status refuse(struct regex *regex, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);

static tlu_status refuse(struct regex *regex, size_t at, const char *format, ...)
{
    char reason[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    error_input(regex->error, "the regular expression, column %zu: %s", at + 1, reason);
    if (regex->error)
        regex->error->column = at + 1;
    return TLU_ERROR_INPUT;
}

static bool ends(const struct regex *regex)
{
    return regex->at == regex->size;
}

// The next byte, or one after it; '\0' at the end.
static char peek(const struct regex *regex, size_t after)
{
    return after < regex->size - regex->at ? regex->text[regex->at + after] : '\0';
}

static bool is_at(const struct regex *regex, char byte)
{
    return peek(regex, 0) == byte;
}

static tlu_status read_point(struct regex *regex, uint32_t *point)
{
    size_t length = point_read(regex->text + regex->at, regex->size - regex->at, point);
    if (*point == POINT_INVALID)
        return refuse(regex, regex->at, "this byte is not UTF-8");
    regex->at += length;
    return TLU_OK;
}

// ---- nodes ----

static tlu_status add_node(struct regex *regex, enum node_kind kind, uint32_t *node)
{
    struct node made = {.kind = kind, .first = NODE_NONE, .next = NODE_NONE, .written = 1};
    *node = (uint32_t)regex->count;
    return enough_memory(APPEND(regex->nodes, regex->count, regex->capacity, made), regex->error);
}

// `last` is the previous part; NODE_NONE: this is the first.
static void add_part(struct regex *regex, uint32_t whole, uint32_t last, uint32_t part)
{
    struct node *nodes = regex->nodes;
    if (last == NODE_NONE)
        nodes[whole].first = part;
    else
        nodes[last].next = part;
    nodes[whole].written += nodes[part].written;
    if (nodes[part].depth >= nodes[whole].depth)
        nodes[whole].depth = nodes[part].depth + 1;
}

// ---- one character ----

// [:alpha:], after "[:"
static tlu_status read_class(struct regex *regex)
{
    size_t start = regex->at, end = start;
    char shown[40];
    while (end + 1 < regex->size && !(regex->text[end] == ':' && regex->text[end + 1] == ']'))
        end++;
    if (end + 1 >= regex->size)
        return refuse(regex, start - 2, "[: is not closed by :]; add it");
    if (!ranges_add_class(&regex->ranges, regex->text + start, end - start))
        return refuse(regex, start,
                      "there is no class '%s'; write alnum, alpha, blank, cntrl, digit, graph, "
                      "lower, print, punct, space, upper, word or xdigit",
                      error_quote(shown, sizeof shown, regex->text + start, end - start));
    regex->at = end + 2;
    return TLU_OK;
}

// Reads a character or a range of a bracket expression.
static tlu_status read_range(struct regex *regex)
{
    size_t start = regex->at;
    uint32_t first, last;
    TRY(read_point(regex, &first));
    last = first;
    if (is_at(regex, '-') && regex->at + 1 < regex->size && peek(regex, 1) != ']') {
        regex->at++;
        if (is_at(regex, '[') && peek(regex, 1) && strchr(":.=", peek(regex, 1)))
            return refuse(regex, regex->at, "a range ends with a character; name one");
        TRY(read_point(regex, &last));
    }
    if (last < first)
        return refuse(regex, start, "the range goes backwards; swap its ends");
    ranges_add(&regex->ranges, first, last);
    return TLU_OK;
}

// After "[". A leading ], a leading or trailing -, and a backslash are ordinary characters.
static tlu_status read_brackets(struct regex *regex)
{
    size_t open = regex->at - 1;
    bool negated = is_at(regex, '^');
    regex->at += negated;
    for (bool first = true; first || !is_at(regex, ']'); first = false) {
        if (ends(regex))
            return refuse(regex, open, "[ is not closed by ]; add it");
        char kind = is_at(regex, '[') ? peek(regex, 1) : '\0';
        if (kind == '.' || kind == '=')
            return refuse(regex, regex->at, "[%c is not supported; write the character itself",
                          kind);
        regex->at += kind == ':' ? 2 : 0;
        TRY(kind == ':' ? read_class(regex) : read_range(regex));
    }
    regex->at++;
    if (negated)
        ranges_negate(&regex->ranges);
    return TLU_OK;
}

static int hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found =
        digit ? strchr(digits, digit >= 'A' && digit <= 'F' ? digit | 0x20 : digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

// After a backslash.
static tlu_status read_escape(struct regex *regex)
{
    static const char control_names[] = "nrtfv", controls[] = "\n\r\t\f\v";
    static const char class_names[] = "dws", *const names[] = {"digit", "word", "space"};
    size_t start = regex->at - 1;
    if (ends(regex))
        return refuse(regex, start, "\\ stands before the character that it is about");
    char escape = peek(regex, 0), lower = (char)(escape | 0x20);
    const char *control = escape ? strchr(control_names, escape) : NULL;
    const char *class = escape ? strchr(class_names, lower) : NULL;
    uint32_t point;
    if (class) { // \d, or \D for the complement
        const char *name = names[class - class_names];
        ranges_add_class(&regex->ranges, name, strlen(name));
        if (escape != lower)
            ranges_negate(&regex->ranges);
        regex->at++;
        return TLU_OK;
    }
    if (escape >= '0' && escape <= '9')
        return refuse(
            regex, start,
            "\\%c refers back to a group, which no finite automaton can do; write the group again",
            escape);
    if (escape == 'x') {
        int high = hex_value(peek(regex, 1)), low = hex_value(peek(regex, 2));
        if (high < 0 || low < 0 || high > 7)
            return refuse(regex, start, "expected \\x with two hexadecimal digits, 00 to 7F");
        regex->at += 3;
        point = (uint32_t)(high * 16 + low);
    } else if (control) {
        regex->at++;
        point = (unsigned char)controls[control - control_names];
    } else if (lower >= 'a' && lower <= 'z') {
        return refuse(
            regex, start,
            "\\%c is unknown; there are \\n \\r \\t \\f \\v \\xNN and the classes \\d \\w "
            "\\s \\D \\W \\S",
            escape);
    } else {
        TRY(read_point(regex, &point));
    }
    ranges_add(&regex->ranges, point, point);
    return TLU_OK;
}

static tlu_status read_set(struct regex *regex, uint32_t *node)
{
    struct char_ranges *ranges = &regex->ranges;
    uint32_t point;
    ranges->count = 0;
    TRY(read_point(regex, &point));
    if (point == '[')
        TRY(read_brackets(regex));
    else if (point == '\\')
        TRY(read_escape(regex));
    else if (point == '.')
        ranges_negate(ranges); // the complement of the empty set
    else
        ranges_add(ranges, point, point);
    ranges_normalise(ranges);
    uint32_t set = ranges->full ? TABLE_NONE
                                : table_add(&regex->sets, (const char *)ranges->at,
                                            ranges->count * sizeof *ranges->at);
    TRY(enough_memory(set != TABLE_NONE, regex->error));
    TRY(add_node(regex, NODE_SET, node));
    regex->nodes[*node].set = set;
    return TLU_OK;
}

// ---- the grammar ----

static tlu_status read_choice(struct regex *regex, uint32_t *node);

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

static tlu_status read_group(struct regex *regex, uint32_t *node)
{
    size_t open = regex->at++;
    if (++regex->depth > DEPTH_MAX)
        return refuse(regex, open, "parentheses are nested more than %d deep", DEPTH_MAX);
    TRY(is_at(regex, ')') ? add_node(regex, NODE_CHAIN, node) : read_choice(regex, node));
    if (!is_at(regex, ')'))
        return refuse(regex, open, "( is not closed by ); add it");
    regex->at++;
    regex->depth--;
    return TLU_OK;
}

// Reads a number of a repeat; false: there is none.
static bool read_times(struct regex *regex, uint32_t *times)
{
    size_t start = regex->at;
    *times = 0;
    for (; peek(regex, 0) >= '0' && peek(regex, 0) <= '9'; regex->at++)
        if (*times <= REPEAT_MAX)
            *times = *times * 10 + (uint32_t)(peek(regex, 0) - '0');
    return regex->at > start;
}

static tlu_status read_braces(struct regex *regex, uint32_t *least, uint32_t *most)
{
    size_t open = regex->at++;
    bool number = read_times(regex, least);
    *most = *least;
    if (number && is_at(regex, ',')) {
        regex->at++;
        if (!read_times(regex, most))
            *most = REPEAT_ENDLESS;
    }
    if (!number || !is_at(regex, '}'))
        return refuse(regex, open, "expected {m}, {m,} or {m,n}; \\{ is the character");
    regex->at++;
    if (*least > REPEAT_MAX || (*most > REPEAT_MAX && *most != REPEAT_ENDLESS))
        return refuse(regex, open, "repeats more than %d times", REPEAT_MAX);
    if (*most < *least)
        return refuse(regex, open, "repeats at least %u and at most %u times; swap the numbers",
                      (unsigned)*least, (unsigned)*most);
    return TLU_OK;
}

// Replaces *node by its repetition.
static tlu_status repeat(struct regex *regex, size_t at, uint32_t least, uint32_t most,
                         uint32_t *node)
{
    uint32_t whole;
    TRY(add_node(regex, NODE_REPEAT, &whole));
    add_part(regex, whole, NODE_NONE, *node);
    struct node *made = &regex->nodes[whole];
    uint64_t times = most == REPEAT_ENDLESS ? (uint64_t)least + 1 : most;
    made->least = least;
    made->most = most;
    made->written = 1 + times * made->written;
    if (made->written > WRITTEN_MAX)
        return refuse(regex, at, "with its repeats written out, this has more than %d parts",
                      WRITTEN_MAX);
    if (made->depth > NODE_DEPTH_MAX)
        return refuse(regex, at, "repeats and parentheses are nested too deep");
    *node = whole;
    return TLU_OK;
}

static tlu_status read_item(struct regex *regex, uint32_t *node)
{
    const char *why = unfit(regex->text[regex->at]);
    if (why)
        return refuse(regex, regex->at, "%s", why);
    TRY(is_at(regex, '(') ? read_group(regex, node) : read_set(regex, node));
    while (!ends(regex)) {
        size_t at = regex->at;
        uint32_t least = is_at(regex, '+') ? 1 : 0, most = is_at(regex, '?') ? 1 : REPEAT_ENDLESS;
        if (is_at(regex, '{'))
            TRY(read_braces(regex, &least, &most));
        else if (is_at(regex, '*') || is_at(regex, '+') || is_at(regex, '?'))
            regex->at++;
        else
            break;
        TRY(repeat(regex, at, least, most, node));
    }
    return TLU_OK;
}

static tlu_status read_chain(struct regex *regex, uint32_t *node)
{
    uint32_t last = NODE_NONE, part;
    TRY(add_node(regex, NODE_CHAIN, node));
    if (ends(regex) || is_at(regex, '|') || is_at(regex, ')'))
        return refuse(regex, regex->at, "expected something to match; () is the empty string");
    for (; !ends(regex) && !is_at(regex, '|') && !is_at(regex, ')'); last = part) {
        TRY(read_item(regex, &part));
        add_part(regex, *node, last, part);
    }
    return TLU_OK;
}

static tlu_status read_choice(struct regex *regex, uint32_t *node)
{
    uint32_t last = NODE_NONE, part;
    TRY(add_node(regex, NODE_CHOICE, node));
    for (;; last = part, regex->at++) {
        TRY(read_chain(regex, &part));
        add_part(regex, *node, last, part);
        if (!is_at(regex, '|'))
            return TLU_OK;
    }
}

static tlu_status parse(struct regex *regex, uint32_t *root)
{
    if (regex->size == 0)
        return error_input(regex->error, "the regular expression is empty; () is the empty string");
    TRY(read_choice(regex, root));
    if (!ends(regex))
        return refuse(regex, regex->at, "there is no ( for this ); remove it, or write \\)");
    if (regex->nodes[*root].written > WRITTEN_MAX)
        return error_input(regex->error,
                           "the regular expression has more than %d parts, with its repeats "
                           "written out",
                           WRITTEN_MAX);
    if (regex->sets.count > SYMBOLS_MAX)
        return error_input(regex->error,
                           "the regular expression has %u different symbols and classes; %d are "
                           "supported",
                           (unsigned)regex->sets.count, SYMBOLS_MAX);
    return TLU_OK;
}

// ---- the alphabet ----

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t set_size(const struct regex *regex, uint32_t set)
{
    return table_length(&regex->sets, set) / sizeof(struct char_range);
}

// Copies, because texts of a table are not aligned.
static struct char_range set_range(const struct regex *regex, uint32_t set, size_t i)
{
    struct char_range range;
    memcpy(&range, table_text(&regex->sets, set) + i * sizeof range, sizeof range);
    return range;
}

static bool add_start(struct regex *regex, uint32_t start)
{
    return APPEND(regex->starts, regex->pieces, regex->start_capacity, start);
}

static bool find_starts(struct regex *regex)
{
    bool enough = add_start(regex, 0) && add_start(regex, POINT_INVALID + 1);
    for (uint32_t set = 0; enough && set < regex->sets.count; set++)
        for (size_t i = 0; enough && i < set_size(regex, set); i++)
            enough = add_start(regex, set_range(regex, set, i).first) &&
                     add_start(regex, set_range(regex, set, i).last + 1);
    if (!enough)
        return false;
    size_t kept = 0;
    qsort(regex->starts, regex->pieces, sizeof *regex->starts, compare_numbers);
    for (size_t i = 0; i < regex->pieces; i++)
        if (kept == 0 || regex->starts[kept - 1] != regex->starts[i])
            regex->starts[kept++] = regex->starts[i];
    regex->pieces = kept - 1; // the last is an end
    return true;
}

static bool find_members(struct regex *regex)
{
    regex->row = regex->sets.count / 8 + 1;
    regex->member = memory_new(regex->pieces, regex->row);
    if (!regex->member)
        return false;
    for (uint32_t set = 0; set < regex->sets.count; set++)
        for (size_t i = 0; i < set_size(regex, set); i++) {
            struct char_range range = set_range(regex, set, i);
            const uint32_t *start = bsearch(&range.first, regex->starts, regex->pieces + 1,
                                            sizeof *start, compare_numbers);
            assert(start);
            for (size_t at = (size_t)(start - regex->starts); regex->starts[at] <= range.last; at++)
                regex->member[at * regex->row + set / 8] |= (uint8_t)(1 << set % 8);
        }
    return true;
}

// Finds the symbol of each piece. The last piece, which no set names, has the last symbol.
static bool find_symbols(struct regex *regex)
{
    const uint8_t *rest = regex->member + (regex->pieces - 1) * regex->row;
    regex->symbols = memory_new(regex->pieces, sizeof *regex->symbols);
    if (!regex->symbols)
        return false;
    for (size_t i = 0; i < regex->pieces; i++) {
        const uint8_t *row = regex->member + i * regex->row;
        regex->symbols[i] = SYMBOL_NONE;
        if (memcmp(row, rest, regex->row) == 0)
            continue;
        regex->symbols[i] = table_add(&regex->groups, (const char *)row, regex->row);
        if (regex->symbols[i] == TABLE_NONE)
            return false;
    }
    for (size_t i = 0; i < regex->pieces; i++)
        if (regex->symbols[i] == SYMBOL_NONE)
            regex->symbols[i] = regex->groups.count;
    return true;
}

static bool name_symbols(struct regex *regex, struct alphabet *alphabet)
{
    struct char_ranges *ranges = &regex->ranges;
    for (uint32_t symbol = 0; symbol < regex->groups.count; symbol++) {
        ranges->count = 0;
        for (size_t i = 0; i < regex->pieces; i++)
            if (regex->symbols[i] == symbol)
                ranges_add(ranges, regex->starts[i], regex->starts[i + 1] - 1);
        ranges_normalise(ranges);
        if (ranges->full || !alphabet_add(alphabet, ranges->at, ranges->count))
            return false;
    }
    regex->symbol_count = regex->groups.count + 1;
    return alphabet_add(alphabet, NULL, 0);
}

// ---- the NFA ----

// Adds a state that is reached from `from` without a symbol.
static uint32_t step(struct nfa *nfa, uint32_t from)
{
    uint32_t to = nfa_add_state(nfa);
    nfa_add_edge(nfa, from, NFA_SILENT, to);
    return to;
}

static uint32_t build_node(struct regex *regex, uint32_t at, uint32_t from);

static uint32_t build_repeat(struct regex *regex, const struct node *node, uint32_t from)
{
    struct nfa *nfa = regex->nfa;
    for (uint32_t i = 0; i < node->least; i++)
        from = build_node(regex, node->first, from);
    if (node->most == REPEAT_ENDLESS) {
        uint32_t loop = step(nfa, from);
        nfa_add_edge(nfa, build_node(regex, node->first, loop), NFA_SILENT, loop);
        return step(nfa, loop);
    }
    uint32_t end = nfa_add_state(nfa);
    for (uint32_t i = node->least; i < node->most; i++) {
        nfa_add_edge(nfa, from, NFA_SILENT, end);
        from = build_node(regex, node->first, from);
    }
    nfa_add_edge(nfa, from, NFA_SILENT, end);
    return end;
}

// Adds the states of a node after `from`; returns its last state.
static uint32_t build_node(struct regex *regex, uint32_t at, uint32_t from)
{
    const struct node *nodes = regex->nodes, *node = &nodes[at];
    struct nfa *nfa = regex->nfa;
    if (nfa->full)
        return from;
    if (node->kind == NODE_REPEAT)
        return build_repeat(regex, node, from);
    if (node->kind == NODE_CHAIN) {
        for (uint32_t part = node->first; part != NODE_NONE; part = nodes[part].next)
            from = build_node(regex, part, from);
        return from;
    }
    uint32_t end = nfa_add_state(nfa);
    if (node->kind == NODE_SET) {
        const uint8_t *has = regex->set_has + (size_t)node->set * regex->symbol_count;
        for (uint32_t symbol = 0; symbol < regex->symbol_count; symbol++)
            if (has[symbol])
                nfa_add_edge(nfa, from, symbol, end);
        return end;
    }
    for (uint32_t part = node->first; part != NODE_NONE; part = nodes[part].next)
        nfa_add_edge(nfa, build_node(regex, part, from), NFA_SILENT, end);
    return end;
}

static bool find_sets(struct regex *regex)
{
    size_t sets = regex->sets.count;
    regex->set_has = memory_new(sets * regex->symbol_count + 1, 1);
    for (size_t set = 0; regex->set_has && set < sets; set++)
        for (size_t i = 0; i < regex->pieces; i++)
            if (regex->member[i * regex->row + set / 8] >> set % 8 & 1)
                regex->set_has[set * regex->symbol_count + regex->symbols[i]] = 1;
    return regex->set_has != NULL;
}

static tlu_status build(struct regex *regex, struct alphabet *alphabet)
{
    struct nfa *nfa = regex->nfa;
    uint32_t root;
    TRY(parse(regex, &root));
    TRY(enough_memory(find_starts(regex) && find_members(regex) && find_symbols(regex) &&
                          name_symbols(regex, alphabet) && find_sets(regex),
                      regex->error));
    uint32_t start = nfa_add_state(nfa), end = build_node(regex, root, start);
    if (nfa->edge_count >= NFA_EDGES_MAX)
        return error_input(regex->error,
                           "the regular expression is too large: as an automaton it has more than "
                           "%d transitions",
                           NFA_EDGES_MAX);
    TRY(enough_memory(!nfa->full, regex->error));
    nfa->state[start].starts = true;
    nfa->state[end].accepts = true;
    return TLU_OK;
}

tlu_status nfa_from_regex(struct nfa *nfa, struct alphabet *alphabet, const char *expression,
                          tlu_error *error)
{
    struct regex regex = {
        .text = expression, .size = strlen(expression), .nfa = nfa, .error = error};
    tlu_status status = build(&regex, alphabet);
    regex_free(&regex);
    return status;
}
