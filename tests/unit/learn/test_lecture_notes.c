// Every worked example of the lecture notes that the perceptron can show. A test is named for the
// notes (author and number of the file) and the section.
#include "base/random.h"
#include "learn/learner.h"
#include "perceptron_reference.h"
#include "prefetching.h"
#include "vector/vector.h"

#define IN_ORDER "shuffle=none decide=last"

// ---- A learner, step by step
// ---------------------------------------------------------------------

// Learns from x[count], whose features are called "0", "1"...; tells whether it was a mistake.
static bool learn(tlu_learner *learner, const double *x, size_t count, const char *label)
{
    static const char *const names[] = {"0", "1", "2", "3"};
    tlu_feature features[4];
    for (size_t i = 0; i < count; i++)
        features[i] = (tlu_feature){names[i], x[i]};
    int mistake;
    tlu_error error;
    if (tlu_learner_learn(learner, features, count, label, 1, &mistake, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return mistake;
}

// The current weight (not the average) of a feature for a column.
static double current(const tlu_learner *learner, const char *feature, size_t column)
{
    uint32_t f = schema_find(&learner->state.schema, feature, strlen(feature));
    assert_true(f != SCHEMA_NONE);
    return learner->state.weights.w[f * learner->state.weights.columns + column];
}

// ---- 001, Palagi
// ---------------------------------------------------------------------------------

static const double corners[4][2] = {{-1, 1}, {1, -1}, {1, 1}, {-1, -1}};

// The notes write b^4 = 1 at the last row; the weights there are the third, so it is b^3.
static void palagi_001_logical_or(void **state)
{
    (void)state;
    write_text("or.svm", "+1 1:-1 2:1\n+1 1:1 2:-1\n+1 1:1 2:1\n-1 1:-1 2:-1\n");
    tlu_model *model = train("or.svm", IN_ORDER " epochs=1");
    assert_exactly(weight_of(model, "+1", "1"), 1);
    assert_exactly(weight_of(model, "+1", "2"), 1);
    assert_exactly(bias_of(model, "+1"), 1);
    assert_int_equal(tlu_model_report(model)->mistakes[0], 3);
    tlu_model_free(model);

    static const double w[4][3] = {{-1, 1, 1}, {0, 0, 2}, {0, 0, 2}, {1, 1, 1}}; // w1, w2, b
    tlu_learner *learner = learner_of("decide=last positive=1");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(learn(learner, corners[i], 2, i < 3 ? "1" : "-1"), i != 2);
        assert_exactly(current(learner, "0", 0), w[i][0]);
        assert_exactly(current(learner, "1", 0), w[i][1]);
        assert_exactly(learner->state.weights.bias[0], w[i][2]);
    }
    tlu_learner_free(learner);
}

// The notes show a picture only. By hand, with rows in the order of OR:
//     (-1, 1) -1: score 0, mistake, w = (1, -1), b = -1
//     (1, -1) -1: score 1 + 1 - 1 = 1, mistake, w = (0, 0), b = -2
//     (1, 1) +1: score -2, mistake, w = (1, 1), b = -1
//     (-1, -1) -1: score -1 - 1 - 1 = -3, right
// and a second pass has scores -1, -1, 1, -3: all right.
static void palagi_001_logical_and(void **state)
{
    (void)state;
    write_text("and.svm", "-1 1:-1 2:1\n-1 1:1 2:-1\n+1 1:1 2:1\n-1 1:-1 2:-1\n");
    tlu_model *model = train("and.svm", IN_ORDER);
    const tlu_report *report = tlu_model_report(model);
    assert_exactly(weight_of(model, "+1", "1"), 1);
    assert_exactly(weight_of(model, "+1", "2"), 1);
    assert_exactly(bias_of(model, "+1"), -1);
    assert_int_equal(report->epochs, 2);
    assert_int_equal(report->mistakes[0], 3);
    assert_int_equal(report->mistakes[1], 0);
    assert_string_equal(report->stopped, "converged");
    tlu_model_free(model);

    static const double w[4][3] = {{1, -1, -1}, {0, 0, -2}, {1, 1, -1}, {1, 1, -1}};
    tlu_learner *learner = learner_of("decide=last positive=1");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(learn(learner, corners[i], 2, i == 2 ? "1" : "-1"), i < 3);
        assert_exactly(current(learner, "0", 0), w[i][0]);
        assert_exactly(current(learner, "1", 0), w[i][1]);
        assert_exactly(learner->state.weights.bias[0], w[i][2]);
    }
    tlu_learner_free(learner);
}

