// exp and log of our own, against those of libm in long double.
#include "base/random.h"
#include "numeric/exp_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// In units in the last place of the true value.
static void assert_close(double found, long double truth, double most, double x)
{
    double magnitude = fabs((double)truth);
    double unit = nextafter(magnitude, INFINITY) - magnitude;
    long double off = fabsl((long double)found - truth) / (long double)unit;
    if (!(off <= (long double)most))
        fail_msg("of %.17g: %.17g, not %.17Lg", x, found, truth);
}

static void numbers_are_those_of_libm(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 1);
    for (int i = 0; i < 300000; i++) {
        double wide = (random_unit(&random) - 0.5) * 1400, x = i % 2 ? wide : wide / 350;
        assert_close(same_exp(x), expl((long double)x), 2.5, x);
        assert_close(sigmoid(x), 1 / (1 + expl(-(long double)x)), 4, x);
        double y = i % 2 ? same_exp(x) : random_unit(&random) * 3;
        assert_close(same_log(y), logl((long double)y), 2.5, y);
        assert_close(same_log1p(y), log1pl((long double)y), 2.5, y);
    }
}

static void ends_of_the_range(void **state)
{
    (void)state;
    assert_true(same_exp(0) == 1);
    assert_true(same_exp(-INFINITY) == 0 && same_exp(-1e300) == 0);
    assert_true(same_exp(-745.13) > 0 && same_exp(-745.14) == 0); // the smallest double is 2^-1074
    assert_true(isinf(same_exp(INFINITY)) && isinf(same_exp(709.79)) && isfinite(same_exp(709.78)));
    assert_true(isnan(same_exp(NAN)) && isnan(same_log(NAN)) && isnan(same_log(-1)));
    assert_true(same_log(1) == 0);
    assert_true(same_log(0) == -INFINITY && same_log(INFINITY) == INFINITY);
    assert_close(same_log(0x1p-1074), -1074 * logl(2), 2.5, 0x1p-1074);
    assert_true(same_log1p(0) == 0 && same_log1p(1e-300) == 1e-300 && isinf(same_log1p(INFINITY)));
    assert_true(sigmoid(0) == 0.5 && sigmoid(INFINITY) == 1 && sigmoid(-INFINITY) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_libm),
        cmocka_unit_test(ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
