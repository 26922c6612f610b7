// The model: immutable once made, shared by any number of threads. It keeps what prediction needs
// (decided weights, names, scaling) and what going on with training needs (last weights, sums for
// the average, random state).
#ifndef TLU_MODEL_MODEL_H
#define TLU_MODEL_MODEL_H

#include "base/options.h"
#include "base/random.h"
#include "data/scale.h"
#include "data/schema.h"
#include "learn/learner.h"
#include "space/kernel.h"
#include "space/panel.h"
#include "space/weights.h"
#include "train/pause.h"

// The training rows that a model keeps: those of a kernel, whose coefficients are then the model's
// weights ("features" of weights are supports), and those that a vote replays.
struct supports {
    size_t count;
    tlu_row *row;       // [count], into features and values
    uint32_t *features; // [nonzeros] numbers of the model
    float *values;      // [nonzeros]
    size_t nonzeros;
    double *norm;       // [count] x . x
    uint64_t *line;     // [count] of the training file
    uint32_t *classes;  // [count]
    double *alpha;      // [count] sum of absolute coefficients
    uint32_t *by_alpha; // [count] supports, the highest alpha first; made by model_prepare
};

// One update of the run, for vote and random: the weights of its group become
// factor * w + amount * (sign[0] x in column[0] + sign[1] x in column[1]).
struct replay_step {
    uint32_t support;
    uint32_t group;
    uint64_t time; // the example at which it happened, from 1
    double amount, factor;
    uint32_t column[2];
    int8_t sign[2]; // 0: no such part
};

struct replay {
    size_t count;
    struct replay_step *steps;
};

// What a stream needs to go on with the very bits, beyond what the model predicts with: numbers of
// the learner's that a model has otherwise, or not at all. All of it is in the numbers of the
// model.
struct live {
    uint32_t *order; // [classes] in the order in which they were met; NULL: that of the labels
    // LIBSVM indices are numbers of their own, from `lowest` to `highest` (lowest > highest: none
    // so far), which the features with a weight do not tell.
    bool indices;
    uint32_t lowest, highest;
    double *norm;      // [groups] as learner.group_norm; NULL: not kept
    uint64_t *updates; // [groups] as learner.group_updates; NULL likewise
    // Weights whose scales are put off; NULL: none are.
    double *scale, *sum, *sum_at; // [columns] as in struct weights
    size_t unsettled;             // columns that are (live_is_unsettled), the others are as decided
    double *w, *u;                // [features][unsettled]; u NULL without an average
    double *recent_sum;           // [columns] as in struct weights_recent; NULL without scales
    double *r;                    // [features][unsettled]; NULL unless the decision is adaptive
    // Cells [feature * columns + column], ascending, whose state was written and equals that of a
    // feature never met all the same.
    uint64_t *written;
    size_t written_count;
};

// --decide adaptive: how the candidates have done (learn/adapt.h).
struct standing {
    double right[WEIGHTS_BY_COUNT];
    double decay;
};

struct tlu_model {
    char *version;        // of the tlu that made it
    tlu_options *options; // all of them, as trained
    struct schema schema; // frozen; classes in the order of their labels
    struct scaling scaling;
    uint32_t positive; // class, with two; SCHEMA_NONE else
    enum scheme scheme;
    int decide;           // DECIDE_...
    struct kernel kernel; // KERNEL_NONE: weights are those of features
    struct supports supports;
    struct replay replay; // --decide vote, random

    struct weights weights; // the state of training: features as in schema
    struct random random;
    struct live live;
    struct standing standing; // decide adaptive
    struct scale_unit *units; // [features] scale recent: as in struct online_scale; else NULL

    struct pause *pause; // of a run that was interrupted and can go on; else NULL

    uint64_t *class_examples; // [classes] rows seen
    tlu_report report;        // its arrays and texts belong to the model
    double report_figures[3]; // what the file has of these: see model_set_errors
    char *report_data;        // what report.data points to
    uint64_t *report_mistakes;
    double *report_accuracy;
    bool held_by_class; // the rows held out were drawn class by class; before, each by itself
    char **report_notices;

