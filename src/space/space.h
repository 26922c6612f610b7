// The third choice, --kernel: where the dot products live. In the primal form there is a weight per
// feature, in the dual form a coefficient per row and a kernel.
#ifndef TLU_SPACE_SPACE_H
#define TLU_SPACE_SPACE_H

#include "space/kernel.h"
#include "space/weights.h"

struct dual;

struct space {
    struct weights weights;
    struct kernel kernel;     // --kernel
    struct dual *dual;        // the same: made once the rows are there
    double *scores, *scratch; // [columns]
    double *current;          // [columns] w . x + bias of the row that was decided last
    uint32_t current_classes; // in play then
    double *group_norm;       // [columns] |w|^2 of a group, kept by learners that need it
    uint64_t *group_updates;  // [columns] updates of a group
};

#endif
