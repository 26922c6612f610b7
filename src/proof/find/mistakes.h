// The fewest mistakes of any hyperplane on rows that are not separable: NP-hard (Kun notes), so two
// numbers that they lie between.
#ifndef TLU_PROOF_FIND_MISTAKES_H
#define TLU_PROOF_FIND_MISTAKES_H

#include "proof/task.h"

// Contradictions.
struct sets {
    struct contradiction *items; // [count]
    size_t count, capacity;
};
void sets_free(struct sets *sets);

struct mistakes {
    bool known;
    size_t at_most; // rows that the weights have on the wrong side
    struct witness weights;
    struct sets apart; // no row is in two of them: each costs a mistake, whatever the plane
    bool exact;        // a search has shown that no plane makes fewer than at_most
};

// Of rows of which one contradiction is known. False: out of memory.
bool mistakes_find(struct mistakes *mistakes, const struct task *task, struct contradiction *known);
void mistakes_free(struct mistakes *mistakes);

// ---- the parts ----

// Contradictions among the rows that are not gone, one after the other; their rows go. They are
// added to the sets, until the rest is separable: then *found has its weights. (packing.c)
enum finding pack(const struct task *task, struct program *program, bool *gone, struct sets *sets,
                  struct found *found);
// The same for pairs of rows that are alike, of different classes. (repeats.c)
enum finding pack_repeats(const struct task *task, bool *gone, struct sets *sets);
// Room for one more; NULL: out of memory.
struct contradiction *sets_add(struct sets *sets);

// The smallest number of rows, below `limit`, with one in every set: marks them in hit[rows].
// Returns their number, `limit` if there are no fewer, SIZE_MAX if it took too long, or SIZE_MAX -
// 1 if out of memory. (hitting.c)
#define HITTING_TOO_LONG SIZE_MAX
#define HITTING_NO_MEMORY (SIZE_MAX - 1)
size_t smallest_hitting(const struct task *task, const struct sets *sets, size_t limit, bool *hit);

#endif
