// The table of metrics: those that scikit-learn has not against plain loops, rows in any pieces,
// labels that are not known, what is refused, memory that runs out.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "metrics/costs.h"
#include "metrics/metrics.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 500
#define CLASSES_MAX 7

struct rows {
    tlu_metric_data answers;
    uint32_t labels[ROWS], guesses[ROWS];
    double weights[ROWS], scores[ROWS * CLASSES_MAX], probabilities[ROWS * CLASSES_MAX];
    double costs[CLASSES_MAX * CLASSES_MAX];
};

static double chance(struct random *random)
{
    return (double)random_below(random, 1000) / 1000;
}

static void fill_row(struct rows *rows, size_t i, size_t classes, struct random *random)
{
    double total = 0, *probabilities = rows->probabilities + i * classes;
    rows->labels[i] = (uint32_t)random_below(random, classes);
    rows->guesses[i] = (uint32_t)random_below(random, classes);
    rows->weights[i] = chance(random) * 3;
    for (size_t c = 0; c < classes; c++) {
        rows->scores[i * classes + c] = chance(random);
        total += probabilities[c] = chance(random) + 0.01;
    }
    for (size_t c = 0; c < classes; c++)
        probabilities[c] /= total;
}

static struct rows *rows_at_random(size_t classes, uint64_t seed)
{
    struct rows *rows = memory_new(1, sizeof *rows);
    struct random random;
    assert_non_null(rows);
    random_seed(&random, seed);
    for (size_t i = 0; i < ROWS; i++)
        fill_row(rows, i, classes, &random);
    for (size_t i = 0; i < classes * classes; i++)
        rows->costs[i] = chance(&random) * 10;
    rows->answers = (tlu_metric_data){.size = sizeof rows->answers,
                                      .rows = ROWS,
                                      .classes = classes,
                                      .positive = (size_t)random_below(&random, 2),
                                      .labels = rows->labels,
                                      .predictions = rows->guesses,
                                      .scores = rows->scores,
                                      .probabilities = rows->probabilities,
                                      .weights = rows->weights,
                                      .costs = rows->costs};
    return rows;
}

static double value_of(const tlu_metric_data *answers, const char *name)
{
    double value = 0;
    tlu_error error;
    if (tlu_metric_compute(answers, name, &value, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return value;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

// ---- metrics that scikit-learn has not ----

// Bin by bin: the rows with a probability from b/15 to (b + 1)/15, their mean probability, and the
// share of them that came true.
static double plain_calibration(const tlu_metric_data *answers)
{
    double error = 0, all = 0;
    for (size_t i = 0; i < answers->rows; i++)
        all += answers->weights[i];
    for (int b = 0; b < 15; b++) {
        double weight = 0, sure = 0, right = 0;
        for (size_t i = 0; i < answers->rows; i++) {
            const double *p = answers->probabilities + i * answers->classes;
            size_t top = 0;
            for (size_t c = 0; c < answers->classes; c++)
                if (p[c] > p[top])
                    top = c;
            if (answers->classes == 2)
                top = answers->positive;
            if (p[top] < b / 15.0 || (p[top] >= (b + 1) / 15.0 && b < 14))
                continue;
            weight += answers->weights[i];
            sure += answers->weights[i] * p[top];
            right += answers->weights[i] * (answers->labels[i] == top);
        }
        if (weight > 0)
            error += weight / all * fabs(right / weight - sure / weight);
    }
    return error;
}

static void test_calibration(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rows *rows = rows_at_random(2 + seed % 3, seed);
        assert_near(value_of(&rows->answers, "ece"), plain_calibration(&rows->answers));
        memory_free(rows);
    }
    // By hand: two rows of 0.9, of which one is right, and one of 1.
    uint32_t labels[] = {1, 0, 1}, guesses[] = {1, 1, 1};
    double probabilities[] = {0.1, 0.9, 0.1, 0.9, 0, 1};
    tlu_metric_data three = {.size = sizeof three, .rows = 3, .classes = 2, .positive = 1};
    three.labels = labels;
    three.predictions = guesses;
    three.probabilities = probabilities;
    assert_near(value_of(&three, "ece"), 2.0 / 3 * 0.4);
}

static void test_cost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rows *rows = rows_at_random(2 + seed % 5, seed);
        const tlu_metric_data *answers = &rows->answers;
        double cost = 0, all = 0;
        for (size_t i = 0; i < ROWS; i++) {
            cost += rows->weights[i] *
                    rows->costs[rows->labels[i] * answers->classes + rows->guesses[i]];
            all += rows->weights[i];
        }
        assert_near(value_of(answers, "cost"), cost / all);
        memory_free(rows);
    }
}

