// Learning from files against the plain loops of perceptron_reference.h, and the order of the rows.
#include "learning.h"
#include "model/model.h"
#include "train/train.h"

#include <sys/resource.h>

static const char *const numbers[] = {"-2", "-1", "+1", "3", "10"}; // in the order of classes
static const char *const two[] = {"-1", "+1"};
static const char *const *labels_of(size_t classes)
{
    return classes == 2 ? two : numbers;
}

// ---- The same as the reference
// -------------------------------------------------------------------

// The sums that the average is made of, before any division: of whole numbers they are exact.
static void assert_exact_sums(const tlu_model *model, const struct reference *r,
                              const char *const *labels)
{
    const struct weights *weights = &model->state.weights;
    assert_exactly(weights->steps, r->steps);
    for (size_t v = 0; v < r->vectors; v++)
        for (size_t j = 0; j < r->features; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j + 1);
            size_t f = tlu_model_feature_find(model, name);
            size_t c = r->vectors > 1 ? tlu_model_class_find(model, labels[v]) : 0;
            size_t at = f * weights->columns + c;
            double sum = f == TLU_NONE ? 0 : weights->w[at] * weights->steps - weights->u[at];
            assert_exactly(sum, r->sum[v * (r->features + 1) + j]);
        }
}

// One data set and one row of settings, through a file and through the plain loops.
static void compare(size_t classes, bool integers, double density, unsigned choices, uint64_t seed)
{
    static const char *const ties[] = {"mistake", "positive", "negative"};
    static const double weights[] = {2, 0.25, 1.5, 1, 0.5};
    bool average = choices & 1, bias = choices & 2, weighted = choices & 4, slow = choices & 8;
    unsigned tie = (choices >> 4) % 3;
    // Scores of whole numbers tie; so a rate must not bring rounding in.
    double rate = !slow ? 1 : integers ? 0.25 : 0.37;
    struct dense data = random_dense(seed, 70, 12, classes, density, integers);
    const char *const *labels = labels_of(classes);
    write_libsvm("random.svm", &data, labels);
    char settings[200];
    snprintf(settings, sizeof settings, "epochs=4 shuffle=none decide=%s no-bias=%s tie=%s rate=%g",
             average ? "average" : "last", bias ? "no" : "yes", ties[tie], rate);
    if (weighted)
        strcat(settings, classes == 2 ? " class-weight=-1=2,1=0.25"
                                      : " class-weight=-2=2,-1=0.25,1=1.5,10=0.5");
    struct reference r = {.no_bias = !bias,
                          .rate = rate,
                          .tie = (enum reference_tie)tie,
                          .positive = 1,
                          .class_weight = weighted ? weights : NULL};
    reference_learn(&r, &data, 4);
    tlu_model *model = train("random.svm", settings);
    assert_mistakes(model, &r);
    assert_weights(model, &r, average, labels, !integers ? 1e-9 : average ? 1e-12 : 0);
    if (integers && average)
        assert_exact_sums(model, &r, labels);
    tlu_model_free(model);
    reference_free(&r);
    dense_free(&data);
}

static void equals_the_plain_loops(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t classes = 2; classes <= 5; classes += 3)
        for (int integers = 0; integers < 2; integers++)
            for (int sparse = 0; sparse < 2; sparse++)
                for (unsigned choices = 0; choices < 48; choices++)
                    compare(classes, integers, sparse ? 0.15 : 1, choices, seed++);
}

