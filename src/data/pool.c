#include "data/pool.h"

#include "base/memory.h"

#include <stdbool.h>

#define PIECE ((size_t)64 << 20) // what is not written to takes no memory
#define ALIGNMENT 64

static bool add_piece(struct pool *pool, size_t size)
{
    size = size < PIECE ? PIECE : size;
    if (!memory_reserve(&pool->pieces, &pool->capacity, pool->count + 1, sizeof *pool->pieces))
        return false;
    char *bytes = memory_resize(NULL, size, 1);
    if (!bytes)
        return false;
    memory_scattered(bytes, size);
    pool->pieces[pool->count++] = (struct pool_piece){bytes, size, 0};
    return true;
}

void *pool_take(struct pool *pool, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const struct pool_piece *last = pool->count ? &pool->pieces[pool->count - 1] : NULL;
    if ((!last || last->size - last->used < size) && !add_piece(pool, size))
        return NULL;
    struct pool_piece *piece = &pool->pieces[pool->count - 1];
    piece->used += size;
    return piece->bytes + (piece->used - size);
}

void pool_free(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        memory_free(pool->pieces[i].bytes);
    memory_free(pool->pieces);
    *pool = (struct pool){0};
}
