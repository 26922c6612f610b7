// The answers: a line of text for each row.
#ifndef TLU_STREAM_ANSWER_H
#define TLU_STREAM_ANSWER_H

#include "learn/learner.h"

struct answers {
    bool scores;        // after the label
    bool probabilities; // likewise, or after the score
    double *shares;     // [shares_capacity] room for those of a row
    size_t shares_capacity;
    char *text; // [size]
    size_t size, capacity;
};

// "spam" or "spam<tab>0.25", the score or the probability of the label, or both; "?" before any
// label is known. False: out of memory.
bool answers_add(struct answers *answers, const struct tlu_learner *learner, uint32_t winner);
void answers_free(struct answers *answers);

#endif
