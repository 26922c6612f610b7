// A learner that is saved in the middle of a stream and resumed gives the same bits as one that
// never stopped, whatever the learner, the decision and the scheme; and a model of `tlu train` goes
// on where training stopped.
#include "learn/learner.h"
#include "model/model.h"
#include "prefetching.h"

enum { MAX_FEATURES = 6 };

// Of every kind that goes row by row.
static const char *const learners[] = {
    "learner=perceptron",
    "learner=perceptron rate=0.1:0.7",
    "learner=perceptron margin=2 tie=positive",
    "learner=perceptron tie=negative no-bias=yes class-weight=zz=3,c=0.3",
    "learner=pa",
    "learner=pa1 C=0.3 class-weight=zz=0.5,10=2",
    "learner=pa2 no-bias=yes",
    "learner=romma",
    "learner=romma class-weight=zz=2.5 tie=positive",
    "learner=aromma",
    "learner=alma",
    "learner=alma alpha=0.5 class-weight=c=1.5",
    "learner=arow",
    "learner=arow r=0.3 class-weight=m=2,zz=0.1",
    "learner=arow diagonal=precision r=0.7",
    "learner=scw1",
    "learner=scw2 diagonal=precision",
    "learner=scw2",
    "learner=hinge schedule=constant",
    "learner=hinge schedule=sqrt l2=0.05",
    "learner=hinge schedule=adagrad l2=0.3 rate=0.1:0.9",
    "learner=logistic schedule=constant l2=0.1",
    "learner=logistic schedule=sqrt rate=0.2:0.5",
    "learner=logistic schedule=adagrad",
    "learner=squared schedule=constant l2=0.9 class-weight=10=1.5",
    "learner=squared schedule=sqrt l2=0.02 rate=0.3:0.5",
    "learner=squared schedule=adagrad",
};
enum { LEARNERS = sizeof learners / sizeof learners[0] };

// Not in the order in which labels are sorted.
static const char *const labels[] = {"m", "c", "10", "a", "-3", "zz"};
static const char *const two[] = {"-1", "+1"};
static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};

struct row {
    tlu_feature features[MAX_FEATURES];
    char names[MAX_FEATURES][16];
    size_t count;
    const char *label;
    double weight;
};

// Row `i` of an endless stream in which a class turns up every `step` rows and features go on
// turning up. Half of the values are small whole numbers, so that scores tie.
static struct row some_row(struct random *random, size_t i, size_t classes, size_t step)
{
    struct row row = {.weight = 1};
    size_t met = i / step + 1 < classes ? i / step + 1 : classes, class = i / step;
    if (i % step || class >= classes)
        class = (size_t)random_below(random, met);
    row.label = labels[class];
    if (random_below(random, 4) == 0)
        row.weight = 0.25 + random_unit(random);
    uint64_t known = 8 + i / 4, first = random_below(random, known);
    row.count = (size_t)random_below(random, MAX_FEATURES + 1);
    for (size_t k = 0; k < row.count; k++) { // distinct, in no order
        uint64_t number = (i % 3 ? first + k : first + known - k) % known * 37 % 1009;
        snprintf(row.names[k], sizeof row.names[k], number % 3 ? "%d" : "w=%d", (int)number);
        row.features[k].value = i % 2 ? random_normal(random) + (double)(class == k)
                                      : (double)random_below(random, 5) - 2;
    }
    return row;
}

static void name_features(struct row *row) // in the place where it is now
{
    for (size_t k = 0; k < row->count; k++)
        row->features[k].name = row->names[k];
}

