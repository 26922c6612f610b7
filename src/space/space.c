#include "space/space.h"

#include "base/memory.h"
#include "mlp/layers.h"
#include "space/dual.h"

#include <string.h>

// Features get slots if at least this many cells may belong to no feature. A build
// with -DFEATURE_SLOTS_FROM=0 uses slots whenever possible, to test that the results are the same.
#ifndef FEATURE_SLOTS_FROM
#define FEATURE_SLOTS_FROM ((size_t)1 << 22)
#endif

bool space_init(struct space *space, unsigned parts, double state_start)
{
    space->scores = memory_new(1, sizeof(double));
    space->scratch = memory_new(1, sizeof(double));
    space->current = memory_new(1, sizeof(double));
    space->group_norm = memory_new(1, sizeof(double));
    space->group_updates = memory_new(1, sizeof(uint64_t));
    return space->scores && space->scratch && space->current && space->group_norm &&
           space->group_updates && weights_init(&space->weights, 1, parts, state_start);
}

void space_free(struct space *space)
{
    dual_free(space->dual);
    layers_free(space->layers);
    weights_free(&space->weights);
    memory_free(space->scores);
    memory_free(space->scratch);
    memory_free(space->current);
    memory_free(space->group_norm);
    memory_free(space->group_updates);
}

// Whether there are too many columns to allocate weights for unused numbers of features.
static bool needs_slots(const struct space *space, const struct schema *schema, uint32_t columns)
{
    size_t gaps = space->kernel.kind ? 0 : schema_gaps(schema);
    return !space->weights.slots && columns > 1 && gaps > FEATURE_SLOTS_FROM / columns;
}

bool space_reserve(struct space *space, const struct schema *schema)
{
    bool fine = true;
    if (needs_slots(space, schema, space->weights.columns)) {
        struct feature_slots *slots = feature_slots_new();
        fine = slots && weights_use_slots(&space->weights, slots);
        feature_slots_release(slots);
    }
    space->weights.gaps = space->kernel.kind ? 0 : schema_gaps(schema);
    return fine && weights_reserve(&space->weights, schema_features(schema));
}

static bool widen_weights(struct space *space, const struct schema *schema,
                          const struct space_widening *how)
{
    bool needs = needs_slots(space, schema, how->columns);
    struct feature_slots *slots = needs ? feature_slots_new() : NULL;
    size_t rows = space->weights.rows;
    if (needs && how->unused) // all weights are 0, so there is nothing to move
        space->weights.rows = 0;
    bool fine = (slots || !needs) && weights_widen_at(&space->weights, slots, how->columns,
                                                      how->positive, how->opposite);
    feature_slots_release(slots);
    if (!fine)
        space->weights.rows = rows;
    return fine;
}

// Enlarges an array from [old] to [columns].
static bool enlarge(void *array_pointer, size_t old, size_t columns, size_t size)
{
    void **array = array_pointer;
    void *new = memory_new(columns, size);
    if (!new)
        return false;
    memcpy(new, *array, old * size);
    memory_free(*array);
    *array = new;
    return true;
}

bool space_widen(struct space *space, const struct schema *schema, const struct space_widening *how)
{
    size_t old = space->weights.columns, columns = how->columns;
    return enlarge(&space->scores, old, columns, sizeof(double)) &&
           enlarge(&space->scratch, old, columns, sizeof(double)) &&
           enlarge(&space->current, old, columns, sizeof(double)) &&
           enlarge(&space->group_norm, old, columns, sizeof(double)) &&
           enlarge(&space->group_updates, old, columns, sizeof(uint64_t)) &&
           widen_weights(space, schema, how);
}
