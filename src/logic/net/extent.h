// How far the sums of units reach, for languages that want to know how wide numbers are.
#ifndef TLU_LOGIC_NET_EXTENT_H
#define TLU_LOGIC_NET_EXTENT_H

#include "logic/network.h"

struct extent {
    int64_t low, high; // the least and the largest sum
    int64_t most;      // the largest of |threshold| and the sum of |weights|: no part is larger
};

static inline int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static inline struct extent unit_extent(const struct unit *unit)
{
    struct extent extent = {0};
    for (size_t i = 0; i < unit->count; i++) {
        int64_t weight = unit->links[i].weight;
        *(weight < 0 ? &extent.low : &extent.high) += weight;
    }
    int64_t total = extent.high - extent.low, threshold = magnitude(unit->threshold);
    extent.most = total > threshold ? total : threshold;
    return extent;
}

// Whether the unit's signal is always the same: then *value is.
static inline bool unit_is_constant(const struct unit *unit, bool *value)
{
    struct extent extent = unit_extent(unit);
    *value = unit->threshold <= extent.low;
    return *value || unit->threshold > extent.high;
}

#endif
