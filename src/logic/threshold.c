// Is a table that of a single unit? Signs first (threshold_rows.h), which settles most tables that
// are not; then a linear program (threshold_program.h). Whatever comes out is believed after it has
// been checked here, on the table itself.
#include "logic/threshold.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/threshold_program.h"

#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 4096              // of weights rounded to small whole numbers
#define LOOKS_MAX ((size_t)1 << 24) // at rows, by these tries

void threshold_free(struct threshold *answer)
{
    memory_free(answer->weights);
    memory_free(answer->rows);
    memory_free(answer->multiple);
    memset(answer, 0, sizeof *answer);
}

static tlu_status broken(tlu_error *error)
{
    return error_system(error, "an answer about a threshold function does not check: this is a "
                               "fault of the program, please report it");
}

static unsigned bit_of(unsigned inputs, unsigned input)
{
    return inputs - 1 - input;
}

// ---- weights ----

// The threshold, which is the least sum of a true row; false: these weights do not separate. Of a
// table without true rows it is one more than the largest sum.
static bool find_threshold(const struct truth *truth, const int64_t *weights, struct row_sums *sums,
                           int64_t *threshold)
{
    int64_t by_bit[TRUTH_INPUTS_MAX] = {0}, least = INT64_MAX, largest = INT64_MIN;
    for (unsigned i = 0; i < truth->inputs; i++)
        by_bit[bit_of(truth->inputs, i)] = weights[i];
    row_sums_fill(sums, truth->inputs, by_bit);
    for (size_t row = 0; row < truth_rows(truth); row++) {
        if (truth_is_open(truth, row))
            continue;
        int64_t sum = row_sum(sums, (uint32_t)row);
        if (truth_value(truth, row))
            least = sum < least ? sum : least;
        else
            largest = sum > largest ? sum : largest;
    }
    if (least == INT64_MAX)
        least = largest == INT64_MIN ? 1 : largest + 1;
    *threshold = least;
    return least > largest;
}

