// Points of the plane, clouds of points, and rows on two sides of a plane.
#include "data/generate/internal.h"

#include <math.h>

static double squared(double x, double y)
{
    return x * x + y * y;
}

static int64_t label_line(const tlu_recipe *recipe, const double *plan, double x, double y)
{
    (void)recipe, (void)plan;
    return x + y > 1 ? 1 : -1;
}

const struct truth_kind truth_of_line = {
    .label = label_line, .range = {0, 1, 0, 1}, .words = "above y = 1 - x"};

// Points of a grid of millionths, so that what is printed is what the label was decided on. (Two
// such numbers that add up to 1 do so in floating point as well: the errors of both are less than
// half of what comes after 1.)
int64_t draw_line(struct generator *generator, uint64_t row, double *values)
{
    for (size_t i = 0; i < 2; i++)
        values[i] = (double)random_below(&generator->random, 1000000) / 1e6;
    return noisy(generator, row, label_line(NULL, NULL, values[0], values[1]));
}

static const struct corner {
    double x, y;
    int64_t label;
} corners[4] = {{0, 0, 1}, {1, 1, 1}, {1, 0, -1}, {0, 1, -1}};

// That of the nearest corner.
static int64_t label_xor(const tlu_recipe *recipe, const double *plan, double x, double y)
{
    (void)recipe, (void)plan;
    const struct corner *nearest = &corners[0];
    for (size_t i = 1; i < 4; i++)
        if (squared(x - corners[i].x, y - corners[i].y) < squared(x - nearest->x, y - nearest->y))
            nearest = &corners[i];
    return nearest->label;
}

const struct truth_kind truth_of_xor = {.label = label_xor,
                                        .range = {-0.5, 1.5, -0.5, 1.5},
                                        .words = "the label of the nearest corner"};

// The four corners themselves come first, then points around them.
int64_t draw_xor(struct generator *generator, uint64_t row, double *values)
{
    const struct corner *corner = &corners[row % 4];
    double spread = row < 4 ? 0 : 0.1;
    values[0] = corner->x + spread * random_normal(&generator->random);
    values[1] = corner->y + spread * random_normal(&generator->random);
    return noisy(generator, row, corner->label);
}

static void spread_point(struct generator *generator, double *values)
{
    for (size_t i = 0; i < 2; i++)
        values[i] += generator->recipe->noise * random_normal(&generator->random);
}

// A square with a disc of half its area: inside is positive.
static int64_t label_circle(const tlu_recipe *recipe, const double *plan, double x, double y)
{
    (void)recipe, (void)plan;
    const double radius_squared = 0.63661977236758134; // 2 / pi
    return squared(x, y) < radius_squared ? 1 : -1;
}

const struct truth_kind truth_of_circle = {
    .label = label_circle, .range = {-1, 1, -1, 1}, .words = "inside the circle"};

int64_t draw_circle(struct generator *generator, uint64_t row, double *values)
{
    (void)row;
    for (size_t i = 0; i < 2; i++)
        values[i] = between(&generator->random, -1, 1);
    int64_t label = label_circle(NULL, NULL, values[0], values[1]);
    spread_point(generator, values);
    return label;
}

// Two half circles that reach into one another; the upper one is positive.
static const struct arc {
    double x, y, side; // the centre; 1: the upper half, -1: the lower one
    int64_t label;
} arcs[2] = {{0, 0, 1, 1}, {1, 0.5, -1, -1}};

static double distance_to_arc(const struct arc *arc, double x, double y)
{
    x -= arc->x;
    y = (y - arc->y) * arc->side;
    if (y < 0)
        return sqrt(squared(fabs(x) - 1, y)); // to an end
    return fabs(sqrt(squared(x, y)) - 1);
}

// That of the nearer arc: the best guess, as both have the same spread, unless it is so wide that
// the lengths of the arcs matter.
static int64_t label_moons(const tlu_recipe *recipe, const double *plan, double x, double y)
{
    (void)recipe, (void)plan;
    bool upper = distance_to_arc(&arcs[0], x, y) <= distance_to_arc(&arcs[1], x, y);
    return upper ? arcs[0].label : arcs[1].label;
}

const struct truth_kind truth_of_moons = {
    .label = label_moons, .range = {-1.5, 2.5, -1, 1.5}, .words = "the nearer of two half circles"};

int64_t draw_moons(struct generator *generator, uint64_t row, double *values)
{
    const struct arc *arc = &arcs[row % 2];
    double x, y, square;
    do { // a direction of the upper half, from a point in the half disc
        x = between(&generator->random, -1, 1);
        y = random_unit(&generator->random);
        square = squared(x, y);
    } while (square > 1 || square < 0.01);
    values[0] = arc->x + arc->side * (x / sqrt(square));
    values[1] = arc->y + arc->side * (y / sqrt(square));
    spread_point(generator, values);
    return arc->label;
}

static size_t size_of_centres(const tlu_recipe *recipe)
{
    size_t features = (size_t)recipe->features, classes = (size_t)recipe->classes;
    return classes < SIZE_MAX / features ? classes * features : SIZE_MAX;
}

static void draw_centres(struct random *random, const tlu_recipe *recipe, double *centres)
{
    for (size_t i = 0; i < size_of_centres(recipe); i++)
        centres[i] = between(random, -10, 10);
}

// That of the nearest centre: the best guess, as all clouds are alike.
static int64_t label_blobs(const tlu_recipe *recipe, const double *centres, double x, double y)
{
    size_t nearest = 0;
    for (size_t i = 1; i < recipe->classes; i++) {
        const double *a = &centres[2 * i], *b = &centres[2 * nearest];
        if (squared(x - a[0], y - a[1]) < squared(x - b[0], y - b[1]))
            nearest = i;
    }
    return (int64_t)nearest + 1;
}

