// Several files and parts of files: every row is read exactly once, in order, with its own line.
//
// The test writes random files and notes where each row begins. The label of a row is its number.
#include "data/batch.h"
#include "data/schema.h"
#include "input/files.h"
#include "input/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef TLU_HAVE_ZLIB
#include <zlib.h>
#endif

#define ROWS_MAX 400
#define FILES_MAX 12

static uint64_t state = 1;

static unsigned below(unsigned limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

enum shape { LIBSVM, CSV, TSV, VW, TEXT, LINES, ARRAY, SHAPES };
static const char *const endings[] = {"svm", "csv", "tsv", "vw", "txt", "jsonl", "json"};

// What was written: a row is in a file, at a line.
static struct {
    size_t rows, files;
    size_t file[ROWS_MAX];
    unsigned line[ROWS_MAX];
    char names[FILES_MAX][40];
    char path[FILES_MAX * 40];
} made;

struct writing {
    FILE *file;
    enum shape shape;
    unsigned line;
    const char *newline;
};

static void write_line(struct writing *w, const char *text)
{
    fputs(text, w->file);
    fputs(w->newline, w->file);
    w->line++;
}

// Quoted fields with commas, quotes and newlines in them, so that a cut in the middle looks like a
// row.
static void write_quoted(struct writing *w)
{
    static const char *const pieces[] = {"a", ",", "\"\"", "7,8,\n", "\n", "\n1,x,2\n", " "};
    fputc('"', w->file);
    for (unsigned i = below(6); i > 0; i--) {
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        fputs(piece, w->file);
        for (const char *at = piece; *at; at++)
            w->line += *at == '\n';
    }
    fputc('"', w->file);
}

static void write_row(struct writing *w, unsigned number, bool first, bool last)
{
    FILE *f = w->file;
    static const char padding[] = "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww";
    unsigned wide = below(8) == 0 ? below(60) + 1 : 1 + below(3);
    switch (w->shape) {
    case LIBSVM:
        fprintf(f, "%u", number);
        for (unsigned i = 1; i <= wide; i++)
            fprintf(f, " %u:%u", i, 1 + below(9));
        break;
    case CSV:
        fprintf(f, "%u,", number);
        if (below(2))
            write_quoted(w);
        else
            fprintf(f, "%.*s", (int)wide, padding);
        fprintf(f, ",%u", below(100));
        break;
    case TSV:
        fprintf(f, "%u\t%.*s\t%u", number, (int)wide, padding, below(100));
        break;
    case VW:
        fprintf(f, "%u |n %.*s x:%u", number, (int)wide, padding, 1 + below(9));
        break;
    case TEXT:
        fprintf(f, "%u\tthe %.*s words", number, (int)wide, padding);
        break;
    case LINES:
        fprintf(f, "{\"id\": %u, \"word\": \"%.*s\", \"x\": %u}", number, (int)wide, padding,
                below(9));
        break;
    default:
        fprintf(f, "%s{\"id\": %u,%s \"word\": \"%.*s]\"}%s", first ? "" : " ", number,
                below(2) ? "" : "\n", (int)wide, padding, last ? "" : ",");
    }
}

// Some lines that are not rows.
static void write_gap(struct writing *w)
{
    if (below(10) == 0)
        write_line(w, "");
    if (w->shape == LIBSVM && below(10) == 0)
        write_line(w, "# not a row: 1 2:3");
}

static void write_file(const char *name, enum shape shape, size_t file, size_t start, size_t end,
                       bool header)
{
    struct writing w = {.shape = shape, .line = 1};
    w.newline = shape != ARRAY && below(4) == 0 ? "\r\n" : "\n";
    w.file = fopen(name, "wb");
    assert_non_null(w.file);
    if (below(8) == 0)
        fputs("\xEF\xBB\xBF", w.file);
    if (header && shape == CSV)
        write_line(&w, "id,note,x");
    if (header && shape == TSV)
        write_line(&w, "id\tnote\tx");
    if (shape == ARRAY)
        write_line(&w, "[");
    for (size_t i = start; i < end; i++) {
        write_gap(&w);
        made.file[i] = file;
        made.line[i] = w.line;
        write_row(&w, (unsigned)i, i == start, i + 1 == end);
        if (i + 1 < end || below(2) || shape == ARRAY)
            fputs(w.newline, w.file);
        w.line++;
    }
    if (shape == ARRAY)
        write_line(&w, "]");
    assert_int_equal(fclose(w.file), 0);
}

// A member of JSON may be on the second line of its object: counts are done again from the bytes.
static void count_json_lines(void)
{
    for (size_t f = 0; f < made.files; f++) {
        FILE *file = fopen(made.names[f], "rb");
        assert_non_null(file);
        unsigned line = 1, number;
        for (int c; (c = fgetc(file)) != EOF;) {
            if (c == '\n')
                line++;
            if (c == '{' && fscanf(file, "\"id\": %u", &number) == 1)
                made.line[number] = line;
        }
        fclose(file);
    }
}

// Rows in random files. A table has its header in each file or, as split(1) leaves it, in the
// first.
static void make_files(enum shape shape, size_t rows, size_t files)
{
    size_t start = 0;
    bool headers = below(2);
    made.rows = rows;
    made.files = files;
    made.path[0] = '\0';
    for (size_t f = 0; f < files; f++) {
        size_t end = f + 1 == files ? rows : start + below((unsigned)(2 * rows / files + 1));
        if (end > rows || below(6) == 0)
            end = end > rows ? rows : start;
        if (f + 1 == files)
            end = rows;
        snprintf(made.names[f], sizeof made.names[f], "part-%02zu.%s", f, endings[shape]);
        write_file(made.names[f], shape, f, start, end, headers || start == 0);
        strcat(made.path, f ? "\n" : "");
        strcat(made.path, made.names[f]);
        start = end;
    }
    if (shape == ARRAY)
        count_json_lines();
}

static tlu_options *make_options(enum shape shape, uint64_t number, uint64_t count)
{
    tlu_options *options;
    char part[60], threads[2] = {(char)('1' + below(2)), '\0'};
    assert_int_equal(tlu_options_new(&options, NULL), TLU_OK);
    snprintf(part, sizeof part, "%llu/%llu", (unsigned long long)number, (unsigned long long)count);
    assert_int_equal(tlu_options_set(options, "part", count ? part : "", NULL), TLU_OK);
    assert_int_equal(tlu_options_set(options, "threads", threads, NULL), TLU_OK);
    if (shape == CSV || shape == TSV) {
        assert_int_equal(tlu_options_set(options, "label", "id", NULL), TLU_OK);
        assert_int_equal(tlu_options_set(options, "categorical", "note", NULL), TLU_OK);
    }
    if (shape == LINES || shape == ARRAY)
        assert_int_equal(tlu_options_set(options, "label", "id", NULL), TLU_OK);
    if (shape == TEXT)
        assert_int_equal(tlu_options_set(options, "format", "text", NULL), TLU_OK);
    return options;
}

// The numbers of the rows of a part.
static struct {
    size_t count;
    unsigned rows[ROWS_MAX];
} part_rows;

static void note_batch(const struct reader *reader, const struct schema *schema,
                       const struct batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++) {
        unsigned number = (unsigned)atoi(schema->spelled[batch->labels[i]]);
        tlu_error error;
        char expected[120];
        assert_true(number < made.rows && part_rows.count < ROWS_MAX);
        part_rows.rows[part_rows.count++] = number;
        reader_refuse(reader, batch, i, "here", &error);
        snprintf(expected, sizeof expected, "%s:%u: here", made.names[made.file[number]],
                 made.line[number]);
        assert_string_equal(error.text, expected);
    }
}

