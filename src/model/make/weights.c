// The weights of a model, how its values are scaled, and the state of a stream in the numbers of
// the model (struct stream_state).
#include "base/memory.h"
#include "base/parallel.h"
#include "learn/online_scale.h"
#include "model/make/internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- copies in both directions ----

static double signed_value(const struct mapping *mapping, uint32_t column, double value)
{
    return mapping->signs[column] < 0 ? 0 - value : value;
}

// [columns], of the model. NULL: the weights do not have them.
static void copy_cells(double *to, const double *from, const struct mapping *mapping,
                       uint32_t columns, bool is_signed)
{
    for (uint32_t c = 0; to && from && c < columns; c++) {
        uint32_t own = mapping->columns[c];
        double value = from[mapping->to_learner ? c : own];
        to[mapping->to_learner ? own : c] = is_signed ? signed_value(mapping, c, value) : value;
    }
}

void copy_columns(struct weights *to, const struct weights *from, const struct mapping *mapping)
{
    uint32_t columns = mapping->to_learner ? from->columns : to->columns;
    assert(columns <= to->columns && columns <= from->columns);
    weights_copy_time(to, from);
    copy_cells(to->bias, from->bias, mapping, columns, true);
    copy_cells(to->u_bias, from->u_bias, mapping, columns, true);
    copy_cells(to->recent.r_bias, from->recent.r_bias, mapping, columns, true);
    copy_cells(to->state_bias, from->state_bias, mapping, columns, false);
    copy_cells(to->scale, from->scale, mapping, columns, false);
    copy_cells(to->sum, from->sum, mapping, columns, false);
    copy_cells(to->sum_at, from->sum_at, mapping, columns, false);
    copy_cells(to->recent.sum, from->recent.sum, mapping, columns, false);
}

// The same of weights, into a row of zeros. Memory that is 0 stays untouched.
static void copy_row(double *to, const double *from, const struct mapping *mapping,
                     uint32_t columns)
{
    if (columns == 1) { // the two classes have one sign
        if (from[0] != 0 || signbit(from[0]))
            to[0] = from[0];
        return;
    }
    if (weights_are_zero(from, columns))
        return;
    for (uint32_t c = 0; c < columns; c++) {
        uint32_t own = mapping->columns[c];
        double value = from[mapping->to_learner ? c : own];
        if (value != 0 || signbit(value))
            to[mapping->to_learner ? own : c] = signed_value(mapping, c, value);
    }
}

void copy_feature(struct weights *to, size_t to_row, const struct weights *from, size_t from_row,
                  const struct mapping *mapping)
{
    size_t at = to_row * to->columns, source = from_row * from->columns;
    uint32_t columns = mapping->to_learner ? from->columns : to->columns;
    copy_row(to->w + at, from->w + source, mapping, columns);
    if (to->u && from->u)
        copy_row(to->u + at, from->u + source, mapping, columns);
    if (to->recent.r && from->recent.r)
        copy_row(to->recent.r + at, from->recent.r + source, mapping, columns);
}

// ---- weights ----

struct row_copies {
    struct weights *to;
    const struct weights *from;
    const struct mapping *mapping;
    bool kernel;
};

static void copy_state(const struct row_copies *copies, size_t feature, size_t source)
{
    const struct weights *from = copies->from;
    double *to = copies->to->state + feature * copies->to->columns;
    for (uint32_t c = 0; c < copies->to->columns; c++)
        to[c] = source != SIZE_MAX
                    ? weights_state(from, source * from->columns + copies->mapping->columns[c])
                    : from->state_start;
}

static void copy_rows(void *context, size_t first, size_t last)
{
    const struct row_copies *copies = context;
    const struct weights *from = copies->from;
    const struct mapping *mapping = copies->mapping;
    for (size_t f = first; f < last; f++) {
        size_t source =
            weights_row(from, copies->kernel ? (size_t)mapping->rows[f] : mapping->features[f]);
        if (from->state)
            copy_state(copies, f, source);
        if (source == SIZE_MAX)
            continue;
        copy_feature(copies->to, f, from, source, mapping);
    }
}

