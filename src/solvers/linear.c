// Support vector machines and logistic regression by dual coordinate descent (Hsieh et al. 2008;
// Yu, Huang and Lin 2011):
//
//     minimise P(w) = |w|^2 / 2 + sum_i C_i loss(y_i w . x_i)
//
//     hinge          loss(m) = max(0, 1 - m)
//     squared hinge  loss(m) = max(0, 1 - m)^2
//     logistic       loss(m) = log(1 + exp(-m))
//
// The bias is the weight of a feature that is 1 in every row, so it is part of |w|. The dual, with
// w(alpha) = sum_i alpha_i y_i x_i, has a variable per row:
//
//     maximise D(alpha) = -|w(alpha)|^2 / 2 + sum_i
//         hinge          alpha_i                       with  0 <= alpha_i <= C_i
//         squared hinge  alpha_i - alpha_i^2 / (4 C_i) with  0 <= alpha_i
//         logistic       C_i log C_i - alpha_i log alpha_i - (C_i - alpha_i) log(C_i - alpha_i)
//
// P(w) >= D(alpha) for all w and alpha, so the difference, the duality gap, bounds how far P(w) is
// above the optimum.
//
//     initialize alpha = 0, w = 0
//     repeat until P(w) - D(alpha) <= goal P(w)
//         for each row i in a random order
//             find the maximiser of D over alpha_i, all others fixed
//             set alpha_i := alpha_i + RELAXATION (maximiser - alpha_i), within its bounds
//             w := w + (change of alpha_i) y_i x_i
//
// A step beyond the maximiser speeds up convergence, as in successive overrelaxation (Mangasarian
// and Musicant 1999); logistic regression steps to the maximiser. Shrinking leaves out rows whose
// alpha is at a bound and likely to stay there; a row whose alpha stays at a bound is skipped for
// about twice as many epochs each time. Coordinate descent is slow if rows are similar: then it
// alternates with conjugate gradients (linear_face.c). For logistic regression, and with few
// features, Newton's method (linear_newton.c) is faster and does the last steps, or all of them.
#include "solvers/linear.h"

#include "base/memory.h"
#include "numeric/exp_log.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CHECK 10         // epochs between computations of the gap, if no rows are left out
#define SLOW 0.1         // conjugate gradients start if a gap is above this times the best before
#define EPOCHS 10        // epochs between them; doubled each time that they do not raise the dual
#define MAX_EPOCHS 40    // limit of this doubling
#define SOONER 6         // epochs by which the gap is computed sooner if they have converged
#define RELAXATION 1.6   // length of a step; 1 leads to the maximiser
#define PATIENCE 5       // computations of the gap without progress before giving up
#define GROWTH 1e-13     // minimum relative growth of the dual objective that counts as progress
#define ALPHA_START 1e-8 // logistic: alpha / C starts between this and 1 minus this
#define MAX_PAUSE 15     // maximum number of epochs for which a row is skipped
#define AHEAD 2          // rows to prefetch
#define LOOK (1u << 19)  // entries after which the caller is asked whether to stop
#define ROW_VISITS 32    // fixed cost of visiting a row, in entries

// ---- objective and gap ----

double linear_loss(enum linear_loss loss, double margin)
{
    double lacking = fmax(0, 1 - margin);
    switch (loss) {
    case LINEAR_HINGE:
        return lacking;
    case LINEAR_SQUARED_HINGE:
        return lacking * lacking;
    default:
        return same_log1p(same_exp(-fabs(margin))) + fmax(0, -margin);
    }
}

// x log x
static double entropy(double x)
{
    return x > 0 ? x * same_log(x) : 0;
}

// The term of a row in the dual.
double linear_dual_term(const struct linear_solver *p, const struct linear_row *row, double alpha)
{
    double C = row->C;
    switch (p->loss) {
    case LINEAR_HINGE:
        return alpha;
    case LINEAR_SQUARED_HINGE:
        return alpha - alpha * alpha / (4 * C);
    default:
        return -C * (entropy(alpha / C) + entropy(1 - alpha / C));
    }
}

static double square_of(const double *w, size_t count)
{
    double square = 0;
    for (size_t f = 0; f < count; f++)
        square += w[f] * w[f];
    return square;
}

