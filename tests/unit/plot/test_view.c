// The plane of a picture of rows: directions and distances against plain loops over dense rows,
// what a model says at a place of it against its prediction of the row there; points that are
// thinned out; memory that runs out.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "plot/plane/view.h"
#include "predicting.h"
#include "tlu_plot.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 120
#define FEATURES 6

static double rows[ROWS][FEATURES];
static unsigned classes_of[ROWS];

static double chance(struct random *random)
{
    return (double)random_below(random, 2000001) / 1000000 - 1;
}

// Clouds of different widths, some entries 0, features of different ranges; as CSV.
static void write_rows(const char *path, unsigned classes, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a,b,c,d,e,f,label\n", file);
    for (size_t i = 0; i < ROWS; i++) {
        unsigned c = classes_of[i] = (unsigned)(i % classes);
        double common = chance(&random);
        for (size_t f = 0; f < FEATURES; f++) {
            double x = (f == c ? 2 : 0) + common * (double)(f + 1) / 3 + chance(&random) / 2;
            x = random_below(&random, 5) == 0 ? 0 : x * (f == 4 ? 40 : 1);
            rows[i][f] = (double)(float)x;
            fprintf(file, "%.9g,", rows[i][f]);
        }
        fprintf(file, "class%u\n", c);
    }
    fclose(file);
}

struct plane {
    struct arena memory;
    tlu_options *options;
    tlu_model *model;
    struct row_reader rows;
    struct plane_view view;
    struct model_field field;
};

// Options are names and values, NULL at the end.
static struct plane *plane_of(unsigned classes, const char *x, const char *y,
                              const char *const *options)
{
    struct plane *plane = memory_new(1, sizeof *plane);
    assert_non_null(plane);
    write_rows("rows.csv", classes, 7 + classes);
    tlu_options_new(&plane->options, NULL);
    for (size_t i = 0; options[i]; i += 2)
        assert_int_equal(tlu_options_set(plane->options, options[i], options[i + 1], NULL), TLU_OK);
    assert_int_equal(tlu_train("rows.csv", plane->options, &plane->model, NULL), TLU_OK);
    assert_int_equal(
        row_reader_open(&plane->rows, &plane->memory, "rows.csv", plane->options, NULL), TLU_OK);
    assert_int_equal(row_reader_use(&plane->rows, plane->model, NULL), TLU_OK);
    assert_int_equal(view_make(&plane->view, &plane->rows, x, y, NULL), TLU_OK);
    assert_int_equal(field_make(&plane->field, &plane->rows, &plane->view, NULL), TLU_OK);
    return plane;
}

static void plane_free(struct plane *plane)
{
    row_reader_close(&plane->rows);
    arena_free(&plane->memory);
    tlu_model_free(plane->model);
    tlu_options_free(plane->options);
    memory_free(plane);
}

static tlu_row row_of(const double *values, float *room)
{
    for (size_t f = 0; f < FEATURES; f++)
        room[f] = (float)values[f];
    static const uint32_t numbers[FEATURES] = {0, 1, 2, 3, 4, 5};
    return (tlu_row){FEATURES, numbers, room};
}

static size_t predicted(const struct plane *plane, const double *values, double *scores)
{
    float room[FEATURES];
    tlu_row row = row_of(values, room);
    return class_of_row(plane->model, &row, scores);
}

static void row_at(const struct plane_view *view, double x, double y, double *values)
{
    for (size_t f = 0; f < FEATURES; f++)
        values[f] = view->base[f] + x * view->along[0][f] + y * view->along[1][f];
}

// A row of the plane is where it was taken from.
static void assert_there_and_back(const struct plane_view *view)
{
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < 50; i++) {
        double values[FEATURES], x = chance(&random), y = chance(&random);
        float room[FEATURES];
        row_at(view, x, y, values);
        tlu_row row = row_of(values, room);
        struct point at = view_place(view, &row, 0);
        assert_true(fabs(at.x - x) < 1e-4 && fabs(at.y - y) < 1e-4);
    }
}

