// Any bytes as JSON: as lines, as an array and as objects one after the other; by "text" and
// "features", and as records.
#include "named.h"

#include "input/json/members.h"
#include "input/json/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t newlines(const char *bytes, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\n';
    return count;
}

// Rows that are not lines: in two chunks they are the same, and before a malformed row all is well.
static void check_objects(struct parser parser, const char *bytes, size_t size)
{
    struct parser lenient = parser, strict = parser;
    lenient.skip_bad = true;
    strict.skip_bad = false;
    struct outcome whole = outcome_of(jsonl_parse, &strict, bytes, size);
    struct outcome some = outcome_of(jsonl_parse, &lenient, bytes, size);
    size_t cut = json_complete(parser.rows, bytes, size / 2);
    expect(cut <= size / 2 && json_complete(parser.rows, bytes, cut) == cut);
    expect(json_overlong(parser.rows, bytes, size, size) == size);
    if (whole.result == PARSE_OK) {
        expect_same(&whole, &some);
        expect(whole.lines == newlines(bytes, size));
    } else {
        size_t start = whole.bad.start;
        expect(start <= size && whole.bad.line <= newlines(bytes, size) + 1);
        const char *line = line_at(bytes, size, whole.bad.line);
        expect(whole.bad.column <= (size_t)(bytes + size - line) + 1);
        expect(outcome_of(jsonl_parse, &strict, bytes, start).result == PARSE_OK);
        expect(outcome_of(jsonl_parse, &strict, bytes + start, size - start).result == PARSE_BAD);
    }
    if (some.result == PARSE_OK && cut) {
        struct outcome parts = {.result = PARSE_OK};
        parse_chunk(&parts, jsonl_parse, &lenient, bytes, cut);
        parse_chunk(&parts, jsonl_parse, &lenient, bytes + cut, size - cut);
        expect_same(&some, &parts);
    }
}

// The first rows decide what the members are, with options that name some of them.
static void check_records(enum json_rows rows, struct word_rule rule, int missing,
                          const char *bytes, size_t size)
{
    static const char *const settings[][2] = {
        {"label", "label"}, {"text", "t"}, {"numeric", "n"}, {"categorical", "c"}, {"ignore", "i"}};
    tlu_options *options;
    struct schema schema;
    struct json_plan plan = {0};
    tlu_error error;
    tlu_options_new(&options, NULL);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        tlu_options_set(options, settings[i][0], settings[i][1], NULL);
    schema_init(&schema);
    schema.format = DATA_JSONL;
    schema.words = rule;
    schema.multilabel = size % 2;
    expect(json_columns(&schema, options, "-", rows, bytes, size, true, &error) == TLU_OK);
    if (schema.column_count) {
        expect(schema_columns_fit(&schema) && json_plan_make(&plan, &schema));
        struct parser parser = {.schema = &schema,
                                .members = &plan,
                                .rows = rows,
                                .separator = ",",
                                .skip_bad = true,
                                .missing = missing};
        if (rows == JSON_LINES)
            check_lines(jsonl_parse, parser, &schema, bytes, size);
        else
            check_objects(parser, bytes, size);
    }
    json_plan_free(&plan);
    schema_free(&schema);
    tlu_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct word_rule rule = {.ngrams = size % 3 + 1, .lowercase = size % 2};
    if (size % 5 == 0) {
        rule.chars_min = 2;
        rule.chars_max = 3;
    }
    int missing = (int)(size % (MISSING_REFUSE + 1));
    check_named(jsonl_parse, DATA_JSONL, rule, text, size, true);
    check_named(jsonl_parse, DATA_JSONL, rule, text, size, false);
    for (int rows = JSON_LINES; rows <= JSON_ARRAY; rows++) {
        struct schema schema;
        schema_init(&schema);
        schema.format = DATA_JSONL;
        schema.words = rule;
        if (rows != JSON_LINES)
            check_objects((struct parser){.schema = &schema, .rows = (enum json_rows)rows}, text,
                          size);
        schema_free(&schema);
        check_records((enum json_rows)rows, rule, missing, text, size);
    }
    read_as(text, size, "jsonl");
    return 0;
}
