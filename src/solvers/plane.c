// The maximum-margin hyperplane, a convex quadratic optimisation problem (Kun notes):
//
//     minimise |w|^2 / 2  with  y_i (w . x_i + b) >= 1 for every row i
//
// With a soft margin (Cortes and Vapnik 1995), rows may violate the margin at a cost:
//
//     minimise |w|^2 / 2 + sum_i C_i max(0, 1 - y_i (w . x_i + b))
//
// This file solves the dual: with d_i = y_i alpha_i and w = sum_i d_i x_i,
//
//     maximise sum_i alpha_i - |w|^2 / 2  with  0 <= alpha_i <= C_i  and  sum_i d_i = 0
//
// A hard margin has no limit C_i; without a bias there is no constraint on the sum. The method is
// block coordinate ascent: a block has the rows that violate the optimality conditions most and
// rows of the previous block. smo.c solves it with all other alphas fixed; then w and the scores of
// all rows are updated. It stops when (primal - dual) / primal <= GAP, with both recomputed from
// the alphas. Many rows start from the alphas of linear.c.
//
// Hard margin: any alpha shows that the convex hulls of the classes have points at a distance of 2
// |w| / sum alpha, so no plane has a margin above bound = |w| / sum alpha. After each block all
// alphas are multiplied by the optimal factor, sum alpha / |w|^2; then the dual is 1 / (2 bound^2).
// It grows until a plane reaches the bound. If the hulls intersect, it grows without limit: an
// alpha whose bound is negligible compared with the longest row proves that no plane separates the
// rows.
#include "solvers/plane.h"

#include "base/memory.h"
#include "solvers/linear.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 1e-6
#define NOTHING 1e-9     // a bound below this times the longest row is negligible (rounding)
#define BLOCK 512        // rows, at most
#define BLOCK_FEW 64     // at least, if there are as many rows
#define BLOCK_SHARE 3    // rows per feature and bias: about as many as can be support vectors
#define ROUGH 1e-3       // gap at which linear.c stops, if it solves a similar problem
#define MAX_BLOCKS 20000 // maximum number of blocks
// Stops if PATIENCE blocks reduce the gap by less than the fraction GAIN and increase the dual by
// less than GROWTH times itself or, with a soft margin, GAIN times (primal - dual).
#define PATIENCE 200
#define GROWTH 1e-13
#define GAIN 1e-9
#define FRESH 50 // blocks after which w is recomputed, to remove accumulated rounding errors

static double low_of(const struct plane_row *row)
{
    return row->y > 0 ? 0 : -row->limit;
}

static double high_of(const struct plane_row *row)
{
    return row->y > 0 ? row->limit : 0;
}

static void add_row(struct plane *p, double *to, const struct plane_row *row, double amount)
{
    p->routines->add(to, row->x.features, row->x.values, row->x.count, amount);
}

static double dot_row(const struct plane *p, const double *with, const struct plane_row *row)
{
    return p->routines->dot(with, row->x.features, row->x.values, row->x.count);
}

static void multiply(struct plane *p, double factor)
{
    for (size_t f = 0; f < p->features; f++)
        if (p->w[f] != 0) // does not touch memory that was never written to
            p->w[f] *= factor;
    for (size_t i = 0; i < p->count; i++) {
        p->rows[i].d *= factor;
        p->rows[i].score *= factor;
    }
}

static double slack_of(const struct plane_row *row)
{
    return fmin(high_of(row) - row->d, row->d - low_of(row));
}

// Restores sum d = 0 after rounding, by changing the row that is farthest from its bounds.
static void balance(struct plane *p)
{
    double sum = 0;
    struct plane_row *slackest = p->rows;
    for (size_t i = 0; i < p->count; i++) {
        sum += p->rows[i].d;
        if (slack_of(&p->rows[i]) > slack_of(slackest))
            slackest = &p->rows[i];
    }
    if (fabs(sum) < slack_of(slackest))
        slackest->d -= sum;
}

// w := sum d x
static void sum_up(struct plane *p)
{
    if (p->bias)
        balance(p);
    for (size_t f = 0; f < p->features; f++)
        if (p->w[f] != 0)
            p->w[f] = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->rows[i].d != 0)
            add_row(p, p->w, &p->rows[i], p->rows[i].d);
}

// ---- candidates ----

