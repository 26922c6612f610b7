// How many rows of each class are chosen, against a search over all ways to round; and which.
#include "base/fault.h"
#include "data/stratify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CLASSES 5

// The least sum of |chosen - exact| over all ways to choose `wanted` rows so that each class keeps
// one row.
static double least_distance(const struct class_share *shares, uint32_t classes, uint64_t wanted)
{
    if (classes == 0)
        return wanted ? INFINITY : 0;
    double least = INFINITY;
    for (uint64_t chosen = 0; chosen < shares->rows && chosen <= wanted; chosen++) {
        double distance = fabs((double)chosen - shares->exact) +
                          least_distance(shares + 1, classes - 1, wanted - chosen);
        least = distance < least ? distance : least;
    }
    return least;
}

static void rounding_comes_as_close_as_possible(void **state)
{
    (void)state;
    struct random random;
    tlu_error error;
    random_seed(&random, 4);
    for (int trial = 0; trial < 2000; trial++) {
        struct class_share shares[CLASSES] = {{0}};
        uint64_t rows = 0, chosen = 0, missing;
        for (size_t c = 0; c < CLASSES; c++)
            rows += shares[c].rows = 2 + random_below(&random, 9);
        uint64_t wanted = 1 + random_below(&random, rows / 3);
        for (size_t c = 0; c < CLASSES; c++)
            shares[c].exact = (double)(shares[c].rows * wanted) / (double)rows;
        assert_int_equal(shares_round(shares, CLASSES, wanted, &missing, &error), TLU_OK);
        double distance = 0;
        for (size_t c = 0; c < CLASSES; c++) {
            assert_true(shares[c].chosen < shares[c].rows);
            chosen += shares[c].chosen;
            distance += fabs((double)shares[c].chosen - shares[c].exact);
        }
        assert_int_equal(chosen + missing, wanted);
        assert_int_equal(missing, 0);
        assert_true(distance <= least_distance(shares, CLASSES, wanted) + 1e-9);
    }
}

static void a_class_keeps_a_row(void **state)
{
    (void)state;
    uint64_t missing;
    struct class_share shares[] = {{.rows = 1, .exact = 0.9}, {.rows = 2, .exact = 1.8}};
    assert_int_equal(shares_round(shares, 2, 3, &missing, NULL), TLU_OK);
    assert_int_equal(shares[0].chosen, 0);
    assert_int_equal(shares[1].chosen, 1);
    assert_int_equal(missing, 2);
}

// Two classes have the same remainder: the one that lost a row before is first.
static void the_carry_decides(void **state)
{
    (void)state;
    uint64_t missing;
    struct class_share shares[] = {{.rows = 9, .exact = 2.5, .carry = -0.5},
                                   {.rows = 9, .exact = 2.5, .carry = 0.5}};
    assert_int_equal(shares_round(shares, 2, 5, &missing, NULL), TLU_OK);
    assert_int_equal(shares[0].chosen, 2);
    assert_int_equal(shares[1].chosen, 3);
}

// Of 6 rows 3 are drawn in 20 ways, each of which is to come up as often.
static void every_choice_is_equally_likely(void **state)
{
    (void)state;
    unsigned counts[64] = {0};
    struct random random;
    random_seed(&random, 5);
    for (int trial = 0; trial < 20000; trial++) {
        struct class_share share = {.rows = 6, .chosen = 3};
        unsigned drawn = 0;
        for (int row = 0; row < 6; row++)
            drawn |= (unsigned)share_draw(&share, &random) << row;
        assert_int_equal(share.chosen, 0);
        counts[drawn]++;
    }
    unsigned ways = 0;
    for (unsigned drawn = 0; drawn < 64; drawn++)
        if (counts[drawn]) {
            ways++;
            assert_in_range(counts[drawn], 1000 - 160, 1000 + 160); // 5 standard deviations
        }
    assert_int_equal(ways, 20);
}

static void memory_may_fail(void **state)
{
    (void)state;
    uint64_t missing;
    tlu_error error;
    struct class_share share = {.rows = 5, .exact = 2.5};
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(shares_round(&share, 1, 3, &missing, &error), TLU_ERROR_SYSTEM);
    fault_at(FAULT_MEMORY, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_comes_as_close_as_possible),
        cmocka_unit_test(a_class_keeps_a_row),
        cmocka_unit_test(the_carry_decides),
        cmocka_unit_test(every_choice_is_equally_likely),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
