// Numbers by C that any CPU runs, eight bytes at a time: values of LIBSVM and of Vowpal Wabbit's
// format. No branch depends on how long a number is, unless it has an exponent.
#ifndef TLU_INPUT_NUMBERS_H
#define TLU_INPUT_NUMBERS_H

#include "input/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Not inline, so that the usual numbers keep their registers; not every file uses them.
#define NUMBERS_FUNCTION static __attribute__((unused))

// ---- numbers whose ends are known: [-] digits [. digits] ----

// A number of one byte, such as those of binary features.
static inline bool one_digit(char c, float *value, bool *there)
{
    uint32_t digit = (uint32_t)c - '0';
    *value = (float)(int32_t)digit;
    *there = digit != 0;
    return digit <= 9;
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
#define SCALES 23                     // those that are exact
static const double scales[2][32] = { // a power of two: no product for a row
    {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22},
    {-1,    -1e1,  -1e2,  -1e3,  -1e4,  -1e5,  -1e6,  -1e7,  -1e8,  -1e9,  -1e10, -1e11,
     -1e12, -1e13, -1e14, -1e15, -1e16, -1e17, -1e18, -1e19, -1e20, -1e21, -1e22}};

// The digits from the point on stay, those before it move up by a byte.
static inline uint64_t without_point(uint64_t digits, uint64_t earlier, size_t fraction)
{
    uint64_t before = digits << 8 | earlier >> 56;
    return before ^ ((before ^ digits) & last_bytes[fraction]);
}

// As scaled_number(), of 9 to 16 bytes.
NUMBERS_FUNCTION bool long_number(const char *stop, size_t length, size_t negative, size_t down,
                                  float *value, bool *there)
{
    if (length - 9 > 7)
        return false;
    uint64_t low = last_digits(stop, 8), high = last_digits(stop - 8, length - 8);
    uint64_t point = first_equal(low, '.' ^ '0'), earlier_point = first_equal(high, '.' ^ '0');
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
    *there = mantissa != 0;
    *value = (float)((double)mantissa / scales[negative][fraction + down]);
    return !(not_digits(low) | not_digits(high));
}

#define DOWN_MAX 7 // 15 digits of a fraction and so many more have an exact power of ten

// The digits from `text` to `stop`, with a point or without, divided by 10^down. Digits and power
// are exact, so there is one rounding to a double (Clinger 1990).
static inline bool scaled_number(const char *text, const char *stop, size_t negative, size_t down,
                                 float *value, bool *there)
{
    size_t length = (size_t)(stop - text), fraction = 0;
    uint64_t digits;
    if ((load_word(text) & 0xFFFF) == ('.' << 8 | '0') && length - 3 < 8) { // 0.1 to 0.12345678
        fraction = length - 2;
        digits = last_digits(stop, fraction);
    } else {
        if (length - 1 > 7)
            return long_number(stop, length, negative, down, value, there);
        digits = last_digits(stop, length);
        uint64_t point = first_equal(digits, '.' ^ '0');
        if (point && length > 1) {
            fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
            digits = without_point(digits, 0, fraction);
        }
    }
    *there = digits != 0;
    *value = (float)((double)word_number(digits) / scales[negative][fraction + down]);
    return !not_digits(digits);
}

// The number from `text` to `stop`; *there: it is not 0. False if it is anything else than a minus
// and up to 15 digits and a point. 16 bytes before `stop` and 8 after `text` are there.
static inline bool plain_number(const char *text, const char *stop, float *value, bool *there)
{
    if (stop == text + 1)
        return one_digit(*text, value, there);
    size_t negative = *text == '-';
    return scaled_number(text + negative, stop, negative, 0, value, there);
}

// The same with an exponent from e-00 to e-07, as "%e" prints it: 6.2699720e-02. 20 bytes before
// `stop` are there.
static inline bool exponent_number(const char *text, const char *stop, float *value)
{
    size_t negative = *text == '-', down = (size_t)(unsigned char)stop[-1] - '0';
    bool there;
    return memcmp(stop - 4, "e-0", 3) == 0 && down <= DOWN_MAX && stop - text > 4 &&
           scaled_number(text + negative, stop - 4, negative, down, value, &there);
}

// ---- numbers whose ends are looked for ----

// Appends the digits from `at` on, up to 23, to a number; returns the byte after them.
NUMBERS_FUNCTION const char *append_digits(const char *at, uint64_t *number)
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
NUMBERS_FUNCTION bool read_exponent(const char **at, int *exponent)
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
NUMBERS_FUNCTION bool quick_float(const char *text, float *value, const char **end)
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
