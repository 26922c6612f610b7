// What goes through a net: forwards from rows to scores, backwards from the slopes of the scores to
// those of all units, and the optimiser's step.
#ifndef TLU_MLP_WORK_H
#define TLU_MLP_WORK_H

#include "mlp/minibatch.h"
#include "mlp/net.h"

// Memory for that, for some rows at a time; all zero at the start. Of one thread, but for the
// functions that are about some of the rows or shares.
struct net_scratch {
    size_t rows; // that there is scratch for
    const struct layer_routines *routines;
    bool blas;            // products of matrices by OpenBLAS
    float *a[NET_LAYERS]; // [rows][wide] what each layer has put out
    // For learning alone.
    float *d[NET_LAYERS]; // [rows][wide] the slope of the loss for each z
    float
        *back[NET_LAYERS]; // [units][wide of the inputs] from layer 1 on: the weights turned round
    float *gradient[NET_LAYERS]; // [inputs, or those that the minibatch has, and the bias][wide]
    size_t gradient_capacity[NET_LAYERS];
    float *ones; // [rows]
};

// Reserves memory for so many rows, and for learning if wanted; false: out of memory.
// net_scratch_free frees it.
bool net_scratch_reserve(struct net_scratch *scratch, const struct net *net, size_t rows,
                         bool learning);
void net_scratch_free(struct net_scratch *scratch);

// Rows first to last - 1 of a minibatch: fills a, for one layer or for all. The last layer's are
// the scores.
void net_forward_layer(const struct net *net, const struct minibatch *batch,
                       struct net_scratch *scratch, size_t l, size_t first, size_t last);
void net_forward(const struct net *net, const struct minibatch *batch, struct net_scratch *scratch,
                 size_t first, size_t last);
// Before net_backward: the weights as they are now.
void net_turn_round(const struct net *net, struct net_scratch *scratch);
// From d of the last layer to that of all others, for the same rows.
void net_backward(const struct net *net, struct net_scratch *scratch, size_t first, size_t last);

static inline const float *net_outputs(const struct net *net, const struct net_scratch *scratch)
{
    return scratch->a[net->shape.depth - 1];
}

// ---- optimise.c ----

#define OPTIMISE_SHARES 64

// The step for a net that has made so many steps before it.
struct optimiser_step optimise_plan(const struct net *net, double rate, double momentum, double l2);
// Reserves memory for the gradients of this minibatch, and with OpenBLAS the gradients; false: out
// of memory.
bool optimise_begin(const struct net *net, const struct minibatch *batch,
                    struct net_scratch *scratch);
// Shares first to last - 1 of OPTIMISE_SHARES: the gradient of each weight, from d, and its step.
// Weights of inputs that no row of the minibatch has stay as they are.
void optimise_shares(struct net *net, const struct minibatch *batch,
                     const struct net_scratch *scratch, const struct optimiser_step *step,
                     size_t first, size_t last);

// ---- blas.c ----

tlu_status blas_check(tlu_error *error); // whether OpenBLAS is there
bool blas_fits(size_t threads);          // whether there is memory for it to run in so many
void blas_product(const struct product *product);
// Sets how many threads OpenBLAS uses from now on, in the whole program; returns how many it did.
int blas_set_threads(int threads);

#endif
