// The smooth function of winner.c,
//
//     F(W, b) = |W|^2 / 2 + sum_i max over the feasible d_i of
//               d_i . (e_y - S_i) - |d_i - d'_i|^2 / (2 sigma)
//
// has the gradient W - sum_i d_i (x_i - c) for W and -sum_i d_i for b. d_i is piecewise linear in
// S_i. Within a piece, if S_i changes, each free d_ik (one below its upper bound) changes by -sigma
// times (the change of S_ik minus the mean change over the free ones). F is minimised by a
// semismooth Newton method (Qi and Sun 1993), whose steps are computed by conjugate gradients.
#include "solvers/winner.h"

#include <string.h>

#define MAX_STEPS 60  // Newton steps
#define MAX_TURNS 500 // conjugate gradient iterations per step
#define NEAR 0.03     // relative residual at which conjugate gradients stop
#define LOOK 2097152  // products after which the caller is asked whether to stop
#define FLAT 1e-12    // added to the curvature of b, which may be 0

void smooth_shift(struct winner *p, const double *weights)
{
    const double *b = weights + p->features * p->classes;
    for (uint32_t k = 0; k < p->classes; k++)
        p->work.shift[k] = p->bias ? b[k] : 0;
    for (size_t f = 0; p->bias && f < p->features; f++)
        if (p->work.centre[f] != 0)
            for (uint32_t k = 0; k < p->classes; k++)
                p->work.shift[k] -= p->work.centre[f] * weights[f * p->classes + k];
}

void smooth_scores(const struct winner *p, const double *weights, size_t i, double *scores)
{
    const tlu_row *x = &p->rows[i].x;
    memcpy(scores, p->work.shift, p->classes * sizeof *scores);
    p->routines->scores(weights, p->classes, x->features, x->values, x->count, scores);
}

void smooth_add(const struct winner *p, double *weights, size_t i, const double *amount)
{
    const tlu_row *x = &p->rows[i].x;
    uint32_t classes = p->classes;
    for (size_t e = 0; e < x->count; e++) {
        double value = x->values ? (double)x->values[e] : 1;
        double *w = weights + (x->features ? x->features[e] : e) * classes;
        for (uint32_t k = 0; k < classes; k++)
            w[k] += value * amount[k];
    }
}

static bool told_to_stop(const struct winner *p)
{
    return p->stop && p->stop(p->context);
}

static double dot(const struct winner *p, const double *a, const double *b)
{
    double sum = 0;
    for (size_t f = 0; f < (p->features + 1) * p->classes; f++)
        sum += a[f] * b[f];
    return sum;
}

// weights := weights - sums c
static void subtract_centre(const struct winner *p, double *weights, const double *sums)
{
    for (size_t f = 0; f < p->features; f++)
        for (uint32_t k = 0; k < p->classes; k++)
            weights[f * p->classes + k] -= p->work.centre[f] * sums[k];
}

// ---- the function ----

// Solves sum over k <> y of max(0, mu - to_k) = start - n mu for mu, by Newton's method from above.
static double find_shift(const struct winner *p, uint32_t y, const double *to, double mu,
                         double start, double n)
{
    for (double last = INFINITY; mu < last;) {
        double sum = start, count = n;
        last = mu;
        for (uint32_t k = 0; k < p->classes; k++)
            if (k != y && to[k] < last) {
                sum += to[k];
                count++;
            }
        if (count > 0)
            mu = sum / count;
    }
    return mu;
}

// Projection: replaces `to` by the feasible d_i nearest to sigma * to, d_ik = min(most, sigma (to_k
// - mu)).
static void project(const struct winner *p, size_t i, double *to)
{
    const struct winner_row *row = &p->rows[i];
    uint32_t y = row->label;
    double sigma = p->work.sigma, least = INFINITY, sum = 0;
    for (uint32_t k = 0; k < p->classes; k++)
        if (k != y)
            least = fmin(least, to[k]);
    double mu = find_shift(p, y, to, to[y], to[y], 1), slack = row->limit / sigma;
    double capped = slack < INFINITY ? find_shift(p, y, to, least + slack, slack, 0) : INFINITY;
    bool full = capped <= mu;
    mu = fmin(mu, capped);
    for (uint32_t k = 0; k < p->classes; k++)
        if (k != y) {
            to[k] = fmin(0, sigma * (to[k] - mu));
            sum -= to[k];
        }
    to[y] = full ? row->limit : fmin(sum, row->limit);
}

// Computes the d_i that maximises the term of row i for these scores. Returns the term.
static double answer(const struct winner *p, size_t i, const double *scores, double *next)
{
    const double *d = winner_d(p, i);
    double value = 0, sigma = p->work.sigma;
    uint32_t y = p->rows[i].label;
    for (uint32_t k = 0; k < p->classes; k++)
        next[k] = d[k] / sigma + (k == y) - scores[k];
    project(p, i, next);
    for (uint32_t k = 0; k < p->classes; k++)
        value +=
            next[k] * ((k == y) - scores[k]) - (next[k] - d[k]) * (next[k] - d[k]) / (2 * sigma);
    return value;
}

