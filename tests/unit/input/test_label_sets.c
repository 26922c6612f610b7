// Rows with several labels: how each format writes them, what is refused and where, and what
// becomes of them in models, in parts of a file and in binary data.
#include "base/fault.h"
#include "input/given_rows.h"
#include "reading.h"

#define M "multilabel=yes"

static void formats(void **state)
{
    (void)state;
    // Labels are in the order in which they first occurred; a blank alone before the entries is
    // the empty set.
    assert_string_equal(rows_of("1,2 3:1\n2 1:1\n 3:1\n3,1 2:1\n\t 4:1\n", M),
                        "{1,2} 3:1\n{2} 1:1\n{} 3:1\n{1,3} 2:1\n{} 4:1\n");
    assert_string_equal(rows_of("b,a 3:1\na,c,b 1:1\n", M), "{b,a} 3:1\n{b,a,c} 1:1\n");
    assert_string_equal(rows_of("__label__x __label__y one two\n__label__y two\n", M),
                        "{x,y} one:1 two:1\n{y} two:1\n");
    assert_string_equal(rows_of("2,5 |f a b\nx |f a\nx,5 2 'tag |f b\n", M),
                        "{2,5} f^a:1 f^b:1\n{x} f^a:1\n{5,x} f^b:1\n");
    assert_string_equal(rows_of("{\"label\":[\"a\",\"b c\"],\"text\":\"x\"}\n{\"label\":\"b c\"}\n"
                                "{\"label\":[],\"text\":\"y\"}\n{\"label\":[7,true,\"7.5\"]}\n",
                                M),
                        "{a,b c} x:1\n{b c}\n{} y:1\n{7,true,7.5}\n");
    assert_string_equal(rows_of("x,label\n1,\"a,b\"\n2,\n3,\"b , c\"\n4,b\n", M),
                        "{a,b} x:1\n{} x:2\n{b,c} x:3\n{b} x:4\n");
    assert_string_equal(rows_of("x,label\n1,a;b\n2,b\n", M " label-separator=;"),
                        "{a,b} x:1\n{b} x:2\n");
    assert_string_equal(rows_of("x,label\n1,a::b\n2,b:c\n", M " label-separator=::"),
                        "{a,b} x:1\n{b:c} x:2\n");
    assert_string_equal(rows_of("a|b\tone two\nb\ttwo\na\tx\n", M " format=text label-separator=|"),
                        "{a,b} one:1 two:1\n{b} two:1\n{a} x:1\n");
    // Numbers are one label however they are written.
    assert_string_equal(rows_of("+1,2 3:1\n2,1.0 1:1\n", M), "{+1,2} 3:1\n{+1,2} 1:1\n");
}

// Blanks separate labels, however many there are.
static void blank_separator(void **state)
{
    (void)state;
    tlu_options *options = options_of(M);
    struct schema schema;
    struct reader *reader;
    static const char text[] = "x,label\n1,a  b\n2, b\n3,\n";
    assert_int_equal(tlu_options_set(options, "label-separator", " ", NULL), TLU_OK);
    start_reading();
    schema_init(&schema);
    assert_int_equal(reader_open_bytes(&reader, text, strlen(text), options, &schema, NULL),
                     TLU_OK);
    assert_string_equal(read_all(reader, &schema), "{a,b} x:1\n{b} x:2\n{} x:3\n");
    schema_free(&schema);
    tlu_options_free(options);
}

