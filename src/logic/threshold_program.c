// The dual simplex method, as the primal one on the dual: one number y >= 0 per row of the table,
//
//     maximise sum_false y   with   sum_true y x_i - sum_false y x_i <= 1   for each input i,
//                                   sum_false y - sum_true y <= 0,
//
// which y = 0 satisfies. Its multipliers are w and t: the row that enters is the one that w and t
// violate most, found by one look at all key rows. If none is left, w and t are the answer; if y
// may grow for ever, it shows that there is none. Inputs of unknown sign have a second inequality,
// with
// >= -1, and then so has t. A bound on a weight is one more y, with its own weight in the aim.
//
// Kept is Q = D B^-1 for the matrix B of the basis and D = |det B|: whole numbers, which a pivot
// keeps so (Edmonds 1967). Each is a minor of the matrix of the program, which after changing the
// sign of some rows and columns has entries 0 and 1 (or, for unknown signs, determinants at most
// twice as large): at most 23^11.5 / 2^22 = 1.1e9 for 20 inputs by Hadamard's bound, so the
// products below fit 64 bits. With bounds they need not: that they do is checked.
//
// Of rows that could leave the basis the lexicographically smallest does, so there is an end
// (Dantzig, Orden, Wolfe 1955).
#include "logic/threshold_program.h"

#include "base/memory.h"

#include <string.h>

#define OF_THRESHOLD TRUTH_INPUTS_MAX

struct variable {
    unsigned bit; // of the input, or OF_THRESHOLD
    int sign;
};

struct bound {
    unsigned bit;
    int sign;
    int64_t least;
};

struct basis {
    int64_t D;
    size_t bounds;               // how many there were
    size_t basic[VARIABLES_MAX]; // a column: see `kind_of`
    // [m + 1][m + 1]: Q and, in the last column, D times the values; the last row is D times the
    // multipliers and the aim.
    int64_t Q[];
};

struct lp {
    const struct key_rows *keys;
    size_t m; // variables, and inequalities
    struct variable variable[VARIABLES_MAX];
    struct basis *basis;
    struct bound *bounds; // [basis->bounds]
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
    size_t *count = &program->basis->bounds;
    if (!memory_reserve(&program->bounds, &program->bound_capacity, *count + 1,
                        sizeof *program->bounds))
        return false;
    program->bounds[(*count)++] = (struct bound){bit, sign, least};
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

void lp_plane(const struct lp *program, struct plane *plane)
{
    const int64_t *multipliers = row_of(program, program->m);
    int64_t by_bit[TRUTH_INPUTS_MAX + 1] = {0};
    for (size_t j = 0; j < program->m; j++)
        by_bit[program->variable[j].bit] += program->variable[j].sign * multipliers[j];
    plane->scale = program->basis->D;
    plane->sum = multipliers[program->m];
    plane->threshold = by_bit[OF_THRESHOLD];
    memcpy(plane->weights, by_bit, sizeof plane->weights);
}

// ---- one step ----

static void take_larger(struct lp *program, int64_t lacks, size_t column, int64_t *most)
{
    if (lacks <= *most)
        return;
    *most = lacks;
    program->entering = column;
}

// What enters the basis: the slack of a negative multiplier, or what is violated most. False: none.
static bool choose(struct lp *program)
{
    const struct key_rows *keys = program->keys;
    const int64_t *multipliers = row_of(program, program->m);
    size_t m = program->m;
    int64_t most = 0;
    struct plane plane;
    for (size_t j = 0; j < m; j++)
        take_larger(program, -multipliers[j], j, &most);
    if (most)
        return true;
    lp_plane(program, &plane);
    row_sums_fill(program->sums, keys->inputs, plane.weights);
    for (size_t i = 0; i < keys->trues; i++)
        take_larger(program, plane.threshold - row_sum(program->sums, keys->rows[i]), m + i, &most);
    int64_t allowed = plane.threshold - plane.scale;
    for (size_t i = keys->trues; i < keys->count; i++)
        take_larger(program, row_sum(program->sums, keys->rows[i]) - allowed, m + i, &most);
    for (size_t i = 0; i < program->basis->bounds; i++) {
        const struct bound *bound = &program->bounds[i];
        take_larger(program, bound->least * plane.scale - bound->sign * plane.weights[bound->bit],
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
        const struct bound *bound = &program->bounds[key - program->keys->count];
        return bound->bit == variable->bit ? bound->sign * variable->sign : 0;
    }
    uint32_t row = program->keys->rows[key];
    int of_true = variable->bit == OF_THRESHOLD ? -1 : (int)(row >> variable->bit & 1);
    return (key < program->keys->trues ? of_true : -of_true) * variable->sign;
}

// Its weight in the aim.
static int64_t worth(const struct lp *program, size_t column)
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
    program->enters[m] -= worth(program, program->entering) * program->basis->D;
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

// The row that leaves; m: none, y may grow for ever.
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

// ---- to the end ----

static bool is_past(const struct lp *program, int64_t most)
{
    int64_t sum = row_of(program, program->m)[program->m], D = program->basis->D;
    return sum / D > most || (sum / D == most && sum % D);
}

enum lp_end lp_run(struct lp *program, int64_t most)
{
    while (!is_past(program, most)) {
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

// y may grow for ever, by D for the row that enters and by -Q a for those of the basis.
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
