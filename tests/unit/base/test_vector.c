// Every kernel that this CPU has against a slow reading of the contract in vector.h, by bits.
#include "base/random.h"
#include "tlu.h"
#include "vector/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 300, COLUMNS_MAX = 70 };

// One row, in arrays of just its length, so that a sanitizer sees whatever is read after them.
struct row {
    size_t count;
    uint32_t *indices; // NULL: 0, 1, 2, ...
    float *values;     // NULL: all 1
};

enum { WITH_VALUES = 1, WITHOUT_INDICES = 2, FORMS = 4 };

// Every operation is rounded to a double of its own: volatile keeps a compiler from joining them.
static double product(double a, double b)
{
    volatile double result = a * b;
    return result;
}

static double sum(double a, double b)
{
    volatile double result = a + b;
    return result;
}

static double value_at(const struct row *row, size_t i)
{
    return row->values ? (double)row->values[i] : 1;
}

static size_t index_at(const struct row *row, size_t i)
{
    return row->indices ? row->indices[i] : i;
}

// Zeros, numbers that swallow each other and such as are denormal as a float or as a double.
static double random_value(struct random *random)
{
    static const double special[] = {0, -0.0, 1, -1, 1e-40, -1e-45, 1e30, -1e30, 3e-310, -5e-324};
    uint64_t pick = random_below(random, 50);
    return pick < 10 ? special[pick] : random_normal(random);
}

static struct row row_new(struct random *random, size_t count, int form)
{
    struct row row = {.count = count};
    bool with_values = form & WITH_VALUES;
    row.indices = malloc(count ? count * sizeof *row.indices : 1);
    row.values = with_values ? malloc(count ? count * sizeof *row.values : 1) : NULL;
    assert_true(row.indices && (row.values || !with_values));
    uint32_t deck[FEATURES];
    for (uint32_t i = 0; i < FEATURES; i++)
        deck[i] = i;
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)random_below(random, FEATURES - i);
        row.indices[i] = deck[other];
        deck[other] = deck[i];
        if (with_values)
            row.values[i] = (float)random_value(random);
    }
    if (form & WITHOUT_INDICES) {
        free(row.indices);
        row.indices = NULL;
    }
    return row;
}

static void row_free(struct row *row)
{
    free(row->indices);
    free(row->values);
}

static double *weights_new(struct random *random, size_t columns)
{
    double *w = malloc(FEATURES * columns * sizeof *w);
    assert_non_null(w);
    for (size_t i = 0; i < FEATURES * columns; i++) // new ones take most of the test's time
        w[i] = i < 1000 ? random_value(random) : w[i - 1 - (random_bits(random) & 511)];
    return w;
}

static double slow_dot(const double *w, const struct row *row)
{
    double s[8] = {0};
    for (size_t i = 0; i < row->count; i++)
        s[i % 8] = sum(s[i % 8], product(w[index_at(row, i)], value_at(row, i)));
    return sum(sum(sum(s[0], s[4]), sum(s[2], s[6])), sum(sum(s[1], s[5]), sum(s[3], s[7])));
}

// cells[...][column] += amount x, slowly
static void slow_add(double *cells, size_t columns, size_t column, const struct row *row,
                     double amount)
{
    for (size_t i = 0; i < row->count; i++) {
        double *cell = &cells[index_at(row, i) * columns + column];
        *cell = sum(*cell, product(amount, value_at(row, i)));
    }
}

static void check_adds(const struct vector_routines *routines, struct random *random,
                       const struct row *row, size_t columns)
{
    size_t size = FEATURES * columns * sizeof(double), column = random_below(random, columns);
    double *w = weights_new(random, columns), *u = weights_new(random, columns);
    double *expected = malloc(size), *expected_u = malloc(size);
    assert_true(expected && expected_u);
    memcpy(expected, w, size);
    memcpy(expected_u, u, size);
    double amount = random_normal(random), other = random_value(random);

    slow_add(expected, 1, 0, row, amount);
    routines->add(w, row->indices, row->values, row->count, amount);
    assert_memory_equal(w, expected, size);
    slow_add(expected, columns, column, row, amount);
    routines->add_column(w, columns, column, row->indices, row->values, row->count, amount);
    assert_memory_equal(w, expected, size);
    slow_add(expected, columns, column, row, other);
    slow_add(expected_u, columns, column, row, amount);
    routines->add_pair(w, u, columns, column, row->indices, row->values, row->count, other, amount);
    assert_memory_equal(w, expected, size);
    assert_memory_equal(u, expected_u, size);
    free(expected_u);
    free(expected);
    free(u);
    free(w);
}

