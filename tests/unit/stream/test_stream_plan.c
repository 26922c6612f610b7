// How the rows of a journal are read is said once, together with the first of them: whatever is cut
// off or fails, and however often it starts again, it is the model of an undisturbed run. Journals
// of the version before, made here byte by byte, are read as that version read them, or refused.
#include "base/fault.h"
#include "stream/journal/model_file.h"
#include "stream_test.h"

#include <fcntl.h>
#include <stdio.h>

static const tlu_stream_settings journalled = {.size = sizeof journalled, .journal = JOURNAL};

static tlu_status pass_by(void *context, const struct journal_record *record, tlu_error *error)
{
    (void)context, (void)record, (void)error;
    return TLU_OK;
}

// ---- what fails ---------------------------------------------------------------------------------

// Takes the stream until something fails, and is killed then.
static bool killed_by(const char *settings, enum fault_kind kind, long n)
{
    struct answers answers = {.size = 0};
    tlu_options *options = options_as_said(settings);
    tlu_stream *stream = NULL;
    size_t used;
    fault_at(kind, n);
    tlu_status status = tlu_stream_open(MODEL, options, &journalled, &stream, NULL);
    if (status == TLU_OK)
        take(stream, text, text_size, true, &used, &answers, NULL);
    bool hit = fault_calls(kind) >= n;
    fault_at(kind, 0);
    tlu_stream_close(stream);
    tlu_options_free(options);
    return hit;
}

// A disk that is full when the journal is begun; then the rows, in three lives that are all killed.
static void begun_on_a_full_disk(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC};
    for (size_t f = 0; f < FORMATS; f++) {
        const char *settings = formats[f].settings;
        struct answers whole, answers;
        size_t size, used;
        make_stream(&formats[f], 6 + f);
        char *model = run_whole(settings, 0, 0, &whole, &size);
        for (size_t k = 0; k < 2; k++)
            for (long n = 1; n <= 4; n++) {
                forget();
                bool hit = killed_by(settings, kinds[k], n);
                assert_true(hit || n > 2);
                if (!hit)
                    break;
                answers.size = 0;
                tlu_stream *stream = open_stream(settings, &journalled);
                if (tlu_stream_get_stats(stream)->learned == 0) // else it had all of them
                    assert_int_equal(take(stream, text, text_size, true, &used, &answers, NULL),
                                     TLU_OK);
                tlu_stream_close(stream); // killed
                for (int again = 0; again < 3; again++) {
                    stream = open_stream(settings, &journalled);
                    assert_int_equal(tlu_stream_get_stats(stream)->learned, 48);
                    if (again < 2)
                        tlu_stream_close(stream);
                }
                save_and_close(stream);
                expect_model(model, size);
            }
        free(model);
    }
}

// What the first start was given never got as far as the journal: it decides nothing.
static void other_rows_at_the_second_start(void **state)
{
    (void)state;
    static const char *const streams[] = {"size,place,label\n1,7,red\n",
                                          "size,place,label\n1,hill,red\n"};
    for (int first = 0; first < 2; first++) {
        struct answers answers = {.size = 0};
        size_t used, size, whole_size;
        char *whole, *model;
        text_size = 0;
        put("%s2,%s,blue\n", streams[!first], first ? "8" : "sea");
        whole = run_whole("format=csv", 0, 0, &answers, &whole_size);
        forget();
        tlu_stream *stream = open_stream("format=csv learner=arow", &journalled);
        fault_at(FAULT_WRITE, 1);
        assert_int_equal(
            take(stream, streams[first], strlen(streams[first]), false, &used, &answers, NULL),
            TLU_ERROR_SYSTEM);
        fault_at(FAULT_WRITE, 0);
        tlu_stream_close(stream);
        stream = open_stream("format=csv", &journalled);
        take_pieces(stream, 0, text_size, 0, NULL, true, &answers);
        tlu_stream_close(stream);
        save_and_close(open_stream("", &journalled));
        model = read_bytes(MODEL, &size);
        assert_int_equal(size, whole_size);
        assert_memory_equal(model, whole, size);
        free(model);
        free(whole);
    }
}

