// Maximum margin for winner-takes-all. By Kesler's construction, a row x of class y gives one
// constraint for each other class j: W_y . x + b_y is above W_j . x + b_j. Among all weights that
// meet the constraints, those of maximum margin are the solution of
//
//     minimise sum_k |W_k|^2 / 2  with  (W_y - W_j) . x + b_y - b_j >= 1 for all rows and j <> y
//
// With a soft margin, each row pays only for its largest violation (Crammer and Singer 2001):
//
//     minimise sum_k |W_k|^2 / 2 + sum_i C_i xi_i  with  ... >= 1 - xi_i,  xi_i >= 0
//
// The dual, with W_k = sum_i d_ik x_i, where -d_ij is the multiplier of row i and class j:
//
//     maximise sum_i d_iy - sum_k |W_k|^2 / 2
//     with  d_iy <= C_i,  d_ij <= 0 for j <> y,  sum_k d_ik = 0  and, with a bias,  sum_i d_ik = 0
//
// The proximal point method (Rockafellar 1976) solves a sequence of smooth problems instead: the
// dual minus |d - d'|^2 / (2 sigma), where d' is the solution of the previous problem. For given W
// and b, with the scores S_i of row i, the optimal d is known row by row,
//
//     d_i = the feasible point nearest to  d'_i + sigma (e_y - S_i)
//
// so it remains to minimise a smooth function of W and b (smooth.c). sigma increases from problem
// to problem, so that few problems suffice. The loop stops when (primal - dual) / primal <= GAP,
// with both computed from w and d.
//
// If there is a bias, features are centred: c, the mean of the rows, is subtracted from each row.
//
// Hard margin: for any d, weights that meet all constraints have |W| >= sum_i d_iy / |W(d)|. If no
// weights meet them, d grows until this bound is huge compared with the rows: see plane.c.
#include "solvers/winner.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

#define GAP 1e-6
#define NOTHING 1e-9   // a bound below this times the longest row is negligible (rounding)
#define MAX_ROUNDS 200 // maximum number of smooth problems
// Stops if PATIENCE rounds neither reduce the gap nor increase the dual by GROWTH times itself.
#define PATIENCE 10
#define GROWTH 1e-13
#define FASTER 4 // factor by which sigma increases

// ---- objective and gap ----

// The smallest difference, over the rows, between the score of the true class and the highest other
// score. *loss: the cost of margin violations.
static double least_margin(struct winner *p, double *loss)
{
    double least = INFINITY, *scores = p->work.scores;
    smooth_shift(p, p->w);
    *loss = 0;
    for (size_t i = 0; i < p->count; i++) {
        double margin = INFINITY;
        uint32_t y = p->rows[i].label;
        assert(y < p->classes);
        smooth_scores(p, p->w, i, scores);
        for (uint32_t k = 0; k < p->classes; k++)
            if (k != y)
                margin = fmin(margin, scores[y] - scores[k]);
        least = fmin(least, margin);
        if (!p->hard && margin < 1)
            *loss += p->rows[i].limit * (1 - margin);
    }
    return least;
}

// Hard margin: with h the smallest margin, the primal is |W / h|^2 / 2. With d multiplied by the
// optimal factor, the dual is alphas^2 / (2 |W(d)|^2).
static void measure(struct winner *p, const struct winner_sums *sums)
{
    double loss, least = least_margin(p, &loss);
    p->separates = least > 0;
    p->work.dual = sums->alphas - sums->dual_square / 2;
    if (p->hard) {
        double alphas = fmax(0, sums->alphas - fabs(sums->drift));
        p->bound = alphas > 0 ? sqrt(sums->dual_square) / alphas : INFINITY;
        p->gap = least > 0 && alphas > 0
                     ? 1 - alphas * alphas * least * least / (sums->dual_square * sums->square)
                     : INFINITY;
    } else {
        double primal = p->objective = sums->square / 2 + loss;
        p->gap = (primal - p->work.dual + fabs(sums->drift)) / primal;
    }
}

// ---- sums ----

