// --kernel: the primal form has a weight per feature; the dual form has a kernel and a coefficient
// per row. The weights themselves are in struct state (learn/state.h); this is what computing
// scores needs besides.
#ifndef TLU_SPACE_SPACE_H
#define TLU_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dual;
struct layers;

struct space {
    struct dual *dual;        // --kernel: made when all rows are read
    struct layers *layers;    // LEARNER_LAYERS: made when all rows are read
    double *scores, *scratch; // [columns]
    double *current;          // [columns] w . x + bias of the row that was predicted last
    uint32_t current_classes; // number of active classes at that time
    uint32_t unit_feature;    // dual form: the feature of the unit vector that is learned from
};

void space_free(struct space *space);
// Enlarges the arrays from [old] to [columns]. False: out of memory.
bool space_widen(struct space *space, size_t old, size_t columns);
// Enlarges one array of items of this size: space_enlarge(&array, old, columns, size).
bool space_enlarge(void *array_pointer, size_t old, size_t columns, size_t size);

#endif
