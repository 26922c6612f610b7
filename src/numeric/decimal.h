// Numbers exactly as they are written, for what must not be rounded (src/proof).
#ifndef TLU_NUMERIC_DECIMAL_H
#define TLU_NUMERIC_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// digits * 10^ten * 2^two. Equal values that come from texts are equal in every field.
struct decimal {
    int64_t digits; // without zeros at the end; or, if two is DECIMAL_LONG, where the digits are
    int32_t ten, two;
};
#define DECIMAL_LONG INT32_MIN
#define DECIMAL_MIN -1000 // the lowest exponent that a text may have

enum decimal_result {
    DECIMAL_OK,
    DECIMAL_TOO_LONG, // more digits than fit: decimal_digits has them
    DECIMAL_TOO_SMALL // the exponent is below DECIMAL_MIN
};
// The number from text to end, of which number_parse has said that it is one.
enum decimal_result decimal_parse(const char *text, const char *end, struct decimal *out);
// The digits of such a number, with their sign, without point, exponent and zeros at either end;
// NUL-terminated. `out` has room for as many bytes as the text, and two more.
void decimal_digits(const char *text, const char *end, char *out);
// a * b and a + b, of short ones without a power of two; false: that has more than 18 digits. (out
// may be one of them.)
bool decimal_times(const struct decimal *a, const struct decimal *b, struct decimal *out);
bool decimal_plus(const struct decimal *a, const struct decimal *b, struct decimal *out);
// A finite float is such a number as it is.
struct decimal decimal_of_float(float value);

#endif
