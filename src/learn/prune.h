// --max-features: forgets the weakest names if there are too many, so that memory stays bounded.
//
// The strength of a feature is the largest absolute value, over the columns, of its weight as the
// decision has it: of the weights that decide. If there are more than N names, the
// weakest go until nine tenths of N are left; of equals the oldest go first. Those that stay keep
// their order. What has gone is as if it had never been met. Numeric columns of CSV stay; LIBSVM
// indices below SCHEMA_DIRECT are no names.
#ifndef TLU_LEARN_PRUNE_H
#define TLU_LEARN_PRUNE_H

#include "learn/learner.h"

// Features get other numbers: rows in the learner's old numbers become invalid. So it is called
// when a row, or a batch, has been learned. If there is not enough memory the learner is as it was;
// what was got once is kept, so that pruning again needs none.
tlu_status learner_prune(struct tlu_learner *learner, size_t most, tlu_error *error);

// The names that are left of more than `most`.
static inline size_t prune_target(size_t most)
{
    return most - most / 10;
}

#endif
