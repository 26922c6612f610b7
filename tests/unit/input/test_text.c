// fastText's format, labelled text, and the words of both.
#include "input/text/unicode.h"
#include "input/text/words.h"
#include "reading.h"

#include <unistd.h>

#define FT "format=fasttext"

static void fasttext(void **state)
{
    (void)state;
    assert_string_equal(rows_of("__label__spam some words\n__label__ham\tother  words\n", NULL),
                        "spam some:1 words:1\nham other:1 words:1\n");
    assert_string_equal(rows_of("__label__a c\n __label__\xc3\xa9\n", NULL), "a c:1\n\xc3\xa9\n");
    // Behind the first word it is text.
    assert_string_equal(rows_of("__label__a b __label__c\n", FT), "a b:1 __:2 label:1 c:1\n");
    assert_string_equal(rows_of("__label__1 to be or not to be\r\n\n", FT),
                        "1 to:2 be:2 or:1 not:1\n");
    tlu_model *model = model_of("__label__a x y\n__label__b z\n", NULL);
    assert_string_equal(rows_for(model, "x z\n__label__c x\n# y\n", NULL),
                        "- x:1 z:1\n? x:1\n- y:1\n");
    tlu_model_free(model);
}

static void labelled_text(void **state)
{
    (void)state;
    assert_string_equal(rows_of("ham\tsee you\nspam\twin\ta prize\n", "format=text"),
                        "ham see:1 you:1\nspam win:1 a:1 prize:1\n");
    assert_string_equal(rows_of(" very good \tx\n", "format=text"), "very good x:1\n");
    // Recognised: a label that comes back, one tab, several words.
    assert_string_equal(rows_of("h\tsee you\ns\twin it\nh\tall right\ns\tcall now\n", NULL),
                        "h see:1 you:1\ns win:1 it:1\nh all:1 right:1\ns call:1 now:1\n");
    assert_string_equal(rows_of("a\tb\n1\tx\n2\ty\n", NULL), "x a:1\ny a:2\n");
    assert_string_equal(rows_of("1\tred wine\n2\tred wine\n3\trose\n", NULL),
                        "red wine 1:1\nred wine 1:2\nrose 1:3\n");
    tlu_model *model = model_of("a\tx y\nb\tz\n", "format=text");
    assert_string_equal(rows_for(model, "x z\nc\tx\n\ty\n", NULL), "- x:1 z:1\n? x:1\n- y:1\n");
    assert_string_equal(rows_for(model, "__label__b z\n", NULL), "b z:1\n");
    tlu_model_free(model);
}

static const char *words_in(const char *text, const char *settings)
{
    static char line[2000];
    snprintf(line, sizeof line, "x\t%s\n", text);
    rows_of(line, settings);
    return got.text + 1;
}

static void words(void **state)
{
    (void)state;
    const char *plain = "format=text", *low = "format=text lowercase=yes";
    assert_string_equal(words_in("Free!! Call 08452810075over18's...", plain),
                        " Free:1 !!:1 Call:1 08452810075over18:1 ':1 s:1 ...:1\n");
    assert_string_equal(words_in("\xc2\xa3"
                                 "100 caf\xc3\xa9 \xc3\x89t\xc3\xa9",
                                 low),
                        " \xc2\xa3:1 100:1 caf\xc3\xa9:1 \xc3\xa9t\xc3\xa9:1\n");
    // Greek, Cyrillic, Armenian; a letter whose lower case is longer (U+023A, U+2C65).
    assert_string_equal(words_in("\xce\xa3\xce\x91 \xd0\x96\xd0\x81 \xd4\xb1 \xc8\xba", low),
                        " \xcf\x83\xce\xb1:1 \xd0\xb6\xd1\x91:1 \xd5\xa1:1 \xe2\xb1\xa5:1\n");
    // A no-break space separates; a mark stays with its letter; ideographs are words.
    assert_string_equal(words_in("a\xc2\xa0"
                                 "b e\xcc\x81x \xe4\xb8\xad\xe5\x9b\xbd",
                                 plain),
                        " a:1 b:1 e\xcc\x81x:1 \xe4\xb8\xad:1 \xe5\x9b\xbd:1\n");
    // Bytes that are no UTF-8 separate: Latin-1, an overlong form, a surrogate, a cut character.
    assert_string_equal(words_in("caf\xe9 x\xc0\xaf"
                                 "y \xed\xa0\x80z \xe2\x82",
                                 plain),
                        " caf:1 x:1 y:1 z:1\n");
    assert_string_equal(words_in("", plain), "\n");
}

