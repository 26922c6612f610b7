// Learners that look at all rows at once: closed forms and optimisation (LEARNER_BATCH). Their
// solve() sets learner->space.weights: w [rows][columns] and bias, from the rows of the batches
// that are not held out. A row of class c counts learner->scheme.class_weight[c] times its own
// weight.
//
// With two classes there is one column, for the class learner->scheme.positive. With more,
// learner->scheme.kind says what the columns are: one per class (wta, ovr) or per pair of classes
// (ovo, see scheme_pair).
#ifndef TLU_SOLVERS_BATCH_SOLVER_H
#define TLU_SOLVERS_BATCH_SOLVER_H

#include "data/batch.h"
#include "learn/learner.h"

// The y of a class in the two-class problem of a column: +1, -1, or 0 if it takes no part.
static inline double batch_sign(const struct tlu_learner *learner, uint32_t column,
                                uint32_t class_index)
{
    switch (learner->scheme.kind) {
    case SCHEME_TWO:
        return class_index == learner->scheme.positive ? 1 : -1;
    case SCHEME_OVO: {
        uint32_t i, j;
        scheme_unpair(column, &i, &j);
        return class_index == j ? 1 : class_index == i ? -1 : 0;
    }
    default:
        return class_index == column ? 1 : -1;
    }
}

// Whether max-margin wants every row on its side: --C allows errors.
static inline bool max_margin_is_hard(const tlu_options *options)
{
    return !options_is_set(options, OPTION_C);
}

// Before the rows are looked at: if features have slots (space/weights.h), they get them in the
// order of their numbers, so that what is summed up slot by slot is summed up as it would be
// without.
bool batch_use_slots(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count);

// What max-margin found, for the report: see learner->solving.solution.
struct support {
    uint64_t id; // number of the row in the data
    uint32_t column;
    double alpha; // its Lagrange multiplier
};

struct solution {
    double margin;  // 1 / |w|, the least over the columns; without --C that is the distance of the
                    // nearest row to the plane. The winner takes all: see batch_winner
    double gap;     // relative duality gap reached
    bool separable; // every row is on the right side
    struct support *supports;
    size_t count, capacity;
};

// max-margin with the winner taking all (winner.c); `slots` are the features as rows of the
// weights, for all entries, or NULL. The planes are those where two classes have the same score:
// w = W_j - W_k. The margin is 1 / |w|, the least over the pairs of classes, or without --C the
// distance of the nearest row to a plane between its class and another, which is at least that. The
// column of a support is the class that its row is kept from.
tlu_status batch_winner(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, const uint32_t *slots, tlu_error *error);

#endif