static int by_violation(const void *a_pointer, const void *b_pointer)
{
    const struct plane_candidate *a = a_pointer, *b = b_pointer;
    if (a->violation != b->violation)
        return a->violation > b->violation ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

// Moves the `most` worst candidates to the front (quickselect).
static void split_worst(struct plane_candidate *all, size_t count, size_t most)
{
    size_t first = 0, last = count;
    while (first < most && most < last) { // the boundary is between them
        struct plane_candidate pivot = all[first + (last - first - 1) / 2];
        size_t i = first, j = last - 1;
        for (;; i++, j--) {
            while (by_violation(&all[i], &pivot) < 0)
                i++;
            while (by_violation(&pivot, &all[j]) < 0)
                j--;
            if (i >= j)
                break;
            struct plane_candidate other = all[i];
            all[i] = all[j];
            all[j] = other;
        }
        *(most <= j ? &last : &first) = j + 1;
    }
}

// ---- objective and gap ----

struct plane_sums {
    double square; // |w|^2
    double alphas;
    double drift; // sum d, which should be 0
};

// The slope of d_i is y_i - score_i; at the solution it equals b if 0 < alpha_i < C_i. Sets b
// halfway between the highest slope of a d that can increase and the lowest of one that can
// decrease.
static void set_bias(struct plane *p)
{
    double highest = p->bias ? -INFINITY : 0, lowest = p->bias ? INFINITY : 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct plane_row *row = &p->rows[i];
        double slope = row->y - row->score;
        if (slope > highest && row->d < high_of(row))
            highest = slope;
        if (slope < lowest && row->d > low_of(row))
            lowest = slope;
    }
    p->work.violation = highest - lowest;
    p->b = p->bias ? (highest + lowest) / 2 : 0;
}

static double losses_with(const struct plane *p, double b)
{
    double loss = 0;
    for (size_t i = 0; i < p->count; i++) {
        double margin = p->rows[i].y * (p->rows[i].score + b);
        if (margin < 1)
            loss += p->rows[i].limit * (1 - margin);
    }
    return loss;
}

// The b with the least losses: where it passes y_i - score_i, their derivative grows by C_i, from
// -sum C_i over the rows with y_i > 0.
static double best_bias(struct plane *p)
{
    struct plane_candidate *all = p->work.up;
    double below = 0; // C of the rows before `first`, less that of all rows with y > 0
    for (size_t i = 0; i < p->count; i++) {
        below -= p->rows[i].y > 0 ? p->rows[i].limit : 0;
        all[i] = (struct plane_candidate){p->rows[i].score - p->rows[i].y, (uint32_t)i};
    }
    size_t first = 0, last = p->count;
    while (last - first > 1) {
        size_t middle = first + (last - first) / 2;
        double sum = below;
        split_worst(all + first, last - first, middle - first);
        for (size_t i = first; i < middle; i++)
            sum += p->rows[all[i].row].limit;
        if (sum < 0) {
            below = sum;
            first = middle;
        } else {
            last = middle;
        }
    }
    return -all[first].violation;
}

static void measure_soft(struct plane *p, const struct plane_sums *sums)
{
    set_bias(p);
    p->work.dual = sums->alphas - sums->square / 2;
    double loss = losses_with(p, p->b);
    if (p->bias && sums->square / 2 + loss - p->work.dual > GAP * (sums->square / 2 + loss)) {
        double best = best_bias(p), best_loss = losses_with(p, best);
        p->b = best_loss < loss ? best : p->b;
        loss = fmin(loss, best_loss);
    }
    p->separates = true;
    for (size_t i = 0; i < p->count; i++)
        p->separates &= p->rows[i].y * (p->rows[i].score + p->b) > 0;
    double primal = p->objective = sums->square / 2 + loss;
    p->work.lacking = primal - p->work.dual;
    p->gap = (p->work.lacking + fabs(p->b * sums->drift)) / primal;
}

// With the plane halfway between the classes and h the smallest y (w . x + b), the primal is |w /
// h|^2 / 2 and the dual, for alpha / h, is sum alpha / h - |w / h|^2 / 2.
static double middle(const struct plane *p, double *b)
{
    double plus = INFINITY, minus = -INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows[i].y > 0)
            plus = fmin(plus, p->rows[i].score);
        else
            minus = fmax(minus, p->rows[i].score);
    }
    *b = p->bias ? -(plus + minus) / 2 : 0;
    return p->bias ? (plus - minus) / 2 : fmin(plus, -minus);
}

