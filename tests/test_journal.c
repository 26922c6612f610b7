// The journal: what was acknowledged comes back, whatever was cut or damaged behind it.
#include "base/fault.h"
#include "base/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_NAME "test.journal"

static char replayed[4096];

static tlu_status collect(void *context, uint64_t number, const char *bytes, size_t size,
                          tlu_error *error)
{
    (void)context;
    (void)error;
    size_t used = strlen(replayed);
    snprintf(replayed + used, sizeof replayed - used, "[%llu %.*s]", (unsigned long long)number,
             (int)size, bytes);
    return TLU_OK;
}

static struct journal *open_it(void)
{
    struct journal *journal;
    tlu_error error;
    replayed[0] = '\0';
    assert_int_equal(journal_open(&journal, FILE_NAME, collect, NULL, &error), TLU_OK);
    return journal;
}

static void expect(const char *records)
{
    struct journal *journal = open_it();
    assert_string_equal(replayed, records);
    journal_close(journal);
}

static void add(struct journal *journal, uint64_t number, const char *text)
{
    tlu_error error;
    assert_int_equal(journal_append(journal, number, text, strlen(text), &error), TLU_OK);
}

static void write_three(void)
{
    unlink(FILE_NAME);
    struct journal *journal = open_it();
    assert_string_equal(replayed, "");
    add(journal, 0, "one");
    add(journal, 1, "");
    add(journal, 7, "three");
    journal_close(journal);
}

static long size_of_file(void)
{
    struct stat about;
    assert_int_equal(stat(FILE_NAME, &about), 0);
    return (long)about.st_size;
}

static void comes_back(void **state)
{
    (void)state;
    write_three();
    assert_int_equal(size_of_file(), 8 + 3 * 16 + 8);
    expect("[0 one][1 ][7 three]");
    struct journal *journal = open_it();
    add(journal, 8, "four");
    journal_close(journal);
    expect("[0 one][1 ][7 three][8 four]");
}

static void is_emptied(void **state)
{
    (void)state;
    tlu_error error;
    write_three();
    struct journal *journal = open_it();
    assert_int_equal(journal_clear(journal, &error), TLU_OK);
    add(journal, 9, "new");
    journal_close(journal);
    expect("[9 new]");
}

// Cut at every byte: the records that are whole come back, and it can be written to again.
static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const left[] = {"", "[0 one]", "[0 one][1 ]", "[0 one][1 ][7 three]"};
    static const long ends[] = {8, 8 + 19, 8 + 19 + 16, 8 + 19 + 16 + 21};
    for (long size = 0; size <= ends[3]; size++) {
        write_three();
        assert_int_equal(truncate(FILE_NAME, size), 0);
        size_t whole = 0;
        while (whole < 3 && ends[whole + 1] <= size)
            whole++;
        struct journal *journal = open_it();
        assert_string_equal(replayed, left[whole]);
        add(journal, 20, "more");
        journal_close(journal);
        char expected[64];
        snprintf(expected, sizeof expected, "%s[20 more]", left[whole]);
        expect(expected);
    }
}

// A flipped bit: in the last record it is a write that was not finished, before it an error.
static void damaged(void **state)
{
    (void)state;
    for (long place = 0; place < 8 + 19 + 16 + 21; place++) {
        write_three();
        FILE *file = fopen(FILE_NAME, "r+b");
        assert_non_null(file);
        fseek(file, place, SEEK_SET);
        int c = fgetc(file);
        fseek(file, place, SEEK_SET);
        fputc(c ^ 1, file);
        fclose(file);
        struct journal *journal;
        tlu_error error;
        replayed[0] = '\0';
        tlu_status status = journal_open(&journal, FILE_NAME, collect, NULL, &error);
        bool in_size = (place >= 8 && place < 12) || (place >= 27 && place < 31) ||
                       (place >= 43 && place < 47);
        if (place >= 47) {
            assert_int_equal(status, TLU_OK);
            assert_string_equal(replayed, "[0 one][1 ]");
        } else if (!in_size) { // another size may look like a record that was cut off
            assert_int_equal(status, TLU_ERROR_INPUT);
        }
        journal_close(status == TLU_OK ? journal : NULL);
    }
}

static void taken_by_one(void **state)
{
    (void)state;
    write_three();
    struct journal *journal = open_it(), *second;
    tlu_error error;
    assert_int_equal(journal_open(&second, FILE_NAME, collect, NULL, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "in use"));
    journal_close(journal);
}

// A disk that is full, or fails: nothing of the record is left.
static void disk_fails(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC};
    for (size_t i = 0; i < 2; i++) {
        tlu_error error;
        write_three();
        struct journal *journal = open_it();
        fault_at(kinds[i], 1);
        assert_int_equal(journal_append(journal, 8, "lost", 4, &error), TLU_ERROR_SYSTEM);
        fault_at(kinds[i], 0);
        add(journal, 8, "kept");
        journal_close(journal);
        expect("[0 one][1 ][7 three][8 kept]");
    }
    tlu_error error;
    struct journal *journal;
    assert_int_equal(journal_open(&journal, "no/such/folder", collect, NULL, &error),
                     TLU_ERROR_SYSTEM);
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    fputs("something else", file);
    fclose(file);
    assert_int_equal(journal_open(&journal, FILE_NAME, collect, NULL, &error), TLU_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),   cmocka_unit_test(is_emptied),
        cmocka_unit_test(cut_anywhere), cmocka_unit_test(damaged),
        cmocka_unit_test(taken_by_one), cmocka_unit_test(disk_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
