// Learners that use all rows at once (LEARNER_BATCH): closed forms and optimisation. Their solve()
// sets learner->state.weights, w [rows][columns] and bias, from the rows of the batches that are
// not held out. The weight of a row of class c is its own weight times
// learner->state.scheme.class_weight[c]; with --multilabel see batch_class_weight.
//
// With two classes there is one column, for the class learner->state.scheme.positive. With more,
// learner->state.scheme.kind says what the columns are: one per class (wta, ovr, multilabel) or per
// pair of classes (ovo, see scheme_pair).
#ifndef TLU_SOLVERS_BATCH_SOLVER_H
#define TLU_SOLVERS_BATCH_SOLVER_H

#include "data/batch.h"
#include "learn/learner.h"

// The y of a class in the binary problem of a column: +1, -1, or 0 if its rows are not used.
static inline double class_sign(const struct tlu_learner *learner, uint32_t column,
                                uint32_t class_index)
{
    switch (learner->state.scheme.kind) {
    case SCHEME_TWO:
        return class_index == learner->state.scheme.positive ? 1 : -1;
    case SCHEME_OVO: {
        uint32_t i, j;
        scheme_unpair(column, &i, &j);
        return class_index == j ? 1 : class_index == i ? -1 : 0;
    }
    default:
        return class_index == column ? 1 : -1;
    }
}

// --multilabel: whether a set has a label.
static inline bool set_has(const uint32_t *set, uint32_t label)
{
    uint32_t k = 1;
    while (k <= set[0] && set[k] < label)
        k++;
    return k <= set[0] && set[k] == label;
}

// The y of a row in the binary problem of a column.
static inline double batch_sign(const struct tlu_learner *learner, uint32_t column,
                                const struct batch *batch, size_t i)
{
    const uint32_t *set = batch_set(batch, i);
    if (set)
        return set_has(set, column) ? 1 : -1;
    return class_sign(learner, column, batch->labels[i]);
}

// The factor of the row's weight in it.
static inline double batch_class_weight(const struct tlu_learner *learner, uint32_t column,
                                        const struct batch *batch, size_t i)
{
    const struct scheme *scheme = &learner->state.scheme;
    const uint32_t *set = batch_set(batch, i);
    if (set)
        return scheme_label_weight(scheme, column, set_has(set, column));
    return scheme->class_weight[batch->labels[i]];
}

// Whether max-margin requires every row to be on its side; --C allows errors.
static inline bool max_margin_is_hard(const tlu_options *options)
{
    return !options_is_set(options, OPTION_C);
}

// Called before the rows are used: if features have slots (weights.h), assigns them in the order of
// the feature numbers, so that sums in the order of slots are the same as without slots. False: out
// of memory.
bool batch_use_slots(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count);

// Then: *slots := the row of the weights for every entry of the batches, or NULL if features have
// no slots. The caller frees it, also after an error. False: out of memory.
bool batch_slots(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count,
                 uint32_t **slots);

// The result of an optimisation, for the report: learner->solving.solution.
struct support {
    uint64_t id; // number of the row in the data
    uint32_t column;
    double alpha; // its Lagrange multiplier
};

struct solution {
    double margin; // max-margin: smallest 1 / |w| over the columns; without --C that is the
                   // distance of the nearest row from the plane. Winner-takes-all: see batch_winner
    double gap;    // relative duality gap reached; the largest over the columns
    double objective; // primal, summed over the columns; 0: not known
    bool separable;   // every row is on the right side
    struct support *supports;
    size_t count, capacity;
};

// Allocates learner->solving.solution, or clears it. False: out of memory.
bool batch_solution(struct tlu_learner *learner);

// The multipliers of a training, from which the next on the same rows starts with another C:
// learner->solving.multipliers.
struct multipliers {
    double *alpha; // [count]
    size_t count;  // columns times rows; 0: none yet
    double C;
};

// Makes room for the multipliers of a problem: they are 0 unless the earlier training has as many.
// Without memory, or if there are many more than entries of rows, none are kept, and the training
// starts from 0.
void batch_multipliers(struct tlu_learner *learner, struct batch *const *batches,
                       size_t batch_count);
// C as a multiple of that of the earlier training; 0: there is none, or its multipliers are 0.
double batch_growth(const struct tlu_learner *learner);
// A multiplier of the earlier training, or 0.
double batch_start(const struct tlu_learner *learner, size_t at);
// Keeps a multiplier, and its C.
void batch_keep(struct tlu_learner *learner, size_t at, double alpha);
void batch_keep_C(struct tlu_learner *learner);

// max-margin with winner-takes-all (winner.c). `slots` has the row of the weights for every entry;
// NULL: the features themselves. On the plane of a pair of classes both have the same score: w =
// W_j - W_k. The margin is the smallest 1 / |w| over the pairs; without --C, the distance of the
// nearest row from a plane between its class and another, which is at least that. The column of a
// support is the class from which its row is separated.
tlu_status batch_winner(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, const uint32_t *slots, tlu_error *error);

#endif
