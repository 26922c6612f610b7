// An example is a row with its class; a binary example is what the rule of a learner sees of it.
#ifndef TLU_LEARN_EXAMPLE_H
#define TLU_LEARN_EXAMPLE_H

#include "tlu.h"

#include <stdbool.h>

struct example {
    tlu_row x;
    uint64_t id; // number of the row in the data
    uint32_t class_index;
    double weight; // of the row; 1 is usual
    double norm;   // learner_norm
};

struct binary_example {
    const tlu_row *x;
    uint64_t id;    // number of the row in the data
    double margin;  // y (w . x): the prediction is right if it is above 0
    double norm;    // |y x|^2 in the space of all weights, the bias's 1 included
    bool wrong;     // a mistake, with ties as --tie says
    double weight;  // of the row times that of its class
    uint32_t group; // number of the subproblem; 0 with winner-takes-all
    // "w := w + y x" over all weight vectors: each part adds sign * x to one column.
    size_t parts;
    struct {
        uint32_t column;
        double sign;
    } part[2];
};

#endif