// Reads part K of N (N = 0: without the option) in chunks of about this size.
static tlu_status read_part(const char *path, enum shape shape, uint64_t number, uint64_t count,
                            size_t chunk_size, tlu_error *error)
{
    tlu_options *options = make_options(shape, number, count);
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    schema_init(&schema);
    part_rows.count = 0;
    tlu_status status = reader_open_source(
        &reader, path, &(struct row_source){.chunk_size = chunk_size}, options, &schema, error);
    while (status == TLU_OK) {
        status = reader_next(reader, &batch, error);
        if (status != TLU_OK || !batch)
            break;
        note_batch(reader, &schema, batch);
        reader_recycle(reader, batch);
    }
    reader_close(reader);
    schema_free(&schema);
    tlu_options_free(options);
    return status;
}

static void expect_read(const char *path, enum shape shape, uint64_t number, uint64_t count,
                        size_t chunk_size)
{
    tlu_error error = {0};
    if (read_part(path, shape, number, count, chunk_size, &error) != TLU_OK)
        fail_msg("%s, part %u/%u: %s", endings[shape], (unsigned)number, (unsigned)count,
                 error.text);
}

static size_t some_chunk_size(void)
{
    return below(3) == 0 ? 0 : 100 + below(300);
}

// The parts one after the other are the rows, in order.
static void expect_all(enum shape shape, uint64_t count)
{
    size_t next = 0;
    for (uint64_t k = 1; k <= count; k++) {
        expect_read(made.path, shape, k, count, some_chunk_size());
        for (size_t i = 0; i < part_rows.count; i++)
            if (part_rows.rows[i] != next++)
                fail_msg("%s: row %u in place of %zu in part %u of %u, of %zu files",
                         endings[shape], part_rows.rows[i], next - 1, (unsigned)k, (unsigned)count,
                         made.files);
    }
    if (next != made.rows)
        fail_msg("%s: %zu of %zu rows in %u parts of %zu files", endings[shape], next, made.rows,
                 (unsigned)count, made.files);
}

