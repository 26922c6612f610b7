// Text in pictures. Names come from users: they may contain any bytes and have any length.
#ifndef TLU_PLOT_TEXT_H
#define TLU_PLOT_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// The length of the UTF-8 character that begins here, 1 to 4; 0: not a character, or a control
// character.
size_t text_character(const char *text);
// A copy with replacement characters for invalid bytes and spaces for blanks, without characters
// that set a direction or separate lines. The caller frees it with memory_free; NULL: out of
// memory.
char *text_clean(const char *text);

// Appends to a text in a buffer of `size` bytes; truncates it if it is full.
void text_add(char *text, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

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
