#include "format/text/unicode.h"

#include <stdbool.h>

struct unicode_range {
    uint32_t first, last;
};

struct unicode_step {
    uint32_t first, last;
    uint32_t stride;
    int32_t delta;
};

#include "format/text/unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

uint32_t unicode_read(const char *text, const char *end, size_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    uint32_t first = s[0];
    *length = 1;
    if (first < 0x80)
        return first;
    size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (bytes == 0 || bytes > left)
        return UNICODE_NONE;
    uint32_t code = first & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return UNICODE_NONE;
        code = code << 6 | (s[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return UNICODE_NONE;
    *length = bytes;
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
    if (code == UNICODE_NONE || code < 0xA0 || is_in(unicode_spaces, COUNT(unicode_spaces), code))
        return CHARACTER_SPACE;
    if (is_in(unicode_words, COUNT(unicode_words), code))
        return is_ideograph(code) ? CHARACTER_ALONE : CHARACTER_WORD;
    return is_in(unicode_marks, COUNT(unicode_marks), code) ? CHARACTER_MARK : CHARACTER_SYMBOL;
}

uint32_t unicode_lower(uint32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    size_t low = 0, high = COUNT(unicode_lowers);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > unicode_lowers[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    const struct unicode_step *step = &unicode_lowers[low];
    if (low == COUNT(unicode_lowers) || code < step->first ||
        (code - step->first) % step->stride != 0)
        return code;
    return (uint32_t)((int32_t)code + step->delta);
}
