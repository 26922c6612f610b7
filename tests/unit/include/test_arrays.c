// Arrays as rows: doubles, strides and names from 1 make the same model as the same sparse rows,
// and tlu_model_predict_rows gives the results of tlu_model_predict. The content of a file in
// memory.
#include "base/fault.h"
#include "learning.h"

#include <math.h>

#define ROWS 300
#define COLUMNS 7

static float by_row[ROWS * COLUMNS], by_column[ROWS * COLUMNS], entries[ROWS * COLUMNS];
static double doubles[ROWS * COLUMNS];
static uint64_t offsets[ROWS + 1];
static uint32_t features[ROWS * COLUMNS], labels[ROWS];

// A third of the values is 0; column 0 is 0 everywhere.
static void make(void)
{
    struct random random;
    random_seed(&random, 5);
    uint64_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.3;
        for (size_t j = 0; j < COLUMNS; j++) {
            double value = (double)random_below(&random, 2001) / 1000 - 1;
            if (j == 0 || random_below(&random, 3) == 0)
                value = 0;
            by_row[i * COLUMNS + j] = by_column[j * ROWS + i] = (float)value;
            doubles[i * COLUMNS + j] = value;
            sum += (j % 2 ? value : -value);
            if (value != 0) {
                features[count] = (uint32_t)j;
                entries[count++] = (float)value;
            }
        }
        labels[i] = sum > 0.5 ? 2 : sum > -0.5;
        offsets[i + 1] = count;
    }
}

static tlu_rows sparse_rows(void)
{
    return (tlu_rows){.size = sizeof(tlu_rows),
                      .rows = ROWS,
                      .offsets = offsets,
                      .features = features,
                      .values = entries,
                      .labels = labels,
                      .first_feature = 1};
}

static tlu_rows array_rows(void)
{
    return (tlu_rows){.size = sizeof(tlu_rows),
                      .rows = ROWS,
                      .columns = COLUMNS,
                      .values = by_row,
                      .labels = labels,
                      .first_feature = 1};
}

static tlu_model *train_rows(const tlu_rows *rows)
{
    tlu_train_settings settings = {.size = sizeof settings, .rows = rows};
    tlu_model *model;
    tlu_error error;
    if (tlu_train_with(&settings, NULL, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return model;
}

static void arrays_make_the_model_of_sparse_rows(void **state)
{
    (void)state;
    make();
    tlu_rows rows = sparse_rows();
    tlu_model *expected = train_rows(&rows);
    assert_int_equal(tlu_model_feature_find(expected, "1"), TLU_NONE); // column 0 has no values
    assert_int_equal(tlu_model_feature_find(expected, "2"), 0);
    tlu_rows kinds[4] = {array_rows(), array_rows(), array_rows(), array_rows()};
    kinds[1].values = NULL;
    kinds[1].doubles = doubles;
    kinds[2].values = by_column;
    kinds[2].row_stride = 1;
    kinds[2].column_stride = ROWS;
    kinds[3].row_stride = COLUMNS;
    kinds[3].column_stride = 1;
    for (size_t i = 0; i < 4; i++) {
        tlu_model *model = train_rows(&kinds[i]);
        assert_same_model(model, expected);
        tlu_model_free(model);
    }
    tlu_model_free(expected);
}

// Scores of rows one at a time, by the features of the model.
static void assert_predicted(const tlu_model *model, const tlu_rows *rows, size_t threads)
{
    static uint32_t classes[ROWS];
    static double scores[ROWS * 3], alone[3];
    tlu_predict_settings settings = {.size = sizeof settings, .rows = rows, .threads = threads};
    settings.classes = classes;
    settings.scores = scores;
    tlu_error error;
    if (tlu_model_predict_rows(model, &settings, &error) != TLU_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < ROWS; i++) {
        tlu_feature named[COLUMNS];
        char names[COLUMNS][8];
        size_t class_index;
        for (size_t j = 0; j < COLUMNS; j++) {
            snprintf(names[j], sizeof names[j], "%zu", j + 1);
            named[j] = (tlu_feature){names[j], (double)by_row[i * COLUMNS + j]};
        }
        assert_int_equal(
            tlu_model_predict_named(model, named, COLUMNS, &class_index, alone, &error), TLU_OK);
        assert_int_equal(classes[i], class_index);
        assert_memory_equal(alone, scores + i * 3, sizeof alone);
    }
}

static void rows_are_predicted_as_one_at_a_time(void **state)
{
    (void)state;
    make();
    tlu_rows rows = sparse_rows(), array = array_rows(), columns = array_rows(), many = array;
    tlu_model *model = train_rows(&rows);
    columns.values = by_column;
    columns.row_stride = 1;
    columns.column_stride = ROWS;
    const char *names[] = {"1", "2", "3", "4", "5", "6", "7"};
    many.first_feature = 0;
    many.feature_names = names;
    many.feature_count = COLUMNS;
    for (size_t threads = 0; threads < 4; threads++) {
        assert_predicted(model, &rows, threads);
        assert_predicted(model, &array, threads);
        assert_predicted(model, &columns, threads);
        assert_predicted(model, &many, threads);
    }
    // Entries in another order.
    static uint32_t turned[ROWS * COLUMNS];
    static float turned_values[ROWS * COLUMNS];
    for (size_t i = 0; i < ROWS; i++)
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            turned[k] = features[offsets[i] + offsets[i + 1] - 1 - k];
            turned_values[k] = entries[offsets[i] + offsets[i + 1] - 1 - k];
        }
    rows.features = turned;
    rows.values = turned_values;
    assert_predicted(model, &rows, 2);
    tlu_model_free(model);
}

static void bad_rows_are_refused(void **state)
{
    (void)state;
    make();
    tlu_rows rows = array_rows();
    tlu_model *model = train_rows(&rows);
    uint32_t classes[ROWS];
    double probabilities[ROWS * 3];
    tlu_predict_settings settings = {.size = sizeof settings, .rows = &rows, .classes = classes};
    tlu_error error;
    by_row[5 * COLUMNS + 2] = NAN;
    by_row[200 * COLUMNS + 2] = INFINITY;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "row 6: the value of feature 3 is NaN, not a finite number");
    by_row[5 * COLUMNS + 2] = 0;
    assert_int_equal(tlu_model_predict_rows(model, &settings, NULL), TLU_ERROR_INPUT);
    by_row[200 * COLUMNS + 2] = 0;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_OK);
    settings.probabilities = probabilities;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    settings.probabilities = NULL;
    rows.doubles = doubles;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "rows have values or doubles, not both");
    rows = sparse_rows();
    rows.row_stride = 1;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    rows = sparse_rows();
    uint32_t kept = features[offsets[7] + 1];
    features[offsets[7] + 1] = features[offsets[7]];
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "row 8: feature "));
    features[offsets[7] + 1] = kept;
    settings.rows = NULL;
    assert_int_equal(tlu_model_predict_rows(model, &settings, &error), TLU_ERROR_INPUT);
    tlu_model_free(model);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    make();
    tlu_rows rows = array_rows();
    tlu_model *model = train_rows(&rows);
    uint32_t classes[ROWS];
    tlu_predict_settings settings = {.size = sizeof settings, .rows = &rows, .classes = classes};
    settings.threads = 1;
    tlu_error error;
    tlu_status status = TLU_ERROR_SYSTEM;
    size_t failures = 0;
    for (long n = 1; status != TLU_OK && n < 100; n++) {
        fault_at(FAULT_MEMORY, n);
        status = tlu_model_predict_rows(model, &settings, &error);
        fault_at(FAULT_MEMORY, 0);
        failures += status == TLU_ERROR_SYSTEM;
    }
    assert_int_equal(status, TLU_OK);
    assert_true(failures >= 3);
    tlu_model_free(model);
}

