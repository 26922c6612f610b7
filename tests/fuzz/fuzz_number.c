// Any bytes as a number: strtod agrees about the value and the end, and printing comes back.
#include "numeric/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void expect(int condition)
{
    if (!condition)
        abort();
}

static void check_print(double value)
{
    char text[32];
    double back;
    expect(number_whole(text, number_print(text, value), &back) && back == value);
    expect(number_whole(text, number_print_17(text, value), &back) && back == value);
}

static void check_parse(const char *text, size_t size)
{
    char *copy = malloc(size + 1); // with the NUL that strtod needs
    if (!copy)
        return;
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    char *expected_end;
    double expected = strtod(copy, &expected_end);
    ptrdiff_t length = expected_end - copy;
    const char *end;
    double value = 0;
    enum number_result result = number_parse(text, text + size, &value, &end);
    int hexadecimal = length > 2 && memchr(copy, 'x', 3) != NULL;
    hexadecimal |= length > 2 && memchr(copy, 'X', 3) != NULL;
    if (size && is_space(text[0])) {
        expect(result == NUMBER_NONE && end == text);
    } else if (hexadecimal) {
        expect(result == NUMBER_OK && value == 0);
    } else if (result == NUMBER_SPECIAL) {
        expect(!isfinite(expected) && end - text <= length); // strtod takes nan(...) too
    } else {
        expect(end - text == length);
        expect((result == NUMBER_NONE) == (length == 0));
        expect((result == NUMBER_LARGE) == (isinf(expected) != 0));
        expect(result != NUMBER_OK || memcmp(&value, &expected, sizeof value) == 0);
    }
    if (result == NUMBER_OK)
        check_print(value);
    free(copy);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    check_parse(text, size);
    uint64_t index;
    if (number_index(text, size, &index)) {
        double value;
        expect(index <= INT64_MAX && number_whole(text, size, &value) && value == (double)index);
    }
    return 0;
}
