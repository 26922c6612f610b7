// Memory for rows that are kept until all is over, in a few large pieces. The system is asked to
// map them with large pages: rows in an order of their own are then found without a walk through
// page tables each, and the pages come by hundreds instead of one by one.
#ifndef TLU_DATA_POOL_H
#define TLU_DATA_POOL_H

#include <stddef.h>

struct pool_piece {
    char *bytes; // [size]
    size_t size, used;
};

struct pool {
    struct pool_piece *pieces;
    size_t count, capacity;
};

// `size` bytes; NULL: out of memory.
void *pool_take(struct pool *pool, size_t size);
void pool_free(struct pool *pool);

#endif
