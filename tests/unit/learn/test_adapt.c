// --decide adaptive and --scale recent: the recent average against its definition, the choice and
// the units against numbers that were worked out by hand.
#include "learn/learner.h"
#include "learn/online_scale.h"
#include "prefetching.h"

#include <math.h>

#define FEATURES 5
#define CELLS ((FEATURES + 1) * 64)

static void learn(tlu_learner *learner, const double *x, size_t count, const char *label)
{
    static const char *const names[FEATURES] = {"a", "b", "c", "d", "e"};
    tlu_feature features[FEATURES];
    tlu_error error;
    for (size_t j = 0; j < count; j++)
        features[j] = (tlu_feature){names[j], x[j]};
    if (tlu_learner_learn(learner, features, count, label, 1, NULL, &error) != TLU_OK)
        fail_msg("%s", error.text);
}

// ---- The recent average -------------------------------------------------------------------------

// sum_t b^(T-t) w_t as it is written, and sum_t b^(T-t).
struct slow {
    double sum[CELLS]; // [feature, then the bias][column]
    double share;
    uint32_t columns;
};

// Columns as weights_widen has them.
static void slow_widen(struct slow *slow, const struct tlu_learner *learner, uint32_t plus)
{
    uint32_t columns = learner->state.weights.columns;
    struct slow new = {.share = slow->share, .columns = columns};
    assert_true(columns * (FEATURES + 1) <= CELLS);
    for (size_t f = 0; f <= FEATURES; f++)
        for (uint32_t c = 0; c < slow->columns; c++) {
            double sum = slow->sum[f * slow->columns + c];
            if (slow->columns > 1) {
                new.sum[f * columns + c] = sum;
            } else if (learner->state.scheme.wanted == SCHEME_OVO) {
                new.sum[f * columns] = plus == 1 ? sum : -sum;
            } else {
                new.sum[f * columns + plus] = sum;
                new.sum[f * columns + 1 - plus] = -sum;
            }
        }
    *slow = new;
}

static void slow_step(struct slow *slow, const struct weights *weights)
{
    double decay = 1 - 1.0 / 256;
    uint32_t columns = weights->columns;
    slow->share = decay * slow->share + 1;
    for (size_t f = 0; f <= FEATURES; f++)
        for (uint32_t c = 0; c < columns; c++) {
            double w = f == FEATURES ? weights->bias[c] : 0;
            if (f < FEATURES && f < weights->features)
                w = weights->w[f * columns + c] * (weights->scale ? weights->scale[c] : 1);
            double *sum = &slow->sum[f * columns + c];
            *sum = decay * *sum + w;
        }
}

static void compare(const struct slow *slow, const struct weights *weights, const char *what)
{
    struct weights settled;
    assert_true(weights_copy(&settled, weights));
    weights_unscale(&settled);
    settled.by = WEIGHTS_BY_RECENT;
    double divisor = weights_divisor(&settled), largest = 0;
    for (size_t i = 0; i < (FEATURES + 1) * weights->columns; i++)
        largest = fmax(largest, fabs(slow->sum[i] / slow->share));
    for (size_t f = 0; f <= FEATURES && f <= weights->features; f++)
        for (uint32_t c = 0; c < weights->columns; c++) {
            bool bias = f == FEATURES || f == weights->features;
            double expected = slow->sum[(bias ? FEATURES : f) * weights->columns + c] / slow->share;
            double totals[16] = {0};
            assert_true(settled.columns <= 16);
            if (!bias)
                weights_totals(&settled, f, totals);
            double found = (bias ? weights_total_bias(&settled, c) : totals[c]) / divisor;
            if (fabs(found - expected) > 1e-9 * (largest + 1e-3))
                fail_msg("%s: %.17g, expected %.17g", what, found, expected);
        }
    weights_free(&settled);
}

