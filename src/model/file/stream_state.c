// LIVE, ADPT: the parts of the state that prediction does not need, so that a stream continues
// exactly.
#include "base/memory.h"
#include "model/file/sections.h"

#include <math.h>

// ---- the order of the classes ----

static bool has_order(const tlu_model *model)
{
    return model->order != NULL;
}

static void put_order(struct packer *out, const tlu_model *model)
{
    for (uint32_t i = 0; i < schema_classes(&model->state.schema); i++)
        put_count(out, model->order[i]);
}

// Each class once.
static void get_order(struct unpack *in)
{
    uint32_t classes = schema_classes(&in->model->state.schema);
    uint32_t *order = in->model->order = unpack_checked(in, memory_new(classes, sizeof *order));
    bool *seen = unpack_checked(in, memory_new(classes, sizeof *seen));
    for (uint32_t i = 0; i < classes && !unpack_failed(in); i++) {
        uint64_t c = unpack_count(in);
        if (c >= classes)
            unpack_damaged(in, "there is no class %llu", (unsigned long long)c);
        else if (seen[c])
            unpack_damaged(in, "class %llu is there twice", (unsigned long long)c);
        if (unpack_failed(in))
            break;
        seen[c] = true;
        order[i] = (uint32_t)c;
    }
    memory_free(seen);
}

// ---- LIBSVM indices ----

// The range of indices that occurred, unless it is that of the features, which have weights. If
// no index has a weight, only this part shows that names come after the indices.
static bool has_indices(const tlu_model *model)
{
    const struct schema *schema = &model->state.schema;
    uint32_t count = schema->numbered;
    return schema->base && !(count && schema->ids[0] == schema->direct.lowest &&
                             schema->ids[count - 1] == schema->direct.highest);
}

static void put_indices(struct packer *out, const tlu_model *model)
{
    const struct index_range *indices = &model->state.schema.direct;
    bool any = indices->lowest <= indices->highest;
    put_count(out, any ? indices->highest + 1 : 0);
    if (any)
        put_count(out, indices->lowest);
}

static void get_indices(struct unpack *in)
{
    struct schema *schema = &in->model->state.schema;
    uint64_t end = unpack_count(in), lowest = end ? unpack_count(in) : 0;
    if (!schema_is_indexed(schema))
        unpack_damaged(in, "only LIBSVM has numbered features");
    else if (end > SCHEMA_DIRECT || (end && lowest >= end))
        unpack_damaged(in, "there are no indices from %llu to before %llu",
                       (unsigned long long)lowest, (unsigned long long)end);
    else if (schema->numbered &&
             (schema->ids[0] < lowest || schema->ids[schema->numbered - 1] >= end))
        unpack_damaged(in, "a feature is not among the indices that occurred");
    if (unpack_failed(in))
        return;
    schema->base = SCHEMA_DIRECT;
    schema->direct = (struct index_range){.lowest = end ? (uint32_t)lowest : UINT32_MAX,
                                          .highest = end ? (uint32_t)end - 1 : 0};
}

// ---- squares and updates of groups ----

static bool has_groups(const tlu_model *model)
{
    return model->state.group_norm != NULL;
}

static void put_groups(struct packer *out, const tlu_model *model)
{
    uint32_t groups = scheme_groups(model->state.scheme.kind, schema_classes(&model->state.schema));
    put_numbers(out, model->state.group_norm, groups);
    for (uint32_t g = 0; g < groups; g++)
        put_count(out, model->state.group_updates[g]);
}

static void get_groups(struct unpack *in)
{
    struct learner_state *state = &in->model->state;
    uint32_t groups =
        scheme_groups(in->model->state.scheme.kind, schema_classes(&in->model->state.schema));
    if (!model_keeps_groups(in->model))
        unpack_damaged(in, "squares and updates should not be there");
    state->group_norm = unpack_new_numbers(in, groups);
    state->group_updates = unpack_checked(in, memory_new(groups, sizeof *state->group_updates));
    for (uint32_t g = 0; g < groups && !unpack_failed(in); g++)
        state->group_updates[g] = unpack_count(in);
}

// ---- columns that are not settled ----

static bool has_scales(const tlu_model *model)
{
    return model->state.weights.scale != NULL;
}

struct unsettled_cells {
    const struct weights *weights;
    const double *cells;
    size_t next; // the cell after the last one that was put
};

static void unsettled_piece(void *context, size_t first, size_t count, double *to)
{
    struct unsettled_cells *some = context;
    size_t at = first == 0 ? 0 : some->next;
    uint32_t columns = some->weights->columns, column = (uint32_t)(at % columns);
    for (size_t i = 0; i < count; at++, column = column + 1 < columns ? column + 1 : 0)
        if (!weights_column_is_settled(some->weights, column))
            to[i++] = some->cells[at];
    some->next = at;
}

static size_t count_unsettled(const struct weights *weights)
{
    size_t count = 0;
    for (uint32_t c = 0; c < weights->columns; c++)
        count += !weights_column_is_settled(weights, c);
    return count;
}

// The unsettled columns of an array, before they are multiplied by their scales.
static void put_unsettled(struct packer *out, const struct weights *weights, const double *cells)
{
    size_t columns = count_unsettled(weights), count = weights->features * columns;
    if (columns == weights->columns)
        put_numbers(out, cells, count);
    else
        put_computed(out, unsettled_piece, &(struct unsettled_cells){weights, cells, 0}, count);
}

