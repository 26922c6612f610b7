// Any bytes as the values of a truth table, with the names of its inputs after a line end: each
// value is the one that stands there.
#include "tlu.h"
#include "tlu_logic.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect(int condition)
{
    if (!condition)
        abort();
}

static void compare(const tlu_function *function, const char *values)
{
    size_t row = 0;
    for (; *values; values++)
        if (strchr("01-xX", *values)) {
            int expected = *values == '0' ? 0 : *values == '1' ? 1 : -1;
            expect(tlu_function_value(function, 0, row++) == expected);
        }
    expect(row == (size_t)1 << tlu_function_input_count(function));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tlu_function *function;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    char *names = strchr(text, '\n');
    if (names)
        *names++ = '\0';
    if (tlu_function_from_table(text, names, &function, NULL) == TLU_OK) {
        compare(function, text);
        tlu_function_free(function);
    }
    free(text);
    return 0;
}
