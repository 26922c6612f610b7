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
    struct contradictions
        apart;  // no row is in two of them: each costs a mistake, whatever the plane
    bool exact; // no plane makes fewer mistakes than at_most
};

// `known` is a contradiction among the rows. False: out of memory.
bool mistakes_find(struct mistakes *mistakes, const struct separation_task *task,
                   struct contradiction *known);
void mistakes_free(struct mistakes *mistakes);

// Adds disjoint pairs of equal rows of different classes to the sets; their rows become gone.
// (repeats.c)
enum finding pack_repeats(const struct separation_task *task, bool *gone,
                          struct contradictions *sets);
// Adds an empty contradiction; NULL: out of memory.
struct contradiction *sets_add(struct contradictions *sets);

#endif
