// Numbers exactly as they are written.
#include "numeric/decimal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void is(const char *text, int64_t digits, int32_t ten)
{
    struct decimal decimal;
    assert_int_equal(decimal_parse(text, text + strlen(text), &decimal), DECIMAL_OK);
    if (decimal.digits != digits || decimal.ten != ten || decimal.two != 0)
        fail_msg("%s is %lld e %d", text, (long long)decimal.digits, (int)decimal.ten);
}

static void test_texts(void **state)
{
    (void)state;
    is("0", 0, 0);
    is("-0.000e7", 0, 0);
    is("1", 1, 0);
    is("100", 1, 2);
    is("100.0", 1, 2);
    is("1.50", 15, -1);
    is("-.001", -1, -3);
    is("+0.0120", 12, -3);
    is("120.034", 120034, -3);
    is("5.", 5, 0);
    is("2.5E+3", 25, 2);
    is("2.5e-3", 25, -4);
    is("10e-1", 1, 0);
    is("0.1", 1, -1);
    is("1e-1", 1, -1);
    is("999999999999999999", 999999999999999999, 0);
    is("0.000000000000000000000000001234500", 12345, -31);
    is("1e-1000", 1, -1000);
}

static void is_long(const char *text, const char *digits, int32_t ten)
{
    struct decimal decimal;
    char out[128];
    assert_int_equal(decimal_parse(text, text + strlen(text), &decimal), DECIMAL_TOO_LONG);
    decimal_digits(text, text + strlen(text), out);
    assert_string_equal(out, digits);
    assert_int_equal(decimal.ten, ten);
}

static void test_long_texts(void **state)
{
    (void)state;
    is_long("1234567890123456789", "1234567890123456789", 0);
    is_long("-12345678901234567890.1", "-123456789012345678901", -1);
    is_long("00.10000000000000000000000010e5", "1000000000000000000000001", -20);
    struct decimal decimal;
    assert_int_equal(decimal_parse("1e-1001", "1e-1001" + 7, &decimal), DECIMAL_TOO_SMALL);
    assert_int_equal(
        decimal_parse("1e-99999999999999999999", "1e-99999999999999999999" + 23, &decimal),
        DECIMAL_TOO_SMALL);
}

static struct decimal decimal_of(const char *text)
{
    struct decimal decimal;
    assert_int_equal(decimal_parse(text, text + strlen(text), &decimal), DECIMAL_OK);
    return decimal;
}

// NULL: more than 18 digits.
static void comes_to(const char *a, char sign, const char *b, const char *expected)
{
    struct decimal x = decimal_of(a), y = decimal_of(b), out;
    bool fits = sign == '+' ? decimal_plus(&x, &y, &out) : decimal_times(&x, &y, &out);
    assert_int_equal(fits, expected != NULL);
    if (!expected)
        return;
    struct decimal z = decimal_of(expected);
    assert_true(out.digits == z.digits && out.ten == z.ten && out.two == 0);
}

static void test_sums(void **state)
{
    (void)state;
    comes_to("0.1", '+', "0.2", "0.3");
    comes_to("0.5", '+', "-0.5", "0");
    comes_to("0", '+', "7e-5", "0.00007");
    comes_to("99.5", '+', "0.5", "100");
    comes_to("1e5", '+', "-1e-5", "99999.99999");
    comes_to("1e9", '+', "1e-9", NULL);
    comes_to("999999999999999999", '+', "1", "1e18"); // whose zeros are no digits
    comes_to("999999999999999999", '+', "2", NULL);
    comes_to("1e300", '+', "1", NULL);
    comes_to("0.1", '*', "3", "0.3");
    comes_to("-2.5", '*', "4e3", "-1e4");
    comes_to("0", '*', "1e-9", "0");
    comes_to("123456789", '*', "1000000001", "123456789123456789");
    comes_to("1234567891", '*', "1234567891", NULL);
    comes_to("1e-600", '*', "1e-600", NULL);
}

static void is_float(float value, int64_t digits, int32_t ten, int32_t two)
{
    struct decimal decimal = decimal_of_float(value);
    assert_true(decimal.digits == digits && decimal.ten == ten && decimal.two == two);
}

static void test_floats(void **state)
{
    (void)state;
    is_float(0, 0, 0, 0);
    is_float(-3, -3, 0, 0);
    is_float(1000, 1, 3, 0);
    is_float(16777216, 16777216, 0, 0);
    is_float(0.5f, 1, 0, -1);
    is_float(-0.75f, -3, 0, -2);
    is_float(1.17549435e-38f, 1, 0, -126);
    is_float(1.4e-45f, 1, 0, -149);
    for (int e = -140; e < 120; e++) {
        float value = ldexpf(1.2345678f, e);
        struct decimal decimal = decimal_of_float(value);
        assert_true(ldexp((double)decimal.digits * pow(10, decimal.ten), decimal.two) ==
                    (double)value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
