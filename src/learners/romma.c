// The relaxed online maximum margin algorithm (Li and Long 2002). The largest margin is that of the
// shortest w with y (w . x) >= 1 for all examples; this keeps two constraints instead of all: the
// newest example's, and "not shorter than before, in the direction of before", w' . w >= |w|^2.
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         if y_t (w . x_t) <= 0 (romma) or < 1 (aromma) then
//             set w := the shortest w' with y_t (w' . x_t) >= 1 and w' . w >= |w|^2
//
// With m = y (w . x) and D = |x|^2 |w|^2 - m^2 that is w := c w + d y x,
//
//     c = (|x|^2 |w|^2 - m) / D      d = |w|^2 (1 - m) / D
//
// and w := y x / |x|^2 if the first constraint implies the second, m >= |x|^2 |w|^2: so at the
// first mistake. D = 0 is an example against w itself, which no w' satisfies: it starts again too.
//
// An example of weight g wants a margin of g instead of 1, which is the same for x / g.

#include "learn/learner.h"

#include <math.h>

#define MIN_ANGLE 1e-12 // D beside |x|^2 |w|^2: below that, x is parallel to w
#define SQUARE_MAX 1e20 // |w|^2: past that there is no margin to be found, only overflow

// Errors of |w|^2 grow as fast as it does, so that it is computed again once in a while.
static bool much_changed(double square, double before)
{
    return before > 0 && ilogb(square) / 8 != ilogb(before) / 8;
}

static bool romma_step(struct tlu_learner *learner, const struct binary_example *example)
{
    double *square = &learner->space.group_norm[example->group]; // |w|^2
    double m = example->margin / example->weight;
    double norm = example->norm / (example->weight * example->weight);
    if (norm == 0)
        return false;
    double product = norm * *square, D = product - m * m;
    double c = 0, d = 1 / norm;
    if (m < product && D > MIN_ANGLE * product) {
        c = (product - m) / D;
        d = *square * (1 - m) / D;
        if (!isfinite(d)) // the product is too large, d is not
            d = (1 - m) * (*square / D);
    }
    double longer = c * *square + d; // |w'|^2 = w' . (c w + d y x), both constraints being tight
    double down = longer > SQUARE_MAX ? 1e-5 : 1, before = *square;
    if (before > 0)
        learner_shrink(learner, example, c * down, true);
    learner_add(learner, example, d * down / example->weight);
    *square = longer * down * down;
    if (much_changed(*square, before))
        learner_measure(learner, example);
    return true;
}

static bool romma_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return example->wrong && romma_step(learner, example);
}

static bool aromma_update(struct tlu_learner *learner, const struct binary_example *example)
{
    return example->margin < example->weight && romma_step(learner, example);
}

LEARNER(romma) = {
    .info = {.name = learner_names.romma,
             .complexity = 2,
             .summary = "heads for the largest margin, updating at mistakes only; for clean data",
             .reference = "Li and Long 2002",
             .options = "tie",
             .defaults = "",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_SCALE,
};
LEARNER_FUNCTIONS(romma) = {.update = romma_update};

LEARNER(aromma) = {
    .info = {.name = learner_names.aromma,
             .complexity = 3,
             .summary = "romma that also updates inside the margin: nearer to the largest one",
             .reference = "Li and Long 2002",
             .options = "",
             .defaults = "",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_NORM | LEARNER_SCALE,
};
LEARNER_FUNCTIONS(aromma) = {.update = aromma_update};
