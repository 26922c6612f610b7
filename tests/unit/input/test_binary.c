// The binary data file: the rows of the text it was made from, for a growing schema, for a model
// and for a part of the rows; and whatever is wrong with it is found.
#include "base/crc.h"
#include "input/binary/binary.h"
#include "reading.h"

static int take(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

// The text as a binary file called `path`.
static void convert(const char *text, const char *settings, const char *path)
{
    tlu_options *options = options_of(settings);
    tlu_error error;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    write_file("text", text, strlen(text));
    tlu_convert_settings conversion = {.size = sizeof conversion,
                                       .path = "text",
                                       .format = "binary",
                                       .write = take,
                                       .write_context = file};
    if (tlu_convert(&conversion, options, NULL, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(fclose(file), 0);
    tlu_options_free(options);
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size > 0 && *size < 1 << 20);
    fclose(file);
    return bytes;
}

static const struct {
    const char *text, *settings;
} data[] = {
    {"+1 1:1 2:0.5 5000000:1\n-1 2:2 3:1\n\n+1 1:3 # x\n1.0 9000000:7 0:1 5000000:2\n", NULL},
    {"a 1:1 7:1\nb 2:1\nc\nb 3:1\n", NULL}, // every value is 1
    {"a 3:0 4000000:0 5:2\nb 5:1\n", NULL}, // zeros name features too
    {"a 1:1\nb x\nb 2:1 qid:3\n", "skip-bad=yes"},
    {"size,shape,label\n1,round,x\n-2,long,y\n0,\"a,\nb\",x\n", NULL},
    {"1;red;x\n2;blue;y\n3;;z\n", "missing=indicator"},
    {"1;red;x\n;blue;y\n3;;z\n", "missing=zero header=no"},
    {"y,a,b,c\n1,2,3,4\n0,5,6,7\n", "label=b categorical=c,y ignore=a"},
};
enum { DATA = sizeof data / sizeof data[0] };

static void growing(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA; i++) {
        convert(data[i].text, data[i].settings, "binary");
        char *expected = strdup(rows_of(data[i].text, data[i].settings));
        uint64_t rows = got.rows, skipped = got.skipped, queries = got.qid_fields;
        uint64_t lines = got.lines, columns = got.columns;
        assert_true(expected[0] != '!' && rows > 1);
        assert_string_equal(rows_of_file("binary", NULL), expected); // mapped
        assert_int_equal(got.rows, rows);
        assert_int_equal(got.skipped, skipped);
        assert_int_equal(got.qid_fields, queries);
        assert_int_equal(got.lines, lines);
        assert_int_equal(got.columns, columns);
        size_t size;
        char *bytes = contents("binary", &size);
        assert_string_equal(rows_of_bytes(bytes, size, NULL), expected); // read
        assert_int_equal(got.columns, columns);
        free(bytes);
        free(expected);
    }
}

// A mapped batch points into the file: nothing is copied.
static void mapped(void **state)
{
    (void)state;
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    tlu_options *options = options_of(NULL);
    for (size_t i = 0; i < 2; i++) {
        convert(data[i].text, NULL, "binary");
        schema_init(&schema);
        assert_int_equal(reader_open(&reader, "binary", options, &schema, NULL), TLU_OK);
        assert_int_equal(reader_next(reader, &batch, NULL), TLU_OK);
        assert_true(batch->memory.lent_entries && batch->memory.lent_rows && !batch->memory.block);
        assert_int_equal((uintptr_t)batch->offsets % BINARY_ALIGNMENT, 0);
        assert_int_equal((uintptr_t)batch->indices % BINARY_ALIGNMENT, 0);
        assert_int_equal((uintptr_t)batch->values % BINARY_ALIGNMENT, 0);
        assert_int_equal((uintptr_t)batch->labels % BINARY_ALIGNMENT, 0);
        assert_int_equal(batch_bytes(batch), 0);
        assert_true((batch->values == NULL) == (i == 1));
        assert_int_equal(batch_line(batch, 2), i == 0 ? 4 : 3);
        batch->labels[0] = 7; // a copy of the reader's: the file stays as it is
        reader_recycle(reader, batch);
        reader_close(reader);
        schema_free(&schema);
        assert_null(strchr(rows_of_file("binary", NULL), '!'));
    }
    tlu_options_free(options);
}

// Rows as a model sees them, from a binary file that is at hand.
static const char *binary_rows_for(const tlu_model *model)
{
    tlu_reader *reader;
    tlu_error error;
    const tlu_batch *batch;
    start_reading();
    tlu_status status = tlu_reader_open(model, "binary", NULL, &reader, &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch)
        put_public_batch(model, reader, batch);
    if (reader) {
        const tlu_reader_stats *reading = tlu_reader_get_stats(reader);
        got.rows = reading->rows;
        got.unseen = reading->unseen_values;
        got.unknown = reading->unknown_labels;
        got.lines = reading->unknown_rows;
        put(reading->unknown_label, strlen(reading->unknown_label));
    }
    tlu_reader_close(reader);
    return status == TLU_OK ? got.text : failed_with(&error);
}

// By hand: what a model makes of names, labels and columns that differ from its own.
static void for_a_model(void **state)
{
    (void)state;
    static const struct {
        const char *train, *data, *settings, *expected;
        uint64_t unseen, unknown, strange;
    } cases[] = {
        {"a 1:1 2:1 5000000:1\nb 7:1\n",
         "b 7:2 1:3\nc 2:1 5000000:4 6000000:1\n3:1\n9:1 6000000:2\na\n", NULL,
         "b 1:3 7:2\n? 2:1 5000000:4\n-\n-\na\nc", 0, 1, 2},
        {"+1 1:1\n-1 2:1\n", "1 1:2\n1.0 2:1\n-1 1:1\n", NULL, "+1 1:2\n+1 2:1\n-1 1:1\n", 0, 0, 0},
        {"size,shape,label\n1,round,x\n2,long,y\n",
         "shape,label,size,more\nlong,y,7,1\nflat,z,0,2\nround,x,1,3\n", "label=label",
         "y shape=long:1 size:7\n?\nx shape=round:1 size:1\nz", 1, 1, 0},
        {"size,shape,label\n1,round,x\n2,long,y\n", "7,long,y\n0,flat,x\n", "header=no",
         "y size:7 shape=long:1\nx\n", 1, 0, 0},
        {"size,shape,label\n1,round,x\n2,long,y\n", "size,shape,y\n7,long,3\n0,flat,4\n", "label=y",
         "- size:7 shape=long:1\n-\n", 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = model_of(cases[i].train, NULL);
        convert(cases[i].data, cases[i].settings, "binary");
        assert_string_equal(binary_rows_for(model), cases[i].expected);
        assert_int_equal(got.unseen, cases[i].unseen);
        assert_int_equal(got.unknown, cases[i].unknown);
        assert_int_equal(got.lines, cases[i].strange);
        tlu_model_free(model);
    }
}

static void other_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *data, *settings, *message;
    } cases[] = {
        {"+1 1:1\n-1 2:1\n", NULL, "binary: is LIBSVM, but the model was trained on CSV"},
        {"size,label\n1,x\n", NULL,
         "binary: lacks the column 'shape' that the model was trained on; convert data that has "
         "it"},
        {"1,x\n2,y\n", "header=no", "binary: expected 3 columns as in training, found 2"},
        {"size,shape,label\n1,2,x\n", NULL,
         "binary: column 'shape' was converted as numbers, and the model takes it as categories; "
         "convert the data again with --categorical shape"},
        {"size,shape,label\nbig,long,x\n", NULL,
         "binary: column 'size' was converted as categories, and the model takes it as numbers; "
         "convert the data again with --numeric size"},
        {"size,shape,label\n1,long,x\n", "ignore=shape",
         "binary: column 'shape' was converted as nothing, and the model takes it as categories; "
         "convert the data again with --categorical shape"},
        {"size,shape,label\n1,long,x\n", "label=size",
         "binary: column 'size' was converted as labels, and the model takes it as numbers; "
         "convert the data again with --numeric size"},
    };
    tlu_model *model = model_of("size,shape,label\n1,round,x\n2,long,y\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        convert(cases[i].data, cases[i].settings, "binary");
        assert_string_equal(binary_rows_for(model) + 2, cases[i].message);
    }
    tlu_model_free(model);
}