// "While #cc < l": as printed, the loop adds up correct answers over the passes, unless it is reset
// after every pass that has fewer than l of them. With that it is our rule: a pass without a
// mistake is the last.
static void palagi_001_stops_after_a_pass_without_a_mistake(void **state)
{
    (void)state;
    write_text("or.svm", "+1 1:-1 2:1\n+1 1:1 2:-1\n+1 1:1 2:1\n-1 1:-1 2:-1\n");
    double w[3] = {0};
    size_t passes = 0;
    for (size_t right = 0; right < 4; passes++) {
        right = 0;
        for (size_t i = 0; i < 4; i++) {
            double y = i < 3 ? 1 : -1;
            if (y * (w[0] * corners[i][0] + w[1] * corners[i][1] + w[2]) <= 0) {
                w[0] += y * corners[i][0];
                w[1] += y * corners[i][1];
                w[2] += y;
            } else {
                right++;
            }
        }
    }
    tlu_model *model = train("or.svm", IN_ORDER);
    assert_int_equal(tlu_model_report(model)->epochs, passes);
    assert_true(tlu_model_report(model)->converged);
    assert_exactly(weight_of(model, "1", "1"), w[0]);
    assert_exactly(weight_of(model, "1", "2"), w[1]);
    assert_exactly(bias_of(model, "1"), w[2]);
    tlu_model_free(model);
}

// ---- 003, Honavar
// --------------------------------------------------------------------------------

static const struct {
    double x[3];
    const char *label;
    bool update;
    double w[3]; // after the row
} seven[] = {
    {{1, 1, 1}, "1", true, {1, 1, 1}},    {{1, 1, -1}, "1", false, {1, 1, 1}},
    {{1, 0, -1}, "1", true, {2, 1, 0}},   {{1, -1, -1}, "-1", true, {1, 2, 1}},
    {{1, -1, 1}, "-1", false, {1, 2, 1}}, {{1, 0, 1}, "-1", true, {0, 2, 0}},
    {{1, 1, 1}, "1", false, {0, 2, 0}},
};

// eta = 1/2 times the error term 2 is our rate 1; sign(0) is -1; x0 = 1 is part of the data.
static void honavar_003_seven_row_table(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("tie=negative no-bias=yes decide=last positive=1");
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(learn(learner, seven[i].x, 3, seven[i].label), seven[i].update);
        assert_exactly(current(learner, "0", 0), seven[i].w[0]);
        assert_exactly(current(learner, "1", 0), seven[i].w[1]);
        assert_exactly(current(learner, "2", 0), seven[i].w[2]);
    }
    tlu_learner_free(learner);
}

// The same from files with the first rows of the table; from the fourth on there are two classes.
static void honavar_003_seven_row_table_from_files(void **state)
{
    (void)state;
    for (size_t rows = 4; rows <= 7; rows++) {
        FILE *file = fopen("seven.svm", "w");
        assert_non_null(file);
        for (size_t i = 0; i < rows; i++)
            fprintf(file, "%s 0:%g 1:%g 2:%g\n", seven[i].label, seven[i].x[0], seven[i].x[1],
                    seven[i].x[2]);
        fclose(file);
        for (size_t given = 0; given < 2; given++) {
            tlu_model *model =
                train("seven.svm", given ? IN_ORDER " epochs=1 tie=negative no-bias=yes positive=1"
                                         : IN_ORDER " epochs=1 tie=negative no-bias=yes");
            assert_exactly(weight_of(model, "1", "0"), seven[rows - 1].w[0]);
            assert_exactly(weight_of(model, "1", "1"), seven[rows - 1].w[1]);
            assert_exactly(weight_of(model, "1", "2"), seven[rows - 1].w[2]);
            assert_exactly(bias_of(model, "1"), 0);
            tlu_model_free(model);
        }
    }
}