// ---- rows ----

static void test_all_at_once(void **state)
{
    (void)state;
    struct rows *rows = rows_at_random(4, 3);
    double values[64];
    assert_int_equal(tlu_metric_compute_all(&rows->answers, values, 64, NULL), TLU_OK);
    for (size_t i = 0; tlu_metric_at(i); i++) {
        const char *name = tlu_metric_at(i)->name;
        bool sets = strcmp(tlu_metric_at(i)->rows, "sets") == 0; // of labels
        assert_true(isnan(values[i]) || !sets);
        if (sets)
            continue;
        double alone = value_of(&rows->answers, strcmp(name, "top-K") == 0 ? "top-5" : name);
        assert_memory_equal(&values[i], &alone, sizeof alone);
    }
    rows->answers.scores = rows->answers.probabilities = rows->answers.costs = NULL;
    assert_int_equal(tlu_metric_compute_all(&rows->answers, values, 64, NULL), TLU_OK);
    for (size_t i = 0; tlu_metric_at(i); i++) {
        bool labels = strcmp(tlu_metric_at(i)->needs, "labels") == 0 &&
                      strcmp(tlu_metric_at(i)->rows, "sets") != 0;
        assert_true(isnan(values[i]) == !(labels && strcmp(tlu_metric_at(i)->name, "cost") != 0));
    }
    memory_free(rows);
}

// However the rows are handed over, the bits are the same.
static void test_pieces(void **state)
{
    (void)state;
    struct rows *rows = rows_at_random(5, 8);
    unsigned all = KEEP_PLACES | KEEP_SCORES | KEEP_LOSSES | KEEP_COSTS;
    struct measure measure;
    assert_true(measure_begin(&measure, 5, 0, all, rows->costs));
    for (size_t first = 0, size = 1; first < ROWS; first += size, size = 1 + size * 2 % 37) {
        tlu_metric_data piece = rows->answers;
        piece.rows = ROWS - first < size ? ROWS - first : size;
        piece.labels += first;
        piece.predictions += first;
        piece.weights += first;
        piece.scores += 5 * first;
        piece.probabilities += 5 * first;
        assert_int_equal(measure_add(&measure, &piece, NULL), TLU_OK);
    }
    struct chosen_metric chosen;
    for (size_t i = 0; (chosen = metric_at(i)).metric; i++) {
        char name[METRIC_NAME_SIZE];
        if (!metric_applies(chosen.metric, false))
            continue;
        double value, whole = value_of(&rows->answers, metric_name(&chosen, name));
        assert_int_equal(measure_value(&measure, &chosen, &value, NULL), TLU_OK);
        assert_memory_equal(&value, &whole, sizeof value);
    }
    measure_free(&measure);
    memory_free(rows);
}

// Labels that are not known are wrong guesses of a class of their own; rows without one are left
// out.
static void test_unknown_labels(void **state)
{
    (void)state;
    uint32_t labels[] = {0, 1, TLU_UNKNOWN_LABEL, TLU_NO_LABEL, 1}, guesses[] = {0, 1, 1, 0, 0};
    double scores[] = {-1, 2, 1, -1, -3},
           probabilities[] = {0.5, 0.5, 0.25, 0.75, 0, 1, 0, 1, 1, 0};
    tlu_metric_data answers = {.size = sizeof answers, .rows = 5, .classes = 2, .positive = 1};
    answers.labels = labels;
    answers.predictions = guesses;
    answers.scores = scores;
    answers.probabilities = probabilities;
    assert_near(value_of(&answers, "accuracy"), 2.0 / 4);
    assert_near(value_of(&answers, "balanced-accuracy"), (1 + 0.5 + 0) / 3);
    assert_near(value_of(&answers, "precision"), 0.5);
    assert_near(value_of(&answers, "recall"), 0.5);
    assert_near(value_of(&answers, "recall-macro"), 0.5);
    assert_near(value_of(&answers, "top-2"), 3.0 / 4);
    assert_near(value_of(&answers, "roc-auc"), 0.5);
    assert_near(value_of(&answers, "brier"), (0.25 + 0.0625 + 1) / 3);
}

