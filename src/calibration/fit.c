// Fits each curve of a calibration.
#include "calibration/fit.h"
#include "base/memory.h"

// The rows as the curve of a class sees them.
static void look(const struct scored_rows *rows, uint32_t k, struct seen_row *seen)
{
    bool two = rows->classes == 2;
    for (size_t i = 0; i < rows->count; i++)
        seen[i] =
            (struct seen_row){two ? rows->scores[i] : rows->scores[i * rows->classes + k],
                              rows->weights[i], rows->class_of[i] == (two ? rows->positive : k)};
}

static tlu_status fit_isotonic(struct calibration *calibration, const struct scored_rows *rows,
                               struct seen_row *seen, tlu_error *error)
{
    size_t used = 0, capacity_x = 0, capacity_y = 0;
    double *x = memory_new(rows->count + 1, sizeof *x), *y = memory_new(rows->count + 1, sizeof *y);
    bool fine = x && y;
    for (uint32_t k = 0; fine && k < calibration->curves; k++) {
        look(rows, k, seen);
        size_t knots = isotonic_fit(seen, rows->count, x, y);
        fine = memory_reserve(&calibration->x, &capacity_x, used + knots, sizeof *x) &&
               memory_reserve(&calibration->y, &capacity_y, used + knots, sizeof *y);
        for (size_t i = 0; fine && i < knots; i++, used++) {
            calibration->x[used] = x[i];
            calibration->y[used] = y[i];
        }
        calibration->ends[k] = used;
    }
    memory_free(x);
    memory_free(y);
    return enough_memory(fine, error);
}

static tlu_status fit_temperature(struct calibration *calibration, const struct scored_rows *rows,
                                  tlu_error *error)
{
    double *room = memory_new(rows->classes, sizeof *room);
    double *weights = memory_new(rows->classes, sizeof *weights);
    if (room && weights) {
        for (size_t i = 0; i < rows->count; i++)
            weights[rows->class_of[i]] += rows->weights[i];
        calibration->slope[0] = temperature_fit(rows, weights, room);
    }
    bool fine = room && weights;
    memory_free(room);
    memory_free(weights);
    return enough_memory(fine, error);
}

static tlu_status fit(struct calibration *calibration, const struct scored_rows *rows,
                      tlu_error *error)
{
    if (calibration->kind == CALIBRATE_TEMPERATURE)
        return fit_temperature(calibration, rows, error);
    struct seen_row *seen = memory_new(rows->count, sizeof *seen);
    TRY(enough_memory(seen, error));
    tlu_status status = TLU_OK;
    if (calibration->kind == CALIBRATE_ISOTONIC)
        status = fit_isotonic(calibration, rows, seen, error);
    for (uint32_t k = 0; calibration->kind == CALIBRATE_SIGMOID && k < calibration->curves; k++) {
        look(rows, k, seen);
        sigmoid_fit(seen, rows->count, &calibration->slope[k], &calibration->offset[k]);
    }
    memory_free(seen);
    return status;
}

tlu_status calibration_fit(struct calibration *calibration, int kind,
                           const struct scored_rows *rows, tlu_error *error)
{
    TRY(enough_memory(calibration_new(calibration, kind, rows->classes, 0), error));
    tlu_status status = fit(calibration, rows, error);
    if (status != TLU_OK)
        calibration_free(calibration);
    return status;
}
