// Errors: a status for the program, a sentence for the user.
#ifndef TLU_BASE_ERROR_H
#define TLU_BASE_ERROR_H

#include "tlu.h"

#include <stdbool.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

// All return the status that they set, so that a failing function ends with `return error_...`.
// `error` may be NULL. tlu_text_escape escapes the text, whatever the arguments contain.
tlu_status error_input(tlu_error *error, const char *format, ...) PRINTF_LIKE(2, 3);
tlu_status error_system(tlu_error *error, const char *format, ...) PRINTF_LIKE(2, 3);
tlu_status error_memory(tlu_error *error);
// A callback asked to stop.
tlu_status error_interrupted(tlu_error *error, const char *format, ...) PRINTF_LIKE(2, 3);
// The same for a callback that may have given a reason.
tlu_status error_stopped(tlu_error *error, const tlu_error *why);

// Returns from the function with the step's status if the step fails. For functions that have
// nothing to clean up.
#define TRY(step)                                                                                  \
    do {                                                                                           \
        tlu_status try_status = (step);                                                            \
        if (try_status != TLU_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

// For functions that fail only when out of memory: TRY(enough_memory(table_add(...), error)).
static inline tlu_status enough_memory(bool enough, tlu_error *error)
{
    return enough ? TLU_OK : error_memory(error);
}

// TLU_ERROR_INPUT if the caller passed NULL for a required argument (`given` is false); `what`
// names the argument in words.
tlu_status check_given(bool given, const char *what, tlu_error *error);

// For a place in a file: line and column are 1-based, 0: not known.
tlu_status error_at(tlu_error *error, const char *file, uint64_t line, uint64_t column,
                    const char *format, ...) PRINTF_LIKE(5, 6);

// For the path "-" the message says "standard input".
const char *error_file_name(const char *path);
// The same for the paths of several files, with a newline between them: "a.svm and 2 more files".
// Returns the length as snprintf does.
size_t error_data_name(char *name, size_t size, const char *paths);

// Copies `length` bytes of input for use in a message: at most size - 1 bytes, long text shortened
// with "...", non-printable characters as tlu_text_escape writes them. Returns `out`.
const char *error_quote(char *out, size_t size, const char *bytes, size_t length);

#endif
