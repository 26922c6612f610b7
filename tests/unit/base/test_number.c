// Numbers in text against strtod, by bits.
#include "base/random.h"
#include "locales.h"
#include "numeric/number.h"
#include "tlu.h"
#include "trials.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static locale_t c_locale;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Parses from a buffer of just this length, so that a sanitizer sees whatever is read after it.
static void check(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    copy = memcpy(copy, text, length + 1);
    char *expected_end;
    double expected = strtod_l(copy, &expected_end, c_locale);
    ptrdiff_t expected_length = expected_end - copy;
    char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);

    const char *end = NULL;
    double value = 12345;
    enum number_result result = number_parse(exact, exact + length, &value, &end);
    if (end - exact != expected_length)
        fail_msg("'%.60s' ends at %td, not %td", text, end - exact, expected_length);
    if (expected_length == 0)
        assert_int_equal(result, NUMBER_NONE);
    else if (isinf(expected))
        assert_int_equal(result, NUMBER_LARGE);
    else if (result != NUMBER_OK || bits_of(value) != bits_of(expected))
        fail_msg("'%.60s' is %a, not %a", text, value, expected);
    free(copy);
    free(exact);
}

static uint64_t below(struct random *random, uint64_t n)
{
    return random_below(random, n);
}

static size_t put_digits(char *out, struct random *random, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (char)('0' + below(random, 10));
    return count;
}

// [sign] digits [. digits] [e digits], each part there or not.
static void random_text(char *out, struct random *random, size_t digits_most, int exponent_most)
{
    static const char *const signs[] = {"", "", "-", "+"};
    static const char *const marks[] = {"e", "E", "e-", "E-", "e+"};
    out += sprintf(out, "%s", signs[below(random, 4)]);
    out += put_digits(out, random, below(random, digits_most + 1));
    if (below(random, 4))
        *out++ = '.';
    out += put_digits(out, random, below(random, digits_most + 1));
    if (exponent_most && below(random, 2))
        out += sprintf(out, "%s%d", marks[below(random, 5)],
                       (int)below(random, (uint64_t)exponent_most + 1));
    static const char *const tails[] = {"", "", "", ";7", ",", "e", "e+", ".", "x"};
    strcpy(out, tails[below(random, 9)]);
}

static void random_shapes(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1);
    char text[256];
    for (int i = 0; i < 100000; i++) {
        random_text(text, &random, 4, 5);
        check(text);
        random_text(text, &random, 10, 30);
        check(text);
        random_text(text, &random, 30, 400);
        check(text);
    }
}

static void printed_doubles(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 2);
    char text[400];
    for (int i = 0; i < 100000; i++) {
        double value = double_of(random_bits(&random) & ~((uint64_t)1 << 63));
        if (i % 4 == 0) // denormal
            value = double_of(random_bits(&random) >> (12 + below(&random, 50)));
        if (i % 4 == 1) // of the size that data has
            value = random_unit(&random) * pow(10, (double)below(&random, 12));
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)below(&random, 30), value);
        check(text);
        snprintf(text, sizeof text, "%.17g", value);
        check(text);
        if (value < 1e20 && value > 1e-20) {
            snprintf(text, sizeof text, "%.*f", (int)below(&random, 40), value);
            check(text);
        }
    }
}

// Midpoints between neighbouring doubles, which need 54 bits, and what is a digit beside them.
static void midpoints(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    char text[2048];
    for (int i = 0; i < 100000; i++) {
        // An odd number of 54 bits times 2^k; for k from -10 to 10 it has few digits.
        uint64_t odd = (random_bits(&random) >> 11) | 1 | (uint64_t)1 << 53;
        int k = i % 2 ? (int)below(&random, 21) - 10 : (int)below(&random, 2000) - 1070;
        long double middle = ldexpl((long double)odd, k);
        if (k >= 0 && k <= 10)
            snprintf(text, sizeof text, "%.0Lf", middle);
        else if (k >= -10 && k < 0)
            snprintf(text, sizeof text, "%.*Lf", -k, middle);
        else if (i % 8 == 0)
            snprintf(text, sizeof text, "%.*Le", 1100, middle); // exact
        else
            snprintf(text, sizeof text, "%.*Le", (int)below(&random, 40), middle);
        check(text);
        char *e = strchr(text, 'e');
        if (!e && strchr(text, '.'))
            strcat(text, i % 3 ? "0000000000000000001" : "000");
        else if (e && i % 8 == 0)
            e[-1] = '1'; // the last of 1100 decides
        check(text);
    }
}