static void honavar_003_threshold_neuron_computes_and(void **state)
{
    (void)state;
    static const double w[3] = {-1.5, 1, 1}, line[3] = {-1, 1, 1};
    static const uint32_t indices[3] = {0, 1, 2};
    static const double h[4] = {-1.5, -0.5, -0.5, 0.5};
    const struct vector_routines *routines;
    for (size_t k = 0; (routines = vector_routines_at(k)); k++) {
        for (int i = 0; i < 4; i++) {
            float x[3] = {1, (float)(i >> 1), (float)(i & 1)};
            assert_exactly(routines->dot(w, indices, x, 3), h[i]);
        }
        // "Which side of the hyperplane does the point (2,1) lie?"
        assert_exactly(routines->dot(line, indices, (float[3]){1, 2, 1}, 3), 2);
    }
}

// "Of the 16 2-input Boolean functions, 14 are Boolean threshold functions": two of these are
// constant and have no second class to learn.
static void honavar_003_fourteen_of_sixteen_functions(void **state)
{
    (void)state;
    int learned = 0;
    for (int f = 1; f < 15; f++) {
        FILE *file = fopen("function.svm", "w");
        assert_non_null(file);
        for (int i = 0; i < 4; i++)
            fprintf(file, "%d 1:%d 2:%d\n", f >> i & 1 ? 1 : -1, i >> 1, i & 1);
        fclose(file);
        tlu_model *model = train("function.svm", IN_ORDER " epochs=100");
        bool exclusive = f == 6 || f == 9; // xor and its opposite
        assert_int_equal(tlu_model_report(model)->converged, !exclusive);
        learned += tlu_model_report(model)->converged;
        tlu_model_free(model);
    }
    assert_int_equal(learned + 2, 14);
}

static void honavar_003_winner_take_all_table(void **state)
{
    (void)state;
    static const double w[9] = {1, 1, 2, -1, 1, 0, -1, 1, 0}; // [features][classes]
    static const uint32_t indices[3] = {0, 1, 2};
    static const struct {
        float x[3];
        double scores[3];
        uint32_t winner;
    } rows[4] = {{{1, -1, -1}, {3, -1, 2}, 0},
                 {{1, -1, 1}, {1, 1, 2}, 2},
                 {{1, 1, -1}, {1, 1, 2}, 2},
                 {{1, 1, 1}, {-1, 3, 2}, 1}};
    const struct vector_routines *routines;
    for (size_t k = 0; (routines = vector_routines_at(k)); k++)
        for (size_t i = 0; i < 4; i++) {
            double scores[3] = {0};
            routines->scores(w, 3, indices, rows[i].x, 3, scores);
            for (size_t c = 0; c < 3; c++)
                assert_exactly(scores[c], rows[i].scores[c]);
            assert_int_equal(
                scheme_elect(&(struct election){.kind = SCHEME_WTA, .classes = 3}, scores, NULL),
                rows[i].winner);
        }
}

static void assert_vectors(const tlu_learner *learner, const double expected[3][2])
{
    for (size_t c = 0; c < 3; c++) {
        assert_exactly(current(learner, "0", c), expected[c][0]);
        assert_exactly(current(learner, "1", c), expected[c][1]);
    }
}

