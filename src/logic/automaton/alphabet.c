#include "logic/automaton/alphabet.h"

#include "logic/append.h"

#include <stdio.h>
#include <string.h>

static const char other_name[] = "other";

void alphabet_free(struct alphabet *alphabet)
{
    table_free(&alphabet->names);
    memory_free(alphabet->ranges);
}

// ---- names of symbols ----
//
// A single character is its own name; a class is "[a-z_]". Control characters, and special
// characters in brackets, are written \xNN.

// Writes a character, of at most 4 bytes; returns its end.
static char *write_point(char *out, uint32_t point, bool in_brackets)
{
    bool hidden = point < 0x20 || point == 0x7F || point == '\\' ||
                  (in_brackets && (point == '-' || point == ']'));
    if (hidden)
        return out + snprintf(out, 5, "\\x%02X", (unsigned)point);
    return out + unicode_write(out, point);
}

// The caller frees it; NULL: out of memory.
static char *name_of_ranges(const struct char_range *ranges, size_t count)
{
    char *name = memory_new(9 * count + 4, 1), *out = name; // two characters and - each
    if (!name)
        return NULL;
    if (count == 1 && ranges[0].first == ranges[0].last) {
        *write_point(out, ranges[0].first, false) = '\0';
        return name;
    }
    *out++ = '[';
    for (size_t i = 0; i < count; i++) {
        out = write_point(out, ranges[i].first, true);
        if (ranges[i].last > ranges[i].first + 1)
            *out++ = '-';
        if (ranges[i].last > ranges[i].first)
            out = write_point(out, ranges[i].last, true);
    }
    memcpy(out, "]", 2);
    return name;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Reads the character of a name at *at; false: there is none.
static bool name_point(const char *name, size_t length, size_t *at, uint32_t *point)
{
    if (*at == length)
        return false;
    if (name[*at] == '\\' && length - *at >= 4 && name[*at + 1] == 'x' &&
        hex_digit(name[*at + 2]) >= 0 && hex_digit(name[*at + 3]) >= 0) {
        *point = (uint32_t)(hex_digit(name[*at + 2]) * 16 + hex_digit(name[*at + 3]));
        *at += 4;
        return true;
    }
    *at += point_read(name + *at, length - *at, point);
    return *point != POINT_INVALID;
}

static bool keep_range(struct alphabet *alphabet, uint32_t first, uint32_t last, uint32_t symbol)
{
    struct char_range range = {first, last, symbol};
    if (!APPEND(alphabet->ranges, alphabet->range_count, alphabet->range_capacity, range))
        return false;
    size_t at = alphabet->range_count - 1;
    for (; at > 0 && alphabet->ranges[at - 1].first > first; at--)
        alphabet->ranges[at] = alphabet->ranges[at - 1];
    alphabet->ranges[at] = range;
    return true;
}

enum name_kind { NAME_CHARACTERS, NAME_WORD, NAME_NO_MEMORY };

// Adds the characters that the name of a symbol denotes.
static enum name_kind parse_name(struct alphabet *alphabet, uint32_t symbol)
{
    const char *name = alphabet_name(alphabet, symbol);
    size_t length = table_length(&alphabet->names, symbol), at = 0;
    uint32_t first, last;
    if (strcmp(name, other_name) == 0) {
        alphabet->other = symbol;
        return NAME_CHARACTERS;
    }
    if (name_point(name, length, &at, &first) && at == length)
        return keep_range(alphabet, first, first, symbol) ? NAME_CHARACTERS : NAME_NO_MEMORY;
    if (length < 3 || name[0] != '[' || name[length - 1] != ']')
        return NAME_WORD;
    for (at = 1; at < length - 1;) {
        if (!name_point(name, length - 1, &at, &first))
            return NAME_WORD;
        last = first;
        if (at < length - 1 && name[at] == '-') {
            at++;
            if (!name_point(name, length - 1, &at, &last) || last < first)
                return NAME_WORD;
        }
        if (!keep_range(alphabet, first, last, symbol))
            return NAME_NO_MEMORY;
    }
    return NAME_CHARACTERS;
}

bool alphabet_of_names(struct alphabet *alphabet, char *const *names, size_t count)
{
    bool characters = true;
    alphabet->other = SYMBOL_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t symbol = table_add(&alphabet->names, names[i], strlen(names[i]));
        enum name_kind kind = symbol == TABLE_NONE ? NAME_NO_MEMORY : parse_name(alphabet, symbol);
        if (kind == NAME_NO_MEMORY)
            return false;
        characters = characters && kind == NAME_CHARACTERS;
    }
    alphabet->kind = characters ? ALPHABET_CHARACTERS : ALPHABET_WORDS;
    return true;
}