static void stops_after_a_pass_without_a_mistake(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("margin", &recipe, NULL), TLU_OK);
    recipe.margin = 0.02;
    generate_file("margin.svm", &recipe);
    struct dense data;
    assert_true(dense_read(&data, "margin.svm", 10));
    struct reference r = {.positive = 1};
    reference_learn(&r, &data, 100);
    assert_true(r.passes > 2 && r.passes < 100);
    tlu_model *model = train("margin.svm", "epochs=100 shuffle=none");
    assert_mistakes(model, &r);
    assert_weights(model, &r, true, two, 1e-9);
    assert_true(tlu_model_report(model)->converged);
    assert_string_equal(tlu_model_report(model)->stopped, "converged");
    tlu_model_free(model);
    model = train("margin.svm", "epochs=2 shuffle=none");
    assert_int_equal(tlu_model_report(model)->epochs, 2);
    assert_false(tlu_model_report(model)->converged);
    assert_string_equal(tlu_model_report(model)->stopped, "epochs");
    tlu_model_free(model);
    reference_free(&r);
    dense_free(&data);
}

static void balanced_weights_are_the_inverse_of_the_shares(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 5; classes += 3) {
        struct dense data = random_dense(77, 90, 8, classes, 0.5, false);
        double counts[5] = {0}, weights[5];
        for (size_t i = 0; i < data.rows; i++) { // far from balanced
            data.class[i] = i % 3 || i < classes ? data.class[i] : 0;
            counts[data.class[i]]++;
        }
        for (size_t c = 0; c < classes; c++)
            weights[c] = 90 / ((double)classes * counts[c]);
        write_libsvm("balanced.svm", &data, labels_of(classes));
        struct reference r = {.positive = 1, .class_weight = weights};
        reference_learn(&r, &data, 3);
        tlu_model *model = train("balanced.svm", "class-weight=balanced epochs=3 shuffle=none");
        assert_mistakes(model, &r);
        assert_weights(model, &r, true, labels_of(classes), 1e-9);
        tlu_model_free(model);
        reference_free(&r);
        dense_free(&data);
    }
}

// "balanced,1=50": the one times the other.
static void balanced_and_given_weights_multiply(void **state)
{
    (void)state;
    struct dense data = random_dense(78, 90, 8, 2, 0.5, false);
    double counts[2] = {0};
    for (size_t i = 0; i < data.rows; i++)
        counts[data.class[i]]++;
    double weights[2] = {90 / (2 * counts[0]), 50 * 90 / (2 * counts[1])};
    write_libsvm("balanced.svm", &data, two);
    struct reference r = {.positive = 1, .class_weight = weights};
    reference_learn(&r, &data, 3);
    tlu_model *model = train("balanced.svm", "class-weight=balanced,1=50 epochs=3 shuffle=none");
    assert_mistakes(model, &r);
    assert_weights(model, &r, true, two, 1e-9);
    tlu_model_free(model);
    reference_free(&r);
    dense_free(&data);
}

static void csv_and_libsvm_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const settings[] = {"scale=none", "scale=maxabs", "scale=standard",
                                           "scale=standard class-weight=balanced shuffle=all"};
    for (size_t i = 0; i < 8; i++) {
        size_t classes = i % 2 ? 5 : 2;
        struct dense data = random_dense(i, 120, 9, classes, 0.6, false);
        for (size_t j = 0; j < data.features; j++) // no column is left out of the LIBSVM file
            data.x[j] = 0.5;
        write_libsvm("same.svm", &data, labels_of(classes));
        write_csv("same.csv", &data, labels_of(classes));
        tlu_model *a = train("same.svm", settings[i / 2]), *b = train("same.csv", settings[i / 2]);
        assert_string_equal(tlu_model_report(a)->format, "libsvm");
        assert_string_equal(tlu_model_report(b)->format, "csv");
        for (size_t c = 0; c < classes; c++) {
            const char *label = labels_of(classes)[c];
            for (size_t j = 1; j <= data.features; j++) {
                char name[24];
                snprintf(name, sizeof name, "%zu", j);
                assert_exactly(weight_of(a, label, name), weight_of(b, label, name));
            }
            assert_exactly(bias_of(a, label), bias_of(b, label));
        }
        tlu_model_free(a);
        tlu_model_free(b);
        dense_free(&data);
    }
}

// ---- The order of the rows
// -----------------------------------------------------------------------

