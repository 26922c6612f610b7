// The short cuts of CSV against its rules: random texts, most of them nearly right, must come to
// the same rows and the same errors in every way that the CPU has. Texts are in memory of their
// exact size, so that a sanitizer sees any byte read outside.
#include "base/random.h"
#include "input/csv/csv.h"
#include "input/csv/scan.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COLUMNS_MAX 40

struct text {
    char bytes[1 << 16];
    size_t size;
};

static struct random state;

static uint64_t below(uint64_t n)
{
    return random_below(&state, n);
}

static void put(struct text *text, const char *bytes, size_t size)
{
    if (text->size + size > sizeof text->bytes)
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void put_text(struct text *text, const char *bytes)
{
    put(text, bytes, strlen(bytes));
}

static const char *one_of(const char *const *texts, size_t count)
{
    return texts[below(count)];
}
#define ONE_OF(texts) one_of(texts, sizeof(texts) / sizeof(texts)[0])

static void put_number(struct text *text)
{
    static const char *const odd[] = {"1",
                                      "0",
                                      "-0",
                                      "0.0",
                                      "1.",
                                      ".5",
                                      "-.5",
                                      "+3",
                                      "1e-05",
                                      "-2.5E+3",
                                      "1e400",
                                      "1e39",
                                      "nan",
                                      "inf",
                                      ".",
                                      "-",
                                      "--1",
                                      "1.2.3",
                                      "1-2",
                                      "0x10",
                                      "1,5",
                                      "00012",
                                      "1e",
                                      "3.4e38",
                                      "3.5e38",
                                      "12 34",
                                      "1\r",
                                      "9007199254740993",
                                      "\xB0"
                                      "1",
                                      "1\xFF",
                                      "9999999999999999",
                                      "0.000000000000001",
                                      "123456789012345.6",
                                      "1234567890123456",
                                      "12345678901234567",
                                      "-123456789.12345678"};
    char digits[64];
    switch (below(8)) {
    case 0:
        put_text(text, ONE_OF(odd));
        break;
    case 1:
        put_text(text, below(2) ? "1" : "0");
        break;
    case 2: { // any digits with a point anywhere
        size_t length = 1 + below(34), point = below(38);
        for (size_t i = 0; i < length; i++)
            digits[i] = i == point ? '.' : (char)('0' + below(10));
        if (below(2))
            put_text(text, "-");
        put(text, digits, length);
        break;
    }
    default:
        snprintf(digits, sizeof digits, below(6) ? "%.*g" : "%.*e",
                 1 + (int)below(below(4) ? 8 : 20),
                 ((double)below(2000001) - 1e6) * (below(2)   ? 1e-4
                                                   : below(4) ? 1e-6
                                                              : 1e-40));
        put_text(text, digits);
    }
}

static void put_word(struct text *text)
{
    static const char *const words[] = {"a",
                                        "b",
                                        "red",
                                        "green",
                                        "a word",
                                        "sixteen letters.",
                                        "seventeen letters",
                                        "NA",
                                        "N/A",
                                        "?",
                                        "",
                                        "null",
                                        "(missing)",
                                        "a rather long category",
                                        "1",
                                        "2.0",
                                        "x=y",
                                        "(none",
                                        "yes",
                                        "no",
                                        "yes",
                                        "no"};
    put_text(text, ONE_OF(words));
}

static void put_quoted(struct text *text, bool well, char delimiter)
{
    static const char *const odd[] = {"\"a\"b",  "a\"b",   "\"",     "\"\"\"",
                                      "\"a\" x", "a\"",    "\"a\r",  "\"\"a",
                                      "\"a\"\r", " \"a\"", "\"a\" ", "\"a\" \r"};
    if (!well) {
        put_text(text, ONE_OF(odd));
        return;
    }
    put_text(text, "\"");
    switch (below(7)) {
    case 6: // over several blocks, and windows
        for (size_t i = below(60); i > 0; i--)
            put_text(text, below(20) ? "some text, " : below(2) ? "\"\"" : "\n");
        break;
    case 0:
        put_text(text, "say \"\"x\"\"");
        break;
    case 1:
        put_text(text, "two\nlines");
        break;
    case 2:
        put(text, &delimiter, 1);
        put_word(text);
        break;
    case 3:
        put_number(text);
        break;
    default:
        put_word(text);
    }
    put_text(text, "\"");
}

// How far a text is from what it should be.
struct habits {
    char delimiter;
    unsigned quotes, blanks, odd; // one in so many fields; 0: none
    bool returns;                 // \r\n
};

static bool now_and_then(unsigned one_in)
{
    return one_in && below(one_in) == 0;
}

static void put_field(struct text *text, const struct habits *habits, bool number)
{
    if (now_and_then(habits->blanks))
        put(text, "   ", below(4));
    if (now_and_then(habits->odd))
        number = !number;
    if (now_and_then(habits->quotes))
        put_quoted(text, !now_and_then(habits->odd), habits->delimiter);
    else if (number)
        put_number(text);
    else
        put_word(text);
    if (now_and_then(habits->odd))
        put(text, "\0", 1);
    if (now_and_then(habits->blanks))
        put(text, "   ", below(4));
}

static void make_text(struct text *text, const struct habits *habits, const bool *numbers,
                      size_t columns, size_t rows)
{
    text->size = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t count = columns;
        if (now_and_then(habits->odd))
            count = below(columns + 3);
        for (size_t k = 0; k < count; k++) {
            if (k)
                put(text, &habits->delimiter, 1);
            put_field(text, habits, numbers[k < columns ? k : 0]);
        }
        if (now_and_then(habits->odd))
            put_text(text, below(2) ? "\n\n" : "\n  \r\n");
        else
            put_text(text, habits->returns ? "\r\n" : "\n");
    }
    if (below(2) && text->size)
        text->size -= below(text->size < 10 ? text->size : 10); // cut short
}