// By the rules and by the fast paths, in files that are long enough for these.
static void long_files(void **state)
{
    (void)state;
    static const char *const labels[] = {"1,2", "2", "long,label,names", "", "2,1"};
    static const char *const sets[] = {"{1,2}", "{2}", "{long,label,names}", "{}", "{1,2}"};
    char *libsvm = calloc(1, 100000), *csv = calloc(1, 100000), *both = calloc(1, 100000);
    char *l = libsvm, *c = csv, *b = both;
    assert_true(l && c && b);
    c += sprintf(c, "x,label,y\n");
    for (int i = 0; i < 1000; i++) {
        l += sprintf(l, "%s 1:%d 2:1\n", labels[i % 5], 1 + i % 7);
        c += sprintf(c, "%d,\"%s\",1\n", 1 + i % 7, labels[i % 5]);
        b += sprintf(b, "%s x:%d y:1\n", sets[i % 5], 1 + i % 7);
    }
    assert_string_equal(rows_of(csv, M), both);
    for (char *at = both; *at; at++)
        *at = *at == 'x' ? '1' : *at == 'y' && at[1] == ':' ? '2' : *at;
    assert_string_equal(rows_of(libsvm, M), both);
    free(libsvm);
    free(csv);
    free(both);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *settings, *message;
    } cases[] = {
        // Without the option.
        {"1,2 3:1\n", NULL, "1:1: the row has several labels; give --multilabel"},
        {"1 3:1\n 2,-3.5 3:1\n", NULL, "2:2: the row has several labels"},
        {"__label__a __label__b x\n", NULL, "1:12: the row has several labels"},
        {"2,5 |f x\n", NULL, "1:1: the row has several labels"},
        {"{\"label\":[\"a\", \"b\"]}\n", NULL, "1:16: the row has several labels"},
        // A label that is there twice.
        {"1,2,1 3:1\n", M, "1:5: the label '1' occurs twice in this row; write it once"},
        {"1,+1.0 3:1\n", M, "1:3: the label '+1.0' occurs twice in this row; write it once"},
        {"a 1:1\n  a,b,a 3:1\n", M, "2:7: the label 'a' occurs twice in this row; write it once"},
        {"__label__a __label__a x\n", M,
         "1:21: the label 'a' occurs twice in this row; write it once"},
        {"2,2 |f x\n", M, "1:3: the label '2' occurs twice in this row; write it once"},
        {"{\"label\":[\"a\",\"a\"]}\n", M,
         "1:15: the label 'a' occurs twice in this row; write it once"},
        {"x,label\n1,\"a,a\"\n", M, "2:3: the label 'a' occurs twice in this row; write it once"},
        {"a,a\tone two\nb\tx y\na\tz z\n", M " format=text",
         "1:3: the label 'a' occurs twice in this row; write it once"},
        // An empty one.
        {"1,,2 3:1\n", M, "1:3: a label is empty; write it, or remove its separator"},
        {"1, 3:1\n", M, "1:3: a label is empty; write it, or remove its separator"},
        {"x,label\n1,\"a,\"\n", M, "2:3: a label is empty; write it, or remove its separator"},
        {",2 |f x\n", M, "1:1: a label is empty; write it, or remove its separator"},
        {"{\"label\":[\"\"]}\n", M, "1:11: the label is empty"},
        {"{\"label\":[null]}\n", M, "1:11: expected a label, found 'null'"},
        // None at all.
        {"3:1 4:1\n", M, "1:1: expected labels at the start of the row, or a blank"},
        {"one two\n", M " format=fasttext", "1:1: expected a label such as __label__spam"},
        {"|f x\n", M, "1:1: expected a label before the '|'"},
        {"{\"text\":\"x\"}\n", M, "1:1: the row has no \"label\""},
        {"x,label\n1,?\n", M, "2:3: the label in column 'label' is missing: found '?'"},
        // The option itself.
        {"x,label\n1,a\n", M " label-separator=12345678", "--label-separator is 1 to 7 bytes"},
        {"x,label\n1,a\n", M " label-separator=\"", "--label-separator is 1 to 7 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = rows_of(cases[i].text, cases[i].settings);
        if (!strstr(found, cases[i].message))
            fail_msg("'%s': '%s' lacks '%s'", cases[i].text, found, cases[i].message);
    }
}

// A row that is left out leaves nothing behind: neither its labels nor its set.
static void skipped_rows(void **state)
{
    (void)state;
    assert_string_equal(rows_of("1,2 3:1\n7,8,7 3:1\n2,9 x\n2,1 4:1\n3 5:1\n", M " skip-bad=yes"),
                        "{1,2} 3:1\n{1,2} 4:1\n{3} 5:1\n");
    assert_int_equal(got.skipped, 2);
    assert_string_equal(rows_of("1 3:1\n1,2 3:1\n2 4:1\n", "skip-bad=yes"), "1 3:1\n2 4:1\n");
    assert_int_equal(got.skipped, 1);
    assert_string_equal(rows_of("x,label\n1,\"a,b\"\n2,\"z,z\"\nw,\"a,q\"\n3,\"b,a\"\n4,a\n",
                                M " skip-bad=yes numeric=x"),
                        "{a,b} x:1\n{a,b} x:3\n{a} x:4\n");
    assert_int_equal(got.skipped, 2);
}

