#include "plot/curves/log.h"
#include "base/file.h"
#include "base/memory.h"
#include "input/json/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 30)
#define COUNT_MAX 9007199254740992.0 // 2^53: above, doubles are not all whole numbers

// The fields that are read; others are skipped.
static const struct report_field {
    const char *name;
    size_t place;
    bool whole; // else a share, 0 to 1
} fields[] = {
    {"examples", offsetof(struct stream_report, examples), true},
    {"accuracy", offsetof(struct stream_report, accuracy), false},
    {"window", offsetof(struct stream_report, window), true},
    {"window_accuracy", offsetof(struct stream_report, window_accuracy), false},
    {"learned", offsetof(struct stream_report, learned), true},
};
#define FIELDS (sizeof fields / sizeof fields[0])

// ---- a line

static const struct report_field *field_named(const char *name, size_t length)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == length && memcmp(fields[i].name, name, length) == 0)
            return &fields[i];
    return NULL;
}

static enum parse_result read_field(struct named_row *row, const struct report_field *field,
                                    struct stream_report *report)
{
    const char *text;
    size_t length;
    double value;
    json_peek(row);
    const char *start = row->cursor;
    TRY_PARSE(json_read_number(row, &value, &text, &length));
    bool fits =
        value >= 0 && (field->whole ? floor(value) == value && value <= COUNT_MAX : value <= 1);
    if (!fits)
        return named_expected(row, start, start + length,
                              field->whole ? "a count" : "a share from 0 to 1");
    *(double *)((char *)report + field->place) = value;
    return PARSE_OK;
}

static enum parse_result read_report(struct named_row *row, char *scratch,
                                     struct stream_report *report)
{
    bool seen[FIELDS] = {false}, more;
    if (json_peek(row) != '{')
        return json_expect(row, '{');
    TRY_PARSE(json_open(row, '}', 0, &more));
    while (more) {
        size_t length;
        TRY_PARSE(json_key(row, scratch, &length));
        const struct report_field *field = field_named(scratch, length);
        if (field) {
            TRY_PARSE(read_field(row, field, report));
            seen[field - fields] = true;
        } else {
            TRY_PARSE(json_skip(row, scratch, 1));
        }
        TRY_PARSE(json_next(row, '}', &more));
    }
    for (size_t i = 0; i < FIELDS; i++)
        if (!seen[i])
            return bad_row_set(row->bad, 1, "expected a report of tlu stream, which has \"%s\"",
                               fields[i].name);
    if (row->cursor < row->end)
        return named_expected(row, row->cursor, row->cursor + 1, "the end of the line");
    return PARSE_OK;
}

// ---- all lines

static bool add_report(struct stream_log *log, const struct stream_report *report)
{
    bool first = log->count == 0 || report->examples == 0 ||
                 report->examples < log->reports[log->count - 1].examples;
    if (!memory_reserve(&log->reports, &log->capacity, log->count + 1, sizeof *log->reports) ||
        !memory_reserve(&log->runs, &log->run_capacity, log->run_count + 1, sizeof *log->runs))
        return false;
    assert(first || log->run_count > 0);
    if (first)
        log->runs[log->run_count++] = log->count;
    log->reports[log->count++] = *report;
    return true;
}

static bool is_blank_line(const char *line, const char *end)
{
    while (line < end && (is_blank(*line) || *line == '\r'))
        line++;
    return line == end;
}

// `scratch` has space for a decoded line, `row` is for the JSON reader.
static tlu_status parse_lines(struct stream_log *log, struct named_row *row, char *scratch,
                              const char *name, const char *text, size_t size, tlu_error *error)
{
    const char *limit = text + size;
    uint64_t number = 0;
    for (const char *line = text, *end; line < limit; line = end + 1) {
        struct stream_report report = {0};
        struct bad_row bad = {.line = ++number};
        end = memchr(line, '\n', (size_t)(limit - line));
        bool whole = end != NULL;
        end = whole ? end : limit;
        *row = (struct named_row){
            .bad = &bad, .line = line, .cursor = line, .end = end, .limit = limit};
        if (is_blank_line(line, end))
            continue;
        if (read_report(row, scratch, &report) == PARSE_OK) {
            TRY(enough_memory(add_report(log, &report), error));
            continue;
        }
        log->unfinished = !whole && log->count > 0;
        if (!log->unfinished)
            return error_at(
                error, name, number, bad.column, "%s%s",
                log->count || *line == '{' ? "" : "not a log of tlu stream --log: ", bad.reason);
    }
    if (log->count == 0)
        return error_at(error, name, 1, 1, "expected a report of tlu stream, found nothing");
    return TLU_OK;
}

tlu_status log_parse(struct stream_log *log, const char *name, const char *text, size_t size,
                     tlu_error *error)
{
    struct named_row *row = memory_new(1, sizeof *row); // too large for the stack
    char *scratch = memory_new(size + 16, 1);
    *log = (struct stream_log){0};
    tlu_status status = enough_memory(row && scratch, error);
    if (status == TLU_OK)
        status = parse_lines(log, row, scratch, name, text, size, error);
    if (status != TLU_OK)
        log_free(log);
    memory_free(row);
    memory_free(scratch);
    return status;
}

// Refuses a file that does not begin with an object before all of it is read.
static tlu_status check_start(const char *path, const unsigned char *bytes, size_t size,
                              uint64_t *most, tlu_error *error)
{
    size_t at = 0;
    struct stream_log log;
    (void)most;
    while (at < size && strchr(" \t\r\n", bytes[at]) && bytes[at])
        at++;
    if (at == size || bytes[at] == '{')
        return TLU_OK;
    tlu_status status = log_parse(&log, path, (const char *)bytes, size, error);
    log_free(&log);
    return status;
}

tlu_status log_read(struct stream_log *log, const char *path, tlu_error *error)
{
    unsigned char *bytes;
    size_t size;
    *log = (struct stream_log){0};
    TRY(file_read(path, BYTES_MAX, check_start, &bytes, &size, error));
    tlu_status status = log_parse(log, path, (const char *)bytes, size, error);
    memory_free(bytes);
    return status;
}

void log_free(struct stream_log *log)
{
    memory_free(log->reports);
    memory_free(log->runs);
    *log = (struct stream_log){0};
}
