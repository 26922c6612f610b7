// A learner of any kind: its state (state.h), its rule, and what an update needs besides.
//
// A scheme (scheme.c) turns an example of one class among many into one or more binary subproblems,
// in the form that the notes write as y (w . x). A decision (decision.c) turns the sequence of
// weight vectors into one classifier. The rule of a learner (src/learners) knows neither.
#ifndef TLU_LEARN_LEARNER_H
#define TLU_LEARN_LEARNER_H

#include "learn/automatic.h"
#include "learn/rule.h"
#include "learn/state.h"
#include "learners/learners.h"
#include "space/space.h"

struct solution;

// Bounds on the weights and on their states (guard.h).
struct guard {
    double reach;  // every |w| is at most reach * (the largest possible value)
    double states; // every state is at most this
    double least;  // --scale online: the smallest unit of a feature so far
    double scope;  // see guard_set
    double most;   // limit of the bound on scores: a tenth of guard_most
    double work;   // of exact tests since the bound was computed
};

// --max-features (prune.h).
struct pruning {
    size_t max_features; // maximum number of names; 0: no limit
    uint64_t forgotten;  // number of names removed so far
    bool *gone;          // [gone_capacity] by name: to be removed
    size_t gone_capacity;
    struct weak *weak; // [weak_capacity] the weakest names
    size_t weak_capacity;
};

// Learners that learn from all rows at once (solvers/batch_solver.h).
struct solving {
    bool (*stop)(void *context); // whether to end early; NULL: never
    void *stop_context;
    struct solution *solution;       // of max-margin; else NULL
    uint32_t planes;                 // max-margin: number of columns solved so far
    double gap;                      // max-margin: duality gap of the current column
    struct multipliers *multipliers; // in: where to start; out: those found; NULL: not wanted
};

// --multilabel: the labels of an example, and those of a prediction as text (learner_api.c).
struct label_list {
    uint32_t *set; // as example.set
    size_t set_capacity;
    char *text;
    size_t text_capacity;
};

// A row whose features were given by name or by number, with its own memory (learner_api.c).
struct row_entries {
    struct named_entry *entries; // [entry_capacity]
    uint32_t *features;          // [feature_capacity]
    float *values;               // [value_capacity]
    size_t entry_capacity, feature_capacity, value_capacity;
    // [seen_capacity] the last row, counted from 1, with this feature, to find one that occurs
    // twice; 0: none.
    uint32_t *seen;
    size_t seen_capacity;
    uint32_t seen_rows;
    tlu_row view;
};

struct tlu_learner {
    struct learner_state state;
    struct rule rule;           // --learner: the update on an example
    struct automatic automatic; // --learner auto: why it is this one
    struct space space;         // --kernel: how scores are computed
    struct guard guard;
    struct pruning pruning;
    struct solving solving;
    struct label_list labels;
    struct row_entries row;   // of the current call of the API
    tlu_learner_stats counts; // returned by tlu_learner_get_stats
};

// Before the first example: chooses the scheme for several classes and the rate, unless the user
// has. A table of numbers has few features, so one hyperplane per pair of classes fits it better,
// and it needs a higher rate.
tlu_status learner_choose(struct tlu_learner *learner, bool table, tlu_error *error);
tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error);
// Becomes another learner before the first example; the schema and the counts of rows stay.
// `given`: the user's options, or NULL.
tlu_status learner_replace(struct tlu_learner *learner, const char *name, const tlu_options *given,
                           tlu_error *error);
void learner_free_parts(struct tlu_learner *learner);

// Reserves weights for all features of the schema; false: out of memory.
bool learner_reserve(struct tlu_learner *learner);

// ---- learner_options.c ----

// Sets the options for which the learner has its own default, unless the user has set them.
tlu_status learner_apply_defaults(struct tlu_learner *learner, tlu_error *error);
// Clears those that learner_apply_defaults has set. `given`: the user's options, or NULL.
tlu_status learner_drop_defaults(struct tlu_learner *learner, const tlu_options *given,
                                 tlu_error *error);
// Whether the learner that the options name accepts those that are set; the error says which not.
tlu_status learner_accepts(const tlu_options *options, tlu_error *error);
// Whether a learner has an option that only some have.
bool learner_has_option(const char *name, enum option option);
// Checks that the learner accepts the options and that they can be combined.
tlu_status learner_check_options(const struct tlu_learner *learner, tlu_error *error);

// ---- conflicts.c ----

// --stop: whether averages and votes are over exactly --epochs passes.
bool options_count_all_passes(const tlu_options *options);

// Whether all rows of a file must be read before the first update.
bool learner_needs_all_rows(const struct tlu_learner *learner);

