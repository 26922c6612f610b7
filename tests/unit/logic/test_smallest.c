// The smallest weights against a search through all weights of small sums.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "logic/synthesis/threshold_unit.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUM_MAX 9 // every function of four inputs has weights with this sum or less

struct best {
    bool known;
    int sum, weights[4];
};

// The order that threshold.h states: the sum, then the first weight, the second, ..., largest
// first.
static bool is_better(int sum, const int *weights, const struct best *best)
{
    if (!best->known || sum != best->sum)
        return !best->known || sum < best->sum;
    for (unsigned i = 0; i < 4; i++)
        if (weights[i] != best->weights[i])
            return weights[i] > best->weights[i];
    return false;
}

// The best weights of each table, out of all whose absolute values have a sum up to SUM_MAX: if
// there are any, then none with a larger sum is better.
static void search_all(unsigned inputs, struct best *best)
{
    int weights[4] = {0}, span = 2 * SUM_MAX + 1, choices = 1;
    for (unsigned i = 0; i < inputs; i++)
        choices *= span;
    for (int choice = 0; choice < choices; choice++) {
        int sum = 0, rest = choice, sums[16] = {0};
        for (unsigned i = 0; i < inputs; i++, rest /= span)
            sum += abs(weights[i] = rest % span - SUM_MAX);
        for (size_t row = 0; sum <= SUM_MAX && row < (size_t)1 << inputs; row++)
            for (unsigned i = 0; i < inputs; i++)
                sums[row] += row >> (inputs - 1 - i) & 1 ? weights[i] : 0;
        for (int threshold = -SUM_MAX; sum <= SUM_MAX && threshold <= SUM_MAX + 1; threshold++) {
            uint32_t table = 0;
            for (size_t row = 0; row < (size_t)1 << inputs; row++)
                table |= (uint32_t)(sums[row] >= threshold) << row;
            if (is_better(sum, weights, &best[table])) {
                best[table] = (struct best){.known = true, .sum = sum};
                memcpy(best[table].weights, weights, sizeof weights);
            }
        }
    }
}

static void check_against(const struct truth_table *truth, const struct best *best)
{
    struct threshold_unit answer;
    assert_int_equal(threshold_unit_smallest(truth, 0, &answer, NULL), TLU_OK);
    assert_int_equal(answer.is_threshold, best->known);
    if (best->known) {
        assert_true(answer.is_smallest && answer.least_sum == best->sum);
        for (unsigned i = 0; i < truth->inputs; i++)
            assert_int_equal(answer.weights[i], best->weights[i]);
    }
    threshold_unit_free(&answer);
}

static void test_all_tables(void **state)
{
    static const size_t expected[] = {2, 4, 14, 104, 1882}; // OEIS A000609
    (void)state;
    for (unsigned inputs = 0; inputs <= 4; inputs++) {
        size_t tables = (size_t)1 << (1u << inputs), found = 0;
        struct best *best = memory_new(tables, sizeof *best);
        assert_non_null(best);
        search_all(inputs, best);
        for (size_t table = 0; table < tables; table++) {
            uint64_t ones = table;
            check_against(&(struct truth_table){inputs, &ones, NULL}, &best[table]);
            found += best[table].known;
        }
        assert_int_equal(found, expected[inputs]); // so that all were in reach
        memory_free(best);
    }
}

static void test_all_with_open_rows(void **state)
{
    struct best *best = memory_new(256, sizeof *best);
    (void)state;
    assert_non_null(best);
    search_all(3, best);
    for (uint64_t open = 0; open < 256; open++)
        for (uint64_t ones = 0; ones < 256; ones++) {
            struct best least = {0};
            if (ones & open)
                continue;
            for (uint64_t fill = 0; fill < 256; fill++)
                if ((fill & ~open) == ones && best[fill].known &&
                    is_better(best[fill].sum, best[fill].weights, &least))
                    least = best[fill];
            check_against(&(struct truth_table){3, &ones, &open}, &least);
        }
    memory_free(best);
}

