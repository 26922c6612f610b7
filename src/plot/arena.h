// Blocks of memory that are freed together.
#ifndef TLU_PLOT_ARENA_H
#define TLU_PLOT_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
    void **blocks; // [count]
    size_t count, capacity;
};

void *arena_new(struct arena *arena, uint64_t count, size_t size); // zeroed; NULL: out of memory
void arena_free(struct arena *arena);

#endif
