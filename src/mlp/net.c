#include "mlp/net.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tlu_status net_parse_hidden(struct net_shape *shape, const char *text, tlu_error *error)
{
    const char *at = text;
    shape->depth = 1;
    do {
        char *end;
        unsigned long units = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (units == 0 || units > NET_UNITS || (*end != ',' && *end != '\0'))
            return error_input(error,
                               "--hidden is the number of units of each hidden layer, such as 16 "
                               "or 300,100, up to %d each, not '%.80s'",
                               NET_UNITS, text);
        if (shape->depth == NET_LAYERS)
            return error_input(error, "--hidden: at most %d layers", NET_LAYERS - 1);
        shape->sizes[shape->depth++] = units;
        at = *end ? end + 1 : NULL;
    } while (at);
    return TLU_OK;
}

static size_t widen(size_t units)
{
    return (units + LAYER_LANES - 1) / LAYER_LANES * LAYER_LANES;
}

struct net *net_new(const struct net_shape *shape)
{
    struct net *net = memory_new(1, sizeof *net);
    bool fine = net;
    if (net)
        net->shape = *shape;
    for (size_t l = 0; fine && l < shape->depth; l++) {
        struct layer *layer = &net->layers[l];
        layer->inputs = shape->sizes[l];
        layer->units = shape->sizes[l + 1];
        layer->wide = widen(layer->units);
        layer->w = memory_new(layer->inputs + 1, layer->wide * sizeof(float));
        layer->m = memory_new(layer->inputs + 1, layer->wide * sizeof(float));
        if (shape->adam)
            layer->v = memory_new(layer->inputs + 1, layer->wide * sizeof(float));
        fine = layer->w && layer->m && (layer->v || !shape->adam);
    }
    if (fine)
        return net;
    net_free(net);
    return NULL;
}

void net_free(struct net *net)
{
    for (size_t l = 0; net && l < net->shape.depth; l++) {
        memory_free(net->layers[l].w);
        memory_free(net->layers[l].m);
        memory_free(net->layers[l].v);
    }
    memory_free(net);
}

static void order_outputs(const struct layer *to, float *cells, const float *from,
                          const uint32_t *columns)
{
    for (size_t i = 0; i <= to->inputs; i++, cells += to->wide, from += to->wide)
        for (size_t j = 0; j < to->units; j++)
            cells[j] = from[columns[j]];
}

static void copy_layer(const struct layer *to, const struct layer *from)
{
    size_t bytes = layer_cells(from) * sizeof(float);
    memcpy(to->w, from->w, bytes);
    memcpy(to->m, from->m, bytes);
    if (from->v)
        memcpy(to->v, from->v, bytes);
}

struct net *net_copy(const struct net *net)
{
    struct net *copy = net_new(&net->shape);
    if (!copy)
        return NULL;
    copy->steps = net->steps;
    copy->unsure = net->unsure;
    for (size_t l = 0; l < net->shape.depth; l++)
        copy_layer(&copy->layers[l], &net->layers[l]);
    return copy;
}

struct net *net_copy_ordered(const struct net *net, const uint32_t *columns)
{
    struct net *copy = net_copy(net);
    if (!copy)
        return NULL;
    const struct layer *to = &copy->layers[net->shape.depth - 1];
    const struct layer *from = &net->layers[net->shape.depth - 1];
    order_outputs(to, to->w, from->w, columns);
    order_outputs(to, to->m, from->m, columns);
    if (to->v)
        order_outputs(to, to->v, from->v, columns);
    return copy;
}

// Uniform, with the deviation that keeps the size of what goes through a layer: sqrt(2 / inputs)
// for relu (He et al. 2015), else sqrt(2 / (inputs + units)) (Glorot and Bengio 2010). Biases too:
// else all bends of a first layer would go through the origin.
void net_start(struct net *net, uint64_t seed, const bool *used)
{
    struct random random;
    random_seed(&random, seed);
    for (size_t l = 0; l < net->shape.depth; l++) {
        struct layer *layer = &net->layers[l];
        bool relu = net->shape.activation == ACTIVATION_RELU && l + 1 < net->shape.depth;
        double share = relu ? (double)layer->inputs : (double)(layer->inputs + layer->units) / 2;
        double most = sqrt(3 / share) * (relu ? sqrt(2) : 1);
        for (size_t i = 0; i < layer->inputs; i++)
            for (size_t j = 0; j < layer->units; j++) {
                double w = most * (2 * random_unit(&random) - 1);
                layer->w[i * layer->wide + j] = l > 0 || used[i] ? (float)w : 0;
            }
        for (size_t j = 0; net->shape.bias && j < layer->units; j++)
            layer_bias(layer)[j] = (float)(most * (2 * random_unit(&random) - 1));
    }
}

bool net_same_shape(const struct net_shape *a, const struct net_shape *b)
{
    return a->depth == b->depth && a->activation == b->activation && a->adam == b->adam &&
           a->bias == b->bias && memcmp(a->sizes, b->sizes, (a->depth + 1) * sizeof *a->sizes) == 0;
}

bool net_is_finite(const struct net *net)
{
    for (size_t l = 0; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        float sum = 0; // NaN as soon as one is infinite or NaN
        for (size_t i = 0; i < layer_cells(layer); i++)
            sum += 0 * layer->w[i] + 0 * layer->m[i] + (layer->v ? 0 * layer->v[i] : 0);
        if (sum != 0)
            return false;
    }
    return true;
}

uint64_t net_weights(const struct net_shape *shape)
{
    uint64_t count = 0;
    for (size_t l = 0; l < shape->depth; l++)
        count += ((uint64_t)shape->sizes[l] + shape->bias) * shape->sizes[l + 1];
    return count;
}
