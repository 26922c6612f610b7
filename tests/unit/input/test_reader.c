// From bytes to batches: the same rows, errors and counts however the data is cut into chunks.
#include "base/fault.h"
#include "reading.h"

#define CHUNK ((size_t)1 << 20) // as the reader cuts

static struct {
    char *bytes;
    size_t size, capacity;
    uint64_t lines;
} text;

static void start_text(void)
{
    text.size = 0;
    text.lines = 0;
}

static void add(const char *format, ...)
{
    if (text.capacity - text.size < 4096) {
        text.capacity = 2 * text.capacity + (1 << 16);
        text.bytes = realloc(text.bytes, text.capacity);
        assert_non_null(text.bytes);
    }
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text.bytes + text.size, text.capacity - text.size, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && n < 4096);
    for (int i = 0; i < n; i++)
        text.lines += text.bytes[text.size + (size_t)i] == '\n';
    text.size += (size_t)n;
}

static int free_texts(void **state)
{
    free(text.bytes);
    return free_reading(state);
}

static uint32_t next_random(void)
{
    static uint32_t x = 1;
    x = x * 1664525 + 1013904223;
    return x >> 16;
}

// The file, in chunks, gives what the bytes give in one piece; returns how many batches it took.
static uint64_t expect_same(const char *settings)
{
    write_file("file", text.bytes, text.size);
    rows_of_bytes(text.bytes, text.size, settings);
    assert_true(got.batches <= 1);
    char *expected = strdup(got.text);
    uint64_t rows = got.rows, skipped = got.skipped, columns = got.columns, lines = got.lines;
    rows_of_file("file", settings);
    if (expected[0] == '!') // rows before the malformed one may have come out
        assert_string_equal(strstr(got.text, "! file:") + sizeof "! file:" - 1,
                            expected + sizeof "! the given text:" - 1);
    else
        assert_int_equal(strcmp(got.text, expected), 0);
    assert_true(expected[0] == '!' || got.rows == rows);
    assert_true(expected[0] == '!' || got.skipped == skipped);
    assert_true(expected[0] == '!' || got.lines == lines);
    assert_true(expected[0] == '!' || got.columns == columns);
    free(expected);
    return got.batches;
}

static void add_libsvm_rows(size_t size)
{
    while (text.size < size) {
        add("%s", next_random() % 2 ? "+1" : "-1");
        for (uint32_t index = 1 + next_random() % 9; index < 60; index += 1 + next_random() % 9)
            add(" %u:%u", index, next_random() % 10);
        if (next_random() % 4 == 0)
            add(" %u:1", 2000000 + next_random() % 100);
        add(next_random() % 3 ? "\n" : " # note\r\n");
    }
}

static void libsvm_in_chunks(void **state)
{
    (void)state;
    start_text();
    add_libsvm_rows(9 * CHUNK / 4);
    assert_int_equal(expect_same(NULL), 3);
    assert_int_equal(got.lines, text.lines);
    text.size--; // without the last newline
    expect_same(NULL);
}

static void lines_longer_than_a_chunk(void **state)
{
    (void)state;
    start_text();
    add_libsvm_rows(CHUNK / 2);
    add("+1");
    for (uint32_t i = 1; text.size < 5 * CHUNK / 2; i++)
        add(" %u:1", i);
    add("\n");
    add_libsvm_rows(3 * CHUNK);
    uint64_t line = text.lines;
    assert_true(expect_same(NULL) > 1);
    add("+1 1:x\n");
    expect_same(NULL);
    assert_int_equal(got.error.line, line + 1);
    assert_int_equal(got.error.column, 6);
}

// The end of a chunk at every kind of place.
static void sizes_around_a_chunk(void **state)
{
    (void)state;
    static const char *const ends[] = {"", "\n", "\r\n", "\n\n", "\n-1", "\n-1 3:1\n"};
    for (size_t size = CHUNK - 3; size <= CHUNK + 1; size++)
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            start_text();
            add("-1 1:1\n");
            while (text.size + 300 < size)
                add("# %0250d\n", 0); // comments cost no time
            add("+1 2:1.");
            while (text.size < size)
                add("0");
            add("%s", ends[k]);
            expect_same(NULL);
        }
}

