// Reads text whole or line by line, with limits, because it may come from an endless device.
#ifndef TLU_CLI_INPUT_H
#define TLU_CLI_INPUT_H

#include "tlu.h"

#include <stdbool.h>

#define INPUT_LINE_MAX 67108864 // bytes, as in a row of data

struct input_line {
    char *text; // with its newline; the caller frees it
    size_t size, capacity;
};

// Reads the next line of standard input; *found is false at its end.
tlu_status input_next(struct input_line *line, bool *found, tlu_error *error);

// Checks the first few thousand bytes of a file, or all of a shorter one. An error stops the
// reading.
typedef tlu_status input_look(const char *path, const char *bytes, size_t size, tlu_error *error);
// Fails on a zero byte.
tlu_status input_look_text(const char *path, const char *bytes, size_t size, tlu_error *error);

// Reads a whole file and adds a NUL; "-" is standard input. The caller frees *bytes.
tlu_status input_whole(const char *path, size_t most, input_look *look, char **bytes, size_t *size,
                       tlu_error *error);

#endif
