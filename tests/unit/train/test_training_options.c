// What the options of training mean: which class is positive, holding rows out, scaling, and the
// remarks for the user.
#include "learning.h"
#include "predicting.h"

static const char *const two[] = {"-1", "+1"};

// ---- Labels
// --------------------------------------------------------------------------------------

// Rows of both classes on their sides of 0; `first` is the class of the first row.
static void write_pair(const char *const *pair, size_t first)
{
    FILE *file = fopen("pair.svm", "w");
    assert_non_null(file);
    for (size_t i = 0; i < 6; i++) {
        size_t class = (first + i) % 2;
        fprintf(file, "%s 1:%s%zu\n", pair[class], class ? "" : "-", i / 2 + 1);
    }
    fclose(file);
}

static void the_labels_alone_say_which_class_is_positive(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"-1", "+1"},    {"0", "1"},    {"1", "2"},   {"2", "10"},    {"-10", "-2"},
        {"ham", "spam"}, {"no", "yes"}, {"9", "ham"}, {"0.5", "1e1"}, {"A", "a"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (size_t first = 0; first < 2; first++) {
            write_pair(pairs[i], first);
            tlu_model *model = train("pair.svm", "");
            assert_int_equal(tlu_model_class_count(model), 2);
            assert_string_equal(tlu_model_class_label(model, 0), pairs[i][0]);
            assert_string_equal(tlu_model_class_label(model, 1), pairs[i][1]);
            assert_int_equal(tlu_model_positive_class(model), 1);
            assert_int_equal(tlu_model_class_examples(model, 0), 3);
            const char *label;
            double score;
            assert_int_equal(tlu_model_predict_line(model, "1:5", &label, &score, NULL), TLU_OK);
            assert_string_equal(label, pairs[i][1]);
            assert_true(score > 0);
            assert_int_equal(tlu_model_predict_line(model, "1:-5", &label, &score, NULL), TLU_OK);
            assert_string_equal(label, pairs[i][0]);
            assert_true(score < 0);
            tlu_model_free(model);
        }
}

static void positive_can_be_chosen(void **state)
{
    (void)state;
    for (size_t first = 0; first < 2; first++) {
        write_pair((const char *const[]){"ham", "spam"}, first);
        tlu_model *spam = train("pair.svm", ""), *ham = train("pair.svm", "positive=ham");
        assert_string_equal(tlu_model_class_label(ham, tlu_model_positive_class(ham)), "ham");
        const char *label;
        double a, b;
        assert_int_equal(tlu_model_predict_line(spam, "1:5", &label, &a, NULL), TLU_OK);
        assert_int_equal(tlu_model_predict_line(ham, "1:5", &label, &b, NULL), TLU_OK);
        assert_string_equal(label, "spam");
        assert_exactly(b, -a);
        tlu_model_free(spam);
        tlu_model_free(ham);
    }
    assert_refused("pair.svm", "positive=eggs", "eggs");
    assert_refused("pair.svm", "class-weight=eggs=2", "eggs");
    assert_refused("pair.svm", "class-weight=ham=0", "ham=0");
    assert_refused("pair.svm", "class-weight=ham", "ham");
    write_text("three.svm", "a 1:1\nb 1:2\nc 1:3\n");
    assert_refused("three.svm", "positive=b", "two classes");
    write_text("one.svm", "a 1:1\na 1:2\n");
    assert_refused("one.svm", "", "'a'");
}

// A score of exactly 0 predicts the positive class, unless --tie is negative.
static void zero_predicts_what_tie_says(void **state)
{
    (void)state;
    static const char *const settings[] = {"tie=mistake", "tie=positive", "tie=negative",
                                           "positive=-1"};
    for (size_t i = 0; i < 4; i++) {
        write_pair(two, i % 2);
        tlu_model *model = train("pair.svm", settings[i]);
        const char *label;
        double score, bias = bias_of(model, "+1"), weight = weight_of(model, "+1", "1");
        char line[64]; // where w x + b is 0, if a float can say so
        snprintf(line, sizeof line, "1:%.9g", -bias / weight);
        assert_int_equal(tlu_model_predict_line(model, line, &label, &score, NULL), TLU_OK);
        if (score == 0)
            assert_string_equal(label, i >= 2 ? "-1" : "+1");
        tlu_model_free(model);
    }
    write_text("flat.svm", "-1 1:1\n+1 1:1\n");
    tlu_model *model = train("flat.svm", "decide=last epochs=1 no-bias=yes shuffle=none");
    const char *label;
    double score;
    assert_exactly(weight_of(model, "+1", "1"), 0); // one step there and one back
    assert_int_equal(tlu_model_predict_line(model, "1:1", &label, &score, NULL), TLU_OK);
    assert_exactly(score, 0);
    assert_string_equal(label, "+1");
    tlu_model_free(model);
}

