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
// Now and then rows leave the active set (shrinking, Joachims 1999): rows at a bound whose slope
// keeps them there. A round begins with all rows, and with scores that are computed from the d, so
// that neither shrinking nor rounding can make the solution wrong. The gap and the bound of a hard
// margin are those of plane.c.
#include "solvers/kernel_margin.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define GAP 1e-6
// A bound on the margin whose square is below this times the square of the longest row is
// negligible: |w|^2 is a sum of terms that cancel, which rounding changes by about 1e-16 of each.
#define NOTHING 1e-13
#define FLAT 1e-12     // minimum curvature, relative to the largest K_ii
#define TOLERANCE 1e-2 // of the first round
#define ROUNDS 2000    // maximum
#define PATIENCE 20    // rounds without progress after which the search ends
#define SHRINK 1000    // steps after which rows may leave the active set
#define LOOK 100       // steps after which the caller is asked whether to stop

enum { CAN_RISE = 1, CAN_FALL = 2 };

struct margin_work {
    struct plane *p;
    struct kernel_rows *kernel;
    double *d, *slope;  // [count]
    double *low, *high; // [count] bounds of d; a d at a bound equals it exactly
    double *own;        // [count] K_ii
    uint8_t *can;       // [count] CAN_RISE, CAN_FALL
    double *best;       // [count] d with the smallest gap so far
    uint32_t *active;   // [active_count] ascending
    size_t active_count;
    double least; // minimum curvature
    double dual, best_gap;
    double highest, lowest; // slopes, of active rows that can rise and that can fall
    size_t rising;          // the row with the highest slope
    bool stopped, no_memory;
};

static void set_can(struct margin_work *m, size_t i)
{
    m->can[i] =
        (uint8_t)((m->d[i] < m->high[i] ? CAN_RISE : 0) | (m->d[i] > m->low[i] ? CAN_FALL : 0));
}

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

