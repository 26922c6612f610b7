// Decides whether one unit computes a table. The signs of the weights exclude most tables that are
// not threshold functions; a linear program decides the rest. The result is checked on the table.
#include "logic/synthesis/threshold_unit.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/integers.h"
#include "train/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- key rows ----
//
// If switching an input on turns a false row true, its weight is positive in every unit for the
// table; if switching it off does, negative. If both happen, there is no unit. Inputs with negative
// weights are negated here (x becomes 1 - x), so that all known signs are positive. Then a true row
// that contains another true row follows from it, and so does a false row contained in another. The
// remaining rows are the key rows.

struct key_rows {
    unsigned inputs;
    // Sets of inputs, by their bit in the number of a row.
    uint32_t flipped; // negated: all rows below are xored with this
    uint32_t idle;    // the function does not depend on them
    uint32_t unsure;  // the sign is unknown, because of don't-care rows
    // [inputs] by bit, unless idle or unsure: a false row that is true with this bit set.
    uint32_t witness[TRUTH_INPUTS_MAX];
    bool clash; // an input needs both signs: clash_rows are two true rows and two false ones
    uint32_t clash_rows[4];
    // The minimal true rows, then the maximal false ones; none if there is a clash.
    uint32_t *rows; // [count]
    size_t trues, count;
};

// Sums of weights over the bits of a row, from two tables of half the bits each.
#define HALF_BITS (TRUTH_INPUTS_MAX / 2)
struct row_sums {
    int64_t low[1 << HALF_BITS], high[1 << HALF_BITS];
};

static int64_t row_sum(const struct row_sums *sums, uint32_t row)
{
    return sums->low[row & ((1u << HALF_BITS) - 1)] + sums->high[row >> HALF_BITS];
}

// The true and the false rows as sets, one bit per row. All operations move rows along one input,
// 64 rows at a time.
struct value_sets {
    unsigned inputs;
    size_t words;
    uint64_t *trues, *falses, *scratch; // [words]
};

static uint32_t first_row(uint64_t word, size_t w)
{
    return (uint32_t)(w * 64 + (size_t)__builtin_ctzll(word));
}

// *row := a row of `to` that is in `from` without the bit; false: there is no such row.
static bool steps_up(const struct value_sets *sets, const uint64_t *from, const uint64_t *to,
                     unsigned bit, uint32_t *row)
{
    for (size_t w = 0; w < sets->words; w++) {
        uint64_t found = truth_switched_on(from, bit, w) & to[w];
        if (found) {
            *row = first_row(found, w);
            return true;
        }
    }
    return false;
}

static void negate_input(struct value_sets *sets, uint64_t **set, unsigned bit)
{
    for (size_t w = 0; w < sets->words; w++)
        sets->scratch[w] = truth_flipped(*set, bit, w);
    uint64_t *negated = sets->scratch;
    sets->scratch = *set;
    *set = negated;
}

// Finds the sign of one input. No input has been negated yet, so the rows of a clash are rows of
// the table.
static void find_sign(const struct value_sets *sets, bool complete, unsigned bit,
                      struct key_rows *keys)
{
    uint32_t up, down, with = (uint32_t)1 << bit;
    bool rises = steps_up(sets, sets->falses, sets->trues, bit, &up);
    bool falls = steps_up(sets, sets->trues, sets->falses, bit, &down);
    if (rises && falls) {
        keys->clash = true;
        memcpy(keys->clash_rows, (uint32_t[]){up, down ^ with, up ^ with, down}, 4 * sizeof up);
    } else if (rises || falls) {
        keys->flipped |= falls ? with : 0;
        keys->witness[bit] = (rises ? up : down) & ~with;
    } else if (complete) {
        keys->idle |= with;
    } else {
        keys->unsure |= with;
    }
}

// scratch := the minimal (maximal) rows of the set; the set becomes its upward (downward) closure.
static void keep_extreme(struct value_sets *sets, uint64_t *set, uint32_t sure,
                         uint64_t (*moved)(const uint64_t *, unsigned, size_t))
{
    for (unsigned bit = 0; bit < sets->inputs; bit++)
        for (size_t w = 0; sure >> bit & 1 && w < sets->words; w++)
            set[w] |= moved(set, bit, w);
    memcpy(sets->scratch, set, sets->words * sizeof *set);
    for (unsigned bit = 0; bit < sets->inputs; bit++)
        for (size_t w = 0; sure >> bit & 1 && w < sets->words; w++)
            sets->scratch[w] &= ~moved(set, bit, w);
}