// The three cases of "Training WTA Classifiers", with the classes a, b, c in play from the start.
static void honavar_003_training_wta_classifiers(void **state)
{
    (void)state;
    static const struct {
        double x[2];
        const char *label;
        bool mistake;
        double w[3][2]; // of a, b, c after the row
    } rows[] = {
        {{1, 0}, "a", true, {{1, 0}, {0, 0}, {0, 0}}},   // all tie: only W_a steps
        {{1, 0}, "b", true, {{0, 0}, {1, 0}, {0, 0}}},   // a won: W_b steps there, W_a back
        {{2, 0}, "b", false, {{0, 0}, {1, 0}, {0, 0}}},  // b won: unchanged
        {{-1, 1}, "b", true, {{0, 0}, {0, 1}, {0, 0}}},  // a and c tie above b: only W_b steps
        {{0, 2}, "c", true, {{0, 0}, {0, -1}, {0, 2}}},  // b won alone
        {{3, 0}, "a", true, {{3, 0}, {0, -1}, {0, 2}}},  // a is as good as the others: a tie
        {{1, 1}, "c", true, {{2, -1}, {0, -1}, {1, 3}}}, // scores 3, -1, 2: a won
        {{0, 1}, "c", false, {{2, -1}, {0, -1}, {1, 3}}},
    };
    tlu_learner *learner = learner_of("no-bias=yes decide=last tie-update=label");
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal(schema_class_add(&learner->state.schema, &"abc"[c], 1), c);
    assert_int_equal(learner_add_classes(learner, 3, NULL), TLU_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(learn(learner, rows[i].x, 2, rows[i].label), rows[i].mistake);
        assert_vectors(learner, rows[i].w);
    }
    tlu_learner_free(learner);
}

// ---- Convergence: 000 (Elkan), 001, 003, 004
// -------------------------------------------------------

static tlu_recipe margin_recipe(uint64_t seed)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("margin", &recipe, NULL), TLU_OK);
    recipe.seed = seed;
    return recipe;
}

// At most (R / margin)^2 updates, whatever the order. (The Cohen notes call R what is R^2 here.)
static void elkan_000_mistake_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        tlu_recipe recipe = margin_recipe(seed);
        recipe.margin = seed % 2 ? 0.1 : 0.03;
        recipe.radius = seed % 3 ? 1 : 2;
        generate_file("margin.svm", &recipe);
        double ratio = recipe.radius / recipe.margin;
        for (size_t i = 0; i < 3; i++) {
            static const char *const orders[] = {"no-bias=yes epochs=100000 shuffle=none",
                                                 "no-bias=yes epochs=100000 shuffle=later",
                                                 "no-bias=yes epochs=100000 shuffle=all"};
            tlu_model *model = train("margin.svm", orders[i]);
            const tlu_report *report = tlu_model_report(model);
            assert_true(report->converged);
            assert_string_equal(report->stopped, "converged");
            assert_true(report->updates > 0 && (double)report->updates <= ratio * ratio);
            tlu_model_free(model);
        }
    }
}

// "The bound on the number of weight updates does not depend on the learning rate": nor do the
// updates themselves, which scale the weights and nothing else.
static void honavar_003_rate_scales_the_weights(void **state)
{
    (void)state;
    tlu_recipe recipe = margin_recipe(7);
    recipe.margin = 0.02;
    generate_file("margin.svm", &recipe);
    tlu_model *one = train("margin.svm", "rate=1 shuffle=none");
    static const struct {
        const char *settings;
        double rate, precision; // powers of two scale exactly
    } rates[] = {{"rate=0.5 shuffle=none", 0.5, 0},
                 {"rate=8 shuffle=none", 8, 0},
                 {"rate=0.3 shuffle=none", 0.3, 1e-9}};
    for (size_t i = 0; i < 3; i++) {
        tlu_model *model = train("margin.svm", rates[i].settings);
        const tlu_report *a = tlu_model_report(one), *b = tlu_model_report(model);
        assert_int_equal(a->epochs, b->epochs);
        for (size_t e = 0; e < a->epochs; e++)
            assert_int_equal(a->mistakes[e], b->mistakes[e]);
        assert_int_equal(tlu_model_feature_count(one), 10);
        for (size_t f = 0; f < 10; f++)
            assert_same_number(tlu_model_weight(model, 1, f),
                               rates[i].rate * tlu_model_weight(one, 1, f), rates[i].precision,
                               "the weight");
        tlu_model_free(model);
    }
    tlu_model_free(one);
}

