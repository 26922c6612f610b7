// A table of distinct LIBSVM indices, numbered 0, 1, 2, ... in the order in which they are added:
// open addressing with 8 bytes for each slot, which holds an index of 32 bits and its number, so
// that a look-up takes one cache miss. The hash has a random key, as that of base/table.h.
//
// Once there are many indices and they are dense enough, the numbers of those below a limit are in
// an array by index instead: no hash, no search, no rehashing. Its memory is bounded by the number
// of indices, like that of the slots (see choose_end in indices.c).
//
// One thread may add while others look indices up between indices_enter and indices_leave. A number
// they find is right; an index they do not find may have been added in the meantime.
#ifndef TLU_DATA_INDICES_H
#define TLU_DATA_INDICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDICES_NONE UINT32_MAX
#define INDICES_MAX 0x7FFFFFFFu // numbers are below
#define INDICES_AHEAD 24        // look-ups for which memory is prefetched

// The array of numbers. Slots that took each other's place share it.
struct index_places {
    _Atomic uint32_t owners;
    uint64_t end;             // indices below it are here, and in no slot
    _Atomic uint32_t *number; // [end] one more than the number; 0: no such index
};

struct index_slots {
    struct index_slots *next;    // retired before it
    struct index_places *places; // NULL: none
    _Atomic uint32_t owners;     // tables; they do not change it if there are several
    unsigned shift;              // of the hash: 64 - log2 of how many slots there are
    // The lower 32 bits of the index, whether it has more, 31 bits of the number. 0: free, as no
    // index is 0.
    _Atomic uint64_t *slot; // after the struct, at the start of a cache line
};

struct indices {
    uint32_t count;
    uint32_t in_slots; // of these
    uint64_t *items;   // [count] the indices by number; none is 0
    size_t items_capacity;
    struct index_slots *_Atomic slots; // NULL: none so far
    struct index_slots *retired;       // may still be read
    _Atomic uint32_t readers;          // that have entered
    uint64_t key[2];                   // of the hash
};

// The arrays in which an index is looked up.
struct index_view {
    const struct indices *table;
    const _Atomic uint64_t *slots; // NULL: none
    unsigned shift;
    uint64_t key[2];
    uint64_t end; // of the numbers by index; 0: none
    const _Atomic uint32_t *number;
};

// The first slot of the cache line where the search for an index begins.
static inline size_t index_line(const struct index_view *view, uint64_t index)
{
    uint64_t hash = (index ^ view->key[0]) * view->key[1];
    return (hash ^ hash >> 32) * view->key[1] >> view->shift & ~(size_t)7;
}

// The view of a table that is not added to meanwhile.
struct index_view indices_view(const struct indices *table);
// The view for other threads than the one that adds. Views are of no use after leaving.
struct index_view indices_enter(const struct indices *table);
void indices_leave(const struct indices *table);

// Prefetches the memory for the look-up of an index. Always inline: gcc drops calls of a function
// without effect.
__attribute__((always_inline)) static inline void index_expect(const struct index_view *view,
                                                               uint64_t index)
{
    if (index < view->end)
        __builtin_prefetch((const void *)(view->number + index));
    else if (view->slots)
        __builtin_prefetch((const void *)(view->slots + index_line(view, index)));
}
// The number in the array of an index that belongs there, or INDICES_NONE.
static inline uint32_t index_number(const struct index_view *view, uint64_t index)
{
    return atomic_load_explicit((_Atomic uint32_t *)view->number + index, memory_order_relaxed) - 1;
}
// The same of one that does not.
uint32_t index_search(const struct index_view *view, uint64_t index);
// The number of an index, or INDICES_NONE. Those who have entered may ask for 32 bits alone.
static inline uint32_t index_find(const struct index_view *view, uint64_t index)
{
    return index < view->end ? index_number(view, index) : index_search(view, index);
}

uint32_t indices_find(const struct indices *table, uint64_t index);
// The number of the index, which is added if it is new; INDICES_NONE: out of memory.
uint32_t indices_add(struct indices *table, uint64_t index);
// The same for many: numbers[i] is that of items[i]. False: out of memory.
bool indices_add_all(struct indices *table, const uint64_t *items, size_t count, uint32_t *numbers);
// To an empty one. The slots are shared until one of both changes.
bool indices_copy(struct indices *to, const struct indices *from);
bool indices_own(struct indices *table); // what it takes to change it; false: out of memory
// As table_thin, after indices_own.
void indices_thin(struct indices *table, const bool *gone);
void indices_free(struct indices *table);

#endif
