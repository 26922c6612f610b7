// ADPT: the candidates of --decide adaptive, and how they have done.
#include "model/file/sections.h"

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

// A decay of counts or of weights.
static double get_decay(struct unpack *in)
{
    double decay = unpack_number(in, CODE_DOUBLE);
    if (!unpack_failed(in) && !(decay >= 0.5 && decay < 1))
        unpack_damaged(in, "a decay is not from 0.5 to below 1");
    return decay;
}

static void get_standing(struct unpack *in)
{
    struct standing *standing = &in->model->stream.standing;
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++) {
        standing->right[by] = unpack_number(in, CODE_DOUBLE);
        if (!unpack_failed(in) && !(standing->right[by] >= 0))
            unpack_damaged(in, "a count of right answers is below 0");
    }
    standing->decay = get_decay(in);
}

void unpack_adaptive(struct unpack *in)
{
    struct tlu_model *model = in->model;
    struct weights *weights = &model->weights;
    struct weights_recent *recent = &weights->recent;
    struct stream_state *stream = &model->stream;
    if (model->decide != DECIDE_ADAPTIVE || !model_can_stream(model))
        unpack_damaged(in, "it should not be there");
    weights->by = (enum weights_by)unpack_choice(in, WEIGHTS_BY_RECENT, "what decides");
    get_standing(in);
    recent->decay = get_decay(in);
    recent->growth = unpack_number(in, CODE_DOUBLE);
    recent->share = unpack_number(in, CODE_DOUBLE);
    if (!unpack_failed(in) && !(recent->growth >= 1 && recent->growth < WEIGHTS_GROWTH_MAX))
        unpack_damaged(in, "the growth is not from 1 to below 2^64");
    if (!unpack_failed(in) && !(recent->share > 0 && recent->share <= 1))
        unpack_damaged(in, "the share is not above 0 and up to 1");
    if (unpack_failed(in))
        return;
    recent->r_bias = unpack_new_numbers(in, weights->columns);
    recent->r = unpack_new_numbers(in, weights->features * weights->columns);
    if (stream->unsettled.scale && !unpack_failed(in)) {
        stream->unsettled.recent_sum = unpack_new_numbers(in, weights->columns);
        stream->unsettled.r = unpack_new_numbers(in, weights->features * stream->unsettled.columns);
    }
}
