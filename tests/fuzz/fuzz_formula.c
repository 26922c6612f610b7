// Any bytes as a function of x: a place in it, or a value that is the same twice.
#include "tlu.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    double value, again;
    tlu_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    if (tlu_formula_value(text, 0.7, &value, &error) == TLU_OK) {
        expect(tlu_formula_value(text, 0.7, &again, &error) == TLU_OK);
        expect(value == again || (isnan(value) && isnan(again)));
    } else {
        expect(error.status == TLU_ERROR_INPUT && error.line == 1 && error.column > 0 &&
               error.column <= strlen(text) + 1);
    }
    free(text);
    return 0;
}
