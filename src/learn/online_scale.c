#include "learn/online_scale.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void online_scale_free(struct online_scale *scale)
{
    memory_free(scale->largest);
    memory_free(scale->room);
    *scale = (struct online_scale){0};
}

bool online_scale_reserve(struct tlu_learner *learner, size_t count)
{
    struct online_scale *scale = &learner->online;
    const struct weights *weights = &learner->weights;
    size_t needed = weights->seats ? weights->features : weights->capacity;
    if (needed > scale->capacity) { // memory that is 0 stays untouched: numbers have gaps
        if (needed < 2 * scale->capacity)
            needed = 2 * scale->capacity;
        float *larger = memory_new(needed, sizeof *larger);
        if (!larger)
            return false;
        for (size_t i = 0; i < scale->capacity; i++)
            if (scale->largest[i] > 0)
                larger[i] = scale->largest[i];
        memory_free(scale->largest);
        scale->largest = larger;
        scale->capacity = needed;
    }
    return memory_reserve(&scale->room, &scale->room_capacity, count, sizeof *scale->room);
}

// The weights of a feature whose unit has become `ratio` times as large.
static void rescale(struct tlu_learner *learner, uint32_t feature, double ratio)
{
    struct weights *weights = &learner->weights;
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return;
    size_t start = row * weights->columns;
    double state = learner->schedule == SCHEDULE_ADAGRAD ? 1 / (ratio * ratio) : ratio * ratio;
    for (uint32_t c = 0; c < weights->columns; c++) {
        size_t at = start + c;
        if (weights->w[at] != 0) {
            double w = weights->scale ? weights->scale[c] * weights->w[at] : weights->w[at];
            uint32_t group = learner->scheme == SCHEME_WTA ? 0 : c;
            learner->group_norm[group] += (ratio * ratio - 1) * w * w;
            weights->w[at] *= ratio;
        }
        if (weights->u && weights->u[at] != 0)
            weights->u[at] *= ratio;
        if (weights->state && weights->state[at] != 0)
            weights_set_state(weights, at, weights->state[at] * state);
    }
}

void online_scale_meet(struct tlu_learner *learner, const tlu_row *row)
{
    float *largest = learner->online.largest;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        float size = row->values ? fabsf(row->values[i]) : 1;
        if (!(size > largest[feature]))
            continue;
        if (largest[feature] > 0)
            rescale(learner, feature, (double)size / (double)largest[feature]);
        largest[feature] = size;
    }
}

void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *room)
{
    const struct online_scale *scale = &learner->online;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        float largest = feature < scale->capacity ? scale->largest[feature] : 0;
        room[i] = (float)(row_value(row, i) * online_scale_factor(largest));
    }
    row->values = room;
}
