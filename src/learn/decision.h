// The second choice, --decide: how the sequence of weight vectors of a run becomes one classifier.
// `last` and `average` are the weights' own business (space/weights.h).
#ifndef TLU_LEARN_DECISION_H
#define TLU_LEARN_DECISION_H

#include "learn/example.h"
#include "space/weights.h"

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
// factor times those of update n - 1 (of the same group) plus amount y x. Learners with states
// (learners/state.h) do not add x but a vector of their own, which is in history.gains.
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
    // LEARNER_STATE: for each part of each step what is added for sign +1, the amount included: the
    // gains of the row's entries and then, if there is one, that of the bias. Else NULL.
    double *gains;
    size_t gain_count, gain_capacity;
    bool no_memory; // noticed where it cannot be reported; asked at the end of the example
};

// adaptive: the last weights, their average and their recent average are candidates, and the one
// with the highest recent accuracy decides.
//
// Before a labelled row is learned from, each candidate predicts it. A candidate's count is
// multiplied by a decay g and gains 1 if its prediction was right: right predictions n rows ago
// count g^n, so that about the last 1 / (1 - g) rows matter. Then the candidate with the highest
// count decides the rows that follow. If counts are equal, the one in use stays, then the first.
#define ADAPT_DECAY (1 - 1.0 / 256) // g

struct adapt {
    double right[WEIGHTS_BY_COUNT];    // decayed counts of right answers
    double decay;                      // g
    uint32_t answer[WEIGHTS_BY_COUNT]; // predictions for the last row
    bool answered;                     // there are some, and they were not counted yet
    double *scores[WEIGHTS_BY_COUNT];  // [columns]; the last weights use space.current
};

struct decision {
    int kind;                // DECIDE_...
    struct adapt *adapt;     // adaptive
    struct pocket *pocket;   // best
    struct history *history; // vote, random
};

// Whether examples count that change nothing.
static inline bool decision_counts(const struct decision *decision)
{
    return decision->pocket || decision->adapt;
}

tlu_status decision_init(struct tlu_learner *learner, tlu_error *error);
void decision_free(struct tlu_learner *learner);
tlu_status decision_widen(struct tlu_learner *learner, uint32_t positive, bool opposite,
                          tlu_error *error);

// Called before the first change of an update and after each example.
void decision_before(struct tlu_learner *learner, const struct binary_example *example);
void decision_after(struct tlu_learner *learner, const struct binary_example *example);
void decision_record(struct tlu_learner *learner, const struct binary_example *example,
                     double amount, double factor);
// LEARNER_STATE: the same, and where to put the gains of the step. NULL: it has none, or there is
// not enough memory.
double *decision_record_gains(struct tlu_learner *learner, const struct binary_example *example,
                              double amount);
bool adapt_widen(struct tlu_learner *learner, uint32_t columns); // false: out of memory
// Has every candidate predict the row, and copies the scores of the one in use to space.scores.
void adapt_decide(struct tlu_learner *learner, const tlu_row *x);
// Counts the predictions of the last row, which is of this class.
void adapt_count(struct tlu_learner *learner, uint32_t class_index);

void history_free(struct history *history); // NULL is fine

// How many gains a step has.
static inline size_t step_gains(const int8_t sign[2], size_t entries, bool with_bias)
{
    return (size_t)((sign[0] != 0) + (sign[1] != 0)) * (entries + with_bias);
}

// At the end of the run: the pocket's last look. Weights that got everything right are the best.
void decision_end(struct tlu_learner *learner, bool converged);

#endif
