// Kernels: dot products in a space of more dimensions, computed in the original space.
//
//     linear      x . z
//     poly:D,C    (x . z + C)^D; the default of C is 1
//     rbf:G       exp(-G |x - z|^2)
#ifndef TLU_SPACE_KERNEL_H
#define TLU_SPACE_KERNEL_H

#include "base/error.h"

enum kernel_kind { KERNEL_NONE, KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF };

struct kernel {
    enum kernel_kind kind;
    unsigned degree;
    double coef, gamma;
};

// "" is KERNEL_NONE.
tlu_status kernel_parse(struct kernel *kernel, const char *text, tlu_error *error);
// K(x, z) from x . z, x . x and z . z.
double kernel_value(const struct kernel *kernel, double dot, double norm_x, double norm_z);
// The same for a row and `count` others. `values` may be the same array as `dots`.
void kernel_values(const struct kernel *kernel, const double *dots, size_t count, double norm,
                   const double *norms, double *values);

#endif