// What the field says at places all over the picture is what the model says about the rows there;
// but for rounding, next to a border.
static void assert_field(const struct plane *plane, double size)
{
    struct random random;
    size_t differ = 0, ambiguous = 0, met[8] = {0};
    random_seed(&random, 11);
    for (int i = 0; i < 400; i++) {
        double values[FEATURES], scores[8];
        struct point at = {size * chance(&random), size * chance(&random)};
        uint32_t label;
        assert_int_equal(field_label((void *)&plane->field, &at, 1, &label, NULL), TLU_OK);
        row_at(&plane->view, at.x, at.y, values);
        differ += (label & ~REGION_AMBIGUOUS) != predicted(plane, values, scores);
        ambiguous += (label & REGION_AMBIGUOUS) != 0;
        met[label & 7]++;
    }
    assert_in_range(differ, 0, 2);
    assert_true(met[0] > 0 && met[1] > 0); // else it would prove little
    assert_true(ambiguous < 400);
}

// ---- the distance to the hyperplane against the main direction within it

// Rows as the model sees them, without their mean.
static void scaled_rows(const struct plane *plane, double out[ROWS][FEATURES])
{
    for (size_t f = 0; f < FEATURES; f++) {
        double mean = 0, weight = tlu_model_weight(plane->model, 1, f);
        double factor = weight != 0 ? weight / tlu_model_scaled_weight(plane->model, 1, f) : 1;
        for (size_t i = 0; i < ROWS; i++)
            mean += rows[i][f] / ROWS;
        for (size_t i = 0; i < ROWS; i++)
            out[i][f] = (rows[i][f] - mean) * factor;
    }
}

// The variance along a direction, times the number of rows.
static double spread_along(double scaled[ROWS][FEATURES], const double *direction)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double along = 0;
        for (size_t f = 0; f < FEATURES; f++)
            along += scaled[i][f] * direction[f];
        sum += along * along;
    }
    return sum;
}

static void test_distance(void **state)
{
    (void)state;
    const char *const options[] = {"scale", "standard", "learner", "perceptron", NULL};
    struct plane *plane = plane_of(2, NULL, NULL, options);
    assert_int_equal(plane->view.kind, VIEW_ACROSS);
    double length = 0;
    for (size_t f = 0; f < FEATURES; f++)
        length += pow(tlu_model_scaled_weight(plane->model, 1, f), 2);
    length = sqrt(length);
    for (size_t i = 0; i < ROWS; i++) {
        double score;
        float room[FEATURES];
        size_t class_index = predicted(plane, rows[i], &score);
        tlu_row row = row_of(rows[i], room);
        struct point at = view_place(&plane->view, &row, i);
        double expected = class_index == 1 ? fabs(score) / length : -fabs(score) / length;
        assert_true(fabs(at.x - expected) < 1e-6 * (1 + fabs(expected)));
    }
    assert_there_and_back(&plane->view);
    assert_field(plane, 3);
    plane_free(plane);
}

static void test_main_direction(void **state)
{
    (void)state;
    static double scaled[ROWS][FEATURES];
    const char *const options[] = {"scale", "standard", "learner", "perceptron", NULL};
    struct plane *plane = plane_of(2, NULL, NULL, options);
    double w[FEATURES], found[FEATURES], across = 0, length = 0, total = 0;
    scaled_rows(plane, scaled);
    for (size_t f = 0; f < FEATURES; f++) { // from `to`, which has the factors in it
        double strength = tlu_model_scaled_weight(plane->model, 1, f);
        double factor = tlu_model_weight(plane->model, 1, f) / strength;
        w[f] = plane->view.to[0][f] / factor;
        found[f] = plane->view.to[1][f] / factor;
        across += w[f] * found[f];
        length += found[f] * found[f];
    }
    assert_true(fabs(across) < 1e-9);
    assert_true(fabs(length - 1) < 1e-9);
    // No direction at right angles to w has more: many at random, and steps from the one found.
    double best = spread_along(scaled, found);
    struct random random;
    random_seed(&random, 5);
    for (int trial = 0; trial < 2000; trial++) {
        double other[FEATURES], dot = 0, norm = 0;
        for (size_t f = 0; f < FEATURES; f++) {
            other[f] = (trial % 2 ? 20 * found[f] : 0) + chance(&random);
            dot += other[f] * w[f];
        }
        for (size_t f = 0; f < FEATURES; f++) {
            other[f] -= dot * w[f];
            norm += other[f] * other[f];
        }
        for (size_t f = 0; f < FEATURES; f++)
            other[f] /= sqrt(norm);
        assert_true(spread_along(scaled, other) <= best * (1 + 1e-6));
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t f = 0; f < FEATURES; f++)
            total += scaled[i][f] * scaled[i][f];
    double share = (spread_along(scaled, w) + best) / total;
    assert_true(fabs(plane->view.share - share) < 1e-6);
    plane_free(plane);
}

