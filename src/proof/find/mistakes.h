// The fewest mistakes of any hyperplane on rows that are not separable. Finding them is NP-hard
// (Kun notes), so we compute a lower and an upper bound.
#ifndef TLU_PROOF_FIND_MISTAKES_H
#define TLU_PROOF_FIND_MISTAKES_H

#include "proof/task.h"

struct contradictions {
    struct contradiction *items; // [count]
    size_t count, capacity;
};

struct mistakes {
    bool known;
    size_t at_most; // rows that the weights have on the wrong side
    struct witness weights;
    struct contradictions apart; // no row is in two of them: each costs every plane a mistake
    bool exact;                  // no plane makes fewer mistakes than at_most
};

// `known` is a contradiction among the rows.
void mistakes_find(struct mistakes *mistakes, const struct separation_task *task,
                   const struct contradiction *known);

// If the weights of all features are 0, tilts the plane a little: the rows stay on their sides, and
// the plane is beyond all of them.
void witness_tilt(const struct separation_task *task, struct witness *weights);

// Adds disjoint pairs of equal rows of different classes to the sets; their rows become gone.
// (repeats.c)
void pack_repeats(const struct separation_task *task, bool *gone, struct contradictions *sets);
// Adds an empty contradiction.
struct contradiction *sets_add(struct contradictions *sets);

#endif