void linear_measure(struct linear_solver *p, double square)
{
    double losses = 0, terms = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct linear_row *row = &p->rows[i];
        losses += row->C * linear_loss(p->loss, p->work.margin[i]);
        terms += linear_dual_term(p, row, row->alpha);
    }
    p->objective = square_of(p->w, p->features + !p->free_bias) / 2 + losses;
    p->work.dual = terms - square / 2;
    p->gap = p->objective > 0 ? (p->objective - p->work.dual) / p->objective : 0;
}

// Computes w(alpha), the margins and the gap afresh.
static void measure(struct linear_solver *p)
{
    memset(p->w, 0, (p->features + 1) * sizeof *p->w);
    for (size_t i = 0; i < p->count; i++)
        if (p->rows[i].alpha != 0)
            linear_add(p, p->w, &p->rows[i].x, p->rows[i].alpha * p->rows[i].y);
    for (size_t i = 0; i < p->count; i++)
        p->work.margin[i] = p->rows[i].y * linear_score(p, p->w, &p->rows[i].x);
    linear_measure(p, square_of(p->w, p->features + 1));
}

// ---- one row ----

struct shrinking {
    double high, low;           // bounds on the slopes of the previous epoch
    double next_high, next_low; // of this one
};

double linear_upper_bound(const struct linear_solver *p, const struct linear_row *row)
{
    return p->loss == LINEAR_SQUARED_HINGE ? INFINITY : row->C;
}

// Squared hinge: the curvature that -alpha^2 / (4 C) adds.
double linear_curvature(const struct linear_solver *p, const struct linear_row *row)
{
    return p->loss == LINEAR_SQUARED_HINGE ? 1 / (2 * row->C) : 0;
}

// The derivative of -D with respect to alpha_i, computed from the row's margin.
static double slope_of(const struct linear_solver *p, const struct linear_row *row, double margin)
{
    return margin - 1 + row->alpha * linear_curvature(p, row);
}

static void change_alpha(struct linear_solver *p, struct linear_row *row, double alpha)
{
    double change = alpha - row->alpha;
    row->alpha = alpha;
    if (change != 0)
        linear_add(p, p->w, &row->x, change * row->y);
}

// One step for the hinge and the squared hinge. Returns false if the row is left out from now on.
static bool descend(struct linear_solver *p, size_t i, struct shrinking *shrinking)
{
    struct linear_row *row = &p->rows[i];
    double most = linear_upper_bound(p, row);
    double slope = slope_of(p, row, row->y * linear_score(p, p->w, &row->x));
    if ((row->alpha == 0 && slope > shrinking->high) ||
        (row->alpha == most && slope < shrinking->low))
        return false;
    bool stays = (row->alpha == 0 && slope >= 0) || (row->alpha == most && slope <= 0);
    int pause = stays ? 2 * p->work.pause[i] + 1 : 0;
    p->work.wait[i] = p->work.pause[i] = (uint8_t)(pause < MAX_PAUSE ? pause : MAX_PAUSE);
    if (stays)
        slope = 0;
    shrinking->next_high = fmax(shrinking->next_high, slope);
    shrinking->next_low = fmin(shrinking->next_low, slope);
    double curvature = row->square + linear_curvature(p, row);
    if (slope != 0 && curvature > 0)
        change_alpha(p, row, fmin(fmax(row->alpha - RELAXATION * slope / curvature, 0), most));
    else if (slope < 0) // an empty row without a bias
        row->alpha = most;
    return true;
}

// One step for logistic regression: finds the root z = alpha / C of
//
//     f(z) = log(z / (1 - z)) + margin + square C (z - alpha / C)
//
// where f increases, by Newton's method within an interval that shrinks around the root.
static void descend_logistic(struct linear_solver *p, struct linear_row *row)
{
    double margin = row->y * linear_score(p, p->w, &row->x);
    double at = row->alpha / row->C, steepness = row->square * row->C;
    double z = at, low = 0, high = 1;
    for (int turn = 0; turn < 50; turn++) {
        double f = same_log(z / (1 - z)) + margin + steepness * (z - at);
        if (fabs(f) < 1e-9 * (1 + fabs(margin)))
            break;
        if (f > 0)
            high = z;
        else
            low = z;
        double next = z - f / (1 / (z * (1 - z)) + steepness);
        z = next > low && next < high ? next : (low + high) / 2;
        if (z <= 0 || z >= 1)
            return;
    }
    change_alpha(p, row, z * row->C);
}

