// Features that have slots (space/feature_slots.h): the same rows with indices 1, 2, 3, ... and
// with indices that are far apart must give the same weights, bit for bit, whatever the learner.
// With twelve classes the former are at their own numbers, and the latter have slots.
#include "base/fault.h"
#include "checkpointing.h"
#include "learn/learner.h"
#include "model/model.h"
#include "train/train.h"

// ---- the table ----

enum { NUMBERS = 3000, TURNS = 20000 };

// Everything that happens to features, in an array as well.
static void test_table(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    static uint32_t plain[NUMBERS], owner[NUMBERS + 1];
    struct feature_slots *slots = feature_slots_new();
    assert_non_null(slots);
    assert_true(feature_slots_reserve_changes(slots, 0, NUMBERS));
    for (int turn = 0; turn < TURNS; turn++) {
        size_t f = (size_t)random_below(&random, NUMBERS),
               to = (size_t)random_below(&random, f + 1);
        uint64_t what = random_below(&random, 4);
        if (what < 2) {
            uint32_t slot = feature_slots_add(slots, f);
            assert_true(slot > 0 && slot < slots->count && slots->count <= NUMBERS + 1);
            assert_true(plain[f] ? plain[f] == slot : owner[slot] == 0);
            plain[f] = slot;
            owner[slot] = 1;
        } else if (what == 2) {
            assert_true(feature_slots_reserve_changes(slots, f, 1));
            feature_slots_leave(slots, f);
            owner[plain[f]] = 0;
            plain[f] = 0;
        } else if (!plain[to]) {
            feature_slots_rename(slots, f, to);
            plain[to] = plain[f];
            plain[f] = to == f ? plain[f] : 0;
        }
        assert_int_equal(feature_slots_find(slots, f), plain[f]);
    }
    size_t next = 0;
    uint32_t slot;
    for (size_t f = 0; f < NUMBERS; f++) {
        if (!plain[f])
            continue;
        assert_int_equal(feature_slots_next(slots, next, &slot), f);
        assert_int_equal(slot, plain[f]);
        next = f + 1;
    }
    assert_true(feature_slots_next(slots, next, &slot) == SIZE_MAX);
    assert_int_equal(feature_slots_find(slots, SIZE_MAX - 7), 0);
    feature_slots_release(slots);
}

// ---- learning ----

enum { CLASSES = 12, FEATURES = 70, EXAMPLES = 260 };

static uint32_t near(uint32_t k)
{
    return k + 1;
}

static uint32_t far(uint32_t k)
{
    return k % 2 ? (1u << 20) - 2 * FEATURES + k : 14000 * k + 3;
}

static uint32_t feature_at(uint32_t k, bool spread)
{
    // Both ascend: entries are in the same order.
    return !spread ? near(k) : k < FEATURES / 2 ? far(2 * k) : far(2 * (k - FEATURES / 2) + 1);
}

