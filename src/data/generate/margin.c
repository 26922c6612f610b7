// Rows on two sides of a plane, with a margin between them.
#include "data/generate/internal.h"

#include "base/memory.h"

#include <math.h>

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

static void find_disc(const tlu_recipe *recipe, const double *plan, struct truth_range *range)
{
    (void)plan;
    double radius = recipe->radius;
    *range = (struct truth_range){-radius, radius, -radius, radius};
}

const struct truth_kind truth_of_margin = {.label = label_margin,
                                           .find_range = find_disc,
                                           .size = size_of_normal,
                                           .draw = draw_normal,
                                           .words = "the side of a plane through 0"};

// Printing six digits moves a row by at most 5e-6 of its length, so with twice that in hand margin
// and radius hold for what is printed.
tlu_status make_margin(struct job *job, tlu_error *error)
{
    const tlu_recipe *recipe = job->recipe;
    size_t features = (size_t)recipe->features;
    double *values = memory_new(features, sizeof *values);
    TRY(enough_memory(values, error));
    double least = recipe->margin + 1e-5 * recipe->radius;
    double most = recipe->radius * (1 - 1e-5);
    for (uint64_t row = 0; row < recipe->rows && !job->out.failed; row++) {
        draw_beside_plane(&job->random, job->plan, values, features, least, most);
        int64_t label = random_bits(&job->random) >> 63 ? 1 : -1;
        scale_values(values, (double)label, features);
        output_row(&job->out, features, NULL, values, features, noisy(job, row, label), true);
    }
    memory_free(values);
    return TLU_OK;
}
