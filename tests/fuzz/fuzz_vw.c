// Any bytes as Vowpal Wabbit's format.
#include "named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = 1};
    check_named(vw_parse, DATA_VW, rule, text, size, true);
    check_named(vw_parse, DATA_VW, rule, text, size, false);
    read_as(text, size, "vw");
    return 0;
}