// Every row has a feature of its own and is a mistake when it is met first, whatever the order. Its
// weight in the average then tells when that was.
static void write_own_features(const char *path, size_t rows)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < rows; i++)
        fprintf(file, "%s %zu:1\n", i % 2 ? "+1" : "-1", i + 1);
    fclose(file);
}

// order[t] is the row that was met at step t of the only pass.
static void find_order(const char *settings, size_t rows, size_t *order)
{
    write_own_features("own.svm", rows);
    tlu_model *model = train("own.svm", settings);
    for (size_t t = 0; t < rows; t++)
        order[t] = SIZE_MAX;
    for (size_t i = 0; i < rows; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i + 1);
        double part = weight_of(model, i % 2 ? "+1" : "-1", name); // (rows - t) / rows
        size_t t = (size_t)lround((double)rows * (1 - part));
        assert_true(part > 0 && t < rows && order[t] == SIZE_MAX); // each row once
        order[t] = i;
    }
    tlu_model_free(model);
}

static void shuffle_all_meets_every_row_once_in_random_order(void **state)
{
    (void)state;
    enum { ROWS = 10, SEEDS = 400 };
    size_t order[ROWS], first[ROWS] = {0}, last[ROWS] = {0};
    for (size_t seed = 0; seed < SEEDS; seed++) {
        char settings[80];
        snprintf(settings, sizeof settings, "epochs=1 no-bias=yes shuffle=all seed=%zu", seed);
        find_order(settings, ROWS, order);
        first[order[0]]++;
        last[order[ROWS - 1]]++;
    }
    // 40 expected with a deviation of 6.
    for (size_t i = 0; i < ROWS; i++)
        assert_true(first[i] > 10 && first[i] < 70 && last[i] > 10 && last[i] < 70);
    find_order("epochs=1 no-bias=yes shuffle=later", ROWS, order);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(order[i], i);
}

static bool same_weights(const tlu_model *a, const tlu_model *b)
{
    size_t features = tlu_model_feature_count(a);
    if (features != tlu_model_feature_count(b) || tlu_model_bias(a, 1) != tlu_model_bias(b, 1))
        return false;
    for (size_t f = 0; f < features; f++)
        if (tlu_model_weight(a, 1, f) != tlu_model_weight(b, 1, f))
            return false;
    return true;
}

static void shuffle_later_starts_in_file_order(void **state)
{
    (void)state;
    struct dense data = random_dense(5, 200, 8, 2, 1, false);
    write_libsvm("later.svm", &data, two);
    tlu_model *one = train("later.svm", "epochs=1"), *none = train("later.svm", "epochs=1 "
                                                                                "shuffle=none");
    tlu_model *all = train("later.svm", "epochs=1 shuffle=all");
    assert_true(same_weights(one, none));
    assert_false(same_weights(all, none));
    tlu_model *later = train("later.svm", "epochs=2"), *again = train("later.svm", "epochs=2");
    tlu_model *other = train("later.svm", "epochs=2 seed=2");
    tlu_model *in_order = train("later.svm", "epochs=2 shuffle=none");
    tlu_model *other_order = train("later.svm", "epochs=2 shuffle=none seed=2");
    assert_same_model(later, again);
    assert_false(same_weights(later, other));
    assert_false(same_weights(later, in_order));
    assert_true(same_weights(in_order, other_order)); // no order to draw: the seed does not matter
    const tlu_report *report = tlu_model_report(later);
    assert_int_equal(report->mistakes[0], tlu_model_report(other)->mistakes[0]);
    assert_int_equal(report->examples, 200);
    tlu_model *models[] = {one, none, all, later, again, other, in_order, other_order};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        tlu_model_free(models[i]);
    dense_free(&data);
}

// ---- Classes that turn up late
// -------------------------------------------------------------------

