#include "train/checkpoint/packed.h"

#include "base/memory.h"

#include <string.h>

void packed_free(struct packed_weights *packed)
{
    weights_free(&packed->weights);
    memory_free(packed->feature);
}

static void copy(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
}

// What there is one of for each column.
static void copy_columns(struct weights *to, const struct weights *from)
{
    copy(to->bias, from->bias, from->columns);
    copy(to->u_bias, from->u_bias, from->columns);
    copy(to->state_bias, from->state_bias, from->columns);
    copy(to->scale, from->scale, from->columns);
    copy(to->sum, from->sum, from->columns);
    copy(to->sum_at, from->sum_at, from->columns);
    to->steps = from->steps;
}

static void copy_row(struct weights *to, size_t to_row, const struct weights *from, size_t from_row)
{
    size_t a = to_row * to->columns, b = from_row * from->columns;
    weights_copy_cells(to->w + a, from->w + b, from->columns);
    if (from->u)
        weights_copy_cells(to->u + a, from->u + b, from->columns);
    if (from->state)
        weights_copy_cells(to->state + a, from->state + b, from->columns);
}

bool packed_take(struct packed_weights *packed, const struct weights *weights)
{
    size_t count = 0, row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        count += weights_are_used(weights, row);
    packed->feature = memory_new(count, sizeof *packed->feature);
    if (!packed->feature ||
        !weights_init(&packed->weights, weights->columns, weights_parts(weights),
                      weights->state_start) ||
        !weights_reserve(&packed->weights, count))
        return false;
    copy_columns(&packed->weights, weights);
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        if (weights_are_used(weights, row)) {
            copy_row(&packed->weights, packed->count, weights, row);
            packed->feature[packed->count++] = (uint32_t)f;
        }
    return true;
}

size_t packed_features(const struct packed_weights *packed)
{
    return packed->count ? (size_t)packed->feature[packed->count - 1] + 1 : 0;
}

bool packed_restore(struct weights *to, const struct tlu_learner *learner,
                    const struct packed_weights *packed, size_t features)
{
    const struct weights *from = &packed->weights;
    struct weights new;
    struct feature_slots *slots = learner->space.weights.slots;
    size_t least = packed_features(packed), row = 0;
    bool fine = weights_init(&new, from->columns, weights_parts(from), from->state_start) &&
                (!slots || weights_use_slots(&new, slots)) &&
                weights_reserve(&new, features > least ? features : least);
    if (fine)
        copy_columns(&new, from);
    for (size_t i = 0; fine && i < packed->count; i++) {
        row = weights_add_row(&new, packed->feature[i]);
        fine = row != SIZE_MAX;
        if (fine)
            copy_row(&new, row, from, i);
    }
    weights_free(fine ? to : &new);
    if (fine)
        *to = new;
    return fine;
}
