// A Boolean function as it is made: from an expression, a table of values or a PLA file.
#ifndef TLU_LOGIC_FUNCTION_FUNCTION_H
#define TLU_LOGIC_FUNCTION_FUNCTION_H

#include "base/error.h"
#include "logic/function/truth.h"
#include "tlu_logic.h"

#define FUNCTION_OUTPUTS_MAX 4096

// Tables of zeros, with rows that do not matter if wanted, and the names x1, x2, ... and f, or f1,
// f2, ... for the outputs. NULL: out of memory.
struct tlu_function *function_new(unsigned inputs, size_t outputs, bool with_open);
bool function_name(char **name, const char *text, size_t length);

// A list of names with commas between them, which are not empty and all different. `what` is the
// list's name in messages.
tlu_status function_take_names(struct tlu_function *function, const char *names, const char *what,
                               tlu_error *error);

// A PLA file in memory, of this name in messages.
tlu_status function_read_pla(const char *file, const char *text, size_t size,
                             struct tlu_function **function, tlu_error *error);

#endif
