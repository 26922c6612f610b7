// Three ways to the same correctly rounded double: one floating-point operation if both operands
// are exact (Clinger 1990), 128-bit integers up to 19 digits and 10^27, and strtod for the rest.
// The first two cover most numbers in data.
#include "numeric/number.h"

#include "numeric/wide.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_IN_WORD 19                // 10^19 < 2^64
#define EXPONENT_MAX 100000000000000000L // 10^17: past every exponent that can matter

// A number as it was written: digits without their point, times 10^exponent.
struct written_number {
    const char *first; // the digits, with at most one point between or around them
    const char *end;   // of them
    int64_t count;     // of digits, leading zeros included
    uint64_t mantissa; // all of them; right if at most 19 follow the leading zeros
    int64_t exponent;
};

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // all exact

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Reads digits eight at a time. The first is in the lowest byte of a word; bytes that are not
// digits show as a high bit, and the digits before the first of them are moved up until they are
// the last of eight, with zeros before them.
static const char *read_words(const char *p, const char *limit, uint64_t *mantissa)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint32_t scales[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    while (limit - p >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word ^= 0x3030303030303030; // '0' to '9' become 0 to 9
        // Adding carries into the next byte only after the first that is not a digit.
        uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
        int digits = others ? __builtin_ctzll(others) / 8 : 8;
        if (digits == 0)
            break;
        word <<= 8 * (8 - digits);
        word = (word & 0x00FF00FF00FF00FF) * 10 + ((word >> 8) & 0x00FF00FF00FF00FF);
        word = (word & 0x0000FFFF0000FFFF) * 100 + ((word >> 16) & 0x0000FFFF0000FFFF);
        word = (word & 0x00000000FFFFFFFF) * 10000 + (word >> 32);
        *mantissa = *mantissa * scales[digits] + word;
        p += digits;
        if (digits < 8)
            break;
    }
#else
    (void)limit;
    (void)mantissa;
#endif
    return p;
}

static const char *read_digits(const char *p, const char *limit, uint64_t *mantissa)
{
    p = read_words(p, limit, mantissa);
    for (; p < limit && is_digit(*p); p++)
        *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
    return p;
}

// [e [+-] digits] at p; without digits it is not an exponent, and p is returned.
static const char *read_exponent(const char *p, const char *limit, int64_t *exponent)
{
    const char *digit = p + 1;
    bool negative = false;
    if (digit < limit && (*digit == '-' || *digit == '+'))
        negative = *digit++ == '-';
    if (digit >= limit || !is_digit(*digit))
        return p;
    int64_t written = 0;
    for (; digit < limit && is_digit(*digit); digit++)
        if (written < EXPONENT_MAX)
            written = written * 10 + (*digit - '0');
    *exponent += negative ? -written : written;
    return digit;
}

#ifdef __SIZEOF_INT128__
// mantissa 10^exponent for exponents from -27 to 27, where 5^|exponent| fits 63 bits; the rest of
// 10 is a power of 2. Neither ldexp leaves the range of normal doubles.
static double round_wide(uint64_t mantissa, int exponent)
{
    if (mantissa == 0)
        return 0;
    uint64_t power = powers_of_five[abs(exponent)];
    if (exponent >= 0)
        return ldexp((double)((wide)mantissa * power), exponent);
    // Both operands get their highest bits set, so that the quotient has 63 or 64 bits: more than a
    // double, and its last bit may stand for the remainder.
    int up = __builtin_clzll(mantissa), power_up = __builtin_clzll(power);
    wide numerator = (wide)(mantissa << up) << 63;
    uint64_t divisor = power << power_up;
    uint64_t quotient = (uint64_t)(numerator / divisor);
    if ((wide)quotient * divisor != numerator)
        quotient |= 1;
    return ldexp((double)quotient, exponent - 63 - up + power_up);
}
#endif

