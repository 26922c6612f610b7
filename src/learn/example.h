// An example as it comes, and one question with two answers about it, as a learner sees it.
#ifndef TLU_LEARN_EXAMPLE_H
#define TLU_LEARN_EXAMPLE_H

#include "tlu.h"

#include <stdbool.h>

struct example {
    tlu_row x;
    uint64_t id; // number of the row in the data
    uint32_t class_index;
    double weight; // how much the row counts; 1 is usual
    double norm;   // learner_norm of x, if the learner is of LEARNER_NORM
};

struct binary_example {
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

#endif
