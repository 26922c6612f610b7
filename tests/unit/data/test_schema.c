// The schema: names of features and classes, growing and frozen.
#include "base/fault.h"
#include "base/memory.h"
#include "data/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t add(struct schema *schema, const char *name)
{
    return schema_add(schema, name, strlen(name));
}

static uint32_t find(const struct schema *schema, const char *name)
{
    return schema_find(schema, name, strlen(name));
}

static const char *name_of(const struct schema *schema, uint32_t feature)
{
    static char name[64];
    size_t length = schema_name(schema, feature, name, sizeof name);
    assert_int_equal(length, strlen(name));
    return name;
}

static void growing_libsvm(void **state)
{
    (void)state;
    struct schema schema;
    schema_init(&schema);
    schema.base = SCHEMA_DIRECT;
    assert_int_equal(schema_features(&schema), 0);
    assert_int_equal(schema_columns(&schema), 0);
    assert_int_equal(add(&schema, "17"), 17); // small ones are used as they are
    assert_int_equal(schema_features(&schema), 18);
    assert_int_equal(schema_columns(&schema), 17);
    assert_int_equal(add(&schema, "0"), 0); // counted from 0: one column more
    assert_int_equal(schema_columns(&schema), 18);
    assert_int_equal(add(&schema, "1048575"), SCHEMA_DIRECT - 1);
    assert_int_equal(add(&schema, "1048576"), SCHEMA_DIRECT); // the first that is a name
    assert_int_equal(add(&schema, "9223372036854775807"), SCHEMA_DIRECT + 1);
    assert_int_equal(add(&schema, "1048576"), SCHEMA_DIRECT);
    assert_int_equal(schema_features(&schema), SCHEMA_DIRECT + 2);
    assert_int_equal(schema_columns(&schema), SCHEMA_DIRECT + 2);
    assert_int_equal(find(&schema, "9223372036854775807"), SCHEMA_DIRECT + 1);
    assert_int_equal(find(&schema, "9223372036854775806"), SCHEMA_NONE);
    assert_string_equal(name_of(&schema, 17), "17");
    assert_string_equal(name_of(&schema, SCHEMA_DIRECT), "1048576");
    assert_string_equal(name_of(&schema, SCHEMA_DIRECT + 1), "9223372036854775807");
    schema_free(&schema);
}

static void growing_csv(void **state)
{
    (void)state;
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_CSV;
    assert_int_equal(add(&schema, "age"), 0);
    assert_int_equal(add(&schema, "7"), 1); // a name as any other
    assert_int_equal(add(&schema, "outlook=rainy"), 2);
    assert_int_equal(add(&schema, "age"), 0);
    assert_int_equal(schema_features(&schema), 3);
    assert_int_equal(schema_columns(&schema), 3);
    assert_int_equal(find(&schema, "7"), 1);
    assert_int_equal(find(&schema, "1"), SCHEMA_NONE);
    assert_string_equal(name_of(&schema, 2), "outlook=rainy");
    char cut[4]; // as snprintf: the length of the whole, and what there is room for
    assert_int_equal(schema_name(&schema, 2, cut, sizeof cut), 13);
    assert_string_equal(cut, "out");
    schema_free(&schema);
}