// ---- epochs ----

// Moves the active rows that this epoch visits to the front. Returns their number.
static size_t choose_due(struct linear_solver *p)
{
    uint32_t *active = p->work.active;
    size_t due = 0;
    for (size_t k = 0; k < p->work.active_count; k++) {
        uint32_t row = active[k];
        if (p->work.wait[row] > 0) {
            p->work.wait[row]--;
            continue;
        }
        active[k] = active[due];
        active[due++] = row;
    }
    return due;
}

static void shuffle(struct linear_solver *p, size_t due)
{
    uint32_t *active = p->work.active;
    for (size_t k = due; k > 1; k--) {
        size_t other = (size_t)random_below(&p->work.random, k);
        uint32_t row = active[k - 1];
        active[k - 1] = active[other];
        active[other] = row;
    }
}

static void prefetch(const struct linear_solver *p, uint32_t i)
{
    const struct linear_row *row = &p->rows[i];
    const char *features = (const char *)row->x.features, *values = (const char *)row->x.values;
    for (size_t at = 0; at < row->x.count * 4; at += 64) {
        __builtin_prefetch(features + at);
        __builtin_prefetch(values + at);
    }
}

static bool told_to_stop(const struct linear_solver *p)
{
    return p->stop && p->stop(p->context);
}

// If the epoch is stopped, w is still w(alpha).
static void run_epoch(struct linear_solver *p, struct shrinking *shrinking)
{
    struct linear_work *work = &p->work;
    size_t due = choose_due(p), kept = 0, visited = 0; // visited: entries since the last look
    shuffle(p, due);
    shrinking->next_high = -INFINITY;
    shrinking->next_low = INFINITY;
    for (size_t k = 0; k < due; k++) {
        uint32_t i = work->active[k];
        struct linear_row *row = &p->rows[i];
        if (k + AHEAD < due)
            prefetch(p, work->active[k + AHEAD]);
        work->visits++;
        visited += row->x.count + ROW_VISITS;
        if (visited > LOOK) {
            visited = 0;
            if (told_to_stop(p))
                return;
        }
        if (p->loss == LINEAR_LOGISTIC)
            descend_logistic(p, row);
        else if (!descend(p, i, shrinking))
            continue;
        work->active[kept++] = i;
    }
    memmove(work->active + kept, work->active + due,
            (work->active_count - due) * sizeof *work->active);
    work->active_count -= due - kept;
    shrinking->high = shrinking->next_high > 0 ? shrinking->next_high : INFINITY;
    shrinking->low = shrinking->next_low < 0 ? shrinking->next_low : -INFINITY;
}

// After the gap was computed, makes all rows active again, except rows at a bound whose slopes are
// beyond those of the last epoch.
static void reactivate(struct linear_solver *p, const struct shrinking *shrinking)
{
    p->work.active_count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct linear_row *row = &p->rows[i];
        double slope = slope_of(p, row, p->work.margin[i]);
        if ((row->alpha == 0 && slope < 0) ||
            (row->alpha == linear_upper_bound(p, row) && slope > 0))
            p->work.wait[i] = p->work.pause[i] = 0;
        if (p->loss == LINEAR_LOGISTIC ||
            !((row->alpha == 0 && slope > shrinking->high) ||
              (row->alpha == linear_upper_bound(p, row) && slope < shrinking->low)))
            p->work.active[p->work.active_count++] = (uint32_t)i;
    }
}

// Runs some epochs, then, if `slow`, conjugate gradients. *target is the number of visits at which
// the caller computes the gap. Returns false if out of memory.
static bool run_round(struct linear_solver *p, struct shrinking *shrinking, bool slow, int *epochs,
                      uint64_t *target)
{
    bool grew, settled;
    for (int e = 0; e < *epochs && p->work.active_count > 0 && !told_to_stop(p); e++)
        run_epoch(p, shrinking);
    if (p->loss == LINEAR_LOGISTIC || !slow || told_to_stop(p))
        return true;
    if (!linear_face(p, &grew, &settled))
        return false;
    *target -= settled ? SOONER * p->count : 0;
    *shrinking = (struct shrinking){INFINITY, -INFINITY, 0, 0};
    *epochs = grew ? EPOCHS : *epochs >= MAX_EPOCHS ? MAX_EPOCHS : 2 * *epochs;
    return true;
}