static void measure_hard(struct plane *p, struct plane_sums *sums)
{
    if (sums->alphas > 0 && sums->square > 0) {
        double factor = sums->alphas / sums->square;
        multiply(p, factor);
        sums->square *= factor * factor;
        sums->alphas *= factor;
        sums->drift *= factor;
    }
    double b, h = middle(p, &b);
    set_bias(p);
    p->bound = sums->alphas > 0 ? sqrt(sums->square) / sums->alphas : INFINITY;
    p->work.dual = sums->alphas - sums->square / 2;
    p->separates = h > 0;
    p->gap = INFINITY;
    if (h > 0)
        p->gap = 2 * (1 - (sums->alphas - fabs(b * sums->drift)) * h / sums->square);
}

static void measure(struct plane *p)
{
    struct plane_sums sums = {0};
    for (size_t i = 0; i < p->count; i++) {
        struct plane_row *row = &p->rows[i];
        row->score = dot_row(p, p->w, row);
        sums.alphas += row->y * row->d;
        sums.drift += p->bias ? row->d : 0;
    }
    for (size_t f = 0; f < p->features; f++)
        sums.square += p->w[f] * p->w[f];
    if (p->hard)
        measure_hard(p, &sums);
    else
        measure_soft(p, &sums);
    p->norm = sqrt(sums.square);
}

// ---- a block ----

static void take(struct plane *p, uint32_t row)
{
    if (p->rows[row].place || p->work.member_count == p->work.block.capacity - 1)
        return;
    p->work.members[p->work.member_count++] = row;
    p->rows[row].place = (uint32_t)p->work.member_count;
}

// Sorts the `most` worst candidates to the front. Returns their number.
static size_t sort_worst(struct plane_candidate *all, size_t count, size_t most)
{
    split_worst(all, count, most);
    count = count < most ? count : most;
    qsort(all, count, sizeof *all, by_violation);
    return count;
}

// Finds the rows whose d should increase (up) and decrease (down), worst violation first. A row
// with slope b may be one of both: b is the slope of a row if best_bias() chose it.
static void find_candidates(struct plane *p, size_t *ups, size_t *downs)
{
    *ups = *downs = 0;
    for (size_t i = 0; i < p->count; i++) {
        struct plane_row *row = &p->rows[i];
        double rise = row->y - row->score - p->b;
        if (rise >= 0 && row->d < high_of(row))
            p->work.up[(*ups)++] = (struct plane_candidate){rise, (uint32_t)i};
        if (rise <= 0 && row->d > low_of(row))
            p->work.down[(*downs)++] = (struct plane_candidate){-rise, (uint32_t)i};
        row->place_before = row->place;
        row->place = 0;
    }
    // A block has at most this many, besides rows of the previous block.
    size_t most = 2 * p->work.block.capacity;
    *ups = sort_worst(p->work.up, *ups, most);
    *downs = sort_worst(p->work.down, *downs, most);
}

// Half of the block are the worst violations, equally many up and down. Then come rows of the
// previous block that are strictly between their bounds, then more of the worst.
static void choose_block(struct plane *p)
{
    size_t ups, downs, count_before = p->work.member_count, next = 0;
    memcpy(p->work.before, p->work.members, count_before * sizeof *p->work.before);
    p->work.member_count = 0;
    find_candidates(p, &ups, &downs);
    size_t most = ups > downs ? ups : downs;
    for (int half = 1; half <= 2; half++) {
        for (; next < most && p->work.member_count < p->work.block.capacity / 2 * (size_t)half;
             next++) {
            if (next < ups)
                take(p, p->work.up[next].row);
            if (next < downs)
                take(p, p->work.down[next].row);
        }
        for (size_t i = 0; i < count_before; i++) {
            const struct plane_row *row = &p->rows[p->work.before[i]];
            if (slack_of(row) > 0)
                take(p, p->work.before[i]);
        }
    }
}

// Without a bias the sum of d is free. smo.c keeps the sum constant, so the block gets one more
// variable without bounds and without effect on the objective.
static void add_counterweight(struct smo *block)
{
    size_t n = block->size++;
    for (size_t i = 0; i <= n; i++)
        block->K[i * block->capacity + n] = block->K[n * block->capacity + i] = 0;
    block->d[n] = block->slope[n] = 0;
    block->low[n] = -INFINITY;
    block->high[n] = INFINITY;
}