static void spellings_of_a_number_are_one_class(void **state)
{
    (void)state;
    write_text("spelled.svm", "+1 1:1\n-1.0 1:-2\n1 1:3\n1.0 1:1\n-1 1:-1\n1. 1:2\n");
    tlu_model *model = train("spelled.svm", "");
    assert_int_equal(tlu_model_class_count(model), 2);
    assert_int_equal(tlu_model_class_examples(model, tlu_model_class_find(model, "1")), 4);
    assert_int_equal(tlu_model_class_examples(model, tlu_model_class_find(model, "-1")), 2);
    assert_int_equal(tlu_model_class_find(model, "+1.00"), tlu_model_class_find(model, "1"));
    tlu_model_free(model);
}

// ---- Holding out
// ---------------------------------------------------------------------------------

// Every row has a feature of its own, so that a row that was learned from left a weight behind.
static bool *held_out_rows(size_t rows, const size_t *classes, const char *settings, size_t *held)
{
    FILE *file = fopen("own.svm", "w");
    assert_non_null(file);
    for (size_t i = 0; i < rows; i++)
        fprintf(file, "%s %zu:1\n", (classes ? classes[i] : i % 2) ? "+1" : "-1", i + 1);
    fclose(file);
    tlu_model *model = train("own.svm", settings);
    bool *out = reference_memory(rows, sizeof *out);
    *held = 0;
    for (size_t i = 0; i < rows; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i + 1);
        out[i] = weight_of(model, "+1", name) == 0;
        *held += out[i];
    }
    const tlu_report *report = tlu_model_report(model);
    assert_int_equal(report->held_out, *held);
    assert_int_equal(report->examples, rows - *held);
    tlu_model_free(model);
    return out;
}

static void held_out_rows_are_not_learned_from(void **state)
{
    (void)state;
    size_t held, other, of_first = 0, in_first_half = 0;
    bool *a = held_out_rows(1000, NULL, "holdout=0.3 no-bias=yes decide=last", &held);
    assert_int_equal(held, 300);
    for (size_t i = 0; i < 1000; i++) {
        of_first += i % 2 == 0 && a[i];
        in_first_half += i < 500 && a[i];
    }
    assert_int_equal(of_first, 150);
    assert_true(in_first_half > 120 && in_first_half < 180); // 150 with a deviation of 7
    bool *b = held_out_rows(1000, NULL, "holdout=0.3 no-bias=yes decide=last seed=2", &other);
    assert_memory_not_equal(a, b, 1000);
    free(a);
    free(b);
    a = held_out_rows(1000, NULL, "no-bias=yes decide=last", &held);
    assert_int_equal(held, 0);
    free(a);
}

// Classes of these sizes, one after the other or in turns, with a feature of its own for each row:
// how many rows of each class have no weight, as they were not learned from.
static void count_held_out(const size_t *sizes, size_t classes, bool sorted, const char *settings,
                           size_t *counts)
{
    size_t left[8], number[600], class_of[600], rows = 0, most = 0;
    FILE *file = fopen("sizes.svm", "w");
    assert_non_null(file);
    for (size_t c = 0; c < classes; c++) {
        left[c] = sizes[c];
        counts[c] = 0;
        most = sizes[c] > most ? sizes[c] : most;
    }
    for (size_t round = 0; round < (sorted ? 1 : most); round++)
        for (size_t c = 0; c < classes; c++)
            for (size_t k = 0; left[c] && k < (sorted ? sizes[c] : 1); k++, left[c]--) {
                class_of[rows] = c;
                number[rows] = rows + 1;
                fprintf(file, "c%zu %zu:1\n", c, ++rows);
            }
    fclose(file);
    tlu_model *model = train("sizes.svm", settings);
    for (size_t i = 0; i < rows; i++) {
        char name[24], label[8];
        snprintf(name, sizeof name, "%zu", number[i]);
        snprintf(label, sizeof label, "c%zu", class_of[i]);
        counts[class_of[i]] += weight_of(model, label, name) == 0;
    }
    tlu_model_free(model);
}

