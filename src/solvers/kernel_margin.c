// The problem of plane.c with a kernel instead of dot products. With d_i = y_i alpha_i:
//
//     minimise  sum_ij d_i d_j K_ij / 2 - sum_i alpha_i
//     with  0 <= alpha_i <= C_i  and  sum_i d_i = 0
//
// A hard margin has no limit C_i; without a bias there is no constraint on the sum. The method is
// sequential minimal optimisation with the working sets of Fan, Chen and Lin (2005):
//
//     round:
//         scores := K d;  measure the gap;  stop if it is at most GAP
//         repeat until the pair that violates optimality most does so by less than a tolerance:
//             i: the d_i with the highest slope y_i - score_i among those that can increase
//             j: the d_j among those that can decrease with which the pair gains most
//             d_i := d_i + t,  d_j := d_j - t,  with the best t within the bounds
//             scores of the active rows += t (K_i - K_j)
//         lower the tolerance
//
// If K is ill-conditioned, pairs converge slowly. After many of them, all d strictly between their
// bounds are optimised together by smo.c, which makes Newton steps, unless there are too many.
//
// Now and then rows leave the active set (shrinking, Joachims 1999): rows at a bound whose slope
// keeps them there. A round begins with all rows, and with scores that are computed from the d, so
// that neither shrinking nor rounding can make the solution wrong. The gap and the bound of a hard
// margin are those of plane.c.
#include "solvers/kernel_margin.h"

#include "base/memory.h"
#include "vector/lanes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define GAP 1e-6
// A bound on the margin whose square is below this times the square of the longest row is
// negligible: |w|^2 is a sum of terms that cancel, which rounding changes by about 1e-16 of each.
#define NOTHING 1e-14
#define FLAT 1e-12               // minimum curvature, relative to the largest K_ii
#define TOLERANCE 1e-2           // of the first round
#define ROUNDS 2000              // maximum
#define STEPS ((size_t)10000000) // maximum, for fewer than STEPS / 100 rows
#define PATIENCE 20              // rounds without progress after which the search ends
#define SHRINK 1000              // steps after which rows may leave the active set
#define BLOCK 256                // maximum number of rows that are optimised together
#define LOOK (1u << 22)          // products after which the caller is asked whether to stop
#define LOOK_ROWS 100            // kernel rows after which it is asked anyway
#define LAST_LOOKS 4             // times that many kernel rows may follow its wish to stop

// The active rows, by position. The arrays have room for the next multiple of 4.
struct active_rows {
    double *slope, *own;
    double *up, *down; // 0; -INFINITY if d cannot increase, INFINITY if d cannot decrease
    uint32_t *row;     // ascending
    size_t count;
};

struct margin_work {
    struct plane *p;
    struct kernel_rows *kernel;
    double *d, *slope;  // [count]
    double *low, *high; // [count] bounds of d; a d at a bound equals it exactly
    double *own;        // [count] K_ii
    double *best;       // [count] d with the smallest gap so far
    double *best_slope; // [count] its slopes
    struct active_rows active;
    double *scratch, *other_scratch, *zeros; // [count]
    double least;                            // minimum curvature
    double dual, best_gap;
    double gain;                   // the dual objective of d, as the steps changed it
    size_t steps;                  // in all rounds
    double highest, lowest;        // slopes of active rows that can increase and that can decrease
    size_t look_after, since_look; // in kernel rows
    bool stopped, no_memory;
    bool finishing;          // the last scores are computed, although the caller wants to stop
    struct smo block;        // of capacity BLOCK + 1
    uint32_t members[BLOCK]; // positions of its rows
};

// ---- scores and gap ----

static double slack_of(const struct margin_work *m, size_t i)
{
    return fmin(m->high[i] - m->d[i], m->d[i] - m->low[i]);
}

