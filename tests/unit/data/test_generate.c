// Generated data: each kind is read back and held against its own definition.
#include "base/fault.h"
#include "numeric/number.h"
#include "tlu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[] = {"line", "sparse", "margin", "blobs",
                                    "xor",  "circle", "moons",  "semicircles"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct text {
    char *bytes;
    size_t size;
    int calls, fails_at; // the call that is refused, from 1; 0: none
};

static int keep(void *context, const char *bytes, size_t size)
{
    struct text *text = context;
    if (++text->calls == text->fails_at)
        return 1;
    text->bytes = realloc(text->bytes, text->size + size + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return 0;
}

static tlu_recipe recipe_for(const char *kind)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    assert_int_equal(tlu_recipe_init(kind, &recipe, NULL), TLU_OK);
    return recipe;
}

static char *generate(const tlu_recipe *recipe)
{
    struct text text = {0};
    tlu_error error;
    if (tlu_generate(recipe, keep, &text, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return text.bytes;
}

// The data of a LIBSVM or CSV text as a dense matrix.
struct matrix {
    size_t rows, features;
    double *x;      // [rows][features]
    int *labels;    // [rows]
    size_t *counts; // [rows] of entries that were written
};

static double next_number(char **p, int separator)
{
    const char *end;
    double value = 0;
    size_t length = strcspn(*p, " ,\n");
    assert_int_equal(number_parse(*p, *p + length, &value, &end), NUMBER_OK);
    assert_ptr_equal(end, *p + length);
    size_t digits = 0; // six significant ones at most
    bool leading = true;
    for (const char *c = *p; c < end && *c != 'e'; c++) {
        leading &= *c < '1' || *c > '9';
        digits += !leading && *c != '.';
    }
    assert_true(digits <= 6);
    *p += length;
    if (separator) {
        assert_int_equal(**p, separator);
        ++*p;
    }
    return value;
}

static void read_libsvm_row(struct matrix *matrix, char **p)
{
    size_t last = 0;
    matrix->labels[matrix->rows] = (int)strtol(*p, p, 10);
    while (**p == ' ') {
        size_t index = strtoul(*p + 1, p, 10);
        assert_true(index > last && index <= matrix->features); // rising, from 1
        assert_int_equal(**p, ':');
        ++*p;
        matrix->x[matrix->rows * matrix->features + index - 1] = next_number(p, 0);
        matrix->counts[matrix->rows]++;
        last = index;
    }
}

static void read_csv_row(struct matrix *matrix, char **p)
{
    for (size_t i = 0; i < matrix->features; i++)
        matrix->x[matrix->rows * matrix->features + i] = next_number(p, ',');
    matrix->labels[matrix->rows] = (int)strtol(*p, p, 10);
}

static struct matrix read_matrix(const tlu_recipe *recipe)
{
    bool csv = strcmp(recipe->format, "csv") == 0;
    char *text = generate(recipe), *p = text;
    struct matrix matrix = {.features = (size_t)recipe->features};
    matrix.x = calloc((size_t)recipe->rows * matrix.features, sizeof *matrix.x);
    matrix.labels = calloc((size_t)recipe->rows, sizeof *matrix.labels);
    matrix.counts = calloc((size_t)recipe->rows, sizeof *matrix.counts);
    assert_true(matrix.x && matrix.labels && matrix.counts);
    if (csv) {
        for (size_t i = 1; i <= matrix.features; i++) {
            char name[32];
            int length = snprintf(name, sizeof name, "x%zu,", i);
            assert_memory_equal(p, name, (size_t)length);
            p += length;
        }
        assert_memory_equal(p, "label\n", 6);
        p += 6;
    }
    for (; *p; matrix.rows++) {
        assert_true(matrix.rows < recipe->rows);
        if (csv)
            read_csv_row(&matrix, &p);
        else
            read_libsvm_row(&matrix, &p);
        assert_int_equal(*p, '\n');
        p++;
    }
    assert_int_equal(matrix.rows, recipe->rows);
    free(text);
    return matrix;
}

static void matrix_free(struct matrix *matrix)
{
    free(matrix->x);
    free(matrix->labels);
    free(matrix->counts);
}

static void line(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("line");
    recipe.rows = 5000;
    struct matrix clean = read_matrix(&recipe);
    recipe.noise = 0.25;
    struct matrix noisy = read_matrix(&recipe);
    int flipped = 0, above = 0, left = 0;
    for (size_t i = 0; i < clean.rows; i++) {
        double x = clean.x[2 * i], y = clean.x[2 * i + 1];
        assert_true(x >= 0 && x < 1 && y >= 0 && y < 1);
        // Six decimals: sums away from 1 by less than half a millionth are exactly 1.
        assert_int_equal(clean.labels[i], x + y > 1 + 0.5e-6 ? 1 : -1);
        assert_true(noisy.x[2 * i] == x && noisy.x[2 * i + 1] == y);
        flipped += noisy.labels[i] != clean.labels[i];
        above += clean.labels[i] == 1;
        left += x < 0.5;
    }
    assert_in_range(flipped, 1097, 1403); // a quarter, give or take five deviations
    assert_in_range(above, 2323, 2677);
    assert_in_range(left, 2323, 2677);
    matrix_free(&clean);
    matrix_free(&noisy);

    // The first rows from seed 7, computed by another implementation of the generator.
    recipe = recipe_for("line");
    recipe.rows = 3;
    recipe.seed = 7;
    char *text = generate(&recipe);
    assert_string_equal(text, "+1 1:0.475994 2:0.782674\n"
                              "-1 1:0.177664 2:0.096664\n"
                              "-1 1:0.637716 2:0.015196\n");
    free(text);
}

static void xor_corners(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("xor");
    recipe.rows = 4;
    char *text = generate(&recipe);
    assert_string_equal(text, "+1 1:0 2:0\n+1 1:1 2:1\n-1 1:1 2:0\n-1 1:0 2:1\n");
    free(text);
    recipe.format = "csv";
    text = generate(&recipe);
    assert_string_equal(text, "x1,x2,label\n0,0,+1\n1,1,+1\n1,0,-1\n0,1,-1\n");
    free(text);

    recipe.rows = 1000;
    struct matrix matrix = read_matrix(&recipe);
    double squares = 0;
    for (size_t i = 0; i < matrix.rows; i++) {
        bool right = matrix.x[2 * i] > 0.5, upper = matrix.x[2 * i + 1] > 0.5;
        assert_int_equal(matrix.labels[i], right == upper ? 1 : -1);
        squares += pow(matrix.x[2 * i] - right, 2) + pow(matrix.x[2 * i + 1] - upper, 2);
    }
    assert_true(squares > 0.1); // not only the corners
    matrix_free(&matrix);
}

static void circle_and_moons(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("circle");
    recipe.rows = 2000;
    recipe.noise = 0;
    struct matrix matrix = read_matrix(&recipe);
    int inside = 0;
    for (size_t i = 0; i < matrix.rows; i++) {
        double square = pow(matrix.x[2 * i], 2) + pow(matrix.x[2 * i + 1], 2);
        assert_true(fabs(matrix.x[2 * i]) <= 1 && fabs(matrix.x[2 * i + 1]) <= 1);
        assert_int_equal(matrix.labels[i], square < 2 / acos(-1) ? 1 : -1);
        inside += matrix.labels[i] == 1;
    }
    assert_in_range(inside, 888, 1112); // half of the square
    matrix_free(&matrix);

    recipe = recipe_for("moons");
    recipe.noise = 0;
    matrix = read_matrix(&recipe);
    for (size_t i = 0; i < matrix.rows; i++) {
        double x = matrix.x[2 * i], y = matrix.x[2 * i + 1];
        bool upper = matrix.labels[i] == 1;
        assert_true(upper ? y >= 0 : y <= 0.5);
        assert_true(fabs(hypot(upper ? x : x - 1, upper ? y : y - 0.5) - 1) < 1e-5);
    }
    matrix_free(&matrix);

    recipe.noise = 0.2; // now a spread
    recipe.rows = 4000;
    matrix = read_matrix(&recipe);
    double squares = 0;
    for (size_t i = 0; i < matrix.rows; i++) {
        bool upper = matrix.labels[i] == 1;
        double x = upper ? matrix.x[2 * i] : matrix.x[2 * i] - 1;
        double y = upper ? matrix.x[2 * i + 1] : matrix.x[2 * i + 1] - 0.5;
        squares += pow(hypot(x, y) - 1, 2);
    }
    assert_true(fabs(sqrt(squares / 4000) - 0.2) < 0.02);
    matrix_free(&matrix);
}

// Points of the circle, on the side of their label with the margin, all around; by hand: with
// radius 2 and margin 1 the angles are from 30 to 150 degrees above and below, 60 degrees are left
// out on either side.
static void semicircles(void **state)
{
    (void)state;
    static const struct {
        double radius, margin, from; // from: degrees of the first point above the axis
    } cases[] = {{1, 0.1, 5.739}, {2, 1, 30}, {1e-3, 0, 0}, {5, 4.9, 78.522}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tlu_recipe recipe = recipe_for("semicircles");
        recipe.rows = 4000;
        recipe.radius = cases[k].radius;
        recipe.margin = cases[k].margin;
        struct matrix matrix = read_matrix(&recipe);
        assert_int_equal(matrix.features, 2);
        int above = 0, parts[4] = {0};
        double width = (180 - 2 * cases[k].from) / 2;
        for (size_t i = 0; i < matrix.rows; i++) {
            double x = matrix.x[2 * i], y = matrix.x[2 * i + 1];
            double angle = atan2(fabs(y), x) * 180 / acos(-1);
            assert_true(fabs(hypot(x, y) / cases[k].radius - 1) < 1e-5);
            assert_true((double)matrix.labels[i] * y >= cases[k].margin);
            above += y > 0;
            parts[(y > 0 ? 0 : 2) + (angle - cases[k].from > width)]++;
        }
        assert_in_range(above, 1850, 2150); // 2000 of deviation 32
        for (int part = 0; part < 4; part++)
            assert_in_range(parts[part], 890, 1110); // 1000 of deviation 27
        matrix_free(&matrix);
    }
    tlu_recipe recipe = recipe_for("semicircles");
    recipe.rows = 4000;
    recipe.noise = 0.1; // labels are flipped, points stay on the circle
    struct matrix matrix = read_matrix(&recipe);
    int flipped = 0;
    for (size_t i = 0; i < matrix.rows; i++) {
        assert_true(fabs(hypot(matrix.x[2 * i], matrix.x[2 * i + 1]) - 1) < 1e-5);
        flipped += (double)matrix.labels[i] * matrix.x[2 * i + 1] < 0;
    }
    assert_in_range(flipped, 320, 480); // 400 of deviation 19
    matrix_free(&matrix);
}

// Mistakes of the plain perceptron through the origin until a pass without one, at most `passes`.
static size_t perceptron_mistakes(const struct matrix *matrix, int passes, size_t *in_last_pass)
{
    double *w = calloc(matrix->features, sizeof *w);
    assert_non_null(w);
    size_t mistakes = 0;
    for (*in_last_pass = 1; *in_last_pass && passes; passes--) {
        *in_last_pass = 0;
        for (size_t i = 0; i < matrix->rows; i++) {
            const double *x = matrix->x + i * matrix->features;
            double score = 0;
            for (size_t j = 0; j < matrix->features; j++)
                score += w[j] * x[j];
            if (score * matrix->labels[i] > 0)
                continue;
            ++*in_last_pass;
            for (size_t j = 0; j < matrix->features; j++)
                w[j] += matrix->labels[i] * x[j];
        }
        mistakes += *in_last_pass;
    }
    free(w);
    return mistakes;
}

static void check_radius(const struct matrix *matrix, double radius)
{
    for (size_t i = 0; i < matrix->rows; i++) {
        long double square = 0;
        for (size_t j = 0; j < matrix->features; j++)
            square += (long double)matrix->x[i * matrix->features + j] *
                      (long double)matrix->x[i * matrix->features + j];
        assert_true(square <= (long double)radius * (long double)radius);
    }
}

static double margin_at(const struct matrix *matrix, double angle, double enough)
{
    double u = cos(angle), v = sin(angle), least = INFINITY;
    for (size_t i = 0; i < matrix->rows && least > enough; i++)
        least = fmin(least, matrix->labels[i] * (u * matrix->x[2 * i] + v * matrix->x[2 * i + 1]));
    return least;
}

// The largest margin of points of the plane over planes through the origin: by trying angles, and
// then ever finer ones around the best.
static double largest_margin(const struct matrix *matrix)
{
    double best = -INFINITY, centre = 0, width = 2 * acos(-1);
    for (int level = 0; level < 4; level++) {
        enum { STEPS = 20000 };
        double middle = centre;
        for (int step = 0; step <= STEPS; step++) {
            double angle = middle + width * ((double)step / STEPS - 0.5);
            double found = margin_at(matrix, angle, best);
            if (found > best) {
                best = found;
                centre = angle;
            }
        }
        width *= 4.0 / STEPS;
    }
    return best;
}

static void margin(void **state)
{
    (void)state;
    static const double radii[] = {1, 1e-10, 12345.678, 1e30};
    static const double shares[] = {0.02, 0.3, 0.9, 0.999};
    for (size_t r = 0; r < 4; r++)
        for (size_t s = 0; s < 4; s++) {
            tlu_recipe recipe = recipe_for("margin");
            recipe.radius = radii[r];
            recipe.margin = shares[s] * radii[r];
            recipe.features = 2;
            recipe.rows = 300;
            recipe.seed = 4 * r + s;
            struct matrix plane = read_matrix(&recipe);
            check_radius(&plane, recipe.radius);
            assert_true(largest_margin(&plane) >= recipe.margin);
            matrix_free(&plane);

            recipe.features = 1 + 30 * s; // one feature as well
            struct matrix space = read_matrix(&recipe);
            check_radius(&space, recipe.radius);
            size_t left;
            double bound = pow(recipe.radius / recipe.margin, 2); // Novikoff 1962
            assert_true((double)perceptron_mistakes(&space, 10000, &left) <= bound);
            assert_int_equal(left, 0);
            matrix_free(&space);
        }
}

static void blobs(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("blobs");
    enum { K = 5, D = 4, ROWS = 5000 };
    recipe.classes = K;
    recipe.features = D;
    recipe.rows = ROWS;
    struct matrix matrix = read_matrix(&recipe);
    double sums[K][D] = {{0}}, squares[K][D] = {{0}};
    int counts[K] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        assert_in_range(matrix.labels[i], 1, K);
        int class = matrix.labels[i] - 1;
        counts[class]++;
        for (size_t j = 0; j < D; j++) {
            sums[class][j] += matrix.x[i * D + j];
            squares[class][j] += pow(matrix.x[i * D + j], 2);
        }
    }
    for (int k = 0; k < K; k++) {
        assert_int_equal(counts[k], ROWS / K);
        for (int j = 0; j < D; j++) {
            double mean = sums[k][j] / counts[k];
            assert_true(fabs(mean) < 10.2);
            assert_true(fabs(squares[k][j] / counts[k] - mean * mean - 1) < 0.23);
        }
    }
    recipe.noise = 0.2;
    struct matrix noisy = read_matrix(&recipe);
    int flipped = 0;
    for (size_t i = 0; i < ROWS; i++) {
        assert_in_range(noisy.labels[i], 1, K);
        flipped += noisy.labels[i] != (int)(i % K) + 1;
    }
    assert_in_range(flipped, 858, 1142); // a fifth
    matrix_free(&matrix);
    matrix_free(&noisy);
}

static int by_size(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static void sparse(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("sparse");
    recipe.rows = 2000;
    recipe.features = 1000;
    recipe.nonzeros = 30;
    recipe.noise = 0;
    struct matrix matrix = read_matrix(&recipe);
    size_t entries = 0, positive = 0;
    int rows_with[1000] = {0};
    for (size_t i = 0; i < matrix.rows; i++) {
        double square = 0;
        for (size_t j = 0; j < 1000; j++) {
            double value = matrix.x[i * 1000 + j];
            assert_true(value >= 0);
            square += value * value;
            rows_with[j] += value > 0;
        }
        assert_true(fabs(sqrt(square) - 1) < 1e-5);
        assert_in_range(matrix.counts[i], 15, 45);
        entries += matrix.counts[i];
        positive += matrix.labels[i] == 1;
    }
    assert_true(fabs((double)entries / 2000 - 30) < 1);
    assert_in_range(positive, 400, 1600);
    // Frequencies fall as 1 / (rank + 10): at rank 190 a tenth of those at rank 10, and more of
    // them than that, as common ones come several times in a row but count once.
    qsort(rows_with, 1000, sizeof rows_with[0], by_size);
    double ratio = (double)rows_with[9] / rows_with[189];
    assert_true(ratio > 5 && ratio < 11);
    // A hidden plane through the origin decides: few mistakes remain.
    size_t left;
    perceptron_mistakes(&matrix, 300, &left);
    assert_true(left < 20);
    matrix_free(&matrix);

    recipe.noise = 0.5; // nothing to learn: the same rows, half of the labels the other ones
    struct matrix noisy = read_matrix(&recipe);
    perceptron_mistakes(&noisy, 5, &left);
    assert_true(left > 100);
    matrix_free(&noisy);
}

// Where a row needs (almost) every feature, the rarest are not waited for.
static void sparse_but_full(void **state)
{
    (void)state;
    tlu_recipe recipe = recipe_for("sparse");
    recipe.rows = 50;
    recipe.features = recipe.nonzeros = 3000;
    struct matrix matrix = read_matrix(&recipe);
    for (size_t i = 0; i < matrix.rows; i++)
        assert_in_range(matrix.counts[i], 1500, 3000);
    matrix_free(&matrix);
    recipe.features = recipe.nonzeros = 1;
    recipe.rows = 1;
    char *text = generate(&recipe);
    assert_string_equal(text + 2, " 1:1\n");
    free(text);
}

static void formats_agree(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        tlu_recipe recipe = recipe_for(kinds[k]);
        recipe.rows = 50;
        if (recipe.nonzeros) {
            recipe.features = 200;
            recipe.nonzeros = 20;
        }
        struct matrix one = read_matrix(&recipe);
        recipe.format = "csv";
        struct matrix two = read_matrix(&recipe);
        assert_memory_equal(one.x, two.x, one.rows * one.features * sizeof *one.x);
        assert_memory_equal(one.labels, two.labels, one.rows * sizeof *one.labels);
        matrix_free(&one);
        matrix_free(&two);
    }
}

static void the_seed_decides(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        tlu_recipe recipe = recipe_for(kinds[k]);
        recipe.rows = 30;
        char *one = generate(&recipe), *same = generate(&recipe);
        recipe.seed++;
        char *other = generate(&recipe);
        assert_string_equal(one, same);
        assert_string_not_equal(one, other);
        free(one);
        free(same);
        free(other);
    }
}

