// What a model keeps for a stream to go on with the very bits (struct live).
#include "base/memory.h"
#include "model/make.h"

#include <math.h>
#include <string.h>

static const struct learner_kind *kind_of(const struct tlu_model *model)
{
    return learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
}

bool model_is_live(const struct tlu_model *model)
{
    return !model->kernel.kind && !(kind_of(model)->traits & LEARNER_WHOLE) &&
           (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_LAST ||
            model->decide == DECIDE_ADAPTIVE);
}

bool live_has_groups(const struct tlu_model *model)
{
    return model_is_live(model) && kind_of(model)->traits & LEARNER_SCALE;
}

bool live_has_scales(const struct tlu_model *model)
{
    return model_is_live(model) && (kind_of(model)->traits & LEARNER_SCALE ||
                                    options_number(model->options, OPTION_L2) > 0);
}

void live_free(struct live *live)
{
    void *parts[] = {live->order,   live->norm,       live->updates, live->scale,
                     live->sum,     live->sum_at,     live->w,       live->u,
                     live->written, live->recent_sum, live->r};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    *live = (struct live){0};
}

static bool keep_order(struct live *live, uint32_t classes, const struct mapping *mapping)
{
    bool same = true;
    for (uint32_t i = 0; i < classes; i++)
        same &= mapping->classes[i] == i;
    if (same)
        return true;
    live->order = memory_new(classes, sizeof *live->order);
    for (uint32_t i = 0; live->order && i < classes; i++)
        live->order[mapping->classes[i]] = i;
    return live->order != NULL;
}

// Features that never got a weight are not in the model, nor is it told that the first name came
// behind all indices where none of these has a weight.
static void keep_indices(struct live *live, const struct schema *grown, const struct schema *frozen)
{
    uint32_t count = frozen->numbered;
    if (!grown->base ||
        (count && frozen->ids[0] == grown->lowest && frozen->ids[count - 1] == grown->highest))
        return;
    live->indices = true;
    live->lowest = grown->lowest;
    live->highest = grown->highest;
}

static bool keep_groups(struct tlu_model *model, const struct tlu_learner *learner,
                        const struct mapping *mapping, bool last)
{
    struct live *live = &model->live;
    uint32_t groups = scheme_groups(model->scheme, learner->classes);
    if (!live_has_groups(model))
        return true;
    live->norm = memory_new(groups, sizeof *live->norm);
    live->updates = memory_new(groups, sizeof *live->updates);
    if (!live->norm || !live->updates)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t group = groups == 1 ? 0 : mapping->columns[g];
        live->norm[g] = learner->group_norm[group];
        live->updates[g] = learner->group_updates[group];
    }
    if (last)
        return true;
    // Weights of an earlier pass: their squares are not at hand.
    memset(live->norm, 0, groups * sizeof *live->norm);
    for (uint32_t c = 0; c < model->weights.columns; c++)
        live->norm[groups == 1 ? 0 : c] += weights_norm(&model->weights, c);
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
static double *cut(const struct live *live, const struct weights *weights, const double *from)
{
    double *to = memory_new(weights->features * live->unsettled, sizeof *to);
    for (size_t f = 0; to && f < weights->features; f++) {
        const double *row = from + f * weights->columns;
        double *cell = to + f * live->unsettled;
        if (weights_are_zero(row, weights->columns)) // memory that is 0 stays untouched
            continue;
        for (uint32_t c = 0; c < weights->columns; c++) {
            if (!live_is_unsettled(live, c))
                continue;
            if (row[c] != 0 || signbit(row[c]))
                *cell = row[c];
            cell++;
        }
    }
    return to;
}

static bool keep_scales(struct live *live, const struct weights *weights)
{
    uint32_t columns = weights->columns;
    live->scale = copy_of(weights->scale, columns);
    live->sum = copy_of(weights->sum, columns);
    live->sum_at = copy_of(weights->sum_at, columns);
    if (!live->scale || !live->sum || !live->sum_at)
        return false;
    for (uint32_t c = 0; c < columns; c++) {
        if (live_is_unsettled(live, c))
            live->unsettled++;
        else // the sum is the number of steps, since whenever
            live->sum[c] = live->sum_at[c] = 0;
    }
    live->w = cut(live, weights, weights->w);
    if (weights->u)
        live->u = cut(live, weights, weights->u);
    if (weights->recent.r) {
        live->r = cut(live, weights, weights->recent.r);
        live->recent_sum = copy_of(weights->recent.sum, columns);
    }
    return live->w && (live->u || !weights->u) &&
           ((live->r && live->recent_sum) || !weights->recent.r);
}

static bool is_settled(const struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights->sum[c] != weights->sum_at[c])
            return false;
    return true;
}

// A state of the model does not tell whether it was ever written, where it is what it started with.
static bool keep_written(struct live *live, const struct weights *to, const struct weights *from,
                         const struct mapping *mapping)
{
    size_t capacity = 0;
    for (size_t f = 0; from->state && from->state_start != 0 && f < to->features; f++) {
        size_t row = weights_row(from, mapping->features[f]);
        for (uint32_t c = 0; row != SIZE_MAX && c < to->columns; c++) {
            size_t at = row * from->columns + mapping->columns[c];
            if (from->state[at] != from->state_start)
                continue;
            if (!memory_reserve(&live->written, &capacity, live->written_count + 1,
                                sizeof *live->written))
                return false;
            live->written[live->written_count++] = (uint64_t)f * to->columns + c;
        }
    }
    return true;
}

bool live_make(struct tlu_model *model, const struct tlu_learner *learner,
               const struct weights *from, const struct mapping *mapping, bool last)
{
    struct live *live = &model->live;
    bool fine = true;
    if (model_is_live(model)) {
        keep_indices(live, &learner->schema, &model->schema);
        fine = keep_order(live, learner->classes, mapping) &&
               keep_groups(model, learner, mapping, last) &&
               keep_written(live, &model->weights, from, mapping) &&
               (is_settled(&model->weights) || keep_scales(live, &model->weights));
    }
    weights_unscale(&model->weights);
    return fine;
}