// Restores sum d = 0 after rounding, by changing the row that is farthest from its bounds.
static void balance(struct margin_work *m)
{
    double sum = 0;
    size_t slackest = 0;
    for (size_t i = 0; i < m->p->count; i++) {
        sum += m->d[i];
        if (slack_of(m, i) > slack_of(m, slackest))
            slackest = i;
    }
    if (fabs(sum) < slack_of(m, slackest))
        m->d[slackest] -= sum;
}

// to -= amount values, to the next multiple of 4
LANES_BODY void subtract(double *to, const double *values, size_t count, double amount)
{
    for (size_t i = 0; i < count; i += 4)
        *(four *)(to + i) -= amount * *(const four *)(values + i);
}

LANES_AVX2 static void subtract_avx2(double *to, const double *values, size_t count, double amount)
{
    subtract(to, values, count, amount);
}

static void subtract_plain(double *to, const double *values, size_t count, double amount)
{
    subtract(to, values, count, amount);
}

// Called before a kernel row is needed: whether the caller wants to stop.
static bool is_over(struct margin_work *m)
{
    if (m->finishing)
        return false;
    if (!m->stopped && ++m->since_look >= m->look_after) {
        m->since_look = 0;
        m->stopped = m->p->stop && m->p->stop(m->p->context);
    }
    return m->stopped;
}

// scores := K d, for all rows. Returns early if it is stopped.
static void find_scores(struct margin_work *m)
{
    struct plane *p = m->p;
    if (p->bias)
        balance(m);
    for (size_t i = 0; i < p->count; i++)
        m->slope[i] = p->rows[i].y;
    for (size_t s = 0; s < p->count; s++) {
        if (m->d[s] == 0)
            continue;
        const double *values = is_over(m) ? NULL : kernel_rows_pass(m->kernel, s);
        if (!values) {
            m->no_memory |= !m->stopped;
            return;
        }
        (lanes_have_avx2() ? subtract_avx2 : subtract_plain)(m->slope, values, p->count, m->d[s]);
    }
    for (size_t i = 0; i < p->count; i++)
        p->rows[i].score = p->rows[i].y - m->slope[i];
}

struct margin_sums {
    double square; // |w|^2
    double alphas;
    double drift; // sum d, which should be 0
};

// At the solution the slope equals b if 0 < alpha_i < C_i. Sets b halfway between the highest slope
// of a d that can increase and the lowest of one that can decrease.
static void set_bias(struct margin_work *m)
{
    double highest = -INFINITY, lowest = INFINITY;
    for (size_t i = 0; i < m->p->count; i++) {
        if (m->slope[i] > highest && m->d[i] < m->high[i])
            highest = m->slope[i];
        if (m->slope[i] < lowest && m->d[i] > m->low[i])
            lowest = m->slope[i];
    }
    m->p->b = m->p->bias ? (highest + lowest) / 2 : 0;
}

static void measure_soft(struct margin_work *m, const struct margin_sums *sums)
{
    struct plane *p = m->p;
    double loss = 0;
    p->separates = true;
    set_bias(m);
    for (size_t i = 0; i < p->count; i++) {
        double margin = p->rows[i].y * (p->rows[i].score + p->b);
        if (margin < 1)
            loss += p->rows[i].limit * (1 - margin);
        p->separates &= margin > 0;
    }
    double primal = sums->square / 2 + loss;
    m->gain = m->dual = sums->alphas - sums->square / 2;
    p->gap = (primal - m->dual + fabs(p->b * sums->drift)) / primal;
}

static void multiply(struct margin_work *m, double factor)
{
    for (size_t i = 0; i < m->p->count; i++) {
        m->d[i] *= factor;
        m->p->rows[i].score *= factor;
        m->slope[i] = m->p->rows[i].y - m->p->rows[i].score;
    }
}

// Half the distance of the classes along w, and the b of the plane in the middle.
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

static bool is_negligible(const struct plane *p)
{
    return p->bound <= sqrt(NOTHING) * p->length;
}