// ---- schemas, plans and parsers at random ----

struct setting {
    struct schema schema;
    struct csv_plan plan;
    struct parser parser;
    struct habits habits;
    bool numbers[COLUMNS_MAX];
};

static void add_names(struct schema *schema, const char *column)
{
    char name[64];
    static const char *const values[] = {"red", "(missing)", "a rather long category", "1"};
    for (size_t i = 0; i < 4; i++) {
        int length = snprintf(name, sizeof name, "%s=%s", column, values[i]);
        assert_int_not_equal(schema_add(schema, name, (size_t)length), SCHEMA_NONE);
    }
}

static void make_setting(struct setting *setting)
{
    static const char delimiters[] = ",,,;\t|x1-. ";
    static const unsigned shares[] = {0, 0, 3, 30, 400};
    memset(setting, 0, sizeof *setting);
    setting->habits = (struct habits){.delimiter = delimiters[below(sizeof delimiters - 1)],
                                      .quotes = shares[below(5)],
                                      .blanks = shares[below(5)],
                                      .odd = shares[below(3) ? below(2) * 4 : below(5)],
                                      .returns = below(3) == 0};
    struct schema *schema = &setting->schema;
    schema_init(schema);
    schema->format = DATA_CSV;
    schema->column_count = 1 + below(below(2) ? 4 : COLUMNS_MAX);
    schema->columns = calloc(schema->column_count, sizeof *schema->columns);
    schema->delimiter = setting->habits.delimiter;
    size_t label = below(schema->column_count);
    bool categories = below(2);
    for (size_t i = 0; i < schema->column_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "c%zu", i);
        struct column *column = &schema->columns[i];
        enum column_kind kind = i == label                    ? COLUMN_LABEL
                                : below(20) == 0              ? COLUMN_IGNORED
                                : categories && below(3) == 0 ? COLUMN_CATEGORICAL
                                : below(8) == 0               ? COLUMN_TEXT
                                                              : COLUMN_NUMERIC;
        *column = (struct column){.name = strdup(name), .kind = kind, .feature = SCHEMA_NONE};
        if (kind == COLUMN_NUMERIC)
            column->feature = schema_add(schema, name, strlen(name));
        setting->numbers[i] = kind == COLUMN_NUMERIC;
        if (kind != COLUMN_LABEL)
            add_names(schema, name);
    }
    assert_int_equal(schema_class_add(schema, "yes", 3), 0);
    assert_int_equal(schema_class_add(schema, "1", 1), 1);
    schema->frozen = below(2);
    setting->plan.delimiter = setting->habits.delimiter;
    assert_int_equal(csv_plan_own(&setting->plan, schema, NULL), TLU_OK);
    setting->parser = (struct parser){.schema = schema,
                                      .plan = &setting->plan,
                                      .labelled = below(2),
                                      .skip_bad = below(4) > 0,
                                      .missing = (int)below(3)};
}

static void free_setting(struct setting *setting)
{
    csv_plan_free(&setting->plan);
    schema_free(&setting->schema);
}

// ---- comparing ----

static void same_tables(const struct table *a, const struct table *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++)
        assert_string_equal(table_text(a, i), table_text(b, i));
}