// scores := K d, for all rows.
static void find_scores(struct margin_work *m)
{
    struct plane *p = m->p;
    if (p->bias)
        balance(m);
    for (size_t i = 0; i < p->count; i++) {
        set_can(m, i);
        m->slope[i] = p->rows[i].y;
    }
    for (size_t s = 0; s < p->count; s++) {
        if (m->d[s] == 0)
            continue;
        const double *values = kernel_rows_get(m->kernel, s);
        if (!values) {
            m->no_memory = true;
            return;
        }
        for (size_t i = 0; i < p->count; i++)
            m->slope[i] -= m->d[s] * values[i];
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
        if (m->slope[i] > highest && m->can[i] & CAN_RISE)
            highest = m->slope[i];
        if (m->slope[i] < lowest && m->can[i] & CAN_FALL)
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
    m->dual = sums->alphas - sums->square / 2;
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

static void measure_hard(struct margin_work *m, struct margin_sums *sums)
{
    struct plane *p = m->p;
    p->bound = sums->alphas > 0 ? sqrt(fmax(sums->square, 0)) / sums->alphas : INFINITY;
    if (sums->alphas > 0 && p->bound > sqrt(NOTHING) * p->length) {
        double factor = sums->alphas / sums->square;
        multiply(m, factor);
        sums->square *= factor * factor;
        sums->alphas *= factor;
        sums->drift *= factor;
    }
    double b, h = middle(p, &b);
    m->dual = sums->alphas - sums->square / 2;
    p->separates = h > 0;
    p->gap = INFINITY;
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

static void find_extremes(struct margin_work *m)
{
    m->highest = m->p->bias ? -INFINITY : 0;
    m->lowest = m->p->bias ? INFINITY : 0;
    m->rising = m->p->count;
    for (size_t k = 0; k < m->active_count; k++) {
        size_t i = m->active[k];
        double slope = m->slope[i];
        if (slope > m->highest && m->can[i] & CAN_RISE) {
            m->highest = slope;
            m->rising = i;
        }
        if (slope < m->lowest && m->can[i] & CAN_FALL)
            m->lowest = slope;
    }
}

static double curvature_of(const struct margin_work *m, const double *values, size_t i, size_t j)
{
    double curvature = m->own[i] + m->own[j] - 2 * values[j];
    return curvature > m->least ? curvature : m->least;
}

// The d to decrease if d_i increases: the pair gains (slope_i - slope_j)^2 / curvature / 2.
static size_t choose_falling(const struct margin_work *m, const double *values)
{
    size_t i = m->rising, falling = m->p->count;
    double best = 0;
    for (size_t k = 0; k < m->active_count; k++) {
        size_t j = m->active[k];
        double rise = m->highest - m->slope[j];
        if (rise <= 0 || !(m->can[j] & CAN_FALL))
            continue;
        double gain = rise * rise / curvature_of(m, values, i, j);
        if (gain > best) {
            best = gain;
            falling = j;
        }
    }
    return falling;
}

// d_i := d_i + t, d_j := d_j - t. False: no step can be made.
static bool step_pair(struct margin_work *m)
{
    size_t i = m->rising;
    const double *a = kernel_rows_get(m->kernel, i);
    size_t j = a ? choose_falling(m, a) : m->p->count;
    const double *b = a && j < m->p->count ? kernel_rows_get(m->kernel, j) : NULL;
    if (!b) {
        m->no_memory = !a || j < m->p->count;
        return false;
    }
    double t = (m->highest - m->slope[j]) / curvature_of(m, a, i, j);
    double up = m->high[i] - m->d[i], down = m->d[j] - m->low[j];
    t = fmin(t, fmin(up, down));
    m->d[i] = t == up ? m->high[i] : m->d[i] + t;
    m->d[j] = t == down ? m->low[j] : m->d[j] - t;
    set_can(m, i);
    set_can(m, j);
    for (size_t k = 0; k < m->active_count; k++) {
        size_t r = m->active[k];
        m->slope[r] -= t * (a[r] - b[r]);
    }
    return true;
}

// Without a bias a d changes alone: the one that gains most.
static bool step_single(struct margin_work *m)
{
    size_t i = m->p->count;
    double best = 0;
    for (size_t k = 0; k < m->active_count; k++) {
        size_t r = m->active[k];
        double slope = m->slope[r], gain = slope * slope / fmax(m->own[r], m->least);
        if (gain > best && m->can[r] & (slope > 0 ? CAN_RISE : CAN_FALL)) {
            best = gain;
            i = r;
        }
    }
    const double *values = i < m->p->count ? kernel_rows_get(m->kernel, i) : NULL;
    if (!values) {
        m->no_memory = i < m->p->count;
        return false;
    }
    double from = m->d[i], to = from + m->slope[i] / fmax(m->own[i], m->least);
    m->d[i] = fmin(fmax(to, m->low[i]), m->high[i]);
    set_can(m, i);
    for (size_t k = 0; k < m->active_count; k++) {
        size_t r = m->active[k];
        m->slope[r] -= (m->d[i] - from) * values[r];
    }
    return true;
}

// Removes rows that cannot be part of a violating pair as long as the extremes stay.
static void shrink(struct margin_work *m)
{
    size_t left = 0;
    for (size_t k = 0; k < m->active_count; k++) {
        size_t i = m->active[k];
        bool stays = (m->can[i] & CAN_RISE && m->slope[i] >= m->lowest) ||
                     (m->can[i] & CAN_FALL && m->slope[i] <= m->highest);
        if (stays)
            m->active[left++] = m->active[k];
    }
    m->active_count = left;
}

static void take_steps(struct margin_work *m, double tolerance)
{
    size_t count = m->p->count;
    size_t most = m->p->hard ? count + 1000 : 20 * count + 10000;
    m->active_count = count;
    for (size_t i = 0; i < count; i++)
        m->active[i] = (uint32_t)i;
    for (size_t step = 1; step <= most; step++) {
        find_extremes(m);
        if (!(m->highest - m->lowest > tolerance) || !(m->p->bias ? step_pair(m) : step_single(m)))
            return;
        if (step % (count < SHRINK ? count : SHRINK) == 0)
            shrink(m);
        if (step % LOOK == 0 && m->p->stop && m->p->stop(m->p->context)) {
            m->stopped = true;
            return;
        }
    }
}

// ---- the main loop ----

static bool allocate(struct margin_work *m)
{
    size_t n = m->p->count;
    return (m->d = memory_new(n, sizeof *m->d)) && (m->slope = memory_new(n, sizeof *m->slope)) &&
           (m->low = memory_new(n, sizeof *m->low)) && (m->high = memory_new(n, sizeof *m->high)) &&
           (m->own = memory_new(n, sizeof *m->own)) && (m->can = memory_new(n, sizeof *m->can)) &&
           (m->best = memory_new(n, sizeof *m->best)) &&
           (m->active = memory_new(n, sizeof *m->active));
}

static void free_work(struct margin_work *m)
{
    void *parts[] = {m->d, m->slope, m->low, m->high, m->own, m->can, m->best, m->active};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
}

static void begin(struct margin_work *m)
{
    double most = 0;
    for (size_t i = 0; i < m->p->count; i++) {
        const struct plane_row *row = &m->p->rows[i];
        m->low[i] = row->y > 0 ? 0 : -row->limit;
        m->high[i] = row->y > 0 ? row->limit : 0;
        m->own[i] = kernel_rows_own(m->kernel, i);
        most = fmax(most, m->own[i]);
    }
    m->p->length = sqrt(most);
    m->least = most > 0 ? most * FLAT : FLAT;
    m->best_gap = INFINITY;
}

static bool is_done(const struct margin_work *m)
{
    const struct plane *p = m->p;
    return p->gap <= GAP || (p->hard && p->bound <= sqrt(NOTHING) * p->length);
}

// The gap is about proportional to the tolerance.
static double next_tolerance(double tolerance, double gap)
{
    return tolerance * fmin(fmax(GAP / gap / 2, 0.05), 0.5);
}

static void search(struct margin_work *m)
{
    double tolerance = TOLERANCE, last_gap = INFINITY, last_dual = -INFINITY;
    for (int round = 0; round < ROUNDS && !m->stopped && !m->no_memory; round++) {
        find_scores(m);
        measure(m);
        if (m->p->gap < m->best_gap) {
            m->best_gap = m->p->gap;
            memcpy(m->best, m->d, m->p->count * sizeof *m->d);
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

static enum plane_end solve(struct margin_work *m)
{
    begin(m);
    search(m);
    if (!m->no_memory && !is_done(m)) {
        if (m->best_gap < m->p->gap || m->stopped)
            memcpy(m->d, m->best, m->p->count * sizeof *m->d);
        find_scores(m);
        measure(m);
    }
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
