#include "mlp/work.h"

#include "base/memory.h"

#include <string.h>

// ---- memory ----

static bool reserve_learning(struct net_scratch *scratch, const struct net *net, size_t rows)
{
    bool fine = (scratch->ones = memory_new(rows, sizeof(float)));
    for (size_t r = 0; fine && r < rows; r++)
        scratch->ones[r] = 1;
    for (size_t l = 0; fine && l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        scratch->d[l] = memory_new(rows, layer->wide * sizeof(float));
        if (l > 0)
            scratch->back[l] = memory_new(layer->units, net->layers[l - 1].wide * sizeof(float));
        fine = scratch->d[l] && (scratch->back[l] || l == 0);
    }
    return fine;
}

bool net_scratch_reserve(struct net_scratch *scratch, const struct net *net, size_t rows,
                         bool learning)
{
    if (!scratch->routines)
        scratch->routines = layer_best();
    if (rows <= scratch->rows)
        return true;
    for (size_t l = 0; l < net->shape.depth; l++) {
        memory_free(scratch->a[l]);
        scratch->a[l] = memory_new(rows, net->layers[l].wide * sizeof(float));
        if (!scratch->a[l])
            return false;
    }
    if (learning && !reserve_learning(scratch, net, rows))
        return false;
    scratch->rows = rows;
    return true;
}

void net_scratch_free(struct net_scratch *scratch)
{
    for (size_t l = 0; l < NET_LAYERS; l++) {
        memory_free(scratch->a[l]);
        memory_free(scratch->d[l]);
        memory_free(scratch->back[l]);
        memory_free(scratch->gradient[l]);
    }
    memory_free(scratch->ones);
    *scratch = (struct net_scratch){0};
}

// ---- forwards ----

static void multiply(const struct net_scratch *scratch, const struct product *product)
{
    (scratch->blas ? blas_product : scratch->routines->product)(product);
}

void net_forward_layer(const struct net *net, const struct minibatch *batch,
                       struct net_scratch *scratch, size_t l, size_t first, size_t last)
{
    const struct layer *layer = &net->layers[l];
    struct product product = {.a = l ? scratch->a[l - 1] : batch->dense,
                              .a_row = l ? net->layers[l - 1].wide : batch->inputs,
                              .a_term = 1,
                              .terms = layer->inputs,
                              .b = layer->w,
                              .wide = layer->wide,
                              .start = layer_bias(layer),
                              .out = scratch->a[l],
                              .first = first,
                              .last = last};
    struct sparse rows = {batch->offsets, batch->by_row.index, batch->by_row.value};
    if (l > 0 || batch->is_dense)
        multiply(scratch, &product);
    else
        scratch->routines->gather(&rows, first, last, layer->w, layer->wide, product.start,
                                  product.out);
    if (l + 1 < net->shape.depth)
        scratch->routines->activate(net->shape.activation, scratch->a[l] + first * layer->wide,
                                    (last - first) * layer->wide);
}

void net_forward(const struct net *net, const struct minibatch *batch, struct net_scratch *scratch,
                 size_t first, size_t last)
{
    for (size_t l = 0; l < net->shape.depth; l++)
        net_forward_layer(net, batch, scratch, l, first, last);
}

// ---- backwards ----

void net_turn_round(const struct net *net, struct net_scratch *scratch)
{
    for (size_t l = 1; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        size_t wide = net->layers[l - 1].wide;
        for (size_t i = 0; i < layer->inputs; i++)
            for (size_t j = 0; j < layer->units; j++)
                scratch->back[l][j * wide + i] = layer->w[i * layer->wide + j];
    }
}

void net_backward(const struct net *net, struct net_scratch *scratch, size_t first, size_t last)
{
    for (size_t l = net->shape.depth - 1; l > 0; l--) {
        const struct layer *layer = &net->layers[l], *before = &net->layers[l - 1];
        struct product product = {.a = scratch->d[l],
                                  .a_row = layer->wide,
                                  .a_term = 1,
                                  .terms = layer->units,
                                  .b = scratch->back[l],
                                  .wide = before->wide,
                                  .out = scratch->d[l - 1],
                                  .first = first,
                                  .last = last};
        multiply(scratch, &product);
        scratch->routines->derive(net->shape.activation, scratch->a[l - 1] + first * before->wide,
                                  scratch->d[l - 1] + first * before->wide,
                                  (last - first) * before->wide);
    }
}