// The exercise: rates that fluctuate between two bounds do no harm.
static void honavar_003_exercise_fluctuating_rate(void **state)
{
    (void)state;
    tlu_recipe recipe = margin_recipe(8);
    recipe.rows = 200;
    recipe.features = 3;
    generate_file("margin.svm", &recipe);
    struct dense data;
    assert_true(dense_read(&data, "margin.svm", 3));
    struct random random;
    random_seed(&random, 8);
    tlu_learner *learner = learner_of("no-bias=yes");
    size_t mistakes = 1;
    for (size_t pass = 0; pass < 1000 && mistakes; pass++) {
        mistakes = 0;
        for (size_t i = 0; i < data.rows; i++) {
            const double *x = data.x + i * 3;
            tlu_feature features[3] = {{"a", x[0]}, {"b", x[1]}, {"c", x[2]}};
            int mistake;
            assert_int_equal(tlu_learner_learn(learner, features, 3, data.class[i] ? "1" : "-1",
                                               0.1 + 9.9 * random_unit(&random), &mistake, NULL),
                             TLU_OK);
            mistakes += (size_t)mistake;
        }
    }
    assert_int_equal(mistakes, 0);
    tlu_learner_free(learner);
    dense_free(&data);
}

// The voted perceptron's survival times c_n add up to m T, and the sum of c_n w_n over it is our
// average: as in the outline, the example that w_n was made at counts for w_n.
static void elkan_000_survival_times(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("moons", &recipe, NULL), TLU_OK);
    recipe.noise = 0.5;
    generate_file("moons.svm", &recipe);
    struct dense data;
    assert_true(dense_read(&data, "moons.svm", 2));
    double w[3] = {0}, weighted[3] = {0}, c = 0, times = 0;
    for (size_t step = 0; step < 3 * data.rows; step++) {
        const double *x = data.x + step % data.rows * 2;
        double y = data.class[step % data.rows] ? 1 : -1;
        if (y * (w[0] * x[0] + w[1] * x[1] + w[2]) > 0) {
            c++;
            continue;
        }
        times += c;
        for (size_t i = 0; i < 3; i++) {
            weighted[i] += c * w[i];
            w[i] += y * (i < 2 ? x[i] : 1);
        }
        c = 1;
    }
    times += c;
    assert_exactly(times, (double)(3 * data.rows));
    tlu_model *model = train("moons.svm", "epochs=3 shuffle=none");
    assert_same_number(weight_of(model, "1", "1"), (weighted[0] + c * w[0]) / times, 1e-9, "w1");
    assert_same_number(weight_of(model, "1", "2"), (weighted[1] + c * w[1]) / times, 1e-9, "w2");
    assert_same_number(bias_of(model, "1"), (weighted[2] + c * w[2]) / times, 1e-9, "b");
    tlu_model_free(model);
    dense_free(&data);
}

// ---- 004, Cohen
// ----------------------------------------------------------------------------------

// The notes encode the second day, a sunny one, as <1, 0, 0, 87>, which is rainy; it is <0, 1, 0,
// 87>. By hand, in file order, "No" being y = -1:
//     Rainy 85 No: score 0, mistake: rainy -1, temp -85, bias -1
//     Sunny 87 No: score -85 * 87 - 1, right
//     Cloudy 75 Yes: score -85 * 75 - 1, mistake: cloudy +1, temp -10, bias 0
static void cohen_004_day_table(void **state)
{
    (void)state;
    write_text("days.csv", "Outlook,Temp,PlayTennis\nRainy,85,No\nSunny,87,No\nCloudy,75,Yes\n");
    tlu_model *model = train("days.csv", IN_ORDER " epochs=1");
    assert_int_equal(tlu_model_feature_count(model), 4);
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = {"Outlook=Rainy", "Outlook=Sunny", "Outlook=Cloudy",
                                            "Temp"};
        static const double weights[] = {-1, 0, 1, -10};
        assert_true(tlu_model_feature_find(model, names[i]) != TLU_NONE);
        assert_exactly(weight_of(model, "Yes", names[i]), weights[i]);
        assert_exactly(weight_of(model, "No", names[i]), -weights[i]);
    }
    assert_exactly(bias_of(model, "Yes"), 0);
    assert_string_equal(tlu_model_class_label(model, tlu_model_positive_class(model)), "Yes");
    tlu_model_free(model);
}