static void frozen(void **state)
{
    (void)state;
    struct schema schema;
    schema_init(&schema);
    schema.frozen = true;
    schema.ids = memory_new(3, sizeof *schema.ids);
    schema.ids[0] = 2;
    schema.ids[1] = 5;
    schema.ids[2] = 1048575;
    schema.numbered = 3;
    assert_int_equal(table_add(&schema.names, "4294967296", 10), 0);
    assert_true(schema_rank(&schema));
    assert_int_equal(schema_features(&schema), 4);
    static const char *const names[] = {"2", "5", "1048575", "4294967296"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(find(&schema, names[i]), i);
        assert_string_equal(name_of(&schema, i), names[i]);
    }
    static const char *const unknown[] = {"0", "3", "1048574", "1048576", "02", "", "4294967295"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_int_equal(find(&schema, unknown[i]), SCHEMA_NONE);
    schema_free(&schema);
}

static uint32_t class_of(struct schema *schema, const char *label)
{
    return schema_class_add(schema, label, strlen(label));
}

static void spellings_of_a_class(void **state)
{
    (void)state;
    struct schema schema;
    schema_init(&schema);
    static const char *const ones[] = {"+1", "1", "1.0", "1.", "+1.000"};
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        assert_int_equal(class_of(&schema, ones[i]), 0);
    assert_string_equal(schema.spelled[0], "+1"); // as it was first written
    assert_int_equal(class_of(&schema, "-1"), 1);
    assert_int_equal(class_of(&schema, "-1.0"), 1);
    assert_int_equal(class_of(&schema, "10"), 2);
    assert_int_equal(class_of(&schema, "10.00"), 2);
    static const char *const others[] = {"01", "1e0", "1.5",  "+-1", "one", "",
                                         "+",  "-",   "1.0x", ".1",  "+.",  "1 "};
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(class_of(&schema, others[i]), 3 + i);
        assert_string_equal(schema.spelled[3 + i], others[i]);
    }
    assert_int_equal(schema_class_find(&schema, "1.00", 4), 0);
    assert_int_equal(schema_class_find(&schema, "2", 1), SCHEMA_NONE);
    assert_int_equal(schema_classes(&schema), 3 + sizeof others / sizeof others[0]);
    schema_free(&schema);
}

static void order_of_labels(void **state)
{
    (void)state;
    // Numbers by value, then texts by their bytes.
    static const char *const sorted[] = {"-10", "-9.5", "-1",  "0",    "+1", "1.5",
                                         "2",   "10",   "1e3", "A",    "B",  "a",
                                         "aa",  "ham",  "nan", "spam", "zz", "\xC3\xA4"};
    size_t count = sizeof sorted / sizeof sorted[0];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            int order = schema_label_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

// A batch's own numbers become the schema's.
static void merging(void **state)
{
    (void)state;
    struct schema schema;
    schema_init(&schema);
    schema.base = SCHEMA_DIRECT;
    add(&schema, "5000000");
    class_of(&schema, "ham");
    struct batch *batch = batch_new();
    assert_true(batch_reserve(batch, 2, 3));
    batch->indices[0] = 7;
    batch->indices[1] = BATCH_LOCAL | table_add(&batch->names, "6000000", 7);
    batch->indices[2] = BATCH_LOCAL | table_add(&batch->names, "5000000", 7);
    batch->offsets[1] = 2;
    batch->offsets[2] = 3;
    batch->labels[0] = table_add(&batch->classes, "spam", 4);
    batch->labels[1] = table_add(&batch->classes, "ham", 3);
    batch->rows = 2;
    batch->direct.lowest = batch->direct.highest = 7;
    assert_true(schema_merge(&schema, batch));
    assert_int_equal(batch->indices[0], 7);
    assert_int_equal(batch->indices[1], SCHEMA_DIRECT + 1);
    assert_int_equal(batch->indices[2], SCHEMA_DIRECT);
    assert_int_equal(batch->labels[0], 1);
    assert_int_equal(batch->labels[1], 0);
    assert_int_equal(schema.direct.lowest, 7);
    assert_int_equal(schema.direct.highest, 7);
    assert_int_equal(schema_columns(&schema), 7 + 2);
    batch_free(batch);
    schema_free(&schema);
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        struct schema schema;
        schema_init(&schema);
        fault_at(FAULT_MEMORY, n);
        bool fine = class_of(&schema, "ham") != SCHEMA_NONE &&
                    class_of(&schema, "spam") != SCHEMA_NONE && add(&schema, "age") != SCHEMA_NONE;
        bool hit = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(fine, !hit);
        assert_true(schema_classes(&schema) <= 2);
        schema_free(&schema);
        if (!hit)
            break;
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_libsvm),
        cmocka_unit_test(growing_csv),
        cmocka_unit_test(frozen),
        cmocka_unit_test(spellings_of_a_class),
        cmocka_unit_test(order_of_labels),
        cmocka_unit_test(merging),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
