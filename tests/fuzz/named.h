// What the fuzz targets of formats with named features share: in one chunk or in two the rows are
// the same, a malformed row is the first one that is malformed, leaving such rows out leaves out
// nothing else, and a frozen schema that knows every name gives the same rows again.
#ifndef TLU_TESTS_FUZZ_NAMED_H
#define TLU_TESTS_FUZZ_NAMED_H

#include "reading.h"

// Where line number `line` starts, from 1.
static const char *line_at(const char *bytes, size_t size, uint64_t line)
{
    const char *at = bytes;
    while (--line) {
        at = memchr(at, '\n', size - (size_t)(at - bytes));
        expect(at != NULL);
        at++;
    }
    return at;
}

static struct outcome outcome_of(parse_function *parse, const struct parser *parser,
                                 const char *bytes, size_t size)
{
    struct outcome outcome = {.result = PARSE_OK};
    parse_chunk(&outcome, parse, parser, bytes, size);
    return outcome;
}

// No feature is there twice in a row, no weight is negative.
static void check_batch(const struct batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++) {
        float weight = batch_weight(batch, i);
        expect(isfinite(weight) && weight >= 0);
        uint32_t start = batch->offsets[i], end = batch->offsets[i + 1];
        for (uint32_t k = start; end - start < 100 && k < end; k++)
            for (uint32_t other = start; other < k; other++)
                expect(batch->indices[k] != batch->indices[other]);
    }
}

// The labels of a row, whose sets may be elsewhere.
static void expect_same_labels(const struct batch *a, const struct batch *b, size_t row)
{
    bool none = a->labels[row] == TLU_NO_LABEL;
    expect(none == (b->labels[row] == TLU_NO_LABEL));
    if (none)
        return;
    const uint32_t *first = batch_set(a, row), *second = batch_set(b, row);
    expect(!first == !second);
    if (first)
        expect(memcmp(first, second, (1 + (size_t)first[0]) * sizeof *first) == 0);
    else
        expect(a->labels[row] == b->labels[row]);
}

static void check_frozen(parse_function *parse, struct parser parser, struct schema *schema,
                         const char *bytes, size_t size)
{
    struct batch *first = batch_new(), *second = batch_new();
    struct bad_row bad;
    expect(first && second);
    expect(parse(&parser, bytes, size, first, &bad) == PARSE_OK);
    check_batch(first);
    expect(schema_merge(schema, first));
    struct schema frozen = *schema;
    frozen.frozen = true;
    parser.schema = &frozen;
    expect(parse(&parser, bytes, size, second, &bad) == PARSE_OK);
    expect(first->rows == second->rows && batch_nonzeros(first) == batch_nonzeros(second));
    for (size_t i = 0; i < first->rows; i++) {
        expect_same_labels(first, second, i);
        expect(batch_weight(first, i) == batch_weight(second, i));
    }
    for (size_t k = 0; k < batch_nonzeros(first); k++)
        expect(first->indices[k] == second->indices[k] && first->values[k] == second->values[k]);
    batch_free(first);
    batch_free(second);
}

// Rows that are lines, by a parser that leaves malformed rows out.
static void check_lines(parse_function *parse, struct parser lenient, struct schema *schema,
                        const char *bytes, size_t size)
{
    struct parser strict = lenient;
    strict.skip_bad = false;
    struct outcome whole = outcome_of(parse, &lenient, bytes, size);
    expect(whole.result == PARSE_OK && whole.rows + whole.skipped <= whole.lines);

    const char *half = size ? memchr(bytes + size / 2, '\n', size - size / 2) : NULL;
    if (half) {
        size_t first = (size_t)(half - bytes) + 1;
        struct outcome parts = {.result = PARSE_OK};
        parse_chunk(&parts, parse, &lenient, bytes, first);
        parse_chunk(&parts, parse, &lenient, bytes + first, size - first);
        expect_same(&whole, &parts);
    }
    struct outcome exact = outcome_of(parse, &strict, bytes, size);
    expect((exact.result == PARSE_OK) == (whole.skipped == 0));
    if (exact.result == PARSE_OK) {
        expect_same(&whole, &exact);
    } else {
        const char *bad = line_at(bytes, size, exact.bad.line);
        size_t before = (size_t)(bad - bytes);
        const char *newline = memchr(bad, '\n', size - before);
        size_t length = newline ? (size_t)(newline - bad) : size - before;
        expect(exact.bad.column <= length + 1);
        expect(outcome_of(parse, &strict, bytes, before).result == PARSE_OK);
        expect(outcome_of(parse, &strict, bad, length).result == PARSE_BAD);
    }
    // Where a sum is too large, a model that does not know the feature does not mind.
    if (exact.result == PARSE_OK)
        check_frozen(parse, lenient, schema, bytes, size);
}

static void check_named(parse_function *parse, enum data_format format, struct word_rule rule,
                        const char *bytes, size_t size, bool labelled)
{
    for (int multilabel = 0; multilabel < 2; multilabel++) {
        struct schema schema;
        schema_init(&schema);
        schema.format = format;
        schema.words = rule;
        schema.multilabel = multilabel;
        struct parser lenient = {
            .schema = &schema, .labelled = labelled, .skip_bad = true, .separator = ","};
        check_lines(parse, lenient, &schema, bytes, size);
        schema_free(&schema);
    }
}

// As a file: recognised, and by its name; with several labels per row, too.
static void read_as(const char *bytes, size_t size, const char *format)
{
    for (int multilabel = 0; multilabel < 2; multilabel++) {
        tlu_options *options;
        tlu_options_new(&options, NULL);
        tlu_options_set(options, "multilabel", multilabel ? "yes" : "no", NULL);
        read_training(bytes, size, options);
        tlu_options_set(options, "format", format, NULL);
        tlu_options_set(options, "skip-bad", "yes", NULL);
        read_training(bytes, size, options);
        tlu_options_free(options);
    }
}

#endif
