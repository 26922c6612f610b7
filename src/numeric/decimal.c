#include "numeric/decimal.h"

#include <math.h>

#define DIGITS_MAX 18 // fit 63 bits

// The parts of a number in text: its digits lie between first and last, with perhaps a point among
// them, and begin and end with one that is not 0.
struct parts {
    bool minus;
    const char *first, *last; // NULL: the number is 0
    size_t count;             // of digits
    int64_t exponent;         // of the last
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int64_t read_exponent(const char *at, const char *end)
{
    bool minus = at < end && *at == '-';
    int64_t exponent = 0;
    for (at += at < end && (*at == '-' || *at == '+'); at < end; at++)
        exponent = exponent < 1000000 ? 10 * exponent + (*at - '0') : exponent;
    return minus ? -exponent : exponent;
}

static struct parts take_apart(const char *text, const char *end)
{
    struct parts parts = {.minus = text < end && *text == '-'};
    const char *stop = text, *point = NULL;
    while (stop < end && *stop != 'e' && *stop != 'E')
        stop++;
    int64_t exponent = stop < end ? read_exponent(stop + 1, end) : 0;
    int64_t after = 0, place = 0; // digits after the point, and up to the last one that counts
    for (const char *at = text; at < stop; at++) {
        if (*at == '.')
            point = at;
        after += point && is_digit(*at);
        if (!is_digit(*at) || *at == '0')
            continue;
        parts.first = parts.first ? parts.first : at;
        parts.last = at;
        place = after;
    }
    if (!parts.first)
        return parts;
    for (const char *at = parts.first; at <= parts.last; at++)
        parts.count += is_digit(*at);
    int64_t before = 0; // zeros between the last one and the point
    for (const char *at = parts.last + 1; at < stop && *at != '.' && (!point || at < point); at++)
        before++;
    parts.exponent = exponent - place + before;
    return parts;
}

enum decimal_result decimal_parse(const char *text, const char *end, struct decimal *out)
{
    struct parts parts = take_apart(text, end);
    *out = (struct decimal){0, 0, 0};
    if (!parts.first)
        return DECIMAL_OK;
    if (parts.exponent < DECIMAL_MIN)
        return DECIMAL_TOO_SMALL;
    out->ten = (int32_t)parts.exponent;
    if (parts.count > DIGITS_MAX)
        return DECIMAL_TOO_LONG;
    for (const char *at = parts.first; at <= parts.last; at++)
        if (is_digit(*at))
            out->digits = 10 * out->digits + (*at - '0');
    out->digits = parts.minus ? -out->digits : out->digits;
    return DECIMAL_OK;
}

void decimal_digits(const char *text, const char *end, char *out)
{
    struct parts parts = take_apart(text, end);
    if (parts.minus)
        *out++ = '-';
    for (const char *at = parts.first; at && at <= parts.last; at++)
        if (is_digit(*at))
            *out++ = *at;
    *out = '\0';
}

#define MIN_TOO_LONG 1000000000000000000 // 10^18

static bool settle(int64_t digits, int32_t ten, struct decimal *out)
{
    for (; digits && digits % 10 == 0; ten++)
        digits /= 10;
    *out = (struct decimal){digits, digits ? ten : 0, 0};
    return digits < MIN_TOO_LONG && digits > -MIN_TOO_LONG && ten >= DECIMAL_MIN;
}

bool decimal_times(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
    int64_t digits;
    return a->two == 0 && b->two == 0 && !__builtin_mul_overflow(a->digits, b->digits, &digits) &&
           settle(digits, a->ten + b->ten, out);
}

bool decimal_plus(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
    struct decimal high = a->ten > b->ten ? *a : *b, low = a->ten > b->ten ? *b : *a;
    if (a->two != 0 || b->two != 0)
        return false;
    if (a->digits == 0 || b->digits == 0) {
        *out = a->digits ? *a : *b;
        return true;
    }
    int64_t digits = high.digits;
    for (int32_t n = high.ten; n > low.ten; n--)
        if (__builtin_mul_overflow(digits, (int64_t)10, &digits))
            return false;
    return !__builtin_add_overflow(digits, low.digits, &digits) && settle(digits, low.ten, out);
}

struct decimal decimal_of_float(float value)
{
    int exponent;
    struct decimal out = {(int64_t)ldexpf(frexpf(value, &exponent), 24), 0, 0};
    out.two = out.digits ? exponent - 24 : 0;
    while (out.digits && out.digits % 2 == 0) {
        out.digits /= 2;
        out.two++;
    }
    while (out.two > 0 && out.two < 32) { // a whole number is one of text, too
        out.digits *= 2;
        out.two--;
    }
    while (out.two == 0 && out.digits && out.digits % 10 == 0) {
        out.digits /= 10;
        out.ten++;
    }
    return out;
}
