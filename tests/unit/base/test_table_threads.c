// The table of texts: threads that look up while another adds.
#include "base/table.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void name(char *out, uint32_t i)
{
    sprintf(out, i % 3 ? "%u" : "a feature with a rather long name, number %u", i);
}

enum { READERS = 3, SHARED = 20000 };

struct readers {
    struct table table;
    _Atomic uint32_t added; // texts that are there for sure
    _Atomic bool wrong;
};

static void *look_up(void *argument)
{
    struct readers *readers = argument;
    for (uint32_t i = 0, added; (added = readers->added) < SHARED; i = i * 7 + 1) {
        char text[64];
        uint32_t wanted = i % SHARED;
        name(text, wanted);
        uint32_t number = table_find(&readers->table, text, strlen(text));
        if (number != wanted && (number != TABLE_NONE || wanted < added))
            readers->wrong = true;
    }
    return NULL;
}

static void readers_and_a_writer(void **state)
{
    (void)state;
    static struct readers readers;
    pthread_t threads[READERS];
    char text[64];
    table_share(&readers.table);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, &readers), 0);
    for (uint32_t i = 0; i < SHARED; i++) {
        name(text, i);
        assert_int_equal(table_add(&readers.table, text, strlen(text)), i);
        readers.added = i + 1;
    }
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_false(readers.wrong);
    table_free(&readers.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_and_a_writer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