static void measure_hard(struct margin_work *m, struct margin_sums *sums)
{
    struct plane *p = m->p;
    p->bound = sums->alphas > 0 ? sqrt(fmax(sums->square, 0)) / sums->alphas : INFINITY;
    p->separates = false;
    p->gap = INFINITY;
    if (is_negligible(p))
        return;
    if (sums->alphas > 0) {
        double factor = sums->alphas / sums->square;
        multiply(m, factor);
        sums->square *= factor * factor;
        sums->alphas *= factor;
        sums->drift *= factor;
    }
    double b, h = middle(p, &b);
    m->dual = sums->alphas - sums->square / 2;
    p->separates = h > 0;
    if (h > 0)
        p->gap = 2 * (1 - (sums->alphas - fabs(b * sums->drift)) * h / sums->square);
}

static void measure(struct margin_work *m)
{
    struct plane *p = m->p;
    struct margin_sums sums = {0};
    for (size_t i = 0; i < p->count; i++) {
        sums.alphas += p->rows[i].y * m->d[i];
        sums.square += m->d[i] * p->rows[i].score;
        sums.drift += p->bias ? m->d[i] : 0;
    }
    if (p->hard)
        measure_hard(m, &sums);
    else
        measure_soft(m, &sums);
    p->norm = sqrt(fmax(sums.square, 0));
}

// ---- steps ----

// slope -= t (a - b) for all active rows. Sets the highest slope of a d that can increase and the
// lowest of one that can decrease.
LANES_BODY void update(struct margin_work *m, const double *a, const double *b, double t)
{
    struct active_rows *active = &m->active;
    four highest = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, lowest = -highest;
    for (size_t k = 0; k < active->count; k += 4) {
        four slope = *(four *)(active->slope + k) - t * (*(four *)(a + k) - *(four *)(b + k));
        four high = slope + *(four *)(active->up + k), low = slope + *(four *)(active->down + k);
        *(four *)(active->slope + k) = slope;
        four_bits higher = (four_bits)(high > highest), lower = (four_bits)(low < lowest);
        highest = (four)(((four_bits)high & higher) | ((four_bits)highest & ~higher));
        lowest = (four)(((four_bits)low & lower) | ((four_bits)lowest & ~lower));
    }
    m->highest = m->p->bias ? -INFINITY : 0;
    m->lowest = m->p->bias ? INFINITY : 0;
    for (int lane = 0; lane < 4; lane++) {
        m->highest = fmax(m->highest, highest[lane]);
        m->lowest = fmin(m->lowest, lowest[lane]);
    }
}

// The position to decrease if the d at position i increases: the pair gains (slope_i - slope_j)^2 /
// curvature / 2. The first of several that gain the same.
LANES_BODY size_t choose_falling(const struct margin_work *m, const double *values, size_t i)
{
    const struct active_rows *active = &m->active;
    four best = {0, 0, 0, 0}, found = {0, 0, 0, 0}, index = {0, 1, 2, 3};
    for (size_t k = 0; k < active->count; k += 4, index += 4) {
        four rise = m->highest - (*(four *)(active->slope + k) + *(four *)(active->down + k));
        four curvature =
            active->own[i] + *(four *)(active->own + k) - 2 * *(const four *)(values + k);
        four_bits curved = (four_bits)(curvature > m->least);
        four flat = {m->least, m->least, m->least, m->least};
        curvature = (four)(((four_bits)curvature & curved) | ((four_bits)flat & ~curved));
        four gain = rise * rise / curvature;
        four_bits better = (four_bits)(rise > 0) & (four_bits)(gain > best);
        best = (four)(((four_bits)gain & better) | ((four_bits)best & ~better));
        found = (four)(((four_bits)index & better) | ((four_bits)found & ~better));
    }
    int winner = 0;
    for (int lane = 1; lane < 4; lane++)
        if (best[lane] > best[winner] ||
            (best[lane] == best[winner] && found[lane] < found[winner]))
            winner = lane;
    return best[winner] > 0 ? (size_t)found[winner] : active->count;
}

