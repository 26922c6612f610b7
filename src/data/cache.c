#include "data/cache.h"

#include "base/fault.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENT_SIZE ((size_t)64 << 20) // one mapping each: a process may have some 65,000 of them
#define ALIGNMENT 64
#define LARGE_PAGE ((size_t)2 << 20)
#define LARGE_BATCH ((size_t)128 << 10) // bytes: smaller ones stay where they are

void cache_init(struct cache *cache, const tlu_options *options)
{
    *cache = (struct cache){.limit = options_count(options, OPTION_MEMORY)};
    pthread_mutex_init(&cache->mutex, NULL);
    if (cache->limit)
        return;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    cache->limit = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : UINT64_MAX;
}

void cache_free(struct cache *cache)
{
    struct cache_shelf *shelves[] = {&cache->in_memory, &cache->in_file};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < shelves[s]->count; i++)
            munmap(shelves[s]->segments[i].mapping, shelves[s]->segments[i].mapped);
        memory_free(shelves[s]->segments);
    }
    if (cache->opened)
        close(cache->file);
    pthread_mutex_destroy(&cache->mutex);
    *cache = (struct cache){0};
}

static const char *folder(void)
{
    const char *name = getenv("TMPDIR");
    return name && name[0] ? name : "/tmp";
}

static tlu_status fail(int why, tlu_error *error)
{
    return error_system(error,
                        "the cache file in %.200s cannot be written: %s; TMPDIR names another "
                        "folder, --memory keeps more in memory",
                        folder(), strerror(why));
}

// A file without a name: it is gone when the process is, whatever ends it.
static tlu_status open_file(struct cache *cache, tlu_error *error)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/tlu-cache-XXXXXX", folder());
    if (length < 0 || (size_t)length >= sizeof path)
        return fail(ENAMETOOLONG, error);
    cache->file = mkstemp(path);
    if (cache->file < 0)
        return fail(errno, error);
    cache->opened = true;
    unlink(path);
    fcntl(cache->file, F_SETFD, FD_CLOEXEC);
    return TLU_OK;
}

static size_t rounded(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

// The next blocks of the file. Those of the disk are taken at once: a full disk is an error here,
// and not a signal when the mapping is written to.
static tlu_status map_file(struct cache *cache, size_t size, struct cache_segment *segment,
                           tlu_error *error)
{
    size = rounded(size, (size_t)sysconf(_SC_PAGESIZE));
    tlu_status status = cache->opened ? TLU_OK : open_file(cache, error);
    if (status != TLU_OK)
        return status;
    int why = fault_hit(FAULT_WRITE)
                  ? ENOSPC
                  : posix_fallocate(cache->file, (off_t)cache->stored, (off_t)size);
    if (why)
        return fail(why, error);
    void *bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, cache->file, (off_t)cache->stored);
    if (bytes == MAP_FAILED)
        return fail(errno, error);
    *segment =
        (struct cache_segment){.mapping = bytes, .mapped = size, .bytes = bytes, .size = size};
    cache->stored += size;
    return TLU_OK;
}

static tlu_status map_memory(size_t size, struct cache_segment *segment, tlu_error *error)
{
    size = rounded(size, LARGE_PAGE);
    size_t mapped = size + LARGE_PAGE; // so that the start can be moved to where a page begins
    void *mapping = fault_hit(FAULT_MEMORY) ? MAP_FAILED
                                            : mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return error_memory(error);
    char *bytes = (char *)rounded((size_t)mapping, LARGE_PAGE);
#ifdef MADV_HUGEPAGE
    madvise(bytes, size, MADV_HUGEPAGE); // a wish
#endif
    *segment =
        (struct cache_segment){.mapping = mapping, .mapped = mapped, .bytes = bytes, .size = size};
    return TLU_OK;
}

static size_t aligned(size_t size)
{
    return rounded(size, ALIGNMENT);
}

// Copies an array to *at, which moves behind it, and returns the copy.
static void *move_array(char **at, void *array, size_t count, bool lent)
{
    char *copy = *at;
    if (count)
        memcpy(copy, array, count * 4);
    if (!lent)
        memory_free(array);
    *at += aligned(count * 4);
    return copy;
}

// Room for `size` bytes in the last segment of a shelf, or in a new one.
static tlu_status make_room(struct cache *cache, struct cache_shelf *shelf, size_t size, char **at,
                            tlu_error *error)
{
    struct cache_segment *last = shelf->count ? &shelf->segments[shelf->count - 1] : NULL;
    if (!last || last->size - last->used < size) {
        if (!memory_reserve(&shelf->segments, &shelf->capacity, shelf->count + 1,
                            sizeof *shelf->segments))
            return error_memory(error);
        last = &shelf->segments[shelf->count];
        size_t room = size < SEGMENT_SIZE ? SEGMENT_SIZE : size;
        tlu_status status = shelf == &cache->in_file ? map_file(cache, room, last, error)
                                                     : map_memory(room, last, error);
        if (status != TLU_OK)
            return status;
        shelf->count++;
    }
    *at = last->bytes + last->used;
    last->used += size;
    return TLU_OK;
}

