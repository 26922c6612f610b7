// Streams that a second thread reads ahead of: the same answers, models and errors as without it,
// however much comes at a time.
#include "base/fault.h"
#include "stream_test.h"
#include "trials.h"

#define TIMES 400 // that the rows of stream.h come, one after the other

struct bytes {
    char *bytes;
    size_t size, capacity;
};

static void add(struct bytes *to, const char *bytes, size_t size)
{
    if (to->size + size + 1 > to->capacity) {
        to->capacity = 2 * (to->size + size) + 1;
        to->bytes = realloc(to->bytes, to->capacity);
        assert_non_null(to->bytes);
    }
    if (size)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    to->bytes[to->size] = '\0';
}

// The rows of a format again and again, under one header or in one array.
static struct bytes long_stream(const struct format *format)
{
    struct bytes input = {0};
    make_stream(format, 3);
    size_t header = format->write == put_csv ? strlen("size,\"the\nplace\",colour\n") : 0;
    size_t end = text_size;
    if (format->array) {
        header = (size_t)(strchr(text, '[') - text) + 1;
        end = (size_t)(strrchr(text, ']') - text);
    }
    add(&input, text, header);
    for (size_t i = 0; i < TIMES; i++) {
        add(&input, ",", i && format->array);
        add(&input, text + header, end - header);
    }
    add(&input, text + end, text_size - end);
    return input;
}

// ---- What is compared with: the same bytes given to tlu_stream_feed
// ---------------------------------

struct outcome {
    struct bytes answers, model;
    tlu_status status;
    tlu_error error;
    tlu_stream_stats counts;
};

static void finish(tlu_stream *stream, struct outcome *outcome)
{
    tlu_error error;
    outcome->counts = *tlu_stream_get_stats(stream);
    assert_int_equal(tlu_stream_save(stream, &error), TLU_OK);
    tlu_stream_close(stream);
    outcome->model.bytes = read_bytes(MODEL, &outcome->model.size);
    forget();
}

static struct outcome by_taking(const char *settings, const char *bytes, size_t size)
{
    struct outcome outcome = {0};
    forget();
    tlu_stream *stream = open_stream(settings, NULL);
    for (size_t from = 0, to = 0; outcome.status == TLU_OK && to < size;) {
        const char *said;
        size_t used, length;
        to = to + 5000 < size ? to + 5000 : size;
        outcome.status = tlu_stream_feed(stream, bytes + from, to - from, to == size, &used, &said,
                                         &length, &outcome.error);
        add(&outcome.answers, said, length);
        from += used;
    }
    finish(stream, &outcome);
    return outcome;
}

// ---- A source that brings much, little or nothing
// ------------------------------------------------

struct source {
    const char *bytes;
    size_t size, given;
    struct random random;
    size_t breaks_at; // bytes after which reading is an error; 0: never
    size_t stops_at;  // bytes after which it brings nothing more; 0: never
};

static int read_source(void *context, char *bytes, size_t size, size_t *got, int *end,
                       tlu_error *error)
{
    struct source *source = context;
    size_t left = source->size - source->given;
    uint64_t mood = random_below(&source->random, 20);
    if (source->breaks_at && source->given >= source->breaks_at) {
        error->status = TLU_ERROR_SYSTEM;
        snprintf(error->text, sizeof error->text, "the source broke");
        return -1;
    }
    if (source->stops_at && source->given >= source->stops_at)
        return TLU_OK;
    if (mood == 0) // nothing yet
        return TLU_OK;
    if (mood == 1)
        size = 1 + (size_t)random_below(&source->random, 100);
    else if (mood < 6)
        size = 1 + (size_t)random_below(&source->random, size);
    *got = size < left ? size : left;
    memcpy(bytes, source->bytes + source->given, *got);
    source->given += *got;
    *end = left == 0;
    return TLU_OK;
}

static struct outcome by_pulling(const char *settings, const tlu_stream_settings *how,
                                 struct source *source, uint64_t seed)
{
    struct outcome outcome = {0};
    tlu_stream_state state = TLU_STREAM_WAIT;
    random_seed(&source->random, seed);
    source->given = 0;
    tlu_stream *stream = open_stream(settings, how);
    while (outcome.status == TLU_OK && state != TLU_STREAM_END &&
           !(source->stops_at && state == TLU_STREAM_WAIT && source->given >= source->stops_at)) {
        const char *said;
        size_t length;
        outcome.status =
            tlu_stream_poll(stream, read_source, source, &state, &said, &length, &outcome.error);
        add(&outcome.answers, said, length);
    }
    finish(stream, &outcome);
    return outcome;
}

