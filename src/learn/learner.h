// A learner at work: what all learners share. What is special to one is in its own file.
//
// A scheme (scheme.c) turns an example of one class among many into one or more questions with two
// answers, in the form that the notes write as y (w . x): how far the weights are on the right
// side, and along which weight vectors to step. A decision (decision.c) turns the sequence of
// weight vectors into one classifier. A learner knows neither.
#ifndef TLU_LEARN_LEARNER_H
#define TLU_LEARN_LEARNER_H

#include "base/options.h"
#include "base/random.h"
#include "data/schema.h"
#include "space/kernel.h"
#include "space/weights.h"

struct adapt;
struct batch;
struct dual;
struct solution;
struct pocket;
struct history;

// One question, as a learner sees it.
struct example {
    const tlu_row *x;
    uint64_t id;    // number of the row in the data
    double margin;  // y (w . x): above 0 the weights are right about it
    double norm;    // |y x|^2 in the space of all weights, the bias's 1 included
    bool wrong;     // a mistake, with ties as --tie says
    double weight;  // how much the example counts; 1 is usual
    uint32_t group; // which of the independent problems of the scheme it belongs to
    // "w := w + y x" over all weight vectors: each part adds sign * x to one column.
    size_t parts;
    struct {
        uint32_t column;
        double sign;
    } part[2];
};

enum learner_traits {
    LEARNER_NORM = 1,  // looks at example.norm
    LEARNER_SCALE = 2, // shrinks the weights
    LEARNER_STATE = 4, // keeps a number for each weight, from state_start on
    LEARNER_WHOLE = 8, // does not learn row by row but from all of them: solve()
    LEARNER_TIES = 16  // winner takes all: where nobody won, only the right class steps
};

struct learner_kind {
    tlu_learner_info info;
    unsigned traits;
    double state_start;
    double table_rate;     // the default of --rate for a table of numbers; 0: as for other data
    uint64_t table_passes; // likewise of --epochs, for one with several classes
    // Reads what the learner needs from its options; NULL: nothing.
    tlu_status (*prepare)(struct tlu_learner *learner, tlu_error *error);
    // Updates the weights where the example asks for it; tells whether it did.
    bool (*update)(struct tlu_learner *learner, const struct example *example);
    // LEARNER_WHOLE: sets the weights from all rows; see whole.h.
    tlu_status (*solve)(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, tlu_error *error);
};

// In the order of the choices of --learner; NULL past the end.
const struct learner_kind *learner_kind_at(size_t index);

enum scheme { SCHEME_TWO, SCHEME_WTA, SCHEME_OVR, SCHEME_OVO };

// Scaling that adapts (online_scale.h).
struct online_scale {
    bool on;
    bool recent;              // --scale recent
    bool open;                // nobody has said how to scale: the first example decides
    struct scale_unit *units; // [capacity] of the features
    size_t capacity;
    float *room; // [room_capacity] values of a scaled row
    size_t room_capacity;
};

// A bound on the weights (guard.h): |w| <= reach * the largest value there is, states <= states.
struct guard {
    double reach, states;
    double least;       // --scale online: the smallest value by which a feature was divided
    double scope, most; // what reach is multiplied with, and then is at most (guard_set)
    double work;        // of rows that were looked at since the bound was measured
};

// --max-features: memory that is kept from one time to the next (prune.h).
struct prune_room {
    bool *gone; // [gone_capacity] by name
    size_t gone_capacity;
    struct weak *weak; // [weak_capacity] those that go
    size_t weak_capacity;
};

struct tlu_learner {
    const struct learner_kind *kind;
    tlu_options *options;
    int decide; // DECIDE_...
    double rate, rate_high;
    bool rate_given, epochs_given; // by the user
    bool bias;
    int tie;                             // TIE_...
    double margin, C, r, phi, alpha, l2; // phi: scw's quantile of --confidence
    bool precision;                      // --diagonal precision
    int schedule;                        // SCHEDULE_...

    struct schema schema;
    struct weights weights;
    struct online_scale online; // --scale online; in streams also maxabs and recent
    struct random random;

    enum scheme wanted, scheme; // the scheme is SCHEME_TWO up to two classes
    uint32_t classes;           // in play: the schema may have met more in rows still to come
    uint32_t plus;              // of two classes the one that y = +1 stands for
    double *class_weight;       // [classes] as --class-weight says; balanced: times that of balance
    size_t class_weight_capacity;
    uint64_t *class_examples; // [class_examples_count] rows met of each class
    size_t class_examples_count;
    double *scores, *scratch; // [columns]
    double *current;          // [columns] w . x + bias of the row that was decided last
    uint32_t current_classes; // in play then
    bool balanced;            // --class-weight balanced: the training multiplies class_weight
    double heaviest;          // the largest W of --class-weight, at least 1

