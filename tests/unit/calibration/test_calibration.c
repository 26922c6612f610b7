// Calibrations against second implementations that are slow and plain: a search over a grid that
// shrinks, the min-max formula of isotonic regression, every threshold there is.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "calibration/fit.h"
#include "calibration/softmax.h"
#include "calibration/threshold_search.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 60
#define CLASSES 4

struct case_rows {
    struct scored_rows rows;
    double scores[ROWS * CLASSES];
    uint32_t class_of[ROWS];
    double weights[ROWS];
};

// Scores that have something to do with the class; some with ties, some with weights.
static void make_case(struct case_rows *c, uint64_t seed, uint32_t classes)
{
    struct random random;
    random_seed(&random, seed);
    uint32_t wide = classes == 2 ? 1 : classes;
    double size = seed % 5 == 0 ? 1e6 : seed % 7 == 0 ? 1e-9 : 1, noise = seed % 3 ? 2 : 0.3;
    size_t count = 8 + (size_t)random_below(&random, ROWS - 8);
    for (size_t i = 0; i < count; i++) {
        c->class_of[i] = i < classes ? (uint32_t)i : (uint32_t)random_below(&random, classes);
        c->weights[i] = seed % 2 ? 1 : (double)random_below(&random, 4) / 2;
        for (uint32_t k = 0; k < wide; k++) {
            double own = wide == 1 ? (c->class_of[i] == 1 ? 1 : -1) : c->class_of[i] == k;
            double score = own + noise * random_normal(&random);
            c->scores[i * wide + k] = size * (seed % 4 == 0 ? round(score) : score);
        }
    }
    c->rows = (struct scored_rows){count, classes, 1, c->scores, c->class_of, c->weights, NULL};
}

// ---- sigmoid ----

static long double platt_loss(const struct case_rows *c, long double slope, long double offset)
{
    long double weight[2] = {0, 0}, sum = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        weight[c->class_of[i] == 1] += (long double)c->weights[i];
    for (size_t i = 0; i < c->rows.count; i++) {
        bool hit = c->class_of[i] == 1;
        long double t = hit ? (weight[1] + 1) / (weight[1] + 2) : 1 / (weight[0] + 2);
        long double f = slope * (long double)c->scores[i] + offset;
        sum += (long double)c->weights[i] * (t * logl(1 + expl(-f)) + (1 - t) * logl(1 + expl(f)));
    }
    return sum;
}

// From where it is, to the best of the neighbours on a grid; the grid gets finer.
static void search(const struct case_rows *c, long double *slope, long double *offset,
                   long double unit)
{
    long double best = platt_loss(c, *slope, *offset);
    for (long double step = 1; step > 1e-10L;) {
        bool moved = false;
        for (int i = 0; i < 9; i++) {
            long double a = *slope + (i / 3 - 1) * step / unit, b = *offset + (i % 3 - 1) * step;
            long double loss = platt_loss(c, a, b);
            if (loss < best) {
                best = loss;
                *slope = a;
                *offset = b;
                moved = true;
            }
        }
        step = moved ? step : step / 2;
    }
}

static void newton_finds_what_a_search_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)often(400); seed++) {
        struct case_rows c;
        struct calibration calibration;
        make_case(&c, seed, 2);
        assert_int_equal(calibration_fit(&calibration, CALIBRATE_SIGMOID, &c.rows, NULL), TLU_OK);
        long double largest = 0, slope = 0, offset = 0;
        for (size_t i = 0; i < c.rows.count; i++)
            largest = fmaxl(largest, fabsl((long double)c.scores[i]));
        search(&c, &slope, &offset, largest);
        long double found =
            platt_loss(&c, (long double)calibration.slope[0], (long double)calibration.offset[0]);
        if (found > platt_loss(&c, slope, offset) * (1 + 1e-12L))
            fail_msg("seed %d: the search is better: %.17Lg %.17Lg, not %.17g %.17g", (int)seed,
                     slope, offset, calibration.slope[0], calibration.offset[0]);
        if (fabsl(slope - (long double)calibration.slope[0]) * largest > 1e-5L ||
            fabsl(offset - (long double)calibration.offset[0]) > 1e-5L)
            fail_msg("seed %d: %.17Lg %.17Lg, not %.17g %.17g", (int)seed, slope, offset,
                     calibration.slope[0], calibration.offset[0]);
        calibration_free(&calibration);
    }
}

