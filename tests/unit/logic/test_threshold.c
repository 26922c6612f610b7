// Threshold functions: every answer is checked here again, on every row; which tables have one is
// known from weights, by going through all small ones.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "logic/synthesis/threshold_unit.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool fires(const struct threshold_unit *answer, const struct truth_table *truth, size_t row)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < truth->inputs; i++)
        sum += truth_input(truth, row, i) ? answer->weights[i] : 0;
    return sum >= answer->threshold;
}

static void check_weights(const struct truth_table *truth, const struct threshold_unit *answer)
{
    assert_true(answer->count == 0 && !answer->rows && !answer->multiple);
    for (size_t row = 0; row < truth_rows(truth); row++)
        if (!truth_is_open(truth, row) && fires(answer, truth, row) != truth_value(truth, row))
            fail_msg("row %zu is wrong", row);
}

static void check_contradiction(const struct truth_table *truth,
                                const struct threshold_unit *answer)
{
    int64_t sums[TRUTH_INPUTS_MAX] = {0}, total = 0;
    assert_true(answer->count > 1 && !answer->weights);
    for (size_t k = 0; k < answer->count; k++) {
        size_t row = answer->rows[k];
        assert_true(row < truth_rows(truth) && !truth_is_open(truth, row));
        assert_true(answer->multiple[k] > 0 && (k == 0 || row > answer->rows[k - 1]));
        int64_t signed_multiple =
            truth_value(truth, row) ? answer->multiple[k] : -answer->multiple[k];
        total += signed_multiple;
        for (unsigned i = 0; i < truth->inputs; i++)
            sums[i] += truth_input(truth, row, i) ? signed_multiple : 0;
    }
    assert_int_equal(total, 0);
    for (unsigned i = 0; i < truth->inputs; i++)
        assert_int_equal(sums[i], 0);
}

