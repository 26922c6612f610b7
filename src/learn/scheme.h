// The fourth choice, --multiclass: how an example of one class among many becomes binary
// subproblems.
#ifndef TLU_LEARN_SCHEME_H
#define TLU_LEARN_SCHEME_H

#include "base/options.h"
#include "learn/example.h"

struct tlu_learner;

enum scheme_kind { SCHEME_TWO, SCHEME_WTA, SCHEME_OVR, SCHEME_OVO };

struct scheme {
    enum scheme_kind wanted, kind; // the kind in use is SCHEME_TWO up to two classes
    uint32_t classes;              // in play: the schema may have met more in rows still to come
    uint32_t positive;             // of two classes the one that y = +1 stands for
    double *class_weight; // [classes] as --class-weight says; balanced: times that of balance
    size_t class_weight_capacity;
    bool balanced;            // --class-weight balanced: the training multiplies class_weight
    double heaviest;          // the largest W of --class-weight, at least 1
    uint64_t *class_examples; // [class_examples_count] rows met of each class
    size_t class_examples_count;
};

uint32_t scheme_columns(enum scheme_kind scheme, uint32_t classes);
uint32_t scheme_groups(enum scheme_kind scheme, uint32_t classes);
// The column that classes i and j share in one versus one; j > i is its positive side.
uint32_t scheme_pair(uint32_t i, uint32_t j);
void scheme_unpair(uint32_t column, uint32_t *i, uint32_t *j); // and back: i < j
// The first of a learner's "wta ovr ovo", for --multiclass auto.
enum scheme_kind scheme_first(const char *names);

// The number of binary subproblems of an example.
uint32_t scheme_subproblems(const struct scheme *scheme);
// The subproblem of one weight vector with this score: is y +1 or -1? `tie` is TIE_...
static inline void scheme_set_column(struct binary_example *problem, uint32_t column, double score,
                                     double y, int tie)
{
    problem->margin = y * score;
    bool tie_is_wrong = tie == TIE_MISTAKE || tie == (y < 0 ? TIE_POSITIVE : TIE_NEGATIVE);
    problem->wrong = problem->margin < 0 || (problem->margin == 0 && tie_is_wrong);
    problem->group = column;
    problem->parts = 1;
    problem->part[0].column = column;
    problem->part[0].sign = y;
}
// Subproblem `number` of an example of a class, from the scores of its row. Sets the fields that
// differ between the subproblems of a row.
void scheme_subproblem(const struct tlu_learner *learner, uint32_t class_index, uint32_t number,
                       struct binary_example *problem);
// One versus one: how many of its pairs each class has won, votes[classes].
void scheme_votes(const double *scores, uint32_t classes, double *votes);
// The class that the scores elect, and whether it was ambiguous: one versus rest with none or
// several above 0, one versus one with several first in votes. `ambiguous` may be NULL.
uint32_t scheme_elect(enum scheme_kind scheme, const double *scores, uint32_t classes,
                      uint32_t positive, bool *ambiguous);

#endif