// ---- the content of a file ----

static const char text[] = "a 1:1 2:0.5\nb 1:-1\na 1:2\nb 2:-3\n";
static const char heavy[] = "a 1:1 2:0.5\nb 1:-1\nb 1:-1\na 1:2\nb 2:-3\n"; // row 2 twice

static void bytes_are_read_as_a_file(void **state)
{
    (void)state;
    tlu_train_settings settings = {.size = sizeof settings, .bytes = text, .name = "given"};
    settings.byte_count = sizeof text - 1;
    tlu_options *options;
    tlu_error error;
    tlu_model *model, *twice;
    assert_int_equal(tlu_options_new(&options, &error), TLU_OK);
    assert_int_equal(tlu_options_set(options, "learner", "multinomial-bayes", &error), TLU_OK);
    assert_int_equal(tlu_options_set(options, "binarize", "yes", &error), TLU_OK);
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_OK);
    assert_string_equal(tlu_model_report(model)->data, "given");
    assert_int_equal(tlu_model_report(model)->examples, 4);
    tlu_reader *reader;
    const tlu_batch *batch;
    assert_int_equal(tlu_reader_open_bytes(model, text, sizeof text - 1, NULL, &reader, &error),
                     TLU_OK);
    assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_OK);
    assert_int_equal(batch->rows, 4);
    tlu_reader_close(reader);
    tlu_model_free(model);

    // A weight of 2 counts a row twice.
    const float weights[] = {1, 2, 1, 1};
    settings.weights = weights;
    settings.weight_count = 4;
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_OK);
    tlu_train_settings repeated = {.size = sizeof repeated, .bytes = heavy};
    repeated.byte_count = sizeof heavy - 1;
    assert_int_equal(tlu_train_with(&repeated, options, &twice, &error), TLU_OK);
    for (size_t f = 0; f < 2; f++)
        assert_true(tlu_model_weight(model, 0, f) == tlu_model_weight(twice, 0, f));
    assert_true(tlu_model_bias(model, 0) == tlu_model_bias(twice, 0));
    tlu_model_free(model);
    tlu_model_free(twice);

    settings.weight_count = 3;
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "given: there are more rows than the 3 that have weights");
    const float bad[] = {1, NAN, 1, 1, 1};
    settings.weights = bad;
    settings.weight_count = 4;
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "given:2: the weight of the row is not a number of 0 or more");
    settings.weights = (const float[]){1, 1, 1, 1, 1};
    settings.weight_count = 5;
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "given: 5 rows have weights, and there are 4");
    assert_int_equal(tlu_options_set(options, "calibrate", "sigmoid", &error), TLU_OK);
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_ERROR_INPUT);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_make_the_model_of_sparse_rows),
        cmocka_unit_test(rows_are_predicted_as_one_at_a_time),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(out_of_memory_is_an_error),
        cmocka_unit_test(bytes_are_read_as_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
