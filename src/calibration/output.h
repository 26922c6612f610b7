// What a model derives from scores: probabilities, and with two classes or --multilabel a
// prediction at thresholds that the user may have chosen.
#ifndef TLU_CALIBRATION_OUTPUT_H
#define TLU_CALIBRATION_OUTPUT_H

#include "calibration/calibration.h"

enum threshold_on { THRESHOLD_NONE, THRESHOLD_SCORE, THRESHOLD_PROBABILITY };

struct threshold {
    enum threshold_on on;
    double at; // values at or above it are positive
};

// --multilabel: a threshold per label.
struct label_thresholds {
    enum threshold_on on;
    double *at;     // [count] by class; NULL: none, and on is THRESHOLD_NONE
    uint32_t count; // labels that came later have none
};

struct score_output {
    struct calibration calibration; // CALIBRATE_NONE: the model was not calibrated
    struct threshold threshold;
    struct label_thresholds labels;
};

// Whether scores are log-odds:
//
//     two classes   log P(+1|x) / P(-1|x) = score, so P(+1|x) = 1 / (1 + exp(-score))
//     TOGETHER      P(y|x) = exp(score_y) / sum of exp(score_k): softmax (wta)
//     EACH          a two-class problem per class; their probabilities are divided by their sum
//     (ovr)
//     LABELS        a two-class problem per label, each with its own probability (--multilabel)
enum logits { LOGITS_NONE, LOGITS_EACH, LOGITS_TOGETHER, LOGITS_LABELS };

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
// --multilabel: the value of a label that is compared with its threshold.
double output_label_value(const struct score_output *output, enum threshold_on on, uint32_t label,
                          double score);
// --multilabel: whether the score predicts the label. Without a threshold, scores from 0 on do;
// `tie` says whether 0 does.
bool output_gives_label(const struct score_output *output, uint32_t label, double score, bool tie);
// The threshold that a label has without one: the score 0, or the probability 1/2.
double output_usual_threshold(enum threshold_on on);
// Copies the thresholds for `classes` classes, class i of which is class_of[i] of the original.
// False: out of memory.
bool label_thresholds_copy(struct label_thresholds *to, const struct label_thresholds *from,
                           uint32_t classes, const uint32_t *class_of);

#endif
