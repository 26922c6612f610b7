// The first choice, --learner: what happens on an example. What is special to one learner is in its
// own file (src/learners); here is what they share.
#ifndef TLU_LEARN_RULE_H
#define TLU_LEARN_RULE_H

#include "base/options.h"
#include "calibration/output.h"
#include "learn/example.h"
#include "learn/scheme.h"

struct batch;
struct tlu_learner;

enum learner_traits {
    LEARNER_NORM = 1,  // looks at example.norm
    LEARNER_SCALE = 2, // shrinks the weights, by group_norm or group_updates (space.h)
    LEARNER_STATE = 4, // keeps a number for each weight, from state_start on
    LEARNER_BATCH = 8, // does not learn row by row but from all of them: solve()
    LEARNER_TIES =
        16, // winner takes all: if the highest score was a tie, only the right class steps
    LEARNER_COUNTS = 32, // takes values as counts
    LEARNER_GROUPS = 64, // looks at group_norm or group_updates without shrinking the weights
    LEARNER_PASSIVE =
        128, // an example whose margin is above `enough`, and --margin, changes nothing
    LEARNER_LOGITS = 256, // scores are logarithms of odds: probabilities follow (probability.h)
    LEARNER_LAYERS = 512  // has a net (space.layers), and learns by minibatches: learn()
};

// LEARNER_LAYERS: what is left to the data.
struct learner_course {
    uint64_t batch;  // rows of a minibatch
    uint64_t passes; // at most, without --epochs
};

// What is known about a learner without training: a program that only predicts links this, and not
// the functions below.
struct learner_kind {
    tlu_learner_info info;
    unsigned traits;
    double state_start;
    double passive_margin; // LEARNER_PASSIVE
    double table_rate;     // the default of --rate for a table of numbers; 0: as for other data
    uint64_t table_passes; // likewise of --epochs, for one with several classes
};

struct learner_functions {
    // Reads what the learner needs from its options; NULL: nothing.
    tlu_status (*prepare)(struct tlu_learner *learner, tlu_error *error);
    // Updates the weights if the example asks for it; tells whether it did.
    bool (*update)(struct tlu_learner *learner, const struct binary_example *example);
    // LEARNER_BATCH: sets the weights from all rows; see whole.h.
    tlu_status (*solve)(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, tlu_error *error);
    // LEARNER_LAYERS: how to go through so many rows; and learns from those in space.layers->batch.
    struct learner_course (*choose)(const struct tlu_learner *learner, uint64_t rows);
    tlu_status (*learn)(struct tlu_learner *learner, tlu_error *error);
};

// The learner's options, as they are written.
struct rule {
    const struct learner_kind *kind;
    const struct learner_functions *functions;
    double rate, rate_high;        // an interval to draw from if they differ
    bool rate_given, epochs_given; // by the user
    bool bias;
    int tie; // TIE_...
    double margin, C, r, alpha, l2;
    bool passive;          // an example whose margin is above `enough` changes nothing at all
    double passive_margin; // not below 0: such an example is no mistake
    double phi;            // scw's quantile of --confidence
    bool precision;        // --diagonal precision
    int schedule;          // SCHEDULE_...
};

// Whether scores of this learner and scheme are logarithms of odds (calibration/output.h), and why
// those of the options, with so many classes, are not, and what to do about it.
enum logits rule_logits(const tlu_options *options, enum scheme_kind scheme);
const char *rule_no_logits(const tlu_options *options, size_t classes);

// All but what was given and phi, which is scw's own.
void rule_read(struct rule *rule, const tlu_options *options);

#endif
