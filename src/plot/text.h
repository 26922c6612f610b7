// Text in pictures: the user's names may have any bytes and any length.
#ifndef TLU_PLOT_TEXT_H
#define TLU_PLOT_TEXT_H

#include "base/error.h"

#include <stddef.h>

// The bytes of the UTF-8 character that begins here, 1 to 4; 0: none does, or it is a control
// character.
size_t text_character(const char *text);
// A copy in which what is no character is a replacement character, and blanks are spaces; without
// characters that set a direction or separate lines. NULL: out of memory. Freed with memory_free.
char *text_clean(const char *text);

// Adds to a text in so many bytes; what does not fit is left out.
void text_add(char *text, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
