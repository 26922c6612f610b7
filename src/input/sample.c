#include "input/sample.h"

#include <string.h>

bool most_lines(const char *bytes, size_t size, line_test *is_row, void *context)
{
    const char *limit = bytes + size;
    size_t lines = 0, rows = 0;
    for (const char *line = bytes, *next; line < limit && lines < SAMPLE_LINES; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        const char *end = newline ? newline : limit;
        next = newline ? newline + 1 : limit;
        while (end > line && (end[-1] == '\r' || end[-1] == ' '))
            end--;
        while (line < end && *line == ' ')
            line++;
        if (line == end)
            continue;
        lines++;
        rows += is_row(line, end, context);
    }
    return lines > 0 && rows >= lines - lines / 8;
}
