// Decisions, kernels and schemes against a run in slow motion: every update is kept in a list,
// every score is summed up anew from that list, and a vote asks the weights after each single step.

#include "learn/decision.h"
#include "learning.h"
#include "model/score/score.h"
#include "predicting.h"
#include "train/train.h"

#include <math.h>

enum { MAX_UPDATES = 20000, MAX_COLUMNS = 16 };

// ---- the run in slow motion ----

struct slow_update {
    size_t time, row, column;
    double sign;
};

struct slow {
    const struct dense *data;
    const char *scheme; // "two", "wta", "ovr", "ovo"
    const char *kernel; // "linear", "poly:2", "rbf:0.1"
    bool bias;
    size_t columns, time, mistakes;
    struct slow_update *updates;
    size_t count;
};

static double slow_kernel(const struct slow *slow, const double *a, const double *b)
{
    double dot = 0, distance = 0;
    for (size_t j = 0; j < slow->data->features; j++) {
        dot += a[j] * b[j];
        distance += (a[j] - b[j]) * (a[j] - b[j]);
    }
    if (strcmp(slow->kernel, "poly:2") == 0)
        return (dot + 1) * (dot + 1);
    if (strcmp(slow->kernel, "poly:3,2") == 0)
        return (dot + 2) * (dot + 2) * (dot + 2);
    return strcmp(slow->kernel, "rbf:0.1") == 0 ? exp(-0.1 * distance) : dot;
}

static const double *row_of(const struct slow *slow, size_t i)
{
    return slow->data->x + i * slow->data->features;
}

// Scores with the weights after step `time`.
static void slow_scores(const struct slow *slow, const double *x, size_t time, double *scores)
{
    for (size_t c = 0; c < slow->columns; c++)
        scores[c] = 0;
    for (size_t n = 0; n < slow->count && slow->updates[n].time <= time; n++) {
        const struct slow_update *u = &slow->updates[n];
        scores[u->column] += u->sign * (slow_kernel(slow, row_of(slow, u->row), x) + slow->bias);
    }
}

static void slow_step(struct slow *slow, size_t row, size_t column, double sign)
{
    assert_true(slow->count < MAX_UPDATES);
    slow->updates[slow->count++] = (struct slow_update){slow->time, row, column, sign};
}

static size_t pair_column(size_t i, size_t j) // i < j, in the order 01 02 12 03 13 23
{
    return j * (j - 1) / 2 + i;
}

// A question with the answer y about a column.
static bool slow_ask(struct slow *slow, const double *scores, size_t row, size_t column, double y)
{
    if (y * scores[column] > 0)
        return false;
    slow_step(slow, row, column, y);
    return true;
}

static bool slow_winner(struct slow *slow, const double *scores, size_t row, size_t k)
{
    size_t winner = 0, first = 0;
    for (size_t c = 0; c < slow->columns; c++)
        if (scores[c] > scores[winner])
            winner = c;
    for (size_t c = 0; c < slow->columns; c++)
        first += scores[c] == scores[winner];
    if (first == 1 && winner == k)
        return false;
    size_t rival = 0; // the first class other than k with the highest score
    while (rival == k || scores[rival] != scores[winner])
        rival++;
    slow_step(slow, row, k, 1);
    slow_step(slow, row, rival, -1);
    return true;
}

// The highest score; one versus one: most pairs won, of equals the highest sum of scores.
static size_t slow_elect(const struct slow *slow, const double *scores)
{
    size_t best = 0, best_won = 0;
    double best_sum = -INFINITY;
    for (size_t c = 0; c < slow->data->classes; c++) {
        size_t won = 0;
        double sum = 0;
        for (size_t j = 0; strcmp(slow->scheme, "ovo") == 0 && j < slow->data->classes; j++) {
            if (j == c)
                continue;
            double score = scores[c < j ? pair_column(c, j) : pair_column(j, c)];
            won += c > j ? score >= 0 : score < 0;
            sum += c > j ? score : -score;
        }
        if (strcmp(slow->scheme, "ovr") == 0)
            sum = scores[c];
        if (won > best_won || (won == best_won && sum > best_sum)) {
            best = c;
            best_won = won;
            best_sum = sum;
        }
    }
    return best;
}

