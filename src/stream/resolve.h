// From a row of a batch, which has its own numbers of names and labels, to the row that the learner
// takes: features by the learner's numbers, values scaled.
#ifndef TLU_STREAM_RESOLVE_H
#define TLU_STREAM_RESOLVE_H

#include "learn/learner.h"

struct resolver {
    // The learner's numbers of the batch's names and labels, SCHEMA_NONE: not looked up yet.
    uint32_t *names; // [batch_names(batch)]
    size_t names_capacity;
    uint32_t *classes; // [batch->classes.count]
    size_t classes_capacity;
    // The row that was resolved last.
    uint32_t *features;
    size_t features_capacity;
    float *values;
    size_t values_capacity;
    tlu_row unscaled;
};

// For the rows of this batch. False: out of memory.
bool resolver_begin(struct resolver *resolver, const struct batch *batch);
// The learner has renumbered its features.
void resolver_forget_names(struct resolver *resolver, const struct batch *batch);
// Rows without a label add no names: what the learner does not know is left out of them.
tlu_status resolver_row(struct resolver *resolver, struct batch *batch, size_t i,
                        struct tlu_learner *learner, bool labelled, tlu_row *row, tlu_error *error);
// To the values that the weights are for.
tlu_status resolver_scale(struct resolver *resolver, struct tlu_learner *learner, bool labelled,
                          tlu_row *row, tlu_error *error);
// The learner's number of a label; *is_new: it had none. SCHEMA_NONE: out of memory.
uint32_t resolver_class(struct resolver *resolver, const struct batch *batch, uint32_t label,
                        struct schema *schema, bool *is_new);
void resolver_free(struct resolver *resolver);

#endif
