// Any bytes as CSV; the first one and the size choose the options. Cut anywhere between rows, also
// between malformed ones, the rows are the same.
#include "reading.h"

#include "input/csv/csv.h"
#include "input/csv/scan.h"

// The kinds as the rules see them, without short cuts.
static void check_kinds(const struct schema *schema, const struct column_stats *looks,
                        const tlu_options *options, const char *bytes, size_t size, uint64_t lines)
{
    struct column_stats *right;
    expect(csv_stats_new(&right, schema, options, "file", NULL) == TLU_OK);
    expect(csv_kinds_scan(schema, right, bytes, size, &lines, CSV_STRICT));
    for (size_t i = 0; i < schema->column_count; i++) {
        expect(looks[i].numbers == right[i].numbers && looks[i].others == right[i].others &&
               looks[i].commas == right[i].commas);
        if (looks[i].others)
            expect(looks[i].other_line == right[i].other_line &&
                   looks[i].other_column == right[i].other_column &&
                   strcmp(looks[i].other, right[i].other) == 0);
    }
    free(right);
}

// The plan for training on the bytes; false if they have no columns. *used is the header.
static bool plan_for(struct schema *schema, struct csv_plan *plan, const tlu_options *options,
                     const char *bytes, size_t size, size_t *used)
{
    struct column_stats *looks = NULL;
    uint64_t lines = 0;
    schema->format = DATA_CSV;
    schema->delimiter = plan->delimiter;
    tlu_status status = csv_columns(schema, options, "file", bytes, size, used, &lines, NULL);
    if (status == TLU_OK)
        status = csv_stats_new(&looks, schema, options, "file", NULL);
    if (status == TLU_OK) {
        uint64_t before = lines;
        expect(csv_kinds_scan(schema, looks, bytes + *used, size - *used, &lines, CSV_BEST));
        check_kinds(schema, looks, options, bytes + *used, size - *used, before);
    }
    if (status == TLU_OK)
        status = csv_kinds_decide(schema, looks, true, "file", NULL);
    if (status == TLU_OK)
        status = csv_plan_own(plan, schema, NULL);
    free(looks);
    return status == TLU_OK;
}

static void check_parts(const struct parser *parser, const char *bytes, size_t size)
{
    struct outcome whole = {.result = PARSE_OK};
    parse_chunk(&whole, csv_parse, parser, bytes, size);
    expect(whole.result == PARSE_OK);
    for (size_t k = 1; k <= 4; k++) {
        size_t part = size * k / 5;
        size_t first = csv_complete(bytes, part, parser->plan->delimiter);
        expect(first <= part && (first == 0 || bytes[first - 1] == '\n'));
        struct outcome parts = {.result = PARSE_OK};
        if (first)
            parse_chunk(&parts, csv_parse, parser, bytes, first);
        parse_chunk(&parts, csv_parse, parser, bytes + first, size - first);
        expect_same(&whole, &parts);
    }

    // Without short cuts.
    struct parser slow = *parser;
    struct outcome rules = {.result = PARSE_OK};
    slow.way = CSV_STRICT;
    parse_chunk(&rules, csv_parse, &slow, bytes, size);
    expect_same(&whole, &rules);

    struct parser strict = *parser;
    struct outcome exact = {.result = PARSE_OK};
    strict.skip_bad = false;
    parse_chunk(&exact, csv_parse, &strict, bytes, size);
    expect((exact.result == PARSE_OK) == (whole.skipped == 0));
    if (exact.result == PARSE_OK) {
        expect_same(&whole, &exact);
        return;
    }
    slow.skip_bad = false;
    rules = (struct outcome){.result = PARSE_OK};
    parse_chunk(&rules, csv_parse, &slow, bytes, size);
    expect(rules.result == PARSE_BAD && rules.bad.line == exact.bad.line &&
           rules.bad.column == exact.bad.column && strcmp(rules.bad.reason, exact.bad.reason) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const delimiters[] = {"", "", ",", ";", "tab", "space", "|", "x"};
    static const char *const headers[] = {"auto", "yes", "no", "auto"};
    static const char *const missing[] = {"refuse", "zero", "indicator", "auto"};
    if (size == 0)
        return 0;
    unsigned choice = bytes[0];
    const char *text = (const char *)bytes + 1;
    size--;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "format", "csv", NULL);
    tlu_options_set(options, "delimiter", delimiters[choice & 7], NULL);
    tlu_options_set(options, "header", headers[choice >> 3 & 3], NULL);
    tlu_options_set(options, "missing", missing[choice >> 5 & 3], NULL);
    tlu_options_set(options, "multilabel", choice & 128 ? "yes" : "no", NULL);
    if (size % 3 == 0)
        tlu_options_set(options, "text", size % 2 ? "t,2" : "t", NULL);
    if (size % 5 == 0)
        tlu_options_set(options, "decimal", "comma", NULL);
    read_training(text, size, options);

    struct schema schema;
    struct csv_plan plan = {0};
    size_t used = 0;
    schema_init(&schema);
    expect(schema_set_labels(&schema, options, NULL) == TLU_OK);
    schema.words = (struct word_rule){.ngrams = size % 2 + 1, .lowercase = size % 4 < 2};
    if (size % 7 == 0)
        schema.words.chars_min = schema.words.chars_max = 2;
    expect(csv_delimiter_option(options, &plan.delimiter, NULL) == TLU_OK);
    if (!plan.delimiter)
        plan.delimiter = csv_delimiter(text, size);
    if (!plan.delimiter)
        plan.delimiter = ',';
    if (plan_for(&schema, &plan, options, text, size, &used)) {
        struct parser parser = {.schema = &schema,
                                .plan = &plan,
                                .labelled = true,
                                .skip_bad = true,
                                .separator = ",",
                                .missing = options_choice(options, OPTION_MISSING)};
        check_parts(&parser, text + used, size - used);
    }
    csv_plan_free(&plan);
    schema_free(&schema);
    tlu_options_set(options, "skip-bad", "yes", NULL);
    read_training(text, size, options);
    tlu_options_free(options);
    return 0;
}
