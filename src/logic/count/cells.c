#include "logic/count/cells.h"
#include "logic/integers.h"

#include <assert.h>
#include <string.h>

// Step j of k leads from a row to one directly above it. Steps 0 to k - 2 move a +1 from bit j to
// bit j + 1; step k - 1 changes the last input, bit 0, from -1 to +1.
static unsigned rise_of(const struct cell_space *cells, unsigned step)
{
    return step + 1 < cells->k ? 1u << step : 1;
}

void cells_init(struct cell_space *cells, unsigned k)
{
    assert(k > 0 && k <= CELL_INPUTS_MAX);
    memset(cells, 0, sizeof *cells);
    cells->k = k;
    uint32_t rows = (uint32_t)1 << k;
    cells->words = (rows + 63) / 64;
    for (uint32_t row = 0; row < rows; row++)
        for (unsigned i = 0; i < k; i++) {
            if (row >> (k - 1 - i) & 1)
                row_set_flip(&cells->plus[i], row);
            if (i + 1 < k ? (row >> i & 3) == 1 : (row & 1) == 0)
                row_set_flip(&cells->may_rise[i], row);
        }
}

void cells_table(const struct cell_space *cells, const uint32_t *weights, struct row_set *table)
{
    int32_t sums[1 << CELL_INPUTS_MAX];
    uint32_t rows = (uint32_t)1 << cells->k;
    sums[0] = 0;
    for (unsigned i = 0; i < cells->k; i++)
        sums[0] -= (int32_t)weights[i];
    for (unsigned bit = 0; bit < cells->k; bit++)
        for (uint32_t row = 0; row < (uint32_t)1 << bit; row++)
            sums[row | (uint32_t)1 << bit] = sums[row] + 2 * (int32_t)weights[cells->k - 1 - bit];
    memset(table, 0, sizeof *table);
    for (uint32_t row = 0; row < rows; row++)
        table->word[row / 64] |= (uint64_t)(sums[row] > 0) << row % 64;
}

// Removes the rows that step j reaches from `from` from `rows`.
static void remove_risen(const struct cell_space *cells, const struct row_set *from, unsigned step,
                         struct row_set *rows)
{
    const uint64_t *may = cells->may_rise[step].word;
    unsigned rise = rise_of(cells, step), words = rise / 64, bits = rise % 64;
    for (size_t w = words; w < cells->words; w++) {
        size_t source = w - words;
        uint64_t moved = (from->word[source] & may[source]) << bits;
        if (bits && source > 0)
            moved |= (from->word[source - 1] & may[source - 1]) >> (64 - bits);
        rows->word[w] &= ~moved;
    }
}

void cells_minimal(const struct cell_space *cells, const struct row_set *table,
                   struct row_set *minimal)
{
    *minimal = *table;
    for (unsigned step = 0; step < cells->k; step++)
        remove_risen(cells, table, step, minimal);
}

void cells_chow(const struct cell_space *cells, const struct row_set *table, int *chow)
{
    for (unsigned i = 0; i < cells->k; i++) {
        int with = 0;
        for (size_t w = 0; w < cells->words; w++)
            with += __builtin_popcountll(table->word[w] & cells->plus[i].word[w]);
        chow[i] = 2 * with - (1 << (cells->k - 1)); // half of the rows are true
    }
}

// ---- the linear program
//
// Ordered weights are sums: w_i = l_i + l_(i+1) + ... + l_k with l >= 0. With s_j = x_1 + ... + x_j
// for a row x, w . x = s . l, and the least sum of weights is
//
//     minimise sum_j j l_j   with   s(x) . l >= 1  for each row x,   l >= 0.
//
// It is solved like the program of synthesis/unit_lp.c, starting from l = 0, by integer pivots on D
// B^-1; millions of programs are solved, so this copy has a fixed size and uses doubles.
// These are minors of the matrix with the columns s(x), e_j and (1, 2, ..., k), and a row of ones
// below. Subtracting from each row the one above makes the columns x, e_j - e_(j+1) and (1, 1, ...,
// 1), so by Hadamard no minor is larger than (k + 1)^((k + 1) / 2) = 5.4e5 for k = 10, and the
// products below are far from 2^53: doubles hold them exactly. A quotient that is known to be whole
// is the product with 1 / D, rounded to the nearest whole number, which is much faster.

enum { WIDE = CELL_INPUTS_MAX + 2 };

struct pivots {
    unsigned k;
    double D;
    double Q[CELL_INPUTS_MAX][WIDE]; // [column][row] row k has D times l
    double values[WIDE];             // of the basis, times D
    double enters[WIDE];             // the column that enters
};

static void begin(struct pivots *pivots, unsigned k)
{
    memset(pivots, 0, sizeof *pivots);
    pivots->k = k;
    pivots->D = 1;
    for (unsigned i = 0; i < k; i++) {
        pivots->Q[i][i] = 1;
        pivots->values[i] = i + 1;
    }
}

