// What is true of generated rows: the function of the plane against the rows themselves, and
// against places whose label follows from what the kind is.
#include "base/fault.h"
#include "data/generate/truth.h"
#include "tlu.h"
#include "tlu_plot.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int keep(void *context, const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, context);
    return 0;
}

static tlu_recipe recipe_for(const char *kind, uint64_t rows, uint64_t seed)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init(kind, &recipe, NULL), TLU_OK);
    recipe.rows = rows;
    recipe.seed = seed;
    recipe.features = 2;
    recipe.format = "csv";
    return recipe;
}

// The text of the rows of the recipe, and of so many after them.
static char *generate(const tlu_recipe *recipe, uint64_t more)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(generate_and_more(recipe, more, keep, file, NULL), TLU_OK);
    fclose(file);
    return text;
}

struct binary_example {
    double x, y;
    long label;
};

// Behind the header; the caller frees them.
static struct binary_example *examples_of(char *text, size_t rows)
{
    struct binary_example *examples = calloc(rows, sizeof *examples);
    const char *line = strchr(text, '\n') + 1;
    for (size_t i = 0; i < rows; i++) {
        struct binary_example *e = &examples[i];
        assert_int_equal(sscanf(line, "%lf,%lf,%ld", &e->x, &e->y, &e->label), 3);
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(*line, '\0');
    free(text);
    return examples;
}

static struct recipe_truth truth_of(const tlu_recipe *recipe)
{
    struct recipe_truth truth;
    tlu_error error;
    if (truth_find(recipe, &truth, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return truth;
}

static void rows_have_the_true_label(void **state)
{
    (void)state;
    static const char *const kinds[] = {"line", "margin", "xor", "circle", "moons", "semicircles"};
    enum { ROWS = 4000 };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            tlu_recipe recipe = recipe_for(kinds[k], ROWS, seed);
            recipe.noise = 0;
            struct recipe_truth truth = truth_of(&recipe);
            struct binary_example *e = examples_of(generate(&recipe, 0), ROWS);
            size_t positive = 0;
            for (size_t i = 0; i < ROWS; i++) {
                positive += e[i].label == 1;
                if (truth_label(&truth, e[i].x, e[i].y) != e[i].label)
                    fail_msg("%s, seed %d, row %zu: %g, %g is %ld", kinds[k], (int)seed, i, e[i].x,
                             e[i].y, e[i].label);
            }
            assert_in_range(positive, ROWS * 2 / 5, ROWS * 3 / 5);
            free(e);
            truth_end(&truth);
        }
}

static double squared_distance(const struct binary_example *a, double x, double y)
{
    return (a->x - x) * (a->x - x) + (a->y - y) * (a->y - y);
}

// Means of many rows are where the centres are, but for a few hundredths.
static void find_means(const tlu_recipe *recipe, struct binary_example *means)
{
    struct binary_example *e = examples_of(generate(recipe, 0), recipe->rows);
    memset(means, 0, recipe->classes * sizeof *means);
    for (size_t i = 0; i < recipe->rows; i++) {
        struct binary_example *mean = &means[e[i].label - 1];
        mean->x += e[i].x;
        mean->y += e[i].y;
        mean->label++;
    }
    for (size_t c = 0; c < recipe->classes; c++) {
        means[c].x /= (double)means[c].label;
        means[c].y /= (double)means[c].label;
    }
    free(e);
}

static void blobs_go_by_the_nearest_centre(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        tlu_recipe recipe = recipe_for("blobs", 20000, seed);
        struct binary_example means[4];
        size_t asked = 0;
        recipe.classes = 4;
        find_means(&recipe, means);
        struct recipe_truth truth = truth_of(&recipe);
        for (double x = -12; x <= 12; x += 0.5)
            for (double y = -12; y <= 12; y += 0.5) {
                size_t best = 0;
                double second = 1e9;
                for (size_t c = 1; c < 4; c++)
                    if (squared_distance(&means[c], x, y) < squared_distance(&means[best], x, y))
                        best = c;
                double nearest = squared_distance(&means[best], x, y);
                for (size_t c = 0; c < 4; c++)
                    if (c != best && squared_distance(&means[c], x, y) < second)
                        second = squared_distance(&means[c], x, y);
                if (second - nearest < 3) // the border may be here
                    continue;
                asked++;
                assert_int_equal(truth_label(&truth, x, y), best + 1);
            }
        assert_true(asked > 1500);
        truth_end(&truth);
    }
}

static void places(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        double x, y;
        int64_t label;
    } known[] = {
        {"line", 0.3, 0.8, 1},
        {"line", 0.3, 0.6, -1},
        {"line", 0.5, 0.5, -1},
        {"line", 3, -1.9, 1},
        {"xor", 0.2, 0.3, 1},
        {"xor", 0.9, 0.6, 1},
        {"xor", 0.9, 0.4, -1},
        {"xor", -3, 4, -1},
        {"circle", 0.797, 0, 1},
        {"circle", 0, 0.799, -1},
        {"circle", 0.6, 0.6, -1},
        {"circle", -0.5, 0.5, 1},
        {"moons", 0, 1, 1},
        {"moons", 1, -0.5, -1},
        {"moons", 1, 0, 1},    // the end of one
        {"moons", 0, 0.4, -1}, // below the first, beside the end of the second, at 0, 0.5
        {"moons", 0.5, 0.7, 1},
        {"moons", 1, 0.3, 1},
        {"moons", 2.5, 0.5, -1},
        {"semicircles", 0.9, 0.1, 1},
        {"semicircles", 0.9, -0.1, -1},
        {"semicircles", -3, 2, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        tlu_recipe recipe = recipe_for(known[i].kind, 10, 1);
        struct recipe_truth truth = truth_of(&recipe);
        if (truth_label(&truth, known[i].x, known[i].y) != known[i].label)
            fail_msg("%s at %g, %g", known[i].kind, known[i].x, known[i].y);
        truth_end(&truth);
    }
}

// The rows come as tlu_generate makes them, flips included; those after them have none.
static void more_rows(void **state)
{
    (void)state;
    static const char *const kinds[] = {"line",        "margin", "xor",  "blobs",
                                        "semicircles", "circle", "moons"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        tlu_recipe recipe = recipe_for(kinds[k], 300, 7);
        recipe.noise = 0.2;
        char *alone = generate(&recipe, 0), *both = generate(&recipe, 1000);
        assert_memory_equal(alone, both, strlen(alone));
        free(alone);
        struct binary_example *e = examples_of(both, 1300);
        struct recipe_truth truth = truth_of(&recipe);
        size_t flips = 0, later = 0;
        for (size_t i = 0; i < 1300; i++)
            *(i < 300 ? &flips : &later) += truth_label(&truth, e[i].x, e[i].y) != e[i].label;
        if (k < 5) {
            assert_in_range(flips, 35, 85); // 60 are expected, of deviation 7
            assert_in_range(later, 0, k == 3 ? 50 : 0);
        }
        free(e);
        truth_end(&truth);
    }
}

static void not_of_the_plane(void **state)
{
    (void)state;
    struct recipe_truth truth;
    tlu_error error;
    tlu_recipe recipe = recipe_for("margin", 10, 1);
    recipe.features = 3;
    assert_int_equal(truth_find(&recipe, &truth, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text,
                        "margin data of 3 features is not of the plane: expected 2 of them");
    truth_end(&truth);
    recipe = recipe_for("sparse", 10, 1);
    recipe.nonzeros = 1;
    assert_int_equal(truth_find(&recipe, &truth, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "sparse data is not of the plane");
    truth_end(&truth);
    recipe.kind = "nothing";
    assert_int_equal(truth_find(&recipe, &truth, &error), TLU_ERROR_INPUT);
    truth_end(&truth);
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct recipe_truth truth;
    tlu_recipe recipe = recipe_for("blobs", 10, 1);
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(truth_find(&recipe, &truth, NULL), TLU_ERROR_SYSTEM);
    fault_at(FAULT_MEMORY, 0);
    truth_end(&truth);
}

// Whole pictures, for a terminal, as these need no cairo: at every allocation at first, later at
// some.
static void memory_runs_out_of_pictures(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("blobs", 12, 1);
    FILE *file = fopen("rows.csv", "w");
    assert_non_null(file);
    assert_int_equal(tlu_generate(&recipe, keep, file, NULL), TLU_OK);
    fclose(file);
    const tlu_picture_style style = {.size = sizeof style, .columns = 40};
    const tlu_plot_truth_settings truth = {.size = sizeof truth, .recipe = &recipe, .seeds = 2};
    const tlu_plot_learning_curve_settings curve = {.size = sizeof curve, .path = "rows.csv"};
    for (size_t i = 0; i < 2; i++) {
        size_t failures = 0;
        bool reached = true;
        for (long n = 1; reached; n += 1 + n / (long)unless_sanitized(12, 6)) {
            tlu_picture *picture;
            tlu_error error;
            fault_at(FAULT_MEMORY, n);
            tlu_status status = i ? tlu_plot_learning_curve(&curve, NULL, &style, &picture, &error)
                                  : tlu_plot_truth(&truth, NULL, &style, &picture, &error);
            reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (status != TLU_OK && status != TLU_ERROR_SYSTEM)
                fail_msg("%s, allocation %ld: %s", i ? "curve" : "truth", n, error.text);
            assert_true((status == TLU_OK) == (picture != NULL));
            failures += status != TLU_OK;
            tlu_picture_free(picture);
        }
        assert_true(failures > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_true_label),
        cmocka_unit_test(blobs_go_by_the_nearest_centre),
        cmocka_unit_test(places),
        cmocka_unit_test(more_rows),
        cmocka_unit_test(not_of_the_plane),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_runs_out_of_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
