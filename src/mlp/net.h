// A net of layers. Layer l takes the outputs of the layer before it, or the row:
//
//     z = a W + b      one column of W and one bias for each unit
//     a' = f(z)        but for the last layer, whose z are the scores
//
// All numbers are floats, as the values of rows are: half the memory of doubles, twice the speed.
#ifndef TLU_MLP_NET_H
#define TLU_MLP_NET_H

#include "base/error.h"
#include "mlp/simd.h"

#include <stdbool.h>

#define NET_LAYERS 9        // at most: eight hidden ones and that of the outputs
#define NET_UNITS (1 << 20) // at most, of a layer

// Its weights, and what the optimiser keeps of each (optimise.c): [inputs + 1][wide], the last row
// being the biases.
struct layer {
    size_t inputs, units;
    size_t wide; // units, up to the next multiple of LAYER_LANES; what is past the units is 0
    float *w;
    float *m, *v; // m: momentum, or Adam's first moments; v: Adam's second, else NULL
};

// What is the same for all layers.
struct net_shape {
    size_t depth;                 // layers
    size_t sizes[NET_LAYERS + 1]; // [depth + 1] inputs, units of each layer
    enum activation activation;
    bool bias;
    bool adam;
};

struct net {
    struct net_shape shape;
    struct layer layers[NET_LAYERS];
    uint64_t steps;  // of the optimiser
    uint64_t unsure; // rows of this pass, the last if it is over, that the net was not sure about
};

// Reads "300,100" and puts the sizes of the hidden layers into the shape, whose first and last are
// for the caller.
tlu_status net_parse_hidden(struct net_shape *shape, const char *text, tlu_error *error);

// All zero. NULL: out of memory.
struct net *net_new(const struct net_shape *shape);
void net_free(struct net *net);              // NULL is fine
struct net *net_copy(const struct net *net); // NULL: out of memory
// A copy whose output c is output columns[c] of the net.
struct net *net_copy_ordered(const struct net *net, const uint32_t *columns);
// Random weights by this seed. An input that is not `used` keeps weights of 0.
void net_start(struct net *net, uint64_t seed, const bool *used);
bool net_same_shape(const struct net_shape *a, const struct net_shape *b);
// Whether all weights are numbers.
bool net_is_finite(const struct net *net);
// The number of weights, biases included.
uint64_t net_weights(const struct net_shape *shape);

static inline size_t layer_cells(const struct layer *layer)
{
    return (layer->inputs + 1) * layer->wide;
}

static inline float *layer_bias(const struct layer *layer)
{
    return layer->w + layer->inputs * layer->wide;
}

#endif
