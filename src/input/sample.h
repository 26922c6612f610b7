// The first lines of data, which recognisers look at (formats.h).
#ifndef TLU_INPUT_SAMPLE_H
#define TLU_INPUT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_LINES 200

// Whether a line, which is not empty and has no blanks around it, looks like a row.
typedef bool line_test(const char *line, const char *end, void *context);
// Whether nearly all of the first lines do: a few that do not may be malformed.
bool most_lines(const char *bytes, size_t size, line_test *is_row, void *context);

#endif
