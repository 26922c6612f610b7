// Support vector machines for winner takes all (Crammer and Singer 2001):
//
//     minimise P(W) = sum_k |W_k|^2 / 2 + sum_i C_i max over j <> y_i of
//                     max(0, 1 - (W_y - W_j) . x_i)
//
// The biases are the weights of a feature that is 1 in every row. The dual, with W_k(d) = sum_i
// d_ik x_i:
//
//     maximise D(d) = sum_i d_iy - sum_k |W_k(d)|^2 / 2
//     with  d_iy <= C_i,  d_ij <= 0 for j <> y_i,  sum_k d_ik = 0
//
// The sequential dual method (Keerthi et al. 2008) changes the d of one row at a time. With the
// gradient g_k = W_k . x_i, minus 1 for the label,
//
//     repeat until P(W) - D(d) <= goal P(W)
//         for each row i in a random order
//             d_i := the feasible point nearest to d_i - RELAXATION g / |x_i|^2
//             W := W + (change of d_i) x_i
//
// Rows with d_i = 0 and a large enough margin are left out until the gap is computed.
#include "solvers/crammer_singer.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CHECK 10       // epochs between computations of the gap, if no rows are left out
#define RELAXATION 1.6 // times the step to the maximum
#define PATIENCE 5     // computations of the gap without a smaller one, or a dual objective that
#define GROWTH 1e-13   // has grown by this times itself
#define LOOK 2097152   // products after which the caller is asked whether to stop
#define SLACK 0.1      // rows with d = 0 whose margin is above 1 by this are left out

static double upper_bound(const struct crammer_row *row, uint32_t k)
{
    return k == row->label ? row->C : 0;
}

static void find_scores(const struct crammer *p, const tlu_row *x, double *scores)
{
    const double *bias = p->w + p->features * p->classes;
    for (uint32_t k = 0; k < p->classes; k++)
        scores[k] = p->bias ? bias[k] : 0;
    p->routines->scores(p->w, p->classes, x->features, x->values, x->count, scores);
}

// W := W + amount x
static void add(struct crammer *p, const tlu_row *x, const double *amount)
{
    uint32_t classes = p->classes;
    for (size_t e = 0; e < x->count; e++) {
        double value = x->values ? (double)x->values[e] : 1;
        double *w = p->w + (x->features ? x->features[e] : e) * classes;
        for (uint32_t k = 0; k < classes; k++)
            w[k] += value * amount[k];
    }
    for (uint32_t k = 0; p->bias && k < classes; k++)
        p->w[p->features * classes + k] += amount[k];
}

// How far the margin of a row is above 1.
static double slack_of(const struct crammer *p, const struct crammer_row *row, const double *scores)
{
    double rival = -INFINITY;
    for (uint32_t k = 0; k < p->classes; k++)
        if (k != row->label)
            rival = fmax(rival, scores[k]);
    return scores[row->label] - rival - 1;
}

// ---- objective and gap ----

// Computes W(d), the slacks and the gap afresh.
static void measure(struct crammer *p)
{
    double square = 0, losses = 0, multipliers = 0;
    memset(p->w, 0, (p->features + 1) * p->classes * sizeof *p->w);
    for (size_t i = 0; i < p->count; i++) {
        const double *d = p->d + i * p->classes;
        multipliers += d[p->rows[i].label];
        if (d[p->rows[i].label] != 0)
            add(p, &p->rows[i].x, d);
    }
    for (size_t i = 0; i < p->count; i++) {
        find_scores(p, &p->rows[i].x, p->work.scores);
        p->work.slack[i] = slack_of(p, &p->rows[i], p->work.scores);
        losses += p->rows[i].C * fmax(0, -p->work.slack[i]);
    }
    for (size_t f = 0; f < (p->features + 1) * p->classes; f++)
        square += p->w[f] * p->w[f];
    p->objective = square / 2 + losses;
    p->work.dual = multipliers - square / 2;
    p->gap = p->objective > 0 ? (p->objective - p->work.dual) / p->objective : 0;
}

// ---- one row ----

// Replaces v by the nearest point with v_k <= upper bound and sum_k v_k = 0: min(bound, v_k - mu).
// Newton's method finds mu from above, where no v_k is at its bound.
static void project(const struct crammer *p, const struct crammer_row *row, double *v)
{
    double mu = INFINITY, before;
    do {
        double sum = 0, open = 0;
        before = mu;
        for (uint32_t k = 0; k < p->classes; k++) {
            double most = upper_bound(row, k);
            bool bounded = v[k] - mu >= most;
            sum += bounded ? most : v[k];
            open += !bounded;
        }
        mu = open > 0 ? sum / open : before;
    } while (mu < before);
    for (uint32_t k = 0; k < p->classes; k++)
        v[k] = fmin(upper_bound(row, k), v[k] - mu);
}