// A threshold moves the line to 0.
static void test_threshold(void **state)
{
    (void)state;
    const char *const options[] = {"learner", "logistic", "scale", "standard", NULL};
    struct plane *plane = plane_of(2, NULL, NULL, options);
    struct plane_view view;
    tlu_model *copy;
    assert_int_equal(tlu_model_with_threshold(plane->model, 0.9, &copy, NULL), TLU_OK);
    tlu_model_free(plane->model);
    plane->model = copy;
    assert_int_equal(row_reader_use(&plane->rows, copy, NULL), TLU_OK);
    assert_int_equal(view_make(&view, &plane->rows, NULL, NULL, NULL), TLU_OK);
    size_t positive = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double score;
        float room[FEATURES];
        tlu_row row = row_of(rows[i], room);
        size_t class_index = predicted(plane, rows[i], &score);
        assert_true((view_place(&view, &row, i).x >= 0) == (class_index == 1));
        positive += class_index == 1;
    }
    assert_in_range(positive, 1, ROWS - 1);
    plane_free(plane);
}

// ---- several classes, kernels, nets

// Three classes of winner-takes-all differ in a plane: rows off it are what the ground says.
static void test_three_classes(void **state)
{
    (void)state;
    const char *const options[] = {"multiclass", "wta", "scale", "standard", NULL};
    struct plane *plane = plane_of(3, NULL, NULL, options);
    assert_int_equal(plane->view.kind, VIEW_WEIGHTS);
    for (size_t i = 0; i < ROWS; i++) {
        double scores[3];
        float room[FEATURES];
        uint32_t label;
        tlu_row row = row_of(rows[i], room);
        struct point at = view_place(&plane->view, &row, i);
        assert_int_equal(field_label(&plane->field, &at, 1, &label, NULL), TLU_OK);
        assert_int_equal(label, predicted(plane, rows[i], scores));
    }
    assert_there_and_back(&plane->view);
    assert_field(plane, 2);
    plane_free(plane);
}

static void test_models(void **state)
{
    (void)state;
    static const char *const models[][10] = {
        {"multiclass", "ovr", NULL},
        {"multiclass", "ovo", "scale", "standard", NULL},
        {"kernel", "rbf:0.3", "scale", "standard", NULL},
        {"kernel", "poly:2", "multiclass", "ovo", "scale", "maxabs", NULL},
        {"kernel", "linear", "decide", "vote", "scale", "standard", NULL},
        {"decide", "vote", "learner", "perceptron", "scale", "standard", NULL},
        {"learner", "mlp", "epochs", "20", NULL},
    };
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        struct plane *plane = plane_of(3, NULL, NULL, models[m]);
        assert_there_and_back(&plane->view);
        assert_field(plane, strcmp(models[m][1], "ovr") == 0 ? 40 : 3);
        plane_free(plane);
        plane = plane_of(4, "b", "c", models[m]);
        assert_int_equal(plane->view.kind, VIEW_SLICE);
        assert_field(plane, 3);
        plane_free(plane);
    }
}