// ---- classes.c ----

// Activates classes 0 to `classes` - 1; new classes start with weights 0. After the first example
// it reserves columns for more classes, because others may follow one by one.
tlu_status learner_add_classes(struct tlu_learner *learner, uint32_t classes, tlu_error *error);
// The active classes in the order of their labels, [classes], which is the order in models. The
// caller frees it. NULL: out of memory.
uint32_t *learner_order_classes(const struct tlu_learner *learner);
// Counts a row of a class; false if there is not enough memory.
bool learner_count(struct tlu_learner *learner, uint32_t class_index);
// The same for each label of a set.
bool learner_count_set(struct tlu_learner *learner, const uint32_t *set);
// The positive class of two: the one that --positive names, else the one with the later label.
// SCHEMA_NONE if --positive names neither, or if the second class is not known yet and the first is
// not a number above 0.
uint32_t learner_positive(const struct tlu_learner *learner);
// Reads --class-weight; the labels that it names may still be unknown.
tlu_status learner_check_class_weights(struct tlu_learner *learner, tlu_error *error);
// Checks, when all classes are known, that the labels of --positive and --class-weight exist.
tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error);

// ---- example.c ----

// Learns from one example. A new class is activated; features must be below weights.features.
// *wrong: the prediction before the update was a mistake.
tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error);
// The same for an example. It may replace example->x by the row in the space of the learner.
tlu_status learner_learn_example(struct tlu_learner *learner, struct example *example, bool *wrong,
                                 tlu_error *error);
// The end of learner_learn_example, for an example whose scores are in space.scores.
tlu_status learner_learn_scored(struct tlu_learner *learner, const struct example *example,
                                bool *wrong, tlu_error *error);
// The norm of an example, |x|^2, plus 1 for the bias; 0 if the learner does not use it.
double learner_norm(const struct tlu_learner *learner, const tlu_row *x, uint64_t id);
// As learner_learn_example; computes the norm. `decided`: the row is that of the last
// learner_decide, whose scores are reused.
tlu_status learner_learn_row(struct tlu_learner *learner, struct example *example, bool decided,
                             bool *wrong, tlu_error *error);
// The dual form: sets learner->space.scores of a row, as learner_learn does.
void learner_score_dual(struct tlu_learner *learner, uint64_t id);
// The weights that predict: those in the pocket (--decide best), or the learner's own.
const struct weights *learner_deciding(const struct tlu_learner *learner);
// The class that those weights predict. Sets learner->space.scores, which tell the labels with
// --multilabel; then the class is 0.
uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x);
struct election learner_election(const struct tlu_learner *learner);
// The class that wins with these scores[columns]. Ties are resolved as in a model.
uint32_t learner_elect(const struct tlu_learner *learner, const double *scores);
// --multilabel: whether the score of a label predicts it.
bool learner_gives_label(const struct tlu_learner *learner, uint32_t label, double score);
// --multilabel: for how many labels the scores say rightly whether they are in the set.
uint32_t learner_right_labels(const struct tlu_learner *learner, const double *scores,
                              const uint32_t *set);
// Whether the scores predict this class or, unless it is NULL, this set of labels.
bool learner_is_right(const struct tlu_learner *learner, const double *scores, uint32_t class_index,
                      const uint32_t *set);

// ---- learner_api.c ----

// As tlu_learner_new, but accepts the options of training from a file.
tlu_status learner_new(const tlu_options *options, tlu_learner **learner, tlu_error *error);
// Without --scale, the first row decides whether to scale as --scale recent does. CSV is always
// scaled, text never. LIBSVM, VW's format, JSON lines and named features are scaled unless all
// values are whole numbers up to 255, because these are counts, pixels or flags.
tlu_status learner_choose_scale(struct tlu_learner *learner, const tlu_row *row, tlu_error *error);

// ---- rule.c: the steps of an update ----

// w := w + amount y x
void learner_add(struct tlu_learner *learner, const struct binary_example *example, double amount);
// w := factor w, for all weight vectors of the example's group
void learner_shrink(struct tlu_learner *learner, const struct binary_example *example,
                    double factor, bool with_bias);
// Multiplies the weights by the factors that learner_shrink has deferred.
void learner_settle(struct tlu_learner *learner);
// Computes group_norm, |w|^2, from the weights. In the dual form it does nothing.
void learner_measure(struct tlu_learner *learner, const struct binary_example *example);
// The rate of this update: --rate, or a number drawn from its interval.
double learner_rate(struct tlu_learner *learner);

static inline uint32_t learner_columns(const struct tlu_learner *learner)
{
    return state_columns(&learner->state);
}

#endif
