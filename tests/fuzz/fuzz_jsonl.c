// Any bytes as JSON lines.
#include "named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = size % 3 + 1, .lowercase = size % 2};
    check_named(jsonl_parse, DATA_JSONL, rule, text, size, true);
    check_named(jsonl_parse, DATA_JSONL, rule, text, size, false);
    read_as(text, size, "jsonl");
    return 0;
}