// Any number, by strtod: at most 768 digits decide how a double is rounded; of the rest it matters
// only whether all are 0. The text for strtod has no decimal point, so the locale does not matter.
static double round_text(const struct written_number *decimal)
{
    enum { DIGITS_USED = 800 };
    char text[DIGITS_USED + 32];
    size_t used = 0;
    bool more = false; // a digit other than 0 was left out
    int64_t exponent = decimal->exponent;
    for (const char *p = decimal->first; p < decimal->end; p++) {
        if (*p == '.' || (used == 0 && *p == '0'))
            continue;
        if (used < DIGITS_USED) {
            text[used++] = *p;
        } else {
            more |= *p != '0';
            exponent++;
        }
    }
    if (used == 0)
        return 0;
    if (more) {
        text[used++] = '1';
        exponent--;
    }
    if (exponent > 9999)
        exponent = 9999;
    if (exponent < -9999)
        exponent = -9999;
    snprintf(text + used, sizeof text - used, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static double round_decimal(const struct written_number *decimal)
{
    int64_t count = decimal->count;
    if (count > DIGITS_IN_WORD)
        for (const char *p = decimal->first; p < decimal->end && (*p == '0' || *p == '.'); p++)
            count -= *p == '0';
    if (count > DIGITS_IN_WORD)
        return round_text(decimal);
    int64_t exponent = decimal->exponent;
    if (FLT_EVAL_METHOD == 0 && decimal->mantissa <= (uint64_t)1 << 53 && exponent >= -22 &&
        exponent <= 22) {
        double mantissa = (double)decimal->mantissa;
        return exponent < 0 ? mantissa / powers_of_ten[-exponent]
                            : mantissa * powers_of_ten[exponent];
    }
#ifdef __SIZEOF_INT128__
    if (exponent >= -27 && exponent <= 27)
        return round_wide(decimal->mantissa, (int)exponent);
#endif
    return round_text(decimal);
}

static bool starts_with(const char *p, const char *limit, const char *lower_case)
{
    for (; *lower_case; p++, lower_case++)
        if (p >= limit || (*p | 0x20) != *lower_case)
            return false;
    return true;
}

static enum number_result parse_word(const char *text, const char *word, const char *limit,
                                     const char **end)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (starts_with(word, limit, words[i])) {
            *end = word + strlen(words[i]);
            return NUMBER_SPECIAL;
        }
    *end = text;
    return NUMBER_NONE;
}

enum number_result number_parse(const char *text, const char *limit, double *value,
                                const char **end)
{
    const char *p = text;
    bool negative = false;
    if (p < limit && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    struct written_number decimal = {.first = p};
    if (limit - p >= 2 && is_digit(p[0]) && !is_digit(p[1]))
        decimal.mantissa = (uint64_t)(*p++ - '0'); // the usual case: 0.25 or 1
    else
        p = read_digits(p, limit, &decimal.mantissa);
    decimal.count = p - decimal.first;
    if (p < limit && *p == '.') {
        const char *fraction = ++p;
        p = read_digits(p, limit, &decimal.mantissa);
        decimal.exponent = fraction - p;
        decimal.count += p - fraction;
    }
    if (decimal.count == 0)
        return parse_word(text, decimal.first, limit, end);
    decimal.end = p;
    if (p < limit && (*p | 0x20) == 'e')
        p = read_exponent(p, limit, &decimal.exponent);
    *end = p;
    double magnitude = round_decimal(&decimal);
    if (magnitude > DBL_MAX)
        return NUMBER_LARGE;
    *value = negative ? -magnitude : magnitude;
    return NUMBER_OK;
}

bool number_whole(const char *text, size_t length, double *value)
{
    const char *end;
    double parsed;
    if (number_parse(text, text + length, &parsed, &end) != NUMBER_OK || end != text + length)
        return false;
    *value = parsed;
    return true;
}

bool number_index(const char *text, size_t length, uint64_t *value)
{
    if (length == 0 || length > DIGITS_IN_WORD || !is_digit(text[0]) ||
        (text[0] == '0' && length > 1))
        return false;
    uint64_t parsed = 0;
    if (read_digits(text, text + length, &parsed) != text + length || parsed > INT64_MAX)
        return false;
    *value = parsed;
    return true;
}

// The text of nan and infinity.
static size_t print_special(char *out, double value)
{
    const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    strcpy(out, word);
    return strlen(word);
}

#define LONGEST (DBL_MAX_10_EXP + 64) // "%.30f" of the largest

// Replaces the locale's decimal separator by a point.
size_t number_print_as(char *out, size_t size, char form, int digits, double value)
{
    char text[LONGEST] = "";
    if (!isfinite(value))
        print_special(text, value);
    else if (form == 'e')
        snprintf(text, sizeof text, "%.*e", digits, value);
    else if (form == 'f')
        snprintf(text, sizeof text, "%.*f", digits, value);
    else
        snprintf(text, sizeof text, "%.*g", digits, value);
    size_t used = 0;
    for (const char *p = text; *p && used + 1 < size; p++) {
        if (is_digit(*p) || *p == '-' || *p == '+' || (*p >= 'a' && *p <= 'z'))
            out[used++] = *p;
        else if (out[used - 1] != '.') // a point may be of several bytes
            out[used++] = '.';
    }
    out[used] = '\0';
    return used;
}

static size_t print_digits(char *out, int digits, double value)
{
    return number_print_as(out, 32, 'g', digits, value);
}

size_t number_print(char *out, double value)
{
    size_t usual = number_print_usual(out, value);
    if (usual)
        return usual;
    if (!isfinite(value))
        return print_special(out, value);
    // 15 digits are never too many for a normal double, as trailing zeros are not printed.
    int digits = fabs(value) < DBL_MIN ? 1 : 15;
    for (;; digits++) {
        size_t length = print_digits(out, digits, value);
        double back;
        if (digits == 17 || (number_whole(out, length, &back) && back == value))
            return length;
    }
}

size_t number_print_17(char *out, double value)
{
    return isfinite(value) ? print_digits(out, 17, value) : print_special(out, value);
}
