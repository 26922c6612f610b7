// Streams: a learner that is fed one example at a time, turned into models and resumed from them.
#include "learn/learner.h"
#include "model/model.h"
#include "predicting.h"
#include "prefetching.h"

static const char *const five[] = {"red", "10", "blue", "-3", "green"}; // by appearance
static const size_t places[] = {4, 1, 2, 0, 3};                         // of these labels in order
static const char *const two[] = {"-1", "+1"};
static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};

// One row, whose features are called `feature_names`; tells whether it was a mistake.
static bool learn(tlu_learner *learner, const double *x, size_t count,
                  const char *const *feature_names, const char *label, double weight)
{
    tlu_feature features[16];
    for (size_t i = 0; i < count; i++)
        features[i] = (tlu_feature){feature_names[i], x[i]};
    tlu_error error;
    int mistake;
    if (tlu_learner_learn(learner, features, count, label, weight, &mistake, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return mistake;
}

static void learn_rows(tlu_learner *learner, const struct dense *data, size_t from, size_t to,
                       const char *const *feature_names, const char *const *labels)
{
    for (size_t i = from; i < to; i++)
        learn(learner, data->x + i * data->features, data->features, feature_names,
              labels[data->class[i]], 1);
}

static tlu_learner *resume(const tlu_model *model)
{
    tlu_learner *learner;
    tlu_error error;
    if (tlu_learner_resume(model, &learner, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return learner;
}

// ---- Learning
// ------------------------------------------------------------------------------------

// Two classes are the same from the first example on, so a stream is a pass over a file.
static void is_one_pass_over_the_file(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        struct dense data = random_dense(21, 150, 10, 2, 1, false);
        write_libsvm("stream.svm", &data, two);
        tlu_model *file = train("stream.svm", last ? "epochs=1 shuffle=none decide=last rate=0.3"
                                                   : "epochs=1 shuffle=none rate=0.3");
        tlu_learner *learner = learner_of(last ? "decide=last rate=0.3" : "rate=0.3");
        learn_rows(learner, &data, 0, data.rows, names, two);
        tlu_model *stream = model_of(learner);
        for (size_t j = 0; j < 10; j++)
            assert_exactly(weight_of(stream, "+1", names[j]), weight_of(file, "+1", names[j]));
        assert_exactly(bias_of(stream, "+1"), bias_of(file, "+1"));
        const tlu_report *a = tlu_model_report(stream), *b = tlu_model_report(file);
        assert_int_equal(a->examples, b->examples);
        assert_int_equal(a->mistakes[0], b->mistakes[0]);
        assert_int_equal(a->updates, b->updates);
        assert_string_equal(a->format, "stream");
        tlu_model_free(file);
        tlu_model_free(stream);
        tlu_learner_free(learner);
        dense_free(&data);
    }
}

// The plain loops with classes that come into play with their first examples.
static void reference_stream(struct reference *r, const struct dense *data)
{
    size_t met = 1;
    reference_start(r, data->features, 1);
    for (size_t i = 0; i < data->rows; i++) {
        if (data->class[i] >= met)
            reference_grow(r, met = data->class[i] + 1);
        r->mistakes[0] += reference_step(r, data->x + i * data->features, data->class[i], 1);
    }
    r->passes = 1;
}

static void classes_are_added_as_they_turn_up(void **state)
{
    (void)state;
    for (size_t step = 1; step <= 31; step += 10)
        for (int integers = 0; integers < 2; integers++) {
            struct dense data = random_dense(30 + step, 200, 10, 5, 0.7, integers);
            for (size_t i = 0; i < data.rows; i++) { // class c turns up at row c * step
                size_t most = i / step < 4 ? i / step : 4;
                data.class[i] = i % step == 0 && i / step < 5 ? most
                                : data.class[i] > most        ? data.class[i] % (most + 1)
                                                              : data.class[i];
            }
            // "red" is the later of the first two classes.
            struct reference r = {.positive = 0, .place = places};
            reference_stream(&r, &data);
            tlu_learner *learner = learner_of("");
            learn_rows(learner, &data, 0, data.rows, names, five);
            tlu_model *model = model_of(learner);
            assert_mistakes(model, &r);
            assert_weights(model, &r, true, five, integers ? 1e-12 : 1e-9);
            assert_string_equal(tlu_model_class_label(model, 0), "-3");
            assert_string_equal(tlu_model_class_label(model, 1), "10");
            assert_string_equal(tlu_model_class_label(model, 4), "red");
            tlu_model_free(model);
            tlu_learner_free(learner);
            reference_free(&r);
            dense_free(&data);
        }
}

// As classes come one by one, all weights are copied now and then, not for each of them.
static void many_classes_are_few_copies(void **state)
{
    (void)state;
    enum { CLASSES = 300 };
    for (int ovo = 0; ovo < 2; ovo++) {
        tlu_learner *learner = learner_of(ovo ? "multiclass=ovo" : "");
        size_t copies = 0;
        const double *weights = NULL;
        learn(learner, (double[]){1, 1, 1}, 3, names, "0", 1);
        for (size_t i = 1; i < CLASSES; i++) {
            char label[16];
            snprintf(label, sizeof label, "%zu", i * 77 % CLASSES); // no common divisor
            learn(learner, (double[]){1, (double)i, -1}, 3, names, label, 1);
            copies += weights != learner->state.weights.w;
            weights = learner->state.weights.w;
        }
        assert_true(copies <= 18); // 44,850 pairs are less than 2^16
        tlu_model *model = model_of(learner);
        assert_int_equal(tlu_model_class_count(model), CLASSES);
        assert_int_equal(model->state.weights.columns, ovo ? CLASSES * (CLASSES - 1) / 2 : CLASSES);
        for (size_t c = 0; c < CLASSES; c++) {
            char label[16];
            snprintf(label, sizeof label, "%zu", c);
            assert_string_equal(tlu_model_class_label(model, c), label);
        }
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
}

// A learner that stops and goes on every few examples has room for just the classes that it has
// met; another one has room for more. They must learn the same.
static void room_for_more_classes_changes_nothing(void **state)
{
    (void)state;
    static const char *const settings[] = {"",
                                           "decide=last",
                                           "multiclass=ovr",
                                           "multiclass=ovo",
                                           "learner=arow",
                                           "learner=scw1 multiclass=ovr",
                                           "learner=pa1",
                                           "learner=arow multiclass=ovo",
                                           "learner=logistic"};
    static const char *const labels[] = {"m", "c", "x", "a", "z", "k", "b", "y", "d"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        struct dense data = random_dense(200 + s, 150, 10, 9, 0.6, false);
        for (size_t i = 0; i < data.rows; i++) // one more class every ten rows
            data.class[i] = i % 10 == 0 && i < 90 ? i / 10 : data.class[i] % (i / 10 + 1);
        tlu_learner *whole = learner_of(settings[s]), *part = learner_of(settings[s]);
        for (size_t i = 0; i < data.rows; i++) {
            learn_rows(whole, &data, i, i + 1, names, labels);
            learn_rows(part, &data, i, i + 1, names, labels);
            if (i < 11 || i % 5)
                continue;
            tlu_model *a = model_of(whole), *b = model_of(part);
            assert_same_model(a, b);
            tlu_learner_free(part);
            part = resume(b);
            tlu_model_free(a);
            tlu_model_free(b);
        }
        tlu_learner_free(whole);
        tlu_learner_free(part);
        dense_free(&data);
    }
}

// Learners that shrink their weights put that off; a model has it.
static void a_stream_that_shrinks_is_a_pass_over_the_file(void **state)
{
    (void)state;
    static const char *const settings[] = {"learner=romma", "learner=romma decide=last",
                                           "learner=hinge l2=0.1"};
    struct dense data = random_dense(22, 150, 10, 2, 1, false);
    write_libsvm("stream.svm", &data, two);
    for (size_t i = 0; i < 3; i++) {
        char all[80];
        snprintf(all, sizeof all, "epochs=1 shuffle=none %s", settings[i]);
        tlu_model *file = train("stream.svm", all);
        tlu_learner *learner = learner_of(settings[i]);
        learn_rows(learner, &data, 0, data.rows, names, two);
        for (int again = 0; again < 2; again++) { // the learner is the same after making a model
            tlu_model *stream = model_of(learner);
            for (size_t j = 0; j < 10; j++)
                assert_same_number(weight_of(stream, "+1", names[j]),
                                   weight_of(file, "+1", names[j]), 1e-9, names[j]);
            tlu_model_free(stream);
        }
        tlu_model_free(file);
        tlu_learner_free(learner);
    }
    dense_free(&data);
}

static void importance_is_the_length_of_the_step(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("decide=last rate=0.5 class-weight=b=4");
    assert_true(learn(learner, (double[]){2}, 1, names, "a", 3)); // -0.5 * 3
    assert_true(learn(learner, (double[]){1}, 1, names, "b", 2)); // +0.5 * 2 * 4
    tlu_model *model = model_of(learner);
    assert_exactly(weight_of(model, "b", "1"), -3 + 4);
    assert_exactly(bias_of(model, "b"), -1.5 + 4);
    assert_exactly(weight_of(model, "a", "1"), -1);
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// A first example of the class that --positive names is y = +1 from the start, ties and all.
static void positive_is_known_before_the_second_class(void **state)
{
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        tlu_learner *learner =
            learner_of(positive ? "tie=positive positive=x" : "tie=negative positive=x");
        assert_int_equal(learn(learner, (double[]){1}, 1, names, "x", 1), !positive);
        // Another tie: w = b = 1 or 0.
        assert_int_equal(learn(learner, (double[]){-1}, 1, names, "y", 1), positive);
        tlu_model *model = model_of(learner);
        assert_string_equal(tlu_model_class_label(model, tlu_model_positive_class(model)), "x");
        tlu_model_free(model);
        tlu_learner_free(learner);
    }
}

static void predicts_with_what_it_has(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("");
    const char *label = "";
    double score;
    tlu_feature x = {"1", 1}, unknown = {"never met", 1};
    assert_int_equal(tlu_learner_predict(learner, &x, 1, &label, &score, NULL), TLU_OK);
    assert_null(label);
    learn(learner, (double[]){1}, 1, names, "b", 1);
    assert_int_equal(tlu_learner_predict(learner, &x, 1, &label, &score, NULL), TLU_OK);
    assert_string_equal(label, "b");
    learn(learner, (double[]){-1}, 1, names, "a", 1);
    learn(learner, (double[]){-1}, 1, names, "a", 1);
    tlu_model *model = model_of(learner);
    for (int value = -3; value <= 3; value++) {
        double scores[2];
        x.value = value;
        assert_int_equal(tlu_learner_predict(learner, &x, 1, &label, &score, NULL), TLU_OK);
        size_t class = class_of_named(model, &x, 1, scores);
        assert_string_equal(label, tlu_model_class_label(model, class));
        assert_same_number(score, fabs(scores[0]), 1e-12, "the winner's score");
    }
    assert_int_equal(tlu_learner_predict(learner, &unknown, 1, &label, &score, NULL), TLU_OK);
    assert_same_number(score, fabs(bias_of(model, "b")), 1e-12, "the bias");
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// Scores that tie: a learner and its model take the same class, the first by its label.
static void equals_go_to_the_first_label(void **state)
{
    (void)state;
    static const char *const appearing[] = {"b", "c", "a"};
    tlu_learner *learner = learner_of("no-bias=yes");
    for (size_t i = 0; i < 3; i++)
        learn(learner, (double[]){0, 0, 1}, 3, names, appearing[i], 1);
    tlu_model *model = model_of(learner);
    tlu_feature x = {"1", 5};
    double scores[3];
    const char *label;
    assert_int_equal(tlu_learner_predict(learner, &x, 1, &label, NULL, NULL), TLU_OK);
    assert_string_equal(label, "a");
    assert_int_equal(class_of_named(model, &x, 1, scores), 0);
    assert_string_equal(tlu_model_class_label(model, 0), "a");
    tlu_model_free(model);
    tlu_learner_free(learner);
}

static void refuses_what_is_wrong_and_stays_as_it_was(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("");
    learn(learner, (double[]){1, 2}, 2, names, "a", 1);
    learn(learner, (double[]){-1, 2}, 2, names, "b", 1);
    tlu_model *before = model_of(learner);
    tlu_feature fine = {"1", 1}, bad[] = {{"1", NAN}, {"1", INFINITY}, {"1", 1e39}};
    tlu_feature twice[] = {{"2", 1}, {"1", 1}, {"2", 3}};
    tlu_error error;
    assert_int_equal(tlu_learner_learn(learner, &fine, 1, NULL, 1, NULL, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_learner_learn(learner, &fine, 1, "", 1, NULL, &error), TLU_ERROR_INPUT);
    static const double weights[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(tlu_learner_learn(learner, &fine, 1, "a", weights[i], NULL, &error),
                         TLU_ERROR_INPUT);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(tlu_learner_learn(learner, &bad[i], 1, "a", 1, NULL, &error),
                         TLU_ERROR_INPUT);
    assert_int_equal(tlu_learner_learn(learner, twice, 3, "a", 1, NULL, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'2'"));
    const char *label;
    assert_int_equal(tlu_learner_predict(learner, bad, 1, &label, NULL, &error), TLU_ERROR_INPUT);
    tlu_model *after = model_of(learner);
    assert_same_model(before, after);
    tlu_model_free(before);
    tlu_model_free(after);
    tlu_learner_free(learner);
}

// What would make weights infinite, and the learner useless for ever.
static void refuses_steps_that_are_too_long(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double weight, value;
    } cases[] = {{"", 1e300, 1e30},
                 {"rate=1e30", 1e60, 1e30},
                 {"class-weight=a=1e30", 1e80, 1},
                 {"learner=pa1", 1e300, 1}};
    for (size_t i = 0; i < 4; i++) {
        tlu_learner *learner = learner_of(cases[i].settings);
        learn(learner, (double[]){1, 2}, 2, names, "a", 1);
        learn(learner, (double[]){-1, 2}, 2, names, "b", 1);
        tlu_model *before = model_of(learner);
        tlu_feature features[] = {{"new", 1}, {"1", cases[i].value}};
        tlu_error error;
        assert_int_equal(
            tlu_learner_learn(learner, features, 2, "a", cases[i].weight, NULL, &error),
            TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "too heavy"));
        tlu_model *after = model_of(learner);
        assert_same_model(before, after);
        tlu_model_free(before);
        tlu_model_free(after);
        tlu_learner_free(learner);
    }
    tlu_learner *learner = learner_of("");
    learn(learner, (double[]){1e30}, 1, names, "a", 1e60);
    learn(learner, (double[]){-1e30}, 1, names, "b", 1e60);
    tlu_model *model = model_of(learner);
    assert_true(isfinite(weight_of(model, "b", "1")));
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// With --positive there are two classes; an example of a third one is refused, and the stream goes
// on.
static void positive_refuses_a_third_class(void **state)
{
    (void)state;
    tlu_error error;
    tlu_feature x = {"new", 1};
    for (int first = 0; first < 2; first++) {
        tlu_learner *learner = learner_of("positive=1");
        learn(learner, (double[]){1}, 1, names, first ? "+1" : "a", 1);
        if (!first) // then 1 is still to come
            assert_int_equal(tlu_learner_learn(learner, &x, 1, "b", 1, NULL, &error),
                             TLU_ERROR_INPUT);
        learn(learner, (double[]){-1}, 1, names, first ? "a" : "1.0", 1);
        tlu_model *before = model_of(learner);
        assert_int_equal(tlu_learner_learn(learner, &x, 1, "b", 1, NULL, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "--positive is for two classes"));
        assert_non_null(strstr(error.text, "'b'"));
        tlu_model *after = model_of(learner);
        assert_same_model(before, after);
        learn(learner, (double[]){1}, 1, names, "1", 1);
        tlu_model_free(before);
        tlu_model_free(after);
        tlu_learner_free(learner);
    }
}

static void options_about_files_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {"epochs=3", "shuffle=none", "scale=standard",
                                          "holdout=0.1", "class-weight=balanced"};
    for (size_t i = 0; i < 5; i++) {
        tlu_options *options = options_of(refused[i]);
        tlu_learner *learner;
        tlu_error error;
        assert_int_equal(tlu_learner_new(options, &learner, &error), TLU_ERROR_INPUT);
        assert_null(learner);
        assert_non_null(strstr(error.text, "stream"));
        tlu_options_free(options);
    }
    tlu_learner *learner = learner_of("");
    tlu_model *model;
    assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_ERROR_INPUT);
    learn(learner, (double[]){1}, 1, names, "a", 1);
    assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_ERROR_INPUT);
    assert_null(model);
    tlu_learner_free(learner);
}

// ---- Stopping and going on
// -----------------------------------------------------------------------

// Feature names in no order at all, some of them indices: rows are summed up in the same order
// before and after.
static void going_on_is_the_same_as_never_having_stopped(void **state)
{
    (void)state;
    static const char *const odd[] = {"30", "age", "2",       "11", "7",
                                      "1",  "=",   "1048577", "0",  "9223372036854775807"};
    static const char *const settings[] = {"", "decide=last", "no-bias=yes rate=0.7",
                                           "tie=positive", "class-weight=-3=0.3,red=2,blue=0.1"};
    for (size_t i = 0; i < 10; i++) {
        size_t classes = i < 5 ? 5 : 2;
        const char *const *labels = classes == 5 ? five : two;
        if (classes == 2 && i == 9)
            continue; // weights of classes that two do not have
        struct dense data = random_dense(50 + i, 300, 10, classes, 0.8, false);
        tlu_learner *whole = learner_of(settings[i % 5]), *part = learner_of(settings[i % 5]);
        learn_rows(whole, &data, 0, 300, odd, labels);
        for (size_t from = 0; from < 300; from += 100) {
            learn_rows(part, &data, from, from + 100, odd, labels);
            tlu_model *model = through_a_file(model_of(part));
            tlu_learner_free(part);
            part = resume(model);
            tlu_model_free(model);
        }
        tlu_model *a = model_of(whole), *b = model_of(part);
        assert_same_model(a, b);
        tlu_model_free(a);
        tlu_model_free(b);
        tlu_learner_free(whole);
        tlu_learner_free(part);
        dense_free(&data);
    }
}

// From a file's model, CSV or LIBSVM, on with a stream: as the plain loops over both.
static void goes_on_after_a_file(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        size_t classes = i & 1 ? 5 : 2;
        const char *const *labels = classes == 5 ? five : two;
        bool average = i & 4;
        struct dense data = random_dense(70, 200, 10, classes, 0.5, false), half = data;
        half.rows = 100;
        (i & 2 ? write_csv : write_libsvm)("half", &half, labels);
        tlu_model *model =
            train("half", average ? "shuffle=none epochs=1" : "shuffle=none epochs=1 decide=last");
        model = through_a_file(model);
        tlu_learner *learner = resume(model);
        tlu_model_free(model);
        learn_rows(learner, &data, 100, 200, names, labels);
        model = model_of(learner);
        struct reference r = {.positive = 1, .place = classes == 5 ? places : NULL};
        reference_learn(&r, &data, 1);
        assert_mistakes(model, &r);
        assert_weights(model, &r, average, labels, 1e-9);
        assert_int_equal(tlu_model_report(model)->examples, 200);
        tlu_model_free(model);
        tlu_learner_free(learner);
        reference_free(&r);
        dense_free(&data);
    }
}

// The whole state of training goes into a model and out of it again.
static void a_model_is_all_that_is_needed(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 5; classes += 3) {
        struct dense data = random_dense(80, 200, 10, classes, 0.5, false);
        write_libsvm("state.svm", &data, classes == 5 ? five : two);
        tlu_model *before = through_a_file(train("state.svm", "epochs=3"));
        tlu_learner *learner = resume(before);
        tlu_model *after = model_of(learner);
        const struct weights *a = &before->state.weights, *b = &after->state.weights;
        assert_memory_equal(&before->state.random, &after->state.random,
                            sizeof before->state.random);
        assert_int_equal(a->features, 10);
        assert_int_equal(b->features, 10);
        size_t bytes = 10 * a->columns * sizeof(double);
        assert_memory_equal(a->w, b->w, bytes);
        assert_memory_equal(a->u, b->u, bytes);
        assert_memory_equal(a->bias, b->bias, a->columns * sizeof(double));
        assert_memory_equal(a->u_bias, b->u_bias, a->columns * sizeof(double));
        assert_exactly(a->steps, b->steps);
        tlu_model_free(before);
        tlu_model_free(after);
        tlu_learner_free(learner);
        dense_free(&data);
    }
}

static void new_classes_and_features_join_after_a_file(void **state)
{
    (void)state;
    write_text("old.svm", "b 1:1\na 1:-1\nb 1:1\n");
    tlu_model *model = train("old.svm", "decide=last");
    assert_int_equal(tlu_model_class_count(model), 2);
    assert_exactly(weight_of(model, "b", "1"), 2); // two mistakes: the second at score 1 - 1
    assert_exactly(bias_of(model, "b"), 0);
    tlu_learner *learner = resume(model);
    tlu_model_free(model);
    static const char *const new_names[] = {"1", "fresh", "77", "99999999999"};
    assert_true(learn(learner, (double[]){1, 2, 3, 4}, 4, new_names, "A", 1));
    model = model_of(learner);
    assert_int_equal(tlu_model_class_count(model), 3);
    assert_exactly(weight_of(model, "A", "fresh"), 2);
    assert_exactly(weight_of(model, "A", "77"), 3);
    assert_exactly(weight_of(model, "A", "99999999999"), 4);
    // The plane of two classes became two opposite ones; then b won, which takes a step back.
    assert_exactly(weight_of(model, "A", "1"), 1);
    assert_exactly(weight_of(model, "b", "1"), 2 - 1);
    assert_exactly(weight_of(model, "a", "1"), -2);
    assert_exactly(weight_of(model, "b", "fresh"), -2);
    assert_exactly(weight_of(model, "a", "fresh"), 0);
    assert_exactly(bias_of(model, "A"), 1);
    assert_exactly(bias_of(model, "b"), -1);
    assert_exactly(bias_of(model, "a"), 0);
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// A stream's features that are called like indices are found by rows of LIBSVM data.
static void a_stream_s_model_reads_libsvm(void **state)
{
    (void)state;
    struct dense data = random_dense(90, 200, 10, 2, 0.6, false);
    write_libsvm("stream.svm", &data, two);
    tlu_learner *learner = learner_of("");
    learn_rows(learner, &data, 0, 200, names, two);
    for (int loaded = 0; loaded < 2; loaded++) {
        tlu_model *model = model_of(learner);
        if (loaded)
            model = through_a_file(model);
        tlu_evaluation *evaluation;
        assert_int_equal(tlu_evaluate(model, "stream.svm", NULL, &evaluation, NULL), TLU_OK);
        size_t right = 0;
        for (size_t i = 0; i < 200; i++) {
            double score = bias_of(model, "+1");
            for (size_t j = 0; j < 10; j++)
                score += weight_of(model, "+1", names[j]) * data.x[i * 10 + j];
            right += (score >= 0) == (data.class[i] == 1);
        }
        assert_int_equal(evaluation->correct, right);
        assert_true(right > 120);
        double score;
        const char *label;
        assert_int_equal(tlu_model_predict_line(model, "3:2 10:1", &label, &score, NULL), TLU_OK);
        assert_same_number(score,
                           bias_of(model, "+1") + 2 * weight_of(model, "+1", "3") +
                               weight_of(model, "+1", "10"),
                           1e-12, "the score");
        tlu_evaluation_free(evaluation);
        tlu_model_free(model);
    }
    tlu_learner_free(learner);
    dense_free(&data);
}

// What was subtracted from the values becomes part of the bias: every score stays what it was.
static void a_standardized_model_goes_on(void **state)
{
    (void)state;
    static const char *const settings[] = {"scale=standard", "learner=alma scale=auto",
                                           "learner=arow scale=standard decide=last"};
    struct dense data = random_dense(78, 60, 4, 2, 1, false);
    for (size_t i = 0; i < data.rows * 4; i++)
        data.x[i] = 5 + 3 * data.x[i];
    static const char *const labels[] = {"a", "b"};
    write_libsvm("shifted.svm", &data, labels);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_model *model = train("shifted.svm", settings[i]), *after;
        assert_true(tlu_model_is_scaled(model));
        tlu_learner *learner;
        tlu_error error;
        assert_int_equal(tlu_learner_resume(model, &learner, &error), TLU_OK);
        assert_int_equal(tlu_learner_make_model(learner, &after, &error), TLU_OK);
        const char *label;
        double x, y;
        for (int k = -3; k < 9; k++) {
            char line[64];
            snprintf(line, sizeof line, "1:%d 2:%d 4:%d", k + 7, 2 * k + 5, 9 - k);
            assert_int_equal(tlu_model_predict_line(model, line, &label, &x, NULL), TLU_OK);
            assert_int_equal(tlu_model_predict_line(after, line, &label, &y, NULL), TLU_OK);
            assert_same_number(y, x, 1e-5, settings[i]); // the deviations are rounded to floats
        }
        tlu_model_free(after);
        tlu_learner_free(learner);
        tlu_model_free(model);
    }
    dense_free(&data);
}

// Class weights from the counts of a file are no weights for what is still to come.
static void a_balanced_model_cannot_go_on(void **state)
{
    (void)state;
    write_text("balanced.svm", "b 1:1\na 1:-1\nb 1:2\n");
    tlu_model *model = train("balanced.svm", "class-weight=balanced");
    tlu_learner *learner;
    tlu_error error;
    assert_int_equal(tlu_learner_resume(model, &learner, &error), TLU_ERROR_INPUT);
    assert_null(learner);
    assert_non_null(strstr(error.text, "balanced"));
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_one_pass_over_the_file),
        cmocka_unit_test(classes_are_added_as_they_turn_up),
        cmocka_unit_test(many_classes_are_few_copies),
        cmocka_unit_test(room_for_more_classes_changes_nothing),
        cmocka_unit_test(a_stream_that_shrinks_is_a_pass_over_the_file),
        cmocka_unit_test(importance_is_the_length_of_the_step),
        cmocka_unit_test(positive_is_known_before_the_second_class),
        cmocka_unit_test(predicts_with_what_it_has),
        cmocka_unit_test(equals_go_to_the_first_label),
        cmocka_unit_test(refuses_what_is_wrong_and_stays_as_it_was),
        cmocka_unit_test(refuses_steps_that_are_too_long),
        cmocka_unit_test(positive_refuses_a_third_class),
        cmocka_unit_test(options_about_files_are_refused),
        cmocka_unit_test(going_on_is_the_same_as_never_having_stopped),
        cmocka_unit_test(goes_on_after_a_file),
        cmocka_unit_test(a_model_is_all_that_is_needed),
        cmocka_unit_test(new_classes_and_features_join_after_a_file),
        cmocka_unit_test(a_stream_s_model_reads_libsvm),
        cmocka_unit_test(a_standardized_model_goes_on),
        cmocka_unit_test(a_balanced_model_cannot_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
