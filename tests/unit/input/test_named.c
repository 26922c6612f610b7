// Rows of named features, written in Vowpal Wabbit's format, against a list of names that is
// searched from its start.
#include "base/memory.h"
#include "base/random.h"
#include "input/named.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NAMES = 120, NAME_LIMIT = 100, ROWS = 40, FEATURES_MAX = 3000, TEXT_MAX = 4000000 };

static char names[NAMES][NAME_LIMIT];

// Of all lengths around 8, 16 and 64, in groups that begin alike.
static void make_names(struct random *random)
{
    static const char *const beginnings[] = {"", "abcdefgh", "abcdefghijklmnop", "\xC3\xA9-"};
    for (size_t i = 0; i < NAMES; i++) {
        size_t at = (size_t)sprintf(names[i], "%s", beginnings[i % 4]);
        size_t more = 1 + (size_t)random_below(random, i % 7 ? 10 : 70);
        for (size_t k = 0; k < more; k++)
            names[i][at++] = "abc0#^"[random_below(random, 6)];
        names[i][at] = '\0';
    }
}

// ---- the slow way ----

struct slow_row {
    char names[FEATURES_MAX][NAME_LIMIT + 60];
    float values[FEATURES_MAX];
    size_t count;
    bool bad;
};

static void slow_add(struct slow_row *row, const char *name, float value)
{
    if (value == 0 || row->bad)
        return;
    size_t i = 0;
    while (i < row->count && strcmp(row->names[i], name) != 0)
        i++;
    if (i == row->count) {
        strcpy(row->names[row->count], name);
        row->values[row->count++] = value;
    } else {
        row->values[i] += value;
        row->bad = isinf(row->values[i]);
    }
}

static void slow_end(struct slow_row *row)
{
    size_t kept = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (row->values[i] == 0)
            continue;
        memmove(row->names[kept], row->names[i], sizeof row->names[i]);
        row->values[kept++] = row->values[i];
    }
    row->count = kept;
}

// A row at the end of the text, and what it says.
static size_t write_row(struct random *random, char *out, struct slow_row *row)
{
    static const struct {
        const char *text;
        float value;
    } values[] = {{"", 1},          {"", 1},      {":2", 2}, {":0.25", 0.25f},       {":-1", -1},
                  {":0", 0},        {":1e0", 1},  {":", 0},  {":+3.5e2", 350},       {":-2", -2},
                  {":3e38", 3e38f}, {":1e39", 0}, {":x", 1}, {":12345678", 12345678}};
    static const char *const spaces[] = {"", "n", "a-name-of-a-namespace-that-is-long"};
    static const char *const blanks[] = {" ", " ", " ", "  ", "\t", " \t "};
    size_t at = (size_t)sprintf(out, "1 ");
    *row = (struct slow_row){0};
    size_t kinds = random_below(random, 8) ? 7 : 14; // the last are rare
    size_t left = (size_t)random_below(random, random_below(random, 5) ? 20 : FEATURES_MAX);
    while (left > 0) {
        const char *space = spaces[random_below(random, 3)];
        size_t here = 1 + (size_t)random_below(random, left);
        at += (size_t)sprintf(out + at, "|%s", space);
        for (left -= here; here > 0; here--) {
            const char *name = names[random_below(random, NAMES)];
            size_t v = (size_t)random_below(random, kinds);
            const char *text = kinds == 7 && v == 6 ? "" : values[v].text;
            at += (size_t)sprintf(out + at, "%s%s%s", blanks[random_below(random, 6)], name, text);
            char joined[NAME_LIMIT + 60];
            snprintf(joined, sizeof joined, "%s%s%s%s%s", space, *space ? "^" : "", name,
                     strcmp(text, ":x") == 0 ? "=" : "", strcmp(text, ":x") == 0 ? "x" : "");
            row->bad |= strcmp(text, ":") == 0 || strcmp(text, ":1e39") == 0;
            slow_add(row, joined, values[v].value);
        }
    }
    if (out[at - 1] == ' ' && at == 2)
        out[at++] = '|';
    slow_end(row);
    out[at++] = '\n';
    return at;
}

// ---- the same by the parser ----