static bool decided(const struct truth_table *truth)
{
    struct threshold_unit answer;
    tlu_error error;
    if (threshold_unit_find(truth, &answer, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(answer.inputs, truth->inputs);
    bool is_threshold = answer.is_threshold;
    if (is_threshold)
        check_weights(truth, &answer);
    else
        check_contradiction(truth, &answer);
    threshold_unit_free(&answer);
    return is_threshold;
}

// All tables that weights from -3 to 3 make: every threshold function of up to four inputs.
static void by_weights(unsigned inputs, bool *is_threshold)
{
    size_t choices = 1, rows = (size_t)1 << inputs;
    for (unsigned i = 0; i < inputs; i++)
        choices *= 7;
    for (size_t choice = 0; choice < choices; choice++) {
        int sums[16] = {0};
        size_t rest = choice;
        for (unsigned i = 0; i < inputs; i++, rest /= 7)
            for (size_t row = 0; row < rows; row++)
                sums[row] += row >> i & 1 ? (int)(rest % 7) - 3 : 0;
        for (int threshold = -12; threshold <= 13; threshold++) {
            uint32_t table = 0;
            for (size_t row = 0; row < rows; row++)
                table |= (uint32_t)(sums[row] >= threshold) << row;
            is_threshold[table] = true;
        }
    }
}

static void test_all_tables(void **state)
{
    static const size_t expected[] = {2, 4, 14, 104, 1882}; // OEIS A000609
    (void)state;
    for (unsigned inputs = 0; inputs <= 4; inputs++) {
        size_t tables = (size_t)1 << (1u << inputs), found = 0;
        bool *known = memory_new(tables, sizeof *known);
        assert_non_null(known);
        by_weights(inputs, known);
        for (size_t table = 0; table < tables; table++) {
            uint64_t ones = table;
            bool is_threshold = decided(&(struct truth_table){inputs, &ones, NULL});
            assert_int_equal(is_threshold, known[table]);
            found += is_threshold;
        }
        assert_int_equal(found, expected[inputs]);
        memory_free(known);
    }
}

// A table with rows that do not matter is one if a table that fills them in is.
static void test_all_with_open_rows(void **state)
{
    bool known[256] = {false};
    (void)state;
    by_weights(3, known);
    for (uint32_t open = 0; open < 256; open++)
        for (uint32_t ones = 0; ones < 256; ones++) {
            bool any = false;
            for (uint32_t fill = 0; fill < 256; fill++)
                any |= (fill & ~open) == (ones & ~open) && known[fill];
            uint64_t open_word = open, ones_word = ones & ~open;
            if ((ones & open) == 0)
                assert_int_equal(decided(&(struct truth_table){3, &ones_word, &open_word}), any);
        }
}

static void test_some_with_open_rows(void **state)
{
    struct random random;
    bool *known = memory_new(65536, sizeof *known);
    (void)state;
    assert_non_null(known);
    by_weights(4, known);
    random_seed(&random, 14);
    for (int trial = 0; trial < often(50000); trial++) {
        uint64_t open = random_bits(&random) & random_bits(&random) & 0xffff;
        uint64_t ones = random_bits(&random) & 0xffff & ~open;
        bool any = false;
        uint64_t fill = open; // all subsets of the open rows
        do {
            any |= known[ones | fill];
            fill = (fill - 1) & open;
        } while (fill != open);
        assert_int_equal(decided(&(struct truth_table){4, &ones, &open}), any);
    }
    memory_free(known);
}

static void fill_by_weights(struct truth_table *truth, struct random *random, int64_t most)
{
    struct threshold_unit unit = {.weights = (int64_t[TRUTH_INPUTS_MAX]){0}};
    int64_t sum = 0;
    for (unsigned i = 0; i < truth->inputs; i++) {
        unit.weights[i] = (int64_t)random_below(random, 2 * (uint64_t)most + 1) - most;
        sum += unit.weights[i];
    }
    unit.threshold = sum / 2;
    for (size_t row = 0; row < truth_rows(truth); row++)
        if (truth->open && random_below(random, 3) == 0)
            truth_set_open(truth, row);
        else if (fires(&unit, truth, row))
            truth_set(truth, row);
}

static void test_large(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 20);
    for (unsigned inputs = 5; inputs <= TRUTH_INPUTS_MAX; inputs++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct truth_table truth;
            if (inputs > unless_sanitized(TRUTH_INPUTS_MAX, 14))
                continue;
            assert_true(truth_init(&truth, inputs, kind & 1));
            fill_by_weights(&truth, &random, kind & 2 ? 9 : 1000);
            assert_true(decided(&truth));
            // Four rows that no weights can have: x + y = u + v, x and y true, u and v false.
            uint32_t all = (uint32_t)truth_rows(&truth) - 1;
            size_t x = random_below(&random, all), u = random_below(&random, all);
            size_t rows[4] = {x, all - x, u, all - u};
            if (u == x || u == all - x)
                rows[2] = x ^ 1, rows[3] = all - rows[2];
            for (size_t k = 0; k < 4; k++) {
                uint64_t bit = (uint64_t)1 << rows[k] % 64, *word = &truth.ones[rows[k] / 64];
                *word = k < 2 ? *word | bit : *word & ~bit;
                if (truth.open)
                    truth.open[rows[k] / 64] &= ~bit;
            }
            assert_false(decided(&truth));
            truth_free(&truth);
        }
}

// All signs are known, so that it takes the linear program to say no.
static void test_unate_and_not_threshold(void **state)
{
    struct truth_table truth;
    (void)state;
    assert_true(truth_init(&truth, 6, false));
    // ab or cd or ef: 110000 and 001100 have the sum of 101000 and 010100.
    for (size_t row = 0; row < 64; row++)
        if ((row & 3) == 3 || (row >> 2 & 3) == 3 || row >> 4 == 3)
            truth_set(&truth, row);
    assert_false(decided(&truth));
    truth_free(&truth);
}

// Known weights come out as a person would write them.
static void test_plain_weights(void **state)
{
    static const struct {
        uint64_t ones;
        unsigned inputs;
        int64_t weights[3], threshold;
    } cases[] = {
        {0x8, 2, {1, 1}, 2},     {0xe, 2, {1, 1}, 1},     {0x1, 1, {-1}, 0},
        {0xe8, 3, {1, 1, 1}, 2}, {0x80, 3, {1, 1, 1}, 3}, {0xf8, 3, {2, 1, 1}, 2},
        {0x0, 2, {0, 0}, 1},     {0xf, 2, {0, 0}, 0},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint64_t ones = cases[c].ones;
        struct truth_table truth = {cases[c].inputs, &ones, NULL};
        struct threshold_unit answer;
        assert_int_equal(threshold_unit_find(&truth, &answer, NULL), TLU_OK);
        for (unsigned i = 0; i < truth.inputs; i++)
            assert_int_equal(answer.weights[i], cases[c].weights[i]);
        assert_int_equal(answer.threshold, cases[c].threshold);
        threshold_unit_free(&answer);
    }
}

static void test_no_memory(void **state)
{
    // A majority; the exclusive or; ab or cd, whose signs are all positive.
    static const struct {
        unsigned inputs;
        uint64_t ones;
    } cases[] = {{3, 0xe8}, {2, 0x6}, {4, 0xf888}};
    (void)state;
    for (size_t c = 0; c < 3; c++)
        for (long n = 1;; n++) {
            uint64_t ones = cases[c].ones;
            struct threshold_unit answer;
            tlu_error error;
            fault_at(FAULT_MEMORY, n);
            tlu_status status = threshold_unit_find(
                &(struct truth_table){cases[c].inputs, &ones, NULL}, &answer, &error);
            bool reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
            threshold_unit_free(&answer);
            if (!reached) {
                assert_true(n > 5);
                break;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_tables),
        cmocka_unit_test(test_all_with_open_rows),
        cmocka_unit_test(test_some_with_open_rows),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_unate_and_not_threshold),
        cmocka_unit_test(test_plain_weights),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