static size_t trials(void)
{
    const char *more = getenv("TLU_LONG");
    return more && *more ? 600 : 60;
}

static const uint64_t counts[] = {1, 2, 3, 4, 7, 16, 50, 1000};
#define COUNTS (sizeof counts / sizeof counts[0])

static void test_ranges(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < trials(); t++) {
        enum shape shape = (enum shape)(t % ARRAY);
        make_files(shape, 2 + below(60), 1);
        expect_all(shape, counts[below(COUNTS)]);
    }
}

// Every cut between two bytes: CSV whose quoted newlines look like rows.
static void test_every_cut(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < 4; t++) {
        struct stat about;
        make_files(t % 2 ? CSV : LIBSVM, 12, 1);
        assert_int_equal(stat(made.names[0], &about), 0);
        expect_all(t % 2 ? CSV : LIBSVM, (uint64_t)about.st_size);
    }
}

static void test_several_files(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < 3 * trials(); t++) {
        enum shape shape = (enum shape)(t % SHAPES);
        make_files(shape, 3 + below(80), 2 + below(FILES_MAX - 2));
        expect_read(made.path, shape, 0, 0, some_chunk_size());
        for (size_t i = 0; i < part_rows.count; i++)
            assert_int_equal(part_rows.rows[i], i);
        assert_int_equal(part_rows.count, made.rows);
        uint64_t count = counts[below(COUNTS)];
        if (shape != ARRAY || count <= made.files)
            expect_all(shape, count);
    }
}

// Rows that cannot be found without parsing are dealt in blocks of 64.
static void expect_dealt(const char *path, enum shape shape, uint64_t count)
{
    for (uint64_t k = 1; k <= count; k++) {
        size_t found = 0;
        expect_read(path, shape, k, count, some_chunk_size());
        for (size_t i = 0; i < made.rows; i++)
            if (i / 64 % count == k - 1) {
                assert_true(found < part_rows.count);
                assert_int_equal(part_rows.rows[found++], i);
            }
        assert_int_equal(found, part_rows.count);
    }
}

static void test_dealt(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < trials() / 3; t++) {
        make_files(ARRAY, 2 + below(ROWS_MAX - 2), 1);
        expect_dealt(made.path, ARRAY, counts[below(5)]);
    }
}

#ifdef TLU_HAVE_ZLIB
static void pack(const char *name)
{
    char packed[60], bytes[65536];
    FILE *file = fopen(name, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    snprintf(packed, sizeof packed, "%s.gz", name);
    gzFile out = gzopen(packed, "wb");
    assert_int_equal(gzwrite(out, bytes, (unsigned)size), (int)size);
    gzclose(out);
    rename(packed, name);
}

static void test_compressed(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < trials(); t++) {
        enum shape shape = (enum shape)(t % SHAPES);
        make_files(shape, 2 + below(300), 1);
        pack(made.names[0]);
        expect_dealt(made.path, shape, counts[below(5)]);
        // Compressed files are shared out whole, among plain ones.
        make_files(shape, 20 + below(100), 2 + below(FILES_MAX - 2));
        for (size_t f = 0; f < made.files; f++)
            if (below(2))
                pack(made.names[f]);
        expect_all(shape, 1 + below((unsigned)made.files));
    }
}
#endif

