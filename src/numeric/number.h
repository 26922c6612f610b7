// Numbers as text, independent of the locale.
#ifndef TLU_NUMERIC_NUMBER_H
#define TLU_NUMERIC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_result {
    NUMBER_OK,
    NUMBER_NONE,    // no number here
    NUMBER_SPECIAL, // nan, inf, infinity in any case, with or without a sign
    NUMBER_LARGE    // overflows a double
};

// Parses the longest decimal number at `text`: [+-] digits [. digits] [e [+-] digits], with at
// least one digit before or after the point. *value is rounded as strtod rounds it in the C locale
// (underflow gives a denormal or 0), *end is after the number. Never reads at or past `limit`; the
// text needs no NUL. Hexadecimal is not a number ("0x10" ends after the 0).
// NUMBER_SPECIAL and NUMBER_LARGE set *end after the word or number too; NUMBER_NONE sets it to
// text.
enum number_result number_parse(const char *text, const char *limit, double *value,
                                const char **end);

// Whether the whole of text is a finite number.
bool number_whole(const char *text, size_t length, double *value);

// Whether the whole of text is an unsigned integer below 2^63 in its shortest form ("0", "17"; not
// "+1", "01").
bool number_index(const char *text, size_t length, uint64_t *value);

// A short decimal text that parses back to the same double ("0.1", "1e+300", "-3"); at most 32
// bytes with its NUL. Returns the length.
size_t number_print(char *out, double value);
// A fast version for numbers of common size; returns 0 for others.
size_t number_print_usual(char *out, double value);
// 17 significant digits as "%.17g" prints them in the C locale; whole numbers as such.
size_t number_print_17(char *out, double value);

// As printf's "%.*e", "%.*f" or "%.*g" in the C locale: the form is 'e', 'f' or 'g'. Truncates text
// that does not fit. Returns the length.
size_t number_print_as(char *out, size_t size, char form, int digits, double value);

// A short decimal text that reads back as the same float; for finite values. At most 32 bytes with
// its NUL. Returns the length.
size_t number_print_float(char *out, float value);

#endif
