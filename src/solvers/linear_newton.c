// Newton's method for linear.c. The alphas follow from w:
//
//     squared hinge  alpha_i = 2 C_i max(0, 1 - m_i)      m_i = y_i w . x_i
//     logistic       alpha_i = C_i / (1 + exp(m_i))
//
// The gradient of P is w - w(alpha), and its Hessian is I + sum_i h_i x_i x_i^T, where h_i is minus
// the derivative of alpha_i by m_i. The hinge loss has no derivative at m = 1. The proximal point
// method (Rockafellar 1976) replaces it by a sequence of smooth losses: with alpha' the alphas
// found before,
//
//     hinge          alpha_i = alpha'_i + sigma (1 - m_i), but at least 0 and at most C_i
//                    h_i = sigma, or 0 at a bound
//
// Only rows strictly between the bounds enter the Hessian, so a step is cheap. sigma grows until
// the gap is small enough.
//
// With the squared hinge and the logistic loss C grows instead, tenfold each time. If C |x|^2 is
// large, rows are separated almost exactly, and from w = 0 Newton's method needs a step for nearly
// every change of the set of rows with alpha > 0. From the solution for C / 10 it needs one or two.
//
// Steps are computed by Cholesky's factorisation if there are few features, otherwise by conjugate
// gradients.
#include "base/memory.h"
#include "numeric/exp_log.h"
#include "solvers/linear.h"

#include <math.h>
#include <string.h>

#define MAX_ROUNDS 90  // values of sigma
#define MAX_STEPS 3000 // Newton steps in all
#define MAX_TURNS 200  // of conjugate gradients per step
#define FASTER 2       // factor by which sigma grows
#define EASY 1e5       // sum C_i |x_i|^2 at which the path of C starts
#define STRIDE 10      // factor by which C grows
#define ROUGH 0.1      // accuracy on the way
#define LENGTHS 30     // tries of find_length
#define STEEP 0.1      // relative slope at which it stops
#define MAX_REFINED 8  // turns that improve the step of an exact preconditioner
#define NEAR 0.1       // relative residual at which conjugate gradients stop

struct newton {
    double sigma;  // hinge
    double share;  // squared hinge, logistic: of the C that is used now
    double value;  // of the function that is minimised
    double square; // |w(alpha)|^2
    double drift;  // free bias: b sum_i alpha_i y_i, which should be 0
    int steps;     // made so far
};

// ---- the function ----

// Sets alpha and h for a margin. Returns the smoothed loss times C.
static double smooth_loss(const struct linear_solver *p, const struct newton *n, size_t i,
                          double margin, double *alpha, double *h)
{
    const struct linear_row *row = &p->rows[i];
    double lacking = 1 - margin, C = row->C * n->share;
    switch (p->loss) {
    case LINEAR_HINGE: {
        double wanted = row->alpha + n->sigma * lacking;
        *alpha = fmin(fmax(wanted, 0), row->C);
        *h = wanted > 0 && wanted < row->C ? n->sigma : 0;
        double change = *alpha - row->alpha;
        return *alpha * lacking - change * change / (2 * n->sigma);
    }
    case LINEAR_SQUARED_HINGE:
        *alpha = 2 * C * fmax(lacking, 0);
        *h = lacking > 0 ? 2 * C : 0;
        return C * fmax(lacking, 0) * fmax(lacking, 0);
    default: {
        double wrong = sigmoid(-margin); // probability of the other class
        *alpha = C * wrong;
        *h = C * wrong * (1 - wrong);
        return C * linear_loss(LINEAR_LOGISTIC, margin);
    }
    }
}

// The first and second derivative of the function along the step, at w + t step.
static double slope_at(const struct linear_solver *p, const struct newton *n, double t,
                       double *curvature)
{
    const struct linear_work *work = &p->work;
    double slope = 0, alpha, h;
    *curvature = 0;
    for (size_t f = 0; f <= p->features; f++) {
        double share = linear_share(p, f);
        slope += share * (p->w[f] + t * work->step[f]) * work->step[f];
        *curvature += share * work->step[f] * work->step[f];
    }
    for (size_t i = 0; i < p->count; i++) {
        smooth_loss(p, n, i, work->margin[i] + t * work->change[i], &alpha, &h);
        slope -= alpha * work->change[i];
        *curvature += h * work->change[i] * work->change[i];
    }
    return slope;
}

