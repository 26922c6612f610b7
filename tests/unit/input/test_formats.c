// The table of formats: what is made from its rows, and which of them text looks like.
#include "data/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void numbers_in_files(void **state)
{
    (void)state;
    // docs/model-format.md: these are in files, and stay.
    static const char *const names[] = {"libsvm", "csv", "vw", "fasttext", "jsonl", "text"};
    assert_int_equal(DATA_FORMATS, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(format_table[i].name, names[i]);
}

static void every_row_is_a_choice(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    enum data_format format;
    assert_false(format_chosen(options, &format));
    for (enum data_format i = 0; i < DATA_FORMATS; i++) {
        const struct format *row = &format_table[i];
        assert_true(row->name[0] && row->title[0] && row->parse && row->recognise);
        assert_int_equal(tlu_options_set(options, "format", row->name, NULL), TLU_OK);
        assert_true(format_chosen(options, &format));
        assert_int_equal(format, i); // so no name is there twice
        assert_true(format_named(row->name, &format));
        assert_int_equal(format, i);
    }
    assert_int_equal(tlu_options_set(options, "format", "tsv", NULL), TLU_OK);
    assert_true(format_chosen(options, &format));
    assert_int_equal(format, DATA_CSV);
    assert_false(format_named("tsv", &format)); // no file says so
    assert_int_equal(tlu_options_set(options, "format", "auto", NULL), TLU_OK);
    assert_false(format_chosen(options, &format));
    assert_int_equal(tlu_options_set(options, "format", "", NULL), TLU_ERROR_INPUT);
    tlu_options_free(options);
}

static void looks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int format; // -1: none
    } samples[] = {
        {"+1 3:0.5 7:1\n-1 2:1\n", DATA_LIBSVM},
        {"1 3:x\n0 2:1\n", DATA_LIBSVM},
        {"a,b,12:30\nc,d,13:45\n", DATA_CSV}, // times of day, no entries
        {"5.1,3.5,setosa\n4.9,3.0,setosa\n", DATA_CSV},
        {"a\tb\tc\n1\t2\t3\n", DATA_CSV},
        {"x|1|2\ny|3|4\n", DATA_CSV},
        {"1 |f a b:2\n-1 |f c\n", DATA_VW},
        {"| a b\n| c d\n", DATA_VW},
        {"__label__a some words\n__label__b others\n", DATA_FASTTEXT},
        {"{\"label\": \"a\", \"text\": \"u | v\"}\n", DATA_JSONL},
        {"spam\twin a prize\nham\tsee you soon\nspam\twin again\nham\tat home\n", DATA_TEXT},
        {"one\twin a prize\ntwo\tsee you soon\nthree\twin again\n", DATA_CSV}, // no labels again
        {"one\ntwo\n", -1},
        {"\n  \r\n", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        enum data_format format = 0;
        bool known = format_recognise(samples[i].text, strlen(samples[i].text), &format);
        assert_int_equal(known ? (int)format : -1, samples[i].format);
    }
}

// The rows that tlu_format_at returns: their names are the choices of "format" but auto, each once,
// and an example looks like its format.
static void formats_are_listed(void **state)
{
    (void)state;
    char names[200] = "auto";
    size_t count = 0;
    for (const tlu_format_info *info; (info = tlu_format_at(count)) != NULL; count++) {
        enum data_format format;
        char text[400];
        assert_true(info->help[0] && !strchr(info->help, '\n'));
        assert_true(strlen(names) + strlen(info->names) + 2 < sizeof names);
        strcat(strcat(names, "|"), info->names);
        assert_int_equal(snprintf(text, sizeof text, "%s\n", info->example),
                         strlen(info->example) + 1);
        assert_true(format_recognise(text, strlen(text), &format));
        // One line of text with a tab looks like CSV.
        assert_int_equal(format, count == DATA_TEXT ? DATA_CSV : (enum data_format)count);
    }
    assert_int_equal(count, 6);
    assert_null(tlu_format_at(count));
    assert_null(tlu_format_at(SIZE_MAX));
    assert_string_equal(names, tlu_option_find("format")->choices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_files),
        cmocka_unit_test(every_row_is_a_choice),
        cmocka_unit_test(looks),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
