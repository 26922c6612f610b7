#include "logic/synthesis/unit_lp.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

// ---- key rows ----

// The true and the false rows as sets, one bit per row. All operations move rows along one input,
// 64 rows at a time.
struct value_sets {
    unsigned inputs;
    size_t words;
    uint64_t *trues, *falses, *scratch; // [words]
};

// Word w of the rows of `set` that lack the bit, with the bit set.
static uint64_t switched_on(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return (set[w] & truth_low_rows[bit]) << (1u << bit);
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? set[w ^ step] : 0;
}

static uint64_t switched_off(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return set[w] >> (1u << bit) & truth_low_rows[bit];
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? 0 : set[w ^ step];
}

static uint32_t first_row(uint64_t word, size_t w)
{
    return (uint32_t)(w * 64 + (size_t)__builtin_ctzll(word));
}

// *row := a row of `to` that is in `from` without the bit; false: there is no such row.
static bool steps_up(const struct value_sets *sets, const uint64_t *from, const uint64_t *to,
                     unsigned bit, uint32_t *row)
{
    for (size_t w = 0; w < sets->words; w++) {
        uint64_t found = switched_on(from, bit, w) & to[w];
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
        sets->scratch[w] = switched_on(*set, bit, w) | switched_off(*set, bit, w);
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
    keep_extreme(sets, sets->trues, sure, switched_on);
    if (!add_rows(sets, keys))
        return false;
    keys->trues = keys->count;
    keep_extreme(sets, sets->falses, sure, switched_off);
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

bool key_rows_find(const struct truth_table *truth, struct key_rows *keys)
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

void key_rows_free(struct key_rows *keys)
{
    memory_free(keys->rows);
    memset(keys, 0, sizeof *keys);
}

static void fill_half(int64_t *sums, unsigned bits, const int64_t *by_bit)
{
    sums[0] = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        for (uint32_t row = 0; row < (uint32_t)1 << bit; row++)
            sums[row | (uint32_t)1 << bit] = sums[row] + by_bit[bit];
}

void row_sums_fill(struct row_sums *sums, unsigned inputs, const int64_t *by_bit)
{
    fill_half(sums->low, inputs < HALF_BITS ? inputs : HALF_BITS, by_bit);
    fill_half(sums->high, inputs < HALF_BITS ? 0 : inputs - HALF_BITS, by_bit + HALF_BITS);
}

// ---- the linear program ----
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

struct lp *lp_new(const struct key_rows *keys)
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

void lp_free(struct lp *program)
{
    if (!program)
        return;
    memory_free(program->basis);
    memory_free(program->bounds);
    memory_free(program->sums);
    memory_free(program);
}

bool lp_bound(struct lp *program, unsigned bit, int sign, int64_t least)
{
    assert(bit < TRUTH_INPUTS_MAX && sign >= -1 && sign <= 1);
    size_t *count = &program->basis->bounds;
    if (!memory_reserve(&program->bounds, &program->bound_capacity, *count + 1,
                        sizeof *program->bounds))
        return false;
    program->bounds[(*count)++] = (struct weight_bound){bit, sign, least};
    return true;
}

struct basis *lp_save(const struct lp *program)
{
    return memory_copy(program->basis, 1, basis_size(program));
}

void lp_restore(struct lp *program, const struct basis *basis)
{
    memcpy(program->basis, basis, basis_size(program));
    program->overflow = false;
}

uint64_t lp_work(const struct lp *program)
{
    return program->work;
}

void lp_solution(const struct lp *program, struct lp_solution *solution)
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

enum lp_end lp_run(struct lp *program, int64_t most)
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

// The direction in which y is unbounded: D for the entering column and -Q a for those of the basis.
void lp_ray(const struct lp *program, struct ray *ray)
{
    memset(ray, 0, sizeof *ray);
    for (size_t i = 0; i <= program->m; i++) {
        bool last = i == program->m;
        size_t column = last ? program->entering : program->basis->basic[i];
        int64_t much = last ? program->basis->D : -program->enters[i];
        if (much == 0)
            continue;
        if (!is_slack(program, column)) {
            ray->key[ray->count] = column - program->m;
            ray->multiple[ray->count++] = much;
        } else if (program->variable[column].bit == OF_THRESHOLD) {
            ray->excess = much;
        } else {
            ray->lacking[program->variable[column].bit] = much;
        }
    }
}
