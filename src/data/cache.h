// Where batches stay that are read more than once: in memory, and past a limit in a mapped file
// without a name, so that the kernel may drop what is not in use. Batches hold the same either way.
#ifndef TLU_DATA_CACHE_H
#define TLU_DATA_CACHE_H

#include "base/options.h"
#include "data/batch.h"

#include <stddef.h>

// Large pieces of memory that arrays are put into one after the other.
struct cache_pieces {
    struct cache_piece {
        char *bytes; // [size]
        size_t size, used;
    } * items; // [count]
    size_t count, capacity;
};

struct cache {
    uint64_t limit;  // bytes in memory
    uint64_t memory; // bytes that the batches kept take there
    uint64_t arrays; // bytes that arrays take there (cache_reserve)
    uint64_t stored; // bytes in the file
    int file;
    bool opened;
    struct cache_pieces pool;     // in memory (cache_copy)
    struct cache_pieces segments; // of the file, mapped
};

// Where an array is that grows with the rows: in memory or, past the limit, in a file of its own.
struct cache_array {
    size_t bytes;  // in memory
    size_t mapped; // in the file; 0: it is in memory
    int file;
    bool opened;
};

// Half of the memory of this machine, or what the option says.
void cache_init(struct cache *cache, const tlu_options *options);
// After the batches that it keeps.
void cache_free(struct cache *cache);
// Gives back what the batch does not need, and puts its arrays into the file if memory has no
// room for them. The batch remains the caller's.
tlu_status cache_keep(struct cache *cache, struct batch *batch, tlu_error *error);
// As memory_reserve, for an array that counts in the limit.
tlu_status cache_reserve(struct cache *cache, struct cache_array *array, void *items_pointer,
                         size_t *capacity, size_t needed, size_t size, tlu_error *error);
void cache_array_free(struct cache_array *array, void *items);
// A copy of a batch that is to be kept and whose rows will not change, with what cache_keep would
// leave of it. NULL: cache_keep is the better way, or the only one.
struct batch *cache_copy(struct cache *cache, const struct batch *batch);

#endif