    double *group_norm;          // [columns] |w|^2 of a group, kept by learners that need it
    uint64_t *group_updates;     // [columns] updates of a group
    struct adapt *adapt;         // --decide adaptive
    struct pocket *pocket;       // --decide best
    struct history *history;     // --decide vote, random
    struct kernel kernel;        // --kernel
    struct dual *dual;           // the same: made once the rows are there
    struct solution *solution;   // of max-margin (whole.h); else NULL
    bool (*stop)(void *context); // LEARNER_WHOLE: whether to end early; NULL: never
    void *stop_context;
    uint32_t planes; // max-margin: columns solved so far
    double gap;      // the same: of the one at hand

    struct guard guard;
    uint64_t examples, mistakes, updates;
    size_t max_features; // --max-features: names at most; 0: any number
    uint64_t forgotten;  // names, for that
    struct prune_room prune_room;
};

// Decides what was left to the data, before the first example: the scheme for several classes, and
// the rate. A table of numbers has few features for many planes: one for each pair of classes fits
// it better, and it takes longer steps.
tlu_status learner_choose(struct tlu_learner *learner, bool table, tlu_error *error);
tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error);
void learner_free_parts(struct tlu_learner *learner);

// ---- learner_options.c ----

// Sets what the learner's own defaults say and the user did not.
tlu_status learner_apply_defaults(struct tlu_learner *learner, tlu_error *error);
// Whether the options are such as the learner has, and go together.
tlu_status learner_check_options(const struct tlu_learner *learner, tlu_error *error);

// ---- learner.c ----

// Brings classes 0 to `classes` - 1 into play; those that come later have weights 0. Before the
// first example it makes room for just these, later on for some more: others may follow one by one.
tlu_status learner_play(struct tlu_learner *learner, uint32_t classes, tlu_error *error);
// Room for the weights of all features of the schema; false where memory is out.
bool learner_reserve(struct tlu_learner *learner);
// Counts a row of a class; false where memory is out.
bool learner_count(struct tlu_learner *learner, uint32_t class_index);
// One example of a class, which comes into play where it is new. The row's features must be below
// weights.features.
tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error);
// The same for the row that was decided last, if nothing but its class came into play since: what
// the weights say about it is known.
tlu_status learner_learn_decided(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                                 uint32_t class_index, double weight, bool *wrong,
                                 tlu_error *error);
// The dual form: learner->scores of a row, as learner_learn finds them.
void learner_score_dual(struct tlu_learner *learner, uint64_t id);
// The class that the decision's weights predict; scores are in learner->scores.
uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x);
// The class that scores[columns] elect, as a model would have it.
uint32_t learner_elect(const struct tlu_learner *learner, const double *scores);

// ---- for learners: the steps ----

// w := w + amount y x
void learner_add(struct tlu_learner *learner, const struct example *example, double amount);
// w := factor w, for the weight vectors that the example is about (all of its group)
void learner_shrink(struct tlu_learner *learner, const struct example *example, double factor,
                    bool with_bias);
// Multiplies out what learner_shrink has put off.
void learner_settle(struct tlu_learner *learner);
// Sets group_norm to |w|^2 as it is; in the dual it stays as it was.
void learner_measure(struct tlu_learner *learner, const struct example *example);
// A rate for this update: --rate, or drawn from its interval.
double learner_rate(struct tlu_learner *learner);

// Of two classes, the positive one: that of --positive, else the later label. SCHEMA_NONE where
// --positive names neither of them, or the second is still to come.
uint32_t learner_positive(const struct tlu_learner *learner);
// Whether what --positive and --class-weight name is there, once all classes are known.
tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error);

// ---- scheme.c ----

uint32_t scheme_columns(enum scheme scheme, uint32_t classes);
// The columns in use.
static inline uint32_t learner_columns(const struct tlu_learner *learner)
{
    return scheme_columns(learner->scheme, learner->classes);
}
uint32_t scheme_groups(enum scheme scheme, uint32_t classes);
// The column that classes i and j share in one versus one; j > i is its positive side.
uint32_t scheme_pair(uint32_t i, uint32_t j);
void scheme_unpair(uint32_t column, uint32_t *i, uint32_t *j); // and back: i < j
// From learner->scores to questions: calls `ask` for each, which updates. Tells whether one was
// wrong.
bool scheme_ask(struct tlu_learner *learner, const tlu_row *x, uint64_t id, uint32_t class_index,
                double weight, void (*ask)(struct tlu_learner *learner, struct example *example));
// The class that the scores elect, and whether it was ambiguous: one versus rest with none or
// several above 0, one versus one with several first in votes. `ambiguous` may be NULL.
uint32_t scheme_elect(enum scheme scheme, const double *scores, uint32_t classes, uint32_t plus,
                      bool *ambiguous);

#endif