static void preamble_longer_than_a_chunk(void **state)
{
    (void)state;
    start_text();
    add("\xEF\xBB\xBF");
    while (text.size < 5 * CHUNK / 2)
        add(text.lines % 3 ? "# a line of comment that says nothing at all\n" : "  \r\n");
    uint64_t lines = text.lines;
    size_t size = text.size;
    add("+1 1:1\n-1 2:x\n");
    expect_same(NULL);
    assert_int_equal(got.error.line, lines + 2);
    text.size = size;
    add("a,b\n\n1,x\n\"");
    expect_same(NULL);
    assert_int_equal(got.error.line, lines + 4);
    text.size = size;
    assert_string_equal(rows_of_bytes(text.bytes, text.size, NULL),
                        "! the given text: has no examples");
    write_file("file", text.bytes, text.size);
    assert_string_equal(rows_of_file("file", NULL), "! file: has no examples");
}

static void add_csv_rows(size_t size)
{
    while (text.size < size) {
        uint32_t kind = next_random() % 8;
        if (kind == 0)
            add("\"several\nlines, and \"\"quotes\"\"\n\",%u,\"x\"\n", next_random() % 100);
        else if (kind == 1)
            add("\"a,b\"  , %u ,y\r\n", next_random() % 100);
        else
            add("word%u,%u,%s\n", next_random() % 20, next_random() % 100, kind % 2 ? "x" : "y");
        if (next_random() % 50 == 0)
            add("\n");
    }
}

static void csv_in_chunks(void **state)
{
    (void)state;
    start_text();
    add("c,n,label\n");
    add_csv_rows(9 * CHUNK / 4);
    assert_true(expect_same(NULL) >= 3);
    uint64_t lines = text.lines;
    add("w,1,x,\n");
    expect_same(NULL);
    assert_int_equal(got.error.line, lines + 1);
}

// A quoted field from before the end of the first chunk to after it, with line ends all over.
static void quoted_lines_across_chunks(void **state)
{
    (void)state;
    for (size_t length = 40; length < CHUNK; length *= 150) {
        start_text();
        add("c,n,label\n");
        while (text.size < CHUNK - 210)
            add("%0200d,1,x\n", 0);
        for (int fields = 0; fields < 2; fields++) {
            add("\"");
            for (size_t end = text.size + length; text.size < end;)
                add("line, %zu\n", text.size % 7);
            add("\",2,y\n");
        }
        add_csv_rows(text.size + CHUNK / 2);
        assert_true(expect_same("ignore=c") >= 2);
        add("w,1\n");
        uint64_t line = text.lines;
        expect_same("ignore=c");
        assert_int_equal(got.error.line, line);
    }
}

static void broken_quotes_across_chunks(void **state)
{
    (void)state;
    start_text();
    add("c,n,label\n");
    uint64_t bad = 0;
    while (text.size < 9 * CHUNK / 4) {
        add_csv_rows(text.size + CHUNK / 50);
        static const char *const broken[] = {"a\"b,1,x\n", "\"a\"b,1,x\n", "w,1\n", "\"open,1,x\n",
                                             "w,none,x\n"};
        // A quote that is never closed is a bad row of its own where no other quote follows at a
        // place that makes sense of it.
        add("%s", broken[bad++ % 5]);
        add("word,5,y\nword,\"6\",y\n");
    }
    expect_same("skip-bad=yes");
    assert_int_equal(got.skipped, bad);
    expect_same(NULL);
}

static void wide_rows(void **state)
{
    (void)state;
    enum { WIDE = 100000 };
    start_text();
    for (int i = 0; i < WIDE; i++)
        add("column%d,", i);
    add("label\n");
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < WIDE; i++)
            add("%d,", i % 100 == row);
        add("%c\n", 'x' + row);
    }
    expect_same(NULL);
    assert_int_equal(got.rows, 2);
    assert_int_equal(got.columns, WIDE);
    assert_non_null(strstr(got.text, "y column1:1 column101:1 "));
    // And with one name for all of them.
    start_text();
    for (int i = 0; i < WIDE; i++)
        add("c,");
    add("label\n");
    for (int i = 0; i < WIDE; i++)
        add("1,");
    add("x\n");
    expect_same(NULL);
    assert_non_null(strstr(got.text, "x c:1 c.2:1 c.3:1 "));
}

