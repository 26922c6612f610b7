// Several threads parse, and the rows come out as if one had done it.
#include "reading.h"
#include "trials.h"

#include <pthread.h>
#include <sys/stat.h>

enum { ROWS = 80000 }; // a few chunks of a megabyte

static char *bytes;
static size_t size;

static void make_text(bool csv, size_t rows)
{
    bytes = malloc(rows * 64 + 100);
    assert_non_null(bytes);
    size = csv ? (size_t)sprintf(bytes, "n,c,label\n") : 0;
    uint32_t x = 1;
    for (size_t i = 0; i < rows; i++) {
        x = x * 1664525 + 1013904223;
        uint32_t a = x >> 28, b = (x >> 20) % 50;
        size += (size_t)(csv ? sprintf(bytes + size, "%u,\"v\n%u\",%c\n", a, b, 'x' + (int)(b % 3))
                             : sprintf(bytes + size, "%u %u:1 %u:0.5 %u:%u\n", b % 5, a + 1, 90 + b,
                                       4000000 + b * 7, a + 1));
    }
}

// The rows themselves are too many to print; their number in order is what matters.
static uint64_t fingerprint_of(const char *path, const char *threads, tlu_status *status,
                               tlu_error *error)
{
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    tlu_options *options = options_of(NULL);
    uint64_t hash = 14695981039346656037u, rows = 0;
    assert_int_equal(tlu_options_set(options, "threads", threads, NULL), TLU_OK);
    schema_init(&schema);
    *status = reader_open(&reader, path, options, &schema, error);
    while (*status == TLU_OK && (*status = reader_next(reader, &batch, error)) == TLU_OK && batch) {
        assert_int_equal(batch->first_row, rows);
        rows += batch->rows;
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = batch_row(batch, i);
            hash = (hash ^ batch->labels[i]) * 1099511628211u;
            for (size_t k = 0; k < row.count; k++) {
                uint32_t bits;
                float value = row.values ? row.values[k] : 1;
                memcpy(&bits, &value, sizeof bits);
                hash = (hash ^ row.features[k]) * 1099511628211u;
                hash = (hash ^ bits) * 1099511628211u;
            }
        }
        if (rows % 2) // some are given back, some kept
            reader_recycle(reader, batch);
        else
            batch_free(batch);
    }
    reader_close(reader);
    for (uint32_t i = 0; i < schema.names.count; i++) // the order of names and labels counts too
        for (const char *c = table_text(&schema.names, i); *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (uint32_t i = 0; i < schema_classes(&schema); i++)
        hash = (hash ^ (unsigned char)schema.spelled[i][0]) * 1099511628211u;
    schema_free(&schema);
    tlu_options_free(options);
    return hash ^ rows;
}

static uint64_t fingerprint(const char *threads, tlu_status *status, tlu_error *error)
{
    return fingerprint_of("file", threads, status, error);
}

static void same_rows(void **state)
{
    (void)state;
    for (int csv = 0; csv < 2; csv++) {
        make_text(csv, ROWS);
        write_file("file", bytes, size);
        tlu_status status;
        tlu_error error;
        uint64_t expected = fingerprint("1", &status, &error);
        assert_int_equal(status, TLU_OK);
        static const char *const threads[] = {"4", "2", "16"};
        for (size_t i = 0; i < unless_sanitized(3, 1); i++) {
            assert_int_equal(fingerprint(threads[i], &status, &error), expected);
            assert_int_equal(status, TLU_OK);
        }
        free(bytes);
    }
}

// Names that come up in one chunk while others, parsed beside it, have them already: some twice in
// a row, some longer than a slot of the table has room for.
static void make_names(size_t rows)
{
    bytes = malloc(rows * 120 + 100);
    assert_non_null(bytes);
    size = 0;
    uint32_t x = 7;
    for (size_t i = 0; i < rows; i++) {
        size += (size_t)sprintf(bytes + size, "%d |", i % 3 ? 1 : -1);
        for (int k = 0; k < 8; k++) {
            x = x * 1664525 + 1013904223;
            size_t name = i / 4 + (x >> 16) % 50;
            size += (size_t)sprintf(bytes + size, name % 5 ? " w%zu" : " a-rather-long-w%zu", name);
        }
        bytes[size++] = '\n';
    }
}

static void names_met_at_the_same_time(void **state)
{
    (void)state;
    make_names(ROWS);
    write_file("file", bytes, size);
    tlu_status status;
    tlu_error error;
    uint64_t expected = fingerprint("1", &status, &error);
    for (size_t round = 0; round < unless_sanitized(2, 1); round++) {
        assert_int_equal(fingerprint(round % 2 ? "3" : "8", &status, &error), expected);
        assert_int_equal(status, TLU_OK);
    }
    free(bytes);
}

