// Reads what a stream adapts by: the sections ADPT and UNIT (docs/model-format.md).
#include "base/memory.h"
#include "learn/online_scale.h"
#include "model/file/unpack.h"

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
        unpack_damaged(in, "it is there without need");
    weights->by = (enum weights_by)unpack_choice(in, WEIGHTS_BY_RECENT, "what decides");
    get_standing(in);
    recent->decay = get_decay(in);
    recent->growth = unpack_number(in, CODE_DOUBLE);
    recent->share = unpack_number(in, CODE_DOUBLE);
    if (!unpack_failed(in) && !(recent->growth >= 1 && recent->growth < WEIGHTS_GROWTH_MOST))
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

void unpack_units(struct unpack *in)
{
    struct tlu_model *model = in->model;
    size_t features = schema_features(&model->schema);
    if (options_choice(model->options, OPTION_SCALE) != SCALE_RECENT ||
        model->scaling.features != features)
        unpack_damaged(in, "it is there without need");
    if (!unpack_failed(in) && features > unpack_left(in)) // a byte each at least
        unpack_damaged(in, "it is too short for the features");
    if (unpack_failed(in))
        return;
    model->stream.units = unpack_checked(in, memory_new(features, sizeof *model->stream.units));
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        uint64_t about = unpack_count(in), met = about % UNIT_KINDS, kind = about / UNIT_KINDS;
        if (met > ONLINE_SCALE_VALUES || kind > (UNIT_ONE | UNIT_FRACTION) ||
            !met != !(model->scaling.factor[f] > 0))
            unpack_damaged(in, "the values met of a feature are %llu", (unsigned long long)about);
        if (unpack_failed(in))
            return;
        model->stream.units[f].met = (uint16_t)met;
        model->stream.units[f].kind = (uint16_t)kind;
    }
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        if (!model->stream.units[f].met)
            continue;
        model->stream.units[f].square = unpack_number(in, CODE_DOUBLE);
        if (!(model->stream.units[f].square >= 0))
            unpack_damaged(in, "a mean square is below 0");
    }
}