static void many_digits(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    static char text[30000];
    for (int i = 0; i < 3000; i++) {
        char *p = text;
        size_t zeros = below(&random, 2000), digits = below(&random, i % 10 ? 40 : 5000);
        if (i % 2) { // 0.000...ddd e+zeros
            p += sprintf(p, "0.");
            p = (char *)memset(p, '0', zeros) + zeros;
        }
        p += put_digits(p, &random, digits);
        if (i % 2 == 0) { // 000...ddd000... e-zeros
            p = (char *)memset(p, '0', zeros) + zeros;
        }
        sprintf(p, "e%c%zu", i % 2 ? '+' : '-', zeros + (size_t)below(&random, 3));
        check(text);
    }
    // 769 digits decide about this one: a midpoint between denormals, then a digit far to the
    // right.
    snprintf(text, sizeof text, "%.*Le", 1200, ldexpl(3, -1075));
    check(text);
    *strchr(text, 'e') = '\0';
    strcat(text, "1e-324");
    check(text);
}

static const char *const odd_ones[] = {
    "",
    "+",
    "-",
    ".",
    "+.",
    "-.e5",
    "e5",
    "0",
    "-0",
    "+0.0",
    "00",
    "007",
    "5.",
    ".5",
    "-.5e-3",
    "1.e5",
    "1e",
    "1e+",
    "1e-",
    "1ee5",
    "1e5.5",
    "1.2.3",
    "--1",
    "+-1",
    "1,5",
    "1 2",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-400",
    "0e99999",
    "0e-99999",
    "1e308",
    "1.8e308",
    "1e309",
    "4.9e-324",
    "2.4e-324",
    "2.5e-324",
    "12345678",
    "123456789",
    "1234567.8",
    "12345678.12345678",
    "9007199254740993",
    "9007199254740991.5",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "1e22",
    "1e23",
    "8e22",
    "9007199254740992e22",
    "9007199254740993e22",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "0.00000000000000000000000000000001",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "6.631236846766476e-316",
    "0.1234567890123456789e27",
    "1234567890123456789e-27",
    "1234567890123456789e27",
    "1234567890123456789e-28",
    "1234567890123456789e28",
    "0.000000001234567890123456789",
};

static void odd_texts_cut_everywhere(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < sizeof odd_ones / sizeof odd_ones[0]; i++)
        for (size_t length = 0; length <= strlen(odd_ones[i]); length++) {
            snprintf(text, sizeof text, "%.*s", (int)length, odd_ones[i]);
            check(text);
        }
}

static void check_result(const char *text, enum number_result expected, size_t length)
{
    double value = 7;
    const char *end = NULL;
    enum number_result result = number_parse(text, text + strlen(text), &value, &end);
    if (result != expected || end != text + length)
        fail_msg("'%s': %d, ends at %td", text, (int)result, end - text);
    assert_true(result == NUMBER_OK || value == 7);
}

static void what_is_no_number(void **state)
{
    (void)state;
    check_result("nan", NUMBER_SPECIAL, 3);
    check_result("-NaN ", NUMBER_SPECIAL, 4);
    check_result("inf", NUMBER_SPECIAL, 3);
    check_result("+Infinity", NUMBER_SPECIAL, 9);
    check_result("-INFINIT", NUMBER_SPECIAL, 4);
    check_result("infinityx", NUMBER_SPECIAL, 8);
    check_result("in", NUMBER_NONE, 0);
    check_result("-na", NUMBER_NONE, 0);
    check_result(" 1", NUMBER_NONE, 0);
    check_result("\t1", NUMBER_NONE, 0);
    check_result("abc", NUMBER_NONE, 0);
    check_result("0x10", NUMBER_OK, 1);
    check_result("-0X1p3", NUMBER_OK, 2);
    check_result("1e400", NUMBER_LARGE, 5);
    check_result("\xC3\xA9", NUMBER_NONE, 0);
}

