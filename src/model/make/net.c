// The net of a model, and back.
#include "base/memory.h"
#include "mlp/layers.h"
#include "model/make/parts.h"

bool make_net(struct tlu_model *model, const struct learned *learned, const struct mapping *mapping)
{
    if (!learned->net)
        return true;
    // The inputs are the features that a model has, in the same order.
    if (learned->net->shape.sizes[0] != mapping->feature_count)
        return false;
    model->net = net_copy_ordered(learned->net, mapping->columns, false);
    return model->net;
}

bool restore_net(struct tlu_learner *learner, const tlu_model *model, const struct mapping *mapping)
{
    if (!model->net)
        return true;
    struct layers *layers = learner->space.layers = memory_new(1, sizeof *layers);
    if (layers)
        layers->net = net_copy_ordered(model->net, mapping->columns, true);
    return layers && layers->net;
}
