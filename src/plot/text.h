// Text in pictures. Names come from users: they may contain any bytes and have any length.
#ifndef TLU_PLOT_TEXT_H
#define TLU_PLOT_TEXT_H

#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// The length of the UTF-8 character that begins here, 1 to 4; 0: not a character, or a control
// character.
size_t text_character(const char *text);
// A copy with replacement characters for invalid bytes and spaces for blanks, without characters
// that set a direction or separate lines. The caller frees it with memory_free; NULL: out of
// memory.
char *text_clean(const char *text);

// A copy of a clean text with at most `keep` characters, and an ellipsis where the others were: at
// the end, or in the middle, for names that may differ only at their end. The caller frees it with
// memory_free; NULL: out of memory.
enum cut { CUT_END, CUT_MIDDLE };
char *text_shortened(const char *clean, size_t keep, enum cut cut);

// ---- bytes or text that grow

struct byte_buffer {
    unsigned char *data; // NULL: empty; buffer_print adds a NUL that is not counted
    size_t size, capacity;
    bool failed; // out of memory
};
void buffer_add(struct byte_buffer *bytes, const void *data, size_t size);
void buffer_print(struct byte_buffer *text, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_print_list(struct byte_buffer *text, const char *format, va_list list)
    PRINTF_LIKE(2, 0);

// ---- numbers in sentences, the same in every locale

// "1 pass", "12 passes", "1,000 passes"
#define COUNTED_SIZE 64
const char *grouped(char out[COUNTED_SIZE], uint64_t count); // the number alone
const char *counted(char out[COUNTED_SIZE], uint64_t count, const char *one, const char *several);

#define AMOUNT_SIZE 64
// With at most this many digits, like "%.*g": "0.1235", "1.235e+07".
const char *to_digits(char out[AMOUNT_SIZE], int digits, double value);
// With this many decimals, like "%.*f": "0.50".
const char *to_places(char out[AMOUNT_SIZE], int places, double value);

#endif