// Mistakes at examples 1, 4, 8 and 10, as in the table of section 3.5: features that no example
// before has had are scored 0. The outline of 3.6 adds v after the update, so the guesses made at
// 1, 4, 8 and 10 are in 10, 7, 3 and 1 of the ten sums. (The table counts the guess before.)
static void cohen_004_table_of_ten_rounds(void **state)
{
    (void)state;
    write_text("ten.svm", "+1 1:1\n+1 1:1\n+1 1:1\n-1 2:1\n+1 1:1\n-1 2:1\n+1 1:1\n+1 3:1\n"
                          "+1 1:1\n-1 4:1\n");
    tlu_model *model = train("ten.svm", "epochs=1 no-bias=yes");
    assert_int_equal(tlu_model_report(model)->mistakes[0], 4);
    assert_same_number(weight_of(model, "+1", "1"), 1, 1e-15, "v1");
    assert_same_number(weight_of(model, "+1", "2"), -0.7, 1e-15, "v2");
    assert_same_number(weight_of(model, "+1", "3"), 0.3, 1e-15, "v3");
    assert_same_number(weight_of(model, "+1", "4"), -0.1, 1e-14, "v4");
    tlu_model_free(model);
}

// The outline of section 3.6 over real data. It tests "(x . v) y < 0", which from v = 0 is never
// true and never learns anything; "<= 0" is what works and what is compared.
static void cohen_004_averaged_outline(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("line", &recipe, NULL), TLU_OK);
    recipe.noise = 0.1;
    generate_file("line.svm", &recipe);
    struct dense data;
    assert_true(dense_read(&data, "line.svm", 2));
    for (int strict = 0; strict < 2; strict++) {
        double v[3] = {0}, w[3] = {0};
        for (size_t step = 0; step < 5 * data.rows; step++) {
            const double *point = data.x + step % data.rows * 2;
            double x[3] = {point[0], point[1], 1}, y = data.class[step % data.rows] ? 1 : -1;
            double score = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) * y;
            for (size_t i = 0; i < 3; i++) {
                if (strict ? score < 0 : score <= 0)
                    v[i] += y * x[i];
                w[i] += v[i];
            }
        }
        if (strict) {
            assert_true(w[0] == 0 && w[1] == 0 && w[2] == 0);
            continue;
        }
        tlu_model *model = train("line.svm", "epochs=5 shuffle=none");
        double steps = 5 * (double)data.rows;
        assert_same_number(weight_of(model, "+1", "1"), w[0] / steps, 1e-9, "w1");
        assert_same_number(weight_of(model, "+1", "2"), w[1] / steps, 1e-9, "w2");
        assert_same_number(bias_of(model, "+1"), w[2] / steps, 1e-9, "b");
        tlu_model_free(model);
    }
    dense_free(&data);
}

// ---- 002, Kun
// ------------------------------------------------------------------------------------

// XOR and three points on a line: "the perceptron loops infinitely", and its weights stay small.
// (Elkan, 000, calls u = v the exclusive or; that is its opposite, and no easier.)
static void kun_002_the_problem_with_lines(void **state)
{
    (void)state;
    static const char *const sets[] = {"+1 1:0 2:0\n+1 1:1 2:1\n-1 1:1 2:0\n-1 1:0 2:1\n",
                                       "-1 1:0 2:0\n-1 1:1 2:1\n+1 1:1 2:0\n+1 1:0 2:1\n",
                                       "-1 1:-1\n+1 1:0\n-1 1:1\n"};
    for (size_t i = 0; i < 3; i++) {
        write_text("lines.svm", sets[i]);
        for (size_t random_order = 0; random_order < 2; random_order++) {
            tlu_model *model = train("lines.svm", random_order ? "epochs=500 decide=last"
                                                               : IN_ORDER " epochs=500");
            const tlu_report *report = tlu_model_report(model);
            // In file order the same weights come back, which is noticed.
            assert_string_equal(report->stopped, random_order ? "epochs" : "cycle");
            assert_int_equal(random_order ? report->epochs : 500, 500);
            assert_false(report->converged);
            for (size_t e = 0; e < report->epochs; e++)
                assert_true(report->mistakes[e] > 0);
            assert_true(fabs(weight_of(model, "+1", "1")) <= 4);
            tlu_model_free(model);
        }
    }
}

