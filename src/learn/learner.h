// The state of a learner of any kind.
//
// A scheme (scheme.c) turns an example of one class among many into one or more binary subproblems,
// in the form that the notes write as y (w . x). A decision (decision.c) turns the sequence of
// weight vectors into one classifier. The rule of a learner (src/learners) knows neither.
#ifndef TLU_LEARN_LEARNER_H
#define TLU_LEARN_LEARNER_H

#include "base/random.h"
#include "data/schema.h"
#include "learn/decision.h"
#include "learn/rule.h"
#include "learn/scheme.h"
#include "learners/learners.h"
#include "space/space.h"

struct solution;

// Scaling that adapts (online_scale.h).
struct online_scale {
    bool on;
    bool recent;              // --scale recent
    bool open;                // --scale is not given: the first example decides
    struct scale_unit *units; // [capacity] of the features
    size_t capacity;
    float *scratch; // [scratch_capacity] values of a scaled row
    size_t scratch_capacity;
};

// A bound on the weights (guard.h): |w| <= reach * the largest value there is, states <= states.
struct guard {
    double reach, states;
    double least;       // --scale online: the smallest value by which a feature was divided
    double scope, most; // what reach is multiplied with, and then is at most (guard_set)
    double work;        // of rows that were looked at since the bound was measured
};

// --max-features (prune.h).
struct pruning {
    size_t max_features; // names at most; 0: any number
    uint64_t forgotten;  // names so far
    bool *gone;          // [gone_capacity] by name
    size_t gone_capacity;
    struct weak *weak; // [weak_capacity] those that go
    size_t weak_capacity;
};

// Learners that learn from all rows at once (solvers/batch_solver.h).
struct solving {
    bool (*stop)(void *context); // whether to end early; NULL: never
    void *stop_context;
    struct solution *solution; // of max-margin; else NULL
    uint32_t planes;           // max-margin: columns solved so far
    double gap;                // the same: of the current one
};

struct tlu_learner {
    // The four choices.
    struct rule rule;         // what happens on an example
    struct decision decision; // how a sequence of weight vectors becomes one classifier
    struct space space;       // where the dot products live
    struct scheme scheme;     // how several classes become binary subproblems

    tlu_options *options;
    struct schema schema;
    struct online_scale online; // --scale online; in streams also maxabs and recent
    struct guard guard;
    struct pruning pruning;
    struct solving solving;
    struct score_output
        output; // of the model that a stream goes on from, if it has the same classes
    struct random random;
    uint64_t examples, mistakes, updates;
    tlu_learner_stats counts; // as tlu_learner_get_stats has told them
};

// Chooses the scheme for several classes and the rate before the first example, if the user has
// not. A table of numbers has few features, so that a hyperplane for each pair of classes fits it
// better, and it needs a higher rate.
tlu_status learner_choose(struct tlu_learner *learner, bool table, tlu_error *error);
tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error);
void learner_free_parts(struct tlu_learner *learner);

// Reserves weights for all features of the schema; false: out of memory.
bool learner_reserve(struct tlu_learner *learner);

// ---- learner_options.c ----

// Sets the options that the learner has defaults for and the user has not set.
tlu_status learner_apply_defaults(struct tlu_learner *learner, tlu_error *error);
// Checks that the learner has the options and that they can be combined.
tlu_status learner_check_options(const struct tlu_learner *learner, tlu_error *error);

// ---- conflicts.c ----

// Whether all rows of a file must be read before the first update.
bool learner_needs_all_rows(const struct tlu_learner *learner);

// ---- classes.c ----

// Brings classes 0 to `classes` - 1 into play; new ones start with weights 0. After the first
// example it reserves columns for more classes, because others may follow one by one.
tlu_status learner_add_classes(struct tlu_learner *learner, uint32_t classes, tlu_error *error);
// The classes in play in the order of their labels, [classes], as a model has them. The caller
// frees it; NULL: out of memory.
uint32_t *learner_order_classes(const struct tlu_learner *learner);
// Counts a row of a class; false if there is not enough memory.
bool learner_count(struct tlu_learner *learner, uint32_t class_index);
// The positive one of two classes: that of --positive, else the one with the later label.
// SCHEMA_NONE if --positive names neither, or the second class is not known yet.
uint32_t learner_positive(const struct tlu_learner *learner);
// Reads --class-weight; the labels that it names may still be unknown.
tlu_status learner_check_class_weights(struct tlu_learner *learner, tlu_error *error);
// Checks, when all classes are known, that the labels of --positive and --class-weight exist.
tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error);

// ---- example.c ----

// Learns from one example. Its class comes into play if it is new; its features must be below
// weights.features. *wrong: it was a mistake.
tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error);
// The same, and may replace example->x: by the row in the space of the learner.
tlu_status learner_learn_example(struct tlu_learner *learner, struct example *example, bool *wrong,
                                 tlu_error *error);
// The norm of an example: |x|^2, with the 1 of the bias. 0 unless the learner uses it.
double learner_norm(const struct tlu_learner *learner, const tlu_row *x, uint64_t id);
// As learner_learn, for the row of the last learner_decide, whose scores are reused.
tlu_status learner_learn_decided(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                                 uint32_t class_index, double weight, bool *wrong,
                                 tlu_error *error);
// The dual form: learner->space.scores of a row, as learner_learn finds them.
void learner_score_dual(struct tlu_learner *learner, uint64_t id);
// The weights that decide: those in the pocket, or the learner's own.
const struct weights *learner_deciding(const struct tlu_learner *learner);
// The class that the decision's weights predict; scores are in learner->space.scores.
uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x);
// The class that scores[columns] elect, as a model would have it.
uint32_t learner_elect(const struct tlu_learner *learner, const double *scores);

// ---- learner_api.c ----

// As tlu_learner_new, for the options of a training from a file: accepts options about files.
tlu_status learner_new(const tlu_options *options, tlu_learner **learner, tlu_error *error);
// Without --scale, the first row decides. Columns of CSV are scaled as --scale recent does; so are
// LIBSVM, VW's format, JSON lines and named features if a value is not a whole number up to 255, as
// then it is not a count, a pixel or a yes or no. Text is not scaled.
tlu_status learner_choose_scale(struct tlu_learner *learner, const tlu_row *row, tlu_error *error);

// ---- rule.c: the steps of which an update is made ----

// w := w + amount y x
void learner_add(struct tlu_learner *learner, const struct binary_example *example, double amount);
// w := factor w, for the weight vectors that the example is about (all of its group)
void learner_shrink(struct tlu_learner *learner, const struct binary_example *example,
                    double factor, bool with_bias);
// Multiplies the weights by the factors that learner_shrink has deferred.
void learner_settle(struct tlu_learner *learner);
// Sets group_norm to |w|^2 as it is; in the dual it stays as it was.
void learner_measure(struct tlu_learner *learner, const struct binary_example *example);
// A rate for this update: --rate, or drawn from its interval.
double learner_rate(struct tlu_learner *learner);

// The columns in use.
static inline uint32_t learner_columns(const struct tlu_learner *learner)
{
    return scheme_columns(learner->scheme.kind, learner->scheme.classes);
}

#endif
