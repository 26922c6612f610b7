// The alphabet of an automaton, and how text is split into its symbols.
//
// The symbols of a regular expression are classes of characters that it never distinguishes, such
// as "[0-9]"; "other" holds all characters that it does not mention. The symbols of a transition
// table are characters if all are single characters, otherwise words separated by blanks. Those of
// a KISS2 machine are classes of input vectors that it never distinguishes, such as "0-1".
#ifndef TLU_LOGIC_AUTOMATON_ALPHABET_H
#define TLU_LOGIC_AUTOMATON_ALPHABET_H

#include "base/error.h"
#include "base/table.h"
#include "input/text/unicode.h"

// Characters are Unicode, in UTF-8. A byte that is not UTF-8 counts as the character POINT_INVALID,
// which no expression can name.
#define POINT_MAX 0x10FFFFu
#define POINT_INVALID (POINT_MAX + 1)
#define SYMBOL_NONE UINT32_MAX
#define SYMBOLS_MAX 1024 // for characters and words

enum alphabet_kind { ALPHABET_CHARACTERS, ALPHABET_WORDS, ALPHABET_VECTORS };

struct char_range { // of characters
    uint32_t first, last;
    uint32_t symbol;
};

struct alphabet {
    enum alphabet_kind kind;
    struct table names;        // [symbols]
    struct char_range *ranges; // [range_count] ascending, without those of "other"
    size_t range_count, range_capacity;
    uint32_t other; // the symbol of all other characters; SYMBOL_NONE: none
    size_t inputs;  // length of the vectors
};

// Reads one character and returns its number of bytes, at least 1.
static inline size_t point_read(const char *text, size_t size, uint32_t *point)
{
    size_t length;
    *point = unicode_read(text, text + size, &length);
    if (*point == UNICODE_NONE)
        *point = POINT_INVALID;
    return length;
}

// Whether all symbols are single characters.
bool alphabet_is_simple(const struct alphabet *alphabet);
// Turns the existing names into characters. False: out of memory.
bool alphabet_be_simple(struct alphabet *alphabet);
// Adds a symbol for ascending ranges of characters and names it after them; without ranges,
// "other". False: out of memory.
bool alphabet_add(struct alphabet *alphabet, const struct char_range *ranges, size_t count);
// The alphabet of a network, from the names of its inputs. False: out of memory.
bool alphabet_of_names(struct alphabet *alphabet, char *const *names, size_t count);

// Reads the next symbol of a text; *used is its number of bytes, with the blanks around words and
// vectors, and 0 if only blanks are left. SYMBOL_NONE: not a symbol.
uint32_t alphabet_read(const struct alphabet *alphabet, const char *text, size_t size,
                       size_t *used);

static inline const char *alphabet_name(const struct alphabet *alphabet, uint32_t symbol)
{
    return table_text(&alphabet->names, symbol);
}

void alphabet_free(struct alphabet *alphabet);

#endif
