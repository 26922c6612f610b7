// Is a table that of a single unit? Signs first (threshold_rows.h), which settles most tables that
// are not; then a linear program (threshold_program.h). Whatever comes out is believed after it has
// been checked here, on the table itself.
#include "logic/synthesis/threshold_unit.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/synthesis/unit_lp.h"
#include "train/clock.h"

#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 4096              // of weights rounded to small whole numbers
#define LOOKS_MAX ((size_t)1 << 24) // at rows, by these tries

void threshold_unit_free(struct threshold_unit *answer)
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
static bool find_threshold(const struct truth_table *truth, const int64_t *weights,
                           struct row_sums *sums, int64_t *threshold)
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

tlu_status threshold_unit_set(const struct truth_table *truth, const int64_t *weights,
                              struct threshold_unit *answer, tlu_error *error)
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
static void make_whole(const struct key_rows *keys, const struct lp_solution *solution,
                       struct row_sums *sums, int64_t *by_bit)
{
    int64_t scale = solution->scale, divisor = scale;
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        divisor = common_divisor(divisor, solution->weights[bit]);
    for (int64_t times = 1;
         times < scale / divisor && times <= TRIES_MAX && (size_t)times * keys->count <= LOOKS_MAX;
         times++) {
        for (unsigned bit = 0; bit < keys->inputs; bit++) {
            int64_t product = 2 * times * solution->weights[bit];
            by_bit[bit] = (product + (product < 0 ? -scale : scale)) / (2 * scale);
        }
        if (separates(keys, by_bit, sums))
            return;
    }
    // Whole numbers need not differ by the scale: what is left of it may have a divisor too.
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        by_bit[bit] = solution->weights[bit] / divisor;
}

static tlu_status answer_weights(const struct truth_table *truth, const struct key_rows *keys,
                                 const struct lp_solution *solution, struct threshold_unit *answer,
                                 tlu_error *error)
{
    int64_t by_bit[TRUTH_INPUTS_MAX] = {0}, weights[TRUTH_INPUTS_MAX + 1] = {0};
    struct row_sums *sums = memory_new(1, sizeof *sums);
    if (!sums)
        return error_memory(error);
    make_whole(keys, solution, sums, by_bit);
    memory_free(sums);
    for (unsigned i = 0; i < truth->inputs; i++) {
        unsigned bit = bit_of(truth->inputs, i);
        weights[i] = keys->flipped >> bit & 1 ? -by_bit[bit] : by_bit[bit];
    }
    return threshold_unit_set(truth, weights, answer, error);
}

// ---- contradictions ----

static void add_row(struct threshold_unit *answer, uint32_t row, int64_t multiple)
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
static bool contradicts(const struct truth_table *truth, const struct threshold_unit *answer)
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

static tlu_status finish_contradiction(const struct truth_table *truth,
                                       struct threshold_unit *answer, tlu_error *error)
{
    int64_t divisor = 0;
    for (size_t k = 0; k < answer->count; k++)
        divisor = common_divisor(divisor, answer->multiple[k]);
    for (size_t k = 0; k < answer->count; k++)
        answer->multiple[k] /= divisor;
    return contradicts(truth, answer) ? TLU_OK : broken(error);
}

static bool room_for_rows(struct threshold_unit *answer, size_t most)
{
    answer->rows = memory_new(most, sizeof *answer->rows);
    answer->multiple = memory_new(most, sizeof *answer->multiple);
    return answer->rows && answer->multiple;
}

static tlu_status answer_clash(const struct truth_table *truth, const struct key_rows *keys,
                               struct threshold_unit *answer, tlu_error *error)
{
    if (!room_for_rows(answer, 4))
        return error_memory(error);
    for (size_t k = 0; k < 4; k++)
        add_row(answer, keys->clash_rows[k], 1);
    return finish_contradiction(truth, answer, error);
}