// Whether weights >= 0 with exactly this sum make the table, which never falls: all of them are
// gone through.
static bool some_make(const struct truth_table *truth, int64_t *weights, unsigned from, int64_t sum)
{
    if (from + 1 < truth->inputs) {
        for (weights[from] = 0; weights[from] <= sum; weights[from]++)
            if (some_make(truth, weights, from + 1, sum - weights[from]))
                return true;
        return false;
    }
    int64_t least = INT64_MAX, largest = INT64_MIN;
    weights[from] = sum;
    for (size_t row = 0; row < truth_rows(truth) && largest < least; row++) {
        int64_t at = 0;
        for (unsigned i = 0; i < truth->inputs; i++)
            at += truth_input(truth, row, i) ? weights[i] : 0;
        if (truth_value(truth, row))
            least = at < least ? at : least;
        else
            largest = at > largest ? at : largest;
    }
    return largest < least;
}

static void test_random(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 5);
    for (int trial = 0; trial < often(300); trial++) {
        unsigned inputs = 5 + (trial % 10 == 0);
        struct truth_table truth;
        struct threshold_unit answer;
        int64_t weights[6], sum = 0;
        assert_true(truth_init(&truth, inputs, false));
        for (unsigned i = 0; i < inputs; i++)
            sum += weights[i] = (int64_t)random_below(&random, 8);
        for (size_t row = 0; row < truth_rows(&truth); row++) {
            int64_t at = 0;
            for (unsigned i = 0; i < inputs; i++)
                at += truth_input(&truth, row, i) ? weights[i] : 0;
            if (2 * at > sum)
                truth_set(&truth, row);
        }
        assert_int_equal(threshold_unit_smallest(&truth, 0, &answer, NULL), TLU_OK);
        assert_true(answer.is_threshold && answer.is_smallest && answer.least_sum <= sum);
        int64_t least = 0;
        while (!some_make(&truth, weights, 0, least))
            least++;
        assert_int_equal(answer.least_sum, least);
        threshold_unit_free(&answer);
        truth_free(&truth);
    }
}

// Too many weights to go through: that the search ends, and with no larger a sum than before.
static void test_larger(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 9);
    for (unsigned inputs = 7; inputs <= 12; inputs++)
        for (int trial = 0; trial < 5; trial++) {
            struct truth_table truth;
            struct threshold_unit plain, answer;
            int64_t weights[12], sum = 0, found = 0, least = 0;
            assert_true(truth_init(&truth, inputs, false));
            for (unsigned i = 0; i < inputs; i++)
                sum += weights[i] = (int64_t)random_below(&random, 100) - 50;
            for (size_t row = 0; row < truth_rows(&truth); row++) {
                int64_t at = 0;
                for (unsigned i = 0; i < inputs; i++)
                    at += truth_input(&truth, row, i) ? weights[i] : 0;
                if (2 * at > sum)
                    truth_set(&truth, row);
            }
            assert_int_equal(threshold_unit_find(&truth, &plain, NULL), TLU_OK);
            assert_int_equal(threshold_unit_smallest(&truth, 0, &answer, NULL), TLU_OK);
            for (unsigned i = 0; i < inputs; i++) {
                found += llabs(plain.weights[i]);
                least += llabs(answer.weights[i]);
            }
            assert_true(answer.is_smallest && answer.least_sum == least && least <= found);
            threshold_unit_free(&plain);
            threshold_unit_free(&answer);
            truth_free(&truth);
        }
}

static void test_no_memory(void **state)
{
    uint64_t ones = 0xffe8; // weights 2 1 1 1, threshold 2
    struct truth_table truth = {4, &ones, NULL};
    struct threshold_unit answer;
    (void)state;
    for (long n = 1;; n++) {
        fault_at(FAULT_MEMORY, n);
        tlu_status status = threshold_unit_smallest(&truth, 0, &answer, NULL);
        bool reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
        if (!reached)
            break;
    }
    assert_true(answer.is_smallest && answer.least_sum == 5 && answer.weights[0] == 2);
    threshold_unit_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_tables), cmocka_unit_test(test_all_with_open_rows),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_larger),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
