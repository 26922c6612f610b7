// --decide vote and random of learners with states, whose steps add gains of their own: against the
// second implementation of these learners (online_reference.h), which keeps every weight vector of
// a run; and the last weights against the sum of all gains.
#include "learning.h"
#include "model/score/score.h"
#include "online_reference.h"

enum { FEATURES = 6, ROWS = 70, PASSES = 2, MAX_COLUMNS = 6, LONGEST = ROWS * PASSES };

// Another order than that of the first rows.
static const char *const labels[] = {"m", "z", "a", "k"};

// ---- the run, with every weight vector ----

struct slow {
    struct parameters with;
    char scheme; // '2', 'w'ta, 'r'est, 'o'ne
    bool bias;
    size_t classes, columns, time;
    double x[ROWS][FEATURES + 1]; // scaled, the bias last
    struct problem problems[MAX_COLUMNS];
    double w[LONGEST][MAX_COLUMNS][FEATURES + 1]; // after each example
};

static size_t width_of(const struct slow *slow)
{
    return FEATURES + slow->bias;
}

// As the learner meets them: the order of the first rows.
static size_t pair_of(size_t a, size_t b)
{
    return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b;
}

static void ask(struct slow *slow, size_t column, const double *x, double y)
{
    double z[MAX_SIZE] = {0};
    struct problem *problem = &slow->problems[column];
    for (size_t i = 0; i < width_of(slow); i++)
        z[i] = y * x[i];
    problem_learn(problem, &slow->with, z, dot(problem->w, z, width_of(slow)), 1);
}

static void ask_winner(struct slow *slow, const double *x, size_t k)
{
    struct problem *problem = &slow->problems[0];
    double scores[MAX_COLUMNS] = {0}, z[MAX_SIZE] = {0};
    size_t rival = k == 0 ? 1 : 0, width = width_of(slow);
    for (size_t c = 0; c < slow->classes; c++)
        scores[c] = dot(problem->w + c * width, x, width);
    for (size_t c = 0; c < slow->classes; c++)
        if (c != k && scores[c] > scores[rival])
            rival = c;
    for (size_t i = 0; i < width; i++) {
        z[k * width + i] = x[i];
        z[rival * width + i] = -x[i];
    }
    problem_learn(problem, &slow->with, z, scores[k] - scores[rival], 1);
}

static void slow_learn(struct slow *slow, const double *x, size_t k)
{
    if (slow->scheme == '2')
        ask(slow, 0, x, k == 1 ? 1 : -1);
    if (slow->scheme == 'w')
        ask_winner(slow, x, k);
    for (size_t c = 0; slow->scheme == 'r' && c < slow->classes; c++)
        ask(slow, c, x, c == k ? 1 : -1);
    for (size_t c = 0; slow->scheme == 'o' && c < slow->classes; c++)
        if (c != k)
            ask(slow, pair_of(c, k), x, k > c ? 1 : -1);
    for (size_t c = 0; c < slow->columns; c++)
        for (size_t i = 0; i < width_of(slow); i++)
            slow->w[slow->time][c][i] = slow->scheme == 'w'
                                            ? slow->problems[0].w[c * width_of(slow) + i]
                                            : slow->problems[c].w[i];
    slow->time++;
}

static void slow_run(struct slow *slow, const struct dense *data, const struct scaling *scaling)
{
    size_t size = slow->scheme == 'w' ? width_of(slow) * slow->classes : width_of(slow);
    slow->columns = slow->scheme == '2'   ? 1
                    : slow->scheme == 'o' ? slow->classes * (slow->classes - 1) / 2
                                          : slow->classes;
    for (size_t c = 0; c < slow->columns; c++)
        problem_start(&slow->problems[c], size, 1);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < FEATURES; j++) {
            double x = data->x[i * FEATURES + j];
            slow->x[i][j] =
                scaling->kind ? (double)(float)((x - scaling->shift[j]) * scaling->factor[j]) : x;
        }
        slow->x[i][FEATURES] = 1;
    }
    for (size_t n = 0; n < LONGEST; n++)
        slow_learn(slow, slow->x[n % ROWS], data->class[n % ROWS]);
}

// ---- in the columns of the model, whose classes are in the order of their labels ----

// The learner's class of the model's.
static size_t class_of(const tlu_model *model, size_t k)
{
    size_t c = 0;
    while (strcmp(labels[c], tlu_model_class_label(model, k)) != 0)
        c++;
    return c;
}

