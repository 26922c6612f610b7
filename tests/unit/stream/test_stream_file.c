// The file of a model that learns, through the library: which journal belongs to it, who else may
// use the two, and what a save does if the file was replaced.
#include "base/fault.h"
#include "stream/journal/model_file.h"
#include "stream_test.h"

#include <fcntl.h>
#include <sys/stat.h>

#define OWN MODEL TLU_JOURNAL_SUFFIX
#define ROWS_TEXT "a 1:1\nb 2:1\na 1:2\n"

static tlu_status open_at(const char *path, const char *journal, tlu_stream **stream,
                          tlu_error *error)
{
    return tlu_stream_open(
        path, NULL, &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = journal},
        stream, error);
}

static tlu_stream *open_fine(const char *path, const char *journal)
{
    tlu_stream *stream;
    tlu_error error;
    if (open_at(path, journal, &stream, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return stream;
}

static void learn_rows(tlu_stream *stream, const char *rows_text)
{
    struct answers answers = {.size = 0};
    size_t used;
    assert_int_equal(take(stream, rows_text, strlen(rows_text), true, &used, &answers, NULL),
                     TLU_OK);
}

static void refused(const char *path, const char *journal, const char *part)
{
    tlu_stream *stream;
    tlu_error error;
    assert_int_equal(open_at(path, journal, &stream, &error), TLU_ERROR_INPUT);
    assert_null(stream);
    if (!strstr(error.text, part))
        fail_msg("not '%s': %s", part, error.text);
}

static void not_saved(tlu_stream *stream, const char *part)
{
    tlu_error error;
    assert_int_equal(tlu_stream_save(stream, &error), TLU_ERROR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("not '%s': %s", part, error.text);
}

static long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

static int start(void **state)
{
    static const char *const files[] = {
        MODEL, JOURNAL, OWN,         "link.tlu",  "link.tlu.journal",
        "two", "three", "three.tlu", "sub/" MODEL};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    rmdir("sub");
    return 0;
}

static int leave(void **state)
{
    start(state);
    return leave_memory(state);
}

// A program may name the journal by the link plus the suffix: it is the journal of the file.
static void link_has_the_journal_of_its_file(void **state)
{
    (void)state;
    assert_int_equal(symlink(MODEL, "link.tlu"), 0);
    tlu_stream *stream = open_fine("link.tlu", "link.tlu.journal");
    learn_rows(stream, ROWS_TEXT);
    assert_true(size_of(OWN) > 8);
    assert_int_equal(size_of("link.tlu.journal"), -1);
    refused(MODEL, OWN, "in use");
    refused(MODEL, NULL, "in use");
    tlu_stream_close(stream);
    refused("link.tlu", NULL, OWN " has rows");
    stream = open_fine(MODEL, "./" OWN); // the same one
    assert_int_equal(tlu_stream_get_stats(stream)->replayed, 3);
    save_and_close(stream);
    struct stat about;
    assert_int_equal(lstat("link.tlu", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

// A journal with another name: neither it nor the model's own may have rows of another model.
static void journals_are_not_mixed_up(void **state)
{
    (void)state;
    tlu_stream *stream = open_fine(MODEL, OWN);
    learn_rows(stream, ROWS_TEXT);
    tlu_stream_close(stream);
    refused(MODEL, JOURNAL, OWN " has rows");
    save_and_close(open_fine(MODEL, OWN));
    stream = open_fine(MODEL, JOURNAL);
    learn_rows(stream, ROWS_TEXT);
    refused("three.tlu", JOURNAL, "in use");
    tlu_stream_close(stream);
    refused("three.tlu", JOURNAL, "another model than three.tlu");
    stream = open_fine(MODEL, OWN); // does not know about JOURNAL, and goes on without its rows
    learn_rows(stream, "b 7:1\n");
    save_and_close(stream);
    refused(MODEL, JOURNAL, "another model than " MODEL);
}

// Also without a journal, and under another name of the same file.
static void one_at_a_time(void **state)
{
    (void)state;
    tlu_stream *stream = open_fine(MODEL, NULL);
    learn_rows(stream, ROWS_TEXT);
    assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
    assert_int_equal(link(MODEL, "two"), 0);
    refused(MODEL, NULL, "in use");
    refused("two", NULL, "in use");
    refused("two", "three", "in use");
    assert_int_equal(size_of("three"), -1);
    learn_rows(stream, "b 7:1\n");
    assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK); // now they are two files
    tlu_stream_close(open_fine("two", NULL));
    refused(MODEL, NULL, "in use");
    tlu_stream_close(stream);
}

// A new model belongs to the folder that it was begun in.
static void folder_of_a_new_model(void **state)
{
    (void)state;
    tlu_stream *stream = open_fine(MODEL, OWN);
    learn_rows(stream, ROWS_TEXT);
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(chdir("sub"), 0);
    not_saved(stream, "its folder is not the one");
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(size_of("sub/" MODEL), -1);
    save_and_close(stream);
    assert_int_equal(size_of(OWN), 8);
}

// Whatever fails during a save, the next save still recognises the file as its own.
static void saved_again_after_a_failure(void **state)
{
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_READ};
    for (size_t k = 0; k < 4; k++) {
        bool hit = true;
        for (long n = 1; hit; n++) {
            start(state);
            tlu_stream *stream = open_fine(MODEL, OWN);
            learn_rows(stream, ROWS_TEXT);
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
            learn_rows(stream, "b 3:1\n");
            fault_at(kinds[k], n);
            tlu_status status = tlu_stream_save(stream, NULL);
            hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            assert_true(hit || status == TLU_OK);
            assert_true(status != TLU_OK || size_of(OWN) == 8);
            learn_rows(stream, "a 3:2\n");
            refused(MODEL, NULL, "in use");
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
            tlu_stream_close(stream);
            stream = open_fine(MODEL, OWN);
            assert_int_equal(tlu_stream_get_stats(stream)->learned, 5);
            assert_int_equal(tlu_stream_get_stats(stream)->replayed, 0);
            tlu_stream_close(stream);
        }
    }
}

static ino_t inode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_ino;
}

// A file that has all labelled rows is left alone, until a row is learned.
static void nothing_new_is_not_saved(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *journal = k ? OWN : NULL;
        start(state);
        tlu_stream *stream = open_fine(MODEL, journal);
        learn_rows(stream, ROWS_TEXT);
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        ino_t first = inode_of(MODEL);
        learn_rows(stream, "1:1\n2:1\n");
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_true(inode_of(MODEL) == first);
        tlu_stream_close(stream);
        stream = open_fine(MODEL, journal);
        learn_rows(stream, "1:1\n");
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_true(inode_of(MODEL) == first);
        assert_int_equal(link(MODEL, "two"), 0); // so that the inode is not used again
        learn_rows(stream, "b 3:1\n");
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_true(inode_of(MODEL) != first);
        assert_int_equal(unlink(MODEL), 0); // what was saved is lost, and saved again
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_true(size_of(MODEL) > 0);
        write_bytes("three", "other", 5);
        assert_int_equal(rename("three", MODEL), 0);
        not_saved(stream, "was replaced");
        tlu_stream_close(stream);
        // A stream that has learned nothing has nothing to say about it.
        assert_int_equal(rename("two", MODEL), 0);
        stream = open_fine(MODEL, journal);
        learn_rows(stream, "1:1\n");
        write_bytes("three", "other", 5);
        assert_int_equal(rename("three", MODEL), 0);
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_int_equal(size_of(MODEL), 5);
        tlu_stream_close(stream);
    }
}

// The hash as model_file.h defines it, for sizes around multiples of the read size.
static void content_as_documented(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 8, 9, 8191, 8192, 8193, 16384, 20001};
    static char bytes[20001];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i / 7);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct journal_model content;
        uint64_t hash = 0xCBF29CE484222325;
        for (size_t at = 0; at < sizes[s]; at += 8) {
            uint64_t number = 0;
            for (size_t i = 8; i > 0; i--)
                number =
                    number * 256 + (at + i - 1 < sizes[s] ? (unsigned char)bytes[at + i - 1] : 0);
            hash = (hash ^ number) * 0x9E3779B97F4A7C15;
            hash ^= hash >> 32;
        }
        write_bytes("two", bytes, sizes[s]);
        int file = open("two", O_RDONLY);
        assert_true(file >= 0);
        assert_int_equal(model_content(file, "two", &content, NULL), TLU_OK);
        close(file);
        assert_int_equal(content.size, sizes[s]);
        assert_true(content.hash == hash);
    }
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup(test, start)
    const struct CMUnitTest tests[] = {
        FRESH(link_has_the_journal_of_its_file),
        FRESH(journals_are_not_mixed_up),
        FRESH(one_at_a_time),
        FRESH(folder_of_a_new_model),
        FRESH(saved_again_after_a_failure),
        FRESH(nothing_new_is_not_saved),
        FRESH(content_as_documented),
    };
    return cmocka_run_group_tests(tests, go_to_memory, leave);
}
