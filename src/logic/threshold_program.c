// The dual simplex method, as the primal one on the dual: one number y >= 0 per row of the table,
//
//     maximise sum_false y   with   sum_true y x_i - sum_false y x_i <= 1   for each input i,
//                                   sum_false y - sum_true y <= 0,
//
// which y = 0 satisfies. Its multipliers are w and t: the row that enters is the one that w and t
// violate most, found by one look at all key rows. If none is left, w and t are the answer; if y
// may grow for ever, it shows that there is none. Inputs of unknown sign have a second inequality,
// with
// >= -1, and then so has t.
//
// Kept is Q = D B^-1 for the matrix B of the basis and D = |det B|: whole numbers, which a pivot
// keeps so (Edmonds 1967). Each is a minor of the matrix of the program, which after changing the
// sign of some rows and columns has entries 0 and 1 (or, for unknown signs, determinants at most
// twice as large): at most 23^11.5 / 2^22 = 1.1e9 for 20 inputs by Hadamard's bound, so the
// products below fit 64 bits. That they do is checked all the same.
//
// Of rows that could leave the basis the lexicographically smallest does, so there is an end
// (Dantzig, Orden, Wolfe 1955).
#include "logic/threshold_program.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define OF_THRESHOLD TRUTH_INPUTS_MOST

struct variable {
    unsigned bit; // of the input, or OF_THRESHOLD
    int sign;
};

struct program {
    const struct key_rows *keys;
    size_t m; // variables, and inequalities
    struct variable variable[VARIABLES_MOST];
    // [m + 1][m + 1]: Q and, in the last column, D times the values; the last row is D times the
    // multipliers and the aim.
    int64_t *Q;
    int64_t D;
    int64_t enters[VARIABLES_MOST + 1]; // Q a for the column a that enters, and its reduced cost
    size_t basic[VARIABLES_MOST];       // < m: the slack of an inequality; else m + key row
    struct row_sums *sums;              // for the multipliers
    bool overflow;
};

static int64_t *row_of(struct program *program, size_t r)
{
    return program->Q + r * (program->m + 1);
}

static void add_variables(struct program *program, unsigned bit, bool both_signs)
{
    program->variable[program->m++] = (struct variable){bit, 1};
    if (both_signs)
        program->variable[program->m++] = (struct variable){bit, -1};
}

static bool begin(struct program *program, const struct key_rows *keys)
{
    program->keys = keys;
    for (unsigned bit = 0; bit < keys->inputs; bit++)
        if (!(keys->idle >> bit & 1))
            add_variables(program, bit, keys->unsure >> bit & 1);
    // With weights >= 0, t > w . x >= 0 for any false row.
    add_variables(program, OF_THRESHOLD, keys->unsure != 0);
    size_t m = program->m;
    program->Q = memory_new((m + 1) * (m + 1), sizeof *program->Q);
    program->sums = memory_new(1, sizeof *program->sums);
    if (!program->Q || !program->sums)
        return false;
    program->D = 1;
    for (size_t i = 0; i < m; i++) {
        program->basic[i] = i;
        row_of(program, i)[i] = 1;
        row_of(program, i)[m] = program->variable[i].bit != OF_THRESHOLD;
    }
    return true;
}

// The weights and the threshold, times D, of the multipliers.
static void read_plane(struct program *program, int64_t *weights, int64_t *threshold)
{
    const int64_t *multipliers = row_of(program, program->m);
    int64_t by_bit[TRUTH_INPUTS_MOST + 1] = {0};
    for (size_t j = 0; j < program->m; j++)
        by_bit[program->variable[j].bit] += program->variable[j].sign * multipliers[j];
    memcpy(weights, by_bit, TRUTH_INPUTS_MOST * sizeof *weights);
    *threshold = by_bit[OF_THRESHOLD];
}

// What enters the basis: the slack of a negative multiplier, or the row that is violated most.
static bool choose(struct program *program, size_t *entering)
{
    const struct key_rows *keys = program->keys;
    const int64_t *multipliers = row_of(program, program->m);
    int64_t weights[TRUTH_INPUTS_MOST], threshold, most = 0;
    for (size_t j = 0; j < program->m; j++)
        if (-multipliers[j] > most)
            most = -multipliers[ *entering = j];
    if (most)
        return true;
    read_plane(program, weights, &threshold);
    row_sums_fill(program->sums, keys->inputs, weights);
    for (size_t i = 0; i < keys->trues; i++) {
        int64_t lacks = threshold - row_sum(program->sums, keys->rows[i]);
        if (lacks > most) {
            most = lacks;
            *entering = program->m + i;
        }
    }
    for (size_t i = keys->trues; i < keys->count; i++) {
        int64_t lacks = program->D - threshold + row_sum(program->sums, keys->rows[i]);
        if (lacks > most) {
            most = lacks;
            *entering = program->m + i;
        }
    }
    return most > 0;
}