static void check_refused(const tlu_recipe *recipe, const char *reason)
{
    struct text text = {0};
    tlu_error error;
    assert_int_equal(tlu_generate(recipe, keep, &text, &error), TLU_ERROR_INPUT);
    assert_int_equal(error.status, TLU_ERROR_INPUT);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not speak of '%s'", error.text, reason);
    assert_int_equal(text.calls, 0);
    assert_int_equal(tlu_generate(recipe, keep, &text, NULL), TLU_ERROR_INPUT);
}

#define REFUSED(name, field, value, reason)                                                        \
    do {                                                                                           \
        tlu_recipe recipe = recipe_for(name);                                                      \
        recipe.field = value;                                                                      \
        check_refused(&recipe, reason);                                                            \
    } while (0)

static void impossible_recipes(void **state)
{
    (void)state;
    tlu_error error;
    tlu_recipe untouched = {.size = sizeof untouched, .rows = 17};
    assert_int_equal(tlu_recipe_init("spiral", &untouched, &error), TLU_ERROR_INPUT);
    assert_int_equal(untouched.rows, 17);
    assert_non_null(strstr(error.text, "'spiral'"));
    for (int k = 0; k < KINDS; k++) {
        assert_non_null(strstr(error.text, kinds[k])); // those there are
        REFUSED(kinds[k], rows, 0, "rows");
        REFUSED(kinds[k], features, 0, "features");
        REFUSED(kinds[k], classes, 1, "classes");
        REFUSED(kinds[k], noise, -0.1, "noise");
        REFUSED(kinds[k], noise, NAN, "noise");
        REFUSED(kinds[k], noise, INFINITY, "noise");
        REFUSED(kinds[k], format, "arff", "arff");
        REFUSED(kinds[k], kind, "spiral", "spiral");
    }
    REFUSED("line", noise, 1.1, "share");
    REFUSED("line", features, 3, "plane");
    REFUSED("moons", classes, 3, "2 classes");
    REFUSED("blobs", nonzeros, 3, "nonzeros");
    REFUSED("line", margin, 0.1, "margin");
    REFUSED("line", radius, 1, "radius");
    REFUSED("sparse", nonzeros, 20001, "nonzeros");
    REFUSED("sparse", nonzeros, 0, "nonzeros");
    REFUSED("sparse", features, (uint64_t)1 << 40, "features");
    REFUSED("margin", margin, 1.5, "margin");
    REFUSED("margin", margin, 1, "margin");
    REFUSED("margin", margin, -1, "margin");
    REFUSED("margin", margin, NAN, "margin");
    REFUSED("margin", radius, 0, "radius");
    REFUSED("margin", radius, INFINITY, "radius");
    REFUSED("margin", radius, NAN, "radius");
    REFUSED("semicircles", noise, 1.1, "share");
    REFUSED("semicircles", features, 3, "plane");
    REFUSED("semicircles", classes, 3, "2 classes");
    REFUSED("semicircles", margin, 1, "margin");
    REFUSED("semicircles", radius, 0, "radius");
}

