// What predictions by a kernel or a vote need of a model, in the form that is fastest. Made when
// rows are predicted, not when a model is made.
#ifndef TLU_MODEL_SCORE_SCORE_CACHE_H
#define TLU_MODEL_SCORE_SCORE_CACHE_H

#include "model/model.h"
#include "space/gram.h"

#include <stdatomic.h>

// A step of the replay (model.h).
struct turn {
    uint32_t support, group, column[2];
    double amount[2]; // 0: no such part
    double factor;
    double lasted; // examples for which the weights that the step changes were in use
};

struct score_cache {
    struct gram *gram;             // kernel values with the supports, at once
    _Atomic(struct gram *) faster; // the same; made when several rows have been asked about
    atomic_size_t asked;           // rows, until then
    struct turn *turns;            // [replay.count]
    double *left;                  // [columns] as turn.lasted, of the last weights
    bool in_order;                 // tile by tile of the supports
};

// That of the model; made by the first thread that asks. NULL: out of memory.
struct score_cache *model_score_cache(const struct tlu_model *model);
// For kernel values with so many rows. NULL: out of memory.
const struct gram *score_cache_gram(struct score_cache *score_cache, size_t rows);
void score_cache_free(struct score_cache *score_cache); // NULL is fine

// Rows that the replay is for.
struct play {
    const struct turn *turns;
    uint32_t columns;
    size_t lanes;         // 1 or GRAM_LANES
    double bias;          // 1: there is one
    double *now;          // [columns][lanes] scores with the weights of the moment
    double *votes;        // [columns][lanes] how long they were at least 0, or won
    const double *values; // [...][lanes] kernel values with the supports from `first` on
    size_t first;
};

// Steps start to end - 1, with votes; and without.
void play_votes(const struct play *play, size_t start, size_t end);
void play_winners(const struct play *play, size_t start, size_t end); // winner-takes-all
void play_steps(const struct play *play, size_t start, size_t end, bool all_columns);
// What a step does before it adds anything.
void play_shrink(const struct play *play, const struct turn *turn, bool all_columns);
// sums[columns][lanes] += amounts[column] values[lanes], for amounts that are not 0.
void play_add(const double *values, size_t lanes, const double *amounts, uint32_t columns,
              double *sums);
// The scores of the moment count for `lasted` examples more.
void play_cast(const struct play *play, uint32_t column, double lasted);
void play_cast_winners(const struct play *play, double lasted);

#endif