static void is_row(const struct batch *batch, const struct schema *schema, size_t i,
                   const struct slow_row *row, bool frozen)
{
    tlu_row got = batch_row(batch, i);
    size_t k = 0;
    for (size_t s = 0; s < row->count; s++) {
        uint32_t known = table_find(&schema->names, row->names[s], strlen(row->names[s]));
        if (frozen && known == TABLE_NONE)
            continue;
        assert_true(k < got.count);
        uint32_t feature = got.features[k];
        const char *name = feature & BATCH_LOCAL ? table_text(&batch->names, feature & ~BATCH_LOCAL)
                                                 : table_text(&schema->names, feature);
        assert_string_equal(name, row->names[s]);
        assert_true(row_value(&got, k) == (double)row->values[s]);
        k++;
    }
    assert_int_equal(got.count, k);
}

static struct slow_row rows[ROWS];

static void check(struct random *random, struct schema *schema, struct batch *batch, bool lasting)
{
    char *text = malloc(TEXT_MAX);
    size_t size = 0;
    for (size_t i = 0; i < ROWS; i++)
        size += write_row(random, text + size, &rows[i]);
    assert_true(size < TEXT_MAX);
    char *exact = malloc(size - 1); // without the last newline: names at the end of the memory
    memcpy(exact, text, size - 1);
    struct parser parser = {.schema = schema, .skip_bad = true, .lasting = lasting};
    struct bad_row bad;
    batch_clear(batch);
    assert_int_equal(vw_parse(&parser, exact, size - 1, batch, &bad), PARSE_OK);
    size_t kept = 0;
    bool ones = true;
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].bad)
            continue;
        assert_true(kept < batch->rows);
        is_row(batch, schema, kept++, &rows[i], schema->frozen);
        for (size_t k = 0; k < rows[i].count; k++)
            ones &= rows[i].values[k] == 1;
    }
    assert_int_equal(batch->rows, kept);
    assert_int_equal(batch->counts.skipped_rows, ROWS - kept);
    if (!ones && !schema->frozen)
        assert_false(batch->ones);
    free(exact);
    free(text);
}

static void random_rows(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    make_names(&random);
    for (int kind = 0; kind < 3; kind++) { // growing; with known names; frozen
        struct schema schema;
        struct batch *batch = batch_new();
        assert_non_null(batch);
        schema_init(&schema);
        schema.format = DATA_VW;
        schema.known = true;
        if (kind == 1)
            table_share(&schema.names);
        for (int round = 0; round < 30; round++) {
            check(&random, &schema, batch, kind == 1);
            if (kind == 1)
                assert_true(schema_merge(&schema, batch));
            if (kind == 2 && !schema.frozen) { // some of them
                for (uint32_t i = 0; i < batch->names.count; i += 2)
                    assert_int_not_equal(schema_add(&schema, table_text(&batch->names, i),
                                                    table_length(&batch->names, i)),
                                         SCHEMA_NONE);
                schema.frozen = true;
            }
        }
        batch_free(batch);
        schema_free(&schema);
    }
}

// ---- messages ----

static void is_bad(const char *text, unsigned column, const char *reason)
{
    struct schema schema;
    struct batch *batch = batch_new();
    struct bad_row bad;
    schema_init(&schema);
    schema.format = DATA_VW;
    struct parser parser = {.schema = &schema};
    assert_int_equal(vw_parse(&parser, text, strlen(text), batch, &bad), PARSE_BAD);
    assert_string_equal(bad.reason, reason);
    assert_int_equal(bad.column, column);
    batch_free(batch);
    schema_free(&schema);
}

// Names wait to be looked up; what is wrong first is said.
static void the_first_complaint(void **state)
{
    (void)state;
    static const char sum[] = "the values of 'a' add up to more than 3.4e38";
    is_bad("1 | a:3e38 a:3e38 b:1e39\n", 18, sum);
    is_bad("1 | a:3e38 b a:3e38 c\n", 20, sum);
    is_bad("1 | a:3e38 b:1e39 a:3e38\n", 14, "the value 1e39 is too large: values go up to 3.4e38");
    is_bad("1 |n abcdefghijklmnopqrstuvwxyz:-3e38 abcdefghijklmnopqrstuvwxyz:-3e38 :7 c\n", 71,
           "the values of 'n^abcdefghijklmnopqrstuvwxyz' add up to more than 3.4e38");
}

// ---- marks ----

// A process of its own for each set of instructions: the choice is made once.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
        cmocka_unit_test(the_first_complaint),
    };
    static const char *const levels[] = {"plain", "avx2"};
    int failed = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("TLU_SIMD", levels[i], 1);
            exit(cmocka_run_group_tests_name(levels[i], tests, NULL, NULL) != 0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        failed |= status != 0;
    }
    return failed;
}
