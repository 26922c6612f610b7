// Maximum margin for several classes at once (winner-takes-all). winner.c explains the algorithm.
#ifndef TLU_SOLVERS_WINNER_H
#define TLU_SOLVERS_WINNER_H

#include "tlu.h"
#include "vector/vector.h"

#include <math.h>
#include <stdbool.h>

struct winner_row {
    tlu_row x;
    uint64_t id; // for the caller
    uint32_t label;
    double limit; // C times the row's weight; INFINITY: hard margin
};

enum winner_end {
    WINNER_FOUND,   // with a gap of at most 1e-6
    WINNER_STOPPED, // with a larger gap: no more progress, or interrupted
    WINNER_NONE,    // hard margin: no weights separate the rows
    WINNER_NO_MEMORY
};

struct winner_sums {
    double square;      // |W|^2
    double dual_square; // |W(d)|^2
    double alphas;      // sum_i d_iy
    double drift;       // b . sum_i d_i
};

struct winner_work {
    double *centre;                  // [features] c, the mean of the rows
    double *spread;                  // [features] mean of (x - c)^2
    double average;                  // mean of |x - c|^2
    double sigma;                    // proximal parameter: large values let d change more
    double *next;                    // [count][classes] new d
    double dual;                     // objective
    double *best, *best_w, best_gap; // d and w with the smallest gap so far
    double *shift;                   // [classes] b - W . c
    double *scores, *sums;           // [classes]
    uint32_t *free;                  // [classes]
    double *gradient, *step;         // [features + 1][classes], like w and then b
    double *rest, *ahead, *product, *diagonal, *old;
};

struct winner {
    // In. There are rows of all classes, unless there is no bias.
    struct winner_row *rows; // [count]
    size_t count, features;
    uint32_t classes;
    bool bias, hard;
    const struct vector_routines *routines;
    bool (*stop)(void *context); // called now and then: whether to end early; may be NULL
    void *context;

    // Out
    double *d;        // [count][classes] W_k = sum_i d_ik x_i
    double *w;        // [features][classes]
    double *b;        // [classes]
    double gap;       // (primal - dual) / primal
    double objective; // primal; of a hard margin 0
    double bound;     // hard margin: |W| is at least 1 / bound
    double length;    // largest distance of a row from the centre
    bool separates;

    struct winner_work work;
};

enum winner_end winner_solve(struct winner *winner);
void winner_free(struct winner *winner); // does not free the rows

// The upper bound of d_ik.
static inline double winner_most(const struct winner_row *row, uint32_t k)
{
    return k == row->label ? row->limit : 0;
}

static inline double *winner_d(const struct winner *p, size_t row)
{
    return p->d + row * p->classes;
}

// ---- smooth.c ----

// Sets work.shift to b - W . c, for the scores with these weights.
void smooth_shift(struct winner *winner, const double *weights);
void smooth_scores(const struct winner *winner, const double *weights, size_t row, double *scores);
// weights := weights + amount x
void smooth_add(const struct winner *winner, double *weights, size_t row, const double *amount);
// Minimises the smooth function of winner.c, starting from w and b, until replacing W by W(d) would
// change scores by at most `accuracy`. Sets d to the dual solution.
struct winner_sums smooth_solve(struct winner *winner, double accuracy);

#endif
