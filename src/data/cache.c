#include "data/cache.h"

#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// One mapping each: a process may have some 65,000 of them. What is not written to takes no memory.
#define PIECE_MIN ((size_t)64 << 20)
#define ALIGNMENT 64
#define POOLED_FROM ((uint64_t)4 << 20) // bytes: fewer are not worth a large page

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool reserve_piece(struct cache_pieces *pieces)
{
    return memory_reserve(&pieces->items, &pieces->capacity, pieces->count + 1,
                          sizeof *pieces->items);
}

// `size` bytes of the last piece; NULL: it does not have them.
static char *take(struct cache_pieces *pieces, size_t size)
{
    struct cache_piece *last = pieces->count ? &pieces->items[pieces->count - 1] : NULL;
    if (!last || last->size - last->used < size)
        return NULL;
    last->used += size;
    return last->bytes + (last->used - size);
}

// `size` bytes of memory; NULL: out of memory.
static char *pool_take(struct cache_pieces *pool, size_t size)
{
    char *taken = take(pool, size);
    if (taken || !reserve_piece(pool))
        return taken;
    size_t whole = size < PIECE_MIN ? PIECE_MIN : size;
    char *bytes = memory_resize(NULL, whole, 1);
    if (!bytes)
        return NULL;
    memory_scattered(bytes, whole);
    pool->items[pool->count++] = (struct cache_piece){bytes, whole, size};
    return bytes;
}

void cache_init(struct cache *cache, const tlu_options *options)
{
    *cache = (struct cache){.limit = options_count(options, OPTION_MEMORY)};
    if (cache->limit)
        return;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    cache->limit = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : UINT64_MAX;
}

void cache_free(struct cache *cache)
{
    for (size_t i = 0; i < cache->segments.count; i++)
        munmap(cache->segments.items[i].bytes, cache->segments.items[i].size);
    for (size_t i = 0; i < cache->pool.count; i++)
        memory_free(cache->pool.items[i].bytes);
    memory_free(cache->segments.items);
    memory_free(cache->pool.items);
    if (cache->opened)
        close(cache->file);
    *cache = (struct cache){0};
}

static tlu_status fail(int why, tlu_error *error)
{
    return error_system(error,
                        "the cache file in %.200s cannot be written: %s; TMPDIR names another "
                        "folder, --memory keeps more in memory",
                        file_temporary_folder(), strerror(why));
}

static tlu_status open_file(int *file, bool *opened, tlu_error *error)
{
    int why = file_open_unnamed(file);
    *opened = why == 0;
    return why ? fail(why, error) : TLU_OK;
}

static size_t whole_pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

// Takes blocks of the disk: 0, or errno.
static int allocate(int file, uint64_t start, size_t size)
{
    struct file_limit limit;
    if (fault_hit(FAULT_WRITE))
        return ENOSPC;
    file_limit_begin(&limit);
    errno = posix_fallocate(file, (off_t)start, (off_t)size);
    file_limit_end(&limit);
    return errno;
}

// Maps the bytes from `start` on. The blocks of the disk are taken at once, from `old` on: a full
// disk is an error here, and not a signal when the mapping is written to.
static tlu_status map_file(int file, uint64_t start, size_t old, size_t size, void **bytes,
                           tlu_error *error)
{
    int why = allocate(file, start + old, size - old);
    if (why)
        return fail(why, error);
    *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)start);
    return *bytes == MAP_FAILED ? fail(errno, error) : TLU_OK;
}

// Copies an array of `count` items to *at, which moves past it, and returns the copy.
static void *copy_array(char **at, const void *array, size_t count)
{
    char *copy = *at;
    if (count)
        memcpy(copy, array, count * 4);
    *at += aligned(count * 4);
    return copy;
}

static void *move_array(char **at, void *array, size_t count, bool lent)
{
    void *copy = copy_array(at, array, count);
    if (!lent)
        memory_free(array);
    return copy;
}

// `size` bytes of the file, mapped.
static tlu_status file_take(struct cache *cache, size_t size, char **at, tlu_error *error)
{
    struct cache_pieces *segments = &cache->segments;
    *at = take(segments, size);
    if (*at)
        return TLU_OK;
    size_t whole = size < PIECE_MIN ? PIECE_MIN : whole_pages(size);
    TRY(enough_memory(reserve_piece(segments), error));
    if (!cache->opened)
        TRY(open_file(&cache->file, &cache->opened, error));
    void *bytes;
    TRY(map_file(cache->file, cache->stored, 0, whole, &bytes, error));
    segments->items[segments->count++] = (struct cache_piece){bytes, whole, size};
    cache->stored += whole;
    *at = bytes;
    return TLU_OK;
}

// Indices that are there: those of all rows, of one, or none.
static size_t index_count(const struct batch *batch)
{
    if (batch->alike)
        return batch->indices ? batch->offsets[1] : 0;
    return batch_nonzeros(batch);
}

