// The third choice, --kernel: where the dot products live. In the primal form there is a weight per
// feature, in the dual form a coefficient per row and a kernel.
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
    struct layers *layers;    // learners with LEARNER_LAYERS: likewise; the weights then stay 0
    double *scores, *scratch; // [columns]
    double *current;          // [columns] w . x + bias of the row that was decided last
    uint32_t current_classes; // in play then
    uint32_t unit_feature;    // in the dual form: of the row that is learned from
    // Of a group. A stream that is saved and goes on has them with LEARNER_SCALE alone.
    double *group_norm;      // [columns] |w|^2, kept by learners that need it
    uint64_t *group_updates; // [columns]
};

// All return false if there is not enough memory.
bool space_init(struct space *space, unsigned parts, double state_start); // WEIGHTS_...
void space_free(struct space *space);
// Room for the weights of all features of the schema.
bool space_reserve(struct space *space, const struct schema *schema);

// More columns of weights, as weights_widen.
struct space_widening {
    uint32_t columns, positive;
    bool opposite;
    bool unused; // all weights are still 0
};
bool space_widen(struct space *space, const struct schema *schema,
                 const struct space_widening *how);

#endif
