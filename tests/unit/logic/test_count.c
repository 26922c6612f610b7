// How many threshold functions there are: against all tables, one by one, against all weights, and
// against what has been published.
#include "base/fault.h"
#include "base/memory.h"
#include "logic/count/cells.h"
#include "logic/synthesis/threshold_unit.h"
#include "tlu_logic.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tlu_enumeration counted(unsigned inputs)
{
    tlu_enumeration_settings settings = {.size = sizeof settings, .inputs = inputs};
    tlu_enumeration *made, count;
    tlu_error error;
    if (tlu_enumeration_run(&settings, &made, &error) != TLU_OK)
        fail_msg("%s", error.text);
    count = *made;
    tlu_enumeration_free(made);
    return count;
}

// The table after a permutation of the inputs and a negation of some.
static uint32_t moved(uint32_t table, unsigned inputs, const unsigned *place, uint32_t negated)
{
    uint32_t result = 0;
    for (uint32_t row = 0; row < (uint32_t)1 << inputs; row++) {
        uint32_t from = 0;
        for (unsigned i = 0; i < inputs; i++)
            from |= ((row ^ negated) >> i & 1) << place[i];
        result |= (table >> from & 1) << row;
    }
    return result;
}

static bool next_permutation(unsigned *place, unsigned count)
{
    unsigned i = count, j = count;
    while (i > 1 && place[i - 2] >= place[i - 1])
        i--;
    if (i < 2)
        return false;
    while (place[j - 1] <= place[i - 2])
        j--;
    unsigned kept = place[i - 2];
    place[i - 2] = place[j - 1];
    place[j - 1] = kept;
    for (j = count; i - 1 < j - 1; i++, j--) {
        kept = place[i - 1];
        place[i - 1] = place[j - 1];
        place[j - 1] = kept;
    }
    return true;
}

static void take_out(bool *left, uint32_t table, unsigned inputs)
{
    unsigned place[4] = {0, 1, 2, 3};
    do {
        for (uint32_t negated = 0; negated < (uint32_t)1 << inputs; negated++)
            left[moved(table, inputs, place, negated)] = false;
    } while (next_permutation(place, inputs));
}

