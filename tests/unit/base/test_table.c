// The table of texts.
#include "base/fault.h"
#include "base/random.h"
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
        size_t slot_count = table_slots(&table)->mask + 1;
        assert_true(2 * slot_count >= 3 * (size_t)MANY && (slot_count & (slot_count - 1)) == 0);
        void *blocks = table.blocks, *slots = table.slots;
        table_clear(&table); // the second pass finds nothing of the first
        assert_int_equal(table.count, 0);
        assert_ptr_equal(table.blocks, blocks);
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

// All texts of a table into another, which has some of them and has another key: as one by one.
static void added_at_once(void **state)
{
    (void)state;
    char text[64];
    for (uint32_t count = 0; count < 1500; count = 2 * count + 1) {
        struct table from = {0}, one_by_one = {0}, at_once = {0};
        uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
        for (uint32_t i = 0; i < count; i++) {
            name(text, i);
            add(&from, text);
        }
        for (uint32_t i = count; i-- > 0;) {
            name(text, 3 * i);
            if (i % 2)
                assert_int_equal(add(&at_once, text), add(&one_by_one, text));
        }
        assert_true(table_add_all(&at_once, &from, numbers));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(numbers[i], add(&one_by_one, table_text(&from, i)));
            assert_string_equal(table_text(&at_once, numbers[i]), table_text(&from, i));
        }
        assert_int_equal(at_once.count, one_by_one.count);
        assert_true(table_add_all(&at_once, &from, NULL));
        assert_int_equal(at_once.count, one_by_one.count);
        free(numbers);
        table_free(&from);
        table_free(&one_by_one);
        table_free(&at_once);
    }
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

// ---- anything, against a list ----

enum { LIST_MAX = 600, TEXT_MAX = 40 };

struct list {
    char texts[LIST_MAX][TEXT_MAX];
    size_t lengths[LIST_MAX];
    uint32_t count;
};

static uint32_t list_find(const struct list *list, const char *text, size_t length)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->lengths[i] == length && memcmp(list->texts[i], text, length) == 0)
            return i;
    return TABLE_NONE;
}

// Few bytes, NUL among them, so that texts share beginnings and come again.
static size_t random_text(struct random *random, char *text)
{
    size_t length = (size_t)random_below(random, TEXT_MAX + 1);
    bool alike = random_below(random, 3) > 0;
    for (size_t i = 0; i < length; i++)
        text[i] = alike ? 'a' : "\0ab\xFF"[random_below(random, 4)];
    if (alike && length)
        text[random_below(random, length)] = (char)random_below(random, 3);
    return length;
}

static void is_list(const struct table *table, const struct list *list)
{
    assert_int_equal(table->count, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        assert_int_equal(table_length(table, i), list->lengths[i]);
        assert_memory_equal(table_text(table, i), list->texts[i], list->lengths[i]);
        assert_int_equal(table_text(table, i)[list->lengths[i]], '\0');
        assert_int_equal(table_find(table, list->texts[i], list->lengths[i]), i);
    }
}

// The text at the very end of its memory, and the same with bytes after it.
static void finds(const struct table *table, const char *text, size_t length, uint32_t number)
{
    char *alone = malloc(length ? length : 1), padded[TEXT_MAX + TABLE_INLINE];
    memcpy(alone, text, length);
    assert_int_equal(table_find(table, alone, length), number);
    struct table_key key = table_key(table, alone, length);
    assert_int_equal(table_find_key(table, &key), number);
    assert_int_equal(table_key_length(&key), length);
    if (length <= TABLE_INLINE) {
        memset(padded, 0x5A, sizeof padded);
        memcpy(padded, text, length);
        struct table_key again = table_key_padded(table, padded, length);
        assert_true(again.low == key.low && again.high == key.high && again.tag == key.tag);
    }
    free(alone);
}

static void keep_some(struct table *table, struct list *list, struct random *random)
{
    bool gone[LIST_MAX];
    uint32_t left = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        gone[i] = random_below(random, 3) == 0;
        if (gone[i])
            continue;
        memmove(list->texts[left], list->texts[i], TEXT_MAX);
        list->lengths[left++] = list->lengths[i];
    }
    list->count = left;
    table_thin(table, gone);
}

static void random_operations(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 12);
    struct table table = {0};
    static struct list list;
    for (int step = 0; step < 60000; step++) {
        char text[TEXT_MAX];
        size_t length = random_text(&random, text);
        uint32_t known = list_find(&list, text, length);
        finds(&table, text, length, known);
        if (list.count == LIST_MAX || random_below(&random, 2000) == 0) {
            uint32_t what = (uint32_t)random_below(&random, 4);
            if (what == 0) {
                table_clear(&table);
                list.count = 0;
            } else if (what == 1) {
                list.count = (uint32_t)random_below(&random, list.count + 1);
                table_cut(&table, list.count);
            } else {
                keep_some(&table, &list, &random);
            }
            is_list(&table, &list);
        } else if (random_below(&random, 2)) {
            assert_int_equal(table_add(&table, text, length),
                             known == TABLE_NONE ? list.count : known);
            if (known == TABLE_NONE) {
                memcpy(list.texts[list.count], text, length);
                list.lengths[list.count++] = length;
            }
        }
    }
    is_list(&table, &list);
    table_free(&table);
}

// Of two tables with the same memory one goes on: the other stays as it is, whichever is freed
// first.
static void lent(void **state)
{
    (void)state;
    char text[64];
    for (int order = 0; order < 4; order++) {
        struct table one = {0}, other = {0};
        for (uint32_t i = 0; i < 1000; i++) {
            name(text, i);
            assert_int_equal(add(&one, text), i);
        }
        table_lend(&one, &other);
        assert_int_equal(add(&one, "new"), 1000);
        assert_int_equal(find(&other, "new"), TABLE_NONE);
        if (order & 1)
            assert_int_equal(add(&other, "newer"), 1000); // alone by now
        struct table *first = order & 2 ? &one : &other, *last = order & 2 ? &other : &one;
        table_free(first);
        for (uint32_t i = 0; i < 1000; i++) {
            name(text, i);
            assert_int_equal(find(last, text), i);
            assert_string_equal(table_text(last, i), text);
        }
        uint32_t count = last->count;
        assert_int_equal(add(last, "newest"), count);
        table_free(last);
    }
    struct table empty = {0}, copy = {0};
    table_lend(&empty, &copy);
    assert_int_equal(add(&copy, "x"), 0);
    assert_int_equal(find(&empty, "x"), TABLE_NONE);
    table_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_order_of_arrival),
        cmocka_unit_test(bytes_of_any_kind),
        cmocka_unit_test(many),
        cmocka_unit_test(keys_and_cuts),
        cmocka_unit_test(added_at_once),
        cmocka_unit_test(thinned),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(random_operations),
        cmocka_unit_test(lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