// A part of the rows: the schema learns of no other, as with text.
static void parts_of_the_rows(void **state)
{
    (void)state;
    static const uint32_t part[] = {0, 1, 0, 1, 1, 0};
    static const char *const texts[] = {
        "b 7000000:1 1:2\na 8000000:1\nc 9:1\na 9000000:1 8000000:3\nb 2:1\nc 7000000:5\n",
        "n,c,label\n1,x,p\n2,y,q\n3,z,p\n4,x,q\n5,w,r\n6,y,r\n"};
    tlu_options *options = options_of(NULL);
    for (size_t t = 0; t < 2; t++)
        for (uint32_t chosen = 0; chosen < 2; chosen++) {
            struct row_source row_source = {.subset = {part, 6, chosen, false}};
            char *expected = NULL;
            convert(texts[t], NULL, "binary");
            for (int binary = 0; binary < 2; binary++) {
                struct schema schema;
                struct reader *reader;
                schema_init(&schema);
                start_reading();
                assert_int_equal(reader_open_source(&reader, binary ? "binary" : "text",
                                                    &row_source, options, &schema, NULL),
                                 TLU_OK);
                read_all(reader, &schema);
                for (uint32_t i = 0; i < schema.names.count; i++) // in the same order
                    put(table_text(&schema.names, i), table_length(&schema.names, i));
                for (uint32_t i = 0; i < schema_classes(&schema); i++)
                    put(schema.spelled[i], strlen(schema.spelled[i]));
                assert_int_equal(got.rows, 3);
                if (binary)
                    assert_string_equal(got.text, expected);
                else
                    expected = strdup(got.text);
                schema_free(&schema);
            }
            free(expected);
        }
    tlu_options_free(options);
}