// Descends until the gap is small enough, or for CHECK epochs if `few`. Returns false if out of
// memory.
static bool descend_epochs(struct linear_solver *p, bool few)
{
    struct shrinking shrinking = {INFINITY, -INFINITY, 0, 0};
    double best = -INFINITY, best_gap = INFINITY; // best: dual objective
    bool slow = false;
    int epochs = EPOCHS;
    for (int stuck = 0; stuck < PATIENCE;) {
        uint64_t target = p->work.visits + CHECK * p->count;
        while (p->work.visits < target && p->work.active_count > 0 && !told_to_stop(p))
            if (!run_round(p, &shrinking, slow, &epochs, &target))
                return false;
        measure(p);
        if (few || p->gap <= p->goal || told_to_stop(p))
            return true;
        reactivate(p, &shrinking);
        slow |= p->gap > SLOW * best_gap;
        bool grows = p->work.dual > best + GROWTH * fabs(best);
        stuck = grows || p->gap < best_gap ? 0 : stuck + 1;
        best = fmax(best, p->work.dual);
        best_gap = fmin(best_gap, p->gap);
    }
    return true;
}

// ---- the solver ----

static bool allocate(struct linear_solver *p)
{
    return (p->w = memory_new(p->features + 1, sizeof *p->w)) &&
           (p->work.active = memory_new(p->count, sizeof *p->work.active)) &&
           (p->work.pause = memory_new(p->count, 1)) && (p->work.wait = memory_new(p->count, 1)) &&
           (p->work.margin = memory_new(p->count, sizeof *p->work.margin));
}

void linear_free(struct linear_solver *p)
{
    linear_newton_free(p);
    linear_face_free(p);
    linear_core_free(&p->work.core);
    memory_free(p->w);
    memory_free(p->work.active);
    memory_free(p->work.pause);
    memory_free(p->work.wait);
    memory_free(p->work.margin);
}

// The start of a multiplier that was found for another C. With the hinge and few features, nearly
// all multipliers are at a bound, so they are scaled with C. Otherwise they change little with C.
static double start_alpha(const struct linear_solver *p, const struct linear_row *row)
{
    bool grows = p->growth > 0 && p->loss == LINEAR_HINGE && p->features <= LINEAR_FEW;
    return fmin(grows ? row->alpha * p->growth : row->alpha, linear_upper_bound(p, row));
}

static void start(struct linear_solver *p)
{
    random_seed(&p->work.random, p->seed);
    p->work.active_count = p->count;
    for (size_t i = 0; i < p->count; i++) {
        struct linear_row *row = &p->rows[i];
        p->work.active[i] = (uint32_t)i;
        row->square = p->bias ? 1 : 0;
        for (size_t k = 0; k < row->x.count; k++) {
            double value = linear_value(&row->x, k);
            row->square += value * value;
        }
        row->alpha = start_alpha(p, row);
        if (p->loss == LINEAR_LOGISTIC)
            row->alpha = fmin(fmax(row->alpha, ALPHA_START * row->C), (1 - ALPHA_START) * row->C);
        if (row->alpha != 0)
            linear_add(p, p->w, &row->x, row->alpha * row->y);
    }
}

bool linear_solve(struct linear_solver *p)
{
    assert(p->count > 0 && p->rows && p->routines);
    if (!allocate(p))
        return false;
    start(p);
    bool few = p->features <= LINEAR_FEW, smooth = p->loss != LINEAR_HINGE;
    if ((few && smooth) || (p->loss == LINEAR_LOGISTIC && p->growth > 0))
        measure(p);
    else if (!descend_epochs(p, few || p->loss == LINEAR_LOGISTIC))
        return false;
    bool newton = few || p->loss == LINEAR_LOGISTIC;
    assert(newton || !p->free_bias);
    bool done = p->gap <= p->goal && !p->free_bias;
    return !newton || done || told_to_stop(p) || linear_newton(p);
}