// Adds the rows in scratch to the key rows, with idle inputs switched off.
static bool add_rows(const struct value_sets *sets, struct key_rows *keys)
{
    size_t more = 0;
    for (size_t w = 0; w < sets->words; w++)
        more += (size_t)__builtin_popcountll(sets->scratch[w]);
    uint32_t *rows = memory_resize(keys->rows, keys->count + more + 1, sizeof *rows);
    if (!rows)
        return false;
    keys->rows = rows;
    for (size_t w = 0; w < sets->words; w++)
        for (uint64_t left = sets->scratch[w]; left; left &= left - 1)
            rows[keys->count++] = first_row(left, w) & ~keys->idle;
    return true;
}

static bool find_rows(struct value_sets *sets, struct key_rows *keys)
{
    uint32_t sure = (((uint32_t)1 << sets->inputs) - 1) & ~keys->unsure;
    for (unsigned bit = 0; bit < sets->inputs; bit++) {
        keys->witness[bit] ^= keys->flipped & ~((uint32_t)1 << bit);
        if (keys->flipped >> bit & 1) {
            negate_input(sets, &sets->trues, bit);
            negate_input(sets, &sets->falses, bit);
        }
    }
    keep_extreme(sets, sets->trues, sure, truth_switched_on);
    if (!add_rows(sets, keys))
        return false;
    keys->trues = keys->count;
    keep_extreme(sets, sets->falses, sure, truth_switched_off);
    return add_rows(sets, keys);
}

static bool make_sets(const struct truth_table *truth, struct value_sets *sets)
{
    sets->inputs = truth->inputs;
    sets->words = truth_words(truth);
    sets->trues = memory_new(sets->words, sizeof *sets->trues);
    sets->falses = memory_new(sets->words, sizeof *sets->falses);
    sets->scratch = memory_new(sets->words, sizeof *sets->scratch);
    if (!sets->trues || !sets->falses || !sets->scratch)
        return false;
    uint64_t all = truth_mask(truth);
    for (size_t w = 0; w < sets->words; w++) {
        uint64_t open = truth->open ? truth->open[w] : 0;
        sets->trues[w] = truth->ones[w] & ~open & all;
        sets->falses[w] = ~truth->ones[w] & ~open & all;
    }
    return true;
}

static bool is_complete(const struct truth_table *truth)
{
    for (size_t w = 0; truth->open && w < truth_words(truth); w++)
        if (truth->open[w])
            return false;
    return true;
}

static void key_rows_free(struct key_rows *keys)
{
    memory_free(keys->rows);
    memset(keys, 0, sizeof *keys);
}

// False: out of memory.
static bool key_rows_find(const struct truth_table *truth, struct key_rows *keys)
{
    struct value_sets sets = {0};
    memset(keys, 0, sizeof *keys);
    keys->inputs = truth->inputs;
    bool made = make_sets(truth, &sets), complete = is_complete(truth);
    for (unsigned bit = 0; made && !keys->clash && bit < truth->inputs; bit++)
        find_sign(&sets, complete, bit, keys);
    made = made && (keys->clash || find_rows(&sets, keys));
    memory_free(sets.trues);
    memory_free(sets.falses);
    memory_free(sets.scratch);
    if (!made)
        key_rows_free(keys);
    return made;
}

static void fill_half(int64_t *sums, unsigned bits, const int64_t *by_bit)
{
    sums[0] = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        for (uint32_t row = 0; row < (uint32_t)1 << bit; row++)
            sums[row | (uint32_t)1 << bit] = sums[row] + by_bit[bit];
}

// `by_bit` is [inputs]: the weight of bit 0 of a row first.
static void row_sums_fill(struct row_sums *sums, unsigned inputs, const int64_t *by_bit)
{
    fill_half(sums->low, inputs < HALF_BITS ? inputs : HALF_BITS, by_bit);
    fill_half(sums->high, inputs < HALF_BITS ? 0 : inputs - HALF_BITS, by_bit + HALF_BITS);
}

