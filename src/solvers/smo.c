// Sequential minimal optimisation (Platt 1998), with the working set selection of Fan, Chen and Lin
// (2005):
//
//     i: the d_i with the highest slope among those that can increase
//     j: the d_j among those that can decrease with which the pair gains most
//     d_i := d_i + t,  d_j := d_j - t,  t = (slope_i - slope_j) / (K_ii + K_jj - 2 K_ij)
//
// with t clipped so that both stay within their bounds. If K is ill-conditioned, this converges
// slowly. So from time to time all d strictly between their bounds (F) make a joint Newton step s
// with
//
//     K_FF s = slope_F - mu  with  sum s = 0
//
// which ends early at the first bound on the way.
#include "solvers/smo.h"

#include "base/memory.h"

#include <math.h>

#define ROUNDS 20      // maximum; a round has pair steps and Newton steps
#define PAIRS 100      // minimum number of pair steps per round; at least one for each d
#define NEWTON_SHARE 5 // work of Newton steps in a round, relative to that of pair steps
#define FLAT 1e-12     // minimum curvature, relative to the largest K_ii

bool smo_init(struct smo *s, size_t capacity)
{
    *s = (struct smo){.capacity = capacity};
    double **vectors[] = {&s->d, &s->low, &s->high, &s->slope, &s->own, &s->ahead, &s->change};
    bool fine = (s->K = memory_new(capacity * capacity, sizeof(double))) &&
                (s->factor = memory_new(capacity * capacity, sizeof(double))) &&
                (s->free = memory_new(capacity, sizeof(size_t)));
    for (size_t i = 0; fine && i < sizeof vectors / sizeof vectors[0]; i++)
        fine = (*vectors[i] = memory_new(capacity, sizeof(double))) != NULL;
    if (!fine)
        smo_free(s);
    return fine;
}

void smo_free(struct smo *s)
{
    double *parts[] = {s->K,     s->factor, s->d,     s->low,   s->high,
                       s->slope, s->own,    s->ahead, s->change};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    memory_free(s->free);
    *s = (struct smo){0};
}

static double least_curvature(struct smo *s)
{
    double most = 0;
    for (size_t i = 0; i < s->size; i++) {
        s->own[i] = s->K[i * s->capacity + i];
        most = fmax(most, s->own[i]);
    }
    return most > 0 ? most * FLAT : FLAT;
}

// ---- pairs ----

// The d to increase; `size` if no pair violates optimality by more than the tolerance.
static size_t choose_rising(const struct smo *s, double tolerance)
{
    double highest = -INFINITY, lowest = INFINITY;
    size_t rising = s->size;
    for (size_t i = 0; i < s->size; i++) {
        double slope = s->slope[i];
        if (slope > highest && s->d[i] < s->high[i]) {
            highest = slope;
            rising = i;
        }
        if (slope < lowest && s->d[i] > s->low[i])
            lowest = slope;
    }
    return highest - lowest > tolerance ? rising : s->size;
}

static double curvature_of(const struct smo *s, size_t i, size_t j, double least)
{
    double curvature = s->own[i] + s->own[j] - 2 * s->K[i * s->capacity + j];
    return curvature > least ? curvature : least;
}

// The d to decrease if d_i increases: the pair gains (slope_i - slope_j)^2 / curvature / 2.
static size_t choose_falling(const struct smo *s, size_t i, double least)
{
    double best = 0, curvature_of_best = 1;
    size_t falling = s->size;
    for (size_t j = 0; j < s->size; j++) {
        double rise = s->slope[i] - s->slope[j], curvature = curvature_of(s, i, j, least);
        // rise^2 / curvature > best / curvature_of_best
        if (rise > 0 && rise * rise * curvature_of_best > best * curvature && s->d[j] > s->low[j]) {
            best = rise * rise;
            curvature_of_best = curvature;
            falling = j;
        }
    }
    return falling;
}

static void step_pair(struct smo *s, size_t i, size_t j, double least)
{
    const double *a = s->K + i * s->capacity, *b = s->K + j * s->capacity;
    double t = (s->slope[i] - s->slope[j]) / curvature_of(s, i, j, least);
    double up = s->high[i] - s->d[i], down = s->d[j] - s->low[j];
    t = fmin(t, fmin(up, down));
    s->d[i] = t == up ? s->high[i] : s->d[i] + t;
    s->d[j] = t == down ? s->low[j] : s->d[j] - t;
    for (size_t k = 0; k < s->size; k++)
        s->slope[k] -= t * (a[k] - b[k]);
}

// ---- Newton steps ----

