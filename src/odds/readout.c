#include "odds/readout.h"

#include "number/exp_log.h"
#include "odds/odds.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool readout_has_probabilities(const struct readout *readout, enum logits logits)
{
    return readout->calibration.kind != CALIBRATE_NONE || logits != LOGITS_NONE;
}

// Each class against the rest. Far below 0, where all of them vanish, sigmoid is exp.
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

void readout_probabilities(const struct readout *readout, enum logits logits, const double *scores,
                           uint32_t classes, uint32_t positive, double *probabilities)
{
    if (readout->calibration.kind != CALIBRATE_NONE) {
        calibration_apply(&readout->calibration, scores, positive, probabilities);
    } else if (classes == 2) {
        probabilities[positive] = sigmoid(scores[0]);
        probabilities[1 - positive] = sigmoid(-scores[0]);
    } else if (logits == LOGITS_EACH) {
        share_out(scores, classes, probabilities);
    } else {
        softmax(scores, classes, 1, probabilities);
    }
}

double readout_value(const struct readout *readout, enum threshold_on on, double score)
{
    double probabilities[2];
    if (on != THRESHOLD_PROBABILITY)
        return score;
    readout_probabilities(readout, LOGITS_TOGETHER, &score, 2, 1, probabilities);
    return probabilities[1];
}

bool readout_is_positive(const struct readout *readout, double score)
{
    if (readout->threshold.on == THRESHOLD_NONE)
        return score >= 0;
    return readout_value(readout, readout->threshold.on, score) >= readout->threshold.at;
}

// The finite doubles in their order, as whole numbers.
static double double_at(int64_t place)
{
    double value;
    uint64_t bits = (uint64_t)(place < 0 ? -(place + 1) : place);
    memcpy(&value, &bits, sizeof value);
    return place < 0 ? -value : value;
}

// Probabilities do not fall while the score rises, so the scores that mean the positive class begin
// somewhere.
double readout_limit(const struct readout *readout)
{
    double largest = DBL_MAX;
    int64_t high, low;
    memcpy(&high, &largest, sizeof high);
    low = -high - 1;
    if (readout->threshold.on != THRESHOLD_PROBABILITY)
        return readout->threshold.on == THRESHOLD_NONE ? 0 : readout->threshold.at;
    if (readout_is_positive(readout, -DBL_MAX) || !readout_is_positive(readout, DBL_MAX))
        return readout_is_positive(readout, 0) ? -INFINITY : INFINITY;
    while (high - 1 > low) { // low does not mean it, high does
        int64_t middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
        if (readout_is_positive(readout, double_at(middle)))
            high = middle;
        else
            low = middle;
    }
    return double_at(high);
}
