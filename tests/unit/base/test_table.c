// The table of texts.
#include "base/fault.h"
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t add(struct table *table, const char *text)
{
    return table_add(table, text, strlen(text));
}

static uint32_t find(const struct table *table, const char *text)
{
    return table_find(table, text, strlen(text));
}

static void numbers_in_order_of_arrival(void **state)
{
    (void)state;
    struct table table = {0};
    assert_int_equal(find(&table, "x"), TABLE_NONE); // empty, without any memory
    assert_int_equal(add(&table, "ham"), 0);
    assert_int_equal(add(&table, "spam"), 1);
    assert_int_equal(add(&table, "ham"), 0);
    assert_int_equal(add(&table, ""), 2);
    assert_int_equal(add(&table, "spa"), 3);
    assert_int_equal(table.count, 4);
    assert_int_equal(find(&table, "spam"), 1);
    assert_int_equal(find(&table, ""), 2);
    assert_int_equal(find(&table, "spamm"), TABLE_NONE);
    assert_int_equal(find(&table, "eggs"), TABLE_NONE);
    assert_string_equal(table_text(&table, 1), "spam");
    assert_int_equal(table_length(&table, 1), 4);
    assert_string_equal(table_text(&table, 2), "");
    assert_int_equal(table_length(&table, 2), 0);
    table_free(&table);
    assert_int_equal(table.count, 0);
    table_free(&table); // twice is fine
}

// Only the length says where a text ends.
static void bytes_of_any_kind(void **state)
{
    (void)state;
    struct table table = {0};
    assert_int_equal(table_add(&table, "a", 1), 0);
    assert_int_equal(table_add(&table, "a\0", 2), 1);
    assert_int_equal(table_add(&table, "a\0\0", 3), 2);
    assert_int_equal(table_add(&table, "12345678", 8), 3);
    assert_int_equal(table_add(&table, "12345678\0", 9), 4);
    assert_int_equal(table_add(&table, "\xFF\xFE", 2), 5);
    assert_int_equal(table_find(&table, "a\0", 2), 1);
    assert_int_equal(table_find(&table, "12345678\0", 9), 4);
    assert_int_equal(table_find(&table, "a\0\0\0", 4), TABLE_NONE);
    table_free(&table);
}

enum { MANY = 50000 };

static void name(char *out, uint32_t i)
{
    // Short and long ones, many with long common beginnings.
    sprintf(out, i % 3 ? "%u" : "a feature with a rather long name, number %u", i);
}

static void many(void **state)
{
    (void)state;
    struct table table = {0};
    char text[64];
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < MANY; i++) {
            name(text, i);
            assert_int_equal(find(&table, text), TABLE_NONE);
            assert_int_equal(add(&table, text), i);
        }
        for (uint32_t i = 0; i < MANY; i++) {
            name(text, i);
            assert_int_equal(find(&table, text), i);
            assert_int_equal(add(&table, text), i);
            assert_string_equal(table_text(&table, i), text);
            assert_int_equal(table_length(&table, i), strlen(text));
        }
        assert_int_equal(table.count, MANY);
        assert_true(table.slot_count >= 2 * (size_t)MANY &&
                    (table.slot_count & (table.slot_count - 1)) == 0);
        void *bytes = table.bytes, *slots = table.slots;
        table_clear(&table); // the second pass finds nothing of the first
        assert_int_equal(table.count, 0);
        assert_ptr_equal(table.bytes, bytes);
        assert_ptr_equal(table.slots, slots);
    }
    table_clear(&table);
    table_free(&table);
}

// Every table has a key of its own, and numbers that do not depend on it. What is cut off can be
// added again, whatever was put elsewhere because of it.
static void keys_and_cuts(void **state)
{
    (void)state;
    struct table a = {0}, b = {0};
    char text[64];
    for (uint32_t round = 0; round < 50; round++) {
        uint32_t kept = a.count - a.count / 3, more = 7 + 13 * round;
        table_cut(&a, kept);
        table_cut(&b, kept);
        for (uint32_t i = 0; i < kept + more; i++) {
            name(text, i);
            assert_int_equal(find(&a, text), i < kept ? i : TABLE_NONE);
            assert_int_equal(add(&a, text), i);
            assert_int_equal(add(&b, text), i);
        }
        assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1]);
    }
    table_free(&a);
    table_free(&b);
}

// Some go, the others move up; against a list of texts.
static void thinned(void **state)
{
    (void)state;
    struct table table = {0};
    static char list[3000][64];
    static bool gone[3000];
    uint32_t count = 0, next = 0;
    table_thin(&table, gone); // nothing, without any memory
    for (uint32_t round = 0; round < 60; round++) {
        while (count < 100 + 40 * round) {
            name(list[count], next++);
            assert_int_equal(add(&table, list[count]), count);
            count++;
        }
        uint32_t left = 0, every = 1 + round % 5;
        char forgotten[64] = "";
        for (uint32_t i = 0; i < count; i++) {
            gone[i] = round % 7 == 6 ? i >= round : i % every == 0 && round % 9 != 8;
            if (gone[i])
                strcpy(forgotten, list[i]);
            else
                memmove(list[left++], list[i], sizeof list[i]);
        }
        count = left;
        fault_at(FAULT_MEMORY, 0);
        table_thin(&table, gone);
        assert_int_equal(fault_calls(FAULT_MEMORY), 0);
        assert_int_equal(table.count, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(find(&table, list[i]), i);
            assert_string_equal(table_text(&table, i), list[i]);
            assert_int_equal(table_length(&table, i), strlen(list[i]));
        }
        if (forgotten[0])
            assert_int_equal(find(&table, forgotten), TABLE_NONE);
    }
    table_free(&table);
}

// Whichever allocation fails, what was there stays there and the same text can be added later.
static void memory_runs_out(void **state)
{
    (void)state;
    long failures = 0;
    for (long n = 1;; n++) {
        struct table table = {0};
        char text[64];
        long before = failures;
        fault_at(FAULT_MEMORY, n);
        for (uint32_t i = 0; i < 200; i++) {
            name(text, i);
            if (add(&table, text) == TABLE_NONE) {
                failures++;
                assert_int_equal(table.count, i);
                assert_int_equal(find(&table, text), TABLE_NONE);
                for (uint32_t k = 0; k < i; k++) {
                    char old[64];
                    name(old, k);
                    assert_int_equal(find(&table, old), k);
                }
                assert_int_equal(add(&table, text), i);
            }
        }
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(table.count, 200);
        table_free(&table);
        if (failures == before)
            break; // n is past the last allocation
    }
    assert_true(failures >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_order_of_arrival),
        cmocka_unit_test(bytes_of_any_kind),
        cmocka_unit_test(many),
        cmocka_unit_test(keys_and_cuts),
        cmocka_unit_test(thinned),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