// A kernel has no w: the direction is that in which the score goes with the rows, and the positive
// class is ahead.
static void test_direction_of_score(void **state)
{
    (void)state;
    const char *const options[] = {"kernel", "rbf:0.5", NULL};
    struct plane *plane = plane_of(2, NULL, NULL, options);
    double expected[FEATURES] = {0}, length = 0, dot = 0, across = 0, mean = 0, scores[ROWS];
    assert_int_equal(plane->view.kind, VIEW_SCORES);
    for (size_t i = 0; i < ROWS; i++) {
        predicted(plane, rows[i], &scores[i]);
        mean += scores[i] / ROWS;
    }
    for (size_t f = 0; f < FEATURES; f++) {
        for (size_t i = 0; i < ROWS; i++)
            expected[f] += rows[i][f] * (scores[i] - mean);
        length += expected[f] * expected[f];
    }
    for (size_t f = 0; f < FEATURES; f++) {
        dot += plane->view.to[0][f] * expected[f] / sqrt(length);
        across += plane->view.to[0][f] * plane->view.to[1][f];
    }
    assert_true(fabs(dot - 1) < 1e-9);
    assert_true(fabs(across) < 1e-9);
    plane_free(plane);
}

// ---- slices

static void test_slice(void **state)
{
    (void)state;
    const char *const options[] = {NULL};
    struct plane *plane = plane_of(2, "e", "b", options);
    for (size_t f = 0; f < FEATURES; f++) {
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++)
            mean += rows[i][f] / ROWS;
        bool shown = f == 4 || f == 1;
        assert_true(fabs(plane->view.base[f] - (shown ? 0 : mean)) < 1e-9);
    }
    for (size_t i = 0; i < ROWS; i++) {
        float room[FEATURES];
        tlu_row row = row_of(rows[i], room);
        struct point at = view_place(&plane->view, &row, i);
        assert_true(at.x == rows[i][4] && at.y == rows[i][1]);
    }
    plane_free(plane);
}

