#include "plot/arena.h"
#include "base/memory.h"

void *arena_new(struct arena *arena, uint64_t count, size_t size)
{
    if (!memory_reserve(&arena->blocks, &arena->capacity, arena->count + 1, sizeof *arena->blocks))
        return NULL;
    return arena->blocks[arena->count++] = memory_new(count, size);
}

void arena_free(struct arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        memory_free(arena->blocks[i]);
    memory_free(arena->blocks);
}
