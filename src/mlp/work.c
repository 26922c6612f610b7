#include "mlp/work.h"

#include "base/memory.h"

#include <string.h>

// ---- memory ----

static bool reserve_learning(struct net_room *room, const struct net *net, size_t rows)
{
    bool fine = (room->ones = memory_new(rows, sizeof(float)));
    for (size_t r = 0; fine && r < rows; r++)
        room->ones[r] = 1;
    for (size_t l = 0; fine && l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        room->d[l] = memory_new(rows, layer->wide * sizeof(float));
        if (l > 0)
            room->back[l] = memory_new(layer->units, net->layers[l - 1].wide * sizeof(float));
        fine = room->d[l] && (room->back[l] || l == 0);
    }
    return fine;
}

bool net_room_reserve(struct net_room *room, const struct net *net, size_t rows, bool learning)
{
    if (!room->routines)
        room->routines = layer_best();
    if (rows <= room->rows)
        return true;
    for (size_t l = 0; l < net->shape.depth; l++) {
        memory_free(room->a[l]);
        room->a[l] = memory_new(rows, net->layers[l].wide * sizeof(float));
        if (!room->a[l])
            return false;
    }
    if (learning && !reserve_learning(room, net, rows))
        return false;
    room->rows = rows;
    return true;
}

void net_room_free(struct net_room *room)
{
    for (size_t l = 0; l < NET_LAYERS; l++) {
        memory_free(room->a[l]);
        memory_free(room->d[l]);
        memory_free(room->back[l]);
        memory_free(room->gradient[l]);
    }
    memory_free(room->ones);
    *room = (struct net_room){0};
}

// ---- forwards ----

static void multiply(const struct net_room *room, const struct product *product)
{
    (room->blas ? blas_product : room->routines->product)(product);
}

void net_forward_layer(const struct net *net, const struct minibatch *batch, struct net_room *room,
                       size_t l, size_t first, size_t last)
{
    const struct layer *layer = &net->layers[l];
    struct product product = {.a = l ? room->a[l - 1] : batch->dense,
                              .a_row = l ? net->layers[l - 1].wide : batch->inputs,
                              .a_term = 1,
                              .terms = layer->inputs,
                              .b = layer->w,
                              .wide = layer->wide,
                              .start = layer_bias(layer),
                              .out = room->a[l],
                              .first = first,
                              .last = last};
    struct sparse rows = minibatch_rows(batch);
    if (l > 0 || batch->is_dense)
        multiply(room, &product);
    else
        room->routines->gather(&rows, first, last, layer->w, layer->wide, product.start,
                               product.out);
    if (l + 1 < net->shape.depth)
        room->routines->activate(net->shape.activation, room->a[l] + first * layer->wide,
                                 (last - first) * layer->wide);
}

void net_forward(const struct net *net, const struct minibatch *batch, struct net_room *room,
                 size_t first, size_t last)
{
    for (size_t l = 0; l < net->shape.depth; l++)
        net_forward_layer(net, batch, room, l, first, last);
}

// ---- backwards ----

void net_turn_round(const struct net *net, struct net_room *room)
{
    for (size_t l = 1; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        size_t wide = net->layers[l - 1].wide;
        for (size_t i = 0; i < layer->inputs; i++)
            for (size_t j = 0; j < layer->units; j++)
                room->back[l][j * wide + i] = layer->w[i * layer->wide + j];
    }
}

void net_backward(const struct net *net, struct net_room *room, size_t first, size_t last)
{
    for (size_t l = net->shape.depth - 1; l > 0; l--) {
        const struct layer *layer = &net->layers[l], *before = &net->layers[l - 1];
        struct product product = {.a = room->d[l],
                                  .a_row = layer->wide,
                                  .a_term = 1,
                                  .terms = layer->units,
                                  .b = room->back[l],
                                  .wide = before->wide,
                                  .out = room->d[l - 1],
                                  .first = first,
                                  .last = last};
        multiply(room, &product);
        room->routines->derive(net->shape.activation, room->a[l - 1] + first * before->wide,
                               room->d[l - 1] + first * before->wide,
                               (last - first) * before->wide);
    }
}
