// Any bytes as fastText's format and as labelled text. The first byte says how words are made.
#include "named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = size ? bytes[0] % 8 + 1u : 1u,
                             .lowercase = size && bytes[0] >= 'a'};
    check_named(fasttext_parse, DATA_FASTTEXT, rule, text, size, true);
    check_named(fasttext_parse, DATA_FASTTEXT, rule, text, size, false);
    check_named(text_parse, DATA_TEXT, rule, text, size, true);
    check_named(text_parse, DATA_TEXT, rule, text, size, false);
    read_as(text, size, "fasttext");
    read_as(text, size, "text");
    return 0;
}