// Moves the arrays that are in memory; others are in a mapped file already.
static tlu_status store(struct cache *cache, struct batch *batch, tlu_error *error)
{
    size_t rows = batch->rows, nonzeros = batch_nonzeros(batch), indices = index_count(batch);
    bool entries = !batch->memory.lent_entries || batch->memory.block,
         others = !batch->memory.lent_rows || batch->memory.block;
    size_t size =
        others ? (2u + batch->weighted) * aligned(4 * rows) + aligned(4 * batch->set_cells) : 0;
    if (entries)
        size += aligned(4 * (rows + 1)) + aligned(4 * indices) +
                (batch->ones ? 0 : aligned(4 * nonzeros));
    char *at;
    TRY(file_take(cache, size, &at, error));
    if (entries) {
        bool lent = batch->memory.lent_entries;
        batch->offsets = move_array(&at, batch->offsets, rows + 1, lent);
        if (batch->indices)
            batch->indices = move_array(&at, batch->indices, indices, lent);
        if (!batch->ones)
            batch->values = move_array(&at, batch->values, nonzeros, lent);
        batch->memory.lent_entries = true;
    }
    if (others) {
        bool lent = batch->memory.lent_rows;
        batch->labels = move_array(&at, batch->labels, rows, lent);
        batch->sets = move_array(&at, batch->sets, batch->set_cells, lent);
        batch->line = move_array(&at, batch->line, rows, lent);
        if (batch->weighted)
            batch->weights = move_array(&at, batch->weights, rows, lent);
        batch->memory.lent_rows = true;
    }
    memory_free(batch->memory.block);
    batch->memory.block = NULL;
    batch->memory.block_size = 0;
    return TLU_OK;
}

tlu_status cache_keep(struct cache *cache, struct batch *batch, tlu_error *error)
{
    const struct batch_memory *memory = &batch->memory;
    if (memory->lent_entries && memory->lent_rows && !memory->block && memory->block_size)
        return TLU_OK;                   // a copy of cache_copy
    cache->memory -= batch->memory.kept; // if it was here before
    batch_shrink(batch);
    batch_share(batch);
    batch->memory.kept = batch_bytes(batch);
    if (cache->memory + cache->arrays + batch->memory.kept > cache->limit) {
        batch->memory.kept = 0; // if that fails
        TRY(store(cache, batch, error));
        batch->memory.kept = batch_bytes(batch);
    }
    cache->memory += batch->memory.kept;
    return TLU_OK;
}

// ---- arrays ----

// Moves the array to its file, if it is not there yet, and makes it as large as that.
static tlu_status grow_file(struct cache *cache, struct cache_array *array, void **items,
                            size_t size, tlu_error *error)
{
    void *bytes;
    if (!array->opened)
        TRY(open_file(&array->file, &array->opened, error));
    TRY(map_file(array->file, 0, array->mapped, size, &bytes, error));
    if (array->mapped) {
        munmap(*items, array->mapped);
    } else if (*items) {
        memcpy(bytes, *items, array->bytes);
        memory_free(*items);
        cache->arrays -= array->bytes;
    }
    *items = bytes;
    array->bytes = 0;
    array->mapped = size;
    return TLU_OK;
}

tlu_status cache_reserve(struct cache *cache, struct cache_array *array, void *items_pointer,
                         size_t *capacity, size_t needed, size_t size, tlu_error *error)
{
    if (needed <= *capacity)
        return TLU_OK;
    void *items;
    memcpy(&items, items_pointer, sizeof items); // the array may be of any type
    size_t larger = *capacity * 2 > needed ? *capacity * 2 : needed;
    if (!array->mapped &&
        cache->memory + cache->arrays - array->bytes + larger * size <= cache->limit) {
        TRY(enough_memory(memory_reserve(&items, capacity, needed, size), error));
        cache->arrays += *capacity * size - array->bytes;
        array->bytes = *capacity * size;
    } else {
        TRY(grow_file(cache, array, &items, whole_pages(larger * size), error));
        *capacity = array->mapped / size;
    }
    memcpy(items_pointer, &items, sizeof items);
    return TLU_OK;
}

void cache_array_free(struct cache_array *array, void *items)
{
    if (array->mapped)
        munmap(items, array->mapped);
    else
        memory_free(items);
    if (array->opened)
        close(array->file);
    *array = (struct cache_array){0};
}

// ---- copies ----

struct batch *cache_copy(struct cache *cache, const struct batch *batch)
{
    size_t rows = batch->rows, nonzeros = batch_nonzeros(batch);
    size_t size = aligned(4 * (rows + 1)) + (2u + batch->weighted) * aligned(4 * rows) +
                  (batch->ones ? 1u : 2u) * aligned(4 * nonzeros) + aligned(4 * batch->set_cells);
    if (batch->memory.lent_entries || batch->memory.lent_rows || batch->memory.block ||
        cache->memory < POOLED_FROM || cache->memory + cache->arrays + size > cache->limit ||
        batch_is_alike(batch))
        return NULL;
    struct batch *copy = memory_new(1, sizeof *copy);
    char *at = copy ? pool_take(&cache->pool, size) : NULL;
    if (!at) {
        memory_free(copy);
        return NULL;
    }
    copy->rows = rows;
    copy->first_row = batch->first_row;
    copy->offsets = copy_array(&at, batch->offsets, rows + 1);
    copy->indices = copy_array(&at, batch->indices, nonzeros);
    copy->values = batch->ones ? NULL : copy_array(&at, batch->values, nonzeros);
    copy->ones = batch->ones;
    copy->labels = copy_array(&at, batch->labels, rows);
    copy->sets = copy_array(&at, batch->sets, batch->set_cells);
    copy->set_cells = batch->set_cells;
    copy->line = copy_array(&at, batch->line, rows);
    copy->weights = batch->weighted ? copy_array(&at, batch->weights, rows) : NULL;
    copy->weighted = batch->weighted;
    copy->direct = batch->direct;
    copy->place = batch->place;
    copy->counts = batch->counts;
    copy->memory = (struct batch_memory){
        .lent_entries = true, .lent_rows = true, .block_size = size, .kept = size};
    cache->memory += size;
    return copy;
}
