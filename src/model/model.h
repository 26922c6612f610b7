// A model: the state of a learner, numbered by a frozen schema, and what else prediction needs
// (decided weights, scaling, calibration). A finished model does not change, so any number of
// threads can share it.
#ifndef TLU_MODEL_MODEL_H
#define TLU_MODEL_MODEL_H

#include "base/file.h"
#include "base/options.h"
#include "base/random.h"
#include "calibration/output.h"
#include "data/scale.h"
#include "data/schema.h"
#include "learn/learner.h"
#include "mlp/net.h"
#include "space/kernel.h"
#include "space/weights.h"
#include "train/checkpoint/checkpoint.h"
#include "train/outcome.h"

#include <stdatomic.h>

// The training rows that a model keeps: those of a kernel, whose coefficients are the model's
// weights (a "feature" of the weights is then a support), and those that a vote replays.
struct supports {
    size_t count;
    tlu_row *row;       // [count], into features and values
    uint32_t *features; // [nonzeros] the model's numbers of features
    float *values;      // [nonzeros]
    size_t nonzeros;
    double *norm;       // [count] x . x
    uint64_t *line;     // [count] of the training file
    uint32_t *classes;  // [count]
    double *alpha;      // [count] sum of absolute coefficients
    uint32_t *by_alpha; // [count] supports by descending alpha; made by model_prepare
};

// The weights that predict. model_prepare computes them; files do not store them. With a kernel
// they are the coefficients of the supports.
struct decided {
    double divisor; // of the arrays below: see weights_total
    double *w;      // [features or supports][columns], for scaled values
    double *bias;   // [columns]
    // The same for unscaled values; NULL: the values are not scaled, or each row is scaled before
    // it is scored.
    double *folded; // [features][columns]
    double *folded_bias;
};

struct score_cache;

// How the model was made. A run that is resumed is that of one process from the first row on.
enum model_origin { ORIGIN_RUN, ORIGIN_STARTED, ORIGIN_MIXTURE, ORIGIN_TEAM, ORIGIN_COUNT };

// The memory that the report points to, and what the file stores besides.
struct recorded {
    char *version; // of the program that made the model
    char *data;
    uint64_t *mistakes;   // [epochs]
    double *accuracy;     // [epochs]
    char *learner_reason; // NULL: the learner was named
    char **notices;
    double figures[3];  // see model_set_figures
    bool held_by_class; // rows were held out per class; earlier versions ignored the classes
    enum model_origin origin;
};

struct tlu_model {
    // The state of the learner, with a frozen schema: classes are in the order of their labels, and
    // features have no gaps; schema.base and schema.direct are those of the growing schema. With a
    // kernel the "features" of the weights are supports. The steps of the history have numbers of
    // supports instead of rows.
    struct learner_state state;
    uint32_t *order; // [classes] in the order of first occurrence; NULL: in the order of labels
    struct packed_checkpoint checkpoint; // of a run that was interrupted

    struct scaling scaling;
    struct supports supports;
    struct decided decided;

    tlu_report report;
    struct recorded recorded;

    // Everything above is immutable once the model is made.
    _Atomic(struct score_cache *) score_cache; // see score_cache.h
    struct tlu_model *shares; // the model whose memory this one uses; NULL: its own (model_share)
    atomic_size_t users;      // models that use the memory of this one, itself included
};

struct training;
struct team;
struct row_source;

// --decide vote, random: predictions replay the updates of the run.
static inline bool model_replays(const struct tlu_model *model)
{
    return model->state.decision.kind == DECIDE_VOTE || model->state.decision.kind == DECIDE_RANDOM;
}

// Whether it replays updates of a learner with states, which add gains.
static inline bool model_keeps_gains(const struct tlu_model *model)
{
    return model_replays(model) && learner_kind_of(model->state.options)->traits & LEARNER_STATE;
}

static inline bool model_has_layers(const struct tlu_model *model)
{
    return learner_kind_of(model->state.options)->traits & LEARNER_LAYERS;
}

// Whether a stream can continue with the model: its learner learns row by row, and predicts with
// the last weights or an average.
bool model_can_stream(const struct tlu_model *model);
// Whether the model contains a state from which a stream or further passes can continue.
bool model_keeps_state(const struct tlu_model *model);
// Whether its learner keeps the squared norm of the weights of each group, and counts its updates.
bool model_keeps_groups(const struct tlu_model *model);
// Whether its learner scales whole columns of weights, and multiplies the scales out later.
bool model_keeps_scales(const struct tlu_model *model);