    // Made by model_prepare from the above; not stored.
    double divisor;  // of the arrays below: see weights_total
    double *decided; // [features or supports][columns] weights that decide, for scaled values
    double *decided_bias;
    double *folded; // [features][columns] the same for values as they are in the data
    double *folded_bias;
};

struct training;
struct excerpt;

// tlu_train, tlu_reader_open and tlu_evaluate, with all that can be asked of them. The training is
// freed.
tlu_status model_train(struct training *training, const tlu_options *options, tlu_model **model,
                       tlu_error *error);
// Saves what the training has so far, with its pause, to training->checkpoint_path.
tlu_status model_checkpoint(struct training *training, tlu_error *error);
tlu_status model_read(const tlu_model *model, const char *path, const struct excerpt *excerpt,
                      const tlu_options *options, tlu_reader **reader, tlu_error *error);
tlu_status model_evaluate(const tlu_model *model, const char *path, const struct excerpt *excerpt,
                          const tlu_options *options, tlu_evaluation **evaluation,
                          tlu_error *error);

struct tlu_model *model_new(void); // empty, to be filled; NULL where memory is out
// Fills what is derived. Call once, when all the rest is there.
tlu_status model_prepare(struct tlu_model *model, tlu_error *error);

// Fills the errors, the bound and the margins of the report, which follow from its other figures,
// the options, the pause and report_figures.
void model_set_errors(struct tlu_model *model);
// Sets report_figures: mistakes over examples of all passes; 2k/(m + 1) of the first, or -1 where
// the rows were sorted by class; 1/|w| of max-margin, else 0.
void model_set_figures(struct tlu_model *model, bool sorted, double margin);

// The bias that goes with tlu_model_strength.
double model_decided_bias(const struct tlu_model *model, size_t class_index);

// Whether a stream can go on with the model: row by row, with the last weights or their average.
bool model_is_live(const struct tlu_model *model);
// Whether its learner keeps the square of the weights of each group, and counts its updates.
bool live_has_groups(const struct tlu_model *model);
// Whether it shrinks its weights as a whole, which is put off.
bool live_has_scales(const struct tlu_model *model);
// Whether a column's w and u are not those that decide.
static inline bool live_is_unsettled(const struct live *live, uint32_t column)
{
    return live->scale[column] != 1 || live->sum[column] != live->sum_at[column];
}
void live_free(struct live *live);

bool supports_new(struct supports *supports, size_t count, size_t nonzeros);
void supports_free(struct supports *supports);

struct predictions {   // of all rows of a batch
    uint32_t *classes; // [rows]
    double *scores;    // [rows][score_count]; may be NULL
    char *ambiguous;   // [rows]; may be NULL
};

// Memory for scoring, kept from one call to the next; all zero at the start. Of one thread.
struct score_room {
    double *scores; // [PANEL_LANES][columns], of the rows at hand
    size_t scores_capacity;
    struct panel panel;
    double *values; // [supports][rows] of a kernel
    double *now;    // [columns][rows] of a replay: see struct player
    double *votes;  // [columns][rows]
    uint64_t *since;
    size_t values_capacity, now_capacity, votes_capacity, since_capacity;
    struct batch *scaled;
    size_t
        bad; // by model_predict_rows: the first row, from 1, whose scores are no numbers; 0: none
};
void score_room_free(struct score_room *room);

// scores[rows][columns] of the decision, in the columns of the scheme, for up to PANEL_LANES rows.
// False where memory is out.
bool model_scores(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_room *room);
// Whether scores are one dot product a weight vector, and model_scores needs no room.
bool model_is_quick(const struct tlu_model *model);
// Rows first to last - 1 of a batch: see tlu_model_predict_batch. False where memory is out.
bool model_predict_rows(const struct tlu_model *model, const tlu_batch *batch, size_t first,
                        size_t last, const struct predictions *to, struct score_room *room);
// What users see: of one versus one the votes of each class.
void model_user_scores(const struct tlu_model *model, const double *columns, double *scores);

extern const char *const model_stopped_names[7]; // in the order of enum stopped, then NULL

#endif