static void expect_same(struct outcome *a, struct outcome *b)
{
    assert_int_equal(a->status, b->status);
    if (a->status != TLU_OK)
        assert_string_equal(a->error.text, b->error.text);
    assert_int_equal(a->answers.size, b->answers.size);
    assert_memory_equal(a->answers.bytes, b->answers.bytes, a->answers.size);
    assert_int_equal(a->model.size, b->model.size);
    assert_memory_equal(a->model.bytes, b->model.bytes, a->model.size);
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
}

static void drop(struct outcome *outcome)
{
    free(outcome->answers.bytes);
    free(outcome->model.bytes);
}

static void compare(const char *settings, struct source *source, struct outcome *wanted)
{
    for (uint64_t seed = 1; seed <= unless_sanitized(3, 1); seed++) {
        char with[200];
        snprintf(with, sizeof with, "%s threads=%d", settings, seed == 3 ? 1 : 2);
        forget();
        struct outcome found = by_pulling(with, NULL, source, seed);
        expect_same(&found, wanted);
        drop(&found);
    }
}

// ---- The tests
// -----------------------------------------------------------------------------------

static void every_format_is_read_ahead(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        struct bytes input = long_stream(&formats[f]);
        struct outcome wanted = by_taking(formats[f].settings, input.bytes, input.size);
        assert_int_equal(wanted.status, TLU_OK);
        assert_int_equal(wanted.counts.rows, (uint64_t)TIMES * ROWS);
        struct source source = {.bytes = input.bytes, .size = input.size};
        compare(formats[f].settings, &source, &wanted);
        drop(&wanted);
        free(input.bytes);
    }
}

// A row that is longer than several pieces.
static void a_long_row_is_whole(void **state)
{
    (void)state;
    struct bytes input = {0};
    char entry[40];
    for (int i = 0; i < 5; i++) {
        add(&input, i % 2 ? "+1" : "-1", 2);
        for (int k = 1; k < 60000; k++)
            add(&input, entry, (size_t)snprintf(entry, sizeof entry, " %d:%d.25", k, i + k % 3));
        add(&input, "\n", 1);
    }
    struct outcome wanted = by_taking("", input.bytes, input.size);
    assert_int_equal(wanted.counts.rows, 5);
    struct source source = {.bytes = input.bytes, .size = input.size};
    compare("", &source, &wanted);
    drop(&wanted);
    free(input.bytes);
}

// The line of a malformed row, deep in the stream; the rows before it are answered and learned
// from.
static void errors_are_the_same(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        struct bytes input = long_stream(&formats[f]);
        const char *bad = f == 0 ? "red 1:1 2:x\n" : "1,\"a\",red,too,many\n";
        size_t good = input.size;
        add(&input, bad, strlen(bad));
        for (size_t i = 0; i < 200; i++)
            add(&input, f == 0 ? "red 1:1\n" : "1,a,red\n", 8);
        struct outcome wanted = by_taking(formats[f].settings, input.bytes, input.size);
        assert_int_equal(wanted.status, TLU_ERROR_INPUT);
        assert_int_equal(wanted.counts.rows, (uint64_t)TIMES * ROWS);
        uint64_t line = 1; // counted here, too
        for (size_t i = 0; i < good; i++)
            line += input.bytes[i] == '\n';
        char place[40];
        snprintf(place, sizeof place, ":%llu:", (unsigned long long)line);
        assert_non_null(strstr(wanted.error.text, place));
        struct source source = {.bytes = input.bytes, .size = input.size};
        compare(formats[f].settings, &source, &wanted);
        drop(&wanted);
        free(input.bytes);
    }
}

