// What every verb uses: arguments, text, JSON, pointers that free themselves, the standard headers.
#ifndef TLU_CLI_CLI_H
#define TLU_CLI_CLI_H

#include "arguments.h"
#include "json.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// OWNED(tlu_model) model = NULL; declares a pointer that is freed on every way out of its scope, so
// that a verb is a list of TRYs. OWNED_TYPE makes a type known to it. CLEANUP(close) is the same
// for a struct, which is passed to close() by its address. The last declared is the first freed.
#define CLEANUP(function) __attribute__((cleanup(function)))
#define OWNED(type) CLEANUP(type##_release) type *
#define OWNED_TYPE(type, free_function)                                                            \
    static inline void type##_release(type **owned)                                                \
    {                                                                                              \
        free_function(*owned);                                                                     \
    }
OWNED_TYPE(char, free)
OWNED_TYPE(double, free)
OWNED_TYPE(tlu_model, tlu_model_free)

#endif