// The counts were worked out by hand: the share of each class rounded down, then one more for those
// with the largest remainders, as many as the share of all rows, rounded, is short of.
static void every_class_gives_its_share_of_held_out_rows(void **state)
{
    (void)state;
    static const struct {
        const char *holdout;
        size_t classes, sizes[4], held[4];
    } cases[] = {
        {"0.3", 3, {50, 50, 50}, {15, 15, 15}},
        {"0.3", 3, {11, 12, 13}, {3, 4, 4}},     // 3.3, 3.6, 3.9 of 10.8
        {"0.25", 4, {2, 2, 2, 2}, {1, 1, 0, 0}}, // 0.5 each of 2: the first ones
        {"0.1", 3, {400, 3, 2}, {40, 1, 0}},     // 40, 0.3, 0.2 of 40.5
        {"0.9", 3, {100, 1, 1}, {91, 0, 0}},     // 90, 0.9, 0.9 of 91.8, but a row stays
        {"0.5", 2, {1, 399}, {0, 200}},          // 0.5, 199.5 of 200: a row stays
        {"0.29", 2, {100, 100}, {29, 29}},       // 0.29 * 100 is below 29 in binary
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int how = 0; how < 4; how++) {
            char settings[80];
            size_t counts[4];
            snprintf(settings, sizeof settings, "holdout=%s no-bias=yes decide=last seed=%zu%s",
                     cases[i].holdout, i + 1, how / 2 ? " epochs=1" : " shuffle=none");
            count_held_out(cases[i].sizes, cases[i].classes, how % 2, settings, counts);
            for (size_t c = 0; c < cases[i].classes; c++)
                assert_int_equal(counts[c], cases[i].held[c]);
        }
}

static double accuracy_on(const tlu_model *model, const struct dense *data, const bool *rows)
{
    size_t right = 0, count = 0;
    for (size_t i = 0; i < data->rows; i++) {
        if (!rows[i])
            continue;
        double score = bias_of(model, "+1");
        for (size_t j = 0; j < data->features; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j + 1);
            score += weight_of(model, "+1", name) * data->x[i * data->features + j];
        }
        right += (score >= 0) == (data->class[i] == 1);
        count++;
    }
    return (double)right / (double)count;
}

// Which rows are held out depends on the seed and the classes of the rows alone, so held_out_rows
// tells it for this data too.
static void the_best_pass_is_returned(void **state)
{
    (void)state;
    struct dense data = random_dense(4, 1000, 30, 2, 1, false);
    size_t held;
    write_libsvm("noisy.svm", &data, two);
    bool *rows = held_out_rows(1000, data.class, "holdout=0.3 no-bias=yes decide=last", &held);
    tlu_model *model = train("noisy.svm", "holdout=0.3 decide=last epochs=12 patience=100");
    const tlu_report *report = tlu_model_report(model);
    assert_int_equal(report->held_out, held);
    assert_int_equal(report->epochs, 12);
    assert_string_equal(report->stopped, "epochs");
    uint64_t best = 1;
    for (uint64_t e = 2; e <= 12; e++)
        if (report->held_out_accuracy[e - 1] > report->held_out_accuracy[best - 1])
            best = e;
    assert_int_equal(report->best_epoch, best);
    assert_true(best < 12);              // else this test would tell nothing
    for (uint64_t e = 1; e <= 12; e++) { // the model after e passes, measured by hand
        char settings[80];
        snprintf(settings, sizeof settings, "holdout=0.3 decide=last patience=100 epochs=%d",
                 (int)e);
        tlu_model *early = train("noisy.svm", settings);
        if (tlu_model_report(early)->best_epoch == e)
            assert_same_number(accuracy_on(early, &data, rows), report->held_out_accuracy[e - 1],
                               1e-12, "the accuracy");
        if (e == best)
            for (size_t f = 0; f < 30; f++)
                assert_exactly(tlu_model_weight(model, 1, f), tlu_model_weight(early, 1, f));
        tlu_model_free(early);
    }
    tlu_model_free(model);
    dense_free(&data);
    free(rows);
}

