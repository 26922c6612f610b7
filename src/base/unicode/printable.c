#include "base/unicode/printable.h"
#include "base/unicode/utf8.h"

#include <stdio.h>
#include <string.h>

#include "base/unicode/hidden.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool unicode_is_in(const struct unicode_range *ranges, size_t count, uint32_t code)
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

bool unicode_is_printable(uint32_t code)
{
    if (code < 0x7F)
        return code >= 0x20;
    return code != UNICODE_NONE && !unicode_is_in(unicode_hidden, COUNT(unicode_hidden), code);
}

bool unicode_sets_direction(uint32_t code)
{
    return code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

size_t escape_character(char *out, const char *text, const char *end, size_t *length)
{
    uint32_t code = unicode_read(text, end, length);
    if (unicode_is_printable(code)) {
        memcpy(out, text, *length);
        return *length;
    }
    if (*length == 1) // a control character or a byte that is not UTF-8
        return (size_t)snprintf(out, ESCAPED_MAX, "\\x%02X", (unsigned char)*text);
    return (size_t)snprintf(out, ESCAPED_MAX, "\\u{%X}", (unsigned)code);
}

size_t tlu_text_escape(char *out, size_t size, const char *text, size_t length)
{
    const char *end = text + length;
    size_t used = 0, whole = 0; // bytes written, bytes that all of it takes
    for (size_t step; text < end; text += step) {
        char piece[ESCAPED_MAX];
        size_t bytes = escape_character(piece, text, end, &step);
        if (used == whole && whole + bytes < size) {
            memcpy(out + used, piece, bytes);
            used += bytes;
        }
        whole += bytes;
    }
    if (size > 0)
        out[used] = '\0';
    return whole;
}