LANES_AVX2 static void update_avx2(struct margin_work *m, const double *a, const double *b,
                                   double t)
{
    update(m, a, b, t);
}

static void update_plain(struct margin_work *m, const double *a, const double *b, double t)
{
    update(m, a, b, t);
}

LANES_AVX2 static size_t falling_avx2(const struct margin_work *m, const double *values, size_t i)
{
    return choose_falling(m, values, i);
}

static size_t falling_plain(const struct margin_work *m, const double *values, size_t i)
{
    return choose_falling(m, values, i);
}

static size_t find_rising(const struct margin_work *m)
{
    size_t k = 0;
    while (m->active.slope[k] + m->active.up[k] != m->highest)
        k++;
    assert(k < m->active.count);
    return k;
}

// The kernel values of the row at a position with the active rows. NULL: out of memory.
static const double *values_at(struct margin_work *m, size_t position, double *scratch)
{
    const struct active_rows *active = &m->active;
    const double *values = kernel_rows_get(m->kernel, active->row[position]);
    m->no_memory |= !values;
    if (!values || active->count == m->p->count)
        return values;
    for (size_t k = 0; k < active->count; k++)
        scratch[k] = values[active->row[k]];
    return scratch;
}

// Whether the d at a position can increase and decrease.
static void set_directions(struct margin_work *m, size_t position)
{
    size_t row = m->active.row[position];
    m->active.up[position] = m->d[row] < m->high[row] ? 0 : -INFINITY;
    m->active.down[position] = m->d[row] > m->low[row] ? 0 : INFINITY;
}

// d_i := d_i + t, d_j := d_j - t. False: no step can be made.
static bool step_pair(struct margin_work *m)
{
    const struct active_rows *active = &m->active;
    size_t i = find_rising(m);
    const double *a = values_at(m, i, m->scratch);
    size_t j = !a ? active->count : (lanes_have_avx2() ? falling_avx2 : falling_plain)(m, a, i);
    const double *b = j < active->count ? values_at(m, j, m->other_scratch) : NULL;
    if (!b)
        return false;
    size_t rising = active->row[i], falling = active->row[j];
    double curvature = active->own[i] + active->own[j] - 2 * a[j];
    double rise = active->slope[i] - active->slope[j], t = rise / fmax(curvature, m->least);
    double up = m->high[rising] - m->d[rising], down = m->d[falling] - m->low[falling];
    t = fmin(t, fmin(up, down));
    m->gain += t * (rise - t * curvature / 2);
    m->d[rising] = t == up ? m->high[rising] : m->d[rising] + t;
    m->d[falling] = t == down ? m->low[falling] : m->d[falling] - t;
    set_directions(m, i);
    set_directions(m, j);
    (lanes_have_avx2() ? update_avx2 : update_plain)(m, a, b, t);
    return true;
}

// The effect of a change of the d at a position alone, whose kernel values these are.
static void change_one(struct margin_work *m, size_t position, const double *values, double change)
{
    const struct active_rows *active = &m->active;
    m->gain += change * (active->slope[position] - change * active->own[position] / 2);
    (lanes_have_avx2() ? update_avx2 : update_plain)(m, values, m->zeros, change);
}

// Without a bias a d changes alone: the one that gains most.
static bool step_single(struct margin_work *m)
{
    const struct active_rows *active = &m->active;
    size_t i = active->count;
    double best = 0;
    for (size_t k = 0; k < active->count; k++) {
        double slope = active->slope[k], gain = slope * slope / fmax(active->own[k], m->least);
        if (gain > best && (slope > 0 ? active->up[k] : active->down[k]) == 0) {
            best = gain;
            i = k;
        }
    }
    const double *values = i < active->count ? values_at(m, i, m->scratch) : NULL;
    if (!values)
        return false;
    size_t row = active->row[i];
    double from = m->d[row], to = from + active->slope[i] / fmax(active->own[i], m->least);
    m->d[row] = fmin(fmax(to, m->low[row]), m->high[row]);
    set_directions(m, i);
    change_one(m, i, values, m->d[row] - from);
    return true;
}