static bool slow_learn(struct slow *slow, size_t row)
{
    double scores[MAX_COLUMNS];
    size_t k = slow->data->class[row];
    bool wrong = false;
    slow_scores(slow, row_of(slow, row), slow->time++, scores);
    if (strcmp(slow->scheme, "two") == 0)
        wrong = slow_ask(slow, scores, row, 0, k == 1 ? 1 : -1);
    else if (strcmp(slow->scheme, "wta") == 0)
        wrong = slow_winner(slow, scores, row, k);
    for (size_t c = 0; c < slow->data->classes; c++) {
        if (strcmp(slow->scheme, "ovr") == 0)
            wrong |= slow_ask(slow, scores, row, c, c == k ? 1 : -1);
        if (strcmp(slow->scheme, "ovo") == 0 && c != k)
            wrong |= slow_ask(slow, scores, row, c < k ? pair_column(c, k) : pair_column(k, c),
                              c < k ? 1 : -1);
    }
    // With a problem a class, or a pair, the row is a mistake where the class elected is wrong.
    bool mistaken = wrong;
    if (strcmp(slow->scheme, "ovr") == 0 || strcmp(slow->scheme, "ovo") == 0)
        mistaken = slow_elect(slow, scores) != k;
    slow->mistakes += mistaken;
    return wrong;
}

static struct slow slow_run(const struct dense *data, const char *scheme, const char *kernel,
                            bool bias, size_t epochs)
{
    struct slow slow = {.data = data, .scheme = scheme, .kernel = kernel, .bias = bias};
    size_t k = data->classes;
    slow.columns = strcmp(scheme, "two") == 0   ? 1
                   : strcmp(scheme, "ovo") == 0 ? k * (k - 1) / 2
                                                : k;
    slow.updates = malloc(MAX_UPDATES * sizeof *slow.updates);
    assert_non_null(slow.updates);
    for (size_t e = 0; e < epochs; e++) {
        for (size_t i = 0; i < data->rows; i++)
            slow_learn(&slow, i);
    }
    return slow;
}

// What the columns say by last, average or vote.
static void slow_decide(const struct slow *slow, const char *decide, const double *x,
                        double *columns)
{
    double scores[MAX_COLUMNS];
    if (strcmp(decide, "last") == 0) {
        slow_scores(slow, x, slow->time, columns);
        return;
    }
    for (size_t c = 0; c < slow->columns; c++)
        columns[c] = 0;
    for (size_t t = 1; t <= slow->time; t++) {
        slow_scores(slow, x, t, scores);
        size_t winner = 0;
        for (size_t c = 0; c < slow->columns; c++) {
            if (scores[c] > scores[winner])
                winner = c;
            if (strcmp(decide, "average") == 0)
                columns[c] += scores[c];
            else if (strcmp(slow->scheme, "wta") != 0)
                columns[c] += scores[c] >= 0 ? 1 : -1;
        }
        if (strcmp(decide, "vote") == 0 && strcmp(slow->scheme, "wta") == 0)
            columns[winner] += 1;
    }
    for (size_t c = 0; c < slow->columns; c++)
        columns[c] /= (double)slow->time;
}

// ---- comparing ----

static const char *const labels[] = {"0", "1", "2", "3", "4"};

static void compare(const struct dense *data, const char *scheme, const char *kernel,
                    const char *decide, double relative)
{
    char settings[200];
    snprintf(
        settings, sizeof settings, "decide=%s epochs=3 shuffle=none%s%s%s%s", decide,
        strcmp(scheme, "two") == 0 ? "" : " multiclass=", strcmp(scheme, "two") == 0 ? "" : scheme,
        kernel ? " kernel=" : "", kernel ? kernel : "");
    write_libsvm("decide.svm", data, labels);
    tlu_model *model = train("decide.svm", settings);
    struct slow slow = slow_run(data, scheme, kernel ? kernel : "linear", true, 3);
    uint64_t mistakes = 0;
    for (uint64_t e = 0; e < tlu_model_report(model)->epochs; e++)
        mistakes += tlu_model_report(model)->mistakes[e];
    assert_int_equal(mistakes, slow.mistakes);

    for (size_t i = 0; i < 12; i++) {
        double found[MAX_COLUMNS], expected[MAX_COLUMNS];
        uint32_t features[64];
        float values[64];
        tlu_row row = {0, features, values};
        for (size_t j = 0; j < data->features; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j + 1);
            size_t feature = tlu_model_feature_find(model, name);
            if (feature != TLU_NONE && data->x[i * data->features + j] != 0) {
                features[row.count] = (uint32_t)feature;
                values[row.count++] = (float)data->x[i * data->features + j];
            }
        }
        struct score_scratch room = {0};
        assert_true(model_scores(model, &row, 1, found, &room));
        score_scratch_free(&room);
        slow_decide(&slow, decide, row_of(&slow, i), expected);
        for (size_t c = 0; c < slow.columns; c++)
            assert_same_number(found[c], expected[c], relative, settings);
    }
    free(slow.updates);
    tlu_model_free(model);
}

