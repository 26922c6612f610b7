// Text for people and for other programs: errors, names, numbers, columns, output files.
#ifndef TLU_CLI_TEXT_H
#define TLU_CLI_TEXT_H

#include "streams.h"
#include "tlu.h"

#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#else
#define PRINTF_LIKE(at, first)
#endif

// For %llu.
#define ULL(number) ((unsigned long long)(number))

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

// Fills *error as the library does, and returns the status.
tlu_status fail(tlu_error *error, tlu_status status, const char *format, ...) PRINTF_LIKE(3, 4);
#define fail_input(error, ...) fail(error, TLU_ERROR_INPUT, __VA_ARGS__)

// Returns from the calling function if the call fails.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        tlu_status try_status = (call);                                                            \
        if (try_status != TLU_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

// Memory just asked for; if it is NULL, says so and exits with 3.
void *need(void *memory);

// Functions that return short text ("12 rows") write it into one of 32 buffers in turn: the text
// stays valid until 32 more have been returned in the same thread.

const char *format_text(const char *format, ...) PRINTF_LIKE(1, 2);

// ---- names

// The length of the UTF-8 character at `text`, which ends at a NUL or after `length` bytes; 0 if
// there is no valid one: stray or missing bytes, overlong forms, surrogates, past U+10FFFF.
size_t character_length(const char *text, size_t length);

// The columns that UTF-8 text takes, one a character.
size_t text_width(const char *text);

// A short form of text for one line: control characters below 128 as \xNN, at most `width`
// columns, "..." if it was cut. If standard output is a terminal, everything else that is not
// printable is escaped too, as tlu_text_escape does it.
const char *text_clip(const char *text, size_t width);

// A path for a line of `file`, standard output or standard error: on one line and escaped if that
// stream escapes, else unchanged. Valid until the next call.
const char *path_text(const FILE *file, const char *path);

// Text as a field of a line: tab, newline, carriage return and backslash as \t \n \r \\.
void text_write_field(FILE *file, const char *text);
// The same into memory, twice the length of the text at most, without a NUL. Returns its end.
char *text_put_field(char *to, const char *text);

// Text for the terminal in a column of `width`, to the left or (negative width) to the right.
void text_write_column(FILE *file, const char *text, int width);

// Words of `text`, broken before column 80; after a break `indent` spaces. `column` is where the
// cursor is.
void text_write_wrapped(FILE *file, const char *text, size_t indent, size_t column);

// The name of a feature of any length, "(bias)" for TLU_NONE. Valid until the next call.
const char *name_of(const tlu_model *model, size_t feature);

// The second text of the pair whose first one is `key`; `otherwise` if there is none. A NULL ends
// the pairs.
const char *text_of_pair(const char *const (*pairs)[2], const char *key, const char *otherwise);

// ---- numbers

#define NUMBER_SIZE 32

// The shortest text that gives the same double again; "nan" or "inf" if it is not finite.
const char *number_text(double value);
// The same for a value of the data, which is a 32-bit float: "153.4" and not "153.39999389648438".
const char *float_text(double value);
// For people alone: at most 9 digits, so that 0.6000000000000001 is 0.6.
const char *brief_text(double value);

// "1 row", "2 rows": n with a word that takes an s.
const char *count_text(uint64_t n, const char *word);

// part / whole in percent, "84.96%"; "-" if whole is 0.
const char *percent_text(double part, double whole);

// "0.012 s", "3.4 s", "250 s"
const char *seconds_text(double seconds);

// "812 bytes", "3.4 kB", "1.2 MB"
const char *size_text(double bytes);

// ---- output

// A file that is written whole or not at all: an error leaves the old file unchanged.
struct output {
    FILE *file;
    const char *path; // NULL for standard output
    char *target;     // the file itself, if the path is a link; NULL: written to directly
    char *temporary;  // beside it, to be renamed
    int why;          // errno of a write that failed
    bool sync;        // it must be on the disk before it takes the place of an old file
};

// Opens a file for writing; NULL and "-" are standard output.
tlu_status output_open(struct output *output, const char *path, tlu_error *error);
// Flushes the buffer; fails if any write so far has failed.
tlu_status output_flush(const struct output *output, tlu_error *error);
// Writes what is left and closes; fails if anything at all could not be written. If the work
// has failed (`so_far`, with *error set), the file is given up and that status returned.
tlu_status output_close(struct output *output, tlu_status so_far, tlu_error *error);

// The folder of a path, to be freed: with its slash, or ".".
char *folder_of(const char *path);
// Whether two paths name one file, which need not exist yet.
bool same_output(const char *a, const char *b);
// Fails if the output is the input. Either may be NULL or "-".
tlu_status refuse_overwriting(const char *output, const char *input, tlu_error *error);

// A bound on mistakes, which come in whole numbers. If rounding has left it a little below one, it
// is that one.
double whole_bound(double bound);

#endif