static tlu_learner *resume(tlu_model *model)
{
    tlu_learner *learner;
    tlu_error error;
    if (tlu_learner_resume(model, &learner, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_model_free(model);
    return learner;
}

// ---- A stream with pauses ----------------------------------------------------------------------

// What a learner says about a row before and after it has learned it.
struct answer {
    const char *label;
    double score, after;
    int mistake;
};

static struct answer answer_of(tlu_learner *learner, const struct row *row)
{
    struct answer answer = {0};
    tlu_error error;
    const char *label;
    if (tlu_learner_predict(learner, row->features, row->count, &answer.label, &answer.score,
                            &error) != TLU_OK ||
        tlu_learner_learn(learner, row->features, row->count, row->label, row->weight,
                          &answer.mistake, &error) != TLU_OK ||
        tlu_learner_predict(learner, row->features, row->count, &label, &answer.after, &error) !=
            TLU_OK)
        fail_msg("%s", error.text);
    return answer;
}

static void assert_same_answer(const struct answer *a, const struct answer *b, const char *what,
                               size_t i)
{
    bool same = (a->label == b->label || strcmp(a->label, b->label) == 0) &&
                memcmp(&a->score, &b->score, sizeof a->score) == 0 &&
                memcmp(&a->after, &b->after, sizeof a->after) == 0 && a->mistake == b->mistake;
    if (!same)
        fail_msg("%s, row %zu: %s %.17g, then %.17g, not %s %.17g, then %.17g", what, i, b->label,
                 b->score, b->after, a->label, a->score, a->after);
}

// Pauses: the model is made and thrown away, or goes on in memory, or through a file.
static tlu_learner *checkpoint_somehow(tlu_learner *learner, uint64_t how)
{
    tlu_model *model = model_of(learner);
    if (how == 0) {
        tlu_model_free(model);
        return learner;
    }
    tlu_learner_free(learner);
    return resume(how == 1 ? model : through_a_file(model));
}

// Several labels per row: that of the row, and others, or none.
static void add_labels(struct row *row, char list[64], size_t i, size_t classes)
{
    snprintf(list, 64, "%s", i % 5 == 3 ? "" : row->label);
    for (size_t c = 0; i % 3 == 1 && list[0] && c < classes; c += 2)
        if (strcmp(labels[c], row->label) != 0 && i > 30)
            snprintf(list + strlen(list), 64 - strlen(list), ",%s", labels[c]);
    row->label = list;
}

static void run_with_pauses(const char *settings, size_t classes, uint64_t seed)
{
    enum { ROWS = 150 };
    struct random random;
    random_seed(&random, seed);
    tlu_learner *whole = learner_of(settings), *part = learner_of(settings);
    size_t step = 1 + (size_t)random_below(&random, 24);
    for (size_t i = 0; i < ROWS; i++) {
        struct row row = some_row(&random, i, classes, step);
        char list[64];
        name_features(&row);
        if (strstr(settings, "multilabel"))
            add_labels(&row, list, i, classes);
        struct answer a = answer_of(whole, &row), b = answer_of(part, &row);
        assert_same_answer(&a, &b, settings, i);
        tlu_learner_stats left = *tlu_learner_get_stats(whole),
                          right = *tlu_learner_get_stats(part);
        assert_memory_equal(&left, &right, sizeof left);
        uint64_t how = random_below(&random, 30);
        if (how < 3 && right.classes >= 2)
            part = checkpoint_somehow(part, how);
    }
    tlu_model *a = model_of(whole), *b = model_of(part);
    assert_same_model(a, b);
    tlu_model_free(a);
    tlu_model_free(b);
    tlu_learner_free(whole);
    tlu_learner_free(part);
}

static void pauses_change_nothing(void **state)
{
    (void)state;
    static const char *const schemes[] = {"", "multiclass=wta", "multiclass=ovr", "multiclass=ovo",
                                          "multiclass=ovr multilabel=yes"};
    static const char *const decisions[] = {"average", "last", "adaptive", "adaptive scale=recent"};
    for (size_t i = 0; i < LEARNERS; i++)
        for (size_t decision = 0; decision < 4; decision++)
            for (size_t scheme = 0; scheme < 5; scheme++) {
                char settings[200];
                snprintf(settings, sizeof settings, "%s decide=%s %s", learners[i],
                         decisions[decision], schemes[scheme]);
                run_with_pauses(settings, scheme ? 6 : 2, 16 * i + 4 * decision + scheme);
            }
}

// ---- From a file to a stream -------------------------------------------------------------------

static void learn_rows(tlu_learner *learner, const struct dense *data, size_t from, size_t to,
                       const char *const *data_labels)
{
    tlu_feature features[10];
    tlu_error error;
    for (size_t i = from; i < to; i++) {
        for (size_t k = 0; k < data->features; k++)
            features[k] = (tlu_feature){names[k], data->x[i * data->features + k]};
        if (tlu_learner_learn(learner, features, data->features, data_labels[data->class[i]], 1,
                              NULL, &error) != TLU_OK)
            fail_msg("%s", error.text);
    }
}

static void assert_same_cells(const double *a, const double *b, size_t count, const char *what)
{
    if (!a != !b || (a && count && memcmp(a, b, count * sizeof *a) != 0))
        fail_msg("%s: not the same bits", what);
}

// All but the options and the report, which tell of files.
static void assert_same_state(const tlu_model *a, const tlu_model *b, const char *what)
{
    const struct weights *v = &a->state.weights, *w = &b->state.weights;
    uint32_t classes = schema_classes(&a->state.schema),
             groups = scheme_groups(a->state.scheme.kind, classes);
    assert_int_equal(v->features, w->features);
    assert_int_equal(v->columns, w->columns);
    size_t cells = v->features * v->columns;
    assert_exactly(v->steps, w->steps);
    assert_same_cells(v->w, w->w, cells, what);
    assert_same_cells(v->u, w->u, cells, what);
    assert_same_cells(v->state, w->state, cells, what);
    assert_same_cells(v->bias, w->bias, v->columns, what);
    assert_same_cells(v->u_bias, w->u_bias, v->columns, what);
    assert_same_cells(v->state_bias, w->state_bias, v->columns, what);
    assert_memory_equal(&a->state.random, &b->state.random, sizeof a->state.random);
    assert_memory_equal(a->state.scheme.class_examples, b->state.scheme.class_examples,
                        classes * sizeof(uint64_t));
    assert_int_equal(a->report.updates, b->report.updates);
    assert_int_equal(a->order == NULL, b->order == NULL);
    if (a->order)
        assert_memory_equal(a->order, b->order, classes * sizeof *a->order);
    assert_same_cells(a->state.group_norm, b->state.group_norm, groups, what);
    assert_same_cells(v->scale, w->scale, v->columns, what);
    assert_same_cells(v->sum, w->sum, v->columns, what);
    assert_same_cells(v->sum_at, w->sum_at, v->columns, what);
    if (a->state.group_updates)
        assert_memory_equal(a->state.group_updates, b->state.group_updates,
                            groups * sizeof *a->state.group_updates);
}

// A pass over a file, and one over its first half that goes on as a stream. Classes that a file
// looks ahead for are in play from its first row on, so all of them are in the first half.
static void file_and_stream(const char *learner, const char *scheme, size_t classes, uint64_t seed)
{
    const char *const *data_labels = classes == 2 ? two : labels;
    struct dense data = random_dense(seed, 200, 10, classes, seed % 2 ? 1 : 0.6, false);
    struct dense half = data;
    char settings[200];
    half.rows = 100;
    for (size_t k = 0; k < 10; k++) // a stream meets the features in the order of their indices
        data.x[k] = 0.5;
    write_libsvm("all.svm", &data, data_labels);
    write_libsvm("half.svm", &half, data_labels);
    snprintf(settings, sizeof settings, "%s %s epochs=1 shuffle=none", learner, scheme);
    tlu_model *file = train("all.svm", settings);
    tlu_learner *both = resume(through_a_file(train("half.svm", settings)));
    learn_rows(both, &data, 100, 200, data_labels);
    tlu_model *found = model_of(both);
    assert_same_state(file, found, learner);
    assert_int_equal(tlu_learner_get_stats(both)->mistakes, file->report.mistakes[0]);
    tlu_model_free(found);
    tlu_learner_free(both);
    if (classes == 2 && !strstr(learner, "tie=")) { // which know both classes in advance
        snprintf(settings, sizeof settings, "%s %s", learner, scheme);
        tlu_learner *stream = learner_of(settings);
        learn_rows(stream, &data, 0, 200, data_labels);
        found = model_of(stream);
        assert_same_state(file, found, learner);
        tlu_model_free(found);
        tlu_learner_free(stream);
    }
    tlu_model_free(file);
    dense_free(&data);
}

static void a_file_goes_on_as_a_stream(void **state)
{
    (void)state;
    static const char *const schemes[] = {"", "multiclass=wta decide=last", "multiclass=ovr",
                                          "multiclass=ovo"};
    for (size_t i = 0; i < LEARNERS; i++) {
        if (strstr(learners[i], "class-weight")) // of labels that two classes do not have
            continue;
        for (size_t scheme = 0; scheme < 4; scheme++)
            file_and_stream(learners[i], schemes[scheme], scheme ? 5 : 2, 400 + 4 * i + scheme);
    }
}

// Many passes, then a stream: nothing is lost on the way there and back.
static void a_trained_model_comes_back(void **state)
{
    (void)state;
    static const char *const schemes[] = {"multiclass=wta", "multiclass=ovr", "multiclass=ovo"};
    struct dense data = random_dense(31, 120, 10, 5, 0.4, false);
    write_libsvm("many.svm", &data, labels);
    for (size_t i = 0; i < LEARNERS; i++) {
        char settings[200];
        snprintf(settings, sizeof settings, "%s %s epochs=4", learners[i], schemes[i % 3]);
        if (strstr(settings, "class-weight"))
            continue;
        tlu_model *before = through_a_file(train("many.svm", settings));
        uint64_t mistakes = 0;
        for (uint64_t pass = 0; pass < before->report.epochs; pass++)
            mistakes += before->report.mistakes[pass];
        tlu_learner *learner;
        assert_int_equal(tlu_learner_resume(before, &learner, NULL), TLU_OK);
        assert_int_equal(tlu_learner_get_stats(learner)->mistakes, mistakes);
        assert_int_equal(tlu_learner_get_stats(learner)->examples, 120 * before->report.epochs);
        tlu_model *after = model_of(learner);
        assert_same_state(before, after, settings);
        tlu_model_free(before);
        tlu_model_free(after);
        tlu_learner_free(learner);
    }
    dense_free(&data);
}

// Index 9 and index 3 never get a weight: they are not in the model, but were met.
static void indices_without_a_weight_are_remembered(void **state)
{
    (void)state;
    write_text("gaps.svm", "a 5:1 1048577:1\nb 5:-1 1048577:1\nb 3:1 5:-3 9:1\n");
    tlu_model *model = through_a_file(train("gaps.svm", "epochs=1 shuffle=none no-bias=yes"));
    assert_int_equal(tlu_model_feature_find(model, "9"), TLU_NONE);
    assert_int_equal(model->state.schema.base, SCHEMA_DIRECT);
    assert_int_equal(model->state.schema.direct.lowest, 3);
    assert_int_equal(model->state.schema.direct.highest, 9);
    uint64_t features = model->report.features;
    assert_int_equal(features, 10); // 1 to 9, and one more
    tlu_learner *learner = resume(model);
    assert_int_equal(tlu_learner_get_stats(learner)->features, features);
    assert_int_equal(learner->state.weights.features, SCHEMA_DIRECT + 1);
    tlu_feature x[] = {{"3", 1}, {"7", 2}};
    assert_int_equal(tlu_learner_learn(learner, x, 2, "a", 1, NULL, NULL), TLU_OK);
    model = model_of(learner);
    assert_int_equal(model->state.schema.numbered, 3);
    assert_int_equal(model->report.features, features);
    tlu_model_free(model);
    tlu_learner_free(learner);
}

// Weights 0 whose variances are no longer those of the start.
static void states_without_a_weight_are_kept(void **state)
{
    (void)state;
    // y = -1: m = 0, v = 1, beta = 1/2, so that w = -1/2 and s = 1/2. Then y = +1: m = -1/2,
    // v = 1/2, beta = 2/3, alpha = 1, so that w = 0 and s = 1/2 - 2/3 * 1/4.
    write_text("zero.svm", "a 7:1\nb 7:1\n");
    tlu_model *model =
        train("zero.svm", "learner=arow r=1 decide=last epochs=1 shuffle=none no-bias=yes");
    size_t feature = tlu_model_feature_find(model, "7");
    assert_true(feature != TLU_NONE);
    assert_exactly(model->state.weights.w[feature], 0);
    assert_same_number(model->state.weights.state[feature], 1.0 / 3, 1e-15, "the variance");
    tlu_model_free(model);
}

// ---- What else a model tells -------------------------------------------------------------------

// ALMA's weights are never longer than 1, the best pass's on held-out rows included.
static void weights_of_the_best_pass_are_multiplied_out(void **state)
{
    (void)state;
    struct dense data = random_dense(77, 300, 10, 2, 1, false);
    write_libsvm("held.svm", &data, two);
    tlu_model *model = train("held.svm", "learner=alma decide=last holdout=0.3 epochs=99");
    assert_true(model->report.best_epoch < model->report.epochs); // else this would tell nothing
    double square = model->decided.bias[0] * model->decided.bias[0];
    for (size_t f = 0; f < model->state.weights.features; f++)
        square += model->decided.w[f] * model->decided.w[f];
    assert_true(square <= 1 + 1e-9 && square > 0.01);
    assert_same_number(model->state.group_norm[0], square, 1e-9, "the square");
    tlu_learner_free(resume(model));
    dense_free(&data);
}

static void what_cannot_go_on_says_why(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"kernel=poly:2", "with a kernel"},    {"decide=vote", "--decide vote"},
        {"decide=random", "--decide random"},  {"decide=best", "--decide best"},
        {"learner=rocchio", "rocchio"},        {"learner=max-margin", "max-margin"},
        {"class-weight=balanced", "balanced"},
    };
    write_text("few.svm", "b 1:1\na 1:-1\nb 1:2 2:1\na 2:-1\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = through_a_file(train("few.svm", cases[i][0]));
        tlu_learner *learner;
        tlu_error error;
        assert_int_equal(tlu_learner_resume(model, &learner, &error), TLU_ERROR_INPUT);
        assert_null(learner);
        if (!strstr(error.text, cases[i][1]) || !strstr(error.text, "stream"))
            fail_msg("'%s' does not speak of '%s'", error.text, cases[i][1]);
        tlu_model_free(model);
    }
}