// By hand: two rows of one score, one of them a hit. The slope has nothing to go by.
static void scores_that_say_nothing(void **state)
{
    struct curve_row rows[] = {{3, 1, true}, {3, 1, false}, {3, 1, false}, {0, 0, true}};
    double slope, offset;
    (void)state;
    sigmoid_fit(rows, 3, &slope, &offset);
    // Targets 2/3, 1/4 and 1/4: the mean is 7/18.
    assert_true(fabs(1 / (1 + exp(-(3 * slope + offset))) - 7.0 / 18) < 1e-9);
    sigmoid_fit(rows + 3, 1, &slope, &offset); // no weight at all
    assert_true(slope == 0 && offset == 0);
    double x[5], y[5];
    assert_int_equal(isotonic_fit(rows + 3, 1, x, y), 1);
    assert_true(y[0] == 0.5);
}

// ---- isotonic ----

// max over a <= i of min over b >= i of the share of hits among the scores from a to b.
static double min_max(const struct curve_row *rows, size_t count, double score)
{
    double highest = -INFINITY;
    for (size_t a = 0; a < count; a++) {
        double lowest = INFINITY, low = rows[a].score;
        for (size_t b = 0; b < count && low <= score; b++) {
            double high = rows[b].score, weight = 0, hits = 0;
            for (size_t i = 0; i < count && high >= score; i++)
                if (rows[i].score >= low && rows[i].score <= high) {
                    weight += rows[i].weight;
                    hits += rows[i].hit ? rows[i].weight : 0;
                }
            if (high >= score && weight > 0)
                lowest = fmin(lowest, hits / weight);
        }
        if (low <= score && isfinite(lowest))
            highest = fmax(highest, lowest);
    }
    return highest;
}

static void pooling_gives_the_min_max(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)often(1000); seed++) {
        struct case_rows c;
        struct curve_row rows[ROWS], sorted[ROWS];
        double x[ROWS + 1], y[ROWS + 1];
        make_case(&c, seed, 2);
        size_t count = c.rows.count;
        for (size_t i = 0; i < count; i++)
            rows[i] = (struct curve_row){c.scores[i], c.weights[i], c.class_of[i] == 1};
        memcpy(sorted, rows, sizeof rows);
        size_t knots = isotonic_fit(sorted, count, x, y);
        for (size_t i = 0; i < count; i++) {
            double found = isotonic_at(x, y, knots, rows[i].score);
            // Rows without weight do not count: between the others it is a straight line.
            if (rows[i].weight > 0 && fabs(found - min_max(rows, count, rows[i].score)) > 1e-12)
                fail_msg("seed %d, row %zu: %.17g", (int)seed, i, found);
        }
        for (size_t i = 1; i < knots; i++)
            assert_true(x[i - 1] < x[i] && y[i - 1] <= y[i]);
        assert_true(isotonic_at(x, y, knots, -1e300) == y[0]);
        assert_true(isotonic_at(x, y, knots, 1e300) == y[knots - 1]);
    }
}

// 0 1 0 1 at 1 2 3 4: the two in the middle are pooled.
static void lines_between_knots(void **state)
{
    struct curve_row rows[] = {{4, 1, true}, {3, 1, false}, {2, 1, true}, {1, 1, false}};
    double x[5], y[5];
    (void)state;
    assert_int_equal(isotonic_fit(rows, 4, x, y), 4);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4);
    assert_true(y[0] == 0 && y[1] == 0.5 && y[2] == 0.5 && y[3] == 1);
    assert_true(isotonic_at(x, y, 4, 1.5) == 0.25 && isotonic_at(x, y, 4, 2.5) == 0.5 &&
                isotonic_at(x, y, 4, 3.5) == 0.75);
}