bool alphabet_is_simple(const struct alphabet *alphabet)
{
    for (uint32_t i = 0; i < alphabet->names.count; i++) {
        uint32_t point;
        size_t length = table_length(&alphabet->names, i);
        if (point_read(alphabet_name(alphabet, i), length, &point) != length)
            return false;
    }
    return true;
}

bool alphabet_be_simple(struct alphabet *alphabet)
{
    alphabet->kind = ALPHABET_CHARACTERS;
    for (uint32_t i = 0; i < alphabet->names.count; i++) {
        uint32_t point;
        point_read(alphabet_name(alphabet, i), table_length(&alphabet->names, i), &point);
        if (!keep_range(alphabet, point, point, i))
            return false;
    }
    return true;
}

bool alphabet_add(struct alphabet *alphabet, const struct char_range *ranges, size_t count)
{
    char *name = count ? name_of_ranges(ranges, count) : NULL;
    uint32_t symbol = TABLE_NONE;
    if (count == 0)
        symbol = alphabet->other = table_add(&alphabet->names, other_name, sizeof other_name - 1);
    else if (name)
        symbol = table_add(&alphabet->names, name, strlen(name));
    memory_free(name);
    bool enough = symbol != TABLE_NONE;
    for (size_t i = 0; enough && i < count; i++)
        enough = keep_range(alphabet, ranges[i].first, ranges[i].last, symbol);
    return enough;
}

// ---- reading ----

static uint32_t find_point(const struct alphabet *alphabet, uint32_t point)
{
    size_t low = 0, high = alphabet->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (alphabet->ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < alphabet->range_count && alphabet->ranges[low].first <= point;
    return inside ? alphabet->ranges[low].symbol : alphabet->other;
}

static bool vector_fits(const char *cell, const char *vector, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((vector[i] != '0' && vector[i] != '1') || (cell[i] != '-' && cell[i] != vector[i]))
            return false;
    return true;
}

static uint32_t find_vector(const struct alphabet *alphabet, const char *vector, size_t length)
{
    if (length != alphabet->inputs)
        return SYMBOL_NONE;
    for (uint32_t i = 0; i < alphabet->names.count; i++)
        if (vector_fits(alphabet_name(alphabet, i), vector, length))
            return i;
    return SYMBOL_NONE;
}

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

uint32_t alphabet_read(const struct alphabet *alphabet, const char *text, size_t size, size_t *used)
{
    *used = 0;
    if (size == 0)
        return SYMBOL_NONE;
    if (alphabet->kind == ALPHABET_CHARACTERS) {
        uint32_t point;
        *used = point_read(text, size, &point);
        return find_point(alphabet, point);
    }
    size_t first = skip_blanks(text, size, 0), end = first;
    while (end < size && text[end] != ' ' && text[end] != '\t')
        end++;
    if (end == first)
        return SYMBOL_NONE;
    *used = skip_blanks(text, size, end);
    if (alphabet->kind == ALPHABET_VECTORS)
        return find_vector(alphabet, text + first, end - first);
    uint32_t symbol = table_find(&alphabet->names, text + first, end - first);
    return symbol == TABLE_NONE ? SYMBOL_NONE : symbol;
}
