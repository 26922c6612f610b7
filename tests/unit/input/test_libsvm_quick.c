// LIBSVM rows by every instruction set that the CPU has, against the rules: the same batches and
// the same complaints, to the bit. And values against strtod.
#include "base/random.h"
#include "input/libsvm/quick.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct text {
    char *bytes;
    size_t size, capacity;
};

static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    if (text->capacity - text->size < 4096) {
        text->capacity = 2 * text->capacity + 8192;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    va_start(arguments, format);
    text->size += (size_t)vsprintf(text->bytes + text->size, format, arguments);
    va_end(arguments);
}

struct reading {
    struct batch *batch;
    struct bad_row bad;
    enum parse_result result;
    bool frozen;
};

// From a copy of just this size, so that a sanitizer sees what is read beyond it.
static struct reading read_by(libsvm_quick *quick, const struct parser *parser,
                              const struct text *text)
{
    struct reading reading = {.batch = batch_new(), .frozen = parser->schema->frozen};
    assert_non_null(reading.batch);
    char *exact = malloc(text->size + 1);
    assert_non_null(exact);
    exact = realloc(exact, text->size ? text->size : 1);
    memcpy(exact, text->bytes, text->size);
    reading.result = libsvm_parse_by(quick, parser, exact, text->size, reading.batch, &reading.bad);
    free(exact);
    return reading;
}

static void expect_same_tables(const struct table *a, const struct table *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++)
        assert_string_equal(table_text(a, i), table_text(b, i));
}

static void expect_same(const struct reading *x, const struct reading *y)
{
    const struct batch *a = x->batch, *b = y->batch;
    assert_int_equal(x->result, y->result);
    if (x->result == PARSE_BAD) {
        assert_int_equal(x->bad.line, y->bad.line);
        assert_int_equal(x->bad.column, y->bad.column);
        assert_string_equal(x->bad.reason, y->bad.reason);
        return;
    }
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(batch_nonzeros(a), batch_nonzeros(b));
    size_t n = batch_nonzeros(a);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    if (n) {
        assert_memory_equal(a->indices, b->indices, n * sizeof *a->indices);
        assert_memory_equal(a->values, b->values, n * sizeof *a->values);
    }
    if (a->rows) {
        assert_memory_equal(a->labels, b->labels, a->rows * sizeof *a->labels);
        assert_memory_equal(a->line, b->line, a->rows * sizeof *a->line);
    }
    expect_same_tables(&a->names, &b->names);
    assert_int_equal(a->large.count, b->large.count);
    if (a->large.count)
        assert_memory_equal(a->large.items, b->large.items, a->large.count * sizeof(uint64_t));
    expect_same_tables(&a->classes, &b->classes);
    assert_int_equal(a->ones, b->ones);
    if (!x->frozen) { // else nothing asks for it
        assert_int_equal(a->direct.lowest, b->direct.lowest);
        assert_int_equal(a->direct.highest, b->direct.highest);
    }
    assert_int_equal(a->place.lines, b->place.lines);
    assert_int_equal(a->counts.skipped_rows, b->counts.skipped_rows);
    assert_int_equal(a->counts.unknown_rows, b->counts.unknown_rows);
    assert_int_equal(a->counts.unknown_labels, b->counts.unknown_labels);
    assert_string_equal(a->counts.unknown_label, b->counts.unknown_label);
    assert_int_equal(a->counts.qid_fields, b->counts.qid_fields);
}

static void check(const struct parser *parser, const struct text *text)
{
    struct reading expected = read_by(NULL, parser, text);
    libsvm_quick *quick;
    for (size_t i = 0; (quick = libsvm_quick_at(i)); i++) {
        struct reading reading = read_by(quick, parser, text);
        expect_same(&reading, &expected);
        batch_free(reading.batch);
    }
    batch_free(expected.batch);
}

// ---- random text ----

static uint64_t below(struct random *random, uint64_t n)
{
    return random_below(random, n);
}