// ---- the linear program ----
//
// The linear program of a threshold function: the least sum of |weights| for which
//
//     w . x - t >= 0  for the true rows x,    t - w . x >= 1  for the false ones,
//
// in exact fractions; or positive multiples of rows that prove that there are none.
//
// The dual simplex method, as the primal method on the dual: one variable y >= 0 per key row,
//
//     maximise sum_false y   with   sum_true y x_i - sum_false y x_i <= 1   for each input i,
//                                   sum_false y - sum_true y <= 0,
//
// which y = 0 satisfies. Its multipliers are w and t. The entering row is the one that w and t
// violate most, found by a scan of all key rows. If there is none, w and t are the solution; if y
// is unbounded, the program is infeasible. Inputs of unknown sign have a second inequality, with >=
// -1, and then so has t. A bound on a weight is one more y, with its own cost in the objective.
//
// We store Q = D B^-1 for the matrix B of the basis and D = |det B|: integers, and a pivot keeps
// them so (Edmonds 1967). Each is a minor of the matrix of the program, which after changing the
// sign of some rows and columns has entries 0 and 1 (or, for unknown signs, determinants at most
// twice as large): at most 23^11.5 / 2^22 = 1.1e9 for 20 inputs by Hadamard's bound, so the
// products below fit 64 bits. With bounds they may not, so overflow is detected.
//
// The lexicographically smallest candidate leaves the basis, which guarantees termination (Dantzig,
// Orden, Wolfe 1955).

#define VARIABLES_MAX (2 * (TRUTH_INPUTS_MAX + 1))

enum lp_end {
    LP_BEST,    // solved
    LP_NONE,    // there are no such weights
    LP_PAST,    // their sum exceeds the limit
    LP_OVERFLOW // a number does not fit 64 bits
};

// All numbers are multiplied by `scale`; inputs are negated as in the key rows.
struct lp_solution {
    int64_t scale, threshold, sum;     // sum: that of |weights|
    int64_t weights[TRUTH_INPUTS_MAX]; // by bit
};

#define OF_THRESHOLD TRUTH_INPUTS_MAX

struct variable {
    unsigned bit; // of the input, or OF_THRESHOLD
    int sign;
};

struct weight_bound {
    unsigned bit;
    int sign;
    int64_t least;
};

struct basis {
    int64_t D;
    size_t bounds;               // how many there were
    size_t basic[VARIABLES_MAX]; // columns
    // [m + 1][m + 1]: Q and, in the last column, D times the values; the last row is D times the
    // multipliers and the objective.
    int64_t Q[];
};

struct lp {
    const struct key_rows *keys;
    size_t m; // variables, and inequalities
    struct variable variable[VARIABLES_MAX];
    struct basis *basis;
    struct weight_bound *bounds; // [basis->bounds]
    size_t bound_capacity;
    size_t entering;                   // the last column that entered
    int64_t enters[VARIABLES_MAX + 1]; // Q a for its column a, and minus its reduced cost
    struct row_sums *sums;             // for the multipliers
    uint64_t work;
    bool overflow;
};

// Columns are, in this order: the slack of each inequality, the key rows, the bounds.
static bool is_slack(const struct lp *program, size_t column)
{
    return column < program->m;
}

static bool is_bound(const struct lp *program, size_t column)
{
    return column >= program->m + program->keys->count;
}

static int64_t *row_of(const struct lp *program, size_t r)
{
    return program->basis->Q + r * (program->m + 1);
}

static size_t basis_size(const struct lp *program)
{
    return sizeof *program->basis + (program->m + 1) * (program->m + 1) * sizeof(int64_t);
}

static void add_variables(struct lp *program, unsigned bit, bool both_signs)
{
    program->variable[program->m++] = (struct variable){bit, 1};
    if (both_signs)
        program->variable[program->m++] = (struct variable){bit, -1};
}

static void lp_free(struct lp *program)
{
    if (!program)
        return;
    memory_free(program->basis);
    memory_free(program->bounds);
    memory_free(program->sums);
    memory_free(program);
}

