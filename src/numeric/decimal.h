// Exact decimal numbers, for proofs, which must not round.
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
// Parses the number from text to end, which number_parse has accepted.
enum decimal_result decimal_parse(const char *text, const char *end, struct decimal *out);
// Writes the digits of such a number with their sign, without point, exponent and zeros at either
// end, NUL-terminated. `out` holds two bytes more than the text.
void decimal_digits(const char *text, const char *end, char *out);
// a * b and a + b of short numbers without a power of two; false: more than 18 digits. `out` may be
// `a` or `b`.
bool decimal_times(const struct decimal *a, const struct decimal *b, struct decimal *out);
bool decimal_plus(const struct decimal *a, const struct decimal *b, struct decimal *out);
// Exact conversion of a finite float.
struct decimal decimal_of_float(float value);

#endif
