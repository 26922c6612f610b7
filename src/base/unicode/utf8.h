// UTF-8, read character by character.
#ifndef TLU_BASE_UNICODE_UTF8_H
#define TLU_BASE_UNICODE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNICODE_NONE UINT32_MAX

static inline bool
unicode_is_next(unsigned char c) // the second byte of a character, or a later one
{
    return (c & 0xC0) == 0x80;
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

#endif
