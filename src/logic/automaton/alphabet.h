// The letters of an automaton, and how a text is cut into them.
//
// The letters of a regular expression are characters: those that it never tells apart are one
// letter, "[0-9]", and all that it does not mention are the letter "other". A transition table has
// characters too if each of its letters is a single one, else words with blanks between them. A
// KISS2 machine has vectors of 0 and 1; those that it never tells apart are one letter, "0-1".
#ifndef TLU_LOGIC_AUTOMATON_ALPHABET_H
#define TLU_LOGIC_AUTOMATON_ALPHABET_H

#include "base/error.h"
#include "base/table.h"

// Characters are those of Unicode, in UTF-8. A byte that is not UTF-8 is a character too, one that
// no expression can name.
#define POINT_MAX 0x10FFFFu
#define POINT_INVALID (POINT_MAX + 1)
#define LETTER_NONE UINT32_MAX
#define LETTERS_MAX 1024 // of characters and words

enum letters { LETTERS_CHARACTERS, LETTERS_WORDS, LETTERS_VECTORS };

struct span { // of characters
    uint32_t first, last;
    uint32_t letter;
};

struct alphabet {
    enum letters kind;
    struct table names; // [letters]
    struct span *spans; // [span_count] characters: ascending; those of "other" are left out
    size_t span_count, span_capacity;
    uint32_t other; // the letter for all other characters; LETTER_NONE: they are no letters
    size_t inputs;  // vectors: their length
};

// Reads one character: its bytes, 1 at least.
size_t point_read(const char *text, size_t size, uint32_t *point);
size_t point_write(char out[4], uint32_t point);

// All letters are single characters.
bool alphabet_is_simple(const struct alphabet *alphabet);
// Names that are there already become characters, each standing for itself. False: no memory.
bool alphabet_be_simple(struct alphabet *alphabet);
// A letter for some characters, which are in ascending spans; its name is made from them. "other"
// is asked for by a count of 0. False: no memory.
bool alphabet_add(struct alphabet *alphabet, const struct span *spans, size_t count);
// The alphabet of a network whose inputs are letters, by their names. Returns false if memory ran
// out.
bool alphabet_of_names(struct alphabet *alphabet, char *const *names, size_t count);

// The next letter of a text, and how many bytes it takes with what is around it. Words and vectors
// have blanks between them; *used is 0 if nothing but blanks is left. LETTER_NONE: it is no letter.
uint32_t alphabet_read(const struct alphabet *alphabet, const char *text, size_t size,
                       size_t *used);

static inline const char *alphabet_name(const struct alphabet *alphabet, uint32_t letter)
{
    return table_text(&alphabet->names, letter);
}

void alphabet_free(struct alphabet *alphabet);

#endif
