// Any bytes as a PLA file: a line of it, or a function.
#include "logic/function/function.h"
#include "tlu_logic.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct tlu_function *function = NULL;
    tlu_error error;
    tlu_status status = function_read_pla("fuzz.pla", (const char *)bytes, size, &function, &error);
    if (status == TLU_ERROR_INPUT && (error.line == 0 || error.column == 0))
        abort();
    if (status == TLU_OK)
        for (size_t i = 0; i < tlu_function_output_count(function); i++)
            if (tlu_function_value(function, i, 0) > 1 || !tlu_function_output_name(function, i)[0])
                abort();
    tlu_function_free(function);
    return 0;
}
