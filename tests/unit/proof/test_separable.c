// Separable or not, through the library: counts that are known, small sets against a test written
// another way (Fourier-Motzkin elimination), every proof checked here by hand, failing memory.
#include "base/fault.h"
#include "tlu.h"
#include "tlu_proof.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS_MAX 16
#define COLUMNS_MAX 5

struct set {
    size_t rows, columns;
    float x[ROWS_MAX * COLUMNS_MAX];
    uint32_t y[ROWS_MAX];
};

static tlu_status ask(const struct set *set, bool bias, bool approximate, tlu_separability **answer,
                      tlu_error *error)
{
    tlu_rows rows = {.size = sizeof rows,
                     .rows = set->rows,
                     .columns = set->columns,
                     .values = set->x,
                     .labels = set->y};
    tlu_separability_settings settings = {
        .size = sizeof settings, .rows = &rows, .approximate = approximate};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    if (options && !bias && tlu_options_set(options, "no-bias", "yes", NULL) != TLU_OK) {
        tlu_options_free(options);
        options = NULL;
    }
    tlu_status status =
        options ? tlu_separability_decide(&settings, options, answer, error) : TLU_ERROR_SYSTEM;
    if (!options && error)
        error->status = TLU_ERROR_SYSTEM;
    tlu_options_free(options);
    return status;
}

