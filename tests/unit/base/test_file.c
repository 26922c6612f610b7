// CRC-32, and files that are written whole or not at all.
#include "base/crc.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- CRC-32 ----------------------------------------------------------------------------------

// Straight from the definition, bit by bit.
static uint32_t slow_crc32(const unsigned char *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

static void crc_has_its_check_value(void **state)
{
    (void)state;
    assert_int_equal(crc32_add(0, "", 0), 0);
    assert_int_equal(crc32_add(0, "123456789", 9), 0xCBF43926u); // the catalogue's check value
}

static void crc_is_that_of_the_definition(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1);
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)random_bits(&random);
    for (size_t start = 0; start < 9; start++)
        for (size_t size = 0; size < 64; size++)
            assert_int_equal(crc32_add(0, bytes + start, size), slow_crc32(bytes + start, size));
    for (size_t cut = 0; cut <= sizeof bytes; cut++)
        assert_int_equal(crc32_add(crc32_add(0, bytes, cut), bytes + cut, sizeof bytes - cut),
                         slow_crc32(bytes, sizeof bytes));
}

// ---- Files -----------------------------------------------------------------------------------

static void spit(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *path, const char *text)
{
    unsigned char *bytes;
    size_t size;
    tlu_error error;
    assert_int_equal(file_read(path, 1 << 24, NULL, &bytes, &size, &error), TLU_OK);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
    memory_free(bytes);
}

static size_t files_here(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    size_t count = 0;
    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}

static tlu_status save(const char *path, const char *text, tlu_error *error)
{
    struct file_writer *writer;
    tlu_status status = file_begin(&writer, path, error);
    if (status != TLU_OK)
        return status;
    file_put(writer, text, strlen(text));
    return file_commit(writer, NULL, NULL, error);
}

static int make_folder(void **state)
{
    (void)state;
    static char name[] = "file-test-XXXXXX";
    memcpy(name + sizeof name - 7, "XXXXXX", 6);
    if (!mkdtemp(name) || chdir(name) != 0)
        return -1;
    for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        fault_at(kind, 0);
    return 0;
}

// The files stay for whoever wants to look; tests run in a scratch folder.
static int leave_folder(void **state)
{
    (void)state;
    return chdir("..");
}

static void writes_and_replaces(void **state)
{
    (void)state;
    tlu_error error;
    mode_t mask = umask(027);
    assert_int_equal(save("new", "one", &error), TLU_OK);
    umask(mask);
    assert_content("new", "one");
    struct stat about;
    assert_int_equal(stat("new", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640); // as any new file
    assert_int_equal(save("new", "two and more", &error), TLU_OK);
    assert_content("new", "two and more");
    assert_int_equal(files_here("."), 3); // and . and ..
}

static void writes_pieces_of_all_sizes(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    struct random random;
    random_seed(&random, 2);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)('a' + random_below(&random, 26));
    text[SIZE] = '\0';
    struct file_writer *writer;
    tlu_error error;
    assert_int_equal(file_begin(&writer, "pieces", &error), TLU_OK);
    for (size_t at = 0; at < SIZE;) {
        size_t piece = (size_t)random_below(&random, 1u << random_below(&random, 19));
        piece = piece < SIZE - at ? piece : SIZE - at;
        file_put(writer, text + at, piece);
        at += piece;
    }
    assert_int_equal(file_commit(writer, NULL, NULL, &error), TLU_OK);
    assert_content("pieces", text);
    free(text);
}

static void keeps_permissions(void **state)
{
    (void)state;
    tlu_error error;
    struct stat about;
    spit("secret", "old");
    assert_int_equal(chmod("secret", 0604), 0);
    assert_int_equal(save("secret", "new", &error), TLU_OK);
    assert_int_equal(stat("secret", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0604);
    assert_content("secret", "new");
}

static void refuses_a_protected_file(void **state)
{
    (void)state;
    tlu_error error;
    spit("protected", "old");
    assert_int_equal(chmod("protected", 0444), 0);
    if (access("protected", W_OK) == 0)
        skip(); // root may write anything
    assert_int_equal(save("protected", "new", &error), TLU_ERROR_INPUT);
    assert_content("protected", "old");
}

static void follows_links(void **state)
{
    (void)state;
    tlu_error error;
    struct stat about;
    assert_int_equal(mkdir("inner", 0777), 0);
    spit("inner/file", "old");
    assert_int_equal(symlink("file", "inner/link"), 0); // a link to a link, both relative
    assert_int_equal(symlink("inner/link", "link"), 0);
    assert_int_equal(save("link", "new", &error), TLU_OK);
    assert_content("inner/file", "new");
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat("inner/link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));

    assert_int_equal(symlink("inner/later", "dangling"), 0);
    assert_int_equal(save("dangling", "there", &error), TLU_OK);
    assert_content("inner/later", "there");

    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(save("loop", "x", &error), TLU_ERROR_INPUT);
}

static void leaves_devices_and_pipes(void **state)
{
    (void)state;
    tlu_error error;
    struct stat about;
    assert_int_equal(save("/dev/null", "gone", &error), TLU_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));

    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(save("pipe", "through", &error), TLU_OK);
    char text[16];
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_memory_equal(text, "through", 7);
    close(reader);
    assert_int_equal(stat("pipe", &about), 0);
    assert_true(S_ISFIFO(about.st_mode));

    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(save("/dev/full", "no room", &error), TLU_ERROR_SYSTEM);
        assert_non_null(strstr(error.text, strerror(ENOSPC)));
    }
}

