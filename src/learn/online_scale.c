#include "learn/online_scale.h"

#include "base/memory.h"
#include "learn/guard.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COUNT_MAX 16.0 // maximum sqrt(q) of a feature that is taken for a count

void online_scale_free(struct online_scale *scale)
{
    memory_free(scale->units);
    memory_free(scale->scratch);
    *scale = (struct online_scale){0};
}

// Enlarges the array to `needed` units. Features that never occurred are not written to, so that
// gaps in the numbers of features need no physical memory.
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

static bool enlarge_counts(struct word_counts *words, size_t needed)
{
    uint32_t *counts = memory_new(needed, sizeof *counts);
    if (!counts)
        return false;
    for (size_t i = 0; i < words->capacity; i++)
        if (words->counts[i])
            counts[i] = words->counts[i];
    memory_free(words->counts);
    words->counts = counts;
    words->capacity = needed;
    return true;
}

bool online_scale_reserve(struct tlu_learner *learner, size_t count)
{
    struct online_scale *scale = &learner->state.online;
    struct word_counts *words = &learner->state.words;
    const struct weights *weights = &learner->state.weights;
    size_t needed = weights->slots ? weights->features : weights->capacity;
    if (needed > scale->capacity && needed < 2 * scale->capacity)
        needed = 2 * scale->capacity;
    if (needed > scale->capacity && !enlarge(scale, needed))
        return false;
    if (scale_rule_counts(&scale->words) && scale->capacity > words->capacity &&
        !enlarge_counts(words, scale->capacity))
        return false;
    return memory_reserve(&scale->scratch, &scale->scratch_capacity, count, sizeof *scale->scratch);
}

// Multiplies the weights of a feature. Zeros are not written to, see enlarge.
static void multiply(struct tlu_learner *learner, uint32_t feature, double factor)
{
    struct weights *weights = &learner->state.weights;
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return;
    size_t start = row * weights->columns;
    for (uint32_t c = 0; c < weights->columns; c++) {
        size_t at = start + c;
        if (weights->w[at] != 0) {
            double w = weights->scale ? weights->scale[c] * weights->w[at] : weights->w[at];
            uint32_t group = learner->state.scheme.kind == SCHEME_WTA ? 0 : c;
            if (learner->rule.kind->traits & LEARNER_SCALE) // other learners do not use group_norm
                learner->state.group_norm[group] += (factor * factor - 1) * w * w;
            weights->w[at] *= factor;
        }
        if (weights->u && weights->u[at] != 0)
            weights->u[at] *= factor;
        if (weights->recent.r && weights->recent.r[at] != 0)
            weights->recent.r[at] *= factor;
    }
}

// --scale online: the unit of a feature is multiplied by `ratio`.
static void rescale(struct tlu_learner *learner, uint32_t feature, double ratio)
{
    struct weights *weights = &learner->state.weights;
    size_t row = weights_row(weights, feature), start = row * weights->columns;
    if (row == SIZE_MAX)
        return;
    double state = learner->rule.schedule == SCHEDULE_ADAGRAD ? 1 / (ratio * ratio) : ratio * ratio;
    multiply(learner, feature, ratio);
    for (size_t at = start; weights->state && at < start + weights->columns; at++)
        if (weights->state[at] != 0) {
            weights_set_state(weights, at, weights->state[at] * state);
            learner->guard.states = fmax(learner->guard.states, weights->state[at]);
        }
}