// ---- for a model ----

static void for_a_model(void **state)
{
    (void)state;
    tlu_model *model = model_of("b,a 1:1 2:1\nc,a 1:2\nb 2:1\n", M);
    assert_int_equal(tlu_model_class_count(model), 3);
    assert_string_equal(rows_for(model, "c,b 1:1\n 2:1\n1:1\nz,a,y 1:1\nz 2:1\n", NULL),
                        "{b,c} 1:1\n{} 2:1\n- 1:1\n{a,?,?} 1:1\n{?} 2:1\n");
    assert_int_equal(got.unknown, 2);
    assert_string_equal(rows_for(model, "a,a 1:1\n", NULL),
                        "! data:1:3: the label 'a' occurs twice in this row; write it once");
    assert_string_equal(rows_for(model, "z,z 1:1\n", NULL),
                        "! data:1:3: the label 'z' occurs twice in this row; write it once");
    // The same set many times, in a file that is long enough for the fast path.
    char *text = calloc(1, 20000), *expected = calloc(1, 20000), *t = text, *e = expected;
    assert_true(text && expected);
    for (int i = 0; i < 500; i++) {
        t += sprintf(t, "%s 1:1 2:1\n", i % 3 ? "c,b" : "z,c");
        e += sprintf(e, "%s 1:1 2:1\n", i % 3 ? "{b,c}" : "{c,?}");
    }
    assert_string_equal(rows_for(model, text, NULL), expected);
    assert_int_equal(got.unknown, 167);
    free(text);
    free(expected);
    tlu_model_free(model);

    model = model_of("a 1:1\nb 2:1\n", NULL);
    assert_string_equal(rows_for(model, "1,2 1:1\n", NULL),
                        "! data:1:1: the row has several labels, and the model gives one; train it "
                        "with --multilabel");
    tlu_error error;
    tlu_options *options = options_of(M);
    tlu_reader *reader;
    assert_int_equal(tlu_reader_open(model, "data", options, &reader, &error), TLU_ERROR_INPUT);
    assert_string_equal(
        error.text,
        "--multilabel is fixed in training, and the model gives one label per row; leave it out");
    tlu_options_free(options);
    tlu_model_free(model);
}

// The separator of the training, unless another is given.
static void separators(void **state)
{
    (void)state;
    tlu_model *model = model_of("x,label\n1,a;b\n2,b\n3,\n", M " label-separator=;");
    assert_string_equal(rows_for(model, "x,label\n1,b;a\n", NULL), "{a,b} x:1\n");
    assert_string_equal(rows_for(model, "x,label\n1,b/a\n", "label-separator=/"), "{a,b} x:1\n");
    assert_string_equal(tlu_model_label_separator(model), ";");
    tlu_model_free(model);
}

// ---- a part of the rows ----

static void parts(void **state)
{
    (void)state;
    static const uint32_t part[] = {0, 1, 0, 1};
    static const char text[] = "a,b 1:1\nc,b 2:1\n 3:1\nd,a 4:1\n";
    for (uint32_t chosen = 0; chosen < 2; chosen++) {
        struct row_source source = {
            .bytes = text, .size = strlen(text), .subset = {part, 4, chosen, false}};
        struct schema schema;
        struct reader *reader;
        tlu_options *options = options_of(M);
        schema_init(&schema);
        start_reading();
        assert_int_equal(reader_open_source(&reader, "text", &source, options, &schema, NULL),
                         TLU_OK);
        assert_string_equal(read_all(reader, &schema),
                            chosen ? "{c,b} 2:1\n{d,a} 4:1\n" : "{a,b} 1:1\n{} 3:1\n");
        assert_int_equal(schema_classes(&schema), chosen ? 4 : 2);
        schema_free(&schema);
        tlu_options_free(options);
    }
}

// ---- binary data ----