static void every_decision_scheme_and_kernel(void **state)
{
    (void)state;
    static const char *const schemes[] = {"two", "wta", "ovr", "ovo"};
    static const char *const routines[] = {NULL, "linear", "poly:2", "poly:3,2", "rbf:0.1"};
    static const char *const decisions[] = {"last", "average", "vote"};
    for (size_t s = 0; s < 4; s++) {
        struct dense data = random_dense(s + 7, 60, 5, s == 0 ? 2 : 4, 0.7, true);
        for (size_t k = 0; k < 5; k++)
            for (size_t d = 0; d < 3; d++) {
                // Small whole numbers: only the average divides, and exp is not exact.
                bool exact = strcmp(decisions[d], "last") == 0 && k < 4;
                compare(&data, schemes[s], routines[k], decisions[d], exact ? 0 : 1e-9);
            }
        dense_free(&data);
    }
}

// More rows than a block of the dual form has, so that scores are brought up to date in all ways.
static void dual_blocks_kun_002(void **state)
{
    (void)state;
    struct dense two = random_dense(3, 300, 4, 2, 0.8, true);
    struct dense five = random_dense(4, 290, 4, 5, 0.8, true);
    compare(&two, "two", "linear", "last", 0);
    compare(&two, "two", "poly:2", "last", 0);
    compare(&five, "ovr", "poly:2", "last", 0);
    compare(&five, "wta", "linear", "last", 0);
    dense_free(&two);
    dense_free(&five);
}

// The dual form with the linear kernel is the primal, whatever the order of the rows.
static void dual_is_primal_kun_002(void **state)
{
    (void)state;
    struct dense data = random_dense(11, 400, 6, 3, 0.6, true);
    write_libsvm("dual.svm", &data, labels);
    static const char *const settings[] = {"decide=average",
                                           "decide=average multiclass=ovr",
                                           "decide=vote multiclass=ovr",
                                           "decide=best",
                                           "decide=last",
                                           "decide=last shuffle=all seed=5",
                                           "decide=last multiclass=ovr",
                                           "decide=last multiclass=ovo no-bias=yes"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        char with[200];
        snprintf(with, sizeof with, "%s kernel=linear", settings[s]);
        tlu_model *primal = train("dual.svm", settings[s]), *dual = train("dual.svm", with);
        const tlu_report *a = tlu_model_report(primal), *b = tlu_model_report(dual);
        assert_int_equal(a->epochs, b->epochs);
        assert_memory_equal(a->mistakes, b->mistakes, a->epochs * sizeof *a->mistakes);
        for (size_t i = 0; i < 50; i++) {
            tlu_feature features[6];
            char names[6][8];
            double x[3], y[3];
            for (size_t j = 0; j < 6; j++) {
                snprintf(names[j], sizeof names[j], "%zu", j + 1);
                features[j] = (tlu_feature){names[j], data.x[i * 6 + j]};
            }
            assert_int_equal(class_of_named(primal, features, 6, x),
                             class_of_named(dual, features, 6, y));
            assert_memory_equal(x, y, sizeof x);
        }
        tlu_model_free(primal);
        tlu_model_free(dual);
    }
    dense_free(&data);
}

static void dual_threads(void **state)
{
    (void)state;
    struct dense data = random_dense(12, 700, 8, 5, 0.7, false);
    write_libsvm("threads.svm", &data, labels);
    tlu_model *one = train("threads.svm", "kernel=rbf:0.1 multiclass=ovr threads=1 decide=vote");
    for (int n = 2; n <= 5; n++) {
        char settings[80];
        snprintf(settings, sizeof settings, "kernel=rbf:0.1 multiclass=ovr threads=%d decide=vote",
                 n);
        tlu_model *several = train("threads.svm", settings);
        assert_same_model(one, several);
        tlu_model_free(several);
    }
    tlu_model_free(one);
    dense_free(&data);
}