static void get_unsettled(struct unpack *in, const struct weights *weights, double *cells)
{
    size_t count = weights->features * count_unsettled(weights), i = 0;
    double *numbers = unpack_new_numbers(in, count);
    while (!unpack_failed(in) && i < count)
        for (uint32_t c = 0; c < weights->columns; c++, cells++) {
            if (weights_column_is_settled(weights, c))
                continue;
            if (!number_is_same(*cells, numbers[i])) // memory that is 0 stays untouched
                *cells = numbers[i];
            i++;
        }
    memory_free(numbers);
}

static void put_scales(struct packer *out, const tlu_model *model)
{
    const struct weights *weights = &model->state.weights;
    put_numbers(out, weights->scale, weights->columns);
    put_numbers(out, weights->sum, weights->columns);
    put_numbers(out, weights->sum_at, weights->columns);
    put_unsettled(out, weights, weights->w);
    if (weights->u)
        put_unsettled(out, weights, weights->u);
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
    struct weights *weights = &in->model->state.weights;
    bool settled = true;
    if (!model_keeps_scales(in->model))
        unpack_damaged(in, "scales should not be there");
    weights->scale = unpack_new_numbers(in, weights->columns);
    weights->sum = unpack_new_numbers(in, weights->columns);
    weights->sum_at = unpack_new_numbers(in, weights->columns);
    for (uint32_t c = 0; c < weights->columns && !unpack_failed(in); c++) {
        check_scale(in, weights->scale[c], weights->sum_at[c], weights->steps);
        settled &= weights_column_is_settled(weights, c);
    }
    if (!unpack_failed(in) && settled)
        unpack_damaged(in, "scales should not be there");
    if (unpack_failed(in))
        return;
    get_unsettled(in, weights, weights->w);
    if (weights->u && !unpack_failed(in))
        get_unsettled(in, weights, weights->u);
}

// ---- states that were written ----

// Cells whose state was written although it equals that of a feature that never occurred.
static size_t next_written(const struct weights *weights, size_t at)
{
    size_t count = weights->features * weights->columns;
    while (at < count && weights->state[at] != weights->state_start)
        at++;
    return at < count ? at : SIZE_MAX;
}

static bool has_written(const tlu_model *model)
{
    const struct weights *weights = &model->state.weights;
    return weights->state && weights->state_start != 0 && next_written(weights, 0) != SIZE_MAX;
}

static void put_written(struct packer *out, const tlu_model *model)
{
    const struct weights *weights = &model->state.weights;
    uint64_t count = 0, next = 0; // the lowest cell that can come
    for (size_t i = next_written(weights, 0); i != SIZE_MAX; i = next_written(weights, i + 1))
        count++;
    put_count(out, count);
    for (size_t i = next_written(weights, 0); i != SIZE_MAX; i = next_written(weights, i + 1)) {
        put_count(out, i - next);
        next = i + 1;
    }
}

static void get_written(struct unpack *in)
{
    struct weights *weights = &in->model->state.weights;
    uint64_t next = 0, cells = (uint64_t)weights->features * weights->columns; // lowest to come
    if (!weights->state || weights->state_start == 0)
        unpack_damaged(in, "states that were written should not be there");
    size_t count = (size_t)unpack_length(in, 1, "states");
    if (!unpack_failed(in) && count == 0)
        unpack_damaged(in, "there are no states that were written");
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= cells || next + gap >= cells)
            unpack_damaged(in, "there is no such state");
        else if (weights->state[next + gap] != 0)
            unpack_damaged(in, "a state is not what it started with");
        if (unpack_failed(in))
            break;
        weights->state[next + gap] = weights->state_start;
        next += gap + 1;
    }
}

// ---- LIVE ----

// The first byte says which are there: bit i is part i.
static const struct live_part {
    bool (*is_there)(const tlu_model *model);
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
    for (unsigned i = 0; i < PARTS && model_keeps_state(model); i++)
        there |= (unsigned)parts[i].is_there(model) << i;
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
    const struct weights *weights = &model->state.weights;
    const struct weights_recent *recent = &weights->recent;
    if (model->state.decision.kind != DECIDE_ADAPTIVE)
        return;
    put_fixed(out, weights->by, 1);
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        put_double(out, model->state.decision.adapt->right[by]);
    put_double(out, model->state.decision.adapt->decay);
    put_double(out, recent->decay);
    put_double(out, recent->growth);
    put_double(out, recent->share);
    put_numbers(out, recent->r_bias, weights->columns);
    put_settled(out, weights, recent->r);
    if (weights->scale) {
        put_numbers(out, recent->sum, weights->columns);
        put_unsettled(out, weights, recent->r);
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

static void get_counts(struct unpack *in)
{
    struct adapt *adapt = in->model->state.decision.adapt;
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++) {
        adapt->right[by] = unpack_number(in, CODE_DOUBLE);
        if (!unpack_failed(in) && !(adapt->right[by] >= 0))
            unpack_damaged(in, "a count of right answers is below 0");
    }
    adapt->decay = get_decay(in);
}

void unpack_adaptive(struct unpack *in)
{
    struct tlu_model *model = in->model;
    struct weights *weights = &model->state.weights;
    struct weights_recent *recent = &weights->recent;
    if (model->state.decision.kind != DECIDE_ADAPTIVE || !model_can_stream(model))
        unpack_damaged(in, "it should not be there");
    if (unpack_failed(in))
        return;
    weights->by = (enum weights_by)unpack_choice(in, WEIGHTS_BY_RECENT, "what decides");
    get_counts(in);
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
    if (weights->scale && !unpack_failed(in)) {
        recent->sum = unpack_new_numbers(in, weights->columns);
        get_unsettled(in, weights, recent->r);
    }
}