// Whose states of each column grow by their own slopes.
static void check_adagrad_column(const struct vector_routines *routines, struct random *random,
                                 const struct row *row, size_t columns, size_t column, bool average)
{
    size_t size = FEATURES * columns * sizeof(double);
    double *got[3], *expected[3], gradient = random_value(random);
    double rate = fabs(random_normal(random)), steps = (double)random_below(random, 1000);
    for (size_t a = 0; a < 3; a++) {
        got[a] = weights_new(random, columns);
        for (size_t i = 0; a == 2 && i < FEATURES * columns; i++)
            got[a][i] = fabs(got[a][i]);
        expected[a] = malloc(size);
        assert_non_null(expected[a]);
        memcpy(expected[a], got[a], size);
    }
    const struct vector_adagrad step = {.w = got[0],
                                        .u = average ? got[1] : NULL,
                                        .state = got[2],
                                        .columns = columns,
                                        .gradients = &gradient,
                                        .rate = rate,
                                        .steps = steps};
    routines->adagrad_column(&step, column, row->indices, row->values, row->count);
    for (size_t i = 0; i < row->count; i++) {
        size_t at = index_at(row, i) * columns + column;
        double slope = product(gradient, value_at(row, i));
        expected[2][at] = sum(expected[2][at], product(slope, slope));
        volatile double root = sqrt(expected[2][at]),
                        change = expected[2][at] > 0 ? product(rate, slope) / root : 0;
        expected[0][at] = sum(expected[0][at], change);
        if (average)
            expected[1][at] = sum(expected[1][at], product(steps, change));
    }
    for (size_t a = 0; a < 3; a++) {
        assert_memory_equal(got[a], expected[a], size);
        free(got[a]);
        free(expected[a]);
    }
}

// The columns after the classes do not change. Each feature has states of its own, or one for all
// classes, as they are without new classes.
static void check_adagrad(const struct vector_routines *routines, struct random *random,
                          const struct row *row, size_t columns, bool average)
{
    size_t size = FEATURES * columns * sizeof(double);
    double *got[3], *expected[3], *gradients = malloc(columns * sizeof *gradients);
    assert_non_null(gradients);
    for (size_t a = 0; a < 3; a++) {
        got[a] = weights_new(random, columns);
        for (size_t i = 0; a == 2 && i < FEATURES * columns; i++)
            got[a][i] = fabs(got[a][row->count % 3 ? i : i - i % columns]);
        expected[a] = malloc(size);
        assert_non_null(expected[a]);
        memcpy(expected[a], got[a], size);
    }
    for (size_t c = 0; c < columns; c++)
        gradients[c] = random_value(random);
    double rate = fabs(random_normal(random)), square = fabs(random_value(random)),
           steps = (double)random_below(random, 1000);
    size_t classes = columns - (columns > 3 ? (size_t)random_below(random, 3) : 0);
    const struct vector_adagrad step = {.w = got[0],
                                        .u = average ? got[1] : NULL,
                                        .state = got[2],
                                        .columns = columns,
                                        .classes = classes,
                                        .gradients = gradients,
                                        .square = square,
                                        .rate = rate,
                                        .steps = steps};
    routines->adagrad(&step, row->indices, row->values, row->count);
    for (size_t i = 0; i < row->count; i++)
        for (size_t c = 0; c < classes; c++) {
            size_t at = index_at(row, i) * columns + c;
            double g = product(gradients[c], value_at(row, i));
            expected[2][at] =
                sum(expected[2][at], product(square, product(value_at(row, i), value_at(row, i))));
            volatile double root = sqrt(expected[2][at]),
                            change = expected[2][at] > 0 ? product(rate, g) / root : 0;
            expected[0][at] = sum(expected[0][at], change);
            if (average)
                expected[1][at] = sum(expected[1][at], product(steps, change));
        }
    for (size_t a = 0; a < 3; a++) {
        assert_memory_equal(got[a], expected[a], size);
        free(got[a]);
        free(expected[a]);
    }
    free(gradients);
}

// What was in the scores before does not matter.
static void check_totals(const struct vector_routines *routines, struct random *random,
                         const struct row *row, const double *w, size_t columns, double *scores)
{
    double *bias = malloc(columns * sizeof *bias), expected[COLUMNS_MAX] = {0};
    assert_non_null(bias);
    for (size_t i = 0; i < row->count; i++)
        for (size_t c = 0; c < columns; c++)
            expected[c] =
                sum(expected[c], product(w[index_at(row, i) * columns + c], value_at(row, i)));
    for (size_t c = 0; c < columns; c++) {
        bias[c] = random_value(random);
        expected[c] = sum(expected[c], bias[c]);
    }
    routines->totals(w, columns, row->indices, row->values, row->count, bias, scores);
    assert_memory_equal(scores, expected, columns * sizeof *scores);
    free(bias);
}

// Four partial sums per row, then the rest.
static void check_dot_rows(const struct vector_routines *routines, struct random *random,
                           size_t count)
{
    size_t width = count + 3, whole = count - count % 4;
    double *rows = malloc(VECTOR_ROWS * width * sizeof *rows), *b = malloc(width * sizeof *b);
    double products[VECTOR_ROWS];
    for (size_t k = 0; k < VECTOR_ROWS * width; k++)
        rows[k] = random_value(random);
    for (size_t k = 0; k < width; k++)
        b[k] = random_value(random);
    routines->dot_rows(rows, width, b, count, products);
    for (size_t r = 0; r < VECTOR_ROWS; r++) {
        double sums[4] = {0};
        for (size_t k = 0; k < whole; k++)
            sums[k % 4] = sum(sums[k % 4], product(rows[r * width + k], b[k]));
        double expected = sum(sum(sums[0], sums[2]), sum(sums[1], sums[3]));
        for (size_t k = whole; k < count; k++)
            expected = sum(expected, product(rows[r * width + k], b[k]));
        assert_memory_equal(&products[r], &expected, sizeof expected);
    }
    free(rows);
    free(b);
}