#define ROWS_MANY 200000 // from which on threads are faster; they wait for memory

bool make_weights(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping)
{
    const struct weights *from = learned->weights;
    struct weights *to = &model->weights;
    uint32_t columns = learner_columns(learned->learner);
    bool kernel = learned->learner->space.kernel.kind;
    size_t count = kernel ? mapping->row_count : mapping->feature_count;
    if (!weights_init(to, columns, weights_parts(from), from->state_start) ||
        !weights_reserve(to, count))
        return false;
    copy_columns(to, from, mapping);
    struct row_copies copies = {to, from, mapping, kernel};
    uint64_t threads = options_count(learned->learner->options, OPTION_THREADS);
    parallel_run(count < ROWS_MANY ? 1 : parallel_threads(threads), count, copy_rows, &copies);
    return true;
}

// ---- the state of a stream ----

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

// Features without a weight are not in the model; and if no index has one, the model does not show
// that names come after the indices.
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
    // The norms of an earlier pass were not kept.
    memset(state->norm, 0, groups * sizeof *state->norm);
    for (uint32_t c = 0; c < model->weights.columns; c++)
        state->norm[groups == 1 ? 0 : c] += weights_norm(&model->weights, c);
    return true;
}

// The columns of one array of the weights that are unsettled: [features][unsettled columns].
static double *unsettled_columns(const struct unsettled *unsettled, const struct weights *weights,
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
    unsettled->scale = memory_copy(weights->scale, columns, sizeof(double));
    unsettled->sum = memory_copy(weights->sum, columns, sizeof(double));
    unsettled->sum_at = memory_copy(weights->sum_at, columns, sizeof(double));
    if (!unsettled->scale || !unsettled->sum || !unsettled->sum_at)
        return false;
    for (uint32_t c = 0; c < columns; c++) {
        if (column_is_unsettled(unsettled, c))
            unsettled->columns++;
        else // the sum is that of the steps, whenever it was taken
            unsettled->sum[c] = unsettled->sum_at[c] = 0;
    }
    unsettled->w = unsettled_columns(unsettled, weights, weights->w);
    if (weights->u)
        unsettled->u = unsettled_columns(unsettled, weights, weights->u);
    if (weights->recent.r) {
        unsettled->r = unsettled_columns(unsettled, weights, weights->recent.r);
        unsettled->recent_sum = memory_copy(weights->recent.sum, columns, sizeof(double));
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

// A state with its start value may have been written or not: lists those that were.
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

// ---- scaling ----

static bool copy_units(struct tlu_model *model, const struct online_scale *online,
                       const struct mapping *mapping)
{
    if (!online->recent)
        return true;
    model->stream.units = memory_new(mapping->feature_count, sizeof *model->stream.units);
    for (size_t f = 0; model->stream.units && f < mapping->feature_count; f++)
        if (mapping->features[f] < online->capacity)
            model->stream.units[f] = online->units[mapping->features[f]];
    return model->stream.units != NULL;
}

bool make_scaling(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping)
{
    struct scaling *to = &model->scaling;
    const struct scaling *from = learned->scaling;
    const struct online_scale *online = &learned->learner->online;
    if (!online->on && (!from || from->kind == SCALE_NONE))
        return true;
    to->kind = online->on ? SCALE_MAXABS : from->kind;
    to->features = mapping->feature_count;
    to->factor = memory_new(to->features, sizeof(double));
    to->shift = memory_new(to->features, sizeof(double));
    if (!to->factor || !to->shift)
        return false;
    for (size_t f = 0; online->on && f < to->features; f++) {
        to->factor[f] = online_scale_factor(online_scale_size(online, mapping->features[f]));
    }
    for (size_t f = 0; !online->on && f < to->features; f++) {
        to->factor[f] = from->factor[mapping->features[f]];
        to->shift[f] = from->shift[mapping->features[f]];
    }
    return scaling_index(to) && copy_units(model, online, mapping);
}