static void many_unsorted_names(void **state)
{
    (void)state;
    start_text(); // every row takes its new names back and adds them again
    while (text.size < CHUNK)
        add("+1 %zu:1 %zu:1 %zu:1\n", 3000000 + text.size, 2000000 + text.size, 1);
    expect_same(NULL);
}

static void empty_files(void **state)
{
    (void)state;
    write_file("file", "", 0);
    assert_string_equal(rows_of_file("file", NULL), "! file: is empty");
    assert_string_equal(rows_of("", NULL), "! the given text: has no examples");
    assert_string_equal(rows_of_file("nowhere", NULL),
                        "! nowhere: cannot open: No such file or directory");
}

static void formats(void **state)
{
    (void)state;
    const char *unknown = "! the given text:1:1: cannot tell the format: expected LIBSVM rows such "
                          "as '+1 3:0.5 7:1' or CSV rows such as '5.1,3.5,setosa'; give --format";
    assert_string_equal(rows_of("hello\nworld\n", NULL), unknown);
    assert_string_equal(rows_of("1\n2\n", NULL), unknown);
    assert_string_equal(rows_of("1 2:3\n", NULL), "1 2:3\n");
    assert_string_equal(rows_of("1 2:3\n", "format=csv header=no"), "2:3 1:1\n");
    assert_string_equal(rows_of("12:30,5,x\n12:40,6,y\n", NULL),
                        "x 1=12:30:1 2:5\ny 1=12:40:1 2:6\n");
    assert_string_equal(rows_of("day 12:30,5,x\nday 12:40,6,y\n", NULL),
                        "x 1=day 12:30:1 2:5\ny 1=day 12:40:1 2:6\n");
    assert_string_equal(rows_of("1,2:3\n", "format=libsvm"), "1,2:3\n"); // a label
    // Rows that are nearly LIBSVM are not taken for columns separated by blanks.
    assert_string_equal(rows_of("+1 2:x\n", NULL),
                        "! the given text:1:6: expected a number, found 'x'");
    assert_string_equal(rows_of("+1 02:5\n-1 3:1\n", NULL), "+1 2:5\n-1 3:1\n");
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "+1 1:1 7000000:2\n-1 3:1 2:1 6000000:5 5000000:1\n",
        "c,n,c,label\n\"a\"\"b\",1,q,x\n?,2,\"r\ns\",y\n",
    };
    for (size_t k = 0; k < 2; k++)
        for (long n = 1;; n++) {
            tlu_options *options = options_of(k == 1 ? "missing=indicator" : NULL); // for CSV
            struct schema schema;
            struct reader *reader = NULL;
            struct batch *batch = NULL;
            tlu_error error;
            schema_init(&schema);
            fault_at(FAULT_MEMORY, n);
            tlu_status status =
                reader_open_bytes(&reader, texts[k], strlen(texts[k]), options, &schema, &error);
            if (status == TLU_OK)
                status = reader_next(reader, &batch, &error);
            bool hit = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            assert_int_equal(status, hit ? TLU_ERROR_SYSTEM : TLU_OK);
            if (hit)
                assert_string_equal(error.text, "out of memory");
            batch_free(batch);
            reader_close(reader);
            schema_free(&schema);
            tlu_options_free(options);
            if (!hit)
                break;
            assert_true(n < 1000);
        }
}

static bool stop_at_third(void *context)
{
    return ++*(int *)context >= 3;
}

// A row that is longer than a chunk: the caller is asked in between, and heard.
static void a_long_row_can_be_interrupted(void **state)
{
    (void)state;
    size_t size = (size_t)48 << 20;
    char *bytes = malloc(size);
    int asked = 0;
    struct schema schema;
    struct reader *reader;
    tlu_error error;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(bytes);
    assert_non_null(options);
    memset(bytes, '1', size);
    schema_init(&schema);
    struct row_source row_source = {
        .bytes = bytes, .size = size, .is_over = stop_at_third, .context = &asked};
    assert_int_equal(reader_open_source(&reader, "row", &row_source, options, &schema, &error),
                     TLU_INTERRUPTED);
    assert_non_null(strstr(error.text, "interrupted"));
    assert_true(asked >= 3 && asked <= 5);
    // Nobody says stop: it is as long as it is, and too long for another limit.
    row_source.is_over = NULL;
    assert_int_equal(tlu_options_set(options, "max-row", "20M", &error), TLU_OK);
    assert_int_equal(reader_open_source(&reader, "row", &row_source, options, &schema, &error),
                     TLU_ERROR_INPUT);
    assert_string_equal(
        error.text,
        "row:1: the row has more than 20971520 bytes; --max-row SIZE allows longer ones");
    schema_free(&schema);
    tlu_options_free(options);
    free(bytes);
}

