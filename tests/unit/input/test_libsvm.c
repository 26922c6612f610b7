// LIBSVM and SVMlight.
#include "reading.h"

static void plain_rows(void **state)
{
    (void)state;
    assert_string_equal(rows_of("+1 1:1 3:0.5\n-1 2:-2\n", NULL), "+1 1:1 3:0.5\n-1 2:-2\n");
    assert_int_equal(got.rows, 2);
    assert_int_equal(got.columns, 3);
    assert_string_equal(rows_of("+1 0:1 3:2\n-1 2:-2\n", NULL), "+1 0:1 3:2\n-1 2:-2\n");
    assert_int_equal(got.columns, 4); // from 0: one more
}

static void white_space_and_line_ends(void **state)
{
    (void)state;
    const char *expected = "+1 1:1 3:0.5\n-1 2:-2\n";
    assert_string_equal(rows_of("+1 1:1 3:0.5\r\n-1 2:-2\r\n", NULL), expected);
    assert_string_equal(rows_of("+1 1:1 3:0.5\n-1 2:-2", NULL), expected);
    assert_string_equal(rows_of("+1 1:1 3:0.5\r\n-1 2:-2\r", NULL), expected);
    assert_string_equal(rows_of("+1\t1:1\t3:0.5\n-1 \t 2:-2 \t\n", NULL), expected);
    assert_string_equal(rows_of("  +1   1:1  3:0.5   \r\n\t-1  2:-2\n\n\n", NULL), expected);
    assert_string_equal(rows_of("\xEF\xBB\xBF+1 1:1 3:0.5\n-1 2:-2\n", NULL), expected);
}

static void comments_and_empty_lines_are_no_rows(void **state)
{
    (void)state;
    assert_string_equal(
        rows_of("# 5 1:1\n\n+1 1:1 # 2:2\n   \n#-1 9:9\n \r\n-1 2:1 #\n  # x\n", NULL),
        "+1 1:1\n-1 2:1\n");
    assert_int_equal(got.rows, 2);
    assert_int_equal(got.columns, 2);
    assert_string_equal(rows_of("+1 1:1#2:2\n-1 1:2 #\n", NULL), "+1 1:1\n-1 1:2\n");
    // A comment after the label alone; a # inside the label is the label's.
    assert_string_equal(rows_of("+1 # none\nC# 1:1\n", NULL), "+1\nC# 1:1\n");
}

static void rows_without_entries(void **state)
{
    (void)state;
    assert_string_equal(rows_of("+1 1:1\n-1\n-1   \n+1 2:0\n", NULL), "+1 1:1\n-1\n-1\n+1\n");
    assert_int_equal(got.rows, 4);
    assert_int_equal(got.columns, 2); // an explicit zero is a column too
    assert_string_equal(rows_of("+1\n-1\n", "format=libsvm"), "+1\n-1\n");
}

static void explicit_zeros_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(rows_of("+1 1:0 2:1 3:0.0\n-1 1:-0 2:0e5 3:1e-60\n", NULL), "+1 2:1\n-1\n");
    assert_int_equal(got.columns, 3);
}

static void any_order(void **state)
{
    (void)state;
    assert_string_equal(rows_of("+1 3:1 1:2 2:3\n-1 2:1 0:5\n", NULL),
                        "+1 1:2 2:3 3:1\n-1 0:5 2:1\n");
    // Names of large indices are numbered as if the rows had been in order.
    const char *sorted = "+1 7:1 3000000:2 5000000:3\n-1 2000000:1 5000000:1\n";
    const char *mixed = "+1 5000000:3 3000000:2 7:1\n-1 5000000:1 2000000:1\n";
    assert_string_equal(rows_of(sorted, NULL), sorted);
    assert_string_equal(rows_of(mixed, NULL), sorted);
}

static char *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char bytes[1 << 16];
    *size = fread(bytes, 1, sizeof bytes, file);
    assert_true(*size > 0 && *size < sizeof bytes);
    fclose(file);
    return bytes;
}

static void any_order_gives_the_same_model(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "+1 1:1 2:0.3 4000000:2\n-1 2:1 3000000:1 5000000:3\n+1 1:2 5000000:-1\n",
        "+1 4000000:2 2:0.3 1:1\n-1 5000000:3 2:1 3000000:1\n+1 5000000:-1 1:2\n",
        "+1 2:0.3 1:1 4000000:2\n-1 5000000:3 3000000:1 2:1\n+1 1:2 5000000:-1\n"};
    static char first[1 << 16];
    size_t first_size = 0;
    for (int i = 0; i < 3; i++) {
        tlu_model *model = model_of(texts[i], NULL);
        assert_int_equal(tlu_model_save(model, "model", NULL), TLU_OK);
        tlu_model_free(model);
        size_t size;
        const char *bytes = file_bytes("model", &size);
        if (i == 0)
            memcpy(first, bytes, first_size = size);
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
    }
}