// ---- active rows ----

// The vector loops go to the next multiple of 4: rows there can neither increase nor decrease.
static void pad(struct margin_work *m)
{
    struct active_rows *active = &m->active;
    for (size_t k = active->count; k % 4; k++) {
        active->slope[k] = m->scratch[k] = m->other_scratch[k] = 0;
        active->own[k] = 1;
        active->up[k] = -INFINITY;
        active->down[k] = INFINITY;
    }
}

// Removes rows that cannot be part of a violating pair as long as the extremes stay.
static void shrink(struct margin_work *m)
{
    struct active_rows *active = &m->active;
    size_t left = 0;
    for (size_t k = 0; k < active->count; k++) {
        if (!(active->slope[k] + active->up[k] >= m->lowest ||
              active->slope[k] + active->down[k] <= m->highest))
            continue;
        active->slope[left] = active->slope[k];
        active->own[left] = active->own[k];
        active->up[left] = active->up[k];
        active->down[left] = active->down[k];
        active->row[left++] = active->row[k];
    }
    active->count = left;
    pad(m);
}

static void activate_all(struct margin_work *m)
{
    struct active_rows *active = &m->active;
    active->count = m->p->count;
    memcpy(active->slope, m->slope, active->count * sizeof *m->slope);
    memcpy(active->own, m->own, active->count * sizeof *m->own);
    for (size_t i = 0; i < active->count; i++) {
        active->row[i] = (uint32_t)i;
        set_directions(m, i);
    }
    pad(m);
    (lanes_have_avx2() ? update_avx2 : update_plain)(m, m->zeros, m->zeros, 0);
}

// ---- blocks ----

// Finds the rows strictly between their bounds. Returns their number; 0: too many.
static size_t find_free(struct margin_work *m)
{
    size_t free = 0;
    for (size_t k = 0; k < m->active.count; k++) {
        if (m->active.up[k] != 0 || m->active.down[k] != 0)
            continue;
        if (free == BLOCK)
            return 0;
        m->members[free++] = (uint32_t)k;
    }
    return free;
}

static void fill_block(struct margin_work *m, size_t size)
{
    struct smo *block = &m->block;
    for (size_t i = 0; i < size; i++) {
        size_t k = m->members[i], row = m->active.row[k];
        const double *values = is_over(m) ? NULL : values_at(m, k, m->scratch);
        for (size_t j = 0; values && j < size; j++)
            block->K[i * block->capacity + j] = values[m->members[j]];
        block->d[i] = m->d[row];
        block->low[i] = m->low[row];
        block->high[i] = m->high[row];
        block->slope[i] = m->active.slope[k];
    }
    block->size = size;
    if (m->p->bias)
        return;
    // smo.c keeps the sum constant: a variable without bounds and without effect lets it change.
    block->size++;
    for (size_t i = 0; i <= size; i++)
        block->K[i * block->capacity + size] = block->K[size * block->capacity + i] = 0;
    block->d[size] = block->slope[size] = 0;
    block->low[size] = -INFINITY;
    block->high[size] = INFINITY;
}

static void step_block(struct margin_work *m, double tolerance)
{
    size_t size = find_free(m);
    if (size < 3)
        return;
    if (!m->block.K && !smo_init(&m->block, BLOCK + 1)) {
        m->no_memory = true;
        return;
    }
    fill_block(m, size);
    if (m->no_memory || m->stopped)
        return;
    smo_solve(&m->block, tolerance / 10);
    for (size_t i = 0; i < size; i++) {
        size_t k = m->members[i], row = m->active.row[k];
        double change = m->block.d[i] - m->d[row];
        const double *values = change != 0 ? values_at(m, k, m->scratch) : NULL;
        if (!values)
            continue;
        m->d[row] = m->block.d[i];
        set_directions(m, k);
        change_one(m, k, values, change);
    }
}