static void says_what_is_wrong_with_the_path(void **state)
{
    (void)state;
    tlu_error error;
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(save("no/such/folder", "x", &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "no/such/folder: cannot be written: No such file or directory");
    assert_string_equal(error.file, "no/such/folder");
    assert_int_equal(save(".", "x", &error), TLU_ERROR_INPUT);
    assert_int_equal(save("", "x", &error), TLU_ERROR_INPUT);
    assert_int_equal(save(longest, "x", &error), TLU_ERROR_INPUT);
    longest[300] = '\0';
    assert_int_equal(save(longest, "x", &error), TLU_ERROR_INPUT);
    longest[255] = '\0'; // the longest that the file system takes
    assert_int_equal(save(longest, "x", &error), TLU_OK);
    assert_int_equal(save("no/such/folder", "x", NULL), TLU_ERROR_INPUT);
}

static void gives_up_cleanly(void **state)
{
    (void)state;
    struct file_writer *writer;
    tlu_error error;
    spit("kept", "old");
    assert_int_equal(file_begin(&writer, "kept", &error), TLU_OK);
    file_put(writer, "new", 3);
    file_abort(writer);
    file_abort(NULL);
    assert_content("kept", "old");
    assert_int_equal(files_here("."), 3);
}

// The n-th call of each kind fails, for every n until there is no n-th call: the old file is whole
// and alone, or, where the save came through all the same, the new one is.
static void survives_every_fault(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_MEMORY};
    enum { SIZE = 300000 }; // more than the buffer: several writes
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    memset(text, 'n', SIZE);
    text[SIZE] = '\0';
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t failures = 0;
        for (long n = 1;; n++) {
            tlu_error error;
            spit("file", "old");
            struct file_writer *writer;
            fault_at(kinds[k], n);
            tlu_status status = file_begin(&writer, "file", &error);
            for (size_t i = 0; status == TLU_OK && i < SIZE; i += 1000)
                file_put(writer, text + i, 1000);
            if (status == TLU_OK)
                status = file_commit(writer, NULL, NULL, &error);
            bool hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            failures += status != TLU_OK;
            if (status != TLU_OK)
                assert_int_equal(status, TLU_ERROR_SYSTEM);
            bool folder = kinds[k] == FAULT_FSYNC && n == 2; // after the rename
            assert_true(!folder || !hit || strstr(error.text, "power cut"));
            assert_content("file", status == TLU_OK || folder ? text : "old");
            assert_int_equal(files_here("."), 3);
            if (!hit)
                break;
        }
        assert_true(failures >= (kinds[k] == FAULT_WRITE ? 5 : 1));
    }
    free(text);
}

// A limit on the size of files makes the kernel itself write short and then refuse, and send a
// signal, which does not get through.
static void survives_short_writes(void **state)
{
    (void)state;
    tlu_error error;
    struct rlimit old, small;
    static char text[100001];
    memset(text, 'n', sizeof text - 1);
    spit("file", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 70000; // between two writes of the buffer's size
    sigset_t pending;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tlu_status status = save("file", text, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, TLU_ERROR_SYSTEM);
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGXFSZ), 0);
    assert_content("file", "old");
    assert_int_equal(files_here("."), 3);
}

static void reads_files_and_says_why_not(void **state)
{
    (void)state;
    tlu_error error;
    unsigned char *bytes = NULL;
    size_t size = 0;
    spit("empty", "");
    assert_content("empty", "");
    spit("text", "12345");
    assert_content("text", "12345");
    assert_int_equal(file_read("text", 5, NULL, &bytes, &size, &error), TLU_OK);
    memory_free(bytes);
    assert_int_equal(file_read("text", 4, NULL, &bytes, &size, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "text: is larger than 4 bytes");
    assert_int_equal(file_read("missing", 4, NULL, &bytes, &size, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "missing: cannot open: No such file or directory");
    assert_int_equal(file_read(".", 4, NULL, &bytes, &size, &error), TLU_ERROR_INPUT);
    assert_int_equal(file_read("/dev/zero", 100000, NULL, &bytes, &size, &error), TLU_ERROR_INPUT);
    for (long n = 1; n <= 2; n++) {
        fault_at(FAULT_READ, n);
        assert_int_equal(file_read("text", 100, NULL, &bytes, &size, &error), TLU_ERROR_SYSTEM);
        fault_at(FAULT_READ, 0);
    }
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(file_read("text", 100, NULL, &bytes, &size, &error), TLU_ERROR_SYSTEM);
    fault_at(FAULT_MEMORY, 0);
}

// ---- What killed processes leave -------------------------------------------------------------

static void spit_aged(const char *path, time_t seconds)
{
    struct timespec at = {.tv_sec = time(NULL) - seconds};
    spit(path, "half of a mod");
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){at, at}, 0), 0);
}

