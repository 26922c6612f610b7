// Digits eight at a time, and floats of them.
#ifndef TLU_INPUT_LIBSVM_DIGITS_H
#define TLU_INPUT_LIBSVM_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EVERY(byte) (0x0101010101010101u * (byte))

// Eight bytes of text, the first in the lowest.
static inline uint64_t load_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// The highest bits of bytes that are no digits, exact up to the first of them.
static inline uint64_t not_digits(uint64_t digits)
{
    return ((digits + EVERY(0x76)) | digits) & EVERY(0x80);
}

// The number of eight digits, the first in the lowest byte: pairs, fours, all of them.
static inline uint32_t word_number(uint64_t digits)
{
    digits = digits * (10 << 8 | 1) >> 8;
    digits = (digits & 0x00FF00FF00FF00FFu) * (100 << 16 | 1) >> 16;
    return (uint32_t)((digits & 0x0000FFFF0000FFFFu) * ((uint64_t)10000 << 32 | 1) >> 32);
}

// Appends the digits from `at` on, up to 23, to a number; returns the byte after them.
static const char *append_digits(const char *at, uint64_t *number)
{
    static const uint32_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t digits = load_word(at) ^ EVERY('0'), others = not_digits(digits);
    for (int i = 0; i < 2 && !others; i++) {
        *number = *number * 100000000 + word_number(digits);
        at += 8;
        digits = load_word(at) ^ EVERY('0');
        others = not_digits(digits);
    }
    uint32_t count = others ? (uint32_t)__builtin_ctzll(others) / 8 : 0;
    if (!count)
        return at;
    *number = *number * powers[count] + word_number(digits << (64 - 8 * count));
    return at + count;
}

// "e", a sign and up to three digits. False if there are others, or no digits.
static bool read_exponent(const char **at, int *exponent)
{
    const char *digit = *at + 1, *first;
    bool negative = *digit == '-';
    digit += negative || *digit == '+';
    int n = 0;
    for (first = digit; digit - first < 4 && *digit >= '0' && *digit <= '9'; digit++)
        n = 10 * n + (*digit - '0');
    *exponent = negative ? -n : n;
    *at = digit;
    return digit > first && digit - first < 4;
}

// The float of the double that is nearest to a decimal number of up to 19 digits; false if it is
// something else, or if that is not certain. At least 64 bytes after the text are there.
static bool quick_float(const char *text, float *value, const char **end)
{
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *text == '-';
    const char *first = text + negative;
    uint64_t mantissa = 0, bits;
    const char *at = append_digits(first, &mantissa);
    size_t count = (size_t)(at - first);
    int exponent = 0, fraction = 0;
    if (*at == '.') {
        const char *point = at++;
        at = append_digits(at, &mantissa);
        fraction = (int)(at - point) - 1;
        count += (size_t)fraction;
    }
    if (count - 1 > 18 || ((*at | 0x20) == 'e' && !read_exponent(&at, &exponent)))
        return false;
    exponent -= fraction;
    if (exponent < -22 || exponent > 22)
        return false;
    double number = (double)mantissa;
    number = exponent < 0 ? number / powers[-exponent] : number * powers[exponent];
    // Two roundings, if the mantissa is longer than that of a double, may have moved the number by
    // 2 of its last places. That is of no account unless it is halfway between two floats.
    memcpy(&bits, &number, sizeof bits);
    if (mantissa >> 53 && (bits & 0x1FFFFFFF) - 0x0FFFFFFC <= 8)
        return false;
    *value = (float)(negative ? -number : number);
    *end = at;
    return true;
}

#endif