// The column of a slack or a row, as it is in the program.
static int64_t coefficient(const struct program *program, size_t column, size_t j)
{
    if (column < program->m)
        return column == j;
    size_t key = column - program->m;
    const struct variable *variable = &program->variable[j];
    uint32_t row = program->keys->rows[key];
    int of_true = variable->bit == OF_THRESHOLD ? -1 : (int)(row >> variable->bit & 1);
    return (key < program->keys->trues ? of_true : -of_true) * variable->sign;
}

static void make_column(struct program *program, size_t column)
{
    size_t m = program->m;
    int64_t a[VARIABLES_MOST];
    for (size_t j = 0; j < m; j++)
        a[j] = coefficient(program, column, j);
    for (size_t i = 0; i <= m; i++) {
        const int64_t *row = row_of(program, i);
        int64_t sum = 0;
        for (size_t j = 0; j < m; j++)
            sum += a[j] * row[j];
        program->enters[i] = sum;
    }
    bool is_false = column >= m + program->keys->trues;
    program->enters[m] -= is_false ? program->D : 0; // minus the reduced cost
}

// Whether row i leaves rather than row k: the ratios of the values, then of the columns of Q.
static bool leaves_before(struct program *program, size_t i, size_t k)
{
    const int64_t *row_i = row_of(program, i), *row_k = row_of(program, k);
    int64_t alpha_i = program->enters[i], alpha_k = program->enters[k];
    for (size_t n = 0; n <= program->m; n++) {
        size_t j = n == 0 ? program->m : n - 1;
        int64_t left = row_i[j] * alpha_k, right = row_k[j] * alpha_i;
        if (left != right)
            return left < right;
    }
    return false;
}

// The row that leaves; m: none, y may grow for ever.
static size_t leaving(struct program *program)
{
    size_t row = program->m;
    for (size_t i = 0; i < program->m; i++)
        if (program->enters[i] > 0 && (row == program->m || leaves_before(program, i, row)))
            row = i;
    return row;
}

static void pivot(struct program *program, size_t r, size_t column)
{
    size_t m = program->m;
    const int64_t *pivot_row = row_of(program, r);
    int64_t alpha_r = program->enters[r];
    for (size_t i = 0; i <= m; i++) {
        int64_t *row = row_of(program, i), alpha = program->enters[i];
        for (size_t j = 0; i != r && j <= m; j++) {
            int64_t left, right, difference;
            program->overflow |= __builtin_mul_overflow(alpha_r, row[j], &left) ||
                                 __builtin_mul_overflow(alpha, pivot_row[j], &right) ||
                                 __builtin_sub_overflow(left, right, &difference);
            if (program->overflow)
                return;
            row[j] = difference / program->D;
        }
    }
    program->D = alpha_r;
    program->basic[r] = column;
}

// y may grow for ever, by D for the row that enters and by -alpha for those of the basis.
static void read_contradiction(const struct program *program, size_t column,
                               struct separation *separation)
{
    for (size_t i = 0; i <= program->m; i++) {
        size_t what = i < program->m ? program->basic[i] : column;
        int64_t much = i < program->m ? -program->enters[i] : program->D;
        if (much == 0)
            continue;
        if (what >= program->m) {
            separation->key[separation->count] = what - program->m;
            separation->multiple[separation->count++] = much;
        } else if (program->variable[what].bit == OF_THRESHOLD) {
            separation->excess = much;
        } else {
            separation->lacking[program->variable[what].bit] = much;
        }
    }
}

static tlu_status solve(struct program *program, struct separation *separation, tlu_error *error)
{
    for (size_t column; choose(program, &column);) {
        make_column(program, column);
        size_t row = leaving(program);
        if (row == program->m) {
            read_contradiction(program, column, separation);
            return TLU_OK;
        }
        pivot(program, row, column);
        if (program->overflow)
            return error_system(error, "the numbers of this function do not fit 64 bits");
    }
    separation->possible = true;
    separation->scale = program->D;
    read_plane(program, separation->weights, &separation->threshold);
    return TLU_OK;
}

tlu_status program_solve(const struct key_rows *keys, struct separation *separation,
                         tlu_error *error)
{
    struct program program = {0};
    memset(separation, 0, sizeof *separation);
    tlu_status status =
        begin(&program, keys) ? solve(&program, separation, error) : error_memory(error);
    memory_free(program.Q);
    memory_free(program.sums);
    return status;
}