static void patience_stops(void **state)
{
    (void)state;
    struct dense data = random_dense(4, 1000, 30, 2, 1, false);
    write_libsvm("noisy.svm", &data, two);
    for (uint64_t patience = 1; patience <= 4; patience++) {
        char settings[80];
        snprintf(settings, sizeof settings, "holdout=0.3 epochs=1000 patience=%d", (int)patience);
        tlu_model *model = train("noisy.svm", settings);
        const tlu_report *report = tlu_model_report(model);
        assert_string_equal(report->stopped, "patience");
        assert_int_equal(report->epochs, report->best_epoch + patience);
        for (uint64_t e = 0; e < report->epochs; e++)
            assert_true(report->held_out_accuracy[e] <=
                        report->held_out_accuracy[report->best_epoch - 1]);
        tlu_model_free(model);
    }
    tlu_model *model = train("noisy.svm", "patience=1 epochs=5"); // nothing to measure on
    assert_int_equal(tlu_model_report(model)->epochs, 5);
    assert_null(tlu_model_report(model)->held_out_accuracy);
    assert_int_equal(tlu_model_report(model)->best_epoch, 5);
    tlu_model_free(model);
    write_text("few.svm", "a 1:1\nb 1:2\n");
    assert_refused("few.svm", "holdout=0.0001", "--holdout");
    dense_free(&data);
}

// ---- Scaling
// -------------------------------------------------------------------------------------

// The rule of each column, from its definition: x' = (x - shift) factor.
static void fit_columns(const struct dense *data, bool standard, double *shift, double *factor)
{
    double rows = (double)data->rows;
    for (size_t j = 0; j < data->features; j++) {
        double largest = 0, sum = 0, squares = 0, filled = 0;
        for (size_t i = 0; i < data->rows; i++) {
            double x = data->x[i * data->features + j];
            largest = fmax(largest, fabs(x));
            sum += x;
            filled += x != 0;
        }
        double mean = sum / rows;
        for (size_t i = 0; i < data->rows; i++)
            squares += pow(data->x[i * data->features + j] - mean, 2);
        double deviation = sqrt(squares / rows);
        shift[j] = 0;
        if (!standard) {
            factor[j] = largest > 0 ? 1 / largest : 1;
        } else {
            factor[j] = deviation > 0 ? 1 / deviation : 1;
            if (filled >= rows / 4) // else zero in more than three rows out of four
                shift[j] = mean;
        }
    }
}

static struct dense scaled_copy(const struct dense *data, const double *shift, const double *factor)
{
    struct dense copy = *data;
    copy.x = reference_memory(data->rows * data->features, sizeof *copy.x);
    copy.class = reference_memory(data->rows, sizeof *copy.class);
    memcpy(copy.class, data->class, data->rows * sizeof *copy.class);
    for (size_t i = 0; i < data->rows * data->features; i++) {
        size_t j = i % data->features;
        copy.x[i] = to_float((data->x[i] - shift[j]) * factor[j]);
    }
    return copy;
}

static struct dense uneven_data(void)
{
    struct dense data = random_dense(6, 200, 8, 2, 0.7, false);
    for (size_t i = 0; i < data.rows; i++) {
        double *x = data.x + i * 8;
        x[0] = to_float(x[0] * 1000);
        x[1] = to_float(x[1] + 50);
        x[2] = i % 8 ? 0 : to_float(x[2] + 3); // mostly zero
        x[3] = 7;                              // constant
        x[4] = i % 4 ? 0 : to_float(x[4] + 5); // filled in just a quarter
        x[5] = to_float(x[5] / 1000);
    }
    return data;
}