// What the program leaves lacking is made up for: totals by a false row, then each input by the two
// rows that tell its sign.
static tlu_status answer_contradiction(const struct truth_table *truth, const struct key_rows *keys,
                                       const struct ray *ray, struct threshold_unit *answer,
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

static tlu_status solve(const struct truth_table *truth, const struct key_rows *keys,
                        struct lp *program, struct threshold_unit *answer, tlu_error *error)
{
    struct lp_solution solution;
    struct ray ray;
    switch (lp_run(program, INT64_MAX)) {
    case LP_BEST:
        lp_solution(program, &solution);
        return answer_weights(truth, keys, &solution, answer, error);
    case LP_NONE:
        lp_ray(program, &ray);
        return answer_contradiction(truth, keys, &ray, answer, error);
    default:
        return error_system(error, "the numbers of this function do not fit 64 bits");
    }
}

static tlu_status decide(const struct truth_table *truth, const struct key_rows *keys,
                         struct threshold_unit *answer, tlu_error *error)
{
    static const int64_t nothing[TRUTH_INPUTS_MAX + 1];
    if (keys->clash)
        return answer_clash(truth, keys, answer, error);
    if (keys->trues == 0 || keys->trues == keys->count)
        return threshold_unit_set(truth, nothing, answer, error);
    struct lp *program = lp_new(keys);
    if (!program)
        return error_memory(error);
    tlu_status status = solve(truth, keys, program, answer, error);
    lp_free(program);
    return status;
}

tlu_status threshold_unit_find(const struct truth_table *truth, struct threshold_unit *answer,
                               tlu_error *error)
{
    struct key_rows keys;
    memset(answer, 0, sizeof *answer);
    answer->inputs = truth->inputs;
    if (!key_rows_find(truth, &keys))
        return error_memory(error);
    tlu_status status = decide(truth, &keys, answer, error);
    key_rows_free(&keys);
    if (status != TLU_OK)
        threshold_unit_free(answer);
    return status;
}

// ---- the smallest weights ----
//
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

#define WORK_MAX ((uint64_t)1 << 32) // rows looked at: some seconds
#define DEPTH_MAX 500                // of bounds; the stack is not endless

struct branch_and_bound {
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
static bool choose_bit(const struct branch_and_bound *search, const struct lp_solution *solution,
                       unsigned *chosen)
{
    int64_t farthest = 0;
    for (unsigned bit = 0; bit < search->keys->inputs; bit++) {
        int64_t above = solution->weights[bit] -
                        floor_of(solution->weights[bit], solution->scale) * solution->scale;
        int64_t far = above < solution->scale - above ? above : solution->scale - above;
        if (far > farthest) {
            farthest = far;
            *chosen = bit;
        }
    }
    return farthest > 0;
}

static void keep(struct branch_and_bound *search, const struct lp_solution *solution)
{
    for (unsigned bit = 0; bit < search->keys->inputs; bit++)
        search->best[bit] = solution->weights[bit] / solution->scale;
    search->most = search->first_will_do ? -1 : solution->sum / solution->scale - 1;
    search->found = true;
}

static void branch(struct branch_and_bound *search);

// The part of what the program stands at that has sign times the weight >= least.
static void explore(struct branch_and_bound *search, unsigned bit, int sign, int64_t least)
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

static void branch(struct branch_and_bound *search)
{
    struct lp_solution solution;
    unsigned bit = 0;
    if (search->gave_up || search->no_memory)
        return;
    enum lp_end end = lp_run(search->program, search->most);
    search->gave_up = end == LP_OVERFLOW || search->depth > DEPTH_MAX ||
                      lp_work(search->program) > WORK_MAX || clock_is_past(search->until);
    if (end != LP_BEST || search->gave_up)
        return;
    lp_solution(search->program, &solution);
    if (!choose_bit(search, &solution, &bit)) {
        keep(search, &solution);
        return;
    }
    int64_t lower = floor_of(solution.weights[bit], solution.scale);
    explore(search, bit, 1, lower + 1);
    explore(search, bit, -1, -lower);
}

static int64_t sum_of(const struct branch_and_bound *search)
{
    int64_t sum = 0;
    for (unsigned bit = 0; bit < search->keys->inputs; bit++)
        sum += llabs(search->best[bit]);
    return sum;
}

// Makes the weight of a bit as large as it can be in the table's sense and fixes it.
static void settle_tie(struct branch_and_bound *search, unsigned bit, int64_t sum)
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
static tlu_status minimise(const struct truth_table *truth, struct branch_and_bound *search,
                           struct threshold_unit *answer, tlu_error *error)
{
    unsigned inputs = truth->inputs;
    struct lp_solution solution;
    for (unsigned i = 0; i < inputs; i++) {
        unsigned bit = inputs - 1 - i;
        search->best[bit] =
            search->keys->flipped >> bit & 1 ? -answer->weights[i] : answer->weights[i];
    }
    if (lp_run(search->program, INT64_MAX) == LP_BEST) {
        lp_solution(search->program, &solution);
        answer->least_sum = solution.sum / solution.scale + (solution.sum % solution.scale != 0);
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
    return threshold_unit_set(truth, weights, answer, error);
}

tlu_status threshold_unit_smallest(const struct truth_table *truth, double until,
                                   struct threshold_unit *answer, tlu_error *error)
{
    struct key_rows keys;
    TRY(threshold_unit_find(truth, answer, error));
    if (!answer->is_threshold)
        return TLU_OK;
    if (!key_rows_find(truth, &keys)) {
        threshold_unit_free(answer);
        return error_memory(error);
    }
    tlu_status status = TLU_OK;
    answer->is_smallest = true; // of a constant
    if (keys.trues > 0 && keys.trues < keys.count) {
        struct branch_and_bound search = {.keys = &keys, .program = lp_new(&keys), .until = until};
        answer->is_smallest = false;
        status = search.program ? minimise(truth, &search, answer, error) : error_memory(error);
        lp_free(search.program);
    }
    key_rows_free(&keys);
    if (status != TLU_OK)
        threshold_unit_free(answer);
    return status;
}
