// The one allocator. Sizes are products that are checked for overflow; tests can make the n-th
// call fail (base/fault.h).
#ifndef TLU_BASE_MEMORY_H
#define TLU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts have 64 bits on every machine: on a 32-bit machine one that is too large fails as out of
// memory and is not truncated.
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

// Whether that much address space is available now: for libraries that hang or abort without it.
bool memory_is_free(uint64_t bytes);

// The blocks that a thread has allocated and not freed since recording began, so that they can be
// freed when longjmp ends a computation. No other thread may free a recorded block.
struct memory_record {
    uintptr_t *blocks; // [capacity] hash table, a power of two in size; 0: free slot
    size_t count, capacity;
};
// From now on blocks of this thread are recorded in `record`; NULL: nowhere. Returns the previous
// record.
struct memory_record *memory_record(struct memory_record *record);
void memory_record_free_blocks(struct memory_record *record);
void memory_record_clear(struct memory_record *record); // forgets them

#endif
