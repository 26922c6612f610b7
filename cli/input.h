// Text that is read whole or line by line, with limits: it may come from a device without an end.
#ifndef TLU_CLI_INPUT_H
#define TLU_CLI_INPUT_H

#include "tlu.h"

#include <stdbool.h>

#define INPUT_LINE_MAX 67108864 // bytes, as in a row of data

struct input_line {
    char *text; // with its newline; free it in the end
    size_t size, capacity;
};

// The next line of standard input; *found is false at its end.
tlu_status input_next(struct input_line *line, bool *found, tlu_error *error);

// Looks at the first bytes of a file: some thousand, or all that it has. An error ends the reading.
typedef tlu_status input_look(const char *path, const char *bytes, size_t size, tlu_error *error);
// Refuses a byte 0.
tlu_status input_look_text(const char *path, const char *bytes, size_t size, tlu_error *error);

// All of a file, with a NUL after it, to be freed; - is standard input.
tlu_status input_whole(const char *path, size_t most, input_look *look, char **bytes, size_t *size,
                       tlu_error *error);

#endif
