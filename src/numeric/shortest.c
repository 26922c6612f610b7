// Doubles of common size as text, without snprintf.
//
// A double is m 2^e. Multiplied by the power of ten that gives it 17 digits before the point, it is
// P / 2^s with P = m 5^k, which fits 128 bits for numbers from 1e-10 to 1e15. Integer arithmetic
// then rounds to 15, 16 or 17 digits and checks whether the result reads back as the same double.

#include "numeric/number.h"
#include "numeric/wide.h"

#include <math.h>
#include <string.h>

#ifdef __SIZEOF_INT128__

enum { MAX_DIGITS = 17 };

#define TEN_TO_17 100000000000000000u

struct scaled {        // a double times 10^k
    uint64_t mantissa; // m
    wide number;       // P = m 5^k
    int shift;         // s
    int power;         // k
};

// So that it has 17 digits before the point.
static struct scaled scale(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct scaled x = {.mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52};
    int exponent = (int)(bits >> 52 & 2047) - 1075;
    // The power of ten at or below the number, or one less: 1233 / 4096 is just below log10(2).
    int ten = (exponent + 52) * 1233 >> 12;
    x.power = MAX_DIGITS - 1 - ten;
    for (;; x.power--) {
        x.shift = -(exponent + x.power);
        x.number = (wide)x.mantissa * powers_of_five[x.power];
        if (x.number >> x.shift < TEN_TO_17)
            return x;
    }
}

// Whether `digits`, of 17 places, reads back as x.
static bool reads_back(const struct scaled *x, uint64_t digits)
{
    wide there = (wide)digits << x->shift;
    bool below = there < x->number;
    wide distance = below ? x->number - there : there - x->number;
    // Half the way to the next double; below a power of two that is half as far.
    wide half = powers_of_five[x->power];
    bool narrow = below && x->mantissa == (uint64_t)1 << 52;
    distance *= narrow ? 4 : 2;
    return distance < half || (distance == half && x->mantissa % 2 == 0);
}

// The number rounded to 15, 16 or 17 places, the fewest that read back, written with 17.
static uint64_t fewest_digits(const struct scaled *x)
{
    uint64_t whole = (uint64_t)(x->number >> x->shift);
    wide rest = x->number - ((wide)whole << x->shift), half = (wide)1 << (x->shift - 1);
    for (unsigned unit = 100; unit > 1; unit /= 10) { // 15 digits, 16
        uint64_t digits = whole / unit;
        unsigned left = (unsigned)(whole % unit) * 2;
        bool up = left > unit || (left == unit && (rest || digits % 2));
        if (reads_back(x, (digits + up) * unit))
            return (digits + up) * unit;
    }
    return whole + (rest > half || (rest == half && whole % 2));
}

// The digits without the zeros at the end, and their number.
static size_t write_digits(char out[MAX_DIGITS], uint64_t digits)
{
    for (size_t i = MAX_DIGITS; i-- > 0; digits /= 10)
        out[i] = (char)('0' + digits % 10);
    size_t count = MAX_DIGITS;
    while (count > 1 && out[count - 1] == '0')
        count--;
    return count;
}

// As "%g" does: a point after `ten + 1` digits, or "1.5e-05".
static size_t write_number(char *out, const char *digits, size_t count, int ten)
{
    char *p = out;
    if (ten < -4) {
        *p++ = digits[0];
        if (count > 1)
            *p++ = '.';
        memcpy(p, digits + 1, count - 1);
        p += count - 1;
        *p++ = 'e';
        *p++ = '-';
        *p++ = (char)('0' + -ten / 10);
        *p++ = (char)('0' + -ten % 10);
        return (size_t)(p - out);
    }
    size_t before = ten < 0 ? 0 : (size_t)ten + 1;
    if (!before) {
        memcpy(p, "0.000", 5);
        p += 1 - ten;
        memcpy(p, digits, count);
        return (size_t)(p - out) + count;
    }
    size_t first = count < before ? count : before;
    memcpy(p, digits, first);
    memset(p + first, '0', before - first);
    p += before;
    if (count > before) {
        *p++ = '.';
        memcpy(p, digits + before, count - before);
        p += count - before;
    }
    return (size_t)(p - out);
}

size_t number_print_usual(char *out, double value)
{
    double size = fabs(value);
    if (!(size >= 1e-10 && size < 1e15))
        return 0;
    struct scaled x = scale(size);
    uint64_t digits = fewest_digits(&x);
    if (digits >= TEN_TO_17) // rounded up to a power of ten
        return 0;
    char text[MAX_DIGITS];
    size_t count = write_digits(text, digits), sign = value < 0;
    if (sign)
        *out = '-';
    size_t length = sign + write_number(out + sign, text, count, MAX_DIGITS - 1 - x.power);
    out[length] = '\0';
    return length;
}

#else

size_t number_print_usual(char *out, double value)
{
    (void)out, (void)value;
    return 0;
}

#endif
