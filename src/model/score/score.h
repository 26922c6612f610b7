// Scores of rows, and the classes that follow from them.
#ifndef TLU_MODEL_SCORE_SCORE_H
#define TLU_MODEL_SCORE_SCORE_H

#include "learn/replay.h"
#include "mlp/work.h"
#include "model/model.h"

#define SCORE_ROWS GRAM_ROWS

struct predictions {   // of all rows of a batch
    uint32_t *classes; // [rows]
    double *scores;    // [rows][score_count]; may be NULL
    char *ambiguous;   // [rows]; may be NULL
};

// Memory for scoring, kept from one call to the next; all zero at the start. Of one thread.
struct score_scratch {
    double *scores; // [rows][columns], of the current rows
    size_t scores_capacity;
    struct gram_scratch gram;
    double *now;   // [groups][columns][lanes]: see struct replay_group
    double *votes; // [groups][columns][lanes]
    size_t now_capacity, votes_capacity;
    struct batch *scaled;
    struct minibatch net_rows; // of a model with layers
    struct net_scratch net;
    // By model_predict_rows: the first row, from 1, whose scores are not numbers; 0: none.
    size_t bad;
};
void score_scratch_free(struct score_scratch *scratch);

// scores[rows][columns] of the decision, in the columns of the scheme, for up to SCORE_ROWS rows.
// False: out of memory.
bool model_scores(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_scratch *scratch);
// The same for a model with layers, of scaled rows (layers.c).
bool score_layers(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_scratch *scratch);
// Replaces up to SCORE_ROWS rows by what the model's weights are for: --binarize, --scale. They are
// valid until the next call. False: out of memory.
bool model_take_rows(const struct tlu_model *model, tlu_row *rows, size_t count,
                     struct score_scratch *scratch);
// Makes what model_scores needs for so many rows, which it would do itself; false: out of memory.
bool model_prepare_scores(const struct tlu_model *model, size_t rows);
// Whether scores are one dot product per weight vector, and model_scores needs no scratch.
bool model_is_linear(const struct tlu_model *model);
// Rows first to last - 1 of a batch: see tlu_model_predict_batch. False: out of memory.
bool model_predict_rows(const struct tlu_model *model, const tlu_batch *batch, size_t first,
                        size_t last, const struct predictions *to, struct score_scratch *scratch);
struct election model_election(const struct tlu_model *model);
// The class that the scores of a row, in the columns of the scheme, mean; `ambiguous` may be NULL.
size_t model_elect(const struct tlu_model *model, const double *columns, bool *ambiguous);
// What users see: of one versus one the votes of each class.
void model_user_scores(const struct tlu_model *model, const double *columns, double *scores);

#endif
