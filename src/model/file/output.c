// CALB, THRS: what is made of the scores.
#include "base/memory.h"
#include "model/file/sections.h"
#include "model/probability.h"

void put_calibration(struct out *out, const tlu_model *model)
{
    const struct calibration *calibration = &model->output.calibration;
    uint32_t curves = calibration->curves;
    if (!model_is_calibrated(model))
        return;
    put_fixed(out, (uint64_t)calibration->kind, 1);
    if (calibration->kind != CALIBRATE_ISOTONIC)
        put_numbers(out, calibration->slope, curves);
    if (calibration->kind == CALIBRATE_SIGMOID)
        put_numbers(out, calibration->offset, curves);
    if (calibration->kind != CALIBRATE_ISOTONIC)
        return;
    for (uint32_t k = 0; k < curves; k++)
        put_count(out, calibration->ends[k] - (k ? calibration->ends[k - 1] : 0));
    put_numbers(out, calibration->x, calibration->ends[curves - 1]);
    put_numbers(out, calibration->y, calibration->ends[curves - 1]);
}

// Scores of a curve rise, probabilities do not fall.
static bool is_curve(const double *x, const double *y, size_t count)
{
    if (!(y[0] >= 0 && y[count - 1] <= 1))
        return false;
    for (size_t i = 1; i < count; i++)
        if (!(x[i - 1] < x[i] && y[i - 1] <= y[i]))
            return false;
    return true;
}

static void unpack_curves(struct unpack *in, struct calibration *calibration)
{
    uint64_t knots = 0;
    for (uint32_t k = 0; k < calibration->curves && !unpack_failed(in); k++) {
        uint64_t count = unpack_count(in);
        if (count == 0 || count > unpack_left(in) * 4 || knots + count > unpack_left(in) * 4)
            unpack_damaged(in, "a curve has %llu knots", (unsigned long long)count);
        knots += count;
        calibration->ends[k] = (size_t)knots;
    }
    if (unpack_failed(in) || !unpack_numbers_fit(in, knots))
        return;
    memory_free(calibration->x);
    memory_free(calibration->y);
    calibration->x = unpack_new_numbers(in, (size_t)knots);
    calibration->y = unpack_new_numbers(in, (size_t)knots);
    for (uint32_t k = 0; k < calibration->curves && !unpack_failed(in); k++) {
        size_t start = k ? calibration->ends[k - 1] : 0;
        if (!is_curve(calibration->x + start, calibration->y + start, calibration->ends[k] - start))
            unpack_damaged(in, "the curve of a class falls");
    }
}

void unpack_calibration(struct unpack *in)
{
    struct calibration *calibration = &in->model->output.calibration;
    uint32_t classes = schema_classes(&in->model->schema);
    int kind = (int)unpack_choice(in, CALIBRATE_TEMPERATURE, "the kind of calibration");
    if (kind == CALIBRATE_NONE)
        unpack_damaged(in, "the kind of calibration is 0");
    if (unpack_failed(in) || !unpack_numbers_fit(in, calibration_curves(kind, classes)))
        return;
    if (!calibration_new(calibration, kind, classes, 0)) {
        unpack_checked(in, NULL);
        return;
    }
    if (kind == CALIBRATE_ISOTONIC)
        unpack_curves(in, calibration);
    else
        unpack_numbers(in, calibration->slope, calibration->curves);
    if (kind == CALIBRATE_SIGMOID && unpack_numbers_fit(in, calibration->curves))
        unpack_numbers(in, calibration->offset, calibration->curves);
    if (kind == CALIBRATE_TEMPERATURE && !(calibration->slope[0] >= 0))
        unpack_damaged(in, "a temperature is below 0");
}

// ---- THRS ----

void put_threshold(struct out *out, const tlu_model *model)
{
    const struct threshold *threshold = &model->output.threshold;
    if (threshold->on == THRESHOLD_NONE)
        return;
    put_fixed(out, threshold->on, 1);
    put_double(out, threshold->at);
}

void unpack_threshold(struct unpack *in)
{
    struct threshold *threshold = &in->model->output.threshold;
    threshold->on = unpack_choice(in, THRESHOLD_PROBABILITY, "the kind of threshold");
    threshold->at = unpack_number(in, CODE_DOUBLE);
    if (unpack_failed(in))
        return;
    if (threshold->on == THRESHOLD_NONE || in->model->scheme != SCHEME_TWO)
        unpack_damaged(in, "it should not be there");
    else if (threshold->on == THRESHOLD_PROBABILITY && !model_has_probabilities(in->model))
        unpack_damaged(in, "it is one of probabilities, which the model does not have");
}
