// Characters: UTF-8, what they are, and lower case. Asks no locale.
#ifndef TLU_FORMAT_TEXT_UNICODE_H
#define TLU_FORMAT_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNICODE_NONE UINT32_MAX

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

struct unicode_range {
    uint32_t first, last;
};
// Whether the character is in one of the ranges, which are in order.
bool unicode_is_in(const struct unicode_range *ranges, size_t count, uint32_t code);

#define UNICODE_PAGED 0x20000 // the characters below are in pages; all others are rare
extern const struct unicode_page unicode_pages[];
extern const uint16_t unicode_page_of[UNICODE_PAGED / 64];

static inline bool
unicode_is_next(unsigned char c) // the second byte of a character, or a later one
{
    return (c & 0xC0) == 0x80;
}

// Of the character at `text`, where two bytes may be read: NULL if it does not have two. The lower
// six bits of the second byte are its place in the page.
static inline const struct unicode_page *unicode_page_of_two(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    bool two = first >= 0xC2 && first < 0xE0 && unicode_is_next(second);
    return two ? &unicode_pages[unicode_page_of[first & 0x1F]] : NULL;
}

// Reads one character. A byte that does not belong to a well-formed one (no overlong forms, no
// surrogates, nothing past U+10FFFF) is UNICODE_NONE, one byte long. `text` < `end`.
static inline uint32_t unicode_read(const char *text, const char *end, size_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    uint32_t first = s[0], code;
    *length = 1;
    if (first < 0x80)
        return first;
    if (left < 2 || first < 0xC2 || first >= 0xF5 || !unicode_is_next(s[1]))
        return UNICODE_NONE;
    if (first < 0xE0) {
        *length = 2;
        return (first & 0x1F) << 6 | (s[1] & 0x3Fu);
    }
    if (left < 3 || !unicode_is_next(s[2]))
        return UNICODE_NONE;
    if (first < 0xF0) {
        code = (first & 0xF) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
        if (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))
            return UNICODE_NONE;
        *length = 3;
        return code;
    }
    if (left < 4 || !unicode_is_next(s[3]))
        return UNICODE_NONE;
    code = (first & 7) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
    if (code < 0x10000 || code > 0x10FFFF)
        return UNICODE_NONE;
    *length = 4;
    return code;
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
