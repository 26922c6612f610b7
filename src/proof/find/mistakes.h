// The fewest mistakes of any hyperplane on rows that are not separable: NP-hard (Kun notes), so two
// numbers that they lie between.
#ifndef TLU_PROOF_FIND_MISTAKES_H
#define TLU_PROOF_FIND_MISTAKES_H

#include "proof/task.h"

// Contradictions.
struct contradictions {
    struct contradiction *items; // [count]
    size_t count, capacity;
};
void sets_free(struct contradictions *sets);

struct mistakes {
    bool known;
    size_t at_most; // rows that the weights have on the wrong side
    struct witness weights;
    struct contradictions
        apart;  // no row is in two of them: each costs a mistake, whatever the plane
    bool exact; // a search has shown that no plane makes fewer than at_most
};

// Of rows of which one contradiction is known. False: out of memory.
bool mistakes_find(struct mistakes *mistakes, const struct separation_task *task,
                   struct contradiction *known);
void mistakes_free(struct mistakes *mistakes);

// ---- the parts ----

// Adds disjoint pairs of equal rows of different classes to the sets; their rows become gone.
// (repeats.c)
enum finding pack_repeats(const struct separation_task *task, bool *gone,
                          struct contradictions *sets);
// Room for one more; NULL: out of memory.
struct contradiction *sets_add(struct contradictions *sets);

#endif