static int take(void *context, const char *from, size_t count)
{
    return fwrite(from, 1, count, context) != count;
}

// The rows of a binary file as a model sees them.
static uint64_t fingerprint_for(const tlu_model *model, const char *threads)
{
    tlu_options *options = options_of(NULL);
    tlu_reader *reader;
    const tlu_batch *batch = NULL;
    uint64_t hash = 14695981039346656037u;
    assert_int_equal(tlu_options_set(options, "threads", threads, NULL), TLU_OK);
    assert_int_equal(tlu_reader_open(model, "file", options, &reader, NULL), TLU_OK);
    while (tlu_reader_next(reader, &batch, NULL) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows; i++) {
            hash = (hash ^ batch->labels[i]) * 1099511628211u;
            for (uint32_t k = batch->offsets[i]; k < batch->offsets[i + 1]; k++)
                hash = (hash ^ batch->features[k]) * 1099511628211u;
        }
    hash ^= tlu_reader_get_stats(reader)->rows;
    tlu_reader_close(reader);
    tlu_options_free(options);
    return hash;
}

// Binary data gives what its text gives.
static void same_binary(void **state)
{
    (void)state;
    for (int csv = 0; csv < 2; csv++) {
        make_text(csv, ROWS);
        write_file("file", bytes, size);
        tlu_model *model = model_of(csv ? "n,c,label\n3,\"v\n7\",x\n1,\"v\n9\",y\n"
                                        : "1 3:1 95:1\n2 4000007:1 2:1\n",
                                    "epochs=1");
        tlu_status status;
        tlu_error error;
        uint64_t expected = fingerprint("1", &status, &error);
        uint64_t expected_for = fingerprint_for(model, "1");
        FILE *file = fopen("binary", "wb");
        tlu_convert_settings conversion = {.size = sizeof conversion,
                                           .path = "file",
                                           .format = "binary",
                                           .write = take,
                                           .write_context = file};
        assert_int_equal(tlu_convert(&conversion, NULL, NULL, NULL), TLU_OK);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(rename("binary", "file"), 0);
        static const char *const threads[] = {"1", "16", "2"};
        for (size_t i = 0; i < unless_sanitized(3, 2); i++) {
            assert_int_equal(fingerprint(threads[i], &status, &error), expected);
            assert_int_equal(status, TLU_OK);
            assert_int_equal(fingerprint_for(model, threads[i]), expected_for);
        }
        tlu_model_free(model);
        free(bytes);
    }
}

// Of several malformed rows the first in the file is named, whoever parses it.
static void same_error(void **state)
{
    (void)state;
    for (int csv = 0; csv < 2; csv++) {
        make_text(csv, ROWS);
        size_t bad = size / 2;
        while (bytes[bad - 1] != '\n' || (csv && bytes[bad - 2] == 'v'))
            bad++;
        uint64_t line = 1;
        for (size_t i = 0; i < bad; i++)
            line += bytes[i] == '\n';
        bytes[bad] = csv ? '"' : '1'; // a quote that goes wrong at once, or no label
        if (!csv)
            bytes[bad + 1] = ':';
        bytes[size - 8] = '"';
        write_file("file", bytes, size);
        static const char *const threads[] = {"1", "2", "4"};
        char first[sizeof(tlu_error)] = "";
        for (size_t i = 0; i < 3; i++) {
            tlu_status status;
            tlu_error error;
            fingerprint(threads[i], &status, &error);
            assert_int_equal(status, TLU_ERROR_INPUT);
            assert_int_equal(error.line, line);
            if (i == 0)
                strcpy(first, error.text);
            assert_string_equal(error.text, first);
        }
        free(bytes);
    }
}

// ---- kinds of CSV columns, for which the whole file is read first ----

// Numbers, with a word for the number in some of the rows from `first` on, one in `step`.
static void make_numbers(size_t rows, size_t first, size_t step)
{
    bytes = malloc(rows * 40 + 100);
    assert_non_null(bytes);
    size = 0;
    for (size_t i = 0; i < rows; i++) {
        bool word = i >= first && (i - first) % step == 0;
        size += (size_t)sprintf(bytes + size, "%zu.25,%s,abcdefgh %zu,%c\n", i,
                                word ? "word" : "12", i % 7, i % 2 ? 'y' : 'x');
    }
}