// Values that are unusual, at the limits of what is read quickly, or none.
static const char *const odd[] = {"0",
                                  "-0",
                                  "0.0",
                                  "-0.0",
                                  "1e3",
                                  "1e-05",
                                  "2.5e-7",
                                  "-1.25E+2",
                                  "1e-400",
                                  "3e38",
                                  "4e38",
                                  "9e99",
                                  "1e",
                                  "1e+",
                                  "e5",
                                  ".e5",
                                  "+5",
                                  "+.5",
                                  "5.",
                                  "-5.",
                                  ".5",
                                  "-.5",
                                  "0.",
                                  "-0.",
                                  "00.5",
                                  "0x1p3",
                                  "nan",
                                  "inf",
                                  "1.2.3",
                                  "0.1.2",
                                  "0..1",
                                  "1..",
                                  ".",
                                  "..",
                                  "-",
                                  "-.",
                                  "+",
                                  "",
                                  "--1",
                                  "1-",
                                  "1-5",
                                  "0.-5",
                                  "a",
                                  "1a",
                                  "0.1/",
                                  "1:2",
                                  "1,5",
                                  "1\t",
                                  "1\r",
                                  "#",
                                  "1#x",
                                  "1\x01",
                                  "\xff",
                                  "1\xB0",
                                  "\xEF\xBB\xBF",
                                  "1234567",
                                  "12345678",
                                  "123456789",
                                  "1234567.",
                                  "12345678.",
                                  "123456.7",
                                  "1234567.8",
                                  "0.1234567",
                                  "0.12345678",
                                  "0.123456789",
                                  "-0.12345678",
                                  "99999999.9",
                                  "999999999999999",
                                  "-999999999999999",
                                  "9999999999999999",
                                  "9007199254740993",
                                  "0.99999999999999",
                                  "-0.9999999999999",
                                  "0.999999999999999",
                                  "0.000000000000001",
                                  ".999999999999999",
                                  "12345678901234.5",
                                  "123456789012345.",
                                  "00000000000000001",
                                  "0.00000000000000000001",
                                  "0.30000001192092896"};
#define ODD (sizeof odd / sizeof odd[0])

static void put_value(struct text *text, struct random *random)
{
    switch (below(random, 12)) {
    case 0:
        put(text, "%.*f", (int)below(random, 20), random_unit(random));
        break;
    case 1:
        put(text, "-%.*g", (int)below(random, 18), random_unit(random) * 1000);
        break;
    case 2:
        put(text, "%llu", (unsigned long long)(random_bits(random) >> below(random, 64)));
        break;
    case 3:
        put(text, "%.*e", (int)below(random, 18), random_unit(random));
        break;
    case 4:
        if (below(random, 20) == 0)
            put(text, "%s", odd[below(random, ODD)]);
        else
            put(text, "0.%llu", (unsigned long long)(random_bits(random) >> below(random, 60)));
        break;
    case 5:
        put(text, "1");
        break;
    default:
        put(text, "%.6g", random_unit(random));
    }
}

static void put_row(struct text *text, struct random *random, uint64_t strange)
{
    static const char *const labels[] = {"+1",
                                         "-1",
                                         "1",
                                         "2",
                                         "spam",
                                         "no-spam",
                                         "0.5",
                                         "a:b",
                                         "3:4",
                                         "#x",
                                         "",
                                         " 1",
                                         "qid:3",
                                         "\xEF\xBB\xBF"
                                         "1",
                                         "a\xEF\xBB\xBF",
                                         "\xEF\xBB",
                                         "eight888",
                                         "nine99999",
                                         "\xC3\xA9"};
    static const char *const ends[] = {"\n",   "\n",    "\n",        " \n", "\r\n",
                                       "  \n", " \r\n", " # note\n", "\t\n"};
    put(text, "%s", labels[below(random, below(random, strange) ? 7 : 19)]);
    if (below(random, 5) == 0)
        put(text, below(random, strange) ? " qid:%llu" : " qid:%llu:",
            (unsigned long long)(random_bits(random) >> below(random, 64)));
    uint64_t index = 0, count = below(random, 4) ? below(random, 30) : below(random, 1500);
    static const uint64_t steps[] = {1, 3, 100, 1000, 100000, 20000000};
    uint64_t step = steps[below(random, below(random, strange) ? 5 : 6)];
    for (uint64_t i = 0; i < count; i++) {
        put(text, below(random, strange) ? " " : "  ");
        if (below(random, 50 * strange) == 0)
            put(text, below(random, 2) ? "qid:7 " : "word ");
        index += below(random, step) + (i == 0 ? below(random, 2) : 1);
        if (below(random, 50 * strange) == 0)
            index /= 2;
        put(text, below(random, 50 * strange) ? "%llu:" : "%08llu:", (unsigned long long)index);
        put_value(text, random);
    }
    put(text, "%s", ends[below(random, below(random, strange) ? 3 : 9)]);
}

