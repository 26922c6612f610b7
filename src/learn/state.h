// The state of a classifier that learns: the options, the classes and features that occurred, and
// all numbers that change with examples. A learner contains it (learner.h). A checkpoint and a
// model file pack it, and a run or a stream continues from it exactly as if it had never stopped. A
// model contains it with its own numbers of classes and features, and what prediction needs
// besides.
#ifndef TLU_LEARN_STATE_H
#define TLU_LEARN_STATE_H

#include "base/random.h"
#include "calibration/output.h"
#include "data/scale.h"
#include "data/schema.h"
#include "learn/decision.h"
#include "learn/scheme.h"
#include "mlp/net.h"
#include "space/kernel.h"
#include "space/weights.h"

// Scaling that adapts during training (online_scale.h).
struct online_scale {
    bool on;                  // rows are scaled before they are learned from
    bool numbers;             // numbers have units: --scale online; in streams also maxabs, recent
    bool recent;              // --scale recent
    bool open;                // --scale was not given: the first example decides
    struct scale_rule words;  // in streams: how words and rows are scaled
    struct scale_unit *units; // [capacity] by feature
    size_t capacity;
    float *scratch; // [scratch_capacity] values of a scaled row
    size_t scratch_capacity;
};

struct learner_state {
    tlu_options *options;
    struct schema schema;       // growing in a learner, frozen in a model
    struct scheme scheme;       // --multiclass, and the classes
    struct decision decision;   // --decide, and what it keeps
    struct kernel kernel;       // KERNEL_NONE: the weights are those of features, else of rows
    struct weights weights;     // the last ones
    double *group_norm;         // [columns] |w|^2 by group, kept by learners that need it
    uint64_t *group_updates;    // [columns] by group
    struct net *net;            // LEARNER_LAYERS: instead of weights, which stay 0; else NULL
    struct online_scale online; // --scale online, and all scaling of streams
    struct word_counts words;   // --tfidf, --min-count
    struct score_output output; // a stream: that of the model with which it started
    struct random random;
    uint64_t examples, mistakes, updates; // of all passes
};

void state_free(struct learner_state *state);

// These functions return false if there is not enough memory.

// Allocates weights and group arrays for one column. `parts`: WEIGHTS_...
bool state_init_weights(struct learner_state *state, unsigned parts, double state_start);
// Reserves weights for all features of the schema.
bool state_reserve(struct learner_state *state);
// Adds columns as weights_widen does, for the positive class of the scheme.
bool state_widen(struct learner_state *state, uint32_t columns, bool opposite);

// Replaces what changes while a learner learns by that of a state with the same classes, except the
// weights and those of the pocket. The parts are swapped, so `from` can still be freed.
void state_move(struct learner_state *to, struct learner_state *from);

// ---- renumber.c ----

// Which class, column and feature of one state becomes which of another.
struct numbering {
    uint32_t *classes; // [classes] of the new state: the number in the old one
    uint32_t *columns; // [columns] likewise
    bool *negated;     // [columns] a pair of classes has changed places
    // [count] numbers of features in the old and in the new state; NULL: 0, 1, 2... In the dual
    // form they are rows.
    const uint32_t *from, *to; // not freed by numbering_free
    size_t count;
};

// From `classes` to `columns` and `negated`. False: out of memory.
bool numbering_order_columns(struct numbering *numbering, const struct scheme *scheme);
void numbering_free(struct numbering *numbering);
// Copies all numbers of a state to one that has the options, the schema, the classes, and memory
// for the weights. Those parts that `to` has no memory for are left out. Not copied: scaling flags,
// pocket, history. False: out of memory.
bool state_renumber(struct learner_state *to, const struct learner_state *from,
                    const struct numbering *numbering);

// The number of columns in use; weights.columns may be larger.
static inline uint32_t state_columns(const struct learner_state *state)
{
    return scheme_columns(state->scheme.kind, state->scheme.classes);
}

#endif
