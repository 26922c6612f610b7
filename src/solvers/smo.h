// A small quadratic program with all numbers in memory, for the blocks of plane.c:
//
//     minimise  d . K d / 2 - f . d    with  low_i <= d_i <= high_i  and  sum_i d_i as it is
//
// K is symmetric and positive semidefinite. `slope` is minus the gradient, f - K d: what raising
// d_i gains. At the solution no d_i that can rise has a higher slope than one that can fall.
#ifndef TLU_SOLVERS_SMO_H
#define TLU_SOLVERS_SMO_H

#include <stdbool.h>
#include <stddef.h>

struct smo {
    size_t size, capacity;
    double *K;                      // [size][capacity]
    double *d, *low, *high, *slope; // [size]; a d at a bound is there exactly
    // To work with
    size_t *free;                 // [capacity] those between their bounds
    double *factor;               // [capacity][capacity]
    double *own, *ahead, *change; // [capacity]; own: K_ii
};

bool smo_init(struct smo *smo, size_t capacity);
void smo_free(struct smo *smo);

// Until the highest slope that can rise is at most `tolerance` above the lowest that can fall; or
// earlier, with what was gained by then, if that takes long.
void smo_solve(struct smo *smo, double tolerance);

#endif
