// Two layers of units for functions at random and for some that are known: each row is computed
// here again, from the weights.
#include "base/fault.h"
#include "base/random.h"
#include "logic/synthesis/two_layers.h"
#include "tlu_logic.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static bool fires(const struct half_space *plane, unsigned inputs, size_t row)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < inputs; i++)
        sum += (int64_t)plane->weights[i] * (int64_t)(row >> (inputs - 1 - i) & 1);
    return sum >= plane->threshold;
}

static bool computes(const struct two_layers *layers, const struct truth_table *truth, size_t row)
{
    int64_t sum = 0;
    if (truth->open && (truth->open[row / 64] >> row % 64 & 1))
        return true;
    for (size_t i = 0; i < layers->hidden; i++)
        sum += fires(&layers->planes[i], layers->inputs, row) ? layers->top[i] : 0;
    return (sum >= layers->threshold) == (truth->ones[row / 64] >> row % 64 & 1);
}

// How many hidden units it takes, after a look at each row.
static size_t hidden_of(const struct truth_table *truth)
{
    struct two_layers layers;
    assert_int_equal(synthesise(truth, 1, 0, &layers, NULL), TLU_OK);
    for (size_t row = 0; row < (size_t)1 << truth->inputs; row++)
        assert_true(computes(&layers, truth, row));
    size_t hidden = layers.hidden;
    two_layers_free(&layers);
    return hidden;
}

static void at_random(struct truth_table *truth, struct random *random, bool with_open)
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
    int times = getenv("TLU_LONG") ? 10000 : (int)unless_sanitized(40, 8);
    for (int i = 0; i < times; i++) {
        struct truth_table truth;
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

// Functions whose hidden units are known to be enough: parity of n by n half-spaces of one
// direction, a DNF of k cubes by k, any function of two threshold functions by 2.
static size_t hidden_for(const char *text)
{
    tlu_function *function;
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_OK);
    size_t hidden = hidden_of(&function->tables[0]);
    tlu_function_free(function);
    return hidden;
}

static void test_known(void **state)
{
    (void)state;
    assert_int_equal(hidden_for("a ^ b"), 2);
    assert_int_equal(hidden_for("a <-> b"), 2);
    assert_int_equal(hidden_for("a & b | c & d"), 2);
    assert_int_equal(hidden_for("atleast(2; a,b,c,d) ^ atleast(4; a,b,c,d)"), 2);
    assert_int_equal(hidden_for("exactly(2; a,b,c,d,e,f)"), 2);
    assert_true(hidden_for("a ^ b ^ c") <= 3);
    assert_true(hidden_for("a ^ b ^ c ^ d ^ e ^ f") <= 6);
    assert_true(hidden_for("a ^ b ^ c ^ d ^ e ^ f ^ g ^ h") <= 8);
    assert_true(hidden_for("a & b | c & d | e & f | g & h") <= 4);
    assert_true(hidden_for("a & b & c | d & e & f | g & h & i | j & k & l") <= 4);
}

// Of three inputs: which functions are the AND or the OR of two threshold functions, by trying all.
// The others need three hidden units at least.
static void test_fewest(void **state)
{
    bool single[256] = {false}, pair[256] = {false};
    (void)state;
    for (int code = 0; code < 5 * 5 * 5; code++)
        for (int threshold = -6; threshold <= 7; threshold++) {
            struct half_space plane = {.weights = {code % 5 - 2, code / 5 % 5 - 2, code / 25 - 2},
                                       .threshold = threshold};
            unsigned table = 0;
            for (unsigned row = 0; row < 8; row++)
                table |= (unsigned)fires(&plane, 3, row) << row;
            single[table] = true;
        }
    for (unsigned f = 0; f < 256; f++)
        for (unsigned g = 0; g < 256; g++)
            if (single[f] && single[g])
                pair[f & g] = pair[f | g] = true;
    for (unsigned table = 0; table < 256; table++) {
        struct two_layers layers;
        struct truth_table truth;
        assert_true(truth_init(&truth, 3, false));
        truth.ones[0] = table;
        assert_int_equal(synthesise(&truth, 1, 0, &layers, NULL), TLU_OK);
        assert_int_equal(layers.hidden == 2, pair[table]);
        assert_true(layers.hidden <= 3 && layers.fewest);
        two_layers_free(&layers);
        truth_free(&truth);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned inputs = 3; inputs <= 5; inputs += 2)
        for (long n = 1;; n++) {
            struct two_layers layers;
            struct truth_table truth;
            tlu_error error;
            assert_true(truth_init(&truth, inputs, false));
            for (size_t row = 0; row < truth_rows(&truth); row++)
                if (__builtin_popcountl(row) & 1)
                    truth_set(&truth, row);
            fault_at(FAULT_MEMORY, n);
            tlu_status status = synthesise(&truth, 0, 0, &layers, &error); // in haste
            bool reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
            two_layers_free(&layers);
            truth_free(&truth);
            if (!reached)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_functions),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_fewest),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
