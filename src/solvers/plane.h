// The hyperplane of the largest margin between the rows of two classes; plane.c says how.
#ifndef TLU_SOLVERS_PLANE_H
#define TLU_SOLVERS_PLANE_H

#include "solvers/smo.h"
#include "tlu.h"
#include "vector/vector.h"

struct plane_row {
    tlu_row x;
    uint64_t id;  // for the caller
    double y;     // +1 or -1
    double limit; // what alpha may be at most: C times the row's weight; INFINITY: hard margin
    double d;     // out: y alpha, with w = sum d x
    double score; // w . x
    uint32_t place, place_before; // in the block and in the one before, from 1; 0: not there
};

struct plane_candidate {
    double violation;
    uint32_t row;
};

enum plane_end {
    PLANE_FOUND,   // with a gap of at most 1e-6
    PLANE_STOPPED, // with the gap that it says: there was no getting on, or it was told to end
    PLANE_NONE,    // hard margin: no plane separates the rows
    PLANE_NO_MEMORY
};

struct plane_work {
    double dual;      // the objective
    double lacking;   // soft margin: the primal less the dual
    double violation; // of the rows that contradict the solution most
    struct smo block;
    uint32_t *members, *before; // [block.capacity] rows of the block, and of the one before
    size_t member_count;
    struct plane_candidate *up, *down; // [count]
    double *best;                      // [count] d with the narrowest gap so far
    double best_gap;
    double *scratch; // [features] zeros
};

struct plane {
    // In. There are rows of both classes, unless the plane goes through the origin.
    struct plane_row *rows; // [count]
    size_t count, features;
    bool bias, hard;
    const struct vector_routines *routines;
    bool (*stop)(void *context); // asked now and then whether to end early; may be NULL
    void *context;

    // Out
    double *w; // [features]
    double b;
    double norm;   // |w|
    double gap;    // (primal - dual) / primal
    double bound;  // hard margin: no plane has a larger margin than this
    double length; // of the longest row
    bool separates;

    struct plane_work work;
};

enum plane_end plane_solve(struct plane *plane);
void plane_free(struct plane *plane); // all but the rows

#endif