static void run(const char *settings, size_t classes, size_t rows)
{
    static const char *const labels[] = {"b", "a", "d", "c"};
    tlu_learner *learner = learner_of(settings);
    struct slow slow = {.columns = 1};
    struct random random;
    random_seed(&random, 17);
    for (size_t i = 0; i < rows; i++) {
        double x[FEATURES];
        size_t count = i < 9 ? 1 + i / 2 : FEATURES; // features come one by one
        for (size_t j = 0; j < FEATURES; j++)
            x[j] = random_unit(&random) * 2 - 1;
        size_t known = i < 20 ? 1 + i / 7 : i < 60 ? 3 : classes; // and so do classes
        size_t label = (size_t)(fabs(x[0] + (i / 500 % 2 ? x[1] : -x[2])) * 4) %
                       (known < classes ? known : classes);
        uint32_t plus = learner->state.scheme.positive, before = learner->state.scheme.classes;
        learn(learner, x, count, labels[label]);
        // A learner that has met one class may have to turn round what it has learned.
        if (before < 2 && learner->state.scheme.positive != plus)
            for (size_t k = 0; k < CELLS; k++)
                slow.sum[k] = -slow.sum[k];
        if (learner->state.weights.columns != slow.columns)
            slow_widen(&slow, learner, learner->state.scheme.positive);
        slow_step(&slow, &learner->state.weights);
        if (i % 97 == 0 || i < 30 || i + 1 == rows)
            compare(&slow, &learner->state.weights, settings);
    }
    tlu_learner_free(learner);
}

static void recent_average_is_what_it_is_defined_as(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "perceptron", "pa2",  "romma",          "aromma",
        "alma",       "arow", "scw1",           "hinge schedule=sqrt l2=0.01",
        "logistic",   "pa",   "squared l2=0.1", "hinge schedule=constant l2=0.3 rate=2"};
    static const char *const schemes[] = {"", "multiclass=wta", "multiclass=ovr", "multiclass=ovo"};
    for (size_t i = 0; i < sizeof learners / sizeof learners[0]; i++)
        for (size_t s = 0; s < 4; s++) {
            char settings[160];
            sprintf(settings, "learner=%s decide=adaptive %s", learners[i], schemes[s]);
            run(settings, s ? 4 : 2, 1500);
        }
    run("learner=perceptron decide=adaptive", 2, 12000); // the growth passes 2^64
    run("learner=romma decide=adaptive multiclass=ovr", 4, 12000);
}

// ---- The choice ---------------------------------------------------------------------------------

// The three have answered a row of class 7: right or wrong as the bits say, the last weights first.
static void answer(tlu_learner *learner, const char *right)
{
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        learner->state.decision.adapt->answer[by] = right[by] == '1' ? 7 : 3;
    learner->state.decision.adapt->answered = true;
    adapt_count(learner, &(struct example){.class_index = 7});
}

static void the_one_that_was_right_most_often_lately_decides(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("decide=adaptive");
    const double g = 255.0 / 256, *right = learner->state.decision.adapt->right;
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_AVERAGE); // to begin with
    answer(learner, "111");
    assert_int_equal(learner->state.weights.by,
                     WEIGHTS_BY_AVERAGE); // of equals the one in use stays
    answer(learner, "100");               // 1 + g, g, g
    assert_true(right[0] == 1 + g && right[1] == g && right[2] == g);
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_LAST);
    answer(learner, "001"); // g + g^2, g^2, 1 + g^2: the newer answer counts more
    assert_true(right[0] == g + g * g && right[1] == g * g && right[2] == 1 + g * g);
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_RECENT);
    answer(learner, "000");
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_RECENT);
    answer(learner, "110"); // 1 + g^3 + g^4, 1 + g^4, g^2 + g^4
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_LAST);
    for (int i = 0; i < 400; i++) // what was right long ago counts little
        answer(learner, "011");
    assert_int_equal(learner->state.weights.by,
                     WEIGHTS_BY_AVERAGE); // ahead of the recent one by 1 g^400
    for (int i = 0; i < 2; i++)
        answer(learner, "001");
    assert_int_equal(learner->state.weights.by, WEIGHTS_BY_RECENT);
    tlu_learner_free(learner);
}

// The first row of a stream, and the first of a class, are known by nobody: nothing is counted for
// them but the time.
static void new_classes_are_counted_as_wrong(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("decide=adaptive");
    double x[] = {1};
    learn(learner, x, 1, "one");
    assert_true(learner->state.decision.adapt->right[0] == 0 &&
                learner->state.decision.adapt->right[1] == 0);
    learn(learner, x, 1, "one"); // of one class, all say so
    assert_true(learner->state.decision.adapt->right[0] == 1 &&
                learner->state.decision.adapt->right[2] == 1);
    learn(learner, x, 1, "two");
    learn(learner, x, 1, "three");
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        assert_true(learner->state.decision.adapt->right[by] == 255.0 / 256 * (255.0 / 256));
    tlu_learner_free(learner);
}

