// Boolean functions from an expression, a truth table or a PLA file.
#ifndef TLU_LOGIC_FUNCTION_FUNCTION_H
#define TLU_LOGIC_FUNCTION_FUNCTION_H

#include "base/error.h"
#include "base/table.h"
#include "logic/function/truth.h"
#include "tlu_logic.h"

#define FUNCTION_OUTPUTS_MAX 4096

// A function that is 0 everywhere, with inputs x1, x2, ... and the output f, or f1, f2, ...
// `with_open`: don't-care rows are allowed. NULL: out of memory.
struct tlu_function *function_new(unsigned inputs, size_t outputs, bool with_open);
// Replaces the first names by those of a table. False: out of memory.
bool function_names(char **names, const struct table *table);

// Parses a PLA file in memory; messages call it `file`.
tlu_status function_read_pla(const char *file, const char *text, size_t size,
                             struct tlu_function **function, tlu_error *error);

#endif
