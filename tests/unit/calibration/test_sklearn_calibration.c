// Sigmoids and isotonic curves are those that scikit-learn fits to the same scores, to 1e-6, with
// ties, with weights, with few hits. tests/sklearn_calibration.py makes the cases and asks it.
#include "base/memory.h"
#include "calibration/fit.h"
#include "sklearn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS_MAX 2000

static double read_number(FILE *file)
{
    char word[64];
    if (fscanf(file, "%63s", word) != 1)
        fail_msg("the cases end too early");
    return strtod(word, NULL);
}

static void assert_near(double found, double expected, double near, const char *what, size_t number)
{
    if (!(fabs(found - expected) <= near * fmax(1, fabs(expected))))
        fail_msg("case %zu: %s is %.17g, scikit-learn says %.17g", number, what, found, expected);
}

static size_t read_rows(FILE *file, struct curve_row *rows)
{
    size_t count = (size_t)read_number(file);
    assert_true(count <= ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        rows[i].score = read_number(file);
        rows[i].weight = read_number(file);
        rows[i].hit = read_number(file) != 0;
    }
    return count;
}

static void check_isotonic(FILE *file, struct curve_row *rows, size_t count, size_t number)
{
    double *x = memory_new(count + 1, sizeof *x), *y = memory_new(count + 1, sizeof *y);
    assert_true(x && y);
    size_t knots = isotonic_fit(rows, count, x, y), asked = (size_t)read_number(file);
    assert_true(knots >= 1 && knots <= count);
    for (size_t i = 0; i < asked; i++) {
        double score = read_number(file);
        assert_near(isotonic_at(x, y, knots, score), read_number(file), 1e-12, "isotonic", number);
    }
    memory_free(x);
    memory_free(y);
}

static void as_scikit_learn(void **state)
{
    static struct curve_row rows[ROWS_MAX];
    char command[500], word[64];
    size_t count = 0, cases = 0, sigmoids = 0, curves = 0;
    (void)state;
    snprintf(command, sizeof command, "%s '%s/../sklearn_calibration.py'", python(), TLU_TEST_DATA);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    while (fscanf(file, "%63s", word) == 1) {
        if (strcmp(word, "case") == 0) {
            count = read_rows(file, rows);
        } else if (strcmp(word, "sigmoid") == 0) {
            double slope, offset;
            sigmoid_fit(rows, count, &slope, &offset);
            assert_near(slope, read_number(file), 1e-6, "the slope", cases);
            assert_near(offset, read_number(file), 1e-6, "the offset", cases);
            sigmoids++;
        } else if (strcmp(word, "isotonic") == 0) {
            check_isotonic(file, rows, count, cases);
            curves++;
        } else {
            assert_string_equal(word, "end");
            cases++;
        }
    }
    assert_int_equal(pclose(file), 0);
    assert_true(cases == 48 && sigmoids == cases && curves == cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_scikit_learn)};
    if (!python()) {
        puts("skipped: no python3 with scikit-learn (Debian: python3-sklearn)");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