// ---- what the mistakes say about new rows ----

// The bound holds for the vote and the pick at random, after one pass, over rows not sorted by
// class, where what votes are whole classifiers, and a tie is a mistake. The same from a file.
static void bounds_only_where_they_hold(void **state)
{
    (void)state;
    struct dense two = random_dense(31, 40, 3, 2, 0.3, false);
    struct dense three = random_dense(32, 41, 3, 3, 0.3, false);
    write_libsvm("two.svm", &two, labels);
    write_libsvm("three.svm", &three, labels);
    write_text("sorted.svm", "a 1:1\na 1:2\na 1:3\na 1:1\na 1:2\na 1:3\na 1:1\na 1:2\na 1:3\n"
                             "a 1:4\nb 1:-1\nb 1:-2\nb 1:-3\nb 1:-1\nb 1:-2\nb 1:-3\nb 1:-1\n"
                             "b 1:-2\nb 1:-3\nb 1:-4\n");
    static const struct {
        const char *file, *settings;
        double factor, rows; // of k/(m + 1); -1: there is no bound
        bool sorted;
    } cases[] = {
        {"two.svm", "decide=vote epochs=1", 2, 40, false},
        {"two.svm", "decide=random epochs=1", 1, 40, false},
        {"two.svm", "decide=vote epochs=1 kernel=poly:2", 2, 40, false},
        {"two.svm", "decide=vote epochs=1 learner=pa", 2, 40, false},
        {"three.svm", "decide=vote epochs=1", 2, 41, false},
        {"three.svm", "decide=random epochs=1", 1, 41, false},
        {"sorted.svm", "decide=vote epochs=1 shuffle=all", 2, 20, false},
        {"two.svm", "epochs=1", -1, 40, false},
        {"two.svm", "decide=last epochs=1", -1, 40, false},
        {"two.svm", "decide=vote", -1, 40, false},
        {"two.svm", "decide=vote epochs=1 tie=positive", -1, 40, false},
        {"three.svm", "decide=vote epochs=1 multiclass=ovr", -1, 41, false},
        {"three.svm", "decide=random epochs=1 multiclass=ovo", -1, 41, false},
        {"sorted.svm", "decide=vote epochs=1", -1, 20, true},
        {"sorted.svm", "decide=random epochs=1", -1, 20, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = train(cases[i].file, cases[i].settings), *loaded;
        assert_int_equal(tlu_model_save(model, "bound.tlu", NULL), TLU_OK);
        assert_int_equal(tlu_model_load("bound.tlu", &loaded, NULL), TLU_OK);
        for (int k = 0; k < 2; k++) {
            const tlu_report *report = tlu_model_report(k ? loaded : model);
            double mistakes = (double)report->mistakes[0], rows = cases[i].rows;
            double last = (double)report->mistakes[report->epochs - 1];
            double factor = cases[i].factor;
            assert_exactly(report->bound, factor < 0 ? -1 : factor * mistakes / (rows + 1));
            assert_exactly(report->progressive_error, mistakes / rows);
            assert_exactly(report->training_error, report->epochs > 1 ? last / rows : -1);
            assert_int_equal(report->sorted_by_class, cases[i].sorted);
        }
        tlu_model_free(model);
        tlu_model_free(loaded);
    }
    tlu_model *solved = train("two.svm", "learner=rocchio");
    assert_exactly(tlu_model_report(solved)->progressive_error, -1);
    tlu_model_free(solved);
    dense_free(&two);
    dense_free(&three);
}

// ---- the Cohen notes: voting ----

// Ten examples with mistakes at 1, 4, 8 and 10, as in the notes' table.
static void cohen_004_3_5_voting_table(void **state)
{
    (void)state;
    // One feature, no bias. w: 0 -> 1 (row 1) -> right, right -> row 4 (-1, x = 2): w = -1; rows 5
    // to 7 right with x = 1 of class -1; row 8 (+1, x = 3): w = 2; row 9 right; row 10 (-1, x = 1):
    // w = 1.
    write_text("ten.svm", "+1 1:1\n+1 1:1\n+1 1:1\n-1 1:2\n-1 1:1\n-1 1:1\n-1 1:1\n+1 1:3\n+1 1:1\n"
                          "-1 1:1\n");
    tlu_model *model = train("ten.svm", "decide=random no-bias=yes epochs=1 shuffle=none");
    assert_int_equal(tlu_model_report(model)->mistakes[0], 4);
    assert_exactly(tlu_model_report(model)->progressive_error, 4 / 10.0); // k/m
    assert_exactly(tlu_model_report(model)->bound, 4 / (10.0 + 1));       // k/(m + 1)
    assert_exactly(tlu_model_report(model)->training_error, -1);          // there is but one pass
    // v_0 = 0, v_1 = 1, v_2 = -1, v_3 = 2 were used for 1, 3, 4 and 2 of the ten examples.
    const double guesses[] = {0, 1, -1, 2}, shares[] = {0.1, 0.3, 0.4, 0.2};
    size_t picked[4] = {0}, rows = 20000;
    for (size_t i = 0; i < rows; i++) {
        tlu_feature feature = {"1", 1 + (double)i};
        double score;
        class_of_named(model, &feature, 1, &score);
        for (size_t v = 0; v < 4; v++)
            picked[v] += score == guesses[v] * feature.value;
    }
    assert_int_equal(picked[0] + picked[1] + picked[2] + picked[3], rows);
    for (size_t v = 0; v < 4; v++) // four deviations of 20,000 draws are below 0.014
        assert_true(fabs((double)picked[v] / (double)rows - shares[v]) < 0.014);
    tlu_model_free(model);
}

// Freund and Schapire's survival times, as in the Elkan notes: they add up to rows times epochs.
static void elkan_000_survival_times_add_up(void **state)
{
    (void)state;
    struct dense data = random_dense(21, 80, 4, 2, 0.8, true);
    write_libsvm("survive.svm", &data, labels);
    tlu_model *model = train("survive.svm", "decide=vote epochs=4");
    uint64_t last = 1, sum = 0;
    for (size_t n = 0; n < model->state.decision.history->count; n++) {
        sum += model->state.decision.history->steps[n].time -
               last; // of the weights before this update
        last = model->state.decision.history->steps[n].time;
    }
    sum += (uint64_t)model->state.weights.steps + 1 - last;
    assert_int_equal(sum, 80 * tlu_model_report(model)->epochs);
    assert_int_equal(model->state.decision.history->count, tlu_model_report(model)->updates);
    tlu_model_free(model);
    dense_free(&data);
}

// ---- best ----

static void best_is_the_longest_run(void **state)
{
    (void)state;
    struct dense data = random_dense(31, 120, 4, 2, 0.8, true);
    write_libsvm("best.svm", &data, labels);
    tlu_model *model = train("best.svm", "decide=best epochs=3 shuffle=none");
    struct slow slow = slow_run(&data, "two", "linear", true, 3);
    // The longest time between two updates; the first of equals.
    size_t best_run = 0, best_time = 0, last = 0;
    for (size_t n = 0; n <= slow.count; n++) {
        size_t time = n < slow.count ? slow.updates[n].time : slow.time + 1;
        size_t run = time - last - 1; // right answers since the update at `last`
        if (run > best_run) {
            best_run = run;
            best_time = last;
        }
        last = time;
    }
    for (size_t i = 0; i < 20; i++) {
        double expected, found;
        tlu_feature features[4];
        static const char *const names[] = {"1", "2", "3", "4"};
        for (size_t j = 0; j < 4; j++)
            features[j] = (tlu_feature){names[j], data.x[i * 4 + j]};
        slow_scores(&slow, row_of(&slow, i), best_time, &expected);
        class_of_named(model, features, 4, &found);
        assert_exactly(found, expected);
    }
    free(slow.updates);
    tlu_model_free(model);
    dense_free(&data);
}

// With the ratchet the pocket only gets better on the training set: at least as good as the last.
static void ratchet_never_falls_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct dense data = random_dense(seed, 150, 5, seed % 2 ? 2 : 4, 0.8, true);
        write_libsvm("ratchet.svm", &data, labels);
        char plain[] = "decide=best epochs=5", with[] = "decide=best epochs=5 ratchet=yes";
        tlu_model *pocket = train("ratchet.svm", plain), *ratchet = train("ratchet.svm", with);
        tlu_evaluation *a, *b;
        assert_int_equal(tlu_evaluate(pocket, "ratchet.svm", NULL, &a, NULL), TLU_OK);
        assert_int_equal(tlu_evaluate(ratchet, "ratchet.svm", NULL, &b, NULL), TLU_OK);
        assert_true(b->correct >= a->correct);
        tlu_evaluation_free(a);
        tlu_evaluation_free(b);
        tlu_model_free(pocket);
        tlu_model_free(ratchet);
        dense_free(&data);
    }
}