// Scores after example t.
static void slow_scores(const struct slow *slow, const tlu_model *model, const double *x, size_t t,
                        double *scores)
{
    size_t width = width_of(slow);
    if (slow->scheme == '2') // the score is that of the label that comes last
        scores[0] = (class_of(model, 1) == 1 ? 1 : -1) * dot(slow->w[t][0], x, width);
    for (size_t b = 0; slow->scheme != '2' && b < slow->classes; b++) {
        size_t k = class_of(model, b);
        if (slow->scheme != 'o')
            scores[b] = dot(slow->w[t][k], x, width);
        for (size_t a = 0; slow->scheme == 'o' && a < b; a++) {
            size_t other = class_of(model, a);
            scores[pair_of(a, b)] =
                (k > other ? 1 : -1) * dot(slow->w[t][pair_of(k, other)], x, width);
        }
    }
}

static void slow_votes(const struct slow *slow, const tlu_model *model, const double *x,
                       double *votes)
{
    double scores[MAX_COLUMNS];
    memset(votes, 0, slow->columns * sizeof *votes);
    for (size_t t = 0; t < slow->time; t++) {
        size_t winner = 0;
        slow_scores(slow, model, x, t, scores);
        for (size_t c = 0; c < slow->columns; c++) {
            if (scores[c] > scores[winner])
                winner = c;
            if (slow->scheme != 'w')
                votes[c] += scores[c] >= 0 ? 1 : -1;
        }
        if (slow->scheme == 'w')
            votes[winner]++;
    }
    for (size_t c = 0; c < slow->columns; c++)
        votes[c] /= (double)slow->time;
}

// Whether the scores are those of one of the weight vectors, the first of which is 0 and the last
// of which met no example.
static bool is_of_some_time(const struct slow *slow, const tlu_model *model, const double *x,
                            const double *found)
{
    double scores[MAX_COLUMNS] = {0};
    for (size_t t = 0; t < slow->time; t++) {
        bool same = true;
        if (t > 0)
            slow_scores(slow, model, x, t - 1, scores);
        for (size_t c = 0; c < slow->columns; c++)
            same = same && fabs(scores[c] - found[c]) <= 1e-9 * fmax(1, fabs(scores[c]));
        if (same)
            return true;
    }
    return false;
}

static void model_says(const tlu_model *model, const double *x, double *scores)
{
    uint32_t features[FEATURES];
    float values[FEATURES];
    tlu_row row = {0, features, values};
    for (size_t j = 0; j < FEATURES; j++)
        if (x[j] != 0) { // features are in the order of their indices
            features[row.count] = (uint32_t)j;
            values[row.count++] = (float)x[j];
        }
    struct score_scratch room = {0};
    assert_true(model_scores(model, &row, 1, scores, &room));
    score_scratch_free(&room);
}

static void compare(const struct slow *slow, const struct dense *data, const tlu_model *model,
                    const char *settings)
{
    for (size_t i = 0; i < ROWS; i++) {
        double found[MAX_COLUMNS], expected[MAX_COLUMNS];
        model_says(model, data->x + i * FEATURES, found);
        if (model->state.decision.kind == DECIDE_RANDOM) {
            assert_true(is_of_some_time(slow, model, slow->x[i], found));
            continue;
        }
        slow_votes(slow, model, slow->x[i], expected);
        for (size_t c = 0; c < slow->columns; c++)
            assert_same_number(found[c], expected[c], 1e-12, settings);
    }
}

static const struct parameters learners[] = {
    {.learner = "arow", .r = 10},
    {.learner = "arow", .r = 10, .precision = true},
    {.learner = "scw1", .C = 0.1, .confidence = 0.75},
    {.learner = "scw2", .C = 0.1, .confidence = 0.75},
};