// NULL: out of memory.
static struct lp *lp_new(const struct key_rows *keys)
{
    struct lp *program = memory_new(1, sizeof *program);
    if (!program)
        return NULL;
    program->keys = keys;
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        if (!(keys->idle >> bit & 1))
            add_variables(program, bit, keys->unsure >> bit & 1);
    // With weights >= 0, t > w . x >= 0 for any false row.
    add_variables(program, OF_THRESHOLD, keys->unsure != 0);
    program->basis = memory_new(1, basis_size(program));
    program->sums = memory_new(1, sizeof *program->sums);
    if (!program->basis || !program->sums) {
        lp_free(program);
        return NULL;
    }
    program->basis->D = 1;
    for (size_t i = 0; i < program->m; i++) {
        program->basis->basic[i] = i;
        row_of(program, i)[i] = 1;
        row_of(program, i)[program->m] = program->variable[i].bit != OF_THRESHOLD;
    }
    return program;
}

// Adds the bound sign * weight of the bit >= least. False: out of memory.
static bool lp_bound(struct lp *program, unsigned bit, int sign, int64_t least)
{
    assert(bit < TRUTH_INPUTS_MAX && sign >= -1 && sign <= 1);
    size_t *count = &program->basis->bounds;
    if (!memory_reserve(&program->bounds, &program->bound_capacity, *count + 1,
                        sizeof *program->bounds))
        return false;
    program->bounds[(*count)++] = (struct weight_bound){bit, sign, least};
    return true;
}

// After LP_BEST.
static void lp_solution(const struct lp *program, struct lp_solution *solution)
{
    const int64_t *multipliers = row_of(program, program->m);
    int64_t by_bit[TRUTH_INPUTS_MAX + 1] = {0};
    for (size_t j = 0; j < program->m; j++)
        by_bit[program->variable[j].bit] += program->variable[j].sign * multipliers[j];
    solution->scale = program->basis->D;
    solution->sum = multipliers[program->m];
    solution->threshold = by_bit[OF_THRESHOLD];
    memcpy(solution->weights, by_bit, sizeof solution->weights);
}

// ---- one pivot ----

static void take_larger(struct lp *program, int64_t lacks, size_t column, int64_t *most)
{
    if (lacks <= *most)
        return;
    *most = lacks;
    program->entering = column;
}

// Chooses the entering column: the slack of a negative multiplier, or the most violated constraint.
// False: there is none.
static bool choose(struct lp *program)
{
    const struct key_rows *keys = program->keys;
    const int64_t *multipliers = row_of(program, program->m);
    size_t m = program->m;
    int64_t most = 0;
    struct lp_solution solution;
    for (size_t j = 0; j < m; j++)
        take_larger(program, -multipliers[j], j, &most);
    if (most)
        return true;
    lp_solution(program, &solution);
    row_sums_fill(program->sums, keys->inputs, solution.weights);
    for (size_t i = 0; i < keys->trues; i++)
        take_larger(program, solution.threshold - row_sum(program->sums, keys->rows[i]), m + i,
                    &most);
    int64_t allowed = solution.threshold - solution.scale;
    for (size_t i = keys->trues; i < keys->count; i++)
        take_larger(program, row_sum(program->sums, keys->rows[i]) - allowed, m + i, &most);
    for (size_t i = 0; i < program->basis->bounds; i++) {
        const struct weight_bound *bound = &program->bounds[i];
        take_larger(program,
                    bound->least * solution.scale - bound->sign * solution.weights[bound->bit],
                    m + keys->count + i, &most);
    }
    program->work += keys->count;
    return most > 0;
}

// The coefficient of a column in inequality j.
static int64_t coefficient(const struct lp *program, size_t column, size_t j)
{
    const struct variable *variable = &program->variable[j];
    if (is_slack(program, column))
        return column == j;
    size_t key = column - program->m;
    if (is_bound(program, column)) {
        const struct weight_bound *bound = &program->bounds[key - program->keys->count];
        return bound->bit == variable->bit ? bound->sign * variable->sign : 0;
    }
    uint32_t row = program->keys->rows[key];
    int of_true = variable->bit == OF_THRESHOLD ? -1 : (int)(row >> variable->bit & 1);
    return (key < program->keys->trues ? of_true : -of_true) * variable->sign;
}

// The cost of a column in the objective.
static int64_t cost_of(const struct lp *program, size_t column)
{
    if (is_bound(program, column))
        return program->bounds[column - program->m - program->keys->count].least;
    return column >= program->m + program->keys->trues; // a false row
}

