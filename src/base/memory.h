// The one allocator. Sizes are products that are checked for overflow; tests can make the n-th
// call fail (base/fault.h).
#ifndef TLU_BASE_MEMORY_H
#define TLU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts have 64 bits on every machine: those of a 32-bit machine that are too large are out of
// memory, not cut off.
void *memory_new(uint64_t count, size_t size);               // zeroed; NULL: out of memory
void *memory_resize(void *old, uint64_t count, size_t size); // as realloc; new bytes undefined
void memory_free(void *pointer);
// Memory that was just allocated will be looked at here and there: in large pages, if the system
// has them, the CPU finds it sooner.
void memory_scattered(void *memory, size_t bytes);
// As memory_new, for an array of which most will be written to, from item `first` on: in large
// pages too, which the system clears faster.
void *memory_new_filled(uint64_t count, size_t size, size_t first);
// A copy of an array; NULL: out of memory.
void *memory_copy(const void *array, uint64_t count, size_t size);
char *memory_copy_text(const char *bytes, size_t length); // with a NUL after it

// Makes room for `needed` items in an array of `*capacity`, at least doubling it. The address is
// passed as `void *` and is that of the array pointer: memory_reserve(&items, &capacity, n, size).
bool memory_reserve(void *array_pointer, size_t *capacity, uint64_t needed, size_t size);

// Whether that much address space is to be had now: for libraries that hang or abort without it.
bool memory_is_free(uint64_t bytes);

// The blocks that a thread has allocated and not freed since recording began: a computation that is
// left by a jump frees them all. A block of a record must not be freed by another thread.
struct memory_record {
    uintptr_t *blocks; // [capacity], a power of two: a hash table; 0: free
    size_t count, capacity;
};
// From now on the blocks of this thread go to `record`; NULL: to none. Returns the one before.
struct memory_record *memory_record(struct memory_record *record);
void memory_record_free_blocks(struct memory_record *record);
void memory_record_clear(struct memory_record *record); // forgets them

#endif