// ---- cycles ----

static void kun_002_xor_and_three_points_cycle(void **state)
{
    (void)state;
    write_text("xor.svm", "+1 1:0 2:0\n+1 1:1 2:1\n-1 1:1 2:0\n-1 1:0 2:1\n");
    write_text("three.svm", "-1 1:-1\n+1 1:0\n-1 1:1\n");
    static const char *const files[] = {"xor.svm", "three.svm"};
    static const char *const spaces[] = {"", " stop=converged", " kernel=linear stop=converged"};
    for (size_t f = 0; f < 2; f++)
        for (size_t s = 0; s < 3; s++) {
            char settings[80];
            snprintf(settings, sizeof settings, "epochs=1000 shuffle=none%s", spaces[s]);
            tlu_model *model = train(files[f], settings);
            const tlu_report *report = tlu_model_report(model);
            assert_string_equal(report->stopped, "cycle");
            assert_true(report->cycle > 0 && report->cycle < 10 && report->epochs < 50);
            assert_int_equal(report->counted_epochs, s == 0 ? 1000 : report->epochs);
            // Going on for one cycle gives the same weights again.
            char once[80], twice[80];
            snprintf(once, sizeof once, "epochs=%u shuffle=none decide=last",
                     (unsigned)report->epochs);
            tlu_model *again = train(files[f], once);
            snprintf(twice, sizeof twice, "epochs=%u shuffle=none decide=last",
                     (unsigned)(report->epochs - report->cycle));
            tlu_model *before = train(files[f], twice);
            assert_exactly(weight_of(again, "+1", "1"), weight_of(before, "+1", "1"));
            assert_exactly(bias_of(again, "+1"), bias_of(before, "+1"));
            tlu_model_free(before);
            tlu_model_free(again);
            tlu_model_free(model);
        }
    // A kernel sees more: (x . z + 1)^2 separates both.
    tlu_model *model = train("xor.svm", "kernel=poly:2 shuffle=none epochs=100");
    assert_string_equal(tlu_model_report(model)->stopped, "converged");
    tlu_model_free(model);
}

