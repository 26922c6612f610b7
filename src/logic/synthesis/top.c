// What the hidden units say about a row is a pattern of bits. The unit on top needs that no pattern
// comes with both values, and weights, for which a perceptron looks.
#include "logic/synthesis/top.h"

#include "base/memory.h"
#include "train/clock.h"

#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 62 // a pattern and a value in a word
#define ROWS_MAX ((size_t)1 << 14)
#define EPOCHS 300

struct patterns {
    uint64_t *all;  // [rows] the bits of the hidden units, above the value
    uint64_t *some; // [rows] room: distinct ones without a unit
    size_t rows, count;
};

struct weights {
    int64_t of[UNITS_MAX];
    int64_t threshold;
};

static void fill_patterns(struct patterns *patterns, const struct truth *truth,
                          const struct two_layers *layers)
{
    patterns->rows = 0;
    for (size_t row = 0; row < truth_rows(truth); row++) {
        uint64_t bits = 0;
        if (truth_is_open(truth, row))
            continue;
        for (size_t i = 0; i < layers->hidden; i++) {
            const struct plane *plane = &layers->planes[i];
            bool fires = plane_sum(plane, layers->inputs, row) >= plane->threshold;
            bits |= (uint64_t)fires << (i + 1);
        }
        patterns->all[patterns->rows++] = bits | truth_value(truth, row);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The distinct patterns without some units; false: one comes with both values.
static bool distinct(struct patterns *patterns, uint64_t without)
{
    size_t kept = 0;
    for (size_t i = 0; i < patterns->rows; i++)
        patterns->some[i] = patterns->all[i] & ~without;
    qsort(patterns->some, patterns->rows, sizeof(uint64_t), compare);
    for (size_t i = 0; i < patterns->rows; i++) {
        uint64_t pattern = patterns->some[i];
        if (kept > 0 && patterns->some[kept - 1] == pattern)
            continue;
        if (kept > 0 && patterns->some[kept - 1] >> 1 == pattern >> 1)
            return false;
        patterns->some[kept++] = pattern;
    }
    patterns->count = kept;
    return true;
}

// The perceptron in whole numbers. False: it did not come to an end in time.
static bool learn(const struct patterns *patterns, size_t units, struct weights *weights)
{
    memset(weights, 0, sizeof *weights);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        bool wrong = false;
        for (size_t i = 0; i < patterns->count; i++) {
            uint64_t pattern = patterns->some[i];
            int64_t sum = 0, step = pattern & 1 ? 1 : -1;
            for (size_t j = 0; j < units; j++)
                sum += weights->of[j] & -(int64_t)(pattern >> (j + 1) & 1);
            if ((sum >= weights->threshold) == (step > 0))
                continue;
            wrong = true;
            weights->threshold -= step;
            for (size_t j = 0; j < units; j++)
                weights->of[j] += step & -(int64_t)(pattern >> (j + 1) & 1);
        }
        if (!wrong)
            return true;
    }
    return false;
}

static void take_weights(struct two_layers *layers, const struct weights *weights)
{
    memcpy(layers->top, weights->of, layers->hidden * sizeof *layers->top);
    layers->threshold = weights->threshold;
}

static void leave_out(struct two_layers *layers, struct weights *weights, size_t unit)
{
    size_t after = layers->hidden - unit - 1;
    memmove(&layers->planes[unit], &layers->planes[unit + 1], after * sizeof *layers->planes);
    memmove(&weights->of[unit], &weights->of[unit + 1], after * sizeof *weights->of);
    layers->hidden--;
    take_weights(layers, weights);
}

static int64_t size_of(const int64_t *weights, size_t count)
{
    int64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += weights[i] < 0 ? -weights[i] : weights[i];
    return size;
}

static void improve(struct patterns *patterns, const struct truth *truth, double until,
                    struct two_layers *layers)
{
    struct weights weights;
    fill_patterns(patterns, truth, layers);
    for (size_t i = layers->hidden; i-- > 0 && layers->hidden > 2 && !layers->stopped;
         layers->stopped |= clock_is_past(until))
        if (distinct(patterns, (uint64_t)1 << (i + 1)) &&
            learn(patterns, layers->hidden, &weights)) {
            leave_out(layers, &weights, i);
            fill_patterns(patterns, truth, layers);
            i = layers->hidden;
        }
    if (distinct(patterns, 0) && learn(patterns, layers->hidden, &weights) &&
        size_of(weights.of, layers->hidden) < size_of(layers->top, layers->hidden))
        take_weights(layers, &weights);
}

tlu_status top_improve(const struct truth *truth, double until, struct two_layers *layers,
                       tlu_error *error)
{
    size_t rows = truth_rows(truth);
    if (layers->hidden > UNITS_MAX || rows > ROWS_MAX)
        return TLU_OK;
    struct patterns patterns = {.all = memory_new(rows, sizeof *patterns.all),
                                .some = memory_new(rows, sizeof *patterns.some)};
    bool enough = patterns.all && patterns.some;
    if (enough)
        improve(&patterns, truth, until, layers);
    memory_free(patterns.all);
    memory_free(patterns.some);
    return enough_memory(enough, error);
}