// K_ij = x_i . x_j; products from the previous block are reused.
static void fill_products(struct plane *p)
{
    struct smo *block = &p->work.block;
    double *old = block->K;
    block->K = block->factor; // scratch, which only smo_solve uses
    block->factor = old;
    for (size_t i = 0; i < p->work.member_count; i++) {
        const struct plane_row *row = &p->rows[p->work.members[i]];
        add_row(p, p->work.scratch, row, 1);
        for (size_t j = 0; j <= i; j++) {
            const struct plane_row *other = &p->rows[p->work.members[j]];
            size_t a = row->place_before, b = other->place_before;
            block->K[i * block->capacity + j] = block->K[j * block->capacity + i] =
                a && b ? old[(a - 1) * block->capacity + b - 1]
                       : dot_row(p, p->work.scratch, other);
        }
        add_row(p, p->work.scratch, row, -1);
    }
}

static void solve_block(struct plane *p)
{
    struct smo *block = &p->work.block;
    fill_products(p);
    block->size = p->work.member_count;
    for (size_t i = 0; i < block->size; i++) {
        const struct plane_row *row = &p->rows[p->work.members[i]];
        block->d[i] = row->d;
        block->low[i] = low_of(row);
        block->high[i] = high_of(row);
        block->slope[i] = row->y - row->score;
    }
    if (!p->bias)
        add_counterweight(block);
    assert(block->size <= block->capacity);
    smo_solve(block, p->work.violation / 10);
    for (size_t i = 0; i < p->work.member_count; i++) {
        struct plane_row *row = &p->rows[p->work.members[i]];
        if (block->d[i] != row->d)
            add_row(p, p->w, row, block->d[i] - row->d);
        row->d = block->d[i];
    }
}

// ---- the main loop ----

static bool allocate(struct plane *p)
{
    size_t rows = p->features < BLOCK ? BLOCK_SHARE * (p->features + 1) : BLOCK;
    rows = rows < BLOCK_FEW ? BLOCK_FEW : rows > BLOCK ? BLOCK : rows;
    size_t capacity = (p->count < rows ? p->count : rows) + 1; // plus that of add_counterweight
    return (p->w = memory_new(p->features, sizeof *p->w)) &&
           (p->work.scratch = memory_new(p->features, sizeof *p->work.scratch)) &&
           (p->work.up = memory_new(p->count, sizeof *p->work.up)) &&
           (p->work.down = memory_new(p->count, sizeof *p->work.down)) &&
           (p->work.best = memory_new(p->count, sizeof *p->work.best)) &&
           (p->work.members = memory_new(capacity, sizeof *p->work.members)) &&
           (p->work.before = memory_new(capacity, sizeof *p->work.before)) &&
           smo_init(&p->work.block, capacity);
}

void plane_free(struct plane *p)
{
    void *parts[] = {p->w,         p->work.scratch, p->work.up,    p->work.down,
                     p->work.best, p->work.members, p->work.before};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    smo_free(&p->work.block);
}

static void find_longest(struct plane *p)
{
    p->length = 0;
    for (size_t i = 0; i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        double square = 0;
        for (size_t k = 0; k < x->count; k++) {
            double value = x->values ? (double)x->values[k] : 1;
            square += value * value;
        }
        p->length = fmax(p->length, sqrt(square));
    }
}

// Whether the gap is small enough, by sums that are computed as exactly as possible.
static bool proved(struct plane *p, bool fresh)
{
    bool done = p->gap <= GAP || (p->hard && p->bound <= NOTHING * p->length);
    if (fresh || !done)
        return done;
    sum_up(p);
    measure(p);
    return proved(p, true);
}

static void keep_best(struct plane *p)
{
    p->work.best_gap = p->gap;
    for (size_t i = 0; i < p->count; i++)
        p->work.best[i] = p->rows[i].d;
}

static void return_to_best(struct plane *p)
{
    for (size_t i = 0; p->work.best_gap < p->gap && i < p->count; i++)
        p->rows[i].d = p->work.best[i];
    sum_up(p);
    measure(p);
}

// Hard margin: scales w and b so that the nearest rows have y (w . x + b) = 1.
static void set_distance(struct plane *p)
{
    double b, h = middle(p, &b);
    multiply(p, 1 / h);
    p->norm /= h;
    p->objective = p->norm * p->norm / 2;
    p->b = b / h;
}