static void put_rows(struct text *text, struct random *random, uint64_t strange)
{
    text->size = 0;
    for (uint64_t rows = 1 + below(random, 40); rows; rows--)
        put_row(text, random, strange);
    if (below(random, 4) == 0) // cut anywhere, and anything in the place of a byte
        text->size -= below(random, text->size);
    if (text->size && below(random, 4) == 0)
        text->bytes[below(random, text->size)] = (char)below(random, 256);
}

static void rows_as_by_the_rules(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    struct text text = {0};
    struct schema growing;
    schema_init(&growing);
    growing.base = SCHEMA_DIRECT;
    for (int round = 0; round < 3000; round++) {
        put_rows(&text, &random, round % 3 == 0 ? 2 : 200);
        struct parser parser = {
            .schema = &growing, .labelled = round % 5 != 0, .skip_bad = round % 4 != 0};
        check(&parser, &text);
    }
    schema_free(&growing);
    free(text.bytes);
}

// The numbers that batches get in a schema do not depend on what it knew while they were parsed.
static void rows_while_the_schema_grows(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 7);
    struct text text = {0};
    libsvm_quick *quick;
    for (size_t i = 0; (quick = libsvm_quick_at(i)); i++) {
        struct schema growing, slow;
        schema_init(&growing);
        schema_init(&slow);
        growing.base = slow.base = SCHEMA_DIRECT;
        for (int round = 0; round < 150; round++) {
            put_rows(&text, &random, 200);
            struct parser parser = {.schema = &growing, .skip_bad = true, .lasting = true};
            struct reading reading = read_by(quick, &parser, &text);
            parser.schema = &slow;
            parser.lasting = false;
            struct reading expected = read_by(NULL, &parser, &text);
            assert_true(schema_merge(&growing, reading.batch));
            assert_true(schema_merge(&slow, expected.batch));
            reading.batch->large.count = expected.batch->large.count = 0;
            expect_same(&reading, &expected);
            assert_int_equal(growing.large.count, slow.large.count);
            assert_memory_equal(growing.large.items, slow.large.items,
                                slow.large.count * sizeof(uint64_t));
            batch_free(reading.batch);
            batch_free(expected.batch);
        }
        schema_free(&growing);
        schema_free(&slow);
    }
    free(text.bytes);
}

// Every odd value after every number of usual ones, with indices of every length.
static void odd_values_everywhere(void **state)
{
    (void)state;
    static const char *const usual[] = {"1", "0.25", "-0.123456", "17"};
    struct text text = {0};
    struct schema growing;
    schema_init(&growing);
    growing.base = SCHEMA_DIRECT;
    for (size_t value = 0; value < ODD; value++)
        for (int before = 0; before < 10; before++)
            for (int digits = 1; digits < 11; digits++) {
                text.size = 0;
                for (size_t row = 0; row < 5; row++) {
                    put(&text, row % 2 ? "+1" : "-1");
                    for (int i = 0; i < 20; i++)
                        put(&text, " %0*d:%s", digits, i,
                            row == 2 && i == before ? odd[value] : usual[(value + row) % 4]);
                    put(&text, "\n");
                }
                put(&text,
                    "# as long as what may be looked at after a row, at the end of a file\n");
                check(&(struct parser){.schema = &growing, .skip_bad = before % 2 == 0}, &text);
            }
    schema_free(&growing);
    free(text.bytes);
}

