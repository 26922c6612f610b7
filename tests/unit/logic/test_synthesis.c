// Two layers of units for functions at random and for some that are known: each row is computed
// here again, from the weights.
#include "base/fault.h"
#include "base/random.h"
#include "logic/synthesis/synthesis.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static bool fires(const struct plane *plane, unsigned inputs, size_t row)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < inputs; i++)
        sum += (int64_t)plane->weights[i] * (int64_t)(row >> (inputs - 1 - i) & 1);
    return sum >= plane->threshold;
}

static bool computes(const struct two_layers *layers, const struct truth *truth, size_t row)
{
    int64_t sum = 0;
    if (truth->open && (truth->open[row / 64] >> row % 64 & 1))
        return true;
    for (size_t i = 0; i < layers->hidden; i++)
        sum += fires(&layers->planes[i], layers->inputs, row) ? layers->top[i] : 0;
    return (sum >= layers->threshold) == (truth->ones[row / 64] >> row % 64 & 1);
}

// How many hidden units it takes, after a look at each row.
static size_t hidden_of(const struct truth *truth)
{
    struct two_layers layers;
    assert_int_equal(synthesise(truth, &layers, NULL), TLU_OK);
    for (size_t row = 0; row < (size_t)1 << truth->inputs; row++)
        assert_true(computes(&layers, truth, row));
    size_t hidden = layers.hidden;
    two_layers_free(&layers);
    return hidden;
}

static void at_random(struct truth *truth, struct random *random, bool with_open)
{
    for (size_t row = 0; row < (size_t)1 << truth->inputs; row++) {
        uint64_t bits = random_bits(random);
        if (with_open && (bits >> 8 & 3) == 0)
            truth_set_open(truth, row);
        else if (bits & 1)
            truth_set(truth, row);
    }
}

static void test_random_functions(void **state)
{
    struct random random;
    size_t sums[9] = {0}, counts[9] = {0};
    (void)state;
    random_seed(&random, 14);
    int times = getenv("TLU_LONG") ? 10000 : (int)unless_sanitized(200, 40);
    for (int i = 0; i < times; i++) {
        struct truth truth;
        unsigned inputs = 5 + (unsigned)i % 4;
        assert_true(truth_init(&truth, inputs, i % 5 == 0));
        at_random(&truth, &random, i % 5 == 0);
        sums[inputs] += hidden_of(&truth);
        counts[inputs]++;
        truth_free(&truth);
    }
    for (unsigned n = 5; n <= 8; n++)
        printf("%u inputs: %.2f hidden units on average\n", n, (double)sums[n] / (double)counts[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
