// --decide adaptive: the last weights, their average and their recent average are candidates, and
// the one that has been right most often lately decides.
//
// Before a labelled row is learned from, each candidate gives its answer. A candidate's count is
// multiplied by a decay g and gains 1 if the answer was right: right answers n rows ago count
// g^n, so that about the last 1 / (1 - g) rows matter. Then the candidate with the highest count
// decides about the rows that follow. Of equals the one in use stays, then the first.
#ifndef TLU_LEARN_ADAPT_H
#define TLU_LEARN_ADAPT_H

#include "space/weights.h"

// g
#define ADAPT_DECAY (1 - 1.0 / 256)

struct adapt {
    double right[WEIGHTS_BY_COUNT];    // decayed counts of right answers
    double decay;                      // g
    uint32_t answer[WEIGHTS_BY_COUNT]; // of the row that was decided last
    bool answered;                     // there is one, and it was not counted yet
    double *scores[WEIGHTS_BY_COUNT];  // [columns]; that of the last weights is the learner's own
};

struct tlu_learner;

bool adapt_init(struct tlu_learner *learner); // false: not enough memory
void adapt_free(struct adapt *adapt);
bool adapt_widen(struct tlu_learner *learner, uint32_t columns);
// Has every candidate answer, and puts the scores of the one in use into learner->space.scores.
void adapt_decide(struct tlu_learner *learner, const tlu_row *x);
// The row that was decided last is of this class.
void adapt_count(struct tlu_learner *learner, uint32_t class_index);

#endif