// 25 points on the two sides of y = 1 - x: the pseudocode, word by word, finds the same line.
static void kun_002_twenty_five_points(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("line", &recipe, NULL), TLU_OK);
    double right = 0;
    for (recipe.seed = 1; recipe.seed <= 20; recipe.seed++) {
        recipe.rows = 25;
        generate_file("points.svm", &recipe);
        struct dense data;
        assert_true(dense_read(&data, "points.svm", 2));
        double hyperplane[2] = {0}, bias = 0;
        size_t passes = 0;
        for (bool misclassified = true; misclassified; passes++) {
            misclassified = false;
            for (size_t i = 0; i < 25; i++) {
                const double *point = data.x + 2 * i;
                double label = data.class[i] ? 1 : -1;
                if (label * (hyperplane[0] * point[0] + hyperplane[1] * point[1] + bias) <= 0) {
                    hyperplane[0] += label * point[0];
                    hyperplane[1] += label * point[1];
                    bias += label;
                    misclassified = true;
                }
            }
        }
        tlu_model *model = train("points.svm", IN_ORDER " epochs=1000000");
        assert_true(tlu_model_report(model)->converged);
        assert_int_equal(tlu_model_report(model)->epochs, passes);
        assert_exactly(weight_of(model, "+1", "1"), hyperplane[0]);
        assert_exactly(weight_of(model, "+1", "2"), hyperplane[1]);
        assert_exactly(bias_of(model, "+1"), bias);

        recipe.rows = 1000; // "we test its generalization on a new set of 1000 generated points"
        recipe.seed += 1000;
        generate_file("new.svm", &recipe);
        recipe.seed -= 1000;
        tlu_evaluation *evaluation;
        assert_int_equal(tlu_evaluate(model, "new.svm", NULL, &evaluation, NULL), TLU_OK);
        assert_int_equal(evaluation->examples, 1000);
        right += evaluation->accuracy / 20;
        tlu_evaluation_free(evaluation);
        tlu_model_free(model);
        dense_free(&data);
    }
    assert_true(right > 0.9); // "about 92 percent"
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palagi_001_logical_or),
        cmocka_unit_test(palagi_001_logical_and),
        cmocka_unit_test(palagi_001_stops_after_a_pass_without_a_mistake),
        cmocka_unit_test(honavar_003_seven_row_table),
        cmocka_unit_test(honavar_003_seven_row_table_from_files),
        cmocka_unit_test(honavar_003_threshold_neuron_computes_and),
        cmocka_unit_test(honavar_003_fourteen_of_sixteen_functions),
        cmocka_unit_test(honavar_003_winner_take_all_table),
        cmocka_unit_test(honavar_003_training_wta_classifiers),
        cmocka_unit_test(elkan_000_mistake_bound),
        cmocka_unit_test(honavar_003_rate_scales_the_weights),
        cmocka_unit_test(honavar_003_exercise_fluctuating_rate),
        cmocka_unit_test(elkan_000_survival_times),
        cmocka_unit_test(cohen_004_day_table),
        cmocka_unit_test(cohen_004_table_of_ten_rounds),
        cmocka_unit_test(cohen_004_averaged_outline),
        cmocka_unit_test(kun_002_the_problem_with_lines),
        cmocka_unit_test(kun_002_twenty_five_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