static void ngrams(void **state)
{
    (void)state;
    assert_string_equal(words_in("a b, c", "format=text ngrams=2"),
                        " a:1 b:1 a b:1 ,:1 b ,:1 c:1 , c:1\n");
    assert_string_equal(words_in("a b a b", "format=text ngrams=3"),
                        " a:2 b:2 a b:2 b a:1 a b a:1 b a b:1\n");
    words_in("a b c d e f g h i", "format=text ngrams=8"); // 9 + 8 + ... + 2 runs
    size_t entries = 0;
    for (const char *c = got.text; *c; c++)
        entries += *c == ':';
    assert_int_equal(entries, 44);
    assert_non_null(strstr(got.text, " b c d e f g h i:1"));
}

static void options_are_remembered(void **state)
{
    (void)state;
    tlu_model *model = model_of("a\tGood Day\nb\tbad day\n", "format=text ngrams=2 lowercase=yes");
    assert_int_equal(tlu_model_save(model, "words.tlu", NULL), TLU_OK);
    tlu_model_free(model);
    assert_int_equal(tlu_model_load("words.tlu", &model, NULL), TLU_OK);
    assert_string_equal(rows_for(model, "GOOD DAY\n", NULL), "- good:1 day:1 good day:1\n");
    const char *label;
    assert_int_equal(tlu_model_predict_line(model, "GOOD", &label, NULL, NULL), TLU_OK);
    assert_string_equal(label, "a");
    tlu_model_free(model);
    assert_string_equal(rows_of("1 3:1\n2 4:1\n", "ngrams=2"),
                        "! the given text: --ngrams is for text, and this is LIBSVM by its looks; "
                        "give --format if that is wrong");
    assert_string_equal(
        rows_of("a\tb\n", "format=text label=x"),
        "! the given text: --label is for tables (CSV, JSON records), and this is labelled text");
}

// Every character goes through UTF-8 and back; lower case is settled after one step, and nothing
// that is no letter changes.
static void characters(void **state)
{
    (void)state;
    size_t lowered = 0;
    for (uint32_t code = 1; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char text[4];
        size_t length, size = unicode_write(text, code);
        assert_int_equal(unicode_read(text, text + size, &length), code);
        assert_int_equal(length, size);
        for (size_t cut = 1; cut < size; cut++)
            assert_int_equal(unicode_read(text, text + cut, &length), UNICODE_NONE);
        uint32_t lower = unicode_lower(code);
        assert_int_equal(unicode_lower(lower), lower);
        lowered += lower != code;
        if (lower != code && unicode_kind(code) != CHARACTER_WORD)
            assert_int_equal(unicode_kind(code), unicode_kind(lower));
    }
    assert_in_range(lowered, 1300, 1600);
}

// The raw SMS spam collection: one pass.
static void sms(void **state)
{
    (void)state;
    if (access(TLU_SHARED_DATA "/sms/SMSSpamCollection", R_OK) != 0)
        skip();
    tlu_options *options = options_of("epochs=1 learner=pa1 lowercase=yes");
    tlu_model *model;
    assert_int_equal(tlu_train(TLU_SHARED_DATA "/sms/SMSSpamCollection", options, &model, NULL),
                     TLU_OK);
    const tlu_report *report = tlu_model_report(model);
    assert_string_equal(report->format, "text");
    assert_int_equal(report->examples, 5574);
    assert_true(report->mistakes[0] < 0.03 * 5574); // progressive accuracy above 97%
    assert_true(tlu_model_feature_find(model, "free") != TLU_NONE);
    tlu_model_free(model);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fasttext),
        cmocka_unit_test(labelled_text),
        cmocka_unit_test(words),
        cmocka_unit_test(ngrams),
        cmocka_unit_test(options_are_remembered),
        cmocka_unit_test(characters),
        cmocka_unit_test(sms),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
