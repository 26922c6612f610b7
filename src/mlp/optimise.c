// The optimiser: from the slopes of all units to a step of all weights. Let g be the slope of a
// weight w, averaged over the rows of the minibatch, plus l2 w if it is no bias.
//
//     momentum  m := momentum m - rate g          w := w + m
//     Adam      m := 0.9 m + 0.1 g                v := 0.999 v + 0.001 g^2
//               w := w - rate' m / (sqrt(v) + 1e-8)
//               rate' = rate sqrt(1 - 0.999^t) / (1 - 0.9^t)     at step t = 1, 2, 3...
//
// (Rumelhart, Hinton and Williams 1986; Kingma and Ba 2015.) The weights of an input that no row
// of the minibatch has stay as they are, and so do their m and v: of data with many features a
// step costs what the rows have, not what the net has.
#include "mlp/work.h"

#include "base/memory.h"

#include <math.h>

#define BLOCK 16 // inputs whose gradients are still near when the step is made

// base^exponent by squares, as every machine does it.
static double power_of(double base, uint64_t exponent)
{
    double power = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            power *= base;
    return power;
}

struct optimiser_step optimise_plan(const struct net *net, double rate, double momentum, double l2)
{
    double decay1 = 0.9, decay2 = 0.999;
    if (net->shape.adam)
        rate *= sqrt(1 - power_of(decay2, net->steps + 1)) / (1 - power_of(decay1, net->steps + 1));
    return (struct optimiser_step){.rate = (float)rate,
                                   .l2 = (float)l2,
                                   .momentum = (float)momentum,
                                   .decay1 = (float)decay1,
                                   .decay2 = (float)decay2,
                                   .epsilon = 1e-8f};
}

// The gradient of layer l is a' d, with a what the layer was given.
static struct product gradient_of(const struct net *net, const struct minibatch *batch,
                                  const struct net_scratch *scratch, size_t l)
{
    return (struct product){.a = l ? scratch->a[l - 1] : batch->dense,
                            .a_row = 1,
                            .a_term = l ? net->layers[l - 1].wide : batch->inputs,
                            .terms = batch->rows,
                            .b = scratch->d[l],
                            .wide = net->layers[l].wide,
                            .out = scratch->gradient[l],
                            .last = net->layers[l].inputs};
}

static bool is_sparse(const struct minibatch *batch, size_t l)
{
    return l == 0 && !batch->is_dense;
}

bool optimise_begin(const struct net *net, const struct minibatch *batch,
                    struct net_scratch *scratch)
{
    for (size_t l = 0; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        size_t inputs = is_sparse(batch, l) ? batch->met_count : layer->inputs;
        if (!memory_reserve(&scratch->gradient[l], &scratch->gradient_capacity[l],
                            (inputs + 1) * layer->wide, sizeof(float)))
            return false;
        struct product product = gradient_of(net, batch, scratch, l);
        if (scratch->blas && !is_sparse(batch, l))
            blas_product(&product);
    }
    return true;
}

// The step of the weights of one input, or of the biases.
static void step_row(const struct layer *layer, const struct net_scratch *scratch,
                     const struct optimiser_step *step, size_t input, const float *gradient)
{
    size_t at = input * layer->wide;
    if (layer->v)
        scratch->routines->adam(step, layer->w + at, layer->m + at, layer->v + at, gradient,
                                layer->wide);
    else
        scratch->routines->descend(step, layer->w + at, layer->m + at, gradient, layer->wide);
}

// Those that the minibatch has, number first to last - 1 of them.
static void step_sparse(const struct layer *layer, const struct minibatch *batch,
                        const struct product *of, const struct net_scratch *scratch,
                        const struct optimiser_step *step, size_t first, size_t last)
{
    struct sparse inputs = {batch->met_offsets, batch->by_input.index, batch->by_input.value};
    scratch->routines->gather(&inputs, first, last, of->b, of->wide, NULL, of->out);
    for (size_t i = first; i < last; i++)
        step_row(layer, scratch, step, batch->met[i], of->out + i * of->wide);
}

// Inputs first to last - 1. The minibatch is that of the first layer; else NULL.
static void step_dense(const struct layer *layer, const struct minibatch *batch,
                       const struct product *of, const struct net_scratch *scratch,
                       const struct optimiser_step *step, size_t first, size_t last)
{
    struct product product = *of;
    product.first = first;
    product.last = last;
    if (!scratch->blas)
        scratch->routines->product(&product);
    for (size_t i = first; i < last; i++)
        if (!batch || batch->slot[i])
            step_row(layer, scratch, step, i, of->out + i * of->wide);
}

// Its gradient is the sum of all d, and l2 leaves it alone.
static void step_bias(const struct layer *layer, const struct product *of, size_t inputs,
                      const struct net_scratch *scratch, const struct optimiser_step *step)
{
    struct product sum = *of;
    struct optimiser_step free = *step;
    sum.a = scratch->ones;
    sum.a_row = 0;
    sum.a_term = 1;
    sum.out = of->out + inputs * of->wide;
    sum.first = 0;
    sum.last = 1;
    free.l2 = 0;
    scratch->routines->product(&sum);
    step_row(layer, scratch, &free, layer->inputs, sum.out);
}

void optimise_shares(struct net *net, const struct minibatch *batch,
                     const struct net_scratch *scratch, const struct optimiser_step *step,
                     size_t first, size_t last)
{
    for (size_t l = 0; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        struct product product = gradient_of(net, batch, scratch, l);
        size_t count = is_sparse(batch, l) ? batch->met_count : layer->inputs;
        size_t end = count * last / OPTIMISE_SHARES;
        for (size_t i = count * first / OPTIMISE_SHARES, next; i < end; i = next) {
            next = end - i < BLOCK ? end : i + BLOCK;
            if (is_sparse(batch, l))
                step_sparse(layer, batch, &product, scratch, step, i, next);
            else
                step_dense(layer, l ? NULL : batch, &product, scratch, step, i, next);
        }
        if (net->shape.bias && last == OPTIMISE_SHARES)
            step_bias(layer, &product, count, scratch, step);
    }
}
