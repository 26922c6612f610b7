// The generator against values computed by another implementation, and rough checks of its shapes.
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The first five numbers of splitmix64 from 1234567, as published; four of them are the state.
static void seeding(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1234567);
    static const uint64_t expected[4] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u};
    assert_memory_equal(random.state, expected, sizeof expected);
}

static void known_values(void **state)
{
    (void)state;
    struct random random = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520,
                                        0,
                                        1509978240,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(random_bits(&random) == expected[i]);

    random_seed(&random, 0);
    assert_true(random_bits(&random) == 0x99EC5F36CB75F2B4u);
    assert_true(random_bits(&random) == 0xBF6E1F784956452Au);
    random_seed(&random, UINT64_MAX);
    assert_true(random_bits(&random) == 0x8F5520D52A7EAD08u);
    random_seed(&random, 1);
    uint64_t bits = 0;
    for (int i = 0; i < 1000; i++)
        bits = random_bits(&random);
    assert_true(bits == 0xB8517C33C344D153u);
}

static void below(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1);
    for (int i = 0; i < 100; i++)
        assert_true(random_below(&random, 1) == 0);
    enum { SIDES = 7, ROLLS = 70000 };
    int counts[SIDES] = {0};
    for (int i = 0; i < ROLLS; i++) {
        uint64_t side = random_below(&random, SIDES);
        assert_true(side < SIDES);
        counts[side]++;
    }
    for (int i = 0; i < SIDES; i++) // 10,000 each, deviation 93: five of them
        assert_in_range(counts[i], 9537, 10463);

    // A plain remainder would give the lowest third of three quarters of 2^64 every second time.
    uint64_t n = (uint64_t)3 << 62;
    int low = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t number = random_below(&random, n);
        assert_true(number < n);
        low += number < n / 3;
    }
    assert_in_range(low, 3097, 3569);
    for (int i = 0; i < 1000; i++)
        assert_true(random_below(&random, UINT64_MAX) < UINT64_MAX);
}

static void unit(void **state)
{
    (void)state;
    struct random random = {{0, 0, 0, 0}}; // the one state that stays where it is
    assert_true(random_unit(&random) == 0);
    random_seed(&random, 2);
    double sum = 0, squares = 0, least = 1, most = 0;
    enum { DRAWS = 100000 };
    for (int i = 0; i < DRAWS; i++) {
        double x = random_unit(&random);
        assert_true(x >= 0 && x < 1 && x * 0x1p53 == floor(x * 0x1p53));
        sum += x;
        squares += x * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 0.005);         // deviation 0.0009
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 0.005); // deviation 0.0009
    assert_true(least < 0.001 && most > 0.999);
}

static void normal(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    double sum = 0, squares = 0;
    int within = 0;
    enum { DRAWS = 100000 };
    for (int i = 0; i < DRAWS; i++) {
        double x = random_normal(&random);
        assert_true(isfinite(x));
        sum += x;
        squares += x * x;
        within += fabs(x) < 1;
    }
    assert_true(fabs(sum / DRAWS) < 0.016);         // deviation 0.0032
    assert_true(fabs(squares / DRAWS - 1) < 0.023); // deviation 0.0045
    assert_in_range(within, 67530, 69010);          // 68.27%, deviation 147
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeding), cmocka_unit_test(known_values), cmocka_unit_test(below),
        cmocka_unit_test(unit),    cmocka_unit_test(normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
