// A stream on a machine that fails: the n-th allocation, write, fsync or rename, for every n. What
// was done before the failure is not done again, and nothing is left out.
#include "base/fault.h"
#include "stream_test.h"
#include "trials.h"

#include <sys/stat.h>

// ---- Memory that runs out -----------------------------------------------------------------------

static long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

static size_t lines_of(const struct answers *answers)
{
    size_t count = 0;
    for (const char *at = answers->text; (at = strchr(at, '\n')); at++)
        count++;
    return count;
}

// The whole stream with a journal, while the n-th allocation fails; then the rest of it. What was
// done before the failure is not done again, and nothing is left out.
static bool run_with_failure(size_t f, enum fault_kind kind, long n, struct answers *answers)
{
    tlu_options *options = options_as_said(formats[f].settings);
    tlu_stream_settings journalled = {.size = sizeof journalled, .journal = JOURNAL};
    tlu_stream *stream = NULL;
    tlu_error error = {.status = TLU_OK};
    size_t used = 0, from = 0;
    answers->size = 0;
    fault_at(kind, n);
    tlu_status status = tlu_stream_open(MODEL, options, &journalled, &stream, &error);
    if (status == TLU_OK)
        status = take(stream, text, text_size, true, &from, answers, &error);
    if (status == TLU_OK)
        status = tlu_stream_save(stream, &error);
    bool hit = fault_calls(kind) >= n;
    fault_at(kind, 0);
    assert_true(hit || status == TLU_OK);
    if (status != TLU_OK) {
        assert_int_equal(status, TLU_ERROR_SYSTEM);
        assert_int_equal(error.status, status);
        if (!stream)
            stream = open_stream(formats[f].settings, &journalled);
        if (n % 2) { // in the same process
            if (from < text_size &&
                take(stream, text + from, text_size - from, true, &used, answers, &error) != TLU_OK)
                fail_msg("allocation %ld: %s", n, error.text);
        } else if (from == text_size || from == 0) { // or in another
            tlu_stream_close(stream);
            stream = open_stream(formats[f].settings, &journalled);
            if (from == 0)
                assert_int_equal(take(stream, text, text_size, true, &used, answers, NULL), TLU_OK);
        } else {
            assert_int_equal(
                take(stream, text + from, text_size - from, true, &used, answers, NULL), TLU_OK);
        }
        assert_int_equal(tlu_stream_get_stats(stream)->learned, 48);
        if (n % 3 == 0) { // by the journal
            tlu_stream_close(stream);
            stream = open_stream(formats[f].settings, &journalled);
            assert_int_equal(tlu_stream_get_stats(stream)->learned, 48);
        }
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
    }
    tlu_stream_close(stream);
    tlu_options_free(options);
    return hit;
}

static void nothing_breaks_where_memory_runs_out(void **state)
{
    (void)state;
    static const size_t which[] = {0, 1, 3, 7};
    for (size_t k = 0; k < sizeof which / sizeof which[0]; k++) {
        struct answers whole, answers;
        size_t f = which[k], size;
        make_stream(&formats[f], 3);
        char *model = run_whole(formats[f].settings, 0, 0, &whole, &size);
        long n = 1;
        for (bool hit = true; hit; n += n < 50 ? 1 : (long)unless_sanitized(1, 5)) {
            forget();
            hit = run_with_failure(f, FAULT_MEMORY, n, &answers);
            expect_model(model, size);
            assert_int_equal(lines_of(&answers), ROWS);
            assert_int_equal(size_of(JOURNAL), 8);
        }
        assert_true(n > 20);
        free(model);
    }
}

static void nothing_breaks_where_the_disk_fails(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME};
    for (size_t k = 0; k < 3; k++) {
        struct answers whole, answers;
        size_t size;
        make_stream(&formats[0], 4);
        char *model = run_whole(formats[0].settings, 0, 0, &whole, &size);
        long n = 1;
        for (bool hit = true; hit; n++) {
            forget();
            hit = run_with_failure(0, kinds[k], n, &answers);
            assert_string_equal(answers.text, whole.text);
            expect_model(model, size);
        }
        assert_true(n > 1);
        free(model);
    }
}

// A save in the middle that fails, then the other rows: the journal and what was saved are the
// whole stream, of any format.
static void nothing_is_lost_by_a_save_that_fails(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME};
    static const size_t which[] = {0, 1, 3, 7};
    tlu_stream_settings journalled = {.size = sizeof journalled, .journal = JOURNAL};
    for (size_t k = 0; k < sizeof which / sizeof which[0] * 3; k++) {
        const char *settings = formats[which[k / 3]].settings;
        struct answers whole, answers;
        size_t size, half, used;
        make_stream(&formats[which[k / 3]], 5);
        char *model = run_whole(settings, 0, 0, &whole, &size);
        bool hit = true;
        for (long n = 1; hit; n++) {
            forget();
            answers.size = 0;
            tlu_stream *stream = open_stream(settings, &journalled);
            assert_int_equal(take(stream, text, text_size / 2, false, &half, &answers, NULL),
                             TLU_OK);
            fault_at(kinds[k % 3], n);
            tlu_status status = tlu_stream_save(stream, NULL);
            hit = fault_calls(kinds[k % 3]) >= n;
            fault_at(kinds[k % 3], 0);
            // Only the announcement of a save may fail without an error.
            assert_true(hit ? status == TLU_OK || status == TLU_ERROR_SYSTEM : status == TLU_OK);
            assert_int_equal(
                take(stream, text + half, text_size - half, true, &used, &answers, NULL), TLU_OK);
            tlu_stream_close(stream); // killed
            stream = open_stream(settings, &journalled);
            assert_int_equal(tlu_stream_get_stats(stream)->learned, 48);
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
            tlu_stream_close(stream);
            assert_string_equal(answers.text, whole.text);
            expect_model(model, size);
        }
        free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_breaks_where_memory_runs_out),
        cmocka_unit_test(nothing_breaks_where_the_disk_fails),
        cmocka_unit_test(nothing_is_lost_by_a_save_that_fails),
    };
    return cmocka_run_group_tests(tests, go_to_memory, leave_memory);
}