// A malformed row stops the part that it is in, and no other.
static void test_malformed(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < trials(); t++) {
        FILE *file = fopen("bad.svm", "wb");
        unsigned rows = 5 + below(40), bad = below(rows), failures = 0;
        for (unsigned i = 0; i < rows; i++)
            fprintf(file, i == bad ? "%u 1:1 x:3\n" : "%u 1:1 2:3\n", i);
        fclose(file);
        made.rows = rows;
        strcpy(made.names[0], "bad.svm");
        for (unsigned i = 0; i < rows; i++) {
            made.file[i] = 0;
            made.line[i] = i + 1;
        }
        unsigned count = 1 + below(9);
        char place[60];
        snprintf(place, sizeof place, "bad.svm:%u:%d: ", bad + 1, bad < 10 ? 7 : 8);
        for (unsigned k = 1; k <= count; k++) {
            tlu_error error = {0};
            if (read_part("bad.svm", LIBSVM, k, count, some_chunk_size(), &error) == TLU_OK)
                continue;
            failures++;
            assert_memory_equal(error.text, place, strlen(place));
        }
        assert_int_equal(failures, 1);
    }
}

static void expect_error(const char *path, enum shape shape, uint64_t number, uint64_t count,
                         const char *message)
{
    tlu_error error = {0};
    assert_int_equal(read_part(path, shape, number, count, 0, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, message);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    fputs(text, file);
    fclose(file);
}

static void test_messages(void **unused)
{
    (void)unused;
    write_text("a.csv", "id,note,x\n1,a,2\n");
    write_text("b.csv", "id,x,note\n2,3,b\n");
    expect_error(
        "a.csv\nb.csv", CSV, 0, 0,
        "b.csv:1: the header is not that of a.csv; give files with the same columns in the "
        "same order");
    // One word among many numbers is a slip; its line is that of its own file.
    write_text("c.csv", "id,note,x\n1,a,2\n2,a,2\n3,a,2\n4,a,2\n5,a,2\n6,a,2\n7,a,2\n");
    write_text("d.csv", "id,note,x\n1,a,2\n2,a,2\n3,a,2\n4,a,2\n5,a,two\n6,a,2\n7,a,2\n");
    expect_error("c.csv\nd.csv", CSV, 0, 0,
                 "d.csv:6:5: expected a number in column 'x', as in 13 other rows, found 'two'; "
                 "--categorical x would take all its values as categories");
    expect_error("none-*.svm", LIBSVM, 0, 0,
                 "none-*.svm: no file matches; check the name, and that the shell did not change "
                 "it");
    expect_error("a.csv\n-", CSV, 0, 0,
                 "standard input cannot be one of several files; write its data to a file, or pipe "
                 "all files together");
    expect_error(
        "a.csv", CSV, 3, 2,
        "--part expects K/N, such as 2/8 for the second of eight parts, with K from 1 to N "
        "and N up to 1000000, not '3/2'");
}

static void test_patterns(void **unused)
{
    (void)unused;
    struct file_list list;
    write_text("p-2", "");
    write_text("p-10", "");
    write_text("p-*", "");
    assert_int_equal(file_list_make(&list, "p-[0-9]*", NULL), TLU_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.paths[0], "p-10");
    assert_string_equal(list.paths[1], "p-2");
    file_list_free(&list);
    // A name that exists is that file.
    assert_int_equal(file_list_make(&list, "p-*", NULL), TLU_OK);
    assert_int_equal(list.count, 1);
    file_list_free(&list);
    assert_int_equal(file_list_make(&list, "p-2\np-[0-9]*", NULL), TLU_OK);
    assert_int_equal(list.count, 3);
    file_list_free(&list);
}

static void test_counts(void **unused)
{
    (void)unused;
    // Parts cover everything, whatever the numbers.
    for (size_t t = 0; t < 1000; t++) {
        uint64_t total = (uint64_t)below(1000000) << below(40), count = 1 + below(1000), end = 0;
        for (uint64_t k = 1; k <= count; k++) {
            struct data_part part = {k, count};
            assert_true(data_part_start(&part, total) == end);
            end = data_part_end(&part, total);
        }
        assert_true(end == total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_several_files), cmocka_unit_test(test_dealt),
#ifdef TLU_HAVE_ZLIB
        cmocka_unit_test(test_compressed),
#endif
        cmocka_unit_test(test_malformed),     cmocka_unit_test(test_messages),
        cmocka_unit_test(test_patterns),      cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