static tlu_separability *answer_to(const struct set *set, bool bias)
{
    tlu_error error;
    tlu_separability *answer = NULL;
    if (ask(set, bias, false, &answer, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return answer;
}

// ---- the answer, checked ----

// Weights: every row's own class has the highest score. Features are called by their numbers.
static void check_weights(const struct set *set, const tlu_separability *answer)
{
    double w[4][COLUMNS_MAX + 1] = {{0}};
    for (size_t k = 0; k < answer->weight_count; k++) {
        const tlu_plane_weight *weight = &answer->weights[k];
        size_t column = weight->feature ? (size_t)atoi(weight->feature) : COLUMNS_MAX;
        w[weight->label ? atoi(weight->label) : 0][column] = strtod(weight->exact, NULL);
    }
    for (size_t i = 0; i < set->rows; i++) {
        double scores[4];
        for (int c = 0; c < 4; c++) {
            scores[c] = w[c][COLUMNS_MAX];
            for (size_t j = 0; j < set->columns; j++)
                scores[c] += w[c][j] * (double)set->x[i * set->columns + j];
        }
        if (answer->classes > 2) {
            for (uint32_t c = 0; c < answer->classes; c++)
                assert_true(c == set->y[i] || scores[set->y[i]] > scores[c]);
        } else if (answer->positive) {
            assert_true((set->y[i] == (uint32_t)atoi(answer->positive)) == (scores[0] > 0));
            assert_true(scores[0] != 0);
        }
    }
}

// Rows that contradict each other: multiplied by their weights they add up to nothing.
static void check_contradiction(const struct set *set, const tlu_separability *answer, bool bias)
{
    double sum[4][COLUMNS_MAX + 1] = {{0}};
    assert_true(answer->row_count >= 1);
    size_t planes = answer->classes > 2 ? answer->classes : 1;
    assert_true(answer->row_count <= planes * (set->columns + bias) + 1);
    for (size_t k = 0; k < answer->row_count; k++) {
        const tlu_proof_row *row = &answer->rows[k];
        size_t i = (size_t)row->line - 1;
        double weight = strtod(row->weight, NULL);
        assert_true(weight >= 1 && weight < 9e15 && i < set->rows);
        assert_int_equal(atoi(row->label), set->y[i]);
        int own = row->rival ? atoi(row->label) : 0, other = row->rival ? atoi(row->rival) : 0;
        if (!row->rival && set->y[i] == 0)
            weight = -weight;
        for (size_t j = 0; j <= set->columns; j++) {
            double x = j < set->columns ? (double)set->x[i * set->columns + j] : bias;
            sum[own][j] += weight * x;
            if (row->rival)
                sum[other][j] -= weight * x;
        }
    }
    for (int c = 0; c < 4; c++)
        for (size_t j = 0; j <= set->columns; j++)
            assert_true(sum[c][j] == 0);
}

static bool is_separable(const struct set *set, bool bias)
{
    tlu_separability *answer = answer_to(set, bias);
    assert_int_equal(answer->examples, set->rows);
    assert_true(answer->verdict == TLU_SEPARABLE || answer->verdict == TLU_NOT_SEPARABLE);
    bool separable = answer->verdict == TLU_SEPARABLE;
    if (separable)
        check_weights(set, answer);
    else
        check_contradiction(set, answer, bias);
    tlu_separability_free(answer);
    return separable;
}

// ---- counts ----

static size_t count_functions(size_t inputs, uint32_t step)
{
    struct set set = {.rows = (size_t)1 << inputs, .columns = inputs};
    for (size_t i = 0; i < set.rows; i++)
        for (size_t j = 0; j < inputs; j++)
            set.x[i * inputs + j] = (float)(i >> j & 1);
    size_t count = 0;
    uint64_t functions = (uint64_t)1 << set.rows;
    for (uint64_t f = 0; f < functions; f += step) {
        for (size_t i = 0; i < set.rows; i++)
            set.y[i] = f >> i & 1;
        count += is_separable(&set, true);
    }
    return count;
}

// "Of the 256 Boolean functions of three inputs 104 are threshold functions, of the 65,536 of four
// 1,882" (Muroga 1971, table 2.3.2; OEIS A000609).
static void test_boolean_functions(void **state)
{
    (void)state;
    assert_int_equal(count_functions(2, 1), 14);
    assert_int_equal(count_functions(3, 1), 104);
    if (getenv("TLU_LONG"))
        assert_int_equal(count_functions(4, 1), 1882);
}

// ---- against Fourier and Motzkin ----

// a . w >= b, in whole numbers.
struct inequality {
    int64_t a[COLUMNS_MAX + 1], b;
};
#define INEQUALITIES_MAX 400000
static struct inequality *system_now, *system_next;

static int64_t divisor(int64_t a, int64_t b)
{
    return b ? divisor(b, a % b) : a < 0 ? -a : a;
}

// Whether some w has w . z >= 1 for every row z of the system.
static bool has_solution(size_t count, size_t width)
{
    for (size_t j = 0; j < width; j++) {
        size_t next = 0;
        for (size_t p = 0; p < count; p++) {
            const struct inequality *up = &system_now[p];
            if (up->a[j] == 0)
                system_next[next++] = *up;
            for (size_t q = 0; up->a[j] > 0 && q < count; q++) {
                const struct inequality *down = &system_now[q];
                if (down->a[j] >= 0)
                    continue;
                struct inequality sum;
                int64_t common = 0;
                for (size_t k = 0; k < width; k++) {
                    sum.a[k] = up->a[k] * -down->a[j] + down->a[k] * up->a[j];
                    common = divisor(common, sum.a[k]);
                }
                sum.b = up->b * -down->a[j] + down->b * up->a[j];
                common = divisor(common, sum.b);
                for (size_t k = 0; common > 1 && k < width; k++)
                    sum.a[k] /= common;
                sum.b /= common > 1 ? common : 1;
                assert_true(next < INEQUALITIES_MAX);
                system_next[next++] = sum;
            }
        }
        struct inequality *swapped = system_now;
        system_now = system_next;
        system_next = swapped;
        count = next;
    }
    for (size_t p = 0; p < count; p++)
        if (system_now[p].b > 0)
            return false;
    return true;
}

static bool is_separable_by_elimination(const struct set *set, bool bias)
{
    size_t count = 0, width = set->columns + bias;
    for (size_t i = 0; i < set->rows; i++) {
        struct inequality z = {.b = 1};
        for (size_t j = 0; j < width; j++) {
            int64_t x = j < set->columns ? (int64_t)set->x[i * set->columns + j] : 1;
            z.a[j] = set->y[i] ? x : -x;
        }
        system_now[count++] = z;
    }
    return has_solution(count, width);
}

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static struct set random_set(void)
{
    struct set set = {.rows = 2 + random_below(7), .columns = 1 + random_below(3)};
    uint32_t most = 1 + random_below(4);
    for (size_t k = 0; k < set.rows * set.columns; k++)
        set.x[k] = (float)((int)random_below(2 * most + 1) - (int)most);
    for (size_t i = 0; i < set.rows; i++)
        set.y[i] = i < 2 ? (uint32_t)i : random_below(2);
    return set;
}

static int make_systems(void **state)
{
    (void)state;
    system_now = malloc(INEQUALITIES_MAX * sizeof *system_now);
    system_next = malloc(INEQUALITIES_MAX * sizeof *system_next);
    return !system_now || !system_next;
}

static int free_systems(void **state)
{
    (void)state;
    free(system_now);
    free(system_next);
    return 0;
}

static void test_random_sets(void **state)
{
    (void)state;
    size_t separable = 0, trials = 10000;
    for (size_t t = 0; t < trials; t++) {
        bool bias = random_below(3) > 0;
        struct set set = random_set();
        bool found = is_separable(&set, bias), expected = is_separable_by_elimination(&set, bias);
        if (found != expected)
            fail_msg("set %zu is %s separable", t, expected ? "" : "not");
        separable += found;
    }
    assert_in_range(separable, trials / 5, trials * 4 / 5); // both happen
}

// The fewest rows to take out for the rest to be separable: all subsets are tried.
static size_t fewest_mistakes(const struct set *set, bool bias)
{
    size_t fewest = set->rows;
    for (uint32_t out = 0; out < 1u << set->rows; out++) {
        struct set rest = {.columns = set->columns};
        for (size_t i = 0; i < set->rows; i++) {
            if (out >> i & 1)
                continue;
            memcpy(&rest.x[rest.rows * set->columns], &set->x[i * set->columns],
                   set->columns * sizeof *rest.x);
            rest.y[rest.rows++] = set->y[i];
        }
        size_t taken = set->rows - rest.rows;
        if (taken < fewest && is_separable_by_elimination(&rest, bias))
            fewest = taken;
    }
    return fewest;
}

static void test_fewest_mistakes(void **state)
{
    (void)state;
    size_t above = 0;
    for (int t = 0; t < often(2000); t++) {
        bool bias = random_below(3) > 0;
        struct set set = random_set();
        tlu_separability *answer = NULL;
        tlu_error error;
        if (ask(&set, bias, true, &answer, &error) != TLU_OK)
            fail_msg("%s", error.text);
        size_t fewest = fewest_mistakes(&set, bias);
        assert_int_equal(answer->verdict == TLU_SEPARABLE, fewest == 0);
        assert_in_range(fewest, answer->mistakes_min, answer->mistakes);
        if (fewest > 0)
            assert_int_equal(answer->fewest, 1); // small data: it is found
        assert_int_equal(answer->mistakes, fewest);
        above += answer->mistakes > answer->mistakes_min;
        tlu_separability_free(answer);
    }
    assert_true(above > 0); // the search was needed
}

// Three classes on a line: those whose intervals do not overlap win by turns (lines of growing
// slope), others do not.
static void test_several_classes(void **state)
{
    (void)state;
    for (int t = 0; t < often(2000); t++) {
        struct set set = {.rows = 3 + random_below(8), .columns = 1};
        float least[3] = {100, 100, 100}, most[3] = {-100, -100, -100};
        for (size_t i = 0; i < set.rows; i++) {
            set.y[i] = i < 3 ? (uint32_t)i : random_below(3);
            set.x[i] = (float)(5 * random_below(2) * set.y[i] + random_below(5));
            least[set.y[i]] = fminf(least[set.y[i]], set.x[i]);
            most[set.y[i]] = fmaxf(most[set.y[i]], set.x[i]);
        }
        bool apart = true;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < a; b++)
                apart = apart && (most[a] < least[b] || most[b] < least[a]);
        assert_int_equal(is_separable(&set, true), apart);
    }
}

// ---- the margin ----

static void test_margin(void **state)
{
    (void)state;
    // Two rows of each class; the plane is x = 2.
    struct set set = {.rows = 4, .columns = 2, .x = {0, 1, 0, -1, 4, 0, 5, 0}, .y = {0, 0, 1, 1}};
    tlu_separability *answer = answer_to(&set, true);
    assert_int_equal(answer->verdict, TLU_SEPARABLE);
    assert_true(answer->margin_low <= 2 && answer->margin_high >= 2);
    assert_true(answer->margin_high - answer->margin_low < 1e-9);
    assert_true(fabs(answer->radius - 5) < 1e-12);
    assert_true(fabs(answer->bound - 6.25) < 1e-6);
    tlu_separability_free(answer);

    // Through the origin: of (1, 0), (0, 1) the nearest point of the hull is (1/2, 1/2).
    struct set corner = {.rows = 2, .columns = 2, .x = {1, 0, 0, -1}, .y = {1, 0}};
    answer = answer_to(&corner, false);
    assert_int_equal(answer->verdict, TLU_SEPARABLE);
    assert_true(fabs(answer->margin_low - sqrt(0.5)) < 1e-9);
    assert_true(fabs(answer->margin_high - sqrt(0.5)) < 1e-9);
    tlu_separability_free(answer);
}

// ---- when memory fails ----

static void test_memory(void **state)
{
    (void)state;
    struct set sets[] = {
        {.rows = 4, .columns = 2, .x = {0, 0, 0, 1, 1, 0, 1, 1}, .y = {0, 1, 1, 0}},
        {.rows = 4, .columns = 2, .x = {0, 0, 0, 1, 1, 0, 1, 1}, .y = {0, 1, 1, 1}},
        {.rows = 3, .columns = 1, .x = {1, 1, 2}, .y = {0, 1, 1}},
        {.rows = 4, .columns = 2, .x = {0, 0, 0, 1, 1, 0, 1, 1}, .y = {0, 1, 2, 0}},
    };
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        tlu_status status = TLU_ERROR_SYSTEM;
        for (long n = 1; status != TLU_OK; n++) {
            tlu_separability *answer = NULL;
            tlu_error error;
            assert_true(n < 10000);
            fault_at(FAULT_MEMORY, n);
            status = ask(&sets[s], true, true, &answer, &error);
            fault_at(FAULT_MEMORY, 0);
            if (status != TLU_OK) {
                assert_int_equal(status, TLU_ERROR_SYSTEM);
                assert_null(answer);
            }
            tlu_separability_free(answer);
        }
    }
}

int main(void)
{
    tlu_separability *answer;
    struct set set = {.rows = 2, .columns = 1, .x = {0, 1}, .y = {0, 1}};
    if (ask(&set, true, false, &answer, NULL) != TLU_OK)
        return 77; // built without GMP or Clp
    tlu_separability_free(answer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boolean_functions), cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_several_classes),   cmocka_unit_test(test_margin),
        cmocka_unit_test(test_fewest_mistakes),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_systems, free_systems);
}
