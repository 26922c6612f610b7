// The table of LIBSVM indices, against a list that is searched from its start; and read by threads
// while it grows.
#include "base/fault.h"
#include "base/random.h"
#include "data/indices.h"
#include "trials.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 4000

struct list {
    uint64_t items[MOST];
    uint32_t count;
};

static uint32_t list_find(const struct list *list, uint64_t index)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == index)
            return i;
    return INDICES_NONE;
}

static uint32_t list_add(struct list *list, uint64_t index)
{
    uint32_t found = list_find(list, index);
    if (found != INDICES_NONE)
        return found;
    assert_true(list->count < MOST);
    list->items[list->count] = index;
    return list->count++;
}

// Few that are apart by 2^32, some next to each other, some anywhere. Those near 0 are close enough
// for an array of numbers by index.
static uint64_t draw(struct random *random)
{
    uint64_t low = 1 + random_below(random, 600);
    switch (random_below(random, 5)) {
    case 0:
        return low + (random_below(random, 5) << 32);
    case 1:
        return 1 + random_bits(random) / 2;
    case 2:
        return low + (1u << 20);
    default:
        return low;
    }
}

static void expect_same(const struct indices *table, const struct list *list, struct random *random)
{
    assert_int_equal(table->count, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        assert_true(table->items[i] == list->items[i]);
        assert_int_equal(indices_find(table, list->items[i]), i);
    }
    for (int i = 0; i < 20; i++) {
        uint64_t index = draw(random);
        assert_int_equal(indices_find(table, index), list_find(list, index));
    }
}

static void add_some(struct indices *table, struct list *list, struct random *random)
{
    uint64_t items[300];
    uint32_t numbers[300];
    size_t count = (size_t)random_below(random, 300);
    for (size_t i = 0; i < count; i++)
        items[i] = draw(random);
    if (random_below(random, 2)) {
        assert_true(indices_add_all(table, items, count, numbers));
    } else {
        for (size_t i = 0; i < count; i++)
            numbers[i] = indices_add(table, items[i]);
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(numbers[i], list_add(list, items[i]));
}

static void thin(struct indices *table, struct list *list, struct random *random)
{
    bool gone[MOST];
    uint32_t left = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        gone[i] = random_below(random, 3) == 0;
        if (!gone[i])
            list->items[left++] = list->items[i];
    }
    list->count = left;
    indices_thin(table, gone);
}

static void change(struct indices *table, struct indices *other, struct list *list,
                   struct random *random)
{
    struct indices copy = {0};
    switch (random_below(random, 8)) {
    case 0:
        assert_true(indices_own(table));
        thin(table, list, random);
        break;
    case 1: // go on with the copy, or with what was copied; the other stays as it is
        assert_true(indices_copy(&copy, table));
        indices_free(other);
        if (random_below(random, 2)) {
            memcpy(other, &copy, sizeof copy);
        } else {
            memcpy(other, table, sizeof *table);
            memcpy(table, &copy, sizeof copy);
        }
        break;
    default:
        if (list->count + 300 < MOST)
            add_some(table, list, random);
    }
}

static void as_a_list(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 12);
    struct list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    for (int round = 0; round < often(20); round++) {
        struct indices table = {0}, other = {0};
        list->count = 0;
        assert_int_equal(indices_find(&table, 1u << 20), INDICES_NONE);
        for (int step = 0; step < 60; step++) {
            change(&table, &other, list, &random);
            expect_same(&table, list, &random);
        }
        for (uint32_t i = 0; i < other.count; i++)
            assert_int_equal(indices_find(&other, other.items[i]), i);
        indices_free(&other);
        indices_free(&table);
    }
    free(list);
}

static void without_memory(void **state)
{
    (void)state;
    for (long n = 1; n < 60; n++) {
        unsigned shift = n % 2 ? 20 : 1; // far apart, close together
        struct indices table = {0}, copy = {0};
        uint32_t added = 0;
        fault_at(FAULT_MEMORY, n);
        for (; added < 500; added++)
            if (indices_add(&table, (uint64_t)added << shift | 1) == INDICES_NONE)
                break;
        bool copied = indices_copy(&copy, &table);
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(table.count, added);
        assert_int_equal(copy.count, copied ? added : 0);
        for (uint32_t i = 0; i < added; i++)
            assert_int_equal(indices_find(&table, (uint64_t)i << shift | 1), i);
        indices_free(&copy);
        indices_free(&table);
    }
}

// ---- threads ----

#define ALL 200000u
#define READERS 3

struct shared {
    struct indices table;
    uint64_t apart;
    _Atomic uint32_t over;
};

static uint64_t item(const struct shared *shared, uint32_t number)
{
    return number * shared->apart % 4294967291u + 1; // all different
}

// What is found is right, and what was there is found again.
static void *look_up(void *argument)
{
    struct shared *shared = argument;
    struct random random;
    random_seed(&random, 3);
    uint32_t seen = 0;
    while (!shared->over) {
        struct index_view view = indices_enter(&shared->table);
        uint32_t before = seen;
        for (int i = 0; i < 1000; i++) {
            uint32_t number = (uint32_t)random_below(&random, ALL);
            uint32_t found = index_find(&view, item(shared, number));
            if (found != INDICES_NONE && found != number)
                abort();
            if (found != INDICES_NONE && found > seen)
                seen = found;
        }
        if (before && index_find(&view, item(shared, before)) != before)
            abort();
        indices_leave(&shared->table);
    }
    return NULL;
}

static void read_by_threads(uint64_t apart)
{
    struct shared shared = {.apart = apart};
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, &shared), 0);
    for (uint32_t i = 0; i < ALL; i++)
        assert_int_equal(indices_add(&shared.table, item(&shared, i)), i);
    shared.over = 1;
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    indices_free(&shared.table);
}

static void read_while_it_grows(void **state)
{
    (void)state;
    read_by_threads(7919); // slots
    read_by_threads(3);    // an array of numbers takes over
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_list),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(read_while_it_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
