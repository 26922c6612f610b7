// Floats as text.
//
// A reader rounds the decimal text to a double and that to a float; the text must survive this.
// Most values in data are integers or have few decimals: m / 10^k with a small m, where both are
// exact doubles and the quotient is what the reader computes.
#include "numeric/number.h"

#include <math.h>
#include <string.h>

#define DECIMALS 9

static size_t print_whole(char *out, uint64_t n)
{
    char digits[24];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + n % 10);
    while ((n /= 10));
    for (size_t i = 0; i < count; i++)
        out[i] = digits[count - 1 - i];
    return count;
}

// m / 10^k with k digits after the point.
static size_t print_decimals(char *out, uint64_t m, unsigned k)
{
    char digits[24];
    size_t count = print_whole(digits, m), used = 0;
    size_t whole = count > k ? count - k : 0;
    if (whole == 0)
        out[used++] = '0';
    memcpy(out, digits, whole);
    used += whole;
    if (k == 0)
        return used;
    out[used++] = '.';
    for (size_t i = count; i < k; i++)
        out[used++] = '0';
    memcpy(out + used, digits + whole, count - whole);
    return used + count - whole;
}

static size_t print_digits(char *out, float value)
{
    for (int digits = 0;; digits++) {
        size_t length = number_print_as(out, 32, 'e', digits, (double)value);
        double back;
        if (digits == 8 || (number_whole(out, length, &back) && (float)back == value))
            return length;
    }
}

size_t number_print_float(char *out, float value)
{
    static const double powers[DECIMALS + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double size = fabs((double)value);
    size_t sign = signbit(value) && value != 0;
    out[0] = '-';
    size_t length = 0;
    if (size < 1e9 && (size >= 1e-4 || size == 0))
        for (unsigned k = 0; k <= DECIMALS && length == 0; k++) {
            double m = nearbyint(size * powers[k]);
            if (m < 1e9 && (float)(m / powers[k]) == (float)size)
                length = sign + print_decimals(out + sign, (uint64_t)m, k);
        }
    if (length == 0)
        length = print_digits(out, value);
    out[length] = '\0';
    return length;
}
