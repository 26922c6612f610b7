// NET: the layers of a model. Those of an interrupted run, in its own order of classes, are in NETR
// (run.c).
#include "base/memory.h"
#include "model/file/sections.h"

#include <math.h>
#include <string.h>

static void put_float(struct out *out, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    out->infinite = out->infinite || !isfinite(number);
    put_fixed(out, bits, sizeof bits);
}

// Row by row, the biases last.
static void put_cells(struct out *out, const struct layer *layer, const float *cells)
{
    for (size_t i = 0; i <= layer->inputs; i++)
        for (size_t j = 0; j < layer->units; j++)
            put_float(out, cells[i * layer->wide + j]);
}

void put_layers(struct out *out, const struct net *net)
{
    put_count(out, net->steps);
    put_count(out, net->unsure);
    for (size_t l = 0; l < net->shape.depth; l++) {
        const struct layer *layer = &net->layers[l];
        put_cells(out, layer, layer->w);
        put_cells(out, layer, layer->m);
        if (layer->v)
            put_cells(out, layer, layer->v);
    }
}

static void get_cells(struct unpack *in, const struct layer *layer, float *cells, bool squares)
{
    for (size_t i = 0; i <= layer->inputs && !unpack_failed(in); i++)
        for (size_t j = 0; j < layer->units && !unpack_failed(in); j++) {
            uint32_t bits = (uint32_t)unpack_fixed(in, sizeof bits);
            float number;
            memcpy(&number, &bits, sizeof number);
            if (!isfinite(number) || (squares && number < 0))
                unpack_damaged(in, "a number is not one that a net can have");
            cells[i * layer->wide + j] = number;
        }
}

// The numbers of a layer, w and m and perhaps v, are the bytes of the section.
static bool fits(struct unpack *in, const struct net_shape *shape)
{
    uint64_t cells = 0, most = unpack_left(in);
    for (size_t l = 0; l < shape->depth && cells <= most; l++)
        cells += ((uint64_t)shape->sizes[l] + 1) * shape->sizes[l + 1];
    if (cells > most || cells * sizeof(float) * (shape->adam ? 3 : 2) > most)
        unpack_damaged(in, "there is no room for a net of this size");
    return !unpack_failed(in);
}

struct net *unpack_layers(struct unpack *in, const struct net_shape *shape)
{
    uint64_t steps = unpack_count(in), unsure = unpack_count(in);
    struct net *net = fits(in, shape) ? unpack_checked(in, net_new(shape)) : NULL;
    if (!net)
        return NULL;
    net->steps = steps;
    net->unsure = unsure;
    for (size_t l = 0; l < shape->depth; l++) {
        struct layer *layer = &net->layers[l];
        get_cells(in, layer, layer->w, false);
        get_cells(in, layer, layer->m, false);
        if (layer->v)
            get_cells(in, layer, layer->v, true);
    }
    return net;
}

// ---- NET ----

void put_net(struct out *out, const tlu_model *model)
{
    if (model->net)
        put_layers(out, model->net);
}

void unpack_net(struct unpack *in)
{
    tlu_model *model = in->model;
    const tlu_options *options = model->options;
    struct net_shape shape = {.activation =
                                  (enum activation)options_choice(options, OPTION_ACTIVATION),
                              .bias = !options_flag(options, OPTION_NO_BIAS),
                              .adam = options_choice(options, OPTION_OPTIMIZER) == OPTIMIZER_ADAM};
    if (!model_has_layers(model))
        unpack_damaged(in, "layers should not be there");
    else if (net_parse_hidden(&shape, options_text(options, OPTION_HIDDEN), NULL) != TLU_OK)
        unpack_damaged(in, "the sizes of the layers are not known");
    if (unpack_failed(in))
        return;
    shape.sizes[0] = schema_features(&model->schema);
    shape.sizes[shape.depth] = scheme_columns(model->scheme, schema_classes(&model->schema));
    model->net = unpack_layers(in, &shape);
}
