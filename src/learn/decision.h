// The second choice, --decide: how the sequence of weight vectors of a run becomes one classifier.
// `last` and `average` are the weights' own business (weights.h).
#ifndef TLU_LEARN_DECISION_H
#define TLU_LEARN_DECISION_H

#include "learn/example.h"
#include "space/weights.h"

struct adapt;
struct tlu_learner;

// best: the pocket algorithm (Gallant 1990). The weights of a group that got most examples right in
// a row are kept. A run is only looked at when it ends, so that keeping costs little.
struct pocket {
    struct weights best;
    uint64_t *run;        // [groups] right answers since the last update
    uint64_t *best_run;   // [groups]
    uint64_t *best_right; // [groups] --ratchet: rows of the training set that best gets right
    // --ratchet: how many rows the current weights of a group get right; set by the training.
    uint64_t (*count_right)(void *context, uint32_t group);
    void *context;
};

// vote, random: every update, so that the weights at any time can be told: those of update n are
// factor times those of update n - 1 (of the same group) plus amount y x.
struct history_step {
    uint64_t id;   // the row
    uint64_t time; // the example at which it happened, from 1
    double amount, factor;
    uint32_t group;
    uint32_t column[2]; // parts: +amount * sign[0] x to column[0] ...
    int8_t sign[2];     // 0: no such part
};

struct history {
    struct history_step *steps;
    size_t count, capacity;
    bool no_memory; // noticed where it cannot be reported; asked at the end of the example
};

struct decision {
    int kind;                // DECIDE_...
    struct adapt *adapt;     // adaptive
    struct pocket *pocket;   // best
    struct history *history; // vote, random
};

tlu_status decision_init(struct tlu_learner *learner, tlu_error *error);
void decision_free(struct tlu_learner *learner);
tlu_status decision_widen(struct tlu_learner *learner, uint32_t positive, bool opposite,
                          tlu_error *error);

// Called before the first change of an update and after each example.
void decision_before(struct tlu_learner *learner, const struct example *example);
void decision_after(struct tlu_learner *learner, const struct example *example);
void decision_record(struct tlu_learner *learner, const struct example *example, double amount,
                     double factor);
// At the end of the run: the pocket's last look. Weights that got everything right are the best.
void decision_end(struct tlu_learner *learner, bool converged);

#endif
