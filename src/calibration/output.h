// What is made of the scores: probabilities, and a threshold of the user's choice between two
// classes.
#ifndef TLU_CALIBRATION_OUTPUT_H
#define TLU_CALIBRATION_OUTPUT_H

#include "calibration/calibration.h"

enum threshold_on { THRESHOLD_NONE, THRESHOLD_SCORE, THRESHOLD_PROBABILITY };

struct threshold {
    enum threshold_on on;
    double at; // at or above it is the positive class
};

struct score_output {
    struct calibration calibration; // CALIBRATE_NONE: the model was not calibrated
    struct threshold threshold;
};

// Scores that are logarithms of odds:
//
//     two classes   log P(+1|x) / P(-1|x) = score, so P(+1|x) = 1 / (1 + exp(-score))
//     TOGETHER      P(y|x) = exp(score_y) / sum of exp(score_k): softmax (wta)
//     EACH          each class has its own two-class problem; the probabilities that these give are
//                   divided by their sum (ovr)
enum logits { LOGITS_NONE, LOGITS_EACH, LOGITS_TOGETHER };

bool output_has_probabilities(const struct score_output *output, enum logits logits);
// probabilities[classes] from the scores, if there are such: one score, that of the positive class,
// with two classes, else one per class.
void output_probabilities(const struct score_output *output, enum logits logits,
                          const double *scores, uint32_t classes, uint32_t positive,
                          double *probabilities);
// Two classes: what is compared with a threshold, the score or the probability of the positive
// class.
double output_value(const struct score_output *output, enum threshold_on on, double score);
// Two classes: whether the score means the positive one.
bool output_is_positive(const struct score_output *output, double score);
// Two classes: the lowest score that means the positive one. Infinite if every score does, or none.
double output_limit(const struct score_output *output);

#endif
