// The layout of rows in memory does not matter: rows that share their indices, or have none, say
// what they said before, and learning and predicting give the same bits.
#include "data/batch.h"
#include "learning.h"
#include "predicting.h"

static const char *const labels[] = {"-1", "+1", "2"};

// ---- batch_share ----

// Rows of `width` entries with the indices first, first + step, ...; `odd` is a row that differs,
// in one index or, where `shorter`, in its length.
static struct batch *batch_of(size_t rows, uint32_t width, uint32_t first, uint32_t step,
                              size_t odd, bool shorter)
{
    struct batch *batch = batch_new();
    assert_non_null(batch);
    assert_true(batch_reserve(batch, rows, rows * width));
    batch->ones = false;
    for (size_t i = 0, used = 0; i < rows; i++) {
        uint32_t count = width - (i == odd && shorter);
        for (uint32_t k = 0; k < count; k++, used++) {
            batch->indices[used] = first + k * step;
            batch->values[used] = (float)(1 + i * 100 + k);
        }
        if (i == odd && !shorter)
            batch->indices[used - 1]++;
        batch->offsets[i + 1] = (uint32_t)used;
        batch->labels[i] = batch->line[i] = 0;
        batch->rows++;
    }
    return batch;
}

static void check_share(size_t rows, uint32_t width, uint32_t first, uint32_t step, size_t odd,
                        bool shorter)
{
    struct batch *batch = batch_of(rows, width, first, step, odd, shorter);
    struct batch *before = batch_of(rows, width, first, step, odd, shorter);
    batch_shrink(batch);
    batch_share(batch);
    batch_share(batch); // once more changes nothing
    assert_int_equal(batch->alike, rows > 1 && width > 0 && odd >= rows);
    if (batch->alike && first == 0 && step == 1) {
        assert_null(batch->indices);
        assert_int_equal(batch->memory.indices_capacity, 0);
    } else if (batch->alike) {
        assert_int_equal(batch->memory.indices_capacity, width);
    }
    assert_int_equal(batch_nonzeros(batch), batch_nonzeros(before));
    for (size_t i = 0; i < rows; i++) {
        tlu_row a = batch_row(batch, i), b = batch_row(before, i);
        assert_int_equal(a.count, b.count);
        for (size_t k = 0; k < a.count; k++) {
            assert_int_equal(row_feature(&a, k), b.features[k]);
            assert_true(row_value(&a, k) == (double)b.values[k]);
        }
    }
    batch_free(batch);
    batch_free(before);
}

static void rows_that_are_alike_share_their_indices(void **state)
{
    (void)state;
    for (uint32_t width = 0; width <= 9; width += 3)
        for (uint32_t first = 0; first < 3; first++)
            for (uint32_t step = 1; step < 3; step++)
                for (size_t rows = 0; rows <= 5; rows++) {
                    check_share(rows, width, first, step, SIZE_MAX, false);
                    for (size_t odd = 0; width > 0 && rows > 1 && odd < rows; odd++) {
                        check_share(rows, width, first, step, odd, false);
                        check_share(rows, width, first, step, odd, true);
                    }
                }
}

// ---- learning ----

// Numbers without a zero among them.
static struct dense full_data(uint64_t seed, size_t features, size_t classes)
{
    struct dense data = random_dense(seed, 150, features, classes, 1, false);
    for (size_t i = 0; i < data.rows * data.features; i++)
        if (data.x[i] == 0)
            data.x[i] = 0.25;
    return data;
}

static void assert_same_predictions(const tlu_model *a, const tlu_model *b,
                                    const struct dense *data)
{
    char names[32][16];
    tlu_feature x[32];
    for (size_t j = 0; j < data->features; j++)
        snprintf(names[j], sizeof names[j], "%d", (int)j + 1);
    for (size_t i = 0; i < data->rows; i++) {
        double p[3], q[3];
        for (size_t j = 0; j < data->features; j++)
            x[j] = (tlu_feature){names[j], data->x[i * data->features + j]};
        assert_int_equal(class_of_named(a, x, data->features, p),
                         class_of_named(b, x, data->features, q));
        assert_memory_equal(p, q, tlu_model_score_count(a) * sizeof *p);
    }
}

static const char *const settings[] = {"epochs=4",
                                       "epochs=4 learner=arow",
                                       "epochs=3 learner=logistic scale=standard",
                                       "epochs=3 scale=maxabs shuffle=all",
                                       "epochs=3 holdout=0.2",
                                       "epochs=3 kernel=poly:2",
                                       "epochs=2 kernel=rbf:0.1 scale=standard",
                                       "epochs=2 decide=vote",
                                       "learner=bernoulli-bayes binarize=yes",
                                       "epochs=3 multiclass=ovo",
                                       "learner=rocchio",
                                       "learner=max-margin C=1"};

