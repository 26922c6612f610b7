// --decide: how the sequence of weight vectors of a run becomes one classifier. weights.h
// implements `last` and `average`; the other decisions are here.
#ifndef TLU_LEARN_DECISION_H
#define TLU_LEARN_DECISION_H

#include "learn/example.h"
#include "space/weights.h"

struct tlu_learner;

// best: the pocket algorithm (Gallant 1990). It keeps the weights of a group that had the longest
// run of consecutive correct predictions. Runs are compared only when they end, so that weights are
// rarely copied.
struct pocket {
    struct weights best;
    struct pocket_group {
        uint64_t run;        // correct predictions since the last update
        uint64_t best_run;   // length of the run of `best`
        uint64_t best_right; // --ratchet: training rows that `best` classifies correctly
    } * groups;              // [best.columns]
    // --ratchet: counts the training rows that the current weights of a group classify correctly.
    // The training sets it.
    uint64_t (*count_right)(void *context, uint32_t group);
    void *context;
};

// vote, random: every update of the run, from which the weights at any time can be computed. Update
// n sets the weights of its group to factor times the weights after update n - 1 of that group,
// plus amount y x. Learners with states (learners/state.h) add another vector instead of x, which
// is in history.gains.
struct history_step {
    uint64_t id;   // number of the row in the data
    uint64_t time; // number of the example at which it happened, from 1
    double amount, factor;
    uint32_t group;
    uint32_t column[2]; // part i adds amount * sign[i] x to column[i]
    int8_t sign[2];     // 0: there is no part i
};

struct history {
    struct history_step *steps;
    size_t count, capacity;
    // LEARNER_STATE: what each part of each step adds if its sign is +1, already multiplied by the
    // amount: one gain per entry of the row, then one for the bias if there is a bias. Else NULL.
    double *gains;
    size_t gain_count, gain_capacity;
    bool no_memory; // set where no error can be returned; checked at the end of the example
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
    double right[WEIGHTS_BY_COUNT];    // decayed counts of correct predictions
    double decay;                      // g
    uint32_t answer[WEIGHTS_BY_COUNT]; // predictions for the last row
    bool answered;                     // there are predictions that were not counted yet
    double *scores[WEIGHTS_BY_COUNT];  // [columns]; the last weights use space.current
};

struct decision {
    int kind;                // DECIDE_...
    struct adapt *adapt;     // adaptive
    struct pocket *pocket;   // best
    struct history *history; // vote, random
};

// Whether the decision must see examples that change nothing, too.
static inline bool decision_counts(const struct decision *decision)
{
    return decision->pocket || decision->adapt;
}

// Allocates the history or the candidates of this kind of decision. False: out of memory.
bool decision_new_parts(struct decision *decision);
tlu_status decision_init(struct tlu_learner *learner, tlu_error *error);
void decision_free(struct decision *decision);
tlu_status decision_widen(struct tlu_learner *learner, uint32_t positive, bool opposite,
                          tlu_error *error);

// Called before the first change of an update and after each example.
void decision_before(struct tlu_learner *learner, const struct binary_example *example);
void decision_after(struct tlu_learner *learner, const struct binary_example *example);
// vote, random: records a step.
void decision_record(struct tlu_learner *learner, const struct binary_example *example,
                     double amount, double factor);
// LEARNER_STATE: records the step and returns where the caller writes its gains. NULL: the decision
// keeps no history, or there is not enough memory.
double *decision_record_gains(struct tlu_learner *learner, const struct binary_example *example,
                              double amount);
bool adapt_widen(struct tlu_learner *learner, uint32_t columns); // false: out of memory
// Lets every candidate predict the row, and copies the scores of the one in use to space.scores.
void adapt_decide(struct tlu_learner *learner, const tlu_row *x);
// Counts which candidates predicted the class of the last row; of a set of labels, for which share
// of all labels they were right. A row with a new label is not counted then.
void adapt_count(struct tlu_learner *learner, const struct example *example);

void history_free(struct history *history); // NULL is fine

// The number of gains of a step.
static inline size_t step_gains(const int8_t sign[2], size_t entries, bool with_bias)
{
    return (size_t)((sign[0] != 0) + (sign[1] != 0)) * (entries + with_bias);
}

// best: compares the last run, which the end of the training ends. If the training converged, the
// current weights classify every row correctly, so they are the best.
void decision_end(struct tlu_learner *learner, bool converged);

#endif