// Every table is asked; classes are made by applying every permutation and negation.
static void test_all_tables(void **state)
{
    (void)state;
    for (unsigned inputs = 0; inputs <= 4; inputs++) {
        size_t tables = (size_t)1 << (1u << inputs), found = 0, classes = 0;
        bool *left = memory_new(tables, sizeof *left);
        assert_non_null(left);
        for (size_t table = 0; table < tables; table++) {
            uint64_t ones = table;
            struct threshold_unit answer;
            assert_int_equal(
                threshold_unit_find(&(struct truth_table){inputs, &ones, NULL}, &answer, NULL),
                TLU_OK);
            found += left[table] = answer.is_threshold;
            threshold_unit_free(&answer);
        }
        for (size_t table = 0; table < tables; table++)
            if (left[table]) {
                take_out(left, (uint32_t)table, inputs);
                classes++;
            }
        tlu_enumeration count = counted(inputs);
        assert_int_equal(count.threshold_functions, found);
        assert_int_equal(count.classes, classes);
        memory_free(left);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// All tables of five inputs with weights from -5 to 5. (Larger ones make no new ones, or the
// numbers would differ.)
static void test_five_by_weights(void **state)
{
    enum { MOST = 5, SPAN = 2 * MOST + 1, CHOICES = SPAN * SPAN * SPAN * SPAN * SPAN };
    size_t count = 0, capacity = (size_t)CHOICES * 33, found = 0;
    uint32_t *tables = memory_new(capacity, sizeof *tables);
    (void)state;
    if (!getenv("TLU_LONG")) {
        memory_free(tables);
        skip();
    }
    assert_non_null(tables);
    for (int choice = 0; choice < CHOICES; choice++) {
        int sums[32] = {0}, rest = choice;
        for (unsigned i = 0; i < 5; i++, rest /= SPAN)
            for (unsigned row = 0; row < 32; row++)
                sums[row] += row >> i & 1 ? rest % SPAN - MOST : 0;
        for (unsigned at = 0; at < 33; at++) { // each sum is a threshold, and one that is too large
            int threshold = at < 32 ? sums[at] : 5 * MOST + 1;
            uint32_t table = 0;
            for (unsigned row = 0; row < 32; row++)
                table |= (uint32_t)(sums[row] >= threshold) << row;
            tables[count++] = table;
        }
    }
    qsort(tables, count, sizeof *tables, by_number);
    for (size_t i = 0; i < count; i++)
        found += i == 0 || tables[i] != tables[i - 1];
    assert_int_equal(counted(5).threshold_functions, found);
    memory_free(tables);
}

// What is told while it counts: never less than before.
struct told {
    int times;
    uint64_t classes;
    double done;
};

static int hear(void *context, uint64_t classes, double done, double seconds)
{
    struct told *told = context;
    assert_true(done >= 0 && done <= 1 && seconds > 0);
    if (done > 0) { // of eight inputs, and no longer of seven
        assert_true(classes >= told->classes && done >= told->done);
        *told = (struct told){told->times + 1, classes, done};
    }
    return 0;
}

static void test_progress(void **state)
{
    struct told told = {0};
    tlu_enumeration_settings settings = {
        .size = sizeof settings, .inputs = 8, .progress = hear, .progress_context = &told};
    tlu_enumeration *count;
    (void)state;
    if (unless_sanitized(0, 1)) // it takes a second or two without
        skip();
    assert_int_equal(tlu_enumeration_run(&settings, &count, NULL), TLU_OK);
    assert_int_equal(count->threshold_functions, 17561539552946); // OEIS A000609
    assert_int_equal(count->dual_classes, 175428);
    assert_true(told.classes <= count->dual_classes);
    tlu_enumeration_free(count);
    if (told.times > 2)
        assert_true(told.done > 0.3);
}

static void test_published(void **state)
{
    // OEIS A000609; A001532 has the classes of self-dual functions.
    static const uint64_t functions[] = {2, 4, 14, 104, 1882, 94572, 15028134, 8378070864u};
    static const uint64_t dual_classes[] = {1, 1, 2, 3, 7, 21, 135, 2470};
    (void)state;
    for (unsigned inputs = 0; inputs <= 7; inputs++) {
        tlu_enumeration count = counted(inputs);
        assert_int_equal(count.threshold_functions, functions[inputs]);
        assert_int_equal(count.dual_classes, dual_classes[inputs]);
    }
}

static void test_powers(void **state)
{
    tlu_enumeration count = counted(6);
    (void)state;
    assert_string_equal(count.functions, "18446744073709551616");
    assert_string_equal(count.bound, "68719476736");
    count = counted(0);
    assert_string_equal(count.functions, "2");
    assert_string_equal(count.bound, "1");
    count = counted(7);
    assert_string_equal(count.functions, "340282366920938463463374607431768211456");
    assert_string_equal(count.bound, "562949953421312");
}

// For each table in the order of the cells: weights, or none, as the decision for tables says.
static void test_weights_of_cells(void **state)
{
    struct cell_space cells;
    (void)state;
    cells_init(&cells, 4);
    for (uint32_t half = 0; half < 256; half++) {
        struct row_set table = {.word = {0}}, minimal, again;
        uint64_t ones = 0;
        uint32_t weights[CELL_INPUTS_MAX];
        struct threshold_unit answer;
        for (uint32_t row = 8; row < 16; row++)
            ones |= (uint64_t)1 << (half >> (row - 8) & 1 ? row : 15 - row);
        table.word[0] = ones;
        cells_minimal(&cells, &table, &minimal);
        bool has_weights = cells_weights(&cells, &minimal, weights);
        if (has_weights)
            cells_table(&cells, weights, &again);
        // Weights in order also make the rows above the minimal ones true: then these are all.
        bool same = has_weights && memcmp(&again, &table, sizeof table) == 0;
        assert_int_equal(threshold_unit_find(&(struct truth_table){4, &ones, NULL}, &answer, NULL),
                         TLU_OK);
        bool ordered = answer.is_threshold;
        int chow[CELL_INPUTS_MAX];
        cells_chow(&cells, &table, chow);
        for (unsigned i = 0; i < 4; i++)
            ordered = ordered && chow[i] >= (i < 3 ? chow[i + 1] : 0);
        assert_int_equal(same, ordered);
        threshold_unit_free(&answer);
    }
}

static int stop(void *context, uint64_t classes, double done, double seconds)
{
    (void)classes;
    assert_true(done >= 0 && done <= 1 && seconds > 0);
    ++*(int *)context;
    return 1;
}

static void test_refused(void **state)
{
    int told = 0;
    tlu_error error;
    tlu_enumeration *count;
    tlu_enumeration_settings settings = {.size = sizeof settings, .inputs = 10};
    (void)state;
    assert_int_equal(tlu_enumeration_run(&settings, &count, &error), TLU_ERROR_INPUT);
    settings = (tlu_enumeration_settings){.size = 0, .inputs = 1};
    assert_int_equal(tlu_enumeration_run(&settings, &count, &error), TLU_ERROR_INPUT);
    settings = (tlu_enumeration_settings){.size = sizeof settings, .inputs = 9};
    settings.progress = stop;
    settings.progress_context = &told;
    assert_int_equal(tlu_enumeration_run(&settings, &count, &error), TLU_INTERRUPTED);
    assert_true(told == 1 && !count);
}

static void test_no_memory(void **state)
{
    tlu_enumeration_settings settings = {.size = sizeof settings, .inputs = 5};
    tlu_enumeration *count;
    (void)state;
    for (long n = 1;; n++) {
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_enumeration_run(&settings, &count, NULL);
        bool reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
        assert_int_equal(count != NULL, status == TLU_OK);
        if (!reached) {
            assert_true(n > 20);
            break;
        }
    }
    assert_int_equal(count->threshold_functions, 94572);
    tlu_enumeration_free(count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_tables), cmocka_unit_test(test_five_by_weights),
        cmocka_unit_test(test_published),  cmocka_unit_test(test_progress),
        cmocka_unit_test(test_powers),     cmocka_unit_test(test_weights_of_cells),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
