#include "calibration/calibration.h"

#include "base/memory.h"
#include "calibration/softmax.h"
#include "numeric/exp_log.h"

#include <assert.h>
#include <string.h>

uint32_t calibration_curves(int kind, uint32_t classes, bool labels)
{
    return (classes == 2 && !labels) || kind == CALIBRATE_TEMPERATURE ? 1 : classes;
}

bool calibration_new(struct calibration *calibration, int kind, uint32_t classes, bool labels,
                     size_t knots)
{
    assert(kind != CALIBRATE_NONE && classes >= 2 && !(labels && kind == CALIBRATE_TEMPERATURE));
    uint32_t curves = calibration_curves(kind, classes, labels);
    *calibration =
        (struct calibration){.kind = kind, .classes = classes, .labels = labels, .curves = curves};
    calibration->slope = memory_new(curves, sizeof(double));
    calibration->offset = memory_new(curves, sizeof(double));
    calibration->ends = memory_new(curves, sizeof(size_t));
    calibration->x = memory_new(knots, sizeof(double));
    calibration->y = memory_new(knots, sizeof(double));
    bool fine = calibration->slope && calibration->offset && calibration->ends && calibration->x &&
                calibration->y;
    if (!fine)
        calibration_free(calibration);
    return fine;
}

void calibration_free(struct calibration *calibration)
{
    memory_free(calibration->slope);
    memory_free(calibration->offset);
    memory_free(calibration->ends);
    memory_free(calibration->x);
    memory_free(calibration->y);
    *calibration = (struct calibration){0};
}

static size_t start_of(const struct calibration *calibration, uint32_t curve)
{
    return curve ? calibration->ends[curve - 1] : 0;
}

bool calibration_copy(struct calibration *to, const struct calibration *from,
                      const uint32_t *class_of)
{
    *to = (struct calibration){0};
    if (from->kind == CALIBRATE_NONE)
        return true;
    if (!calibration_new(to, from->kind, from->classes, from->labels, from->ends[from->curves - 1]))
        return false;
    for (uint32_t k = 0; k < from->curves; k++) {
        uint32_t other = class_of && from->curves > 1 ? class_of[k] : k;
        size_t start = start_of(to, k), first = start_of(from, other);
        size_t count = from->ends[other] - first;
        to->slope[k] = from->slope[other];
        to->offset[k] = from->offset[other];
        to->ends[k] = start + count;
        if (count) {
            memcpy(to->x + start, from->x + first, count * sizeof *to->x);
            memcpy(to->y + start, from->y + first, count * sizeof *to->y);
        }
    }
    return true;
}

// The probability of the curve's class; *other is that of all others.
static double curve_at(const struct calibration *calibration, uint32_t k, double score,
                       double *other)
{
    if (calibration->kind == CALIBRATE_ISOTONIC) {
        size_t start = start_of(calibration, k);
        double found = isotonic_at(calibration->x + start, calibration->y + start,
                                   calibration->ends[k] - start, score);
        *other = 1 - found;
        return found;
    }
    double logit = calibration->slope[k] * score + calibration->offset[k];
    *other = sigmoid(-logit);
    return sigmoid(logit);
}

double calibration_of_label(const struct calibration *calibration, uint32_t label, double score)
{
    double other;
    assert(calibration->labels && label < calibration->classes);
    return curve_at(calibration, label, score, &other);
}

void calibration_apply(const struct calibration *calibration, const double *scores,
                       uint32_t positive, double *probabilities)
{
    uint32_t classes = calibration->classes;
    double other;
    assert(calibration->kind != CALIBRATE_NONE &&
           (classes != 2 || positive < 2 || calibration->labels));
    if (classes == 2 && !calibration->labels) {
        probabilities[positive] = curve_at(calibration, 0, scores[0], &probabilities[1 - positive]);
        return;
    }
    if (calibration->kind == CALIBRATE_TEMPERATURE) {
        softmax(scores, classes, calibration->slope[0], probabilities);
        return;
    }
    for (uint32_t k = 0; k < classes; k++)
        probabilities[k] = curve_at(calibration, k, scores[k], &other);
    if (!calibration->labels)
        normalise(probabilities, classes);
}
