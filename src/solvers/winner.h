// Several classes at once, the winner takes all, with the largest margin; winner.c says how.
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
    WINNER_STOPPED, // with the gap that it says: there was no getting on, or it was told to end
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
    double *centre;                  // [features] c
    double *spread;                  // [features] the average (x - c)^2
    double average;                  // |x - c|^2
    double sigma;                    // how far d may go from what it was
    double *next;                    // [count][classes] d
    double dual;                     // the objective
    double *best, *best_w, best_gap; // d and w with the narrowest gap so far
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
    bool (*stop)(void *context); // asked now and then whether to end early; may be NULL
    void *context;

    // Out
    double *d;     // [count][classes] W_k = sum_i d_ik x_i
    double *w;     // [features][classes]
    double *b;     // [classes]
    double gap;    // (primal - dual) / primal
    double bound;  // hard margin: |W| is at least 1 / bound
    double length; // of the longest row, from the centre of all
    bool separates;

    struct winner_work work;
};

enum winner_end winner_solve(struct winner *winner);
void winner_free(struct winner *winner); // all but the rows

// d_ik is at most this.
static inline double winner_most(const struct winner_row *row, uint32_t k)
{
    return k == row->label ? row->limit : 0;
}

static inline double *winner_d(const struct winner *p, size_t row)
{
    return p->d + row * p->classes;
}

// ---- smooth.c ----

// shift := b - W . c, for the scores by these weights
void smooth_shift(struct winner *winner, const double *weights);
void smooth_scores(const struct winner *winner, const double *weights, size_t row, double *scores);
// weights := weights + amount x
void smooth_add(const struct winner *winner, double *weights, size_t row, const double *amount);
// Minimises the smooth function that winner.c speaks of, until W(d) in the place of W would change
// scores by no more than `accuracy`, from w and b as they are; d := what belongs to the solution.
struct winner_sums smooth_solve(struct winner *winner, double accuracy);

#endif
