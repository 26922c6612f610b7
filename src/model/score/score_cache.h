// What predictions by a kernel or a vote need of a model, in the fastest form. Made when rows are
// first predicted, not when a model is made.
#ifndef TLU_MODEL_SCORE_SCORE_CACHE_H
#define TLU_MODEL_SCORE_SCORE_CACHE_H

#include "learn/replay.h"
#include "model/model.h"

#include <stdatomic.h>

struct score_cache {
    struct gram *gram;             // kernel values with the supports
    _Atomic(struct gram *) faster; // the same; made when several rows have been predicted
    atomic_size_t asked;           // rows predicted until then
    struct replay_update *updates; // [replay.count]
    double *left;                  // [columns] examples for which the last weights were in use
    bool in_order;                 // the tiles of the updates' supports ascend
};

// That of the model; made by the first thread that asks. NULL: out of memory.
struct score_cache *model_score_cache(const struct tlu_model *model);
// The gram to use for the next `rows` rows. NULL: out of memory.
const struct gram *score_cache_gram(struct score_cache *score_cache, size_t rows);
void score_cache_free(struct score_cache *score_cache); // NULL is fine

#endif
