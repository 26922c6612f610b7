// Decides whether one unit computes a table. The signs of the weights exclude most tables that are
// not threshold functions; a linear program decides the rest. The result is checked on the table.
#include "logic/synthesis/threshold_unit.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/integers.h"
#include "logic/synthesis/unit_lp.h"
#include "train/clock.h"

#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 4096               // roundings to small integers
#define VISITS_MAX ((size_t)1 << 24) // of rows, by these tries

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

// *threshold := the least sum of a true row; without true rows, the largest sum plus 1. False: the
// weights do not separate.
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

// Sets weights[inputs] and their least threshold, and checks them on every row.
static tlu_status threshold_unit_set(const struct truth_table *truth, const int64_t *weights,
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

// Turns the program's fractions into small integers: rounds their multiples by 1, 2, 3, ... and, if
// no rounding separates, multiplies by the denominator.
static void make_whole(const struct key_rows *keys, const struct lp_solution *solution,
                       struct row_sums *sums, int64_t *by_bit)
{
    int64_t scale = solution->scale, divisor = scale;
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        divisor = greatest_common_divisor(divisor, solution->weights[bit]);
    for (int64_t times = 1;
         times < scale / divisor && times <= TRIES_MAX && (size_t)times * keys->count <= VISITS_MAX;
         times++) {
        for (unsigned bit = 0; bit < keys->inputs; bit++) {
            int64_t product = 2 * times * solution->weights[bit];
            by_bit[bit] = (product + (product < 0 ? -scale : scale)) / (2 * scale);
        }
        if (separates(keys, by_bit, sums))
            return;
    }
    // The common divisor of weights and scale is not needed.
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

// Whether all multiples are positive, and true and false rows have the same sum and total.
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
        divisor = greatest_common_divisor(divisor, answer->multiple[k]);
    for (size_t k = 0; k < answer->count; k++)
        answer->multiple[k] /= divisor;
    return contradicts(truth, answer) ? TLU_OK : broken(error);
}

static bool reserve_rows(struct threshold_unit *answer, size_t most)
{
    answer->rows = memory_new(most, sizeof *answer->rows);
    answer->multiple = memory_new(most, sizeof *answer->multiple);
    return answer->rows && answer->multiple;
}

static tlu_status answer_clash(const struct truth_table *truth, const struct key_rows *keys,
                               struct threshold_unit *answer, tlu_error *error)
{
    if (!reserve_rows(answer, 4))
        return error_memory(error);
    for (size_t k = 0; k < 4; k++)
        add_row(answer, keys->clash_rows[k], 1);
    return finish_contradiction(truth, answer, error);
}

// Completes the ray: totals by a false row, then each input by the two rows that prove its sign.
static tlu_status answer_contradiction(const struct truth_table *truth, const struct key_rows *keys,
                                       const struct ray *ray, struct threshold_unit *answer,
                                       tlu_error *error)
{
    if (!reserve_rows(answer, ray->count + 1 + 2 * TRUTH_INPUTS_MAX))
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
// Branch and bound over the linear program, whose sum of |weights| is a lower bound for integer
// weights. If its weights are integers, they are the smallest. Otherwise some w_i lies between two
// integers, and we branch on two programs with one more bound each. A program whose sum exceeds the
// best so far is pruned. All numbers are exact.
//
// An integer weight with a known sign is at least 1 in magnitude, and the weight of an idle input
// may be 0, so the key rows suffice.
//
// Ties: the first weight is increased until no integer weights of the same sum have a larger one,
// then the second with the first fixed, and so on.

#define WORK_MAX ((uint64_t)1 << 32) // rows visited: some seconds
#define DEPTH_MAX 500                // of the recursion

struct branch_and_bound {
    const struct key_rows *keys;
    struct lp *program;
    int64_t most;       // larger sums are pruned
    bool first_will_do; // stop at the first weights found
    bool found;
    int64_t best[TRUTH_INPUTS_MAX]; // by bit, for inputs negated as in the key rows
    unsigned depth;
    double until;
    bool gave_up, no_memory;
};

static int64_t floor_of(int64_t a, int64_t b) // b > 0
{
    return a / b - (a % b < 0);
}

// *chosen := the bit whose weight is farthest from an integer; false: all are integers.
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

// Explores the branch with sign * weight >= least.
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

// Maximises the weight of a bit, with the table's sign, and fixes it.
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

// Replaces the weights in `answer` by the smallest.
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
        search->most = sum_of_magnitudes(search->best, inputs) - 1;
        explore(search, inputs - 1, 0, 0); // 0 w >= 0: all of it
        answer->is_smallest = !search->gave_up;
    }
    int64_t sum = sum_of_magnitudes(search->best, inputs);
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
    answer->is_smallest = true; // for a constant function
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
