// Numbers by C that any CPU runs, eight bytes at a time: values of LIBSVM and of Vowpal Wabbit's
// format. No branch depends on how long a number is, unless it has an exponent.
#ifndef TLU_INPUT_NUMBERS_H
#define TLU_INPUT_NUMBERS_H

#include "input/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
#define SCALES 23 // those that are exact
static const double scales[2][SCALES] = {
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

// Digits without their point, of which so many come after it.
struct plain_digits {
    int64_t mantissa;
    size_t fraction;
    bool fine; // there are up to 15 digits and nothing else
};

// Those of 9 to 16 bytes.
static inline struct plain_digits long_digits(const char *stop, size_t length)
{
    if (length - 9 > 7)
        return (struct plain_digits){0, 0, false};
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
        return (struct plain_digits){0, 0, false}; // the mantissa may be no double
    }
    int64_t mantissa = (int64_t)word_number(high) * 100000000 + word_number(low);
    return (struct plain_digits){mantissa, fraction, !(not_digits(low) | not_digits(high))};
}

// Those from `text` to `stop`.
static inline struct plain_digits plain_digits(const char *text, const char *stop)
{
    size_t length = (size_t)(stop - text), fraction = 0;
    uint64_t digits;
    if ((load_word(text) & 0xFFFF) == ('.' << 8 | '0') && length - 3 < 8) { // 0.1 to 0.12345678
        fraction = length - 2;
        digits = last_digits(stop, fraction);
    } else {
        if (length - 1 > 7)
            return long_digits(stop, length);
        digits = last_digits(stop, length);
        uint64_t point = first_equal(digits, '.' ^ '0');
        if (point && length > 1) {
            fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
            digits = without_point(digits, 0, fraction);
        }
    }
    return (struct plain_digits){word_number(digits), fraction, !not_digits(digits)};
}

// The number from `text` to `stop`; *there: it is not 0. False if it is anything else than a minus
// and up to 15 digits and a point. 16 bytes before `stop` and 8 after `text` are there.
static inline bool plain_number(const char *text, const char *stop, float *value, bool *there)
{
    if (stop == text + 1)
        return one_digit(*text, value, there);
    bool negative = *text == '-';
    struct plain_digits digits = plain_digits(text + negative, stop);
    *there = digits.mantissa != 0;
    *value = (float)((double)digits.mantissa / scales[negative][digits.fraction]);
    return digits.fine;
}

// The same with an exponent of a sign and two digits, as "%e" prints it: 6.2699720e-02. Digits and
// power of ten are exact, so there is one rounding to a double (Clinger 1990).
static inline bool power_number(const char *text, const char *stop, float *value)
{
    bool negative = *text == '-', down = stop[-3] == '-';
    uint32_t tens = (uint32_t)stop[-2] - '0', ones = (uint32_t)stop[-1] - '0';
    if (stop - text - negative < 5 || (stop[-4] | 0x20) != 'e' || (!down && stop[-3] != '+') ||
        tens > 9 || ones > 9)
        return false;
    struct plain_digits digits = plain_digits(text + negative, stop - 4);
    int power = (int)(10 * tens + ones);
    power = (down ? -power : power) - (int)digits.fraction;
    if (!digits.fine || power <= -SCALES || power >= SCALES)
        return false;
    double number = (double)digits.mantissa;
    number = power < 0 ? number / scales[negative][-power] : number * scales[negative][power];
    *value = (float)number;
    return true;
}

// ---- numbers whose ends are looked for ----

// Appends the digits from `at` on, up to 23, to a number; returns the byte after them.
static inline const char *append_digits(const char *at, uint64_t *number)
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
static inline bool read_exponent(const char **at, int *exponent)
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
static inline bool quick_float(const char *text, float *value, const char **end)
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