static void labels_of_any_kind(void **state)
{
    (void)state;
    assert_string_equal(
        rows_of("spam 1:1\nham 1:2\nm\xC3\xB6we 1:3\na:b 1:4\n:x 1:5\n-0.5 1:6\n", NULL),
        "spam 1:1\nham 1:2\nm\xC3\xB6we 1:3\na:b 1:4\n:x 1:5\n-0.5 1:6\n");
    // One class in several spellings is printed as it came first.
    assert_string_equal(rows_of("+1 1:1\n1 1:2\n1.0 1:3\n01 1:4\n-1 1:5\n-1.00 1:6\n", NULL),
                        "+1 1:1\n+1 1:2\n+1 1:3\n01 1:4\n-1 1:5\n-1 1:6\n");
}

static void large_indices(void **state)
{
    (void)state;
    const char *text = "+1 1048575:1 1048576:2 4294967296:3 9223372036854775807:4\n"
                       "-1 9223372036854775806:1\n";
    assert_string_equal(rows_of(text, NULL), text);
    assert_int_equal(got.columns, 1048575 + 4);
    assert_string_equal(rows_of("+1 9223372036854775808:1\n", NULL),
                        "! the given text:1:4: expected an index of at most 9223372036854775807, "
                        "found '9223372036854775808:1'");
    assert_string_equal(rows_of("+1 99999999999999999999999:1\n", NULL),
                        "! the given text:1:4: expected an index of at most 9223372036854775807, "
                        "found '99999999999999999999999:1'");
    // The model knows them by name.
    tlu_model *model = model_of("+1 9223372036854775807:2\n-1 3:1\n", NULL);
    size_t feature = tlu_model_feature_find(model, "9223372036854775807");
    assert_true(feature != TLU_NONE);
    assert_true(tlu_model_feature_count(model) <= 2);
    assert_true(tlu_model_weight(model, tlu_model_class_find(model, "+1"), feature) > 0);
    assert_string_equal(rows_for(model, "9223372036854775807:5 9223372036854775806:1\n", NULL),
                        "- 9223372036854775807:5\n");
    tlu_model_free(model);
}

static void repeated_indices_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        const char *message;
    } cases[] = {
        {"+1 3:1 3:1", "! the given text:1:8: index 3 occurs twice in this row; write it once"},
        {"+1 3:1 3:0", "! the given text:1:8: index 3 occurs twice in this row; write it once"},
        {"+1 3:0 3:0", "! the given text:1:8: index 3 occurs twice in this row; write it once"},
        {"+1 3:1 1:1 3:2",
         "! the given text:1:12: index 3 occurs twice in this row; write it once"},
        {"+1 9:1 3:0 1:1 3:2",
         "! the given text:1:16: index 3 occurs twice in this row; write it once"},
        {"+1 0:1 00:2", "! the given text:1:8: index 0 occurs twice in this row; write it once"},
        {"+1 5000000:1 4000000:1 5000000:1",
         "! the given text:1:24: index 5000000 occurs twice in this row; write it once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(rows_of(cases[i].row, NULL), cases[i].message);
        assert_int_equal(got.error.status, TLU_ERROR_INPUT);
        assert_int_equal(got.error.line, 1);
        assert_string_equal(got.error.file, "the given text");
        char text[100]; // left out, it leaves nothing behind
        snprintf(text, sizeof text, "%s\n-1 2:1\n", cases[i].row);
        assert_string_equal(rows_of(text, "skip-bad=yes"), "-1 2:1\n");
        assert_int_equal(got.skipped, 1);
        assert_int_equal(got.columns, 2);
    }
}

static void numbers_are_those_of_strtod(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "1",
        "-1",
        "+1",
        "0.1",
        ".5",
        "5.",
        "-.25",
        "1e3",
        "1E-3",
        "1e+2",
        "123456789",
        "16777217",
        "0.30000000000000004",
        "1e-45",
        "7e-46",
        "3.4028234663852886e38",
        "3.40282356e38",
        "1.17549435e-38",
        "2.2250738585072014e-308",
        "1.0000000596046448",
        "9007199254740993",
        "1.00000017881393432617187499999999",
        "1.000000178813934326171875000000001",
        "0.000000000000000000000000000000000000000000000000012e49",
        "33554431.500000000000000000000000000000000000000000000001",
        "8589973504",
        "1e22",
        "1e-22"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[200], expected[200];
        float value = (float)strtod(numbers[i], NULL);
        snprintf(text, sizeof text, "+1 1:%s\n-1 2:1\n", numbers[i]);
        if (value != 0)
            snprintf(expected, sizeof expected, "+1 1:%.9g\n-1 2:1\n", (double)value);
        else
            strcpy(expected, "+1\n-1 2:1\n");
        assert_string_equal(rows_of(text, NULL), expected);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *value, *message;
    } cases[] = {{"nan", "the value nan is not a finite number"},
                 {"-NaN", "the value -NaN is not a finite number"},
                 {"Inf", "the value Inf is not a finite number"},
                 {"-infinity", "the value -infinity is not a finite number"},
                 {"1e39", "the value 1e39 is too large: values go up to 3.4e38"},
                 {"-3.5e38", "the value -3.5e38 is too large: values go up to 3.4e38"},
                 {"1e400", "the value 1e400 is too large: values go up to 3.4e38"},
                 {"nano", "expected a number, found 'nano'"},
                 {"0x1p3", "expected a number, found '0x1p3'"},
                 {"1,5", "expected a number, found '1,5'"},
                 {"--1", "expected a number, found '--1'"},
                 {".", "expected a number, found '.'"},
                 {"e5", "expected a number, found 'e5'"},
                 {"1f", "expected a number, found '1f'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[100], expected[200];
        snprintf(text, sizeof text, "+1 1:1\n-1 3:1 12:%s # x\n", cases[i].value);
        snprintf(expected, sizeof expected, "+1 1:1\n! the given text:2:11: %s", cases[i].message);
        // The batch of the first row does not come out: the whole text is one chunk.
        assert_string_equal(rows_of(text, NULL), strchr(expected, '!'));
        assert_int_equal(got.error.line, 2);
        assert_int_equal(got.error.column, 11);
        assert_string_equal(rows_of(text, "skip-bad=yes"), "+1 1:1\n");
        assert_int_equal(got.skipped, 1);
    }
}

