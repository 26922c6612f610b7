// Errors: a status for the program, a sentence for the user.
#ifndef TLU_BASE_ERROR_H
#define TLU_BASE_ERROR_H

#include "tlu.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

// All return the status that they set, so that a failing function ends with `return error_...`.
// `error` may be NULL.
tlu_status error_input(tlu_error *error, const char *format, ...) PRINTF_LIKE(2, 3);
tlu_status error_system(tlu_error *error, const char *format, ...) PRINTF_LIKE(2, 3);
tlu_status error_memory(tlu_error *error);

// For a place in a file: line and column are 1-based, 0 where there is none.
tlu_status error_at(tlu_error *error, const char *file, uint64_t line, uint64_t column,
                    const char *format, ...) PRINTF_LIKE(5, 6);

// Where the user sees "-", the message says "standard input".
const char *error_file_name(const char *path);

// Copies `length` bytes of input for use in a message: at most size - 1 bytes, long text shortened
// with "...", unprintable bytes as \xNN. Returns `out`.
const char *error_quote(char *out, size_t size, const char *bytes, size_t length);

#endif
