// --kernel: the primal form has a weight per feature; the dual form has a kernel and a coefficient
// per row.
#ifndef TLU_SPACE_SPACE_H
#define TLU_SPACE_SPACE_H

#include "data/schema.h"
#include "space/kernel.h"
#include "space/weights.h"

struct dual;
struct layers;

struct space {
    struct weights weights;
    struct kernel kernel;     // --kernel
    struct dual *dual;        // --kernel: made when all rows are read
    struct layers *layers;    // LEARNER_LAYERS: made when all rows are read; `weights` stay 0
    double *scores, *scratch; // [columns]
    double *current;          // [columns] w . x + bias of the row that was predicted last
    uint32_t current_classes; // number of active classes at that time
    uint32_t unit_feature;    // dual form: the feature of the unit vector that is learned from
    // By group. A saved stream stores them only with LEARNER_SCALE.
    double *group_norm;      // [columns] |w|^2, kept by learners that need it
    uint64_t *group_updates; // [columns]
};

// These functions return false if there is not enough memory.
bool space_init(struct space *space, unsigned parts, double state_start); // WEIGHTS_...
void space_free(struct space *space);
// Reserves weights for all features of the schema.
bool space_reserve(struct space *space, const struct schema *schema);

// Arguments of space_widen, which adds columns as weights_widen does.
struct space_widening {
    uint32_t columns, positive;
    bool opposite;
    bool unused; // all weights are still 0
};
bool space_widen(struct space *space, const struct schema *schema,
                 const struct space_widening *how);

#endif