// Returns false if the row is left out from now on.
static bool descend(struct crammer *p, size_t i)
{
    const struct crammer_row *row = &p->rows[i];
    double *d = p->d + i * p->classes, *scores = p->work.scores, *next = p->work.next, sum = 0;
    bool changes = false;
    find_scores(p, &row->x, scores);
    if (d[row->label] == 0 && slack_of(p, row, scores) >= 0)
        return slack_of(p, row, scores) <= SLACK;
    if (row->square == 0)
        return false;
    for (uint32_t k = 0; k < p->classes; k++)
        next[k] = d[k] - RELAXATION * (scores[k] - (k == row->label)) / row->square;
    project(p, row, next);
    for (uint32_t k = 0; k < p->classes; k++)
        sum += k == row->label ? 0 : next[k];
    next[row->label] = -sum; // exactly
    for (uint32_t k = 0; k < p->classes; k++) {
        double change = next[k] - d[k];
        d[k] = next[k];
        next[k] = change;
        changes |= change != 0;
    }
    if (changes)
        add(p, &row->x, next);
    return true;
}

// ---- epochs ----

static bool told_to_stop(const struct crammer *p)
{
    return p->stop && p->stop(p->context);
}

static void run_epoch(struct crammer *p)
{
    struct crammer_work *work = &p->work;
    size_t kept = 0, visited = 0; // visited: products since the last look
    for (size_t k = work->active_count; k > 1; k--) {
        size_t other = (size_t)random_below(&work->random, k);
        uint32_t row = work->active[k - 1];
        work->active[k - 1] = work->active[other];
        work->active[other] = row;
    }
    for (size_t k = 0; k < work->active_count; k++) {
        visited += p->rows[work->active[k]].x.count * p->classes + p->classes;
        if (visited > LOOK) {
            visited = 0;
            if (told_to_stop(p))
                return;
        }
        if (descend(p, work->active[k]))
            work->active[kept++] = work->active[k];
    }
    work->active_count = kept;
}

static void activate(struct crammer *p)
{
    p->work.active_count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->d[i * p->classes + p->rows[i].label] != 0 || p->work.slack[i] <= SLACK)
            p->work.active[p->work.active_count++] = (uint32_t)i;
}

static void run(struct crammer *p)
{
    double best = -INFINITY, best_gap = INFINITY; // best: dual objective
    measure(p);
    for (int stuck = 0; stuck < PATIENCE && p->gap > p->goal && !told_to_stop(p);) {
        activate(p);
        for (size_t visits = 0; visits < CHECK * p->count && p->work.active_count > 0;) {
            visits += p->work.active_count;
            run_epoch(p);
            if (told_to_stop(p))
                break;
        }
        measure(p);
        stuck = p->work.dual > best + GROWTH * fabs(best) || p->gap < best_gap ? 0 : stuck + 1;
        best = fmax(best, p->work.dual);
        best_gap = fmin(best_gap, p->gap);
    }
}

static bool allocate(struct crammer *p)
{
    return (p->w = memory_new((p->features + 1) * p->classes, sizeof *p->w)) &&
           (p->d = memory_new(p->count * p->classes, sizeof *p->d)) &&
           (p->work.active = memory_new(p->count, sizeof *p->work.active)) &&
           (p->work.slack = memory_new(p->count, sizeof *p->work.slack)) &&
           (p->work.scores = memory_new(p->classes, sizeof *p->work.scores)) &&
           (p->work.next = memory_new(p->classes, sizeof *p->work.next));
}

void crammer_free(struct crammer *p)
{
    memory_free(p->w);
    memory_free(p->d);
    memory_free(p->work.active);
    memory_free(p->work.slack);
    memory_free(p->work.scores);
    memory_free(p->work.next);
}

bool crammer_solve(struct crammer *p)
{
    assert(p->count > 0 && p->classes >= 2 && p->rows && p->routines);
    if (!allocate(p))
        return false;
    random_seed(&p->work.random, 1);
    for (size_t i = 0; i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        p->rows[i].square = p->bias ? 1 : 0;
        for (size_t k = 0; k < x->count; k++) {
            double value = x->values ? (double)x->values[k] : 1;
            p->rows[i].square += value * value;
        }
    }
    for (size_t k = 0; p->start && k < p->count * p->classes; k++)
        p->d[k] = p->start[k] * p->growth; // feasible
    run(p);
    return true;
}
