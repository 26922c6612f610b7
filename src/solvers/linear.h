// Linear classifiers that minimise a loss with L2 regularisation, to a stated duality gap: support
// vector machines and logistic regression of two classes. linear.c explains the problem.
#ifndef TLU_SOLVERS_LINEAR_H
#define TLU_SOLVERS_LINEAR_H

#include "base/random.h"
#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

#define LINEAR_FEW 1023 // features up to which Newton's method stores the Hessian

enum linear_loss { LINEAR_HINGE, LINEAR_SQUARED_HINGE, LINEAR_LOGISTIC };

struct linear_row {
    tlu_row x;
    double y;     // +1 or -1
    double C;     // above 0
    double alpha; // in: where to start, see linear_solver.growth; out: the multiplier
    double square;
};

// The features for which the Hessian is stored, see linear_core.c.
struct linear_core {
    size_t size;         // with the bias, which is the last; 0: no core
    uint32_t *position;  // [features] of a feature in the core; NULL: all are there
    tlu_row *rows;       // [count] their entries in the core; NULL: all
    uint32_t *positions; // of all rows
    float *values;
    double *rest;             // [count] |x_i|^2 without the core
    double *factor;           // [size][size]
    double *sums;             // [size][size] sum of entered_i x_i x_i^T, lower triangle
    double *entered;          // [count]
    uint32_t *entry_features; // [longest row + 1] scratch: a row with its bias
    double *entry_values;     // [longest row + 1]
};

struct linear_work {
    uint32_t *active; // [count] rows that coordinate descent visits
    size_t active_count;
    uint8_t *pause; // [count] epochs for which coordinate descent last skipped the row,
    uint8_t *wait;  // [count] and for which it still does
    double *margin; // [count] y (w . x)
    double *next;   // [count] Newton: the new alphas
    double *weight; // [count] Newton: second derivatives of the smoothed losses
    double *change; // [count] Newton: y (step . x)
    double *gradient, *step, *rest, *ahead, *product, *diagonal; // [features + 1]
    double *best; // [features + 1] the w with the least primal objective
    double least; // that objective
    struct linear_core core;
    struct linear_face *face; // NULL: none yet
    double dual;              // objective
    struct random random;
    uint64_t visits; // of rows
};

struct linear_solver {
    // In
    enum linear_loss loss;
    struct linear_row *rows; // [count]
    size_t count, features;
    bool bias;
    bool free_bias; // the bias is not part of |w|; only with at most LINEAR_FEW features
    double goal;    // relative duality gap at which to stop
    uint64_t seed;
    double growth; // factor by which all C differ from those the alphas are of; 0: no such alphas
    const struct vector_routines *routines;
    bool (*stop)(void *context); // called now and then: whether to end early; may be NULL
    void *context;

    // Out
    double *w;        // [features + 1]; the last is the bias
    double objective; // primal
    double gap;       // (primal - dual) / primal

    struct linear_work work;
};

// False: out of memory. A gap above the goal means that it was stopped, or made no more progress.
bool linear_solve(struct linear_solver *linear);
void linear_free(struct linear_solver *linear); // does not free the rows

// Entry k of a row.
static inline size_t linear_feature(const tlu_row *x, size_t k)
{
    return x->features ? x->features[k] : k;
}

static inline double linear_value(const tlu_row *x, size_t k)
{
    return x->values ? (double)x->values[k] : 1;
}

// w . x with the bias; w := w + amount x.
static inline double linear_score(const struct linear_solver *p, const double *w, const tlu_row *x)
{
    double score = p->routines->dot(w, x->features, x->values, x->count);
    return p->bias ? score + w[p->features] : score;
}

static inline void linear_add(const struct linear_solver *p, double *w, const tlu_row *x,
                              double amount)
{
    p->routines->add(w, x->features, x->values, x->count, amount);
    if (p->bias)
        w[p->features] += amount;
}

// The loss of a row with this margin, without C.
double linear_loss(enum linear_loss loss, double margin);
// What the square of weight f counts in |w|^2: 1, or nearly 0 for a free bias.
static inline double linear_share(const struct linear_solver *p, size_t f)
{
    return p->free_bias && f == p->features ? 1e-12 : 1;
}

// Computes objective, dual and gap of w and the alphas; w(alpha), the sum of the rows, has the
// squared length `square`. The margins must be those of w.
void linear_measure(struct linear_solver *linear, double square);

// ---- linear_newton.c ----

// Goes on from w and the alphas by Newton's method. False: out of memory.
bool linear_newton(struct linear_solver *linear);
void linear_newton_free(struct linear_solver *linear);

// ---- linear_core.c ----

bool linear_core_prepare(struct linear_solver *linear); // false: out of memory
void linear_core_free(struct linear_core *core);
// Factorises I + sum_i weight_i x_i x_i^T. False: stopped.
bool linear_core_factorise(struct linear_solver *linear, const double *weight);
void linear_core_solve(const struct linear_core *core, double *x); // x := matrix^-1 x

// ---- linear_face.c ----

// Goes on from w and the alphas: maximises the dual over the alphas strictly between their bounds.
// Adds the rows that it visits to work.visits. False: out of memory. *grew: whether the dual grew;
// *settled: whether the maximiser was found, within the bounds or close to them.
bool linear_face(struct linear_solver *linear, bool *grew, bool *settled);
void linear_face_free(struct linear_solver *linear);
// The bound on alpha from above, and the curvature that the dual has besides |w(alpha)|^2 / 2.
double linear_upper_bound(const struct linear_solver *linear, const struct linear_row *row);
double linear_curvature(const struct linear_solver *linear, const struct linear_row *row);
double linear_dual_term(const struct linear_solver *linear, const struct linear_row *row,
                        double alpha);

#endif
