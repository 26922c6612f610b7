// Characters: UTF-8, what they are, and lower case. Asks no locale.
#ifndef TLU_FORMAT_TEXT_UNICODE_H
#define TLU_FORMAT_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#define UNICODE_NONE UINT32_MAX

enum character {
    CHARACTER_SPACE,  // white space, controls, and bytes that are not UTF-8
    CHARACTER_WORD,   // letters and numbers
    CHARACTER_MARK,   // belongs to the character before it
    CHARACTER_ALONE,  // an ideograph: a word by itself
    CHARACTER_SYMBOL, // all others
};

// Reads one character. A byte that does not belong to a well-formed one (no overlong forms, no
// surrogates, nothing past U+10FFFF) is UNICODE_NONE, one byte long. `text` < `end`.
uint32_t unicode_read(const char *text, const char *end, size_t *length);
size_t unicode_write(char *out, uint32_t code); // up to 4 bytes; how many

enum character unicode_kind(uint32_t code);
uint32_t unicode_lower(uint32_t code); // Unicode's simple mapping

#endif