static int append(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

static void convert(const char *text, const char *settings, const char *format, const char *path)
{
    tlu_options *options = options_of(settings);
    tlu_error error;
    write_file("from", text, strlen(text));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    tlu_convert_settings to = {.size = sizeof to, .path = "from", .format = format};
    to.write = append;
    to.write_context = file;
    if (tlu_convert(&to, options, NULL, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(fclose(file), 0);
    tlu_options_free(options);
}

static void binary(void **state)
{
    (void)state;
    static const char text[] = "b,a 1:1 2:1\nc,a 1:2\n 2:1\nb,a 3:1\n";
    convert(text, M, "binary", "sets.tlud");
    assert_string_equal(rows_of_file("sets.tlud", M),
                        "{b,a} 1:1 2:1\n{a,c} 1:2\n{} 2:1\n{b,a} 3:1\n");
    assert_string_equal(rows_of_file("sets.tlud", NULL),
                        "! sets.tlud: was converted with --multilabel; give the option here, too");
    convert("a 1:1\nb 1:2\n", NULL, "binary", "one.tlud");
    assert_string_equal(rows_of_file("one.tlud", M),
                        "! one.tlud: was converted without --multilabel; convert the text again "
                        "with the option");
    // For a model, whose labels have other numbers.
    tlu_model *model = model_of("a 1:1\nb 2:1\n 3:1\n", M);
    tlu_model *single = model_of("a 1:1\nb 2:1\n", NULL);
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_error error;
    start_reading();
    assert_int_equal(tlu_reader_open(model, "sets.tlud", NULL, &reader, &error), TLU_OK);
    assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_OK);
    put_public_batch(model, reader, batch);
    assert_string_equal(got.text, "{a,b} 1:1 2:1\n{a,?} 1:2\n{} 2:1\n{a,b} 3:1\n");
    assert_int_equal(tlu_reader_get_stats(reader)->unknown_labels, 1);
    assert_string_equal(tlu_reader_get_stats(reader)->unknown_label, "c");
    tlu_reader_close(reader);
    start_reading();
    assert_int_equal(tlu_reader_open(model, "one.tlud", NULL, &reader, &error), TLU_OK);
    assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_OK);
    put_public_batch(model, reader, batch);
    assert_string_equal(got.text, "{a} 1:1\n{b} 1:2\n");
    tlu_reader_close(reader);
    assert_int_equal(tlu_reader_open(single, "sets.tlud", NULL, &reader, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "its rows have several labels, and the model gives one"));
    tlu_model_free(model);
    tlu_model_free(single);
}

static char *content(const char *path)
{
    static char text[1000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void written_as_text(void **state)
{
    (void)state;
    static const char text[] = "b,a 1:1 2:1\nc,a 1:2\n 2:1\n1:1\nb,a\n";
    convert(text, M " skip-bad=yes", "libsvm", "out");
    assert_string_equal(content("out"), "b,a 1:1 2:1\na,c 1:2\n 2:1\n1:1\nb,a\n");
    convert(text, M, "csv", "out");
    assert_string_equal(content("out"),
                        "label,1,2\n\"b,a\",1,1\n\"a,c\",2,0\n,0,1\n?,1,0\n\"b,a\",0,0\n");
    convert(text, M " label-separator=;", "csv", "out");
    assert_string_equal(content("out"), "label,1,2\nb;a,1,1\na;c,2,0\n,0,1\n?,1,0\nb;a,0,0\n");
    convert("x,label\n0,\n0,a\n", M, "libsvm", "out");
    assert_string_equal(content("out"), " 1:0\na\n");
    // What a list cannot hold.
    tlu_options *options = options_of(M " label-separator=;");
    tlu_error error;
    static const char commas[] = "x,label\n1,\"a,b;c\"\n";
    write_file("from", commas, strlen(commas));
    tlu_convert_settings to = {.size = sizeof to, .path = "from", .format = "libsvm"};
    FILE *file = fopen("out", "wb");
    to.write = append;
    to.write_context = file;
    assert_int_equal(tlu_convert(&to, options, NULL, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "from:2: the label 'a,b' cannot be written in LIBSVM, where a "
                                    "label is one word without blanks and commas");
    tlu_options_free(options);
    options = options_of(M);
    write_file("from", "{\"label\":[\"a,b\",\"c\"]}\n", 22);
    to.format = "csv";
    assert_int_equal(tlu_convert(&to, options, NULL, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "from:1: the label 'a,b' cannot be one of a list with ','"));
    tlu_options_free(options);
    fclose(file);
}

// ---- rows in memory ----

static const char *rows_given(const tlu_rows *rows, const char *settings)
{
    tlu_options *options = options_of(settings);
    struct given_rows given = {.path = "rows",
                               .first = rows,
                               .skip_bad = options_flag(options, OPTION_SKIP_BAD),
                               .multilabel = options_flag(options, OPTION_MULTILABEL)};
    struct row_source source = {.next_rows = given_rows_next, .next_rows_context = &given};
    const char *text = rows_of_source("rows", &source, settings);
    given_rows_free(&given);
    tlu_options_free(options);
    return text;
}

static void in_memory(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {0, 2, 2, 3, 5};
    static const uint32_t labels[] = {1, 0, 2, 2, 1};
    static const float values[] = {1, 2, 3, 4};
    static const char *const names[] = {"a", "b", "c"};
    tlu_rows rows = {.size = sizeof rows, .rows = 4, .columns = 1, .values = values};
    rows.labels = labels;
    rows.label_offsets = offsets;
    assert_string_equal(rows_given(&rows, M), "{1,0} 0:1\n{} 0:2\n{2} 0:3\n{1,2} 0:4\n");
    rows.label_names = names;
    rows.label_count = 3;
    assert_string_equal(rows_given(&rows, M), "{b,a} 0:1\n{} 0:2\n{c} 0:3\n{b,c} 0:4\n");
    assert_string_equal(rows_given(&rows, NULL),
                        "! rows:1: the row has 2 labels; set the option multilabel for other "
                        "numbers of labels than one");
    rows.label_offsets = NULL; // one label each
    assert_string_equal(rows_given(&rows, M), "{b} 0:1\n{a} 0:2\n{c} 0:3\n{c} 0:4\n");
    static const uint32_t twice[] = {1, 0, 1, 2, 2};
    static const uint64_t wrong[] = {0, 3, 2, 3, 5};
    rows.labels = twice;
    rows.label_offsets = offsets;
    assert_string_equal(rows_given(&rows, M),
                        "! rows:4: the label 'c' occurs twice in this row; write it once");
    rows.label_offsets = wrong;
    assert_non_null(strstr(rows_given(&rows, M), "rows:1: the label 'b' occurs twice"));
    rows.labels = labels;
    assert_non_null(strstr(rows_given(&rows, M), "rows:2: the labels of the row go from 3 to 2"));
    // No row has a label.
    static const uint64_t none[] = {0, 0, 0, 0, 0};
    rows.labels = NULL;
    rows.label_offsets = none;
    assert_string_equal(rows_given(&rows, M), "{} 0:1\n{} 0:2\n{} 0:3\n{} 0:4\n");
}

// Nothing leaks, whichever allocation fails.
static void memory_runs_out(void **state)
{
    (void)state;
    static const char *const texts[] = {"1,2 3:1\n2,4 1:1\n 3:1\n",
                                        "{\"label\":[\"a\",\"b\"],\"text\":\"x\"}\n",
                                        "x,label\n1,\"a,b\"\n2,c\n"};
    for (size_t i = 0; i < 3; i++) {
        const char *found = "! ";
        for (long n = 1; found[0] == '!'; n++) {
            tlu_options *options = options_of(M);
            struct schema schema;
            struct reader *reader;
            tlu_error error;
            assert_true(n < 1000);
            start_reading();
            fault_at(FAULT_MEMORY, n);
            schema_init(&schema);
            if (reader_open_bytes(&reader, texts[i], strlen(texts[i]), options, &schema, &error) ==
                TLU_OK)
                found = read_all(reader, &schema);
            else
                found = failed_with(&error);
            fault_at(FAULT_MEMORY, 0);
            assert_true(found[0] != '!' || strstr(found, "memory"));
            schema_free(&schema);
            tlu_options_free(options);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),      cmocka_unit_test(blank_separator),
        cmocka_unit_test(long_files),   cmocka_unit_test(refusals),
        cmocka_unit_test(skipped_rows), cmocka_unit_test(for_a_model),
        cmocka_unit_test(separators),   cmocka_unit_test(parts),
        cmocka_unit_test(binary),       cmocka_unit_test(written_as_text),
        cmocka_unit_test(in_memory),    cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
