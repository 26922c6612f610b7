// --learner: how an example updates the weights. This file has what learners share; each learner
// has its own file in src/learners.
#ifndef TLU_LEARN_RULE_H
#define TLU_LEARN_RULE_H

#include "base/options.h"
#include "calibration/output.h"
#include "learn/example.h"
#include "learn/scheme.h"

struct batch;
struct tlu_learner;

enum learner_traits {
    LEARNER_NORM = 1,        // uses example.norm
    LEARNER_SCALE = 2,       // shrinks the weights, by group_norm or group_updates (space.h)
    LEARNER_STATE = 4,       // keeps a number for each weight, which starts at state_start
    LEARNER_BATCH = 8,       // learns from all rows at once: solve()
    LEARNER_ALL_PASSES = 16, // --stop auto is epochs for average, vote and random
    LEARNER_COUNTS = 32,     // values are counts
    LEARNER_GROUPS = 64,     // uses group_norm or group_updates without shrinking the weights
    // An example changes nothing if its margin is above passive_margin and --margin. With
    // two classes or wta, update() is not even called for it (example.c).
    LEARNER_PASSIVE = 128,
    LEARNER_LOGITS = 256, // scores are log odds, from which probabilities follow (rule_logits)
    LEARNER_TIES = 1024,  // accepts --tie-update, and takes the rival with the first label at a tie
    LEARNER_LOG_ODDS = 2048, // keeps the log odds that weights consist of as their states
    LEARNER_LAYERS = 512     // has a net (space.layers), and learns by minibatches: learn()
};

// LEARNER_LAYERS: the choices that depend on the number of rows.
struct learner_course {
    uint64_t batch;  // rows of a minibatch
    uint64_t passes; // maximum number, unless --epochs is given
};

// The description of a learner. A program that only predicts links this but not the functions
// below.
struct learner_kind {
    tlu_learner_info info; // tlu.h describes its fields
    unsigned traits;       // enum learner_traits
    double state_start;
    double passive_margin; // LEARNER_PASSIVE
    double table_rate;     // default of --rate for a table of numbers; 0: as for other data
    uint64_t table_passes; // default of --epochs for a table with several classes; 0: likewise
};

struct learner_functions {
    // Computes what the learner derives from its options; may be NULL.
    tlu_status (*prepare)(struct tlu_learner *learner, tlu_error *error);
    // The update rule. Returns whether it changed the weights.
    bool (*update)(struct tlu_learner *learner, const struct binary_example *example);
    // Winner takes all: a rule that changes the weights of all classes at once, by the scores in
    // space.scores; NULL: update() sees the class and its best rival.
    bool (*update_classes)(struct tlu_learner *learner, const struct binary_example *example,
                           uint32_t class_index);
    // LEARNER_BATCH: sets the weights from all rows (solvers/batch_solver.h).
    tlu_status (*solve)(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, tlu_error *error);
    // LEARNER_LAYERS: chooses the size of a minibatch and the number of passes for this many rows.
    struct learner_course (*choose)(const struct tlu_learner *learner, uint64_t rows);
    // LEARNER_LAYERS: learns from the rows in space.layers->batch.
    tlu_status (*learn)(struct tlu_learner *learner, tlu_error *error);
};

// The learner's options.
struct rule {
    const struct learner_kind *kind;
    const struct learner_functions *functions;
    double rate, rate_high;        // the rate; if they differ, an interval to draw from
    bool rate_given, epochs_given; // by the user
    bool bias;
    int tie;        // TIE_...
    int tie_update; // TIE_UPDATE_...
    double margin, C, r, alpha, l2;
    bool passive;          // an example whose margin is above passive_margin changes nothing
    double passive_margin; // at least 0: such an example is not a mistake
    double phi;            // scw: the normal quantile of --confidence
    bool precision;        // --diagonal precision
    int schedule;          // SCHEDULE_...
};

// Whether the scores of this learner and scheme are log odds (calibration/output.h); and if they
// are not, the reason and a remedy, for a message.
enum logits rule_logits(const tlu_options *options, enum scheme_kind scheme);
const char *rule_no_logits(const tlu_options *options, size_t classes);

// Sets all fields except rate_given, epochs_given and phi (which scw sets).
void rule_read(struct rule *rule, const tlu_options *options);

#endif