// ---- rows that a function brings ----

static struct {
    unsigned batches;    // brought so far
    unsigned unlabelled; // the batch whose second row has no label
} bringing;

// Three batches of two rows: "a 1:BATCH" and "b 9:0.5 BATCH:0.25", the last a name.
static tlu_status bring_two(void *context, struct batch *batch, tlu_error *error)
{
    (void)context;
    (void)error;
    unsigned number = ++bringing.batches;
    char name[16];
    size_t length = (size_t)snprintf(name, sizeof name, "name%u", number);
    if (number > 3)
        return TLU_OK;
    assert_true(batch_reserve(batch, 2, 3));
    batch->labels[0] = table_add(&batch->classes, "a", 1);
    batch->indices[0] = 1;
    batch->values[0] = (float)number;
    row_close(batch, 1, 0);
    batch->labels[1] =
        number == bringing.unlabelled ? TLU_NO_LABEL : table_add(&batch->classes, "b", 1);
    batch->indices[1] = 9;
    batch->values[1] = 0.5F;
    batch->indices[2] = table_add(&batch->names, name, length) | BATCH_LOCAL;
    batch->values[2] = 0.25F;
    row_close(batch, 3, 0);
    index_range_add(&batch->direct, 1);
    index_range_add(&batch->direct, 9);
    batch->ones = false;
    return TLU_OK;
}

static const char *rows_brought(const struct subset *subset, unsigned unlabelled)
{
    struct row_source row_source = {.next_rows = bring_two, .subset = *subset};
    struct schema schema;
    struct reader *reader;
    tlu_options *options = options_of("");
    start_reading();
    schema_init(&schema);
    bringing.batches = 0;
    bringing.unlabelled = unlabelled;
    assert_int_equal(reader_open_source(&reader, "rows", &row_source, options, &schema, &got.error),
                     TLU_OK);
    const char *rows = read_all(reader, &schema);
    schema_free(&schema);
    tlu_options_free(options);
    return rows;
}

static void rows_of_a_function(void **state)
{
    (void)state;
    static const uint32_t part[] = {0, 1, 0, 0, 1, 0};
    assert_string_equal(rows_brought(&(struct subset){0}, 0),
                        "a 1:1\nb 9:0.5 name1:0.25\na 1:2\nb 9:0.5 name2:0.25\n"
                        "a 1:3\nb 9:0.5 name3:0.25\n");
    assert_int_equal(got.columns, 9 + 3);
    // The schema does not learn of what is in other rows alone.
    assert_string_equal(rows_brought(&(struct subset){.part = part, .rows = 6, .chosen = 1}, 0),
                        "b 9:0.5 name1:0.25\na 1:3\n");
    assert_int_equal(got.columns, 9 + 1);
    rows_brought(&(struct subset){0}, 2);
    assert_string_equal(got.error.text, "rows:4: has no label; add one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libsvm_in_chunks),
        cmocka_unit_test(lines_longer_than_a_chunk),
        cmocka_unit_test(sizes_around_a_chunk),
        cmocka_unit_test(preamble_longer_than_a_chunk),
        cmocka_unit_test(csv_in_chunks),
        cmocka_unit_test(quoted_lines_across_chunks),
        cmocka_unit_test(broken_quotes_across_chunks),
        cmocka_unit_test(wide_rows),
        cmocka_unit_test(many_unsorted_names),
        cmocka_unit_test(empty_files),
        cmocka_unit_test(formats),
        cmocka_unit_test(a_long_row_can_be_interrupted),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(rows_of_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, free_texts);
}