// Makes sum d = 0 after linear.c: changes the d strictly between their bounds or, if they do not
// suffice, scales down the alphas of the class with the larger sum.
static void make_feasible(struct plane *p)
{
    double sums[2] = {0}, free = 0; // of the alphas of each class; of what free d can give
    for (size_t i = 0; i < p->count; i++)
        sums[p->rows[i].y > 0] += fabs(p->rows[i].d);
    double excess = sums[1] - sums[0];
    for (size_t i = 0; i < p->count; i++)
        if (slack_of(&p->rows[i]) > 0)
            free += excess > 0 ? p->rows[i].d - low_of(&p->rows[i])
                               : high_of(&p->rows[i]) - p->rows[i].d;
    for (size_t i = 0; i < p->count; i++) {
        struct plane_row *row = &p->rows[i];
        if (fabs(excess) < free && slack_of(row) > 0)
            row->d -= excess / free * (excess > 0 ? row->d - low_of(row) : high_of(row) - row->d);
        else if (fabs(excess) >= free && row->y * excess > 0)
            row->d *= fmin(sums[0], sums[1]) / fmax(sums[0], sums[1]);
    }
}

// Soft margin of many rows: starts from the alphas of linear.c. With many features the bias is part
// of |w| there. False: out of memory.
static bool start_linear(struct plane *p)
{
    struct linear_solver linear = {.loss = LINEAR_HINGE,
                                   .rows = memory_new(p->count, sizeof(struct linear_row)),
                                   .count = p->count,
                                   .features = p->features,
                                   .bias = p->bias,
                                   .free_bias = p->bias && p->features <= LINEAR_FEW,
                                   .goal = p->features <= LINEAR_FEW ? GAP / 2 : ROUGH,
                                   .seed = 1,
                                   .growth = p->growth,
                                   .routines = p->routines,
                                   .stop = p->stop,
                                   .context = p->context};
    for (size_t i = 0; linear.rows && i < p->count; i++)
        linear.rows[i] = (struct linear_row){.x = p->rows[i].x,
                                             .y = p->rows[i].y,
                                             .C = p->rows[i].limit,
                                             .alpha = fabs(p->rows[i].d)};
    bool fine = linear.rows && linear_solve(&linear);
    for (size_t i = 0; fine && i < p->count; i++)
        p->rows[i].d = p->rows[i].y * linear.rows[i].alpha;
    if (fine && p->bias)
        make_feasible(p);
    linear_free(&linear);
    memory_free(linear.rows);
    return fine;
}

// Whether the last blocks made no significant progress.
static bool stagnates(const struct plane *p, double last_gap, double last_dual)
{
    double growth = p->work.dual - last_dual;
    return p->work.best_gap >= last_gap * (1 - GAIN) &&
           (p->work.dual <= last_dual * (1 + GROWTH) ||
            (!p->hard && growth < GAIN * p->work.lacking));
}

static enum plane_end run(struct plane *p)
{
    double last_dual = -INFINITY, last_gap = INFINITY;
    p->work.best_gap = INFINITY;
    for (size_t blocks = 0; blocks < MAX_BLOCKS; blocks++) {
        if (blocks % FRESH == 0)
            sum_up(p);
        measure(p);
        if (proved(p, blocks % FRESH == 0))
            return p->gap <= GAP ? PLANE_FOUND : PLANE_NONE;
        if (p->gap < p->work.best_gap)
            keep_best(p);
        if (blocks % PATIENCE == PATIENCE - 1) {
            if (stagnates(p, last_gap, last_dual))
                break;
            last_gap = p->work.best_gap;
            last_dual = p->work.dual;
        }
        if (p->stop && p->stop(p->context))
            break;
        choose_block(p);
        solve_block(p);
    }
    return_to_best(p);
    return PLANE_STOPPED;
}

enum plane_end plane_solve(struct plane *p)
{
    assert(p->count > 0 && p->rows && p->routines);
    if (!allocate(p))
        return PLANE_NO_MEMORY;
    find_longest(p);
    bool many = !p->hard && p->count > BLOCK;
    for (size_t i = 0; !many && i < p->count; i++) // the sum stays 0
        p->rows[i].d =
            fmin(fmax(p->rows[i].d * p->growth, low_of(&p->rows[i])), high_of(&p->rows[i]));
    if (many && !start_linear(p))
        return PLANE_NO_MEMORY;
    enum plane_end end = run(p);
    if (p->hard && p->separates)
        set_distance(p);
    return end;
}
