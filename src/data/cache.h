// Where batches stay that are looked at more than once: in memory, and past a limit in a file that
// has no name any more and is mapped, so that the kernel may drop what is not in use. What they
// hold is the same either way.
#ifndef TLU_DATA_CACHE_H
#define TLU_DATA_CACHE_H

#include "base/options.h"
#include "data/batch.h"

#include <pthread.h>

struct cache_segment {
    void *mapping; // [mapped]
    size_t mapped;
    char *bytes; // [size] in it
    size_t size, used;
};

// Segments that are filled one after the other.
struct cache_shelf {
    struct cache_segment *segments;
    size_t count, capacity;
};

struct cache {
    uint64_t limit;  // bytes in memory
    uint64_t memory; // bytes that the batches kept take there
    uint64_t stored; // bytes in the file
    int file;
    bool opened;
    // In memory, the arrays of large batches lie one behind the other in large pages: rows in a
    // random order would else need the address of another small page each.
    struct cache_shelf in_memory, in_file;
    pthread_mutex_t mutex; // of all of this
};

// Half of the memory of this machine, or what the option says.
void cache_init(struct cache *cache, const tlu_options *options);
// After the batches that it keeps.
void cache_free(struct cache *cache);
// Puts the arrays of a batch that will be kept where they will stay, if that is in memory. For the
// threads that parse, so that the copying is done by all of them: what the batch's tables say of
// its numbers is still to come. False where memory is out.
bool cache_prepare(struct cache *cache, struct batch *batch);
// Gives back what the batch does not need, and puts its arrays into the file where memory has no
// room for them. The batch remains the caller's. `changes`: its entries will be replaced, and then
// it will be kept again.
tlu_status cache_keep(struct cache *cache, struct batch *batch, bool changes, tlu_error *error);

#endif
