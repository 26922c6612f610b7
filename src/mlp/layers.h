// A net that learns, with what it takes: which feature is which input, the rows at work, memory.
#ifndef TLU_MLP_LAYERS_H
#define TLU_MLP_LAYERS_H

#include "data/batch.h"
#include "data/schema.h"
#include "mlp/work.h"

struct layers {
    struct net *net; // not freed with the layers: it belongs to the state of the learner
    uint32_t *place; // [features] of the run: the input, from 1; 0: none
    size_t features;
    struct minibatch batch;
    struct net_scratch scratch;
    float *own;        // [batch_rows] the probability that the net gave the class of a row
    size_t batch_rows; // --batch
    size_t threads;
    bool wants_blas;  // it is large enough
    int blas_threads; // of OpenBLAS before; with scratch.blas
};

enum layers_blas { LAYERS_BLAS_AUTO, LAYERS_BLAS_NO, LAYERS_BLAS_YES }; // as --blas has it

struct layers_plan {
    struct net_shape shape; // but for the inputs
    size_t batch_rows, threads;
    uint64_t seed;
    enum layers_blas blas; // AUTO: if it is there and the net is large
};

// With random weights, for the features of these rows. Rows without a label are not learned from:
// what they alone have gets weights of 0.
tlu_status layers_new(struct layers **layers, const struct layers_plan *plan,
                      const struct schema *schema, struct batch *const *batches, size_t batch_count,
                      tlu_error *error);
void layers_free(struct layers *layers); // NULL is fine
// Whether the feature of this number is an input.
static inline bool layers_use(const struct layers *layers, size_t feature)
{
    return feature < layers->features && layers->place[feature];
}
// The scores of the rows of the minibatch, in layers->scratch.
void layers_score(struct layers *layers);

#endif
