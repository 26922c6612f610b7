// A stream that was cut off between two rows: what the journal gives back must be the model, to the
// byte, that the same rows made without a break.
#include "stream/journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MODEL "stream-cut.tlu"
#define JOURNAL "stream-cut.tlu.journal"
#define STREAMS 3
#define PIECES 4

static void remove_files(void)
{
    remove(MODEL);
    remove(JOURNAL);
}

static tlu_stream *open_stream(bool journal)
{
    tlu_error error;
    tlu_stream *stream;
    tlu_stream_settings settings = {.size = sizeof settings, .journal = journal ? JOURNAL : NULL};
    if (tlu_stream_open(MODEL, NULL, &settings, &stream, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return stream;
}

// The pieces as they come; what is not used of one stays before the next. `bad`: the last has a row
// that cannot be read.
static void take(tlu_stream *stream, const char *const *pieces, bool bad)
{
    char bytes[1000] = "";
    size_t size = 0;
    for (size_t i = 0; i < PIECES && pieces[i]; i++) {
        tlu_error error;
        size_t used, length;
        const char *text;
        strcpy(bytes + size, pieces[i]);
        size += strlen(pieces[i]);
        bool last = i + 1 == PIECES || !pieces[i + 1];
        tlu_status status = tlu_stream_feed(stream, bytes, size, 0, &used, &text, &length, &error);
        if (status != (bad && last ? TLU_ERROR_INPUT : TLU_OK))
            fail_msg("%s: %s", pieces[i], error.text);
        size -= used;
        memmove(bytes, bytes + used, size + 1);
    }
    assert_true(bad || size == 0);
}

static size_t file_bytes(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_true(size > 0 && size < room);
    fclose(file);
    return size;
}

struct scene {
    const char *streams[STREAMS][PIECES];
    bool bad; // the last row of the last stream
};

// The model that the streams make, each of them saved. `cut`: all but the last, which is cut off
// and saved by whoever opens the model next.
static size_t model_of(const struct scene *scene, bool cut, char *bytes, size_t room)
{
    remove_files();
    for (size_t i = 0; i < STREAMS && scene->streams[i][0]; i++) {
        bool last = i + 1 == STREAMS || !scene->streams[i + 1][0];
        tlu_stream *stream = open_stream(true);
        take(stream, scene->streams[i], last && scene->bad);
        if (!last || !cut)
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        tlu_stream_close(stream);
    }
    if (cut) {
        tlu_stream *stream = open_stream(true);
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        tlu_stream_close(stream);
    }
    size_t size = file_bytes(MODEL, bytes, room);
    remove_files();
    return size;
}

static void check(const struct scene *scene)
{
    static char whole[100000], cut[100000];
    size_t size = model_of(scene, false, whole, sizeof whole);
    assert_int_equal(model_of(scene, true, cut, sizeof cut), size);
    assert_memory_equal(cut, whole, size);
}

#define HEADER "label,a,b\n"
#define ROWS "yes,1,2\nno,-1,-2\n"

static void test_header_in_the_first_stream(void **state)
{
    (void)state;
    check(&(struct scene){.streams = {{HEADER ROWS, "yes,3,-1\n"}}});
}

// What has no label is not learned from, but tells what the columns are.
static void test_header_with_unlabelled_rows(void **state)
{
    (void)state;
    check(&(struct scene){.streams = {{HEADER ",1,2\n,5,6\n", ROWS, "yes,3,-1\n"}}});
    check(&(struct scene){.streams = {{HEADER ",1,word\n,5,other\n", "yes,1,2\nno,-1,3\n"}}});
    check(&(struct scene){.streams = {{" 1:1 2:3\n", "+1 1:1\n-1 1:-1\n"}}});
}

// The header has been taken when the first row still goes on.
static void test_row_in_two_pieces(void **state)
{
    (void)state;
    check(&(struct scene){.streams = {{"label,text\nyes,\"x\n", "y\"\nno,z\n", "yes,z\n"}}});
}

static void test_header_in_a_later_stream(void **state)
{
    (void)state;
    check(&(struct scene){.streams = {{HEADER ROWS}, {HEADER "yes,3,-1\n", "no,1,7\n"}}});
    // Other places, and then none named: those of the model.
    check(&(struct scene){.streams = {{HEADER ROWS}, {"b,label,a\n3,yes,-1\n", "1,no,7\n"}}});
    check(&(struct scene){
        .streams = {{HEADER ROWS}, {"b,label,a\n3,yes,-1\n"}, {"yes,3,-1\n", "no,1,7\n"}}});
}

// Nothing can be told from empty lines and comments: they wait for the first row, whose format is
// then that of the stream.
static void test_empty_lines_first(void **state)
{
    (void)state;
    static const char *const streams[][2][PIECES] = {
        {{HEADER ROWS}, {"\n", " \r\n# note\n", HEADER "yes,3,-1\n", "no,1,7\n"}},
        {{HEADER ROWS}, {"\n", "yes,3,-1\n"}},
        {{"\n", HEADER, ROWS}, {"# note\n", HEADER, "no,3,1\n"}},
        {{"# note\n", "+1 1:1\n-1 1:-1\n"}, {"\n\n", "+1 1:3\n"}},
        {{"+1 | a b\n-1 | b\n"}, {"\n\t\n", "+1 | a\n"}},
    };
    static const char *const plain[][2][PIECES] = {
        {{HEADER ROWS}, {HEADER "yes,3,-1\n", "no,1,7\n"}},
        {{HEADER ROWS}, {"yes,3,-1\n"}},
        {{HEADER ROWS}, {HEADER "no,3,1\n"}},
        {{"+1 1:1\n-1 1:-1\n"}, {"+1 1:3\n"}},
        {{"+1 | a b\n-1 | b\n"}, {"+1 | a\n"}},
    };
    static char found[100000], expected[100000];
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct scene scene = {.bad = false}, without = {.bad = false};
        memcpy(scene.streams, streams[i], sizeof streams[i]);
        memcpy(without.streams, plain[i], sizeof plain[i]);
        size_t size = model_of(&without, false, expected, sizeof expected);
        for (int cut = 0; cut < 2; cut++) {
            assert_int_equal(model_of(&scene, cut, found, sizeof found), size);
            assert_memory_equal(found, expected, size);
        }
    }
}

static void test_no_row_at_all(void **state)
{
    (void)state;
    tlu_error error;
    size_t used, length;
    const char *text;
    remove_files();
    tlu_stream *stream = open_stream(false);
    assert_int_equal(tlu_stream_feed(stream, "\n# end\n", 7, 1, &used, &text, &length, &error),
                     TLU_OK);
    assert_int_equal(used, 7);
    assert_int_equal(length, 0);
    tlu_stream_close(stream);
}

// Two streams are cut off, and the second begins with a header as the first did.
static void test_two_cut_off(void **state)
{
    (void)state;
    static const char *const streams[][PIECES] = {{HEADER ROWS},
                                                  {"b,label,a\n3,yes,-1\n", "1,no,7\n"}};
    static char whole[100000], cut[100000];
    size_t size =
        model_of(&(struct scene){.streams = {{HEADER ROWS}, {"b,label,a\n3,yes,-1\n", "1,no,7\n"}}},
                 false, whole, sizeof whole);
    for (size_t i = 0; i < 2; i++) {
        tlu_stream *stream = open_stream(true);
        take(stream, streams[i], false);
        tlu_stream_close(stream);
    }
    tlu_stream *stream = open_stream(true);
    assert_int_equal(tlu_stream_get_stats(stream)->replayed, 4);
    assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
    tlu_stream_close(stream);
    assert_int_equal(file_bytes(MODEL, cut, sizeof cut), size);
    assert_memory_equal(cut, whole, size);
    remove_files();
}

// The rows before a bad one are learned from; of the bad one, which has two lines, nothing is left.
static void test_bad_row_of_two_lines(void **state)
{
    (void)state;
    check(&(struct scene){
        .streams = {{"label,t,a\nyes,x,2\nno,y,-2\n", "yes,y,1\nno,\"p\nq\",zz\nno,x,1\n"}},
        .bad = true});
}

// Who has the journal may save the model until it lets go of it: a model that was read before that
// lacks rows that are in the journal no longer. So nobody else gets as far as reading the model.
static void test_journal_before_model(void **state)
{
    (void)state;
    tlu_stream_settings settings = {.size = sizeof settings, .journal = JOURNAL};
    tlu_stream *first, *second;
    tlu_error error;
    FILE *file = fopen(MODEL, "w");
    assert_non_null(file);
    fclose(file); // no model: whoever reads it says so
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &first, &error), TLU_ERROR_INPUT);
    assert_null(strstr(error.text, "in use"));
    remove(MODEL);
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &first, &error), TLU_OK);
    fclose(fopen(MODEL, "w"));
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &second, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "in use"));
    tlu_stream_close(first);
    remove_files();
}

