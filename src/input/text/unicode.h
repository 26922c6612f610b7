// Characters: UTF-8, what they are, and lower case. Asks no locale.
#ifndef TLU_INPUT_TEXT_UNICODE_H
#define TLU_INPUT_TEXT_UNICODE_H

#include "base/unicode/printable.h"
#include "base/unicode/utf8.h"

enum character {
    CHARACTER_SPACE,  // white space, controls, and bytes that are not UTF-8
    CHARACTER_WORD,   // letters and numbers
    CHARACTER_MARK,   // belongs to the character before it
    CHARACTER_ALONE,  // an ideograph: a word by itself
    CHARACTER_SYMBOL, // all others
};

// Of 64 characters, the first in the lowest bit.
struct unicode_page {
    uint64_t words, marks, spaces;
    uint64_t lowered; // they have a lower case that is another character
};

#define UNICODE_PAGED 0x20000 // the characters below are in pages; all others are rare
extern const struct unicode_page unicode_pages[];
extern const uint16_t unicode_page_of[UNICODE_PAGED / 64];

// Of the character at `text`, where two bytes may be read: NULL if it does not have two. The lower
// six bits of the second byte are its place in the page.
static inline const struct unicode_page *unicode_page_of_two(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    bool two = first >= 0xC2 && first < 0xE0 && unicode_is_next(second);
    return two ? &unicode_pages[unicode_page_of[first & 0x1F]] : NULL;
}

size_t unicode_write(char *out, uint32_t code); // up to 4 bytes; how many

// Scripts that put no blanks between words.
static inline bool unicode_is_ideograph(uint32_t code)
{
    return (code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF);
}

enum character unicode_kind_past_pages(uint32_t code);

static inline enum character unicode_kind(uint32_t code)
{
    if (code >= UNICODE_PAGED)
        return unicode_kind_past_pages(code);
    const struct unicode_page *page = &unicode_pages[unicode_page_of[code / 64]];
    if (page->words >> code % 64 & 1)
        return unicode_is_ideograph(code) ? CHARACTER_ALONE : CHARACTER_WORD;
    return page->spaces >> code % 64 & 1  ? CHARACTER_SPACE
           : page->marks >> code % 64 & 1 ? CHARACTER_MARK
                                          : CHARACTER_SYMBOL;
}

static inline bool unicode_has_lower(uint32_t code)
{
    return code < UNICODE_PAGED &&
           unicode_pages[unicode_page_of[code / 64]].lowered >> code % 64 & 1;
}

uint32_t unicode_lower(uint32_t code); // Unicode's simple mapping

#endif