// Three deviations around the centres.
static void find_clouds(const tlu_recipe *recipe, const double *centres, struct truth_range *range)
{
    *range = (struct truth_range){centres[0], centres[0], centres[1], centres[1]};
    for (size_t i = 0; i < recipe->classes; i++) {
        range->x_low = fmin(range->x_low, centres[2 * i] - 3);
        range->x_high = fmax(range->x_high, centres[2 * i] + 3);
        range->y_low = fmin(range->y_low, centres[2 * i + 1] - 3);
        range->y_high = fmax(range->y_high, centres[2 * i + 1] + 3);
    }
}

const struct truth_kind truth_of_blobs = {.label = label_blobs,
                                          .find_range = find_clouds,
                                          .size = size_of_centres,
                                          .draw = draw_centres,
                                          .counted = true,
                                          .words = "the nearest centre"};

// Classes in turn, each a cloud of deviation 1 around a centre in a box of 20.
int64_t draw_blobs(struct generator *generator, uint64_t row, double *values)
{
    size_t features = (size_t)generator->recipe->features;
    uint64_t classes = generator->recipe->classes, class = row % classes;
    for (size_t i = 0; i < features; i++)
        values[i] = generator->plan[class * features + i] + random_normal(&generator->random);
    if (is_noisy(generator, row))
        class = (class + 1 + random_below(&generator->random, classes - 1)) % classes;
    return (int64_t) class + 1;
}

// ---- margin: two sides of a plane with a margin between them ----

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// A row x with normal.x from `least` to `most` and |x| at most `most`: a part along the normal,
// more often short than long, and one across it.
static void draw_beside_plane(struct random *random, const double *normal, double *x,
                              size_t features, double least, double most)
{
    double along, across;
    do {
        double t = random_unit(random);
        double part = least + (most - least) * t * t;
        for (size_t i = 0; i < features; i++)
            x[i] = random_normal(random);
        along = dot(normal, x, features);
        for (size_t i = 0; i < features; i++)
            x[i] -= along * normal[i];
        across = sqrt(dot(x, x, features));
        double reach = sqrt(most * most - part * part) * (1 - random_unit(random) / 2);
        scale_values(x, across > 0 ? reach / across : 0, features);
        for (size_t i = 0; i < features; i++)
            x[i] += part * normal[i];
        // Rounding can spoil a row whose part across was almost nothing: then draw again.
        along = dot(normal, x, features);
    } while (along < least * (1 - 1e-9) || dot(x, x, features) > most * most * (1 + 1e-9));
}

static size_t size_of_normal(const tlu_recipe *recipe)
{
    return (size_t)recipe->features;
}

static void draw_normal(struct random *random, const tlu_recipe *recipe, double *normal)
{
    size_t features = (size_t)recipe->features;
    double square = 0;
    while (square == 0) {
        for (size_t i = 0; i < features; i++)
            normal[i] = random_normal(random);
        square = dot(normal, normal, features);
    }
    scale_values(normal, 1 / sqrt(square), features);
}

static int64_t label_margin(const tlu_recipe *recipe, const double *normal, double x, double y)
{
    (void)recipe;
    return normal[0] * x + normal[1] * y > 0 ? 1 : -1;
}

// The upper half of the circle is positive.
static int64_t label_semicircles(const tlu_recipe *recipe, const double *plan, double x, double y)
{
    (void)recipe, (void)plan, (void)x;
    return y > 0 ? 1 : -1;
}

static void find_disc(const tlu_recipe *recipe, const double *plan, struct truth_range *range)
{
    (void)plan;
    double radius = recipe->radius;
    *range = (struct truth_range){-radius, radius, -radius, radius};
}

const struct truth_kind truth_of_semicircles = {
    .label = label_semicircles, .find_range = find_disc, .words = "above y = 0"};

// A point of the circle on the side of its label, at least the margin away from y = 0. (The margin
// has room for the six digits that are printed, as in draw_margin.)
int64_t draw_semicircles(struct generator *generator, uint64_t row, double *values)
{
    const tlu_recipe *recipe = generator->recipe;
    double least = recipe->margin / recipe->radius + 1e-5, x, y, square;
    do { // a direction, from a point in the disc
        x = between(&generator->random, -1, 1);
        y = between(&generator->random, -1, 1);
        square = squared(x, y);
    } while (square > 1 || square < 0.01 || fabs(y) < least * sqrt(square));
    values[0] = recipe->radius * (x / sqrt(square));
    values[1] = recipe->radius * (y / sqrt(square));
    return noisy(generator, row, label_semicircles(recipe, NULL, values[0], values[1]));
}

const struct truth_kind truth_of_margin = {.label = label_margin,
                                           .find_range = find_disc,
                                           .size = size_of_normal,
                                           .draw = draw_normal,
                                           .words = "the side of a plane through 0"};

// Printing six digits moves a row by at most 5e-6 of its length, so with twice that in hand margin
// and radius hold for what is printed.
int64_t draw_margin(struct generator *generator, uint64_t row, double *values)
{
    const tlu_recipe *recipe = generator->recipe;
    size_t features = (size_t)recipe->features;
    double least = recipe->margin + 1e-5 * recipe->radius, most = recipe->radius * (1 - 1e-5);
    draw_beside_plane(&generator->random, generator->plan, values, features, least, most);
    int64_t label = random_bits(&generator->random) >> 63 ? 1 : -1;
    scale_values(values, (double)label, features);
    return noisy(generator, row, label);
}
