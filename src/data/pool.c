#include "data/pool.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define PIECE ((size_t)64 << 20) // what is not written to takes no memory
#define ALIGNMENT 64

static size_t whole(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static bool add_piece(struct pool *pool, size_t size)
{
    size = size < PIECE ? PIECE : whole(size, LARGE_PAGE);
    if (!memory_reserve(&pool->pieces, &pool->capacity, pool->count + 1, sizeof *pool->pieces))
        return false;
    char *memory = memory_resize(NULL, size + LARGE_PAGE, 1);
    if (!memory)
        return false;
    char *bytes = memory + (whole((uintptr_t)memory, LARGE_PAGE) - (uintptr_t)memory);
#ifdef MADV_HUGEPAGE
    madvise(bytes, size, MADV_HUGEPAGE); // small pages do as well
#endif
    pool->pieces[pool->count++] = (struct pool_piece){memory, bytes, size, 0};
    return true;
}

void *pool_take(struct pool *pool, size_t size)
{
    size = whole(size, ALIGNMENT);
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
        memory_free(pool->pieces[i].memory);
    memory_free(pool->pieces);
    *pool = (struct pool){0};
}