// Returns F at w and b. Sets work.next and work.gradient.
static double evaluate(struct winner *p, struct winner_sums *sums)
{
    struct winner_work *work = &p->work;
    size_t features = p->features * p->classes;
    double value = 0, *g = work->gradient;
    *sums = (struct winner_sums){0};
    memset(g, 0, (features + p->classes) * sizeof *g);
    memset(work->sums, 0, p->classes * sizeof *work->sums);
    smooth_shift(p, p->w);
    for (size_t i = 0; i < p->count; i++) {
        double *next = work->next + i * p->classes;
        smooth_scores(p, p->w, i, work->scores);
        value += answer(p, i, work->scores, next);
        sums->alphas += next[p->rows[i].label];
        if (next[p->rows[i].label] == 0)
            continue;
        smooth_add(p, g, i, next);
        for (uint32_t k = 0; k < p->classes; k++)
            work->sums[k] += next[k];
    }
    subtract_centre(p, g, work->sums);
    for (size_t f = 0; f < features; f++) {
        sums->dual_square += g[f] * g[f];
        sums->square += p->w[f] * p->w[f];
        g[f] = p->w[f] - g[f];
    }
    for (uint32_t k = 0; p->bias && k < p->classes; k++) {
        g[features + k] = -work->sums[k];
        sums->drift += p->b[k] * work->sums[k];
    }
    return value + sums->square / 2;
}

// ---- the Hessian ----

static bool is_free(const struct winner *p, size_t i, uint32_t k)
{
    return p->work.next[i * p->classes + k] < winner_most(&p->rows[i], k);
}

// The free classes of a row; none if there is only one, because sum_k d_ik is fixed.
static uint32_t free_of(const struct winner *p, size_t i, uint32_t *classes)
{
    uint32_t count = 0;
    if (p->work.next[i * p->classes + p->rows[i].label] == 0)
        return 0;
    for (uint32_t k = 0; k < p->classes; k++)
        if (is_free(p, i, k))
            classes[count++] = k;
    return count > 1 ? count : 0;
}

// product := product + (the term of row i of H) ahead
static void respond(struct winner *p, size_t i, const double *ahead, double *product)
{
    const tlu_row *x = &p->rows[i].x;
    const uint32_t *classes = p->work.free;
    uint32_t count = free_of(p, i, p->work.free);
    double *change = p->work.scores, mean = 0;
    for (uint32_t j = 0; j < count; j++)
        change[j] = p->work.shift[classes[j]];
    for (size_t e = 0; count && e < x->count; e++) {
        double value = x->values ? (double)x->values[e] : 1;
        const double *w = ahead + (x->features ? x->features[e] : e) * p->classes;
        for (uint32_t j = 0; j < count; j++)
            change[j] += value * w[classes[j]];
    }
    for (uint32_t j = 0; j < count; j++)
        mean += change[j] / count;
    for (uint32_t j = 0; j < count; j++) {
        change[j] = p->work.sigma * (change[j] - mean);
        p->work.sums[classes[j]] += change[j];
    }
    for (size_t e = 0; count && e < x->count; e++) {
        double value = x->values ? (double)x->values[e] : 1;
        double *w = product + (x->features ? x->features[e] : e) * p->classes;
        for (uint32_t j = 0; j < count; j++)
            w[classes[j]] += value * change[j];
    }
}

static double flatness(const struct winner *p)
{
    return FLAT * p->work.sigma * (double)p->count;
}

// product := H ahead. False: stopped before that.
static bool multiply(struct winner *p, const double *ahead, double *product)
{
    struct winner_work *work = &p->work;
    size_t features = p->features * p->classes, done = 0; // done: products since the last look
    memset(product, 0, (features + p->classes) * sizeof *product);
    memset(work->sums, 0, p->classes * sizeof *work->sums);
    smooth_shift(p, ahead);
    for (size_t i = 0; i < p->count; i++) {
        respond(p, i, ahead, product);
        done += (p->rows[i].x.count + 1) * p->classes;
        if (done > LOOK) {
            done = 0;
            if (told_to_stop(p))
                return false;
        }
    }
    subtract_centre(p, product, work->sums);
    for (size_t f = 0; f < features; f++)
        product[f] += ahead[f];
    for (uint32_t k = 0; p->bias && k < p->classes; k++)
        product[features + k] = work->sums[k] + flatness(p) * ahead[features + k];
    return true;
}

