// The least whole weights, by branch and bound over the linear program of threshold_program.h.
//
// The program's sum of |weights| is a bound from below for all whole ones. If the weights at which
// it is reached are whole, they are the least. If not, one of them, w_i, lies between two whole
// numbers, and whole weights have w_i at most the lower or at least the upper: two programs with
// one bound more each. Those whose sum is past that of the best weights so far have nothing better;
// when none is left, the best are the least. The sums are fractions of whole numbers, so none of
// this rounds.
//
// Signs that the table tells, idle inputs and rows that others settle are left to the key rows: a
// whole weight whose sign is known is at least 1 in its sense, and one of an idle input, made 0,
// leaves a unit for the same function.
//
// Among weights of the same sum, the first is made as large as it can be, by searching for whole
// weights with a larger one until there are none, then the second, with the first fixed.
#include "base/error.h"
#include "base/memory.h"
#include "logic/threshold.h"
#include "logic/threshold_program.h"
#include "train/clock.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MAX ((uint64_t)1 << 32) // rows looked at: some seconds
#define DEPTH_MAX 500                // of bounds; the stack is not endless

struct search {
    const struct key_rows *keys;
    struct lp *program;
    int64_t most;       // weights with a larger sum are of no use
    bool first_will_do; // or the least of all
    bool found;
    int64_t best[TRUTH_INPUTS_MAX]; // by bit, in the key rows' sense
    unsigned depth;
    double until;
    bool gave_up, no_memory;
};

static int64_t floor_of(int64_t a, int64_t b) // b > 0
{
    return a / b - (a % b < 0);
}

// The bit whose weight is farthest from whole; false: all are whole.
static bool choose_bit(const struct search *search, const struct plane *plane, unsigned *chosen)
{
    int64_t farthest = 0;
    for (unsigned bit = 0; bit < search->keys->inputs; bit++) {
        int64_t above =
            plane->weights[bit] - floor_of(plane->weights[bit], plane->scale) * plane->scale;
        int64_t far = above < plane->scale - above ? above : plane->scale - above;
        if (far > farthest) {
            farthest = far;
            *chosen = bit;
        }
    }
    return farthest > 0;
}

static void take(struct search *search, const struct plane *plane)
{
    for (unsigned bit = 0; bit < search->keys->inputs; bit++)
        search->best[bit] = plane->weights[bit] / plane->scale;
    search->most = search->first_will_do ? -1 : plane->sum / plane->scale - 1;
    search->found = true;
}

static void branch(struct search *search);

// The part of what the program stands at that has sign times the weight >= least.
static void explore(struct search *search, unsigned bit, int sign, int64_t least)
{
    struct basis *here = lp_save(search->program);
    if (here && lp_bound(search->program, bit, sign, least)) {
        search->depth++;
        branch(search);
        search->depth--;
        lp_restore(search->program, here);
    } else {
        search->no_memory = true;
    }
    memory_free(here);
}

static void branch(struct search *search)
{
    struct plane plane;
    unsigned bit = 0;
    if (search->gave_up || search->no_memory)
        return;
    enum lp_end end = lp_run(search->program, search->most);
    search->gave_up = end == LP_OVERFLOW || search->depth > DEPTH_MAX ||
                      lp_work(search->program) > WORK_MAX || clock_is_past(search->until);
    if (end != LP_BEST || search->gave_up)
        return;
    lp_plane(search->program, &plane);
    if (!choose_bit(search, &plane, &bit)) {
        take(search, &plane);
        return;
    }
    int64_t lower = floor_of(plane.weights[bit], plane.scale);
    explore(search, bit, 1, lower + 1);
    explore(search, bit, -1, -lower);
}

static int64_t sum_of(const struct search *search)
{
    int64_t sum = 0;
    for (unsigned bit = 0; bit < search->keys->inputs; bit++)
        sum += llabs(search->best[bit]);
    return sum;
}

// Makes the weight of a bit as large as it can be in the table's sense and fixes it.
static void settle_tie(struct search *search, unsigned bit, int64_t sum)
{
    int sign = search->keys->flipped >> bit & 1 ? -1 : 1;
    search->first_will_do = true;
    do {
        search->most = sum;
        search->found = false;
        explore(search, bit, sign, sign * search->best[bit] + 1);
    } while (search->found);
    if (!lp_bound(search->program, bit, sign, sign * search->best[bit]) ||
        !lp_bound(search->program, bit, -sign, -sign * search->best[bit]))
        search->no_memory = true;
}

// What is in `answer` is the best so far; it becomes the least.
static tlu_status minimise(const struct truth *truth, struct search *search,
                           struct threshold *answer, tlu_error *error)
{
    unsigned inputs = truth->inputs;
    struct plane plane;
    for (unsigned i = 0; i < inputs; i++) {
        unsigned bit = inputs - 1 - i;
        search->best[bit] =
            search->keys->flipped >> bit & 1 ? -answer->weights[i] : answer->weights[i];
    }
    if (lp_run(search->program, INT64_MAX) == LP_BEST) {
        lp_plane(search->program, &plane);
        answer->least_sum = plane.sum / plane.scale + (plane.sum % plane.scale != 0);
        search->most = sum_of(search) - 1;
        explore(search, inputs - 1, 0, 0); // 0 w >= 0: all of it
        answer->is_smallest = !search->gave_up;
    }
    int64_t sum = sum_of(search);
    for (unsigned i = 0; i < inputs && answer->is_smallest; i++)
        settle_tie(search, inputs - 1 - i, sum);
    if (search->no_memory)
        return error_memory(error);
    int64_t weights[TRUTH_INPUTS_MAX + 1] = {0};
    for (unsigned i = 0; i < inputs; i++) {
        unsigned bit = inputs - 1 - i;
        weights[i] = search->keys->flipped >> bit & 1 ? -search->best[bit] : search->best[bit];
    }
    if (answer->is_smallest)
        answer->least_sum = sum;
    return threshold_set(truth, weights, answer, error);
}

tlu_status threshold_smallest(const struct truth *truth, double until, struct threshold *answer,
                              tlu_error *error)
{
    struct key_rows keys;
    TRY(threshold_find(truth, answer, error));
    if (!answer->is_threshold)
        return TLU_OK;
    if (!key_rows_find(truth, &keys)) {
        threshold_free(answer);
        return error_memory(error);
    }
    tlu_status status = TLU_OK;
    answer->is_smallest = true; // of a constant
    if (keys.trues > 0 && keys.trues < keys.count) {
        struct search search = {.keys = &keys, .program = lp_new(&keys), .until = until};
        answer->is_smallest = false;
        status = search.program ? minimise(truth, &search, answer, error) : error_memory(error);
        lp_free(search.program);
    }
    key_rows_free(&keys);
    if (status != TLU_OK)
        threshold_free(answer);
    return status;
}