// What was read before reading failed, or was stopped, is answered: all but the row cut off there.
static void all_that_was_read_is_answered(void **state)
{
    (void)state;
    struct bytes input = long_stream(&formats[0]);
    for (uint64_t seed = 1; seed <= unless_sanitized(6, 1); seed++) {
        struct source source = {.bytes = input.bytes, .size = input.size};
        size_t place = input.size / 7 * (size_t)seed + 13;
        *(seed % 2 ? &source.breaks_at : &source.stops_at) = place;
        forget();
        struct outcome found = by_pulling("threads=2", NULL, &source, seed);
        assert_int_equal(found.status, seed % 2 ? TLU_ERROR_SYSTEM : TLU_OK);
        if (seed % 2)
            assert_string_equal(found.error.text, "the source broke");
        size_t whole = source.given;
        while (whole && input.bytes[whole - 1] != '\n')
            whole--;
        struct outcome wanted = by_taking("", input.bytes, whole);
        wanted.status = found.status;
        wanted.error = found.error;
        expect_same(&found, &wanted);
        drop(&found);
        drop(&wanted);
    }
    free(input.bytes);
}

// A journal that was never emptied makes the model anew.
static void rows_read_ahead_are_in_the_journal(void **state)
{
    (void)state;
    struct bytes input = long_stream(&formats[0]);
    struct outcome wanted = by_taking("", input.bytes, input.size);
    struct source source = {.bytes = input.bytes, .size = input.size};
    tlu_stream_settings how = {.size = sizeof how, .journal = JOURNAL};
    tlu_stream_state at = TLU_STREAM_WAIT;
    tlu_error error;
    forget();
    random_seed(&source.random, 5);
    tlu_stream *stream = open_stream("threads=2", &how);
    while (at != TLU_STREAM_END) {
        const char *said;
        size_t length;
        assert_int_equal(tlu_stream_poll(stream, read_source, &source, &at, &said, &length, &error),
                         TLU_OK);
    }
    tlu_stream_close(stream); // and not saved
    stream = open_stream("", &how);
    assert_int_equal(tlu_stream_get_stats(stream)->replayed, wanted.counts.examples);
    struct outcome found = {0};
    finish(stream, &found);
    assert_int_equal(found.model.size, wanted.model.size);
    assert_memory_equal(found.model.bytes, wanted.model.bytes, wanted.model.size);
    drop(&found);
    drop(&wanted);
    free(input.bytes);
}

// Allocations fail, all of the first and some of the later ones: the rows before are answered, and
// nothing is learned in part.
static void memory_may_run_out(void **state)
{
    (void)state;
    struct bytes input = long_stream(&formats[3]);
    input.size = input.size * 3 / 4;
    while (input.bytes[input.size - 1] != '\n')
        input.size--;
    struct outcome wanted = by_taking(formats[3].settings, input.bytes, input.size);
    struct source source = {.bytes = input.bytes, .size = input.size};
    bool failed = true;
    for (long n = 1; failed; n += 1 + n / 16) {
        struct bytes answers = {0};
        tlu_status status = TLU_OK;
        tlu_error error;
        tlu_stream_state at = TLU_STREAM_WAIT;
        forget();
        random_seed(&source.random, 1);
        source.given = 0;
        tlu_stream *stream = open_stream("format=vw threads=2", NULL);
        fault_at(FAULT_MEMORY, n);
        while (status == TLU_OK && at != TLU_STREAM_END) {
            const char *said;
            size_t length;
            status = tlu_stream_poll(stream, read_source, &source, &at, &said, &length, &error);
            add(&answers, said, length);
        }
        failed = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_true(answers.size <= wanted.answers.size);
        if (answers.size)
            assert_memory_equal(answers.bytes, wanted.answers.bytes, answers.size);
        size_t lines = 0;
        for (size_t i = 0; i < answers.size; i++)
            lines += answers.bytes[i] == '\n';
        assert_int_equal(tlu_stream_get_stats(stream)->rows, lines);
        if (status == TLU_OK)
            assert_int_equal(answers.size, wanted.answers.size);
        else
            assert_int_equal(status, TLU_ERROR_SYSTEM);
        tlu_stream_close(stream);
        free(answers.bytes);
    }
    drop(&wanted);
    free(input.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_read_ahead),
        cmocka_unit_test(a_long_row_is_whole),
        cmocka_unit_test(errors_are_the_same),
        cmocka_unit_test(all_that_was_read_is_answered),
        cmocka_unit_test(rows_read_ahead_are_in_the_journal),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