// In file order, with the class `late` alone from row `from` on.
static struct dense late_data(size_t rows, size_t from, size_t classes, size_t late)
{
    struct dense data = random_dense(9, rows, 6, classes, 1, false);
    for (size_t i = 0; i < rows; i++) {
        if (data.class[i] == late && i < from)
            data.class[i] = (late + 1 + i % (classes - 1)) % classes;
        if (i >= from && i % 2)
            data.class[i] = late;
    }
    data.class[from] = late;
    return data;
}

static void a_class_after_the_lookahead_is_learned(void **state)
{
    (void)state;
    static const char *const abc[] = {"a", "b", "c"};
    size_t from = TRAIN_LOOKAHEAD + 300;
    for (size_t late = 0; late < 3; late++) {
        struct dense data = late_data(from + 500, from, 3, late);
        // Rows of the late class are far from all others.
        for (size_t i = 0; i < data.rows; i++)
            data.x[i * 6] = data.class[i] == late ? 20 : 0;
        write_libsvm("late.svm", &data, abc);
        // The plain loops know the classes by the order of their appearance.
        size_t number[3] = {late == 0 ? 2 : 0,
                            late == 1   ? 2
                            : late == 0 ? 0
                                        : 1,
                            late == 2 ? 2 : 1};
        const char *labels[3];
        for (size_t c = 0; c < 3; c++)
            labels[number[c]] = abc[c];
        struct reference r = {.positive = 1};
        reference_start(&r, 6, 2);
        for (size_t i = 0; i < 2 * data.rows; i++) {
            if (i == from)
                reference_grow(&r, 3);
            size_t row = i % data.rows;
            r.mistakes[i / data.rows] +=
                reference_step(&r, data.x + row * 6, number[data.class[row]], 1);
        }
        r.passes = 2;
        tlu_model *model = train("late.svm", "epochs=2 shuffle=none");
        assert_mistakes(model, &r);
        assert_weights(model, &r, true, labels, 1e-9);
        const char *label;
        assert_int_equal(tlu_model_predict_line(model, "1:20 3:0.1", &label, NULL, NULL), TLU_OK);
        assert_string_equal(label, abc[late]);
        tlu_model_free(model);
        reference_free(&r);
        dense_free(&data);
    }
}

// The second class turns up late, and may be the positive or the negative one.
static void the_second_class_may_be_late(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=2 shuffle=none",
                                           "epochs=2 shuffle=none tie=negative",
                                           "epochs=2 shuffle=none tie=negative positive=+1",
                                           "epochs=2 shuffle=none tie=positive positive=+1",
                                           "epochs=2 shuffle=none tie=positive positive=-1"};
    size_t from = TRAIN_LOOKAHEAD + 10;
    for (size_t late = 0; late < 2; late++) {
        struct dense data = late_data(from + 200, from, 2, late);
        write_libsvm("late.svm", &data, two);
        for (size_t i = 0; i < 5; i++) {
            struct reference r = {.positive = i == 4 ? 0 : 1,
                                  .tie = i == 0  ? REFERENCE_MISTAKE
                                         : i < 3 ? REFERENCE_NEGATIVE
                                                 : REFERENCE_POSITIVE};
            reference_learn(&r, &data, 2);
            tlu_model *model = train("late.svm", settings[i]);
            assert_mistakes(model, &r);
            assert_weights(model, &r, true, two, 1e-9);
            assert_int_equal(tlu_model_positive_class(model), r.positive);
            tlu_model_free(model);
            reference_free(&r);
        }
        dense_free(&data);
    }
}

// ---- Memory
// --------------------------------------------------------------------------------------

static long peak_kilobytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