static void take_steps(struct margin_work *m, double tolerance)
{
    size_t count = m->p->count, often = count < SHRINK ? count : SHRINK;
    size_t most = m->p->hard ? count + 1000 : 20 * count + 10000;
    activate_all(m);
    if (m->steps)
        shrink(m);
    for (size_t step = 1; step <= most && m->highest - m->lowest > tolerance; step++) {
        if (!(m->p->bias ? step_pair(m) : step_single(m)) || m->no_memory)
            return;
        m->steps++;
        if (step % often == 0)
            shrink(m);
        if (step % often == 0 && m->steps > 2 * count + 2 * SHRINK)
            step_block(m, tolerance);
        if (is_over(m))
            return;
    }
}

// ---- the main loop ----

#define ARRAYS(m)                                                                                  \
    {                                                                                              \
        &(m)->d, &(m)->slope, &(m)->low, &(m)->high, &(m)->own, &(m)->best, &(m)->best_slope,      \
            &(m)->active.slope, &(m)->active.own, &(m)->active.up, &(m)->active.down,              \
            &(m)->scratch, &(m)->other_scratch, &(m)->zeros                                        \
    }

static bool allocate(struct margin_work *m)
{
    double **arrays[] = ARRAYS(m);
    uint64_t rounded = ((uint64_t)m->p->count + 3) / 4 * 4;
    bool fine = (m->active.row = memory_new(rounded, sizeof *m->active.row)) != NULL;
    for (size_t i = 0; fine && i < sizeof arrays / sizeof arrays[0]; i++)
        fine = (*arrays[i] = memory_new(rounded, sizeof(double))) != NULL;
    return fine;
}

static void free_work(struct margin_work *m)
{
    double **arrays[] = ARRAYS(m);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(*arrays[i]);
    memory_free(m->active.row);
    smo_free(&m->block);
}

static void begin(struct margin_work *m)
{
    double most = 0;
    size_t entries = 1;
    for (size_t i = 0; i < m->p->count; i++) {
        const struct plane_row *row = &m->p->rows[i];
        entries += row->x.count;
        m->low[i] = row->y > 0 ? 0 : -row->limit;
        m->high[i] = row->y > 0 ? row->limit : 0;
        m->own[i] = kernel_rows_own(m->kernel, i);
        most = fmax(most, m->own[i]);
    }
    m->look_after = LOOK / entries < LOOK_ROWS ? LOOK / entries : LOOK_ROWS;
    m->p->length = sqrt(most);
    m->least = most > 0 ? most * FLAT : FLAT;
    m->best_gap = INFINITY;
}

static bool is_done(const struct margin_work *m)
{
    const struct plane *p = m->p;
    return p->gap <= GAP || (p->hard && is_negligible(p));
}

// The gap is about proportional to the tolerance.
static double next_tolerance(double tolerance, double gap)
{
    return tolerance * fmin(fmax(GAP / gap / 2, 0.05), 0.5);
}

static void search(struct margin_work *m)
{
    double tolerance = TOLERANCE, last_gap = INFINITY, last_dual = -INFINITY;
    size_t steps_max = m->p->count < STEPS / 100 ? STEPS : 100 * m->p->count;
    for (int round = 0; round < ROUNDS && m->steps < steps_max && !m->stopped && !m->no_memory;
         round++) {
        find_scores(m);
        if (m->stopped || m->no_memory)
            return;
        measure(m);
        if (m->p->gap < m->best_gap) {
            m->best_gap = m->p->gap;
            memcpy(m->best, m->d, m->p->count * sizeof *m->d);
            memcpy(m->best_slope, m->slope, m->p->count * sizeof *m->d);
        }
        if (is_done(m))
            return;
        if (round % PATIENCE == PATIENCE - 1) {
            if (!(m->best_gap < last_gap / 2) && !(m->dual > last_dual * (1 + GAP)))
                return;
            last_gap = m->best_gap;
            last_dual = m->dual;
        }
        take_steps(m, tolerance);
        tolerance = next_tolerance(tolerance, m->p->gap);
    }
}

