// Text to words. Bytes that are not UTF-8, white space and control characters separate. Between
// them a word is a run of letters and numbers, or a run of other characters ("...", "!!", "£"):
// in short messages punctuation is informative. Marks belong to what they stand on. An ideograph is
// a word by itself. Features are all runs of 1 to N words, joined by a blank, with the number of
// times that they occur as value.
#ifndef TLU_INPUT_TEXT_WORDS_H
#define TLU_INPUT_TEXT_WORDS_H

#include "base/options.h"
#include "input/named.h"

// Bytes of scratch that the words of a text need. Lower case may take three bytes for two, and a
// copy of it for n-grams has a blank after each character at worst; blocks of 64 bytes are written
// whole.
#define WORDS_SCRATCH(length) (4 * (length) + 128)

struct word_rule word_rule_of(const tlu_options *options);

// Adds the words of the text to the row, in the order of their ends. `scratch` is for
// WORDS_SCRATCH(length) bytes and does not overlap the text; both stay as they are up to the end of
// the row, as names are pieces of them.
enum parse_result words_add(struct named_row *row, const char *text, size_t length, char *scratch);

#endif
