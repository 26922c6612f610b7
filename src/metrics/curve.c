#include "metrics/curve.h"

#include "base/memory.h"

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

// Takes points out whose neighbours are as far on either side. It is the steps that are looked at,
// before infinity comes in front of them.
static void drop_between(struct curve *curve)
{
    size_t kept = 1;
    tlu_curve_point *points = curve->points, before;
    if (curve->count < 3)
        return;
    before = points[0];
    for (size_t i = 1; i < curve->count; i++) {
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
    struct curve steps = {0};
    bool fine = add_steps(&steps, ranking) && add_point(curve, INFINITY, 0, 0);
    if (fine)
        drop_between(&steps);
    for (size_t i = 0; fine && i < steps.count; i++)
        fine = add_point(curve, steps.points[i].threshold, steps.points[i].x, steps.points[i].y);
    curve_free(&steps);
    for (size_t i = 0; fine && i < curve->count; i++) {
        tlu_curve_point *point = &curve->points[i];
        point->x = ranking->rest_weight > 0 ? point->x / ranking->rest_weight : NAN;
        point->y = ranking->target_weight > 0 ? point->y / ranking->target_weight : NAN;
    }
    return fine;
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