static bool is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

// A process that is killed in the middle of writing, or waits there until it is.
static pid_t begin_elsewhere(bool killed)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct file_writer *writer;
        tlu_error error;
        if (file_begin(&writer, "file", &error) == TLU_OK)
            file_put(writer, "new", 3);
        if (write(ready[1], "!", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    if (killed) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    return child;
}

static void age(pid_t child)
{
    char path[64];
    struct timespec at = {.tv_sec = time(NULL) - FILE_LEFTOVER_SECONDS - 1};
    snprintf(path, sizeof path, ".tlu-%ld-0.tmp", (long)child);
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){at, at}, 0), 0);
}

static void removes_what_the_killed_have_left(void **state)
{
    (void)state;
    tlu_error error;
    size_t before = files_here(".");
    pid_t dead = begin_elsewhere(true);
    assert_int_equal(files_here("."), before + 1);
    assert_int_equal(save("file", "a", &error), TLU_OK); // it may still be somebody else's
    assert_int_equal(files_here("."), before + 2);
    age(dead);
    assert_int_equal(save("file", "b", &error), TLU_OK);
    assert_int_equal(files_here("."), before + 1);

    pid_t living = begin_elsewhere(false); // however long it takes
    age(living);
    assert_int_equal(save("file", "c", &error), TLU_OK);
    assert_int_equal(files_here("."), before + 2);
    kill(living, SIGKILL);
    assert_int_equal(waitpid(living, NULL, 0), living);
    assert_int_equal(save("file", "d", &error), TLU_OK);
    assert_int_equal(files_here("."), before + 1);
    assert_content("file", "d");
}

static void leaves_what_is_not_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {".tlu-.tmp",        ".tlu-1-2.tmpx", ".tlu-1-2",
                                        ".tlu-x-2.tmp",     "tlu-1-2.tmp",   "a.tlu-1-2.tmp",
                                        ".tlu-1-2.tmp.tmp", ".tlu-1-2-3.tmp"};
    tlu_error error;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        spit_aged(names[i], 3600);
    spit_aged("target", 3600);
    assert_int_equal(symlink("target", ".tlu-1-3.tmp"), 0);
    assert_int_equal(mkdir(".tlu-1-4.tmp", 0777), 0);
    assert_int_equal(link("target", ".tlu-1-5.tmp"), 0); // has another name as well
    assert_int_equal(mkfifo(".tlu-1-6.tmp", 0666), 0);
    spit_aged(".tlu-1-7.tmp", FILE_LEFTOVER_SECONDS - 20);
    spit_aged(".tlu-1-8.tmp", FILE_LEFTOVER_SECONDS + 20);
    size_t before = files_here(".");
    assert_int_equal(save("file", "a", &error), TLU_OK);
    assert_int_equal(files_here("."), before); // one more and one less
    assert_false(is_there(".tlu-1-8.tmp"));
    assert_true(is_there("file") && is_there("target"));

    // In the folder of the file, wherever that is.
    assert_int_equal(mkdir("sub", 0777), 0);
    spit_aged("sub/.tlu-1-8.tmp", 3600);
    spit_aged(".tlu-1-8.tmp", 3600);
    assert_int_equal(save("sub/file", "a", &error), TLU_OK);
    assert_false(is_there("sub/.tlu-1-8.tmp"));
    assert_true(is_there(".tlu-1-8.tmp"));
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_has_its_check_value),
        cmocka_unit_test(crc_is_that_of_the_definition),
        IN_FOLDER(writes_and_replaces),
        IN_FOLDER(writes_pieces_of_all_sizes),
        IN_FOLDER(keeps_permissions),
        IN_FOLDER(refuses_a_protected_file),
        IN_FOLDER(follows_links),
        IN_FOLDER(leaves_devices_and_pipes),
        IN_FOLDER(says_what_is_wrong_with_the_path),
        IN_FOLDER(gives_up_cleanly),
        IN_FOLDER(survives_every_fault),
        IN_FOLDER(survives_short_writes),
        IN_FOLDER(reads_files_and_says_why_not),
        IN_FOLDER(removes_what_the_killed_have_left),
        IN_FOLDER(leaves_what_is_not_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
