// Shuffled rows, copied by a second thread. They are scattered over the memory, and waiting for
// them takes longer than learning from them: the thread copies them into small blocks ahead of the
// learner.
#ifndef TLU_TRAIN_PREFETCH_H
#define TLU_TRAIN_PREFETCH_H

#include "data/batch.h"
#include "data/cache.h"
#include "learn/example.h"

#include <assert.h>

struct place { // of a row
    uint32_t batch, row;
};

// The learner_norm of rows, by their numbers in the file.
struct norms {
    double *items; // [count]
    size_t count, capacity;
    uint64_t first; // number of the first row that is there
    struct cache_array where;
};

// The row at a place, without its set of labels.
static inline struct example example_at(struct batch *const *batches, struct place place,
                                        const struct norms *norms)
{
    const struct batch *batch = batches[place.batch];
    uint64_t id = batch->first_row + place.row;
    assert(place.row < batch->rows);
    assert(!norms->count || (id >= norms->first && id - norms->first < norms->count));
    return (struct example){.x = batch_row(batch, place.row),
                            .id = id,
                            .class_index = batch->labels[place.row],
                            .weight = (double)batch_weight(batch, place.row),
                            .norm = norms->count ? norms->items[id - norms->first] : 0};
}

// --multilabel: adds its set.
static inline void example_find_set(struct example *example, struct batch *const *batches,
                                    struct place place)
{
    example_take_set(example, batch_set(batches[place.batch], place.row));
}

#define FETCH_START 24 // rows ahead whose start is prefetched
#define FETCH_ROW 8    // rows ahead that are prefetched
#define CACHE_LINE 64  // bytes
#define NEAR 2         // into the L2 cache: L1 takes fewer requests at once

// Prefetches the start, the label and the norm of a row.
static inline void fetch_start(struct batch *const *batches, const struct norms *norms,
                               struct place place)
{
    const struct batch *batch = batches[place.batch];
    __builtin_prefetch(batch->offsets + place.row);
    __builtin_prefetch(batch->labels + place.row);
    if (norms->count)
        __builtin_prefetch(norms->items + (batch->first_row + place.row - norms->first));
}

// Prefetches a row.
static inline void fetch_row(struct batch *const *batches, struct place place)
{
    const struct batch *batch = batches[place.batch];
    const uint32_t *offsets = batch->offsets + place.row;
    for (uint32_t k = offsets[0]; k < offsets[1]; k += CACHE_LINE / sizeof *batch->indices) {
        if (!batch->alike)
            __builtin_prefetch(batch->indices + k, 0, NEAR);
        if (!batch->ones)
            __builtin_prefetch(batch->values + k, 0, NEAR);
    }
}

struct prefetch;

// Prefetches the rows at `count` places, in a thread if `threaded`, else when asked. NULL: out of
// memory. The arguments must not change until prefetch_close.
struct prefetch *prefetch_open(struct batch *const *batches, const struct norms *norms,
                               const struct place *places, size_t count, bool threaded);
// The next rows, which the caller may change; 0 at the end. They are valid until the next call.
size_t prefetch_next(struct prefetch *prefetch, struct example **examples);
void prefetch_close(struct prefetch *prefetch);

#endif
