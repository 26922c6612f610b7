// Rocchio's classifier (nearest centroid), as in quiz 2 of the Elkan notes. Without a bias it is
// the original:
//
//     w = u - v    u: mean of the positive examples, v: mean of the negative examples
//
// With a bias the plane is halfway between u and v, so that x gets the class with the nearer mean:
//
//     |x - v|^2 - |x - u|^2 = 2 (w . x + b)   with   b = (|v|^2 - |u|^2) / 2
//
// Several classes, winner takes all: with c_k the mean of class k, its score is c_k . x, with a
// bias c_k . x - |c_k|^2 / 2. The result need not separate separable data.
#include "solvers/class_sums.h"

// If one side has no rows, every row is predicted to be of the other.
static void set_column(struct weights *weights, const struct class_sums *sums, uint32_t column,
                       bool bias)
{
    double rows[2], side[2], squares[2] = {0, 0};
    class_sums_split(sums, sums->rows, column, rows);
    if (bias && (rows[0] == 0 || rows[1] == 0)) {
        weights->bias[column] = rows[1] > 0 ? 1 : -1;
        return;
    }
    for (size_t f = 0; f < sums->features; f++) {
        class_sums_split(sums, sums->sum + f * sums->classes, column, side);
        if (side[0] == 0 && side[1] == 0)
            continue; // probably never occurred: its memory stays untouched
        double u = rows[1] > 0 ? side[1] / rows[1] : 0, v = rows[0] > 0 ? side[0] / rows[0] : 0;
        weights->w[f * weights->columns + column] = u - v;
        squares[0] += v * v;
        squares[1] += u * u;
    }
    if (bias)
        weights->bias[column] = (squares[0] - squares[1]) / 2;
}

#define NEVER -1e300 // score of a class without training rows; they may all be held out

static void set_class(struct weights *weights, const struct class_sums *sums, uint32_t k, bool bias)
{
    double square = 0;
    for (size_t f = 0; f < sums->features && sums->rows[k] > 0; f++) {
        double average = sums->sum[f * sums->classes + k] / sums->rows[k];
        if (average == 0)
            continue;
        weights->w[f * weights->columns + k] = average;
        square += average * average;
    }
    if (bias)
        weights->bias[k] = sums->rows[k] > 0 ? -square / 2 : NEVER;
}

static tlu_status rocchio_solve(struct tlu_learner *learner, struct batch *const *batches,
                                size_t batch_count, tlu_error *error)
{
    struct class_sums sums;
    tlu_status status = class_sums_of(&sums, learner, batches, batch_count, NULL, error);
    if (status != TLU_OK)
        return status;
    for (uint32_t k = 0; status == TLU_OK && k < sums.columns; k++) {
        if (learner->state.scheme.kind == SCHEME_WTA)
            set_class(&learner->state.weights, &sums, k, learner->rule.bias);
        else
            set_column(&learner->state.weights, &sums, k, learner->rule.bias);
        status = class_sums_go_on(&sums, learner, error);
    }
    class_sums_free(&sums);
    return status;
}

LEARNER(rocchio) = {
    .info = {.name = learner_names.rocchio,
             .complexity = 1,
             .summary = "the nearest of the classes' averages; one look at each row, no more",
             .reference = "Rocchio 1971",
             .options = "",
             .defaults = "",
             .decisions = "last",
             .spaces = "primal",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_BATCH,
};
LEARNER_FUNCTIONS(rocchio) = {.solve = rocchio_solve};