// A class that --class-weight names may still be to come.
static void weights_of_classes_to_come_are_no_obstacle(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("class-weight=late=4 decide=last no-bias=yes");
    tlu_feature x = {"x", 1}, y = {"y", 1};
    tlu_learner_learn(learner, &x, 1, "a", 1, NULL, NULL);
    tlu_learner_learn(learner, &y, 1, "b", 1, NULL, NULL);
    learner = checkpoint_somehow(learner, 2);
    tlu_learner_learn(learner, &x, 1, "late", 1, NULL, NULL);
    tlu_model *model = model_of(learner);
    assert_exactly(weight_of(model, "late", "x"), 4);
    tlu_model_free(model);
    tlu_learner_free(learner);
}

static void every_learner_of_streams_is_here(void **state)
{
    (void)state;
    const tlu_learner_info *info;
    for (size_t i = 0; (info = tlu_learner_at(i)); i++) {
        bool found = !strstr(info->decisions, "adaptive"); // it cannot learn from a stream
        for (size_t k = 0; k < sizeof learners / sizeof learners[0]; k++) {
            const char *name = learners[k] + strlen("learner=");
            size_t length = strcspn(name, " ");
            found |= length == strlen(info->name) && memcmp(name, info->name, length) == 0;
        }
        if (!found)
            fail_msg("%s is not tested", info->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_learner_of_streams_is_here),
        cmocka_unit_test(pauses_change_nothing),
        cmocka_unit_test(a_file_goes_on_as_a_stream),
        cmocka_unit_test(a_trained_model_comes_back),
        cmocka_unit_test(indices_without_a_weight_are_remembered),
        cmocka_unit_test(states_without_a_weight_are_kept),
        cmocka_unit_test(weights_of_the_best_pass_are_multiplied_out),
        cmocka_unit_test(what_cannot_go_on_says_why),
        cmocka_unit_test(weights_of_classes_to_come_are_no_obstacle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
