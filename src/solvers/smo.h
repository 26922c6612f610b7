// Solves a small dense quadratic program, for the blocks of plane.c:
//
//     minimise  d . K d / 2 - f . d    with  low_i <= d_i <= high_i  and  sum_i d_i constant
//
// K is symmetric and positive semidefinite. `slope` is the negative gradient, f - K d: the gain
// from increasing d_i. At the solution, no d_i that can increase has a higher slope than one that
// can decrease.
#ifndef TLU_SOLVERS_SMO_H
#define TLU_SOLVERS_SMO_H

#include <stdbool.h>
#include <stddef.h>

struct smo {
    size_t size, capacity;
    double *K;                      // [size][capacity]
    double *d, *low, *high, *slope; // [size]; a d at a bound equals it exactly
    // Scratch
    size_t *free;                 // [capacity] the d strictly between their bounds
    double *factor;               // [capacity][capacity]
    double *own, *ahead, *change; // [capacity]; own: K_ii
};

bool smo_init(struct smo *smo, size_t capacity);
void smo_free(struct smo *smo);

// Stops when the highest slope of a d that can increase is at most `tolerance` above the lowest
// slope of one that can decrease, or after a limited number of steps.
void smo_solve(struct smo *smo, double tolerance);

#endif