static void writing_fails(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int n = 1; n <= 2; n++) {
            tlu_recipe recipe = recipe_for(kinds[k]);
            recipe.rows = 40000;
            struct text text = {.fails_at = n};
            tlu_error error;
            assert_int_equal(tlu_generate(&recipe, keep, &text, &error), TLU_INTERRUPTED);
            assert_int_equal(error.status, TLU_INTERRUPTED);
            assert_non_null(strstr(error.text, "written"));
            assert_int_equal(text.calls, n); // and it is not called again
            free(text.bytes);
        }
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        long n = 1;
        for (tlu_status status = TLU_ERROR_SYSTEM; status != TLU_OK; n++) {
            tlu_recipe recipe = recipe_for(kinds[k]);
            recipe.rows = 3;
            struct text text = {0};
            tlu_error error;
            fault_at(FAULT_MEMORY, n);
            status = tlu_generate(&recipe, keep, &text, &error);
            fault_at(FAULT_MEMORY, 0);
            assert_true(status == TLU_OK || (status == TLU_ERROR_SYSTEM && text.size == 0));
            assert_true(status == TLU_OK || strstr(error.text, "memory"));
            free(text.bytes);
        }
        assert_true(n > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line),
        cmocka_unit_test(xor_corners),
        cmocka_unit_test(circle_and_moons),
        cmocka_unit_test(semicircles),
        cmocka_unit_test(margin),
        cmocka_unit_test(blobs),
        cmocka_unit_test(sparse),
        cmocka_unit_test(sparse_but_full),
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(impossible_recipes),
        cmocka_unit_test(writing_fails),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
