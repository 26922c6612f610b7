// LIVE, ADPT: what a stream needs to continue exactly (struct stream_state).
#include "base/memory.h"
#include "model/file/sections.h"

#include <math.h>

// ---- the order of the classes ----

static bool has_order(const struct stream_state *stream)
{
    return stream->order != NULL;
}

static void put_order(struct packer *out, const tlu_model *model)
{
    for (uint32_t i = 0; i < schema_classes(&model->schema); i++)
        put_count(out, model->stream.order[i]);
}

// Each class once.
static void get_order(struct unpack *in)
{
    uint32_t classes = schema_classes(&in->model->schema);
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

// ---- LIBSVM indices ----

static bool has_indices(const struct stream_state *stream)
{
    return stream->indices.kept;
}

static void put_indices(struct packer *out, const tlu_model *model)
{
    const struct met_indices *indices = &model->stream.indices;
    bool met = indices->lowest <= indices->highest;
    put_count(out, met ? indices->highest + 1 : 0);
    if (met)
        put_count(out, indices->lowest);
}

static void get_indices(struct unpack *in)
{
    const struct schema *schema = &in->model->schema;
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
    in->model->stream.indices = (struct met_indices){.kept = true,
                                                     .lowest = end ? (uint32_t)lowest : UINT32_MAX,
                                                     .highest = end ? (uint32_t)end - 1 : 0};
}

// ---- squares and updates of groups ----

static bool has_groups(const struct stream_state *stream)
{
    return stream->groups.norm != NULL;
}

static void put_groups(struct packer *out, const tlu_model *model)
{
    uint32_t groups = scheme_groups(model->scheme, schema_classes(&model->schema));
    put_numbers(out, model->stream.groups.norm, groups);
    for (uint32_t g = 0; g < groups; g++)
        put_count(out, model->stream.groups.updates[g]);
}

static void get_groups(struct unpack *in)
{
    struct group_state *state = &in->model->stream.groups;
    uint32_t groups = scheme_groups(in->model->scheme, schema_classes(&in->model->schema));
    if (!model_keeps_groups(in->model))
        unpack_damaged(in, "squares and updates should not be there");
    state->norm = unpack_new_numbers(in, groups);
    state->updates = unpack_checked(in, memory_new(groups, sizeof *state->updates));
    for (uint32_t g = 0; g < groups && !unpack_failed(in); g++)
        state->updates[g] = unpack_count(in);
}

// ---- columns that are unsettled ----

static bool has_scales(const struct stream_state *stream)
{
    return stream->unsettled.scale != NULL;
}

static void put_scales(struct packer *out, const tlu_model *model)
{
    const struct unsettled *unsettled = &model->stream.unsettled;
    size_t columns = model->weights.columns, count = model->weights.features * unsettled->columns;
    put_numbers(out, unsettled->scale, columns);
    put_numbers(out, unsettled->sum, columns);
    put_numbers(out, unsettled->sum_at, columns);
    put_numbers(out, unsettled->w, count);
    if (unsettled->u)
        put_numbers(out, unsettled->u, count);
}

static void check_scale(struct unpack *in, double scale, double at, double steps)
{
    double size = fabs(scale);
    if (!(size > WEIGHTS_SCALE_MIN && size < 1 / WEIGHTS_SCALE_MIN))
        unpack_damaged(in, "a scale is not between %g and %g", WEIGHTS_SCALE_MIN,
                       1 / WEIGHTS_SCALE_MIN);
    else if (!(at >= 0 && at <= steps))
        unpack_damaged(in, "a sum is of a step that is still to come");
}

static void get_scales(struct unpack *in)
{
    const struct weights *weights = &in->model->weights;
    struct unsettled *unsettled = &in->model->stream.unsettled;
    if (!model_keeps_scales(in->model))
        unpack_damaged(in, "scales should not be there");
    unsettled->scale = unpack_new_numbers(in, weights->columns);
    unsettled->sum = unpack_new_numbers(in, weights->columns);
    unsettled->sum_at = unpack_new_numbers(in, weights->columns);
    for (uint32_t c = 0; c < weights->columns && !unpack_failed(in); c++) {
        check_scale(in, unsettled->scale[c], unsettled->sum_at[c], weights->steps);
        unsettled->columns += column_is_unsettled(unsettled, c);
    }
    if (!unpack_failed(in) && unsettled->columns == 0)
        unpack_damaged(in, "scales should not be there");
    if (unpack_failed(in))
        return;
    unsettled->w = unpack_new_numbers(in, weights->features * unsettled->columns);
    if (weights->u)
        unsettled->u = unpack_new_numbers(in, weights->features * unsettled->columns);
}

// ---- states that were written ----

static bool has_written(const struct stream_state *stream)
{
    return stream->written.count > 0;
}

static void put_written(struct packer *out, const tlu_model *model)
{
    const struct written_states *written = &model->stream.written;
    put_count(out, written->count);
    uint64_t next = 0; // the lowest cell that can come
    for (size_t i = 0; i < written->count; i++) {
        put_count(out, written->cells[i] - next);
        next = written->cells[i] + 1;
    }
}

static void get_written(struct unpack *in)
{
    const struct weights *weights = &in->model->weights;
    struct written_states *written = &in->model->stream.written;
    uint64_t next = 0, cells = (uint64_t)weights->features * weights->columns; // lowest to come
    if (!weights->state || weights->state_start == 0)
        unpack_damaged(in, "states that were written should not be there");
    size_t count = (size_t)unpack_length(in, 1, "states");
    if (!unpack_failed(in) && count == 0)
        unpack_damaged(in, "there are no states that were written");
    if (unpack_failed(in))
        return;
    written->cells = unpack_checked(in, memory_new(count, sizeof *written->cells));
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= cells || next + gap >= cells)
            unpack_damaged(in, "there is no such state");
        else if (weights->state[next + gap] != weights->state_start)
            unpack_damaged(in, "a state is not what it started with");
        if (unpack_failed(in))
            break;
        written->cells[written->count++] = next + gap;
        next += gap + 1;
    }
}

// ---- LIVE ----

// The first byte says which are there: bit i is part i.
static const struct live_part {
    bool (*is_there)(const struct stream_state *stream);
    void (*put)(struct packer *out, const tlu_model *model);
    void (*get)(struct unpack *in);
} parts[] = {{has_order, put_order, get_order},
             {has_indices, put_indices, get_indices},
             {has_groups, put_groups, get_groups},
             {has_scales, put_scales, get_scales},
             {has_written, put_written, get_written}};

enum { PARTS = sizeof parts / sizeof parts[0] };

void put_stream_state(struct packer *out, const tlu_model *model)
{
    unsigned there = 0;
    for (unsigned i = 0; i < PARTS; i++)
        there |= (unsigned)parts[i].is_there(&model->stream) << i;
    if (!there)
        return;
    put_fixed(out, there, 1);
    for (unsigned i = 0; i < PARTS; i++)
        if (there >> i & 1)
            parts[i].put(out, model);
}

void unpack_stream_state(struct unpack *in)
{
    if (!model_keeps_state(in->model))
        unpack_damaged(in, "it should not be there");
    unsigned there = unpack_choice(in, (1u << PARTS) - 1, "the list of parts");
    if (there == 0)
        unpack_damaged(in, "it has no part");
    for (unsigned i = 0; i < PARTS && !unpack_failed(in); i++)
        if (there >> i & 1)
            parts[i].get(in);
}

// ---- ADPT: the candidates of --decide adaptive, and how often they were right ----

void put_adaptive(struct packer *out, const tlu_model *model)
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
