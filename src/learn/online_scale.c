#include "learn/online_scale.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define COUNT_MOST 16.0 // the root of the mean square of a count

void online_scale_free(struct online_scale *scale)
{
    memory_free(scale->units);
    memory_free(scale->room);
    *scale = (struct online_scale){0};
}

// Room for `needed` features with the old ones copied in. Memory that is 0 stays untouched: numbers
// have gaps.
static bool enlarge(struct online_scale *scale, size_t needed)
{
    struct scale_unit *units = memory_new(needed, sizeof *units);
    if (!units)
        return false;
    for (size_t i = 0; i < scale->capacity; i++)
        if (scale->units[i].size > 0)
            units[i] = scale->units[i];
    memory_free(scale->units);
    scale->units = units;
    scale->capacity = needed;
    return true;
}

bool online_scale_reserve(struct tlu_learner *learner, size_t count)
{
    struct online_scale *scale = &learner->online;
    const struct weights *weights = &learner->weights;
    size_t needed = weights->seats ? weights->features : weights->capacity;
    if (needed > scale->capacity && needed < 2 * scale->capacity)
        needed = 2 * scale->capacity;
    if (needed > scale->capacity && !enlarge(scale, needed))
        return false;
    return memory_reserve(&scale->room, &scale->room_capacity, count, sizeof *scale->room);
}

// Multiplies the weights of a feature; what is 0 stays untouched.
static void multiply(struct tlu_learner *learner, uint32_t feature, double factor)
{
    struct weights *weights = &learner->weights;
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return;
    size_t start = row * weights->columns;
    for (uint32_t c = 0; c < weights->columns; c++) {
        size_t at = start + c;
        if (weights->w[at] != 0) {
            double w = weights->scale ? weights->scale[c] * weights->w[at] : weights->w[at];
            uint32_t group = learner->scheme == SCHEME_WTA ? 0 : c;
            learner->group_norm[group] += (factor * factor - 1) * w * w;
            weights->w[at] *= factor;
        }
        if (weights->u && weights->u[at] != 0)
            weights->u[at] *= factor;
        if (weights->recent.r && weights->recent.r[at] != 0)
            weights->recent.r[at] *= factor;
    }
}

// online: the unit of a feature has become `ratio` times as large.
static void rescale(struct tlu_learner *learner, uint32_t feature, double ratio)
{
    struct weights *weights = &learner->weights;
    size_t row = weights_row(weights, feature), start = row * weights->columns;
    if (row == SIZE_MAX)
        return;
    double state = learner->schedule == SCHEDULE_ADAGRAD ? 1 / (ratio * ratio) : ratio * ratio;
    multiply(learner, feature, ratio);
    for (size_t at = start; weights->state && at < start + weights->columns; at++)
        if (weights->state[at] != 0)
            weights_set_state(weights, at, weights->state[at] * state);
}

// recent: the unit of a feature has become 1 / s times as large.
static void relearn(struct tlu_learner *learner, uint32_t feature, double s)
{
    struct weights *weights = &learner->weights;
    size_t row = weights_row(weights, feature), start = row * weights->columns;
    if (row == SIZE_MAX)
        return;
    bool adagrad = learner->schedule == SCHEDULE_ADAGRAD;
    double first = weights->state_start;
    if (!adagrad)
        multiply(learner, feature, s);
    for (size_t at = start; weights->state && at < start + weights->columns; at++) {
        double state = weights->state[at];
        if (state != 0)
            weights_set_state(weights, at,
                              adagrad ? s * s * state
                                      : first * state / (state + (first - state) * s * s));
    }
}

// The power of two next to the root of a mean square: a float that is neither 0 nor infinite.
static float unit_of(double square)
{
    int exponent;
    frexp(square, &exponent); // square is from 2^(exponent - 1) to below 2^exponent
    exponent = exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
    return ldexpf(1, exponent > 127 ? 127 : exponent < -126 ? -126 : exponent);
}

static void set_unit(struct tlu_learner *learner, uint32_t feature, float size)
{
    struct scale_unit *unit = &learner->online.units[feature];
    if (unit->size > 0 && unit->size != size)
        relearn(learner, feature, (double)unit->size / (double)size);
    unit->size = size;
}

static bool is_whole(float value)
{
    return value >= 8388608 || (float)(int32_t)value == value; // 2^23: no fractions from there on
}

static bool meet_recent(struct tlu_learner *learner, uint32_t feature, float value, bool counts)
{
    const double most = 2.8284271247461903; // 2^1.5
    struct scale_unit *unit = &learner->online.units[feature];
    double square = (double)value * (double)value, size = (double)unit->size;
    if (unit->met < ONLINE_SCALE_VALUES)
        unit->met++;
    if (square == unit->square && size > 0) // as ever
        return false;
    square = unit->square += (square - unit->square) / unit->met;
    if (value == 1)
        unit->kind |= UNIT_ONE;
    else if (!(unit->kind & UNIT_FRACTION) && !is_whole(value))
        unit->kind |= UNIT_FRACTION;
    if (counts && unit->kind == UNIT_ONE && square <= COUNT_MOST * COUNT_MOST) {
        if (size == 1)
            return false;
        set_unit(learner, feature, 1);
        return true;
    }
    if (square <= most * size * size && most * square >= size * size)
        return false;
    set_unit(learner, feature, unit_of(square));
    return true;
}

static bool meet_largest(struct tlu_learner *learner, uint32_t feature, float value)
{
    struct scale_unit *unit = &learner->online.units[feature];
    if (!(value > unit->size))
        return false;
    if (unit->size > 0)
        rescale(learner, feature, (double)value / (double)unit->size);
    unit->size = value;
    return true;
}

bool online_scale_meet(struct tlu_learner *learner, const tlu_row *row)
{
    bool counts = !schema_is_csv(&learner->schema), changed = false;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        float value = row->values ? fabsf(row->values[i]) : 1;
        if (!learner->online.recent)
            changed |= meet_largest(learner, feature, value);
        else if (value > 0)
            changed |= meet_recent(learner, feature, value, counts);
    }
    return changed;
}

void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *room)
{
    const struct online_scale *scale = &learner->online;
    for (size_t i = 0; i < row->count; i++) {
        float size = online_scale_size(scale, row_feature(row, i));
        float value = row->values ? row->values[i] : 1;
        room[i] = size == 1 ? value : (float)((double)value * online_scale_factor(size));
    }
    row->values = room;
}