static void scaling_follows_its_rule(void **state)
{
    (void)state;
    struct dense data = uneven_data();
    write_libsvm("uneven.svm", &data, two);
    for (int standard = 0; standard < 2; standard++) {
        double shift[8], factor[8];
        fit_columns(&data, standard, shift, factor);
        struct dense scaled = scaled_copy(&data, shift, factor);
        struct reference r = {.positive = 1};
        reference_learn(&r, &scaled, 3);
        tlu_model *model = train("uneven.svm", standard ? "scale=standard epochs=3 shuffle=none"
                                                        : "scale=maxabs epochs=3 shuffle=none");
        assert_true(tlu_model_is_scaled(model));
        assert_mistakes(model, &r);
        double bias = reference_weight(&r, true, 1, 8);
        for (size_t j = 0; j < 8; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j + 1);
            size_t f = tlu_model_feature_find(model, name);
            double weight = reference_weight(&r, true, 1, j);
            if (standard && j == 3)
                assert_exactly(weight, 0); // a constant has nothing to say
            assert_same_number(f == TLU_NONE ? 0 : tlu_model_scaled_weight(model, 1, f), weight,
                               1e-9, name);
            assert_same_number(weight_of(model, "+1", name), weight * factor[j], 1e-9, "a weight");
            bias -= weight * factor[j] * shift[j];
        }
        assert_same_number(bias_of(model, "+1"), bias, 1e-9, "the bias");
        tlu_model_free(model);
        reference_free(&r);
        dense_free(&scaled);
    }
    dense_free(&data);
}

// Categories stay 0 and 1; the number beside them is scaled.
static void categories_are_not_scaled(void **state)
{
    (void)state;
    struct dense data = random_dense(8, 60, 4, 2, 1, false); // three categories, one number
    FILE *file = fopen("colours.csv", "w");
    assert_non_null(file);
    fputs("colour,size,label\n", file);
    for (size_t i = 0; i < data.rows; i++) {
        static const char *const colours[] = {"red", "green", "blue"};
        for (size_t j = 0; j < 3; j++)
            data.x[i * 4 + j] = j == i * i % 7 % 3;
        data.x[i * 4 + 3] = to_float(data.x[i * 4 + 3] * 90 + 100);
        fprintf(file, "%s,%.9g,%s\n", colours[i * i % 7 % 3], data.x[i * 4 + 3],
                two[data.class[i]]);
    }
    fclose(file);
    for (int standard = 0; standard < 2; standard++) {
        double shift[4], factor[4];
        fit_columns(&data, standard, shift, factor);
        for (size_t j = 0; j < 3; j++) {
            shift[j] = 0;
            factor[j] = 1;
        }
        struct dense scaled = scaled_copy(&data, shift, factor);
        struct reference r = {.positive = 1};
        reference_learn(&r, &scaled, 4);
        tlu_model *model = train("colours.csv", standard ? "scale=standard epochs=4 shuffle=none"
                                                         : "scale=maxabs epochs=4 shuffle=none");
        for (size_t j = 0; j < 4; j++) {
            static const char *const names[] = {"colour=red", "colour=green", "colour=blue",
                                                "size"};
            assert_same_number(weight_of(model, "+1", names[j]),
                               reference_weight(&r, true, 1, j) * factor[j], 1e-9, names[j]);
        }
        tlu_model_free(model);
        reference_free(&r);
        dense_free(&scaled);
    }
    dense_free(&data);
}

// ---- Predicting
// ----------------------------------------------------------------------------------

// The same row as a line and by names, in the same order: the same bits.
static void names_predict_as_lines_do(void **state)
{
    (void)state;
    static const char *const five[] = {"a", "b", "c", "d", "e"};
    static const char *const settings[] = {"", "scale=standard", "learner=arow multiclass=ovo",
                                           "kernel=poly:2"};
    for (size_t n = 0; n < 8; n++) {
        size_t classes = n % 2 ? 5 : 2;
        struct dense data = random_dense(90 + n, 100, 19, classes, 0.7, false);
        write_libsvm("named.svm", &data, classes == 5 ? five : two);
        tlu_model *model = train("named.svm", settings[n / 2]);
        for (size_t i = 0; i < data.rows; i++) {
            char line[1000] = "", names[19][8];
            tlu_feature features[19];
            for (size_t j = 0, at = 0; j < 19; j++) {
                double value = data.x[i * 19 + j] / 3; // not a float
                snprintf(names[j], sizeof names[j], "%zu", j + 1);
                features[j] = (tlu_feature){names[j], value};
                at += (size_t)snprintf(line + at, sizeof line - at, " %zu:%.17g", j + 1, value);
            }
            double a[5], b[5];
            const char *label;
            assert_int_equal(tlu_model_predict_line(model, line + 1, &label, a, NULL), TLU_OK);
            size_t class = class_of_named(model, features, 19, b);
            assert_string_equal(label, tlu_model_class_label(model, class));
            assert_memory_equal(a, b, tlu_model_score_count(model) * sizeof *a);
        }
        tlu_model_free(model);
        dense_free(&data);
    }
}