static void whole_and_index(void **state)
{
    (void)state;
    double value = 7;
    assert_true(number_whole("-2.5e1", 6, &value) && value == -25);
    static const char *const not_whole[] = {"",     "1 ",    " 1",  "1x", "nan",
                                            "-inf", "1e999", "0x1", "."};
    for (size_t i = 0; i < sizeof not_whole / sizeof not_whole[0]; i++)
        assert_false(number_whole(not_whole[i], strlen(not_whole[i]), &value));
    assert_true(value == -25);

    uint64_t index = 7;
    assert_true(number_index("0", 1, &index) && index == 0);
    assert_true(number_index("17x", 2, &index) && index == 17);
    assert_true(number_index("1234567890123", 13, &index) && index == 1234567890123);
    assert_true(number_index("9223372036854775807", 19, &index) && index == INT64_MAX);
    static const char *const no_index[] = {"",
                                           "-1",
                                           "+1",
                                           "01",
                                           "00",
                                           "1.0",
                                           "1e3",
                                           "9223372036854775808",
                                           " 1",
                                           "1 ",
                                           "x",
                                           "0x1",
                                           "1a34",
                                           "123456789a",
                                           "9999999999999999999",
                                           "10000000000000000000",
                                           "18446744073709551617"};
    for (size_t i = 0; i < sizeof no_index / sizeof no_index[0]; i++)
        assert_false(number_index(no_index[i], strlen(no_index[i]), &index));
    assert_true(index == INT64_MAX);
}

