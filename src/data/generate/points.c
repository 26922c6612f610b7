// Figures in the plane, and clouds of points.
#include "data/generate/inside.h"

#include "base/memory.h"

#include <math.h>

static void put_point(struct job *job, double x, double y, int64_t label)
{
    double values[2] = {x, y};
    output_row(&job->out, 2, NULL, values, 2, label, true);
}

// Points of a grid of millionths, so that what is printed is what the label was decided on.
tlu_status make_line(struct job *job, tlu_error *error)
{
    (void)error;
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        uint64_t x = random_below(&job->random, 1000000);
        uint64_t y = random_below(&job->random, 1000000);
        int64_t label = noisy(job, x + y > 1000000 ? 1 : -1);
        put_point(job, (double)x / 1e6, (double)y / 1e6, label);
    }
    return TLU_OK;
}

// The four corners themselves come first, then points around them.
tlu_status make_xor(struct job *job, tlu_error *error)
{
    (void)error;
    static const int corners[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        const int *corner = corners[row % 4];
        double spread = row < 4 ? 0 : 0.1;
        double x = corner[0] + spread * random_normal(&job->random);
        double y = corner[1] + spread * random_normal(&job->random);
        put_point(job, x, y, noisy(job, row % 4 < 2 ? 1 : -1));
    }
    return TLU_OK;
}

static void put_spread_point(struct job *job, double x, double y, int64_t label)
{
    x += job->recipe->noise * random_normal(&job->random);
    y += job->recipe->noise * random_normal(&job->random);
    put_point(job, x, y, label);
}

// A square with a disc of half its area: inside is positive.
tlu_status make_circle(struct job *job, tlu_error *error)
{
    (void)error;
    const double radius_squared = 0.63661977236758134; // 2 / pi
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        double x = between(&job->random, -1, 1), y = between(&job->random, -1, 1);
        put_spread_point(job, x, y, x * x + y * y < radius_squared ? 1 : -1);
    }
    return TLU_OK;
}

// Two half circles that reach into one another; the upper one is positive.
tlu_status make_moons(struct job *job, tlu_error *error)
{
    (void)error;
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        double x, y, square;
        do { // a direction of the upper half, from a point in the half disc
            x = between(&job->random, -1, 1);
            y = random_unit(&job->random);
            square = x * x + y * y;
        } while (square > 1 || square < 0.01);
        x /= sqrt(square);
        y /= sqrt(square);
        if (row % 2 == 0)
            put_spread_point(job, x, y, 1);
        else
            put_spread_point(job, 1 - x, 0.5 - y, -1);
    }
    return TLU_OK;
}

// Classes in turn, each a cloud of deviation 1 around a centre in a box of 20.
tlu_status make_blobs(struct job *job, tlu_error *error)
{
    const tlu_recipe *recipe = job->recipe;
    size_t features = (size_t)recipe->features, classes = (size_t)recipe->classes;
    double *centres = classes < SIZE_MAX / features // [classes][features]
                          ? memory_new(classes * features, sizeof *centres)
                          : NULL;
    double *values = memory_new(features, sizeof *values);
    for (size_t i = 0; centres && i < classes * features; i++)
        centres[i] = between(&job->random, -10, 10);
    for (uint64_t row = 0; centres && values && row < recipe->rows && !job->out.failed; row++) {
        uint64_t class = row % classes;
        for (size_t i = 0; i < features; i++)
            values[i] = centres[class * features + i] + random_normal(&job->random);
        if (random_unit(&job->random) < recipe->noise)
            class = (class + 1 + random_below(&job->random, classes - 1)) % classes;
        output_row(&job->out, features, NULL, values, features, (int64_t) class + 1, false);
    }
    tlu_status status = centres && values ? TLU_OK : error_memory(error);
    memory_free(values);
    memory_free(centres);
    return status;
}