// D times the weights: [k]
static void read_weights(const struct pivots *pivots, double *weights)
{
    double sum = 0;
    for (unsigned i = pivots->k; i-- > 0;)
        weights[i] = sum += pivots->Q[i][pivots->k];
}

static void enter_slack(struct pivots *pivots, unsigned j)
{
    memcpy(pivots->enters, pivots->Q[j], sizeof pivots->enters);
}

static void enter_row(struct pivots *pivots, uint32_t row)
{
    double sum = 0;
    memset(pivots->enters, 0, sizeof pivots->enters);
    for (unsigned j = 0; j < pivots->k; j++) {
        sum += row >> (pivots->k - 1 - j) & 1 ? 1 : -1;
        for (unsigned i = 0; i < WIDE; i++)
            pivots->enters[i] += sum * pivots->Q[j][i];
    }
    pivots->enters[pivots->k] -= pivots->D;
}

// *least := the row with the least w . x; returns D times that.
static double least_row(const struct cell_space *cells, const struct row_set *rows,
                        const double *weights, uint32_t *least)
{
    enum { HALF = CELL_INPUTS_MAX / 2 };
    double low[1 << HALF] = {0}, high[1 << HALF] = {0}, smallest = 0;
    bool any = false;
    for (unsigned bit = 0; bit < cells->k; bit++) {
        double weight = weights[cells->k - 1 - bit], *sums = bit < HALF ? low : high;
        uint32_t with = (uint32_t)1 << bit % HALF;
        for (uint32_t row = 0; row < with; row++) {
            sums[row | with] = sums[row] + weight;
            sums[row] -= weight;
        }
    }
    for (size_t w = 0; w < cells->words; w++)
        for (uint64_t left = rows->word[w]; left; left &= left - 1) {
            uint32_t row = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left));
            double sum = low[row & ((1 << HALF) - 1)] + high[row >> HALF];
            if (!any || sum < smallest) {
                smallest = sum;
                *least = row;
            }
            any = true;
        }
    return smallest;
}

static bool choose(struct pivots *pivots, const struct cell_space *cells,
                   const struct row_set *rows)
{
    double weights[CELL_INPUTS_MAX], least_l = 0;
    unsigned slack = 0;
    uint32_t row = 0;
    for (unsigned j = 0; j < pivots->k; j++)
        if (pivots->Q[j][pivots->k] < least_l)
            least_l = pivots->Q[slack = j][pivots->k];
    if (least_l < 0) {
        enter_slack(pivots, slack);
        return true;
    }
    read_weights(pivots, weights);
    if (least_row(cells, rows, weights, &row) >= pivots->D)
        return false;
    enter_row(pivots, row);
    return true;
}

// Lexicographic order, which guarantees termination.
static bool leaves_before(const struct pivots *pivots, unsigned i, unsigned other)
{
    double a = pivots->enters[i], b = pivots->enters[other];
    double left = pivots->values[i] * b, right = pivots->values[other] * a;
    for (unsigned j = 0; left == right && j < pivots->k; j++) {
        left = pivots->Q[j][i] * b;
        right = pivots->Q[j][other] * a;
    }
    return left < right;
}

static void pivot_column(const struct pivots *pivots, double *column, unsigned r)
{
    const double whole = 0x1.8p52; // adding it rounds to whole numbers
    double kept = column[r], alpha = pivots->enters[r], inverse = 1 / pivots->D;
    for (unsigned i = 0; i < WIDE; i++) {
        double product = alpha * column[i] - pivots->enters[i] * kept;
        column[i] = (product * inverse + whole) - whole;
    }
    column[r] = kept;
}

// False: unbounded, so there are no weights.
static bool pivot(struct pivots *pivots)
{
    unsigned k = pivots->k, r = k;
    for (unsigned i = 0; i < k; i++)
        if (pivots->enters[i] > 0 && (r == k || leaves_before(pivots, i, r)))
            r = i;
    if (r == k)
        return false;
    for (unsigned j = 0; j < k; j++)
        pivot_column(pivots, pivots->Q[j], r);
    pivot_column(pivots, pivots->values, r);
    pivots->D = pivots->enters[r];
    return true;
}

bool cells_weights(const struct cell_space *cells, const struct row_set *rows, uint32_t *weights)
{
    struct pivots pivots;
    double large[CELL_INPUTS_MAX];
    uint32_t divisor = 0;
    begin(&pivots, cells->k);
    while (choose(&pivots, cells, rows))
        if (!pivot(&pivots))
            return false;
    read_weights(&pivots, large);
    for (unsigned i = 0; i < cells->k; i++) {
        weights[i] = (uint32_t)large[i];
        divisor = (uint32_t)greatest_common_divisor(weights[i], divisor);
    }
    for (unsigned i = 0; i < cells->k; i++)
        weights[i] /= divisor;
    return true;
}