// A header, or a row that is not whole, and then the end: nothing is kept, and nothing decided.
static void a_header_alone(void **state)
{
    (void)state;
    static const char *const parts[] = {"size,place,label\n", "size,place,label\n1,", ""};
    struct answers answers = {.size = 0};
    size_t used, size, journal_size;
    text_size = 0;
    put("size,place,label\n1,hill,red\n2,7,blue\n");
    char *model = run_whole("format=csv", 0, 0, &answers, &size);
    forget();
    for (size_t i = 0; i < 2 * sizeof parts / sizeof parts[0]; i++) {
        tlu_stream *stream =
            open_stream(i % 2 ? "format=csv learner=pa" : "format=csv", &journalled);
        take(stream, parts[i / 2], strlen(parts[i / 2]), i / 2 != 1 && i % 2, &used, &answers,
             NULL);
        tlu_stream_close(stream);
        free(read_bytes(JOURNAL, &journal_size));
        assert_int_equal(journal_size, 8);
    }
    tlu_stream *stream = open_stream("format=csv", &journalled);
    take_pieces(stream, 0, text_size, 3, &(struct random){{1}}, true, &answers);
    tlu_stream_close(stream);
    save_and_close(open_stream("", &journalled));
    expect_model(model, size);
    free(model);
}

// The journal as it was, and that the model there was about to be saved.
static void announce(const char *kept, size_t size, uint64_t number)
{
    struct journal *journal;
    struct journal_model model;
    write_bytes(JOURNAL, kept, size);
    int file = open(MODEL, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(model_content(file, MODEL, &model, NULL), TLU_OK);
    close(file);
    assert_int_equal(journal_open(&journal, JOURNAL, NULL), TLU_OK);
    assert_int_equal(journal_replay(journal, pass_by, NULL, NULL), TLU_OK);
    struct journal_record record = {.number = number, .model = &model};
    assert_int_equal(journal_append(journal, &record, NULL), TLU_OK);
    journal_close(journal);
}

// A record has a row that is refused (guard.h), and the process was killed before it could take the
// row back. The next one saves the model, and is killed before it has emptied the journal.
static void refused_rows_and_a_save(void **state)
{
    (void)state;
    static const char good[] = "a 99:1\nb 98:1\na 1:1.4e-45\nb 2:1.4e-45 1:3.4e38\n"
                               "a 3:1.4e-45 2:3.4e38\n",
                      bad[] = "a 99:1\nb 4:1.4e-45 3:3.4e38\n",
                      settings[] = "learner=pa scale=online";
    struct answers answers = {.size = 0};
    size_t used, size, model_size;
    forget();
    tlu_stream *stream = open_stream(settings, &journalled);
    assert_int_equal(take(stream, good, strlen(good), true, &used, &answers, NULL), TLU_OK);
    tlu_stream_close(stream);
    struct journal *journal;
    assert_int_equal(journal_open(&journal, JOURNAL, NULL), TLU_OK);
    assert_int_equal(journal_replay(journal, pass_by, NULL, NULL), TLU_OK);
    struct journal_record record = {.number = 5, .bytes = bad, .size = strlen(bad)};
    assert_int_equal(journal_append(journal, &record, NULL), TLU_OK);
    journal_close(journal);
    for (int again = 0; again < 3; again++) // killed
        tlu_stream_close(open_stream(settings, &journalled));
    stream = open_stream(settings, &journalled);
    char *kept = read_bytes(JOURNAL, &size); // as it is while the model is saved
    assert_true(size > strlen(good) + strlen(bad));
    save_and_close(stream);
    char *model = read_bytes(MODEL, &model_size);
    for (int again = 0; again < 3; again++) {
        announce(kept, size, 6);
        stream = open_stream("", &journalled);
        assert_int_equal(tlu_stream_get_stats(stream)->learned, 6);
        save_and_close(stream);
        expect_model(model, model_size);
    }
    free(model);
    free(kept);
}

// What the next start says about reading is for its own rows; what it does not say about learning
// is as it was.
static void options_of_the_first_start_stay(void **state)
{
    (void)state;
    struct answers answers = {.size = 0};
    size_t size;
    text_size = 0;
    put("x;place;colour\n1;7;red\n2;8;blue\n");
    size_t first = text_size;
    put("2;7;red\n5;8;blue\n");
    const char *settings = "format=csv delimiter=; categorical=place label=colour learner=pa";
    char *model = run_whole(settings, 0, 0, &answers, &size);
    forget();
    tlu_stream *stream = open_stream(settings, &journalled);
    take_pieces(stream, 0, first, 0, NULL, false, &answers);
    tlu_stream_close(stream);
    for (int i = 0; i < 2; i++) { // nothing comes
        stream = open_stream("", &journalled);
        tlu_stream_close(stream);
    }
    stream = open_stream("", &journalled);
    take_pieces(stream, first, text_size, 9, &(struct random){{1}}, true, &answers);
    tlu_stream_close(stream);
    save_and_close(open_stream("", &journalled));
    expect_model(model, size);
    free(model);
}

// A journal beside a model with other columns, after as many rows with the same scores.
static void columns_of_another_model(void **state)
{
    (void)state;
    struct answers answers = {.size = 0};
    static const char *const headers[] = {"a,b,label\n", "a,c,label\n"};
    tlu_error error;
    tlu_stream *stream;
    for (int other = 0; other < 2; other++) {
        forget();
        text_size = 0;
        put("%s1,1,x\n-1,2,y\n", headers[0]);
        stream = open_stream("format=csv", &journalled);
        take_pieces(stream, 0, text_size, 0, NULL, true, &answers);
        save_and_close(stream);
        stream = open_stream("format=csv", &journalled);
        take_pieces(stream, 0, text_size, 0, NULL, true, &answers);
        tlu_stream_close(stream);
        text_size = 0;
        put("%s1,1,x\n-1,2,y\n", headers[other]);
        unlink(MODEL);
        stream = open_stream("format=csv", NULL);
        take_pieces(stream, 0, text_size, 0, NULL, true, &answers);
        save_and_close(stream);
        tlu_status status = tlu_stream_open(MODEL, NULL, &journalled, &stream, &error);
        assert_int_equal(status, other ? TLU_ERROR_INPUT : TLU_OK);
        if (other)
            assert_non_null(strstr(error.text, "other columns"));
        tlu_stream_close(stream);
    }
}

// ---- the version before -------------------------------------------------------------------------

// CRC-32 bit by bit.
static uint32_t slow_crc(const void *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^
                  (((crc ^ (unsigned)((const unsigned char *)bytes)[i] >> bit) & 1) ? 0xEDB88320u
                                                                                    : 0);
    return ~crc;
}

static unsigned char made[1 << 14];
static size_t made_size;

static void put_number(size_t at, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++, number /= 256)
        made[at + i] = (unsigned char)(number % 256);
}

