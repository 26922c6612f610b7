#include "input/text/unicode.h"

struct unicode_step {
    uint32_t first, last;
    uint32_t stride;
    int32_t delta;
};

#include "input/text/unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

enum character unicode_kind_past_pages(uint32_t code)
{
    if (code == UNICODE_NONE)
        return CHARACTER_SPACE;
    if (unicode_is_in(unicode_words, COUNT(unicode_words), code))
        return code <= 0x3FFFF ? CHARACTER_ALONE : CHARACTER_WORD;
    return unicode_is_in(unicode_marks, COUNT(unicode_marks), code) ? CHARACTER_MARK
                                                                    : CHARACTER_SYMBOL;
}

uint32_t unicode_lower(uint32_t code)
{
    if (!unicode_has_lower(code))
        return code;
    size_t low = 0, high = COUNT(unicode_lowers);
    while (low < high) { // the first step that does not end before it
        size_t middle = low + (high - low) / 2;
        if (code > unicode_lowers[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)((int32_t)code + unicode_lowers[low].delta);
}
