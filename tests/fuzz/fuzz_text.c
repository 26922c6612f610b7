// Any bytes as fastText's format and as labelled text. The first byte says how words are made; they
// are those that are found one character after the other.
#include "named.h"

#include "../unit/words_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// The row has the word once less.
static void take_word(void *context, const char *name, size_t length)
{
    struct batch *batch = context;
    uint32_t number = table_find(&batch->names, name, length);
    size_t k = 0;
    while (k < batch_nonzeros(batch) && batch->indices[k] != (number | BATCH_LOCAL))
        k++;
    expect(number != TABLE_NONE && k < batch_nonzeros(batch));
    batch->values[k]--;
}

// One row of the first bytes, without ends of lines.
static void check_words(const char *text, size_t size, struct word_rule rule)
{
    char line[514] = "x\t";
    size = size < 512 ? size : 512;
    for (size_t i = 0; i < size; i++)
        line[2 + i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_TEXT;
    schema.words = rule;
    struct parser parser = {.schema = &schema, .labelled = true};
    struct bad_row bad;
    struct batch *batch = batch_new();
    expect(batch != NULL);
    expect(text_parse(&parser, line, 2 + size, batch, &bad) == PARSE_OK);
    reference_words(rule, NULL, line + 2, size, take_word, batch);
    for (size_t k = 0; k < batch_nonzeros(batch); k++)
        expect(batch->values[k] == 0);
    batch_free(batch);
    schema_free(&schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = size ? bytes[0] % 8 + 1u : 1u,
                             .lowercase = size && bytes[0] >= 'a'};
    if (size % 3 == 0) {
        rule.chars_min = 1 + (uint32_t)(size % 4);
        rule.chars_max = rule.chars_min + (uint32_t)(size % 5);
    }
    check_words(text, size, rule);
    check_named(fasttext_parse, DATA_FASTTEXT, rule, text, size, true);
    check_named(fasttext_parse, DATA_FASTTEXT, rule, text, size, false);
    check_named(text_parse, DATA_TEXT, rule, text, size, true);
    check_named(text_parse, DATA_TEXT, rule, text, size, false);
    read_as(text, size, "fasttext");
    read_as(text, size, "text");
    return 0;
}