// Indices that are there: those of all rows, of one, or none.
static size_t index_count(const struct batch *batch)
{
    if (batch->alike)
        return batch->indices ? batch->offsets[1] : 0;
    return batch_nonzeros(batch);
}

// What the arrays take that are in memory of their own; others are in a mapped file already.
static size_t stored_size(const struct batch *batch, bool entries, bool others)
{
    size_t rows = batch->rows;
    size_t size = others ? (2u + batch->weighted) * aligned(4 * rows) : 0;
    if (entries)
        size += aligned(4 * (rows + 1)) + aligned(4 * index_count(batch)) +
                (batch->ones ? 0 : aligned(4 * batch_nonzeros(batch)));
    return size;
}

// Moves them. *size: what they take.
static tlu_status store(struct cache *cache, struct cache_shelf *shelf, struct batch *batch,
                        size_t *size, tlu_error *error)
{
    size_t rows = batch->rows, nonzeros = batch_nonzeros(batch), indices = index_count(batch);
    bool entries = !batch->lent_entries || batch->block, others = !batch->lent_rows || batch->block;
    *size = stored_size(batch, entries, others);
    char *at = NULL;
    pthread_mutex_lock(&cache->mutex);
    tlu_status status = make_room(cache, shelf, *size, &at, error);
    pthread_mutex_unlock(&cache->mutex);
    if (status != TLU_OK)
        return status;
    if (entries) {
        bool lent = batch->lent_entries;
        batch->offsets = move_array(&at, batch->offsets, rows + 1, lent);
        if (batch->indices)
            batch->indices = move_array(&at, batch->indices, indices, lent);
        if (!batch->ones)
            batch->values = move_array(&at, batch->values, nonzeros, lent);
        else if (!lent)
            memory_free(batch->values);
        if (batch->ones)
            batch->values = NULL;
        batch->lent_entries = true;
    }
    if (others) {
        bool lent = batch->lent_rows;
        batch->labels = move_array(&at, batch->labels, rows, lent);
        batch->line = move_array(&at, batch->line, rows, lent);
        if (batch->weighted)
            batch->weights = move_array(&at, batch->weights, rows, lent);
        else if (!lent)
            memory_free(batch->weights);
        if (!batch->weighted)
            batch->weights = NULL;
        batch->lent_rows = true;
    }
    memory_free(batch->block);
    batch->block = NULL;
    batch->block_size = 0;
    return TLU_OK;
}

// Whether the first two rows have the same features: perhaps all have, see batch_share.
static bool looks_alike(const struct batch *batch)
{
    const uint32_t *offsets = batch->offsets, *indices = batch->indices;
    return batch->rows > 1 && offsets[2] - offsets[1] == offsets[1] &&
           memcmp(indices, indices + offsets[1], offsets[1] * sizeof *indices) == 0;
}

bool cache_prepare(struct cache *cache, struct batch *batch)
{
    if (batch->lent_entries || batch->lent_rows || batch->block || looks_alike(batch))
        return true;
    size_t size = stored_size(batch, true, true);
    pthread_mutex_lock(&cache->mutex);
    bool room = size >= LARGE_BATCH && cache->memory + size <= cache->limit;
    if (room) {
        cache->memory += size;
        batch->kept = size;
    }
    pthread_mutex_unlock(&cache->mutex);
    return !room || store(cache, &cache->in_memory, batch, &size, NULL) == TLU_OK;
}

tlu_status cache_keep(struct cache *cache, struct batch *batch, bool changes, tlu_error *error)
{
    size_t stored;
    tlu_status status = TLU_OK;
    pthread_mutex_lock(&cache->mutex);
    bool prepared = batch->kept && batch->lent_entries && batch->lent_rows;
    if (!prepared) {
        cache->memory -= batch->kept; // where it was here before
        batch->kept = 0;
    }
    uint64_t memory = cache->memory;
    pthread_mutex_unlock(&cache->mutex);
    batch_shrink(batch);
    if (prepared)
        return TLU_OK;
    batch_share(batch);
    size_t own = batch_bytes(batch);
    if (memory + own > cache->limit) {
        status = store(cache, &cache->in_file, batch, &stored, error);
    } else if (own >= LARGE_BATCH && !changes) {
        status = store(cache, &cache->in_memory, batch, &stored, error);
        batch->kept = status == TLU_OK ? stored : 0;
    }
    batch->kept += batch_bytes(batch);
    pthread_mutex_lock(&cache->mutex);
    cache->memory += batch->kept;
    pthread_mutex_unlock(&cache->mutex);
    return status;
}
