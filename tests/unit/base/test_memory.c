// The allocator: overflow, growth, and the n-th failure on demand.
#include "base/fault.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void new_is_zeroed(void **state)
{
    (void)state;
    unsigned char *bytes = memory_new(100, 7);
    assert_non_null(bytes);
    for (size_t i = 0; i < 700; i++)
        assert_int_equal(bytes[i], 0);
    memory_free(bytes);
    memory_free(NULL);

    void *nothing = memory_new(0, 8); // not NULL, which would look like a failure
    assert_non_null(nothing);
    nothing = memory_resize(nothing, 0, 0);
    assert_non_null(nothing);
    memory_free(nothing);
}

static void overflow_is_refused(void **state)
{
    (void)state;
    // Products that are 8 or 0 when they wrap around.
    assert_null(memory_new(SIZE_MAX / 8 + 2, 8));
    assert_null(memory_new(SIZE_MAX / 2 + 1, 2));
    assert_null(memory_resize(NULL, SIZE_MAX / 8 + 2, 8));
    assert_null(memory_copy_text("", SIZE_MAX));

    char *kept = memory_copy_text("kept", 4);
    assert_non_null(kept);
    assert_null(memory_resize(kept, SIZE_MAX / 2 + 1, 2));
    assert_string_equal(kept, "kept"); // as realloc: the old one is still there
    memory_free(kept);

    uint64_t *items = NULL;
    size_t capacity = 0;
    assert_false(memory_reserve(&items, &capacity, SIZE_MAX / 8 + 2, sizeof *items));
    assert_null(items);
    assert_int_equal(capacity, 0);
}

static void text_is_copied(void **state)
{
    (void)state;
    char *copy = memory_copy_text("perceptron", 4);
    assert_string_equal(copy, "perc");
    memory_free(copy);
    copy = memory_copy_text(NULL, 0);
    assert_string_equal(copy, "");
    memory_free(copy);
}

static void reserve_doubles(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0, growths = 0;
    for (size_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_true(memory_reserve(&items, &capacity, i + 1, sizeof *items));
        assert_true(capacity > i);
        if (capacity != before) {
            growths++;
            assert_true(capacity >= 2 * before);
        }
        items[i] = (int)i;
    }
    assert_true(growths <= 17); // 2^17 > 100,000
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i);
    size_t before = capacity;
    assert_true(memory_reserve(&items, &capacity, 10, sizeof *items)); // enough already
    assert_int_equal(capacity, before);
    assert_true(memory_reserve(&items, &capacity, 10 * before, sizeof *items));
    assert_int_equal(capacity, 10 * before);
    memory_free(items);
}

static void the_nth_fails(void **state)
{
    (void)state;
    for (long n = 1; n <= 6; n++) {
        fault_at(FAULT_MEMORY, n);
        for (long call = 1; call <= 6; call++) {
            void *memory = NULL;
            size_t capacity = 0;
            if (call % 3 == 0)
                memory = memory_new(1, 1);
            else if (call % 3 == 1)
                memory = memory_copy_text("x", 1);
            else if (!memory_reserve(&memory, &capacity, 1, 1))
                assert_int_equal(capacity, 0);
            assert_true((memory == NULL) == (call == n));
            memory_free(memory);
        }
        assert_int_equal(fault_calls(FAULT_MEMORY), 6);
    }
    fault_at(FAULT_MEMORY, 0);
    int *items = NULL;
    size_t capacity = 0;
    assert_true(memory_reserve(&items, &capacity, 1, sizeof *items));
    items[0] = 42;
    fault_at(FAULT_MEMORY, 1);
    assert_false(memory_reserve(&items, &capacity, capacity + 1, sizeof *items));
    assert_int_equal(items[0], 42);
    fault_at(FAULT_MEMORY, 0);
    memory_free(items);
}

// The kinds of fault are counted each for itself.
static void kinds_are_apart(void **state)
{
    (void)state;
    fault_at(FAULT_MEMORY, 1);
    fault_at(FAULT_WRITE, 2);
    assert_false(fault_hit(FAULT_WRITE));
    assert_true(fault_hit(FAULT_MEMORY));
    assert_true(fault_hit(FAULT_WRITE));
    assert_false(fault_hit(FAULT_WRITE));
    assert_int_equal(fault_calls(FAULT_WRITE), 3);
    fault_at(FAULT_MEMORY, 0);
    fault_at(FAULT_WRITE, 0);
    assert_int_equal(fault_calls(FAULT_WRITE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_is_zeroed),  cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(text_is_copied), cmocka_unit_test(reserve_doubles),
        cmocka_unit_test(the_nth_fails),  cmocka_unit_test(kinds_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
