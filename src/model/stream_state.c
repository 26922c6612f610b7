#include "model/stream_state.h"

#include "base/memory.h"
#include "model/model.h"

static const struct learner_kind *kind_of(const struct tlu_model *model)
{
    return learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
}

bool model_can_stream(const struct tlu_model *model)
{
    return !model->kernel.kind && !(kind_of(model)->traits & (LEARNER_BATCH | LEARNER_LAYERS)) &&
           (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_LAST ||
            model->decide == DECIDE_ADAPTIVE);
}

bool model_keeps_state(const struct tlu_model *model)
{
    return model_can_stream(model) || model_has_layers(model);
}

bool model_keeps_groups(const struct tlu_model *model)
{
    return model_can_stream(model) && kind_of(model)->traits & (LEARNER_SCALE | LEARNER_GROUPS);
}

bool model_keeps_scales(const struct tlu_model *model)
{
    return model_can_stream(model) && (kind_of(model)->traits & LEARNER_SCALE ||
                                       options_number(model->options, OPTION_L2) > 0);
}

void stream_state_free(struct stream_state *stream)
{
    struct unsettled *unsettled = &stream->unsettled;
    void *parts[] = {stream->order,         stream->groups.norm,   stream->groups.updates,
                     stream->written.cells, stream->units,         unsettled->scale,
                     unsettled->sum,        unsettled->sum_at,     unsettled->w,
                     unsettled->u,          unsettled->recent_sum, unsettled->r};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    *stream = (struct stream_state){0};
}
