// Vowpal Wabbit's format by the fast paths against the rules alone: the same batches and the same
// complaints, to the bit. And values against strtod.
#include "base/random.h"
#include "input/vw/quick.h"
#include "trials.h"

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

static uint64_t below(struct random *random, uint64_t limit)
{
    return random_below(random, limit);
}

struct reading {
    struct batch *batch;
    struct bad_row bad;
    enum parse_result result;
};

// From a copy of just this size, so that a sanitizer sees what is read outside it.
static struct reading read_by(enum vw_way way, const struct parser *parser, const struct text *text)
{
    struct reading reading = {.batch = batch_new()};
    char *exact = malloc(text->size ? text->size : 1);
    assert_non_null(reading.batch);
    assert_non_null(exact);
    memcpy(exact, text->bytes, text->size);
    reading.result = vw_parse_by(way, parser, exact, text->size, reading.batch, &reading.bad);
    free(exact);
    return reading;
}

static void expect_same_tables(const struct table *a, const struct table *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(table_length(a, i), table_length(b, i));
        assert_string_equal(table_text(a, i), table_text(b, i));
    }
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
    size_t n = batch_nonzeros(a);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(n, batch_nonzeros(b));
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    if (n) {
        assert_memory_equal(a->indices, b->indices, n * sizeof *a->indices);
        assert_memory_equal(a->values, b->values, n * sizeof *a->values);
    }
    for (size_t i = 0; i < a->rows; i++)
        assert_true(batch_weight(a, i) == batch_weight(b, i));
    if (a->rows) {
        assert_memory_equal(a->labels, b->labels, a->rows * sizeof *a->labels);
        assert_memory_equal(a->line, b->line, a->rows * sizeof *a->line);
    }
    expect_same_tables(&a->names, &b->names);
    expect_same_tables(&a->classes, &b->classes);
    assert_int_equal(a->ones, b->ones);
    assert_int_equal(a->place.lines, b->place.lines);
    assert_int_equal(a->counts.skipped_rows, b->counts.skipped_rows);
    assert_int_equal(a->counts.unknown_rows, b->counts.unknown_rows);
    assert_int_equal(a->counts.unknown_labels, b->counts.unknown_labels);
}

static void check(const struct parser *parser, const struct text *text)
{
    static const enum vw_way quick[] = {VW_BEST, VW_PLAIN};
    struct reading expected = read_by(VW_RULES, parser, text);
    for (size_t i = 0; i < 2; i++) {
        struct reading reading = read_by(quick[i], parser, text);
        expect_same(&reading, &expected);
        batch_free(reading.batch);
    }
    batch_free(expected.batch);
}

// ---- random rows ----

static const char *const odd[] = {"",
                                  "-",
                                  ".",
                                  "-.",
                                  "+1",
                                  "0",
                                  "-0",
                                  "00",
                                  "0.0",
                                  "-0.0e+00",
                                  "1.",
                                  ".5",
                                  "-.5",
                                  "1.2.3",
                                  "1e5",
                                  "1E5",
                                  "1e+05",
                                  "1E-05",
                                  "1e",
                                  "1e+",
                                  "1e-0",
                                  "e-02",
                                  "-e-02",
                                  ".e-02",
                                  "1e-22",
                                  "1.5e-23",
                                  "1e+37",
                                  "1e+38",
                                  "3.4e+38",
                                  "1e+39",
                                  "1e999",
                                  "1e-99",
                                  "nan",
                                  "inf",
                                  "-inf",
                                  "nantes",
                                  "paris",
                                  "a:b",
                                  "1:2",
                                  "0x10",
                                  "1,5",
                                  "1#",
                                  "\xff",
                                  "1\x01",
                                  "12345678",
                                  "123456789",
                                  "0.12345678",
                                  "0.123456789",
                                  "99999999.9",
                                  "999999999999999",
                                  "9999999999999999",
                                  "9007199254740993",
                                  "9007199254740993e-10",
                                  "0.30000001192092896",
                                  "12345678901234.5",
                                  "123456789012345.e+00",
                                  "00000000000000001",
                                  "1.0000000596046448e+00"};
#define ODD (sizeof odd / sizeof odd[0])

static void put_value(struct text *text, struct random *random, uint64_t strange)
{
    if (below(random, strange) == 0) {
        put(text, ":%s", odd[below(random, ODD)]);
        return;
    }
    switch (below(random, 8)) {
    case 0:
        put(text, ":%.*f", (int)below(random, 18), random_unit(random));
        break;
    case 1:
        put(text, ":-%.*g", (int)below(random, 18), random_unit(random) * 1000);
        break;
    case 2:
        put(text, ":%.*e", (int)below(random, 18), random_unit(random));
        break;
    case 3:
        put(text, ":%llu", (unsigned long long)(random_bits(random) >> below(random, 64)));
        break;
    case 4:
        put(text, ":%d", (int)below(random, 10));
        break;
    case 5:
        put(text, ":%.6g", random_unit(random));
        break;
    default:
        break;
    }
}

static void put_name(struct text *text, struct random *random, uint64_t strange)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz^=#'\"-\xC3\xA9";
    uint64_t length = below(random, strange) ? 1 + below(random, 18) : below(random, 150);
    for (uint64_t i = 0; i < length; i++) // mostly a few different ones
        put(text, "%c", letters[i < 1 ? below(random, 32) : i * i % 32]);
}

