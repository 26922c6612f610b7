// A trained model as a network of threshold units with whole weights.
//
// The features of the model are 0 or 1. Its weights, times a scale, are rounded to whole numbers;
// the biases, times the same scale, become thresholds, which are rounded up: a sum of whole numbers
// reaches -b if and only if it reaches the next whole number. Of two classes the positive one is
// one unit. Of several, units compare classes two by two, and one unit per class says whether it
// has won.
#ifndef TLU_LOGIC_NETWORK_FROM_MODEL_H
#define TLU_LOGIC_NETWORK_FROM_MODEL_H

#include "logic/network/network.h"
#include "model/model.h"
#include "tlu_logic.h"

#define BITS_MIN 2
#define BITS_MAX 40
#define LINKS_MAX 20000000 // of all comparisons of classes

// The weight vectors of the model, one per column of its scheme.
struct model_planes {
    const tlu_model *model;
    const double *w;    // [features][columns]
    const double *bias; // [columns]
    double moved;       // what bias points to if the model has a threshold
    size_t features, columns;
    uint32_t classes, positive;
    enum scheme_kind scheme;
    double largest; // weight of a unit before it is scaled
};

tlu_status planes_of(const tlu_model *model, struct model_planes *planes, tlu_error *error);

// Rows to check with: the features that are 1, and what the model says.
struct binary_rows {
    size_t count;
    size_t *end;        // [count] of its features
    uint32_t *features; // [end of the last]
    uint32_t *said;     // [count] classes
    size_t end_capacity, features_capacity, said_capacity;
};

// Refuses rows with values other than 0 and 1.
tlu_status binary_rows_read(struct binary_rows *rows, const tlu_model *model, const char *path,
                            const tlu_options *options, tlu_error *error);
void binary_rows_free(struct binary_rows *rows);

// Whole weights, and how good they are.
struct rounded {
    double scale;
    int64_t *w;           // [features][columns]
    int64_t *threshold;   // two classes: [1]; one versus one: [columns]; else unused
    uint64_t differences; // rows about which the model says something else
    bool exact;           // no weight was rounded
};

// The rounding with the fewest differences; with `bits` of 0 the least number of bits without any,
// or, if there are no rows, the weights exactly.
tlu_status planes_round(const struct model_planes *planes, const struct binary_rows *rows,
                        unsigned bits, struct rounded *best, tlu_error *error);
void rounded_free(struct rounded *rounded);
// What has to be reached for class j to be at least as good as class k, by their biases.
int64_t bias_threshold(double scale, double bias_j, double bias_k);

tlu_status planes_network(const struct model_planes *planes, const struct rounded *rounded,
                          struct tlu_network **network, tlu_error *error);

// How many of the rows the network says something else about than the model.
tlu_status count_differences(const struct model_planes *planes, const struct tlu_network *network,
                             const struct binary_rows *rows, uint64_t *differences,
                             tlu_error *error);

#endif
