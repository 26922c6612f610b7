// The rows sorted by score, and for each score the true and false positives of a threshold there.
#ifndef TLU_METRICS_RANKING_H
#define TLU_METRICS_RANKING_H

#include "metrics/metrics.h"

struct ranked {
    uint64_t key; // sorts as the scores do
    size_t row;
};

struct ranking {
    const struct kept_scores *kept;
    uint32_t target;      // the class that high scores predict; all others are the rest
    struct ranked *items; // [count] rows with a positive weight, the highest score first
    size_t count;
    double target_weight, rest_weight; // of all rows
};

// All rows with a score of at least `threshold`.
struct ranking_step {
    size_t next; // item
    double threshold;
    struct sum target, rest;     // weights of these rows
    double new_target, new_rest; // weights of the rows whose score equals the threshold
};

// With two classes, `target` is the positive one. False: out of memory.
bool ranking_make(struct ranking *ranking, const struct measure *measure, size_t target);
void ranking_free(struct ranking *ranking);
// Moves to the next lower threshold, starting from *step = {0}; false at the end.
bool ranking_next(const struct ranking *ranking, struct ranking_step *step);

#endif
