// Fits each curve of a calibration.
#include "calibration/fit.h"
#include "base/memory.h"

// The rows of the binary problem of curve k.
static void rows_of_curve(const struct scored_rows *rows, uint32_t k, struct curve_row *own)
{
    bool two = rows->classes == 2 && !rows->members;
    for (size_t i = 0; i < rows->count; i++) {
        size_t cell = i * rows->classes + k;
        bool hit =
            rows->members ? rows->members[cell] : rows->class_of[i] == (two ? rows->positive : k);
        own[i] = (struct curve_row){rows->scores[two ? i : cell], rows->weights[i], hit};
    }
}

static tlu_status fit_isotonic(struct calibration *calibration, const struct scored_rows *rows,
                               struct curve_row *own, tlu_error *error)
{
    size_t used = 0, capacity_x = 0, capacity_y = 0;
    double *x = memory_new(rows->count + 1, sizeof *x), *y = memory_new(rows->count + 1, sizeof *y);
    bool fine = x && y;
    for (uint32_t k = 0; fine && k < calibration->curves; k++) {
        rows_of_curve(rows, k, own);
        size_t knots = isotonic_fit(own, rows->count, x, y);
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
    double *scratch = memory_new(rows->classes, sizeof *scratch);
    double *weights = memory_new(rows->classes, sizeof *weights);
    if (scratch && weights) {
        for (size_t i = 0; i < rows->count; i++)
            weights[rows->class_of[i]] += rows->weights[i];
        calibration->slope[0] = temperature_fit(rows, weights, scratch);
    }
    bool fine = scratch && weights;
    memory_free(scratch);
    memory_free(weights);
    return enough_memory(fine, error);
}

static tlu_status fit(struct calibration *calibration, const struct scored_rows *rows,
                      tlu_error *error)
{
    if (calibration->kind == CALIBRATE_TEMPERATURE)
        return fit_temperature(calibration, rows, error);
    struct curve_row *own = memory_new(rows->count, sizeof *own);
    TRY(enough_memory(own, error));
    tlu_status status = TLU_OK;
    if (calibration->kind == CALIBRATE_ISOTONIC)
        status = fit_isotonic(calibration, rows, own, error);
    for (uint32_t k = 0; calibration->kind == CALIBRATE_SIGMOID && k < calibration->curves; k++) {
        rows_of_curve(rows, k, own);
        sigmoid_fit(own, rows->count, &calibration->slope[k], &calibration->offset[k]);
    }
    memory_free(own);
    return status;
}

tlu_status calibration_fit(struct calibration *calibration, int kind,
                           const struct scored_rows *rows, tlu_error *error)
{
    TRY(enough_memory(calibration_new(calibration, kind, rows->classes, rows->members != NULL, 0),
                      error));
    tlu_status status = fit(calibration, rows, error);
    if (status != TLU_OK)
        calibration_free(calibration);
    return status;
}