static void test_names(void **state)
{
    (void)state;
    const char *const options[] = {NULL};
    struct plane *plane = plane_of(2, NULL, "b", options);
    struct plane_view view;
    tlu_error error;
    assert_int_equal(plane->view.kind, VIEW_FEATURE); // one feature alone is against chance
    assert_int_equal(view_make(&view, &plane->rows, "bb", NULL, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "there is no feature 'bb' to draw by; did you mean 'b'?");
    plane_free(plane);
}

// Without a model: the same rows, classes in the order of their labels.
static void test_points_alone(void **state)
{
    (void)state;
    struct arena memory = {0};
    struct row_reader reader;
    struct plane_view view;
    const tlu_batch *batch;
    FILE *file = fopen("plain.svm", "w");
    assert_non_null(file);
    fputs("10 3:1 70:2\n9 3:4 70:0.5\n-1 70:1\n9 3:2\n", file);
    fclose(file);
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_int_equal(row_reader_open(&reader, &memory, "plain.svm", options, NULL), TLU_OK);
    assert_int_equal(row_reader_use(&reader, NULL, NULL), TLU_OK);
    assert_int_equal(row_reader_classes(&reader), 3);
    assert_string_equal(row_reader_label(&reader, 0), "-1");
    assert_string_equal(row_reader_label(&reader, 1), "9");
    assert_string_equal(row_reader_label(&reader, 2), "10");
    assert_int_equal(view_make(&view, &reader, NULL, NULL, NULL), TLU_OK);
    assert_int_equal(view.kind, VIEW_FEATURES);
    assert_int_equal(row_reader_begin(&reader, true, NULL), TLU_OK);
    assert_int_equal(row_reader_next(&reader, &batch, NULL), TLU_OK);
    const struct point expected[4] = {{1, 2}, {4, 0.5}, {0, 1}, {2, 0}};
    const uint32_t labels[4] = {2, 1, 0, 1};
    assert_int_equal(batch->rows, 4);
    for (size_t i = 0; i < 4; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        struct point at = view_place(&view, &row, i);
        assert_true(at.x == expected[i].x && at.y == expected[i].y);
        assert_int_equal(batch->labels[i], labels[i]);
    }
    row_reader_close(&reader);
    arena_free(&memory);
    tlu_options_free(options);
}

// ---- thinning

static void test_thinning(void **state)
{
    (void)state;
    struct thin thin = {0};
    struct random random;
    random_seed(&random, 2);
    for (uint32_t i = 0; i < 60000; i++) {
        struct thin_point point = {
            .at = {chance(&random), 1000 * chance(&random)}, .kind = i % 1000 == 7, .number = i};
        if (i == 30000) // far away
            point.at = (struct point){50, 3};
        assert_true(thin_add(&thin, &point));
    }
    assert_int_equal(thin.seen, 60000);
    assert_in_range(thin.count, 1000, THIN_MAX);
    assert_true(thin.high.x == 50 && thin.low.x < -0.9);
    // All over the square there is one nearby, the far one is there, and most of the rare kind.
    bool far_away = false;
    size_t rare = 0, quarters[4] = {0};
    for (size_t i = 0; i < thin.count; i++) {
        const struct thin_point *point = &thin.points[i];
        far_away = far_away || point->at.x == 50;
        rare += point->kind;
        quarters[(point->at.x > 0) + 2 * (point->at.y > 0)]++;
    }
    assert_true(far_away);
    assert_in_range(rare, 40, 60);
    for (int i = 0; i < 4; i++)
        assert_in_range(quarters[i], thin.count / 5, thin.count / 3);
    thin_free(&thin);
}

static void test_thinning_alike(void **state)
{
    (void)state;
    struct thin thin = {0};
    for (uint32_t i = 0; i < 20000; i++) {
        struct thin_point point = {.at = {1e38, i < 15000 ? 5 : (double)i}, .kind = i * 7};
        assert_true(thin_add(&thin, &point));
    }
    assert_in_range(thin.count, 2, THIN_MAX);
    assert_true(thin.high.y == 19999 && thin.low.y == 5);
    thin_free(&thin);
}

// ---- memory

static void test_failing_memory(void **state)
{
    (void)state;
    const char *const options[] = {"kernel", "poly:2", NULL};
    struct plane *plane = plane_of(3, NULL, NULL, options);
    for (long call = 1;; call++) {
        struct plane_view view;
        struct model_field field = {0};
        struct point at = {0, 0};
        uint32_t label;
        fault_at(FAULT_MEMORY, call);
        tlu_status status = view_make(&view, &plane->rows, NULL, NULL, NULL);
        if (status == TLU_OK)
            status = field_make(&field, &plane->rows, &view, NULL);
        if (status == TLU_OK)
            status = field_label(&field, &at, 1, &label, NULL);
        bool over = fault_calls(FAULT_MEMORY) < call;
        fault_at(FAULT_MEMORY, 0);
        assert_true(over ? status == TLU_OK : status == TLU_ERROR_SYSTEM);
        if (over)
            break;
    }
    plane_free(plane);
}

// A whole picture; the calls that fail are all of the first, then some.
static void fail_at_each(const tlu_plot_data_settings *settings, const tlu_options *options)
{
    const tlu_picture_style style = {.size = sizeof style, .columns = 60, .lines = 20};
    for (long call = 1;; call += call < 40 ? 1 : (long)unless_sanitized(7, 47)) {
        tlu_picture *picture;
        fault_at(FAULT_MEMORY, call);
        tlu_status status = tlu_plot_data(settings, options, &style, &picture, NULL);
        bool over = fault_calls(FAULT_MEMORY) < call;
        fault_at(FAULT_MEMORY, 0);
        // Texts that could not be measured are drawn nevertheless.
        assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && !over));
        assert_true((picture != NULL) == (status == TLU_OK));
        tlu_picture_free(picture);
        if (over)
            break;
    }
}

static void test_failing_pictures(void **state)
{
    (void)state;
    static const char *const models[][8] = {
        {"threads", "1", NULL},
        {"threads", "1", "kernel", "poly:2", NULL},
        {"threads", "1", "learner", "perceptron", "decide", "vote", NULL},
    };
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        struct plane *plane = plane_of(2, "b", NULL, models[m]);
        tlu_plot_data_settings settings = {
            .size = sizeof settings, .path = "rows.csv", .model = plane->model};
        fail_at_each(&settings, plane->options);
        settings.points_only = 1;
        fail_at_each(&settings, plane->options);
        plane_free(plane);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_main_direction),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_three_classes),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_direction_of_score),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_points_alone),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_thinning_alike),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_failing_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
