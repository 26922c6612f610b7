// The model: immutable once made, shared by any number of threads. It keeps what prediction needs
// (decided weights, names, scaling) and what going on with training needs (last weights, sums for
// the average, random state).
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
#include "model/stream_state.h"
#include "space/kernel.h"
#include "space/weights.h"
#include "train/checkpoint/checkpoint.h"
#include "train/outcome.h"

#include <stdatomic.h>

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
    double *gains; // of learners with states, in the place of amount * x: see struct history
    size_t gain_count;
};

// The weights that decide, made by model_prepare; not stored. A kernel has those of its supports.
struct decided {
    double divisor; // of the arrays below: see weights_total
    double *w;      // [features or supports][columns], for scaled values
    double *bias;   // [columns]
    // The same for values as they are in the data; NULL: the values are not scaled, or rows have to
    // be scaled as they come.
    double *folded; // [features][columns]
    double *folded_bias;
};

struct score_cache;

// What the report points to, and what the file has of it beyond the report.
struct recorded {
    char *version; // of the tlu that made it
    char *data;
    uint64_t *mistakes; // [epochs]
    double *accuracy;   // [epochs]
    char **notices;
    double figures[3];  // see model_set_figures
    bool held_by_class; // the rows held out were drawn class by class; earlier, each by itself
};

struct tlu_model {
    tlu_options *options;     // all of them, as trained
    struct schema schema;     // frozen; classes in the order of their labels
    uint64_t *class_examples; // [classes] rows seen
    uint32_t positive;        // class, with two; SCHEMA_NONE otherwise
    enum scheme_kind scheme;
    int decide;           // DECIDE_...
    struct kernel kernel; // KERNEL_NONE: weights are those of features
    struct scaling scaling;
    struct supports supports;
    struct replay replay; // --decide vote, random
    struct decided decided;
    struct score_output output;

    // The state of training, to go on with.
    struct weights weights; // features as in schema
    struct net *net;        // a learner with layers: the weights are 0; else NULL
    struct random random;
    struct stream_state stream;
    struct checkpoint *checkpoint; // of a run that was interrupted; otherwise NULL

    tlu_report report;
    struct recorded recorded;

    // Everything above is immutable once the model is made.
    _Atomic(struct score_cache *) score_cache; // see score_cache.h
    struct tlu_model *shares; // the model whose memory this one uses; NULL: its own (model_share)
    atomic_size_t users;      // models that use the memory of this one, itself included
};

struct training;
struct row_source;

// --decide vote, random: predictions go through the steps of the run again.
static inline bool model_replays(const struct tlu_model *model)
{
    return model->decide == DECIDE_VOTE || model->decide == DECIDE_RANDOM;
}

// Their learner has states: the steps add gains.
static inline bool model_keeps_gains(const struct tlu_model *model)
{
    size_t learner = (size_t)options_choice(model->options, OPTION_LEARNER);
    return model_replays(model) && learner_kind_at(learner)->traits & LEARNER_STATE;
}

static inline bool model_has_layers(const struct tlu_model *model)
{
    size_t learner = (size_t)options_choice(model->options, OPTION_LEARNER);
    return learner_kind_at(learner)->traits & LEARNER_LAYERS;
}

// tlu_train, tlu_reader_open and tlu_evaluate, with all that can be asked of them. The training is
// freed.
tlu_status model_train(struct training *training, const tlu_options *options,
                       const struct checkpoint *resume, tlu_model **model, tlu_error *error);
// Saves what the training has so far, with its checkpoint, to reporter.checkpoint_path.
// As tlu_model_save; `ready` is called before the new file takes the place of the old one.
tlu_status model_save(const tlu_model *model, const char *path, file_ready *ready, void *context,
                      tlu_error *error);
tlu_status model_checkpoint(struct training *training, tlu_error *error);
tlu_status model_read(const tlu_model *model, const char *path, const struct row_source *row_source,
                      const tlu_options *options, tlu_reader **reader, tlu_error *error);
// The line of the file that a row of the batch that was handed out last starts at.
uint64_t model_reader_line(const tlu_reader *reader, size_t row);
tlu_status model_evaluate(const tlu_model *model, const char *path,
                          const struct row_source *row_source, const tlu_options *options,
                          tlu_evaluation **evaluation, tlu_error *error);

// ---- split.c ----

// As tlu_split_new, of the rows that `whole` has; what it points to must outlive the split. `of`:
// what the parts are of, for messages, such as " of --calibrate"; "" if that needs no saying.
tlu_status split_open(const char *path, const struct row_source *whole, const tlu_options *options,
                      size_t parts, const char *of, tlu_split **split, tlu_error *error);
// What can be read only once, standard input and pipes, is put into memory, which is the caller's.
tlu_status split_spool(const char *path, struct row_source *row_source, unsigned char **bytes,
                       tlu_error *error);
// The rows of a part, or of all others; TLU_NONE: all of them.
struct row_source split_row_source(const tlu_split *split, size_t part, bool others);
// Whether a class has a single row, which is then *row.
bool split_has_single(const tlu_split *split, uint64_t *row);

struct tlu_model *model_new(void); // empty, to be filled; NULL: out of memory
// A model with the same contents, which shares the memory of `model`: only fields of the struct
// itself may be changed, before it is published. tlu_model_free frees both, in any order. NULL: out
// of memory.
struct tlu_model *model_share(const struct tlu_model *model);
// Fills what is derived. Call once, when all the rest is there.
tlu_status model_prepare(struct tlu_model *model, tlu_error *error);

// Fills the errors, the bound and the margins of the report, which follow from its other figures,
// the options, the checkpoint and recorded.figures.
void model_set_errors(struct tlu_model *model);
// Sets recorded.figures: mistakes over examples of all passes; 2k/(m + 1) of the first, or -1 if
// the rows were sorted by class; 1/|w| of max-margin, else 0.
void model_set_figures(struct tlu_model *model, bool sorted, double margin);

// The bias that goes with tlu_model_scaled_weight.
double model_decided_bias(const struct tlu_model *model, size_t class_index);

bool supports_new(struct supports *supports, size_t count, size_t nonzeros);
void supports_free(struct supports *supports);

// What reports and files call it; NULL past the last.
const char *model_stopped_name(enum stopped why);

#endif