static void check_row(const struct vector_routines *routines, struct random *random,
                      const struct row *row, size_t columns)
{
    double *w = weights_new(random, columns);
    double slow = slow_dot(w, row), fast = routines->dot(w, row->indices, row->values, row->count);
    assert_memory_equal(&fast, &slow, sizeof fast);
    slow = vector_reference.dot(w, row->indices, row->values, row->count);
    assert_memory_equal(&fast, &slow, sizeof fast);

    double *scores = malloc(columns * sizeof *scores), expected_scores[COLUMNS_MAX];
    assert_non_null(scores);
    for (size_t c = 0; c < columns; c++)
        scores[c] = expected_scores[c] = random_value(random);
    for (size_t i = 0; i < row->count; i++)
        for (size_t c = 0; c < columns; c++)
            expected_scores[c] = sum(expected_scores[c],
                                     product(w[index_at(row, i) * columns + c], value_at(row, i)));
    routines->scores(w, columns, row->indices, row->values, row->count, scores);
    assert_memory_equal(scores, expected_scores, columns * sizeof *scores);
    check_totals(routines, random, row, w, columns, scores);
    free(scores);
    free(w);
    check_adds(routines, random, row, columns);
    check_adagrad(routines, random, row, columns, row->count % 2);
    check_adagrad_column(routines, random, row, columns, random_below(random, columns),
                         row->count % 2);
    check_dot_rows(routines, random, row->count);
}

static void all_lengths(void **state)
{
    (void)state;
    const struct vector_routines *routines;
    for (size_t k = 0; (routines = vector_routines_at(k)) != NULL; k++) {
        struct random random;
        random_seed(&random, 1);
        for (size_t count = 0; count <= 200; count++)
            for (int form = 0; form < FORMS; form++) {
                struct row row = row_new(&random, count, form);
                check_row(routines, &random, &row, 1 + (count + (size_t)form) % 40);
                row_free(&row);
            }
        for (int i = 0; i < 100; i++) {
            size_t count = (size_t)random_below(&random, FEATURES + 1);
            struct row row = row_new(&random, count, i % FORMS);
            check_row(routines, &random, &row, 1 + (size_t)random_below(&random, COLUMNS_MAX));
            row_free(&row);
        }
    }
}

static void all_columns(void **state)
{
    (void)state;
    const struct vector_routines *routines;
    for (size_t k = 0; (routines = vector_routines_at(k)) != NULL; k++) {
        struct random random;
        random_seed(&random, 2);
        for (size_t columns = 1; columns <= COLUMNS_MAX; columns++) {
            for (int form = 0; form < FORMS; form++) {
                struct row row = row_new(&random, 23, form);
                check_row(routines, &random, &row, columns);
                row_free(&row);
            }
        }
    }
}

// Whole numbers are computed exactly, whatever the order.
static void whole_numbers(void **state)
{
    (void)state;
    const struct vector_routines *routines;
    for (size_t k = 0; (routines = vector_routines_at(k)) != NULL; k++) {
        struct random random;
        random_seed(&random, 3);
        double w[FEATURES], two[2 * FEATURES];
        for (size_t i = 0; i < FEATURES; i++) {
            w[i] = (double)random_below(&random, 2000001) - 1e6;
            two[2 * i] = w[i];
            two[2 * i + 1] = -3 * w[i];
        }
        for (size_t count = 0; count <= FEATURES; count += 1 + count / 5) {
            struct row row = row_new(&random, count, WITH_VALUES);
            int64_t expected = 0;
            for (size_t i = 0; i < count; i++) {
                row.values[i] = (float)random_below(&random, 2001) - 1000;
                expected += (int64_t)w[row.indices[i]] * (int64_t)row.values[i];
            }
            double scores[2] = {5, 0};
            assert_true(routines->dot(w, row.indices, row.values, count) == (double)expected);
            routines->scores(two, 2, row.indices, row.values, count, scores);
            assert_true(scores[0] == (double)expected + 5 && scores[1] == -3 * (double)expected);
            row_free(&row);
        }
    }
}

static void the_list(void **state)
{
    (void)state;
    size_t count = 0;
    while (vector_routines_at(count))
        count++;
    assert_true(count >= 1);
    assert_ptr_equal(vector_routines_at(count - 1), &vector_reference);
    assert_null(vector_routines_at(count + 1));
    assert_string_equal(tlu_instruction_set(), vector_best()->name);
    print_message("routines: best is %s, of %zu\n", tlu_instruction_set(), count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lengths),
        cmocka_unit_test(all_columns),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
