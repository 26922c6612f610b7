// The log of a stream: runs, what is passed over, a last line that is not whole, failing memory.
#include "base/fault.h"
#include "plot/curves/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REPORT(examples, learned)                                                                  \
    "{\"rows\": 9, \"examples\": " examples ", \"accuracy\": 0.5, \"window\": 1, "                 \
    "\"window_accuracy\": 0.25, \"learned\": " learned ", \"decided_by\": \"recent\"}\n"

static tlu_status parse(struct stream_log *log, const char *text, tlu_error *error)
{
    return log_parse(log, "test.log", text, strlen(text), error);
}

static void reports_are_read(void **state)
{
    (void)state;
    struct stream_log log;
    assert_int_equal(parse(&log, "\n" REPORT("4", "1004") " \r\n" REPORT("5", "1005"), NULL),
                     TLU_OK);
    assert_int_equal(log.count, 2);
    assert_int_equal(log.run_count, 1);
    assert_false(log.unfinished);
    assert_true(log.reports[1].examples == 5 && log.reports[1].learned == 1005);
    assert_true(log.reports[1].accuracy == 0.5 && log.reports[1].window_accuracy == 0.25);
    assert_true(log.reports[1].window == 1);
    log_free(&log);
}

// A run begins with no examples, or with fewer than the report before has.
static void runs_are_told_apart(void **state)
{
    (void)state;
    struct stream_log log;
    assert_int_equal(parse(&log,
                           REPORT("0", "0") REPORT("1", "1") REPORT("2", "2") REPORT("0", "2")
                               REPORT("2", "4") REPORT("1", "5"),
                           NULL),
                     TLU_OK);
    assert_int_equal(log.run_count, 3);
    assert_int_equal(log.runs[0], 0);
    assert_int_equal(log.runs[1], 3);
    assert_int_equal(log.runs[2], 5);
    log_free(&log);
}

// However much of a last line is there, the lines before are read.
static void a_line_may_be_unfinished(void **state)
{
    (void)state;
    static const char text[] = REPORT("1", "1") REPORT("2", "2");
    size_t line = (sizeof text - 1) / 2;
    for (size_t size = line; size < sizeof text; size++) {
        struct stream_log log;
        bool whole = size == line || size >= 2 * line - 1; // with or without its line feed
        assert_int_equal(log_parse(&log, "test.log", text, size, NULL), TLU_OK);
        assert_int_equal(log.count, size >= 2 * line - 1 ? 2 : 1);
        assert_int_equal(log.unfinished, !whole);
        log_free(&log);
    }
}

// The only line is no log that is being written, but none.
static void other_files_are_refused(void **state)
{
    (void)state;
    struct stream_log log;
    tlu_error error;
    assert_int_equal(parse(&log, "{\"examples\": 1", &error), TLU_ERROR_INPUT);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 15);
    assert_int_equal(parse(&log, "", &error), TLU_ERROR_INPUT);
    assert_int_equal(parse(&log, REPORT("1", "1") "[]\n" REPORT("2", "2"), &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 1);
    assert_null(log.reports);
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    bool reached = true;
    for (long n = 1; reached; n++) {
        struct stream_log log;
        fault_at(FAULT_MEMORY, n);
        tlu_status status = parse(&log, REPORT("1", "1") REPORT("2", "2"), NULL);
        reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
        log_free(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_read),
        cmocka_unit_test(runs_are_told_apart),
        cmocka_unit_test(a_line_may_be_unfinished),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