// ---- rates and margins ----

static void honavar_003_rate_from_an_interval_converges(void **state)
{
    (void)state;
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init("margin", &recipe, NULL), TLU_OK);
    recipe.rows = 300;
    recipe.features = 10;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        recipe.seed = seed;
        generate_file("interval.svm", &recipe);
        char settings[80];
        snprintf(settings, sizeof settings, "rate=0.1:2.5 epochs=5000 seed=%u decide=last",
                 (unsigned)seed);
        tlu_model *model = train("interval.svm", settings);
        assert_string_equal(tlu_model_report(model)->stopped, "converged");
        tlu_evaluation *evaluation;
        assert_int_equal(tlu_evaluate(model, "interval.svm", NULL, &evaluation, NULL), TLU_OK);
        assert_int_equal(evaluation->correct, evaluation->examples);
        // Drawn anew: the bias, a sum of rates, is no multiple of one rate.
        assert_true(tlu_model_report(model)->updates > 1);
        tlu_evaluation_free(evaluation);
        tlu_model_free(model);
    }
}

static void margin_perceptron_reaches_its_margin(void **state)
{
    (void)state;
    write_text("margin.svm", "+1 1:1 2:1\n+1 1:2 2:1\n-1 1:-1\n-1 2:-1\n");
    tlu_model *model = train("margin.svm", "margin=5 decide=last epochs=1000");
    assert_string_equal(tlu_model_report(model)->stopped, "converged");
    double w1 = weight_of(model, "+1", "1"), w2 = weight_of(model, "+1", "2");
    double b = bias_of(model, "+1");
    assert_true(w1 + w2 + b > 5 && 2 * w1 + w2 + b > 5 && w1 - b > 5 && w2 - b > 5);
    tlu_model_free(model);
}