static void same_batches(const struct batch *a, const struct batch *b)
{
    assert_int_equal(a->rows, b->rows);
    size_t n = batch_nonzeros(a);
    assert_int_equal(n, batch_nonzeros(b));
    if (a->rows) {
        assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
        assert_memory_equal(a->labels, b->labels, a->rows * sizeof *a->labels);
        assert_memory_equal(a->line, b->line, a->rows * sizeof *a->line);
    }
    if (n) {
        assert_memory_equal(a->indices, b->indices, n * sizeof *a->indices);
        assert_memory_equal(a->values, b->values, n * sizeof *a->values);
    }
    assert_int_equal(a->ones, b->ones);
    assert_int_equal(a->place.lines, b->place.lines);
    assert_int_equal(a->counts.skipped_rows, b->counts.skipped_rows);
    assert_int_equal(a->counts.unknown_values, b->counts.unknown_values);
    assert_int_equal(a->counts.unknown_labels, b->counts.unknown_labels);
    if (a->counts.unknown_labels)
        assert_string_equal(a->counts.unknown_label, b->counts.unknown_label);
    same_tables(&a->names, &b->names);
    same_tables(&a->classes, &b->classes);
}

static void same_parses(const struct setting *setting, const char *bytes, size_t size, size_t *rows,
                        size_t *errors)
{
    struct batch *right = batch_new();
    struct bad_row right_bad = {0};
    struct parser parser = setting->parser;
    parser.way = CSV_STRICT;
    enum parse_result expected = csv_parse(&parser, bytes, size, right, &right_bad);
    *rows += right->rows;
    *errors += expected == PARSE_BAD;
    for (int way = 0; way < CSV_WAYS; way++) {
        if (way == CSV_STRICT)
            continue;
        struct batch *batch = batch_new();
        struct bad_row bad = {0};
        parser.way = way;
        assert_int_equal(csv_parse(&parser, bytes, size, batch, &bad), expected);
        if (expected == PARSE_OK) {
            same_batches(right, batch);
        } else {
            assert_int_equal(bad.line, right_bad.line);
            assert_int_equal(bad.column, right_bad.column);
            assert_string_equal(bad.reason, right_bad.reason);
        }
        batch_free(batch);
    }
    batch_free(right);
}

// ---- kinds of columns ----

static struct column_stats *looks_of(const struct schema *schema)
{
    struct column_stats *looks = calloc(schema->column_count, sizeof *looks);
    for (size_t i = 0; i < schema->column_count; i++)
        looks[i].open = schema->columns[i].kind <= COLUMN_CATEGORICAL;
    return looks;
}

static void same_looks(const struct schema *schema, const struct column_stats *a,
                       const struct column_stats *b)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        assert_int_equal(a[i].numbers, b[i].numbers);
        assert_int_equal(a[i].others, b[i].others);
        assert_int_equal(a[i].commas, b[i].commas);
        if (a[i].others == 0)
            continue;
        assert_int_equal(a[i].other_line, b[i].other_line);
        assert_int_equal(a[i].other_column, b[i].other_column);
        assert_string_equal(a[i].other, b[i].other);
    }
}

// A text in pieces that end between rows.
struct pieces {
    const char *bytes;
    size_t size, at, piece;
    char delimiter;
};

static tlu_status next_piece(void *context, size_t worker, const char **bytes, size_t *size,
                             tlu_error *error)
{
    struct pieces *pieces = context;
    (void)worker, (void)error;
    *bytes = pieces->bytes + pieces->at;
    size_t left = pieces->size - pieces->at;
    *size = 0;
    for (size_t part = pieces->piece; part < left && *size == 0; part *= 2)
        *size = csv_complete(*bytes, part, pieces->delimiter);
    if (*size == 0)
        *size = left;
    pieces->at += *size;
    return TLU_OK;
}

static void same_kinds(const struct setting *setting, const char *bytes, size_t size)
{
    const struct schema *schema = &setting->schema;
    struct column_stats *right = looks_of(schema);
    uint64_t lines = 7, right_lines = 7;
    assert_true(csv_kinds_scan(schema, right, bytes, size, &right_lines, CSV_STRICT));
    for (int way = 0; way < CSV_WAYS; way++) {
        if (way == CSV_STRICT)
            continue;
        struct column_stats *looks = looks_of(schema);
        lines = 7;
        assert_true(csv_kinds_scan(schema, looks, bytes, size, &lines, way));
        assert_int_equal(lines, right_lines);
        same_looks(schema, right, looks);
        free(looks);
    }
    for (size_t threads = 1; threads <= 3; threads += 2) {
        struct column_stats *looks = looks_of(schema);
        struct pieces pieces = {bytes, size, 0, 1 + below(2000), schema->delimiter};
        assert_int_equal(csv_kinds_search(schema, looks, 7, threads, next_piece, &pieces, NULL),
                         TLU_OK);
        same_looks(schema, right, looks);
        free(looks);
    }
    free(right);
}

