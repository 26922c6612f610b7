// Which characters may be sent to a terminal; all others are escaped.
#ifndef TLU_BASE_UNICODE_PRINTABLE_H
#define TLU_BASE_UNICODE_PRINTABLE_H

#include "tlu.h"

#include <stdbool.h>

struct unicode_range {
    uint32_t first, last;
};
// Whether the character is in one of the ranges, which are sorted.
bool unicode_is_in(const struct unicode_range *ranges, size_t count, uint32_t code);

// False for controls, format characters (category Cf: zero width, direction), line and paragraph
// separators, surrogates, private use, noncharacters, large unassigned ranges and UNICODE_NONE.
bool unicode_is_printable(uint32_t code);

// Whether the character changes the direction of the text around it (Unicode's Bidi_Control).
bool unicode_sets_direction(uint32_t code);

#define ESCAPED_MAX 16 // bytes of an escaped character, with a NUL

// Copies the character at `text` as tlu_text_escape does, without a NUL. Returns the number of
// bytes written to out[ESCAPED_MAX]; *length is the number of bytes read. `text` < `end`.
size_t escape_character(char *out, const char *text, const char *end, size_t *length);

#endif