// to[f][k] := to[f][k] + shares[k] (x_f^2 - 2 x_f c_f)
static void add_squares(const struct winner *p, size_t i, const double *shares, double *to)
{
    const tlu_row *x = &p->rows[i].x;
    for (size_t e = 0; e < x->count; e++) {
        size_t f = x->features ? x->features[e] : e;
        double value = x->values ? (double)x->values[e] : 1;
        double square = value * (value - 2 * p->work.centre[f]);
        for (uint32_t k = 0; k < p->classes; k++)
            to[f * p->classes + k] += shares[k] * square;
    }
}

// diagonal := the diagonal of H
static void find_diagonal(struct winner *p)
{
    struct winner_work *work = &p->work;
    double *to = work->diagonal, *shares = work->scores;
    uint32_t classes = p->classes;
    memset(work->sums, 0, classes * sizeof *work->sums);
    for (size_t f = 0; f < (p->features + 1) * classes; f++)
        to[f] = f < p->features * classes ? 1 : flatness(p);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t count = free_of(p, i, work->free);
        if (count == 0)
            continue;
        for (uint32_t k = 0; k < classes; k++) {
            shares[k] = is_free(p, i, k) ? work->sigma * (1 - 1.0 / count) : 0;
            work->sums[k] += shares[k];
        }
        add_squares(p, i, shares, to);
    }
    for (size_t f = 0; f <= p->features; f++)
        for (uint32_t k = 0; k < classes; k++) {
            double c = f < p->features ? work->centre[f] : 1;
            to[f * classes + k] += work->sums[k] * c * c;
        }
}

// step := -H^-1 gradient, approximately
static void find_step(struct winner *p)
{
    struct winner_work *work = &p->work;
    size_t size = (p->features + 1) * p->classes;
    double *rest = work->rest, *ahead = work->ahead, *product = work->product, last = 0, first = 0;
    find_diagonal(p);
    memset(work->step, 0, size * sizeof *work->step);
    memset(ahead, 0, size * sizeof *ahead);
    for (size_t f = 0; f < size; f++)
        rest[f] = -work->gradient[f];
    for (int turn = 0; turn < MAX_TURNS; turn++) {
        double length = 0;
        for (size_t f = 0; f < size; f++)
            length += rest[f] * rest[f] / work->diagonal[f];
        if (turn == 0)
            first = length;
        if (!(length > NEAR * NEAR * first) || told_to_stop(p))
            break;
        for (size_t f = 0; f < size; f++)
            ahead[f] = rest[f] / work->diagonal[f] + (last > 0 ? length / last * ahead[f] : 0);
        if (!multiply(p, ahead, product))
            break;
        double t = length / dot(p, ahead, product);
        for (size_t f = 0; f < size; f++) {
            work->step[f] += t * ahead[f];
            rest[f] -= t * product[f];
        }
        last = length;
    }
}

// ---- the main loop ----

// A weighted norm of the gradient, in the unit of scores: how much scores would change if W(d)
// replaced W, combined with the violation of sum_i d_i = 0.
static double size_of_gradient(const struct winner *p, double alphas)
{
    double square = 0, average = p->work.average;
    double balance = fmax(average * average, alphas > 0 ? 1 / (alphas * alphas) : 0);
    for (size_t f = 0; f <= p->features; f++) {
        const double *g = p->work.gradient + f * p->classes;
        double unit = f < p->features ? p->work.spread[f] : balance;
        for (uint32_t k = 0; k < p->classes; k++)
            square += g[k] * g[k] * unit;
    }
    return sqrt(square);
}

// Line search: shortens the step until it gains enough. Returns whether it does.
static bool go(struct winner *p, double *value, struct winner_sums *sums)
{
    struct winner_work *work = &p->work;
    size_t size = (p->features + 1) * p->classes;
    double slope = dot(p, work->gradient, work->step), t = 1;
    memcpy(work->old, p->w, size * sizeof *p->w);
    for (int half = 0; half < 40; half++, t /= 2) {
        for (size_t f = 0; f < size; f++)
            p->w[f] = work->old[f] + t * work->step[f];
        double now = evaluate(p, sums);
        if (now <= *value + 1e-4 * t * slope + 1e-14 * fabs(*value)) {
            *value = now;
            return true;
        }
    }
    memcpy(p->w, work->old, size * sizeof *p->w);
    *value = evaluate(p, sums);
    return false;
}

struct winner_sums smooth_solve(struct winner *p, double accuracy)
{
    struct winner_sums sums;
    double value = evaluate(p, &sums);
    for (int step = 0; step < MAX_STEPS; step++) {
        if (size_of_gradient(p, sums.alphas) <= accuracy || told_to_stop(p))
            break;
        find_step(p);
        if (told_to_stop(p) || !go(p, &value, &sums))
            break;
    }
    memcpy(p->d, p->work.next, p->count * p->classes * sizeof *p->d);
    return sums;
}
