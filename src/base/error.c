#include "base/error.h"
#include "base/unicode/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Writes "FILE:LINE:COLUMN: ", as much of it as is known, and returns its length.
static size_t write_place(char *out, size_t size, const char *file, uint64_t line, uint64_t column)
{
    char name[260]; // for a name of 255 bytes
    error_quote(name, sizeof name, file, strlen(file));
    int n;
    if (line && column)
        n = snprintf(out, size, "%s:%llu:%llu: ", name, (unsigned long long)line,
                     (unsigned long long)column);
    else if (line)
        n = snprintf(out, size, "%s:%llu: ", name, (unsigned long long)line);
    else
        n = snprintf(out, size, "%s: ", name);
    return n > 0 ? (size_t)n : 0;
}

// Escapes the whole sentence, so that no argument of `format` can send a terminal a command.
static void fill(tlu_error *error, tlu_status status, const char *file, uint64_t line,
                 uint64_t column, const char *format, va_list arguments)
{
    char text[sizeof error->text + 4]; // longer than fits, so that the last character is whole
    if (!error)
        return;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    error->column = column;
    size_t used = 0;
    if (file) {
        error_data_name(error->file, sizeof error->file, file);
        used =
            write_place(text, sizeof text, strchr(file, '\n') ? error->file : file, line, column);
    }
    vsnprintf(text + used, sizeof text - used, format, arguments);
    tlu_text_escape(error->text, sizeof error->text, text, strlen(text));
}

// The body of a function with the parameters `error` and `format, ...`.
#define FILL(status, file, line, column)                                                           \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    fill(error, status, file, line, column, format, arguments);                                    \
    va_end(arguments);                                                                             \
    return status

tlu_status error_input(tlu_error *error, const char *format, ...)
{
    FILL(TLU_ERROR_INPUT, NULL, 0, 0);
}

tlu_status error_system(tlu_error *error, const char *format, ...)
{
    FILL(TLU_ERROR_SYSTEM, NULL, 0, 0);
}

tlu_status error_interrupted(tlu_error *error, const char *format, ...)
{
    FILL(TLU_INTERRUPTED, NULL, 0, 0);
}

tlu_status error_at(tlu_error *error, const char *file, uint64_t line, uint64_t column,
                    const char *format, ...)
{
    FILL(TLU_ERROR_INPUT, error_file_name(file), line, column);
}

tlu_status error_stopped(tlu_error *error, const tlu_error *why)
{
    if (why->status == TLU_OK)
        return error_interrupted(error, "stopped by a function of the caller");
    if (error)
        *error = *why;
    return why->status;
}

tlu_status error_memory(tlu_error *error)
{
    return error_system(error, "out of memory");
}

tlu_status check_given(bool given, const char *what, tlu_error *error)
{
    return given ? TLU_OK : error_input(error, "the %s is missing: NULL was given", what);
}

const char *error_file_name(const char *path)
{
    return path && strcmp(path, "-") == 0 ? "standard input" : path;
}

size_t error_data_name(char *name, size_t size, const char *paths)
{
    size_t others = 0, first = strcspn(paths, "\n");
    for (const char *at = paths + first; *at; at += strcspn(at, "\n"))
        others += at[strspn(at, "\n")] != '\0', at += strspn(at, "\n");
    if (others == 0)
        return (size_t)snprintf(name, size, "%s", error_file_name(paths));
    if (strpbrk(paths, "*?[")) // a pattern, which may match any number of files
        return (size_t)snprintf(name, size, "%.*s and more files", (int)first, paths);
    return (size_t)snprintf(name, size, "%.*s and %zu more file%s", (int)first, paths, others,
                            others == 1 ? "" : "s");
}

const char *error_quote(char *out, size_t size, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    size_t used = 0;
    for (size_t step; bytes < end; bytes += step) {
        char piece[ESCAPED_MAX];
        size_t need = escape_character(piece, bytes, end, &step);
        if (used + need + 4 > size) { // for "..." and NUL
            memcpy(out + used, "...", 4);
            return out;
        }
        memcpy(out + used, piece, need);
        used += need;
    }
    out[used] = '\0';
    return out;
}
