// Weights of the features that have any; those of all others are 0.
#ifndef TLU_TRAIN_CHECKPOINT_PACKED_H
#define TLU_TRAIN_CHECKPOINT_PACKED_H

#include "learn/learner.h"

struct packed_weights {
    struct weights weights; // [count] features
    uint32_t *feature;      // [count] their numbers in the run, ascending
    size_t count;
};

// False: out of memory.
bool packed_take(struct packed_weights *packed, const struct weights *weights);
// Replaces *to by weights for at least `features` features, at the rows that the learner has for
// them. False: out of memory; then *to is unchanged.
bool packed_restore(struct weights *to, const struct tlu_learner *learner,
                    const struct packed_weights *packed, size_t features);
size_t packed_features(const struct packed_weights *packed); // all numbers are below this
void packed_free(struct packed_weights *packed);

#endif
