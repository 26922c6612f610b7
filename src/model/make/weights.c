// The weights of a model, and how its values are scaled.
#include "base/memory.h"
#include "base/parallel.h"
#include "learn/online_scale.h"
#include "model/make/parts.h"

#include <math.h>

// One row [columns], column by column from the learner's numbers.
static void copy_cells(double *to, const double *from, const struct mapping *mapping,
                       uint32_t columns, bool is_signed)
{
    for (uint32_t c = 0; c < columns; c++) {
        double value = from[mapping->columns[c]];
        to[c] = is_signed && mapping->signs[c] < 0 ? 0 - value : value;
    }
}

// The same of weights, into a row of zeros. Memory that is 0 stays untouched.
static void copy_row(double *to, const double *from, const struct mapping *mapping,
                     uint32_t columns)
{
    if (columns == 1 && from[0] == 0 && !signbit(from[0]))
        return;
    if (columns == 1) { // the two classes have one sign
        to[0] = from[0];
        return;
    }
    if (weights_are_zero(from, columns))
        return;
    for (uint32_t c = 0; c < columns; c++) {
        double value = from[mapping->columns[c]];
        if (value != 0 || signbit(value))
            to[c] = mapping->signs[c] < 0 ? 0 - value : value;
    }
}

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
    const struct weights *from = copies->from, *to = copies->to;
    const struct mapping *mapping = copies->mapping;
    size_t columns = to->columns, stride = from->columns;
    for (size_t f = first; f < last; f++) {
        size_t source =
            weights_row(from, copies->kernel ? (size_t)mapping->rows[f] : mapping->features[f]);
        if (from->state)
            copy_state(copies, f, source);
        if (source == SIZE_MAX)
            continue;
        copy_row(to->w + f * columns, from->w + source * stride, mapping, to->columns);
        if (from->u)
            copy_row(to->u + f * columns, from->u + source * stride, mapping, to->columns);
        if (from->recent.r)
            copy_row(to->recent.r + f * columns, from->recent.r + source * stride, mapping,
                     to->columns);
    }
}

#define ROWS_MANY 200000 // for which threads are worth their start: it is memory that they touch

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
    weights_copy_time(to, from);
    copy_cells(to->bias, from->bias, mapping, columns, true);
    if (from->u)
        copy_cells(to->u_bias, from->u_bias, mapping, columns, true);
    if (from->state)
        copy_cells(to->state_bias, from->state_bias, mapping, columns, false);
    if (from->scale) {
        copy_cells(to->scale, from->scale, mapping, columns, false);
        copy_cells(to->sum, from->sum, mapping, columns, false);
        copy_cells(to->sum_at, from->sum_at, mapping, columns, false);
    }
    if (from->recent.r)
        copy_cells(to->recent.r_bias, from->recent.r_bias, mapping, columns, true);
    if (from->recent.sum)
        copy_cells(to->recent.sum, from->recent.sum, mapping, columns, false);
    struct row_copies copies = {to, from, mapping, kernel};
    uint64_t threads = options_count(learned->learner->options, OPTION_THREADS);
    parallel_run(count < ROWS_MANY ? 1 : parallel_threads(threads), count, copy_rows, &copies);
    return true;
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
