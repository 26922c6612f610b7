// --multiclass, --multilabel: how an example of one class among many, or of any number of them,
// becomes binary subproblems.
#ifndef TLU_LEARN_SCHEME_H
#define TLU_LEARN_SCHEME_H

#include "base/options.h"
#include "learn/example.h"

struct schema;
struct tlu_learner;

enum scheme_kind { SCHEME_TWO, SCHEME_WTA, SCHEME_OVR, SCHEME_OVO, SCHEME_MULTILABEL };

struct scheme {
    enum scheme_kind wanted; // for three classes or more; with --multilabel for any number
    enum scheme_kind kind;   // in use: SCHEME_TWO while there are at most two classes
    uint32_t classes;        // active ones; the schema may know more from rows that were read ahead
    uint32_t positive;       // the class of y = +1, if there are two
    double *class_weight;    // [classes] --class-weight, times the balancing weight if balanced
    size_t class_weight_capacity;
    double *rest_weight; // --multilabel: [classes] of the rows without the label; 1 unless balanced
    size_t rest_weight_capacity;
    bool balanced;            // --class-weight balanced: the training computes these weights
    double heaviest;          // the largest W of --class-weight, at least 1
    uint64_t *class_examples; // [class_examples_count] number of rows of each class so far; with
                              // --multilabel a row is one of each of its labels
    size_t class_examples_count;
};

// --multilabel: the factor of the weight of a row that has the label, or does not.
static inline double scheme_label_weight(const struct scheme *scheme, uint32_t label, bool has)
{
    return (has ? scheme->class_weight : scheme->rest_weight)[label];
}

uint32_t scheme_columns(enum scheme_kind scheme, uint32_t classes);
uint32_t scheme_groups(enum scheme_kind scheme, uint32_t classes);
// The column that classes i and j share in one versus one; j > i is its positive side.
uint32_t scheme_pair(uint32_t i, uint32_t j);
// The inverse of scheme_pair, with i < j.
void scheme_unpair(uint32_t column, uint32_t *i, uint32_t *j);
// The first scheme in a learner's list "wta ovr ovo", for --multiclass auto.
enum scheme_kind scheme_first(const char *names);

// The number of binary subproblems of an example.
uint32_t scheme_subproblems(const struct scheme *scheme);
// Whether a score of 0 counts as positive: for the class of a column, or the later of a pair.
static inline bool tie_is_positive(int tie)
{
    return tie != TIE_NEGATIVE;
}
// Whether it is a mistake for an example of that side.
static inline bool tie_is_wrong(int tie, bool positive)
{
    return tie == TIE_MISTAKE || tie_is_positive(tie) != positive;
}
// Sets the subproblem of one weight vector, whose score is `score`. y is +1 or -1.
static inline void scheme_set_column(struct binary_example *problem, uint32_t column, double score,
                                     double y, bool tie_is_wrong)
{
    problem->margin = y * score;
    problem->wrong = problem->margin < 0 || (problem->margin == 0 && tie_is_wrong);
    problem->group = column;
    problem->parts = 1;
    problem->part[0].column = column;
    problem->part[0].sign = y;
}
// Sets subproblem `number` of an example of this class, from the scores in learner->space.scores.
// Sets only the fields that differ between the subproblems of a row.
void scheme_subproblem(const struct tlu_learner *learner, uint32_t class_index, uint32_t number,
                       struct binary_example *problem);

// How scores become a class, in training and prediction alike.
struct election {
    enum scheme_kind kind;
    uint32_t classes, positive;
    int tie;                     // TIE_...
    const struct schema *labels; // of a learner, whose classes are in the order of appearance;
                                 // NULL: they are in the order of their labels
};

// One versus one: sets votes[classes] to the number of pairs that each class has won.
void scheme_votes(const struct election *election, const double *scores, double *votes);
// The class that wins with these scores. Equal scores: with two classes and in each pair of one
// versus one, 0 is for the negative class, the one with the earlier label, if --tie is negative,
// and else for the positive one; otherwise the first label wins, or the last if --tie is positive.
// *ambiguous, for several classes: some have equal scores or votes and one of them wins; in one
// versus the rest, no score or several are above 0. `ambiguous` may be NULL.
uint32_t scheme_elect(const struct election *election, const double *scores, bool *ambiguous);

#endif
