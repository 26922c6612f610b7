// Any bytes as a Boolean expression: a place in it, or a function whose names give the same
// function again.
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

// Ways to look at a function that must not fail; a small one is realised too.
static void look(const tlu_function *function)
{
    size_t inputs = tlu_function_input_count(function), rows = (size_t)1 << inputs;
    tlu_realise_settings settings = {.size = sizeof settings, .network = 1};
    tlu_realisation *realisation;
    expect(inputs <= 20 && tlu_function_output_count(function) == 1);
    for (size_t i = 0; i < inputs; i++)
        expect(tlu_function_input_name(function, i)[0] != '\0');
    for (size_t row = 0; row < rows; row += 1 + rows / 64)
        expect(tlu_function_value(function, 0, row) >= 0);
    if (inputs <= 4) {
        expect(tlu_function_realise(function, &settings, &realisation, NULL) == TLU_OK);
        tlu_realisation_free(realisation);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tlu_function *function;
    tlu_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    tlu_status status = tlu_function_from_expression(text, NULL, &function, &error);
    if (status == TLU_OK)
        look(function);
    else
        expect(status == TLU_ERROR_INPUT && error.line > 0 && error.column > 0 &&
               error.column <= strlen(text) + 1);
    tlu_function_free(status == TLU_OK ? function : NULL);
    free(text);
    return 0;
}
