// The parts of a model, made from what a learner has learned: a file for each. All return false if
// they are out of memory.
#ifndef TLU_MODEL_MAKE_PARTS_H
#define TLU_MODEL_MAKE_PARTS_H

#include "model/make/mapping.h"

// ---- schema.c ----

bool make_classes(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);
// Fills features and feature_of of the mapping too.
bool make_features(struct tlu_model *model, const struct learned *learned, struct mapping *mapping);
// What the rows of the data look like. The features of CSV columns have the same numbers in a
// growing and in a frozen schema, as there are no LIBSVM indices before them; but slots of hashed
// names get those of `numbers`.
bool make_columns(struct schema *to, const struct schema *from, const uint32_t *numbers);

// ---- weights.c ----

bool make_weights(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);
// The scaling, and the units of --scale recent.
bool make_scaling(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping);

// ---- stream_state.c ----

// Also multiplies out the scales that the model's weights have put off.
bool make_stream_state(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping);

// ---- net.c ----

bool make_net(struct tlu_model *model, const struct learned *learned,
              const struct mapping *mapping);
// The other way round, for a learner without layers so far.
bool restore_net(struct tlu_learner *learner, const tlu_model *model,
                 const struct mapping *mapping);

// ---- supports.c ----

// Whether predictions need the rows themselves: not those of max-margin, which has weights.
bool make_needs_rows(const struct learned *learned);

// The place of a row, for rows that come in ascending order; all zero at the start.
struct row_finder {
    const struct batch *batch;
    size_t number, i;
};
tlu_row row_find(struct row_finder *finder, const struct learned *learned, uint64_t id);

bool make_supports(struct tlu_model *model, const struct learned *learned,
                   const struct mapping *mapping);
// --decide vote, random.
bool make_replay(struct tlu_model *model, const struct learned *learned,
                 const struct mapping *mapping);

#endif