static void *feed_pipe(void *unused)
{
    (void)unused;
    write_file("pipe", bytes, size);
    return NULL;
}

// A word far after the first chunk counts, and is named by its line, in a file and in a pipe.
static void late_words(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "7"};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int slip = 0; slip < 2; slip++) {
        make_numbers(150000, 100000, slip ? 4000 : 1); // from the 3rd megabyte on
        write_file("file", bytes, size);
        uint64_t expected = 0;
        for (size_t i = 0; i < 6; i += unless_sanitized(1, 2)) {
            tlu_status status;
            tlu_error error;
            pthread_t feeder;
            if (i >= 3)
                assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, NULL), 0);
            uint64_t hash =
                fingerprint_of(i < 3 ? "file" : "pipe", threads[i % 3], &status, &error);
            if (i >= 3)
                pthread_join(feeder, NULL);
            assert_int_equal(status, slip ? TLU_ERROR_INPUT : TLU_OK);
            expected = i ? expected : hash;
            assert_int_equal(hash, expected);
            if (slip) { // 13 of 150000, the first in row 100001 after "100000.25,"
                assert_int_equal(error.line, 100001);
                assert_int_equal(error.column, 11);
                assert_non_null(strstr(error.text, "as in 149987 other rows, found 'word'"));
            }
        }
        free(bytes);
    }
}

// A plain file is not kept: what is read is what it holds by then.
static void read_again(void **state)
{
    (void)state;
    make_numbers(150000, 150000, 1);
    write_file("file", bytes, size);
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    tlu_options *options = options_of("threads=1");
    size_t rows = 0, new_rows = 0;
    schema_init(&schema);
    assert_int_equal(reader_open(&reader, "file", options, &schema, NULL), TLU_OK);
    for (size_t i = size / 2; i < size; i++) // "y" becomes "z" in the second half
        if (bytes[i] == '\n' && bytes[i - 1] == 'y')
            bytes[i - 1] = 'z';
    write_file("file", bytes, size);
    while (reader_next(reader, &batch, NULL) == TLU_OK && batch) {
        for (size_t i = 0; i < batch->rows; i++)
            new_rows += schema.spelled[batch->labels[i]][0] == 'z';
        rows += batch->rows;
        reader_recycle(reader, batch);
    }
    assert_int_equal(rows, 150000);
    assert_true(new_rows > 30000 && new_rows < 40000); // half of the second half
    reader_close(reader);
    schema_free(&schema);
    tlu_options_free(options);
    free(bytes);
}

// A header that fills the first chunk, or nearly: a row of data that is longer comes after it.
static void header_alone_in_a_chunk(void **state)
{
    (void)state;
    size_t word = 3 << 20;
    bytes = malloc(word + 100);
    assert_non_null(bytes);
    size = (size_t)sprintf(bytes, "a,b,label\n1,");
    memset(bytes + size, 'w', word);
    size += word;
    size += (size_t)sprintf(bytes + size, ",x\n2,v,y\n3,v,x\n");
    write_file("file", bytes, size);
    tlu_status status;
    tlu_error error;
    uint64_t expected = fingerprint("1", &status, &error);
    assert_int_equal(status, TLU_OK);
    assert_int_equal(fingerprint("3", &status, &error), expected);
    rows_of_file("file", NULL);
    assert_int_equal(got.rows, 3);
    assert_non_null(strstr(got.text, "\ny a:2 b=v:1\nx a:3 b=v:1\n"));
    free(bytes);
}

// Whoever stops early leaves nothing running and nothing behind.
static void closing_early(void **state)
{
    (void)state;
    make_text(false, ROWS);
    write_file("file", bytes, size);
    free(bytes);
    for (int batches = 0; batches < 3; batches++) {
        struct schema schema;
        struct reader *reader;
        struct batch *batch;
        tlu_options *options = options_of("threads=4");
        schema_init(&schema);
        assert_int_equal(reader_open(&reader, "file", options, &schema, NULL), TLU_OK);
        for (int i = 0; i < batches; i++) {
            assert_int_equal(reader_next(reader, &batch, NULL), TLU_OK);
            batch_free(batch);
        }
        reader_close(reader);
        schema_free(&schema);
        tlu_options_free(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_rows),     cmocka_unit_test(same_binary),
        cmocka_unit_test(same_error),    cmocka_unit_test(late_words),
        cmocka_unit_test(read_again),    cmocka_unit_test(header_alone_in_a_chunk),
        cmocka_unit_test(closing_early), cmocka_unit_test(names_met_at_the_same_time)};
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