// tlu_train, tlu_reader_open and tlu_evaluate with further arguments. model_train frees the
// training, and moves the parts of `resume` into it.
tlu_status model_train(struct training *training, const tlu_options *options,
                       struct checkpoint *resume, tlu_model **model, tlu_error *error);
// The options of a training in several processes, for the caller to free: each reads its part of
// the data at a path, unless the options say which.
tlu_status model_part_options(tlu_options **own, const struct team *team, bool path,
                              const tlu_options *options, tlu_error *error);
// As tlu_model_save; `ready` is called before the new file replaces the old one.
tlu_status model_save(const tlu_model *model, const char *path, file_ready *ready, void *context,
                      tlu_error *error);
// Saves the model so far, with its checkpoint, to reporter.checkpoint_path.
tlu_status model_checkpoint(struct training *training, tlu_error *error);
tlu_status model_read(const tlu_model *model, const char *path, const struct row_source *row_source,
                      const tlu_options *options, tlu_reader **reader, tlu_error *error);
// A row of the reader's current batch: the line of the file at which it starts, and its weight.
uint64_t model_reader_line(const tlu_reader *reader, size_t row);
double model_reader_weight(const tlu_reader *reader, size_t row);
// Its set of labels (batch_set), for a model of --multilabel; NULL: it has none.
const uint32_t *model_reader_set(const tlu_reader *reader, size_t row);
// Its text, if the row source has texts; else NULL. Rows are requested in ascending order.
const char *model_reader_text(tlu_reader *reader, size_t row, size_t *length);
// With a team, each process reads its part of the rows, and process 0 gets the evaluation of all.
tlu_status model_evaluate(const tlu_model *model, const char *path,
                          const struct row_source *row_source, struct team *team,
                          const tlu_options *options, tlu_evaluation **evaluation,
                          tlu_error *error);

// ---- probability.c ----

bool model_is_calibrated(const tlu_model *model);
bool model_has_probabilities(const tlu_model *model);
// Computes probabilities[classes] from scores of tlu_model_predict, which must be finite, for a
// model that has probabilities. None is below 0, and their sum is 1 up to rounding.
void model_probabilities(const tlu_model *model, const double *scores, double *probabilities);

// Whether a threshold of the model is a probability or a score.
enum threshold_on model_threshold_kind(const tlu_model *model);
// --multilabel: the classes that the scores of tlu_model_predict predict, ascending: at most
// `capacity` are written to `classes`. Returns how many there are.
uint32_t model_labels(const tlu_model *model, const double *scores, uint32_t *classes,
                      uint32_t capacity);
// Fails with an input error if the model cannot have a threshold.
tlu_status model_threshold_allowed(const tlu_model *model, tlu_error *error);

// ---- split.c ----

// As tlu_split_new, for the rows of `whole`, whose memory must outlive the split. `of` is a suffix
// for messages that says what the parts belong to, such as " of --calibrate", or "".
tlu_status split_open(const char *path, const struct row_source *whole, const tlu_options *options,
                      size_t parts, const char *of, tlu_split **split, tlu_error *error);
// Reads data that can be read only once, standard input and pipes, into memory, which the caller
// frees.
tlu_status split_spool(const char *path, struct row_source *row_source, unsigned char **bytes,
                       tlu_error *error);
// The rows of a part, or of all other parts; part TLU_NONE: all rows.
struct row_source split_row_source(const tlu_split *split, size_t part, bool others);
// Whether a class has a single row, whose number is stored in *row.
bool split_has_single(const tlu_split *split, uint64_t *row);

struct tlu_model *model_new(void); // empty; NULL: out of memory
// A model with the same contents, which shares the memory of `model`: only fields of the struct
// itself may be changed, before it is published, and the thresholds of labels replaced by its own.
// tlu_model_free frees both, in any order. NULL: out of memory.
struct tlu_model *model_share(const struct tlu_model *model);
// Computes the derived fields. Call it once, after all other fields are set.
tlu_status model_prepare(struct tlu_model *model, tlu_error *error);

// Fills the errors, the bound and the margins of the report, which follow from its other figures,
// the options, the checkpoint and recorded.figures.
void model_set_errors(struct tlu_model *model);
// Sets recorded.figures: mistakes over examples of all passes; 2k/(m + 1) of the first, or -1 if
// the rows were sorted by class; 1/|w| of max-margin, else 0.
void model_set_figures(struct tlu_model *model, bool sorted, double margin);

// The bias for tlu_model_scaled_weight.
double model_decided_bias(const struct tlu_model *model, size_t class_index);

bool supports_new(struct supports *supports, size_t count, size_t nonzeros);
void supports_free(struct supports *supports);

// The name of a reason in reports and files; NULL past the last.
const char *model_stopped_name(enum stopped why);

#endif
