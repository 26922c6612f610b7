// --max-features: removes the weakest feature names if there are too many, so that memory is
// bounded.
//
// The strength of a feature is the largest absolute value, over the columns, of its weight in the
// weights that predict. If there are more than N names, the weakest are removed until nine tenths
// of N are left; among equals the oldest are removed first. The others keep their order. A removed
// feature is treated as if it had never occurred. Numeric columns of CSV are never removed. LIBSVM
// indices below SCHEMA_DIRECT are not names.
#ifndef TLU_LEARN_PRUNE_H
#define TLU_LEARN_PRUNE_H

#include "learn/learner.h"

// Features get new numbers, and rows with the old numbers become invalid, so it is called between
// two rows or batches. If there is not enough memory, the learner is unchanged. The scratch memory
// is kept, so that later calls need no more.
tlu_status learner_prune(struct tlu_learner *learner, size_t most, tlu_error *error);

// The number of names that are left if there were more than `most`.
static inline size_t prune_target(size_t most)
{
    return most - most / 10;
}

#endif