// ---- damage ----

static void expect_refused(const char *bytes, size_t size, const char *what, size_t where)
{
    write_file("damaged", bytes, size);
    for (int way = 0; way < 2; way++) { // mapped and read
        const char *rows = way ? rows_of_bytes(bytes, size, NULL) : rows_of_file("damaged", NULL);
        // The rows of sound blocks may come first; with the first bytes gone it is no binary file.
        if (!strstr(rows, "! ") || got.error.status != TLU_ERROR_INPUT)
            fail_msg("%s at %zu: %s", what, where, rows);
        if (where >= BINARY_MAGIC_SIZE && !strstr(got.error.text, "the binary data"))
            fail_msg("%s at %zu: %s", what, where, got.error.text);
    }
}

static void every_flipped_bit_and_every_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA; i += 4) { // LIBSVM and CSV
        size_t size;
        convert(data[i].text, data[i].settings, "binary");
        char *bytes = contents("binary", &size);
        for (size_t at = 0; at < size; at++) {
            bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
            expect_refused(bytes, size, "a flipped bit", at);
            bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
        }
        for (size_t cut = 1; cut < size; cut++)
            expect_refused(bytes, cut, "a cut", cut);
        bytes[size] = '\0'; // one more
        expect_refused(bytes, size + 1, "a byte", size);
        free(bytes);
    }
}

// Makes the checksums right again, as somebody would who means harm.
static void sign(char *bytes, size_t size)
{
    struct binary_header header;
    struct binary_block_header block;
    memcpy(&header, bytes, sizeof header);
    uint32_t crc = crc32_add(0, bytes, BINARY_HEADER - 4);
    crc = crc32_add(crc, bytes + BINARY_HEADER, header.size - BINARY_HEADER);
    memcpy(bytes + BINARY_HEADER - 4, &crc, 4);
    for (size_t at = header.size; at + sizeof block <= size; at += block.size) {
        memcpy(&block, bytes + at, sizeof block);
        if (block.size < BINARY_BLOCK || block.size > size - at || block.head > block.size ||
            block.head < BINARY_BLOCK)
            return;
        crc = crc32_add(0, bytes + at + block.head, block.size - block.head);
        if (block.kind == BINARY_IS_BLOCK)
            memcpy(bytes + at + 24, &crc, 4);
        crc = crc32_add(0, bytes + at + 8, block.head - 8);
        memcpy(bytes + at + 4, &crc, 4);
    }
}