// ---- temperature ----

static long double heat_loss(const struct case_rows *c, long double slope)
{
    uint32_t classes = c->rows.classes, wide = classes == 2 ? 1 : classes;
    long double weight[CLASSES] = {0}, sum = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        weight[c->class_of[i]] += (long double)c->weights[i];
    for (size_t i = 0; i < c->rows.count; i++) {
        long double own = weight[c->class_of[i]], total = 0, score[CLASSES];
        for (uint32_t k = 0; k < classes; k++) {
            score[k] = slope * (long double)(wide == 1 ? (k == 1 ? c->scores[i] : 0)
                                                       : c->scores[i * wide + k]);
            total += expl(score[k]);
        }
        for (uint32_t k = 0; k < classes; k++) {
            long double target = (k == c->class_of[i] ? own + 1 : 1) / (own + classes);
            sum += (long double)c->weights[i] * target * (logl(total) - score[k]);
        }
    }
    return sum;
}

static void one_factor_is_the_best(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)often(1000); seed++) {
        struct case_rows c;
        struct calibration calibration;
        make_case(&c, seed, 2 + (uint32_t)(seed % 3));
        assert_int_equal(calibration_fit(&calibration, CALIBRATE_TEMPERATURE, &c.rows, NULL),
                         TLU_OK);
        long double slope = (long double)calibration.slope[0], low = 0;
        long double high = 1000 / (seed % 5 == 0 ? 1e6L : seed % 7 == 0 ? 1e-9L : 1);
        for (int i = 0; i < 200; i++) { // the loss has one valley
            long double a = low + (high - low) / 3, b = high - (high - low) / 3;
            bool left = heat_loss(&c, a) < heat_loss(&c, b);
            *(left ? &high : &low) = left ? b : a;
        }
        if (fabsl(slope - low) > 1e-6L * (slope + 1e-3L * high) &&
            heat_loss(&c, slope) > heat_loss(&c, low) * (1 + 1e-13L))
            fail_msg("seed %d: %.17Lg, not %.17Lg", (int)seed, slope, low);
        calibration_free(&calibration);
    }
}

// ---- probabilities ----

static void shares_have_the_sum_1(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (int kind = CALIBRATE_SIGMOID; kind <= CALIBRATE_TEMPERATURE; kind++) {
            struct case_rows c;
            struct calibration calibration;
            uint32_t classes = 2 + (uint32_t)(seed % 3), wide = classes == 2 ? 1 : classes;
            make_case(&c, seed, classes);
            assert_int_equal(calibration_fit(&calibration, kind, &c.rows, NULL), TLU_OK);
            for (size_t i = 0; i < c.rows.count; i++) {
                double found[CLASSES], sum = 0;
                calibration_apply(&calibration, c.scores + i * wide, 1, found);
                for (uint32_t k = 0; k < classes; k++) {
                    assert_true(found[k] >= 0 && found[k] <= 1);
                    sum += found[k];
                }
                assert_true(fabs(sum - 1) < 1e-14);
            }
            calibration_free(&calibration);
        }
}