// LIBSVM ids from 2^20 on are names, numbered after 2^20 features that do not occur: with 64
// classes that is half a gigabyte of zeros, which must not be written to. Where the classes come
// late, all is copied as well.
static void scattered_ids_cost_no_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "learner=arow", "learner=romma", "holdout=0.2",
                                           "decide=best multiclass=ovr"};
    long before = peak_kilobytes();
    for (int late = 0; late < 2; late++) {
        FILE *file = fopen("scattered.svm", "w");
        assert_non_null(file);
        size_t rows = late ? TRAIN_LOOKAHEAD + 200 : 200;
        for (size_t i = 0; i < rows; i++) {
            size_t class = i + 200 < rows ? i % 3 : i % 64;
            fprintf(file, "%zu %zu:1 %zu:-1\n", class, 2000000 + class, 3000000 + i % 7);
        }
        fclose(file);
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            tlu_model *model = train("scattered.svm", settings[i]);
            assert_int_equal(tlu_model_class_count(model), 64);
            tlu_model_free(model);
            long peak = peak_kilobytes() - before;
            if (peak > 100000)
                fail_msg("%s: %ld KB", settings[i], peak);
        }
    }
}

// ---- Stopping from outside
// -----------------------------------------------------------------------

struct watch {
    uint64_t stop_pass, calls, pass, examples;
    bool rises; // passes and examples never go back
};

static int watch_progress(void *context, const tlu_progress *progress)
{
    struct watch *watch = context;
    watch->calls++;
    watch->rises &= progress->pass > watch->pass ||
                    (progress->pass == watch->pass && progress->examples >= watch->examples);
    watch->rises &= progress->mistakes <= progress->examples && progress->seconds >= 0 &&
                    progress->pass <= progress->passes;
    watch->pass = progress->pass;
    watch->examples = progress->examples;
    return progress->pass >= watch->stop_pass;
}

static void progress_can_interrupt(void **state)
{
    (void)state;
    struct dense data = random_dense(3, 20000, 4, 2, 1, false);
    write_libsvm("long.svm", &data, two);
    tlu_options *options = options_of("epochs=6 shuffle=none decide=last");
    // Before the first example: there is nothing to make a model of.
    struct watch at_once = {.stop_pass = 1, .rises = true};
    tlu_error error;
    tlu_model *none;
    assert_int_equal(train_watched("long.svm", options, watch_progress, &at_once, &none, &error),
                     TLU_INTERRUPTED);
    assert_null(none);
    assert_non_null(strstr(error.text, "before anything was learned"));
    for (uint64_t stop = 2; stop <= 7; stop++) {
        struct watch watch = {.stop_pass = stop, .rises = true};
        tlu_model *model;
        assert_int_equal(train_watched("long.svm", options, watch_progress, &watch, &model, NULL),
                         TLU_OK);
        const tlu_report *report = tlu_model_report(model);
        assert_true(watch.calls > 0 && watch.rises);
        assert_string_equal(report->stopped, stop > 6 ? "epochs" : "interrupted");
        assert_int_equal(report->epochs, stop > 6 ? 6 : stop);
        assert_false(report->converged);
        if (stop > 1) { // what was learned up to there
            struct reference r = {.positive = 1};
            reference_start(&r, 4, 2);
            for (size_t i = 0; i < (report->epochs - 1) * data.rows + watch.examples; i++)
                reference_step(&r, data.x + i % data.rows * 4, data.class[i % data.rows], 1);
            if (stop <= 6)
                assert_weights(model, &r, false, two, 1e-9);
            reference_free(&r);
        }
        tlu_model_free(model);
    }
    tlu_options_free(options);
    dense_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_ids_cost_no_memory), // first: it looks at the peak
        cmocka_unit_test(equals_the_plain_loops),
        cmocka_unit_test(stops_after_a_pass_without_a_mistake),
        cmocka_unit_test(balanced_weights_are_the_inverse_of_the_shares),
        cmocka_unit_test(balanced_and_given_weights_multiply),
        cmocka_unit_test(csv_and_libsvm_give_the_same_bits),
        cmocka_unit_test(shuffle_all_meets_every_row_once_in_random_order),
        cmocka_unit_test(shuffle_later_starts_in_file_order),
        cmocka_unit_test(a_class_after_the_lookahead_is_learned),
        cmocka_unit_test(the_second_class_may_be_late),
        cmocka_unit_test(progress_can_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