// A model that knows every `step`-th feature, from `first` on, and two labels.
static void check_for_a_model(uint32_t first, uint32_t step)
{
    struct random random;
    random_seed(&random, 5);
    struct text text = {0};
    struct schema model;
    schema_init(&model);
    model.frozen = true;
    model.numbered = 3000;
    model.ids = malloc(model.numbered * sizeof *model.ids);
    assert_non_null(model.ids);
    for (uint32_t i = 0; i < model.numbered; i++)
        model.ids[i] = first + step * i;
    assert_true(schema_rank(&model));
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(indices_add(&model.large, SCHEMA_DIRECT + 7 * i), i);
    schema_class_add(&model, "1", 1);
    schema_class_add(&model, "-1", 2);
    for (int round = 0; round < 1000; round++) {
        put_rows(&text, &random, round % 3 == 0 ? 2 : 200);
        check(&(struct parser){.schema = &model, .skip_bad = round % 2 != 0}, &text);
    }
    free(model.ids);
    model.ids = NULL;
    schema_free(&model);
    free(text.bytes);
}

static void rows_for_a_model(void **state)
{
    (void)state;
    check_for_a_model(0, 1); // some rows have only features that it knows
    check_for_a_model(2, 1);
    check_for_a_model(0, 3);
}

// ---- values ----

static size_t random_decimal(char *out, struct random *random)
{
    char *at = out;
    uint64_t digits = 1 + below(random, below(random, 8) ? 12 : 25);
    uint64_t point = below(random, digits + 4); // past the digits: none
    if (below(random, 4) == 0)
        *at++ = '-';
    for (uint64_t i = 0; i < digits; i++) {
        if (i == point)
            *at++ = '.';
        *at++ = (char)('0' + below(random, 10));
    }
    if (below(random, 16) == 0)
        at += sprintf(at, "e%d", (int)below(random, 40) - 30);
    *at = '\0';
    return (size_t)(at - out);
}

// Millions of decimals as values of rows, by every set that the CPU has; fewer where a sanitizer
// looks on.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VALUES 400000
#else
#define VALUES 10000000
#endif

static void values_are_those_of_strtod(void **state)
{
    (void)state;
    enum { CHUNK = 20000, ROW = 100 };
    struct random random;
    random_seed(&random, 6);
    struct text text = {0};
    struct schema schema;
    schema_init(&schema);
    schema.base = SCHEMA_DIRECT;
    float *expected = malloc(CHUNK * sizeof *expected);
    assert_non_null(expected);
    for (int done = 0, all = often(VALUES); done < all; done += CHUNK) {
        size_t count = 0;
        text.size = 0;
        for (int i = 0; i < CHUNK; i++) {
            char decimal[64];
            random_decimal(decimal, &random);
            put(&text, i % ROW ? " %d:%s" : &"\n1 %d:%s"[i == 0], i % ROW, decimal);
            float value = (float)strtod(decimal, NULL);
            if (value != 0)
                expected[count++] = value;
        }
        put(&text, "\n");
        libsvm_quick *quick;
        for (size_t i = 0; i == 0 || (quick = libsvm_quick_at(i)); i++) {
            struct parser parser = {.schema = &schema, .labelled = true};
            struct reading reading = read_by(libsvm_quick_at(i), &parser, &text);
            assert_int_equal(reading.result, PARSE_OK);
            assert_int_equal(batch_nonzeros(reading.batch), count);
            assert_memory_equal(reading.batch->values, expected, count * sizeof *expected);
            batch_free(reading.batch);
        }
    }
    free(expected);
    free(text.bytes);
    schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_as_by_the_rules),       cmocka_unit_test(rows_while_the_schema_grows),
        cmocka_unit_test(odd_values_everywhere),      cmocka_unit_test(rows_for_a_model),
        cmocka_unit_test(values_are_those_of_strtod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
