// What a model derives from scores: probabilities, and with two classes a prediction at a threshold
// that the user may have chosen.
#ifndef TLU_CALIBRATION_OUTPUT_H
#define TLU_CALIBRATION_OUTPUT_H

#include "calibration/calibration.h"

enum threshold_on { THRESHOLD_NONE, THRESHOLD_SCORE, THRESHOLD_PROBABILITY };

struct threshold {
    enum threshold_on on;
    double at; // values at or above it are positive
};

struct score_output {
    struct calibration calibration; // CALIBRATE_NONE: the model was not calibrated
    struct threshold threshold;
};

// Whether scores are log-odds:
//
//     two classes   log P(+1|x) / P(-1|x) = score, so P(+1|x) = 1 / (1 + exp(-score))
//     TOGETHER      P(y|x) = exp(score_y) / sum of exp(score_k): softmax (wta)
//     EACH          a two-class problem per class; their probabilities are divided by their sum
//     (ovr)
enum logits { LOGITS_NONE, LOGITS_EACH, LOGITS_TOGETHER };

bool output_has_probabilities(const struct score_output *output, enum logits logits);
// Fills probabilities[classes] if output_has_probabilities. With two classes there is one score,
// that of the positive class, else one per class.
void output_probabilities(const struct score_output *output, enum logits logits,
                          const double *scores, uint32_t classes, uint32_t positive,
                          double *probabilities);
// Two classes: the value that is compared with the threshold, the score or the probability of the
// positive class.
double output_value(const struct score_output *output, enum threshold_on on, double score);
// Two classes: whether the score predicts the positive one.
bool output_is_positive(const struct score_output *output, double score);
// Two classes: the lowest score that predicts the positive one. Infinite if all scores do, or none.
double output_limit(const struct score_output *output);

#endif