static void make_record(uint64_t number, const char *bytes, size_t size)
{
    unsigned char checked[28];
    size_t at = made_size;
    memcpy(made + at, "\xFFREC", 4);
    put_number(at + 4, size, 4);
    put_number(at + 8, number, 8);
    put_number(at + 16, slow_crc(bytes, size), 4);
    for (size_t i = 0; i < 8; i++)
        checked[i] = (unsigned char)((uint64_t)at >> 8 * i);
    memcpy(checked + 8, made + at, 20);
    put_number(at + 20, slow_crc(checked, 28), 4);
    memcpy(made + at + 24, bytes, size);
    made_size += 24 + size;
}

static void make_start(void)
{
    memcpy(made, "TLUJRNL2", 8);
    made_size = 8;
}

// Of a learner without rows: of four counts that are 0, and one bias.
#define STATE_AT_FIRST slow_crc((const double[5]){0}, 5 * sizeof(double))

// `options` are "name=value name=value".
static void make_opening(uint64_t learned, uint32_t state, const char *options, const char *lines)
{
    char bytes[1000];
    size_t size = (size_t)sprintf(bytes, "%020llu %08x", (unsigned long long)learned, state) + 1;
    for (const char *at = options; *at; at++)
        bytes[size++] = *at == '=' || *at == ' ' ? '\0' : *at;
    if (*options)
        bytes[size++] = '\0';
    bytes[size++] = '\0';
    memcpy(bytes + size, lines, strlen(lines));
    make_record(UINT64_MAX, bytes, size + strlen(lines));
}

static void make_first(const char *options, const char *lines)
{
    make_opening(0, STATE_AT_FIRST, options, lines);
}

static void make_rows_of(uint64_t number, const char *lines)
{
    make_record(number, lines, strlen(lines));
}

static void write_made(void)
{
    FILE *file = fopen(JOURNAL, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made, 1, made_size, file), made_size);
    assert_int_equal(fclose(file), 0);
}

#define HEADER "num,cat,label\n"
#define SOME "1,7,red\n2,u,blue\n"
#define MORE "3,7,red\n-1,u,red\n"