// With sound checksums: what is wrong is still found, or does no harm.
static void hostile_bytes(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 0xFF};
    size_t found = 0;
    for (size_t i = 0; i < DATA; i++) {
        size_t size;
        convert(data[i].text, data[i].settings, "binary");
        char *bytes = contents("binary", &size), *copy = malloc(size);
        tlu_model *model = model_of(data[i].text, data[i].settings);
        for (size_t at = 16; at < size; at++)
            for (size_t v = 0; v < sizeof values; v++) {
                if ((at >= 16 && at < 24) || (unsigned char)bytes[at] == values[v])
                    continue; // sign() believes the header's size
                memcpy(copy, bytes, size);
                copy[at] = (char)values[v];
                sign(copy, size);
                rows_of_bytes(copy, size, NULL);
                found += strstr(got.text, "! ") != NULL;
                if (at % sizeof values != v) // the other ways take longer
                    continue;
                write_file("binary", copy, size);
                rows_of_file("binary", NULL);
                binary_rows_for(model);
            }
        tlu_model_free(model);
        free(copy);
        free(bytes);
    }
    assert_true(found > 1000);
}

static void hostile(const char *what, size_t at, uint32_t value, const char *message)
{
    size_t size;
    char *bytes = contents("binary", &size);
    memcpy(bytes + at, &value, sizeof value);
    sign(bytes, size);
    write_file("damaged", bytes, size);
    const char *rows = strstr(rows_of_file("damaged", NULL), "! ");
    char expected[200];
    snprintf(expected, sizeof expected,
             "! damaged: the binary data is damaged: %s; convert the text again", message);
    if (!rows || strcmp(rows, expected) != 0)
        fail_msg("%s: %s", what, got.text);
    free(bytes);
}

// One a check, at the places that docs/data-format.md gives.
static void hostile_numbers(void **state)
{
    (void)state;
    // 64: the block; 128 + 64 + ...: its texts, "a" and "b"; then the arrays, 64 bytes each.
    convert("a 1:1 2:5\nb 2:3\n", NULL, "binary");
    size_t block = 64, arrays = block + 192;
    hostile("kind", block, 3, "block 1 is of an unknown kind");
    hostile("rows", block + 32, 100, "the sizes of block 1 are impossible");
    hostile("rows", block + 36, 0xFFFFFFFF, "the sizes of block 1 are impossible");
    hostile("nonzeros", block + 40, 1000, "the sizes of block 1 are impossible");
    hostile("labels", block + 48, 3, "a label of block 1 is malformed");
    hostile("labels", block + 48, 1, "the head of block 1 is too long");
    hostile("names", block + 52, 1, "a name of block 1 is malformed");
    hostile("text", block + 128, 0x7FFFFFFF, "a label of block 1 is malformed");
    hostile("offset 0", arrays, 1, "block 1: the offsets of its rows do not ascend");
    hostile("offset 1", arrays + 4, 9, "block 1: the offsets of its rows do not ascend");
    hostile("offset 2", arrays + 8, 2, "block 1: the offsets of its rows do not ascend");
    hostile("index", arrays + 64, 3, "block 1: it has a feature that is not there");
    hostile("index", arrays + 64, SCHEMA_DIRECT, "block 1: it has a feature that is not there");
    hostile("index", arrays + 64, 0xFFFFFFFF, "block 1: it has a feature that is not there");
    hostile("value 0", arrays + 128, 0, "block 1: it has a value that is 0 or not finite");
    hostile("value -0", arrays + 128, 0x80000000,
            "block 1: it has a value that is 0 or not finite");
    hostile("inf", arrays + 128, 0x7F800000, "block 1: it has a value that is 0 or not finite");
    hostile("nan", arrays + 132, 0xFFC00000, "block 1: it has a value that is 0 or not finite");
    hostile("label", arrays + 192, 2, "block 1: it has a label that is not there");
    hostile("end", arrays + 320 + 32, 3, "its blocks are not those that it should have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing),           cmocka_unit_test(mapped),
        cmocka_unit_test(for_a_model),       cmocka_unit_test(other_columns_are_refused),
        cmocka_unit_test(parts_of_the_rows), cmocka_unit_test(every_flipped_bit_and_every_cut),
        cmocka_unit_test(hostile_bytes),     cmocka_unit_test(hostile_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
