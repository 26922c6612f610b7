// An entry "index:value" eight bytes at a time, in C that any CPU has. See quick_lines.h.
#include "input/libsvm/digits.h"
#include "input/libsvm/quick_row.h"

#define ENTRY_MIN 3  // bytes of an entry
#define ENTRY_MAX 27 // with the blank after it

// Which of eight bytes are blanks, ends of lines or control characters, as bits.
static inline uint32_t blank_bits(uint64_t word)
{
    uint64_t others = ((word & EVERY(0x7F)) + EVERY(0x5F)) | word;
    return (uint32_t)((~others & EVERY(0x80)) * 0x0002040810204081u >> 56);
}

// Bytes before the blank after an entry; ENTRY_MAX: there is none in so many, which are too many
// for a plain value.
static inline uint32_t blank_after(const char *text)
{
    text += ENTRY_MIN;
    uint32_t blanks = blank_bits(load_word(text)) | blank_bits(load_word(text + 8)) << 8;
    if (!blanks)
        blanks = blank_bits(load_word(text + 16)) << 16 | 1u << (ENTRY_MAX - ENTRY_MIN);
    return ENTRY_MIN + (uint32_t)__builtin_ctz(blanks);
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

// The last bytes before `stop` as digits, 8 at most.
static inline uint64_t last_digits(const char *stop, size_t count)
{
    return (load_word(stop - 8) ^ EVERY('0')) & last_bytes[count];
}

// Powers of ten, and what is to be divided by to become negative.
static const double scales[2][16] = {
    {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15}};

// The first point among digits: bits of its byte; 0: there is none.
static inline uint64_t point_of(uint64_t digits)
{
    uint64_t points = digits ^ EVERY('.' ^ '0');
    return (points - EVERY(1)) & ~points & EVERY(0x80); // exact up to the first
}

// The digits from the point on stay, those before it move up by a byte.
static inline uint64_t without_point(uint64_t digits, uint64_t earlier, size_t fraction)
{
    uint64_t before = digits << 8 | earlier >> 56;
    return before ^ ((before ^ digits) & last_bytes[fraction]);
}

// As plain_value(), of 9 to 16 bytes.
static bool long_value(const char *stop, size_t length, size_t negative, struct quick_entry *entry)
{
    if (length - 9 > 7)
        return false;
    uint64_t low = last_digits(stop, 8), high = last_digits(stop - 8, length - 8);
    uint64_t point = point_of(low), earlier_point = point_of(high);
    size_t fraction = 0;
    if (point) {
        fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
        low = without_point(low, high, fraction);
        high <<= 8;
    } else if (earlier_point) {
        size_t before = 7 - (uint32_t)__builtin_ctzll(earlier_point) / 8;
        high = without_point(high, 0, before);
        fraction = before + 8;
    } else if (length == 16) {
        return false; // the mantissa may be no double
    }
    uint64_t mantissa = (uint64_t)word_number(high) * 100000000 + word_number(low);
    entry->there = mantissa != 0;
    entry->value = (float)((double)mantissa / scales[negative][fraction]);
    return !(not_digits(low) | not_digits(high));
}

// The value from `text` to entry->stop. False if it is anything else than a minus and up to 15
// digits and a point.
static inline bool plain_value(const char *text, struct quick_entry *entry)
{
    if (entry->stop == text + 1)
        return one_digit(*text, entry);
    size_t negative = *text == '-', fraction = 0;
    text += negative;
    size_t length = (size_t)(entry->stop - text);
    uint64_t digits;
    if ((load_word(text) & 0xFFFF) == ('.' << 8 | '0') && length - 3 < 8) { // 0.1 to 0.12345678
        fraction = length - 2;
        digits = last_digits(entry->stop, fraction);
    } else {
        if (length - 1 > 7)
            return long_value(entry->stop, length, negative, entry);
        digits = last_digits(entry->stop, length);
        uint64_t point = point_of(digits);
        if (point && length > 1) {
            fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
            digits = without_point(digits, 0, fraction);
        }
    }
    entry->there = digits != 0;
    entry->value = (float)((double)word_number(digits) / scales[negative][fraction]);
    return !not_digits(digits);
}

// An entry that is plain; false if it is not. stop is set in any case.
static inline bool plain_entry(const char *at, struct quick_entry *entry)
{
    entry->stop = at + blank_after(at);
    uint64_t digits = load_word(at) ^ EVERY('0'), others = not_digits(digits);
    const char *colon = at + 8;
    if (others) { // fewer than eight
        uint32_t bits = (uint32_t)__builtin_ctzll(others);
        digits <<= (7 - bits) & 63;
        colon = at + bits / 8;
    }
    entry->index = (int32_t)word_number(digits);
    return (*colon == ':') & (colon != at) && plain_value(colon + 1, entry);
}