// Cholesky factorisation: factor [n][n] := L with L L^T = K_FF. A little is added to the diagonal,
// and more if K_FF is singular; the step is then only approximate, but still an ascent direction.
static void factorise(struct smo *s, size_t n, double least)
{
    for (size_t i = 0; i < n; i++) {
        const double *from = s->K + s->free[i] * s->capacity;
        double *row = s->factor + i * n;
        for (size_t j = 0; j <= i; j++) {
            const double *other = s->factor + j * n;
            double sum = from[s->free[j]];
            for (size_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = i > j ? sum / other[j] : sqrt(fmax(sum + least, least));
        }
    }
}

// x := K_FF^-1 x
static void solve_factor(const struct smo *s, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= s->factor[i * n + k] * x[k];
        x[i] /= s->factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= s->factor[i * n + i];
        for (size_t k = 0; k < i; k++)
            x[k] -= s->factor[i * n + k] * x[i];
    }
}

static void subtract_mean(double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++)
        x[i] -= sum / (double)n;
}

// Sets ahead[n] to the Newton step of the n free d, and returns n; 0: no step.
static size_t newton_direction(struct smo *s, double least)
{
    size_t n = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->d[i] > s->low[i] && s->d[i] < s->high[i])
            s->free[n++] = i;
    if (n < 3) // a pair step does the same for two
        return 0;
    factorise(s, n, least);
    for (size_t i = 0; i < n; i++) {
        s->ahead[i] = s->slope[s->free[i]];
        s->change[i] = 1;
    }
    subtract_mean(s->ahead, n); // only changes mu; smaller numbers are more exact
    solve_factor(s, n, s->ahead);
    solve_factor(s, n, s->change);
    double ahead = 0, change = 0;
    for (size_t i = 0; i < n; i++) {
        ahead += s->ahead[i];
        change += s->change[i];
    }
    for (size_t i = 0; i < n; i++)
        s->ahead[i] -= ahead / change * s->change[i];
    subtract_mean(s->ahead, n); // restores sum s = 0 after rounding
    return n;
}

// The step length along s->ahead to the maximum or to the first bound. Sets change[size] to K
// ahead. *first: the index of the d that reaches its bound, or n.
static double newton_length(struct smo *s, size_t n, size_t *first)
{
    double gain = 0, curvature = 0;
    for (size_t k = 0; k < s->size; k++) {
        s->change[k] = 0;
        for (size_t i = 0; i < n; i++)
            s->change[k] += s->K[k * s->capacity + s->free[i]] * s->ahead[i];
    }
    for (size_t i = 0; i < n; i++) {
        gain += s->ahead[i] * s->slope[s->free[i]];
        curvature += s->ahead[i] * s->change[s->free[i]];
    }
    *first = n;
    if (!(gain > 0) || !(curvature > 0))
        return 0;
    double t = gain / curvature;
    for (size_t i = 0; i < n; i++) {
        size_t k = s->free[i];
        double slack = (s->ahead[i] > 0 ? s->high[k] : s->low[k]) - s->d[k];
        if (s->ahead[i] != 0 && slack / s->ahead[i] < t) {
            t = slack / s->ahead[i];
            *first = i;
        }
    }
    return t;
}

// Makes the step. Returns whether it ended at a bound, so that another step may gain more.
static bool newton_step(struct smo *s, double least)
{
    size_t first, n = newton_direction(s, least);
    double t = n ? newton_length(s, n, &first) : 0;
    if (!(t > 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t k = s->free[i];
        s->d[k] = fmin(fmax(s->d[k] + t * s->ahead[i], s->low[k]), s->high[k]);
        if (i == first) // exactly at the bound
            s->d[k] = s->ahead[i] > 0 ? s->high[k] : s->low[k];
    }
    for (size_t k = 0; k < s->size; k++)
        s->slope[k] -= t * s->change[k];
    return first < n;
}

// The cost of a Newton step, in multiplications.
static double newton_work(const struct smo *s)
{
    double n = 0;
    for (size_t i = 0; i < s->size; i++)
        n += s->d[i] > s->low[i] && s->d[i] < s->high[i];
    return n * n * n / 3;
}

// Makes pair steps until they have cost as much as a Newton step, then Newton steps while they pay.
void smo_solve(struct smo *s, double tolerance)
{
    double least = least_curvature(s);
    for (int round = 0; round < ROUNDS; round++) {
        double work = 0, enough = newton_work(s), pair_work = 4 * (double)s->size;
        for (size_t pair = 0; pair < s->size + PAIRS || work < enough; pair++) {
            size_t i = choose_rising(s, tolerance);
            size_t j = i < s->size ? choose_falling(s, i, least) : s->size;
            if (j == s->size)
                return;
            step_pair(s, i, j, least);
            work += pair_work;
        }
        work *= NEWTON_SHARE;
        do
            work -= newton_work(s);
        while (newton_step(s, least) && work > 0);
    }
}
