// Any bytes as Vowpal Wabbit's format; the fast paths give what the rules alone give.
#include "named.h"

#include "input/vw/quick.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static enum parse_result parse_plain(const struct parser *parser, const char *bytes, size_t size,
                                     struct batch *batch, struct bad_row *bad)
{
    return vw_parse_by(VW_PLAIN, parser, bytes, size, batch, bad);
}

static enum parse_result parse_by_rules(const struct parser *parser, const char *bytes, size_t size,
                                        struct batch *batch, struct bad_row *bad)
{
    return vw_parse_by(VW_RULES, parser, bytes, size, batch, bad);
}

// Fast paths need bytes around a row: so the text is read between others, too.
static void check_ways(const char *bytes, size_t size, bool skip_bad)
{
    static const char before[] = "1 |n before:0.5 the:1 text\n";
    static const char after[] =
        "\n1 |m:2 after the:0.25 text and:1e-05 as many words:3 as the fast "
        "paths may look at after a row, which are some more than these\n"
        "-1 | and another row, so that no byte of the text is near the end "
        "of the memory, whatever the text is\n";
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_VW;
    struct parser parser = {.schema = &schema, .labelled = true, .skip_bad = skip_bad};
    size_t whole = sizeof before - 1 + size + sizeof after - 1;
    char *text = malloc(whole);
    expect(text != NULL);
    memcpy(text, before, sizeof before - 1);
    if (size)
        memcpy(text + sizeof before - 1, bytes, size);
    memcpy(text + sizeof before - 1 + size, after, sizeof after - 1);
    struct outcome rules = outcome_of(parse_by_rules, &parser, text, whole);
    parse_function *const ways[] = {vw_parse, parse_plain};
    for (size_t i = 0; i < 2; i++) {
        struct outcome quick = outcome_of(ways[i], &parser, text, whole);
        expect_same(&quick, &rules);
        if (rules.result == PARSE_BAD)
            expect(quick.bad.line == rules.bad.line && quick.bad.column == rules.bad.column &&
                   strcmp(quick.bad.reason, rules.bad.reason) == 0);
    }
    free(text);
    schema_free(&schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = 1};
    check_named(vw_parse, DATA_VW, rule, text, size, true);
    check_named(vw_parse, DATA_VW, rule, text, size, false);
    check_ways(text, size, true);
    check_ways(text, size, false);
    read_as(text, size, "vw");
    return 0;
}