// ---- several labels per row ----

struct sets {
    tlu_metric_data answers;
    uint64_t label_offsets[ROWS + 1], guess_offsets[ROWS + 1];
    uint32_t labels[ROWS * CLASSES_MAX], guesses[ROWS * CLASSES_MAX];
    double weights[ROWS], scores[ROWS * CLASSES_MAX];
};

static void fill_set(uint32_t *items, uint64_t *offsets, size_t row, size_t classes,
                     struct random *random)
{
    offsets[row + 1] = offsets[row];
    for (size_t c = 0; c < classes; c++)
        if (random_below(random, 3) == 0)
            items[offsets[row + 1]++] = (uint32_t)c;
}

static struct sets *sets_at_random(size_t classes, uint64_t seed)
{
    struct sets *sets = memory_new(1, sizeof *sets);
    struct random random;
    assert_non_null(sets);
    random_seed(&random, seed);
    for (size_t i = 0; i < ROWS; i++) {
        fill_set(sets->labels, sets->label_offsets, i, classes, &random);
        fill_set(sets->guesses, sets->guess_offsets, i, classes, &random);
        sets->weights[i] = chance(&random) * 3;
        for (size_t c = 0; c < classes; c++)
            sets->scores[i * classes + c] = chance(&random);
    }
    sets->answers = (tlu_metric_data){.size = sizeof sets->answers,
                                      .rows = ROWS,
                                      .classes = classes,
                                      .labels = sets->labels,
                                      .predictions = sets->guesses,
                                      .label_offsets = sets->label_offsets,
                                      .prediction_offsets = sets->guess_offsets,
                                      .scores = sets->scores,
                                      .weights = sets->weights};
    return sets;
}

// Three labels. Row 1 is right, row 2 lacks label 2 and has label 0 instead, row 3 has no label
// and gets label 1, row 4 has label 0 and one that is not known, row 5 has nothing and gets
// nothing, row 6 is not an example.
static void test_sets_by_hand(void **state)
{
    (void)state;
    uint32_t labels[] = {0, 1, 1, 2, 0, TLU_UNKNOWN_LABEL, TLU_NO_LABEL};
    uint64_t label_offsets[] = {0, 2, 4, 4, 6, 6, 7}, guess_offsets[] = {0, 2, 4, 5, 6, 6, 8};
    uint32_t guesses[] = {0, 1, 0, 1, 1, 0, 0, 1};
    double scores[] = {3, 1, 0, 2, 3, 1, 0, 1, -1, 5, -1, -2, -1, -2, -3, 9, 9, 9};
    tlu_metric_data answers = {.size = sizeof answers, .rows = 6, .classes = 3};
    answers.labels = labels;
    answers.predictions = guesses;
    answers.label_offsets = label_offsets;
    answers.prediction_offsets = guess_offsets;
    answers.scores = scores;
    assert_near(value_of(&answers, "exact-match"), 2.0 / 5);
    assert_near(value_of(&answers, "accuracy"), 2.0 / 5);
    // Missing: label 2 of row 2, the unknown one of row 4. Wrong: 0 of row 2, 1 of row 3.
    assert_near(value_of(&answers, "hamming-loss"), 4.0 / (5 * 3));
    // 4 of 6 predictions are right, 4 of 6 labels are found.
    assert_near(value_of(&answers, "precision-micro"), 4.0 / 6);
    assert_near(value_of(&answers, "recall-micro"), 4.0 / 6);
    assert_near(value_of(&answers, "f1-micro"), 4.0 / 6);
    // Label 0: 2 of 3 right, 2 of 2 found. Label 1 likewise. Label 2: none. The unknown label:
    // none.
    assert_near(value_of(&answers, "f1-macro"), (0.8 + 0.8 + 0 + 0) / 4);
    // The highest score is of a true label in rows 1, 2 and 4; two are in row 1.
    assert_near(value_of(&answers, "precision-at-1"), 3.0 / 5);
    assert_near(value_of(&answers, "precision-at-2"), (2.0 + 1 + 0 + 1 + 0) / 2 / 5);
    assert_near(value_of(&answers, "precision-at-5"), (2.0 + 2 + 0 + 1 + 0) / 5 / 5);
}

