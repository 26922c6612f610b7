// Text to words. Bytes that are not UTF-8, white space and control characters separate. Between
// them a word is a run of letters and numbers, or a run of other characters ("...", "!!", "£"):
// in short messages punctuation is informative. Marks belong to what they stand on. An ideograph is
// a word by itself. Features are all runs of 1 to N words, joined by a blank, with the number of
// times that they occur as value. With --chars, features are also the runs of A to B characters of
// <WORD>, if the word does not begin with an ASCII symbol, with ~ before them: no other name has a
// symbol right before a letter.
#ifndef TLU_INPUT_TEXT_WORDS_H
#define TLU_INPUT_TEXT_WORDS_H

#include "base/options.h"
#include "input/named.h"

// The rule and the stop words of a schema without features. Fails if the options are not valid.
tlu_status words_set_rule(struct schema *schema, const tlu_options *options, tlu_error *error);
// The rule and the stop words of another schema; false: out of memory.
bool words_copy_rule(struct schema *to, const struct schema *from);
bool words_same_rule(const struct schema *a, const struct schema *b);

// A text whose words are features, and what is before the word in the name of a feature.
struct words_text {
    const char *text;
    size_t length;
    const char *prefix;
    size_t prefix_length;
};

// Bytes of scratch that words_add needs.
size_t words_scratch(const struct schema *schema, size_t length, size_t prefix_length);

// Adds the words of the text to the row, in the order of their ends. `scratch` has words_scratch
// bytes and does not overlap the text; both stay as they are up to the end of the row, as names are
// pieces of them.
enum parse_result words_add(struct named_row *row, const struct words_text *text, char *scratch);

#endif
