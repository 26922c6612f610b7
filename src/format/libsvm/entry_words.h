// An entry "index:value" eight bytes at a time, in C that any CPU has. See quick_lines.h.
#include "format/libsvm/quick_row.h"

#define EVERY(byte) (0x0101010101010101u * (byte))
#define ENTRY_MOST 24 // bytes of an entry, with the blank after it

// The highest bits of bytes that are no digits, exact up to the first of them.
static inline uint64_t not_digits(uint64_t digits)
{
    return ((digits + EVERY(0x76)) | digits) & EVERY(0x80);
}

// Which of eight bytes are blanks, ends of lines or control characters, as bits.
static inline uint32_t blank_bits(uint64_t word)
{
    uint64_t others = ((word & EVERY(0x7F)) + EVERY(0x5F)) | word;
    return (uint32_t)((~others & EVERY(0x80)) * 0x0002040810204081u >> 56);
}

// Bytes before the first blank; ENTRY_MOST: there is none in so many.
static inline size_t blank_after(const char *text)
{
    uint32_t blanks = blank_bits(load_word(text)) | blank_bits(load_word(text + 8)) << 8 |
                      blank_bits(load_word(text + 16)) << 16;
    return (size_t)__builtin_ctz(blanks | 1u << ENTRY_MOST);
}

// The number of eight digits, the first in the lowest byte: pairs, fours, all of them.
static inline uint32_t eight_digits(uint64_t digits)
{
    digits = digits * (10 << 8 | 1) >> 8;
    digits = (digits & 0x00FF00FF00FF00FFu) * (100 << 16 | 1) >> 16;
    return (uint32_t)((digits & 0x0000FFFF0000FFFFu) * ((uint64_t)10000 << 32 | 1) >> 32);
}

// The last bytes of a word.
static const uint64_t last_bytes[9] = {0,
                                       0xFF00000000000000,
                                       0xFFFF000000000000,
                                       0xFFFFFF0000000000,
                                       0xFFFFFFFF00000000,
                                       0xFFFFFFFFFF000000,
                                       0xFFFFFFFFFFFF0000,
                                       0xFFFFFFFFFFFFFF00,
                                       0xFFFFFFFFFFFFFFFF};

// The last `count` digits before `end`, of which `fraction` are after a point; 8 at most.
static inline uint64_t last_digits(const char *end, size_t count, size_t fraction)
{
    uint64_t after = load_word(end - 8), before = load_word(end - 9); // the point
    uint64_t text = before ^ ((before ^ after) & last_bytes[fraction]);
    return (text ^ EVERY('0')) & last_bytes[count];
}

// Powers of ten, and what is to be divided by to become negative.
static const double scales[2][16] = {
    {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15}};

// As plain_value(), without a minus.
static bool long_value(const char *text, const char *stop, bool negative, float *value)
{
    const char *point = text;
    while (point < stop && *point != '.')
        point++;
    size_t fraction = point < stop ? (size_t)(stop - point) - 1 : 0;
    const char *end = point < stop ? stop : stop + 1; // as if there were a point
    size_t count = (size_t)(end - text) - 1;
    if (count - 1 > 14)
        return false;
    uint64_t low = last_digits(end, count < 8 ? count : 8, fraction < 8 ? fraction : 8), high = 0;
    if (count > 8)
        high = last_digits(end - 8, count - 8, fraction > 8 ? fraction - 8 : 0);
    uint64_t mantissa = (uint64_t)eight_digits(high) * 100000000 + eight_digits(low);
    *value = (float)((double)mantissa / scales[negative][fraction]);
    return !(not_digits(low) | not_digits(high));
}

// The value from `text` to `stop`. False if it is anything else than a minus and up to 15 digits
// and a point.
static inline bool plain_value(const char *text, const char *stop, float *value)
{
    bool negative = *text == '-';
    text += negative;
    size_t length = (size_t)(stop - text);
    uint64_t first = load_word(text), dots = first ^ EVERY('.');
    uint64_t points = (dots - EVERY(1)) & ~dots & EVERY(0x80);  // exact up to the first
    size_t zero = (first & 0xFFFF) == ('.' << 8 | '0') ? 2 : 0; // "0." says nothing
    if (length - zero - 1 > 7)
        return long_value(text, stop, negative, value);
    size_t point = points ? (size_t)__builtin_ctzll(points) / 8 : 8;
    if (point > length) // as if there were one after it
        point = length;
    size_t end = length + (point == length);
    size_t fraction = end - 1 - point;
    uint64_t digits = last_digits(text + end, end - zero - (zero == 0), fraction);
    *value = (float)((double)eight_digits(digits) / scales[negative][fraction]);
    return !not_digits(digits) & (end > 1); // a point alone is no number
}

// An entry that is plain; false if it is not. *stop: the blank after it.
static inline bool plain_entry(const char *at, int32_t *index, float *value, const char **stop)
{
    size_t size = blank_after(at);
    uint64_t digits = load_word(at) ^ EVERY('0'), others = not_digits(digits);
    const char *colon = at + 8;
    if (others) { // fewer than eight
        size_t bits = (size_t)__builtin_ctzll(others);
        digits <<= (7 - bits) & 63;
        colon = at + bits / 8;
    }
    *index = (int32_t)eight_digits(digits);
    *stop = at + size;
    return (*colon == ':') & (colon != at) & (size < ENTRY_MOST) &&
           plain_value(colon + 1, *stop, value);
}
