#include "metrics/curve.h"

#include "base/memory.h"

#include <assert.h>

static bool add_point(struct curve *curve, double threshold, double x, double y)
{
    if (!memory_reserve(&curve->points, &curve->capacity, curve->count + 1, sizeof *curve->points))
        return false;
    curve->points[curve->count++] = (tlu_curve_point){threshold, x, y};
    return true;
}

void curve_free(struct curve *curve)
{
    memory_free(curve->points);
    *curve = (struct curve){0};
}

// The weights of the rows above each threshold: x of the rest, y of the class.
static bool add_steps(struct curve *curve, const struct ranking *ranking)
{
    struct ranking_step step = {0};
    while (ranking_next(ranking, &step))
        if (!add_point(curve, step.threshold, sum_value(&step.rest), sum_value(&step.target)))
            return false;
    return true;
}

// Takes points out whose neighbours are as far on either side, except the first of the curve.
static void drop_between(struct curve *curve)
{
    size_t kept = 2;
    tlu_curve_point *points = curve->points, before;
    if (curve->count < 4)
        return;
    before = points[1];
    for (size_t i = 2; i < curve->count; i++) {
        tlu_curve_point now = points[i];
        bool between = i + 1 < curve->count && points[i + 1].x - now.x == now.x - before.x &&
                       points[i + 1].y - now.y == now.y - before.y;
        before = now;
        if (!between)
            points[kept++] = now;
    }
    curve->count = kept;
}

bool curve_roc(struct curve *curve, const struct ranking *ranking)
{
    assert(curve->count == 0);
    if (!add_point(curve, INFINITY, 0, 0) || !add_steps(curve, ranking))
        return false;
    drop_between(curve);
    for (size_t i = 0; i < curve->count; i++) {
        tlu_curve_point *point = &curve->points[i];
        point->x = ranking->rest_weight > 0 ? point->x / ranking->rest_weight : NAN;
        point->y = ranking->target_weight > 0 ? point->y / ranking->target_weight : NAN;
    }
    return true;
}

bool curve_precision(struct curve *curve, const struct ranking *ranking)
{
    struct curve steps = {0};
    bool fine = add_steps(&steps, ranking);
    for (size_t i = steps.count; fine && i > 0; i--) {
        const tlu_curve_point *step = &steps.points[i - 1];
        double recall = ranking->target_weight > 0 ? step->y / ranking->target_weight : 1;
        fine = add_point(curve, step->threshold, step->y / (step->x + step->y), recall);
    }
    curve_free(&steps);
    return fine && add_point(curve, INFINITY, 1, 0);
}
