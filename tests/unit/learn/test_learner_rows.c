// Learners whose features are given by number, against learners whose features are given by name.
#include "learn/learner.h"
#include "model/model.h"
#include "predicting.h"
#include "prefetching.h"

enum { NAMES = 12, ROWS = 200 };

// "3", "7" and "1048600" are names like others, unless the learner continues a model of LIBSVM
// data: then they are indices, the last one above the limit for indices that are their own numbers.
static const char *const names[NAMES] = {"a", "b", "3", "1048600", "d=x", "e",
                                         "7", "g", "h", "i",       "j",   "k"};

// The numbers that the learner gives to the names.
static void number_names(tlu_learner *learner, uint32_t *numbers)
{
    for (size_t i = 0; i < NAMES; i++) {
        tlu_error error;
        uint32_t again;
        if (tlu_learner_feature(learner, names[i], &numbers[i], &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(tlu_learner_feature(learner, names[i], &again, &error), TLU_OK);
        assert_int_equal(again, numbers[i]);
    }
}

struct pair_row {
    tlu_feature named[NAMES];
    uint32_t features[NAMES];
    float values[NAMES];
    tlu_row numbered;
};

// The same random entries by name and, in ascending order, by number.
static void random_row(struct random *random, const uint32_t *numbers, struct pair_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (random_below(random, 3) == 0)
            continue;
        double value =
            random_below(random, 5) == 0 ? 0 : (double)(float)(random_unit(random) - 0.4);
        size_t at = count++;
        row->named[at] = (tlu_feature){names[i], value};
        for (; at > 0 && row->features[at - 1] > numbers[i]; at--) {
            row->features[at] = row->features[at - 1];
            row->values[at] = row->values[at - 1];
        }
        row->features[at] = numbers[i];
        row->values[at] = (float)value;
    }
    row->numbered = (tlu_row){count, row->features, row->values};
}

// A learner that continues a model of LIBSVM data with the indices 3 and 9.
static tlu_learner *learner_of_indices(const char *settings)
{
    static const uint64_t offsets[] = {0, 2, 3};
    static const uint32_t features[] = {3, 9, 9}, labels[] = {0, 1};
    static const char *const classes[] = {"yes", "no"};
    const tlu_rows rows = {.size = sizeof rows,
                           .rows = 2,
                           .offsets = offsets,
                           .features = features,
                           .labels = labels,
                           .label_names = classes,
                           .label_count = 2};
    const tlu_train_settings training = {.size = sizeof training, .rows = &rows};
    tlu_options *options = file_options_of(settings);
    tlu_model *model;
    tlu_learner *learner;
    tlu_error error;
    if (tlu_train_with(&training, options, &model, &error) != TLU_OK ||
        tlu_learner_resume(model, &learner, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    tlu_options_free(options);
    tlu_model_free(model);
    return learner;
}

static void assert_same_models(tlu_learner *a, tlu_learner *b, const char *what)
{
    void *bytes[2];
    size_t sizes[2];
    tlu_learner *learners[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        tlu_model *model = model_of(learners[i]);
        assert_int_equal(tlu_model_save_bytes(model, &bytes[i], &sizes[i], NULL), TLU_OK);
        tlu_model_free(model);
    }
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
        fail_msg("the models differ: %s", what);
    tlu_bytes_free(bytes[0]);
    tlu_bytes_free(bytes[1]);
}

// Takes the learners, which are equal: `a` learns names, and `b` the numbers of the same features.
static void compare_names_and_numbers(tlu_learner *a, tlu_learner *b, uint64_t seed,
                                      const char *settings)
{
    static const char *const labels[] = {"yes", "no", "perhaps"};
    struct random random;
    struct pair_row row;
    uint32_t numbers[NAMES], unused[NAMES];
    random_seed(&random, seed);
    number_names(a, unused); // in the same order
    number_names(b, numbers);
    for (size_t i = 0; i < ROWS; i++) {
        const char *label = labels[random_below(&random, i < ROWS / 2 ? 2 : 3)], *x, *y;
        double weight = random_below(&random, 4) == 0 ? 1.5 : 1, p, q;
        int mistakes[2];
        tlu_error error;
        random_row(&random, numbers, &row);
        size_t count = row.numbered.count;
        if (tlu_learner_predict(a, row.named, count, &x, &p, &error) != TLU_OK ||
            tlu_learner_predict_row(b, &row.numbered, &y, &q, &error) != TLU_OK ||
            tlu_learner_learn(a, row.named, count, label, weight, &mistakes[0], &error) != TLU_OK ||
            tlu_learner_learn_row(b, &row.numbered, label, weight, &mistakes[1], &error) != TLU_OK)
            fail_msg("%s: %s", settings, error.text);
        assert_true(x == y || strcmp(x, y) == 0);
        assert_exactly(p, q);
        assert_int_equal(mistakes[0], mistakes[1]);
    }
    assert_same_models(a, b, settings);
    tlu_learner_free(a);
    tlu_learner_free(b);
}

static void numbers_learn_what_names_learn(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "", "learner=perceptron decide=last scale=none", "learner=arow decide=average",
        "learner=logistic scale=maxabs", "learner=perceptron multiclass=ovo rate=0.5"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
        compare_names_and_numbers(learner_of(settings[s]), learner_of(settings[s]), s + 1,
                                  settings[s]);
}

static void indices_keep_their_numbers(void **state)
{
    (void)state;
    static const char *const settings[] = {"learner=perceptron decide=last", "learner=arow",
                                           "learner=pa2"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        uint32_t numbers[NAMES];
        tlu_learner *learner = learner_of_indices(settings[s]);
        number_names(learner, numbers);
        for (size_t i = 0; i < NAMES; i++) {
            if (i == 2 || i == 6)
                assert_int_equal(numbers[i], i == 2 ? 3 : 7);
            else
                assert_true(numbers[i] >= 1u << 20);
        }
        tlu_learner_free(learner);
        compare_names_and_numbers(learner_of_indices(settings[s]), learner_of_indices(settings[s]),
                                  s + 11, settings[s]);
    }
}

static void the_order_of_a_row_does_not_matter_for_whole_numbers(void **state)
{
    (void)state;
    uint32_t numbers[NAMES];
    tlu_learner *up = learner_of("learner=perceptron scale=none"),
                *down = learner_of("learner=perceptron scale=none");
    number_names(up, numbers);
    number_names(down, numbers);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t ascending[] = {numbers[0], numbers[1 + i % 4 * 2 % 3], numbers[11]};
        const uint32_t low = ascending[0] < ascending[1] ? ascending[0] : ascending[1];
        uint32_t descending[] = {ascending[2], low == ascending[0] ? ascending[1] : ascending[0],
                                 low};
        const float a[] = {1, (float)(i % 5), 2},
                    b[] = {2, low == ascending[0] ? a[1] : a[0], low == ascending[0] ? a[0] : a[1]};
        const tlu_row x = {3, ascending, a}, y = {3, descending, b};
        const char *label = i % 3 ? "p" : "n";
        if (ascending[0] == ascending[1])
            continue;
        assert_int_equal(tlu_learner_learn_row(up, &x, label, 1, NULL, NULL), TLU_OK);
        assert_int_equal(tlu_learner_learn_row(down, &y, label, 1, NULL, NULL), TLU_OK);
    }
    assert_same_models(up, down, "order");
    tlu_learner_free(up);
    tlu_learner_free(down);
}

struct wrong_row {
    tlu_row row;
    const char *words; // of the error
};

static void refuse_rows(tlu_learner *learner, const struct wrong_row *wrong, size_t count)
{
    const uint64_t examples = tlu_learner_get_stats(learner)->examples;
    for (size_t i = 0; i < count; i++) {
        const char *label = "", *words = wrong[i].words;
        tlu_error error;
        assert_int_equal(tlu_learner_learn_row(learner, &wrong[i].row, "yes", 1, NULL, &error),
                         TLU_ERROR_INPUT);
        if (!strstr(error.text, words))
            fail_msg("row %zu: '%s' is not in: %s", i, words, error.text);
        assert_int_equal(tlu_learner_predict_row(learner, &wrong[i].row, &label, NULL, &error),
                         TLU_ERROR_INPUT);
        if (!strstr(error.text, words))
            fail_msg("row %zu: '%s' is not in: %s", i, words, error.text);
        assert_null(label);
    }
    assert_int_equal(tlu_learner_get_stats(learner)->examples, examples);
}

static const float ones[] = {1, 1, 1}, not_finite[] = {1, NAN, 1};

static void what_is_wrong_changes_nothing(void **state)
{
    (void)state;
    tlu_error error;
    uint32_t numbers[NAMES], number = 0;
    tlu_learner *learner = learner_of("learner=perceptron scale=none");
    number_names(learner, numbers);
    const tlu_row fine = {NAMES, numbers, NULL}; // from now on all features have weights
    assert_int_equal(tlu_learner_learn_row(learner, &fine, "yes", 1, NULL, &error), TLU_OK);
    const uint32_t twice[] = {numbers[5], numbers[0], numbers[5]};
    const uint32_t beside[] = {numbers[2], numbers[2], numbers[5]};
    const uint32_t unknown[] = {numbers[0], 1u << 30, numbers[1]};
    const uint32_t next[] = {numbers[0], numbers[NAMES - 1] + 1, numbers[1]};
    const struct wrong_row wrong[] = {{{3, twice, ones}, "twice"},
                                      {{3, beside, ones}, "twice"},
                                      {{3, unknown, ones}, "no feature"},
                                      {{3, next, ones}, "no feature"},
                                      {{3, numbers, not_finite}, "finite"}};
    refuse_rows(learner, wrong, sizeof wrong / sizeof wrong[0]);
    assert_int_equal(tlu_learner_learn_row(learner, &fine, "", 1, NULL, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_learner_learn_row(learner, &fine, "yes", 0, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_learner_get_stats(learner)->examples, 1);
    assert_int_equal(tlu_learner_get_stats(learner)->classes, 1);
    assert_int_equal(tlu_learner_feature(learner, NULL, &number, &error), TLU_ERROR_INPUT);
    tlu_learner_free(learner);
    static const char *const bounded[] = {"hash=12", "max-features=10"};
    for (size_t i = 0; i < 2; i++) {
        learner = learner_of(bounded[i]);
        assert_int_equal(tlu_learner_feature(learner, "a", &number, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, i ? "max-features" : "hash"));
        assert_int_equal(tlu_learner_learn_row(learner, &fine, "yes", 1, NULL, &error),
                         TLU_ERROR_INPUT);
        tlu_learner_free(learner);
    }
}

// Numbers below 2^20 are indices: those outside of the range that occurred are not features, nor
// are those between the indices and the names.
static void numbers_that_are_no_indices(void **state)
{
    (void)state;
    uint32_t name;
    tlu_learner *learner = learner_of_indices("learner=perceptron scale=none");
    assert_int_equal(tlu_learner_feature(learner, "a", &name, NULL), TLU_OK);
    const uint32_t below[] = {0, 3, 9}, above[] = {3, 10, name}, past[] = {3, 9, name + 1};
    const uint32_t twice[] = {9, name, 9}, fine[] = {name, 9, 3};
    const struct wrong_row wrong[] = {{{3, below, ones}, "no feature 0"},
                                      {{3, above, ones}, "no feature 10"},
                                      {{3, past, ones}, "no feature"},
                                      {{3, twice, ones}, "twice"},
                                      {{3, fine, not_finite}, "finite"}};
    refuse_rows(learner, wrong, sizeof wrong / sizeof wrong[0]);
    const tlu_row row = {3, fine, ones};
    assert_int_equal(tlu_learner_learn_row(learner, &row, "yes", 1, NULL, NULL), TLU_OK);
    tlu_learner_free(learner);
}

static void probabilities_are_those_of_the_model(void **state)
{
    (void)state;
    static const char *const labels[] = {"c", "a", "b"};
    tlu_feature x[] = {{"k", 1}, {"m", 2}};
    double ours[3], theirs[3], scores[3], one[1];
    tlu_error error;
    size_t winner;
    tlu_learner *learner = learner_of("learner=logistic scale=none");
    assert_int_equal(tlu_learner_probabilities(learner, x, 2, ours, &error), TLU_OK);
    assert_null(tlu_learner_class_label(learner, 0));
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t k = i < 1 ? 0 : i % 3;
        tlu_feature row[] = {{k == 0 ? "k" : k == 1 ? "l" : "m", 1}, {"n", i % 4}};
        assert_int_equal(tlu_learner_learn(learner, row, 2, labels[k], 1, NULL, NULL), TLU_OK);
        if (i == 0) {
            assert_int_equal(tlu_learner_probabilities(learner, x, 2, one, &error), TLU_OK);
            assert_exactly(one[0], 1);
        }
    }
    assert_int_equal(tlu_learner_probabilities(learner, x, 2, ours, &error), TLU_OK);
    tlu_model *model = model_of(learner);
    assert_int_equal(tlu_model_predict_named(model, x, 2, &winner, scores, &error), TLU_OK);
    assert_int_equal(tlu_model_probabilities(model, scores, theirs, &error), TLU_OK);
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(tlu_learner_class_label(learner, k), labels[k]);
        const double expected = theirs[tlu_model_class_find(model, labels[k])];
        assert_true(fabs(ours[k] - expected) < 1e-6);
    }
    assert_null(tlu_learner_class_label(learner, 3));
    tlu_model_free(model);
    tlu_learner_free(learner);
    learner = learner_of("learner=perceptron");
    assert_int_equal(tlu_learner_probabilities(learner, x, 2, ours, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "logistic"));
    tlu_learner_free(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_learn_what_names_learn),
        cmocka_unit_test(indices_keep_their_numbers),
        cmocka_unit_test(the_order_of_a_row_does_not_matter_for_whole_numbers),
        cmocka_unit_test(what_is_wrong_changes_nothing),
        cmocka_unit_test(numbers_that_are_no_indices),
        cmocka_unit_test(probabilities_are_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
