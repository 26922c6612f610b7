// The multi-class support vector machine of Crammer and Singer, to a stated duality gap.
// crammer_singer.c explains the problem.
#ifndef TLU_SOLVERS_CRAMMER_SINGER_H
#define TLU_SOLVERS_CRAMMER_SINGER_H

#include "base/random.h"
#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

struct crammer_row {
    tlu_row x;
    double C;      // above 0
    double square; // |x|^2, plus 1 with a bias
    uint32_t label;
};

struct crammer_work {
    uint32_t *active; // [count] rows to visit
    size_t active_count;
    double *scores, *next; // [classes]
    double *slack;         // [count] how far the margin is above 1
    double dual;           // objective
    struct random random;
};

struct crammer {
    // In
    struct crammer_row *rows; // [count]
    size_t count, features;
    uint32_t classes;
    bool bias;
    double goal;         // relative duality gap at which to stop
    const double *start; // [count][classes] d found for other C; NULL: none
    double growth;       // factor by which all C differ from those
    const struct vector_routines *routines;
    bool (*stop)(void *context); // called now and then: whether to end early; may be NULL
    void *context;

    // Out
    double *w; // [features + 1][classes]; the last are the biases
    double *d; // [count][classes] W_k = sum_i d_ik x_i
    double objective, gap;

    struct crammer_work work;
};

// False: out of memory. A gap above the goal means that it was stopped, or made no more progress.
bool crammer_solve(struct crammer *crammer);
void crammer_free(struct crammer *crammer); // does not free the rows

#endif
