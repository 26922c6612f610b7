// The state of a stream in the numbers of the model (model/stream_state.h).
#include "base/memory.h"
#include "model/make/parts.h"

#include <math.h>
#include <string.h>

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

// Features that never got a weight are not in the model; and if no index has one, the model does
// not say that the first name came after all indices.
static void keep_indices(struct met_indices *indices, const struct schema *grown,
                         const struct schema *frozen)
{
    uint32_t count = frozen->numbered;
    if (!grown->base || (count && frozen->ids[0] == grown->direct.lowest &&
                         frozen->ids[count - 1] == grown->direct.highest))
        return;
    *indices = (struct met_indices){true, grown->direct.lowest, grown->direct.highest};
}

static bool keep_groups(struct tlu_model *model, const struct learned *learned,
                        const struct mapping *mapping)
{
    struct group_state *state = &model->stream.groups;
    const struct space *space = &learned->learner->space;
    uint32_t groups = scheme_groups(model->scheme, learned->learner->scheme.classes);
    if (!model_keeps_groups(model))
        return true;
    state->norm = memory_new(groups, sizeof *state->norm);
    state->updates = memory_new(groups, sizeof *state->updates);
    if (!state->norm || !state->updates)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t group = groups == 1 ? 0 : mapping->columns[g];
        state->norm[g] = space->group_norm[group];
        state->updates[g] = space->group_updates[group];
    }
    if (learned->last)
        return true;
    // The squares of the weights of an earlier pass were not kept.
    memset(state->norm, 0, groups * sizeof *state->norm);
    for (uint32_t c = 0; c < model->weights.columns; c++)
        state->norm[groups == 1 ? 0 : c] += weights_norm(&model->weights, c);
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
static double *cut(const struct unsettled *unsettled, const struct weights *weights,
                   const double *from)
{
    double *to = memory_new(weights->features * unsettled->columns, sizeof *to);
    for (size_t f = 0; to && f < weights->features; f++) {
        const double *row = from + f * weights->columns;
        double *cell = to + f * unsettled->columns;
        if (weights_are_zero(row, weights->columns)) // memory that is 0 stays untouched
            continue;
        for (uint32_t c = 0; c < weights->columns; c++) {
            if (!column_is_unsettled(unsettled, c))
                continue;
            if (row[c] != 0 || signbit(row[c]))
                *cell = row[c];
            cell++;
        }
    }
    return to;
}

static bool keep_scales(struct unsettled *unsettled, const struct weights *weights)
{
    uint32_t columns = weights->columns;
    unsettled->scale = copy_of(weights->scale, columns);
    unsettled->sum = copy_of(weights->sum, columns);
    unsettled->sum_at = copy_of(weights->sum_at, columns);
    if (!unsettled->scale || !unsettled->sum || !unsettled->sum_at)
        return false;
    for (uint32_t c = 0; c < columns; c++) {
        if (column_is_unsettled(unsettled, c))
            unsettled->columns++;
        else // the sum is that of the steps, whenever it was taken
            unsettled->sum[c] = unsettled->sum_at[c] = 0;
    }
    unsettled->w = cut(unsettled, weights, weights->w);
    if (weights->u)
        unsettled->u = cut(unsettled, weights, weights->u);
    if (weights->recent.r) {
        unsettled->r = cut(unsettled, weights, weights->recent.r);
        unsettled->recent_sum = copy_of(weights->recent.sum, columns);
    }
    return unsettled->w && (unsettled->u || !weights->u) &&
           ((unsettled->r && unsettled->recent_sum) || !weights->recent.r);
}

static bool is_settled(const struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights->sum[c] != weights->sum_at[c])
            return false;
    return true;
}

// A state of the model that has its start value may have been written or not.
static bool keep_written(struct written_states *written, const struct weights *to,
                         const struct weights *from, const struct mapping *mapping)
{
    size_t capacity = 0;
    for (size_t f = 0; from->state && from->state_start != 0 && f < to->features; f++) {
        size_t row = weights_row(from, mapping->features[f]);
        for (uint32_t c = 0; row != SIZE_MAX && c < to->columns; c++) {
            size_t at = row * from->columns + mapping->columns[c];
            if (from->state[at] != from->state_start)
                continue;
            if (!memory_reserve(&written->cells, &capacity, written->count + 1,
                                sizeof *written->cells))
                return false;
            written->cells[written->count++] = (uint64_t)f * to->columns + c;
        }
    }
    return true;
}

bool make_stream_state(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping)
{
    struct stream_state *stream = &model->stream;
    const struct tlu_learner *learner = learned->learner;
    bool fine = true;
    if (model_keeps_state(model)) {
        keep_indices(&stream->indices, &learner->schema, &model->schema);
        fine = keep_order(stream, learner->scheme.classes, mapping) &&
               keep_groups(model, learned, mapping) &&
               keep_written(&stream->written, &model->weights, learned->weights, mapping) &&
               (is_settled(&model->weights) || keep_scales(&stream->unsettled, &model->weights));
    }
    weights_unscale(&model->weights);
    return fine;
}
