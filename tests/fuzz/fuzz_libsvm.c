// Any bytes as LIBSVM: in one chunk or in two the rows are the same, a malformed row is the first
// one that is malformed, and leaving such rows out leaves out nothing else.
#include "input/libsvm/quick.h"
#include "reading.h"

#include <stdlib.h>
#include <string.h>

static struct outcome parse(const struct parser *parser, const char *bytes, size_t size)
{
    struct outcome outcome = {.result = PARSE_OK};
    parse_chunk(&outcome, libsvm_parse, parser, bytes, size);
    return outcome;
}

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

static void check(const char *bytes, size_t size, bool labelled, bool multilabel)
{
    struct schema schema;
    schema_init(&schema);
    schema.base = SCHEMA_DIRECT;
    schema.multilabel = multilabel;
    struct parser lenient = {.schema = &schema, .labelled = labelled, .skip_bad = true};
    struct parser strict = {.schema = &schema, .labelled = labelled};
    struct outcome whole = parse(&lenient, bytes, size);
    expect(whole.result == PARSE_OK && whole.rows + whole.skipped <= whole.lines);

    const char *half = size ? memchr(bytes + size / 2, '\n', size - size / 2) : NULL;
    if (half) {
        size_t first = (size_t)(half - bytes) + 1;
        struct outcome parts = {.result = PARSE_OK};
        parse_chunk(&parts, libsvm_parse, &lenient, bytes, first);
        parse_chunk(&parts, libsvm_parse, &lenient, bytes + first, size - first);
        expect_same(&whole, &parts);
    }

    struct outcome exact = parse(&strict, bytes, size);
    expect((exact.result == PARSE_OK) == (whole.skipped == 0));
    if (exact.result == PARSE_OK) {
        expect_same(&whole, &exact);
    } else {
        const char *bad = line_at(bytes, size, exact.bad.line);
        size_t before = (size_t)(bad - bytes);
        const char *newline = memchr(bad, '\n', size - before);
        size_t length = newline ? (size_t)(newline - bad) : size - before;
        expect(exact.bad.column <= length + 1);
        expect(parse(&strict, bytes, before).result == PARSE_OK);
        expect(parse(&strict, bad, length).result == PARSE_BAD);
    }
    schema_free(&schema);
}

// By every instruction set as by the rules. What they may look at around a row is as large as these
// lines.
static void check_quick(const char *bytes, size_t size, bool multilabel)
{
    static const char around[] =
        "# a comment that is as long as what may be looked at before a row "
        "and behind it\n";
    size_t length = sizeof around - 1;
    char *text = malloc(2 * length + size);
    expect(text != NULL);
    memcpy(text, around, length);
    if (size)
        memcpy(text + length, bytes, size);
    memcpy(text + length + size, around, length);
    struct schema schema;
    schema_init(&schema);
    schema.base = SCHEMA_DIRECT;
    schema.multilabel = multilabel;
    struct parser parser = {.schema = &schema, .labelled = true, .skip_bad = true};
    struct batch *batch = batch_new(), *expected = batch_new();
    struct bad_row bad;
    expect(batch && expected);
    expect(libsvm_parse_by(NULL, &parser, text, 2 * length + size, expected, &bad) == PARSE_OK);
    libsvm_quick *quick;
    for (size_t i = 0; (quick = libsvm_quick_at(i)); i++) {
        batch_clear(batch);
        expect(libsvm_parse_by(quick, &parser, text, 2 * length + size, batch, &bad) == PARSE_OK);
        size_t n = batch_nonzeros(expected);
        expect(batch->rows == expected->rows &&
               batch->counts.skipped_rows == expected->counts.skipped_rows &&
               batch_nonzeros(batch) == n && batch->place.lines == expected->place.lines);
        expect(n == 0 || (memcmp(batch->indices, expected->indices, n * sizeof(uint32_t)) == 0 &&
                          memcmp(batch->values, expected->values, n * sizeof(float)) == 0));
        struct outcome found = {.hash = 0}, right = {.hash = 0};
        mix_batch(&found, batch);
        mix_batch(&right, expected);
        expect(found.hash == right.hash);
    }
    batch_free(batch);
    batch_free(expected);
    schema_free(&schema);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    for (int multilabel = 0; multilabel < 2; multilabel++) {
        check(text, size, true, multilabel);
        check(text, size, false, multilabel);
        check_quick(text, size, multilabel);
        tlu_options *options;
        tlu_options_new(&options, NULL);
        tlu_options_set(options, "multilabel", multilabel ? "yes" : "no", NULL);
        read_training(text, size, options);
        tlu_options_set(options, "format", "libsvm", NULL);
        tlu_options_set(options, "skip-bad", "yes", NULL);
        read_training(text, size, options);
        tlu_options_free(options);
    }
    return 0;
}
