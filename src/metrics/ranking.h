// The rows in the order of their scores, and what a threshold below each of the scores would get
// right and wrong.
#ifndef TLU_METRICS_RANKING_H
#define TLU_METRICS_RANKING_H

#include "metrics/metrics.h"

struct ranked {
    uint64_t key; // in the order of the scores
    size_t row;
};

struct ranking {
    const struct kept_scores *kept;
    uint32_t target;      // the class that high scores speak for; all others are the rest
    struct ranked *items; // [count] rows that have a weight, the highest score first
    size_t count;
    double target_weight, rest_weight; // of all rows
};

// All rows with a score of at least `threshold`.
struct ranking_step {
    size_t next; // of the items
    double threshold;
    struct sum target, rest;     // their weights
    double new_target, new_rest; // of those whose score is the threshold
};

// Of two classes the positive one is the target, else each class in turn. False: out of memory.
bool ranking_make(struct ranking *ranking, const struct measure *measure, size_t target);
void ranking_free(struct ranking *ranking);
// The next lower threshold, from *step = {0} on; false: there is none.
bool ranking_next(const struct ranking *ranking, struct ranking_step *step);

#endif
