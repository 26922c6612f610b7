// The maximum-margin hyperplane between the rows of two classes. plane.c explains the algorithm.
#ifndef TLU_SOLVERS_PLANE_H
#define TLU_SOLVERS_PLANE_H

#include "solvers/smo.h"
#include "tlu.h"
#include "vector/vector.h"

struct plane_row {
    tlu_row x;
    uint64_t id;  // for the caller
    double y;     // +1 or -1
    double limit; // upper bound of alpha: C times the row's weight; INFINITY: hard margin
    double d;     // in: where to start, see plane.growth; out: y alpha, with w = sum d x
    double score; // w . x
    uint32_t place, place_before; // in the current and the previous block, from 1; 0: not there
};

struct plane_candidate {
    double violation;
    uint32_t row;
};

enum plane_end {
    PLANE_FOUND,   // with a gap of at most 1e-6
    PLANE_STOPPED, // with a larger gap: no more progress, or interrupted
    PLANE_NONE,    // hard margin: no plane separates the rows
    PLANE_NO_MEMORY
};

struct plane_work {
    double dual;      // objective
    double lacking;   // soft margin: primal - dual
    double violation; // largest violation of the optimality conditions by a pair of rows
    struct smo block;
    uint32_t *members, *before; // [block.capacity] rows of the current and the previous block
    size_t member_count;
    struct plane_candidate *up, *down; // [count]
    double *best;                      // [count] d with the smallest gap so far
    double best_gap;
    double *scratch; // [features] zeros
};

struct plane {
    // In. There are rows of both classes, unless the plane goes through the origin.
    struct plane_row *rows; // [count]
    size_t count, features;
    bool bias, hard;
    double growth; // factor by which the limits differ from those the d are of; 0: no such d
    const struct vector_routines *routines;
    bool (*stop)(void *context); // called now and then: whether to end early; may be NULL
    void *context;

    // Out
    double *w; // [features]
    double b;
    double norm;      // |w|
    double gap;       // (primal - dual) / primal
    double objective; // primal
    double bound;     // hard margin: no plane has a larger margin than this
    double length;    // length of the longest row
    bool separates;

    struct plane_work work;
};

enum plane_end plane_solve(struct plane *plane);
void plane_free(struct plane *plane); // does not free the rows

#endif