static void queries_are_ignored_and_counted(void **state)
{
    (void)state;
    assert_string_equal(rows_of("3 qid:1 1:1 2:1\n2 qid:77 1:1\n1 2:1 1:5 qid:9\n", NULL),
                        "3 1:1 2:1\n2 1:1\n1 1:5 2:1\n");
    assert_int_equal(got.qid_fields, 3);
    assert_string_equal(rows_of("3 qid:1 1:1\n2 qid:x 1:1\n", "skip-bad=yes"), "3 1:1\n");
    assert_int_equal(got.qid_fields, 1);
}

static void bad_rows_are_skipped_and_counted(void **state)
{
    (void)state;
    assert_string_equal(rows_of("+1 1:1\n"
                                "1:1 2:1\n"           // no label
                                "x 5000000:1 6:nan\n" // neither the label nor the index stays
                                "# comment\n\n"
                                "-1 2:1\n"
                                "-1 9\n",
                                "skip-bad=yes"),
                        "+1 1:1\n-1 2:1\n");
    assert_int_equal(got.skipped, 3);
    assert_int_equal(got.columns, 2);
    assert_int_equal(got.lines, 7);
    tlu_model *model = model_of("+1 1:1\nbad 1:x\n-1 2:1\n", "skip-bad=yes");
    assert_int_equal(tlu_model_class_count(model), 2);
    assert_int_equal(tlu_model_report(model)->skipped, 1);
    assert_int_equal(tlu_model_report(model)->examples, 2);
    tlu_model_free(model);
}

static void rows_for_prediction(void **state)
{
    (void)state;
    tlu_model *model = model_of("+1 1:1 2:1\n-1 2:3 5:1\n", NULL);
    assert_string_equal(rows_for(model, "1:1 2:2\n", NULL), "- 1:1 2:2\n");
    assert_string_equal(rows_for(model, "-1 5:1 2:2\n1 1:3\n+1.0 9:1\nnew 1:1\n", NULL),
                        "-1 2:2 5:1\n+1 1:3\n+1\n? 1:1\n");
    assert_int_equal(got.unknown, 1);
    assert_int_equal(got.rows, 4);
    assert_string_equal(rows_for(model, "+1\n\n-1\n", NULL), "+1\n-1\n"); // labels alone
    assert_string_equal(rows_for(model, "qid:3 1:1\n", NULL), "- 1:1\n");
    assert_string_equal(rows_for(model, "1:x 2:1\n", NULL),
                        "! data:1:3: expected a number, found 'x'");
    assert_string_equal(rows_for(model, "1:x 2:1\n2:1\n+1 1:1 1:1\n", "skip-bad=yes"), "- 2:1\n");
    assert_int_equal(got.skipped, 2);
    // An index that the model does not know is checked all the same.
    assert_string_equal(rows_for(model, "9:1 9:1\n", NULL),
                        "! data:1:5: index 9 occurs twice in this row; write it once");
    assert_string_equal(rows_for(model, "# nothing\n", NULL), "");
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_rows),
        cmocka_unit_test(white_space_and_line_ends),
        cmocka_unit_test(comments_and_empty_lines_are_no_rows),
        cmocka_unit_test(rows_without_entries),
        cmocka_unit_test(explicit_zeros_are_left_out),
        cmocka_unit_test(any_order),
        cmocka_unit_test(any_order_gives_the_same_model),
        cmocka_unit_test(labels_of_any_kind),
        cmocka_unit_test(large_indices),
        cmocka_unit_test(repeated_indices_are_refused),
        cmocka_unit_test(numbers_are_those_of_strtod),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(queries_are_ignored_and_counted),
        cmocka_unit_test(bad_rows_are_skipped_and_counted),
        cmocka_unit_test(rows_for_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