// The journal at hand, opened twice, and then with more rows, and opened once more, is the model of
// the stream.
static void expect_stream(const char *settings, const char *header, const char *first,
                          const char *more, uint64_t learned)
{
    struct answers answers = {.size = 0};
    size_t size;
    text_size = 0;
    put("%s", header);
    put("%s%s", first, more);
    char all[128]; // what the defaults of a stream were then, if there were rows
    sprintf(all, "%s%s", learned ? "learner=perceptron decide=average scale=none " : "", settings);
    char *model = run_whole(all, 0, 0, &answers, &size);
    forget();
    write_made();
    for (int i = 0; i < 2; i++) {
        tlu_stream *opened = open_stream("", &journalled);
        assert_int_equal(tlu_stream_get_stats(opened)->learned, learned);
        tlu_stream_close(opened);
    }
    tlu_stream *stream = open_stream("", &journalled);
    text_size = 0;
    put("%s%s", header, more);
    take_pieces(stream, 0, text_size, 0, NULL, true, &answers);
    tlu_stream_close(stream);
    save_and_close(open_stream("", &journalled));
    expect_model(model, size);
    free(model);
}

static void former_journals_are_read(void **state)
{
    (void)state;
    make_start(); // the usual one
    make_first("format=csv learner=pa", HEADER "0,u,red\n");
    make_rows_of(0, "0,u,red\n" SOME);
    expect_stream("format=csv learner=pa", HEADER, "0,u,red\n" SOME, MORE, 3);
    make_start(); // begun twice: the second start had the columns and the options of the first
    make_first("format=csv learner=pa", HEADER "0,u,red\n");
    make_first("format=csv", HEADER);
    make_rows_of(0, "0,u,red\n" SOME);
    expect_stream("format=csv learner=pa", HEADER, "0,u,red\n" SOME, MORE, 3);
    make_start(); // as often as you like, if it comes to the same
    for (int i = 0; i < 4; i++)
        make_first("learner=pa", "+1 1:1\n");
    make_rows_of(0, "+1 1:1\n-1 2:1\n");
    expect_stream("learner=pa", "", "+1 1:1\n-1 2:1\n", "+1 3:1\n", 2);
}

// Without a row it is as if it had never been.
static void former_opening_alone(void **state)
{
    (void)state;
    make_start();
    make_first("format=csv learner=pa", HEADER "0,9,red\n");
    expect_stream("", HEADER, "", "5,u,red\n-2,7,blue\n", 0);
    make_first("format=csv learner=pa", HEADER);
    expect_stream("", HEADER, "", "5,u,red\n-2,7,blue\n", 0);
}

static void expect_doubt(void)
{
    tlu_stream *stream;
    tlu_error error;
    forget();
    write_made();
    assert_int_equal(tlu_stream_open(MODEL, NULL, &journalled, &stream, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "send the rows again"));
    size_t size;
    char *after = read_bytes(JOURNAL, &size);
    assert_int_equal(size, made_size);
    assert_memory_equal(after, made, size);
    free(after);
}

static void former_journals_in_doubt(void **state)
{
    (void)state;
    make_start(); // the third start went by the header of the second, where 7 is a number
    make_first("format=csv", HEADER "0,u,red\n");
    make_first("format=csv", HEADER);
    make_first("format=csv", HEADER);
    make_rows_of(0, "1,7,red\n2,8,blue\n");
    expect_doubt();
    make_start(); // or by other options
    make_first("format=csv learner=pa", HEADER "0,u,red\n");
    make_first("format=csv", HEADER "1,u,red\n");
    make_first("format=csv", HEADER);
    make_rows_of(0, SOME);
    expect_doubt();
    make_start(); // the third learned the rows of the second again, as numbers
    make_first("format=csv", HEADER "0,u,red\n");
    make_first("format=csv", HEADER);
    make_rows_of(0, "1,7,red\n2,8,blue\n");
    make_opening(2, 0x12345678, "format=csv", HEADER);
    make_rows_of(2, "1,7,red\n");
    expect_doubt();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begun_on_a_full_disk),
        cmocka_unit_test(other_rows_at_the_second_start),
        cmocka_unit_test(a_header_alone),
        cmocka_unit_test(refused_rows_and_a_save),
        cmocka_unit_test(options_of_the_first_start_stay),
        cmocka_unit_test(columns_of_another_model),
        cmocka_unit_test(former_journals_are_read),
        cmocka_unit_test(former_opening_alone),
        cmocka_unit_test(former_journals_in_doubt),
    };
    return cmocka_run_group_tests(tests, go_to_memory, leave_memory);
}