static void check_print(double value, const char *expected)
{
    char text[32];
    assert_int_equal(number_print(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void check_print_float(float value, const char *expected)
{
    char text[32];
    assert_int_equal(number_print_float(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

// Any float comes back, by the C library's reading as well as by ours.
static void printing_floats(void **state)
{
    (void)state;
    check_print_float(0, "0");
    check_print_float(1, "1");
    check_print_float(-3, "-3");
    check_print_float(0.1f, "0.1");
    check_print_float(-153.4f, "-153.4");
    check_print_float(0.0005f, "0.0005");
    check_print_float(16777216, "16777216");
    check_print_float(3e-7f, "3e-07");
    check_print_float(FLT_MAX, "3.4028235e+38");
    check_print_float(FLT_TRUE_MIN, "1e-45");
    struct random random;
    random_seed(&random, 11);
    for (int i = 0, all = often(2000000); i < all; i++) {
        uint32_t bits = (uint32_t)random_below(&random, UINT32_MAX);
        float value = (float)random_below(&random, 2000000) / 1000 - 1000; // as data often is
        if (i % 2)
            memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[32];
        double back;
        size_t length = number_print_float(text, value);
        assert_int_equal(length, strlen(text));
        assert_true(length < 32);
        if (strtof(text, NULL) != value || !number_whole(text, length, &back) ||
            (float)back != value)
            fail_msg("%a is printed as '%s'", (double)value, text);
    }
}

static void printing(void **state)
{
    (void)state;
    check_print(0.1, "0.1");
    check_print(-3, "-3");
    check_print(0, "0");
    check_print(-0.0, "-0");
    check_print(1e300, "1e+300");
    check_print(1.0 / 3, "0.3333333333333333");
    check_print(0.1 + 0.2, "0.30000000000000004");
    check_print(9007199254740992.0, "9007199254740992");
    check_print(1234.5, "1234.5");
    check_print(5e-324, "5e-324");
    check_print(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_print(DBL_MAX, "1.7976931348623157e+308");
    check_print(NAN, "nan");
    check_print(INFINITY, "inf");
    check_print(-INFINITY, "-inf");
    char text[32];
    assert_int_equal(number_print_17(text, 0.1), 19);
    assert_string_equal(text, "0.10000000000000001");
    assert_int_equal(number_print_17(text, -1250), 5);
    assert_string_equal(text, "-1250");

    struct random random;
    random_seed(&random, 5);
    for (int i = 0; i < 50000; i++) {
        double value = double_of(random_bits(&random));
        if (!isfinite(value))
            continue;
        size_t length = number_print(text, value);
        assert_true(length < sizeof text && length == strlen(text));
        assert_true(bits_of(strtod_l(text, NULL, c_locale)) == bits_of(value));
        length = number_print_17(text, value);
        assert_true(length < sizeof text && length == strlen(text));
        assert_true(bits_of(strtod_l(text, NULL, c_locale)) == bits_of(value));
    }
}

// The first of 15, 16 and 17 digits that reads back, by the C library.
static void check_usual(double value)
{
    char text[32], expected[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        if (strtod(expected, NULL) == value)
            break;
    }
    size_t length = number_print_usual(text, value);
    double size = fabs(value);
#ifndef __SIZEOF_INT128__
    if (length == 0) // none is
        return;
#endif
    if (length == 0 && size >= 1e-10 && size < 9.99999999999999e14 && strlen(expected) > 6)
        fail_msg("%s is not usual", expected);
    if (length == 0)
        return;
    if (strcmp(text, expected) != 0)
        fail_msg("%s is printed as %s", expected, text);
    assert_int_equal(length, strlen(text));
}

static void printing_usual_numbers(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 6);
    for (int exponent = -40; exponent <= 60; exponent++) { // next to powers of two
        double power = ldexp(1, exponent), below = power, above = power;
        for (int i = 0; i < 50; i++) {
            check_usual(-below);
            check_usual(above);
            below = nextafter(below, 0);
            above = nextafter(above, INFINITY);
        }
    }
    for (int exponent = -13; exponent <= 17; exponent++) { // and of ten
        double power = pow(10, exponent), below = power, above = power;
        for (int i = 0; i < 200; i++) {
            check_usual(below);
            check_usual(-above);
            below = nextafter(below, 0);
            above = nextafter(above, INFINITY);
        }
    }
    for (int i = 0, all = often(300000); i < all; i++) {
        double unit = random_normal(&random);
        check_usual(unit * pow(10, (double)random_below(&random, 27) - 11)); // all digits
        check_usual((double)random_below(&random, 1000000) / 1000);          // few
        check_usual((double)random_bits(&random) / 16384);                   // whole and ties
        check_usual((double)(random_bits(&random) >> (12 + i % 50)) / (double)(1 << i % 20));
    }
    check_usual(0);
    check_usual(NAN);
    check_usual(INFINITY);
    check_usual(DBL_MIN);
    char text[32];
    assert_int_equal(number_print_usual(text, 0), 0);
    assert_int_equal(number_print_usual(text, 1e15), 0);
    assert_int_equal(number_print_usual(text, NAN), 0);
    assert_int_equal(tlu_number_format(text, sizeof text, -0.375), 6);
    assert_string_equal(text, "-0.375");
}

// As printf has it; what is too long is cut.
static void printing_as_printf_does(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 31);
    char text[400], expected[400];
    locale_t before = uselocale((locale_t)0);
    for (int i = 0; i < often(20000); i++) {
        double value = double_of(random_bits(&random));
        int digits = (int)below(&random, 18);
        if (!isfinite(value))
            continue;
        uselocale(c_locale);
        snprintf(expected, sizeof expected, "%.*e %.*f %.*g", digits, value, digits, value, digits,
                 value);
        uselocale(before);
        size_t length = number_print_as(text, sizeof text, 'e', digits, value);
        text[length++] = ' ';
        length += number_print_as(text + length, sizeof text - length, 'f', digits, value);
        text[length++] = ' ';
        number_print_as(text + length, sizeof text - length, 'g', digits, value);
        assert_string_equal(text, expected);
    }
    assert_int_equal(number_print_as(text, 5, 'f', 3, -1.25), 4);
    assert_string_equal(text, "-1.2");
    number_print_as(text, sizeof text, 'g', 3, -HUGE_VAL);
    assert_string_equal(text, "-inf");
}

static void comma_locale_changes_nothing(void **state)
{
    if (!set_comma_locale("locale-number")) {
        print_message("no locale with a decimal comma here, and none could be made\n");
        skip();
    }
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); // the locale is what it should be
    random_shapes(state);
    printed_doubles(state);
    many_digits(state);
    odd_texts_cut_everywhere(state);
    what_is_no_number(state);
    whole_and_index(state);
    printing(state);
    printing_as_printf_does(state);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(printed_doubles),
        cmocka_unit_test(midpoints),
        cmocka_unit_test(many_digits),
        cmocka_unit_test(odd_texts_cut_everywhere),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(whole_and_index),
        cmocka_unit_test(printing),
        cmocka_unit_test(printing_as_printf_does),
        cmocka_unit_test(printing_usual_numbers),
        cmocka_unit_test(printing_floats),
        cmocka_unit_test(comma_locale_changes_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    freelocale(c_locale);
    return failed;
}