static void copies_are_in_another_order(void **state)
{
    static const uint32_t class_of[] = {2, 0, 3, 1};
    (void)state;
    for (int kind = CALIBRATE_SIGMOID; kind <= CALIBRATE_TEMPERATURE; kind++) {
        struct case_rows c;
        struct calibration calibration, copy;
        make_case(&c, 11, 4);
        assert_int_equal(calibration_fit(&calibration, kind, &c.rows, NULL), TLU_OK);
        assert_true(calibration_copy(&copy, &calibration, class_of));
        for (size_t i = 0; i < c.rows.count; i++) {
            double scores[4], found[4], expected[4];
            for (uint32_t k = 0; k < 4; k++)
                scores[k] = c.scores[4 * i + class_of[k]];
            calibration_apply(&calibration, c.scores + 4 * i, 0, expected);
            calibration_apply(&copy, scores, 0, found);
            for (uint32_t k = 0; k < 4; k++)
                assert_true(fabs(found[k] - expected[class_of[k]]) < 1e-15);
        }
        calibration_free(&calibration);
        calibration_free(&copy);
    }
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    for (int kind = CALIBRATE_SIGMOID; kind <= CALIBRATE_TEMPERATURE; kind++) {
        struct case_rows c;
        struct calibration calibration, copy;
        make_case(&c, 12, 4);
        long n = 1;
        for (bool done = false; !done; n++) {
            tlu_error error;
            fault_at(FAULT_MEMORY, n);
            tlu_status status = calibration_fit(&calibration, kind, &c.rows, &error);
            bool copied = status == TLU_OK && calibration_copy(&copy, &calibration, NULL);
            done = status == TLU_OK && copied;
            fault_at(FAULT_MEMORY, 0);
            assert_true(status == TLU_OK || status == TLU_ERROR_SYSTEM);
            if (copied)
                calibration_free(&copy);
            if (status == TLU_OK)
                calibration_free(&calibration);
        }
        assert_true(n > 8);
    }
}

// ---- thresholds ----

static double merit_of(const struct threshold_row *rows, size_t count, double threshold,
                       const struct threshold_objective *objective)
{
    double called = 0, right = 0, positives = 0;
    for (size_t i = 0; i < count; i++) {
        positives += rows[i].positive;
        called += rows[i].value >= threshold;
        right += rows[i].positive && rows[i].value >= threshold;
    }
    double precision = called > 0 ? right / called : -1, recall = right / positives;
    switch (objective->aim) {
    case AIM_F1:
        return 2 * right / (called + positives);
    case AIM_PRECISION:
        return precision >= objective->value ? recall : -1;
    case AIM_RECALL:
        return recall >= objective->value ? precision : -1;
    default:
        return -(objective->false_positive * (called - right) +
                 objective->false_negative * (positives - right));
    }
}

static void no_threshold_is_better(void **state)
{
    static const struct threshold_objective objectives[] = {
        {AIM_F1, 0, 0, 0},        {AIM_PRECISION, 0.5, 0, 0}, {AIM_PRECISION, 0.9, 0, 0},
        {AIM_PRECISION, 1, 0, 0}, {AIM_RECALL, 0.5, 0, 0},    {AIM_RECALL, 1, 0, 0},
        {AIM_COST, 0, 1, 1},      {AIM_COST, 0, 1, 10},       {AIM_COST, 0, 10, 1}};
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)often(2000); seed++) {
        const struct threshold_objective *objective = &objectives[seed % 9];
        struct case_rows c;
        struct threshold_row rows[ROWS];
        struct threshold_found cut;
        make_case(&c, seed, 2);
        for (size_t i = 0; i < c.rows.count; i++)
            rows[i] = (struct threshold_row){c.scores[i], c.class_of[i] == 1};
        bool found = threshold_search(rows, c.rows.count, objective, &cut);
        double best =
            objective->aim == AIM_COST ? merit_of(rows, c.rows.count, INFINITY, objective) : -1;
        for (size_t i = 0; i < c.rows.count; i++)
            best = fmax(best, merit_of(rows, c.rows.count, rows[i].value, objective));
        assert_true(found == (best >= 0 || objective->aim == AIM_COST));
        if (found && merit_of(rows, c.rows.count, cut.threshold, objective) != best)
            fail_msg("seed %d: a threshold of %g gives %g, and %g can be had", (int)seed,
                     cut.threshold, merit_of(rows, c.rows.count, cut.threshold, objective), best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_finds_what_a_search_finds),
        cmocka_unit_test(scores_that_say_nothing),
        cmocka_unit_test(pooling_gives_the_min_max),
        cmocka_unit_test(lines_between_knots),
        cmocka_unit_test(one_factor_is_the_best),
        cmocka_unit_test(shares_have_the_sum_1),
        cmocka_unit_test(copies_are_in_another_order),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(no_threshold_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