// ---- several classes ----

// Winner-takes-all is one perceptron on Kesler's transformed data (Honavar notes, convergence
// proof): x of class k against the class j that won becomes the example [.. x at k .. -x at j ..]
// with the answer +1. If several classes share the highest score, j is the first of them but k.
static void honavar_003_kesler_construction(void **state)
{
    (void)state;
    enum { K = 3, N = 4 };
    struct dense data = random_dense(41, 60, N, K, 1, false);
    write_libsvm("kesler.svm", &data, labels);
    tlu_model *model = train("kesler.svm", "decide=last no-bias=yes epochs=4 shuffle=none");
    double w[K * N] = {0};
    for (size_t e = 0; e < 4; e++)
        for (size_t i = 0; i < data.rows; i++) {
            size_t k = data.class[i], winner = k == 0;
            double scores[K] = {0};
            for (size_t c = 0; c < K; c++)
                for (size_t j = 0; j < N; j++)
                    scores[c] += w[c * N + j] * data.x[i * N + j];
            for (size_t c = 0; c < K; c++)
                if (c != k && scores[c] > scores[winner])
                    winner = c;
            // The transformed example and the single perceptron's w := w + z where w . z <= 0.
            double z[K * N] = {0}, answer = 0;
            for (size_t j = 0; j < N; j++) {
                z[k * N + j] += data.x[i * N + j];
                z[winner * N + j] -= data.x[i * N + j];
            }
            for (size_t j = 0; j < K * N; j++)
                answer += w[j] * z[j];
            if (answer > 0)
                continue; // the class wins against its strongest rival, and so against all
            for (size_t j = 0; j < K * N; j++)
                w[j] += z[j];
        }
    for (size_t c = 0; c < K; c++)
        for (size_t j = 0; j < N; j++) {
            char name[8];
            snprintf(name, sizeof name, "%zu", j + 1);
            assert_same_number(weight_of(model, labels[c], name), w[c * N + j], 1e-9, "a weight");
        }
    tlu_model_free(model);
    dense_free(&data);
}

// The green regions of the Honavar notes: one versus rest says yes to none or to several classes,
// one versus one has a circle.
static void honavar_003_ambiguous_regions(void **state)
{
    (void)state;
    bool ambiguous;
    const double none[] = {-1, -2, -3}, several[] = {1, 2, -3}, one[] = {-1, 2, -3};
    assert_int_equal(
        scheme_elect(&(struct election){.kind = SCHEME_OVR, .classes = 3}, none, &ambiguous), 0);
    assert_true(ambiguous);
    assert_int_equal(
        scheme_elect(&(struct election){.kind = SCHEME_OVR, .classes = 3}, several, &ambiguous), 1);
    assert_true(ambiguous);
    assert_int_equal(
        scheme_elect(&(struct election){.kind = SCHEME_OVR, .classes = 3}, one, &ambiguous), 1);
    assert_false(ambiguous);
    // Pairs 01, 02, 12; above 0 the later class wins. 1 beats 0, 0 beats 2, 2 beats 1: a circle.
    const double circle[] = {1, -1, 1}, clear[] = {1, -1, -1};
    scheme_elect(&(struct election){.kind = SCHEME_OVO, .classes = 3}, circle, &ambiguous);
    assert_true(ambiguous);
    assert_int_equal(
        scheme_elect(&(struct election){.kind = SCHEME_OVO, .classes = 3}, clear, &ambiguous), 1);
    assert_false(ambiguous);
}

// ---- going on, and what does not go together ----

static void feed(tlu_learner *learner, const struct dense *data, size_t from, size_t to)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = from; i < to; i++) {
        tlu_feature features[4];
        for (size_t j = 0; j < 4; j++)
            features[j] = (tlu_feature){names[j], data->x[i * 4 + j]};
        assert_int_equal(
            tlu_learner_learn(learner, features, 4, labels[data->class[i]], 1, NULL, NULL), TLU_OK);
    }
}

