// Rows that callers of the library give: features that the model does not know are ignored;
// repeated features and values that are not finite are errors. A model of every kind.
#include "base/fault.h"
#include "learning.h"
#include "predicting.h"
#include "tlu_proof.h"

#define FEATURES 5

static const char *const kinds[] = {
    "decide=last",
    "decide=average scale=standard",
    "decide=average scale=maxabs",
    "decide=vote",
    "decide=vote scale=standard",
    "decide=random",
    "kernel=poly:2",
    "kernel=rbf:0.5 scale=standard",
    "kernel=poly:2 decide=vote",
    "learner=arow decide=vote",
    "learner=arow decide=vote scale=standard",
    "learner=mlp hidden=3 epochs=2",
    "learner=mlp hidden=3 epochs=2 scale=none",
    "learner=max-margin C=1",
    "learner=bernoulli-bayes binarize=yes",
    "multiclass=ovr",
    "multiclass=ovo",
    "multiclass=ovo decide=vote",
    "hash=10",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// A model with `classes` classes that has seen every feature.
static tlu_model *train_kind(const char *kind, size_t classes)
{
    struct dense data = random_dense(7, 40, FEATURES, classes, 0.7, false);
    float values[40 * FEATURES];
    uint32_t labels[40];
    for (size_t i = 0; i < 40 * FEATURES; i++)
        values[i] = (float)data.x[i];
    for (size_t i = 0; i < 40; i++)
        labels[i] = (uint32_t)data.class[i];
    tlu_rows rows = {
        .size = sizeof rows, .rows = 40, .columns = FEATURES, .values = values, .labels = labels};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_options *options = options_of(kind);
    tlu_model *model;
    tlu_error error;
    if (tlu_train_with(&settings, options, &model, &error) != TLU_OK)
        fail_msg("%s: %s", kind, error.text);
    assert_int_equal(tlu_model_feature_count(model), FEATURES);
    tlu_options_free(options);
    dense_free(&data);
    return model;
}

// In memory of the exact size, so that a sanitizer sees what is read past its end.
static void *exactly(const void *bytes, size_t size)
{
    void *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

// ---- features that the model does not know ----

static tlu_batch batch_of(const tlu_row *row, uint32_t *offsets)
{
    offsets[0] = 0;
    offsets[1] = (uint32_t)row->count;
    return (tlu_batch){
        .rows = 1, .offsets = offsets, .features = row->features, .values = row->values};
}

// Both rows get the same class, scores, explanation and distance.
static void assert_alike(const tlu_model *model, const tlu_row *a, const tlu_row *b)
{
    double scores_a[3], scores_b[3];
    size_t scores = tlu_model_score_count(model), class_a = class_of_row(model, a, scores_a);
    assert_true(class_a < tlu_model_class_count(model));
    assert_int_equal(class_of_row(model, b, scores_b), class_a);
    assert_memory_equal(scores_a, scores_b, scores * sizeof *scores_a);

    tlu_contribution pushes_a[8], pushes_b[8];
    for (size_t c = 0; c < tlu_model_class_count(model); c++) {
        size_t count, count_b;
        tlu_status status = tlu_model_explain(model, a, c, pushes_a, 8, &count, NULL);
        assert_int_equal(tlu_model_explain(model, b, c, pushes_b, 8, &count_b, NULL), status);
        assert_int_equal(count_b, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(pushes_a[i].feature, pushes_b[i].feature);
            assert_exactly(pushes_a[i].amount, pushes_b[i].amount);
        }
    }

    if (b->features || !b->count) {
        uint32_t offsets[2], class_b;
        tlu_batch batch = batch_of(b, offsets);
        tlu_error error;
        if (tlu_model_predict_batch(model, &batch, &class_b, scores_b, NULL, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(class_a, class_b);
        assert_memory_equal(scores_a, scores_b, scores * sizeof *scores_a);
    }

    assert_int_equal(class_of_row(model, b, NULL), class_a); // scores are not asked for

    tlu_planes *planes;
    tlu_distance distance_a, distance_b;
    if (tlu_planes_new(model, &planes, NULL) != TLU_OK)
        return;
    assert_int_equal(tlu_planes_distance(planes, a, 0, &distance_a, NULL), TLU_OK);
    assert_int_equal(tlu_planes_distance(planes, b, 0, &distance_b, NULL), TLU_OK);
    assert_exactly(distance_a.distance, distance_b.distance);
    tlu_planes_free(planes);
}

static void ignores_dense(const tlu_model *model)
{
    float values[3000] = {1, -2, 0.5f, 3, 4, 5, 6, 7};
    static const size_t counts[] = {FEATURES + 1, FEATURES + 3, 3000};
    for (size_t i = 0; i < 3; i++)
        for (int ones = 0; ones < 2; ones++) {
            float *given = ones ? NULL : exactly(values, counts[i] * sizeof *values);
            tlu_row known = {FEATURES, NULL, given}, more = {counts[i], NULL, given};
            assert_alike(model, &known, &more);
            free(given);
        }
}

static void ignores_sparse(const tlu_model *model)
{
    static const struct {
        size_t known_count, count;
        uint32_t known[4], features[8];
    } cases[] = {
        {2, 3, {0, 3}, {0, 3, FEATURES}},
        {2, 4, {0, 3}, {0, 3, 1000000, UINT32_MAX}},
        {3, 5, {4, 0, 2}, {4, UINT32_MAX, 0, FEATURES, 2}}, // in any order
        {0, 2, {0}, {UINT32_MAX, 1u << 31}},
        {0, 0, {0}, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float known_values[4], values[8];
        size_t n = 0;
        for (size_t k = 0; k < cases[i].count; k++) {
            values[k] = (float)k - 1.5f;
            if (cases[i].features[k] < FEATURES)
                known_values[n++] = values[k];
        }
        assert_int_equal(n, cases[i].known_count);
        uint32_t *features = exactly(cases[i].features, cases[i].count * sizeof *features + 1);
        assert_alike(model, &(tlu_row){n, cases[i].known, known_values},
                     &(tlu_row){cases[i].count, features, values});
        assert_alike(model, &(tlu_row){n, cases[i].known, NULL},
                     &(tlu_row){cases[i].count, features, NULL});
        free(features);
    }
}

// ---- rows that are wrong ----

static void assert_refused_row(const tlu_model *model, const tlu_row *row, const char *reason)
{
    double scores[3] = {0};
    tlu_contribution push;
    tlu_error error;
    size_t class_index = 0, count = 1;
    assert_int_equal(tlu_model_predict(model, row, &class_index, scores, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, reason));
    assert_true(class_index == TLU_NONE);
    assert_int_equal(tlu_model_explain(model, row, 0, &push, 1, &count, &error), TLU_ERROR_INPUT);
    assert_int_equal(count, 0);
    tlu_planes *planes;
    tlu_distance distance;
    if (tlu_planes_new(model, &planes, NULL) == TLU_OK) {
        assert_int_equal(tlu_planes_distance(planes, row, 0, &distance, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, reason));
        tlu_planes_free(planes);
    }
    if (!row || !row->features)
        return;
    uint32_t features[16] = {0}, offsets[] = {0, 1, 1 + (uint32_t)row->count}, classes[2];
    float values[16] = {1};
    memcpy(features + 1, row->features, row->count * sizeof *features);
    for (size_t k = 0; k < row->count; k++)
        values[1 + k] = row->values ? row->values[k] : 1;
    tlu_batch batch = {.rows = 2, .offsets = offsets, .features = features, .values = values};
    assert_int_equal(tlu_model_predict_batch(model, &batch, classes, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, reason));
    assert_non_null(strstr(error.text, "row 2 "));
}

static void refuses(const tlu_model *model)
{
    static const float odd[] = {1, NAN, 2}, large[] = {1, 2, -INFINITY};
    static const uint32_t ascending[] = {0, 2, 3}, twice[] = {1, 4, 1}, next[] = {2, 2};
    static const uint32_t unknown[] = {1, 99, 0, 99};
    assert_refused_row(model, &(tlu_row){3, NULL, odd}, "feature 1 is not a finite number");
    assert_refused_row(model, &(tlu_row){3, ascending, odd}, "feature 2 is not a finite number");
    assert_refused_row(model, &(tlu_row){3, ascending, large}, "feature 3 is not a finite number");
    assert_refused_row(model, &(tlu_row){3, twice, NULL}, "feature 1 occurs twice");
    assert_refused_row(model, &(tlu_row){2, next, NULL}, "feature 2 occurs twice");
    assert_refused_row(model, &(tlu_row){4, unknown, NULL}, "feature 99 occurs twice");
    assert_refused_row(model, NULL, "row is missing");
}

// Rows whose features are far apart, descending, and many: a repeat is found wherever it is.
static void long_rows_are_checked(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    tlu_model *model = train_kind("kernel=poly:2", 2);
    uint32_t *features = malloc(LONG * sizeof *features);
    double score, expected;
    assert_non_null(features);
    for (size_t i = 0; i < LONG; i++)
        features[i] = (uint32_t)(LONG - 1 - i);
    tlu_row row = {LONG, features, NULL}, known = {FEATURES, features + LONG - FEATURES, NULL};
    size_t class = class_of_row(model, &row, &score);
    assert_int_equal(class, class_of_row(model, &known, &expected));
    assert_exactly(score, expected);
    features[0] = features[LONG - 1];
    assert_true(class_of_row(model, &row, &score) == TLU_NONE);

    features[0] = LONG;
    fault_at(FAULT_MEMORY, 1);
    tlu_status status = tlu_model_predict(model, &row, &class, &score, NULL);
    fault_at(FAULT_MEMORY, 0);
    assert_int_equal(status, TLU_ERROR_SYSTEM);
    assert_true(class == TLU_NONE);
    free(features);
    tlu_model_free(model);
}

static void batches_are_checked(void **state)
{
    (void)state;
    static const uint32_t features[] = {0, 1, 2}, back[] = {0, 2, 1}, good[] = {0, 1, 3};
    uint32_t classes[2];
    tlu_error error;
    tlu_model *model = train_kind("decide=vote", 2);
    tlu_batch batch = {.rows = 2, .offsets = back, .features = features};
    assert_int_equal(tlu_model_predict_batch(model, &batch, classes, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "row 2 of the batch goes from entry 2 to 1"));
    batch.offsets = NULL;
    assert_int_equal(tlu_model_predict_batch(model, &batch, classes, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    batch = (tlu_batch){.rows = 2, .offsets = good};
    assert_int_equal(tlu_model_predict_batch(model, &batch, classes, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "features is missing"));
    batch.features = features;
    assert_int_equal(tlu_model_predict_batch(model, &batch, NULL, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_model_predict_batch(model, NULL, classes, NULL, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_model_predict_batch(model, &batch, classes, NULL, NULL, &error), TLU_OK);
    assert_int_equal(
        tlu_model_predict_batch(model, &(tlu_batch){.rows = 0}, NULL, NULL, NULL, &error), TLU_OK);
    tlu_model_free(model);
}

// ---- features by name ----

static void assert_named_refused(const tlu_model *model, const tlu_feature *features, size_t count,
                                 const char *reason)
{
    double scores[3];
    size_t class_index = 0;
    tlu_error error;
    assert_int_equal(tlu_model_predict_named(model, features, count, &class_index, scores, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, reason));
    assert_true(class_index == TLU_NONE);
}

static void names_are_checked(const tlu_model *model)
{
    double scores[3], expected[3];
    tlu_feature features[100] = {{"3", 1}, {"0", 2}, {"other", 5}, {"1", 0}};
    uint32_t numbers[] = {(uint32_t)tlu_model_feature_find(model, "3"),
                          (uint32_t)tlu_model_feature_find(model, "0")};
    float values[] = {1, 2};
    size_t class = class_of_row(model, &(tlu_row){2, numbers, values}, expected);
    if (!tlu_options_get(tlu_model_options(model), "hash")[0]) { // "other" is not known
        assert_int_equal(class_of_named(model, features, 4, scores), class);
        assert_memory_equal(scores, expected, tlu_model_score_count(model) * sizeof *scores);
    }
    features[3] = (tlu_feature){"3", 1};
    assert_named_refused(model, features, 4, "occurs twice");
    features[3] = (tlu_feature){"1", NAN};
    assert_named_refused(model, features, 4, "not a finite number");
    features[3] = (tlu_feature){"1", 1e39};
    assert_named_refused(model, features, 4, "not a finite number");
    features[3] = (tlu_feature){NULL, 1};
    assert_named_refused(model, features, 4, "has no name");
    assert_named_refused(model, NULL, 4, "array of features");
    for (size_t i = 0; i < 100; i++)
        features[i] = (tlu_feature){"1", 1};
    assert_named_refused(model, features, 100, "occurs twice");
}

static void every_kind_of_model_checks(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (size_t classes = 2; classes <= 3; classes++) {
            if (classes == 2 && strstr(kinds[i], "multiclass="))
                continue;
            tlu_model *model = train_kind(kinds[i], classes);
            ignores_dense(model);
            ignores_sparse(model);
            refuses(model);
            names_are_checked(model);
            tlu_model_free(model);
        }
}

// With --hash names that share a feature count as one, whose value is their sum.
static void names_that_share_a_feature_add_up(void **state)
{
    (void)state;
    static const char *const ways[] = {"hash=10", "hash=10 kernel=poly:2", "hash=10 decide=vote"};
    for (size_t w = 0; w < 3; w++) {
        tlu_model *model = train_kind(ways[w], 2);
        char name[16];
        size_t feature = tlu_model_feature_find(model, "2"), found = TLU_NONE;
        for (int i = 100; found != feature; i++) {
            snprintf(name, sizeof name, "n%d", i);
            found = tlu_model_feature_find(model, name);
        }
        double score, expected;
        tlu_feature two[] = {{name, 1}, {"2", 2}};
        uint32_t number = (uint32_t)feature;
        float value = 3;
        size_t class = class_of_row(model, &(tlu_row){1, &number, &value}, &expected);
        assert_int_equal(class_of_named(model, two, 2, &score), class);
        assert_exactly(score, expected);
        tlu_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_model_checks),
        cmocka_unit_test(long_rows_are_checked),
        cmocka_unit_test(batches_are_checked),
        cmocka_unit_test(names_that_share_a_feature_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
