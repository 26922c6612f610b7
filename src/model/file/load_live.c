// Reads the section LIVE (docs/model-format.md): what a stream needs to go on with the very bits.
#include "base/memory.h"
#include "model/file/unpack.h"

#include <math.h>

// Each class once.
static void get_order(struct unpack *in, uint32_t classes)
{
    struct stream_state *stream = &in->model->stream;
    stream->order = unpack_checked(in, memory_new(classes, sizeof *stream->order));
    bool *met = unpack_checked(in, memory_new(classes, sizeof *met));
    for (uint32_t i = 0; i < classes && !unpack_failed(in); i++) {
        uint64_t c = unpack_count(in);
        if (c >= classes)
            unpack_damaged(in, "there is no class %llu", (unsigned long long)c);
        else if (met[c])
            unpack_damaged(in, "class %llu is there twice", (unsigned long long)c);
        if (unpack_failed(in))
            break;
        met[c] = true;
        stream->order[i] = (uint32_t)c;
    }
    memory_free(met);
}

static void get_indices(struct unpack *in)
{
    const struct schema *schema = &in->model->schema;
    struct stream_state *stream = &in->model->stream;
    uint64_t end = unpack_count(in), lowest = end ? unpack_count(in) : 0;
    if (!schema_is_indexed(schema))
        unpack_damaged(in, "only LIBSVM has numbered features");
    else if (end > SCHEMA_DIRECT || (end && lowest >= end))
        unpack_damaged(in, "there are no indices from %llu to before %llu",
                       (unsigned long long)lowest, (unsigned long long)end);
    else if (schema->numbered &&
             (schema->ids[0] < lowest || schema->ids[schema->numbered - 1] >= end))
        unpack_damaged(in, "a feature is not among the indices met");
    if (unpack_failed(in))
        return;
    stream->indices.kept = true;
    stream->indices.lowest = end ? (uint32_t)lowest : UINT32_MAX;
    stream->indices.highest = end ? (uint32_t)end - 1 : 0;
}

static void get_groups(struct unpack *in, uint32_t groups)
{
    struct stream_state *stream = &in->model->stream;
    if (!model_keeps_groups(in->model))
        unpack_damaged(in, "squares and updates are there without need");
    double *norm = unpack_new_numbers(in, groups);
    stream->groups.updates = unpack_checked(in, memory_new(groups, sizeof *stream->groups.updates));
    stream->groups.norm = norm;
    for (uint32_t g = 0; g < groups && !unpack_failed(in); g++)
        stream->groups.updates[g] = unpack_count(in);
}

static void check_scale(struct unpack *in, double scale, double at, double steps)
{
    double size = fabs(scale);
    if (!(size > WEIGHTS_SCALE_LEAST && size < 1 / WEIGHTS_SCALE_LEAST))
        unpack_damaged(in, "a scale is not between %g and %g", WEIGHTS_SCALE_LEAST,
                       1 / WEIGHTS_SCALE_LEAST);
    else if (!(at >= 0 && at <= steps))
        unpack_damaged(in, "a sum is of a step that is still to come");
}

static void get_scales(struct unpack *in)
{
    const struct weights *weights = &in->model->weights;
    struct stream_state *stream = &in->model->stream;
    if (!model_keeps_scales(in->model))
        unpack_damaged(in, "scales are there without need");
    stream->unsettled.scale = unpack_new_numbers(in, weights->columns);
    stream->unsettled.sum = unpack_new_numbers(in, weights->columns);
    stream->unsettled.sum_at = unpack_new_numbers(in, weights->columns);
    for (uint32_t c = 0; c < weights->columns && !unpack_failed(in); c++) {
        check_scale(in, stream->unsettled.scale[c], stream->unsettled.sum_at[c], weights->steps);
        stream->unsettled.columns += column_is_unsettled(&stream->unsettled, c);
    }
    if (!unpack_failed(in) && stream->unsettled.columns == 0)
        unpack_damaged(in, "scales are there without need");
    if (unpack_failed(in))
        return;
    stream->unsettled.w = unpack_new_numbers(in, weights->features * stream->unsettled.columns);
    if (weights->u)
        stream->unsettled.u = unpack_new_numbers(in, weights->features * stream->unsettled.columns);
}

static void get_written(struct unpack *in)
{
    const struct weights *weights = &in->model->weights;
    struct stream_state *stream = &in->model->stream;
    uint64_t next = 0, cells = (uint64_t)weights->features * weights->columns; // lowest to come
    if (!weights->state || weights->state_start == 0)
        unpack_damaged(in, "states that were written are there without need");
    size_t count = (size_t)unpack_length(in, 1, "states");
    if (!unpack_failed(in) && count == 0)
        unpack_damaged(in, "there are no states that were written");
    if (unpack_failed(in))
        return;
    stream->written.cells = unpack_checked(in, memory_new(count, sizeof *stream->written.cells));
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= cells || next + gap >= cells)
            unpack_damaged(in, "there is no such state");
        else if (weights->state[next + gap] != weights->state_start)
            unpack_damaged(in, "a state is not what it started with");
        if (unpack_failed(in))
            break;
        stream->written.cells[stream->written.count++] = next + gap;
        next += gap + 1;
    }
}

void unpack_live(struct unpack *in)
{
    const tlu_model *model = in->model;
    uint32_t classes = schema_classes(&model->schema);
    if (!model_can_stream(model))
        unpack_damaged(in, "it is there without need");
    unsigned parts = unpack_choice(in, LIVE_ALL, "the list of parts");
    if (!unpack_failed(in) && parts == 0)
        unpack_damaged(in, "it has no part");
    if (!unpack_failed(in) && parts & LIVE_ORDER)
        get_order(in, classes);
    if (!unpack_failed(in) && parts & LIVE_INDICES)
        get_indices(in);
    if (!unpack_failed(in) && parts & LIVE_GROUPS)
        get_groups(in, scheme_groups(model->scheme, classes));
    if (!unpack_failed(in) && parts & LIVE_SCALES)
        get_scales(in);
    if (!unpack_failed(in) && parts & LIVE_WRITTEN)
        get_written(in);
}