static void test_pieces_of_sets(void **state)
{
    (void)state;
    struct sets *sets = sets_at_random(5, 8);
    struct measure measure;
    double values[64];
    assert_int_equal(tlu_metric_compute_all(&sets->answers, values, 64, NULL), TLU_OK);
    assert_true(measure_begin(&measure, 5, 0, KEEP_PLACES | KEEP_SCORES | KEEP_SETS, NULL));
    for (size_t first = 0, size = 1; first < ROWS; first += size, size = 1 + size * 2 % 37) {
        tlu_metric_data piece = sets->answers;
        piece.rows = ROWS - first < size ? ROWS - first : size;
        piece.label_offsets += first;
        piece.prediction_offsets += first;
        piece.weights += first;
        piece.scores += 5 * first;
        assert_int_equal(measure_add(&measure, &piece, NULL), TLU_OK);
    }
    struct chosen_metric chosen;
    for (size_t i = 0; (chosen = metric_at(i)).metric; i++) {
        double value;
        assert_true(isnan(values[i]) == !metric_applies(chosen.metric, true));
        if (isnan(values[i]))
            continue;
        assert_int_equal(measure_value(&measure, &chosen, &value, NULL), TLU_OK);
        assert_memory_equal(&value, &values[i], sizeof value);
    }
    measure_free(&measure);
    memory_free(sets);
}

// ---- what is refused ----

static void assert_refused(const tlu_metric_data *answers, const char *name, const char *why)
{
    double value = 7;
    tlu_error error;
    assert_int_equal(tlu_metric_compute(answers, name, &value, &error), TLU_ERROR_INPUT);
    if (!strstr(error.text, why))
        fail_msg("'%s' lacks '%s'", error.text, why);
    assert_true(value == 7);
}

static void test_refusals(void **state)
{
    (void)state;
    struct rows *rows = rows_at_random(3, 1);
    tlu_metric_data *answers = &rows->answers;
    assert_refused(answers, "acuracy", "did you mean accuracy?");
    assert_refused(answers, "f1-makro", "did you mean f1-macro?");
    assert_refused(answers, "top-0", "there is no metric");
    assert_refused(answers, "top-", "there is no metric");
    assert_refused(answers, "loss of hair", "balanced-accuracy");
    rows->labels[4] = 3;
    assert_refused(answers, "accuracy", "row 5");
    rows->labels[4] = 2;
    rows->weights[7] = -1;
    assert_refused(answers, "accuracy", "row 8");
    rows->weights[7] = NAN;
    assert_refused(answers, "accuracy", "row 8");
    rows->weights[7] = 1;
    answers->scores = answers->probabilities = answers->costs = NULL;
    assert_refused(answers, "roc-auc", "needs scores");
    assert_refused(answers, "brier", "needs probabilities");
    assert_refused(answers, "cost", "needs costs");
    answers->classes = 1;
    assert_refused(answers, "accuracy", "two classes");
    answers->size = 1000;
    assert_refused(answers, "accuracy", "sizeof");
    memory_free(rows);
}

static void test_refusals_of_sets(void **state)
{
    (void)state;
    struct sets *sets = sets_at_random(3, 1);
    struct rows *rows = rows_at_random(3, 1);
    tlu_metric_data *answers = &sets->answers;
    assert_refused(&rows->answers, "hamming-loss", "is for several labels per row (--multilabel)");
    assert_refused(&rows->answers, "precision-at-3", "is for several labels per row");
    assert_refused(answers, "top-1", "--metric top-1 is for rows of one label");
    assert_refused(answers, "matthews", "is for rows of one label");
    assert_refused(answers, "precision-at-0", "there is no metric");
    answers->scores = NULL;
    assert_refused(answers, "precision-at-1", "needs scores");
    sets->labels[sets->label_offsets[4]] = 3;
    sets->label_offsets[5] = sets->label_offsets[4] + 1;
    assert_refused(answers, "f1-micro", "row 5: there are 3 labels");
    sets->labels[sets->label_offsets[4]] = TLU_NO_LABEL; // fine alone
    value_of(answers, "f1-micro");
    sets->labels[sets->label_offsets[4]] = 0;
    sets->guess_offsets[9] = sets->guess_offsets[8] + 2; // row 9 is predicted label 1 twice
    sets->guesses[sets->guess_offsets[8]] = sets->guesses[sets->guess_offsets[8] + 1] = 1;
    assert_refused(answers, "f1-micro", "row 9: there are 3 labels, numbered from 0, each at most");
    sets->guess_offsets[9] = sets->guess_offsets[8] - 1;
    assert_refused(answers, "f1-micro", "row 9: its labels or predictions end before they begin");
    sets->guess_offsets[9] = sets->guess_offsets[8];
    answers->prediction_offsets = NULL;
    assert_refused(answers, "f1-micro", "prediction_offsets");
    answers->prediction_offsets = sets->guess_offsets;
    answers->labels = NULL;
    assert_refused(answers, "f1-micro", "array of labels");
    memory_free(rows);
    memory_free(sets);
}