// Without its journal a model is not opened while another process has it or rows are in it; one
// that was emptied by saving does no harm.
static void test_journal_left_out(void **state)
{
    (void)state;
    tlu_stream_settings settings = {.size = sizeof settings, .journal = JOURNAL};
    tlu_stream *first, *second;
    tlu_error error;
    remove_files();
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &first, &error), TLU_OK);
    assert_int_equal(tlu_stream_open(MODEL, NULL, NULL, &second, &error), TLU_ERROR_INPUT);
    assert_null(second);
    assert_non_null(strstr(error.text, "in use"));
    take(first, (const char *const[PIECES]){"1 |a b\n2 |c d\n"}, false);
    tlu_stream_close(first);
    assert_int_equal(tlu_stream_open(MODEL, NULL, NULL, &second, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "has rows that were answered"));
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &first, &error), TLU_OK);
    assert_int_equal(tlu_stream_get_stats(first)->replayed, 2);
    assert_int_equal(tlu_stream_save(first, &error), TLU_OK);
    tlu_stream_close(first);
    assert_int_equal(tlu_stream_open(MODEL, NULL, NULL, &second, &error), TLU_OK);
    tlu_stream_close(second);
    remove_files();
}

// A journal that was made by hand: a record of the first lines without any, and a row as LIBSVM has
// it, whose index the model of words has no weight for.
static void test_opening_without_lines(void **state)
{
    (void)state;
    struct journal *journal;
    tlu_stream_settings settings = {.size = sizeof settings, .journal = JOURNAL};
    tlu_stream *stream;
    tlu_error error;
    remove_files();
    stream = open_stream(false);
    take(stream, (const char *const[PIECES]){"1 |a b\n2 |c d\n"}, false);
    assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
    tlu_stream_close(stream);
    assert_int_equal(journal_open(&journal, JOURNAL, &error), TLU_OK);
    assert_int_equal(journal_replay(journal, NULL, NULL, &error), TLU_OK);
    struct journal_record records[] = {{.number = UINT64_MAX, .bytes = "", .size = 1},
                                       {.number = 2, .bytes = "b 1000:1\n", .size = 9}};
    assert_int_equal(journal_append(journal, &records[0], &error), TLU_OK);
    assert_int_equal(journal_append(journal, &records[1], &error), TLU_OK);
    journal_close(journal);
    assert_int_equal(tlu_stream_open(MODEL, NULL, &settings, &stream, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "journal"));
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header_in_the_first_stream),
        cmocka_unit_test(test_header_with_unlabelled_rows),
        cmocka_unit_test(test_row_in_two_pieces),
        cmocka_unit_test(test_header_in_a_later_stream),
        cmocka_unit_test(test_empty_lines_first),
        cmocka_unit_test(test_no_row_at_all),
        cmocka_unit_test(test_two_cut_off),
        cmocka_unit_test(test_bad_row_of_two_lines),
        cmocka_unit_test(test_journal_before_model),
        cmocka_unit_test(test_journal_left_out),
        cmocka_unit_test(test_opening_without_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
