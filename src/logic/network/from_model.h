// A trained model as a network of threshold units with integer weights.
//
// The features of the model are 0 or 1. Its weights, times a scale, are rounded to integers; the
// biases, times the same scale, become thresholds and are rounded up, because an integer sum
// reaches -b if and only if it reaches the next integer. Two classes become one unit, which fires
// for the positive class. With more classes, units compare each two classes, and one unit per class
// fires if it has won.
#ifndef TLU_LOGIC_NETWORK_FROM_MODEL_H
#define TLU_LOGIC_NETWORK_FROM_MODEL_H

#include "logic/network/network.h"
#include "model/model.h"

#define BITS_MIN 2
#define BITS_MAX 40
#define LINKS_MAX 20000000 // in all comparisons of classes

// The weight vectors of the model, one per column of its scheme.
struct model_planes {
    const tlu_model *model;
    const double *w;    // [features][columns]
    const double *bias; // [columns]
    double moved;       // the shifted bias, if the model has a threshold
    size_t features, columns;
    uint32_t classes, positive;
    enum scheme_kind scheme;
    double largest; // largest weight of a unit before scaling
};

// Rows for the check: the features that are 1, and the prediction of the model.
struct binary_rows {
    size_t count;
    size_t *end;        // [count] of its features
    uint32_t *features; // [end of the last]
    uint32_t *said;     // [count] classes
    size_t end_capacity, features_capacity, said_capacity;
};

// Integer weights, and how well they agree with the model.
struct rounded {
    double scale;
    int64_t *w;           // [features][columns]
    int64_t *threshold;   // two classes: [1]; one versus one: [columns]; else unused
    uint64_t differences; // rows with another prediction than the model's
    bool exact;           // no weight was rounded
};

// Finds the rounding with the fewest differences. With 0 bits: the fewest bits without differences
// or, without rows, the exact weights.
tlu_status planes_round(const struct model_planes *planes, const struct binary_rows *rows,
                        unsigned bits, struct rounded *best, tlu_error *error);
void rounded_free(struct rounded *rounded);
// The threshold for class j to score at least as high as class k, from their biases.
int64_t bias_threshold(double scale, double bias_j, double bias_k);

#endif