static void make_column(struct lp *program)
{
    size_t m = program->m;
    int64_t a[VARIABLES_MAX];
    for (size_t j = 0; j < m; j++)
        a[j] = coefficient(program, program->entering, j);
    for (size_t i = 0; i <= m; i++) {
        const int64_t *row = row_of(program, i);
        int64_t sum = 0;
        for (size_t j = 0; j < m; j++)
            sum += a[j] * row[j];
        program->enters[i] = sum;
    }
    program->enters[m] -= cost_of(program, program->entering) * program->basis->D;
}

static bool times(struct lp *program, int64_t a, int64_t b, int64_t *product)
{
    program->overflow |= __builtin_mul_overflow(a, b, product);
    return !program->overflow;
}

// Whether row i leaves rather than row k: the ratios of the values, then of the columns of Q.
static bool leaves_before(struct lp *program, size_t i, size_t k)
{
    const int64_t *row_i = row_of(program, i), *row_k = row_of(program, k);
    for (size_t n = 0; n <= program->m; n++) {
        size_t j = n == 0 ? program->m : n - 1;
        int64_t left, right;
        if (!times(program, row_i[j], program->enters[k], &left) ||
            !times(program, row_k[j], program->enters[i], &right))
            return false;
        if (left != right)
            return left < right;
    }
    return false;
}

// The leaving row; m: none, y is unbounded.
static size_t leaving(struct lp *program)
{
    size_t row = program->m;
    for (size_t i = 0; i < program->m; i++)
        if (program->enters[i] > 0 && (row == program->m || leaves_before(program, i, row)))
            row = i;
    return row;
}

static void pivot(struct lp *program, size_t r)
{
    const int64_t *pivot_row = row_of(program, r);
    int64_t alpha_r = program->enters[r];
    for (size_t i = 0; i <= program->m; i++) {
        int64_t *row = row_of(program, i), alpha = program->enters[i];
        for (size_t j = 0; i != r && j <= program->m; j++) {
            int64_t left, right, difference;
            if (!times(program, alpha_r, row[j], &left) ||
                !times(program, alpha, pivot_row[j], &right) ||
                __builtin_sub_overflow(left, right, &difference)) {
                program->overflow = true;
                return;
            }
            row[j] = difference / program->basis->D;
        }
    }
    program->basis->D = alpha_r;
    program->basis->basic[r] = program->entering;
    program->work += program->m * program->m;
}

// ---- the loop ----

static bool exceeds(const struct lp *program, int64_t most)
{
    int64_t sum = row_of(program, program->m)[program->m], D = program->basis->D;
    return sum / D > most || (sum / D == most && sum % D);
}

// Runs until the program is solved or the sum exceeds `most`.
static enum lp_end lp_run(struct lp *program, int64_t most)
{
    while (!exceeds(program, most)) {
        if (!choose(program))
            return LP_BEST;
        make_column(program);
        size_t row = leaving(program);
        if (row == program->m)
            return LP_NONE;
        if (!program->overflow)
            pivot(program, row);
        if (program->overflow)
            return LP_OVERFLOW;
    }
    return LP_PAST;
}

// ---- answers ----

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

// ---- weights ----

