// What a model keeps for a stream to go on with the very bits (struct stream_state).
#include "base/memory.h"
#include "model/make.h"

#include <math.h>
#include <string.h>

static const struct learner_kind *kind_of(const struct tlu_model *model)
{
    return learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
}

bool model_can_stream(const struct tlu_model *model)
{
    return !model->kernel.kind && !(kind_of(model)->traits & LEARNER_WHOLE) &&
           (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_LAST ||
            model->decide == DECIDE_ADAPTIVE);
}

bool model_keeps_groups(const struct tlu_model *model)
{
    return model_can_stream(model) && kind_of(model)->traits & LEARNER_SCALE;
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

static bool keep_order(struct stream_state *stream, uint32_t classes, const struct mapping *mapping)
{
    bool same = true;
    for (uint32_t i = 0; i < classes; i++)
        same &= mapping->classes[i] == i;
    if (same)
        return true;
    stream->order = memory_new(classes, sizeof *stream->order);
    for (uint32_t i = 0; stream->order && i < classes; i++)
        stream->order[mapping->classes[i]] = i;
    return stream->order != NULL;
}

// Features that never got a weight are not in the model, nor is it told that the first name came
// behind all indices where none of these has a weight.
static void keep_indices(struct stream_state *stream, const struct schema *grown,
                         const struct schema *frozen)
{
    uint32_t count = frozen->numbered;
    if (!grown->base || (count && frozen->ids[0] == grown->direct.lowest &&
                         frozen->ids[count - 1] == grown->direct.highest))
        return;
    stream->indices.kept = true;
    stream->indices.lowest = grown->direct.lowest;
    stream->indices.highest = grown->direct.highest;
}

static bool keep_groups(struct tlu_model *model, const struct tlu_learner *learner,
                        const struct mapping *mapping, bool last)
{
    struct stream_state *stream = &model->stream;
    uint32_t groups = scheme_groups(model->scheme, learner->scheme.classes);
    if (!model_keeps_groups(model))
        return true;
    stream->groups.norm = memory_new(groups, sizeof *stream->groups.norm);
    stream->groups.updates = memory_new(groups, sizeof *stream->groups.updates);
    if (!stream->groups.norm || !stream->groups.updates)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t group = groups == 1 ? 0 : mapping->columns[g];
        stream->groups.norm[g] = learner->space.group_norm[group];
        stream->groups.updates[g] = learner->space.group_updates[group];
    }
    if (last)
        return true;
    // Weights of an earlier pass: their squares are not at hand.
    memset(stream->groups.norm, 0, groups * sizeof *stream->groups.norm);
    for (uint32_t c = 0; c < model->weights.columns; c++)
        stream->groups.norm[groups == 1 ? 0 : c] += weights_norm(&model->weights, c);
    return true;
}

static double *copy_of(const double *from, size_t count)
{
    double *to = memory_new(count, sizeof *to);
    if (to)
        memcpy(to, from, count * sizeof *to);
    return to;
}

// One array of the weights, [features][columns], cut down to the columns that are unsettled.
static double *cut(const struct stream_state *stream, const struct weights *weights,
                   const double *from)
{
    double *to = memory_new(weights->features * stream->unsettled.columns, sizeof *to);
    for (size_t f = 0; to && f < weights->features; f++) {
        const double *row = from + f * weights->columns;
        double *cell = to + f * stream->unsettled.columns;
        if (weights_are_zero(row, weights->columns)) // memory that is 0 stays untouched
            continue;
        for (uint32_t c = 0; c < weights->columns; c++) {
            if (!column_is_unsettled(&stream->unsettled, c))
                continue;
            if (row[c] != 0 || signbit(row[c]))
                *cell = row[c];
            cell++;
        }
    }
    return to;
}

static bool keep_scales(struct stream_state *stream, const struct weights *weights)
{
    uint32_t columns = weights->columns;
    stream->unsettled.scale = copy_of(weights->scale, columns);
    stream->unsettled.sum = copy_of(weights->sum, columns);
    stream->unsettled.sum_at = copy_of(weights->sum_at, columns);
    if (!stream->unsettled.scale || !stream->unsettled.sum || !stream->unsettled.sum_at)
        return false;
    for (uint32_t c = 0; c < columns; c++) {
        if (column_is_unsettled(&stream->unsettled, c))
            stream->unsettled.columns++;
        else // the sum is the number of steps, since whenever
            stream->unsettled.sum[c] = stream->unsettled.sum_at[c] = 0;
    }
    stream->unsettled.w = cut(stream, weights, weights->w);
    if (weights->u)
        stream->unsettled.u = cut(stream, weights, weights->u);
    if (weights->recent.r) {
        stream->unsettled.r = cut(stream, weights, weights->recent.r);
        stream->unsettled.recent_sum = copy_of(weights->recent.sum, columns);
    }
    return stream->unsettled.w && (stream->unsettled.u || !weights->u) &&
           ((stream->unsettled.r && stream->unsettled.recent_sum) || !weights->recent.r);
}

static bool is_settled(const struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights->sum[c] != weights->sum_at[c])
            return false;
    return true;
}

// A state of the model does not tell whether it was ever written, where it is what it started with.
static bool keep_written(struct stream_state *stream, const struct weights *to,
                         const struct weights *from, const struct mapping *mapping)
{
    size_t capacity = 0;
    for (size_t f = 0; from->state && from->state_start != 0 && f < to->features; f++) {
        size_t row = weights_row(from, mapping->features[f]);
        for (uint32_t c = 0; row != SIZE_MAX && c < to->columns; c++) {
            size_t at = row * from->columns + mapping->columns[c];
            if (from->state[at] != from->state_start)
                continue;
            if (!memory_reserve(&stream->written.cells, &capacity, stream->written.count + 1,
                                sizeof *stream->written.cells))
                return false;
            stream->written.cells[stream->written.count++] = (uint64_t)f * to->columns + c;
        }
    }
    return true;
}

bool stream_state_make(struct tlu_model *model, const struct tlu_learner *learner,
                       const struct weights *from, const struct mapping *mapping, bool last)
{
    struct stream_state *stream = &model->stream;
    bool fine = true;
    if (model_can_stream(model)) {
        keep_indices(stream, &learner->schema, &model->schema);
        fine = keep_order(stream, learner->scheme.classes, mapping) &&
               keep_groups(model, learner, mapping, last) &&
               keep_written(stream, &model->weights, from, mapping) &&
               (is_settled(&model->weights) || keep_scales(stream, &model->weights));
    }
    weights_unscale(&model->weights);
    return fine;
}