// Sets next, weight and gradient for w, whose margins are known.
static void evaluate(struct linear_solver *p, struct newton *n)
{
    struct linear_work *work = &p->work;
    double *g = work->gradient, square = 0;
    n->value = n->square = 0;
    memset(g, 0, (p->features + 1) * sizeof *g);
    for (size_t i = 0; i < p->count; i++) {
        n->value += smooth_loss(p, n, i, work->margin[i], &work->next[i], &work->weight[i]);
        if (work->next[i] != 0)
            linear_add(p, g, &p->rows[i].x, work->next[i] * p->rows[i].y);
    }
    for (size_t f = 0; f <= p->features; f++) {
        double share = linear_share(p, f);
        if (share < 1)
            n->drift = p->w[f] * g[f];
        else
            n->square += g[f] * g[f];
        square += share * p->w[f] * p->w[f];
        g[f] = share * p->w[f] - g[f];
    }
    n->value += square / 2;
}

static void find_margins(struct linear_solver *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->work.margin[i] = p->rows[i].y * linear_score(p, p->w, &p->rows[i].x);
}

// ---- the step ----

// ---- the preconditioner: the Hessian if there are few features, else its diagonal ----

static bool told_to_stop(const struct linear_solver *p)
{
    return p->stop && p->stop(p->context);
}

// False: stopped.
static bool find_preconditioner(struct linear_solver *p)
{
    struct linear_work *work = &p->work;
    if (work->core.size > 0)
        return linear_core_factorise(p, work->weight);
    for (size_t f = 0; f <= p->features; f++)
        work->diagonal[f] = linear_share(p, f);
    for (size_t i = 0; i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        double h = work->weight[i];
        for (size_t k = 0; h > 0 && k < x->count; k++)
            work->diagonal[linear_feature(x, k)] += h * linear_value(x, k) * linear_value(x, k);
        if (p->bias)
            work->diagonal[p->features] += h;
    }
    return true;
}

// to := (preconditioner)^-1 from
static void precondition(const struct linear_solver *p, const double *from, double *to)
{
    bool exact = p->work.core.size > 0;
    for (size_t f = 0; f <= p->features; f++)
        to[f] = exact ? from[f] : from[f] / p->work.diagonal[f];
    if (exact)
        linear_core_solve(&p->work.core, to);
}

// product := (I + sum_i h_i x_i x_i^T) ahead
static void multiply(struct linear_solver *p, const double *ahead, double *product)
{
    for (size_t f = 0; f <= p->features; f++)
        product[f] = linear_share(p, f) * ahead[f];
    for (size_t i = 0; i < p->count; i++)
        if (p->work.weight[i] > 0)
            linear_add(p, product, &p->rows[i].x,
                       p->work.weight[i] * linear_score(p, ahead, &p->rows[i].x));
}

static double dot(const struct linear_solver *p, const double *a, const double *b)
{
    double sum = 0;
    for (size_t f = 0; f <= p->features; f++)
        sum += a[f] * b[f];
    return sum;
}

// step := -H^-1 gradient, approximately, by preconditioned conjugate gradients. Their residual is
// the gradient after the step, whose squared length should be at most `goal`.
static void find_step(struct linear_solver *p, double goal)
{
    struct linear_work *work = &p->work;
    double last = 0, first = 0;
    bool found = find_preconditioner(p);
    for (size_t f = 0; f <= p->features; f++) {
        work->step[f] = work->ahead[f] = 0;
        work->rest[f] = -work->gradient[f];
    }
    for (int turn = 0; found && turn < MAX_TURNS; turn++) {
        precondition(p, work->rest, work->product);
        double length = dot(p, work->rest, work->product);
        if (turn == 0)
            first = length;
        bool near = !(length > NEAR * NEAR * first);
        if ((near && (work->core.size == 0 || turn == MAX_REFINED)) ||
            dot(p, work->rest, work->rest) <= goal || told_to_stop(p))
            break;
        for (size_t f = 0; f <= p->features; f++)
            work->ahead[f] = work->product[f] + (last > 0 ? length / last * work->ahead[f] : 0);
        multiply(p, work->ahead, work->product);
        double t = length / dot(p, work->ahead, work->product);
        for (size_t f = 0; f <= p->features; f++) {
            work->step[f] += t * work->ahead[f];
            work->rest[f] -= t * work->product[f];
        }
        last = length;
    }
}

// Finds the length of the step, where the slope of the convex function along it is near 0, by
// Newton's method within an interval that shrinks around it. Returns 0 if it does not gain.
static double find_length(const struct linear_solver *p, const struct newton *n)
{
    double curvature, first = slope_at(p, n, 0, &curvature), t = 1, low = 0, high = INFINITY;
    if (!(first < 0))
        return 0;
    for (int turn = 0; turn < LENGTHS; turn++) {
        double slope = slope_at(p, n, t, &curvature);
        if (fabs(slope) <= STEEP * -first)
            break;
        if (slope > 0)
            high = t;
        else
            low = t;
        t -= slope / curvature;
        if (!(t > low && t < high))
            t = high < INFINITY ? (low + high) / 2 : 2 * low;
    }
    return t;
}

