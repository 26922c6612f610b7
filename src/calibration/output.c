#include "calibration/output.h"

#include "base/memory.h"
#include "calibration/softmax.h"
#include "numeric/exp_log.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool output_has_probabilities(const struct score_output *output, enum logits logits)
{
    return output->calibration.kind != CALIBRATE_NONE || logits != LOGITS_NONE;
}

// Each class against the rest. Far below 0, where all sigmoids underflow, sigmoid is exp.
static void share_out(const double *scores, size_t count, double *shares)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += shares[k] = sigmoid(scores[k]);
    if (sum > 0)
        normalise(shares, count);
    else
        softmax(scores, count, 1, shares);
}

void output_probabilities(const struct score_output *output, enum logits logits,
                          const double *scores, uint32_t classes, uint32_t positive,
                          double *probabilities)
{
    if (output->calibration.kind != CALIBRATE_NONE) {
        calibration_apply(&output->calibration, scores, positive, probabilities);
    } else if (logits == LOGITS_LABELS) {
        for (uint32_t k = 0; k < classes; k++)
            probabilities[k] = sigmoid(scores[k]);
    } else if (classes == 2) {
        probabilities[positive] = sigmoid(scores[0]);
        probabilities[1 - positive] = sigmoid(-scores[0]);
    } else if (logits == LOGITS_EACH) {
        share_out(scores, classes, probabilities);
    } else {
        softmax(scores, classes, 1, probabilities);
    }
}

double output_value(const struct score_output *output, enum threshold_on on, double score)
{
    double probabilities[2];
    if (on != THRESHOLD_PROBABILITY)
        return score;
    output_probabilities(output, LOGITS_TOGETHER, &score, 2, 1, probabilities);
    return probabilities[1];
}

bool output_is_positive(const struct score_output *output, double score)
{
    if (output->threshold.on == THRESHOLD_NONE)
        return score >= 0;
    return output_value(output, output->threshold.on, score) >= output->threshold.at;
}

// The finite doubles in order, numbered by integers.
static double double_at(int64_t place)
{
    double value;
    uint64_t bits = (uint64_t)(place < 0 ? -(place + 1) : place);
    memcpy(&value, &bits, sizeof value);
    return place < 0 ? -value : value;
}

// Binary search: probabilities do not decrease with the score.
double output_limit(const struct score_output *output)
{
    double largest = DBL_MAX;
    int64_t high, low;
    memcpy(&high, &largest, sizeof high);
    low = -high - 1;
    if (output->threshold.on != THRESHOLD_PROBABILITY)
        return output->threshold.on == THRESHOLD_NONE ? 0 : output->threshold.at;
    if (output_is_positive(output, -DBL_MAX) || !output_is_positive(output, DBL_MAX))
        return output_is_positive(output, 0) ? -INFINITY : INFINITY;
    while (high - 1 > low) { // high predicts the positive class, low does not
        int64_t middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
        if (output_is_positive(output, double_at(middle)))
            high = middle;
        else
            low = middle;
    }
    return double_at(high);
}

// ---- labels ----

double output_label_value(const struct score_output *output, enum threshold_on on, uint32_t label,
                          double score)
{
    if (on != THRESHOLD_PROBABILITY)
        return score;
    return output->calibration.kind != CALIBRATE_NONE
               ? calibration_of_label(&output->calibration, label, score)
               : sigmoid(score);
}

bool output_gives_label(const struct score_output *output, uint32_t label, double score, bool tie)
{
    const struct label_thresholds *labels = &output->labels;
    if (label >= labels->count)
        return tie ? score >= 0 : score > 0;
    return output_label_value(output, labels->on, label, score) >= labels->at[label];
}

double output_usual_threshold(enum threshold_on on)
{
    return on == THRESHOLD_PROBABILITY ? 0.5 : 0;
}

bool label_thresholds_copy(struct label_thresholds *to, const struct label_thresholds *from,
                           uint32_t classes, const uint32_t *class_of)
{
    *to = (struct label_thresholds){0};
    if (!from->at)
        return true;
    to->at = memory_new(classes, sizeof *to->at);
    if (!to->at)
        return false;
    to->on = from->on;
    to->count = classes;
    for (uint32_t c = 0; c < classes; c++)
        to->at[c] =
            class_of[c] < from->count ? from->at[class_of[c]] : output_usual_threshold(from->on);
    return true;
}
