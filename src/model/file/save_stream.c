// Writes what a stream adapts by: the sections ADPT and UNIT (docs/model-format.md).
#include "learn/online_scale.h"
#include "model/file/pack.h"

void put_adaptive(struct out *out, const tlu_model *model)
{
    const struct weights *weights = &model->weights;
    const struct weights_recent *recent = &weights->recent;
    const struct stream_state *stream = &model->stream;
    if (model->decide != DECIDE_ADAPTIVE)
        return;
    put_fixed(out, weights->by, 1);
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        put_double(out, model->stream.standing.right[by]);
    put_double(out, model->stream.standing.decay);
    put_double(out, recent->decay);
    put_double(out, recent->growth);
    put_double(out, recent->share);
    put_numbers(out, recent->r_bias, weights->columns);
    put_numbers(out, recent->r, weights->features * weights->columns);
    if (stream->unsettled.scale) {
        put_numbers(out, stream->unsettled.recent_sum, weights->columns);
        put_numbers(out, stream->unsettled.r, weights->features * stream->unsettled.columns);
    }
}

void put_units(struct out *out, const tlu_model *model)
{
    const struct scale_unit *units = model->stream.units;
    size_t features = model->scaling.features;
    if (!units)
        return;
    for (size_t f = 0; f < features; f++)
        put_count(out, units[f].met + (uint64_t)UNIT_KINDS * units[f].kind);
    for (size_t f = 0; f < features; f++)
        if (units[f].met)
            put_double(out, units[f].square);
}