// ---- Remarks
// -------------------------------------------------------------------------------------

static void a_sorted_file_is_noticed(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++)
        for (int sorted = 0; sorted < 2; sorted++) {
            FILE *file = fopen("sorted.svm", "w");
            assert_non_null(file);
            for (size_t i = 0; i < 60; i++)
                fprintf(file, "%zu 1:%zu 2:1\n", sorted ? i / (60 / classes) : i % classes, i % 7);
            fclose(file);
            tlu_model *model = train("sorted.svm", "");
            assert_int_equal(has_notice(model, "--shuffle all"), sorted);
            tlu_model_free(model);
            model = train("sorted.svm", "shuffle=all"); // there it does no harm
            assert_false(has_notice(model, "--shuffle all"));
            tlu_model_free(model);
        }
}

// As many labels as rows: a mistake, maybe, but not one of the order.
static void labels_that_occur_once_are_not_sorted(void **state)
{
    (void)state;
    FILE *file = fopen("once.svm", "w");
    assert_non_null(file);
    for (size_t i = 0; i < 30; i++)
        fprintf(file, "%zu 1:%zu 2:1\n", i, i % 7);
    fclose(file);
    tlu_model *model = train("once.svm", "");
    assert_false(has_notice(model, "--shuffle all"));
    tlu_model_free(model);
}

static void columns_of_very_different_range_are_noticed(void **state)
{
    (void)state;
    static const struct {
        double range;
        size_t every; // the wide column is filled in each of so many rows
        const char *settings;
        bool noticed;
    } cases[] = {{2000, 1, "", true},
                 {900, 1, "", false},
                 {2000, 1, "scale=maxabs", false},
                 {2000, 1, "scale=standard", false},
                 {2000, 3, "", false}}; // rare features may well be large
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        FILE *file = fopen("ranges.svm", "w");
        assert_non_null(file);
        for (size_t i = 0; i <= 40; i++) {
            fprintf(file, "%d 1:%g", i % 2 ? 1 : -1, (double)i / 40 - 0.5); // ranges over 1
            if (i % cases[c].every == 0)
                fprintf(file, " 2:%g", cases[c].range * (double)i / 40 + 1);
            fputc('\n', file);
        }
        fclose(file);
        tlu_model *model = train("ranges.svm", cases[c].settings);
        assert_int_equal(has_notice(model, "--scale maxabs"), cases[c].noticed);
        tlu_model_free(model);
    }
}

static void queries_are_ignored_with_a_remark(void **state)
{
    (void)state;
    write_text("plain.svm", "1 1:1 2:2\n-1 1:-1\n1 2:1\n");
    write_text("queries.svm", "1 qid:1 1:1 2:2\n-1 qid:1 1:-1\n1 qid:2 2:1\n");
    tlu_model *plain = train("plain.svm", ""), *queries = train("queries.svm", "");
    assert_false(has_notice(plain, "qid"));
    assert_true(has_notice(queries, "qid"));
    assert_int_equal(tlu_model_feature_count(plain), tlu_model_feature_count(queries));
    for (size_t f = 0; f < tlu_model_feature_count(plain); f++)
        assert_exactly(tlu_model_weight(plain, 1, f), tlu_model_weight(queries, 1, f));
    tlu_model_free(plain);
    tlu_model_free(queries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_labels_alone_say_which_class_is_positive),
        cmocka_unit_test(positive_can_be_chosen),
        cmocka_unit_test(zero_predicts_what_tie_says),
        cmocka_unit_test(spellings_of_a_number_are_one_class),
        cmocka_unit_test(held_out_rows_are_not_learned_from),
        cmocka_unit_test(every_class_gives_its_share_of_held_out_rows),
        cmocka_unit_test(the_best_pass_is_returned),
        cmocka_unit_test(patience_stops),
        cmocka_unit_test(scaling_follows_its_rule),
        cmocka_unit_test(categories_are_not_scaled),
        cmocka_unit_test(names_predict_as_lines_do),
        cmocka_unit_test(a_sorted_file_is_noticed),
        cmocka_unit_test(labels_that_occur_once_are_not_sorted),
        cmocka_unit_test(columns_of_very_different_range_are_noticed),
        cmocka_unit_test(queries_are_ignored_with_a_remark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
