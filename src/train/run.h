// Where a run is: all that the rest of it depends on, besides the learner, the data and the
// options. A checkpoint (checkpoint.h) holds this and the state of the learner.
#ifndef TLU_TRAIN_RUN_H
#define TLU_TRAIN_RUN_H

#include "base/error.h"
#include "base/random.h"
#include "mlp/net.h"
#include "space/weights.h"

struct pass_counts {
    uint64_t examples, mistakes; // of the current pass
    uint64_t updates_before;     // made in the passes before
};

// The state after an earlier pass: has it come back?
struct seen_state {
    double *cells; // [count] weights, in the dual form scores of all rows, and the biases
    size_t count;
    double *u;     // [count] of the average (struct weights), then of its biases; NULL: not needed
    uint64_t pass; // 0: none was seen
};

// The random numbers before a shuffle, if they are not those after the shuffle before.
struct shuffle_mark {
    uint64_t shuffle; // the first is 0
    struct random random;
};

struct shuffles {
    uint64_t count;
    struct random after; // the last of them
    struct shuffle_mark *marks;
    size_t mark_count, mark_capacity;
};

struct run {
    uint64_t pass;    // complete passes
    uint64_t skipped; // passes that were counted without being made (--stop epochs)
    struct pass_counts now;
    uint64_t *mistakes; // [pass]
    size_t mistakes_capacity;
    double *accuracy; // [pass] on the held-out rows, or what --metric says
    size_t accuracy_capacity;
    uint64_t best_pass;   // on the held-out rows, else the last
    struct weights best;  // those of the best pass on the held-out rows
    struct net *best_net; // likewise, of a learner with layers
    size_t best_updates;  // vote, random: up to its end
    struct seen_state seen;
    struct shuffles shuffles;
};

void run_free(struct run *run);

// Before a shuffle by these random numbers: a rate drawn from them since the last shuffle leaves a
// mark.
tlu_status run_mark_shuffle(struct run *run, const struct random *random, uint64_t seed,
                            tlu_error *error);

#endif
