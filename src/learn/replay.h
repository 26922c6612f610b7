// Replays the updates of a run over rows that it did not learn from, for --decide vote and random:
//
//     for each update, in order
//         vote: the weights before it vote, for as many examples as they were in use
//         score := factor score + amount (K(x, support) + bias)
//
// Models use it to predict, and training runs to score their held-out rows after each pass.
#ifndef TLU_LEARN_REPLAY_H
#define TLU_LEARN_REPLAY_H

#include "learn/decision.h"
#include "learn/scheme.h"
#include "space/gram.h"

struct replay_update {
    uint32_t support; // number of the row that is added
    uint32_t group, column[2];
    int8_t sign[2];   // 0: no such part
    double amount[2]; // sign times amount
    double factor;
    double lasted; // number of examples for which the weights before it were in use
};

// A run, or the updates of a run since the last replay.
struct replay_run {
    enum scheme_kind scheme;
    uint32_t columns;
    double bias; // 1, or 0 with --no-bias
    const struct replay_update *updates;
    size_t count;
    bool in_order;           // the supports of the updates are in ascending order of tiles
    const struct gram *gram; // kernel values with the supports
    const double *gains;     // LEARNER_STATE: as in struct history; added instead of amounts
    int tie;                 // TIE_...
    // The classes in the order of their labels, [columns] for winner takes all; NULL: ascending.
    const uint32_t *order;
    // [columns] one versus one: the positive side has the earlier label; NULL: none.
    const bool *reversed;
};

// Up to GRAM_LANES rows side by side.
struct replay_group {
    const struct replay_run *run;
    size_t lanes, count; // 1 lane if there is one row, else GRAM_LANES
    double *now;         // [columns][lanes] scores with the weights so far
    double *votes;       // [columns][lanes] examples during which the score was >= 0, or highest
    // Called before each update; false: the group needs no more updates. NULL: count votes.
    bool (*before)(struct replay_group *group, size_t update);
    // Set by replay_rows:
    const double *values; // [...][lanes] kernel values with the supports from `first` on
    size_t first;
};

// Converts a step to an update. *since: the example since which the weights before the step were in
// use; it is advanced to the step.
struct replay_update replay_update_of(const struct history_step *step, uint32_t support,
                                      uint64_t *since);
// How many of these rows replay_rows can process at once.
size_t replay_rows_at_once(const struct replay_run *run, const tlu_row *rows, size_t count);
// Replays the run over rows, in groups of GRAM_LANES. False: out of memory.
bool replay_rows(struct replay_group *const *groups, const tlu_row *rows, size_t count,
                 struct gram_scratch *scratch);
// Adds the votes of the last weights, which were in use for left[columns] examples.
void replay_last_votes(const struct replay_group *group, const double *left);

#endif