// ---- Units --------------------------------------------------------------------------------------

static void units_are_powers_of_two_near_the_values(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("scale=recent decide=last no-bias=yes");
    struct scale_unit *unit;
    // q = 9: its root 3 is next to 4. w = 3/4, as the first row is of the class that gets -1 until
    // the other is known, by which it is turned round.
    learn(learner, (double[]){3}, 1, "b");
    learn(learner, (double[]){-5}, 1, "a"); // q = (9 + 25) / 2 = 17: 4 is near enough
    unit = learner->state.online.units;
    assert_true(unit->size == 4 && unit->square == 17 && unit->count == 2);
    double w = learner->state.weights.w[0];
    assert_true(fabs(w) == 0.75);
    learn(learner, (double[]){100}, 1, w > 0 ? "b" : "a"); // q = 17 + 9983 / 3, its root is 57.8
    assert_true(unit->size == 64 && unit->square == 17 + (10000.0 - 17) / 3);
    assert_true(learner->state.weights.w[0] ==
                w * 4 / 64); // as if 64 had been known; no mistake here
    tlu_learner_free(learner);

    learner = learner_of("scale=recent decide=last");
    for (int i = 0; i < 3; i++) // counts stay as they are: whole, and 1 among them
        learn(learner, (double[]){5, 5.5, 300, 12}, 4, "a");
    learn(learner, (double[]){1, 1, 1, 1}, 4, "b");
    unit = learner->state.online.units;
    assert_true(unit[0].size == 1 && unit[1].size == 4);   // sqrt((3 * 30.25 + 1) / 4) is 4.8
    assert_true(unit[2].size == 256 && unit[3].size == 1); // no count: 260 is above 16
    for (int i = 0; i < 40; i++) // then no more: its mean square passes 16^2
        learn(learner, (double[]){1, 1, 1, 300}, 4, "b");
    assert_true(unit[3].size == 256);
    tlu_learner_free(learner);
}

// The first example says whether values are scaled, if no option does.
static void scaled_where_values_are_no_counts(void **state)
{
    (void)state;
    static const struct {
        double x;
        bool scaled;
    } cases[] = {{1, false}, {255, false}, {256, true}, {0.5, true}, {-1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_learner *learner;
        tlu_feature features[] = {{"a", 1}, {"b", cases[i].x}};
        assert_int_equal(tlu_learner_new(NULL, &learner, NULL), TLU_OK);
        assert_int_equal(tlu_learner_learn(learner, features, 2, "yes", 1, NULL, NULL), TLU_OK);
        features[1].value = 0.3;
        assert_int_equal(tlu_learner_learn(learner, features, 2, "no", 1, NULL, NULL), TLU_OK);
        assert_int_equal(learner->state.online.on, cases[i].scaled);
        tlu_model *model;
        assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
        assert_string_equal(tlu_options_get(tlu_model_options(model), "scale"),
                            cases[i].scaled ? "recent" : "none");
        assert_string_equal(tlu_model_learner(model), "pa2");
        assert_string_equal(tlu_model_decision(model), "adaptive");
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
}

static void files_refuse_what_is_for_streams(void **state)
{
    (void)state;
    write_text("adapt.svm", "+1 1:1\n-1 2:1\n");
    static const char *const settings[] = {"decide=adaptive", "scale=recent"};
    for (size_t i = 0; i < 2; i++) {
        tlu_options *options = options_of(settings[i]);
        tlu_model *model;
        tlu_error error;
        assert_int_equal(tlu_train("adapt.svm", options, &model, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "it is for tlu stream"));
        tlu_options_free(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recent_average_is_what_it_is_defined_as),
        cmocka_unit_test(the_one_that_was_right_most_often_lately_decides),
        cmocka_unit_test(new_classes_are_counted_as_wrong),
        cmocka_unit_test(units_are_powers_of_two_near_the_values),
        cmocka_unit_test(scaled_where_values_are_no_counts),
        cmocka_unit_test(files_refuse_what_is_for_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
