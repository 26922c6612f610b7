// The relaxed online maximum margin algorithm (Li and Long 2002). The shortest w with y (w . x) >=
// 1 for all examples has the maximum margin. This algorithm replaces all constraints by two: that
// of the newest example, and w' . w >= |w|^2, which stands for all earlier examples.
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         if y_t (w . x_t) <= 0 (romma) or < 1 (aromma) then
//             set w := the shortest w' with y_t (w' . x_t) >= 1 and w' . w >= |w|^2
//
// With m = y (w . x) and D = |x|^2 |w|^2 - m^2 the solution is w := c w + d y x with
//
//     c = (|x|^2 |w|^2 - m) / D      d = |w|^2 (1 - m) / D
//
// or w := y x / |x|^2 if the first constraint implies the second, m >= |x|^2 |w|^2, as at the first
// mistake. D = 0 means that x is parallel to w; if then m < 0, no w' meets both constraints, and
// the algorithm also starts again with w := y x / |x|^2.
//
// An example of weight g requires a margin of g instead of 1, which is the same as 1 for x / g.

#include "learn/learner.h"

#include <math.h>

#define MIN_ANGLE 1e-12 // if D / (|x|^2 |w|^2) is below this, x is parallel to w
#define SQUARE_MAX 1e20 // if |w|^2 is above this, no margin will be found: w is shrunk

// Whether |w|^2 must be computed again: its rounding errors grow as fast as it does.
static bool much_changed(double square, double before)
{
    return before > 0 && ilogb(square) / 8 != ilogb(before) / 8;
}

static bool romma_step(struct tlu_learner *learner, const struct binary_example *example)
{
    double *square = &learner->state.group_norm[example->group]; // |w|^2
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