// A class has four features of its own, and there are some others in each row.
static void write_data(const char *path, bool spread, unsigned first, unsigned end)
{
    struct random random;
    random_seed(&random, 17);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (unsigned i = 0; i < end; i++) {
        uint32_t class = (uint32_t)random_below(&random, i < 40 ? 3 : CLASSES);
        float values[FEATURES] = {0};
        for (uint32_t k = 0; k < 4; k++)
            values[class * 4 + k] = (float)random_below(&random, 3);
        for (int n = 0; n < 5; n++)
            values[random_below(&random, FEATURES)] = (float)random_unit(&random) - 0.4f;
        if (i < first)
            continue;
        fprintf(file, "c%u", class);
        for (uint32_t k = 0; k < FEATURES; k++)
            if (values[k] != 0)
                fprintf(file, " %u:%.9g", feature_at(k, spread), (double)values[k]);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void same_numbers(const double *a, const double *b, size_t count, const char *what)
{
    if ((a != NULL) != (b != NULL) || (a && memcmp(a, b, count * sizeof *a) != 0))
        fail_msg("%s: other weights", what);
}

// All that a model has, but for the indices.
static void same_models(const tlu_model *a, const tlu_model *b, const char *what)
{
    const struct weights *x = &a->state.weights, *y = &b->state.weights;
    if (x->features != y->features || x->columns != y->columns)
        fail_msg("%s: %zu x %u and %zu x %u", what, x->features, x->columns, y->features,
                 y->columns);
    size_t cells = x->features * x->columns;
    same_numbers(x->w, y->w, cells, what);
    same_numbers(x->u, y->u, cells, what);
    same_numbers(x->state, y->state, cells, what);
    same_numbers(x->bias, y->bias, x->columns, what);
    same_numbers(x->u_bias, y->u_bias, x->columns, what);
    same_numbers(a->decided.w, b->decided.w, cells, what);
    same_numbers(a->state.group_norm, b->state.group_norm,
                 scheme_groups(a->state.scheme.kind, CLASSES), what);
    same_numbers(x->scale, y->scale, x->columns, what);
    same_numbers(a->scaling.factor, b->scaling.factor, a->scaling.features, what);
    assert_int_equal(a->report.updates, b->report.updates);
    assert_int_equal(a->report.epochs, b->report.epochs);
    assert_true(x->features > FEATURES / 2);
}

static const char *const settings[] = {
    "epochs=3",
    "epochs=3 multiclass=ovr",
    "epochs=3 multiclass=ovo",
    "learner=pa1 epochs=3",
    "learner=romma epochs=3",
    "learner=aromma multiclass=ovr epochs=3",
    "learner=alma epochs=3",
    "learner=arow epochs=3",
    "learner=arow multiclass=ovo epochs=3",
    "learner=scw2 multiclass=ovr",
    "learner=hinge l2=0.01 epochs=4",
    "learner=logistic epochs=3",
    "learner=squared schedule=sqrt l2=0.1 epochs=3",
    "scale=online epochs=3",
    "scale=online learner=arow epochs=3",
    "scale=online learner=romma epochs=3",
    "scale=standard epochs=3",
    "decide=last epochs=3",
    "decide=best epochs=3",
    "decide=best multiclass=ovr epochs=3",
    "decide=best ratchet=yes epochs=2",
    "decide=vote epochs=2",
    "holdout=0.2 epochs=5",
    "shuffle=none epochs=30 learner=perceptron",
    "shuffle=all epochs=3",
    "class-weight=balanced epochs=3",
    "learner=rocchio",
    "learner=rocchio multiclass=ovo",
    "learner=bernoulli-bayes binarize=yes",
    "learner=bernoulli-bayes binarize=yes multiclass=ovr",
    "learner=multinomial-bayes binarize=yes",
    "learner=max-margin C=1",
    "learner=max-margin C=1 multiclass=ovo",
    "learner=max-margin C=1 multiclass=wta",
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void test_training(void **state)
{
    (void)state;
    write_data("near.svm", false, 0, EXAMPLES);
    write_data("far.svm", true, 0, EXAMPLES);
    for (size_t i = 0; i < SETTINGS; i++) {
        tlu_model *a = train("near.svm", settings[i]), *b = train("far.svm", settings[i]);
        same_models(a, b, settings[i]);
        tlu_model_free(a);
        tlu_model_free(b);
    }
}

// Stopped twice, and gone on with each time.
static void test_parts(void **state)
{
    (void)state;
    static const char *const ways[] = {"epochs=5",
                                       "epochs=4 learner=arow",
                                       "epochs=4 learner=romma multiclass=ovr",
                                       "epochs=4 scale=online",
                                       "epochs=4 decide=best",
                                       "epochs=5 holdout=0.2",
                                       "epochs=20 shuffle=none learner=perceptron rate=1",
                                       "epochs=1"};
    write_data("near.svm", false, 0, EXAMPLES);
    write_data("far.svm", true, 0, EXAMPLES);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        tlu_model *a = train("near.svm", ways[i]);
        tlu_model *b = part("far.svm", ways[i], NULL, 30, 0);
        b = part("far.svm", ways[i], b, EXAMPLES - 60, 0);
        b = part("far.svm", ways[i], b, 0, 0);
        same_models(a, b, ways[i]);
        tlu_model_free(a);
        tlu_model_free(b);
    }
}

// ---- streams ----

static tlu_learner *new_learner(const char *how)
{
    tlu_error error;
    tlu_learner *learner;
    tlu_options *options = options_of(how);
    if (tlu_learner_new(options, &learner, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return learner;
}

// One example; `n`: the n-th allocation fails, and it is given again. Tells whether it did fail.
static bool learn(tlu_learner *learner, unsigned i, const char *prefix, bool spread, long n)
{
    struct random random;
    random_seed(&random, i + 1);
    uint32_t class = (uint32_t)random_below(&random, i < 30 ? 2 : CLASSES);
    char label[16], names[6][24];
    tlu_feature features[6];
    snprintf(label, sizeof label, "c%u", class);
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t number = (class * 4 + k * 9 + i % 7) % FEATURES;
        // Numbers past 2^20 are names; these are numbered as they come.
        snprintf(names[k], sizeof names[k], "%s%u", prefix, feature_at(number, spread));
        features[k] = (tlu_feature){names[k], 0.5 + random_unit(&random)};
    }
    tlu_error error;
    fault_at(FAULT_MEMORY, n);
    tlu_status status = tlu_learner_learn(learner, features, 6, label, 1, NULL, &error);
    fault_at(FAULT_MEMORY, 0);
    bool failed = status != TLU_OK;
    if (failed)
        status = tlu_learner_learn(learner, features, 6, label, 1, NULL, &error);
    if (status != TLU_OK)
        fail_msg("%s", error.text);
    return failed;
}

static tlu_model *model_of(tlu_learner *learner)
{
    tlu_error error;
    tlu_model *model;
    if (tlu_learner_make_model(learner, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_learner_free(learner);
    return model;
}

static void libsvm(tlu_learner *learner)
{
    learner->state.schema.base = SCHEMA_DIRECT; // as a reader of LIBSVM sets it
}

static void test_stream(void **state)
{
    (void)state;
    static const char *const ways[] = {"learner=perceptron", "learner=arow scale=online",
                                       "learner=romma", "learner=aromma multiclass=ovr",
                                       "learner=hinge l2=0.01 multiclass=ovo"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        tlu_learner *a = new_learner(ways[w]), *b = new_learner(ways[w]);
        libsvm(a);
        libsvm(b);
        for (unsigned i = 0; i < 150; i++) {
            learn(a, i, "", false, 0);
            learn(b, i, "", true, 0);
            if (i == 20 || i == 90) { // cut: before there are slots, and after
                tlu_model *model = model_of(b);
                tlu_error error;
                if (tlu_learner_resume(model, &b, &error) != TLU_OK)
                    fail_msg("%s", error.text);
                tlu_model_free(model);
            }
        }
        assert_null(a->state.weights.slots);
        assert_non_null(b->state.weights.slots);
        assert_true(b->state.weights.rows <= FEATURES + 1 &&
                    b->state.weights.capacity <= 2 * (FEATURES + 1));
        tlu_model *x = model_of(a), *y = model_of(b);
        same_models(x, y, ways[w]);
        tlu_model_free(x);
        tlu_model_free(y);
    }
}

// --max-features: names that are numbers past 2^20, after indices with a gap before them, forget
// as names of any format do, which have no gap.
static void test_forgetting(void **state)
{
    (void)state;
    static const char *const ways[] = {"max-features=20", "max-features=20 learner=arow",
                                       "max-features=20 learner=romma scale=online"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        tlu_learner *a = new_learner(ways[w]), *b = new_learner(ways[w]);
        libsvm(b);
        for (unsigned i = 0; i < 150; i++) {
            learn(a, i, "x", false, 0);
            learn(b, i, "77777777", false, 0);
        }
        assert_true(a->pruning.forgotten > 0 && a->pruning.forgotten == b->pruning.forgotten);
        assert_null(a->state.weights.slots);
        assert_non_null(b->state.weights.slots);
        assert_true(b->state.weights.rows <= 20 + 6 + 1); // those forgotten have left their slots
        tlu_model *x = model_of(a), *y = model_of(b);
        size_t cells = x->state.weights.features * x->state.weights.columns;
        assert_int_equal(x->state.weights.features, y->state.weights.features);
        same_numbers(x->state.weights.w, y->state.weights.w, cells, ways[w]);
        same_numbers(x->state.weights.u, y->state.weights.u, cells, ways[w]);
        same_numbers(x->state.weights.state, y->state.weights.state, cells, ways[w]);
        same_numbers(x->state.group_norm, y->state.group_norm, 1, ways[w]);
        tlu_model_free(x);
        tlu_model_free(y);
    }
}

// Wherever memory runs out, an example that was refused can be given again.
static void test_no_memory(void **state)
{
    (void)state;
    static const char *const ways[] = {"learner=perceptron", "learner=arow scale=online"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        tlu_learner *whole = new_learner(ways[w]);
        libsvm(whole);
        for (unsigned i = 0; i < 60; i++)
            learn(whole, i, "", true, 0);
        tlu_model *expected = model_of(whole);
        long failures = 0, most = 1, next;
        for (long n = 1; n <= most && n < 40; n = next) {
            next = n + 1 + (getenv("TLU_LONG") ? 0 : n / 6);
            tlu_learner *learner = new_learner(ways[w]);
            libsvm(learner);
            for (unsigned i = 0; i < 60; i++) // the third class, and with it slots, comes at 30
                if (learn(learner, i, "", true, i < 2 || (i > 27 && i < 40) ? n : 0)) {
                    failures++;
                    most = next;
                }
            assert_non_null(learner->state.weights.slots);
            tlu_model *model = model_of(learner);
            same_models(expected, model, ways[w]);
            tlu_model_free(model);
        }
        assert_true(failures > 40);
        tlu_model_free(expected);
    }
}

// ---- how much it takes ----

// A hundred classes against each other are 4,950 columns; with a row of zeros for each index up to
// the highest that would be 40 GB an array.
static void test_room(void **state)
{
    (void)state;
    FILE *file = fopen("pairs.svm", "w");
    assert_non_null(file);
    for (int i = 0; i < 100; i++)
        fprintf(file, "%d %d:1\n", i, (1 << 20) - 1 - i);
    assert_int_equal(fclose(file), 0);
    tlu_options *options = options_of("multiclass=ovo");
    struct training training = {.rows.path = "pairs.svm"};
    tlu_error error;
    if (training_run(&training, options, NULL, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(training.learner.state.weights.columns, 4950);
    assert_int_equal(training.learner.state.weights.rows, 101);
    assert_true(training.learner.state.weights.capacity <= 202);
    training_free(&training);
    tlu_options_free(options);
}

// The pair of each column of one versus one, and back.
static void test_pairs(void **state)
{
    (void)state;
    uint32_t column = 0, i, j;
    for (uint32_t b = 1; b < 1000; b++)
        for (uint32_t a = 0; a < b; a++, column++) {
            scheme_unpair(column, &i, &j);
            assert_true(i == a && j == b && scheme_pair(a, b) == column);
        }
    for (uint32_t b = 32000; b < 32768; b++) {
        scheme_unpair(scheme_pair(0, b), &i, &j);
        assert_true(i == 0 && j == b);
        scheme_unpair(scheme_pair(b - 1, b), &i, &j);
        assert_true(i == b - 1 && j == b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_training),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_stream),
        cmocka_unit_test(test_forgetting), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_room),       cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
