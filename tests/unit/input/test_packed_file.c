// Files that are packed as their names say: what is read back, whatever the pieces; several files
// that are replaced together or not at all.
#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "input/packed_file.h"
#include "input/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY = 700000 };

static const char *const endings[] = {"",
#ifdef TLU_HAVE_ZLIB
                                      ".gz", ".GZ",
#endif
#ifdef TLU_HAVE_ZSTD
                                      ".zst",
#endif
                                      NULL};

static char *plain; // [MANY]

static int make_plain(void **state)
{
    (void)state;
    struct random random;
    plain = malloc(MANY);
    random_seed(&random, 1);
    for (size_t i = 0; plain && i < MANY; i++)
        plain[i] = (char)('a' + random_below(&random, 1 + i % 20));
    return plain ? 0 : -1;
}

static int free_plain(void **state)
{
    (void)state;
    free(plain);
    return 0;
}

static void assert_unpacks_to(const char *path, const char *bytes, size_t size)
{
    struct source *source;
    tlu_error error;
    size_t got;
    char *found = malloc(size + 1);
    assert_non_null(found);
    assert_int_equal(source_open(&source, path, &error), TLU_OK);
    assert_int_equal(source_read(source, found, size + 1, &got, &error), TLU_OK);
    assert_int_equal(got, size);
    assert_memory_equal(found, bytes, size);
    source_close(source);
    free(found);
}

static struct packed_file *begin(const char *path)
{
    struct packed_file *file;
    tlu_error error;
    if (packed_file_begin(&file, path, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return file;
}

static void reads_back_the_same(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, MANY};
    struct random random;
    random_seed(&random, 2);
    for (size_t e = 0; endings[e]; e++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            char path[32];
            tlu_error error;
            snprintf(path, sizeof path, "file%s", endings[e]);
            struct packed_file *file = begin(path);
            for (size_t at = 0; at < sizes[s];) {
                size_t some = 1 + (size_t)random_below(&random, s % 2 ? 200000 : 300);
                some = some < sizes[s] - at ? some : sizes[s] - at;
                packed_file_put(file, plain + at, some);
                at += some;
            }
            assert_false(packed_file_has_failed(file));
            assert_int_equal(packed_file_commit_all(&file, 1, &error), TLU_OK);
            assert_unpacks_to(path, plain, sizes[s]);
            FILE *written = fopen(path, "rb");
            assert_non_null(written);
            assert_int_equal(fseek(written, 0, SEEK_END), 0);
            if (endings[e][0] && sizes[s] == MANY) // it is packed
                assert_true(ftell(written) < MANY);
            fclose(written);
        }
}

// A file without a name has what was written, and is read from its start.
static void a_file_without_a_name(void **state)
{
    (void)state;
    struct file_writer *writer;
    struct source *source;
    tlu_error error;
    int descriptor;
    char found[8];
    size_t got;
    assert_int_equal(file_begin_unnamed(&writer, &error), TLU_OK);
    file_put(writer, "some", 4);
    assert_int_equal(file_end_unnamed(writer, &descriptor, &error), TLU_OK);
    assert_int_equal(source_open_descriptor(&source, "some data", descriptor, &error), TLU_OK);
    assert_int_equal(source_read(source, found, sizeof found, &got, &error), TLU_OK);
    assert_int_equal(got, 4);
    assert_memory_equal(found, "some", 4);
    source_close(source);
    assert_int_equal(lseek(descriptor, 1, SEEK_SET), 1); // still open
    close(descriptor);
    for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++) {
        if (kind != FAULT_MEMORY && kind != FAULT_WRITE)
            continue;
        fault_at(kind, 1);
        tlu_status status = file_begin_unnamed(&writer, &error);
        if (status == TLU_OK) {
            file_put(writer, "some", 4);
            status = file_end_unnamed(writer, &descriptor, &error);
        }
        fault_at(kind, 0);
        assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
}

static void all_files_or_none(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC};
    for (size_t k = 0; k < 2; k++)
        for (long n = 1;; n++) {
            tlu_error error;
            struct packed_file *files[3];
            for (size_t i = 0; i < 3; i++) {
                char path[] = {(char)('a' + i), '\0'};
                FILE *old = fopen(path, "wb");
                assert_true(old && fputs("old", old) >= 0 && fclose(old) == 0);
                files[i] = begin(path);
                packed_file_put(files[i], plain, 100000);
            }
            fault_at(kinds[k], n);
            tlu_status status = packed_file_commit_all(files, 3, &error);
            bool hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            // The last fsync is that of the folder: then the files are in place.
            bool in_place = status == TLU_OK || strstr(error.text, "power cut");
            assert_true(status == (hit ? TLU_ERROR_SYSTEM : TLU_OK));
            for (size_t i = 0; i < 3; i++)
                assert_unpacks_to((char[]){(char)('a' + i), '\0'}, in_place ? plain : "old",
                                  in_place ? 100000 : 3);
            if (!hit)
                break;
        }
    assert_int_equal(system("ls -A | grep -q '^[.]tlu'") == 0, 0);
}

static void a_full_disk_shows_early(void **state)
{
    (void)state;
    tlu_error error;
    for (size_t e = 0; endings[e]; e++) {
        char path[32];
        snprintf(path, sizeof path, "full%s", endings[e]);
        struct packed_file *file = begin(path);
        fault_at(FAULT_WRITE, 1);
        for (int i = 0; i < 4; i++)
            packed_file_put(file, plain, MANY);
        fault_at(FAULT_WRITE, 0);
        assert_true(packed_file_has_failed(file));
        assert_int_equal(packed_file_commit_all(&file, 1, &error), TLU_ERROR_SYSTEM);
        assert_int_equal(access(path, F_OK), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_the_same),
        cmocka_unit_test(a_file_without_a_name),
        cmocka_unit_test(all_files_or_none),
        cmocka_unit_test(a_full_disk_shows_early),
    };
    return cmocka_run_group_tests(tests, make_plain, free_plain);
}
