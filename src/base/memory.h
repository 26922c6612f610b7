// The one allocator. Sizes are products that are checked for overflow; tests can make the n-th
// call fail (base/fault.h).
#ifndef TLU_BASE_MEMORY_H
#define TLU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts have 64 bits on every machine: on a 32-bit machine, a count that is too large fails as out
// of memory instead of being truncated.
void *memory_new(uint64_t count, size_t size);               // zeroed; NULL: out of memory
void *memory_resize(void *old, uint64_t count, size_t size); // as realloc; new bytes undefined
void memory_free(void *pointer);
// Asks for large pages for memory that will be accessed at random: fewer TLB misses.
void memory_scattered(void *memory, size_t bytes);
// As memory_new, for an array that will mostly be written to, from item `first` on: in large pages,
// which the system clears faster.
void *memory_new_filled(uint64_t count, size_t size, size_t first);
// A copy of an array; NULL: out of memory.
void *memory_copy(const void *array, uint64_t count, size_t size);
char *memory_copy_text(const char *bytes, size_t length); // with a NUL after it

// Enlarges an array of `*capacity` items to at least `needed`, at least doubling it. Takes the
// address of the array pointer: memory_reserve(&items, &capacity, n, size).
bool memory_reserve(void *array_pointer, size_t *capacity, uint64_t needed, size_t size);

// Whether that much address space is available now: some libraries hang or abort without it.
bool memory_is_free(uint64_t bytes);

// The blocks that a thread has allocated and not freed since recording began, so that they can be
// freed together when a computation ends. No other thread may free a recorded block.
struct memory_record {
    uintptr_t *blocks; // [capacity] hash table, a power of two in size; 0: free slot
    size_t count, capacity;
};
// Records the blocks of this thread in `record` from now on; NULL: nowhere. Returns the previous
// record.
struct memory_record *memory_record(struct memory_record *record);
void memory_unrecord(const void *block);                      // this thread's record forgets it
void memory_record_free_blocks(struct memory_record *record); // and the record

#endif