// Columns of a CSV file are features 0, 1, 2, ...: no indices. Those of a LIBSVM file start at 1:
// the rows share them.
static void csv_and_libsvm_say_the_same(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (size_t classes = 2; classes <= 3; classes++) {
            struct dense data = full_data(s, 5 + 6 * (s % 3), classes);
            write_csv("full.csv", &data, labels);
            write_libsvm("full.svm", &data, labels);
            tlu_model *a = train("full.csv", settings[s]), *b = train("full.svm", settings[s]);
            assert_same_predictions(a, b, &data);
            tlu_model_free(a);
            tlu_model_free(b);
            dense_free(&data);
        }
}

// Without a bias a row of zeros changes nothing but the layout.
static void a_row_of_zeros_changes_no_weight(void **state)
{
    (void)state;
    for (size_t features = 1; features <= 25; features += 6) {
        struct dense data = full_data(features, features, 2);
        memset(data.x + (data.rows - 1) * features, 0, features * sizeof *data.x);
        write_csv("zeros.csv", &data, labels);
        data.rows--;
        write_csv("full.csv", &data, labels);
        tlu_model *a = train("full.csv", "epochs=5 no-bias=yes decide=last shuffle=none");
        tlu_model *b = train("zeros.csv", "epochs=5 no-bias=yes decide=last shuffle=none");
        assert_same_predictions(a, b, &data);
        for (size_t j = 1; j <= features; j++) {
            char name[24];
            snprintf(name, sizeof name, "%zu", j);
            assert_exactly(weight_of(a, "+1", name), weight_of(b, "+1", name));
        }
        tlu_model_free(a);
        tlu_model_free(b);
        dense_free(&data);
    }
}

// ---- predicting ----

static void rows_without_features(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        enum { FEATURES = 11 };
        struct dense data = full_data(s, FEATURES, 2 + s % 2);
        write_csv("full.csv", &data, labels);
        tlu_model *model = train("full.csv", settings[s]);
        assert_int_equal(tlu_model_feature_count(model), FEATURES);
        uint32_t features[FEATURES];
        float values[FEATURES];
        for (size_t i = 0; i < data.rows; i++) {
            for (uint32_t j = 0; j < FEATURES; j++) {
                features[j] = j;
                values[j] = (float)data.x[i * FEATURES + j];
            }
            tlu_row with = {i % (FEATURES + 1), features, i % 5 ? values : NULL};
            tlu_row without = {with.count, NULL, with.values};
            double p[3], q[3];
            assert_int_equal(class_of_row(model, &with, p), class_of_row(model, &without, q));
            assert_memory_equal(p, q, tlu_model_score_count(model) * sizeof *p);
            tlu_contribution a[FEATURES + 1], b[FEATURES + 1];
            size_t count, other;
            tlu_model_explain(model, &with, 0, a, FEATURES + 1, &count, NULL);
            tlu_model_explain(model, &without, 0, b, FEATURES + 1, &other, NULL);
            assert_int_equal(other, count);
            for (size_t k = 0; k < count; k++)
                assert_true(a[k].feature == b[k].feature && a[k].value == b[k].value &&
                            a[k].amount == b[k].amount);
        }
        tlu_model_free(model);
        dense_free(&data);
    }
}

// --decide random picks by what a row says: an entry of 0 says nothing.
static void zeros_say_nothing(void **state)
{
    (void)state;
    struct dense data = full_data(3, 9, 2);
    write_csv("full.csv", &data, labels);
    tlu_model *model = train("full.csv", "epochs=3 decide=random");
    for (size_t i = 0; i < data.rows; i++) {
        uint32_t features[9];
        float values[9], plain[9] = {0};
        size_t count = 0;
        for (uint32_t j = 0; j < 9; j++)
            if ((i + j) % 3) {
                features[count] = j;
                values[count++] = plain[j] = (float)data.x[i * 9 + j];
            }
        double p, q;
        tlu_row sparse = {count, features, values}, full = {9, NULL, plain};
        assert_int_equal(class_of_row(model, &sparse, &p), class_of_row(model, &full, &q));
        assert_same_number(p, q, 1e-12, "a score"); // eight partial sums: other places, other bits
    }
    tlu_model_free(model);
    dense_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_alike_share_their_indices),
        cmocka_unit_test(csv_and_libsvm_say_the_same),
        cmocka_unit_test(a_row_of_zeros_changes_no_weight),
        cmocka_unit_test(rows_without_features),
        cmocka_unit_test(zeros_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
