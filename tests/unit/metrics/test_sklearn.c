// Every metric that scikit-learn has is what scikit-learn says, to 1e-12: rows at random, with
// ties, with weights, with classes that are missing. tests/sklearn_metrics.py makes the cases and
// asks it.
#include "base/memory.h"
#include "metrics/curve.h"
#include "sklearn.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR 1e-12
#define ROWS_MAX 1000
#define CLASSES_MAX 8

struct rows {
    tlu_metric_data answers;
    uint32_t labels[ROWS_MAX * CLASSES_MAX], guesses[ROWS_MAX * CLASSES_MAX];
    uint64_t label_offsets[ROWS_MAX + 1], guess_offsets[ROWS_MAX + 1]; // several labels per row
    double weights[ROWS_MAX];
    double scores[ROWS_MAX * CLASSES_MAX], probabilities[ROWS_MAX * CLASSES_MAX];
};

static void read_word(FILE *file, char word[64])
{
    if (fscanf(file, "%63s", word) != 1)
        fail_msg("the cases end too early");
}

static double read_number(FILE *file)
{
    char word[64];
    read_word(file, word);
    return strtod(word, NULL);
}

static void read_rows(FILE *file, struct rows *rows)
{
    tlu_metric_data *answers = &rows->answers;
    *answers = (tlu_metric_data){.size = sizeof *answers};
    answers->rows = (size_t)read_number(file);
    answers->classes = (size_t)read_number(file);
    answers->positive = (size_t)read_number(file);
    assert_true(answers->rows <= ROWS_MAX && answers->classes <= CLASSES_MAX);
    size_t wide = answers->classes == 2 ? 1 : answers->classes;
    for (size_t i = 0; i < answers->rows; i++) {
        rows->labels[i] = (uint32_t)read_number(file);
        rows->guesses[i] = (uint32_t)read_number(file);
        rows->weights[i] = read_number(file);
        for (size_t c = 0; c < wide; c++)
            rows->scores[i * wide + c] = read_number(file);
        for (size_t c = 0; c < answers->classes; c++)
            rows->probabilities[i * answers->classes + c] = read_number(file);
    }
    answers->labels = rows->labels;
    answers->predictions = rows->guesses;
    answers->weights = rows->weights;
    answers->scores = rows->scores;
    answers->probabilities = rows->probabilities;
}

static void read_set(FILE *file, uint32_t *items, uint64_t *offsets, size_t row)
{
    offsets[row + 1] = offsets[row] + (uint64_t)read_number(file);
    for (uint64_t k = offsets[row]; k < offsets[row + 1]; k++)
        items[k] = (uint32_t)read_number(file);
}

static void read_sets(FILE *file, struct rows *rows)
{
    tlu_metric_data *answers = &rows->answers;
    *answers = (tlu_metric_data){.size = sizeof *answers};
    answers->rows = (size_t)read_number(file);
    answers->classes = (size_t)read_number(file);
    assert_true(answers->rows <= ROWS_MAX && answers->classes <= CLASSES_MAX);
    for (size_t i = 0; i < answers->rows; i++) {
        read_set(file, rows->labels, rows->label_offsets, i);
        read_set(file, rows->guesses, rows->guess_offsets, i);
        rows->weights[i] = read_number(file);
        for (size_t c = 0; c < answers->classes; c++)
            rows->scores[i * answers->classes + c] = read_number(file);
    }
    answers->labels = rows->labels;
    answers->predictions = rows->guesses;
    answers->label_offsets = rows->label_offsets;
    answers->prediction_offsets = rows->guess_offsets;
    answers->weights = rows->weights;
    answers->scores = rows->scores;
}

static bool is_near(double found, double expected)
{
    return found == expected || (isnan(found) && isnan(expected)) ||
           fabs(found - expected) <= NEAR * (fabs(expected) > 1 ? fabs(expected) : 1);
}

static void check_metric(FILE *file, const tlu_metric_data *answers, const char *place)
{
    char name[64];
    tlu_error error;
    double value;
    read_word(file, name);
    double expected = read_number(file);
    if (tlu_metric_compute(answers, name, &value, &error) != TLU_OK)
        fail_msg("%s: %s", place, error.text);
    if (!is_near(value, expected))
        fail_msg("%s: %s is %.17g, scikit-learn says %.17g", place, name, value, expected);
}

static void check_curve(FILE *file, const tlu_metric_data *answers, bool roc, const char *place)
{
    struct measure measure;
    struct ranking ranking;
    struct curve curve = {0};
    size_t target = (size_t)read_number(file), count = (size_t)read_number(file);
    assert_true(measure_begin(&measure, answers->classes, answers->positive, KEEP_SCORES, NULL));
    assert_int_equal(measure_add(&measure, answers, NULL), TLU_OK);
    assert_true(ranking_make(&ranking, &measure, target));
    assert_true((roc ? curve_roc : curve_precision)(&curve, &ranking));
    if (curve.count != count)
        fail_msg("%s: %zu points, scikit-learn has %zu", place, curve.count, count);
    for (size_t i = 0; i < count; i++) {
        double threshold = read_number(file), x = read_number(file), y = read_number(file);
        const tlu_curve_point *point = &curve.points[i];
        if (!is_near(point->threshold, threshold) || !is_near(point->x, x) || !is_near(point->y, y))
            fail_msg("%s: point %zu is %g %g %g, scikit-learn has %g %g %g", place, i,
                     point->threshold, point->x, point->y, threshold, x, y);
    }
    curve_free(&curve);
    ranking_free(&ranking);
    measure_free(&measure);
}

static void test_as_scikit_learn(void **state)
{
    (void)state;
    struct rows *rows = memory_new(1, sizeof *rows);
    char command[500], word[64], place[80];
    size_t cases = 0, sets = 0, metrics = 0, curves = 0;
    snprintf(command, sizeof command, "%s '%s/../sklearn_metrics.py'", python(), TLU_TEST_DATA);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(rows);
    while (fscanf(file, "%63s", word) == 1) {
        snprintf(place, sizeof place, "case %zu: %zu rows, %zu classes", cases, rows->answers.rows,
                 rows->answers.classes);
        if (strcmp(word, "case") == 0)
            read_rows(file, rows);
        else if (strcmp(word, "sets") == 0)
            read_sets(file, rows);
        else if (strcmp(word, "metric") == 0)
            check_metric(file, &rows->answers, place);
        else if (strcmp(word, "roc") == 0 || strcmp(word, "pr") == 0)
            check_curve(file, &rows->answers, word[0] == 'r', place);
        else
            assert_string_equal(word, "end");
        cases += strcmp(word, "end") == 0;
        sets += strcmp(word, "sets") == 0;
        metrics += strcmp(word, "metric") == 0;
        curves += strcmp(word, "roc") == 0;
    }
    assert_int_equal(pclose(file), 0);
    printf("%zu cases, %zu of them of sets, %zu values, %zu curves of each kind\n", cases, sets,
           metrics, curves);
    assert_true(cases > 450 && sets > 180 && metrics > 18 * cases && curves > 250);
    memory_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_scikit_learn)};
    if (!python()) {
        puts("skipped: no python3 with scikit-learn (Debian: python3-sklearn)");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