// The row in which d_il can increase by `amount`, and d_ik decrease, with the most slack; `count`
// if there is none.
static size_t row_with_slack(const struct winner *p, uint32_t k, uint32_t l, double amount)
{
    size_t best = p->count;
    double most = -1;
    for (size_t i = 0; i < p->count; i++) {
        const double *d = winner_d(p, i);
        double rise = winner_most(&p->rows[i], l) - d[l], fall = fabs(d[k]);
        double slack = rise < amount ? -1 : fmin(rise, fall);
        if (slack > most) {
            most = slack;
            best = i;
        }
    }
    return best;
}

// Restores sum_i d_i = 0.
static void balance(struct winner *p)
{
    double *s = p->work.sums;
    memset(s, 0, p->classes * sizeof *s);
    for (size_t i = 0; i < p->count * p->classes; i++)
        s[i % p->classes] += p->d[i];
    for (uint32_t step = 0; step < 2 * p->classes; step++) {
        uint32_t k = 0, l = 0;
        for (uint32_t c = 1; c < p->classes; c++) {
            k = s[c] > s[k] ? c : k;
            l = s[c] < s[l] ? c : l;
        }
        double amount = fmin(s[k], -s[l]);
        size_t i = amount > 0 ? row_with_slack(p, k, l, amount) : p->count;
        if (i == p->count)
            return;
        winner_d(p, i)[k] -= amount;
        winner_d(p, i)[l] += amount;
        s[k] -= amount;
        s[l] += amount;
    }
}

// Multiplies d by the optimal factor.
static void scale_dual(struct winner *p, struct winner_sums *sums)
{
    double factor = sums->alphas / sums->dual_square;
    for (size_t i = 0; i < p->count * p->classes; i++)
        p->d[i] *= factor;
    sums->alphas *= factor;
    sums->dual_square *= factor * factor;
}

// Computes the gap of w and d as exactly as possible, after restoring sum_i d_i = 0 and sum_k d_ik
// = 0.
static void measure_well(struct winner *p)
{
    struct winner_sums sums = {0};
    double *of_d = p->work.step; // W(d)
    if (p->bias)
        balance(p);
    memset(of_d, 0, p->features * p->classes * sizeof *of_d);
    for (size_t i = 0; i < p->count; i++) {
        const struct winner_row *row = &p->rows[i];
        double *d = winner_d(p, i), sum = 0;
        for (uint32_t k = 0; k < p->classes; k++)
            sum -= k == row->label ? 0 : d[k];
        d[row->label] = sum;
        sums.alphas += sum;
        if (sum != 0)
            smooth_add(p, of_d, i, d);
    }
    for (size_t f = 0; f < p->features * p->classes; f++) {
        sums.square += p->w[f] * p->w[f];
        sums.dual_square += of_d[f] * of_d[f];
    }
    if (p->hard && sums.alphas > 0 && sums.dual_square > 0)
        scale_dual(p, &sums);
    measure(p, &sums);
}

// ---- the main loop ----

static bool allocate(struct winner *p)
{
    struct winner_work *work = &p->work;
    size_t many = p->count * p->classes, weights = (p->features + 1) * p->classes;
    double **of_weight[] = {&p->w,           &work->gradient, &work->step,
                            &work->rest,     &work->ahead,    &work->product,
                            &work->diagonal, &work->old,      &work->best_w};
    double **of_class[] = {&work->shift, &work->scores, &work->sums};
    bool fine = (p->d = memory_new(many, sizeof(double))) &&
                (work->next = memory_new(many, sizeof(double))) &&
                (work->best = memory_new(many, sizeof(double))) &&
                (work->free = memory_new(p->classes, sizeof *work->free)) &&
                (work->centre = memory_new(p->features, sizeof(double))) &&
                (work->spread = memory_new(p->features, sizeof(double)));
    for (size_t i = 0; fine && i < sizeof of_weight / sizeof of_weight[0]; i++)
        fine = (*of_weight[i] = memory_new(weights, sizeof(double))) != NULL;
    for (size_t i = 0; fine && i < sizeof of_class / sizeof of_class[0]; i++)
        fine = (*of_class[i] = memory_new(p->classes, sizeof(double))) != NULL;
    if (fine)
        p->b = p->w + p->features * p->classes;
    return fine;
}

