#include "logic/synthesis/synthesis.h"

#include "base/memory.h"

#include <string.h>

#define WEIGHT_MAX 3 // threshold functions of four inputs need no larger ones
#define FUNCTIONS_MAX 1882
#define ROWS_MAX (1U << PAIRS_INPUTS_MAX)

// Distinct sets of rows, each what a half-space has of some, with a plane for it.
struct traces {
    size_t count;
    uint16_t sets[FUNCTIONS_MAX];
    uint16_t planes[FUNCTIONS_MAX]; // numbers of weights
    int8_t thresholds[FUNCTIONS_MAX];
    bool seen[1U << ROWS_MAX];
};

static unsigned weights_count(unsigned inputs)
{
    unsigned count = 1;
    while (inputs-- > 0)
        count *= 2 * WEIGHT_MAX + 1;
    return count;
}

static void weights_of(unsigned number, unsigned inputs, int32_t *weights)
{
    for (unsigned i = 0; i < inputs; i++, number /= 2 * WEIGHT_MAX + 1)
        weights[i] = (int32_t)(number % (2 * WEIGHT_MAX + 1)) - WEIGHT_MAX;
}

static void note(struct traces *traces, uint16_t set, unsigned number, int threshold)
{
    if (traces->seen[set])
        return;
    traces->seen[set] = true;
    traces->sets[traces->count] = set;
    traces->planes[traces->count] = (uint16_t)number;
    traces->thresholds[traces->count++] = (int8_t)threshold;
}

// The half-spaces that have all of `inside`; of them, what they have of `outside`.
static void gather(struct traces *traces, unsigned inputs, uint16_t inside, uint16_t outside)
{
    memset(traces, 0, sizeof *traces);
    for (unsigned number = 0; number < weights_count(inputs); number++) {
        struct plane plane;
        int64_t sums[ROWS_MAX];
        weights_of(number, inputs, plane.weights);
        for (unsigned row = 0; row < 1U << inputs; row++)
            sums[row] = plane_sum(&plane, inputs, row);
        for (int t = -4 * WEIGHT_MAX; t <= 4 * WEIGHT_MAX + 1; t++) {
            uint16_t rows = 0;
            for (unsigned row = 0; row < 1U << inputs; row++)
                rows |= (uint16_t)((sums[row] >= t) << row);
            if ((inside & ~rows) == 0)
                note(traces, rows & outside, number, t);
        }
    }
}

static void plane_at(const struct traces *traces, size_t i, unsigned inputs, bool complement,
                     struct plane *plane)
{
    memset(plane, 0, sizeof *plane);
    weights_of(traces->planes[i], inputs, plane->weights);
    plane->threshold = traces->thresholds[i];
    if (!complement)
        return;
    for (unsigned j = 0; j < inputs; j++)
        plane->weights[j] = -plane->weights[j];
    plane->threshold = 1 - plane->threshold; // not (sum >= t) is -sum >= 1 - t
}

// Two of them that have nothing of `outside` in common.
static bool find_apart(const struct traces *traces, size_t *first, size_t *second)
{
    for (*first = 0; *first < traces->count; ++*first)
        for (*second = 0; *second < *first; ++*second)
            if ((traces->sets[*first] & traces->sets[*second]) == 0)
                return true;
    return false;
}

static bool find(struct traces *traces, const struct truth *truth, struct plane planes[2],
                 bool *is_and)
{
    uint16_t sides[2] = {0, 0}; // zeros, ones
    size_t first, second;
    for (unsigned row = 0; row < truth_rows(truth); row++)
        if (!truth_is_open(truth, row))
            sides[truth_value(truth, row)] |= (uint16_t)(1U << row);
    for (int side = 1; side >= 0; side--) { // as AND; then that of the complement, which is an OR
        gather(traces, truth->inputs, sides[side], sides[!side]);
        if (!find_apart(traces, &first, &second))
            continue;
        *is_and = side;
        plane_at(traces, first, truth->inputs, !side, &planes[0]);
        plane_at(traces, second, truth->inputs, !side, &planes[1]);
        return true;
    }
    return false;
}

tlu_status pairs_find(const struct truth *truth, struct plane planes[2], bool *found, bool *is_and,
                      tlu_error *error)
{
    struct traces *traces = memory_new(1, sizeof *traces);
    if (!traces)
        return error_memory(error);
    *found = find(traces, truth, planes, is_and);
    memory_free(traces);
    return TLU_OK;
}
