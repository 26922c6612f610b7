#include "logic/automaton/alphabet.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const char other_name[] = "other";

void alphabet_free(struct alphabet *alphabet)
{
    table_free(&alphabet->names);
    memory_free(alphabet->spans);
}

// ---- characters ----

static bool continues(const char *text, size_t size, size_t count)
{
    if (size <= count)
        return false;
    for (size_t i = 1; i <= count; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t point_read(const char *text, size_t size, uint32_t *point)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    size_t more = first < 0x80 ? 0 : first < 0xC0 ? 4 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    *point = first;
    if (more == 0)
        return 1;
    *point = POINT_INVALID;
    if (more == 4 || first >= 0xF8 || !continues(text, size, more))
        return 1;
    uint32_t value = first & (0x3Fu >> more);
    for (size_t i = 1; i <= more; i++)
        value = value << 6 | ((unsigned char)text[i] & 0x3F);
    if (value < least[more] || value > POINT_MAX || (value >= 0xD800 && value <= 0xDFFF))
        return 1;
    *point = value;
    return more + 1;
}

size_t point_write(char out[4], uint32_t point)
{
    size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)(marks[more] | point);
    return more + 1;
}

// ---- names of letters ----
//
// A single character is its own name; "[a-z_]" is several; control characters, and in brackets
// what means something there, are \xNN.

struct name {
    char *text;
    size_t length, capacity;
};

static bool name_add(struct name *name, uint32_t point, bool in_brackets)
{
    if (!memory_reserve(&name->text, &name->capacity, name->length + 8, 1))
        return false;
    bool hidden = point < 0x20 || point == 0x7F || point == '\\' ||
                  (in_brackets && (point == '-' || point == ']'));
    char *end = name->text + name->length;
    if (hidden)
        name->length += (size_t)snprintf(end, 8, "\\x%02X", (unsigned)point);
    else
        name->length += point_write(end, point);
    return true;
}

static bool name_put(struct name *name, char byte)
{
    if (!memory_reserve(&name->text, &name->capacity, name->length + 1, 1))
        return false;
    name->text[name->length++] = byte;
    return true;
}

static bool name_of_spans(struct name *name, const struct span *spans, size_t count)
{
    if (count == 1 && spans[0].first == spans[0].last)
        return name_add(name, spans[0].first, false);
    bool enough = name_put(name, '[');
    for (size_t i = 0; enough && i < count; i++) {
        enough = name_add(name, spans[i].first, true);
        if (enough && spans[i].last > spans[i].first + 1)
            enough = name_put(name, '-');
        if (enough && spans[i].last > spans[i].first)
            enough = name_add(name, spans[i].last, true);
    }
    return enough && name_put(name, ']');
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The character that a name has at *at; false if there is none.
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

static bool keep_span(struct alphabet *alphabet, uint32_t first, uint32_t last, uint32_t letter)
{
    if (!memory_reserve(&alphabet->spans, &alphabet->span_capacity, alphabet->span_count + 1,
                        sizeof *alphabet->spans))
        return false;
    size_t at = alphabet->span_count++;
    for (; at > 0 && alphabet->spans[at - 1].first > first; at--)
        alphabet->spans[at] = alphabet->spans[at - 1];
    alphabet->spans[at] = (struct span){first, last, letter};
    return true;
}

enum spelling { SPELLS_CHARACTERS, SPELLS_WORD, SPELLS_NO_MEMORY };

// The characters that the name of a letter stands for.
static enum spelling spell(struct alphabet *alphabet, uint32_t letter)
{
    const char *name = alphabet_name(alphabet, letter);
    size_t length = table_length(&alphabet->names, letter), at = 0;
    uint32_t first, last;
    if (strcmp(name, other_name) == 0) {
        alphabet->other = letter;
        return SPELLS_CHARACTERS;
    }
    if (name_point(name, length, &at, &first) && at == length)
        return keep_span(alphabet, first, first, letter) ? SPELLS_CHARACTERS : SPELLS_NO_MEMORY;
    if (length < 3 || name[0] != '[' || name[length - 1] != ']')
        return SPELLS_WORD;
    for (at = 1; at < length - 1;) {
        if (!name_point(name, length - 1, &at, &first))
            return SPELLS_WORD;
        last = first;
        if (at < length - 1 && name[at] == '-') {
            at++;
            if (!name_point(name, length - 1, &at, &last) || last < first)
                return SPELLS_WORD;
        }
        if (!keep_span(alphabet, first, last, letter))
            return SPELLS_NO_MEMORY;
    }
    return SPELLS_CHARACTERS;
}

bool alphabet_of_names(struct alphabet *alphabet, char *const *names, size_t count)
{
    bool characters = true;
    alphabet->other = LETTER_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t letter = table_add(&alphabet->names, names[i], strlen(names[i]));
        enum spelling spelling = letter == TABLE_NONE ? SPELLS_NO_MEMORY : spell(alphabet, letter);
        if (spelling == SPELLS_NO_MEMORY)
            return false;
        characters = characters && spelling == SPELLS_CHARACTERS;
    }
    alphabet->kind = characters ? LETTERS_CHARACTERS : LETTERS_WORDS;
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
    alphabet->kind = LETTERS_CHARACTERS;
    for (uint32_t i = 0; i < alphabet->names.count; i++) {
        uint32_t point;
        point_read(alphabet_name(alphabet, i), table_length(&alphabet->names, i), &point);
        if (!keep_span(alphabet, point, point, i))
            return false;
    }
    return true;
}

bool alphabet_add(struct alphabet *alphabet, const struct span *spans, size_t count)
{
    struct name name = {0};
    uint32_t letter = TABLE_NONE;
    if (count == 0)
        letter = alphabet->other = table_add(&alphabet->names, other_name, sizeof other_name - 1);
    else if (name_of_spans(&name, spans, count))
        letter = table_add(&alphabet->names, name.text, name.length);
    memory_free(name.text);
    bool enough = letter != TABLE_NONE;
    for (size_t i = 0; enough && i < count; i++)
        enough = keep_span(alphabet, spans[i].first, spans[i].last, letter);
    return enough;
}

// ---- reading ----

static uint32_t find_point(const struct alphabet *alphabet, uint32_t point)
{
    size_t low = 0, high = alphabet->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (alphabet->spans[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < alphabet->span_count && alphabet->spans[low].first <= point;
    return inside ? alphabet->spans[low].letter : alphabet->other;
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
        return LETTER_NONE;
    for (uint32_t i = 0; i < alphabet->names.count; i++)
        if (vector_fits(alphabet_name(alphabet, i), vector, length))
            return i;
    return LETTER_NONE;
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
        return LETTER_NONE;
    if (alphabet->kind == LETTERS_CHARACTERS) {
        uint32_t point;
        *used = point_read(text, size, &point);
        return find_point(alphabet, point);
    }
    size_t first = skip_blanks(text, size, 0), end = first;
    while (end < size && text[end] != ' ' && text[end] != '\t')
        end++;
    if (end == first)
        return LETTER_NONE;
    *used = skip_blanks(text, size, end);
    if (alphabet->kind == LETTERS_VECTORS)
        return find_vector(alphabet, text + first, end - first);
    uint32_t letter = table_find(&alphabet->names, text + first, end - first);
    return letter == TABLE_NONE ? LETTER_NONE : letter;
}