// A model made half-way and taken up again ends where an undisturbed run ends.
static void every_online_learner_goes_on(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron", "pa",       "pa1",    "pa2",  "romma",
                                           "aromma",     "alma",     "arow",   "scw1", "scw2",
                                           "hinge",      "logistic", "squared"};
    struct dense data = random_dense(51, 200, 4, 3, 1, false);
    for (size_t k = 0; k < sizeof learners / sizeof learners[0]; k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "learner=%s", learners[k]);
        tlu_options *options = options_of(settings);
        tlu_learner *straight, *first, *second;
        tlu_model *half, *a, *b;
        assert_int_equal(tlu_learner_new(options, &straight, NULL), TLU_OK);
        assert_int_equal(tlu_learner_new(options, &first, NULL), TLU_OK);
        feed(straight, &data, 0, 200);
        feed(first, &data, 0, 100);
        assert_int_equal(tlu_learner_make_model(first, &half, NULL), TLU_OK);
        assert_int_equal(tlu_learner_resume(half, &second, NULL), TLU_OK);
        feed(second, &data, 100, 200);
        assert_int_equal(tlu_learner_make_model(straight, &a, NULL), TLU_OK);
        assert_int_equal(tlu_learner_make_model(second, &b, NULL), TLU_OK);
        for (size_t c = 0; c < 3; c++)
            for (size_t f = 0; f < 4; f++)
                assert_same_number(tlu_model_weight(b, c, f), tlu_model_weight(a, c, f), 1e-9,
                                   learners[k]);
        tlu_learner_free(straight);
        tlu_learner_free(first);
        tlu_learner_free(second);
        tlu_model_free(half);
        tlu_model_free(a);
        tlu_model_free(b);
        tlu_options_free(options);
    }
    dense_free(&data);
}

// What --decide random picks for a row depends on the row alone: not on how its ones are written,
// nor on the order of its entries.
static void random_depends_on_the_row_alone(void **state)
{
    (void)state;
    struct dense data = random_dense(52, 100, 6, 2, 0.7, true);
    write_libsvm("random.svm", &data, labels);
    tlu_model *model = train("random.svm", "decide=random");
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 6; j++) {
            uint32_t there[] = {i, j}, back[] = {j, i};
            float ones[] = {1, 1};
            double a, b, c;
            if (i == j || i >= tlu_model_feature_count(model) ||
                j >= tlu_model_feature_count(model))
                continue;
            class_of_row(model, &(tlu_row){2, there, NULL}, &a);
            class_of_row(model, &(tlu_row){2, there, ones}, &b);
            class_of_row(model, &(tlu_row){2, back, ones}, &c);
            assert_exactly(a, b);
            assert_exactly(a, c);
        }
    tlu_model_free(model);
    dense_free(&data);
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    write_text("pair.svm", "1 1:1\n-1 1:2\n1 1:3\n-1 1:4\n");
    assert_refused("pair.svm", "learner=multinomial-bayes scale=standard", "--scale");
    assert_refused("pair.svm", "learner=pa margin=2", "--margin");
    assert_refused("pair.svm", "learner=hinge decide=vote", "vote");
    assert_refused("pair.svm", "learner=arow kernel=linear", "kernel");
    assert_refused("pair.svm", "learner=rocchio decide=average", "average");
    assert_refused("pair.svm", "ratchet=yes", "--ratchet");
    assert_refused("pair.svm", "kernel=poly", "--kernel");
    assert_refused("pair.svm", "kernel=poly:0", "--kernel");
    assert_refused("pair.svm", "kernel=rbf:-1", "--kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decision_scheme_and_kernel),
        cmocka_unit_test(dual_blocks_kun_002),
        cmocka_unit_test(dual_is_primal_kun_002),
        cmocka_unit_test(dual_threads),
        cmocka_unit_test(bounds_only_where_they_hold),
        cmocka_unit_test(cohen_004_3_5_voting_table),
        cmocka_unit_test(elkan_000_survival_times_add_up),
        cmocka_unit_test(best_is_the_longest_run),
        cmocka_unit_test(ratchet_never_falls_back),
        cmocka_unit_test(kun_002_xor_and_three_points_cycle),
        cmocka_unit_test(honavar_003_rate_from_an_interval_converges),
        cmocka_unit_test(margin_perceptron_reaches_its_margin),
        cmocka_unit_test(honavar_003_kesler_construction),
        cmocka_unit_test(honavar_003_ambiguous_regions),
        cmocka_unit_test(every_online_learner_goes_on),
        cmocka_unit_test(random_depends_on_the_row_alone),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
