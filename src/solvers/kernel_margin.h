// The maximum-margin hyperplane in the feature space of a kernel. kernel_margin.c explains the
// algorithm.
#ifndef TLU_SOLVERS_KERNEL_MARGIN_H
#define TLU_SOLVERS_KERNEL_MARGIN_H

#include "solvers/plane.h"
#include "space/kernel_rows.h"

// As plane_solve: uses and sets the same fields of the plane, except w and the scratch, so it needs
// no plane_free. `kernel` has the rows of the plane in their order.
enum plane_end kernel_margin_solve(struct plane *plane, struct kernel_rows *kernel);

#endif