static void try_variant(int variant, size_t learner, const char *decide)
{
    struct slow *slow = calloc(1, sizeof *slow);
    assert_non_null(slow);
    slow->with = learners[learner];
    slow->scheme = "2wro"[variant >> 2];
    slow->bias = variant & 1;
    slow->classes = slow->scheme == '2' ? 2 : 4;
    char settings[200];
    snprintf(settings, sizeof settings,
             "learner=%s decide=%s epochs=%d shuffle=none multiclass=%s no-bias=%s scale=%s "
             "diagonal=%s",
             slow->with.learner, decide, PASSES,
             slow->scheme == 'r'   ? "ovr"
             : slow->scheme == 'o' ? "ovo"
                                   : "wta",
             slow->bias ? "no" : "yes", variant & 2 ? "standard" : "none",
             slow->with.precision ? "precision" : "covariance");
    struct dense data =
        random_dense((uint64_t)variant + 50, ROWS, FEATURES, slow->classes, 0.7, false);
    write_libsvm("gains.svm", &data, labels);
    tlu_model *model = train("gains.svm", settings), *loaded;
    assert_int_equal(tlu_model_report(model)->epochs, PASSES);
    slow_run(slow, &data, &model->scaling);
    compare(slow, &data, model, settings);
    assert_int_equal(tlu_model_save(model, "gains.tlu", NULL), TLU_OK);
    assert_int_equal(tlu_model_load("gains.tlu", &loaded, NULL), TLU_OK);
    compare(slow, &data, loaded, settings);
    assert_same_model(model, loaded);
    tlu_model_free(loaded);
    tlu_model_free(model);
    dense_free(&data);
    free(slow);
}

static void votes_are_those_of_all_weight_vectors(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++)
        for (size_t learner = 0; learner < sizeof learners / sizeof learners[0]; learner++)
            try_variant(variant, learner, "vote");
}

static void a_pick_is_one_of_the_weight_vectors(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++)
        try_variant(variant, (size_t)variant % 4, "random");
}

// ---- the sum of all gains ----

static void assert_gains_add_up(const tlu_model *model)
{
    const struct weights *weights = &model->state.weights;
    size_t columns = weights->columns, cells = weights->features * columns, at = 0;
    double *w = calloc(cells + columns, sizeof *w);
    assert_non_null(w);
    bool bias = !options_flag(model->state.options, OPTION_NO_BIAS);
    for (size_t n = 0; n < model->state.decision.history->count; n++) {
        const struct history_step *step = &model->state.decision.history->steps[n];
        const tlu_row *row = &model->supports.row[step->id];
        for (int p = 0; p < 2; p++) {
            for (size_t k = 0; step->sign[p] && k < row->count; k++)
                w[row->features[k] * columns + step->column[p]] +=
                    step->sign[p] * model->state.decision.history->gains[at++];
            if (step->sign[p] && bias)
                w[cells + step->column[p]] +=
                    step->sign[p] * model->state.decision.history->gains[at++];
        }
    }
    assert_int_equal(at, model->state.decision.history->gain_count);
    for (size_t i = 0; i < cells; i++)
        assert_true(w[i] == weights->w[i]);
    for (size_t c = 0; c < columns; c++)
        assert_true(w[cells + c] == weights->bias[c]);
    free(w);
}

static void gains_add_up_to_the_weights(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "epochs=3",
        "epochs=3 multiclass=ovr no-bias=yes",
        "epochs=3 multiclass=ovo scale=standard",
        "epochs=9 holdout=0.3 patience=2 shuffle=all",
        "epochs=3 multiclass=ovo diagonal=precision class-weight=balanced",
        "epochs=2 hash=10",
    };
    struct dense data = random_dense(9, 200, FEATURES, 4, 0.5, false);
    write_libsvm("sums.svm", &data, labels);
    for (size_t learner = 1; learner < sizeof learners / sizeof learners[0]; learner++)
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            char all[200];
            snprintf(all, sizeof all, "learner=%s decide=%s %s", learners[learner].learner,
                     i % 2 ? "random" : "vote", settings[i]);
            tlu_model *model = train("sums.svm", all);
            assert_true(model->state.decision.history->count > 50);
            assert_gains_add_up(model);
            tlu_model_free(model);
        }
    dense_free(&data);
}

// Others have none, and no room for any.
static void others_keep_no_gains(void **state)
{
    (void)state;
    struct dense data = random_dense(9, 60, FEATURES, 3, 0.5, false);
    write_libsvm("none.svm", &data, labels);
    tlu_model *model = train("none.svm", "learner=pa decide=vote epochs=2");
    assert_true(model->state.decision.history->count > 0);
    assert_null(model->state.decision.history->gains);
    assert_int_equal(model->state.decision.history->gain_count, 0);
    tlu_model_free(model);
    dense_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_are_those_of_all_weight_vectors),
        cmocka_unit_test(a_pick_is_one_of_the_weight_vectors),
        cmocka_unit_test(gains_add_up_to_the_weights),
        cmocka_unit_test(others_keep_no_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
