#include "draw/letters/widths.h"
#include "format/text/unicode.h"

#include <string.h>

struct range {
    uint32_t first, last;
};

// Wide by Unicode's East Asian Width, in ranges that leave rare gaps out.
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},
    {0x26c4, 0x26c5},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
    {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
    {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567}, {0x1f57a, 0x1f57a},
    {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5},
    {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// Invisible: joiners, marks of direction, soft hyphens, variation selectors, tags.
static const struct range invisible[] = {
    {0xad, 0xad},     {0x61c, 0x61c},   {0x1160, 0x11ff},   {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
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

static bool is_invisible(uint32_t code)
{
    return is_in(invisible, sizeof invisible / sizeof invisible[0], code);
}

bool letter_is_accent(uint32_t code)
{
    return code >= 0x300 && !is_invisible(code) && unicode_kind(code) == CHARACTER_MARK;
}

size_t letter_width(uint32_t code)
{
    if (code < 0x300)
        return code != 0xad;
    if (is_invisible(code) || letter_is_accent(code))
        return 0;
    return is_in(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

size_t text_cells(const char *text)
{
    const char *end = text + strlen(text);
    size_t cells = 0;
    for (size_t length; text < end; text += length)
        cells += letter_width(unicode_read(text, end, &length));
    return cells;
}

size_t text_letters(const char *text)
{
    const char *end = text + strlen(text);
    size_t letters = 0;
    for (size_t length; text < end; text += length)
        letters += letter_width(unicode_read(text, end, &length)) > 0;
    return letters;
}