static void put_namespace(struct text *text, struct random *random, uint64_t strange)
{
    static const char *const names[] = {"",
                                        "f",
                                        "ns",
                                        "features",
                                        "description",
                                        "fifteen",
                                        "fourteen-bytes-",
                                        "exactly-15-byte",
                                        "a-name-of-16-byte"};
    put(text, "|%s", names[below(random, sizeof names / sizeof names[0])]);
    if (below(random, strange) == 0)
        for (uint64_t i = below(random, 1010); i > 0; i--)
            put(text, "%c", "xyz"[i % 3]);
    if (below(random, 4) == 0)
        put_value(text, random, strange); // its weight
    bool values = below(random, 3) > 0;
    for (uint64_t left = below(random, below(random, 4) ? 12 : 400); left > 0; left--) {
        put(text, "%s", below(random, strange) ? " " : below(random, 2) ? "\t" : "   ");
        put_name(text, random, strange);
        if (values)
            put_value(text, random, strange);
    }
    put(text, "%s", below(random, strange) ? " " : "");
}

static void put_rows(struct text *text, struct random *random, uint64_t strange)
{
    static const char *const heads[] = {"1 ",      "-1 ", "1 0.5 ", "2 1 tag",
                                        "1 'tag ", "",    "1 -2 ",  "1 2 3 4 5 "};
    static const char *const ends[] = {"\n", "\n", "\r\n", " \n", "\n\n", "\t\r\n"};
    text->size = 0;
    for (uint64_t rows = 1 + below(random, 12); rows > 0; rows--) {
        put(text, "%s", heads[below(random, below(random, strange) ? 5 : 8)]);
        for (uint64_t spaces = 1 + below(random, 4); spaces > 0; spaces--)
            put_namespace(text, random, strange);
        put(text, "%s", ends[below(random, 6)]);
    }
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
    for (int round = 0; round < often(40000); round++) {
        struct schema schema;
        schema_init(&schema);
        schema.format = DATA_VW;
        table_draw_key(&schema.names); // the same for all ways
        put_rows(&text, &random, round % 3 == 0 ? 3 : 300);
        check(&(struct parser){.schema = &schema,
                               .labelled = round % 5 != 0,
                               .skip_bad = round % 4 != 0},
              &text);
        schema_free(&schema);
    }
    free(text.bytes);
}

// A model that knows some of the names.
static void rows_for_a_model(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 5);
    struct text text = {0};
    struct schema model;
    schema_init(&model);
    model.format = DATA_VW;
    put_rows(&text, &random, 300);
    struct parser parser = {.schema = &model, .skip_bad = true};
    struct reading known = read_by(VW_RULES, &parser, &text);
    for (uint32_t i = 0; i < known.batch->names.count; i += 2)
        assert_int_not_equal(schema_add(&model, table_text(&known.batch->names, i),
                                        table_length(&known.batch->names, i)),
                             SCHEMA_NONE);
    batch_free(known.batch);
    model.frozen = true;
    for (int round = 0; round < often(10000); round++) {
        put_rows(&text, &random, round % 3 == 0 ? 3 : 300);
        check(&parser, &text);
    }
    schema_free(&model);
    free(text.bytes);
}

// Every odd value in every namespace, at every place of a block of 64 bytes, and with every number
// of bytes after it.
static void odd_values_everywhere(void **state)
{
    (void)state;
    static const char *const spaces[] = {"", "f", "description:0.5", "a-name-of-16-byte"};
    struct text text = {0};
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_VW;
    for (size_t value = 0; value < ODD; value++)
        for (size_t space = 0; space < 4; space++)
            for (int before = 0; before < 66; before++) {
                text.size = 0;
                put(&text, "1 |%s %.*s", spaces[space], before,
                    "one:1 two:0.25 three four:-3.5e-02 five six:6 seven:7.125 eight:88 nine");
                put(&text, " odd:%s x:2", odd[value]);
                for (int i = 0; i < before * 3; i++)
                    put(&text, "%s", i % 7 ? "a" : " ");
                put(&text, "%s", before % 2 ? "\n" : "");
                check(&(struct parser){.schema = &schema, .skip_bad = before % 3 == 0}, &text);
            }
    schema_free(&schema);
    free(text.bytes);
}

// ---- values ----

static void random_decimal(char *out, struct random *random)
{
    uint64_t digits = 1 + below(random, below(random, 8) ? 12 : 25);
    uint64_t point = below(random, digits + 4); // past the digits: none
    if (below(random, 4) == 0)
        *out++ = '-';
    for (uint64_t i = 0; i < digits; i++) {
        if (i == point)
            *out++ = '.';
        *out++ = (char)('0' + below(random, 10));
    }
    int exponent = (int)below(random, 41) - 30; // below 1e36
    if (below(random, 2) == 0)
        out += sprintf(out, below(random, 4) ? "e%+03d" : "E%d", exponent);
    *out = '\0';
}

static void values_are_those_of_strtod(void **state)
{
    (void)state;
    enum { CHUNK = 20000, ROW = 100 };
    struct random random;
    random_seed(&random, 6);
    struct text text = {0};
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_VW;
    float *expected = malloc(CHUNK * sizeof *expected);
    assert_non_null(expected);
    for (int done = 0, all = (int)unless_sanitized(4000000, 400000); done < often(all);
         done += CHUNK) {
        size_t count = 0;
        text.size = 0;
        for (int i = 0; i < CHUNK; i++) {
            char decimal[64];
            random_decimal(decimal, &random);
            put(&text, i % ROW ? " %d:%s" : &"\n1 |f %d:%s"[i == 0], i % ROW, decimal);
            float value = (float)strtod(decimal, NULL);
            if (value != 0)
                expected[count++] = value;
        }
        for (enum vw_way way = VW_BEST; way <= VW_RULES; way++) {
            struct parser parser = {.schema = &schema, .labelled = true};
            struct reading reading = read_by(way, &parser, &text);
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
        cmocka_unit_test(rows_as_by_the_rules),
        cmocka_unit_test(rows_for_a_model),
        cmocka_unit_test(odd_values_everywhere),
        cmocka_unit_test(values_are_those_of_strtod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