// --scale recent: the unit of a feature is divided by s.
static void change_unit(struct tlu_learner *learner, uint32_t feature, double s)
{
    struct weights *weights = &learner->state.weights;
    size_t row = weights_row(weights, feature), start = row * weights->columns;
    if (row == SIZE_MAX)
        return;
    bool adagrad = learner->rule.schedule == SCHEDULE_ADAGRAD;
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

// The power of two nearest to the root of a mean square, as a float that is neither 0 nor infinite.
static float unit_of(double square)
{
    int exponent;
    frexp(square, &exponent); // square is from 2^(exponent - 1) to below 2^exponent
    exponent = exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
    return ldexpf(1, exponent > 127 ? 127 : exponent < -126 ? -126 : exponent);
}

static bool is_whole(float value)
{
    return value >= 8388608 ||
           (float)(int32_t)value == value; // floats from 2^23 on are whole numbers
}

// --scale recent: updates the statistics of a feature with a value. Returns the new size of the
// unit, which the caller sets.
static float update_unit(struct scale_unit *unit, float value, bool counts)
{
    const double most = 2.8284271247461903; // 2^1.5: q / size^2 stays between 1 / most and most
    double square = (double)value * (double)value, size = (double)unit->size;
    if (unit->count < ONLINE_SCALE_VALUES)
        unit->count++;
    if (square == unit->square && size > 0) // nothing has changed
        return unit->size;
    square = unit->square += (square - unit->square) / unit->count;
    if (value == 1)
        unit->kind |= UNIT_ONE;
    else if (!(unit->kind & UNIT_FRACTION) && !is_whole(value))
        unit->kind |= UNIT_FRACTION;
    if (counts && unit->kind == UNIT_ONE && square <= COUNT_MAX * COUNT_MAX)
        return 1;
    return square <= most * size * size && most * square >= size * size ? unit->size
                                                                        : unit_of(square);
}

static void note_least(struct tlu_learner *learner, float size)
{
    if ((double)size < learner->guard.least) {
        learner->guard.least = (double)size;
        guard_set(learner);
    }
}

static bool update_recent(struct tlu_learner *learner, uint32_t feature, float value, bool counts)
{
    assert(feature < learner->state.online.capacity);
    struct scale_unit *unit = &learner->state.online.units[feature];
    float before = unit->size, size = update_unit(unit, value, counts);
    if (size == before)
        return false;
    note_least(learner, size);
    if (before > 0)
        change_unit(learner, feature, (double)before / (double)size);
    unit->size = size;
    return true;
}

double online_scale_preview(const struct tlu_learner *learner, uint32_t feature, double value,
                            double *factor)
{
    const struct online_scale *scale = &learner->state.online;
    struct scale_unit unit = {0};
    double size = fabs(value);
    *factor = 1;
    if (!scale->on)
        return size;
    if (feature < scale->capacity)
        unit = scale->units[feature];
    if (unit.kind & UNIT_WORD)
        return size * (scale->words.tfidf ? WORD_FACTOR_MAX : 1);
    if (!scale->numbers)
        return size;
    double before = (double)unit.size, after = fmax(before, size);
    if (scale->recent && size > 0)
        after = (double)update_unit(&unit, (float)size, !schema_is_csv(&learner->state.schema));
    if (before > 0)
        *factor = scale->recent ? fmax(1, before / after) : after / before;
    if (!(after > 0))
        return 0;
    return scale->recent && before > 0 ? size / fmin(before, after) : size / after;
}

static bool update_largest(struct tlu_learner *learner, uint32_t feature, float value)
{
    assert(feature < learner->state.online.capacity);
    struct scale_unit *unit = &learner->state.online.units[feature];
    if (!(value > unit->size))
        return false;
    if (unit->size > 0)
        rescale(learner, feature, (double)value / (double)unit->size);
    else
        note_least(learner, value);
    unit->size = value;
    return true;
}

// The first time that a feature occurs: sets the unit of a word.
static void note_word(struct tlu_learner *learner, uint32_t feature)
{
    struct scale_unit *unit = &learner->state.online.units[feature];
    if (!schema_is_word(&learner->state.schema, feature))
        return;
    *unit = word_unit;
    note_least(learner, 1);
}

bool online_scale_update(struct tlu_learner *learner, const tlu_row *row)
{
    struct online_scale *scale = &learner->state.online;
    struct word_counts *words = &learner->state.words;
    bool texts = schema_has_texts(&learner->state.schema),
         counted = scale_rule_counts(&scale->words);
    bool counts = !schema_is_csv(&learner->state.schema), changed = counted;
    words->rows += counted;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        struct scale_unit *unit = &scale->units[feature];
        float value = row->values ? fabsf(row->values[i]) : 1;
        if (texts && unit->size == 0)
            note_word(learner, feature);
        if (unit->kind & UNIT_WORD) {
            if (counted && words->counts[feature] < UINT32_MAX)
                words->counts[feature]++;
            continue;
        }
        if (!scale->numbers)
            unit->size = 1;
        else if (!scale->recent)
            changed |= update_largest(learner, feature, value);
        else if (value > 0)
            changed |= update_recent(learner, feature, value, counts);
    }
    return changed;
}

void online_scale_row(const struct tlu_learner *learner, tlu_row *row, float *scratch)
{
    const struct online_scale *scale = &learner->state.online;
    const struct word_counts *words = &learner->state.words;
    bool counted = scale_rule_counts(&scale->words);
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        float size = online_scale_size(scale, feature);
        float value = row->values ? row->values[i] : 1;
        double scaled = (double)value * online_scale_factor(size);
        if (scale->recent) // the unit is from before this value, so the quotient may overflow
            scaled = fmax(-(double)FLT_MAX, fmin(scaled, (double)FLT_MAX));
        scratch[i] = size == 1 ? value : (float)scaled;
        if (counted && feature < scale->capacity && scale->units[feature].kind & UNIT_WORD)
            scratch[i] =
                (float)((double)value *
                        word_factor(&scale->words, word_count(words, feature), words->rows));
    }
    row->values = scratch;
    if (scale->words.normalize)
        values_normalize(scratch, row->count);
}
