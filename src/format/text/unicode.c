#include "format/text/unicode.h"

#include <stdbool.h>

struct unicode_range {
    uint32_t first, last;
};

// Of 64 characters, the first in the lowest bit.
struct unicode_page {
    uint64_t words, marks, spaces;
    uint64_t lowered; // they have a lower case that is another character
};

struct unicode_step {
    uint32_t first, last;
    uint32_t stride;
    int32_t delta;
};

#include "format/text/unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline bool is_next(unsigned char c) // the second byte of a character, or a later one
{
    return (c & 0xC0) == 0x80;
}

uint32_t unicode_read(const char *text, const char *end, size_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    uint32_t first = s[0], code;
    *length = 1;
    if (first < 0x80)
        return first;
    if (left < 2 || first < 0xC2 || first >= 0xF5 || !is_next(s[1]))
        return UNICODE_NONE;
    if (first < 0xE0) {
        *length = 2;
        return (first & 0x1F) << 6 | (s[1] & 0x3Fu);
    }
    if (left < 3 || !is_next(s[2]))
        return UNICODE_NONE;
    if (first < 0xF0) {
        code = (first & 0xF) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
        if (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))
            return UNICODE_NONE;
        *length = 3;
        return code;
    }
    if (left < 4 || !is_next(s[3]))
        return UNICODE_NONE;
    code = (first & 7) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
    if (code < 0x10000 || code > 0x10FFFF)
        return UNICODE_NONE;
    *length = 4;
    return code;
}

size_t unicode_write(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = bytes; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00u >> bytes & 0xFF) | code);
    return bytes;
}

// Of a character below UNICODE_PAGED.
static inline const struct unicode_page *page_of(uint32_t code)
{
    return &unicode_pages[unicode_page_of[code / 64]];
}

static bool is_in(const struct unicode_range *ranges, size_t count, uint32_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

// Scripts that put no blanks between words.
static bool is_ideograph(uint32_t code)
{
    return (code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0x20000 && code <= 0x3FFFF);
}

enum character unicode_kind(uint32_t code)
{
    if (code < 0x80) {
        uint32_t letter = code | 0x20;
        if ((letter >= 'a' && letter <= 'z') || (code >= '0' && code <= '9'))
            return CHARACTER_WORD;
        return code <= ' ' || code == 0x7F ? CHARACTER_SPACE : CHARACTER_SYMBOL;
    }
    if (code < UNICODE_PAGED) {
        const struct unicode_page *page = page_of(code);
        if (page->words >> code % 64 & 1)
            return is_ideograph(code) ? CHARACTER_ALONE : CHARACTER_WORD;
        return page->spaces >> code % 64 & 1  ? CHARACTER_SPACE
               : page->marks >> code % 64 & 1 ? CHARACTER_MARK
                                              : CHARACTER_SYMBOL;
    }
    if (code == UNICODE_NONE)
        return CHARACTER_SPACE;
    if (is_in(unicode_words, COUNT(unicode_words), code))
        return is_ideograph(code) ? CHARACTER_ALONE : CHARACTER_WORD;
    return is_in(unicode_marks, COUNT(unicode_marks), code) ? CHARACTER_MARK : CHARACTER_SYMBOL;
}

uint32_t unicode_lower(uint32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    if (code >= UNICODE_PAGED || !(page_of(code)->lowered >> code % 64 & 1))
        return code;
    size_t low = 0, high = COUNT(unicode_lowers);
    while (
        low <
        high) { // it is there: the step that it belongs to is the first that does not end before it
        size_t middle = low + (high - low) / 2;
        if (code > unicode_lowers[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)((int32_t)code + unicode_lowers[low].delta);
}
