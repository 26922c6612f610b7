// Two layers of units for a function that one unit cannot compute.
#ifndef TLU_LOGIC_SYNTHESIS_TWO_LAYERS_H
#define TLU_LOGIC_SYNTHESIS_TWO_LAYERS_H

#include "base/error.h"
#include "base/random.h"
#include "logic/function/truth.h"

#define HIDDEN_MAX 4096

// Fires iff weights . inputs >= threshold.
struct half_space {
    int32_t weights[TRUTH_INPUTS_MAX];
    int64_t threshold;
};

struct two_layers {
    unsigned inputs;
    size_t hidden;
    struct half_space *planes; // [hidden]
    int64_t *top;              // [hidden] weights of the second layer's unit
    int64_t threshold;         // and its threshold
    bool fewest;               // no two layers have fewer units
    bool stopped;              // the time limit ended the search
};

// Finds two layers with few units; a higher effort may find fewer. TLU_ERROR_INPUT if the first
// would have more than HIDDEN_MAX units. After `until` (clock_seconds; 0: no limit) it returns the
// best so far, or TLU_INTERRUPTED if there is none.
tlu_status synthesise(const struct truth_table *truth, int effort, double until,
                      struct two_layers *layers, tlu_error *error);
void two_layers_free(struct two_layers *layers);

static inline int64_t half_space_sum(const struct half_space *plane, unsigned inputs, size_t row)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < inputs; i++)
        if (row >> (inputs - 1 - i) & 1)
            sum += plane->weights[i];
    return sum;
}

// ---- half_space.c: one half-space

// Rows of one value that are not classified yet.
struct row_group {
    uint32_t *rows; // [count]
    int32_t *sums;  // [count] row_group_sum
    size_t count;
};

// side->sums[i] := the sum of the weights in row i.
void row_group_sum(struct row_group *side, const int32_t *weights, unsigned inputs);

// Finds a half-space that contains no row of `other` and many rows of `own`; returns how many, at
// least 1. `work` limits the rows visited.
size_t peel(struct row_group *own, struct row_group *other, unsigned inputs, int64_t work,
            struct random *random, struct half_space *plane);
// The same for cubes: some inputs are fixed, the others free.
size_t peel_cube(struct row_group *own, struct row_group *other, unsigned inputs, int64_t work,
                 struct random *random, struct half_space *plane);

// ---- half_space.c: two hidden units, by exhaustive search

#define PAIRS_INPUTS_MAX 4

// Whether two half-spaces suffice, joined by AND or OR (other functions of two units are these with
// a half-space complemented). For up to PAIRS_INPUTS_MAX inputs.
tlu_status half_space_pair(const struct truth_table *truth, struct half_space planes[2],
                           bool *found, bool *is_and, tlu_error *error);

#endif