// *threshold := the least sum of a true row; without true rows, the largest sum plus 1. False: the
// weights do not separate.
static bool find_threshold(const struct truth_table *truth, const int64_t *weights,
                           struct row_sums *sums, int64_t *threshold)
{
    int64_t by_bit[TRUTH_INPUTS_MAX] = {0}, least = INT64_MAX, largest = INT64_MIN;
    for (unsigned i = 0; i < truth->inputs; i++)
        by_bit[truth->inputs - 1 - i] = weights[i];
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

// From weights by bit, for inputs negated as in the key rows, to those of the inputs.
static void reorder(const struct key_rows *keys, const int64_t *by_bit, int64_t *weights)
{
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        weights[keys->inputs - 1 - bit] = keys->flipped >> bit & 1 ? -by_bit[bit] : by_bit[bit];
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
    reorder(keys, by_bit, weights);
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

// After LP_NONE, for a program without bounds: the direction in which y is unbounded, D for the
// entering column and -Q a for those of the basis, is multiples of key rows. The sum of the true
// rows plus `missing` is that of the false ones, and the total of the true multiples is that of the
// false ones plus `excess`; neither is negative, and both are 0 if a sign is unknown. So a false
// row completes the totals, and then each input is completed by the two rows that prove its sign.
static tlu_status answer_contradiction(const struct truth_table *truth, const struct lp *program,
                                       struct threshold_unit *answer, tlu_error *error)
{
    const struct key_rows *keys = program->keys;
    int64_t missing[TRUTH_INPUTS_MAX] = {0}, excess = 0;
    if (!reserve_rows(answer, program->m + 2 + 2 * TRUTH_INPUTS_MAX))
        return error_memory(error);
    for (size_t i = 0; i <= program->m; i++) {
        bool last = i == program->m;
        size_t column = last ? program->entering : program->basis->basic[i];
        int64_t much = last ? program->basis->D : -program->enters[i];
        assert(much >= 0 && !is_bound(program, column));
        if (much == 0)
            continue;
        if (!is_slack(program, column))
            add_row(answer, keys->rows[column - program->m] ^ keys->flipped, much);
        else if (program->variable[column].bit == OF_THRESHOLD)
            excess = much;
        else
            missing[program->variable[column].bit] = much;
    }
    uint32_t any_false = keys->rows[keys->trues];
    if (excess)
        add_row(answer, any_false ^ keys->flipped, excess);
    for (unsigned bit = 0; bit < keys->inputs; bit++) {
        int64_t lacking = missing[bit] + (any_false >> bit & 1 ? excess : 0);
        if (lacking == 0)
            continue;
        uint32_t row = keys->witness[bit] ^ keys->flipped;
        add_row(answer, row, lacking);
        add_row(answer, row ^ (uint32_t)1 << bit, lacking);
    }
    return finish_contradiction(truth, answer, error);
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
    struct lp *program = search->program;
    struct basis *here = memory_copy(program->basis, 1, basis_size(program));
    if (here && lp_bound(program, bit, sign, least)) {
        search->depth++;
        branch(search);
        search->depth--;
        memcpy(program->basis, here, basis_size(program)); // drops the bounds, too
        program->overflow = false;
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
                      search->program->work > WORK_MAX || clock_is_past(search->until);
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
    reorder(search->keys, search->best, weights);
    if (answer->is_smallest)
        answer->least_sum = sum;
    return threshold_unit_set(truth, weights, answer, error);
}

// ---- the decision ----

static tlu_status solve(const struct truth_table *truth, struct lp *program,
                        struct threshold_unit *answer, tlu_error *error)
{
    struct lp_solution solution;
    switch (lp_run(program, INT64_MAX)) {
    case LP_BEST:
        lp_solution(program, &solution);
        return answer_weights(truth, program->keys, &solution, answer, error);
    case LP_NONE:
        return answer_contradiction(truth, program, answer, error);
    default:
        return error_system(error, "the numbers of this function do not fit 64 bits");
    }
}

static tlu_status decide(const struct truth_table *truth, const struct key_rows *keys,
                         bool smallest, double until, struct threshold_unit *answer,
                         tlu_error *error)
{
    static const int64_t nothing[TRUTH_INPUTS_MAX + 1];
    if (keys->clash)
        return answer_clash(truth, keys, answer, error);
    if (keys->trues == 0 || keys->trues == keys->count) {
        answer->is_smallest = smallest;
        return threshold_unit_set(truth, nothing, answer, error);
    }
    struct branch_and_bound search = {.keys = keys, .program = lp_new(keys), .until = until};
    if (!search.program)
        return error_memory(error);
    tlu_status status = solve(truth, search.program, answer, error);
    if (status == TLU_OK && smallest && answer->is_threshold)
        status = minimise(truth, &search, answer, error);
    lp_free(search.program);
    return status;
}

static tlu_status find(const struct truth_table *truth, bool smallest, double until,
                       struct threshold_unit *answer, tlu_error *error)
{
    struct key_rows keys;
    memset(answer, 0, sizeof *answer);
    answer->inputs = truth->inputs;
    if (!key_rows_find(truth, &keys))
        return error_memory(error);
    tlu_status status = decide(truth, &keys, smallest, until, answer, error);
    key_rows_free(&keys);
    if (status != TLU_OK)
        threshold_unit_free(answer);
    return status;
}

tlu_status threshold_unit_find(const struct truth_table *truth, struct threshold_unit *answer,
                               tlu_error *error)
{
    return find(truth, false, 0, answer, error);
}

tlu_status threshold_unit_smallest(const struct truth_table *truth, double until,
                                   struct threshold_unit *answer, tlu_error *error)
{
    return find(truth, true, until, answer, error);
}