static void write_file(const char *text)
{
    FILE *file = fopen("costs", "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_costs_text(void **state)
{
    (void)state;
    double *costs;
    assert_int_equal(costs_read("2:5.5", 2, 0, &costs, NULL), TLU_OK);
    assert_true(costs[0] == 0 && costs[1] == 5.5 && costs[2] == 2 && costs[3] == 0);
    memory_free(costs);
    assert_int_equal(costs_read("2:5.5", 2, 1, &costs, NULL), TLU_OK);
    assert_true(costs[0] == 0 && costs[1] == 2 && costs[2] == 5.5 && costs[3] == 0);
    memory_free(costs);
    write_file("# of three classes\n0 1, 2\n\n 3;0;4\r\n5e0\t6 0");
    assert_int_equal(costs_read("costs", 3, 0, &costs, NULL), TLU_OK);
    assert_true(costs[1] == 1 && costs[2] == 2 && costs[3] == 3 && costs[5] == 4 && costs[6] == 5);
    memory_free(costs);
}

static void test_costs_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file, *why;
        size_t classes;
    } cases[] = {
        {"1:2", "", "two classes, and there are 3", 3},
        {"-1:2", "", "0 or more", 2},
        {"nan:2", "", "FP:FN or a file", 2},
        {"1:", "", "FP:FN or a file", 2},
        {"none", "", "FP:FN or a file", 2},
        {"costs", "0 1\n1 0\n", "costs:1: has 2 costs, and there are 3 classes", 3},
        {"costs", "0 1 1\n1 0 1\n", "has 2 lines of costs, and there are 3 classes", 3},
        {"costs", "0 1\n1 0\n0 0\n", "has 3 lines of costs, and there are 2 classes", 2},
        {"costs", "0 -1\n1 0\n", "costs:1:3: a cost is a number, 0 or more, not '-1'", 2},
        {"costs", "0 1\n1 x\n", "costs:2:3: a cost is a number, 0 or more, not 'x'", 2},
        {"costs", "  0 1\n \t1 x\n", "costs:2:5: a cost is a number, 0 or more, not 'x'", 2},
        {"costs", "0 inf\n1 0\n", "not 'inf'", 2},
        {"costs", "", "has 0 lines", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double *costs;
        tlu_error error;
        write_file(cases[i].file);
        assert_int_equal(costs_read(cases[i].text, cases[i].classes, 0, &costs, &error),
                         TLU_ERROR_INPUT);
        assert_null(costs);
        if (!strstr(error.text, cases[i].why))
            fail_msg("'%s' lacks '%s'", error.text, cases[i].why);
    }
}

static void fail_at_each_place(const tlu_metric_data *answers)
{
    double values[64];
    tlu_status status = TLU_ERROR_SYSTEM;
    for (long n = 1; status != TLU_OK; n++) {
        assert_true(n < 1000);
        fault_at(FAULT_MEMORY, n);
        status = tlu_metric_compute_all(answers, values, 64, NULL);
        fault_at(FAULT_MEMORY, 0);
        assert_true(status == TLU_OK || status == TLU_ERROR_SYSTEM);
    }
}

static void test_memory(void **state)
{
    (void)state;
    struct rows *rows = rows_at_random(4, 5);
    struct sets *sets = sets_at_random(4, 5);
    fail_at_each_place(&rows->answers);
    fail_at_each_place(&sets->answers);
    memory_free(rows);
    memory_free(sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibration),    cmocka_unit_test(test_cost),
        cmocka_unit_test(test_all_at_once),    cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_unknown_labels), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sets_by_hand),   cmocka_unit_test(test_pieces_of_sets),
        cmocka_unit_test(test_costs_text),     cmocka_unit_test(test_costs_refused),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_refusals_of_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
