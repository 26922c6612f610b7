// tlu_text_escape and the text of errors: nothing in them sends a terminal a command.
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *given, *expected;
} cases[] = {
    {"", ""},
    {"plain ~", "plain ~"},
    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\x1b[31m\x07\n\t\x7f", "\\x1B[31m\\x07\\x0A\\x09\\x7F"},
    {"\xc2\x9b", "\\u{9B}"},
    {"\x9b", "\\x9B"},
    {"\xc2\xa0", "\xc2\xa0"}, // a space that does not break is printable
    {"\xc2\xad", "\\u{AD}"},
    {"\xd8\x9c", "\\u{61C}"},
    {"\xe2\x80\x8b\xe2\x80\x8e\xe2\x80\x8f", "\\u{200B}\\u{200E}\\u{200F}"},
    {"\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}"},
    {"\xe2\x80\xaa\xe2\x80\xae", "\\u{202A}\\u{202E}"},
    {"\xe2\x81\xa6\xe2\x81\xa9", "\\u{2066}\\u{2069}"},
    {"\xee\x80\x80", "\\u{E000}"},
    {"\xef\xbb\xbf\xef\xbf\xbe", "\\u{FEFF}\\u{FFFE}"},
    {"\xef\xbf\xbd", "\xef\xbf\xbd"},
    {"\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf", "\\u{E0001}\\u{10FFFF}"},
    {"\xed\xa0\x80", "\\xED\\xA0\\x80"}, // a surrogate is not UTF-8
    {"\xc0\xaf\xf5", "\\xC0\\xAF\\xF5"},
    {"cut \xe2\x82", "cut \\xE2\\x82"},
};

static void known_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[64], again[64];
        size_t length = strlen(cases[i].given);
        assert_int_equal(tlu_text_escape(out, sizeof out, cases[i].given, length),
                         strlen(cases[i].expected));
        assert_string_equal(out, cases[i].expected);
        tlu_text_escape(again, sizeof again, out, strlen(out));
        assert_string_equal(again, out); // escaping twice changes nothing
    }
}

// Whatever fits is written, in whole characters, and the length is that of all.
static void short_buffers(void **state)
{
    (void)state;
    static const char text[] = {'a', 0x1b, '\xe2', '\x80', '\xae', 'b'};
    static const char whole[] = "a\\x1B\\u{202E}b";
    static const size_t ends[] = {0, 1, 5, 13, 14};
    assert_int_equal(tlu_text_escape(NULL, 0, text, sizeof text), strlen(whole));
    for (size_t size = 1; size <= sizeof whole; size++) {
        char out[32];
        memset(out, '?', sizeof out);
        assert_int_equal(tlu_text_escape(out, size, text, sizeof text), strlen(whole));
        size_t expected = 0;
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
            if (ends[i] < size)
                expected = ends[i];
        assert_int_equal(strlen(out), expected);
        assert_memory_equal(out, whole, expected);
        assert_int_equal(out[size], '?');
    }
}

// NUL is a control character like others.
static void nul_is_escaped(void **state)
{
    (void)state;
    char out[16];
    tlu_text_escape(out, sizeof out, "a\0b", 3);
    assert_string_equal(out, "a\\x00b");
}

static void errors_are_escaped(void **state)
{
    (void)state;
    tlu_error error;
    tlu_model *model = NULL;
    static const char name[] = "f\x1b\x9b\xe2\x80\xae";
    error_at(&error, name, 3, 4, "found '%s'", "\xc2\x9b\n");
    assert_string_equal(error.text, "f\\x1B\\x9B\\u{202E}:3:4: found '\\u{9B}\\x0A'");
    assert_string_equal(error.file, name); // the program may open it
    error_input(&error, "cannot read '%s'", name);
    assert_string_equal(error.text, "cannot read 'f\\x1B\\x9B\\u{202E}'");
    char missing[300];
    memset(missing, '\x1b', sizeof missing - 1);
    missing[sizeof missing - 1] = '\0';
    assert_int_equal(tlu_train(missing, NULL, &model, &error), TLU_ERROR_INPUT);
    assert_null(strchr(error.text, '\x1b'));
    assert_true(strlen(error.text) < sizeof error.text);
}

// A message that is too long ends with a whole character or escape.
static void long_errors_are_cut(void **state)
{
    (void)state;
    for (size_t before = 0; before < 8; before++) {
        char long_text[2000], again[sizeof((tlu_error *)0)->text];
        tlu_error error;
        memset(long_text, 'x', before);
        for (size_t i = before; i + 3 < sizeof long_text; i += 3)
            memcpy(long_text + i, i % 2 ? "\xe2\x80\xae" : "\xe2\x82\xac", 4);
        error_input(&error, "%s", long_text);
        assert_int_equal(tlu_text_escape(again, sizeof again, error.text, strlen(error.text)),
                         strlen(error.text));
        assert_true(strlen(error.text) > sizeof error.text - 12);
    }
}

static void quotes_are_escaped(void **state)
{
    (void)state;
    char out[12];
    assert_string_equal(error_quote(out, sizeof out, "\x9b\x1b", 2), "\\x9B\\x1B");
    assert_string_equal(error_quote(out, sizeof out, "\xe2\x80\xae ", 4), "\\u{202E}...");
    assert_string_equal(error_quote(out, sizeof out, "12345678901", 11), "12345678...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),         cmocka_unit_test(short_buffers),
        cmocka_unit_test(nul_is_escaped),      cmocka_unit_test(errors_are_escaped),
        cmocka_unit_test(long_errors_are_cut), cmocka_unit_test(quotes_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