// Makes the step. Returns whether it gains.
static bool make_step(struct linear_solver *p, const struct newton *n)
{
    struct linear_work *work = &p->work;
    for (size_t i = 0; i < p->count; i++)
        work->change[i] = p->rows[i].y * linear_score(p, work->step, &p->rows[i].x);
    double t = find_length(p, n);
    for (size_t f = 0; f <= p->features; f++)
        p->w[f] += t * work->step[f];
    for (size_t i = 0; i < p->count; i++)
        work->margin[i] += t * work->change[i];
    return t > 0;
}

// ---- the main loop ----

// Measures the gap of w and the alphas in `next`, which become those of the rows. Keeps the best w.
static void measure(struct linear_solver *p, const struct newton *n)
{
    for (size_t i = 0; i < p->count; i++)
        p->rows[i].alpha = p->work.next[i];
    linear_measure(p, n->square);
    if (p->objective < p->work.least) {
        p->work.least = p->objective;
        memcpy(p->work.best, p->w, (p->features + 1) * sizeof *p->w);
    }
    double gap = p->work.least - p->work.dual + fabs(n->drift);
    p->gap = p->work.least > 0 ? gap / p->work.least : 0;
}

// Minimises the smooth function from w on, until the gradient is small beside the gap: replacing
// w(alpha) by w then changes the objective by less than it.
static void minimise(struct linear_solver *p, struct newton *n, double accuracy)
{
    evaluate(p, n);
    for (; n->steps < MAX_STEPS && !told_to_stop(p); n->steps++) {
        double square = dot(p, p->work.gradient, p->work.gradient);
        if (square / 2 <= accuracy * n->value)
            return;
        find_step(p, accuracy * n->value);
        if (told_to_stop(p) || !make_step(p, n))
            return;
        evaluate(p, n);
    }
}

static bool allocate(struct linear_solver *p)
{
    struct linear_work *work = &p->work;
    size_t n = p->features + 1;
    double **of_row[] = {&work->next, &work->weight, &work->change};
    double **of_feature[] = {&work->gradient, &work->step,    &work->best,    &work->rest,
                             &work->ahead,    &work->product, &work->diagonal};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof of_row / sizeof of_row[0]; i++)
        fine = (*of_row[i] = memory_new(p->count, sizeof(double))) != NULL;
    for (size_t i = 0; fine && i < sizeof of_feature / sizeof of_feature[0]; i++)
        fine = (*of_feature[i] = memory_new(n, sizeof(double))) != NULL;
    return fine && (p->features > LINEAR_FEW || linear_core_prepare(p));
}

void linear_newton_free(struct linear_solver *p)
{
    struct linear_work *work = &p->work;
    double *parts[] = {work->next, work->weight, work->change, work->gradient, work->step,
                       work->best, work->rest,   work->ahead,  work->product,  work->diagonal};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
}

// Squared hinge, logistic: sets w to a rough solution for a C that is a little smaller.
static void follow_path(struct linear_solver *p, struct newton *n, double steepness)
{
    for (n->share = fmin(1, EASY / steepness); n->share < 1 && !told_to_stop(p);
         n->share = fmin(1, n->share * STRIDE)) {
        find_margins(p);
        minimise(p, n, ROUGH);
    }
    n->share = 1;
}

bool linear_newton(struct linear_solver *p)
{
    double largest = 0, squares = 0, steepness = 0, before = INFINITY;
    if (!allocate(p))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        largest = fmax(largest, p->rows[i].C);
        squares += p->rows[i].square / (double)p->count;
        steepness += p->rows[i].C * p->rows[i].square;
    }
    struct newton n = {.sigma = squares > 0 ? fmin(largest, 1 / squares) : largest, .share = 1};
    p->work.least = INFINITY;
    if (p->loss != LINEAR_HINGE && p->features <= LINEAR_FEW && p->growth == 0)
        follow_path(p, &n, steepness);
    for (int round = 0; round < MAX_ROUNDS && n.steps < MAX_STEPS && !told_to_stop(p); round++) {
        find_margins(p);
        minimise(p, &n, p->loss == LINEAR_HINGE ? fmax(p->gap, p->goal) / 10 : p->goal / 4);
        measure(p, &n);
        if (p->gap <= p->goal)
            break;
        if (!(p->gap < before / 10))
            n.sigma *= FASTER;
        before = p->gap;
    }
    memcpy(p->w, p->work.best, (p->features + 1) * sizeof *p->w);
    p->objective = p->work.least;
    return true;
}