// ---- the ends of rows ----

// Row by row. Empty lines at the end may or may not be part of it.
static size_t complete_slowly(const char *bytes, size_t size, char delimiter)
{
    struct csv_cursor cursor = csv_start(bytes, size, delimiter);
    size_t complete = 0;
    while (csv_next_row(&cursor)) {
        if (!csv_skip_row(&cursor) || cursor.at != cursor.line_start)
            break;
        complete = (size_t)(cursor.at - bytes);
    }
    csv_end(&cursor);
    return complete;
}

static size_t over_empty_lines(const char *bytes, size_t size, size_t at)
{
    for (size_t i = at; i < size; i++) {
        if (bytes[i] == '\n')
            at = i + 1;
        else if (bytes[i] != ' ' && bytes[i] != '\r')
            break;
    }
    return at;
}

static void same_ends(const char *bytes, size_t size, char delimiter)
{
    for (size_t k = 0; k < 4; k++) {
        size_t part = k ? below(size + 1) : size;
        size_t expected = complete_slowly(bytes, part, delimiter);
        size_t found = csv_complete(bytes, part, delimiter);
        assert_true(found == 0 || bytes[found - 1] == '\n');
        assert_int_equal(over_empty_lines(bytes, part, found),
                         over_empty_lines(bytes, part, expected));
    }
}

static void test_random_texts(void **unused)
{
    (void)unused;
    static struct text text;
    size_t rows = 0, errors = 0, rounds = unless_sanitized(4000, 1000);
    random_seed(&state, 4);
    for (size_t round = 0; round < rounds; round++) {
        struct setting setting;
        make_setting(&setting);
        make_text(&text, &setting.habits, setting.numbers, setting.schema.column_count,
                  below(round % 10 ? 30 : 600));
        char *bytes = malloc(text.size ? text.size : 1);
        memcpy(bytes, text.bytes, text.size);
        same_parses(&setting, bytes, text.size, &rows, &errors);
        same_ends(bytes, text.size, setting.habits.delimiter);
        same_kinds(&setting, bytes, text.size);
        free(bytes);
        free_setting(&setting);
    }
    // They are neither all right nor all wrong.
    assert_true(rows > 12 * rounds && errors > rounds / 14);
}

// Decimals at and right beside the middle between two floats, and whole numbers past 2^53: where an
// error in the last bit of a double shows.
static void test_hard_numbers(void **unused)
{
    (void)unused;
    static struct text text;
    size_t rows = 0, errors = 0;
    random_seed(&state, 5);
    struct setting setting;
    do { // one with a numeric column alone, and the label
        make_setting(&setting);
        if (setting.schema.column_count == 2 && setting.habits.delimiter == ',' &&
            setting.numbers[0] && setting.schema.columns[1].kind == COLUMN_LABEL)
            break;
        free_setting(&setting);
    } while (true);
    for (int round = 0; round < 100; round++) {
        text.size = 0;
        for (int i = 0; i < 400; i++) {
            char number[64];
            if (i % 8 == 7) { // near the middle, as few digits with a power of ten
                double half = ((double)(8388608 + below(8388608)) + 0.5) / (1 << below(24));
                int size = snprintf(number, sizeof number, "%.*e", 5 + (int)below(14), half);
                put(&text, number, (size_t)size);
                put_text(&text, ",yes\n");
                continue;
            }
            // Up to 24 bits and half a unit of the last: all 26 digits or fewer are printed.
            double middle = ((double)(8388608 + below(8388608)) + 0.5) / (1 << below(24));
            int length = snprintf(number, sizeof number, "%.25f", middle);
            if (i % 4 == 3)
                length =
                    snprintf(number, sizeof number, "%llu",
                             (unsigned long long)(9007199254740992u + below(900000000000000u)));
            else if (i % 4) // a bit above
                number[length - (i % 4 == 1 ? 1 : 3)] = '1';
            put(&text, number, (size_t)(length < 32 ? length : 32));
            put_text(&text, ",yes\n");
        }
        same_parses(&setting, text.bytes, text.size, &rows, &errors);
    }
    assert_int_equal(rows, 40000);
    free_setting(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_hard_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