void winner_free(struct winner *p)
{
    struct winner_work *work = &p->work;
    void *parts[] = {p->w,          work->gradient, work->step, work->rest,   work->ahead,
                     work->product, work->diagonal, work->old,  work->best_w, work->shift,
                     work->scores,  work->sums,     p->d,       work->next,   work->best,
                     work->centre,  work->spread,   work->free};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
}

// Computes the centre and the spread. The first sigma is 1 / (mean of |x - c|^2), or the highest C
// if that is lower.
static void prepare(struct winner *p)
{
    struct winner_work *work = &p->work;
    double *c = work->centre, *spread = work->spread, square = 0, limit = 0;
    double share = 1 / (double)p->count;
    for (size_t i = 0; p->bias && i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        p->routines->add(c, x->features, x->values, x->count, share);
    }
    for (size_t f = 0; f < p->features; f++) {
        square += c[f] * c[f];
        spread[f] = c[f] * c[f];
    }
    for (size_t i = 0; i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        double own = square;
        for (size_t e = 0; e < x->count; e++) {
            size_t f = x->features ? x->features[e] : e;
            double value = x->values ? (double)x->values[e] : 1;
            double change = value * (value - 2 * c[f]);
            own += change;
            spread[f] += change * share;
        }
        work->average += fmax(0, own) * share;
        p->length = fmax(p->length, sqrt(fmax(0, own)));
    }
    if (work->average == 0)
        work->average = 1;
    for (size_t i = 0; i < p->count; i++)
        limit = fmax(limit, p->rows[i].limit);
    work->sigma = fmin(1 / work->average, limit > 0 ? limit : 1);
}

static bool done(const struct winner *p)
{
    return p->gap <= GAP || (p->hard && p->bound <= NOTHING * p->length);
}

static void keep_best(struct winner *p)
{
    p->work.best_gap = p->gap;
    memcpy(p->work.best, p->d, p->count * p->classes * sizeof *p->d);
    memcpy(p->work.best_w, p->w, (p->features + 1) * p->classes * sizeof *p->w);
}

static void return_to_best(struct winner *p)
{
    if (p->work.best_gap < p->gap) {
        memcpy(p->d, p->work.best, p->count * p->classes * sizeof *p->d);
        memcpy(p->w, p->work.best_w, (p->features + 1) * p->classes * sizeof *p->w);
    }
    measure_well(p);
}

static enum winner_end run(struct winner *p)
{
    double last_dual = -INFINITY, last_gap = INFINITY, before = INFINITY;
    p->work.best_gap = p->gap = INFINITY;
    for (size_t rounds = 0; rounds < MAX_ROUNDS; rounds++) {
        struct winner_sums sums = smooth_solve(p, fmin(1e-2, fmax(1e-8, p->gap * 1e-2)));
        measure(p, &sums);
        if (done(p))
            measure_well(p);
        if (done(p))
            return p->gap <= GAP ? WINNER_FOUND : WINNER_NONE;
        if (p->gap < p->work.best_gap)
            keep_best(p);
        if (rounds % PATIENCE == PATIENCE - 1) {
            if (p->work.best_gap >= last_gap && p->work.dual <= last_dual * (1 + GROWTH))
                break;
            last_gap = p->work.best_gap;
            last_dual = p->work.dual;
        }
        if (p->stop && p->stop(p->context))
            break;
        if (!(p->gap < before / 10))
            p->work.sigma *= FASTER;
        before = p->gap;
    }
    return_to_best(p);
    return WINNER_STOPPED;
}

// Converts the biases to features that are not centred. Hard margin: also scales the weights so
// that the nearest rows have a margin of 1.
static void finish(struct winner *p)
{
    double loss, least = least_margin(p, &loss), factor = p->hard && least > 0 ? 1 / least : 1;
    for (uint32_t k = 0; k < p->classes; k++)
        p->b[k] = p->work.shift[k] * factor;
    for (size_t f = 0; f < p->features * p->classes; f++)
        p->w[f] *= factor;
}

enum winner_end winner_solve(struct winner *p)
{
    assert(p->count > 0 && p->classes >= 2 && p->rows && p->routines);
    if (!allocate(p))
        return WINNER_NO_MEMORY;
    prepare(p);
    enum winner_end end = run(p);
    finish(p);
    return end;
}
