// What a stream needs to go on exactly as if it had never stopped, beyond what a model predicts
// with: numbers of the learner that a model has in another form, or not at all. All of it is in the
// numbers of the model. The file has it in the sections LIVE, ADPT and UNIT.
#ifndef TLU_MODEL_STREAM_STATE_H
#define TLU_MODEL_STREAM_STATE_H

#include "space/weights.h"

struct tlu_model;
struct scale_unit;

// LIBSVM indices are numbers of their own, from `lowest` to `highest` (lowest > highest: none so
// far), which cannot be told from the features that have a weight.
struct met_indices {
    bool kept;
    uint32_t lowest, highest;
};

// As group_norm and group_updates of the learner; NULL: not kept.
struct group_state {
    double *norm;      // [groups]
    uint64_t *updates; // [groups]
};

// The columns whose scales are put off (struct weights): their weights before multiplication. The
// other columns are as the model's weights. All NULL: there are no such columns.
struct unsettled {
    double *scale, *sum, *sum_at; // [all columns] as in struct weights
    size_t columns;               // that are unsettled
    double *w, *u;                // [features][columns]; u NULL without an average
    double *recent_sum;           // [all columns] as in struct weights_recent
    double *r;                    // [features][columns]; both NULL unless decide is adaptive
};

static inline bool column_is_unsettled(const struct unsettled *unsettled, uint32_t column)
{
    return unsettled->scale[column] != 1 || unsettled->sum[column] != unsettled->sum_at[column];
}

// Cells [feature * columns + column], ascending, whose state was written although it equals that of
// a feature never met.
struct written_states {
    uint64_t *cells;
    size_t count;
};

// --decide adaptive: how the candidates have done (learn/decision.h).
struct standing {
    double right[WEIGHTS_BY_COUNT];
    double decay;
};

struct stream_state {
    uint32_t *order; // [classes] in the order in which they were met; NULL: that of the labels
    struct met_indices indices;
    struct group_state groups;
    struct unsettled unsettled;
    struct written_states written;
    struct standing standing; // decide adaptive
    struct scale_unit *units; // [features] scale recent: as in struct online_scale; else NULL
};

void stream_state_free(struct stream_state *stream);

// Whether a stream can go on with the model: row by row, with the last weights or their average.
bool model_can_stream(const struct tlu_model *model);
// Whether its learner keeps the square of the weights of each group, and counts its updates.
// Whether it keeps what going on takes, in a stream or with more passes.
bool model_keeps_state(const struct tlu_model *model);
bool model_keeps_groups(const struct tlu_model *model);
// Whether it multiplies its weights as a whole, which is put off.
bool model_keeps_scales(const struct tlu_model *model);

#endif
