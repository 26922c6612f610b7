#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static tlu_status fill(tlu_error *error, tlu_status status, const char *file, uint64_t line,
                       uint64_t column, const char *format, va_list arguments)
{
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    error->column = column;
    size_t used = 0;
    if (file) {
        snprintf(error->file, sizeof error->file, "%s", file);
        int n = 0;
        if (line && column)
            n = snprintf(error->text, sizeof error->text, "%.255s:%llu:%llu: ", file,
                         (unsigned long long)line, (unsigned long long)column);
        else if (line)
            n = snprintf(error->text, sizeof error->text, "%.255s:%llu: ", file,
                         (unsigned long long)line);
        else
            n = snprintf(error->text, sizeof error->text, "%.255s: ", file);
        used = n > 0 ? (size_t)n : 0;
    }
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
    return status;
}

tlu_status error_input(tlu_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, TLU_ERROR_INPUT, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return TLU_ERROR_INPUT;
}

tlu_status error_system(tlu_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, TLU_ERROR_SYSTEM, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return TLU_ERROR_SYSTEM;
}

tlu_status error_interrupted(tlu_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, TLU_INTERRUPTED, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return TLU_INTERRUPTED;
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

tlu_status error_at(tlu_error *error, const char *file, uint64_t line, uint64_t column,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, TLU_ERROR_INPUT, error_file_name(file), line, column, format, arguments);
    va_end(arguments);
    return TLU_ERROR_INPUT;
}

const char *error_file_name(const char *path)
{
    return path && strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *error_quote(char *out, size_t size, const char *bytes, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        size_t need = byte < 32 || byte == 127 ? 4 : 1;
        if (used + need + 4 > size) { // room for "..." and NUL
            // Do not end in the middle of a UTF-8 character.
            while (used > 0 && ((unsigned char)out[used - 1] & 0xC0) == 0x80)
                used--;
            if (used > 0 && (unsigned char)out[used - 1] >= 0xC0)
                used--;
            memcpy(out + used, "...", 4);
            return out;
        }
        if (need == 4)
            snprintf(out + used, 5, "\\x%02X", byte);
        else
            out[used] = (char)byte;
        used += need;
    }
    out[used] = '\0';
    return out;
}
