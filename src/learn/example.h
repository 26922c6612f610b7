// An example is a row with its class, or with its set of labels. A binary example is what a
// learner's rule gets: the example as one binary subproblem.
#ifndef TLU_LEARN_EXAMPLE_H
#define TLU_LEARN_EXAMPLE_H

#include "tlu.h"

#include <stdbool.h>

struct example {
    tlu_row x;
    uint64_t id; // number of the row in the data
    uint32_t class_index;
    double weight; // of the row; the default is 1
    double norm;   // see learner_norm
    // --multilabel: the number of labels, and the labels, ascending; else NULL. class_index is the
    // last of them, or TLU_NO_LABEL.
    const uint32_t *set;
};

static inline void example_take_set(struct example *example, const uint32_t *set)
{
    example->set = set;
    example->class_index = set[0] ? set[set[0]] : TLU_NO_LABEL;
}

struct binary_example {
    const tlu_row *x;
    uint64_t id;    // number of the row in the data
    double margin;  // y (w . x); above 0 if the prediction is right
    double norm;    // |y x|^2 in the space of all weights; the bias counts as a feature of value 1
    bool wrong;     // the prediction is a mistake; --tie decides about margin 0
    double weight;  // weight of the row times weight of its class
    uint32_t group; // number of the subproblem; 0 with winner-takes-all
    // The step w := w + y x, with w all weight vectors: part i adds sign * x to one column.
    size_t parts;
    struct {
        uint32_t column;
        double sign;
    } part[2];
};

#endif