// Hard margin: scales w and b so that the nearest rows have y (w . x + b) = 1.
static void set_distance(struct margin_work *m)
{
    double b, h = middle(m->p, &b);
    multiply(m, 1 / h);
    m->p->norm /= h;
    m->p->b = b / h;
}

// Whether the best d so far is more than the 0 that the search starts from.
static bool has_best(const struct margin_work *m)
{
    for (size_t i = 0; m->best_gap < INFINITY && i < m->p->count; i++)
        if (m->best[i] != 0)
            return true;
    return false;
}

// The slopes were kept, because the kernel rows of all coefficients take long to compute.
static void return_to_best(struct margin_work *m)
{
    struct plane *p = m->p;
    memcpy(m->d, m->best, p->count * sizeof *m->d);
    memcpy(m->slope, m->best_slope, p->count * sizeof *m->slope);
    for (size_t i = 0; i < p->count; i++)
        p->rows[i].score = p->rows[i].y - m->slope[i];
    measure(m);
}

// Whether the scores of all rows take no longer than the caller who wants to stop can wait.
static bool has_few_supports(const struct margin_work *m)
{
    size_t supports = 0;
    for (size_t i = 0; i < m->p->count; i++)
        supports += m->d[i] != 0;
    return supports <= LAST_LOOKS * m->look_after;
}

// What the steps say about d without the scores of all rows. Nothing is known about the gap but
// that it is at most 1, because the dual objective grows from 0.
static void estimate(struct margin_work *m)
{
    struct plane *p = m->p;
    double alphas = 0, middle = (m->highest + m->lowest) / 2;
    for (size_t i = 0; i < p->count; i++)
        alphas += p->rows[i].y * m->d[i];
    p->b = p->bias && isfinite(middle) ? middle : 0;
    p->norm = sqrt(fmax(2 * (alphas - m->gain), 0));
    p->gap = p->hard ? INFINITY : 1;
    p->separates = false;
}

// After a search that missed its goal: the better of the last d and the best. If it was stopped,
// the best, so that it ends soon; but the last d if there is no best yet.
static void settle(struct margin_work *m)
{
    bool best = has_best(m);
    m->finishing = m->stopped && !best && has_few_supports(m);
    if (!m->stopped || m->finishing)
        find_scores(m); // d has changed since the last time
    if (m->no_memory)
        return;
    bool ended = !m->stopped || m->finishing; // the scores are those of d
    if (ended)
        measure(m);
    if (!ended && !best)
        estimate(m);
    else if (!ended || m->best_gap < m->p->gap)
        return_to_best(m);
}

static enum plane_end solve(struct margin_work *m)
{
    begin(m);
    search(m);
    if (!m->no_memory && !is_done(m))
        settle(m);
    if (m->no_memory)
        return PLANE_NO_MEMORY;
    enum plane_end end = m->p->gap <= GAP ? PLANE_FOUND : is_done(m) ? PLANE_NONE : PLANE_STOPPED;
    if (m->p->hard && m->p->separates)
        set_distance(m);
    for (size_t i = 0; i < m->p->count; i++)
        m->p->rows[i].d = m->d[i];
    return end;
}

enum plane_end kernel_margin_solve(struct plane *p, struct kernel_rows *kernel)
{
    assert(p->count > 0 && p->count == kernel_rows_count(kernel));
    struct margin_work m = {.p = p, .kernel = kernel};
    enum plane_end end = allocate(&m) ? solve(&m) : PLANE_NO_MEMORY;
    free_work(&m);
    return end;
}
