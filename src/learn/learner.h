// A learner at work: what all learners share. What is special to one is in its own file.
//
// A scheme (scheme.c) turns an example of one class among many into the form that the notes write
// as y (w . x): how far the weights are on the right side, and along which weight vectors to step.
#ifndef TLU_LEARN_LEARNER_H
#define TLU_LEARN_LEARNER_H

#include "base/options.h"
#include "base/random.h"
#include "data/schema.h"
#include "learn/weights.h"

// One example, as a learner sees it.
struct example {
    const tlu_row *x;
    double margin; // y (w . x): above 0 the weights are right about it
    bool wrong;    // a mistake, with ties as --tie says
    double weight; // how much the example counts; 1 is usual
    // "w := w + y x" over all weight vectors: each part adds sign * x to one column.
    size_t parts;
    struct {
        uint32_t column;
        double sign;
    } part[2];
};

struct learner_kind {
    tlu_learner_info info;
    // Updates the weights where the example asks for it; tells whether it did.
    bool (*update)(struct tlu_learner *learner, const struct example *example);
};

extern const struct learner_kind learner_perceptron;

// In the order of the choices of --learner; NULL past the end.
const struct learner_kind *learner_kind_at(size_t index);

struct tlu_learner {
    const struct learner_kind *kind;
    tlu_options *options;
    double rate;
    bool bias;
    int tie; // TIE_...

    struct schema schema;
    struct weights weights;
    struct random random;

    uint32_t classes;     // in play: the schema may have met more in rows still to come
    uint32_t plus;        // of two classes the one that y = +1 stands for
    double *class_weight; // [classes]
    size_t class_weight_capacity;
    uint64_t *class_examples; // [class_examples_count] rows met of each class
    size_t class_examples_count;
    double *scores, *scratch; // [columns]
    bool balanced;            // class weights are set from outside

    uint64_t examples, mistakes, updates;
};

tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error);
void learner_free_parts(struct tlu_learner *learner);

// Brings classes 0 to `classes` - 1 into play; those that come later have weights 0.
tlu_status learner_play(struct tlu_learner *learner, uint32_t classes, tlu_error *error);
// Counts a row of a class; false where memory is out.
bool learner_count(struct tlu_learner *learner, uint32_t class_index);
// One example of a class, which comes into play where it is new. The row's features must be below
// weights.features.
tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint32_t class_index,
                         double weight, bool *wrong, tlu_error *error);
// The class that the decision's weights predict; scores are in learner->scores.
uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x);

// For learners: w := w + amount y x.
void learner_add(struct tlu_learner *learner, const struct example *example, double amount);

// Of two classes, the positive one: that of --positive, else the later label. SCHEMA_NONE where
// --positive names neither of them, or the second is still to come.
uint32_t learner_positive(const struct tlu_learner *learner);
// Whether what --positive and --class-weight name is there, once all classes are known.
tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error);

// ---- scheme.c ----

// Scores the row and describes it as an example of the class.
void scheme_present(struct tlu_learner *learner, const tlu_row *x, uint32_t class_index,
                    struct example *example);
// Class of the highest score; of two, the positive one from 0 on.
uint32_t scheme_winner(const double *scores, uint32_t columns, uint32_t plus);

#endif