tlu_status threshold_set(const struct truth *truth, const int64_t *weights,
                         struct threshold *answer, tlu_error *error)
{
    struct row_sums *sums = memory_new(1, sizeof *sums);
    memory_free(answer->weights);
    answer->weights = memory_copy(weights, truth->inputs + 1, sizeof *weights);
    answer->is_threshold = true;
    tlu_status status = TLU_OK;
    if (!sums || !answer->weights)
        status = error_memory(error);
    else if (!find_threshold(truth, weights, sums, &answer->threshold))
        status = broken(error);
    memory_free(sums);
    return status;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool separates(const struct key_rows *keys, const int64_t *by_bit, struct row_sums *sums)
{
    int64_t least = INT64_MAX;
    row_sums_fill(sums, keys->inputs, by_bit);
    for (size_t i = 0; i < keys->trues; i++) {
        int64_t sum = row_sum(sums, keys->rows[i]);
        least = sum < least ? sum : least;
    }
    for (size_t i = keys->trues; i < keys->count; i++)
        if (row_sum(sums, keys->rows[i]) >= least)
            return false;
    return true;
}

// Small whole numbers of the program's fractions: these times 1, 2, 3, ..., rounded; at the latest
// those times their denominator.
static void make_whole(const struct key_rows *keys, const struct plane *plane,
                       struct row_sums *sums, int64_t *by_bit)
{
    int64_t scale = plane->scale, divisor = scale;
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        divisor = common_divisor(divisor, plane->weights[bit]);
    for (int64_t times = 1;
         times < scale / divisor && times <= TRIES_MAX && (size_t)times * keys->count <= LOOKS_MAX;
         times++) {
        for (unsigned bit = 0; bit < keys->inputs; bit++) {
            int64_t product = 2 * times * plane->weights[bit];
            by_bit[bit] = (product + (product < 0 ? -scale : scale)) / (2 * scale);
        }
        if (separates(keys, by_bit, sums))
            return;
    }
    // Whole numbers need not differ by the scale: what is left of it may have a divisor too.
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        by_bit[bit] = plane->weights[bit] / divisor;
}

static tlu_status answer_weights(const struct truth *truth, const struct key_rows *keys,
                                 const struct plane *plane, struct threshold *answer,
                                 tlu_error *error)
{
    int64_t by_bit[TRUTH_INPUTS_MAX] = {0}, weights[TRUTH_INPUTS_MAX + 1] = {0};
    struct row_sums *sums = memory_new(1, sizeof *sums);
    if (!sums)
        return error_memory(error);
    make_whole(keys, plane, sums, by_bit);
    memory_free(sums);
    for (unsigned i = 0; i < truth->inputs; i++) {
        unsigned bit = bit_of(truth->inputs, i);
        weights[i] = keys->flipped >> bit & 1 ? -by_bit[bit] : by_bit[bit];
    }
    return threshold_set(truth, weights, answer, error);
}

// ---- contradictions ----

static void add_row(struct threshold *answer, uint32_t row, int64_t multiple)
{
    size_t at = 0;
    while (at < answer->count && answer->rows[at] < row)
        at++;
    if (at == answer->count || answer->rows[at] != row) {
        memmove(answer->rows + at + 1, answer->rows + at, (answer->count - at) * sizeof row);
        memmove(answer->multiple + at + 1, answer->multiple + at,
                (answer->count - at) * sizeof multiple);
        answer->rows[at] = row;
        answer->multiple[at] = 0;
        answer->count++;
    }
    answer->multiple[at] += multiple;
}

// The rows have positive numbers, and both kinds the same sum and total.
static bool contradicts(const struct truth *truth, const struct threshold *answer)
{
    int64_t total = 0, sum[TRUTH_INPUTS_MAX] = {0};
    for (size_t k = 0; k < answer->count; k++) {
        uint32_t row = answer->rows[k];
        int64_t multiple = truth_value(truth, row) ? answer->multiple[k] : -answer->multiple[k];
        if (answer->multiple[k] <= 0 || truth_is_open(truth, row))
            return false;
        total += multiple;
        for (unsigned i = 0; i < truth->inputs; i++)
            sum[i] += truth_input(truth, row, i) ? multiple : 0;
    }
    for (unsigned i = 0; i < truth->inputs; i++)
        if (sum[i])
            return false;
    return answer->count > 0 && total == 0;
}

static tlu_status finish_contradiction(const struct truth *truth, struct threshold *answer,
                                       tlu_error *error)
{
    int64_t divisor = 0;
    for (size_t k = 0; k < answer->count; k++)
        divisor = common_divisor(divisor, answer->multiple[k]);
    for (size_t k = 0; k < answer->count; k++)
        answer->multiple[k] /= divisor;
    return contradicts(truth, answer) ? TLU_OK : broken(error);
}

static bool room_for_rows(struct threshold *answer, size_t most)
{
    answer->rows = memory_new(most, sizeof *answer->rows);
    answer->multiple = memory_new(most, sizeof *answer->multiple);
    return answer->rows && answer->multiple;
}

static tlu_status answer_clash(const struct truth *truth, const struct key_rows *keys,
                               struct threshold *answer, tlu_error *error)
{
    if (!room_for_rows(answer, 4))
        return error_memory(error);
    for (size_t k = 0; k < 4; k++)
        add_row(answer, keys->clash_rows[k], 1);
    return finish_contradiction(truth, answer, error);
}

// What the program leaves lacking is made up for: totals by a false row, then each input by the two
// rows that tell its sign.
static tlu_status answer_contradiction(const struct truth *truth, const struct key_rows *keys,
                                       const struct ray *ray, struct threshold *answer,
                                       tlu_error *error)
{
    if (!room_for_rows(answer, ray->count + 1 + 2 * TRUTH_INPUTS_MAX))
        return error_memory(error);
    for (size_t k = 0; k < ray->count; k++)
        add_row(answer, keys->rows[ray->key[k]] ^ keys->flipped, ray->multiple[k]);
    uint32_t any_false = keys->rows[keys->trues];
    if (ray->excess)
        add_row(answer, any_false ^ keys->flipped, ray->excess);
    for (unsigned bit = 0; bit < keys->inputs; bit++) {
        int64_t lacking = ray->lacking[bit] + (any_false >> bit & 1 ? ray->excess : 0);
        if (lacking == 0)
            continue;
        uint32_t row = keys->witness[bit] ^ keys->flipped;
        add_row(answer, row, lacking);
        add_row(answer, row ^ (uint32_t)1 << bit, lacking);
    }
    return finish_contradiction(truth, answer, error);
}

// ---- the decision ----

static tlu_status solve(const struct truth *truth, const struct key_rows *keys, struct lp *program,
                        struct threshold *answer, tlu_error *error)
{
    struct plane plane;
    struct ray ray;
    switch (lp_run(program, INT64_MAX)) {
    case LP_BEST:
        lp_plane(program, &plane);
        return answer_weights(truth, keys, &plane, answer, error);
    case LP_NONE:
        lp_ray(program, &ray);
        return answer_contradiction(truth, keys, &ray, answer, error);
    default:
        return error_system(error, "the numbers of this function do not fit 64 bits");
    }
}

static tlu_status decide(const struct truth *truth, const struct key_rows *keys,
                         struct threshold *answer, tlu_error *error)
{
    static const int64_t nothing[TRUTH_INPUTS_MAX + 1];
    if (keys->clash)
        return answer_clash(truth, keys, answer, error);
    if (keys->trues == 0 || keys->trues == keys->count)
        return threshold_set(truth, nothing, answer, error);
    struct lp *program = lp_new(keys);
    if (!program)
        return error_memory(error);
    tlu_status status = solve(truth, keys, program, answer, error);
    lp_free(program);
    return status;
}

tlu_status threshold_find(const struct truth *truth, struct threshold *answer, tlu_error *error)
{
    struct key_rows keys;
    memset(answer, 0, sizeof *answer);
    answer->inputs = truth->inputs;
    if (!key_rows_find(truth, &keys))
        return error_memory(error);
    tlu_status status = decide(truth, &keys, answer, error);
    key_rows_free(&keys);
    if (status != TLU_OK)
        threshold_free(answer);
    return status;
}
