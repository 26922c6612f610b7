// Two layers of units for a function that one unit cannot compute.
#ifndef TLU_LOGIC_SYNTHESIS_TWO_LAYERS_H
#define TLU_LOGIC_SYNTHESIS_TWO_LAYERS_H

#include "base/error.h"
#include "logic/function/truth.h"

#define HIDDEN_MAX 4096

// Fires iff weights . inputs >= threshold.
struct half_space {
    int32_t weights[TRUTH_INPUTS_MAX];
    int64_t threshold;
    bool value; // in a decision list: of the rows that it decides
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

#endif
